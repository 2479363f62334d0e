//! What a machine is to everything that compares: a [`Machine`] says how its captures are read and played, and how people
//! call what it does. Whatever needs no more is written once, over it.
//!
//! Start with the list of all machines, in `machines`.

use crate::features::Topic;
use picaflor_pipeline::capture::CaptureError;
use std::fmt;

/// How shaders round, of machines that can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
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

/// How a capture is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// In place of the precision of the capture.
    pub precision: Option<Precision>,
    /// Whether lists that were recorded in pieces stay so: where draws do not overlap, pieces say better where something
    /// is.
    pub in_pieces: bool,
}

/// A scene of the project's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SceneName {
    /// Short name.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub about: &'static str,
}

/// A machine, as a type without values.
pub trait Machine: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// Its name for people, and its console.
    const TITLE: &'static str;
    /// What stands before the names of its scenes; nothing for one machine.
    const PREFIX: &'static str;
    /// Whether a capture can be played in several precisions.
    const HAS_PRECISIONS: bool;
    /// The names of its engines, the reference first.
    const ENGINES: &'static [&'static str];
    /// What it draws, and what that is made of.
    const NOUNS: [&'static str; 2];
    /// What is said of captures that leave no picture or no depth buffer.
    const NOTHING: [&'static str; 2];

    /// A capture.
    type Capture: Clone + PartialEq + fmt::Debug + Send + Sync;

    /// Whether a file is a capture of this machine, as far as its first bytes tell.
    fn recognises(first: &[u8]) -> bool;

    /// The capture of a file.
    ///
    /// # Errors
    /// It is none, or damaged.
    fn read(file: &[u8], how: Reading) -> Result<Self::Capture, CaptureError>;

    /// All scenes.
    fn scenes() -> Vec<SceneName>;

    /// The scene of a name.
    fn scene(name: &str, how: Reading) -> Option<Self::Capture>;

    /// What is said where there is no scene of a name.
    fn no_scene(name: &str) -> String;

    /// What kind of capture it is: the precision, or the machine where there is only one; and the name of that in JSON.
    fn kind(capture: &Self::Capture) -> (&'static str, &'static str);

    /// Frames of a capture; what follows the last one is one more.
    fn frames(capture: &Self::Capture) -> usize;

    /// What it can do.
    fn feature(topic: Topic) -> String;
}

/// The names of scenes, with commas.
pub(crate) fn listed(scenes: &[SceneName]) -> String {
    scenes.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ")
}
