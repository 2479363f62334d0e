//! `GuestSlice`: shared bytes of the guest. The one unsafe room of this crate.
#![allow(unsafe_code)]

mod bulk;

use bulk::CHUNK;
use std::alloc::{Layout, alloc_zeroed};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

/// Bytes that are written one by one, which is shorter than the call of a copy.
const SHORT: usize = 16;

/// A pointer to guest bytes and their number. Other threads of the host (the emulated CPU, say) may write the bytes at any
/// time (`docs/threat-model.md`, who may write guest memory), so they are only read and written one at a time, relaxed, or
/// by machine instructions that do no less.
#[derive(Debug, Clone, Copy)]
pub struct GuestSlice<'a> {
    start: *const AtomicU8,
    length: usize,
    writable: bool,
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
        Self { start: bytes.as_ptr(), length: bytes.len(), writable: true, _bytes: PhantomData }
    }

    /// A view of plain bytes, which nobody can write while it lives: writes through it are dropped.
    #[must_use]
    pub fn from_slice(bytes: &'a [u8]) -> Self {
        Self { start: bytes.as_ptr().cast(), length: bytes.len(), writable: false, _bytes: PhantomData }
    }

    /// A view of `length` bytes from `start`, which are only read.
    ///
    /// # Safety
    /// The bytes are readable for `'a`, and whoever writes them meanwhile keeps to the rule of `docs/threat-model.md` (who
    /// may write guest memory): code in Rust writes through atomics; C, emulated CPUs and other processes write as they like.
    #[must_use]
    pub unsafe fn from_raw(start: *const u8, length: usize) -> Self {
        Self { start: start.cast(), length, writable: false, _bytes: PhantomData }
    }

    /// A view of `length` bytes from `start`, which the machine may also write.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw), and the bytes are writable for `'a`; no Rust reference to them
    /// is used meanwhile.
    #[must_use]
    pub unsafe fn from_raw_mut(start: *mut u8, length: usize) -> Self {
        Self { start: start.cast_const().cast(), length, writable: true, _bytes: PhantomData }
    }

    /// Whether writes have an effect.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.writable
    }

    /// The bytes `start .. start + length` of this slice.
    ///
    /// # Panics
    /// If they do not all lie inside the slice.
    #[must_use]
    #[inline]
    pub fn slice(self, start: usize, length: usize) -> Self {
        let end = start.checked_add(length);
        assert!(end.is_some_and(|end| end <= self.length), "{start}+{length} in {} bytes", self.length);
        // In bounds, so the pointer stays inside the allocation or one past its end.
        Self { start: self.start.wrapping_add(start), length, ..self }
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
    #[inline]
    pub fn read(self, offset: usize) -> u8 {
        let [byte] = self.read_array(offset);
        byte
    }

    /// Writes the byte at `offset`; nothing happens to bytes that are only read.
    ///
    /// # Panics
    /// If `offset` is not below [`len`](Self::len).
    #[inline]
    pub fn write(self, offset: usize, value: u8) {
        self.write_all(offset, &[value]);
    }

    /// Writes `bytes` from `offset` on.
    ///
    /// # Panics
    /// If they do not all lie inside the slice.
    #[inline]
    pub fn write_all(self, offset: usize, bytes: &[u8]) {
        self.check(offset, bytes.len());
        if !self.writable {
            return;
        }
        if bytes.len() > SHORT {
            // SAFETY: as for `read_array`; the constructors of writable slices promise that the bytes may be
            // written, and `bytes` cannot be part of them while it is borrowed.
            unsafe { bulk::copy(bytes.as_ptr(), self.start.add(offset).cast_mut().cast(), bytes.len()) }
            return;
        }
        for (i, &byte) in bytes.iter().enumerate() {
            // SAFETY: as above.
            unsafe { (*self.start.add(offset + i)).store(byte, Ordering::Relaxed) }
        }
    }

    /// Copies as many bytes as `out` has, from `offset` on.
    ///
    /// # Panics
    /// If they do not all lie inside the slice.
    #[inline]
    pub fn read_all(self, offset: usize, out: &mut [u8]) {
        self.check(offset, out.len());
        // SAFETY: as for `read_array`; `out` is borrowed alone.
        unsafe { bulk::copy(self.start.add(offset).cast(), out.as_mut_ptr(), out.len()) }
    }

    /// Copies all bytes of `source` to the start of this slice, in ascending order: the bytes may overlap, and a byte
    /// that was written is then read as such. Nothing happens to bytes that are only read.
    ///
    /// # Panics
    /// If `source` is longer.
    #[inline]
    pub fn copy_forward(self, source: Self) {
        self.check(0, source.length);
        if !self.writable {
            return;
        }
        // A chunk is read before it is written: only bytes of earlier chunks may be read again.
        let distance = self.start.addr().wrapping_sub(source.start.addr());
        if distance >= CHUNK {
            // SAFETY: as for `read_all` and `write_all`.
            unsafe { bulk::copy(source.start.cast(), self.start.cast_mut().cast(), source.length) }
        } else {
            (0..source.length).for_each(|i| self.write_all(i, &[source.read(i)]));
        }
    }

    /// Fills the slice with a repeated value, which starts with its first byte. Nothing happens to bytes that are only
    /// read, nor if `value` is empty.
    pub fn fill(self, value: &[u8]) {
        if self.writable && !value.is_empty() {
            // SAFETY: as for `write_all`.
            unsafe { bulk::fill(self.start.cast_mut().cast(), self.length, value) }
        }
    }

    /// True if a byte of the host belongs to both slices.
    #[must_use]
    pub fn shares_bytes(self, other: Self) -> bool {
        let (a, b) = (self.start.addr(), other.start.addr());
        a < b + other.length && b < a + self.length
    }

    /// The bytes, copied.
    #[must_use]
    pub fn to_vec(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }

    /// As [`to_vec`](Self::to_vec).
    #[must_use]
    pub fn snapshot(self) -> Vec<u8> {
        self.to_vec()
    }

    /// Appends the bytes to `out`.
    pub fn append_to(self, out: &mut Vec<u8>) {
        out.reserve(self.length);
        let free = out.spare_capacity_mut();
        assert!(free.len() >= self.length, "reserved");
        // SAFETY: as for `read_all`; the reserved bytes are writable, and all of them are written before they count.
        unsafe {
            bulk::copy(self.start.cast(), free.as_mut_ptr().cast(), self.length);
            out.set_len(out.len() + self.length);
        }
    }

    /// True if the bytes are these. Bytes that are written meanwhile count with either value.
    #[must_use]
    pub fn equals(self, bytes: &[u8]) -> bool {
        // SAFETY: as for `read_all`.
        bytes.len() == self.length && unsafe { bulk::equals(self.start.cast(), bytes) }
    }

    /// `N` bytes from `offset`.
    ///
    /// # Panics
    /// If they do not all lie inside the slice.
    #[must_use]
    #[inline]
    pub fn read_array<const N: usize>(self, offset: usize) -> [u8; N] {
        self.check(offset, N);
        // SAFETY: the constructors promise `length` readable bytes from `start` for `'a`, of which these are some.
        unsafe { bulk::read(self.start.add(offset).cast()) }
    }

    /// Panics unless `offset .. offset + length` lies in the slice.
    #[inline]
    fn check(self, offset: usize, length: usize) {
        let inside = length <= self.length && offset <= self.length - length;
        assert!(inside, "{offset}+{length} in a guest slice of {} bytes", self.length);
    }
}

/// Bytes that many may read and write at once: what a host without memory of its own hands out.
#[derive(Debug, Default)]
pub struct GuestBytes(Box<[AtomicU8]>);

impl GuestBytes {
    /// Takes over `bytes`.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        let raw = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: the pointer comes from a box of bytes, and `AtomicU8` has the size, alignment and validity
        // of `u8`, so the box is given back with the layout it was made with.
        Self(unsafe { Box::from_raw(raw as *mut [AtomicU8]) })
    }

    /// So many zeros, in pages that the system clears when they are touched; `None` if it has no memory for them.
    #[must_use]
    pub fn zeroed(count: usize) -> Option<Self> {
        let layout = Layout::array::<AtomicU8>(count).ok()?;
        if layout.size() == 0 {
            return Some(Self::default());
        }
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout) }.cast::<AtomicU8>();
        // SAFETY: the memory was allocated, as a box allocates it, for `count` atomic bytes, which are all zero.
        (!start.is_null())
            .then(|| Self(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, count)) }))
    }

    /// All bytes, shared.
    #[must_use]
    pub fn as_slice(&self) -> GuestSlice<'_> {
        GuestSlice::new(&self.0)
    }

    /// All bytes, for whoever has them alone.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let all: *mut [AtomicU8] = &raw mut *self.0;
        // SAFETY: `&mut self` says that no slice made by `as_slice` lives, and the layouts are the same.
        unsafe { &mut *(all as *mut [u8]) }
    }
}

impl Clone for GuestBytes {
    fn clone(&self) -> Self {
        Self::new(self.as_slice().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// What begins inside and ends outside is refused, and so is what begins outside.
    #[test]
    fn reads_past_the_end() {
        let bytes = [0; 8];
        let slice = AssertUnwindSafe(GuestSlice::from_slice(&bytes));
        let is_refused = |offset| catch_unwind(|| slice.read_array::<4>(offset)).is_err();
        assert_eq!([0, 4, 5, 8, usize::MAX].map(is_refused), [false, false, true, true, true]);
        assert!(!slice.is_empty() && GuestSlice::from_slice(&[]).is_empty());
    }

    /// In words of 8 and 4 bytes and in single ones, at any alignment.
    #[test]
    fn arrays_of_any_size() {
        fn check<const N: usize>(bytes: &[u8]) {
            for offset in 0..=bytes.len() - N {
                assert_eq!(GuestSlice::from_slice(bytes).read_array::<N>(offset), bytes[offset..][..N]);
            }
        }
        let bytes: Vec<u8> = (1..=40).collect();
        check::<0>(&bytes);
        check::<1>(&bytes);
        check::<3>(&bytes);
        check::<4>(&bytes);
        check::<6>(&bytes);
        check::<8>(&bytes);
        check::<12>(&bytes);
        check::<23>(&bytes);
    }
}
