//! Which rectangles store the same in all groups of a row, and again in the fourth row below, so that code needs to draw but four
//! groups of them.
//!
//! Source: psp-ge.md 8.2, 10.0, 16.

use crate::code::ge::fill::Fill;
use crate::emit::ge::span::PixelConstants;
use crate::ge::key::PixelKey;
use crate::ge::key::pixel::StencilKey;
use picaflor_pipeline::ge::regs::pixel::{ColourTestFunc, CompareFunc, LogicOp, StencilOp};
use picaflor_pipeline::rect::Rect;

/// A state in which nothing that a pixel stores, or whether it does, depends on what was stored, or on its place but for that in
/// a square of four pixels a side, which the dither matrix goes by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flat {
    pub(super) fill: Fill,
    alpha_test: CompareFunc,
    /// Reference under the mask, and the mask.
    alpha: [u32; 2],
}

/// Fewest groups that are worth a call of the routine of their own, and fewest of a row.
const FEWEST: i32 = 64;
const FEWEST_OF_ROW: i32 = 4;

impl Flat {
    /// Of a draw.
    pub(super) fn of(key: &PixelKey, constants: &PixelConstants) -> Option<Self> {
        let is_one_colour =
            key.rectangles && key.texture.is_none() && key.colour_test == ColourTestFunc::Always;
        let ignores_what_is_there = key.depth.is_none_or(|depth| depth.func == CompareFunc::Always)
            && key.stencil.as_ref().is_none_or(replaces)
            && key.blend.is_none()
            && matches!(key.logic, LogicOp::Copy | LogicOp::Clear | LogicOp::Set | LogicOp::CopyInverted);
        let bits = |n: usize, is_written: bool| {
            if is_written { constants.written[n][0].cast_unsigned() } else { 0 }
        };
        let stored = bits(0, key.written.colour) | bits(1, key.written.alpha);
        (is_one_colour && ignores_what_is_there).then_some(Self {
            fill: Fill {
                colour: key.touches_colour().then_some(stored),
                depth: key.depth.filter(|depth| depth.writes).map(|depth| depth.maps),
            },
            alpha_test: key.alpha_test,
            alpha: constants.alpha_test.map(|[value, ..]| value.cast_unsigned()),
        })
    }

    /// Predicate: a colour passes the alpha test. Neither fog nor the secondary colour changes its alpha.
    pub(super) fn passes(&self, colour: u32) -> bool {
        let [reference, mask] = self.alpha;
        self.alpha_test.passes(colour >> 24 & mask, reference)
    }
}

/// Predicate: stencil values become the same, whatever they were.
fn replaces(stencil: &StencilKey) -> bool {
    let [.., pass] = stencil.ops;
    stencil.func == CompareFunc::Always && matches!(pass, StencilOp::Replace | StencilOp::Zero)
}

/// The columns of a rectangle that are whole groups, if these are many.
pub(super) fn whole_groups(rect: Rect) -> Option<[i32; 2]> {
    let [from, to] = [(rect.x0 + 3) & !3, rect.x1 & !3];
    let copies = ((to - from) >> 2) - 1;
    (copies >= FEWEST_OF_ROW && copies * (rect.y1 - rect.y0) >= FEWEST).then_some([from, to])
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;
