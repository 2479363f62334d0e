//! Limits of the pixels of a draw.

use crate::ge::raster::Primitive;
use crate::rect::Rect;

/// What one draw may cover, however its vertices come in pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct PixelBudget {
    left: u64,
    is_exceeded: bool,
}

impl PixelBudget {
    /// The budget of a draw.
    pub(super) const fn new(pixels: u64) -> Self {
        Self { left: pixels, is_exceeded: false }
    }

    /// True once a primitive did not fit: nothing more of the draw is drawn.
    pub(super) const fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }

    /// Drops the primitives whose bounds miss `area`, and those from the first on that does not fit. Returns the pixels
    /// in the bounds inside of it; when something did not fit, all that was left.
    pub(super) fn cut(&mut self, primitives: &mut Vec<Primitive>, area: Rect) -> u64 {
        let before = self.left;
        primitives.retain(|primitive| {
            let pixels = primitive.bounds().intersect(area).pixels();
            self.is_exceeded |= pixels > self.left;
            self.left = if self.is_exceeded { 0 } else { self.left - pixels };
            pixels > 0 && !self.is_exceeded
        });
        before - self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::raster::{Corner, Shape};

    /// A rectangle of 11 by 11 pixels whose left side is in this column.
    fn square(column: i32) -> Primitive {
        let corner = |x, y| Corner { texture: [0.0; 3], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 };
        let [a, b] = [corner(16 * column, 0), corner(16 * (column + 10), 160)];
        Primitive { corners: [a, b, b], shape: Shape::Rectangle, reserved: 0 }
    }

    #[test]
    fn budgets() {
        let area = Rect { x0: 0, y0: 0, x1: 100, y1: 5 };
        let all = [square(0), square(200), square(95), square(0)];
        for (pixels, kept, spent, is_exceeded) in [
            (u64::MAX, vec![0, 95, 0], 55 + 25 + 55, false),
            (135, vec![0, 95, 0], 135, false),
            (134, vec![0, 95], 134, true),
            (54, vec![], 54, true),
        ] {
            // Pieces of any size are cut at the same primitive, and cost the same.
            for size in 1..=4 {
                let mut budget = PixelBudget::new(pixels);
                let (mut columns, mut sum) = (vec![], 0);
                for piece in all.chunks(size) {
                    let mut primitives = piece.to_vec();
                    sum += budget.cut(&mut primitives, area);
                    columns.extend(primitives.iter().map(|primitive| primitive.corners[0].x / 16));
                }
                assert_eq!(
                    (&columns, sum, budget.is_exceeded()),
                    (&kept, spent, is_exceeded),
                    "{pixels}, {size}"
                );
            }
        }
    }
}
