//! `Clut`: the colour look-up table inside the GE.
//!
//! Source: psp-ge.md 9.4.

use std::sync::Arc;

/// Bytes of the table.
pub const CLUT_BYTES: usize = 1024;

/// 1024 bytes: 256 entries of 32 bits or 512 of 16 bits. Copies are shared until one is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clut(Arc<[u8; CLUT_BYTES]>);

impl Default for Clut {
    /// All zero.
    fn default() -> Self {
        Self(Arc::new([0; CLUT_BYTES]))
    }
}

impl Clut {
    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; CLUT_BYTES] {
        &self.0
    }

    /// The bytes, to change them.
    pub fn change(&mut self) -> &mut [u8; CLUT_BYTES] {
        Arc::make_mut(&mut self.0)
    }
}
