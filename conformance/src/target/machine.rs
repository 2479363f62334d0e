//! What a host or a guest does to the machine by address, byte by byte, on every engine.

use crate::campaign::PRECISIONS;
use crate::generate::list;
use crate::lists::{self, Engines};
use crate::scene::kit::{FCRAM, VRAM};
use picaflor_pipeline::capture::Event;
use std::sync::Arc;

/// Bytes of an event: what it is, and two words.
const EVENT: usize = 9;
/// Events of one case.
const EVENTS: usize = 64;

/// The first byte says how many events there are; the events follow, then the memory they find. Every engine and
/// number of threads does the same, in both precisions.
///
/// # Panics
/// If one does not, or the machine panics.
pub fn mmio(bytes: &[u8], engines: &mut Engines) {
    let Some((&count, rest)) = bytes.split_first() else { return };
    let (events, memory) = rest.split_at(rest.len().min(usize::from(count) % EVENTS * EVENT));
    let memory: Arc<[u8]> = Arc::from(memory);
    let loads = [FCRAM, VRAM].map(|address| Event::Memory { address, bytes: Arc::clone(&memory) });
    let events = events.as_chunks::<EVENT>().0.iter().map(event);
    let case = list::capture(loads.into_iter().chain(events).collect());
    for precision in PRECISIONS {
        let failure = lists::check(&case, precision, engines).err();
        assert!(failure.is_none(), "{}", failure.map(|failure| failure.to_string()).unwrap_or_default());
    }
}

fn event(bytes: &[u8; EVENT]) -> Event {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let (first, second) = (word(1), word(5));
    match bytes[0] {
        0..96 => Event::Mmio { address: 0x1040_0000 | first & 0x1fff, value: second },
        96..112 => Event::Mmio { address: 0x1020_2000 | first & 0xfff, value: second },
        112..116 => Event::Mmio { address: first, value: second },
        116..212 => {
            Event::Register { id: (first & 0x3ff) as u16, value: second, mask: (first >> 16) as u8 & 15 }
        }
        212..220 => Event::Register { id: first as u16, value: second, mask: (first >> 16) as u8 & 15 },
        220..250 => Event::List { address: FCRAM + (first & 0xff0), size_bytes: second & 0xffff },
        250..254 => Event::List { address: first, size_bytes: second },
        254.. => Event::Frame,
    }
}
