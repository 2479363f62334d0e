//! Keys of the GE.

#[cfg(test)]
mod laws;
pub(crate) mod pixel;
mod registers;
pub(crate) mod texture;
pub(crate) mod vertex;

pub(crate) use pixel::PixelKey;
pub(crate) use vertex::TransformKey;
