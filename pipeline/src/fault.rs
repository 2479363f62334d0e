//! `Fault`: whatever a guest can provoke, as a value.

use std::fmt;

/// One thing that a guest did and that hardware answers with a hang or with garbage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// An invocation executed as many instructions as its budget allows; it ended there as if by `END`.
    /// `pc`: the word that would have been next. `vertex`: position in the batch, 0 for a geometry run.
    InstructionBudget {
        /// Word that would have been executed next.
        pc: u16,
        /// Position of the vertex in its batch.
        vertex: u32,
    },
    /// An instruction word with an opcode that no program uses; executed as `NOP`. Reported once for each
    /// word of a program and batch.
    UndefinedOpcode {
        /// Address of the word.
        pc: u16,
        /// The instruction word.
        word: u32,
    },
    /// `BREAK` or `BREAKC` taken outside a loop, which hangs the console; executed as if not there.
    BreakOutsideLoop {
        /// Address of the instruction.
        pc: u16,
    },
}

impl Fault {
    /// What kind of fault it is, in a few words.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::InstructionBudget { .. } => "instruction budget",
            Self::UndefinedOpcode { .. } => "undefined opcode",
            Self::BreakOutsideLoop { .. } => "BREAK outside a loop",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InstructionBudget { pc, vertex } => {
                write!(f, "instruction budget used up before word {pc:#05x} (vertex {vertex})")
            }
            Self::UndefinedOpcode { pc, word } => {
                write!(f, "undefined opcode in word {pc:#05x}: {word:08x}")
            }
            Self::BreakOutsideLoop { pc } => write!(f, "BREAK outside a loop in word {pc:#05x}"),
        }
    }
}

/// A bounded list of faults; what does not fit is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultList {
    faults: Vec<Fault>,
    dropped: u64,
}

impl FaultList {
    /// How many faults are kept.
    pub const CAPACITY: usize = 64;

    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { faults: Vec::new(), dropped: 0 }
    }

    /// Records a fault, or counts it when the list is full.
    pub fn push(&mut self, fault: Fault) {
        if self.faults.len() < Self::CAPACITY {
            self.faults.push(fault);
        } else {
            self.dropped += 1;
        }
    }

    /// Records a fault unless the same one is already there.
    pub fn push_once(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.push(fault);
        }
    }

    /// The faults kept, oldest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Fault] {
        &self.faults
    }

    /// How many faults did not fit.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.faults.clear();
        self.dropped = 0;
    }
}
