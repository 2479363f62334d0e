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

#[cfg(test)]
pub(crate) mod testing {
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::{BlockMemory, Memory};
    use picaflor_pipeline::texture::Texture;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A host that may put images in place of textures, and counts the levels that it is shown.
    pub(crate) struct Host {
        pub(crate) memory: BlockMemory,
        /// Version of the images, if it has some.
        pub(crate) images: Option<u64>,
        shown: AtomicU32,
    }

    impl Host {
        pub(crate) fn new(memory: BlockMemory, images: Option<u64>) -> Self {
            Self { memory, images, shown: AtomicU32::new(0) }
        }

        /// Number of levels that were shown since the last call.
        pub(crate) fn shown(&self) -> u32 {
            self.shown.swap(0, Ordering::Relaxed)
        }
    }

    impl Memory for Host {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.memory.region(address, length)
        }

        fn replacements(&self) -> Option<u64> {
            self.images
        }

        /// Colours that depend on the texel, its place and its level.
        fn replace(&self, texture: &Texture, texels: &mut [u32]) {
            self.shown.fetch_add(1, Ordering::Relaxed);
            let first = texture.hash as u32 ^ (8 * texture.face + texture.level);
            for (texel, n) in texels.iter_mut().zip(0_u32..) {
                *texel = texel.rotate_left(8) ^ first.wrapping_add(n).wrapping_mul(0x9e37_79b1);
            }
        }
    }
}
