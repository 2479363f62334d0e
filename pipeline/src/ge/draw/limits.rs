//! Limits of the pixels of a draw.

use crate::ge::raster::Primitive;
use crate::rect::Rect;

/// Drops the primitives whose bounds miss `area`, and those from the first on that exceeds the budget of pixels in
/// the bounds inside it. Returns the pixels; `None` if the budget was exceeded.
pub(super) fn cut(primitives: &mut Vec<Primitive>, area: Rect, budget: u64) -> Option<u64> {
    let mut spent: u64 = 0;
    primitives.retain(|primitive| {
        let pixels = primitive.bounds().intersect(area).pixels();
        spent = spent.saturating_add(pixels);
        pixels > 0 && spent <= budget
    });
    (spent <= budget).then_some(spent)
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
        for (budget, kept, spent) in [
            (u64::MAX, vec![0, 95, 0], Some(55 + 25 + 55)),
            (135, vec![0, 95, 0], Some(135)),
            (134, vec![0, 95], None),
            (54, vec![], None),
        ] {
            let mut primitives = all.to_vec();
            assert_eq!(cut(&mut primitives, area, budget), spent);
            let columns: Vec<i32> = primitives.iter().map(|primitive| primitive.corners[0].x / 16).collect();
            assert_eq!(columns, kept, "{budget}");
        }
    }
}
