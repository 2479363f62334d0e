//! Depth tests that hide pixels for good, and primitives of which they hide whole rows.
//!
//! Source: psp-ge.md 1.1 (how depth lies in memory), 10.3.

use picaflor_pipeline::ge::vram::{AddressMaps, VRAM_BYTES};
use std::cmp::Ordering;

/// A depth test that a pixel does not pass later if it does not pass it now: what passes only makes it harder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DepthTest {
    /// Of what is new against what is stored.
    pub(crate) passes: Ordering,
    pub(crate) or_equal: bool,
    pub(crate) maps: AddressMaps,
}

/// Stored depths that hide a primitive: those from a bound on, if each is inverted or none is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hiding {
    /// In four lanes.
    bound: u64,
    /// All bits, or none.
    inverted: u64,
    maps: AddressMaps,
}

/// The highest bit of each lane of a group.
const TOP: u64 = 0x8000_8000_8000_8000;

/// Lanes of a group before a column, and behind it.
static BEFORE: [u64; 4] = [0, 0xffff, 0xffff_ffff, 0xffff_ffff_ffff];
static BEHIND: [u64; 4] = [u64::MAX << 16, u64::MAX << 32, u64::MAX << 48, 0];

impl DepthTest {
    /// What hides a primitive whose depths, 0 to 65535, lie between the least and the greatest one of these; `None` if nothing
    /// can, or if what passes is equal.
    #[inline(always)]
    pub(crate) fn hiding(&self, [a, b, c]: [i32; 3]) -> Option<Hiding> {
        let (nearest, inverted) = match self.passes {
            Ordering::Greater => (a.max(b).max(c), 0),
            Ordering::Less => (0xffff - a.min(b).min(c), u64::MAX),
            Ordering::Equal => return None,
        };
        let bound = (nearest + i32::from(self.or_equal)).cast_unsigned();
        if bound > 0xffff {
            return None;
        }
        Some(Hiding { bound: u64::from(bound) * 0x0001_0001_0001_0001, inverted, maps: self.maps })
    }
}

impl Hiding {
    /// Predicate: what is stored in these columns, of which there is one at least, hides the primitive. The row begins at an
    /// offset in VRAM before it is mapped, a multiple of 8; offsets wrap.
    ///
    /// # Safety
    /// `vram` is all of VRAM, and nobody writes the depths of the groups of these columns meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn hides(&self, vram: *const u8, row: u32, [from, to]: [i32; 2]) -> bool {
        let (first, last) = (from.cast_unsigned(), (to - 1).cast_unsigned());
        let mut at = row.wrapping_add(8 * (first >> 2)) & (VRAM_BYTES - 8);
        let mut mapped = self.maps.depth(at);
        let mut outside = BEFORE[first as usize & 3];
        let mut groups = (last >> 2) - (first >> 2);
        loop {
            // SAFETY: offsets of groups are multiples of 8 below the size of VRAM, and stay so when they are mapped. The caller
            // says that nobody writes there.
            let stored = u64::from_le(unsafe { vram.add(mapped as usize).cast::<u64>().read_unaligned() });
            if groups == 0 {
                return self.hidden(stored) | outside | BEHIND[last as usize & 3] | !TOP == u64::MAX;
            }
            if self.hidden(stored) | outside | !TOP != u64::MAX {
                return false;
            }
            (groups, outside) = (groups - 1, 0);
            at = at.wrapping_add(8) & (VRAM_BYTES - 8);
            // Runs of 32 bytes stay contiguous.
            mapped = if at & 31 == 0 { self.maps.depth(at) } else { mapped + 8 };
        }
    }

    /// The highest bit of each lane that hides.
    #[inline(always)]
    const fn hidden(&self, stored: u64) -> u64 {
        let stored = stored ^ self.inverted;
        // Without the highest bits, which stay where they are.
        let from_bound = (stored | TOP) - (self.bound & !TOP);
        (stored & !self.bound) | (from_bound & (stored | !self.bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: [AddressMaps; 4] =
        [AddressMaps::Flat, AddressMaps::Off, AddressMaps::Shift(1), AddressMaps::Shift(3)];

    /// Columns of a row.
    const WIDTH: u32 = 40;

    /// Depths near to those of the corners, in rows anywhere: some of these leave the end of VRAM.
    #[test]
    fn rows_are_hidden_where_no_pixel_passes() {
        let mut seed = 7;
        let mut below = move |bound: u32| picaflor_pipeline::random::word(&mut seed) % bound;
        let mut vram = vec![0_u64; VRAM_BYTES as usize / 8];
        let mut found = [[0; 2]; 2];
        for round in 0..40_000 {
            let (maps, passes) = (MAPS[round % 4], [Ordering::Less, Ordering::Greater][round / 4 % 2]);
            let test = DepthTest { passes, or_equal: below(2) == 1, maps };
            let row = (VRAM_BYTES - 8 * below([9, VRAM_BYTES / 8][round / 8 % 2])) & (VRAM_BYTES - 1);
            let from = below(WIDTH);
            let columns = from..from + 1 + below((WIDTH - from).min(9));

            let middle = [0, 3, 0x7fff, 0x8001, 0xfffc, 0xffff][below(6) as usize];
            let mut near = |reach: u32| middle + below(2 * reach + 1).cast_signed() - reach.cast_signed();
            let corners = [(); 3].map(|()| near(3).clamp(0, 0xffff));
            let nearer = if passes == Ordering::Greater { 7 } else { -7 };
            let stored = [(); WIDTH as usize].map(|()| (near(7) + nearer).clamp(0, 0xffff));
            for (x, depth) in (0..).zip(stored) {
                let offset = maps.depth(row.wrapping_add(2 * x) & (VRAM_BYTES - 1));
                let (group, shift) = (&mut vram[offset as usize / 8], offset % 8 * 8);
                *group = (u64::from_le(*group) & !(0xffff << shift) | (depth as u64) << shift).to_le();
            }

            // SAFETY: the vector is as large as VRAM, and nobody else has it.
            let hides = |hiding: Hiding| unsafe {
                hiding.hides(vram.as_ptr().cast(), row, [columns.start, columns.end].map(u32::cast_signed))
            };
            let is_hidden = test.hiding(corners).is_some_and(hides);
            let fails = |new: i32, stored: i32| {
                let order = new.cmp(&stored);
                order != passes && !(test.or_equal && order.is_eq())
            };
            let stored = &stored[columns.start as usize..columns.end as usize];
            let expected = stored.iter().all(|&stored| corners.iter().all(|&new| fails(new, stored)));
            assert_eq!(is_hidden, expected, "{test:?} {corners:?} {stored:?} {columns:?} at {row:#x}");
            found[usize::from(passes == Ordering::Less)][usize::from(is_hidden)] += 1;
        }
        assert!(found.as_flattened().iter().all(|&rows| rows > 1000), "{found:?}");
    }

    #[test]
    fn nothing_hides_the_nearest_depth() {
        let test = |passes, or_equal| DepthTest { passes, or_equal, maps: AddressMaps::Flat };
        assert!(test(Ordering::Greater, true).hiding([0, 0xffff, 3]).is_none());
        assert!(test(Ordering::Greater, true).hiding([0, 0xfffe, 3]).is_some());
        assert!(test(Ordering::Greater, false).hiding([0, 0xffff, 3]).is_some());
        assert!(test(Ordering::Less, true).hiding([0, 0xffff, 3]).is_none());
        assert!(test(Ordering::Less, false).hiding([0, 0xffff, 3]).is_some());
        assert!(test(Ordering::Equal, true).hiding([7; 3]).is_none());
    }
}
