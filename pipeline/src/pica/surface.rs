//! Render targets: colour and depth formats, and where a pixel lies.
//!
//! Source: pica-geometry.md 6.6, 6.8; pica-fragment.md 7.1.

/// The buffers that fragments go to.
pub struct Target<'a> {
    _memory: std::marker::PhantomData<&'a ()>,
}
