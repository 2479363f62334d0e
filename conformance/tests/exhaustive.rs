//! Every input there is: all patterns of the number formats, and all 2^24 operands of one-operand opcodes on
//! both engines. Unoptimised builds take a 61st of the operands. A report is printed with `--nocapture`.

use picaflor_conformance::pica::sweep::{
    ONE_OPERAND, Op, compare_engines, correctly_rounded, correctly_rounded_console,
};
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode, Served, Variant};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::{self, CANONICAL_NAN, EX2_EXCEPTIONS, Precision};
use picaflor_pipeline::pica::stage::{Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch};

/// What a pattern stands for, from the words of the manual: sign, exponent and mantissa, in binary64.
/// `None` for a NaN.
fn meaning(raw: u32, exponent_bits: u32, mantissa_bits: u32) -> Option<f64> {
    let sign = if raw >> (exponent_bits + mantissa_bits) & 1 == 1 { -1.0 } else { 1.0 };
    let exponent = (raw >> mantissa_bits) % (1 << exponent_bits);
    let mantissa = f64::from(raw % (1 << mantissa_bits)) / f64::from(1 << mantissa_bits);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let power = |e: u32| 2_f64.powi(e as i32 - bias);
    match exponent {
        0 => Some(sign * mantissa * power(1)),
        e if e < (1 << exponent_bits) - 1 => Some(sign * (1.0 + mantissa) * power(e)),
        _ if mantissa == 0.0 => Some(sign * f64::INFINITY),
        _ => None,
    }
}

/// Sign and payload of a widened NaN: the pattern's, aligned at the top.
fn widened_nan(raw: u32, exponent_bits: u32, mantissa_bits: u32) -> u32 {
    let sign = raw >> (exponent_bits + mantissa_bits) & 1;
    sign << 31 | 0x7f80_0000 | (raw % (1 << mantissa_bits)) << (23 - mantissa_bits)
}

fn widening_is_exact(widen: fn(u32) -> f32, exponent_bits: u32, mantissa_bits: u32) {
    for raw in 0..1 << (1 + exponent_bits + mantissa_bits) {
        let value = widen(raw);
        match meaning(raw, exponent_bits, mantissa_bits) {
            Some(expected) => {
                assert_eq!(f64::from(value).to_bits(), expected.to_bits(), "{raw:06x}: {value:e}");
            }
            None => {
                assert_eq!(value.to_bits(), widened_nan(raw, exponent_bits, mantissa_bits), "{raw:06x}");
            }
        }
    }
}

#[test]
fn f24_widening() {
    widening_is_exact(float::f24, 7, 16);
}

#[test]
fn f20_widening() {
    widening_is_exact(float::f20, 7, 12);
}

#[test]
fn f16_widening() {
    widening_is_exact(float::f16, 5, 10);
}

/// All signs, exponents and low mantissa bits with the upper mantissa bits sampled. Exponent 0 is zero.
#[test]
fn f31_widening() {
    for raw in (0..1_u32 << 30).step_by(61).flat_map(|word| (0..4).map(move |top| word | top << 30)) {
        let value = float::f31(raw);
        match meaning(raw >> 1, 7, 23) {
            _ if raw >> 24 & 0x7f == 0 => assert_eq!(value.to_bits(), raw & 0x8000_0000, "{raw:08x}"),
            Some(expected) => assert_eq!(f64::from(value).to_bits(), expected.to_bits(), "{raw:08x}"),
            None => assert_eq!(value.to_bits(), widened_nan(raw >> 1, 7, 23), "{raw:08x}"),
        }
    }
}

#[test]
fn to_f24_inverts_f24() {
    for raw in 0..1 << 24 {
        assert_eq!(float::to_f24(float::f24(raw)), Some(raw), "{raw:06x}");
    }
}

/// A value has a pattern only if the pattern widens to the very same bits.
#[test]
fn to_f24_never_rounds() {
    for bits in sampled_patterns() {
        if let Some(raw) = float::to_f24(f32::from_bits(bits)) {
            assert_eq!(float::f24(raw).to_bits(), bits);
        }
    }
}

/// About 30 million binary32 patterns: a stride that is odd, so that low bits vary, and every pattern near
/// the limits of the 24-bit format.
fn sampled_patterns() -> impl Iterator<Item = u32> {
    let strided = (0..=u32::MAX).step_by(149);
    let edges =
        [0, 0x1880_0000, 0x2080_0000, 0x5f80_0000, 0x7f80_0000, 0x8000_0000, 0xa080_0000, 0xdf80_0000];
    strided.chain(
        edges.into_iter().flat_map(|edge: u32| (0..512).map(move |i| edge.wrapping_add(i).wrapping_sub(256))),
    )
}

/// `T` in the words of pica-shader.md 3.2, in binary64.
fn truncated(value: f32) -> f32 {
    let magnitude = f64::from(value).abs();
    if magnitude.is_nan() {
        return f32::from_bits(CANONICAL_NAN);
    }
    if magnitude < 2_f64.powi(-62) {
        return 0.0;
    }
    let kept = if magnitude >= 2_f64.powi(64) {
        f64::INFINITY
    } else {
        let unit = 2_f64.powi(magnitude.log2().floor() as i32 - 16);
        (magnitude / unit).floor() * unit
    };
    (kept as f32).copysign(value)
}

#[test]
fn truncation_is_its_definition() {
    for bits in sampled_patterns() {
        let value = f32::from_bits(bits);
        let kept = float::truncate(value);
        assert_eq!(kept.to_bits(), truncated(value).to_bits(), "{bits:08x}");
        assert_eq!(float::truncate(kept).to_bits(), kept.to_bits(), "{bits:08x}");
        assert!(float::to_f24(kept).is_some(), "{bits:08x}");
    }
}

/// Flushing changes subnormals and -0 only; truncation changes NaNs besides.
#[test]
fn flushing_and_truncating_24_bit_values() {
    for raw in 0..1_u32 << 24 {
        let value = float::f24(raw);
        let subnormal = raw >> 16 & 0x7f == 0;
        let flushed = if subnormal { 0 } else { value.to_bits() };
        assert_eq!(float::flush(value).to_bits(), flushed, "{raw:06x}");
        let truncated = if value.is_nan() { CANONICAL_NAN } else { flushed };
        assert_eq!(float::truncate(value).to_bits(), truncated, "{raw:06x}");
    }
}

#[test]
fn recipes_are_correctly_rounded_in_console() {
    for op in [Op::Ex2, Op::Lg2] {
        let report = correctly_rounded_console(op);
        println!("{op:?} Console: {report}");
        assert_eq!((report.inputs, report.misrounded), (1 << 24, 0), "{op:?}: {report}");
    }
}

/// A part of what `picaflor sweep` does with all 2^32 inputs: one to four, and around the exceptions.
#[test]
fn recipes_are_correctly_rounded() {
    for op in [Op::Ex2, Op::Lg2] {
        for first in [0x3f80_0000, EX2_EXCEPTIONS[0] & !0xf_ffff, EX2_EXCEPTIONS[1] & !0xf_ffff] {
            let report = correctly_rounded(op, first..=first + 0xf_ffff);
            assert_eq!((report.inputs, report.misrounded), (1 << 20, 0), "{op:?}: {report}");
        }
    }
}

/// Every how many operands one is run on the engines.
const STEP: usize = if cfg!(debug_assertions) { 61 } else { 1 };

/// An engine that must serve everything by compiled code.
struct Compiled(Engine);

impl Compiled {
    fn new(variant: Variant) -> Self {
        let builder = Engine::builder().mode(EngineMode::Blocking).variant(variant).fallback(false);
        Self(builder.build().expect("this host runs compiled code"))
    }
}

impl ShaderStage for Compiled {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.0.shade(batch, out, faults);
        assert_eq!(self.0.last_run().served, Served::Compiled);
        assert_eq!(faults.as_slice(), []);
    }

    fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {
        unreachable!("the sweep has no geometry programs")
    }
}

fn engines_agree(precision: Precision, variant: Variant) {
    let mut compiled = Compiled::new(variant);
    for opcode in ONE_OPERAND {
        let report = compare_engines(opcode, precision, STEP, &mut Interpreter::new(), &mut compiled);
        println!("{variant:?} {report}");
        assert_eq!((report.inputs(), report.differing), ((1_u64 << 24).div_ceil(STEP as u64), 0), "{report}");
    }
    println!("{variant:?} {precision:?}: {:?}", compiled.0.stats());
}

#[test]
fn the_fast_variant_agrees_on_one_operand_in_console() {
    engines_agree(Precision::Console, Variant::Fast);
}

#[test]
fn the_fast_variant_agrees_on_one_operand_in_binary32() {
    engines_agree(Precision::Binary32, Variant::Fast);
}

#[test]
fn the_exact_variant_agrees_on_one_operand_in_console() {
    engines_agree(Precision::Console, Variant::Exact);
}

#[test]
fn the_exact_variant_agrees_on_one_operand_in_binary32() {
    engines_agree(Precision::Binary32, Variant::Exact);
}
