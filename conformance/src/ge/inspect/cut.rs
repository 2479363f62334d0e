//! Captures with fewer draws: whole lists are left out.

use crate::ge::undrawn::Undrawn;
use crate::inspect::{Action, NoAnswer};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::regs::op;
use std::collections::BTreeSet;
use std::ops::Range;

/// Commands that draw.
const DRAWS: [u8; 3] = [op::PRIM, op::BEZIER, op::SPLINE];

/// The same capture without the lists whose draws are all out of the range. The state that they left, they leave still.
///
/// # Errors
/// The capture is not sound.
pub(super) fn cut(capture: &Capture, draws: &Range<u64>, actions: &[Action]) -> Result<Capture, NoAnswer> {
    let of_draws = |wanted: bool| -> BTreeSet<usize> {
        let drawing = actions.iter().filter_map(|action| Some((action.draw?, action.event)));
        drawing.filter(|(draw, _)| draws.contains(draw) == wanted).map(|(_, event)| event).collect()
    };
    let (wanted, unwanted) = (of_draws(true), of_draws(false));
    let mut player = Player::new(capture).map_err(NoAnswer::new)?;
    let mut undrawn = Undrawn(Interpreter::new());
    let mut events = Vec::new();
    while let Some(step) = player.step(&mut undrawn) {
        let is_out = unwanted.contains(&step.index) && !wanted.contains(&step.index);
        events.push(match step.event {
            Event::Execute(words) if is_out => {
                let is_draw = |word: &u32| DRAWS.contains(&((word >> 24) as u8));
                Event::Execute(words.iter().filter(|word| !is_draw(word)).copied().collect())
            }
            Event::Run(_) if is_out => Event::State(player.ge().save()),
            event => event.clone(),
        });
    }
    Ok(Capture { events, ..capture.clone() })
}
