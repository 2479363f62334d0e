//! From a case to guest memory and a display list.

use super::{Case, words};
use crate::vector::bytes::{self, Words};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, Memory, read_bytes, write_bytes};

/// The display list.
pub const LIST: u32 = 0x0800_0000;
/// Vertices.
pub const VERTICES: u32 = 0x0804_0000;
/// Indices.
pub const INDICES: u32 = 0x080c_0000;
/// Main memory: address and bytes.
const RAM: (u32, u32) = (LIST, 4 << 20);
/// `BASE` for main memory.
const BASE: u32 = 0x0008_0000;
/// The unit matrix, row by row.
const IDENTITY: [u32; 12] = {
    let mut matrix = [0; 12];
    matrix[0] = ONE;
    matrix[4] = ONE;
    matrix[8] = ONE;
    matrix
};
/// 1.0.
const ONE: u32 = 0x3f_8000;

/// The state before the case's own: a buffer of 8888 with a stride of 512 pixels at the start of VRAM and a depth
/// buffer behind it, no scissor, all depths, unit matrices, and pointers to vertices and indices.
const PLAIN: [(&str, u32); 14] = [
    ("BASE", BASE),
    ("VADDR", VERTICES & 0xff_ffff),
    ("IADDR", INDICES & 0xff_ffff),
    ("REGION2", 0xf_ffff),
    ("WMS", 0),
    ("VMS", 0),
    ("PMS", 0),
    ("TMS", 0),
    ("FBW", 512),
    ("ZBP", 0x11_0000),
    ("ZBW", 512),
    ("PSM", 3),
    ("SCISSOR2", 0xf_ffff),
    ("FARZ", 0xffff),
];

/// A case, ready to run.
pub(super) struct Built {
    /// Guest memory.
    pub(super) memory: BlockMemory,
    /// Wiring of the mirrors of VRAM.
    pub(super) maps: AddressMaps,
}

impl Built {
    /// A byte at an address as the GE sees it.
    pub(super) fn byte(&self, address: u32) -> u8 {
        self.memory.byte(self.maps.resolve(address))
    }

    /// A word of the render target.
    pub(super) fn pixel(&self, x: u32, y: u32) -> u32 {
        u32::from_le_bytes(read_bytes(&self.memory, VRAM + (y * 512 + x) * 4))
    }
}

/// Memory with the list of a case.
///
/// # Errors
/// An error in the case.
pub(super) fn build(case: &Case) -> Result<Built, String> {
    let maps = match case.translation {
        Some(value) => AddressMaps::of(value).ok_or(format!("no translation value {value:#x}"))?,
        None => AddressMaps::default(),
    };
    let built = Built { memory: BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), RAM]), maps };
    for part in &case.memory {
        write(&built, part.at, &part.bytes()?);
    }
    for (address, text) in [(VERTICES, &case.vertices), (INDICES, &case.indices)] {
        write_bytes(&built.memory, address, &bytes::parse(text.as_deref().unwrap_or_default())?);
    }
    let list = list(case)?;
    write_bytes(&built.memory, LIST, &list.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
    Ok(built)
}

/// Bytes at an address as the GE sees it.
fn write(built: &Built, at: u32, bytes: &[u8]) {
    if at >= RAM.0 {
        return write_bytes(&built.memory, at, bytes);
    }
    for (address, &byte) in (at..).zip(bytes) {
        write_bytes(&built.memory, built.maps.resolve(address), &[byte]);
    }
}

/// Plain state, the case's state, its list, and the end.
fn list(case: &Case) -> Result<Vec<u32>, String> {
    let mut list = plain()?;
    let mut state = Vec::new();
    for (name, arguments) in &case.state {
        let arguments = match arguments {
            Words::One(argument) => std::slice::from_ref(argument),
            Words::Many(arguments) => arguments,
        };
        let command = words::command(name)?;
        for &argument in arguments {
            state.push(words::word(command, argument)?);
        }
    }
    // Stable: the arguments of one command stay in order.
    state.sort_by_key(|word| word >> 24);
    list.extend(state);
    list.extend(words::parse(case.list.as_deref().unwrap_or_default())?);
    list.extend(words::parse("FINISH END")?);
    Ok(list)
}

/// Matrices come first: the counters that follow are for the case's own.
fn plain() -> Result<Vec<u32>, String> {
    let mut list = Vec::new();
    for name in ["WORLD", "VIEW", "TMATRIX"] {
        let command = words::command(name)?;
        for argument in IDENTITY {
            list.push(words::word(command, argument)?);
        }
    }
    let projection = words::command("PROJ")?;
    for element in 0..16 {
        list.push(words::word(projection, if element % 5 == 0 { ONE } else { 0 })?);
    }
    for (name, argument) in PLAIN {
        list.push(words::word(words::command(name)?, argument)?);
    }
    Ok(list)
}
