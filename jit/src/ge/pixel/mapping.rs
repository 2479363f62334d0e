//! The texels of the pixels of a primitive, exactly.

use super::coverage::Coverage;
use super::feedback::{Feedback, Texels};
use super::setup::{Linear, columns};
use crate::ge::raster::texture::{Coordinates, reciprocal};
use crate::ge::raster::triangle::{Edges, centre};
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::rect::Rect;

/// A primitive and its texture.
pub(super) struct Mapping<'a> {
    feedback: &'a Feedback,
    of: Of<'a>,
}

enum Of<'a> {
    /// Not divided by q: coordinates are monotonic, as each step of their computation is.
    Rectangle {
        a: &'a Corner,
        b: &'a Corner,
        is_swapped: bool,
    },
    Triangle {
        corners: &'a [Corner; 3],
        edges: Edges,
        coordinates: Coordinates<3>,
        is_affine: bool,
    },
}

impl<'a> Mapping<'a> {
    /// `None` if the texels are not known: of rectangles whose coordinates are divided, or are not finite.
    pub(super) fn of(feedback: &'a Feedback, primitive: &'a Primitive) -> Option<Self> {
        let corners = &primitive.corners;
        let [a, b, c] = corners;
        let of = if primitive.shape == Shape::Rectangle {
            let is_known = |corner: &Corner| {
                corner.texture[2] == 1.0 && corner.texture[0].is_finite() && corner.texture[1].is_finite()
            };
            if !is_known(a) || !is_known(b) {
                return None;
            }
            Of::Rectangle { a, b, is_swapped: (b.x > a.x) != (b.y > a.y) }
        } else {
            let is_affine = corners.iter().all(|corner| corner.w == a.w && corner.texture[2] == 1.0);
            let (edges, coordinates) = (Edges::new(corners), Coordinates::new([a, b, c]));
            Of::Triangle { corners, edges, coordinates, is_affine }
        };
        Some(Self { feedback, of })
    }

    /// The pixels that it covers: of a triangle, its bounds.
    pub(super) fn covered(&self) -> Rect {
        let [[x0, x1], [y0, y1]] = match &self.of {
            Of::Rectangle { a, b, .. } => [columns(a.x, b.x), columns(a.y, b.y)],
            Of::Triangle { corners: [a, b, c], .. } => [
                columns(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x)),
                columns(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y)),
            ],
        };
        Rect { x0, y0, x1, y1 }
    }

    /// The pixels that it covers of a part of a row.
    pub(super) fn of_row(&self, row: Rect) -> Rect {
        let Of::Triangle { edges, .. } = &self.of else { return row };
        let values = Linear::of_edges(edges, [row.x0, row.y0]);
        let [x0, x1] = Coverage::new(&values, edges.least(), row).next();
        Rect { x0, x1: x1.max(x0), ..row }
    }

    /// Texels that hold all those of an area; `None` if they are not known.
    pub(super) fn around(&self, area: Rect) -> Option<Texels> {
        match &self.of {
            Of::Rectangle { .. } => Some(self.texels(area)),
            Of::Triangle { corners, .. } => self.feedback.around(corners),
        }
    }

    /// The texels of some pixels, at least one; of a triangle, those of one row.
    pub(super) fn texels(&self, area: Rect) -> Texels {
        match &self.of {
            Of::Rectangle { .. } => self.of_rectangle(area),
            Of::Triangle { edges, coordinates, is_affine, .. } => {
                let pixels = (area.x0..area.x1).map(|x| edges.at(x, area.y0).map(|edge| edge as f64));
                let each = pixels.map(|weights| {
                    let place = coordinates_at(coordinates, *is_affine, weights);
                    [0, 1].map(|axis| {
                        let first = self.feedback.texel(axis, place[axis]);
                        self.feedback.wrapped(axis, [first, first + self.feedback.more()])
                    })
                });
                let joined = |a: [u32; 2], b: [u32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
                each.reduce(|a, b| [joined(a[0], b[0]), joined(a[1], b[1])]).unwrap_or_default()
            }
        }
    }

    fn of_rectangle(&self, area: Rect) -> Texels {
        let (columns, rows) = ([area.x0, area.x1 - 1], [area.y0, area.y1 - 1]);
        [0, 1].map(|axis| {
            let ends = [0, 1].map(|end| self.texel(axis, [columns[end], rows[end]]));
            let [from, to] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            self.feedback.wrapped(axis, [from, to + self.feedback.more()])
        })
    }

    /// The texel of a rectangle at a pixel, or the first one of two.
    fn texel(&self, axis: usize, [x, y]: [i32; 2]) -> i64 {
        let Of::Rectangle { a, b, is_swapped } = &self.of else { return 0 };
        let along_x = (axis == 0) != *is_swapped;
        let [start, end] = [a, b].map(|corner| f64::from(if along_x { corner.x } else { corner.y }));
        let [from, to] = [a, b].map(|corner| corner.texture[axis]);
        let distance = f64::from(centre(if along_x { x } else { y })) - start;
        let length = end - start;
        self.feedback.texel(axis, (from * length + (to - from) * distance) / length)
    }
}

/// u and v of a triangle, as psp-ge.md 8.6 has them.
fn coordinates_at(
    Coordinates { s, t, q, .. }: &Coordinates<3>,
    is_affine: bool,
    weights: [f64; 3],
) -> [f64; 2] {
    let [a, b, c] = weights;
    let weighted = |values: &[f64; 3]| (a * values[0] + b * values[1]) + c * values[2];
    let sum = (a + b) + c;
    if is_affine {
        return [s, t].map(|values| weighted(values) / sum);
    }
    let share = 1.0 / sum;
    let reciprocal = reciprocal(weighted(q) * share);
    [s, t].map(|values| weighted(values) * share * reciprocal)
}
