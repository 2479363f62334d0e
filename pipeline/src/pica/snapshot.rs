//! `Snapshot`: the whole state of a machine as words.

use super::Pica;
use super::machine::State;
use crate::persist::Words;

/// The first word of a snapshot; changes with the layout.
const VERSION: u32 = 0x5069_0001;

/// All that a guest can see or change in a machine, guest memory apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    words: Vec<u32>,
}

/// Words that are no snapshot, or one of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a snapshot of this version of the machine")]
pub struct SnapshotError;

impl Snapshot {
    /// A snapshot from its words, which [`Pica::load`] examines.
    #[must_use]
    pub const fn from_words(words: Vec<u32>) -> Self {
        Self { words }
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

impl State {
    fn persist(&mut self, words: &mut Words) {
        self.registers.persist(words);
        self.luts.persist(words);
        self.vertex.persist(words);
        self.geometry.persist(words);
        self.front_end.persist(words);
        self.external.persist(words);
        self.interrupts.persist(words);
        self.stats.persist(words);
        words.flag(&mut self.started);
    }
}

impl Pica {
    /// The state as it is. Precision, limits, threads, faults and the observer belong to the host and are not
    /// in it.
    #[must_use]
    pub fn save(&self) -> Snapshot {
        let mut words = Words::save();
        words.word(&mut { VERSION });
        // Saving and restoring are one function, which takes what it restores.
        self.state.clone().persist(&mut words);
        Snapshot { words: words.into_words() }
    }

    /// Puts back a state.
    ///
    /// # Errors
    /// If the words are no snapshot; nothing has changed then.
    pub fn load(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let mut words = Words::load(snapshot.words.clone());
        let mut version = 0;
        words.word(&mut version);
        let mut state = State::new();
        if version == VERSION {
            state.persist(&mut words);
        }
        if version != VERSION || !words.is_complete() {
            return Err(SnapshotError);
        }
        self.state = state;
        Ok(())
    }
}
