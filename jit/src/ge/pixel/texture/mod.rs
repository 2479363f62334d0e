//! Textures of the GE: decoded images kept from draw to draw ([`cache`]), level of detail ([`lod`]), and the way from
//! coordinates to colours ([`filter`]).

pub(crate) mod cache;
pub(crate) mod filter;
pub(crate) mod lod;
