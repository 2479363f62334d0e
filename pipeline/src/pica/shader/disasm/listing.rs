//! The two forms with procedures, blocks and names: plain, and pinned.

use std::collections::{BTreeMap, BTreeSet};

use super::Shbin;
use super::text::{self, Names};
use super::{flat, tables};
use crate::pica::shader::instr::{Instruction, OperandDescriptor};
use crate::pica::shader::ops::Opcode;

/// Range of words: start and end address.
type Range = (usize, usize);

/// Decisions that a listing leaves to the assembler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Descriptors, inverted forms and padding.
    Plain,
    /// Only the fields of control flow.
    Pinned,
}

/// The code, optionally with the tables of the executables. `None` if the code does not consist of procedures and
/// blocks.
pub(super) fn text(shbin: &Shbin, style: Style, with_tables: bool) -> Option<String> {
    let procedures = procedures(shbin)?;
    let entries = entries(shbin, &procedures)?;
    let declared = if with_tables { tables::declare(shbin, &entries) } else { tables::entries(&entries) };
    let code = Listing::new(shbin, &procedures, &declared.names, style).code()?;
    let pins = match style {
        Style::Plain => String::new(),
        Style::Pinned => flat::descriptors(shbin) + "\n.raw\n",
    };
    Some(declared.before + &pins + &code + &declared.after)
}

/// The names of the entry procedures.
fn entries(shbin: &Shbin, procedures: &BTreeMap<Range, String>) -> Option<Vec<String>> {
    let entry = |range| procedures.get(&range).cloned();
    shbin.executables.iter().map(|dvle| entry((dvle.entry as usize, dvle.end as usize))).collect()
}

/// Names for the ranges of words that are entered or called, and for the ranges between them. `None` if two overlap
/// or one leaves the program.
fn procedures(shbin: &Shbin) -> Option<BTreeMap<Range, String>> {
    let length = shbin.program.code.len();
    let calls = shbin.program.code.iter().filter_map(|&word| called(Instruction(word)));
    let mut found: BTreeMap<_, _> = calls.map(|range| (range, format!("proc_{:03x}", range.0))).collect();
    for (n, dvle) in shbin.executables.iter().enumerate().rev() {
        let name = if n == 0 { "main".into() } else { format!("main_{n}") };
        found.insert((dvle.entry as usize, dvle.end as usize), name);
    }
    for (range, name) in &mut found {
        if range.0 == range.1 {
            *name = format!("empty_{:03x}", range.0);
        }
    }
    let mut at = 0;
    for (start, end) in found.keys().copied().collect::<Vec<_>>().into_iter().chain([(length, length)]) {
        if start < at || end < start || end > length {
            return None;
        }
        if at < start {
            found.insert((at, start), format!("rest_{at:03x}"));
        }
        at = end;
    }
    Some(found)
}

fn called(word: Instruction) -> Option<Range> {
    let start = usize::from(word.target());
    let is_call = matches!(word.opcode(), Opcode::Call | Opcode::Callc | Opcode::Callu);
    is_call.then(|| (start, start + text::wide_num(word) as usize))
}

/// An open block of the listing.
struct Block {
    /// End address of the block, or of its first part.
    end: usize,
    /// The length of the else part, until `.else` is written.
    else_words: usize,
}

/// The listing under construction.
struct Listing<'a> {
    shbin: &'a Shbin,
    procedures: &'a BTreeMap<Range, String>,
    names: &'a Names,
    style: Style,
    /// Addresses of labels not written yet.
    labels: BTreeSet<usize>,
    text: String,
    blocks: Vec<Block>,
}

impl<'a> Listing<'a> {
    fn new(
        shbin: &'a Shbin,
        procedures: &'a BTreeMap<Range, String>,
        names: &'a Names,
        style: Style,
    ) -> Self {
        let jumps = shbin.program.code.iter().map(|&word| Instruction(word));
        let jumps = jumps.filter(|word| matches!(word.opcode(), Opcode::Jmpc | Opcode::Jmpu));
        let labels = jumps.map(|word| usize::from(word.target())).collect();
        Self { shbin, procedures, names, style, labels, text: String::new(), blocks: Vec::new() }
    }

    fn code(mut self) -> Option<String> {
        for (&(start, end), name) in self.procedures {
            self.put(&format!("\n.proc {name}"));
            self.blocks = vec![Block { end, else_words: 0 }];
            for at in start..end {
                self.close(at);
                self.label(at);
                self.instruction(at)?;
            }
            self.label(end);
            self.close(end);
            if !self.blocks.is_empty() {
                return None;
            }
        }
        Some(self.text)
    }

    fn put(&mut self, line: &str) {
        let depth = if line.starts_with('\n') { 0 } else { self.blocks.len() };
        self.text.extend(std::iter::repeat_n('\t', depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn label(&mut self, at: usize) {
        if self.labels.remove(&at) {
            self.text.push_str(&format!("l_{at:03x}:\n"));
        }
    }

    /// Writes the `.else` and `.end` lines that belong before the word at `at`.
    fn close(&mut self, at: usize) {
        while let Some(block) = self.blocks.pop_if(|block| block.end == at) {
            if block.else_words == 0 {
                self.put(".end");
            } else {
                self.put(".else");
                self.blocks.push(Block { end: at + block.else_words, else_words: 0 });
            }
        }
    }

    fn instruction(&mut self, at: usize) -> Option<()> {
        let word = Instruction(*self.shbin.program.code.get(at)?);
        let target = usize::from(word.target());
        match word.opcode() {
            Opcode::Ifc => {
                let condition = text::condition(word.condition())?;
                self.open(at, &format!("ifc {condition}"), target, text::wide_num(word) as usize)
            }
            Opcode::Ifu => {
                let uniform = self.names.register('b', word.bool_id().into(), "");
                self.open(at, &format!("ifu {uniform}"), target, text::wide_num(word) as usize)
            }
            Opcode::Loop => {
                let uniform = self.names.register('i', (word.0 >> 22) & 15, "");
                self.open(at, &format!("for {uniform}"), target + 1, 0)
            }
            _ => {
                let line = match self.style {
                    Style::Plain => self.line(word)?,
                    Style::Pinned => self.line(word).unwrap_or_else(|| text::word(word)),
                };
                self.put(&line);
                Some(())
            }
        }
    }

    /// Opens a block; `None` if it does not lie inside the enclosing block.
    fn open(&mut self, at: usize, line: &str, end: usize, else_words: usize) -> Option<()> {
        let outer = self.blocks.last()?.end;
        if end <= at || end + else_words > outer {
            return None;
        }
        self.put(line);
        self.blocks.push(Block { end, else_words });
        Some(())
    }

    fn line(&self, word: Instruction) -> Option<String> {
        let callee = || self.procedures.get(&called(word)?);
        let uniform = || self.names.register('b', word.bool_id().into(), "");
        let label = || format!("l_{:03x}", word.target());
        match word.opcode() {
            Opcode::Call if word.0 >> 22 & 0xf == 0 => Some(format!("call {}", callee()?)),
            Opcode::Callc => Some(format!("callc {}, {}", text::condition(word.condition())?, callee()?)),
            Opcode::Callu => Some(format!("callu {}, {}", uniform(), callee()?)),
            Opcode::Jmpc if text::wide_num(word) == 0 => {
                Some(format!("jmpc {}, {}", text::condition(word.condition())?, label()))
            }
            Opcode::Jmpu => match text::wide_num(word) {
                0 => Some(format!("jmpu {}, {}", uniform(), label())),
                1 => Some(format!("jmpu !{}, {}", uniform(), label())),
                _ => None,
            },
            Opcode::Call | Opcode::Jmpc => None,
            _ => self.computing(word).or_else(|| text::flat(word, &|_| String::new())),
        }
    }

    fn computing(&self, word: Instruction) -> Option<String> {
        let [bits, _] = *self.shbin.program.descriptors.get(word.descriptor())?;
        let text = text::computing(word, OperandDescriptor(bits), self.names)?;
        Some(match self.style {
            Style::Plain => text,
            Style::Pinned => format!("{text} @{}", word.descriptor()),
        })
    }
}
