//! Errors in reading a capture.

use crate::snapshot::SnapshotError;
use std::fmt;

/// A capture that cannot be read: the problem and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset} of the capture: {problem}")]
#[non_exhaustive]
pub struct CaptureError {
    /// Offset of the problem in the file, in bytes.
    pub offset: u64,
    /// The problem.
    pub problem: Problem,
}

/// Kinds of problems in a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The first bytes match no known format.
    NotACapture,
    /// An unsupported version of the format.
    Version(u32),
    /// The file ends inside a structure.
    Truncated,
    /// Bytes follow the end.
    TrailingBytes,
    /// A chunk differs from its checksum.
    Checksum,
    /// The compressed bytes of a chunk do not unpack to the declared contents.
    Compression,
    /// The capture unpacks to more bytes than the limit.
    TooLarge {
        /// Bytes needed so far.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The events write more bytes of memory than the file may.
    WritesTooMuch {
        /// Bytes written so far.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A chunk of unknown kind, or in a wrong position.
    UnexpectedChunk([u8; 4]),
    /// A field has an invalid value.
    BadValue(u32),
    /// Blocks of memory overlap, reach past the end of the address space or are too many.
    BadRegions,
    /// An event of unknown kind.
    UnknownEvent(u32),
    /// An event refers to a blob that is not in the file.
    NoSuchBlob(u32),
    /// A range of a CiTrace file, or its header, lies outside the file or inside its header.
    BadRange {
        /// Offset of the range in the file.
        start: u32,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The state of the machine was not saved by this version.
    BadState,
    /// The host has no memory for it.
    NoMemory {
        /// Bytes needed in one piece.
        bytes: u64,
    },
}

/// Why the state of a capture cannot be loaded.
impl From<SnapshotError> for Problem {
    fn from(why: SnapshotError) -> Self {
        match why {
            SnapshotError::NoMemory { words } => Self::NoMemory { bytes: 4 * words as u64 },
            _ => Self::BadState,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACapture => f.write_str("not a capture of a known format"),
            Self::Version(version) => write!(f, "version {version} is not known"),
            Self::Truncated => f.write_str("the file ends too early"),
            Self::TrailingBytes => f.write_str("there are bytes after the end"),
            Self::Checksum => f.write_str("the checksum is wrong"),
            Self::Compression => f.write_str("the compressed bytes are damaged"),
            Self::TooLarge { bytes, limit } => {
                write!(f, "it unpacks to {bytes} bytes or more; {limit} are allowed")
            }
            Self::WritesTooMuch { bytes, limit } => {
                write!(f, "its events write {bytes} bytes or more; {limit} are allowed")
            }
            Self::UnexpectedChunk(kind) => write!(f, "unexpected chunk \"{}\"", kind.escape_ascii()),
            Self::BadValue(value) => write!(f, "{value:#x} has no meaning here"),
            Self::BadRegions => f.write_str("the blocks of memory overlap or are too many or too large"),
            Self::UnknownEvent(tag) => write!(f, "unknown event {tag:#x}"),
            Self::NoSuchBlob(blob) => write!(f, "memory contents {blob} are missing"),
            Self::BadRange { start, bytes } => {
                write!(f, "{bytes} bytes at offset {start:#x} do not fit into the file")
            }
            Self::NoMemory { bytes } => write!(f, "there is no memory for {bytes} bytes of it"),
            Self::BadState => f.write_str("the state of the machine is not of this version"),
        }
    }
}

impl Problem {
    /// The error for this problem at offset `offset`.
    pub(crate) const fn at(self, offset: usize) -> CaptureError {
        CaptureError { offset: offset as u64, problem: self }
    }
}
