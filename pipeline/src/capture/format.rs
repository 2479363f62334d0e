//! The project's capture format: versioned, compressed, lossless.
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
//! Every machine has its own head and events, see [the PICA200](crate::pica::capture::format) and [the
//! GE](crate::ge::capture::format). One event is common to all: memory, which is a byte 1, the address, and the
//! number of a blob that precedes it in the file.
//!
//! A snapshot carries its own version, which changes with the persisted state of a machine.

pub(crate) mod read;
pub(crate) mod write;

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"PicaCap\n";
/// Version for reading and writing.
pub const VERSION: u32 = 1;
/// Default limit of the unpacked size of a capture in bytes: contents of chunks, plus 64 for each event.
pub const DEFAULT_LIMIT: u64 = 1 << 30;
/// Maximum number of memory blocks of a capture.
pub const MAX_REGIONS: usize = 64;
/// Maximum total size of the memory blocks in bytes.
pub const MAX_MAPPED: u64 = 1 << 30;

/// Bytes of a chunk before its payload.
const CHUNK_HEADER: usize = 16;
/// Charge of an event against the limit in bytes; its actual size is smaller.
pub(crate) const EVENT_COST: u64 = 64;

pub(crate) const STAT: [u8; 4] = *b"STAT";
pub(crate) const BLOB: [u8; 4] = *b"BLOB";
pub(crate) const EVTS: [u8; 4] = *b"EVTS";
pub(crate) const END: [u8; 4] = *b"END ";

/// Kind of the event common to all machines.
pub(crate) const MEMORY: u8 = 1;

/// The checksum of a chunk.
pub(crate) fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize()
}

/// True if the memory blocks are within the limits, lie inside the address space and do not overlap.
pub(crate) fn regions_are_sound(regions: &[(u32, u32)]) -> bool {
    let end = |&(base, length): &(u32, u32)| u64::from(base) + u64::from(length);
    let mut sorted: Vec<_> = regions.iter().take(MAX_REGIONS + 1).copied().collect();
    sorted.sort_unstable();
    sorted.len() <= MAX_REGIONS
        && sorted.iter().all(|region| end(region) <= 1 << 32)
        && sorted.iter().map(|&(_, length)| u64::from(length)).sum::<u64>() <= MAX_MAPPED
        && sorted.windows(2).all(|pair| end(&pair[0]) <= u64::from(pair[1].0))
}
