//! `Stoppable`: the memory of a run that somebody may stop.

use super::Memory;
use crate::guest_slice::GuestSlice;
use crate::stop::Stopper;
use crate::texture::Texture;

/// The host's memory, and whether the run that uses it is to end.
pub(crate) struct Stoppable<'a> {
    memory: &'a dyn Memory,
    stopper: &'a Stopper,
}

impl<'a> Stoppable<'a> {
    pub(crate) const fn new(memory: &'a dyn Memory, stopper: &'a Stopper) -> Self {
        Self { memory, stopper }
    }

    /// The memory of a run: this one if somebody may stop it, else that of the host, which takes no detour.
    pub(crate) fn of_run(&'a self, is_watched: bool) -> &'a dyn Memory {
        if is_watched { self } else { self.memory }
    }
}

impl Memory for Stoppable<'_> {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.memory.written(address, length);
    }

    fn version(&self, address: u32, length: u32) -> Option<u64> {
        self.memory.version(address, length)
    }

    fn replacements(&self) -> Option<u64> {
        self.memory.replacements()
    }

    fn replace(&self, texture: &Texture, texels: &mut [u32]) {
        self.memory.replace(texture, texels);
    }

    fn is_stopping(&self) -> bool {
        self.stopper.asks()
    }

    fn byte(&self, address: u32) -> u8 {
        self.memory.byte(address)
    }

    fn set_byte(&self, address: u32, value: u8) {
        self.memory.set_byte(address, value);
    }

    fn set_bytes(&self, address: u32, bytes: &[u8]) {
        self.memory.set_bytes(address, bytes);
    }
}
