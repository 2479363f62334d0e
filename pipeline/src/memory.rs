//! `Memory`: the only access to guest memory, which belongs to the host.

mod stoppable;
mod tracked;

use crate::guest_slice::{GuestBytes, GuestSlice};
use crate::texture::Texture;
pub(crate) use stoppable::Stoppable;
pub use tracked::{Ranges, Tracked, Versions};

/// Aligned bytes in which an engine need not tell writes outside of draws apart: if it notes them by page, it compares textures
/// that share one with a write, once each, and the account of a run pays for that. By anything larger it does not.
pub const PAGE: u32 = 1 << 12;

/// Guest memory, as kept by the host. Addresses are physical. Workers share it, hence `Sync`.
///
/// A host implements [`region`](Self::region). Its emulated CPU may write while the machine reads, so bytes are atomic;
/// a host whose memory is mapped by the system has [`GuestSlice::from_raw_mut`].
///
/// ```
/// use picaflor_pipeline::guest_slice::GuestSlice;
/// use picaflor_pipeline::memory::{Memory, read_word, write_bytes};
/// use std::sync::atomic::AtomicU8;
///
/// struct Vram(Vec<AtomicU8>);
///
/// impl Memory for Vram {
///     fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
///         let start = address.checked_sub(0x1800_0000)? as usize;
///         self.0.get(start..)?.get(..length as usize).map(GuestSlice::new)
///     }
/// }
///
/// let memory = Vram((0..6 << 20).map(|_| AtomicU8::new(0)).collect());
/// write_bytes(&memory, 0x1800_0000, &[1, 2, 3, 4]);
/// assert_eq!(read_word(&memory, 0x1800_0000), 0x0403_0201);
/// assert!(memory.region(0x1860_0000 - 4, 5).is_none());
/// ```
pub trait Memory: Sync {
    /// The bytes `address .. address + length`, or `None` unless all of them are mapped and contiguous in
    /// the host's memory. For `length` 0 either answer will do.
    ///
    /// The host promises that the bytes stay where they are while the slice lives. It may write them meanwhile:
    /// results that depend on such bytes are undefined, nothing else is (`docs/threat-model.md`).
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>>;

    /// The machine wrote some of the bytes `address .. address + length`. Called after the writes, from the
    /// thread that called the machine.
    fn written(&self, address: u32, length: u32) {
        let _ = (address, length);
    }

    /// Version of the bytes `address .. address + length`: a number that changes whenever one of them does, also by
    /// the machine's own writes (see [`written`](Self::written)). `None`: unknown; engines that cache data derived
    /// from these bytes then compare contents. Equal numbers mean equal bytes, for the lifetime of an engine and
    /// across all memories given to it; those of [`Tracked`] memories are 2^63 or more.
    fn version(&self, address: u32, length: u32) -> Option<u64> {
        let _ = (address, length);
        None
    }

    /// Version of the images that [`replace`](Self::replace) gives: a number that changes whenever one of them may.
    /// `None`, the default: textures are not shown. It changes between runs, and of a session of the GE after
    /// [`finish`](crate::ge::Session::finish): draws that are pending have the images of now or those of before.
    fn replacements(&self) -> Option<u64> {
        None
    }

    /// Shows a level of a texture that a draw may sample, with its texels: 0xAABBGGRR, row by row from the one at the
    /// smallest address. What the host writes there is sampled in their place.
    ///
    /// Called if [`replacements`](Self::replacements) has a version. By an engine that compiles, when it decodes the texture, on
    /// the thread that called the machine: once as long as the engine keeps it, also for draws that it leaves to the
    /// interpreter. By the interpreter as an engine of its own, and in traces, for each draw and level, on any thread of the machine. Not after the
    /// run [ends](Self::is_stopping). Equal identities and versions must give equal images. Not called for depth maps, and not
    /// for textures any part of which lies where the draw draws: these are sampled as they are in memory.
    fn replace(&self, texture: &Texture, texels: &mut [u32]) {
        let _ = (texture, texels);
    }

    /// True if the run that uses this memory is to end ([`Stopper`](crate::stop::Stopper)). Engines ask within work that takes
    /// longer than a millisecond: textures that they decode, vertices that they shade, transfers, fills. What they leave undone
    /// nobody sees: nothing is drawn any more. The machine gives its engines a memory that answers; a host's does not.
    fn is_stopping(&self) -> bool {
        false
    }

    /// One byte; unmapped addresses read as zero.
    fn byte(&self, address: u32) -> u8 {
        self.region(address, 1).map_or(0, |slice| slice.read(0))
    }

    /// Writes one byte; writes to unmapped addresses are dropped.
    fn set_byte(&self, address: u32, value: u8) {
        if let Some(slice) = self.region(address, 1) {
            slice.write(0, value);
        }
    }

    /// [`write_bytes`] of a range that is not one region, byte by byte. A memory that knows its blocks can do it piece by
    /// piece, with the same result.
    fn set_bytes(&self, address: u32, bytes: &[u8]) {
        for (i, &byte) in bytes.iter().enumerate() {
            self.set_byte(address.wrapping_add(i as u32), byte);
        }
    }
}

/// `N` bytes from `address` on, wrapping at the end of the address space; unmapped ones are zero.
pub fn read_bytes<const N: usize>(memory: &(impl Memory + ?Sized), address: u32) -> [u8; N] {
    match memory.region(address, N as u32) {
        Some(slice) => slice.read_array(0),
        None => std::array::from_fn(|i| memory.byte(address.wrapping_add(i as u32))),
    }
}

/// A little-endian word; unmapped bytes are zero.
pub fn read_word(memory: &(impl Memory + ?Sized), address: u32) -> u32 {
    u32::from_le_bytes(read_bytes(memory, address))
}

/// Writes bytes from `address` on, wrapping at the end of the address space; unmapped ones are dropped.
pub fn write_bytes(memory: &(impl Memory + ?Sized), address: u32, bytes: &[u8]) {
    let whole = u32::try_from(bytes.len()).ok().and_then(|length| memory.region(address, length));
    match whole {
        Some(slice) => slice.write_all(0, bytes),
        None => memory.set_bytes(address, bytes),
    }
}

/// One block of memory at one address, for tests and tools.
#[derive(Debug, Clone, Default)]
pub struct FlatMemory {
    base: u32,
    bytes: GuestBytes,
}

impl FlatMemory {
    /// Maps `bytes` at `base`. Bytes that would lie beyond the end of the address space are cut off.
    #[must_use]
    pub fn new(base: u32, mut bytes: Vec<u8>) -> Self {
        let room = (1_u64 << 32) - u64::from(base);
        bytes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        Self { base, bytes: GuestBytes::new(bytes) }
    }

    /// So many zeros at `base`, cut off likewise; `None` if the host has no memory for them.
    fn zeroed(base: u32, length: u32) -> Option<Self> {
        let room = (1_u64 << 32) - u64::from(base);
        let bytes = GuestBytes::zeroed(u64::from(length).min(room) as usize)?;
        Some(Self { base, bytes })
    }

    /// The address of the first byte.
    #[must_use]
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// All bytes, as a shared view.
    #[must_use]
    pub fn as_slice(&self) -> GuestSlice<'_> {
        self.bytes.as_slice()
    }

    /// All bytes, mutable.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.bytes_mut()
    }
}

impl Memory for FlatMemory {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        let start = usize::try_from(address.checked_sub(self.base)?).ok()?;
        let all = self.bytes.as_slice();
        let end = start.checked_add(length as usize)?;
        (end <= all.len()).then(|| all.slice(start, length as usize))
    }
}

/// Memory of work that reads none and that nothing ends: nothing is mapped.
#[derive(Debug, Clone, Copy)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn region(&self, _: u32, _: u32) -> Option<GuestSlice<'_>> {
        None
    }
}

/// Several blocks of memory: the memory map of a console without a host.
#[derive(Debug, Clone, Default)]
pub struct BlockMemory {
    blocks: Vec<FlatMemory>,
}

impl BlockMemory {
    /// The blocks that the PICA200 reaches on an old 3DS: both banks of VRAM as one block of 6 MiB at 0x18000000, and
    /// 128 MiB of FCRAM at 0x20000000. All zero; untouched pages occupy no host memory.
    #[must_use]
    pub fn console() -> Self {
        Self::zeroed(&[(0x1800_0000, 6 << 20), (0x2000_0000, 128 << 20)])
    }

    /// Zeroed blocks of (address, bytes), which should not overlap; of overlapping blocks the first one is used.
    ///
    /// # Panics
    /// If the host has no memory for them; see [`try_zeroed`](Self::try_zeroed).
    #[must_use]
    pub fn zeroed(blocks: &[(u32, u32)]) -> Self {
        Self::try_zeroed(blocks)
            .unwrap_or_else(|bytes| panic!("there is no memory for blocks of {bytes} bytes"))
    }

    /// The same; the total size in bytes as the error if the host has no memory for it.
    ///
    /// # Errors
    /// As said.
    pub fn try_zeroed(blocks: &[(u32, u32)]) -> Result<Self, u64> {
        let bytes: u64 = blocks.iter().map(|&(_, length)| u64::from(length)).sum();
        let block = |&(base, length): &(u32, u32)| FlatMemory::zeroed(base, length).ok_or(bytes);
        let blocks: Result<Vec<_>, _> = blocks.iter().map(block).collect();
        Ok(Self { blocks: blocks? })
    }

    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &[FlatMemory] {
        &self.blocks
    }
}

impl Memory for BlockMemory {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        if length == 0 {
            return Some(GuestSlice::from_slice(&[]));
        }
        self.blocks.iter().find_map(|block| block.region(address, length))
    }

    /// The part of each block at once: events of a capture may write megabytes where nothing, or little, is mapped.
    fn set_bytes(&self, address: u32, mut bytes: &[u8]) {
        let mut at = u64::from(address);
        while !bytes.is_empty() {
            let (piece, behind) = bytes.split_at((bytes.len() as u64).min((1 << 32) - at) as usize);
            write_parts(&self.blocks, at, piece);
            (at, bytes) = (0, behind);
        }
    }
}

/// Writes each byte to the first of these blocks that has it.
fn write_parts(mut blocks: &[FlatMemory], mut address: u64, mut bytes: &[u8]) {
    while let Some((block, others)) = blocks.split_first().filter(|_| !bytes.is_empty()) {
        let all = block.as_slice();
        let offset = |place: u64| place.saturating_sub(address).min(bytes.len() as u64) as usize;
        let (start, end) = (offset(block.base.into()), offset(u64::from(block.base) + all.len() as u64));
        if start < end {
            let into = (address + start as u64 - u64::from(block.base)) as usize;
            all.write_all(into, &bytes[start..end]);
            write_parts(others, address, &bytes[..start]);
            (address, bytes) = (address + end as u64, &bytes[end..]);
        }
        blocks = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All cases; some of them under Miri, which takes a thousand times as long.
    fn sample<T>(cases: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        cases.step_by(if cfg!(miri) { 37 } else { 1 })
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot refuse memory")]
    fn zeros_or_nothing() {
        let blocks = [(0x1000, 0x800), (0x8000, 0), (0xffff_ff00, 0x200)];
        let memory = BlockMemory::try_zeroed(&blocks).expect("some pages");
        let lengths: Vec<usize> = memory.blocks().iter().map(|block| block.as_slice().len()).collect();
        assert_eq!(lengths, [0x800, 0, 0x100], "the last one is cut off");
        assert!(memory.blocks().iter().all(|block| block.as_slice().to_vec().iter().all(|&byte| byte == 0)));
        // More than any system has; the compiler may leave out an allocation that nobody looks at.
        assert!(std::hint::black_box(GuestBytes::zeroed(isize::MAX as usize)).is_none());
    }

    #[test]
    fn reads_and_writes_stay_inside() {
        let memory = BlockMemory::zeroed(&[(0x100, 8), (0x200, 4)]);
        write_bytes(&memory, 0x106, &[1, 2, 3]);
        write_bytes(&memory, 0x200, &[4, 5, 6, 7]);
        assert_eq!(read_bytes::<4>(&memory, 0x105), [0, 1, 2, 0]);
        assert_eq!(read_word(&memory, 0x200), 0x0706_0504);
        assert!(memory.region(0x104, 5).is_none() && memory.region(0x104, 4).is_some());
        assert_eq!(memory.byte(0xffff_ffff), 0);
    }

    /// As byte by byte, whatever the blocks: with gaps, empty, nested, at the end of the address space.
    #[test]
    fn writes_across_blocks() {
        let layouts: [&[(u32, u32)]; 5] = [
            &[],
            &[(4, 4), (8, 4), (16, 1), (18, 1)],
            &[(18, 3), (0, 2), (9, 0), (5, 6)],
            &[(8, 4), (4, 16), (0, 40), (6, 3)],
            &[(0xffff_fff8, 6), (0xffff_ffff, 1), (0, 3), (5, 2)],
        ];
        let bytes: Vec<u8> = (1..=40).collect();
        for blocks in layouts {
            for (address, length) in
                sample((0..24_u32).flat_map(|n| [0, 1, 3, 17, 40].map(|length| (n, length))))
            {
                let address = address.wrapping_sub(12);
                let [fast, slow] = [(); 2].map(|()| BlockMemory::zeroed(blocks));
                write_bytes(&fast, address, &bytes[..length]);
                match slow.region(address, length as u32) {
                    Some(slice) => slice.write_all(0, &bytes[..length]),
                    None => (address..=u32::MAX)
                        .chain(0..40)
                        .zip(&bytes[..length])
                        .for_each(|(at, &byte)| slow.set_byte(at, byte)),
                }
                let all = |memory: &BlockMemory| -> Vec<_> {
                    memory.blocks().iter().map(|block| block.as_slice().to_vec()).collect()
                };
                assert_eq!(all(&fast), all(&slow), "{blocks:x?} {address:#x} {length}");
            }
        }
    }

    /// 64 GiB where nothing or little is mapped: byte by byte, minutes.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn writes_beside_memory_take_no_time() {
        let bytes = vec![1; 64 << 20];
        let memory = BlockMemory::zeroed(&[(0x1000, 16), (0x0300_0000, 16), (0xffff_fff0, 16)]);
        let start = std::time::Instant::now();
        (0..1024).for_each(|i| write_bytes(&memory, i << 22, &bytes));
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
        assert!(memory.blocks().iter().all(|block| block.as_slice().to_vec() == [1; 16]));
    }

    #[test]
    fn bytes_wrap_around_the_address_space() {
        let memory = BlockMemory::zeroed(&[(0xffff_fffe, 2), (0, 2)]);
        write_bytes(&memory, 0xffff_fffe, &[1, 2, 3, 4]);
        assert_eq!(read_bytes::<4>(&memory, 0xffff_fffe), [1, 2, 3, 4]);
    }

    #[test]
    fn bytes_beyond_the_end_are_cut_off() {
        let memory = FlatMemory::new(0xffff_fffe, vec![1, 2, 3]);
        assert_eq!(memory.as_slice().to_vec(), [1, 2]);
        assert_eq!((memory.byte(0xffff_ffff), memory.byte(0)), (2, 0));
    }

    #[test]
    fn bytes_are_compared_at_any_place() {
        let memory = FlatMemory::new(0, (0..=255).collect());
        let places = [
            (0, 0),
            (0, 8),
            (8, 64),
            (8, 43),
            (3, 40),
            (1, 7),
            (16, 33),
            (5, 64),
            (1, 255),
            (0, 256),
            (9, 143),
        ];
        for (start, length) in places {
            let slice = memory.as_slice().slice(start, length);
            let mut bytes = slice.to_vec();
            assert_eq!(slice.snapshot(), bytes);
            assert!(slice.equals(&bytes));
            for place in 0..length {
                bytes[place] ^= 0x10;
                assert!(!slice.equals(&bytes), "{start}+{length}, {place}");
                bytes[place] ^= 0x10;
            }
            bytes.push(0);
            assert!(!slice.equals(&bytes));
        }
    }

    #[test]
    fn borrowed_bytes_are_only_read() {
        let slice = GuestSlice::from_slice(&[1; 40]);
        slice.write(0, 9);
        slice.write_all(0, &[9; 40]);
        slice.fill(&[9]);
        slice.slice(8, 8).copy_forward(GuestSlice::from_slice(&[9; 8]));
        assert_eq!((slice.to_vec(), slice.is_writable()), (vec![1; 40], false));
    }

    /// Every length around the sizes of chunks, at places that are aligned and not; nothing else changes.
    #[test]
    fn many_bytes_at_once() {
        let source: Vec<u8> = (0..300).map(|i| i as u8).collect();
        for (start, length) in sample((0..20).flat_map(|start| (0..200).map(move |length| (start, length)))) {
            let memory = FlatMemory::new(0, vec![0xee; 256]);
            memory.as_slice().write_all(start, &source[7..7 + length]);
            let bytes = memory.as_slice().to_vec();
            assert_eq!(bytes[start..start + length], source[7..7 + length]);
            assert!(bytes[..start].iter().chain(&bytes[start + length..]).all(|&byte| byte == 0xee));
            let mut read = vec![0; length];
            memory.as_slice().read_all(start, &mut read);
            assert_eq!(read, source[7..7 + length]);
        }
    }

    #[test]
    fn fills_repeat_the_value() {
        let long = if cfg!(miri) { 311 } else { 30_011 };
        for (value, length) in [1, 2, 3, 4, 7].into_iter().flat_map(|n| [0, 1, 63, 200, long].map(|l| (n, l)))
        {
            let value: Vec<u8> = (1..=value).collect();
            let memory = FlatMemory::new(0, vec![0; length + 8]);
            memory.as_slice().slice(3, length).fill(&value);
            let expected = value.iter().copied().cycle().take(length).chain([0; 5]);
            assert!(memory.as_slice().to_vec().into_iter().skip(3).eq(expected), "{value:?} {length}");
        }
    }

    /// A copy onto its own source repeats what it wrote.
    #[test]
    fn copies_forward() {
        for distance in [-70_isize, -1, 0, 1, 63, 64, 65, 100] {
            let mut expected: Vec<u8> = (0..=255).collect();
            let memory = FlatMemory::new(0, expected.clone());
            let (from, to) = (80, (80 + distance) as usize);
            (0..70).for_each(|i| expected[to + i] = expected[from + i]);
            let all = memory.as_slice();
            all.slice(to, 70).copy_forward(all.slice(from, 70));
            assert_eq!(all.to_vec(), expected, "{distance}");
            assert_eq!(all.slice(from, 70).shares_bytes(all.slice(to, 70)), distance.abs() < 70);
        }
    }

    /// A memory without regions beyond a byte: each byte by itself, around the end of the address space.
    #[test]
    fn bytes_one_by_one() {
        struct Bytes(BlockMemory);
        impl Memory for Bytes {
            fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
                if length > 1 { None } else { self.0.region(address, length) }
            }
        }
        let memory = Bytes(BlockMemory::zeroed(&[(0, 4), (0xffff_fffc, 4)]));
        write_bytes(&memory, 0xffff_fffe, &[1, 2, 3, 4]);
        assert_eq!(read_bytes::<6>(&memory, 0xffff_fffd), [0, 1, 2, 3, 4, 0]);
    }

    /// 6 MiB of VRAM and 128 MiB of FCRAM.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn blocks_of_a_console() {
        let memory = BlockMemory::console();
        let is_mapped = |address| memory.region(address, 1).is_some();
        assert_eq!([0x1800_0000, 0x185f_ffff, 0x2000_0000, 0x27ff_ffff].map(is_mapped), [true; 4]);
        assert_eq!([0x17ff_ffff, 0x1860_0000, 0x1fff_ffff, 0x2800_0000].map(is_mapped), [false; 4]);
    }
}
