//! Estimates of time of the PICA200.

use crate::handle::Handle;
use crate::machine::with;
use crate::pica::gpu::GpuHandle;
use crate::raw::{In, Out, Room, c_struct};
use crate::status::{Status, guard};
use crate::timing::rate;
use picaflor_pipeline::pica::timing::Rates;

c_struct! {
    growing
    /// `picaflor_gpu_rates`.
    RatesConfig {
        /// A command.
        command: u32,
        /// A draw.
        draw: u32,
        /// A shaded vertex.
        vertex: u32,
        /// A culled triangle.
        culled: u32,
        /// A drawn triangle.
        triangle: u32,
        /// A pixel in bounds.
        pixel: u32,
        /// A filled byte.
        fill_byte: u32,
        /// A transferred byte.
        transfer_byte: u32,
    }
}

c_struct! {
    fixed
    /// `picaflor_delay`.
    DelayInfo {
        /// Cycles of the GPU.
        cycles: u64,
        /// `PICAFLOR_INTERRUPT_...`.
        interrupt: u32,
        /// Zero.
        reserved: u32,
    }
}

impl RatesConfig {
    fn rates(&self) -> Rates {
        let mut rates = Rates::default();
        rate(&mut rates.command, self.command);
        rate(&mut rates.draw, self.draw);
        rate(&mut rates.vertex, self.vertex);
        rate(&mut rates.culled, self.culled);
        rate(&mut rates.triangle, self.triangle);
        rate(&mut rates.pixel, self.pixel);
        rate(&mut rates.fill_byte, self.fill_byte);
        rate(&mut rates.transfer_byte, self.transfer_byte);
        rates
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_timing(gpu: Handle<GpuHandle>, rates: In<RatesConfig>) -> Status {
    guard(|| {
        let rates = if rates.is_null() { None } else { Some(rates.read("picaflor_gpu_rates")?.rates()) };
        with(&gpu, |hosted| {
            hosted.machine.set_timing(rates);
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_take_delays(
    gpu: Handle<GpuHandle>,
    delays: Room<DelayInfo>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    guard(|| {
        count.put(0, "count")?;
        delays.check(capacity, "delays")?;
        let taken = with(&gpu, |hosted| Ok(hosted.machine.take_delays()))?;
        let taken: Vec<_> = taken
            .iter()
            .map(|delay| DelayInfo {
                cycles: delay.cycles,
                interrupt: 1 << delay.interrupt as u32,
                reserved: 0,
            })
            .collect();
        delays.put(capacity, &taken, "delays")?;
        count.put(taken.len(), "count")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_run_cycles(gpu: Handle<GpuHandle>, cycles: Out<u64>) -> Status {
    guard(|| {
        cycles.put(0, "cycles")?;
        cycles.put(with(&gpu, |hosted| Ok(hosted.machine.run_cycles()))?, "cycles")
    })
}
