//! Small cases of the whole machine, for hundreds of executions per second: little memory, low limits, one way to run
//! per case.

use crate::pica::lists::{self, Engines, Way};
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::limits::Limits;
use picaflor_scenes::pica::kit::{FCRAM, VRAM};

/// The memory of these cases.
pub(super) const REGIONS: [(u32, u32); 2] = [(VRAM, 32 << 10), (FCRAM, 32 << 10)];

/// Limits of a case: a picture of 16 x 16 pixels, several times.
pub(super) const LIMITS: Limits = Limits::DEFAULT
    .with_instructions(512)
    .with_vertices(32)
    .with_triangles(64)
    .with_pixels(1 << 10)
    .with_commands(1 << 10)
    .with_jumps(8)
    .with_run_vertices(128)
    .with_run_pixels(1 << 12)
    .with_run_instructions(1 << 14);

/// The precision and the way that a byte encodes; three quarters of all bytes are compiled code, a quarter that of a host that
/// announces its writes.
pub(super) const fn choice(byte: u8) -> (Precision, Way) {
    let precision = if byte & 1 == 0 { Precision::Console } else { Precision::Binary32 };
    let [interpreted, both, _, compiled, announced] = Way::OTHERS;
    (precision, [compiled, interpreted, announced, both][(byte >> 1 & 3) as usize])
}

/// Runs a case in a way.
///
/// # Panics
/// If that differs from the reference.
pub(super) fn check(capture: &Capture, way: Way, engines: &mut Engines) {
    if let Err(failure) = lists::check_way(capture, way, LIMITS, engines) {
        panic!("{failure}");
    }
}
