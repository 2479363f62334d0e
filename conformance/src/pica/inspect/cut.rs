//! Captures with fewer draws.

use crate::inspect::NoAnswer;
use crate::pica::replay::flatten::flatten;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::stage::NoEngines;
use std::ops::Range;

/// Registers whose write draws: arrays, elements, and immediate vertices.
const DRAWS: [u16; 2] = [0x22e, 0x22f];

/// The same capture with its lists written out and without the draws that are not in the range.
///
/// # Errors
/// The capture is too long to be written out, or is not sound.
pub(super) fn cut(capture: &Capture, draws: Range<u64>) -> Result<Capture, NoAnswer> {
    let flat = flatten(capture).map_err(NoAnswer::new)?;
    let mut flat = flat.ok_or_else(|| NoAnswer::new("the capture has too many register writes to be cut"))?;
    let mut player = Player::new(&flat).map_err(NoAnswer::new)?;
    let mut kept = Vec::new();
    let mut before = player.pica().stats().draws;
    let first = before;
    while let Some(step) = player.step(&mut NoEngines) {
        let after = player.pica().stats().draws;
        let is_draw = matches!(step.event, Event::Register { id, .. } if DRAWS.contains(id));
        kept.push(!is_draw || after == before || draws.contains(&(before - first)));
        before = after;
    }
    drop(player);
    let mut kept = kept.into_iter();
    flat.events.retain(|_| kept.next().unwrap_or(true));
    Ok(flat)
}
