//! A hash of everything that a machine makes of a capture.

use super::point::{Point, Surface};
use super::side::{self, Side};
use crate::lockstep::Fingerprint;
use crate::lockstep::meeting::Meeting;
use crate::pica::replay::engine;
use crate::replay::ReplayError;
use picaflor_pipeline::capture::Capture;
use std::sync::{Arc, Mutex, PoisonError};

impl Fingerprint {
    /// Adds what the machine made; its settings and what a host put into memory are left out.
    pub(super) fn add(&mut self, surface: &Surface) {
        if !surface.role.is_made() {
            return;
        }
        self.add_bytes(&surface.bytes);
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
    use crate::pica::lockstep::point::Role;

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
