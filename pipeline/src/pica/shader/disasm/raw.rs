//! The raw form: everything that the assembler would decide is written out.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::tables;
use super::text::{self, Names};
use super::{DESCRIPTORS, Shbin};
use crate::pica::shader::instr::{Instruction, OperandDescriptor};
use crate::pica::shader::ops::Form;

/// Raw code and the tables of the executables.
pub(super) fn with_tables(shbin: &Shbin) -> Option<String> {
    let entries = shbin.executables.iter().map(|dvle| format!("{:#x} {:#x}", dvle.entry, dvle.end)).collect();
    let declared = tables::declare(shbin, entries);
    Some(declared.before + &descriptors(shbin) + &code(shbin, instruction) + &declared.after)
}

/// Raw code and entry points.
pub(super) fn without_tables(shbin: &Shbin) -> Option<String> {
    Some(bare(shbin, instruction))
}

/// Nothing but numbers: comes back whatever the words are.
pub(super) fn words_only(shbin: &Shbin) -> String {
    bare(shbin, |_, word| text::word(word))
}

fn bare(shbin: &Shbin, instruction: fn(&Shbin, Instruction) -> String) -> String {
    let (start, end) = shbin.executables.first().map_or((0, 0), |dvle| (dvle.entry, dvle.end));
    let mut text = format!(".entry {start:#x} {end:#x}\n") + &descriptors(shbin) + &code(shbin, instruction);
    for (n, dvle) in shbin.executables.iter().enumerate().skip(1) {
        let _ = write!(text, "\n.file executable {n}\n.entry {:#x} {:#x}\n", dvle.entry, dvle.end);
    }
    text
}

fn descriptors(shbin: &Shbin) -> String {
    let mut text = String::new();
    for (id, [bits, extra]) in shbin.program.descriptors.iter().enumerate().take(DESCRIPTORS) {
        let extra = if *extra == 0 { String::new() } else { format!(" {extra:#x}") };
        let _ = writeln!(text, ".opdesc {id} {bits:#010x}{extra}");
    }
    text
}

fn code(shbin: &Shbin, instruction: fn(&Shbin, Instruction) -> String) -> String {
    let code = &shbin.program.code;
    let targets: BTreeSet<_> = code.iter().filter_map(|&word| target(shbin, Instruction(word))).collect();
    let mut text = String::from("\n.raw\n");
    for (at, &word) in code.iter().enumerate() {
        if targets.contains(&at) {
            let _ = writeln!(text, "{}:", label(at));
        }
        let _ = writeln!(text, "\t{}", instruction(shbin, Instruction(word)));
    }
    if targets.contains(&code.len()) {
        let _ = writeln!(text, "{}:", label(code.len()));
    }
    text
}

fn label(at: usize) -> String {
    format!("l_{at:03x}")
}

/// The address that a word of control flow names, if it lies in the program or at its end.
fn target(shbin: &Shbin, word: Instruction) -> Option<usize> {
    let flow = matches!(word.opcode().form(), Form::Condition | Form::Unconditional | Form::Bool | Form::Int);
    let target = usize::from(word.target());
    (flow && target <= shbin.program.code.len()).then_some(target)
}

fn instruction(shbin: &Shbin, word: Instruction) -> String {
    let address = |target: u16| match usize::from(target) {
        target if target <= shbin.program.code.len() => label(target),
        target => format!("{target:#05x}"),
    };
    let id = word.descriptor();
    let descriptor = shbin.program.descriptors.get(id);
    let computing = descriptor.and_then(|[bits, _]| {
        let text = text::computing(word, OperandDescriptor(*bits), &Names::default())?;
        Some(format!("{text} @{id}"))
    });
    computing.or_else(|| text::flat(word, &address)).unwrap_or_else(|| text::word(word))
}
