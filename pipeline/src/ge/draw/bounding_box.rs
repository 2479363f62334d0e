//! The vertices that the bounding box test looks at.
//!
//! Source: psp-ge.md 7.8, measured on a console (bounding/count).

use std::ops::Range;

/// Maximum number of vertices tested.
const TESTED: u32 = 0x100;

/// Range of the tested vertices among `count`.
#[must_use]
pub(super) fn tested(count: u32) -> Range<u32> {
    match count {
        0..=TESTED => 0..count,
        0x101..=0x200 => 0..count - TESTED,
        _ => count - 2 * TESTED..count - TESTED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of 14.9: vertices out, in, out. The box is outside if none of those inside is tested.
    #[test]
    fn measured_counts() {
        let cases = [
            ([0xe00, 0x100, 0x100], false),
            ([0xe00, 1, 0x1ff], false),
            ([0xeff, 1, 0x100], false),
            ([0xf00, 1, 0xff], true),
            ([0x1dff, 1, 0x200], true),
            ([0x1e00, 1, 0x1ff], false),
            ([0, 0x100, 1], false),
            ([0x100, 1, 0], true),
            ([0, 1, 0x100], false),
            ([1, 0x100, 0], true),
            ([0, 0, 0], true),
            ([0, 0x100, 0], false),
            // By the same rule: the first 0x80 of 0x180.
            ([0x7f, 1, 0x100], false),
            ([0x80, 0x80, 0x80], true),
        ];
        for ([before, inside, after], expected) in cases {
            let inside_at = before..before + inside;
            let is_outside = !tested(before + inside + after).any(|n| inside_at.contains(&n));
            assert_eq!(is_outside, expected, "{before:#x} {inside:#x} {after:#x}");
        }
    }
}
