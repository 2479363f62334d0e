//! One fragment, from interpolants to the framebuffer, in hardware order.
//!
//! Everything is read from registers and tables, fragment by fragment; nothing is derived ahead of time.
//!
//! Source: pica-fragment.md; the stage order is its section 1.4.

mod lighting;
mod vector;

use picaflor_pipeline::pica::raster::{Sample, Triangle};

/// A texture coordinate with its change per pixel to the right and upward.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Coordinate {
    /// Value at the pixel centre.
    pub(crate) value: f32,
    /// Change per pixel to the right.
    pub(crate) dx: f32,
    /// Change per pixel upward.
    pub(crate) dy: f32,
}

/// Interpolated inputs of a fragment (1.1, 1.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inputs {
    /// Window column.
    pub(crate) x: i32,
    /// Window row, upward.
    pub(crate) y: i32,
    /// Depth, 0 to 1, before quantisation.
    pub(crate) depth: f32,
    /// Vertex colour, red first.
    pub(crate) colour: [u8; 4],
    /// Normal quaternion, not normalised yet.
    pub(crate) quaternion: [f32; 4],
    /// Texture coordinates u and v of sets 0, 1 and 2.
    pub(crate) texcoord: [[Coordinate; 2]; 3],
    /// Texture coordinate 0 w.
    pub(crate) texcoord0_w: Coordinate,
    /// View vector.
    pub(crate) view: [f32; 3],
}

impl Inputs {
    /// The inputs at one sample, given its depth.
    pub(crate) fn of(triangle: &Triangle, at: &Sample, depth: f32) -> Self {
        let rd = triangle.rd(at);
        let attribute = |k| triangle.attribute(k, at, rd);
        let coordinate = |k| {
            let value = attribute(k);
            let [dx, dy] = triangle.derivative(k, value, rd);
            Coordinate { value, dx, dy }
        };
        let colour = triangle.flat_colour.unwrap_or_else(|| [8, 9, 10, 11].map(attribute));
        Self {
            x: at.x,
            y: at.y,
            depth,
            colour: colour.map(colour_byte),
            quaternion: [4, 5, 6, 7].map(attribute),
            texcoord: [[12, 13], [14, 15], [22, 23]].map(|set| set.map(coordinate)),
            texcoord0_w: coordinate(16),
            view: [18, 19, 20].map(attribute),
        }
    }
}

/// `round(clamp(c, 0, 1) * 255)`; a NaN gives 0.
pub(crate) fn colour_byte(c: f32) -> u8 {
    (clamp(c, 0.0, 1.0) * 255.0 + 0.5) as u8
}

/// `min(max(x, low), high)` by comparisons: a NaN gives `low`.
pub(crate) fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let above = if x > low { x } else { low };
    if above < high { above } else { high }
}
