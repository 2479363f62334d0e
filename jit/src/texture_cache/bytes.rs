//! Bytes of a texture in guest memory: contiguous, in several pieces, or unmapped.

use super::{NoImage, reserve};
use crate::pauses::{PAUSE, Pauses};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;

/// Length below which a range that is not contiguous is read byte by byte.
const FEW: u32 = 64;

/// A contiguous range of addresses.
enum Piece<'a> {
    /// Contiguously mapped bytes.
    Mapped(GuestSlice<'a>),
    /// Address and number of bytes that are read one by one; unmapped ones are zero.
    Single(u32, u32),
}

/// Replaces `out` by the bytes `address .. address + length`; unmapped ones are zero. If the run ends, some are missing.
///
/// # Errors
/// [`NoImage::NoMemory`]
pub(super) fn read(
    memory: &dyn Memory,
    (address, length): (u32, u32),
    out: &mut Vec<u8>,
) -> Result<(), NoImage> {
    out.clear();
    reserve(out, length as usize)?;
    let mut pauses = Pauses::new(memory);
    each(memory, address, length, &mut |piece| match piece {
        Piece::Mapped(slice) => parts(slice).all(|part| {
            part.append_to(out);
            !pauses.stops_after(part.len())
        }),
        Piece::Single(from, count) => {
            out.extend((0..count).map(|n| memory.byte(from.wrapping_add(n))));
            !pauses.stops_after(count as usize)
        }
    });
    Ok(())
}

/// Compares the bytes from `address` on with `bytes`; false also if the run ends.
pub(super) fn equals(memory: &dyn Memory, address: u32, bytes: &[u8]) -> bool {
    let mut rest = bytes;
    let mut pauses = Pauses::new(memory);
    each(memory, address, bytes.len() as u32, &mut |piece| match piece {
        Piece::Mapped(slice) => parts(slice).all(|part| {
            let (now, after) = rest.split_at(part.len());
            rest = after;
            part.equals(now) && !pauses.stops_after(part.len())
        }),
        Piece::Single(from, count) => {
            let (now, after) = rest.split_at(count as usize);
            rest = after;
            if pauses.stops_after(now.len()) {
                return false;
            }
            (0..count).zip(now).all(|(n, &byte)| memory.byte(from.wrapping_add(n)) == byte)
        }
    })
}

/// The parts of a slice, each of a size that may be worked on before the next pause.
fn parts(slice: GuestSlice<'_>) -> impl Iterator<Item = GuestSlice<'_>> {
    (0..slice.len()).step_by(PAUSE).map(move |at| slice.slice(at, PAUSE.min(slice.len() - at)))
}

/// Bisects the range into pieces and passes them to `take` in order, until it returns false; returns true if it never
/// did.
fn each<'a>(
    memory: &'a dyn Memory,
    address: u32,
    length: u32,
    take: &mut impl FnMut(Piece<'a>) -> bool,
) -> bool {
    if let Some(slice) = memory.region(address, length) {
        return take(Piece::Mapped(slice));
    }
    if length <= FEW {
        return take(Piece::Single(address, length));
    }
    // Halves at multiples of a power of two, as pages are.
    let half = (length / 2).next_power_of_two();
    let first = (half - address % half).min(length - 1);
    each(memory, address, first, take) && each(memory, address.wrapping_add(first), length - first, take)
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};

    /// Blocks of all sizes with gaps between them, also around the end of the address space.
    #[test]
    fn pieces_and_gaps() {
        let blocks =
            [(0x1000, 0x1000), (0x2000, 1), (0x2003, 0x40), (0x3000, 0x800), (0xffff_ff00, 0x100), (0, 0x80)];
        let memory = BlockMemory::zeroed(&blocks);
        for (base, length) in blocks {
            let bytes: Vec<u8> =
                (0..length).map(|n| n.wrapping_mul(7).wrapping_add(base) as u8 | 1).collect();
            write_bytes(&memory, base, &bytes);
        }
        for (address, length) in
            [(0x0f00_u32, 0x3000), (0x1ffe, 0x47), (0xffff_fe00, 0x400), (0x5000, 0x1001), (0x1000, 0)]
        {
            let expected: Vec<u8> = (0..length).map(|n| memory.byte(address.wrapping_add(n))).collect();
            let mut bytes = vec![9; 3];
            read(&memory, (address, length), &mut bytes).expect("memory");
            assert_eq!(bytes, expected, "{address:#x}+{length:#x}");
            assert!(equals(&memory, address, &bytes));
            for place in (0..bytes.len()).step_by(29) {
                bytes[place] ^= 1;
                assert!(!equals(&memory, address, &bytes), "{address:#x}+{length:#x}, {place:#x}");
                bytes[place] ^= 1;
            }
        }
    }
}
