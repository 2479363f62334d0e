//! The flat form: every decision of the assembler is explicit, and there are no blocks.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::tables;
use super::text::{self, Names};
use super::{DESCRIPTORS, Dvle, Shbin};
use crate::pica::shader::instr::{Instruction, OperandDescriptor};
use crate::pica::shader::ops::Form;

/// The code, optionally with the tables of the executables.
pub(super) fn text(shbin: &Shbin, with_tables: bool) -> String {
    listing(shbin, with_tables, instruction)
}

/// Numbers only: reproduces any words.
pub(super) fn words_only(shbin: &Shbin) -> String {
    listing(shbin, false, |_, word| text::word(word))
}

fn listing(shbin: &Shbin, with_tables: bool, instruction: fn(&Shbin, Instruction) -> String) -> String {
    let range = |dvle: &Dvle| format!("{:#x} {:#x}", dvle.entry, dvle.end);
    let mut entries: Vec<_> = shbin.executables.iter().map(range).collect();
    if entries.is_empty() {
        // The assembler wants an executable.
        entries.push("0 0".into());
    }
    let declared = if with_tables { tables::declare(shbin, &entries) } else { tables::entries(&entries) };
    declared.before + &descriptors(shbin) + &code(shbin, instruction) + &declared.after
}

/// The `.opdesc` lines.
pub(super) fn descriptors(shbin: &Shbin) -> String {
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

/// The target address of a word of control flow, if it lies in the program or at its end.
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
