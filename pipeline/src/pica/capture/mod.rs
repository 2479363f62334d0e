//! Recordings of what a host made the PICA200 do, complete enough to do it again.
//!
//! A [`Capture`] is the state of the machine at its start and a list of [`Event`]s. Memory begins as zeros;
//! what the machine reads arrives in [`Event::Memory`] before the operation that reads it.
//!
//! * [`mod@format`] is the own file format: it loses nothing.
//! * [`ctf`] reads CiTrace recordings, and writes some for tests and tools.
//! * `record` is the recorder behind [`Pica::start_recording`](crate::pica::Pica::start_recording).
//! * [`replay`] plays a capture.
//!
//! A host records, and something else plays:
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
//! for (register, value) in [(0x45c, 2 << 16 | 4), (0x468, 0x1800_0000), (0x470, 1), (0x490, 12)] {
//!     pica.write_mmio(&mut engine, &memory, 0x1040_0000 + register, value)?;
//! }
//! pica.frame_end(&memory);
//! let file = pica.stop_recording().expect("a recording is under way").to_bytes();
//!
//! let capture = Capture::read(&file)?;
//! let mut player = Player::new(&capture)?;
//! while let Some(frame) = player.run_frame(&mut engine) {
//!     assert_eq!(frame.errors, []);
//!     let picture = player.pica().picture(player.memory(), Screen::Top).expect("the screen has a size");
//!     assert_eq!((picture.width, picture.height), (2, 4));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ctf;
pub mod format;
pub(crate) mod record;
pub mod replay;

use crate::capture::CaptureError;
use crate::pica::Snapshot;
use crate::pica::float::Precision;
use std::sync::Arc;

/// Something that happened to the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Memory changed without the machine's doing: these bytes are at this address from now on.
    Memory {
        /// Physical address of the first byte.
        address: u32,
        /// The bytes. Events with the same bytes may share them.
        bytes: Arc<[u8]>,
    },
    /// The CPU wrote a register of the P3D unit.
    Register {
        /// Register number.
        id: u16,
        /// The word.
        value: u32,
        /// Which of its bytes, as in a command header: four bits.
        mask: u8,
    },
    /// The CPU wrote a word to a physical address in 0x10400000-0x10401FFF or in the LCD block.
    Mmio {
        /// Physical address.
        address: u32,
        /// The word.
        value: u32,
    },
    /// A command list was run.
    List {
        /// Physical address.
        address: u32,
        /// Its size in bytes.
        size_bytes: u32,
    },
    /// The end of a frame: the displays show what the scan-out registers select.
    Frame,
}

/// Where a capture comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// The own recorder: every event is exact.
    #[default]
    Recorder,
    /// A CiTrace file, whose memory events may hold what RAM held beside a hardware renderer.
    CiTrace,
}

/// A recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Where it comes from.
    pub origin: Origin,
    /// How the recorded machine rounds.
    pub precision: Precision,
    /// The blocks of memory that the machine reaches: physical address and bytes, none overlapping.
    pub regions: Vec<(u32, u32)>,
    /// The state of the machine before the first event.
    pub initial: Snapshot,
    /// What happened, in order.
    pub events: Vec<Event>,
}

impl Capture {
    /// Reads a capture of either kind, recognised by its first bytes.
    ///
    /// # Errors
    /// [`CaptureError`] with the offset of what cannot be read.
    pub fn read(bytes: &[u8]) -> Result<Self, CaptureError> {
        if bytes.starts_with(ctf::MAGIC) { ctf::read(bytes) } else { format::read(bytes) }
    }

    /// The file in the own format.
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
