//! One file of the cache, byte by byte.
//!
//! | at | bytes | |
//! |---:|---:|---|
//! | 0 | 8 | [`MAGIC`] |
//! | 8 | 4 | [`FORMAT`] |
//! | 12 | 12 | lengths of key, facts and code |
//! | 24 | 4 | 1 for a draft, 0 for other code |
//! | 28 | 16 | the [`Identity`], hashed |
//! | 44 | 16 | SipHash-1-3 with 128 bits over all other bytes |
//! | 60 | | key, facts, code |
//!
//! Numbers are little-endian.

use super::hash128_of;
use super::identity::Identity;

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"PicaCode";
/// Number of this layout and of that of the facts.
const FORMAT: u32 = 2;
/// Bytes before the key.
const HEADER: usize = 60;
/// Position of the identity.
const IDENTITY: std::ops::Range<usize> = 28..44;
/// Position of the hash.
const CHECK: std::ops::Range<usize> = 44..60;
/// Maximal length of a file, far above the longest routine.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// The complete key of the code.
    pub(crate) key: &'a [u8],
    /// Facts for the caller of the code.
    pub(crate) facts: &'a [u8],
    /// Position-independent machine code.
    pub(crate) code: &'a [u8],
    /// Made in a single pass, where more time would have made better code.
    pub(crate) is_draft: bool,
}

/// Reason for rejecting a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Damage: the content differs from what was written.
    Damaged(&'static str),
    /// Written for another key or identity.
    Foreign(&'static str),
}

impl Entry<'_> {
    /// Length of the file.
    pub(super) const fn size(&self) -> usize {
        HEADER.saturating_add(self.key.len()).saturating_add(self.facts.len()).saturating_add(self.code.len())
    }

    /// The file as bytes; `None` above [`MAX_BYTES`].
    pub(super) fn encode(&self, identity: &Identity) -> Option<Vec<u8>> {
        let length = self.size();
        if length > MAX_BYTES {
            return None;
        }
        let parts = [self.key, self.facts, self.code];
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        parts.iter().for_each(|part| bytes.extend_from_slice(&(part.len() as u32).to_le_bytes()));
        bytes.extend_from_slice(&u32::from(self.is_draft).to_le_bytes());
        bytes.extend_from_slice(&identity.hash());
        bytes.extend_from_slice(&[0; 16]);
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        let check = check(&bytes);
        bytes[CHECK].copy_from_slice(&check);
        Some(bytes)
    }
}

impl<'a> Entry<'a> {
    /// Content of a file that is complete and was written by an engine of this identity for this key.
    ///
    /// # Errors
    /// The reason for rejecting the file.
    pub(super) fn decode(bytes: &'a [u8], identity: &Identity, key: &[u8]) -> Result<Self, Flaw> {
        let header = bytes.get(..HEADER).ok_or(Flaw::Damaged("it is too short"))?;
        if header[..8] != MAGIC[..] {
            return Err(Flaw::Damaged("it has no magic number"));
        }
        if word(header, 8) != FORMAT {
            return Err(Flaw::Foreign("it has another layout"));
        }
        let [key_length, facts_length, code_length] = [12, 16, 20].map(|at| word(header, at) as usize);
        let split = |rest: &'a [u8], length| rest.split_at_checked(length).ok_or(Flaw::Damaged("it was cut"));
        let (own_key, rest) = split(&bytes[HEADER..], key_length)?;
        let (facts, rest) = split(rest, facts_length)?;
        let (code, rest) = split(rest, code_length)?;
        if !rest.is_empty() {
            return Err(Flaw::Damaged("something follows"));
        }
        if header[CHECK] != check(bytes) {
            return Err(Flaw::Damaged("its check does not match"));
        }
        if header[IDENTITY] != identity.hash() {
            return Err(Flaw::Foreign("it is of another version or machine"));
        }
        if own_key != key {
            return Err(Flaw::Foreign("it is of another key"));
        }
        Ok(Self { key: own_key, facts, code, is_draft: word(header, 24) != 0 })
    }
}

fn check(bytes: &[u8]) -> [u8; 16] {
    hash128_of(&[&bytes[..CHECK.start], &bytes[CHECK.end..]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::host_isa;
    use crate::cpu_level::CpuLevel;

    const ENTRY: Entry<'static> =
        Entry { key: b"a key", facts: b"facts", code: b"some code of a routine", is_draft: false };

    fn identity() -> Identity {
        Identity::of(&*host_isa(CpuLevel::Host).unwrap())
    }

    fn decoded(bytes: &[u8]) -> Result<Entry<'_>, Flaw> {
        Entry::decode(bytes, &identity(), b"a key")
    }

    #[test]
    fn there_and_back() {
        let bytes = ENTRY.encode(&identity()).unwrap();
        assert_eq!(bytes.len(), HEADER + 5 + 5 + 22);
        assert_eq!(decoded(&bytes), Ok(ENTRY));
        let empty = Entry { key: b"", facts: b"", code: b"", is_draft: true };
        let bytes = empty.encode(&identity()).unwrap();
        assert_eq!(Entry::decode(&bytes, &identity(), b""), Ok(empty));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = ENTRY.encode(&identity()).unwrap();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                let flaw = decoded(&flipped).expect_err("a flaw");
                // What another layout means by its bytes cannot be known.
                assert_eq!(matches!(flaw, Flaw::Foreign(_)), (8..12).contains(&at), "{at}.{bit}: {flaw:?}");
            }
        }
    }

    #[test]
    fn every_other_length_is_noticed() {
        let bytes = ENTRY.encode(&identity()).unwrap();
        for length in 0..bytes.len() {
            assert!(matches!(decoded(&bytes[..length]), Err(Flaw::Damaged(_))), "{length}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(decoded(&longer), Err(Flaw::Damaged("something follows")));
    }

    #[test]
    fn lengths_may_be_anything() {
        let bytes = ENTRY.encode(&identity()).unwrap();
        for at in [12, 16, 20] {
            for length in [0, 1, 23, 1 << 31, u32::MAX - 60, u32::MAX] {
                let mut lying = bytes.clone();
                lying[at..at + 4].copy_from_slice(&length.to_le_bytes());
                let check = check(&lying);
                lying[CHECK].copy_from_slice(&check);
                assert!(matches!(decoded(&lying), Err(Flaw::Damaged(_))), "{at}: {length}");
            }
        }
    }

    #[test]
    fn other_versions_machines_and_keys_are_foreign() {
        let bytes = ENTRY.encode(&identity().other()).unwrap();
        assert!(matches!(decoded(&bytes), Err(Flaw::Foreign("it is of another version or machine"))));
        let bytes = ENTRY.encode(&identity()).unwrap();
        let other = Entry::decode(&bytes, &identity(), b"a kez");
        assert_eq!(other, Err(Flaw::Foreign("it is of another key")));
    }

    #[test]
    fn what_is_too_long_is_not_written() {
        let code = vec![0; MAX_BYTES];
        assert_eq!(Entry { code: &code, ..ENTRY }.encode(&identity()), None);
        let code = vec![0; MAX_BYTES - HEADER - 10];
        assert_eq!(
            Entry { code: &code, ..ENTRY }.encode(&identity()).map(|bytes| bytes.len()),
            Some(MAX_BYTES)
        );
    }
}
