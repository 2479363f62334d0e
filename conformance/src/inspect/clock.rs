//! The time, of the host's clock or of one that the host brings: WebAssembly has none of its own.

use std::sync::OnceLock;

static CLOCK: OnceLock<fn() -> u64> = OnceLock::new();

/// Sets a clock that counts nanoseconds, before the first question; without effect afterwards.
pub fn set_clock(clock: fn() -> u64) {
    // The first clock stays.
    let _ = CLOCK.set(clock);
}

/// Nanoseconds since some time.
pub(crate) fn now() -> u64 {
    CLOCK.get_or_init(|| host)()
}

#[cfg(not(target_family = "wasm"))]
fn host() -> u64 {
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}

/// Without a clock nothing takes time.
#[cfg(target_family = "wasm")]
const fn host() -> u64 {
    0
}
