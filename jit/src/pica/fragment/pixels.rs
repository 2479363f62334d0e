//! Pixels of a buffer one by one, for blocks that do not lie in memory in one piece.
//!
//! Source: pica-geometry.md 6.8, pica-fragment.md 7.1.

use crate::pica::span::Span;
use picaflor_pipeline::memory::Memory;

/// The colour buffer or the depth buffer of a draw. Unmapped bytes read as zero, and writes to them are dropped;
/// likewise all bytes of a buffer at address 0, and of one that is not used.
#[derive(Clone, Copy)]
pub(super) struct Pixels<'a> {
    span: Option<Span<'a>>,
    pixel_bytes: u32,
}

impl<'a> Pixels<'a> {
    /// The buffer at a range of memory (address, length), of pixels of `pixel_bytes` bytes: 2 to 4, 0 if it is not used.
    pub(super) fn new(memory: &'a dyn Memory, (address, length): (u32, u32), pixel_bytes: u32) -> Self {
        let exists = address != 0 && pixel_bytes > 0;
        Self { span: exists.then(|| Span::new(memory, address, length)), pixel_bytes }
    }

    /// The bytes of a pixel by its index, zero-padded.
    pub(super) fn get(&self, index: u32) -> [u8; 4] {
        let read = |span: Span<'_>| span.read_pixel(index.wrapping_mul(self.pixel_bytes), self.pixel_bytes);
        self.span.map_or([0; 4], read)
    }

    /// Stores the bytes of a pixel; those beyond its size are dropped.
    pub(super) fn set(&self, index: u32, bytes: [u8; 4]) {
        if let Some(span) = self.span {
            span.write_pixel(index.wrapping_mul(self.pixel_bytes), bytes, self.pixel_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::{BlockMemory, FlatMemory};

    const AT: u32 = 0x1800_0000;

    fn bytes(memory: &BlockMemory) -> Vec<u8> {
        memory.blocks()[0].as_slice().to_vec()
    }

    #[test]
    fn pixels_keep_to_their_size() {
        for (size, expected) in
            [(2, [0, 0, 1, 2, 0, 0, 0, 0]), (3, [0, 0, 0, 1, 2, 3, 0, 0]), (4, [0, 0, 0, 0, 1, 2, 3, 4])]
        {
            let memory = BlockMemory::zeroed(&[(AT, 8)]);
            let pixels = Pixels::new(&memory, (AT, 8), size);
            pixels.set(1, [1, 2, 3, 4]);
            assert_eq!(bytes(&memory), expected);
            let mut read = [1, 2, 3, 4];
            read[size as usize..].fill(0);
            assert_eq!(pixels.get(1), read);
        }
    }

    /// One pixel and a half are mapped, and the length says four.
    #[test]
    fn unmapped_bytes() {
        let memory = BlockMemory::zeroed(&[(AT, 6)]);
        let pixels = Pixels::new(&memory, (AT, 16), 4);
        (0..4).for_each(|index| pixels.set(index, [1, 2, 3, 4]));
        assert_eq!(bytes(&memory), [1, 2, 3, 4, 1, 2]);
        assert_eq!([0, 1, 2].map(|index| pixels.get(index)), [[1, 2, 3, 4], [1, 2, 0, 0], [0; 4]]);
    }

    /// Address 0 means no buffer, also if a host maps memory there.
    #[test]
    fn buffers_that_are_not_there() {
        let memory = FlatMemory::new(0, vec![7; 16]);
        for (address, size) in [(0, 4), (4, 0)] {
            let pixels = Pixels::new(&memory, (address, 8), size);
            pixels.set(0, [1; 4]);
            assert_eq!((pixels.get(0), memory.as_slice().to_vec()), ([0; 4], vec![7; 16]));
        }
    }
}
