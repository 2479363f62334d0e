//! Limits of the pixels of a draw.

use super::Texels;
use super::texels::DrawPrice;
use crate::ge::prices::PixelPrice;
use crate::ge::raster::Primitive;
use crate::ge::stage::PixelState;
use crate::rect::Rect;
use crate::work::Account;

/// What one draw may cover, and what its pixels cost. Both count primitive by primitive, so that a draw ends at the same
/// one however its vertices come in pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct PixelBudget {
    left: u64,
    is_exceeded: bool,
    /// Once a primitive covers a pixel, and the textures are paid.
    price: Option<PixelPrice>,
    /// What every draw from the third one in the state on costs, like the second.
    again: Option<DrawPrice>,
    /// Draws in the state that covered a pixel, up to 2.
    draws: u8,
}

/// What the primitives of a draw took of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent {
    /// How many pixels.
    pub(super) pixels: u64,
    /// The pixels of the drawing area that primitives may cover which are left.
    pub(super) covered: Rect,
}

impl Default for Spent {
    /// Nothing.
    fn default() -> Self {
        Self { pixels: 0, covered: Rect::EMPTY }
    }
}

impl Spent {
    /// Adds what others took.
    pub(super) fn add(&mut self, other: Self) {
        self.pixels += other.pixels;
        self.covered = self.covered.hull(other.covered);
    }
}

impl PixelBudget {
    /// The budget of a draw.
    pub(super) const fn new(pixels: u64) -> Self {
        Self { left: pixels, is_exceeded: false, price: None, again: None, draws: 0 }
    }

    /// Goes on with the next draw, which is in the same state.
    pub(super) const fn next_draw(&mut self, pixels: u64) {
        (self.left, self.is_exceeded, self.price) = (pixels, false, None);
    }

    /// True once a primitive did not fit: nothing more of the draw is drawn.
    pub(super) const fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }

    /// Drops the primitives whose bounds miss the drawing area, and those from the first on that does not fit or is not
    /// paid. The pixels that are spent are those in the bounds inside of it; when something did not fit, all that was left.
    pub(super) fn cut(
        &mut self,
        primitives: &mut Vec<Primitive>,
        state: &PixelState<'_>,
        account: &mut Account,
        texels: &mut Texels,
    ) -> Spent {
        let area = state.registers.drawing_area();
        let Self { mut price, mut again, mut draws, .. } = *self;
        let spent = self.cut_by(primitives, area, |primitive, bounds| {
            let price = *price.get_or_insert_with(|| {
                let known = again.filter(|_| draws == 2);
                let draw = known.unwrap_or_else(|| texels.price(state, primitive.shape));
                (again, draws) = (Some(draw), 2.min(draws + 1));
                account.pay(draw.once);
                draw.pixels
            });
            account.pay(price.of(primitive, bounds))
        });
        (self.price, self.again, self.draws) = (price, again, draws);
        spent
    }

    /// [`cut`](Self::cut) with what pays for a primitive with these bounds inside of `area`.
    fn cut_by(
        &mut self,
        primitives: &mut Vec<Primitive>,
        area: Rect,
        mut pay: impl FnMut(&Primitive, Rect) -> bool,
    ) -> Spent {
        let (before, mut covered) = (self.left, Rect::EMPTY);
        primitives.retain(|primitive| {
            let bounds = primitive.bounds().intersect(area);
            let pixels = bounds.pixels();
            if pixels == 0 || self.is_exceeded {
                return false;
            }
            self.is_exceeded = pixels > self.left || !pay(primitive, bounds);
            self.left = if self.is_exceeded { 0 } else { self.left - pixels };
            if !self.is_exceeded {
                covered = covered.hull(bounds);
            }
            !self.is_exceeded
        });
        Spent { pixels: before - self.left, covered }
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
        for (pixels, units, kept, spent, is_exceeded) in [
            (u64::MAX, u64::MAX, vec![0, 95, 0], 55 + 25 + 55, false),
            (135, 270, vec![0, 95, 0], 135, false),
            (134, 270, vec![0, 95], 134, true),
            (54, 270, vec![], 54, true),
            (135, 269, vec![0, 95], 135, true),
            (135, 0, vec![], 135, true),
        ] {
            // Pieces of any size are cut at the same primitive, and cost the same.
            for size in 1..=4 {
                let mut budget = PixelBudget::new(pixels);
                let mut account = Account::new(units);
                let (mut columns, mut sum) = (vec![], 0);
                for piece in all.chunks(size) {
                    let mut primitives = piece.to_vec();
                    let pay = |_: &Primitive, bounds: Rect| account.pay(2 * bounds.pixels());
                    let spent = budget.cut_by(&mut primitives, area, pay);
                    sum += spent.pixels;
                    let bounds = primitives.iter().map(|primitive| primitive.bounds().intersect(area));
                    assert_eq!(spent.covered, bounds.fold(Rect::EMPTY, Rect::hull));
                    columns.extend(primitives.iter().map(|primitive| primitive.corners[0].x / 16));
                }
                assert_eq!(
                    (&columns, sum, budget.is_exceeded()),
                    (&kept, spent, is_exceeded),
                    "{pixels}, {units}, {size}"
                );
            }
        }
    }
}
