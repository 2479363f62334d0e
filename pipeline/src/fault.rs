//! `Fault`: every mistake that a guest can make, as a value.

use std::fmt;

/// A mistake of a guest, which hardware answers with a hang or with undefined results.
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
    /// An instruction word with an undefined opcode; executed as `NOP`. Reported once for each word of a program and
    /// batch.
    UndefinedOpcode {
        /// Address of the word.
        pc: u16,
        /// The instruction word.
        word: u32,
    },
    /// `BREAK` or `BREAKC` taken outside a loop, which hangs the console; executed as `NOP`.
    BreakOutsideLoop {
        /// Address of the instruction.
        pc: u16,
    },
    /// A command wrote a register that does not exist (0x400 and above); ignored.
    NoSuchRegister {
        /// Register number in the command header.
        id: u16,
    },
    /// A command reaches past the end of its list; the list ends there.
    TruncatedCommand {
        /// Address of the command.
        address: u32,
    },
    /// A register value known to hang the console; here execution continues.
    Hangs {
        /// Register number; external registers as in [`Unmapped`](Self::Unmapped).
        id: u16,
        /// Value of the register.
        value: u32,
    },
    /// Memory that a register names is not mapped: reads give zero, writes are dropped, a draw whose arrays
    /// or indices lie there is skipped.
    Unmapped {
        /// The register that holds the address; external registers by their offset from 0x10400000,
        /// with bit 15 set.
        id: u16,
        /// First address of the range.
        address: u32,
    },
    /// More vertices, triangles or pixels in a draw than the limits allow; the rest is not drawn.
    DrawBudget {
        /// Vertices requested.
        vertices: u32,
    },
    /// A render target with no pixels; nothing is drawn.
    EmptyTarget {
        /// `FRAMEBUFFER_DIM`.
        dim: u32,
    },
    /// A register that makes no sense for the operation that it starts: an address or size of a list that is no multiple
    /// of 16, a fill that ends before its start, a transfer without pixels. The operation completes as the manual says.
    BadSetting {
        /// Register number; external registers as in [`Unmapped`](Self::Unmapped).
        id: u16,
        /// Its value; the address or size in bytes where the host gave a list.
        value: u32,
    },
    /// A transfer that freezes the console or has no meaning; completed without effect.
    BadTransfer {
        /// The flags, register 0x10400C10.
        flags: u32,
    },
}

impl Fault {
    /// The kind of fault, in a few words.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::InstructionBudget { .. } => "instruction budget",
            Self::UndefinedOpcode { .. } => "undefined opcode",
            Self::BreakOutsideLoop { .. } => "BREAK outside a loop",
            Self::NoSuchRegister { .. } => "no such register",
            Self::TruncatedCommand { .. } => "truncated command",
            Self::Hangs { .. } => "setting that hangs the console",
            Self::Unmapped { .. } => "unmapped memory",
            Self::DrawBudget { .. } => "draw budget",
            Self::EmptyTarget { .. } => "empty target",
            Self::BadTransfer { .. } => "bad transfer",
            Self::BadSetting { .. } => "setting without sense",
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
            Self::NoSuchRegister { id } => write!(f, "write to register {id:#05x}, which does not exist"),
            Self::TruncatedCommand { address } => {
                write!(f, "the command at {address:#010x} reaches past the end of its list")
            }
            Self::Hangs { id, value } if id & 0x8000 != 0 => {
                let register = 0x1040_0000 + u32::from(id & 0x7fff);
                write!(f, "register {register:#010x} = {value:#010x} hangs the console")
            }
            Self::Hangs { id, value } => {
                write!(f, "register {id:#05x} = {value:#010x} hangs the console")
            }
            Self::Unmapped { id, address } if id & 0x8000 != 0 => {
                let register = 0x1040_0000 + u32::from(id & 0x7fff);
                write!(f, "memory at {address:#010x} (register {register:#010x}) is not mapped")
            }
            Self::Unmapped { id, address } => {
                write!(f, "memory at {address:#010x} (register {id:#05x}) is not mapped")
            }
            Self::DrawBudget { vertices } => {
                write!(f, "a draw of {vertices} vertices goes beyond the limits")
            }
            Self::EmptyTarget { dim } => write!(f, "the render target has no pixels (0x11e = {dim:#010x})"),
            Self::BadTransfer { flags } => {
                write!(f, "a transfer that the console cannot do (register 0x10400c10 = {flags:#010x})")
            }
            Self::BadSetting { id, value } if id & 0x8000 != 0 => {
                let register = 0x1040_0000 + u32::from(id & 0x7fff);
                write!(f, "register {register:#010x} = {value:#010x} makes no sense")
            }
            Self::BadSetting { id, value } => {
                write!(f, "register {id:#05x}: {value:#010x} makes no sense")
            }
        }
    }
}

/// A bounded list of faults; faults beyond its capacity are only counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultList {
    faults: Vec<Fault>,
    dropped: u64,
}

impl FaultList {
    /// Maximum number of faults kept.
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

    /// Records a fault, unless an equal one is recorded already.
    pub fn push_once(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.push(fault);
        }
    }

    /// Adds `first` to the vertex of all faults from index `from` on. They come from a part of a batch that begins at
    /// vertex `first`.
    pub fn move_vertices(&mut self, from: usize, first: u32) {
        for fault in self.faults.iter_mut().skip(from) {
            if let Fault::InstructionBudget { vertex, .. } = fault {
                *vertex += first;
            }
        }
    }

    /// The faults kept, oldest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Fault] {
        &self.faults
    }

    /// Number of faults beyond the capacity.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Clears the list and the count.
    pub fn clear(&mut self) {
        self.faults.clear();
        self.dropped = 0;
    }
}
