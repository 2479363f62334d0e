//! Known reasons: values that a dump cannot give, screens that are not exact to the last bit, and the presumed
//! behaviour of the hardware.

use super::judge::Screens;
use super::values::{Evidence, Place, Value};

/// The reason for which a value of a test cannot match, if it is known.
#[must_use]
pub fn reason(test: &str, value: &Value) -> Option<&'static str> {
    match (test, value.records, value.place) {
        ("filtering_precisionnearest2d", 165, Place::Memory { address: 0x0400_0004, .. }) => {
            Some("the program printed a neighbouring pixel: the search for a position ended elsewhere")
        }
        ("ge_context", 4, Place::Register(_)) => {
            Some("the console restores a context here, which dumps do not record")
        }
        ("signals_continue", _, Place::Register(_)) if value.evidence == Evidence::HwDiff => {
            Some("the console's list runs on while the handler of the signal reads the register: timing")
        }
        _ => None,
    }
}

/// Screens with perspective textures: the number of pixels that differ, and the largest difference of a channel.
const PERSPECTIVE: [(&str, usize, u8); 2] = [("reflection_reflection", 754, 19), ("texmtx_normals", 242, 1)];

/// The reason for the differences of a screen of a test, if it is known.
#[must_use]
pub fn screen_reason(test: &str, screens: &Screens) -> Option<&'static str> {
    let is_known = |&(of, pixels, most): &(&str, usize, u8)| {
        of == test && screens.differing <= pixels && screens.largest <= most
    };
    PERSPECTIVE.iter().any(is_known).then_some(
        "perspective textures: reciprocals are truncated to 16 bits, what else the console rounds is not known",
    )
}
