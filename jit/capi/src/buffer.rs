//! Blocks of bytes that the library gives away.

use crate::handle::{Handle, Owned};
use crate::raw::Array;
use crate::status::{Status, guard};

/// `picaflor_buffer`.
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Text, and a zero byte that does not count.
    pub(crate) fn of_text(text: &str) -> Self {
        Self(text.replace('\0', " ").bytes().chain([0]).collect())
    }

    /// The bytes of words, the lowest first.
    pub(crate) fn of_words(words: &[u32]) -> Self {
        Self(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_buffer_data(buffer: Handle<Buffer>) -> Array<u8> {
    Array::lent(buffer.get("buffer").map_or(std::ptr::null(), |buffer| buffer.0.as_ptr()))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_buffer_size(buffer: Handle<Buffer>) -> usize {
    buffer.get("buffer").map_or(0, |buffer| buffer.0.len())
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_buffer_destroy(buffer: Owned<Buffer>) -> Status {
    guard(|| buffer.destroy("buffer", |_| Ok(())))
}
