//! Footprint of draws: their memory accesses, and the rule for overlap.

use crate::pica::regs::Registers;
use crate::pica::surface::feedback;
use crate::pica::surface::{Place, Target, overlap};
use crate::tile::{self, Bytes};

/// Footprint of draws to one target: accesses to its two buffers, colour first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Footprint {
    place: Place,
    size: [u32; 2],
    /// The registers allow reads or writes.
    used: [bool; 2],
    /// The registers allow writes.
    written: [bool; 2],
    /// A texture may reach its bytes.
    sampled: [bool; 2],
}

impl Footprint {
    /// Footprint of one draw.
    pub(super) fn of(registers: &Registers, target: &Target<'_>) -> Self {
        let place = target.place();
        let sampled = feedback::sampled(registers, place.buffers);
        let size = [target.width(), target.height()];
        Self { place, size, used: target.used(), written: target.written(), sampled }
    }

    /// True if the draw order matters across pixels, not only within each one: the buffers of the draw overlap, or it
    /// reads what it draws.
    pub(super) fn is_entangled(&self, target: &Target<'_>) -> bool {
        !target.tiles_are_disjoint() || both(self.used, self.sampled)
    }

    /// True if a draw may be drawn while these draws are pending.
    pub(super) fn admits(&self, draw: &Self) -> bool {
        let [colour, depth] = self.place.buffers;
        self.place == draw.place
            && !both(self.used, draw.sampled)
            && !both(self.sampled, draw.used)
            // Each alone may use but one of two buffers that overlap.
            && (self.used == draw.used || !overlap(colour, depth))
    }
}

impl tile::Footprint for Footprint {
    fn with(&self, draw: &Self) -> Self {
        let either = |a: [bool; 2], b: [bool; 2]| [a[0] | b[0], a[1] | b[1]];
        Self {
            place: self.place,
            size: self.size,
            used: either(self.used, draw.used),
            written: either(self.written, draw.written),
            sampled: either(self.sampled, draw.sampled),
        }
    }

    fn reaches(&self, bytes: Bytes) -> bool {
        let buffers = self.place.buffers.iter().zip(self.used);
        buffers.into_iter().any(|(&buffer, used)| used && overlap(buffer, bytes))
    }

    fn changed(&self) -> impl Iterator<Item = Bytes> {
        let buffers = self.place.buffers.into_iter().zip(self.written);
        buffers.filter(|&((_, length), written)| written && length > 0).map(|(buffer, _)| buffer)
    }

    fn size(&self) -> [u32; 2] {
        self.size
    }

    fn lead(&self) -> u32 {
        self.place.lead()
    }
}

fn both(a: [bool; 2], b: [bool; 2]) -> bool {
    a[0] && b[0] || a[1] && b[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::BlockMemory;
    use crate::tile::Footprint as _;

    /// 64x64 pixels, colour at 0x18000000, depth at 0x18100000, both used.
    fn registers(changes: &[(u16, u32)]) -> Registers {
        let mut registers = Registers::new();
        let words = [
            (0x112, 15),
            (0x113, 15),
            (0x114, 3),
            (0x115, 3),
            (0x116, 3),
            (0x11c, 0x1810_0000 >> 3),
            (0x11d, 0x1800_0000 >> 3),
            (0x11e, 0x0100_0040 | 63 << 12),
            // Texture 0: 8x8 pixels of a byte at the start of depth, switched off.
            (0x082, 0x0008_0008),
            (0x08e, 7),
            (0x085, 0x1810_0000 >> 3),
            (0x080, 0),
        ];
        words.iter().chain(changes).for_each(|&(id, word)| registers.set_raw(id, word));
        registers
    }

    fn footprint(changes: &[(u16, u32)]) -> (Footprint, bool) {
        let memory = BlockMemory::console();
        let registers = registers(changes);
        let target = Target::new(&registers, &memory);
        let footprint = Footprint::of(&registers, &target);
        (footprint, footprint.is_entangled(&target))
    }

    fn admits(first: &[(u16, u32)], second: &[(u16, u32)]) -> bool {
        footprint(first).0.admits(&footprint(second).0)
    }

    #[test]
    fn another_target_has_to_wait() {
        let dim = 0x0100_0040 | 63 << 12;
        let others = [
            (0x11c, 0x1810_0040 >> 3),
            (0x11d, 0x1800_0040 >> 3),
            (0x11e, dim | 64 << 12),
            (0x11e, dim + 8),
            (0x11e, dim & 0x00ff_ffff),
            (0x116, 0),
            (0x116, 2),
            (0x117, 0x0001_0001),
            (0x117, 0x0002_0000),
            (0x11b, 1),
        ];
        for (id, word) in others {
            assert!(!admits(&[], &[(id, word)]), "{id:#x}: {word:#x}");
        }
        // A shadow map has four bytes to the pixel, whatever the format says.
        let two_bytes = (0x117, 0x0003_0000);
        assert!(!admits(&[two_bytes], &[two_bytes, (0x100, 3)]));
        assert!(admits(&[], &[(0x100, 0x00e4_0000), (0x107, 0x1f40), (0x065, 3)]));
    }

    #[test]
    fn textures_of_other_draws() {
        let [colour_only, textured] = [&[(0x114, 0), (0x115, 0)][..], &[(0x080, 1), (0x114, 0), (0x115, 0)]];
        assert!(!footprint(textured).1 && !footprint(&[(0x085, 0)]).1);
        assert!(footprint(&[(0x080, 1)]).1, "reads what it draws");
        assert!(!admits(&[], textured), "depth is drawn to");
        assert!(!admits(textured, &[]), "depth is still read");
        assert!(admits(colour_only, textured) && admits(textured, colour_only));
    }

    #[test]
    fn buffers_that_overlap() {
        let near = (0x11c, 0x1800_0040 >> 3);
        let [colour, depth] = [[near, (0x114, 0), (0x115, 0)], [near, (0x112, 0), (0x113, 0)]];
        assert!(footprint(&[near]).1 && !footprint(&colour).1 && !footprint(&depth).1);
        assert!(admits(&colour, &colour) && !admits(&colour, &depth));
    }

    #[test]
    fn bytes_reached_and_changed() {
        let (footprint, _) = footprint(&[(0x112, 0), (0x113, 0), (0x115, 0)]);
        assert!(!footprint.reaches((0x1800_0000, 0x4000)), "not used");
        assert!(footprint.reaches((0x1810_3fff, 1)) && !footprint.reaches((0x1810_4000, 1)));
        assert!(footprint.reaches((0x180f_0000, 0x1_0001)) && !footprint.reaches((0x180f_0000, 0x1_0000)));
        assert_eq!(footprint.changed().count(), 0, "only read");
        let colour = self::footprint(&[(0x115, 0)]).0;
        assert_eq!(colour.changed().collect::<Vec<_>>(), [(0x1800_0000, 0x4000)]);
        assert_eq!(colour.with(&self::footprint(&[]).0).changed().count(), 2);
    }

    /// Draws that wait together reach what one of them reaches.
    #[test]
    fn draws_together() {
        let reached =
            |footprint: Footprint| [0x1800_0000, 0x1810_0000].map(|buffer| footprint.reaches((buffer, 4)));
        let [colour, depth] =
            [[(0x114, 0), (0x115, 0)], [(0x112, 0), (0x113, 0)]].map(|off| footprint(&off).0);
        assert_eq!([reached(colour), reached(depth)], [[true, false], [false, true]]);
        assert_eq!([reached(colour.with(&depth)), reached(depth.with(&colour))], [[true; 2]; 2]);
        assert_eq!(
            [reached(colour.with(&colour)), reached(depth.with(&depth))],
            [[true, false], [false, true]]
        );
    }
}
