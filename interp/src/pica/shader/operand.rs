//! From the fields of an instruction to values and back: source register, relative address, swizzle,
//! negation, destination mask (pica-shader.md 2.3 and 2.4).

use std::array::from_fn;

use super::Invocation;
use picaflor_pipeline::pica::shader::instr::{Destination, Index, Instruction, OperandDescriptor, Source};
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};

/// Value of a `c` register beyond `c95`, reachable only by relative addressing (measured on a console).
const BEYOND_THE_UNIFORMS: Vec4 = [1.0; 4];

/// The sources of an instruction, in order; those it does not have are zero.
pub(super) fn sources(
    invocation: &Invocation<'_>,
    unit: &ShaderUnit,
    instruction: Instruction,
    descriptor: OperandDescriptor,
) -> [Vec4; 3] {
    let mut sources = [[0.0; 4]; 3];
    for (n, source) in sources.iter_mut().enumerate().take(instruction.source_count()) {
        // Fetch, swizzle, negate: in this order.
        let register = fetch(invocation, unit, instruction.source(n));
        *source = from_fn(|i| register[descriptor.component(n, i)]);
        if descriptor.negate(n) {
            *source = source.map(negate);
        }
    }
    sources
}

/// Flips the sign of every value, zero and NaN included.
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

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, IDENTITY, bare, end, one, two};
    use super::*;
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_pipeline::pica::shader::ops::Opcode;

    /// pica-shader.md 11.4, measured with base `c40`.
    #[test]
    fn relative_address_table() {
        let table = [
            (0, Some(40)),
            (13, Some(53)),
            (50, Some(90)),
            (60, None),
            (74, None),
            (87, None),
            (88, Some(0)),
            (127, Some(39)),
            (128, Some(40)),
            (-40, Some(0)),
            (-42, None),
            (-70, None),
            (-73, Some(95)),
            (-127, Some(41)),
            (-128, Some(40)),
            (-129, Some(40)),
            (i32::MAX, Some(40)),
            (i32::MIN, Some(40)),
        ];
        for (a, expected) in table {
            assert_eq!(effective_register(40, a), expected, "a0.x = {a}");
        }
    }

    fn bench(code: &[u32]) -> Bench {
        let mut bench = Bench::new(UnitKind::Vertex, code);
        for n in 0..96 {
            bench.uniforms.set_float_register(n, [n as f32, 0.25, -0.5, 2.0]);
        }
        bench
    }

    /// `mov r0, c[40 + index]` after setting the address registers.
    fn indexed_move(index: u32, a0: [i32; 2], al: i32) -> f32 {
        let mut bench = bench(&[one(Opcode::Mov, 0x10, 0x20 + 40) | index << 19, end()]);
        (bench.unit.a0, bench.unit.al) = (a0, al);
        bench.run();
        bench.unit.r[0][0]
    }

    #[test]
    fn each_address_register() {
        let read = [0, 1, 2, 3].map(|index| indexed_move(index, [1, 2], 3));
        assert_eq!(read, [40.0, 41.0, 42.0, 43.0]);
        assert_eq!(indexed_move(1, [60, 0], 0), 1.0);
    }

    #[test]
    fn index_has_no_effect_on_temporaries_and_inputs() {
        let mut bench =
            bench(&[one(Opcode::Mov, 0x11, 0x12) | 1 << 19, one(Opcode::Mov, 0x13, 0x03) | 1 << 19, end()]);
        bench.unit.a0 = [1, 0];
        (bench.unit.r[2], bench.unit.v[3]) = ([5.0; 4], [6.0; 4]);
        bench.run();
        assert_eq!((bench.unit.r[1], bench.unit.r[3]), ([5.0; 4], [6.0; 4]));
    }

    /// `c[i + fraction]` reads `c[i]`: pica-shader.md 11.4, last line.
    #[test]
    fn mova_then_indexed_read() {
        for i in 0..96 {
            let mut bench = bench(&[one(Opcode::Mova, 0, 0), one(Opcode::Mov, 0x10, 0x20) | 1 << 19, end()]);
            bench.unit.v[0][0] = i as f32 + (i % 17) as f32 / 17.0;
            bench.run();
            assert_eq!(bench.unit.r[0][0], i as f32);
        }
    }

    #[test]
    fn mova_writes_what_the_mask_names() {
        let after = |mask: u32| {
            let mut bench = bench(&[one(Opcode::Mova, 0x1f, 0), end()]);
            bench.program.write_descriptor(0, IDENTITY & !0xf | mask);
            (bench.unit.a0, bench.unit.v[0]) = ([7, 8], [1.0, 2.0, 3.0, 4.0]);
            bench.run();
            assert_eq!(bench.unit.r, [[0.0; 4]; 16]);
            bench.unit.a0
        };
        assert_eq!([8, 4, 12, 3].map(after), [[1, 8], [7, 2], [1, 2], [7, 8]]);
    }

    /// Swizzle first, then the sign of all four; both apply to what lies beyond the uniforms too.
    #[test]
    fn swizzle_and_negation() {
        let wzyx_negated = 0xe4 << 5 | 1 << 4 | 0xf;
        let mut bench =
            bench(&[one(Opcode::Mov, 0x10, 0), one(Opcode::Mov, 0x11, 0x20 + 95) | 1 << 19, end()]);
        bench.program.write_descriptor(0, wzyx_negated);
        bench.unit.a0[0] = 1;
        bench.unit.v[0] = [f32::from_bits(0x7f81_2345), 0.0, -2.0, f32::INFINITY];
        bench.run();
        assert_eq!(bench.unit.r[0].map(f32::to_bits), [0xff80_0000, 0x4000_0000, 0x8000_0000, 0xff81_2345]);
        assert_eq!(bench.unit.r[1], [-1.0; 4]);
    }

    #[test]
    fn destination_mask_leaves_the_other_components() {
        for mask in 0..16_u32 {
            let mut bench = bench(&[one(Opcode::Mov, 0x02, 0), end()]);
            bench.program.write_descriptor(0, IDENTITY & !0xf | mask);
            (bench.unit.v[0], bench.unit.o[0][2]) = ([1.0, 2.0, 3.0, 4.0], [9.0; 4]);
            bench.run();
            let expected = from_fn(|i| if mask >> (3 - i) & 1 != 0 { (i + 1) as f32 } else { 9.0 });
            assert_eq!(bench.unit.o[0][2], expected);
        }
    }

    #[test]
    fn a_destination_that_is_a_source_is_read_first() {
        let yzwx = 0x6c << 5 | 0xf;
        let mut bench = bench(&[one(Opcode::Mov, 0x10, 0x10), end()]);
        bench.program.write_descriptor(0, yzwx);
        bench.unit.r[0] = [1.0, 2.0, 3.0, 4.0];
        bench.run();
        assert_eq!(bench.unit.r[0], [2.0, 3.0, 4.0, 1.0]);
    }

    #[test]
    fn inverted_forms_index_the_second_source() {
        let word = bare(Opcode::Sgei) | 0x10 << 21 | 1 << 19 | 0x20 << 7;
        let mut bench = bench(&[word, end()]);
        bench.unit.a0[0] = 3;
        bench.unit.v[0] = [3.0, 0.0, 0.0, 2.0];
        bench.run();
        assert_eq!(bench.unit.r[0], [1.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn madi_takes_its_third_source_from_the_uniforms() {
        let word = bare(Opcode::Madi) | 0x12 << 24 | 2 << 22 | 0x01 << 12 | (0x20 + 4) << 5;
        let mut bench = bench(&[word, end()]);
        bench.unit.a0[1] = 2;
        (bench.unit.v[0], bench.unit.v[1]) = ([2.0; 4], [10.0; 4]);
        bench.run();
        assert_eq!(bench.unit.r[2], [26.0, 20.25, 19.5, 22.0]);
    }

    /// The 1 of DPH replaces the negated w.
    #[test]
    fn dph_negation_does_not_reach_the_one() {
        let mut bench = bench(&[two(Opcode::Dph, 0x10, 0x00, 0x01), end()]);
        bench.program.write_descriptor(0, IDENTITY | 1 << 4);
        (bench.unit.v[0], bench.unit.v[1]) = ([1.0, 2.0, 3.0, 50.0], [1.0, 1.0, 1.0, 4.0]);
        bench.run();
        assert_eq!(bench.unit.r[0], [-2.0; 4]);
    }

    /// A uniform sent as binary32 is narrowed in `Console` only; subnormal patterns survive a MOV.
    #[test]
    fn uniforms_by_precision() {
        let read = |precision| {
            let mut bench = bench(&[one(Opcode::Mov, 0x10, 0x20), end()]);
            bench.uniforms.set_float_f32(0, [0x3f80_0001, 0x8000_0000, 0x207f_ff00, 0x7f80_0001]);
            bench.precision = precision;
            bench.run();
            bench.unit.r[0].map(f32::to_bits)
        };
        assert_eq!(read(Precision::Console), [0x3f80_0000, 0, 0, 0x7fc0_0000]);
        assert_eq!(read(Precision::Binary32), [0x3f80_0001, 0x8000_0000, 0x207f_ff00, 0x7f80_0001]);
        let mut bench = bench(&[one(Opcode::Mov, 0x10, 0x20), end()]);
        bench.uniforms.set_float_f24(0, [0x00_0001, 0x80_ffff, 0x80_0000, 0xff_8000]);
        bench.run();
        let patterns = [0x1880_0000, 0xa07f_ff00, 0x8000_0000, 0xffc0_0000];
        assert_eq!(bench.unit.r[0].map(f32::to_bits), patterns);
    }
}
