//! `SETEMIT` and `EMIT` (pica-shader.md 5.4 and 5.5). The emit buffer and primitive assembly come after the
//! unit; here an `EMIT` becomes an [`Emission`].

use picaflor_pipeline::pica::shader::instr::Instruction;
use picaflor_pipeline::pica::shader::unit::{EmitLatch, ShaderUnit};
use picaflor_pipeline::stage::Emission;

/// `SETEMIT`: the latch stays until the next one, across runs too (measured on a console).
pub(super) const fn setemit(unit: &mut ShaderUnit, instruction: Instruction) {
    unit.latch = EmitLatch {
        id: instruction.emit_id(),
        primitive: instruction.emit_primitive(),
        winding: instruction.emit_winding(),
    };
}

/// `EMIT`: packs the current bank, then switches to the other. A component that is not written again has the
/// value of two `EMIT`s ago (measured on a console, Azahar PR 2338).
pub(super) fn emit(unit: &mut ShaderUnit, output_mask: u16) -> Emission {
    let emission = Emission { latch: unit.latch, record: unit.packed_outputs(output_mask) };
    unit.bank = unit.bank & 1 ^ 1;
    emission
}
