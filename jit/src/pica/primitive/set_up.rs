//! Set-up: from a triangle in clip space to triangles in window space. Every formula is written in the order of its
//! computation, because the order determines the bits.
//!
//! Source: pica-geometry.md 5.4-6.1.

use super::attributes::{self, Attributes};
use super::clip::{self, Polygon};
use super::window::{Corner, Place, Windows};
use crate::code::vectors::truncated;
use picaflor_pipeline::pica::raster::triangles::{Carrier, Face, Triangles};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::rasterizer::{CullMode, Viewport};
use picaflor_pipeline::pica::vertex::Vertex;

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
    /// remaining triangles. Degenerate triangles are dropped (our choice). `first`: where vertex 0 lies among those of `out`.
    #[inline]
    pub(super) fn process(
        &self,
        (numbers, first): ([u32; 3], usize),
        windows: &Windows,
        polygon: &mut Polygon,
        out: &mut Triangles,
    ) {
        let [a, b, c] = numbers.map(|number| first + number as usize);
        let (faces, vertices) = out.parts_mut();
        let from = [&vertices[a], &vertices[b], &vertices[c]];
        match windows.place(numbers, from) {
            Place::Outside => {}
            // Culled before anything else is read of the vertices.
            Place::Inside => {
                let corners = windows.corners(numbers);
                if let Some(is_turned) = self.facing(&corners) {
                    let [second, third] = self.opposite(from);
                    let carrier = |number: usize| Carrier::new(number as u32);
                    let carriers = [carrier(a), carrier(b).negated(second), carrier(c).negated(third)];
                    let flat = if self.is_flat { carrier(c) } else { Carrier::NONE };
                    put(faces, corners, carriers, flat, is_turned);
                }
            }
            Place::Unknown => {
                let triangle = ([a, b, c], windows.corners(numbers));
                self.clipped(triangle, windows.outside(numbers), polygon, (faces, vertices));
            }
        }
    }

    /// Clips the triangle of three vertices to a polygon and appends its parts. `outside`: planes that do not keep all of it.
    #[cold]
    fn clipped(
        &self,
        (numbers, corners): ([usize; 3], [Corner; 3]),
        outside: u8,
        polygon: &mut Polygon,
        (faces, vertices): (&mut Vec<Face>, &mut Vec<Vertex>),
    ) {
        let from = numbers.map(|number| &vertices[number]);
        let opposite = self.opposite(from);
        let turned = opposite.contains(&true).then(|| clip::turned(from, opposite));
        let from = turned.as_ref().map_or(from, <[Vertex; 3]>::each_ref);
        polygon.clip(from, (outside, self.user_plane), self.attributes);
        let carrier = |number: usize| Carrier::new(number as u32);
        let [a, b, c] = numbers.map(carrier);
        let carriers = [a, b.negated(opposite[0]), c.negated(opposite[1])];
        // That of the third vertex that was assembled, in all parts.
        let flat = if self.is_flat { c } else { Carrier::NONE };
        let known = |corner: clip::Corner<'_>| match corner {
            clip::Corner::Vertex(n) => (corners[n], carriers[n]),
            clip::Corner::Cut(vertex) => {
                vertices.push(*vertex);
                (Corner::of(vertex, &self.viewport), carrier(vertices.len() - 1))
            }
        };
        let mut fan = polygon.corners().map(known);
        let (Some(first), Some(mut second)) = (fan.next(), fan.next()) else { return };
        for third in fan {
            let corners = [first.0, second.0, third.0];
            if let Some(is_turned) = self.facing(&corners) {
                put(faces, corners, [first.1, second.1, third.1], flat, is_turned);
            }
            second = third;
        }
    }

    /// Whether the quaternions of vertices 1 and 2 are to be negated, if there are any.
    #[inline]
    fn opposite(&self, vertices: [&Vertex; 3]) -> [bool; 2] {
        if self.attributes.groups().contains(&attributes::QUATERNION) {
            clip::opposite_quaternions(vertices)
        } else {
            [false; 2]
        }
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
}

/// Appends the triangle of three corners, made counter-clockwise.
#[inline]
fn put(
    faces: &mut Vec<Face>,
    [a, b, c]: [Corner; 3],
    [first, second, third]: [Carrier; 3],
    flat: Carrier,
    is_turned: bool,
) {
    let (b, c, second, third) = if is_turned { (c, b, third, second) } else { (b, c, second, third) };
    faces.push(Face {
        x: [a.x, b.x, c.x],
        y: [a.y, b.y, c.y],
        z: [a.z, b.z, c.z],
        r: [a.r, b.r, c.r],
        carriers: [first, second, third],
        flat,
    });
}

fn twice_area(corners: &[Corner; 3]) -> i64 {
    let [a, b, c] = corners;
    let side = |to: &Corner| (i64::from(to.x - a.x), i64::from(to.y - a.y));
    let ((x1, y1), (x2, y2)) = (side(b), side(c));
    x1 * y2 - y1 * x2
}
