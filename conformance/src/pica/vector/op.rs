//! One instruction, in each of its written forms.

use super::Op;
use super::listing::{Conditions, encode};
use super::run::{Case, VertexRun, compare, compare_faults, fixed};
use super::value::{Register, Value};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::unit::Vec4;

/// Places of the operands and of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// The wide source in a uniform, the others in temporaries; straight to an output register.
    Uniform,
    /// All sources in attributes; the destination is a temporary that held another value.
    Attribute,
    /// All sources in temporaries, the first of which is overwritten.
    InPlace,
}

/// Content of `o0` before, where the placement writes to a register that held another value.
const BEFORE: f32 = 9.0;
const LETTERS: [char; 3] = ['a', 'b', 'c'];

/// The cases of one instruction in one profile.
pub(super) fn cases(op: &Op, precision: Precision) -> Result<Vec<Case>, String> {
    let sources: Vec<&Register> = [Some(&op.a), op.b.as_ref(), op.c.as_ref()].into_iter().flatten().collect();
    let mut cases = Vec::new();
    for (mnemonic, wide) in forms(&op.op) {
        for placement in [Placement::Uniform, Placement::Attribute, Placement::InPlace] {
            cases.push(case(op, mnemonic, wide, placement, &sources, precision)?);
        }
    }
    Ok(cases)
}

/// The encodings of an operation, each with its wide source.
fn forms(op: &str) -> Vec<(&str, usize)> {
    match op {
        "dph" => vec![("dph", 0), ("dphi", 1)],
        "dst" => vec![("dst", 0), ("dsti", 1)],
        "sge" => vec![("sge", 0), ("sgei", 1)],
        "slt" => vec![("slt", 0), ("slti", 1)],
        "mad" => vec![("mad", 1), ("madi", 2)],
        _ => vec![(op, 0)],
    }
}

fn case(
    op: &Op,
    mnemonic: &str,
    wide: usize,
    placement: Placement,
    sources: &[&Register],
    precision: Precision,
) -> Result<Case, String> {
    let listing = listing(op, mnemonic, wide, placement, sources.len());
    let encoded = encode(&listing, Conditions::Uniform, &[])?;
    let values: Vec<Vec4> = sources.iter().map(|source| source.operand(precision)).collect();
    let before = match placement {
        Placement::Uniform => [0.0; 4],
        Placement::Attribute => [BEFORE; 4],
        Placement::InPlace => values[0],
    };
    let name = format!("{placement:?}, sources {values:?}\n{listing}");
    let expectation = Expectation::new(op, before, precision)?;
    let mut run = VertexRun::new(
        name,
        precision,
        &encoded,
        Box::new(move |component, faults| {
            let mut problems = expectation.problems(component);
            compare_faults(&[], faults, &mut problems);
            problems
        }),
    );
    for (n, value) in values.iter().enumerate() {
        run.uniforms.set_float(n, *value);
    }
    run.uniforms.set_float(90, [BEFORE; 4]);
    run.uniforms.set_float(91, [1.0; 4]);
    run.inputs = fixed(&values);
    Ok(Case::Vertex(Box::new(run)))
}

/// The instruction, its operands put in place before, and result and flags made visible after.
fn listing(op: &Op, mnemonic: &str, wide: usize, placement: Placement, count: usize) -> String {
    let mut lines = Vec::new();
    let source = |n: usize| {
        let file = match placement {
            Placement::Uniform if n == wide => 'c',
            Placement::Attribute => 'v',
            _ => 'r',
        };
        let sign = if op.negate.contains(LETTERS[n]) { "-" } else { "" };
        let swizzle = op.swizzle.get(n).filter(|s| !s.is_empty()).map_or("xyzw", String::as_str);
        format!("{sign}{file}{n}.{swizzle}")
    };
    let sources: Vec<String> = (0..count).map(source).collect();
    if placement == Placement::Attribute {
        lines.push("mov r5, c90".to_string());
    } else {
        lines.extend((0..count).map(|n| format!("mov r{n}, c{n}")));
    }
    let destination = match placement {
        Placement::Uniform => "o0",
        Placement::Attribute => "r5",
        Placement::InPlace => "r0",
    };
    lines.push(match &*op.compare {
        [x, y] => format!("cmp {}, {x}, {y}, {}", sources[0], sources.get(1).map_or("", String::as_str)),
        _ => format!("{mnemonic} {destination}.{}, {}", op.mask, sources.join(", ")),
    });
    if placement != Placement::Uniform {
        lines.push(format!("mov o0, {destination}"));
    }
    for (flag, component) in [("x", "x"), ("y", "y")] {
        lines.push(format!("ifc {flag}, {}, 0", lines.len() + 2));
        lines.push(format!("mov o1.{component}, c91"));
    }
    lines.push("end".into());
    lines.join("\n")
}

/// The expected result.
struct Expectation {
    precision: Precision,
    /// o0, component by component.
    result: [Value; 4],
    dst8: Option<u8>,
    within: Option<f32>,
    written: [bool; 4],
    flags: [bool; 2],
}

impl Expectation {
    fn new(op: &Op, before: Vec4, precision: Precision) -> Result<Self, String> {
        let checks_something = op.dst.is_some() || op.dst8.is_some() || op.flags.is_some();
        if !checks_something || op.within.is_some() != op.within_reason.is_some() {
            return Err("a case needs an expectation, and a tolerance its reason".into());
        }
        let written = ['x', 'y', 'z', 'w'].map(|letter| op.compare.is_empty() && op.mask.contains(letter));
        let given = op.dst.as_ref().map_or([Value::Any; 4], |dst| dst.components(Value::Any));
        let result =
            std::array::from_fn(|i| if written[i] { given[i] } else { Value::Bits(before[i].to_bits()) });
        let flags = op.flags.unwrap_or_default();
        Ok(Self { precision, result, dst8: op.dst8, within: op.within, written, flags })
    }

    fn problems(&self, component: &dyn Fn(usize) -> f32) -> Vec<String> {
        let mut problems = Vec::new();
        for i in 0..4 {
            let (place, actual) = (format!("result.{}", ["x", "y", "z", "w"][i]), component(i));
            match self.within {
                Some(limit) if self.written[i] => {
                    let distance = (actual - self.result[i].operand(self.precision)).abs();
                    if distance > limit || distance.is_nan() {
                        let expected = self.result[i];
                        problems.push(format!("{place}: expected {expected} within {limit}, got {actual}"));
                    }
                }
                _ => compare(&place, self.result[i], actual, self.precision, &mut problems),
            }
            if let Some(expected) = self.dst8.filter(|_| self.written[i])
                && (actual * 255.0) as u8 != expected
            {
                problems.push(format!("{place}: {actual} is not {expected} in 8 bits"));
            }
        }
        for (i, flag) in self.flags.into_iter().enumerate() {
            let expected = Value::Number(f32::from(u8::from(flag)));
            let place = ["cmp.x", "cmp.y"][i];
            compare(place, expected, component(4 + i), self.precision, &mut problems);
        }
        problems
    }
}
