//! Fallback: the interpreter's routine, for what compiled code cannot draw, or not yet, on either machine.

use crate::code::fp_mode;
use crate::profile::Profile;
use std::sync::Arc;

/// An interpreter's routine of type `T`.
pub(crate) struct Fallback<T: ?Sized> {
    pub(crate) interpreter: Arc<T>,
    /// Whether it may draw. Otherwise nobody does.
    pub(crate) allowed: bool,
    pub(crate) profile: Arc<Profile>,
}

impl<T: ?Sized> Fallback<T> {
    /// Draws a tile with the interpreter and counts it; returns the number of fragments. In the floating-point mode that
    /// the interpreter expects: workers run it, and what mode their threads are in is the host's business.
    pub(crate) fn draw(&self, tile: impl FnOnce(&T) -> u64) -> u64 {
        self.profile.fragments_left(self.allowed);
        if self.allowed { fp_mode::ieee(|| tile(&self.interpreter)) } else { 0 }
    }
}
