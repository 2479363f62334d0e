//! A memory that keeps what was announced.

use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory, read_bytes, write_bytes};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Blocks of zeros, and the ranges announced as written.
pub(super) struct Watched {
    blocks: BlockMemory,
    /// True if the run is to end.
    pub(super) is_stopping: AtomicBool,
    written: Mutex<Vec<(u32, u32)>>,
}

impl Watched {
    /// Blocks of (address, bytes).
    pub(super) fn new(blocks: &[(u32, u32)]) -> Self {
        Self {
            blocks: BlockMemory::zeroed(blocks),
            is_stopping: AtomicBool::new(false),
            written: Mutex::default(),
        }
    }

    /// With bytes at an address.
    pub(super) fn with(self, address: u32, bytes: &[u8]) -> Self {
        write_bytes(&self, address, bytes);
        self
    }

    pub(super) fn read<const N: usize>(&self, address: u32) -> [u8; N] {
        read_bytes(self, address)
    }

    /// Offsets and values of the bytes that are not zero, of `length` bytes at `address`.
    pub(super) fn set_bytes(&self, address: u32, length: u32) -> Vec<(u32, u8)> {
        let bytes = (0..length).map(|k| (k, self.byte(address.wrapping_add(k))));
        bytes.filter(|&(_, byte)| byte != 0).collect()
    }

    /// What was announced, in order.
    pub(super) fn announced(&self) -> Vec<(u32, u32)> {
        self.written.lock().expect("no test panics with it").clone()
    }
}

impl Memory for Watched {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.blocks.region(address, length)
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    fn written(&self, address: u32, length: u32) {
        self.written.lock().expect("no test panics with it").push((address, length));
    }
}
