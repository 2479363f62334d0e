use super::*;
use crate::guest_slice::GuestSlice;
use crate::memory::BlockMemory;
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

/// Bit 24 of 0x11E: rows in memory from the top of the window or from its bottom.
#[test]
fn direction_of_rows() {
    let memory = vram();
    let mut registers = registers(8, 16, 0, 0);
    for (dim, top_first) in [(1 << 24, true), (0, false)] {
        registers.set_raw(0x11e, dim | 15 << 12 | 8);
        let target = Target::new(&registers, &memory);
        assert_eq!((target.top_first(), target.width(), target.height()), (top_first, 8, 16));
    }
}

#[test]
fn lengths_of_the_buffers() {
    let lengths = |colour, depth| {
        let memory = vram();
        let registers = registers(8, 16, colour, depth);
        Target::new(&registers, &memory).ranges()
    };
    for (code, bytes) in [(0, 4), (1, 3), (2, 2), (3, 2), (4, 2), (5, 4), (6, 4), (7, 4)] {
        assert_eq!(lengths(code, 3)[0], (COLOUR, 128 * bytes), "format {code}");
    }
    for (code, bytes) in [(0, 2), (1, 2), (2, 3), (3, 4)] {
        assert_eq!(lengths(0, code)[1], (DEPTH, 128 * bytes), "format {code}");
    }
}

#[test]
fn shadow_cells_have_four_bytes_in_every_format() {
    let memory = vram();
    let mut registers = registers(8, 8, 3, 0);
    registers.set_raw(0x100, 3);
    assert_eq!(Target::new(&registers, &memory).ranges()[0], (COLOUR, 256));
}

/// The slice is there only if all of it is; a target without pixels needs no bytes.
#[test]
fn bytes_of_the_buffers() {
    let memory = BlockMemory::zeroed(&[(COLOUR, 258)]);
    let bytes = |width, height| {
        let registers = registers(width, height, 0, 3);
        let target = Target::new(&registers, &memory);
        [target.colour_bytes(), target.depth_bytes()].map(|bytes| bytes.map(|bytes| bytes.len()))
    };
    assert_eq!((bytes(8, 8), bytes(16, 8)), ([Some(256), None], [None, None]));
    assert_eq!(bytes(0, 8), [Some(0), Some(0)]);
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
        let _ = (target.tiles_are_disjoint(), target.ranges(), target.colour_bytes(), target.depth_bytes());
    }
}

/// Address 0 means no buffer, also if a host maps memory there.
#[test]
fn buffers_at_address_0() {
    let memory = BlockMemory::zeroed(&[(0, 0x2000)]);
    let mut registers = registers(8, 8, 0, 3);
    registers.set_raw(0x11c, 0);
    registers.set_raw(0x11d, 0);
    let target = Target::new(&registers, &memory);
    assert!(target.colour_bytes().is_none() && target.depth_bytes().is_none());
}
