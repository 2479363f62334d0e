//! Order of execution: a trail of addresses instead of a trace, so that compiled code can leave one too.
//!
//! A trail is kept in `r0`: each mark turns the register by one component and appends a digit to base 32 in
//! x. A component holds three digits exactly, in both profiles, so a trail has at most twelve.

use super::geometry::{Expectation, Sequence};
use super::listing::{Conditions, encode};
use super::run::{Case, VertexRun, compare, compare_faults, fixed};
use super::value::Value;
use super::{Flow, Inputs};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};
use std::collections::BTreeMap;

/// Content of `v0`: the base where a digit is appended, and 1 where a component only moves on.
const BASE: Vec4 = [32.0, 1.0, 1.0, 1.0];

/// The cases of one listing in one profile.
pub(super) fn cases(flow: &Flow, precision: Precision) -> Result<Vec<Case>, String> {
    let uniforms = uniforms(flow)?;
    let register = trail(&flow.trail)?;
    let mut cases = Vec::new();
    for conditions in [Conditions::Uniform, Conditions::Flags] {
        let name = format!("{}, conditions by {conditions:?}\n{}", flow.name, flow.code.trim_end());
        let listing = encode(&flow.code, conditions, &["mov o0, r0", "mov o1, c0[aL]"])?;
        let al = flow.al;
        let judge = move |component: &dyn Fn(usize) -> f32, faults: &_| {
            let mut problems = Vec::new();
            let expected = register.iter().copied().chain(al.map(f32::from));
            for (k, expected) in expected.enumerate() {
                let place = if k < 4 { "trail" } else { "aL" };
                let expected = Value::Bits(expected.to_bits());
                compare(place, expected, component(k), precision, &mut problems);
            }
            compare_faults(&[], faults, &mut problems);
            problems
        };
        let mut run = VertexRun::new(format!("vertex, {name}"), precision, &listing, Box::new(judge));
        run.uniforms = uniforms.clone();
        run.inputs = fixed(&[BASE]);
        cases.push(Case::Vertex(Box::new(run)));

        let listing = encode(&flow.code, conditions, &[])?;
        let program = Program::from_words(UnitKind::Geometry, &listing.code, &listing.descriptors);
        let expectation = Expectation {
            v: vec![BASE],
            r: BTreeMap::from([(0, register.map(|x| Value::Bits(x.to_bits())))]),
            al: flow.al.map(i32::from),
            ..Expectation::default()
        };
        cases.push(Case::Geometry(Box::new(Sequence {
            name: format!("geometry, {name}"),
            precision,
            program,
            uniforms: uniforms.clone(),
            unit: ShaderUnit::default(),
            mask: 0xffff,
            runs: vec![expectation],
        })));
    }
    Ok(cases)
}

/// `c[n]` holds n in x, `b0` is set.
fn uniforms(flow: &Flow) -> Result<Uniforms, String> {
    let mut uniforms = Uniforms::default();
    for n in 0..Uniforms::FLOATS {
        uniforms.set_float(n, [n as f32, 0.0, 0.0, 0.0]);
    }
    let inputs = Inputs { int: flow.int.clone(), bool: vec!["b0".into()], ..Inputs::default() };
    super::run::load(&mut uniforms, &inputs, Precision::Console)?;
    Ok(uniforms)
}

/// The register that this trail leaves.
fn trail(marks: &[u8]) -> Result<Vec4, String> {
    if marks.len() > 12 || marks.iter().any(|mark| *mark > 31) {
        return Err("a trail has at most 12 marks below 32".into());
    }
    let turn = |[x, y, z, w]: Vec4, mark: &u8| [w * BASE[0] + f32::from(*mark), x, y, z];
    Ok(marks.iter().fold([0.0; 4], turn))
}
