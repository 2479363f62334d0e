//! Blocks of bytes that the library gives away.

use crate::handle::{Handle, Owned};
use crate::raw::Array;
use crate::status::{Failure, Status, guard};

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

    /// The bytes of the words of some parts, of each word the lowest first.
    pub(crate) fn of_words(parts: &[&[u32]]) -> Result<Self, Failure> {
        let length = 4 * parts.iter().map(|part| part.len()).sum::<usize>();
        let mut bytes = Vec::new();
        let short = |_| Failure::new(Status::Host, format!("there is no memory for {length} bytes"));
        bytes.try_reserve_exact(length).map_err(short)?;
        parts.iter().for_each(|part| bytes.extend(part.iter().flat_map(|word| word.to_le_bytes())));
        Ok(Self(bytes))
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
    guard(|| buffer.destroy("buffer"))
}
