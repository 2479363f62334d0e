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
        /// Words of the snapshot; where one is made, those that were to be held when memory ended.
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

/// The words of a state, its version first.
fn saved<S: Saved>(state: &S) -> Words {
    let mut words = Words::save();
    words.word(&mut { S::VERSION });
    // Saving and loading are one function, which takes what it loads.
    state.clone().persist(&mut words);
    words
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

    /// The snapshot of a state. Without memory for it the process ends, as where a vector grows.
    pub(crate) fn of<S: Saved>(state: &S) -> Self {
        Self { words: saved(state).into_words() }
    }

    /// The snapshot of a state, unless there is no memory for its words.
    pub(crate) fn try_of<S: Saved>(state: &S) -> Result<Self, SnapshotError> {
        let words = saved(state).try_into_words();
        words.map(|words| Self { words }).map_err(|words| SnapshotError::NoMemory { words })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// State of two words, after which there is no memory if so told.
    #[derive(Clone)]
    struct Two {
        is_last: bool,
    }

    impl Saved for Two {
        const VERSION: u32 = 7;

        fn blank() -> Self {
            Self { is_last: false }
        }

        fn persist(&mut self, words: &mut Words) {
            words.word(&mut 1);
            if self.is_last {
                words.exhaust();
            }
            words.word(&mut 2);
        }
    }

    #[test]
    fn states_without_memory_are_refused() {
        assert_eq!(Snapshot::try_of(&Two { is_last: false }), Ok(Snapshot::of(&Two { is_last: false })));
        assert_eq!(Snapshot::try_of(&Two { is_last: true }), Err(SnapshotError::NoMemory { words: 3 }));
    }
}
