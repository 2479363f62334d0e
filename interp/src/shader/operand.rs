//! From the fields of an instruction to values and back: source register, relative address, swizzle,
//! negation, destination mask (pica-shader.md 2.3 and 2.4).

use std::array::from_fn;

use super::Invocation;
use picaflor_pipeline::pica::shader::instr::{Destination, Index, Instruction, OperandDescriptor, Source};
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};

/// What a `c` register beyond `c95` reads, which only a relative address can name (measured on a console).
const BEYOND_THE_UNIFORMS: Vec4 = [1.0; 4];

/// The sources of an instruction, in order; those it does not have are zero.
pub(super) fn sources(
    invocation: &Invocation<'_>,
    unit: &ShaderUnit,
    instruction: Instruction,
    descriptor: OperandDescriptor,
) -> [Vec4; 3] {
    from_fn(|n| {
        if n >= instruction.source_count() {
            return [0.0; 4];
        }
        // Fetch, swizzle, negate: in this order.
        let register = fetch(invocation, unit, instruction.source(n));
        let swizzled: Vec4 = from_fn(|i| register[descriptor.component(n, i)]);
        if descriptor.negate(n) { swizzled.map(negate) } else { swizzled }
    })
}

/// The sign of anything flips: of zero and of NaN too.
fn negate(value: f32) -> f32 {
    f32::from_bits(value.to_bits() ^ 0x8000_0000)
}

/// A whole register. The two sources of an instruction may name different `v` registers; the console then
/// reads a wrong one (picasso's manual), here each is read as named.
fn fetch(invocation: &Invocation<'_>, unit: &ShaderUnit, source: Source) -> Vec4 {
    match source {
        Source::Input(n) => unit.v[usize::from(n)],
        Source::Temporary(n) => unit.r[usize::from(n)],
        Source::Uniform(n, index) => match effective_register(n, index_value(unit, index)) {
            Some(k) => invocation.uniforms.float(k, invocation.precision),
            None => BEYOND_THE_UNIFORMS,
        },
    }
}

/// The value of the address register that an instruction names.
const fn index_value(unit: &ShaderUnit, index: Index) -> i32 {
    match index {
        Index::None => 0,
        Index::A0X => unit.a0[0],
        Index::A0Y => unit.a0[1],
        Index::AL => unit.al,
    }
}

/// The number of the register that `c[n + a]` reads, `None` beyond the last one. An offset that does not fit
/// a signed byte counts as 0; the sum wraps at 7 bits. Measured on a console (Steveice10, "Address Register
/// Offset").
fn effective_register(n: u8, a: i32) -> Option<usize> {
    let offset = if (-128..=127).contains(&a) { a } else { 0 };
    let k = ((i32::from(n) + offset) & 0x7f) as usize;
    (k < Uniforms::FLOATS).then_some(k)
}

/// Writes the components that the descriptor enables.
pub(super) fn write(
    kind: UnitKind,
    unit: &mut ShaderUnit,
    destination: Destination,
    descriptor: OperandDescriptor,
    value: Vec4,
) {
    let register = match destination {
        Destination::Output(n) => &mut unit.o[bank(kind, unit.bank)][usize::from(n)],
        Destination::Temporary(n) => &mut unit.r[usize::from(n)],
    };
    for i in (0..4).filter(|&i| descriptor.writes(i)) {
        register[i] = value[i];
    }
}

/// The output bank that is written. Vertex units have a single one (assumed).
pub(super) const fn bank(kind: UnitKind, selector: u32) -> usize {
    match kind {
        UnitKind::Vertex => 0,
        UnitKind::Geometry => (selector & 1) as usize,
    }
}
