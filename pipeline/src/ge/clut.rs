//! `Clut`: the colour look-up table inside the GE.
//!
//! Source: psp-ge.md 9.4.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Bytes of the table.
pub(crate) const CLUT_BYTES: usize = 1024;

/// An odd number with bits all over.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

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
            let words = self
                .0
                .bytes
                .chunks_exact(8)
                .map(|bytes| u64::from_le_bytes(std::array::from_fn(|n| bytes[n])));
            words.fold(0, |digest: u64, word| (digest.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER))
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
    use std::hash::DefaultHasher;

    fn hash(clut: &Clut) -> u64 {
        let mut hasher = DefaultHasher::new();
        clut.hash(&mut hasher);
        hasher.finish()
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
