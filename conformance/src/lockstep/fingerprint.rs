//! Fingerprints: a hash of a machine's whole output for a capture.

use super::meeting::Meeting;
use super::side::{self, Side};
use super::{Moment, Options, Point, Surface};
use crate::machine::Machine;
use crate::replay::ReplayError;
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
    /// Adds the machine's output at a point, without its settings and without memory that a host wrote.
    pub(super) fn add<M: Machine>(&mut self, point: &Point<M>) {
        self.add_made(point, point.place.moment);
    }

    /// The hash of what the machine made up to a point, by itself.
    pub(super) fn of<M: Machine>(point: &Point<M>) -> Self {
        let mut hash = Self::default();
        // What counts at the end of a list: after a draw the hash of a whole capture leaves out all of VRAM.
        hash.add_made(point, Moment::List);
        hash
    }

    /// The hash of all bytes of some surfaces.
    pub(super) fn of_bytes<R>(surfaces: &[Surface<R>]) -> Self {
        let mut hash = Self::default();
        surfaces.iter().for_each(|surface| hash.add_bytes(&surface.bytes));
        hash
    }

    fn add_made<M: Machine>(&mut self, point: &Point<M>, moment: Moment) {
        let made = point.surfaces.iter().filter(|surface| M::is_made(moment, surface.role));
        made.for_each(|surface| self.add_bytes(&surface.bytes));
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(8) {
            let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            self.0 = (self.0 ^ word).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// Adds every point to a hash.
#[derive(Default, Clone)]
struct Hasher(Arc<Mutex<Fingerprint>>);

impl<M: Machine> Meeting<Point<M>> for Hasher {
    fn meet(&mut self, point: Point<M>) -> Option<Point<M>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(&point);
        None
    }

    fn wants_memory(&self) -> bool {
        false
    }
}

/// Fingerprint of a capture on one engine: replays it and hashes the output at every point at which engines are
/// compared.
///
/// # Errors
/// [`ReplayError`]: the capture cannot be read or replayed.
pub fn fingerprint<M: Machine>(
    capture: &M::Capture,
    name: &str,
    threads: usize,
) -> Result<(Fingerprint, Side<M>), ReplayError> {
    let hasher = Hasher::default();
    let options = Options { threads, ..Options::default() };
    let mut engine = M::engine(name, options.setup)?;
    let side = side::run::<M>(capture, &mut engine, options, Box::new(hasher.clone()), &|| ())?;
    let hash = *hasher.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((hash, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_known_bytes() {
        let mut hash = Fingerprint::default();
        // FNV-1a of the single byte 'a', as published with the algorithm.
        hash.add_bytes(b"a");
        assert_eq!(hash.0, 0xaf63_dc4c_8601_ec8c);
    }
}
