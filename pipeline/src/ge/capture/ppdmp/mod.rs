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
//! A block is the size of its packed data, followed by that data: Snappy up to version 4, Zstandard from 5 on. Bytes
//! after the second block are ignored.
//!
//! A dump holds display lists as a flat stream, and in front of each draw the memory that it reads.
//!
//! * [`read()`] reads a file into [`Record`]s.
//! * [`translate()`] converts a dump to a capture.
//! * [`mod@write`] writes files for tests and tools.
//!
//! Source: psp-ge.md 12.

mod account;
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
/// The supported versions.
pub const VERSIONS: std::ops::RangeInclusive<u32> = 2..=6;
/// Words of an initial state: a context block.
pub const CONTEXT_WORDS: usize = 512;

/// First version with the game field.
const GAME_SINCE: u32 = 4;
/// First version with Zstandard blocks.
const ZSTANDARD_SINCE: u32 = 5;
/// First version whose flag for unchanged memory is reliable.
const UNCHANGED_SINCE: u32 = 6;
/// Bytes of a record in a file.
const RECORD_BYTES: usize = 9;

/// A range of the data buffer. Records may share or overlap theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Flags of texture memory inside VRAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VramFlags(pub u32);

impl VramFlags {
    /// True if the frame drew to this memory before.
    #[must_use]
    pub const fn is_target(self) -> bool {
        self.0 & 1 != 0
    }

    /// True if the memory is unchanged since its last occurrence in the dump. Valid from version 6 on.
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
    /// Source of the next CLOAD; directly after the initial state, the content of the look-up table.
    Clut(Span),
    /// Source of the next TRXKICK, from the source base address on.
    TransferSource(Span),
    /// A fill of VRAM.
    Fill {
        /// First address.
        address: u32,
        /// New value of each byte.
        value: u8,
        /// Size in bytes.
        size: u32,
    },
    /// Destination of the next [`Copy`](Self::Copy).
    CopyTo(u32),
    /// A write to VRAM.
    Copy(Span),
    /// Display of a buffer: the last record of a frame.
    Display(Display),
    /// VRAM address of the next [`Clut`](Self::Clut).
    ClutAddress {
        /// Address.
        address: u32,
        /// Flags of the memory at the address.
        flags: VramFlags,
    },
    /// A change of the wiring of the VRAM mirrors: the value of the system call.
    Translation(u32),
    /// A level of the texture.
    Texture {
        /// The level.
        level: u8,
        /// Content.
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
        /// Flags of the memory at the address.
        flags: VramFlags,
        /// Content.
        span: Span,
    },
}

/// A dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// Version of the file.
    pub version: u32,
    /// Name of the game, if the file has one, without unprintable characters.
    pub game: String,
    /// The records, in order.
    pub records: Vec<Record>,
    /// The data buffer. The spans of all records lie inside.
    data: Arc<[u8]>,
    /// Bytes of the file.
    packed: u64,
}

impl Dump {
    /// The bytes of a record; a span from another dump is cut at the end of the data buffer.
    #[must_use]
    pub fn bytes(&self, span: Span) -> &[u8] {
        let start = (span.offset as usize).min(self.data.len());
        let end = start.saturating_add(span.size as usize).min(self.data.len());
        &self.data[start..end]
    }

    /// The span, grown to `size` bytes as far as the data buffer goes; never shortened.
    #[must_use]
    pub fn grown(&self, span: Span, size: u32) -> Span {
        let room = (self.data.len() as u64).saturating_sub(span.offset.into());
        // `size` is an upper bound of the conversion.
        let grown = u64::from(size).min(room) as u32;
        Span { size: span.size.max(grown), ..span }
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

    /// True if VRAM may already hold the content of a record, in a more recent version than the record.
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
