//! Contents of memory events, shared and paid for.

use super::{Dump, RECORD_BYTES, Span};
use crate::capture::{Allowance, Problem, Rate, Writes};
use crate::ge::capture::Event;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of new bytes of any capture. Frames of games need less than 3 for each unpacked byte, small test programs
/// less than 8.
const MOST: u64 = 1 << 30;
/// Charge of an event in bytes.
const EVENT: u64 = 64;
/// The source of an event's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// Bytes of the data buffer, padded with zeros to a size.
    Data(Span, u32),
    /// A fill: value and size.
    Fill(u8, u32),
}

/// The contents made so far. Events with the same bytes share them, so a long trace that writes the same memory again
/// and again costs its reader no more than the number of its records; its player pays for the writes.
pub(super) struct Account {
    made: HashMap<Source, Arc<[u8]>>,
    bytes: Allowance,
    words: Allowance,
    writes: Writes,
}

impl Account {
    /// An account for a dump.
    pub(super) fn new(dump: &Dump) -> Self {
        let unpacked = dump.data_bytes() as u64 + (dump.records.len() * RECORD_BYTES) as u64;
        let bytes = Rate::DUMP_CONTENTS.of(unpacked).at_most(MOST);
        let (words, writes) = (Rate::DUMP_WORDS.of(dump.packed), Writes::of(dump.packed));
        Self { made: HashMap::new(), bytes, words, writes }
    }

    /// The bytes of a source. After the account is spent: none.
    pub(super) fn contents(&mut self, dump: &Dump, source: Source) -> Arc<[u8]> {
        if let Some(bytes) = self.made.get(&source) {
            return Arc::clone(bytes);
        }
        let (Source::Data(_, size) | Source::Fill(_, size)) = source;
        self.charge(u64::from(size));
        if self.is_spent() {
            return Arc::default();
        }
        let bytes: Arc<[u8]> = match source {
            Source::Fill(value, size) => vec![value; size as usize].into(),
            Source::Data(span, size) => {
                let mut bytes = dump.bytes(span).to_vec();
                bytes.resize(size as usize, 0);
                bytes.into()
            }
        };
        self.made.insert(source, Arc::clone(&bytes));
        bytes
    }

    /// Charges an event, and what it writes.
    pub(super) fn event(&mut self, event: &Event) {
        self.charge(EVENT);
        if let Event::Memory { bytes, .. } = event {
            let _ = self.writes.charge(bytes.len());
        }
    }

    /// Charges a word of a list, dropped or not.
    pub(super) const fn word(&mut self) {
        let _ = self.words.charge(4);
    }

    /// Charges new bytes.
    pub(super) const fn charge(&mut self, bytes: u64) {
        let _ = self.bytes.charge(bytes);
    }

    /// True if more was asked for than the dump may cost.
    pub(super) const fn is_spent(&self) -> bool {
        self.bytes.is_spent() || self.words.is_spent() || self.writes.is_spent()
    }

    /// The error of an account that is spent.
    pub(super) fn check(&self) -> Result<(), Problem> {
        self.words.check().and_then(|()| self.bytes.check()).and_then(|()| self.writes.check())
    }
}
