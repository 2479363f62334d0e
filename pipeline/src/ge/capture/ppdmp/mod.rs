//! Frame dumps of the PSP's GE, `.ppdmp`: versions 2 to 6.
//!
//! ```text
//! 0   8 bytes   "PPSSPPGE"
//! 8   word      version
//!     12 bytes  game, from version 4 on
//!     words     number of records, bytes of the data buffer
//!     block     the records, 9 bytes each: kind, size and offset of its bytes in the data buffer
//!     block     the data buffer
//! ```
//!
//! A block is the size of what follows, and that: Snappy up to version 4, Zstandard from 5 on. What comes after
//! the second block is ignored.
//!
//! A dump holds display lists as a flat stream, and in front of each draw the memory that it reads.
//!
//! * [`read()`] reads a file, [`Record`]s are what is in it.
//! * [`translate()`] makes a capture of it.
//! * [`mod@write`] makes files for tests and tools.
//!
//! Source: psp-ge.md 12.

mod place;
mod read;
mod translate;
mod unpack;
pub mod write;

#[cfg(test)]
mod tests;

pub use read::{read, read_limited};
pub use translate::{Lists, translate};

use crate::ge::capture::Display;
use std::sync::Arc;

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"PPSSPPGE";
/// The versions that are read.
pub const VERSIONS: std::ops::RangeInclusive<u32> = 2..=6;
/// Words of an initial state: a context block.
pub const CONTEXT_WORDS: usize = 512;

/// From this version on there is a game.
const GAME_SINCE: u32 = 4;
/// From this version on blocks are Zstandard.
const ZSTANDARD_SINCE: u32 = 5;
/// From this version on the flag for memory that did not change can be trusted.
const UNCHANGED_SINCE: u32 = 6;
/// Bytes of a record in a file.
const RECORD_BYTES: usize = 9;

/// A range of the data buffer. Records may share or overlap theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// Where it begins.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
}

/// Flags of texture memory inside VRAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VramFlags(pub u32);

impl VramFlags {
    /// Whether the frame drew to this memory before.
    #[must_use]
    pub const fn is_target(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the memory is as when it was last in the dump. Means something from version 6 on.
    #[must_use]
    pub const fn is_unchanged(self) -> bool {
        self.0 & 2 != 0
    }
}

/// One record of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// The state at the start: a context block.
    Init(Span),
    /// Words of a display list, to be executed in order.
    Registers(Span),
    /// Vertices from number 0 on.
    Vertices(Span),
    /// Indices.
    Indices(Span),
    /// What the next CLOAD loads; right behind the initial state, what the look-up table holds.
    Clut(Span),
    /// What the next TRXKICK copies, from the source base address on.
    TransferSource(Span),
    /// VRAM was filled.
    Fill {
        /// First address.
        address: u32,
        /// What each byte is now.
        value: u8,
        /// Bytes.
        size: u32,
    },
    /// Where the next [`Copy`](Self::Copy) goes.
    CopyTo(u32),
    /// VRAM was written.
    Copy(Span),
    /// A buffer is shown: the last record of a frame.
    Display(Display),
    /// Where the next [`Clut`](Self::Clut) lies in VRAM.
    ClutAddress {
        /// Address.
        address: u32,
        /// What is known about the memory there.
        flags: VramFlags,
    },
    /// The mirrors of VRAM were wired in another way: the value of the system call.
    Translation(u32),
    /// A level of the texture.
    Texture {
        /// The level.
        level: u8,
        /// What it holds.
        span: Span,
    },
    /// A level of the texture, in VRAM.
    FrameBuffer {
        /// The level.
        level: u8,
        /// Address.
        address: u32,
        /// Texels from row to row.
        stride: i32,
        /// What is known about the memory there.
        flags: VramFlags,
        /// What it holds.
        span: Span,
    },
}

/// A dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// Version of the file.
    pub version: u32,
    /// The game, where the file names it; what is no printable letter has been left out.
    pub game: String,
    /// What happened.
    pub records: Vec<Record>,
    /// The data buffer. The spans of all records lie inside.
    data: Arc<[u8]>,
}

impl Dump {
    /// The bytes of a record; those of a span from elsewhere as far as they exist.
    #[must_use]
    pub fn bytes(&self, span: Span) -> &[u8] {
        let start = (span.offset as usize).min(self.data.len());
        let end = start.saturating_add(span.size as usize).min(self.data.len());
        &self.data[start..end]
    }

    /// The whole words of a record.
    pub fn words(&self, span: Span) -> impl Iterator<Item = u32> + '_ {
        self.bytes(span).as_chunks().0.iter().map(|&word| u32::from_le_bytes(word))
    }

    /// Bytes of the data buffer.
    #[must_use]
    pub fn data_bytes(&self) -> usize {
        self.data.len()
    }

    /// Whether VRAM may already hold what a record brings, better than the record does.
    #[must_use]
    pub const fn is_in_vram(&self, flags: VramFlags) -> bool {
        flags.is_target() || (self.version >= UNCHANGED_SINCE && flags.is_unchanged())
    }

    /// Number of frames that end in this dump.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.records.iter().filter(|record| matches!(record, Record::Display(_))).count()
    }
}
