//! Memory that all cases of a worker share. The extents that a case may write are taken out and restored after each
//! drawing, so that the cost of a case is that of its pixels. Writes outside of them are checked now and then.

use crate::random::Random;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::BlockMemory;
use picaflor_pipeline::rect::Rect;

/// Main memory: address and bytes.
pub(super) const RAM: (u32, u32) = (0x0880_0000, 1 << 18);
/// Pixels that engines read and write together. Their depth is contiguous under every map.
const GROUP: i32 = 4;

/// Guest memory, and its content before a case.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) memory: BlockMemory,
    contents: Vec<Vec<u8>>,
}

impl Shared {
    /// The memory for the cases of a seed.
    pub(super) fn of_seed(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let regions = [(VRAM, VRAM_BYTES), RAM];
        let contents = regions.map(|(_, length)| contents(&mut random, length as usize)).to_vec();
        let mut shared = Self { memory: BlockMemory::zeroed(&regions), contents };
        shared.restore();
        shared
    }

    /// All of VRAM.
    fn vram(&self) -> picaflor_pipeline::guest_slice::GuestSlice<'_> {
        self.memory.blocks()[0].as_slice()
    }

    /// The bytes of the extents; restores their content.
    pub(super) fn take(&self, extents: &[Extent]) -> Vec<u8> {
        let mut taken = Vec::new();
        for &Extent { start, length } in extents {
            self.vram().slice(start, length).append_to(&mut taken);
        }
        for &Extent { start, length } in extents {
            self.vram().write_all(start, &self.contents[0][start..start + length]);
        }
        taken
    }

    /// True if any byte has changed; restores all of them.
    pub(super) fn restore(&mut self) -> bool {
        let mut differs = false;
        for (block, contents) in self.memory.blocks().iter().zip(&self.contents) {
            if !block.as_slice().equals(contents) {
                block.as_slice().write_all(0, contents);
                differs = true;
            }
        }
        differs
    }
}

/// Pieces of random bytes, and of all the same, as cleared buffers have them.
fn contents(random: &mut Random, length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 1024);
    while bytes.len() < length {
        let words = random.between(1, 128);
        let any = random.bits();
        let same = random.pick(&[0, 0, u64::MAX, 0x8000_8000_8000_8000, any]);
        let is_flat = random.chance(20);
        for _ in 0..words {
            let word = if is_flat { same } else { random.bits() };
            bytes.extend(word.to_le_bytes());
        }
    }
    bytes.truncate(length);
    bytes
}

/// Bytes of VRAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: usize,
    pub(super) length: usize,
}

/// The extents that drawing to some pixels may write: whole groups, of colours and of depth where the state has it.
pub(super) fn extents(registers: &Registers, target: &Target<'_>, pixels: Rect) -> Vec<Extent> {
    let mut extents = Vec::new();
    if pixels.is_empty() {
        return extents;
    }
    let clear = registers.clear_mode();
    let has_depth = if clear.enable() { clear.depth() } else { registers.is_on(op::ZTE) };
    let bytes = target.format.bytes() as usize;
    let groups = || (pixels.x0 / GROUP * GROUP..pixels.x1).step_by(GROUP as usize);
    for y in pixels.y0..pixels.y1 {
        for x in groups() {
            add(&mut extents, Extent { start: target.colour_offset(x, y), length: 4 * bytes });
        }
        for x in groups().filter(|_| has_depth) {
            add(&mut extents, Extent { start: target.depth_offset(x, y), length: 8 });
        }
    }
    extents
}

/// True if a texture may have texels in VRAM where some extents are, as far as addresses tell.
pub(super) fn samples(registers: &Registers, extents: &[Extent]) -> bool {
    let last = registers.texture_mode().max_level() as u8;
    registers.is_on(op::TME)
        && (0..=last).any(|level| {
            let layout = Level::of(registers, level);
            let size = registers.texture_size_log2(level).map(|log| 1 << log.min(9));
            let (start, length) = (layout.address as usize % VRAM_BYTES as usize, layout.extent(size));
            let end = start + length as usize;
            // Odd mirrors move bytes, and what reaches the end of VRAM goes on at its start.
            let is_moved = layout.address >> 21 & 1 != 0 || end > VRAM_BYTES as usize;
            let meets = |extent: &Extent| extent.start < end && start < extent.start + extent.length;
            layout.address >> 26 & 3 == 1 && (is_moved || extents.iter().any(meets))
        })
}

/// Adds an extent, or extends the last one if it is adjacent.
fn add(extents: &mut Vec<Extent>, extent: Extent) {
    match extents.last_mut() {
        Some(last) if last.start + last.length == extent.start => last.length += extent.length,
        _ => extents.push(extent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::vram::AddressMaps;

    fn registers(words: &[(u8, u32)]) -> Registers {
        let mut registers = Registers::default();
        words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        registers
    }

    #[test]
    fn what_is_written_is_taken_and_put_back() {
        let mut shared = Shared::of_seed(1);
        let before = shared.contents[0][100];
        shared.vram().write(100, !before);
        shared.vram().write(200, !shared.contents[0][200]);
        let taken = shared.take(&[Extent { start: 100, length: 1 }]);
        assert_eq!(taken, [!before]);
        assert_eq!(shared.vram().read(100), before);
        assert!(shared.restore() && !shared.restore());
    }

    #[test]
    fn whole_groups_wherever_they_lie() {
        let shared = Shared::of_seed(1);
        let words = [(op::FBP, 0x1f_fff0), (op::FBW, 8), (op::PSM, 3), (op::ZBP, 0x10), (op::ZBW, 64)];
        let pixels = Rect { x0: 5, y0: 1, x1: 10, y1: 2 };
        let of = |words: &[(u8, u32)], maps| {
            let registers = registers(words);
            let target = Target::new(&registers, maps, &shared.memory).expect("VRAM is mapped");
            extents(&registers, &target, pixels)
        };
        // At the end of VRAM it goes on at its start.
        let colour = Extent { start: 32, length: 32 };
        assert_eq!(of(&words, AddressMaps::Flat), [colour]);
        let wraps = [(op::FBP, 0x1f_fff0), (op::FBW, 0), (op::PSM, 0)];
        let [end, start] = [(0x1f_fff8, 8), (0, 8)].map(|(start, length)| Extent { start, length });
        assert_eq!(of(&wraps, AddressMaps::Flat), [end, start]);
        let with_depth = [&words[..], &[(op::ZTE, 1)]].concat();
        let depth = Extent { start: 0x10 + 128 + 8, length: 16 };
        assert_eq!(of(&with_depth, AddressMaps::Flat), [colour, depth]);
        let moved = of(&with_depth, AddressMaps::default());
        let total = |extents: &[Extent]| extents.iter().map(|extent| extent.length).sum::<usize>();
        assert_eq!((moved[0], total(&moved)), (colour, 48));
        assert_ne!(moved[1], depth);
    }
}
