use super::*;
use crate::guest_slice::GuestSlice;
use crate::memory::{BlockMemory, write_bytes};
use crate::pica::regs::framebuffer::{BufferLoc, FramebufferDim};
use std::sync::Mutex;

const COLOUR: u32 = 0x1800_0000;
const DEPTH: u32 = 0x1801_0000;

fn vram() -> BlockMemory {
    BlockMemory::zeroed(&[(COLOUR, 0x2_0000)])
}

fn registers(width: u32, height: u32, colour: u32, depth: u32) -> Registers {
    let mut registers = Registers::new();
    let dim = FramebufferDim(0).with_width(width).with_last_row(height - 1).with_top_first(true);
    for id in 0x112..=0x115 {
        registers.set_raw(id, 3);
    }
    registers.set_raw(0x116, depth);
    registers.set_raw(0x117, colour << 16);
    registers.set_raw(0x11c, BufferLoc::at(DEPTH).0);
    registers.set_raw(0x11d, BufferLoc::at(COLOUR).0);
    registers.set_raw(0x11e, dim.0);
    registers
}

fn word(memory: &dyn Memory, address: u32) -> u32 {
    crate::memory::read_word(memory, address)
}

#[test]
fn the_lowest_row_is_the_last_in_memory() {
    let memory = vram();
    let mut registers = registers(16, 16, 0, 3);
    let target = Target::new(&registers, &memory);
    target.set_colour(1, 0, [1, 2, 3, 4]);
    // Row 15: the second row of blocks, the last row of the block.
    assert_eq!(word(&memory, COLOUR + (128 + 42 + 1) * 4), 0x0102_0304);
    assert_eq!((target.colour(1, 0), target.colour(1, 15)), ([1, 2, 3, 4], [0; 4]));
    let dim = registers.framebuffer_dim().with_top_first(false);
    registers.set_raw(0x11e, dim.0);
    assert_eq!(Target::new(&registers, &memory).colour(1, 15), [1, 2, 3, 4]);
}

#[test]
fn blocks_of_32() {
    let memory = vram();
    let mut registers = registers(64, 32, 3, 0);
    registers.set_raw(0x11b, 1);
    let target = Target::new(&registers, &memory);
    target.set_colour(32 + 8, 31, [255; 4]);
    assert_eq!(word(&memory, COLOUR + (1024 + 64) * 2), 0xffff);
}

#[test]
fn colours_of_every_format_keep_to_their_pixel() {
    let stored = |code| {
        let memory = vram();
        let registers = registers(8, 8, code, 3);
        let target = Target::new(&registers, &memory);
        target.set_colour(2, 7, [0x88, 0x44, 0xcc, 0x11]);
        let touched = (COLOUR..COLOUR + 512).filter(|&a| memory.byte(a) != 0);
        // The pixel has number 4 in its block.
        let bytes = target.colour_format().bytes();
        assert!(touched.clone().all(|a| (a - COLOUR) / bytes == 4), "format {code}");
        (touched.count() > 0).then(|| target.colour(2, 7))
    };
    assert_eq!(stored(0), Some([0x88, 0x44, 0xcc, 0x11]));
    assert_eq!(stored(1), Some([0x88, 0x44, 0xcc, 255]));
    assert_eq!(stored(2), Some([140, 66, 206, 0]));
    assert_eq!(stored(3), Some([140, 69, 206, 255]));
    assert_eq!(stored(4), Some([0x88, 0x44, 0xcc, 0x11]));
    assert_eq!([5, 6, 7].map(stored), [None; 3]);
}

#[test]
fn depth_and_stencil_lie_side_by_side() {
    let memory = vram();
    let registers = registers(8, 8, 0, 3);
    let target = Target::new(&registers, &memory);
    assert_eq!((target.depth_bits(), target.has_stencil()), (24, true));
    target.set_stencil(1, 7, 0x99);
    target.set_depth(1, 7, 0xff12_3456);
    assert_eq!(word(&memory, DEPTH + 4), 0x9912_3456);
    target.set_stencil(1, 7, 0x55);
    assert_eq!((target.depth(1, 7), target.stencil(1, 7)), (0x12_3456, 0x55));
}

#[test]
fn depth_without_stencil() {
    for (code, bits, mask) in [(0, 16, 0xffff), (1, 16, 0xffff), (2, 24, 0xff_ffff)] {
        let memory = vram();
        let registers = registers(8, 8, 0, code);
        let target = Target::new(&registers, &memory);
        target.set_depth(0, 7, 0x99_aabb);
        target.set_depth(2, 7, 0x99_aabb);
        target.set_depth(1, 7, u32::MAX);
        target.set_stencil(1, 7, 7);
        let [left, right] = [0, 2].map(|x| target.depth(x, 7));
        assert_eq!((target.depth_bits(), target.depth(1, 7), target.stencil(1, 7)), (bits, mask, 0));
        assert_eq!((left, right), (0x99_aabb & mask, 0x99_aabb & mask));
    }
}

#[test]
fn shadow_cells_have_four_bytes_in_every_format() {
    let memory = vram();
    let mut registers = registers(8, 8, 3, 0);
    registers.set_raw(0x100, 3);
    let target = Target::new(&registers, &memory);
    target.set_shadow(1, 7, 0xff12_3456, 0x78);
    assert_eq!(word(&memory, COLOUR + 4), 0x7856_3412);
    assert_eq!((target.shadow(1, 7), target.shadow(2, 7)), ((0x12_3456, 0x78), (0, 0)));
    assert_eq!(target.ranges()[0], (COLOUR, 256));
}

#[test]
fn pixels_outside_do_not_exist() {
    let memory = vram();
    for width in [0, 8] {
        let registers = registers(width, 8, 0, 3);
        let target = Target::new(&registers, &memory);
        for (x, y) in [(width, 0), (0, 8), (u32::MAX, u32::MAX)] {
            target.set_colour(x, y, [255; 4]);
            target.set_depth(x, y, u32::MAX);
            target.set_stencil(x, y, 255);
            target.set_shadow(x, y, u32::MAX, 255);
            assert_eq!((target.colour(x, y), target.depth(x, y)), ([0; 4], 0));
            assert_eq!((target.stencil(x, y), target.shadow(x, y)), (0, (0, 0)));
        }
    }
    assert!((COLOUR..COLOUR + 0x2_0000).all(|a| memory.byte(a) == 0));
}

/// Only the first of four blocks is mapped, and half a pixel of the second.
#[test]
fn unmapped_pixels() {
    let memory = BlockMemory::zeroed(&[(COLOUR, 258)]);
    let registers = registers(16, 16, 0, 3);
    let target = Target::new(&registers, &memory);
    for y in 0..16 {
        for x in 0..16 {
            target.set_colour(x, y, [1, 2, 3, 4]);
            target.set_depth(x, y, 0xff_ffff);
            let expected = match (x, y) {
                (0..8, 8..) => [1, 2, 3, 4],
                (8, 15) => [0, 0, 3, 4],
                _ => [0; 4],
            };
            assert_eq!((target.colour(x, y), target.depth(x, y)), (expected, 0));
        }
    }
}

#[test]
fn disjoint_tiles() {
    let memory = vram();
    let disjoint = |edit: &dyn Fn(&mut Registers), width| {
        let mut registers = registers(width, 64, 0, 3);
        edit(&mut registers);
        Target::new(&registers, &memory).tiles_are_disjoint()
    };
    assert!(disjoint(&|_| (), 64) && !disjoint(&|_| (), 60));
    assert!(disjoint(&|r| r.set_raw(0x11b, 1), 64) && !disjoint(&|r| r.set_raw(0x11b, 1), 40));
    let same = |r: &mut Registers| r.set_raw(0x11c, BufferLoc::at(COLOUR + 0x3fc0).0);
    assert!(!disjoint(&same, 64));
    assert!(disjoint(&|r| r.set_raw(0x11c, BufferLoc::at(COLOUR + 0x4000).0), 64));
    let forbidden = |r: &mut Registers| {
        same(r);
        r.set_raw(0x114, 0);
        r.set_raw(0x115, 0);
    };
    assert!(disjoint(&forbidden, 64));
}

/// Memory that remembers what it is told.
struct Told(BlockMemory, Mutex<Vec<(u32, u32)>>);

impl Memory for Told {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.0.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.1.lock().unwrap().push((address, length));
    }
}

#[test]
fn only_buffers_that_may_be_written_are_told() {
    let told = |colour, depth| {
        let memory = Told(vram(), Mutex::default());
        let mut registers = registers(8, 8, 0, 3);
        registers.set_raw(0x113, colour);
        registers.set_raw(0x115, depth);
        Target::new(&registers, &memory).notify_written();
        memory.1.into_inner().unwrap()
    };
    assert_eq!(told(15, 3), [(COLOUR, 256), (DEPTH, 256)]);
    assert_eq!((told(15, 0), told(0, 1), told(0, 0)), (vec![(COLOUR, 256)], vec![(DEPTH, 256)], vec![]));
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn any_registers() {
    let memory = vram();
    let mut state = 1_u64;
    let mut random = move || crate::random::word(&mut state);
    for _ in 0..2000 {
        let mut registers = Registers::new();
        for id in [0x100, 0x112, 0x113, 0x116, 0x117, 0x11b, 0x11c, 0x11d, 0x11e] {
            registers.set_raw(id, random());
        }
        let target = Target::new(&registers, &memory);
        let (x, y) = (random() % 2048, random() % 1024);
        target.set_colour(x, y, target.colour(x, y));
        target.set_depth(x, y, target.depth(x, y));
        target.set_stencil(x, y, target.stencil(x, y));
        target.set_shadow(x, y, target.shadow(x, y).0, 0);
        let _ = (target.tiles_are_disjoint(), target.ranges());
    }
}

/// Address 0 means no buffer, also if a host maps memory there.
#[test]
fn buffers_at_address_0() {
    let memory = BlockMemory::zeroed(&[(0, 0x2000)]);
    write_bytes(&memory, 0, &0x1234_5678_u32.to_le_bytes());
    let mut registers = registers(8, 8, 0, 3);
    registers.set_raw(0x11c, 0);
    registers.set_raw(0x11d, 0);
    let target = Target::new(&registers, &memory);
    assert!(target.colour_bytes().is_none() && target.depth_bytes().is_none());
    assert_eq!((target.colour_pixel(0, 7), target.depth_pixel(0, 7)), ([0; 4], [0; 4]));
    target.set_colour_pixel(0, 7, [1; 4]);
    target.set_depth_pixel(0, 7, [1; 4]);
    assert_eq!(word(&memory, 0), 0x1234_5678);
}
