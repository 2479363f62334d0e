//! Recordings of the GE: its initial state and a list of [`Event`]s.
//!
//! Memory begins as zeros; data that the machine reads arrives in [`Event::Memory`] before the run that reads it.
//!
//! * [`mod@format`] is the file format, [`replay`] plays a capture.
//! * `record` is the recorder behind [`Ge::start_recording`](crate::ge::Ge::start_recording).

pub mod format;
#[cfg(feature = "ppdmp")]
pub mod ppdmp;
pub(crate) mod record;
pub mod replay;

use crate::ge::Snapshot;
use crate::ge::display_list::DisplayList;
use std::sync::Arc;

/// A displayed buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    /// Address of the first pixel.
    pub address: u32,
    /// Pixels from row to row.
    pub stride: u32,
    /// Format, encoded as in the register PSM.
    pub format: u8,
}

/// An event of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A change of memory from outside of the machine: from now on the bytes are at this address.
    Memory {
        /// Address of the first byte, mirrors resolved.
        address: u32,
        /// The bytes. Events with the same bytes may share them.
        bytes: Arc<[u8]>,
    },
    /// A run of a display list until it stopped; the list is in its state before the run.
    Run(DisplayList),
    /// [Execution](crate::ge::Ge::execute) of words outside of a list.
    Execute(Arc<[u32]>),
    /// A change of the machine's state from outside of a list, for example a restored context block: the complete new
    /// state.
    State(Snapshot),
    /// The end of a frame, with the displayed buffer.
    Display(Display),
}

/// A recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// The blocks of memory that the machine can access: address and bytes, none overlapping.
    pub regions: Vec<(u32, u32)>,
    /// The state of the machine before the first event.
    pub initial: Snapshot,
    /// The events, in order.
    pub events: Vec<Event>,
}

impl Capture {
    /// Number of frames that end in this capture.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Display(_))).count()
    }
}
