//! `GuestSlice`: shared bytes of the guest. The one unsafe file of this crate.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

/// A pointer to guest bytes and their number. Other threads of the host (the emulated CPU, say) may write
/// the bytes at any time, so they are only read and written one at a time, relaxed.
#[derive(Debug, Clone, Copy)]
pub struct GuestSlice<'a> {
    start: *const AtomicU8,
    length: usize,
    _bytes: PhantomData<&'a [AtomicU8]>,
}

// SAFETY: the slice gives access to its bytes only through atomic operations, which any thread may do.
unsafe impl Send for GuestSlice<'_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for GuestSlice<'_> {}

impl<'a> GuestSlice<'a> {
    /// A view of atomic bytes.
    #[must_use]
    pub fn new(bytes: &'a [AtomicU8]) -> Self {
        Self { start: bytes.as_ptr(), length: bytes.len(), _bytes: PhantomData }
    }

    /// A view of plain bytes, which nobody can write while it lives; such a slice is only read.
    #[must_use]
    pub fn from_slice(bytes: &'a [u8]) -> Self {
        Self { start: bytes.as_ptr().cast(), length: bytes.len(), _bytes: PhantomData }
    }

    /// A view of `length` bytes from `start`.
    ///
    /// # Safety
    /// The bytes are readable for `'a`, and whoever writes them meanwhile does so atomically or accepts that
    /// the reader sees either value of each byte.
    #[must_use]
    pub unsafe fn from_raw(start: *const u8, length: usize) -> Self {
        Self { start: start.cast(), length, _bytes: PhantomData }
    }

    /// Number of bytes.
    #[must_use]
    pub const fn len(self) -> usize {
        self.length
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.length == 0
    }

    /// The address of the first byte in the host, for compiled code whose bounds were checked.
    #[must_use]
    pub const fn as_ptr(self) -> *const u8 {
        self.start.cast()
    }

    /// The byte at `offset`.
    ///
    /// # Panics
    /// If `offset` is not below [`len`](Self::len).
    #[must_use]
    pub fn read(self, offset: usize) -> u8 {
        assert!(offset < self.length, "offset {offset} in a guest slice of {} bytes", self.length);
        // SAFETY: the constructors promise `length` readable bytes from `start` for `'a`, and `offset` is
        // below `length`. `AtomicU8` has the layout of `u8`.
        unsafe { (*self.start.add(offset)).load(Ordering::Relaxed) }
    }

    /// `N` bytes from `offset`.
    ///
    /// # Panics
    /// If they do not all lie inside the slice.
    #[must_use]
    pub fn read_array<const N: usize>(self, offset: usize) -> [u8; N] {
        std::array::from_fn(|i| self.read(offset + i))
    }
}
