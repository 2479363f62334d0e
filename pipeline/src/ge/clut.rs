//! `Clut`: the colour look-up table inside the GE.
//!
//! Source: psp-ge.md 9.4.

use crate::hashing::Seeds;
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Bytes of the table.
pub(crate) const CLUT_BYTES: usize = 1024;

/// 1024 bytes: 256 entries of 32 bits or 512 of 16 bits. Copies are shared until one is changed.
#[derive(Debug, Clone)]
pub struct Clut(Arc<Table>);

/// What copies share, the hash included: most are made for keys before anything was hashed.
#[derive(Debug, Clone)]
struct Table {
    bytes: [u8; CLUT_BYTES],
    /// Cached hash of the bytes.
    digest: OnceLock<u64>,
}

impl Default for Clut {
    /// All zero.
    fn default() -> Self {
        Self(Arc::new(Table { bytes: [0; CLUT_BYTES], digest: OnceLock::new() }))
    }
}

impl Clut {
    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; CLUT_BYTES] {
        &self.0.bytes
    }

    /// The bytes, mutable.
    pub fn change(&mut self) -> &mut [u8; CLUT_BYTES] {
        let table = Arc::make_mut(&mut self.0);
        table.digest = OnceLock::new();
        &mut table.bytes
    }

    fn digest(&self) -> u64 {
        *self.0.digest.get_or_init(|| {
            let mut hasher = Seeds::default().build_hasher();
            hasher.write(&self.0.bytes);
            hasher.finish()
        })
    }
}

impl PartialEq for Clut {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.bytes == other.0.bytes
    }
}

impl Eq for Clut {}

/// The table is part of the key of decoded textures: its bytes are hashed once, not for each draw.
impl Hash for Clut {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest());
    }
}

/// Tables that were loaded, by where their blocks came from.
///
/// Games load the palette of each texture again and again. A table that is the same as then shares its bytes with that of
/// earlier draws: they are not copied, nor hashed again, and keys with it are compared by where it lies.
#[derive(Debug, Default)]
pub(crate) struct LoadedCluts(Vec<Option<Clut>>);

impl LoadedCluts {
    /// Tables at most, 260 KiB.
    const SLOTS: usize = 256;

    /// `clut` with these bytes at its start, which were at `address`.
    pub(crate) fn load(&mut self, clut: &Clut, address: u32, bytes: &[u8]) -> Clut {
        let changed = || {
            let mut changed = clut.clone();
            changed.change()[..bytes.len()].copy_from_slice(bytes);
            changed
        };
        if self.0.try_reserve(Self::SLOTS - self.0.len()).is_err() {
            return changed();
        }
        self.0.resize(Self::SLOTS, None);
        let slot = &mut self.0[Seeds::default().hash_one(address) as usize % Self::SLOTS];
        let (rest, length) = (&clut.bytes()[bytes.len()..], bytes.len());
        let is_same =
            |known: &&mut Clut| known.bytes()[..length] == *bytes && known.bytes()[length..] == *rest;
        match slot.as_mut().filter(is_same) {
            Some(known) => known.clone(),
            None => slot.insert(changed()).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use std::collections::HashSet;
    use std::hash::DefaultHasher;

    fn hash(clut: &Clut) -> u64 {
        let mut hasher = DefaultHasher::new();
        clut.hash(&mut hasher);
        hasher.finish()
    }

    /// The last word of each table makes up for the first one, by a rule with a known number: once all of them had one hash, and
    /// each lookup of a texture compared it with all others.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn tables_that_were_chosen_to_hash_alike() {
        let rule =
            |digest: u64, word: u64| (digest.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hashes = (0..1000_u64).map(|first| {
            let digest = (1..127).fold(rule(0, first), |digest, _| rule(digest, 0));
            let mut clut = Clut::default();
            clut.change()[..8].copy_from_slice(&first.to_le_bytes());
            clut.change()[CLUT_BYTES - 8..].copy_from_slice(&digest.rotate_left(5).to_le_bytes());
            hash(&clut)
        });
        assert_eq!(hashes.collect::<HashSet<_>>().len(), 1000);
    }

    #[test]
    fn equal_tables_hash_alike_and_changes_count() {
        let (mut a, b) = (Clut::default(), Clut::default());
        let empty = hash(&a);
        assert_eq!((&a, empty), (&b, hash(&b)));
        a.change()[1023] = 1;
        assert_ne!((&a, hash(&a)), (&b, empty));
        let copy = a.clone();
        a.change()[1023] = 0;
        assert_eq!((&a, hash(&a)), (&b, empty));
        assert_eq!(copy.bytes()[1023], 1);
    }

    /// Blocks of any length from a few places, whose content changes now and then.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn loaded_tables_are_what_was_loaded() {
        let (mut loaded, mut clut, mut model) = (LoadedCluts::default(), Clut::default(), [0; CLUT_BYTES]);
        let mut places = [[0_u8; CLUT_BYTES]; 4];
        let mut seed = 3;
        for _ in 0..4000 {
            let [place, length, byte, value] = [(); 4].map(|()| random::word(&mut seed) as usize);
            if byte % 3 == 0 {
                places[place % 4][byte % CLUT_BYTES] = value as u8;
            }
            let bytes = &places[place % 4][..32 * (32 - length % 4)];
            model[..bytes.len()].copy_from_slice(bytes);
            clut = loaded.load(&clut, 16 * (place % 4) as u32, bytes);
            assert_eq!(clut.bytes(), &model);
        }
        assert!(loaded.0.iter().flatten().count() <= 4, "a slot for each place");
    }

    #[test]
    fn tables_that_are_loaded_again_share_their_bytes() {
        let mut loaded = LoadedCluts::default();
        let mut first = |clut: &Clut, byte: u8| loaded.load(clut, 0x100, &[byte; 512]);
        let (zeros, mut other) = (Clut::default(), Clut::default());
        other.change()[1023] = 1;
        let seven = first(&zeros, 7);
        assert!(Arc::ptr_eq(&seven.0, &first(&zeros, 7).0) && Arc::ptr_eq(&seven.0, &first(&seven, 7).0));
        assert_ne!(first(&other, 7), seven, "the rest is another one");
        assert_ne!(first(&zeros, 8), seven, "changed in memory");
    }
}
