//! Set-up: from a triangle in clip space to triangles in window space. Every formula is written in the order of its
//! computation, because the order determines the bits.
//!
//! Source: pica-geometry.md 5.4-6.1.

use super::attributes::{Attributes, QUATERNION};
use super::clip::{self, Polygon};
use super::window::{Corner, Place, Windows};
use crate::code::vectors::truncated;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::rasterizer::{CullMode, Viewport};
use picaflor_pipeline::pica::vertex::{COLOUR, SEMANTICS, Vertex};

/// Largest magnitude of a window coordinate. Larger ones are clamped, so that products of two edges fit in 64 bits
/// with a margin (our choice).
pub(super) const FARTHEST: i32 = 1 << 18;

/// Converts a window coordinate to sixteenths of a pixel: nearest, ties away from 0; NaN becomes 0. The four fraction
/// bits are software tradition, not measured.
#[inline(always)]
pub(super) fn snap(s: f32) -> i32 {
    let s = s * 16.0;
    // 0 of a NaN. The fraction is exact: where there is one, both fit 24 bits.
    let whole = truncated::<{ FARTHEST + 1 }>(s);
    let fraction = s - whole as f32;
    let away = i32::from(fraction >= 0.5) - i32::from(fraction <= -0.5);
    (whole + away).clamp(-FARTHEST, FARTHEST)
}

/// Decoded registers for clipping and set-up; constant during a draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SetUp {
    pub(super) viewport: Viewport,
    /// Culled triangles.
    cull: CullMode,
    /// Colours are those of the third vertex.
    is_flat: bool,
    pub(super) user_plane: Option<[f32; 4]>,
    attributes: Attributes,
}

impl SetUp {
    /// Decodes the registers. Triangles get these attributes.
    #[must_use]
    pub(super) fn of(registers: &Registers, attributes: Attributes) -> Self {
        Self {
            viewport: registers.viewport(),
            cull: registers.face_culling().mode(),
            is_flat: registers.flat_colour().enable(),
            user_plane: registers.user_clip_plane(),
            attributes,
        }
    }

    /// Processes an assembled triangle with conditioned colours: culls, aligns quaternions, clips, and appends the
    /// remaining triangles. Degenerate triangles are dropped (our choice).
    #[inline]
    pub(super) fn process(
        &self,
        numbers: [u32; 3],
        vertices: &[Vertex],
        windows: &Windows,
        polygon: &mut Polygon,
        out: &mut Vec<Triangle>,
    ) {
        let [a, b, c] = numbers;
        let from = [&vertices[a as usize], &vertices[b as usize], &vertices[c as usize]];
        match windows.place(numbers, from) {
            Place::Outside => {}
            // Culled before anything else is read of the vertices.
            Place::Inside => {
                let corners = windows.corners(numbers);
                if let Some(is_turned) = self.facing(&corners) {
                    let aligned = self.align(from);
                    let from = aligned.as_ref().map_or(from, <[Vertex; 3]>::each_ref);
                    self.put(out, corners, from, self.flat_colour(from), is_turned);
                }
            }
            Place::Unknown => self.clipped(from, windows.outside(numbers), polygon, out),
        }
    }

    /// Clips a triangle to a polygon and appends its parts. `outside`: planes that do not keep all of it.
    #[cold]
    fn clipped(&self, vertices: [&Vertex; 3], outside: u8, polygon: &mut Polygon, out: &mut Vec<Triangle>) {
        let aligned = self.align(vertices);
        let vertices = aligned.as_ref().map_or(vertices, <[Vertex; 3]>::each_ref);
        // Before clipping, so that all parts have the colour of the third vertex that was assembled.
        let flat_colour = self.flat_colour(vertices);
        polygon.clip(vertices, (outside, self.user_plane), self.attributes);
        for part in polygon.triangles(vertices) {
            let [a, b, c] = part;
            let corners = [a, b, c].map(|vertex| Corner::of(vertex, &self.viewport));
            if let Some(is_turned) = self.facing(&corners) {
                self.put(out, corners, part, flat_colour, is_turned);
            }
        }
    }

    /// Aligns quaternions, if there are any.
    #[inline]
    fn align(&self, vertices: [&Vertex; 3]) -> Option<[Vertex; 3]> {
        if self.attributes.groups().contains(&QUATERNION) { clip::align_quaternions(vertices) } else { None }
    }

    fn flat_colour(&self, [.., last]: [&Vertex; 3]) -> Option<[f32; 4]> {
        self.is_flat.then(|| std::array::from_fn(|i| last[COLOUR.start + i]))
    }

    /// `None` for a triangle that is culled or has no area; true for a clockwise one.
    #[inline]
    fn facing(&self, corners: &[Corner; 3]) -> Option<bool> {
        let area = twice_area(corners);
        let is_kept = match self.cull {
            CullMode::KeepAll | CullMode::KeepAllToo => area != 0,
            CullMode::CullFront => area < 0,
            CullMode::CullBack => area > 0,
        };
        is_kept.then_some(area < 0)
    }

    /// Appends the triangle of three corners, made counter-clockwise.
    #[inline]
    fn put(
        &self,
        out: &mut Vec<Triangle>,
        [a, b, c]: [Corner; 3],
        [first, second, third]: [&Vertex; 3],
        flat_colour: Option<[f32; 4]>,
        is_turned: bool,
    ) {
        let (b, c, second, third) = if is_turned { (c, b, third, second) } else { (b, c, second, third) };
        // Filled in where it stays: one made elsewhere would be copied right after it was written in small parts.
        out.push(BLANK);
        let Some(triangle) = out.last_mut() else { return };
        triangle.x = [a.x, b.x, c.x];
        triangle.y = [a.y, b.y, c.y];
        triangle.z = [a.z, b.z, c.z];
        triangle.r = [a.r, b.r, c.r];
        for ((p, from), r) in triangle.p.iter_mut().zip([first, second, third]).zip([a.r, b.r, c.r]) {
            self.attributes.fill(p, |k| from[k] * r);
        }
        triangle.flat_colour = flat_colour;
    }
}

/// A triangle to be filled in.
const BLANK: Triangle =
    Triangle { x: [0; 3], y: [0; 3], z: [0.0; 3], r: [0.0; 3], p: [[0.0; SEMANTICS]; 3], flat_colour: None };

fn twice_area(corners: &[Corner; 3]) -> i64 {
    let [a, b, c] = corners;
    let side = |to: &Corner| (i64::from(to.x - a.x), i64::from(to.y - a.y));
    let ((x1, y1), (x2, y2)) = (side(b), side(c));
    x1 * y2 - y1 * x2
}
