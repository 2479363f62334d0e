//! A hash of what a machine makes.

/// FNV-1a over words of 64 bits, little endian, the last one of each surface padded with zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds bytes.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(8) {
            let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            self.0 = (self.0 ^ word).wrapping_mul(0x100_0000_01b3);
        }
    }
}
