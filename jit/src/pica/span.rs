//! A range of guest memory with a cached lookup, for repeated access.

use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{Memory, read_bytes, write_bytes};

/// Guest memory from a base address on. Unmapped bytes read as zero, and writes to them are dropped.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a> {
    memory: &'a dyn Memory,
    base: u32,
    /// The bytes, if they are contiguous in host memory.
    slice: Option<GuestSlice<'a>>,
}

impl<'a> Span<'a> {
    /// `length` bytes from `base`. Bytes beyond are accessible too, but more slowly.
    pub(crate) fn new(memory: &'a dyn Memory, base: u32, length: u32) -> Self {
        Self { memory, base, slice: memory.region(base, length) }
    }

    /// All bytes, if they are contiguous in host memory.
    pub(crate) const fn whole(&self) -> Option<GuestSlice<'a>> {
        self.slice
    }

    /// The part `offset .. offset + length`, if the slice contains it.
    #[inline]
    fn slice(&self, offset: u32, length: usize) -> Option<GuestSlice<'a>> {
        self.slice.filter(|slice| offset as usize + length <= slice.len())
    }

    /// `N` bytes.
    #[inline]
    pub(crate) fn read<const N: usize>(&self, offset: u32) -> [u8; N] {
        match self.slice(offset, N) {
            Some(slice) => slice.read_array(offset as usize),
            None => read_bytes(self.memory, self.base.wrapping_add(offset)),
        }
    }

    /// Writes bytes.
    #[inline]
    pub(crate) fn write<const N: usize>(&self, offset: u32, bytes: [u8; N]) {
        match self.slice(offset, N) {
            Some(slice) => slice.write_all(offset as usize, &bytes),
            None => write_bytes(self.memory, self.base.wrapping_add(offset), &bytes),
        }
    }

    /// A pixel of `count` bytes, 2 to 4, zero-padded.
    // Always: a call for each pixel makes transfers a seventh slower.
    #[inline(always)]
    pub(crate) fn read_pixel(&self, offset: u32, count: u32) -> [u8; 4] {
        match count {
            2 => {
                let [a, b] = self.read(offset);
                [a, b, 0, 0]
            }
            3 => {
                let [a, b, c] = self.read(offset);
                [a, b, c, 0]
            }
            _ => self.read(offset),
        }
    }

    /// Writes the first `count` bytes, 2 to 4, of a pixel.
    #[inline(always)]
    pub(crate) fn write_pixel(&self, offset: u32, pixel: [u8; 4], count: u32) {
        let [a, b, c, _] = pixel;
        match count {
            2 => self.write(offset, [a, b]),
            3 => self.write(offset, [a, b, c]),
            _ => self.write(offset, pixel),
        }
    }
}
