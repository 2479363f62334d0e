//! What a page is made of, whichever machine it is about.

use crate::image::{Image, Panels};
use crate::inspect::Program;
pub use crate::inspect::{Register, State};
use crate::lockstep::{self, Findings, Step};
use crate::machine::Machine;
use crate::routines::Routine;

/// A capture that was compared, as the page shows it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What the capture is called.
    pub name: String,
    /// The precision, or the machine where there is only one.
    pub kind: &'static str,
    /// Whether nothing differed.
    pub is_same: bool,
    /// Draws of the capture.
    pub draws: u64,
    /// Points at which both machines were compared.
    pub points: u64,
    /// Bytes compared.
    pub bytes: u64,
    /// How much of the work compiled code did.
    pub compiled: String,
    /// What the machine draws, and what that is made of.
    pub nouns: [&'static str; 2],
    /// How pictures of buffers lie.
    pub about_pictures: &'static str,
    /// What differs.
    pub found: Found,
    /// What the displays show at the end: expected and actual.
    pub screens: [Option<Image>; 2],
    /// What happened point by point.
    pub steps: Vec<Step<String>>,
    /// What else is to be said: what was not compiled, and what the guest did wrong.
    pub notes: Vec<String>,
    /// A smaller capture that differs, where there is one.
    pub reproducer: Option<Reproduced>,
}

/// What differs.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The first differences.
    pub differences: Vec<Difference>,
    /// How many more there are.
    pub more: u64,
    /// The state at the first of them.
    pub state: Option<State>,
}

/// A difference.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Where.
    pub place: String,
    /// In what.
    pub surface: String,
    /// How many bytes differ.
    pub bytes: u64,
    /// The first of them, and both values.
    pub what: String,
    /// Expected, difference and actual, for surfaces that are pictures.
    pub picture: Option<Panels>,
}

impl<M: Machine> From<&Findings<M>> for Found {
    fn from(findings: &Findings<M>) -> Self {
        let difference = |difference: &lockstep::Difference| Difference {
            place: difference.place.to_string(),
            surface: difference.label(),
            bytes: difference.bytes,
            what: difference.what.clone(),
            picture: difference.picture.clone(),
        };
        Self {
            differences: findings.differences.iter().map(difference).collect(),
            more: findings.more,
            state: findings.state.as_deref().map(M::described),
        }
    }
}

/// A reproducer, as a file.
#[derive(Debug, Clone)]
pub struct Reproduced {
    /// Name of the file.
    pub file: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The command that replays it.
    pub command: String,
    /// Events in it.
    pub events: usize,
    /// What differs in it.
    pub found: Found,
    /// The command that opens it in the inspector at a draw, the first wrong one if draws are wrong.
    pub inspect: String,
    /// The guest's program at that draw, on machines with programs.
    pub program: Option<Program>,
    /// The routines that compiled code has for it.
    pub routines: Vec<Routine>,
}
