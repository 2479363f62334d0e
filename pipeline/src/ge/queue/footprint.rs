//! Footprint of draws: the parts of VRAM that they access, and the rule for overlap.

use super::buffer::Buffer;
use super::meet;
use crate::ge::regs::{Registers, op};
use crate::ge::target::{SIDE, Target};
use crate::rect::Rect;
use crate::tile::{self, Bytes};

/// Pixels of a row that engines access together, aligned to their number.
const GROUP: i32 = 4;

/// Footprint of draws to the same buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Footprint {
    colour: Buffer,
    /// `None` if depth is neither tested nor written.
    depth: Option<Buffer>,
    /// Pixels that may be drawn, in whole groups. Not empty.
    pixels: Rect,
}

impl Footprint {
    /// Footprint of one draw to some pixels, at least one.
    pub(super) fn new(registers: &Registers, target: &Target<'_>, pixels: Rect) -> Self {
        let clear = registers.clear_mode();
        let has_depth = if clear.enable() { clear.depth() } else { registers.is_on(op::ZTE) };
        let [x0, x1] = [pixels.x0 / GROUP, (pixels.x1 + GROUP - 1) / GROUP].map(|group| group * GROUP);
        Self {
            colour: Buffer::colour(target),
            depth: has_depth.then(|| Buffer::depth(target)),
            pixels: Rect { x0, x1, ..pixels },
        }
    }

    /// True if pixels share memory; then the draw order matters across pixels, not only within each one.
    pub(super) fn is_entangled(&self) -> bool {
        let colour = self.colour.extent(self.pixels);
        let meets_colour = |depth: Buffer| meet(colour, depth.extent(self.pixels));
        let shares = |buffer: Buffer| !buffer.keeps_apart(self.pixels);
        shares(self.colour) || self.depth.is_some_and(|depth| shares(depth) || meets_colour(depth))
    }

    /// True if a draw goes to the same buffers and may be drawn while these draws are pending.
    pub(super) fn admits(&self, draw: &Self) -> bool {
        let has_same_depth = self.depth.zip(draw.depth).is_none_or(|(a, b)| a == b);
        self.colour == draw.colour && has_same_depth && !tile::Footprint::with(self, draw).is_entangled()
    }

    /// Ranges of bytes that may be read or written.
    pub(super) fn extents(&self) -> impl Iterator<Item = Bytes> {
        let buffers = [Some(self.colour), self.depth].into_iter().flatten();
        let pixels = self.pixels;
        buffers.map(move |buffer| buffer.extent(pixels))
    }
}

impl tile::Footprint for Footprint {
    fn with(&self, draw: &Self) -> Self {
        let pixels = self.pixels.hull(draw.pixels);
        Self { colour: self.colour, depth: self.depth.or(draw.depth), pixels }
    }

    fn reaches(&self, bytes: Bytes) -> bool {
        self.extents().any(|extent| meet(extent, bytes))
    }

    fn changed(&self) -> impl Iterator<Item = Bytes> {
        self.extents()
    }

    fn size(&self) -> [u32; 2] {
        [SIDE; 2]
    }

    /// Rows here are rows of memory, and no code accesses bytes outside of the pixels of one row.
    fn lead(&self) -> u32 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
    use crate::memory::BlockMemory;
    use crate::tile::Footprint as _;

    const BLOCK: Rect = Rect { x0: 0, y0: 0, x1: 64, y1: 64 };

    /// Some pixels of a target of 64 to the row, 8888, colour at 0x10000 and depth at 0x20000 of VRAM.
    fn of(words: &[(u8, u32)], pixels: Rect) -> Footprint {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]);
        let mut registers = Registers::default();
        let usual = [(op::FBP, 0x1_0000), (op::FBW, 64), (op::PSM, 3), (op::ZBP, 0x2_0000), (op::ZBW, 64)];
        let all = usual.iter().chain(words);
        all.for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        let target = Target::new(&registers, AddressMaps::Flat, &memory).expect("VRAM is mapped");
        Footprint::new(&registers, &target, pixels)
    }

    const DEPTH: (u8, u32) = (op::ZTE, 1);

    #[test]
    fn other_buffers_have_to_wait() {
        let admits = |first: &[(u8, u32)], second: &[(u8, u32)]| of(first, BLOCK).admits(&of(second, BLOCK));
        assert!(admits(&[DEPTH], &[DEPTH]) && admits(&[], &[DEPTH]) && admits(&[DEPTH], &[]));
        assert!(admits(&[(op::PSM, 0)], &[(op::PSM, 2)]), "pixels lie where they were");
        for other in [(op::FBP, 0x1_0010), (op::FBW, 128), (op::PSM, 0)] {
            assert!(!admits(&[], &[other]), "{other:?}");
        }
        for other in [(op::ZBP, 0x2_0010), (op::ZBW, 128)] {
            assert!(!admits(&[DEPTH], &[DEPTH, other]), "{other:?}");
            assert!(admits(&[DEPTH], &[other]) && admits(&[], &[DEPTH, other]), "one has no depth");
        }
    }

    #[test]
    fn depth_counts_where_it_is_used() {
        let on_colour = (op::ZBP, 0x1_0000);
        let entangled = |words: &[(u8, u32)]| of(words, BLOCK).is_entangled();
        assert!(!entangled(&[DEPTH]) && !entangled(&[on_colour]) && entangled(&[DEPTH, on_colour]));
        assert!(!entangled(&[DEPTH, on_colour, (op::CLEAR, 0x301)]), "no depth is cleared");
        assert!(entangled(&[on_colour, (op::CLEAR, 0x401)]));
    }

    /// Alone each keeps its pixels apart, together they do not.
    #[test]
    fn pixels_of_two_draws_share_memory() {
        let [left, right] = [(0, 8), (64, 72)].map(|(x0, x1)| of(&[], Rect { x0, x1, ..BLOCK }));
        assert!(!left.is_entangled() && !right.is_entangled() && !left.admits(&right));
        assert!(left.admits(&left) && of(&[(op::FBW, 128)], BLOCK).admits(&of(&[(op::FBW, 128)], BLOCK)));
        // Groups of pixels too.
        let group = |x0, x1| of(&[], Rect { x0, x1, ..BLOCK }).is_entangled();
        assert!(!group(8, 72) && group(7, 71) && group(9, 73));
        // Rows of depth are shorter.
        assert!(
            of(&[DEPTH, (op::ZBW, 32)], BLOCK).is_entangled() && !of(&[(op::ZBW, 32)], BLOCK).is_entangled()
        );
        // Depth begins where a pixel drawn before lies.
        let [colour, depth] = [(0, 64), (8, 9)].map(|(y0, y1)| {
            of(&[DEPTH, (op::ZBP, 0x1_0000 + 64 * 4 * 32 - 64 * 2 * 8)], Rect { y0, y1, ..BLOCK })
        });
        assert!(colour.is_entangled() && !depth.is_entangled());
        let above = of(&[(op::ZBP, 0x1_0000 + 64 * 4 * 32 - 64 * 2 * 8)], BLOCK);
        assert!(!above.is_entangled() && !above.admits(&depth));
    }

    #[test]
    fn bytes_reached_and_changed() {
        let pixels = Rect { x0: 5, y0: 1, x1: 6, y1: 2 };
        let footprint = of(&[], pixels);
        let first = VRAM + 0x1_0000 + 64 * 4 + 16;
        assert_eq!(footprint.changed().collect::<Vec<_>>(), [(first, 16)]);
        assert!(footprint.reaches((first - 1, 2)) && !footprint.reaches((first - 1, 1)));
        assert!(footprint.reaches((first + 15, 1)) && !footprint.reaches((first + 16, 99)));
        let depth = VRAM + 0x2_0000 + 64 * 2 + 8;
        assert!(!footprint.reaches((depth, 8)) && !footprint.reaches((depth, 0)));
        let both = footprint.with(&of(&[DEPTH], BLOCK));
        assert!(both.reaches((depth, 8)));
        assert_eq!(both.changed().map(|(_, length)| length).collect::<Vec<_>>(), [64 * 64 * 4, 64 * 64 * 2]);
    }
}
