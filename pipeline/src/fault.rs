//! `Fault`: every mistake that a guest can make, as a value.

use crate::hashing::Seeds;
use std::fmt;
use std::hash::BuildHasher as _;

/// A mistake of a guest, which hardware answers with a hang or with undefined results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
#[derive(Clone)]
pub struct FaultList {
    faults: Vec<Fault>,
    dropped: u64,
    places: Places,
}

impl FaultList {
    /// Maximum number of faults kept.
    pub const CAPACITY: usize = 64;

    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { faults: Vec::new(), dropped: 0, places: Places::new() }
    }

    /// Records a fault, or counts it when the list is full.
    pub fn push(&mut self, fault: Fault) {
        if self.faults.len() < Self::CAPACITY {
            self.places.add(&self.faults, &fault);
            self.faults.push(fault);
        } else {
            self.dropped += 1;
        }
    }

    /// Records a fault, unless an equal one is recorded already.
    pub fn push_once(&mut self, fault: Fault) {
        if !self.places.has(&self.faults, &fault) {
            self.push(fault);
        }
    }

    /// Adds `first` to the vertex of all faults from index `from` on. They come from a part of a batch that begins at
    /// vertex `first`.
    pub fn move_vertices(&mut self, from: usize, first: u32) {
        let mut is_changed = false;
        for fault in self.faults.iter_mut().skip(from) {
            if let Fault::InstructionBudget { vertex, .. } = fault {
                *vertex += first;
                is_changed = true;
            }
        }
        if is_changed {
            self.places = Places::of(&self.faults);
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
        self.places = Places::new();
    }
}

impl Default for FaultList {
    /// An empty list.
    fn default() -> Self {
        Self::new()
    }
}

/// Places follow from the faults.
impl PartialEq for FaultList {
    fn eq(&self, other: &Self) -> bool {
        (&self.faults, self.dropped) == (&other.faults, other.dropped)
    }
}

impl Eq for FaultList {}

impl fmt::Debug for FaultList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { faults, dropped, places: _ } = self;
        f.debug_struct("FaultList").field("faults", faults).field("dropped", dropped).finish()
    }
}

/// Hash table of a list, open addressed: a guest repeats 64 different faults at the price of a word each, and a search of
/// the list would cost more than that.
#[derive(Clone, Copy)]
struct Places {
    /// Index in the list, plus one; 0: free. At least half of them are free. Of equal faults the first one has a slot.
    slots: [u8; Self::SLOTS],
}

impl Places {
    const SLOTS: usize = 2 * FaultList::CAPACITY;

    /// Those of an empty list.
    const fn new() -> Self {
        Self { slots: [0; Self::SLOTS] }
    }

    /// Those of a list of any faults.
    fn of(faults: &[Fault]) -> Self {
        let mut places = Self::new();
        (0..faults.len()).for_each(|n| places.add(&faults[..n], &faults[n]));
        places
    }

    /// True if a list, whose places these are, has an equal fault.
    fn has(&self, faults: &[Fault], fault: &Fault) -> bool {
        !faults.is_empty() && self.slots[self.slot(faults, fault)] != 0
    }

    /// Notes the fault that follows these.
    fn add(&mut self, faults: &[Fault], fault: &Fault) {
        let slot = &mut self.slots[self.slot(faults, fault)];
        if *slot == 0 {
            *slot = faults.len() as u8 + 1;
        }
    }

    /// The slot at which the search for a fault begins. Hashes of faults that differ in their last word alone are nearly
    /// an arithmetic progression, whose step is small under some seeds: without the second multiplication they would
    /// fill slots in a row.
    fn first(seeds: Seeds, fault: &Fault) -> usize {
        let mixed = seeds.hash_one(fault).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - Self::SLOTS.ilog2())) as usize
    }

    /// The slot of an equal fault, or the free one that a new fault would get.
    fn slot(&self, faults: &[Fault], fault: &Fault) -> usize {
        let mut slot = Self::first(Seeds::default(), fault);
        while let Some(n) = self.slots[slot].checked_sub(1)
            && faults[usize::from(n)] != *fault
        {
            slot = (slot + 1) % Self::SLOTS;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    /// A list that is searched: what `FaultList` has to report.
    #[derive(Default)]
    struct Searched {
        faults: Vec<Fault>,
        dropped: u64,
    }

    impl Searched {
        fn push(&mut self, fault: Fault) {
            if self.faults.len() < FaultList::CAPACITY {
                self.faults.push(fault);
            } else {
                self.dropped += 1;
            }
        }

        fn push_once(&mut self, fault: Fault) {
            if !self.faults.contains(&fault) {
                self.push(fault);
            }
        }

        fn move_vertices(&mut self, from: usize, first: u32) {
            for fault in self.faults.iter_mut().skip(from) {
                if let Fault::InstructionBudget { vertex, .. } = fault {
                    *vertex += first;
                }
            }
        }
    }

    /// One of a hundred faults, some of which become equal to others when their vertices are moved.
    fn any(random: &mut u64) -> Fault {
        let n = random::word(random) % 50;
        match random::word(random) % 2 {
            0 => Fault::InstructionBudget { pc: 7, vertex: n },
            _ => Fault::NoSuchRegister { id: 0x400 + n as u16 },
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn lists_report_what_a_search_reports() {
        for seed in 0..200 {
            let (mut random, mut list, mut expected) = (seed, FaultList::new(), Searched::default());
            for _ in 0..100 {
                match random::word(&mut random) % 8 {
                    0 => {
                        let fault = any(&mut random);
                        list.push(fault);
                        expected.push(fault);
                    }
                    1 => {
                        let from = random::word(&mut random) as usize % (list.as_slice().len() + 2);
                        list.move_vertices(from, 1);
                        expected.move_vertices(from, 1);
                    }
                    _ => {
                        let fault = any(&mut random);
                        list.push_once(fault);
                        expected.push_once(fault);
                    }
                }
                assert_eq!(
                    (list.as_slice(), list.dropped()),
                    (&*expected.faults, expected.dropped),
                    "{seed}"
                );
            }
            list.clear();
            list.push_once(Fault::BreakOutsideLoop { pc: 1 });
            assert_eq!(
                (list.as_slice(), list.dropped()),
                ([Fault::BreakOutsideLoop { pc: 1 }].as_slice(), 0)
            );
        }
    }

    /// Slots that a search for a fault passes before the last one.
    fn passed(list: &FaultList, fault: &Fault) -> usize {
        let first = Places::first(Seeds::default(), fault);
        list.places.slot(&list.faults, fault).wrapping_sub(first) % Places::SLOTS
    }

    /// About one slot in a table that is half full, whatever its faults are.
    #[test]
    fn few_slots_are_looked_at() {
        let other = |n: u32| Fault::NoSuchRegister { id: n as u16 };
        let (mut different, mut equal) = (FaultList::new(), FaultList::new());
        (0..64).for_each(|n| different.push_once(other(n)));
        (0..64).for_each(|_| equal.push(other(0)));
        assert_eq!((different.as_slice().len(), equal.as_slice().len()), (64, 64));
        for (list, most) in [(&different, 12_000), (&equal, 1000)] {
            let passed = (0..1000).map(|n| passed(list, &other(n))).sum::<usize>();
            assert!(passed < most, "{passed}");
        }
    }

    /// Neighbours among the faults do not become neighbours in the table, whatever the seeds of the process are.
    #[test]
    fn few_slots_are_looked_at_with_any_seeds() {
        for seeds in (0..1000).map(Seeds::of) {
            let firsts: Vec<usize> =
                (0..1000).map(|id| Places::first(seeds, &Fault::NoSuchRegister { id })).collect();
            let mut is_taken = [false; Places::SLOTS];
            let free = |is_taken: &[bool], first: usize| {
                (0..).find(|passed| !is_taken[(first + passed) % Places::SLOTS]).expect("a free slot")
            };
            for &first in &firsts[..FaultList::CAPACITY] {
                is_taken[(first + free(&is_taken, first)) % Places::SLOTS] = true;
            }
            let passed =
                firsts[FaultList::CAPACITY..].iter().map(|&first| free(&is_taken, first)).sum::<usize>();
            assert!(passed < 6000, "{seeds:?}: {passed}");
        }
    }
}
