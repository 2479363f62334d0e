//! Recordings of the input of a machine, complete enough for a replay.
//!
//! A host records with `start_recording` and `stop_recording` of a machine and writes the bytes of the capture to a
//! file. The command line replays it: `picaflor render`, `diff`, `info`, `bench`.

pub use picaflor_pipeline::capture::replay::Mark;
pub use picaflor_pipeline::capture::{CaptureError, Problem};

/// Recordings of the PICA200, and CiTrace files.
pub mod pica {
    pub use picaflor_pipeline::pica::capture::replay::{FrameReport, Outcome, Player, StepReport};
    pub use picaflor_pipeline::pica::capture::{Capture, Event, Origin};
}

/// Recordings of the GE. [`format`](ge::format) reads and writes their files.
pub mod ge {
    pub use picaflor_pipeline::ge::capture::format;
    #[cfg(feature = "ppdmp")]
    pub use picaflor_pipeline::ge::capture::ppdmp;
    pub use picaflor_pipeline::ge::capture::replay::{FrameReport, Outcome, Player, StepReport};
    pub use picaflor_pipeline::ge::capture::{Capture, Display, Event};
}
