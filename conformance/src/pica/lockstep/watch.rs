//! Stops of the PICA200 in the middle of a list.

use super::point;
use crate::lockstep::{Moment, Seen, Shared};
use crate::pica::Pica;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::external::Engine;
use picaflor_pipeline::pica::observer::{Observer, View};

/// Stops after every draw, fill and transfer.
pub(in crate::pica) fn watch(player: &mut Player<'_>, shared: &Shared<Pica>) {
    player.pica_mut().set_observer(Some(Box::new(shared.clone())));
}

impl Observer for Shared<Pica> {
    fn draw_done(&mut self, view: View<'_>) {
        let (state, stats) = (view.registers, *view.stats);
        self.stop_inside(Moment::Draw, view.memory, |()| Seen {
            state: state.clone(),
            stats,
            surfaces: point::after_draw(view),
        });
    }

    fn engine_done(&mut self, view: View<'_>, engine: Engine) {
        let moment = match engine {
            Engine::Fill(unit) => Moment::Fill(unit),
            Engine::Transfer => Moment::Transfer,
        };
        let (state, stats) = (view.registers, *view.stats);
        self.stop_inside(moment, view.memory, |()| Seen {
            state: state.clone(),
            stats,
            surfaces: point::after_engine(view, engine),
        });
    }
}
