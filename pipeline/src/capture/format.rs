//! The own capture format: versioned, compressed, lossless.
//!
//! ```text
//! 0   8 bytes  "PicaCap\n"
//! 8   word     version
//! 12  chunks   a head, STAT, then BLOB and EVTS in any number, END
//! ```
//!
//! Words are little endian. A chunk is its kind (four letters), the size of its payload in the file, the
//! size of its contents, a CRC-32 of these three and the payload, and the payload. The payload is the
//! contents compressed as one LZ4 block, or the contents themselves where that is not smaller.
//!
//! | chunk | contents |
//! |---|---|
//! | `STAT` | the words of the [`Snapshot`](crate::snapshot::Snapshot) |
//! | `BLOB` | contents of memory; numbered from 0 in the order of the file; equal contents are stored once |
//! | `EVTS` | events: a byte for the kind, then its words |
//! | `END ` | the number of events, two words |
//!
//! Every machine has a head and events of its own, [the PICA200](crate::pica::capture::format) and [the
//! GE](crate::ge::capture::format); one event is the same for all: memory, which is a byte 1, the address, and the number of
//! a blob that comes earlier in the file.
//!
//! A snapshot carries a version of its own, which changes with what a machine persists.

pub(crate) mod read;
pub(crate) mod write;

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"PicaCap\n";
/// The version that is written and read.
pub const VERSION: u32 = 1;
/// What a capture may unpack to unless the caller says otherwise, in bytes: contents of chunks, and 64 for
/// each event.
pub const DEFAULT_LIMIT: u64 = 1 << 30;
/// Most blocks of memory of a capture, and most bytes that they may have together.
pub const MAX_REGIONS: usize = 64;
/// Most bytes that the blocks of memory may have together.
pub const MAX_MAPPED: u64 = 1 << 30;

/// Bytes of a chunk before its payload.
const CHUNK_HEADER: usize = 16;
/// What an event counts for against the limit; it takes less.
pub(crate) const EVENT_COST: u64 = 64;

pub(crate) const STAT: [u8; 4] = *b"STAT";
pub(crate) const BLOB: [u8; 4] = *b"BLOB";
pub(crate) const EVTS: [u8; 4] = *b"EVTS";
pub(crate) const END: [u8; 4] = *b"END ";

/// The kind of the event that every machine has.
pub(crate) const MEMORY: u8 = 1;

/// The checksum of a chunk.
pub(crate) fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize()
}

/// Whether blocks of memory are few, lie inside the address space and do not overlap.
pub(crate) fn regions_are_sound(regions: &[(u32, u32)]) -> bool {
    let end = |&(base, length): &(u32, u32)| u64::from(base) + u64::from(length);
    let mut sorted: Vec<_> = regions.iter().take(MAX_REGIONS + 1).copied().collect();
    sorted.sort_unstable();
    sorted.len() <= MAX_REGIONS
        && sorted.iter().all(|region| end(region) <= 1 << 32)
        && sorted.iter().map(|&(_, length)| u64::from(length)).sum::<u64>() <= MAX_MAPPED
        && sorted.windows(2).all(|pair| end(&pair[0]) <= u64::from(pair[1].0))
}
