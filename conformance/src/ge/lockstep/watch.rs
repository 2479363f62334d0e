//! Stops of the GE in the middle of a list, with the keys that its draws requested until then.

use super::State;
use super::point::{self, Role, Surface};
use crate::ge::Ge;
use crate::ge::engine::Named;
use crate::ge::keys::{Slip, Watched};
use crate::lockstep::{Moment, Seen, Shared};
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::observer::{Observer, View};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::vram::AddressMaps;

/// Facts that are carried from point to point.
#[derive(Debug, Default)]
pub struct Known {
    pub(in crate::ge) maps: AddressMaps,
    slip: Slip,
}

impl Known {
    pub(in crate::ge) fn state(&self, registers: &Registers) -> State {
        State { registers: registers.clone(), maps: self.maps, keys: self.slip.take().line() }
    }
}

/// The engine; where steps are recorded, with a slip for its keys, and a stop of the machine after each draw.
pub(in crate::ge) fn watched<'e>(
    engine: &'e mut Named,
    player: &mut Player<'_>,
    shared: &Shared<Ge>,
    steps: bool,
) -> Watched<'e, Named> {
    if !steps {
        return Watched::new(engine, None);
    }
    let slip = Slip::default();
    shared.know(|known| known.slip = slip.clone());
    player.ge_mut().set_observer(Some(Box::new(shared.clone())));
    Watched::new(engine, Some(slip))
}

impl Observer for Shared<Ge> {
    fn draw_done(&mut self, view: View<'_>) {
        self.stop_inside(Moment::Draw, view.memory, |known| inside(view, known));
    }

    fn transfer_done(&mut self, view: View<'_>) {
        self.stop_inside(Moment::Transfer, view.memory, |known| inside(view, known));
    }
}

/// In the middle of a list: registers and VRAM.
fn inside(View { registers, memory, stats, .. }: View<'_>, known: &Known) -> Seen<Ge> {
    let words = Surface::of_words(Role::State, registers.words());
    let surfaces = [words].into_iter().chain(point::vram(memory)).collect();
    Seen { state: known.state(registers), stats: *stats, surfaces }
}
