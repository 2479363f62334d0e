//! Textures of the GE: keys of images ([`ImageKey`]), and those that the interpreter is lent.

mod image_key;
mod lent;
#[cfg(test)]
mod lent_tests;
#[cfg(test)]
mod levels_tests;
#[cfg(test)]
mod neighbours_tests;

pub(crate) use image_key::{Decoder, ImageKey};
pub(crate) use lent::lent;
