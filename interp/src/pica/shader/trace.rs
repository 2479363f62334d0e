//! An optional record of every step, for divergence reports and `--trace`.

use std::fmt;

use super::operand;
use picaflor_pipeline::pica::shader::instr::{Destination, Instruction};
use picaflor_pipeline::pica::shader::ops::Form;
use picaflor_pipeline::pica::shader::program::Program;
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Vec4};

/// A register that a step wrote, with all its components as they are afterwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Written {
    /// The register.
    pub destination: Destination,
    /// The destination mask: bit 3 is x, bit 0 is w. Never 0.
    pub mask: u32,
    /// The register after the write, disabled components included.
    pub value: Vec4,
}

/// One executed instruction and the state after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Address of the word.
    pub pc: u16,
    /// The word.
    pub word: Instruction,
    /// Address of the next word; `None` after `END`.
    pub next: Option<u16>,
    /// The register written, if any.
    pub written: Option<Written>,
    /// `a0.x` and `a0.y`.
    pub a0: [i32; 2],
    /// `aL`.
    pub al: i32,
    /// `cmp.x` and `cmp.y`.
    pub cmp: [bool; 2],
    /// The output bank that the next write goes to.
    pub bank: u32,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mnemonic = self.word.opcode().mnemonic();
        let [x, y] = self.cmp.map(u8::from);
        let Self { pc, a0, al, .. } = self;
        write!(f, "{pc:03x}  {:08x}  {mnemonic:<9}", self.word.0)?;
        write!(f, " a0 {},{} aL {al} cmp {x}{y}", a0[0], a0[1])?;
        let Some(Written { destination, mask, value }) = self.written else { return Ok(()) };
        let (file, n) = match destination {
            Destination::Output(n) => ('o', n),
            Destination::Temporary(n) => ('r', n),
        };
        write!(f, "  {file}{n}.")?;
        for (i, name) in "xyzw".chars().enumerate().filter(|(i, _)| mask >> (3 - i) & 1 != 0) {
            write!(f, " {name} {} ({:08x})", value[i], value[i].to_bits())?;
        }
        Ok(())
    }
}

/// The steps of an invocation, up to a limit.
#[derive(Debug, Clone)]
pub struct Trace {
    steps: Vec<Step>,
    limit: usize,
    omitted: u64,
}

impl Default for Trace {
    /// A trace that keeps 65,536 steps: the default budget of an invocation.
    fn default() -> Self {
        Self::with_limit(1 << 16)
    }
}

impl Trace {
    /// A trace that keeps the first `limit` steps.
    #[must_use]
    pub const fn with_limit(limit: usize) -> Self {
        Self { steps: Vec::new(), limit, omitted: 0 }
    }

    /// The steps kept, oldest first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Number of steps beyond the limit.
    #[must_use]
    pub const fn omitted(&self) -> u64 {
        self.omitted
    }

    /// The addresses of the steps kept.
    pub fn addresses(&self) -> impl Iterator<Item = u16> + '_ {
        self.steps.iter().map(|step| step.pc)
    }

    pub(super) fn record(&mut self, program: &Program, unit: &ShaderUnit, pc: u16, next: Option<u16>) {
        let Some(word) = program.instruction(pc) else { return };
        if self.steps.len() == self.limit {
            self.omitted += 1;
            return;
        }
        let ShaderUnit { a0, al, cmp, bank, .. } = *unit;
        self.steps.push(Step { pc, word, next, written: written(program, unit, word), a0, al, cmp, bank });
    }
}

/// Values written by the instruction just executed.
fn written(program: &Program, unit: &ShaderUnit, word: Instruction) -> Option<Written> {
    use Form::{One, Three, ThreeInverted, Two, TwoInverted};
    let mask = program.descriptor(word.descriptor()).mask();
    if !matches!(word.opcode().form(), One | Two | TwoInverted | Three | ThreeInverted) || mask == 0 {
        return None;
    }
    let destination = word.destination();
    let value = match destination {
        Destination::Output(n) => unit.o[operand::bank(program.kind(), unit.bank)][usize::from(n)],
        Destination::Temporary(n) => unit.r[usize::from(n)],
    };
    Some(Written { destination, mask, value })
}
