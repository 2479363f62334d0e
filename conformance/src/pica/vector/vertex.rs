//! Vertex programs of vector files.

use super::listing::{Conditions, encode};
use super::run::{Case, VertexRun, compare, compare_faults, compare_register, fixed, load};
use super::value::{Register, Value};
use super::{Array, Inputs, Map, VertexCase, VertexProgram};
use crate::pica::notation::register_number;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::unit::{Uniforms, Vec4};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, OutputMap, VertexInputs};

/// Address of the first attribute array.
const ARRAYS: u32 = 0x1800_0000;

/// One case of a program in one profile.
pub(super) fn case(program: &VertexProgram, case: &VertexCase, precision: Precision) -> Result<Case, String> {
    let listing = encode(&program.code, Conditions::Uniform, &[])?;
    let inputs = Inputs {
        float: case.float.clone(),
        int: case.int.clone(),
        bool: case.bool.clone(),
        v: if case.v.is_empty() { program.with.v.clone() } else { case.v.clone() },
    };
    let name = format!("{} {inputs:?}\n{}", program.name, program.code.trim_end());
    let judge = judge(program, case, precision)?;
    let mut run = VertexRun::new(name, precision, &listing, judge);
    if program.numbered {
        for n in 0..Uniforms::FLOATS {
            run.uniforms.set_float(n, [n as f32 + 0.5; 4]);
        }
    }
    load(&mut run.uniforms, &program.with, precision)?;
    load(&mut run.uniforms, &inputs, precision)?;
    let values = attributes(program, case, precision);
    run.inputs = if program.arrays.is_empty() { fixed(&values) } else { arrays(&program.arrays)? };
    run.memory = memory(&program.arrays);
    if let Some(digits) = &program.permutation {
        run.inputs.permutation = u64::from_str_radix(digits, 16).map_err(|_| "bad permutation")?;
    }
    run.output = output(program)?;
    run.faults = !case.faults.is_empty();
    run.budget = program.budget.unwrap_or(run.budget);
    Ok(Case::Vertex(Box::new(run)))
}

/// All cases of a program as one batch, if they differ in attributes alone: divergent lanes. `None` if they differ in
/// more, or if an attribute array cannot hold their values.
pub(super) fn together(program: &VertexProgram, precision: Precision) -> Result<Option<Case>, String> {
    let plain = |case: &VertexCase| {
        case.float.is_empty() && case.int.is_empty() && case.bool.is_empty() && case.faults.is_empty()
    };
    let layout = program.arrays.is_empty() && program.permutation.is_none();
    if program.cases.len() < 2 || !layout || !program.cases.iter().all(plain) {
        return Ok(None);
    }
    let rows: Vec<Vec<Vec4>> =
        program.cases.iter().map(|case| attributes(program, case, precision)).collect();
    let count = rows[0].len();
    let kept = |x: &f32| precision.load_f32(*x).to_bits() == x.to_bits();
    if rows.iter().any(|row| row.len() != count || !row.as_flattened().iter().all(kept)) {
        return Ok(None);
    }
    let Case::Vertex(mut run) = case(program, &program.cases[0], precision)? else { return Ok(None) };
    let bytes = rows.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()).collect();
    run.memory = FlatMemory::new(ARRAYS, bytes);
    run.inputs.attributes = (0..count)
        .map(|k| AttributeSource::Array {
            address: ARRAYS + 16 * k as u32,
            stride_bytes: 16 * count as u32,
            element: ElementType::F32,
            components: 4,
        })
        .collect();
    run.judges =
        program.cases.iter().map(|case| judge(program, case, precision)).collect::<Result<_, _>>()?;
    run.name = format!("{}, all cases in one batch\n{}", program.name, program.code.trim_end());
    run.vertices = program.cases.len() as u32;
    Ok(Some(Case::Vertex(run)))
}

/// The attributes of a case.
fn attributes(program: &VertexProgram, case: &VertexCase, precision: Precision) -> Vec<Vec4> {
    let v = if case.v.is_empty() { &program.with.v } else { &case.v };
    v.iter().map(|value| value.operand(precision)).collect()
}

/// The judge of a case: its expectations, with their components.
fn judge(
    program: &VertexProgram,
    case: &VertexCase,
    precision: Precision,
) -> Result<super::run::Judge, String> {
    if case.out.is_empty() && case.semantic.is_empty() && case.faults.is_empty() {
        return Err("a case without an expectation".into());
    }
    if program.map.is_some() != case.out.is_empty() {
        return Err("a program with a map shows semantics, one without shows registers".into());
    }
    let mut registers: Vec<(usize, String, Register)> = Vec::new();
    for (name, expected) in &case.out {
        let n = register_number(name, 'o', 16)?;
        // Registers leave packed: the slot is the number of enabled registers below.
        let slot = (program.mask & ((1 << n) - 1)).count_ones() as usize;
        registers.push((slot * 4, name.clone(), expected.clone()));
    }
    let mut semantics: Vec<(usize, Value)> = Vec::new();
    for (name, expected) in &case.semantic {
        semantics.push((name.parse().map_err(|_| format!("`{name}` is no semantic"))?, *expected));
    }
    let faults = case.faults.clone();
    Ok(Box::new(move |component, reported| {
        let mut problems = Vec::new();
        for (at, name, expected) in &registers {
            let actual = std::array::from_fn(|i| component(at + i));
            compare_register(name, expected, actual, precision, &mut problems);
        }
        for (at, expected) in &semantics {
            compare(&format!("semantic {at}"), *expected, component(*at), precision, &mut problems);
        }
        compare_faults(&faults, reported, &mut problems);
        problems
    }))
}

fn output(program: &VertexProgram) -> Result<OutputForm, String> {
    let Some(Map { total, slots }) = &program.map else {
        return Ok(OutputForm::Records { mask: program.mask, slots: 16 });
    };
    let mut map = OutputMap { mask: program.mask, total: *total, slots: [0x1f1f_1f1f; 7] };
    for (slot, digits) in map.slots.iter_mut().zip(slots) {
        *slot = u32::from_str_radix(digits, 16).map_err(|_| format!("`{digits}` is no map word"))?;
    }
    Ok(OutputForm::Mapped(map))
}

/// Each array lies in 256 bytes of its own; distance 0 gives every vertex the same element.
fn arrays(arrays: &[Array]) -> Result<VertexInputs, String> {
    let mut inputs = fixed(&[]);
    for (k, array) in arrays.iter().enumerate() {
        inputs.attributes.push(AttributeSource::Array {
            address: ARRAYS + k as u32 * 0x100,
            stride_bytes: 0,
            element: element(&array.element)?,
            components: array.components,
        });
    }
    Ok(inputs)
}

fn memory(arrays: &[Array]) -> FlatMemory {
    let mut bytes = vec![0; arrays.len() * 0x100];
    for (room, array) in bytes.chunks_mut(0x100).zip(arrays) {
        for (byte, value) in room.iter_mut().zip(&array.bytes) {
            *byte = *value;
        }
    }
    FlatMemory::new(ARRAYS, bytes)
}

fn element(name: &str) -> Result<ElementType, String> {
    Ok(match name {
        "i8" => ElementType::I8,
        "u8" => ElementType::U8,
        "i16" => ElementType::I16,
        "f32" => ElementType::F32,
        other => return Err(format!("`{other}` is no element type")),
    })
}
