//! Memory fills.
//!
//! Source: pica-geometry.md 7.1, 7.2.

use super::FILL;
use super::runs::Runs;
use crate::pauses::PAUSE;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::stage::blit::Fill;
use picaflor_pipeline::pica::transfer::FillWidth;

/// Bytes of the value in use.
pub(super) const fn bytes(width: FillWidth) -> usize {
    match width {
        FillWidth::Bits16 => 2,
        FillWidth::Bits24 => 3,
        FillWidth::Bits32 => 4,
    }
}

/// See [`BlitStage::fill`](picaflor_pipeline::pica::stage::blit::BlitStage::fill).
pub(crate) fn fill(memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
    let Fill { start, end, value, width } = *fill;
    if start == 0 || end <= start {
        return Ok(());
    }
    let unit = value.to_le_bytes();
    let unit = &unit[..bytes(width)];
    let mut runs = Runs::new(memory, start);
    let mut filled = 0;
    while let Some(run) = runs.next((end - start - filled).min(PAUSE as u32)) {
        if memory.is_stopping() {
            memory.written(start, filled);
            return Ok(());
        }
        let mut value = [0; 4];
        let value = &mut value[..unit.len()];
        value.copy_from_slice(unit);
        value.rotate_left(filled as usize % unit.len());
        run.fill(value);
        filled += run.len() as u32;
    }
    if filled > 0 {
        memory.written(start, filled);
    }
    let stopped = start.wrapping_add(filled);
    if stopped < end { Err(Fault::Unmapped { id: FILL, address: stopped }) } else { Ok(()) }
}
