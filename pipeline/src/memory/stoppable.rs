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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{FlatMemory, Tracked};

    /// A memory with images of its own.
    struct Shown(Tracked<FlatMemory>);

    impl Memory for Shown {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.0.region(address, length)
        }

        fn written(&self, address: u32, length: u32) {
            self.0.written(address, length);
        }

        fn version(&self, address: u32, length: u32) -> Option<u64> {
            self.0.version(address, length)
        }

        fn replacements(&self) -> Option<u64> {
            Some(7)
        }

        fn replace(&self, _: &Texture, texels: &mut [u32]) {
            texels.fill(9);
        }
    }

    /// But for the answer whether the run ends, the memory of a watched run is that of the host.
    #[test]
    fn everything_else_is_the_hosts() {
        let (host, stopper) = (Shown(Tracked::new(FlatMemory::new(0x100, vec![0; 8]))), Stopper::default());
        let memory = Stoppable::new(&host, &stopper);
        assert_eq!(memory.version(0x100, 8), host.version(0x100, 8));
        assert_eq!(memory.replacements(), Some(7));
        let mut texels = [0; 2];
        memory.replace(&Texture::default(), &mut texels);
        assert_eq!(texels, [9; 2]);
        memory.set_byte(0x101, 1);
        memory.set_bytes(0x102, &[2, 3]);
        memory.written(0x101, 3);
        assert_eq!([0x100, 0x101, 0x102, 0x103].map(|at| host.byte(at)), [0, 1, 2, 3]);
        assert_eq!([0x101, 0x103].map(|at| memory.byte(at)), [1, 3]);
        assert_eq!(host.0.take_written(), [(0x101, 3)]);
        assert!(!memory.is_stopping());
        stopper.stop();
        assert!(memory.is_stopping());
    }
}
