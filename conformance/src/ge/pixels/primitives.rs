//! Random primitives in drawing space.

use crate::random::Random;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};

/// The shape of a case.
pub(super) fn shape(random: &mut Random) -> Shape {
    random.weighted(&[(57, Shape::Triangle), (35, Shape::Rectangle), (5, Shape::Line), (3, Shape::Point)])
}

/// Some primitives of a shape.
pub(super) fn primitives(
    random: &mut Random,
    registers: &Registers,
    is_immediate: bool,
    shape: Shape,
) -> Vec<Primitive> {
    let count = random.between(1, 6);
    let style = Style::of(random, registers, is_immediate);
    (0..count).filter_map(|_| primitive(random, &style, shape)).collect()
}

/// The properties that the corners of a case share.
struct Style {
    is_through: bool,
    flat: bool,
    /// Bits of secondary colours.
    secondary: u32,
    /// True if w, and q, differ between corners.
    perspective: bool,
    projected: bool,
    /// Coordinates have 16 significant bits, as those of the machine.
    short: bool,
    /// Corners lie on this grid of sixteenths.
    grid: i32,
    reach: i32,
    /// Of sprites: the texel at the first pixel, texels for each pixel, both along x and y, and texels of a unit of coordinates.
    sprite: Option<[[f64; 2]; 3]>,
}

impl Style {
    fn of(random: &mut Random, registers: &Registers, is_immediate: bool) -> Self {
        let is_through = registers.is_through();
        let style = Self {
            is_through,
            flat: !registers.is_on(op::SHADE) || registers.clear_mode().enable(),
            secondary: 0xff_ffff,
            perspective: !is_through && random.chance(50),
            projected: (!is_through || is_immediate) && random.chance(25),
            short: random.chance(60),
            grid: random.pick(&[1, 8, 16]),
            // So many sides of what can be drawn to, in halves.
            reach: 8
                * registers.drawing_area().x1.max(8)
                * random.weighted(&[(4, 1), (6, 2), (4, 3), (3, 4), (1, 12), (1, 80)]),
            sprite: random.chance(20).then(|| sprite(random, registers)),
        };
        // Where no light gives one, the interpreter draws what has one: a third of the cases.
        let is_black = registers.adds_foreign_secondary(is_immediate) && style.grid != 16;
        Self { secondary: if is_black { 0 } else { style.secondary }, ..style }
    }
}

/// A texel for each pixel, nearly always.
fn sprite(random: &mut Random, registers: &Registers) -> [[f64; 2]; 3] {
    let first =
        [(); 2].map(|()| f64::from(random.below(64)) + random.pick(&[0.0, 0.0, 0.5, 0.0625, 0.03125]));
    let steps = [random.pick(&[1.0, 1.0, 1.0, 0.5, -1.0]), random.pick(&[1.0, 1.0, -1.0, 0.5])];
    let unit = registers.texture_size_log2(0).map(|log| match registers.is_through() {
        true => 1.0,
        false => f64::from(1 << log),
    });
    [first, steps, unit]
}

fn corner(random: &mut Random, style: &Style) -> Corner {
    let place = |random: &mut Random| {
        let at = random.below(style.reach as u32) as i32 - style.reach / 8;
        at / style.grid * style.grid
    };
    let (x, y) = (place(random), place(random));
    let coordinate = |random: &mut Random| {
        let unit = if style.is_through { 64.0 } else { 1.0 };
        let value = match random.below(12) {
            0 => 0.0,
            1 => unit,
            2 => f64::from(random.below(64)) * unit / 64.0,
            3 => f64::from(f32::from_bits(random.word() & 0x7fff_ff00)).min(1e30),
            _ => (f64::from(random.word() >> 8) / f64::from(1 << 24) * 3.0 - 1.0) * unit,
        };
        if style.short { t16(value) } else { value }
    };
    let of_sprite = style.sprite.map(|[first, steps, unit]| {
        [0, 1].map(|axis| (first[axis] + f64::from([x, y][axis]) / 16.0 * steps[axis]) / unit[axis])
    });
    let [u, v] = of_sprite.unwrap_or_else(|| [(); 2].map(|()| coordinate(random)));
    let texture = [u, v, if style.projected { f64::from(random.below(64)) / 16.0 - 0.25 } else { 1.0 }];
    let w = if style.perspective { f64::from(random.between(1, 4096)) / 512.0 } else { 1.0 };
    Corner {
        texture,
        w,
        x,
        y,
        z: random.below(0x1_0000) as i32,
        colour: random.word(),
        secondary: random.word() & style.secondary,
        fog: random.below(256),
    }
}

/// Twice the area of a triangle, in 1/256 pixels; above 0 if it is clockwise on the screen, y down.
fn signed_area([a, b, c]: &[Corner; 3]) -> i64 {
    let from_a = |p: &Corner| [i64::from(p.x) - i64::from(a.x), i64::from(p.y) - i64::from(a.y)];
    let [[x1, y1], [x2, y2]] = [from_a(b), from_a(c)];
    x1 * y2 - x2 * y1
}

/// A primitive as the machine sets it up, or none where it has no area.
fn primitive(random: &mut Random, style: &Style, shape: Shape) -> Option<Primitive> {
    let mut corners = [(); 3].map(|()| corner(random, style));
    let area = signed_area(&corners);
    if shape == Shape::Triangle && area < 0 {
        corners.swap(0, 2);
    }
    if random.chance(25) {
        // Opaque.
        corners.iter_mut().for_each(|corner| corner.colour |= 0xff00_0000);
    }
    if random.chance(25) {
        // No fog.
        corners.iter_mut().for_each(|corner| corner.fog = 255);
    }
    if random.chance(25) {
        // Near to one depth, which may be that of a cleared buffer.
        let any = random.below(0x1_0000) as i32;
        let depth = random.pick(&[0, 0x8000, 0xffff, any]);
        corners.iter_mut().for_each(|corner| {
            corner.z = (depth + random.below(5) as i32 - 2).clamp(0, 0xffff);
        });
    }
    if style.flat || random.chance(25) {
        let Corner { colour, secondary, .. } = corners[2];
        corners.iter_mut().for_each(|corner| (corner.colour, corner.secondary) = (colour, secondary));
    }
    (shape != Shape::Triangle || area != 0).then_some(Primitive { corners, shape, reserved: 0 })
}
