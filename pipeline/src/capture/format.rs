//! The own capture format: versioned, compressed, lossless.
//!
//! ```text
//! 0   8 bytes  "PicaCap\n"
//! 8   word     version
//! 12  chunks   HEAD, STAT, then BLOB and EVTS in any number, END
//! ```
//!
//! Words are little endian. A chunk is its kind (four letters), the size of its payload in the file, the
//! size of its contents, a CRC-32 of these three and the payload, and the payload. The payload is the
//! contents compressed as one LZ4 block, or the contents themselves where that is not smaller.
//!
//! | chunk | contents |
//! |---|---|
//! | `HEAD` | words: origin (0 recorder, 1 CiTrace), precision (0 console, 1 binary32), number of blocks of memory, address and bytes of each |
//! | `STAT` | the words of the [`Snapshot`](crate::pica::Snapshot) |
//! | `BLOB` | contents of memory; numbered from 0 in the order of the file; equal contents are stored once |
//! | `EVTS` | events: a byte for the kind, then its words |
//! | `END ` | the number of events, two words |
//!
//! | event | kind and words |
//! |---|---|
//! | memory | 1, address, number of the blob, which comes earlier in the file |
//! | register | 2, id, value, mask |
//! | MMIO | 3, address, value |
//! | list | 4, address, size in bytes |
//! | frame | 5 |
//!
//! A capture of the [GE](crate::ge::capture::format) is in the same chunks, with another one first and events of its own.
//!
//! A snapshot carries a version of its own, which changes with what a machine persists.

pub(crate) mod read;
pub(crate) mod write;

pub use read::{read, read_limited};
pub use write::write;

use super::{Event, Origin};
use crate::pica::float::Precision;

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
const EVENT_COST: u64 = 64;
const _: () = assert!(size_of::<Event>() as u64 <= EVENT_COST);

const HEAD: [u8; 4] = *b"HEAD";
const STAT: [u8; 4] = *b"STAT";
const BLOB: [u8; 4] = *b"BLOB";
const EVTS: [u8; 4] = *b"EVTS";
const END: [u8; 4] = *b"END ";

pub(crate) const MEMORY: u8 = 1;
const REGISTER: u8 = 2;
const MMIO: u8 = 3;
const LIST: u8 = 4;
const FRAME: u8 = 5;

const ORIGINS: [Origin; 2] = [Origin::Recorder, Origin::CiTrace];
const PRECISIONS: [Precision; 2] = [Precision::Console, Precision::Binary32];

/// The checksum of a chunk.
fn checksum(header: &[u8], payload: &[u8]) -> u32 {
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

#[cfg(test)]
mod tests;
