//! Inspection of captures: which draw made a pixel, with which state, and what did the machine do with it.
//!
//! A [`Session`] holds a capture of any machine and answers questions about it by playing it again. Compiled code draws;
//! where numbers are asked for, the oracle draws that pixel, and records them: its bits are those of compiled code. The
//! command line and the page are faces of [`Inspector`], which has no machine in its type.
//!
//! * [`page`]: the answers to the page, by path. [`open`]: a file as it is dropped on the page.
//! * `checkpoints.rs`: points from which a replay goes on. `content.rs`: memory.
//! * `spans.rs`: parts of a replay in which nothing can touch a pixel.
//! * `action.rs`: draws, fills, transfers, in order. `desk.rs`: what a replay records. `session.rs`: the questions.
//! * `history.rs`: what touched a pixel, in bounds.
//! * `maps.rs`: what draws did to each pixel. `states.rs`: draws in equal states.
//! * `manual.rs`: the sections of the hardware manuals about registers.
//! * A machine's own part is its [`Inspect`].

mod action;
mod answer;
mod checkpoints;
mod clock;
mod content;
mod desk;
mod history;
mod json;
mod manual;
mod maps;
pub mod page;
mod session;
mod spans;
mod states;
mod thumbnails;

pub use action::{Action, Buffer, Kind, TextureUse};
pub use answer::{
    BufferView, Cost, Draw, Entry, Mesh, MeshVertex, Program, ProgramStep, Register, State, Table,
    TextureView,
};
pub use clock::set_clock;
pub(crate) use content::nonzero;
pub(crate) use desk::around;
pub use desk::{Desk, Log, Question, Seen, Spot};
pub use history::History;
pub use json::trace_as_json;
pub use manual::{Manual, Section};
pub use maps::{Fate, Map, MapPixel, Maps, Rejections};
pub use session::{Inspector, Session};
pub use thumbnails::Thumbnails;
pub(crate) use thumbnails::distance;

use crate::plays::Plays;
use picaflor_pipeline::rect::Rect;
use std::ops::Range;

/// A question that has no answer, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);

impl NoAnswer {
    /// A reason.
    #[must_use]
    pub fn new(why: impl std::fmt::Display) -> Self {
        Self(why.to_string())
    }
}

/// Called after every draw with the size of its colour buffer and a way to look at it.
pub type AfterDraw = Box<dyn FnMut([u32; 2], &dyn Fn() -> BufferView) + Send>;

/// The capture of a file, which may be an archive, with the interpreter as its engine.
///
/// # Errors
/// The file is no capture, or damaged.
pub fn open(file: Vec<u8>) -> Result<Box<dyn Inspector>, NoAnswer> {
    let file = crate::archive::unpacked(file).map_err(NoAnswer::new)?;
    crate::machines::inspector(&file)
}

/// The scene of a name, `ge:NAME` or `scene:NAME`, with the interpreter as its engine.
///
/// # Errors
/// There is none.
pub fn open_scene(name: &str) -> Result<Box<dyn Inspector>, NoAnswer> {
    crate::machines::scene(name).ok_or_else(|| NoAnswer::new(format!("there is no scene `{name}`")))
}

/// A machine's own part of inspection.
pub trait Inspect: Plays {
    /// An engine that hands its work to a desk.
    type Probed<'e>;

    /// The engine, with a desk.
    fn probed<'e>(engine: &'e mut Self::Engine, desk: &Desk) -> Self::Probed<'e>;

    /// Its stages.
    fn stages_of_probed<'w>(probed: &'w mut Self::Probed<'_>) -> &'w mut Self::Stages<'w>;

    /// Makes the machine report its actions to a desk.
    fn observe(player: &mut Self::Player<'_>, desk: &Desk);

    /// Makes the machine call `each` after every draw.
    fn after_draws(player: &mut Self::Player<'_>, each: AfterDraw);

    /// Where its manuals describe registers.
    const MANUAL: Manual;

    /// Number of registers.
    const REGISTERS: u32;

    /// The part of a register's word that is its value.
    fn argument(word: u32) -> u32;

    /// A register's value in words.
    fn word_in_words(number: u32, word: u32) -> String;

    /// A pixel of the colour buffer that these registers name.
    fn pixel_spot(words: &[u32], x: u32, y: u32) -> Option<Spot>;

    /// A state of these register words.
    fn state_of(words: &[u32]) -> State;

    /// The name of a register.
    fn register(number: u32) -> String;

    /// True if the engine compiles code: its times are other than those of the interpreter.
    fn compiles(engine: &Self::Engine) -> bool;

    /// These register words with 0 in place of those on which no pixel of a draw depends: triggers, pointers to
    /// vertices, ports, and settings of what is switched off. Draws with equal ones are in the same state.
    fn essence(words: &[u32]) -> Vec<u32>;

    /// Vertices, drawn primitives and covered pixels so far.
    fn counts(player: &Self::Player<'_>) -> [u64; 3];

    /// The registers of the machine, as words.
    fn words(player: &Self::Player<'_>) -> Vec<u32>;

    /// The bytes that a pixel of the [picture](Plays::picture) shows.
    fn shown_at(player: &Self::Player<'_>, x: u32, y: u32) -> Option<Spot>;

    /// False if a draw in this state whose pixels lie in a box writes no byte of a pixel: neither as colour nor as depth.
    fn may_touch(words: &[u32], bounds: Rect, spot: Spot) -> bool;

    /// Address and bytes of the memory that an event loads.
    fn load(event: &Self::Event) -> Option<(u32, usize)>;

    /// The bytes that a transfer made those at `address` of, if it made them.
    fn source(transfer: &[u32], address: u32) -> Option<Spot>;

    /// The same capture with more events, for checkpoints between them, and the number of the event that each came from;
    /// `None` if it would be no finer. It may draw otherwise, so the caller tries it.
    fn in_pieces(_: &Self::Capture) -> Option<(Self::Capture, Vec<usize>)> {
        None
    }

    /// A capture that has only these draws of all, counted from 0; `actions` are all of the capture.
    ///
    /// # Errors
    /// The capture cannot be cut.
    fn cut(capture: &Self::Capture, draws: Range<u64>, actions: &[Action])
    -> Result<Self::Capture, NoAnswer>;
}
