//! Points of a replay, and the surfaces that are compared there.

use crate::machine::Machine;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use std::fmt;

/// Bytes of memory that are compared at once, at the end.
const CHUNK: usize = 1 << 20;

/// The event before a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    /// A draw.
    Draw,
    /// A fill by a unit.
    Fill(u8),
    /// A transfer.
    Transfer,
    /// A list stopped.
    List,
    /// The end of a frame.
    Frame,
    /// The end of the capture.
    End,
}

/// The place of an event in a capture; all numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Frame.
    pub frame: usize,
    /// Event.
    pub event: usize,
    /// Number of draws before; 0 where draws are not counted.
    pub draw: u64,
    /// The event.
    pub moment: Moment,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frame, event, draw, moment } = self;
        match moment {
            Moment::Draw => write!(f, "frame {frame}, draw {draw} (event {event})"),
            Moment::Fill(unit) => write!(f, "frame {frame}, fill by unit {unit} (event {event})"),
            Moment::Transfer => write!(f, "frame {frame}, transfer (event {event})"),
            Moment::List => write!(f, "frame {frame}, event {event}"),
            Moment::Frame => write!(f, "end of frame {frame}"),
            Moment::End => write!(f, "end of the capture"),
        }
    }
}

/// Bytes to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface<R> {
    /// The role of the bytes.
    pub role: R,
    /// Address of the first byte, if the surface has one.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl<R: Copy> Surface<R> {
    pub(crate) fn of_text(role: R, text: String) -> Self {
        Self { role, address: 0, bytes: text.into_bytes() }
    }

    pub(crate) fn of_words(role: R, words: &[u32]) -> Self {
        Self { role, address: 0, bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect() }
    }

    /// All memory, in pieces.
    pub(crate) fn of_memory(role: R, memory: &BlockMemory) -> impl Iterator<Item = Self> {
        memory.blocks().iter().flat_map(move |block| {
            let length = block.as_slice().len();
            (0..length).step_by(CHUNK).map(move |start| Self {
                role,
                address: block.base() + start as u32,
                bytes: block.as_slice().slice(start, (length - start).min(CHUNK)).to_vec(),
            })
        })
    }
}

/// The data of one point.
#[derive(Debug, Clone)]
pub struct Point<M: Machine> {
    /// Its place.
    pub place: Place,
    /// The state of the machine; it gives the layout of the surfaces.
    pub state: M::State,
    /// Counters so far.
    pub stats: M::Stats,
    /// The surfaces to compare.
    pub surfaces: Vec<Surface<M::Role>>,
}

impl<M: Machine> Point<M> {
    /// Copies the surfaces that lie in guest memory to another machine's memory.
    pub(super) fn copy_to(&self, memory: &dyn Memory) {
        let in_memory = self.surfaces.iter().filter(|surface| M::is_in_memory(surface.role));
        in_memory.for_each(|surface| write_bytes(memory, surface.address, &surface.bytes));
    }
}
