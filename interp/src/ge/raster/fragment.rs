//! `Fragment`: one covered pixel of a primitive, and `Quad`: values of the pixels around it.
//!
//! Source: psp-ge.md 8, 9.5.

/// A covered pixel with its interpolated values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fragment {
    /// Column in drawing space.
    pub(crate) x: i32,
    /// Row in drawing space.
    pub(crate) y: i32,
    /// Depth, 0 to 65535.
    pub(crate) z: i32,
    /// Primary colour: red, green, blue, alpha.
    pub(crate) colour: [u8; 4],
    /// Secondary colour: red, green, blue; the last byte is unused.
    pub(crate) secondary: [u8; 4],
    /// Fog coefficient.
    pub(crate) fog: u8,
    /// Texture coordinate s / q: relative to the texture size in normal mode, in texels of level 0 in through mode.
    /// May be infinite or NaN if q is 0.
    pub(crate) u: f64,
    /// As `u`, downward.
    pub(crate) v: f64,
}

/// Inputs of the level of detail: one value for all pixels of a 2x2 quad.
pub(crate) trait Quad {
    /// `u(X+1, Y) - u(X, Y)` and `v(X, Y+1) - v(X, Y)` of the quad around (x, y), whose upper left pixel (X, Y) has
    /// even coordinates.
    fn change(&self, x: i32, y: i32) -> [f64; 2];

    /// Clip w at the upper left pixel of the quad around (x, y).
    fn w(&self, x: i32, y: i32) -> f64;
}
