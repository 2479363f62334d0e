//! Location of a difference: the first step at which an engine goes wrong.
//!
//! Compiled code cannot be traced. But a program can be cut short: after each step of the interpreter's
//! trace the next two words are replaced by a `MOV` of the register that the step wrote to an output, and
//! `END`. The first cut whose result differs names the step.

use crate::pica::encode::{self, Operands};
use crate::pica::notation::Word;
use crate::pica::programs::case::{Case, FloatUniform, Output, Work};
use crate::pica::programs::compare::{self, Difference, Verdict};
use crate::pica::programs::outcome::{Candidate, Loaded};
use picaflor_interp::pica::shader::trace::Step;
use picaflor_pipeline::pica::shader::instr::{Destination, Instruction};
use picaflor_pipeline::pica::shader::ops::Opcode;

/// A step after which the engines disagree.
#[derive(Debug, Clone)]
pub struct Located {
    /// Number of the step, from 0.
    pub number: usize,
    /// The step as the interpreter made it.
    pub step: Step,
    /// The steps right before it that no cut can show; one of them may be the cause.
    pub unseen: Vec<Step>,
    /// The differences after it.
    pub differences: Vec<Difference>,
}

/// Steps that are looked at.
const STEPS: usize = 300;

/// Finds the first step of vertex or run `at` whose written register differs; `None` when no cut shows it:
/// the step writes no register, belongs to a loop's later rounds, or the cut hides the error.
pub fn locate(case: &Case, at: usize, engine: &mut dyn Candidate) -> Option<Located> {
    let case = &alone(case, at);
    let program = case.program();
    let at = if matches!(case.work, Work::Geometry(_)) { 0 } else { at };
    let trace = Loaded::new(case, &program).trace(at, STEPS);
    let steps = trace.steps();
    let mut unseen = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let Some(cut) = cut_after(case, &steps[..=number]) else {
            unseen.push(*step);
            continue;
        };
        let program = cut.program();
        let loaded = Loaded::new(&cut, &program);
        let expected = compare::reference(&loaded);
        if let (Verdict::Differs(differences), _) = compare::compare(&loaded, &expected, engine) {
            return Some(Located { number, step: *step, unseen, differences });
        }
        unseen.clear();
    }
    None
}

/// A geometry case with run `at` alone, on the unit as the interpreter's earlier runs left it; a vertex case
/// as it is.
fn alone(case: &Case, at: usize) -> Case {
    let program = case.program();
    let before = compare::reference(&Loaded::new(case, &program)).runs;
    let (mut alone, before) = (case.clone(), at.checked_sub(1).and_then(|last| before.get(last)));
    let Work::Geometry(work) = &mut alone.work else { return alone };
    work.runs.truncate(at + 1);
    let Some(before) = before else { return alone };
    let mut run = work.runs[at].clone();
    for earlier in &work.runs[..at] {
        let written = earlier.c.iter().map(|(&n, &row)| (n, FloatUniform::Register(row)));
        alone.uniforms.floats.extend(written);
    }
    alone.uniforms.bools = before.bools;
    work.start = before.state();
    let inputs = before.inputs();
    run.v = inputs.into_iter().chain(run.v).collect();
    work.runs = vec![run];
    alone
}

/// The case, ended after the last of these steps with the register it wrote in `o0`.
fn cut_after(case: &Case, steps: &[Step]) -> Option<Case> {
    let last = steps.last()?;
    let next = usize::from(last.next?);
    let seen = |pc: usize| steps.iter().any(|step| usize::from(step.pc) == pc);
    let mut cut = case.clone();
    let mut put = |pc: usize, word: u32| {
        cut.code.resize(cut.code.len().max(pc + 1), Word(0));
        cut.code[pc] = Word(word);
    };
    if seen(next) || next + 1 >= case.kind().code_words() {
        return None;
    }
    let end = encode::bare(Opcode::End);
    match (&mut cut.work, last.written?.destination) {
        (Work::Geometry(_), _) => put(next, end),
        (Work::Vertex(work), Destination::Output(n)) => {
            work.output = Output::Records { mask: 1 << n, slots: 1 };
            put(next, end);
        }
        (Work::Vertex(work), Destination::Temporary(n)) => {
            if seen(next + 1) {
                return None;
            }
            work.output = Output::Records { mask: 1, slots: 1 };
            let descriptor = free_descriptor(case)?;
            let wide = 0x10 + u32::from(n);
            let copy = Operands { wide, descriptor, ..Operands::default() };
            put(next, encode::arithmetic(Opcode::Mov, copy));
            put(next + 1, end);
            cut.descriptors.resize(128, Word(0));
            cut.descriptors[descriptor as usize] = Word(encode::IDENTITY);
        }
    }
    Some(cut)
}

/// A descriptor that no word of the program names.
fn free_descriptor(case: &Case) -> Option<u32> {
    let named = |id: usize| case.code.iter().any(|word| Instruction(word.0).descriptor() == id);
    (0..128).rev().find(|&id| !named(id)).map(|id| id as u32)
}
