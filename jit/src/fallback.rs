//! Fallback: the interpreter's routine of either machine, for draws without compiled code (refused, or not compiled
//! yet).

use crate::code::fp_mode;
use crate::profile::Profile;
use std::sync::Arc;

/// An interpreter's routine of type `T`.
pub(crate) struct Fallback<T: ?Sized> {
    pub(crate) interpreter: Arc<T>,
    /// Permission to draw; without it the tile stays undrawn.
    pub(crate) allowed: bool,
    pub(crate) profile: Arc<Profile>,
}

impl<T: ?Sized> Fallback<T> {
    /// Draws a tile with the interpreter and counts it; returns the number of fragments. Sets the floating-point mode
    /// that the interpreter expects, because the mode of worker threads depends on the host.
    pub(crate) fn draw(&self, tile: impl FnOnce(&T) -> u64) -> u64 {
        self.profile.fragments_left(self.allowed);
        if self.allowed { fp_mode::ieee(|| tile(&self.interpreter)) } else { 0 }
    }
}
