//! Address space of the GE: VRAM with its mirrors, and main memory.
//!
//! Source: psp-ge.md 1.1, measured on a console (edramswizzle).

use crate::guest_slice::GuestSlice;
use crate::memory::Memory;

/// Address of VRAM.
pub const VRAM: u32 = 0x0400_0000;
/// Size of VRAM in bytes.
pub const VRAM_BYTES: u32 = 2 << 20;
/// Bits of an offset into VRAM.
const OFFSET: u32 = VRAM_BYTES - 1;

/// True for an address of 28 bits in VRAM, or in a mirror of it.
pub(crate) const fn is_vram(address: u32) -> bool {
    address >> 26 == 1
}

/// Wiring of the VRAM mirrors: the address translation value that a system call sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressMaps {
    /// All mirrors show the same bytes. No console has this wiring; frame dumps use it (12.3).
    Flat,
    /// Translation value 0.
    Off,
    /// Translation value `0x200 << n`, n from 0 to 3; only the low two bits of n are used.
    Shift(u8),
}

impl Default for AddressMaps {
    /// Translation value 0x400, as after power-on.
    fn default() -> Self {
        Self::Shift(1)
    }
}

impl AddressMaps {
    /// Decodes the value of the system call; valid are 0, 0x200, 0x400, 0x800, 0x1000.
    #[must_use]
    pub const fn of(value: u32) -> Option<Self> {
        match value {
            0 => Some(Self::Off),
            0x200 | 0x400 | 0x800 | 0x1000 => Some(Self::Shift(value.trailing_zeros() as u8 - 9)),
            _ => None,
        }
    }

    /// The same wiring without unused bits: n of [`Shift`](Self::Shift) is below 4.
    #[must_use]
    pub const fn canonical(self) -> Self {
        match self {
            Self::Shift(n) => Self::Shift(n & 3),
            maps => maps,
        }
    }

    /// The value of the system call; 0 if all mirrors are alike.
    #[must_use]
    pub const fn value(self) -> u32 {
        match self.canonical() {
            Self::Flat | Self::Off => 0,
            Self::Shift(n) => 0x200 << n,
        }
    }

    /// The linear offset of a byte of mirror 1, below the size of VRAM like `offset`. Aligned runs of 64 bytes stay
    /// contiguous.
    #[must_use]
    pub const fn simple(self, offset: u32) -> u32 {
        match self.canonical() {
            Self::Flat => offset,
            Self::Off => offset ^ 0x600,
            Self::Shift(n) => offset ^ (0x40 | 0x1000 << n),
        }
    }

    /// The linear offset of a byte of mirror 3, through which depth is stored; below the size of VRAM like `offset`.
    /// Aligned runs of 32 bytes stay contiguous.
    #[must_use]
    pub const fn depth(self, offset: u32) -> u32 {
        match self.canonical() {
            Self::Flat => offset,
            Self::Off if (offset >> 9 ^ offset >> 10) & 1 == 0 => offset ^ 0x600,
            Self::Off => offset,
            Self::Shift(n) => invert_depth(offset, n),
        }
    }

    /// Address of a byte in guest memory: mirrors are resolved, the upper four address bits and the repetitions of
    /// VRAM are dropped.
    #[must_use]
    pub const fn resolve(self, address: u32) -> u32 {
        let address = address & 0x0fff_ffff;
        if !is_vram(address) {
            return address;
        }
        let offset = address & OFFSET;
        VRAM | match address >> 21 & 3 {
            1 => self.simple(offset),
            3 => self.depth(offset),
            _ => offset,
        }
    }

    /// Largest aligned run of bytes that stays contiguous under [`resolve`](Self::resolve).
    const RUN: u32 = 32;
}

/// Inverse of the permutation of mirror 3, n below 4: the manual's formula maps linear offsets to offsets in the mirror.
const fn invert_depth(offset: u32, n: u8) -> u32 {
    let top = 8 + n as u32;
    let field = (2 << top) - 32;
    let moved = offset ^ (0x1000 << n);
    let low = !(moved >> 5) & 1;
    let high = moved >> top & 1;
    (moved & !field) | ((moved & (field >> 1) & !0x3f) << 1) | low << 6 | high << 5
}

/// A copy of `length` bytes at `address`, mirrors resolved; unmapped bytes are zero.
#[must_use]
pub fn gather(memory: &dyn Memory, maps: AddressMaps, address: u32, length: u32) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    read(memory, maps, address, &mut bytes);
    bytes
}

/// Copies the bytes from `address` on, mirrors resolved; unmapped bytes are zero. `out` is shorter than VRAM.
pub fn read(memory: &dyn Memory, maps: AddressMaps, address: u32, out: &mut [u8]) {
    if let Some(all) = region(memory, maps, address, out.len() as u32) {
        return all.read_all(0, out);
    }
    let mut from = address;
    let mut left = out;
    while !left.is_empty() {
        let run = ((AddressMaps::RUN - from % AddressMaps::RUN) as usize).min(left.len());
        let (bytes, rest) = left.split_at_mut(run);
        let start = maps.resolve(from);
        match memory.region(start, run as u32) {
            Some(slice) => slice.read_all(0, bytes),
            None => bytes.iter_mut().zip(start..).for_each(|(byte, at)| *byte = memory.byte(at)),
        }
        from = from.wrapping_add(run as u32);
        left = rest;
    }
}

/// The bytes in guest memory; `None` unless they are contiguous there.
#[must_use]
pub fn region<'m>(
    memory: &'m dyn Memory,
    maps: AddressMaps,
    address: u32,
    length: u32,
) -> Option<GuestSlice<'m>> {
    let address = address & 0x0fff_ffff;
    let in_vram = is_vram(address);
    let mirror = address >> 21 & 3;
    let wraps = in_vram && (address & OFFSET) + length > VRAM_BYTES;
    let moves = in_vram && mirror % 2 == 1 && maps != AddressMaps::Flat;
    // What leaves the address space begins again at 0.
    let leaves = address + length > 0x1000_0000;
    if wraps || moves || leaves { None } else { memory.region(maps.resolve(address), length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{BlockMemory, write_bytes};

    /// The manual's formula (1.1), from linear offset to offset in mirror 3.
    fn manual_m3(i: u32, t: u32) -> u32 {
        let log = t.trailing_zeros();
        let (top, flipped) = (log - 1, i ^ (1 << (log + 3)));
        let mut out = flipped & !((2 << top) - 32);
        for bit in 7..=top {
            out |= (flipped >> bit & 1) << (bit - 1);
        }
        out |= (!flipped >> 6 & 1) << 5;
        out | (flipped >> 5 & 1) << top
    }

    #[test]
    fn the_depth_map_inverts_the_manuals_formula() {
        for t in [0x200, 0x400, 0x800, 0x1000] {
            let maps = AddressMaps::of(t).unwrap();
            assert_eq!(maps.value(), t);
            for i in (0..VRAM_BYTES).step_by(4) {
                assert_eq!(maps.depth(manual_m3(i, t)), i, "{t:#x} {i:#x}");
            }
        }
        for i in 0..0x1000 {
            assert_eq!(AddressMaps::Off.depth(AddressMaps::Off.depth(i)), i);
        }
    }

    /// Any host can make a wiring that no system call has.
    #[test]
    fn a_shift_out_of_range_is_one_in_range() {
        for n in 0..=u8::MAX {
            let (maps, same) = (AddressMaps::Shift(n), AddressMaps::Shift(n & 3));
            assert_eq!(maps.canonical(), same);
            assert_eq!(AddressMaps::of(maps.value()), Some(same));
            for offset in (0..VRAM_BYTES).step_by(0x7ff) {
                let places = [maps.simple(offset), maps.depth(offset)];
                assert_eq!(places, [same.simple(offset), same.depth(offset)], "{n} {offset:#x}");
                assert!(places.iter().all(|place| *place < VRAM_BYTES), "{n} {offset:#x}");
            }
        }
    }

    #[test]
    fn the_manuals_line_for_the_usual_value() {
        for i in (0..VRAM_BYTES).step_by(2) {
            let m3 = i ^ 0x2000;
            let m3 = (m3 & !0x3e0) | ((i & 0x380) >> 1) | ((!i & 0x40) >> 1) | ((i & 0x20) << 4);
            assert_eq!(manual_m3(i, 0x400), m3);
        }
    }

    #[test]
    fn mirrors_resolve() {
        let maps = AddressMaps::default();
        assert_eq!(maps.resolve(0x4400_1234), 0x0400_1234);
        assert_eq!(maps.resolve(0x0440_1234), 0x0400_1234);
        assert_eq!(maps.resolve(0x0420_0000), 0x0400_2040);
        assert_eq!(maps.resolve(0x0c40_0010), 0x0c40_0010 & 0x0fff_ffff);
        assert_eq!(maps.resolve(0x0880_0000), 0x0880_0000);
        assert_eq!(AddressMaps::Flat.resolve(0x0460_0100), 0x0400_0100);
    }

    /// Memory with a byte of its own at each address, about: VRAM, the first and the last page of all addresses.
    fn memory() -> BlockMemory {
        let blocks = [(0, 0x1000), (VRAM, VRAM_BYTES), (0x0fff_f000, 0x1000)];
        let memory = BlockMemory::zeroed(&blocks);
        for (base, length) in blocks {
            let bytes: Vec<u8> = (base..base + length).map(|at| (at ^ at >> 7 ^ at >> 13) as u8).collect();
            write_bytes(&memory, base, &bytes);
        }
        memory
    }

    /// Where bytes lie together, up to both ends of VRAM and to the last address.
    #[test]
    fn regions() {
        let memory = memory();
        let usual = AddressMaps::default();
        for (maps, address, length, expected) in [
            (usual, VRAM, VRAM_BYTES, Some(VRAM)),
            (usual, VRAM + 1, VRAM_BYTES - 1, Some(VRAM + 1)),
            (usual, VRAM + 1, VRAM_BYTES, None),
            (usual, VRAM + VRAM_BYTES - 4, 4, Some(VRAM + VRAM_BYTES - 4)),
            (usual, VRAM + VRAM_BYTES - 4, 5, None),
            (usual, 0x0440_0010, 0x100, Some(VRAM + 0x10)),
            (usual, 0x0420_0000, 4, None),
            (usual, 0x0460_0000, 4, None),
            (AddressMaps::Off, 0x0420_0000, 4, None),
            (AddressMaps::Flat, 0x0420_0010, 0x100, Some(VRAM + 0x10)),
            (AddressMaps::Flat, 0x0460_0000 + VRAM_BYTES - 4, 4, Some(VRAM + VRAM_BYTES - 4)),
            (AddressMaps::Flat, 0x0460_0000 + VRAM_BYTES - 4, 5, None),
            (usual, 0x0fff_f000, 0x1000, Some(0x0fff_f000)),
            (usual, 0x4fff_fffc, 4, Some(0x0fff_fffc)),
            (usual, 0x0fff_fffc, 5, None),
            (usual, 0x0020_0000, 4, None),
            (usual, 0xff8, 8, Some(0xff8)),
            (usual, 0, 4, Some(0)),
        ] {
            let found = region(&memory, maps, address, length).map(GuestSlice::as_ptr);
            let expected = expected.map(|at| memory.region(at, length).expect("mapped").as_ptr());
            assert_eq!(found, expected, "{maps:?} {address:#x}+{length:#x}");
        }
    }

    /// Against each byte by itself, through all mirrors and past every end.
    #[test]
    fn reads_of_any_length() {
        let (memory, mut seed) = (memory(), 5);
        let starts = [0x0400_0000, 0x0420_0000, 0x0440_0000, 0x0460_0000, 0x0fff_ff80, 0, 0xfc0, 0x045f_ffc0];
        for maps in [AddressMaps::Flat, AddressMaps::Off, AddressMaps::Shift(1), AddressMaps::Shift(3)] {
            for start in starts.into_iter().cycle().take(400) {
                let [before, length] =
                    [crate::random::word(&mut seed) % 128, crate::random::word(&mut seed) % 300];
                let address = start + before;
                let byte = |n: u32| memory.byte(maps.resolve(address.wrapping_add(n)));
                let expected: Vec<u8> = (0..length).map(byte).collect();
                assert_eq!(
                    gather(&memory, maps, address, length),
                    expected,
                    "{maps:?} {address:#x}+{length:#x}"
                );
            }
        }
    }

    /// The table of 1.1 for translation 0: mirror 1 inverts bits 9 and 10, mirror 3 inverts them where they are equal.
    #[test]
    fn mirrors_without_translation() {
        let offsets = [0, 0x200, 0x400, 0x600, 0x1_fa34];
        assert_eq!(offsets.map(|i| AddressMaps::Off.simple(i)), [0x600, 0x400, 0x200, 0, 0x1_fc34]);
        assert_eq!(offsets.map(|i| AddressMaps::Off.depth(i)), [0x600, 0x200, 0x400, 0, 0x1_fa34]);
    }

    /// 1.1 with 0x400: mirror 1 inverts bits 6 and 13; offset 0 is 0x2020 in mirror 3 (bit 13, and bit 5, which receives
    /// the inverse of bit 6).
    #[test]
    fn mirrors_of_the_first_byte() {
        let maps = AddressMaps::default();
        assert_eq!(maps.resolve(0x0420_2040), 0x0400_0000);
        assert_eq!(maps.resolve(0x0460_2020), 0x0400_0000);
    }
}
