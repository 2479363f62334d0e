//! `Snapshot`: the whole state of a machine as words.

use crate::persist::Words;

/// All state of a machine, or of its lists, that a guest can see or change, without guest memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    words: Vec<u32>,
}

/// Reason why words are no snapshot of this kind of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The first word is that of another kind of state, or of a version that is not known.
    #[error(
        "not a snapshot of a known version: it begins with {found:#010x}, where {known:#010x} is the current one"
    )]
    Version {
        /// The first word; 0 without one.
        found: u32,
        /// That of the current version.
        known: u32,
    },
    /// The system has no memory for a copy. The state stays as it is.
    #[error("there is no memory for {words} words")]
    NoMemory {
        /// Words of the snapshot.
        words: usize,
    },
    /// Too many words or too few.
    #[error("a snapshot of {words} words, which is not the length of its content")]
    Length {
        /// Words found.
        words: usize,
    },
}

/// State that is saved as a whole.
pub(crate) trait Saved: Clone {
    /// First word of a snapshot: identifies the kind of state and its layout.
    const VERSION: u32;

    /// The state before loading.
    fn blank() -> Self;

    /// Saves or loads every part; see [`persist`](crate::persist).
    fn persist(&mut self, words: &mut Words);

    /// Loads the state from the words of an older version, without the version; `None` if it is not known.
    fn load_older(_version: u32, _words: &mut Words) -> Option<Self> {
        None
    }
}

impl Snapshot {
    /// A snapshot from its words; they are validated when it is loaded.
    #[must_use]
    pub const fn from_words(words: Vec<u32>) -> Self {
        Self { words }
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The snapshot of a state.
    pub(crate) fn of<S: Saved>(state: &S) -> Self {
        let mut words = Words::save();
        words.word(&mut { S::VERSION });
        // Saving and loading are one function, which takes what it loads.
        state.clone().persist(&mut words);
        Self { words: words.into_words() }
    }

    /// The state of this snapshot.
    pub(crate) fn state<S: Saved>(&self) -> Result<S, SnapshotError> {
        let mut copy = Vec::new();
        copy.try_reserve_exact(self.words.len())
            .map_err(|_| SnapshotError::NoMemory { words: self.words.len() })?;
        copy.extend_from_slice(&self.words);
        let mut words = Words::load(copy);
        let mut version = 0;
        words.word(&mut version);
        let state = if version == S::VERSION {
            let mut state = S::blank();
            state.persist(&mut words);
            state
        } else {
            let unknown = SnapshotError::Version { found: version, known: S::VERSION };
            S::load_older(version, &mut words).ok_or(unknown)?
        };
        let length = SnapshotError::Length { words: self.words.len() };
        if words.is_complete() { Ok(state) } else { Err(length) }
    }
}
