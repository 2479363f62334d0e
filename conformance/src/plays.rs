//! The trait [`Plays`]: a console's GPU that plays captures on an engine. Inspection needs no more of a machine, also
//! where no compiled code can run.

use crate::image::Image;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::BlockMemory;
use std::fmt;

/// Rounding of shader arithmetic, on machines with a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Precision {
    /// Shaders round to 16 bits of mantissa, as the console does
    Console,
    /// Shaders round to binary32
    Binary32,
}

impl Precision {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Binary32 => "binary32",
        }
    }
}

/// The eye that looks at a screen, on machines with a picture for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Eye {
    /// The left eye
    #[default]
    Left,
    /// The right eye; it sees the picture of the left one unless the machine shows one of its own
    Right,
    /// The pictures of both eyes, side by side
    Both,
}

/// Options for reading a capture.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// Replaces the precision of the capture.
    pub precision: Option<Precision>,
    /// Keeps lists that were recorded in pieces as pieces. Where draws do not overlap, pieces locate a difference
    /// more precisely.
    pub in_pieces: bool,
}

/// A scene of the project's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SceneName {
    /// Short name.
    pub name: &'static str,
    /// The content of the picture, in a sentence.
    pub about: &'static str,
}

/// Counters of a machine that draws.
pub trait Counters: Copy + Default + fmt::Debug + PartialEq + Send {
    /// Draws, vertices, primitives and fragments.
    fn counts(&self) -> [u64; 4];
}

/// An event that was played.
#[derive(Debug)]
pub struct Stepped<'c, M: Plays> {
    /// Its position among the events.
    pub index: usize,
    /// The event.
    pub event: &'c M::Event,
    /// The outcome of the event.
    pub outcome: M::Outcome,
    /// True if the event was not the machine's, but completed draws of runs before it.
    pub has_waited: bool,
}

/// A depth buffer, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Depth {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bits of a value, 16 or 24.
    pub bits: u32,
    /// The values.
    pub values: Vec<u32>,
}

impl Depth {
    /// Smallest and largest value.
    #[must_use]
    pub fn range(&self) -> (u32, u32) {
        let bounds = self.values.iter().fold((u32::MAX, 0), |(low, high), &v| (low.min(v), high.max(v)));
        if self.values.is_empty() { (0, 0) } else { bounds }
    }

    /// The values as grey, [`range`](Self::range) stretched from black to white.
    #[must_use]
    pub fn grey(&self) -> Vec<u16> {
        let (low, high) = self.range();
        let span = u64::from((high - low).max(1));
        self.values.iter().map(|&value| (u64::from(value - low) * 0xffff / span) as u16).collect()
    }
}

/// A machine that plays its captures, as a marker type.
pub trait Plays: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// Its display name, with its console.
    const TITLE: &'static str;
    /// Prefix of the names of its scenes; empty for one machine.
    const PREFIX: &'static str;

    /// A capture.
    type Capture: Clone + PartialEq + fmt::Debug + Send + Sync;
    /// An event of a capture.
    type Event: fmt::Debug;
    /// The outcome of an event.
    type Outcome: Copy + fmt::Debug;
    /// A machine that plays a capture, with memory of its own.
    type Player<'c>;
    /// The stages behind the machine's seams.
    type Stages<'s>: ?Sized + 's;
    /// An engine that draws; where compiled code cannot run, the interpreter.
    type Engine: Send;
    /// Its counters.
    type Stats: Counters;
    /// A point of a replay between two events, without memory.
    type Mark: Clone + fmt::Debug + Send;

    /// True if the first bytes of a file are those of a capture of this machine.
    fn recognises(first: &[u8]) -> bool;

    /// The capture of a file.
    ///
    /// # Errors
    /// The file is no capture of this machine, or damaged.
    fn read(file: &[u8], how: Reading) -> Result<Self::Capture, CaptureError>;

    /// The scene of a name.
    fn scene(name: &str, how: Reading) -> Option<Self::Capture>;

    /// The events of a capture, in order.
    fn events(capture: &Self::Capture) -> &[Self::Event];

    /// True if a frame ends with the event.
    fn ends_frame(event: &Self::Event) -> bool;

    /// The file of a capture, in the own format.
    fn write(capture: &Self::Capture) -> Vec<u8>;

    /// The interpreter, as an engine.
    fn interpreter() -> Self::Engine;

    /// The stages of an engine.
    fn stages(engine: &mut Self::Engine) -> &mut Self::Stages<'_>;

    /// A machine that begins with a capture.
    ///
    /// # Errors
    /// The capture is not sound.
    fn player(capture: &Self::Capture) -> Result<Self::Player<'_>, CaptureError>;

    /// The point that is reached.
    fn mark(player: &Self::Player<'_>) -> Self::Mark;

    /// A machine that goes on from a point of the same capture, with zeroed memory.
    ///
    /// # Errors
    /// The capture is not sound.
    fn resume<'c>(capture: &'c Self::Capture, mark: &Self::Mark) -> Result<Self::Player<'c>, CaptureError>;

    /// Plays the next event; `None` after the last.
    fn step<'c>(player: &mut Self::Player<'c>, stages: &mut Self::Stages<'_>) -> Option<Stepped<'c, Self>>;

    /// Plays the next frame as a host does that keeps the machine at work; `done` is called after each event, with the counters.
    /// False after the last.
    fn watch_frame<'c>(
        player: &mut Self::Player<'c>,
        stages: &mut Self::Stages<'_>,
        done: &mut dyn FnMut(Stepped<'c, Self>, Self::Stats),
    ) -> bool;

    /// The reason for which a list was given up, if it was.
    fn given_up(outcome: Self::Outcome) -> Option<String>;

    /// True if a list was given up because the system had no memory: what it left behind is no result.
    fn lacked_memory(outcome: Self::Outcome) -> bool;

    /// The memory of a machine.
    fn memory<'p>(player: &'p Self::Player<'_>) -> &'p BlockMemory;

    /// Its counters.
    fn stats(player: &Self::Player<'_>) -> Self::Stats;

    /// Faults of the guest.
    fn faults<'p>(player: &'p Self::Player<'_>) -> &'p FaultList;

    /// The picture on the screens for the left eye, read by an engine; `None` if no screen is in use.
    fn picture(player: &Self::Player<'_>, stages: &mut Self::Stages<'_>) -> Option<Image>;
}

/// Number of frames of a capture; events after the end of the last frame count as one more.
#[must_use]
pub fn frames<M: Plays>(capture: &M::Capture) -> usize {
    let events = M::events(capture);
    let ended = events.iter().filter(|event| M::ends_frame(event)).count();
    ended + usize::from(events.last().is_some_and(|event| !M::ends_frame(event)))
}
