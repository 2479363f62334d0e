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

#[cfg(test)]
mod tests {
    use super::*;
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
}
