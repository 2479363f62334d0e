//! Interrupts: the pending set, and the request block through which a command list requests one.
//!
//! The block is 64 request bytes, each with a compare byte (measured on a console: gbatek). Its words are registers
//! 0x010-0x034. A list ends by writing matching bytes.
//!
//! Source: pica-geometry.md 1.6, 7.

use crate::persist::Words;
use crate::pica::regs::{Registers, expand_mask};

/// An interrupt that the GPU raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interrupt {
    /// Memory fill unit 0 is done; 0x28.
    Psc0,
    /// Memory fill unit 1 is done; 0x29.
    Psc1,
    /// The transfer engine is done; 0x2C.
    Ppf,
    /// Requested by a command list; 0x2D.
    P3d,
    /// Vertical blank of the upper screen; 0x2A.
    Pdc0,
    /// Vertical blank of the lower screen; 0x2B.
    Pdc1,
}

impl Interrupt {
    /// All interrupts.
    pub const ALL: [Self; 6] = [Self::Psc0, Self::Psc1, Self::Ppf, Self::P3d, Self::Pdc0, Self::Pdc1];

    /// Its number in the interrupt controller.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Psc0 => 0x28,
            Self::Psc1 => 0x29,
            Self::Ppf => 0x2c,
            Self::P3d => 0x2d,
            Self::Pdc0 => 0x2a,
            Self::Pdc1 => 0x2b,
        }
    }
}

/// A set of interrupts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interrupts(u8);

impl Interrupts {
    /// True if `interrupt` is in the set.
    #[must_use]
    pub const fn contains(self, interrupt: Interrupt) -> bool {
        self.0 >> interrupt as u8 & 1 != 0
    }

    /// True if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members.
    pub fn iter(self) -> impl Iterator<Item = Interrupt> {
        Interrupt::ALL.into_iter().filter(move |&interrupt| self.contains(interrupt))
    }

    pub(crate) const fn raise(&mut self, interrupt: Interrupt) {
        self.0 |= 1 << interrupt as u8;
    }

    pub(crate) const fn acknowledge(&mut self, interrupt: Interrupt) {
        self.0 &= !(1 << interrupt as u8);
    }

    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.byte(&mut self.0);
    }
}

/// Writes the request bytes of `word` (0-15) that `mask` selects. Returns true if one of them now matches and is
/// enabled.
pub fn request(registers: &mut Registers, word: u16, value: u32, mask: u8) -> bool {
    let bytes = expand_mask(mask);
    let id = 0x010 + word;
    registers.set_raw(id, registers.raw(id) & !bytes | value & bytes);
    let written = u64::from(mask & 15) << (4 * word);
    matches(registers) & written & !registers.irq_mask() != 0
}

/// Writes register `id`, below 0x040, as the CPU. Returns true if P3D is raised: by a written byte, or because the
/// line was low before.
pub fn write_from_cpu(registers: &mut Registers, id: u16, value: u32, mask: u8) -> bool {
    let before = is_asserted(registers);
    let matched = match id {
        0x000..=0x01f => request(registers, id & 15, value, mask),
        0x020..=0x031 | 0x034 => {
            registers.write(id, value, mask);
            false
        }
        _ => false,
    };
    matched || !before && is_asserted(registers)
}

/// `IRQ_STAT`: bit `i` for each byte that equals its compare byte.
#[must_use]
pub fn matches(registers: &Registers) -> u64 {
    (0..16).map(|word| u64::from(matching_bytes(registers, word)) << (4 * word)).sum()
}

fn matching_bytes(registers: &Registers, word: u16) -> u8 {
    let different = registers.request_bytes(word).0 ^ registers.compare_bytes(word).0;
    let matching = |(i, byte): (usize, u8)| u8::from(byte == 0) << i;
    different.to_le_bytes().into_iter().enumerate().map(matching).sum()
}

/// True if the interrupt line P3D is high: an enabled byte matches.
#[must_use]
pub fn is_asserted(registers: &Registers) -> bool {
    matches(registers) & !registers.irq_mask() != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_match_one_by_one() {
        let mut regs = Registers::new();
        assert!(!is_asserted(&regs) && matches(&regs) == !15);
        assert!(!request(&mut regs, 0, 0x1122_3344, 15));
        assert!(!request(&mut regs, 0, 0x1234_5678, 0));
        assert!(request(&mut regs, 0, 0x1234_5678, 0b0100), "the third byte alone");
        assert_eq!((regs.raw(0x010), matches(&regs) & 15), (0x1134_3344, 0b0100));
        assert!(request(&mut regs, 0, 0xffff_ff78, 0b0001));
        assert!(!request(&mut regs, 0, 0, 0b0010), "a byte that does not match, beside ones that do");
        assert!(is_asserted(&regs));
    }

    #[test]
    fn masked_bytes_do_not_count() {
        let mut regs = Registers::new();
        assert!(!request(&mut regs, 15, 0, 15));
        assert!(write_from_cpu(&mut regs, 0x031, 0x7fff_ffff, 15), "byte 63 matches already");
        assert!(request(&mut regs, 15, 0, 15));
        assert!(!request(&mut regs, 15, 0, 0b0111));
    }

    #[test]
    fn acknowledging_is_a_request_by_the_cpu() {
        let mut regs = Registers::new();
        request(&mut regs, 0, 0x1234_5678, 15);
        assert!(!write_from_cpu(&mut regs, 0x000, 0, 15));
        assert!(!is_asserted(&regs) && regs.raw(0x010) == 0);
        assert!(write_from_cpu(&mut regs, 0x020, 0, 15), "compare bytes changed to match");
        assert!(!write_from_cpu(&mut regs, 0x033, 0, 15) && regs.raw(0x033) == 0);
    }

    #[test]
    fn sets() {
        let mut set = Interrupts::default();
        set.raise(Interrupt::Ppf);
        set.raise(Interrupt::Psc1);
        assert_eq!(set.iter().map(Interrupt::number).collect::<Vec<_>>(), [0x29, 0x2c]);
        set.acknowledge(Interrupt::Ppf);
        set.acknowledge(Interrupt::Psc1);
        assert!(set.is_empty() && !set.contains(Interrupt::Ppf));
        Interrupt::ALL.into_iter().for_each(|interrupt| set.raise(interrupt));
        let all: Vec<_> = set.iter().map(Interrupt::number).collect();
        assert_eq!(all, [0x28, 0x29, 0x2c, 0x2d, 0x2a, 0x2b]);
    }

    #[test]
    fn sets_of_interrupts() {
        let mut set = Interrupts::default();
        assert!(set.is_empty());
        set.raise(Interrupt::ALL[1]);
        set.raise(Interrupt::ALL[3]);
        assert!(!set.is_empty() && set.iter().eq([Interrupt::ALL[1], Interrupt::ALL[3]]));
        set.acknowledge(Interrupt::ALL[1]);
        assert!(set.iter().eq([Interrupt::ALL[3]]));
        set.acknowledge(Interrupt::ALL[3]);
        assert!(set.is_empty());
    }
}
