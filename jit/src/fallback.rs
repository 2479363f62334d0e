//! Who draws what compiled code cannot, or not yet, on either machine.

use crate::code::fp_mode;
use crate::profile::Profile;
use std::sync::Arc;

/// An interpreter's routine of type `T`, or nobody.
pub(crate) struct Fallback<T: ?Sized> {
    pub(crate) interpreter: Arc<T>,
    /// Without it nobody draws.
    pub(crate) fallback: bool,
    pub(crate) profile: Arc<Profile>,
}

impl<T: ?Sized> Fallback<T> {
    /// Has the interpreter draw a tile, and counts it; how many fragments there were. In the floating-point mode that
    /// the interpreter expects: workers run it, and what mode their threads are in is the host's business.
    pub(crate) fn draw(&self, tile: impl FnOnce(&T) -> u64) -> u64 {
        self.profile.fragments_left(self.fallback);
        if self.fallback { fp_mode::ieee(|| tile(&self.interpreter)) } else { 0 }
    }
}
