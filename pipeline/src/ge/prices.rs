//! Prices of the GE's work, in units of the [account](crate::work): nanoseconds of the slowest form on compiled code, or of
//! the interpreter for draws that it always draws.

use crate::ge::block_transfer::BlockTransfer;
use crate::ge::queue;
use crate::ge::raster::{Primitive, Shape};
use crate::ge::regs::light::{LightComponents, LightKind};
use crate::ge::regs::{Registers, op};
use crate::ge::stage::PixelState;
use crate::ge::vertex_type::VertexType;
use crate::rect::Rect;
use crate::work;

/// A command, its register and its effect on matrices included.
pub(crate) const COMMAND: u64 = 20;
/// A signal at which a list stops, although it may go on at once: the end of a run, and the beginning of the next.
pub(crate) const SIGNAL: u64 = 500;
/// A drawing command, before its first vertex: constants, routine, hand-over.
pub(crate) const DRAW: u64 = 3000;
/// A primitive: assembly, clipping, set-up.
pub(crate) const PRIMITIVE: u64 = 100;
/// A texel that is decoded.
pub(crate) const TEXEL: u64 = 10;
/// A vertex of a surface, before it is one of a draw.
pub(crate) const SURFACE_VERTEX: u64 = 400;
/// A vertex that is tested against the bounding box, beside one of a draw: no code does it.
pub(crate) const BOX_VERTEX: u64 = 150;

/// A state of pixels that is new to a run: its code is made, or the interpreter draws meanwhile.
pub(crate) const PIXEL_STATE: u64 = 1_000_000;
/// A state of vertices that is new to a run, and what makes its code longer.
const VERTEX_STATE: u64 = 1_000_000;
const STATE_LIGHT: u64 = 500_000;
const STATE_SPOT: u64 = 1_300_000;
const STATE_WEIGHT: u64 = 500_000;
const STATE_MORPH: u64 = 700_000;

const CLUT: u64 = 2000;

/// A load of the colour table; `in_place`: its bytes are contiguous.
pub(crate) const fn clut(bytes: u32, in_place: bool) -> u64 {
    CLUT + if in_place { 0 } else { work::bytes(bytes as u64, false) }
}

const TRANSFER: u64 = 2000;
const TRANSFER_ROW: u64 = 100;

/// A block transfer, with its rows and bytes.
pub(crate) const fn transfer(transfer: &BlockTransfer) -> u64 {
    TRANSFER + TRANSFER_ROW * transfer.rows as u64 + transfer.bytes() * 5 / 4
}

const VERTEX: u64 = 60;
// Lights, weights and morphs as the interpreter has them, half: vertices with numbers that code cannot have, such as infinity,
// are done by code and then again.
const DIFFUSE_LIGHT: u64 = 100;
const LIGHT: u64 = 190;
const PLACED_LIGHT: u64 = 25;
const WEIGHT: u64 = 75;
const MORPH: u64 = 150;

/// A vertex of a draw: fetch, skinning, transform, lighting.
pub(crate) fn vertex(registers: &Registers, vertex_type: VertexType) -> u64 {
    let lights: u64 = lights(registers, vertex_type).map(|n| light(registers, n)).sum();
    let records = u64::from(vertex_type.morph_count()) - 1;
    VERTEX + lights + WEIGHT * u64::from(vertex_type.weight_count()) + MORPH * records
}

/// The state of the vertices of a draw, where it is new to the run.
pub(crate) fn vertex_state(registers: &Registers) -> u64 {
    let vertex_type = registers.vertex_type();
    let light = |n| if registers.light(n).kind == LightKind::Spot { STATE_SPOT } else { STATE_LIGHT };
    let lights: u64 = lights(registers, vertex_type).map(light).sum();
    let records = u64::from(vertex_type.morph_count()) - 1;
    VERTEX_STATE + lights + STATE_WEIGHT * u64::from(vertex_type.weight_count()) + STATE_MORPH * records
}

/// The lights that are on.
fn lights(registers: &Registers, vertex_type: VertexType) -> impl Iterator<Item = u8> {
    let is_lit = registers.is_on(op::LTE) && !vertex_type.is_through();
    (0..4).filter(move |&n| is_lit && registers.is_on(op::LTE0 + n))
}

fn light(registers: &Registers, n: u8) -> u64 {
    let light = registers.light(n);
    let place = if light.kind == LightKind::Directional { 0 } else { PLACED_LIGHT };
    place + if light.components == LightComponents::Diffuse { DIFFUSE_LIGHT } else { LIGHT }
}

const PIXEL: u64 = 6;
const TEXTURED_PIXEL: u64 = 10;
const MIPMAPPED_PIXEL: u64 = 24;
const INTERPRETED_PIXEL: u64 = 350;

/// Pixels of a row that are paid at least: code draws four at once.
const ROW: i32 = 4;
/// Likewise for rectangles with fog, whose halves have one fog each: a row is drawn in two parts.
const FOGGED_ROW: i32 = 2 * ROW;

/// Pixels of bounds, which are not empty, as they are paid, with so many of a row at least.
#[inline]
fn paid_pixels(bounds: Rect, row: i32) -> u64 {
    (bounds.x1 - bounds.x0).max(row) as u64 * (bounds.y1 - bounds.y0) as u64
}

/// Most pixels that are paid for bounds inside of an area, which is not empty.
pub(crate) fn most_paid_pixels(area: Rect) -> u64 {
    paid_pixels(area, FOGGED_ROW)
}

/// What the pixels of a draw cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelPrice {
    each: u64,
    /// Pixels of a row that are paid at least.
    row: i32,
    /// One pixel for each step along the longer side, instead of all in the bounds.
    is_line: bool,
    /// Compiled code divides no coordinates: primitives that need it are interpreted.
    is_affine: bool,
    /// Triangles may be vast, and are interpreted then.
    may_be_vast: bool,
    /// Secondary colours count, but code adds none: primitives that have one are interpreted.
    is_unlit: bool,
}

impl PixelPrice {
    /// Primitives of a shape. Points and lines are drawn one pixel after the other, and so
    /// are draws whose pixels may depend on each other.
    pub(crate) fn new(state: &PixelState<'_>, shape: Shape) -> Self {
        let registers = state.registers;
        let is_line = matches!(shape, Shape::Point | Shape::Line);
        let each = match (registers.is_textured(), registers.texture_filter().mipmaps()) {
            (_, has_levels) if is_line || queue::may_be_entangled(state) => {
                INTERPRETED_PIXEL * if has_levels { 2 } else { 1 }
            }
            (false, _) => PIXEL,
            (true, false) => TEXTURED_PIXEL,
            (true, true) => MIPMAPPED_PIXEL,
        };
        let is_affine = registers.is_textured() && registers.is_through() && !state.is_immediate;
        // In normal mode positions have 16 bits, but for vertices of a draw before.
        let may_be_vast = shape == Shape::Triangle && registers.is_through();
        let has_fog = registers.has_fog(state.is_immediate) && !registers.clear_mode().enable();
        let row = if has_fog && shape == Shape::Rectangle { FOGGED_ROW } else { ROW };
        let is_unlit = registers.adds_foreign_secondary(state.is_immediate);
        Self { each, row, is_line, is_affine, may_be_vast, is_unlit }
    }

    /// Most that a pixel of a draw costs all of whose vertices are its own.
    pub(crate) const fn most(self) -> u64 {
        if self.may_be_vast { INTERPRETED_PIXEL } else { self.each }
    }

    /// A primitive with these bounds inside of the drawing area.
    pub(crate) fn of(self, primitive: &Primitive, bounds: Rect) -> u64 {
        let pixels = match self.is_line {
            true => (bounds.x1 - bounds.x0).max(bounds.y1 - bounds.y0) as u64,
            false => paid_pixels(bounds, self.row),
        };
        let is_interpreted = self.is_affine && primitive.divides()
            || self.is_unlit && primitive.has_secondary()
            || primitive.is_vast();
        pixels.saturating_mul(if is_interpreted { INTERPRETED_PIXEL } else { self.each })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::clut::Clut;
    use crate::ge::raster::Corner;
    use crate::ge::vram::AddressMaps;
    use crate::memory::NoMemory;

    /// Where no light of the state gives a secondary colour, the interpreter draws what has one.
    #[test]
    fn foreign_secondary_colours_are_interpreted() {
        let corner = |secondary| Corner {
            texture: [0.0, 0.0, 1.0],
            w: 1.0,
            x: 0,
            y: 0,
            z: 0,
            colour: 0,
            secondary,
            fog: 255,
        };
        let price = |words: &[u32], secondary: u32| {
            let mut registers = Registers::default();
            words.iter().for_each(|&word| registers.write(word));
            let (registers, clut, memory) = (&registers, &Clut::default(), &NoMemory);
            let state =
                PixelState { registers, clut, memory, maps: AddressMaps::default(), is_immediate: false };
            let corners = [0, secondary, 0].map(corner);
            let primitive = Primitive { corners, shape: Shape::Triangle, reserved: 0 };
            PixelPrice::new(&state, Shape::Triangle).of(&primitive, Rect { x0: 0, y0: 0, x1: 8, y1: 1 })
        };
        let separate = 0x5e00_0001;
        let lit = [separate, 0x1700_0001, 0x1800_0001, 0x5f00_0001];
        assert_eq!([0, 0x8000].map(|colour| price(&[separate], colour)), [8 * PIXEL, 8 * INTERPRETED_PIXEL]);
        for others in [&[][..], &lit, &[separate, 0x1280_0000], &[separate, 0xd300_0001]] {
            assert_eq!(price(others, 0x8000), 8 * PIXEL);
        }
    }
}
