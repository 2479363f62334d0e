//! The divergence report: everything that explains a difference, in one text.

use std::fmt::Write;

use crate::pica::notation::Row;
use crate::pica::programs::case::{Case, FloatUniform, Source, Work};
use crate::pica::programs::compare::{Difference, Place};
use crate::pica::programs::locate::Located;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::disasm;
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::shader::unit::Uniforms;

/// The subject of a report.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The origin of the case, in a line.
    pub origin: &'a str,
    /// The way or engine that differs.
    pub engine: &'a str,
    /// The case, reduced.
    pub case: &'a Case,
    /// The differences.
    pub differences: &'a [Difference],
    /// The first wrong step, if it was found.
    pub located: Option<&'a Located>,
}

/// Maximum number of differences that are listed one by one.
const LISTED: usize = 40;

/// Writes the report.
#[must_use]
pub fn report(subject: &Subject<'_>) -> String {
    let case = subject.case;
    let unit = match case.kind() {
        UnitKind::Vertex => "vertex",
        UnitKind::Geometry => "geometry",
    };
    let precision = match case.precision {
        Precision::Console => "console",
        Precision::Binary32 => "binary32",
    };
    let mut text = format!("{} differs from the interpreter\n", subject.engine);
    text += &format!("  case       {}\n", subject.origin);
    text += &format!("  program    {unit}, {} words, entry {:#05x}\n", case.code.len(), case.entry);
    text += &format!("  precision  {precision}\n  budget     {}\n", case.budget);
    text += "\nfirst step that differs\n";
    text += &first_step(subject.located);
    text += "\ndifferences\n";
    text += &listed(subject.differences);
    text += "\nprogram\n";
    text += &listing(case, subject.located);
    text += "\ninputs\n";
    text += &inputs(case);
    text
}

fn first_step(located: Option<&Located>) -> String {
    let Some(located) = located else {
        return "  not found: no program that is cut short shows it in a register\n".into();
    };
    let mut text = String::new();
    for (n, step) in located.unseen.iter().enumerate() {
        let _ =
            writeln!(text, "  step {}: {step}   (not examined)", located.number - located.unseen.len() + n);
    }
    text + &format!("  step {}: {}\n{}", located.number, located.step, listed(&located.differences))
}

/// Both results, differing values starred, vertices side by side.
fn listed(differences: &[Difference]) -> String {
    let mut text = String::new();
    for Difference { place, expected, actual } in differences.iter().take(LISTED) {
        let _ = writeln!(text, "  {:<28}   interpreter  {expected}", place.to_string());
        let _ = writeln!(text, "  {:<28} * engine       {actual}", "");
    }
    if let Some(more) = differences.len().checked_sub(LISTED).filter(|&more| more > 0) {
        let _ = writeln!(text, "  and {more} more");
    }
    let vertices = differences.iter().filter_map(|difference| match difference.place {
        Place::Vertex { vertex, .. } => Some(vertex),
        _ => None,
    });
    let mut lanes: Vec<usize> = vertices.collect();
    lanes.sort_unstable();
    lanes.dedup();
    if !lanes.is_empty() {
        let _ = writeln!(text, "  vertices that differ: {lanes:?}");
    }
    text
}

/// The program, disassembled, with a mark at the wrong step.
fn listing(case: &Case, located: Option<&Located>) -> String {
    let program = case.program();
    let mut text = String::new();
    for (pc, word) in case.code.iter().enumerate() {
        let Some(instruction) = program.instruction(pc as u16) else { break };
        let mark = if located.is_some_and(|l| usize::from(l.step.pc) == pc) { '>' } else { ' ' };
        let meaning = disasm::line(instruction, program.descriptor(instruction.descriptor()));
        let _ = writeln!(text, "{mark} {pc:03x}  {:08x}  {meaning}", word.0);
    }
    text
}

fn inputs(case: &Case) -> String {
    let mut text = String::new();
    let set = &case.uniforms;
    for (n, uniform) in &set.floats {
        let (form, row) = match uniform {
            FloatUniform::F24(row) => ("24-bit", row),
            FloatUniform::F32(row) => ("binary32", row),
            FloatUniform::Register(row) => ("register", row),
        };
        let _ = writeln!(text, "  c{n:<3} {} ({form})", hex(row));
    }
    let _ = writeln!(text, "  b    {:016b}", set.bools);
    for id in 0..Uniforms::INTS {
        let _ = writeln!(text, "  i{id}   {:?}", set.ints[id]);
    }
    match &case.work {
        Work::Vertex(work) => {
            let _ = writeln!(text, "  indices {:?}", work.indices);
            for attribute in &work.attributes {
                let _ = writeln!(text, "  v{:<3} {}", attribute.register, source(&attribute.source));
            }
            let _ = writeln!(text, "  {} bytes of memory at {:#010x}", work.memory.0.len(), work.base.0);
            let _ = writeln!(text, "  output {:?}", work.output.form());
        }
        Work::Geometry(work) => {
            let _ = writeln!(text, "  output mask {:#06x}", work.output_mask);
            for (n, run) in work.runs.iter().enumerate() {
                let _ = writeln!(text, "  run {n}");
                for (register, row) in &run.v {
                    let _ = writeln!(text, "    v{register:<3} {}", hex(row));
                }
            }
        }
    }
    text
}

fn source(source: &Source) -> String {
    match source {
        Source::Fixed(row) => format!("fixed {}", hex(row)),
        Source::Array { address, stride, element, components } => {
            format!("{components} of {element:?} at {:#010x}, stride {stride}", address.0)
        }
    }
}

fn hex(row: &Row) -> String {
    let [x, y, z, w] = row.0;
    format!("{x:08x} {y:08x} {z:08x} {w:08x}")
}
