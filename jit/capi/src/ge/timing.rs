//! Estimates of time of the GE.

use crate::ge::session::{Joint, either};
use crate::ge::{Console, GeHandle};
use crate::handle::Handle;
use crate::machine::{Hosted, with};
use crate::raw::{In, Out, c_struct};
use crate::status::{Failure, Status, guard};
use crate::timing::rate;
use picaflor_pipeline::ge::lists::Lists;
use picaflor_pipeline::ge::timing::Rates;

c_struct! {
    growing
    /// `picaflor_ge_rates`.
    RatesConfig {
        /// A command.
        command: u32,
        /// A drawing command.
        draw: u32,
        /// A vertex.
        vertex: u32,
        /// A primitive.
        primitive: u32,
        /// A pixel in bounds.
        pixel: u32,
        /// A byte of a block transfer.
        transfer_byte: u32,
    }
}

impl RatesConfig {
    fn rates(&self) -> Rates {
        let mut rates = Rates::default();
        rate(&mut rates.command, self.command);
        rate(&mut rates.draw, self.draw);
        rate(&mut rates.vertex, self.vertex);
        rate(&mut rates.primitive, self.primitive);
        rate(&mut rates.pixel, self.pixel);
        rate(&mut rates.transfer_byte, self.transfer_byte);
        rates
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_timing(ge: Handle<GeHandle>, rates: In<RatesConfig>) -> Status {
    guard(|| {
        let rates = rates.read_or_default("picaflor_ge_rates")?.rates();
        with(&ge, |hosted| {
            hosted.machine.rates = rates;
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_cycles(ge: Handle<GeHandle>, cycles: Out<u64>) -> Status {
    guard(|| {
        cycles.put(0, "cycles")?;
        let joint = |joint: &mut Joint<'_, '_>| Ok(joint.rates.cycles(joint.session.ge().stats()));
        let alone = |hosted: &mut Hosted<Console>| Ok(hosted.machine.rates.cycles(hosted.machine.ge.stats()));
        cycles.put(either(&ge, joint, alone)?, "cycles")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_interrupt_cycles(ge: Handle<GeHandle>, cycles: Out<u64>) -> Status {
    guard(|| {
        cycles.put(0, "cycles")?;
        let of = |lists: &Lists, rates: &Rates| lists.interrupt_stats().map(|stats| rates.cycles(stats));
        let joint = |joint: &mut Joint<'_, '_>| Ok(of(joint.lists, &joint.rates));
        let alone = |hosted: &mut Hosted<Console>| Ok(of(&hosted.machine.lists, &hosted.machine.rates));
        let none = || Failure::new(Status::State, "no interrupt of a list that ran since the last load");
        cycles.put(either(&ge, joint, alone)?.ok_or_else(none)?, "cycles")
    })
}
