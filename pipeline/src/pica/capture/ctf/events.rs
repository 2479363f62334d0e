//! Conversion of the elements of a CiTrace stream to the events of a capture.

use super::{CiTrace, Element};
use crate::pica::capture::Event;
use std::collections::HashMap;

/// Memory blocks of every console: VRAM and FCRAM.
const ALWAYS: [(u32, u32); 2] = [(0x1800_0000, 6 << 20), (0x2000_0000, 128 << 20)];
/// Memory blocks mapped only if a recording loads data there: memory of the New 3DS, of the DSP, AXI WRAM.
const WHERE_USED: [(u32, u32); 4] =
    [(0x1f00_0000, 4 << 20), (0x1ff0_0000, 512 << 10), (0x1ff8_0000, 512 << 10), (0x2800_0000, 128 << 20)];

/// First address of the external registers, and of the P3D registers.
const EXTERNAL: u32 = 0x1040_0000;
const P3D: u32 = 0x1040_1000;
const P3D_END: u32 = 0x1040_2000;
const LCD: u32 = 0x1020_2000;

/// P3D registers that start a list through channel 0.
const LIST_SIZE: u16 = 0x238;
const LIST_ADDRESS: u16 = 0x23a;
const LIST_START: u16 = 0x23c;

/// Control words whose bit 0 starts a fill or the transfer engine. They are recorded as written.
const FILL_0: u32 = 0x1040_001c;
const FILL_1: u32 = 0x1040_002c;
const TRANSFER: u32 = 0x1040_0c18;

/// The memory blocks that a recording needs.
pub(super) fn regions(trace: &CiTrace) -> Vec<(u32, u32)> {
    let loads = |&(base, length): &(u32, u32)| {
        let end = u64::from(base) + u64::from(length);
        trace.elements.iter().any(|element| match element {
            Element::Load { address, bytes } => {
                u64::from(*address) < end && u64::from(*address) + bytes.len() as u64 > u64::from(base)
            }
            _ => false,
        })
    };
    let mut regions: Vec<_> = WHERE_USED.into_iter().filter(loads).chain(ALWAYS).collect();
    regions.sort_unstable();
    regions
}

/// The events of a recording.
pub(super) fn events(trace: &CiTrace) -> Vec<Event> {
    let mut translator = Translator::new(trace);
    trace.elements.iter().for_each(|element| translator.element(element));
    translator.events
}

struct Translator {
    events: Vec<Event>,
    /// Last written words of registers outside the P3D unit, for narrow writes.
    words: HashMap<u32, u32>,
    /// Size of the latest load from each address.
    loads: HashMap<u32, u32>,
    /// Values of the registers of channel 0: usually the size in bytes, and the address shifted by 3.
    list_size: u32,
    list_address: u32,
}

impl Translator {
    fn new(trace: &CiTrace) -> Self {
        let gpu = &trace.tables.gpu_registers;
        let p3d = |id: u16| gpu.get(0x400 + usize::from(id)).copied().unwrap_or(0);
        let external = initial_words(trace);
        Self {
            events: Vec::with_capacity(trace.elements.len()),
            words: external.collect(),
            loads: HashMap::new(),
            list_size: p3d(LIST_SIZE),
            list_address: p3d(LIST_ADDRESS),
        }
    }

    fn element(&mut self, element: &Element) {
        match *element {
            Element::Frame => self.events.push(Event::Frame),
            Element::Load { address, ref bytes } => {
                self.loads.insert(address, bytes.len() as u32);
                self.events.push(Event::Memory { address, bytes: bytes.clone() });
            }
            Element::Write { address, width_bytes, value } => self.write(address, width_bytes, value),
        }
    }

    /// Converts a write of any width, word by word from the lowest.
    fn write(&mut self, address: u32, width_bytes: u8, value: u64) {
        let misaligned = u32::from(address as u8 & 3);
        let wide = u128::from(value) << (8 * misaligned);
        let bytes = ((1_u32 << width_bytes.min(8)) - 1) << misaligned;
        for i in 0..3 {
            let mask = (bytes >> (4 * i) & 15) as u8;
            if mask != 0 {
                let word = (address & !3).wrapping_add(4 * i);
                self.write_word(word, (wide >> (32 * i)) as u32, mask);
            }
        }
    }

    fn write_word(&mut self, address: u32, value: u32, mask: u8) {
        if (P3D..P3D_END).contains(&address) {
            return self.write_p3d(((address - P3D) / 4) as u16, value, mask);
        }
        let word = self.words.entry(address).or_insert(0);
        let value = merge(*word, value, mask);
        *word = idle(address, value);
        self.events.push(Event::Mmio { address, value });
    }

    /// The registers of channel 0 are held back until the list starts, because their size has another unit than the
    /// machine's.
    fn write_p3d(&mut self, id: u16, value: u32, mask: u8) {
        match id {
            LIST_SIZE => self.list_size = merge(self.list_size, value, mask),
            LIST_ADDRESS => self.list_address = merge(self.list_address, value, mask),
            LIST_START if mask & 1 != 0 && value & 1 != 0 => self.start_list(),
            LIST_START => {}
            id => self.events.push(Event::Register { id, value, mask }),
        }
    }

    /// The recorder loads a list just before its start, from its address and with its true size.
    fn start_list(&mut self) {
        let address = self.list_address << 3;
        let size_bytes = self.loads.get(&address).copied().unwrap_or(self.list_size);
        let register = |id, value| Event::Register { id, value, mask: 15 };
        self.events.push(register(LIST_SIZE, size_bytes >> 3));
        self.events.push(register(LIST_ADDRESS, self.list_address));
        self.events.push(Event::List { address, size_bytes });
    }
}

/// Addresses and words of the registers outside the P3D unit before the first element, with everything idle.
pub(super) fn initial_words(trace: &CiTrace) -> impl Iterator<Item = (u32, u32)> {
    let external = (EXTERNAL..P3D).step_by(4).zip(&trace.tables.gpu_registers);
    let lcd = (LCD..).step_by(4).zip(&trace.tables.lcd_registers);
    external.chain(lcd).map(|(address, &word)| (address, idle(address, word)))
}

/// A word after a write to the bytes in `mask`.
const fn merge(word: u32, value: u32, mask: u8) -> u32 {
    let mask = crate::pica::regs::expand_mask(mask);
    word & !mask | value & mask
}

/// A word after completion of an operation that it may have started.
const fn idle(address: u32, word: u32) -> u32 {
    match address {
        FILL_0 | FILL_1 | TRANSFER => word & !1,
        _ => word,
    }
}
