//! A host that puts images in place of textures, for tests.

use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::texture::Texture;
use std::sync::Mutex;

/// Guest memory, and what was shown to the host: each level with its texels.
pub(crate) struct Host<'a> {
    memory: &'a dyn Memory,
    has_images: bool,
    shown: Mutex<Vec<(Texture, Vec<u32>)>>,
}

impl<'a> Host<'a> {
    /// A host with images, or one that wants to see no textures.
    pub(crate) fn new(memory: &'a dyn Memory, has_images: bool) -> Self {
        Self { memory, has_images, shown: Mutex::default() }
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
}
