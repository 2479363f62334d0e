//! Set-up: from a triangle in clip space to triangles in window space. Every formula is written in the order of its
//! computation, because the order determines the bits.
//!
//! Source: pica-geometry.md 5.4-6.1.

use super::clip;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::rasterizer::{CullMode, Viewport};
use picaflor_pipeline::pica::vertex::{COLOUR, Vertex};

/// Largest magnitude of a window coordinate. Larger ones are clamped, so that products of two edges fit in 64 bits
/// with a margin (our choice).
pub(super) const FARTHEST: i32 = 1 << 18;

/// A vertex in window space.
struct Corner {
    x: i32,
    y: i32,
    z: f32,
    r: f32,
}

impl Corner {
    #[inline]
    fn of(vertex: &Vertex, viewport: &Viewport) -> Self {
        let r = 1.0 / vertex[3];
        let window = |i: usize| snap((vertex[i] * r + 1.0) * viewport.scale[i] + viewport.origin[i]);
        Self { x: window(0), y: window(1), z: vertex[2] * r, r }
    }
}

/// Converts a window coordinate to sixteenths of a pixel: nearest, ties away from 0; NaN becomes 0. The four fraction
/// bits are software tradition, not measured.
#[inline]
pub(super) fn snap(s: f32) -> i32 {
    let s = s * 16.0;
    // The cast makes 0 of a NaN and saturates. The fraction is exact: where there is one, both fit 24 bits.
    let whole = s as i32;
    let fraction = s - whole as f32;
    let away = i32::from(fraction >= 0.5) - i32::from(fraction <= -0.5);
    whole.saturating_add(away).clamp(-FARTHEST, FARTHEST)
}

/// Decoded registers for clipping and set-up; constant during a draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SetUp {
    viewport: Viewport,
    /// Culled triangles.
    cull: CullMode,
    /// Colours are those of the third vertex.
    is_flat: bool,
    user_plane: Option<[f32; 4]>,
}

impl SetUp {
    /// Decodes the registers.
    #[must_use]
    pub(super) fn of(registers: &Registers) -> Self {
        Self {
            viewport: registers.viewport(),
            cull: registers.face_culling().mode(),
            is_flat: registers.flat_colour().enable(),
            user_plane: registers.user_clip_plane(),
        }
    }

    /// Processes an assembled triangle with conditioned colours: aligns quaternions, clips, divides, culls, and
    /// appends the remaining triangles. Returns true if there are any: degenerate triangles count as dropped (our
    /// choice).
    pub(super) fn process(&self, vertices: [&Vertex; 3], out: &mut Vec<Triangle>) -> bool {
        let aligned = clip::align_quaternions(vertices);
        let vertices = aligned.as_ref().map_or(vertices, <[Vertex; 3]>::each_ref);
        // Before clipping, so that all parts have the colour of the third vertex that was assembled.
        let [.., last] = vertices;
        let flat = self.is_flat.then(|| std::array::from_fn(|i| last[COLOUR.start + i]));
        let before = out.len();
        if clip::is_inside(vertices, self.user_plane) {
            self.triangle(vertices, flat, out);
        } else {
            let polygon = clip::clip_triangle(vertices, self.user_plane);
            polygon.triangles().for_each(|part| self.triangle(part, flat, out));
        }
        out.len() > before
    }

    /// Appends the triangle of three vertices in clip space, in front of the eye, unless it is culled or has no area.
    fn triangle(&self, vertices: [&Vertex; 3], flat_colour: Option<[f32; 4]>, out: &mut Vec<Triangle>) {
        let [a, b, c] = vertices;
        let corner = |vertex| Corner::of(vertex, &self.viewport);
        let corners = [corner(a), corner(b), corner(c)];
        let area = twice_area(&corners);
        let kept = match self.cull {
            CullMode::KeepAll | CullMode::KeepAllToo => area != 0,
            CullMode::CullFront => area < 0,
            CullMode::CullBack => area > 0,
        };
        if kept && area > 0 {
            out.push(of_corners(corners, [a, b, c], flat_colour));
        } else if kept {
            let [p, q, r] = corners;
            out.push(of_corners([p, r, q], [a, c, b], flat_colour));
        }
    }
}

#[inline]
fn of_corners(corners: [Corner; 3], from: [&Vertex; 3], flat_colour: Option<[f32; 4]>) -> Triangle {
    let [a, b, c] = corners;
    let mut p = [*from[0], *from[1], *from[2]];
    for (p, r) in p.iter_mut().zip([a.r, b.r, c.r]) {
        p.iter_mut().for_each(|u| *u *= r);
    }
    Triangle {
        x: [a.x, b.x, c.x],
        y: [a.y, b.y, c.y],
        z: [a.z, b.z, c.z],
        r: [a.r, b.r, c.r],
        p,
        flat_colour,
    }
}

fn twice_area(corners: &[Corner; 3]) -> i64 {
    let [a, b, c] = corners;
    let side = |to: &Corner| (i64::from(to.x - a.x), i64::from(to.y - a.y));
    let ((x1, y1), (x2, y2)) = (side(b), side(c));
    x1 * y2 - y1 * x2
}
