//! Images of a host in place of textures, which another engine keeps decoded.

use std::fmt::Debug;

/// The host's images for a draw. An engine that keeps textures decoded lends them to draws that it has interpreted, so that the
/// host is not asked again for each.
pub trait HostImages: Debug + Send + Sync {
    /// The texel of a level, 0xAABBGGRR, in a column and a row, which lie inside; `None` if the level is sampled as it is in
    /// memory. Rows count as coordinates do: on the PICA200 from the last one in memory. `place`: unit, face and level; of the
    /// GE, only the level is not 0.
    fn texel(&self, place: [u32; 3], at: [u32; 2]) -> Option<u32>;
}

#[cfg(test)]
pub(crate) use testing::{Host, Lent, texel_of};

#[cfg(test)]
mod testing {
    use super::HostImages;
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::Memory;
    use picaflor_pipeline::texture::Texture;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Guest memory, and what was shown to the host: each level with its texels.
    pub(crate) struct Host<'a> {
        memory: &'a dyn Memory,
        has_images: bool,
        shown: Mutex<Vec<(Texture, Vec<u32>)>>,
        asked: AtomicU32,
        ends_after: u32,
    }

    impl<'a> Host<'a> {
        /// A host with images, or one that wants to see no textures.
        pub(crate) fn new(memory: &'a dyn Memory, has_images: bool) -> Self {
            let (shown, asked) = (Mutex::default(), AtomicU32::new(0));
            Self { memory, has_images, shown, asked, ends_after: u32::MAX }
        }

        /// A host with images; the run is to end after so many questions for that.
        pub(crate) fn ending(memory: &'a dyn Memory, ends_after: u32) -> Self {
            Self { ends_after, ..Self::new(memory, true) }
        }

        /// How often it was asked whether the run is to end.
        pub(crate) fn asked(&self) -> u32 {
            self.asked.load(Ordering::Relaxed)
        }

        /// What was shown since the last call.
        pub(crate) fn take(&self) -> Vec<(Texture, Vec<u32>)> {
            std::mem::take(&mut self.shown.lock().expect("a lock"))
        }

        /// Addresses of what was shown since the last call.
        pub(crate) fn addresses(&self) -> Vec<u32> {
            self.take().iter().map(|(texture, _)| texture.address).collect()
        }
    }

    /// The texel that the host puts in place of texel `n` of the level at an address.
    pub(crate) const fn texel_of(address: u32, n: u32) -> u32 {
        address << 16 | n
    }

    impl Memory for Host<'_> {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.memory.region(address, length)
        }

        fn replacements(&self) -> Option<u64> {
            self.has_images.then_some(1)
        }

        fn replace(&self, texture: &Texture, texels: &mut [u32]) {
            self.shown.lock().expect("a lock").push((*texture, texels.to_vec()));
            (0..).zip(texels).for_each(|(n, texel)| *texel = texel_of(texture.address, n));
        }

        fn is_stopping(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed) >= self.ends_after
        }
    }

    /// Images of one place: each texel is its row and column.
    #[derive(Debug)]
    pub(crate) struct Lent(pub(crate) [u32; 3]);

    impl HostImages for Lent {
        fn texel(&self, place: [u32; 3], [x, y]: [u32; 2]) -> Option<u32> {
            (place == self.0).then_some(0x5010_0000 | y << 8 | x)
        }
    }
}
