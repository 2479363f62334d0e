//! Contents of memory events, shared and paid for.

use super::{Dump, RECORD_BYTES, Span};
use crate::capture::Problem;
use std::collections::HashMap;
use std::sync::Arc;

/// New bytes that a capture may hold for each unpacked byte of its dump. Frames of games need less
/// than 3, small test programs less than 8.
const FACTOR: u64 = 16;
/// New bytes that any dump may make: fills are a few bytes in a file.
const BASE: u64 = 64 << 20;
/// Maximum number of new bytes of any capture.
const MOST: u64 = 1 << 30;
/// Charge of an event in bytes.
const EVENT: u64 = 64;
/// Words of lists that a dump may have for each byte of its file, also if they are dropped: packed, words of zeros are next to
/// nothing. Frames of games have less than one.
const WORDS: u64 = 16;
/// Words of lists that any dump may have.
const BASE_WORDS: u64 = 1 << 20;

/// The source of an event's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// Bytes of the data buffer, padded with zeros to a size.
    Data(Span, u32),
    /// A fill: value and size.
    Fill(u8, u32),
}

/// The contents made so far. Events with the same bytes share them, so a long trace that writes the same memory again
/// and again costs no more than the number of its records.
pub(super) struct Account {
    made: HashMap<Source, Arc<[u8]>>,
    bytes: u64,
    limit: u64,
    words: u64,
    most_words: u64,
}

impl Account {
    /// An account for a dump: 16 bytes for each unpacked byte and 64 MiB, together at most 1 GiB; 16 words of lists for each
    /// byte of the file and a million.
    pub(super) fn new(dump: &Dump) -> Self {
        let unpacked = dump.data_bytes() as u64 + (dump.records.len() * RECORD_BYTES) as u64;
        let (limit, most_words) = (MOST.min(BASE + FACTOR * unpacked), BASE_WORDS + WORDS * dump.packed);
        Self { made: HashMap::new(), bytes: 0, limit, words: 0, most_words }
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

    /// Charges an event.
    pub(super) const fn event(&mut self) {
        self.charge(EVENT);
    }

    /// Charges a word of a list, dropped or not.
    pub(super) const fn word(&mut self) {
        self.words += 1;
    }

    /// Charges new bytes.
    pub(super) const fn charge(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// True if more was asked for than the dump may cost.
    pub(super) const fn is_spent(&self) -> bool {
        self.bytes > self.limit || self.words > self.most_words
    }

    /// The error of an account that is spent.
    pub(super) const fn check(&self) -> Result<(), Problem> {
        match self.is_spent() {
            true if self.words > self.most_words => {
                Err(Problem::TooLarge { bytes: 4 * self.words, limit: 4 * self.most_words })
            }
            true => Err(Problem::TooLarge { bytes: self.bytes, limit: self.limit }),
            false => Ok(()),
        }
    }
}
