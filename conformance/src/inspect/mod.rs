//! Inspection of captures: which draw made a pixel, with which state, and what did the machine do with it.
//!
//! A [`Session`] holds a capture of any machine and answers questions about it by playing it again. Compiled code draws;
//! where numbers are asked for, the oracle draws that pixel, and records them: its bits are those of compiled code. The
//! command line and the page are faces of [`Inspector`], which has no machine in its type.
//!
//! * `action.rs`: draws, fills, transfers, in order. `desk.rs`: what a replay records. `session.rs`: the questions.
//! * A machine's own part is its [`Inspect`].

mod action;
mod answer;
mod desk;
mod json;
mod session;

pub use action::{Action, Buffer, Kind, TextureUse};
pub use answer::{
    BufferView, Draw, Entry, Mesh, MeshVertex, Overdraw, Program, ProgramStep, Rejections, Table, TextureView,
};
pub(crate) use desk::around;
pub use desk::{Desk, Log, Question, Seen, Spot};
pub use json::trace_as_json;
pub use session::{Inspector, Session};

use crate::html::State;
use crate::machine::Machine;
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

/// A machine's own part of inspection.
pub trait Inspect: Machine {
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

    /// The registers of the machine, as words.
    fn words(player: &Self::Player<'_>) -> Vec<u32>;

    /// The bytes that a pixel of the [picture](Machine::picture) shows.
    fn shown_at(player: &Self::Player<'_>, x: u32, y: u32) -> Option<Spot>;

    /// The bytes that a transfer made those at `address` of, if it made them.
    fn source(transfer: &[u32], address: u32) -> Option<Spot>;

    /// A capture that has only these draws of all, counted from 0; `actions` are all of the capture.
    ///
    /// # Errors
    /// The capture cannot be cut.
    fn cut(capture: &Self::Capture, draws: Range<u64>, actions: &[Action])
    -> Result<Self::Capture, NoAnswer>;
}
