//! Pictures in buffers of the caller.

use crate::raw::{In, Room, c_struct};
use crate::status::Failure;
use picaflor_pipeline::picture::{PictureBuffer, PictureError, PictureFormat};

c_struct! {
    growing
    /// `picaflor_picture_buffer`.
    BufferConfig {
        /// The first pixel.
        bytes: Room<u8>,
        /// Bytes that may be written.
        capacity: usize,
        /// Bytes from row to row; 0: rows without gaps.
        stride: usize,
        /// `picaflor_picture_format`.
        format: u32,
        /// Zero.
        reserved: u32,
    }
}

/// Reads the description of a buffer, and lets `write` fill it. Without a stride it is called once more, with that of
/// the size for which there was no room.
pub(crate) fn fill<T>(
    buffer: &In<BufferConfig>,
    mut write: impl FnMut(&mut PictureBuffer<'_>) -> Result<Result<T, PictureError>, Failure>,
) -> Result<Result<T, PictureError>, Failure> {
    let mut config = buffer.read("picaflor_picture_buffer")?;
    let format = match (config.format, config.reserved) {
        (0, 0) => PictureFormat::Rgb,
        (1, 0) => PictureFormat::Rgba,
        (2, 0) => PictureFormat::Bgra,
        (format, 0) => return Err(Failure::argument(format!("picture format {format}"))),
        (_, reserved) => return Err(Failure::argument(format!("reserved: {reserved}"))),
    };
    let stride = config.stride;
    let bytes = config.bytes.slice(config.capacity, "bytes")?;
    match write(&mut PictureBuffer::new(bytes, stride, format))? {
        Err(PictureError::NoRoom { width, .. }) if stride == 0 => {
            write(&mut PictureBuffer::new(bytes, width as usize * format.bytes(), format))
        }
        result => Ok(result),
    }
}

/// The failure of a buffer without room.
pub(crate) fn no_room(why: PictureError) -> Failure {
    Failure::size(why.to_string())
}
