//! Recordings of the GE: its initial state and a list of [`Event`]s.
//!
//! Memory begins as zeros; what the machine reads arrives in [`Event::Memory`] before the run that reads it.
//!
//! * [`mod@format`] is the own file format, [`replay`] plays a capture.
//! * `record` is the recorder behind [`Ge::start_recording`](crate::ge::Ge::start_recording).

pub mod format;
#[cfg(feature = "ppdmp")]
pub mod ppdmp;
pub(crate) mod record;
pub mod replay;

use crate::ge::Snapshot;
use crate::ge::display_list::DisplayList;
use std::sync::Arc;

/// A buffer that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    /// Address of the first pixel.
    pub address: u32,
    /// Pixels from row to row.
    pub stride: u32,
    /// Format, as the register PSM has it.
    pub format: u8,
}

/// Something that happened to the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Memory changed without the machine's doing: these bytes are at this address from now on.
    Memory {
        /// Address of the first byte, mirrors resolved.
        address: u32,
        /// The bytes. Events with the same bytes may share them.
        bytes: Arc<[u8]>,
    },
    /// A display list, as it was then, ran until it stopped.
    Run(DisplayList),
    /// Words that are in no list were [executed](crate::ge::Ge::execute).
    Execute(Arc<[u32]>),
    /// The machine's state changed without a list's doing: it is this from now on. A context block was restored, say.
    State(Snapshot),
    /// The end of a frame: this buffer is shown.
    Display(Display),
}

/// A recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// The blocks of memory that the machine reaches: address and bytes, none overlapping.
    pub regions: Vec<(u32, u32)>,
    /// The state of the machine before the first event.
    pub initial: Snapshot,
    /// What happened, in order.
    pub events: Vec<Event>,
}

impl Capture {
    /// Number of frames that end in this capture.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Display(_))).count()
    }
}
