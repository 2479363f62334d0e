//! Estimates of time: what both machines share.

/// `PICAFLOR_RATE_NONE`.
const NONE: u32 = u32::MAX;

/// Sets a rate; 0 keeps the constant.
pub(crate) const fn rate(rate: &mut u32, wanted: u32) {
    match wanted {
        0 => {}
        NONE => *rate = 0,
        other => *rate = other,
    }
}
