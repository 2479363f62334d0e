//! A hash of everything that a machine makes of a capture.

use super::meeting::Meeting;
use super::point::{Point, Surface};
use super::side::{self, Side};
use super::{ReplayError, engine};
use picaflor_pipeline::capture::Capture;
use std::sync::{Arc, Mutex, PoisonError};

/// FNV-1a over words of 64 bits, little endian, the last one of each surface padded with zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds what the machine made; its settings and what a host put into memory are left out.
    pub(super) fn add(&mut self, surface: &Surface) {
        if !surface.role.is_made() {
            return;
        }
        self.add_bytes(&surface.bytes);
    }

    /// Adds bytes.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(8) {
            let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            self.0 = (self.0 ^ word).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// Adds every point to a hash.
#[derive(Default, Clone)]
struct Hasher(Arc<Mutex<Fingerprint>>);

impl Meeting<Point> for Hasher {
    fn meet(&mut self, point: Point) {
        let mut hash = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        point.surfaces.iter().for_each(|surface| hash.add(surface));
    }

    fn wants_memory(&self) -> bool {
        false
    }
}

/// Replays a capture on one engine and hashes the buffers after every draw, what fills and transfers write,
/// and the screens after every frame.
///
/// # Errors
/// As [`ReplayError`] says.
pub fn fingerprint(
    capture: &Capture,
    name: &str,
    threads: usize,
) -> Result<(Fingerprint, Side), ReplayError> {
    let hasher = Hasher::default();
    let side = side::run(capture, &mut engine(name, None)?, threads, Box::new(hasher.clone()), &|| ())?;
    let hash = *hasher.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((hash, side))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::point::Role;

    #[test]
    fn the_hash_of_known_bytes() {
        let surface = |role, bytes: &[u8]| Surface { role, address: 0, bytes: bytes.to_vec() };
        let mut hash = Fingerprint::default();
        hash.add(&surface(Role::Registers, &[1, 2, 3]));
        hash.add(&surface(Role::Memory, &[1, 2, 3]));
        assert_eq!(hash, Fingerprint::default());
        // FNV-1a of the single byte 'a', as published with the algorithm.
        hash.add(&surface(Role::Colour, b"a"));
        assert_eq!(hash.0, 0xaf63_dc4c_8601_ec8c);
    }
}
