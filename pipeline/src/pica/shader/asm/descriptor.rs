//! Allocator of operand descriptors: one table for all files; instructions share entries that agree in the bits they
//! read.

use crate::pica::shader::ops::{Form, Opcode};

/// Number of ids that a `MAD` can encode.
const MAD_IDS: usize = 32;
/// Number of entries of the table.
const ENTRIES: usize = 128;

/// Requirement of one instruction on its descriptor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The descriptor.
    pub(super) bits: u32,
    /// Mask of the bits that the instruction reads.
    pub(super) relevant: u32,
}

impl Wanted {
    /// The requirement of an instruction: destination mask, then selector and sign of each source.
    pub(super) fn new(op: Opcode, mask: u32, sources: &[(u32, bool)]) -> Self {
        let field = |&(selector, negate): &(u32, bool)| u32::from(negate) | selector << 1;
        let fields = sources.iter().enumerate();
        let bits = fields.fold(mask, |bits, (n, source)| bits | field(source) << (4 + 9 * n));
        Self { bits, relevant: relevant(op, mask, sources.len()) }
    }

    /// The requirement on a fixed descriptor. Text encodes two bits of the mask of a MOVA; the others have no effect.
    pub(super) fn pinned(self, op: Opcode) -> Self {
        let unread = if op == Opcode::Mova { 3 } else { 0 };
        Self { relevant: self.relevant & !unread, ..self }
    }
}

/// The lanes of source `n` that the operation reads, bit 3 is x.
fn lanes_read(op: Opcode, mask: u32, n: usize) -> u32 {
    match op {
        Opcode::Dp3 => 0b1110,
        Opcode::Dph | Opcode::Dphi if n == 0 => 0b1110,
        Opcode::Ex2 | Opcode::Lg2 | Opcode::Rcp | Opcode::Rsq => 0b1000,
        // The common assembler keeps all lanes of the second source, though CMP reads only two.
        Opcode::Cmp if n == 0 => 0b1100,
        Opcode::Mova => mask & 0b1100,
        Opcode::Dp4 | Opcode::Dph | Opcode::Dphi => 0b1111,
        Opcode::Dst | Opcode::Dsti | Opcode::Litp | Opcode::Cmp => 0b1111,
        _ => mask,
    }
}

fn relevant(op: Opcode, mask: u32, sources: usize) -> u32 {
    let destination = if op.form() == Form::Cmp { 0 } else { 0xf };
    (0..sources).fold(destination, |bits, n| {
        let lanes = lanes_read(op, mask, n);
        let selector = (0..4).fold(0, |pairs, j| pairs << 2 | if lanes & 8 >> j == 0 { 0 } else { 3 });
        bits | (selector << 1 | 1) << (4 + 9 * n)
    })
}

/// An entry of the table.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    bits: u32,
    /// Mask of the bits that some instruction reads.
    relevant: u32,
    /// The second word; 0 except for `.opdesc`.
    extra: u32,
    /// Set by `.opdesc`; never moved.
    pinned: bool,
    /// Used by a MAD.
    mad: bool,
}

/// Result of an allocation.
pub(super) struct Allocated {
    pub(super) id: u32,
    /// Two ids that were swapped; instructions that use them must be updated.
    pub(super) swapped: Option<(u32, u32)>,
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct DescriptorTable(Vec<Entry>);

impl DescriptorTable {
    /// The words of the table.
    pub(super) fn words(&self) -> Vec<[u32; 2]> {
        self.0.iter().map(|entry| [entry.bits, entry.extra]).collect()
    }

    /// Pins entry `id`. Missing entries below it become pinned zeros.
    pub(super) fn pin(&mut self, id: usize, bits: u32, extra: u32) -> Result<(), String> {
        if id >= ENTRIES {
            return Err(format!("descriptor {id} of a table of {ENTRIES}"));
        }
        if self.0.get(id).is_some_and(|entry| !entry.pinned || entry.relevant & 0x8000_0000 != 0) {
            return Err(format!("descriptor {id} is already in use"));
        }
        let gap = Entry { relevant: 0x7fff_ffff, pinned: true, ..Entry::default() };
        self.0.resize(self.0.len().max(id + 1), gap);
        self.0[id] = Entry { bits, relevant: u32::MAX, extra, ..gap };
        Ok(())
    }

    /// Uses entry `id`, which must satisfy the requirement.
    pub(super) fn use_pinned(&self, id: usize, wanted: Wanted) -> Result<Allocated, String> {
        match self.0.get(id) {
            None => Err(format!("there is no descriptor {id}; `.opdesc` makes one")),
            Some(entry) if (entry.bits ^ wanted.bits) & wanted.relevant != 0 => {
                Err(format!("descriptor {id} ({:08x}) does not say what the operands say", entry.bits))
            }
            Some(_) => Ok(Allocated { id: id as u32, swapped: None }),
        }
    }

    /// Finds or creates an entry for an instruction.
    pub(super) fn allocate(&mut self, wanted: Wanted, mad: bool) -> Result<Allocated, String> {
        let Wanted { bits, relevant } = wanted;
        let fits = |entry: &Entry| (bits ^ entry.bits) & relevant & entry.relevant == 0;
        let id = match self.0.iter().position(fits) {
            Some(id) => {
                let entry = &mut self.0[id];
                entry.bits = entry.bits & !relevant | bits & relevant;
                entry.relevant |= relevant;
                id
            }
            None if self.0.len() == ENTRIES => {
                return Err(format!("the program needs more than {ENTRIES} operand descriptors"));
            }
            None => {
                self.0.push(Entry { bits, relevant, ..Entry::default() });
                self.0.len() - 1
            }
        };
        if mad { self.claim_for_mad(id) } else { Ok(Allocated { id: id as u32, swapped: None }) }
    }

    /// Moves an entry to an id below 32 for a `MAD`, which has five bits for the id.
    fn claim_for_mad(&mut self, id: usize) -> Result<Allocated, String> {
        let free = |entry: &Entry| !entry.mad && !entry.pinned;
        let swapped = if id < MAD_IDS {
            None
        } else {
            let low = self.0[..MAD_IDS].iter().position(free).filter(|_| !self.0[id].pinned);
            let low = low
                .ok_or_else(|| format!("`mad` needs one of the first {MAD_IDS} descriptors; none is free"))?;
            self.0.swap(low, id);
            Some((low as u32, id as u32))
        };
        let id = swapped.map_or(id, |(low, _)| low as usize);
        self.0[id].mad = true;
        Ok(Allocated { id: id as u32, swapped })
    }
}

/// Applies a swap of two descriptors to an instruction word with the 7-bit id field.
pub(super) fn follow_swap(word: &mut u32, (a, b): (u32, u32)) {
    let uses_table = word.wrapping_shr(26) < 0x20 || Opcode::of(*word) == Opcode::Cmp;
    let id = *word & 0x7f;
    if uses_table && (id == a || id == b) {
        *word ^= a ^ b;
    }
}
