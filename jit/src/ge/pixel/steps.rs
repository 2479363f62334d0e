//! Numbers with constant increments from group to group: depth, positions of plain primitives, and s, t and q of divided
//! ones. Rectangles have a row of texels, or two, for each row of pixels.

use crate::emit::flow::ScalarVar;
use crate::emit::ge::row::{DoubleVar, Quadruple};
use crate::emit::ge::span::{DoubleSteps, RowNumbers, StepNumbers, of_draw, of_primitive};
use crate::emit::ge::steps::{ChannelVar, I64s, LongVar};
use crate::emit::lanes::{F64s, I32s, Lanes, Scalar};
use crate::ge::key::PixelKey;
use crate::ge::key::texture::FilterKey;
use crate::ge::pixel::affine::{DEPTH_FRACTION, FRACTION};
use crate::ge::pixel::texture::filter::of_level;
use picaflor_pipeline::ge::regs::texture::LodMode;
use std::mem::offset_of;

/// Bits below a texel in the upper half of a fixed-point number.
pub(crate) const BITS: u8 = TEXEL_BITS - 32;
/// Bits below a texel in a fixed-point number.
pub(crate) const TEXEL_BITS: u8 = FRACTION as u8 + 8;
/// Bits below a whole depth there.
pub(crate) const DEPTH_BITS: u8 = DEPTH_FRACTION as u8 - 32;

/// Half a texel less, in fixed point: from a position to that of the left one of two texels.
const HALF: i64 = -128 << FRACTION;

/// The first lane of a group: its primitive's numbers, its column and its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) primitive: Scalar,
    pub(crate) column: Scalar,
    /// Of triangles; the numbers of rectangles do not change from row to row.
    pub(crate) row: Option<Scalar>,
}

/// A number with a constant increment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Going {
    /// In the first two lanes; `None` where another number's variable holds it.
    var: Option<LongVar>,
    /// Where a primitive has its [`StepNumbers`].
    numbers: i32,
    /// Added to it.
    more: i64,
}

impl Going {
    /// Depth, with [`DEPTH_BITS`] below a whole number in upper halves.
    pub(crate) fn depth(l: &mut Lanes<'_>) -> Self {
        Self { var: Some(l.long_var()), numbers: of_primitive!(deep), more: 0 }
    }

    fn numbers(&self, field: usize) -> i32 {
        self.numbers + field as i32
    }

    /// In the first two lanes of a group.
    fn at(&self, l: &mut Lanes<'_>, place: Place) -> I64s {
        let primitive = place.primitive;
        let mut number = l.load_pointer(primitive, self.numbers(offset_of!(StepNumbers, first)));
        let right = self.numbers(offset_of!(StepNumbers, lanes)) + 8;
        let down = self.numbers(offset_of!(StepNumbers, down));
        for (step, count) in [(right, Some(place.column)), (down, place.row)] {
            if let Some(count) = count {
                let step = l.load_pointer(primitive, step);
                let change = l.scalar_mul(step, count);
                number = l.scalar_add(number, change);
            }
        }
        if self.more != 0 {
            number = l.scalar_add_constant(number, self.more);
        }
        let number = l.long_splat(number);
        let lanes = l.load_longs(primitive, self.numbers(offset_of!(StepNumbers, lanes)));
        l.long_add(number, lanes)
    }

    /// At the first group of a run.
    pub(crate) fn begin(&self, l: &mut Lanes<'_>, place: Place) {
        if let Some(var) = self.var {
            let number = self.at(l, place);
            l.set_long(var, number);
        }
    }

    /// On to the next group.
    pub(crate) fn advance(&self, l: &mut Lanes<'_>, primitive: Scalar) {
        let Some(var) = self.var else { return };
        let number = l.get_long(var);
        let number = self.next(l, primitive, number);
        l.set_long(var, number);
    }

    /// In the next group.
    fn next(&self, l: &mut Lanes<'_>, primitive: Scalar, number: I64s) -> I64s {
        let step = l.load_longs(primitive, self.numbers(offset_of!(StepNumbers, group)));
        l.long_add(number, step)
    }

    /// The upper halves in four lanes of a group.
    pub(crate) fn lanes(&self, l: &mut Lanes<'_>, primitive: Scalar) -> I32s {
        let low = l.get_long(self.var.expect("it has a variable of its own"));
        self.upper(l, primitive, low)
    }

    /// Likewise, from the first two lanes.
    fn upper(&self, l: &mut Lanes<'_>, primitive: Scalar, low: I64s) -> I32s {
        let pair = l.load_longs(primitive, self.numbers(offset_of!(StepNumbers, pair)));
        let high = l.long_add(low, pair);
        l.upper_halves(low, high)
    }
}

/// Values that change from group to group, and from row to row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    u: Going,
    v: V,
    clamps_v: bool,
    /// s, t and q in the first two lanes, of triangles that may be divided. Of those that are not, the first two hold u and
    /// v, as patterns, in routines of one level.
    divided: Option<[DoubleVar; 3]>,
    holds_plain: bool,
    /// From s, t and q to those of the other row of their quads, where the level of detail compares pixels.
    across: Option<[DoubleVar; 3]>,
    /// Clip w of both quads in their first pixel, where the level of detail comes from it.
    w: Option<DoubleVar>,
}

/// Where the steps of the numbers of a divided triangle are.
const fn of_divided(n: usize, field: usize) -> i32 {
    of_primitive!(divided) + (n * size_of::<DoubleSteps>() + field) as i32
}

#[derive(Debug, Clone, Copy)]
enum V {
    /// Continues as u does.
    Goes(Going),
    /// One for each row.
    Stays(RowVars),
}

/// Of the texels of a row of pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowVars {
    /// The address of the first texel.
    pub(crate) texels: ScalarVar,
    /// With four texels, weights of the row below and of this one.
    pub(crate) weights: [ChannelVar; 2],
}

/// The address of the first texel of a row of a level.
pub(crate) fn texels_of_row(l: &mut Lanes<'_>, level: Scalar, y: Scalar) -> Scalar {
    let width = l.load_i32(level, of_level!(width));
    let before = l.scalar_mul(y, width);
    let before = l.scalar_shl(before, 2);
    let texels = l.load_pointer(level, of_level!(texels));
    l.scalar_add(texels, before)
}

impl Steps {
    /// The steps that a routine needs.
    pub(crate) fn of(l: &mut Lanes<'_>, key: &PixelKey) -> Option<Self> {
        let texture = key.texture?;
        let lod = match texture.filter {
            FilterKey::Lod(_) if key.rectangles || !texture.divides => return None,
            FilterKey::Lod(lod) => Some(lod.mode),
            FilterKey::Nearest | FilterKey::Linear => None,
        };
        let more = if texture.filter == FilterKey::Linear { HALF } else { 0 };
        let [u, v] = [0, 1].map(|axis| {
            let numbers = of_primitive!(plain) + axis * size_of::<StepNumbers>() as i32;
            let var = (key.rectangles || !texture.divides).then(|| l.long_var());
            Going { var, numbers, more }
        });
        let v = if key.rectangles {
            V::Stays(RowVars { texels: l.scalar_var(), weights: [(); 2].map(|()| l.channel_var()) })
        } else {
            V::Goes(v)
        };
        let is_divided = texture.divides && !key.rectangles;
        let divided = is_divided.then(|| [(); 3].map(|()| l.double_var()));
        let across = (lod == Some(LodMode::Auto)).then(|| [(); 3].map(|()| l.double_var()));
        let w = (lod == Some(LodMode::Slope)).then(|| l.double_var());
        let holds_plain = is_divided && lod.is_none();
        Some(Self { u, v, clamps_v: texture.clamp[1], divided, holds_plain, across, w })
    }

    /// At the first group of a run; `numbers` are those of a rectangle's row.
    pub(crate) fn begin(&self, l: &mut Lanes<'_>, constants: Scalar, place: Place, numbers: Option<Scalar>) {
        self.u.begin(l, place);
        match (self.v, numbers) {
            (V::Goes(v), _) => v.begin(l, place),
            (V::Stays(row), Some(numbers)) => self.begin_row(l, constants, numbers, row),
            (V::Stays(_), None) => unreachable!("rows of rectangles have numbers"),
        }
        if let (true, Some([.., third])) = (self.holds_plain, self.divided) {
            // Plain triangles set u and v alone, and a variable has a value on every way to where it is read.
            let unused = l.double_of(0.0);
            l.set_double(third, unused);
        }
        self.either(
            l,
            place.primitive,
            |l| self.begin_divided(l, place),
            |l, [u, v]| [u.at(l, place), v.at(l, place)],
        );
    }

    /// What is done with s, t and q of a divided triangle, or with u and v of a plain one.
    fn either<'f>(
        &self,
        l: &mut Lanes<'f>,
        primitive: Scalar,
        divided: impl FnOnce(&mut Lanes<'f>),
        plain: impl FnOnce(&mut Lanes<'f>, [Going; 2]) -> [I64s; 2],
    ) {
        let (true, V::Goes(v), Some([first, second, _])) = (self.holds_plain, self.v, self.divided) else {
            return divided(l);
        };
        let [deep, flat, done] = [(); 3].map(|()| l.block());
        let goes_divided = l.load_pointer(primitive, of_primitive!(goes_divided));
        l.branch(goes_divided.0, deep, flat);
        l.switch_to(deep);
        divided(l);
        l.jump(done);

        l.switch_to(flat);
        let found = plain(l, [self.u, v]);
        for (var, number) in [first, second].into_iter().zip(found) {
            let pattern = l.double_of_bits(number);
            l.set_double(var, pattern);
        }
        l.jump(done);
        l.switch_to(done);
    }

    /// u or v of a plain triangle in the first two lanes.
    fn held(&self, l: &mut Lanes<'_>, axis: usize) -> Option<I64s> {
        let vars = self.divided.filter(|_| self.holds_plain)?;
        let pattern = l.get_double(vars[axis]);
        Some(l.long_bits(pattern))
    }

    fn begin_divided(&self, l: &mut Lanes<'_>, Place { primitive, column, row }: Place) {
        let (Some(vars), Some(row)) = (self.divided, row) else { return };
        let column = l.count_to_doubles(column);
        let at = |l: &mut Lanes<'_>, numbers: i32, lanes: [f64; 2], rows: F64s| {
            let lanes = l.double_pair(lanes);
            let columns = l.dadd(column, lanes);
            let mut number = l.load_double(primitive, numbers + offset_of!(DoubleSteps, first) as i32);
            let down = l.load_double(primitive, numbers + offset_of!(DoubleSteps, down) as i32);
            let right = l.load_double(primitive, numbers + offset_of!(DoubleSteps, right) as i32);
            for (count, step) in [(rows, down), (columns, right)] {
                let change = l.dmul(count, step);
                number = l.dadd(number, change);
            }
            (number, down)
        };
        let rows = l.count_to_doubles(row);
        let odd = (self.across.is_some() || self.w.is_some()).then(|| {
            let odd = l.scalar_mask(row, 1);
            l.count_to_doubles(odd)
        });
        for (n, var) in vars.into_iter().enumerate() {
            let (number, down) = at(l, of_divided(n, 0), [0.0, 1.0], rows);
            l.set_double(var, number);
            if let (Some(across), Some(odd)) = (self.across, odd) {
                // Down from an even row, up from an odd one.
                let twice = l.dadd(odd, odd);
                let change = l.dmul(twice, down);
                let change = l.dsub(down, change);
                l.set_double(across[n], change);
            }
        }
        if let (Some(w), Some(odd)) = (self.w, odd) {
            let even = l.dsub(rows, odd);
            let (number, _) = at(l, of_primitive!(w), [0.0, 2.0], even);
            l.set_double(w, number);
        }
    }

    /// Finds the row of texels, and the weight of the next one.
    fn begin_row(&self, l: &mut Lanes<'_>, constants: Scalar, numbers: Scalar, row: RowVars) {
        let level = l.scalar_add_constant(constants, i64::from(of_draw!(levels)));
        let mut v = l.load_pointer(numbers, offset_of!(RowNumbers, v) as i32);
        let is_linear = self.u.more != 0;
        if is_linear {
            v = l.scalar_add_constant(v, self.u.more);
        }
        let last = l.load_i32(level, of_level!(last) + 16);
        if self.clamps_v {
            let zero = l.scalar(0);
            let most = l.scalar_shl(last, TEXEL_BITS);
            v = l.scalar_max(v, zero);
            v = l.scalar_min(v, most);
        }
        let y = l.scalar_sar(v, TEXEL_BITS);
        let y = if self.clamps_v { y } else { l.scalar_and(y, last) };
        let texels = texels_of_row(l, level, y);
        l.set_scalar(row.texels, texels);
        if is_linear {
            let sixteenths = l.scalar_down(v, TEXEL_BITS - 4);
            let below = l.scalar_mask(sixteenths, 15);
            let whole = l.scalar(16);
            let here = l.scalar_sub(whole, below);
            for (var, weight) in row.weights.into_iter().zip([below, here]) {
                l.set_channels(var, weight);
            }
        }
    }

    /// On to the next group.
    pub(crate) fn advance(&self, l: &mut Lanes<'_>, primitive: Scalar) {
        self.u.advance(l, primitive);
        if let V::Goes(v) = self.v {
            v.advance(l, primitive);
        }
        let advance_divided = |l: &mut Lanes<'_>| {
            for (n, var) in self.divided.into_iter().flatten().enumerate() {
                let step = l.load_doubles(primitive, of_divided(n, offset_of!(DoubleSteps, group)));
                let number = l.get_double(var);
                let number = l.dadd(number, step);
                l.set_double(var, number);
            }
        };
        self.either(l, primitive, advance_divided, |l, [u, v]| {
            let mut axis = 0;
            [u, v].map(|going| {
                let number = self.held(l, axis).expect("u and v are held");
                axis += 1;
                going.next(l, primitive, number)
            })
        });
        if let Some(w) = self.w {
            let step = l.load_doubles(primitive, of_primitive!(w) + offset_of!(DoubleSteps, group) as i32);
            let number = l.get_double(w);
            let number = l.dadd(number, step);
            l.set_double(w, number);
        }
    }

    /// Clip w of both quads.
    pub(crate) fn w(&self, l: &mut Lanes<'_>) -> F64s {
        l.get_double(self.w.expect("the level of detail comes from w"))
    }

    /// s, t and q in the other row of their quads, of which these are those of the group's.
    pub(crate) fn in_other_row(&self, l: &mut Lanes<'_>, here: [Quadruple; 3]) -> [Quadruple; 3] {
        let mut across = self.across.expect("the level of detail compares pixels").into_iter();
        here.map(|halves| {
            let change = across.next().map(|var| l.get_double(var)).expect("three numbers");
            halves.map(|half| l.dadd(half, change))
        })
    }

    /// s, t and q of a divided triangle in four lanes.
    pub(crate) fn divided(&self, l: &mut Lanes<'_>, primitive: Scalar) -> [Quadruple; 3] {
        let mut n = 0;
        self.divided.expect("triangles are divided").map(|var| {
            let pair = l.load_doubles(primitive, of_divided(n, offset_of!(DoubleSteps, pair)));
            n += 1;
            let low = l.get_double(var);
            [low, l.dadd(low, pair)]
        })
    }

    /// u of four lanes, with [`BITS`] below a texel; with four texels, that of the left one.
    pub(crate) fn u(&self, l: &mut Lanes<'_>, primitive: Scalar) -> I32s {
        match self.held(l, 0) {
            Some(low) => self.u.upper(l, primitive, low),
            None => self.u.lanes(l, primitive),
        }
    }

    /// v of a triangle likewise.
    pub(crate) fn v(&self, l: &mut Lanes<'_>, primitive: Scalar) -> I32s {
        match self.v {
            V::Goes(v) => match self.held(l, 1) {
                Some(low) => v.upper(l, primitive, low),
                None => v.lanes(l, primitive),
            },
            V::Stays(_) => unreachable!("a rectangle"),
        }
    }

    /// Index, before it is wrapped, of the texel of the first lane along an axis: of a plain primitive; along v, of a triangle.
    pub(crate) fn first_texel(&self, l: &mut Lanes<'_>, axis: usize) -> Scalar {
        let going = match (axis, self.v) {
            (1, V::Goes(v)) => v,
            _ => self.u,
        };
        let low = match (self.held(l, axis), going.var) {
            (Some(low), _) => low,
            (None, Some(var)) => l.get_long(var),
            (None, None) => unreachable!("numbers without a variable are held"),
        };
        let first = l.first_long(low);
        l.scalar_sar(first, TEXEL_BITS)
    }

    /// The texels of a rectangle's row.
    pub(crate) const fn row(&self) -> RowVars {
        match self.v {
            V::Stays(row) => row,
            V::Goes(_) => unreachable!(),
        }
    }
}
