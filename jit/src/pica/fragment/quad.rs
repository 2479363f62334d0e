//! A quad of four pixels while its code is being emitted: interpolation, depth.
//!
//! The formulas are those of `pipeline::pica::raster`, lane by lane and in the same order.

use crate::code::pica::facts::Common;
use crate::emit::flow::Merged;
use crate::emit::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use crate::emit::pica::block::{Interpolants, QuadNumbers, slot};
use crate::emit::pica::constants::constant;
use crate::emit::pixels::Colour;

/// State shared by the stages of a fragment.
pub(crate) struct Quad<'q, 'f> {
    /// The emitter.
    pub(crate) l: &'q mut Lanes<'f>,
    /// The draw's constants; see [`constant!`].
    pub(crate) constants: Scalar,
    /// Pixels that are still alive.
    pub(crate) mask: Mask,
    triangle: Scalar,
    /// The triangle's flags.
    flags: Scalar,
    /// Address of the colour of the procedural texture, as pixels, where it is known.
    pub(crate) ahead: Option<Scalar>,
    /// Where colours were found before, their address, 16 bytes each, and that of the quad's numbers.
    pub(crate) found: Option<[Scalar; 2]>,
    interpolants: Interpolants,
    w_buffer: bool,
    flat: bool,
    common: Common,
    edges: [F32s; 3],
    rd: Option<F32s>,
    values: [Option<F32s>; 24],
    depth: Option<F32s>,
    colour: Option<Colour>,
}

/// Properties that are constant in a routine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    pub(crate) interpolants: Interpolants,
    pub(crate) w_buffer: bool,
    pub(crate) flat: bool,
    pub(crate) common: Common,
}

impl<'q, 'f> Quad<'q, 'f> {
    pub(crate) fn new(
        l: &'q mut Lanes<'f>,
        constants: Scalar,
        triangle: Scalar,
        form: Form,
        edges: [F32s; 3],
        mask: Mask,
    ) -> Self {
        let flags = l.load_u32(triangle, slot::offset(slot::FLAGS));
        Self {
            l,
            constants,
            mask,
            triangle,
            flags,
            ahead: None,
            found: None,
            common: form.common,
            interpolants: form.interpolants,
            w_buffer: form.w_buffer,
            flat: form.flat,
            edges,
            rd: None,
            values: [None; 24],
            depth: None,
            colour: None,
        }
    }

    /// A slot of the triangle.
    fn slot(&mut self, n: usize) -> F32s {
        self.l.load_floats(self.triangle, slot::offset(n))
    }

    /// Values that triangles may have in common.
    pub(crate) const fn common(&self) -> Common {
        self.common
    }

    /// An integer of the triangle.
    pub(crate) fn common_integer(&mut self, slot: usize) -> I32s {
        self.l.load_ints(self.triangle, slot::offset(slot))
    }

    /// The value that the triangle's pixels have `in_common` where it has the flag, else the one that is `computed`. What
    /// that computes besides is not known afterwards.
    pub(crate) fn common_or<T: Merged>(
        &mut self,
        flag: u32,
        in_common: impl FnOnce(&mut Self) -> T,
        computed: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.either((self.flags, flag.into()), in_common, computed)
    }

    /// Numbers as they are in triangles with ordinary values, and with limits in others.
    pub(crate) fn limited<const N: usize>(
        &mut self,
        numbers: [F32s; N],
        limit: impl FnOnce(&mut Lanes<'_>, [F32s; N]) -> [F32s; N],
    ) -> [F32s; N] {
        let (any, done) = (self.l.cold_block(), self.l.block());
        let vars = numbers.map(|number| {
            let var = self.l.float_var();
            self.l.set_float(var, number);
            var
        });
        let ordinary = self.l.bits_of(self.flags, slot::ORDINARY.into());
        self.l.branch(ordinary, done, any);

        self.l.switch_to(any);
        let limited = limit(self.l, numbers);
        vars.iter().zip(limited).for_each(|(&var, number)| self.l.set_float(var, number));
        self.l.jump(done);

        self.l.switch_to(done);
        vars.map(|var| self.l.get_float(var))
    }

    /// The value that is `known` where one of these bits of a scalar is set, else the one that is `computed`, as
    /// [`common_or`](Self::common_or).
    pub(crate) fn either<T: Merged>(
        &mut self,
        (scalar, bits): (Scalar, i64),
        known: impl FnOnce(&mut Self) -> T,
        computed: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let [short, long, done] = [(); 3].map(|()| self.l.block());
        let result = T::var(self.l);
        let bit = self.l.bits_of(scalar, bits);
        self.l.branch(bit, short, long);

        self.l.switch_to(short);
        let value = known(self);
        value.set(self.l, result);
        self.l.jump(done);

        self.l.switch_to(long);
        let known = (self.rd, self.values, self.depth, self.colour);
        let value = computed(self);
        (self.rd, self.values, self.depth, self.colour) = known;
        value.set(self.l, result);
        self.l.jump(done);

        self.l.switch_to(done);
        T::get(self.l, result)
    }

    /// The `n`th of the colours that were found before.
    pub(crate) fn found(&mut self, n: usize) -> Colour {
        let [colours, _] = self.found.expect("a routine that has colours found knows where they are");
        let pixels = self.l.load_ints(colours, 16 * n as i32);
        self.l.unpack(pixels)
    }

    /// A number of the draw's constants.
    pub(crate) fn number(&mut self, offset: i32) -> F32s {
        self.l.load_floats(self.constants, offset)
    }

    /// An integer of the draw's constants.
    pub(crate) fn integer(&mut self, offset: i32) -> I32s {
        self.l.load_ints(self.constants, offset)
    }

    /// A colour of the draw's constants.
    pub(crate) fn colour_constant(&mut self, offset: i32) -> Colour {
        self.l.load_pair(self.constants, offset)
    }

    /// `(a e0 + b e1) + c e2` with three slots from `first` on.
    fn weighted(&mut self, first: usize) -> F32s {
        let products = [0, 1, 2].map(|n| {
            let factor = self.slot(first + n);
            self.l.fmul(self.edges[n], factor)
        });
        let sum = self.l.fadd(products[0], products[1]);
        self.l.fadd(sum, products[2])
    }

    /// The same with 1 over the interpolated 1 / w, which is known.
    pub(crate) fn with_rd(self, rd: F32s) -> Self {
        Self { rd: Some(rd), ..self }
    }

    /// 1 over the interpolated 1 / w.
    pub(crate) fn rd(&mut self) -> F32s {
        if let Some(rd) = self.rd {
            return rd;
        }
        let rd = match self.found {
            Some([_, numbers]) => self.l.load_floats(numbers, QuadNumbers::PLACES[3]),
            None => self.common_or(
                slot::RECIPROCAL,
                |quad| quad.slot(slot::RD),
                |quad| {
                    let sum = quad.weighted(slot::R);
                    let one = quad.l.float(1.0);
                    quad.l.fdiv(one, sum)
                },
            ),
        };
        self.rd = Some(rd);
        rd
    }

    /// Semantic `k`, which must be among the routine's interpolants.
    pub(crate) fn value(&mut self, k: usize) -> F32s {
        if let Some(value) = self.values[k] {
            return value;
        }
        debug_assert!(self.interpolants.values >> k & 1 != 0, "semantic {k} is not set up");
        let rd = self.rd();
        let sum = self.weighted(self.interpolants.slot(k));
        let value = self.l.fmul(sum, rd);
        self.values[k] = Some(value);
        value
    }

    /// Change of semantic `k` per pixel: to the right, and upward.
    pub(crate) fn change(&mut self, k: usize) -> [F32s; 2] {
        debug_assert!(self.interpolants.changes >> k & 1 != 0, "the change of semantic {k} is not set up");
        let (value, rd) = (self.value(k), self.rd());
        let first = self.interpolants.change_slot(k);
        [0, 1].map(|n| {
            let numerator = self.slot(first + n);
            let step = self.slot(slot::R_STEP + n);
            let part = self.l.fmul(value, step);
            let difference = self.l.fsub(numerator, part);
            self.l.fmul(difference, rd)
        })
    }

    /// Depth, 0 to 1.
    pub(crate) fn depth(&mut self) -> F32s {
        if let Some(depth) = self.depth {
            return depth;
        }
        let weighted = self.weighted(slot::Z);
        let sum = self.slot(slot::SUM);
        let z_over_w = self.l.fdiv(weighted, sum);
        let scale = self.number(constant!(depth_scale));
        let scaled = self.l.fmul(z_over_w, scale);
        let offset = self.number(constant!(depth_offset));
        let mut depth = self.l.fadd(scaled, offset);
        if self.w_buffer {
            let rd = self.rd();
            let w = self.l.fmul(rd, sum);
            depth = self.l.fmul(depth, w);
        }
        let depth = self.l.clamp01(depth);
        self.depth = Some(depth);
        depth
    }

    /// The vertex colour.
    pub(crate) fn vertex_colour(&mut self) -> Colour {
        if let Some(colour) = self.colour {
            return colour;
        }
        let colour = if self.flat || self.interpolants.values & 0xf00 == 0 {
            self.flat_colour()
        } else {
            // Others need it too, and do not know what is computed for the colour alone.
            if self.interpolants.values & !0xf00 != 0 {
                self.rd();
            }
            self.common_or(slot::COLOUR, Self::flat_colour, Self::interpolated_colour)
        };
        self.colour = Some(colour);
        colour
    }

    fn flat_colour(&mut self) -> Colour {
        let pixels = self.l.load_ints(self.triangle, slot::offset(slot::FLAT));
        self.l.unpack_one(pixels)
    }

    fn interpolated_colour(&mut self) -> Colour {
        let values = [11, 10, 9, 8].map(|k| match self.interpolants.values >> k & 1 {
            0 => self.l.float(0.0),
            _ => self.value(k),
        });
        let values = self.limited(values, |l, values| {
            let one = l.float(1.0);
            // In this order a NaN stays.
            values.map(|value| l.min(one, value))
        });
        let planes = values.map(|value| self.l.colour_byte_low(value));
        self.l.gather_saturated(planes)
    }
}
