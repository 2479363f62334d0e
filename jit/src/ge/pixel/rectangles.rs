//! Rectangles: each row is one of a kind, or has a v of its own; halves may differ in fog.
//!
//! Source: psp-ge.md 7.3, 8.2, 8.6.

use super::fill;
use super::rows::Painter;
use super::setup::{Rectangle, columns, set_fog};
use crate::code::ge::fill::{Copies, PATTERN};
use crate::code::ge::rows::Place;
use picaflor_pipeline::ge::raster::{Corner, Primitive};
use picaflor_pipeline::rect::Rect;
use std::ops::Range;

/// Columns of a rectangle.
struct Part<'p> {
    rectangle: Rectangle<'p>,
    place: Place,
    origin: [i32; 2],
    columns: [i32; 2],
}

impl Painter<'_> {
    /// Draws the part of a rectangle in another one. Returns the number of its pixels.
    pub(super) fn rectangle(&mut self, primitive: &Primitive, rect: Rect) -> u64 {
        let [a, b, _] = &primitive.corners;
        let ([x0, x1], [y0, y1]) = (columns(a.x, b.x), columns(a.y, b.y));
        let rect = Rect { x0, y0, x1, y1 }.intersect(rect);
        if rect.is_empty() {
            return 0;
        }
        if !self.wanted.fog || a.fog == b.fog {
            let part = self.part(primitive, [rect.x0, rect.x1], rect.y0, b.fog);
            if !self.filled(b, &part, rect) {
                self.rows_of(&[part], rect);
            }
            return rect.pixels();
        }
        // The half on A's side has the fog of B, and the other that of A.
        let [from, to] = columns(a.x, a.x + (b.x - a.x) / 2);
        let near = [from.max(rect.x0), to.min(rect.x1)];
        let far = if from == x0 { [to.max(rect.x0), rect.x1] } else { [rect.x0, from.min(rect.x1)] };
        self.spans.reserve(2);
        let parts =
            [(near, b.fog), (far, a.fog)].map(|(columns, fog)| self.part(primitive, columns, rect.y0, fog));
        self.rows_of(&parts, rect);
        rect.pixels()
    }

    /// Draws a whole group of each of the first rows of a rectangle, and the groups at its sides that are not whole, and copies the
    /// rest; false, and nothing, where copies would be few or others.
    fn filled(&mut self, corner: &Corner, part: &Part<'_>, rect: Rect) -> bool {
        let (Some(flat), Some([from, to])) = (&self.flat, fill::whole_groups(rect)) else { return false };
        let stores = flat.passes(corner.colour) && !self.needs.rejects(corner.z);
        let all = [rect.x0 & !3, (rect.x1 + 3) & !3];
        if !stores || !self.spans.can_copy(&flat.fill, all, &(rect.y0..rect.y1)) {
            return false;
        }
        let below = rect.y1.min(rect.y0 + PATTERN);
        let mut draw = |rows: Range<i32>, columns: [i32; 2]| {
            if !rows.is_empty() && columns[0] < columns[1] {
                self.spans.straight(part.place, part.origin, rows, columns);
            }
        };
        draw(rect.y0..below, [rect.x0, from + 4]);
        draw(below..rect.y1, [rect.x0, from]);
        draw(rect.y0..rect.y1, [to, rect.x1]);
        for (columns, rows) in [([from + 4, to], rect.y0..below), ([from, to], below..rect.y1)] {
            if !rows.is_empty() {
                self.spans.copy(&flat.fill, &Copies { columns, rows, of: [from, rect.y0] });
            }
        }
        true
    }

    /// Draws the rows of a rectangle, all parts of each after the other, because rows may share memory.
    fn rows_of(&mut self, parts: &[Part<'_>], rect: Rect) {
        let rows = rect.y0..rect.y1;
        match parts {
            [part] => self.part_of(part, rows),
            _ => {
                let parts = || parts.iter().filter(|part| part.columns[0] < part.columns[1]);
                rows.for_each(|y| parts().for_each(|part| self.part_of(part, y..y + 1)));
            }
        }
    }

    /// Draws some rows of a part with columns.
    fn part_of(&mut self, Part { rectangle, place, origin, columns }: &Part<'_>, rows: Range<i32>) {
        let needs = self.needs;
        if needs.texture {
            self.spans.numbered(*place, *origin, rows, *columns, |y| rectangle.row(needs, y));
        } else {
            self.spans.straight(*place, *origin, rows, *columns);
        }
    }

    /// The part of a rectangle that has one fog coefficient, from a row on.
    fn part<'p>(&mut self, primitive: &'p Primitive, columns: [i32; 2], y: i32, fog: u32) -> Part<'p> {
        let origin = [columns[0] & !3, y & !3];
        let (place, numbers) = self.spans.primitive();
        let rectangle = Rectangle::new(primitive, self.needs, origin[0], numbers);
        set_fog(fog, numbers);
        Part { rectangle, place, origin, columns }
    }
}
