//! Bytes of single pixels, by hand from pica-geometry.md 6.6 and 6.8 and pica-fragment.md 7.1.

use super::*;
use picaflor_pipeline::memory::{FlatMemory, write_bytes};

const BASE: u32 = 0x1800_0000;
/// Offset of the depth buffer.
const DEPTH: u32 = 0x400;

/// Registers of a target of 16x16 pixels.
fn registers(words: &[(u16, u32)]) -> Registers {
    let mut registers = Registers::new();
    let all = [(0x11c, (BASE + DEPTH) >> 3), (0x11d, BASE >> 3), (0x11e, 15 << 12 | 16)];
    for &(id, word) in all.iter().chain(words) {
        registers.set_raw(id, word);
    }
    registers
}

fn memory() -> FlatMemory {
    FlatMemory::new(BASE, vec![0; 0x1000])
}

/// Offsets of the bytes that are not zero, with the bytes.
fn written(memory: &FlatMemory) -> Vec<(usize, u8)> {
    memory.as_slice().to_vec().into_iter().enumerate().filter(|&(_, byte)| byte != 0).collect()
}

#[test]
fn rows_from_the_bottom_and_from_the_top() {
    // Pixel (9, 2) is in the second block of the first row of blocks, or of the second row of blocks: 64 + 9, or
    // 128 + 64 + 35 (column 1, row 5).
    for (top_first, index) in [(0, 64 + 9), (1, 128 + 64 + 35)] {
        let (registers, memory) = (registers(&[(0x11e, top_first << 24 | 15 << 12 | 16)]), memory());
        Surface::new(&registers, &memory).set_colour(9, 2, [4, 3, 2, 1]);
        let at = index * 4;
        assert_eq!(written(&memory), [(at, 1), (at + 1, 2), (at + 2, 3), (at + 3, 4)]);
    }
}

#[test]
fn large_blocks() {
    let dim = 31 << 12 | 32;
    let (registers, memory) = (registers(&[(0x11e, dim), (0x11b, 1), (0x117, 3 << 16)]), memory());
    // Column 8, row 16: bit 6 and bit 9.
    Surface::new(&registers, &memory).set_colour(8, 16, [255, 0, 8, 0]);
    assert_eq!(written(&memory), [(0x480, 0x01), (0x481, 0xf8)]);
}

/// 40x40 pixels: the blocks at the edge begin where the formula has them, inside of others.
#[test]
fn large_blocks_at_the_edge() {
    let dim = 39 << 12 | 40;
    let (registers, memory) = (registers(&[(0x11e, dim), (0x11b, 1), (0x117, 3 << 16)]), memory());
    let surface = Surface::new(&registers, &memory);
    // Column 36: 1024 pixels before the second block, bit 4. Row 33: 32 rows of 40 pixels, bits 1 and 4.
    surface.set_colour(36, 0, [0, 0, 8, 0]);
    surface.set_colour(4, 33, [0, 0, 16, 0]);
    assert_eq!(written(&memory), [(2 * (1024 + 16), 1), (2 * (1280 + 18), 2)]);
}

#[test]
fn colours() {
    let (registers, memory) = (registers(&[(0x117, 1 << 16)]), memory());
    write_bytes(&memory, BASE + 3, &[1, 2, 3]);
    let surface = Surface::new(&registers, &memory);
    assert_eq!((surface.colour(1, 0), surface.colour(0, 1)), ([3, 2, 1, 255], [0, 0, 0, 255]));
}

#[test]
fn unknown_colour_formats() {
    let (registers, memory) = (registers(&[(0x117, 6 << 16)]), memory());
    let surface = Surface::new(&registers, &memory);
    surface.set_colour(0, 0, [255; 4]);
    assert_eq!(written(&memory), []);
    surface.set_shadow(1, 0, 0x01_0203, 4);
    assert_eq!(written(&memory), [(4, 1), (5, 2), (6, 3), (7, 4)]);
    assert_eq!(surface.shadow(1, 0), (0x01_0203, 4));
}

#[test]
fn depth_formats() {
    // Pixel (0, 1) has index 2.
    let of = |format| {
        let (registers, memory) = (registers(&[(0x116, format)]), memory());
        let surface = Surface::new(&registers, &memory);
        surface.set_depth(0, 1, 0x0a_0b0c);
        surface.set_stencil(0, 1, 7);
        (written(&memory), surface.depth(0, 1), surface.stencil(0, 1))
    };
    let at = |offset: usize| 0x400 + offset;
    for format in [0, 1] {
        assert_eq!(of(format), (vec![(at(4), 0x0c), (at(5), 0x0b)], 0x0b0c, 0));
    }
    assert_eq!(of(2), (vec![(at(6), 0x0c), (at(7), 0x0b), (at(8), 0x0a)], 0x0a_0b0c, 0));
    let packed = vec![(at(8), 0x0c), (at(9), 0x0b), (at(10), 0x0a), (at(11), 7)];
    assert_eq!(of(3), (packed, 0x0a_0b0c, 7));
}

#[test]
fn what_is_not_there() {
    let memory = FlatMemory::new(0, vec![9; 0x1000]);
    let nowhere = registers(&[(0x11c, 0x0800_0000), (0x11d, 7)]);
    let surface = Surface::new(&nowhere, &memory);
    // 0x11D = 7 has no address bits above the lowest three: address 0.
    surface.set_colour(0, 0, [1; 4]);
    surface.set_depth(0, 0, 1);
    assert_eq!((surface.colour(0, 0), surface.depth(0, 0)), ([0; 4], 0));
    let here = registers(&[(0x11d, 0x100 >> 3)]);
    let surface = Surface::new(&here, &memory);
    surface.set_colour(16, 0, [1; 4]);
    surface.set_colour(0, 16, [1; 4]);
    assert_eq!((surface.colour(16, 0), surface.colour(0, 0)), ([0; 4], [9; 4]));
    assert!(memory.as_slice().to_vec().iter().all(|&byte| byte == 9));
}

#[test]
fn blocks_in_the_order_of_memory() {
    let rect = |x0, y0, x1, y1| Rect { x0, y0, x1, y1 };
    let memory = memory();
    let parts = |top_first: u32, height: u32, area| {
        let registers = registers(&[(0x11e, top_first << 24 | (height - 1) << 12 | 16)]);
        Surface::new(&registers, &memory).blocks(area)
    };
    let area = rect(6, 7, 12, 17);
    let upward = [rect(6, 7, 8, 8), rect(8, 7, 12, 8), rect(6, 8, 8, 12), rect(8, 8, 12, 12)];
    assert_eq!(parts(0, 12, area), upward);
    // The first row in memory is row 11 of the window: rows 4 to 11 are the first row of blocks.
    assert_eq!(
        parts(1, 12, rect(6, 2, 12, 17)),
        [rect(6, 4, 8, 12), rect(8, 4, 12, 12), rect(6, 2, 8, 4), rect(8, 2, 12, 4)]
    );
    assert_eq!(parts(1, 12, rect(3, 5, 3, 9)), []);
}
