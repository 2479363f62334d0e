//! Switches, 17 to 28.

use super::{Command, SWITCH};

/// Names and meanings, in order.
const SWITCHES: [(&str, &str); 18] = [
    ("LTE", "lighting"),
    ("LTE0", "light 0"),
    ("LTE1", "light 1"),
    ("LTE2", "light 2"),
    ("LTE3", "light 3"),
    ("CPE", "depth clamp and near clipping"),
    ("BCE", "back-face culling"),
    ("TME", "texturing"),
    ("FGE", "fog"),
    ("DTE", "dither"),
    ("ABE", "blending"),
    ("ATE", "alpha test"),
    ("ZTE", "depth test"),
    ("STE", "stencil test"),
    ("AAE", "line antialiasing"),
    ("PCE", "patch culling"),
    ("CTE", "colour test"),
    ("LOE", "logic operation"),
];

pub(super) fn command(number: u8) -> Command {
    match SWITCHES.get(usize::from(number.wrapping_sub(0x17))) {
        Some(&(name, meaning)) => Command::state(name, meaning, SWITCH),
        None => Command::nothing(number),
    }
}
