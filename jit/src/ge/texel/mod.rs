//! Texels: colours of all formats, and the colour look-up table. Their addresses are those of
//! [`Level`](picaflor_pipeline::ge::texel::Level). Nothing here reads memory.
//!
//! Source: psp-ge.md 1.5, 9.3, 9.4.

pub(crate) mod clut;
pub(crate) mod colour;
pub(crate) mod dxt;
