//! `Memory`: the only door to guest memory, which belongs to the host.

use crate::guest_slice::GuestSlice;

/// Guest memory as the host keeps it. Addresses are physical.
pub trait Memory {
    /// The bytes `address .. address + length`, or `None` unless all of them are mapped and contiguous in
    /// the host's memory. `length` 0 is mapped everywhere.
    ///
    /// The host promises that the bytes stay where they are while the slice lives.
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>>;

    /// One byte; unmapped addresses read as zero.
    fn byte(&self, address: u32) -> u8 {
        self.region(address, 1).map_or(0, |slice| slice.read(0))
    }
}

/// One block of memory at one address, for tests and tools.
#[derive(Debug, Clone, Default)]
pub struct FlatMemory {
    base: u32,
    bytes: Vec<u8>,
}

impl FlatMemory {
    /// Maps `bytes` at `base`. Bytes that would lie beyond the end of the address space are cut off.
    #[must_use]
    pub fn new(base: u32, mut bytes: Vec<u8>) -> Self {
        bytes.truncate((1_usize << 32) - base as usize);
        Self { base, bytes }
    }

    /// The address of the first byte.
    #[must_use]
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// The bytes, to change them.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Memory for FlatMemory {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        let start = usize::try_from(address.checked_sub(self.base)?).ok()?;
        let end = start.checked_add(length as usize)?;
        self.bytes.get(start..end).map(GuestSlice::from_slice)
    }
}
