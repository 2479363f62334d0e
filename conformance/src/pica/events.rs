//! Events of a capture, on a machine with a memory of whatever host.

use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::capture::Event;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::{Pica, RunError};

/// Has a machine do an event. What the host alone does, writes to memory and frames, is left to it.
///
/// # Errors
/// [`RunError`] if the machine gave it up.
pub fn play(
    machine: &mut Pica,
    engine: &mut dyn Stages,
    memory: &dyn Memory,
    event: &Event,
) -> Result<(), RunError> {
    match *event {
        Event::List { address, size_bytes } => {
            machine.run(engine, memory, CommandList { address, size_bytes }).map(drop)
        }
        Event::Mmio { address, value } => machine.write_mmio(engine, memory, address, value),
        Event::Register { id, value, mask } => machine.write_register(engine, memory, id, value, mask),
        Event::VBlank { screen } => {
            machine.vblank(screen);
            Ok(())
        }
        Event::Field { field, first, ref words } => {
            // A recorder notes what was taken; a damaged file may hold anything.
            let _ = machine.write_field(field, first as usize, words);
            Ok(())
        }
        Event::Memory { .. } | Event::Frame => Ok(()),
    }
}
