//! Recordings of the operations that a host performs on the PICA200, complete enough for a replay.
//!
//! A [`Capture`] is the initial state of the machine and a list of [`Event`]s. Memory begins as zeros; data that the
//! machine reads arrives in [`Event::Memory`] before the operation that reads it.
//!
//! * [`mod@format`] is the project's file format; it is lossless.
//! * [`ctf`] reads CiTrace recordings, and writes them for tests and tools.
//! * `record` is the recorder behind [`Pica::start_recording`](crate::pica::Pica::start_recording).
//! * [`replay`] plays a capture.
//!
//! Recording by a host, and replay:
//!
//! ```
//! use picaflor_pipeline::pica::capture::{Capture, replay::Player};
//! use picaflor_pipeline::memory::BlockMemory;
//! use picaflor_pipeline::pica::{Pica, display::Screen, float::Precision};
//! use picaflor_pipeline::pica::stage::NoEngines;
//!
//! const REGIONS: [(u32, u32); 1] = [(0x1800_0000, 6 << 20)];
//! let (memory, mut engine) = (BlockMemory::zeroed(&REGIONS), NoEngines);
//! let mut pica = Pica::new(Precision::Console);
//! pica.start_recording(&memory, &REGIONS)?;
//! for (register, value) in [(0x45c, 2 << 16 | 4), (0x468, 0x1800_0000), (0x470, 1), (0x490, 16)] {
//!     pica.write_mmio(&mut engine, &memory, 0x1040_0000 + register, value)?;
//! }
//! pica.frame_end(&memory);
//! let file = pica.stop_recording().expect("a recording is under way").to_bytes();
//!
//! let capture = Capture::read(&file)?;
//! let mut player = Player::new(&capture)?;
//! while let Some(frame) = player.run_frame(&mut engine) {
//!     assert_eq!(frame.errors, []);
//!     assert_eq!(player.pica().external().word(0x468), 0x1800_0000);
//!     // An engine makes the picture; this one makes none.
//!     assert!(player.pica().picture(&mut engine, player.memory(), Screen::Top).is_none());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ctf;
pub mod format;
pub(crate) mod record;
pub mod replay;

use crate::capture::CaptureError;
use crate::pica::display::Screen;
use crate::pica::float::Precision;
use crate::pica::{Field, Snapshot};
use std::sync::Arc;

/// An event of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A change of memory from outside of the machine: from now on the bytes are at this address.
    Memory {
        /// Physical address of the first byte.
        address: u32,
        /// The bytes. Events with the same bytes may share them.
        bytes: Arc<[u8]>,
    },
    /// A write of the CPU to a register of the P3D unit.
    Register {
        /// Register number.
        id: u16,
        /// The word.
        value: u32,
        /// Mask of its bytes, as in a command header: four bits.
        mask: u8,
    },
    /// A write of the CPU to a physical address in 0x10400000-0x10401FFF or in the LCD block.
    Mmio {
        /// Physical address.
        address: u32,
        /// The word.
        value: u32,
    },
    /// A run of a command list.
    List {
        /// Physical address.
        address: u32,
        /// Its size in bytes.
        size_bytes: u32,
    },
    /// A vertical blank, announced by the host.
    VBlank {
        /// The screen; the upper one as [`Screen::Top`].
        screen: Screen,
    },
    /// A change of the state by the host: words of a [field](crate::pica::Pica::write_field), from `first` on.
    Field {
        /// The field.
        field: Field,
        /// The first word that is replaced.
        first: u32,
        /// The new words.
        words: Arc<[u32]>,
    },
    /// The end of a frame: the displays show what the scan-out registers select.
    Frame,
}

/// Origin of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// The project's recorder: every event is exact.
    #[default]
    Recorder,
    /// A CiTrace file. Its memory events can be stale: they hold RAM, which a hardware renderer did not update.
    CiTrace,
}

/// A recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Origin.
    pub origin: Origin,
    /// Rounding of the recorded machine.
    pub precision: Precision,
    /// The memory blocks that the machine can access: physical address and bytes, none overlapping.
    pub regions: Vec<(u32, u32)>,
    /// The state of the machine before the first event.
    pub initial: Snapshot,
    /// The events, in order.
    pub events: Vec<Event>,
}

impl Capture {
    /// Reads a capture of either kind, detected by its first bytes.
    ///
    /// # Errors
    /// [`CaptureError`] with the offset of the unreadable part.
    pub fn read(bytes: &[u8]) -> Result<Self, CaptureError> {
        if bytes.starts_with(ctf::MAGIC) { ctf::read(bytes) } else { format::read(bytes) }
    }

    /// The file in the project's format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        format::write(self)
    }

    /// Number of frames that end in this capture.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Frame)).count()
    }
}
