//! Textures of the GE: keys of images ([`ImageKey`]), level of detail ([`detail`]), which selects levels ([`lod`]), and
//! the way from coordinates to colours ([`filter`]).

mod detail;
pub(crate) mod filter;
mod image_key;
mod lent;
#[cfg(test)]
mod lent_tests;
pub(crate) mod lod;

pub(crate) use image_key::{Decoder, ImageKey};
pub(crate) use lent::lent;
