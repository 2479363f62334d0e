//! A group of four pixels during emission, with the interpolated values.
//!
//! The formulas are those of `interp::ge::raster`, lane by lane.

use super::depth::Depth;
use super::walk::{Channels, of_channels};
use crate::emit::flow::Merged;
use crate::emit::ge::span::{ChannelNumbers, of_primitive, of_run};
use crate::emit::lanes::{I32s, Lanes, Mask, Scalar};
use crate::emit::pixels::Colour;
use std::mem::offset_of;

/// Addresses of the pixels of a group, as far as the code touches them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    pub(crate) colour: Option<Scalar>,
    pub(crate) depth: Option<Scalar>,
}

/// State shared by the stages.
pub(crate) struct Group<'q, 'f> {
    pub(crate) l: &'q mut Lanes<'f>,
    /// The draw's constants.
    pub(crate) constants: Scalar,
    /// The primitive's numbers.
    pub(crate) primitive: Scalar,
    pub(crate) run: Scalar,
    /// Pixels that are still alive.
    pub(crate) mask: Mask,
    pub(crate) places: Places,
    /// True if `mask` has the depth test in it.
    pub(crate) is_depth_tested: bool,
    channels: Channels,
    /// Depth, where it changes.
    deep: Option<Depth>,
    /// Where the colours of its texels are.
    texels: Option<Scalar>,
    primary: Option<Colour>,
    secondary: Option<Colour>,
    depth: Option<I32s>,
    /// Alpha of the textured colour, once something asks for it; fog keeps it.
    alpha: Option<I32s>,
    old: Option<I32s>,
}

impl<'q, 'f> Group<'q, 'f> {
    #[expect(
        clippy::too_many_arguments,
        reason = "what the walk knows of a group, taken over field by field"
    )]
    pub(crate) const fn new(
        l: &'q mut Lanes<'f>,
        constants: Scalar,
        primitive: Scalar,
        run: Scalar,
        mask: Mask,
        places: Places,
        channels: Channels,
        deep: Option<Depth>,
        texels: Option<Scalar>,
    ) -> Self {
        Self {
            l,
            constants,
            primitive,
            run,
            mask,
            places,
            is_depth_tested: false,
            channels,
            deep,
            texels,
            primary: None,
            secondary: None,
            depth: None,
            alpha: None,
            old: None,
        }
    }

    /// An integer of the draw's constants.
    pub(crate) fn integer(&mut self, offset: i32) -> I32s {
        self.l.load_ints(self.constants, offset)
    }

    /// A colour of the draw's constants.
    pub(crate) fn colour_constant(&mut self, offset: i32) -> Colour {
        self.l.load_pair(self.constants, offset)
    }

    /// The row.
    pub(crate) fn row(&mut self) -> Scalar {
        self.l.load_u32(self.run, of_run!(row))
    }

    /// The texture's colour.
    pub(crate) fn texel(&mut self) -> Colour {
        self.l.load_four(self.texels.expect("pixels have a texture"), 0)
    }

    /// The primary colour.
    pub(crate) fn primary(&mut self) -> Colour {
        if let Some(flat) = self.channels.flat(0) {
            return self.l.get_channels(flat);
        }
        if let Some(primary) = self.primary {
            return primary;
        }
        let primary = self.where_nonzero(
            of_primitive!(changes),
            |g| g.changing(0),
            |g| {
                let flat = g.l.load_ints(g.primitive, of_primitive!(flat));
                g.l.unpack_one(flat)
            },
        );
        self.primary = Some(primary);
        primary
    }

    /// One more than the primary colour.
    pub(crate) fn primary_and_one(&mut self) -> Colour {
        if let Some(flat) = self.channels.flat(1) {
            return self.l.get_channels(flat);
        }
        let plus_one = |g: &mut Self, colour: Colour| {
            let one = g.l.channel_splat(1);
            g.l.colour_add(colour, one)
        };
        if let Some(primary) = self.primary {
            return plus_one(self, primary);
        }
        self.where_nonzero(
            of_primitive!(changes),
            |g| {
                let primary = g.changing(0);
                plus_one(g, primary)
            },
            |g| g.l.load_pair(g.primitive, of_primitive!(flat_and_one)),
        )
    }

    /// The secondary colour; its alpha is 0.
    pub(crate) fn secondary(&mut self) -> Colour {
        if !self.channels.secondary {
            return self.flat(of_primitive!(flat_secondary));
        }
        let (secondary, mask) = (self.secondary_and_fog(), self.l.channels([0xffff, 0xffff, 0xffff, 0]));
        self.l.colour_and(secondary, mask)
    }

    fn secondary_and_fog(&mut self) -> Colour {
        if let Some(both) = self.secondary {
            return both;
        }
        let both = self.changing(1);
        self.secondary = Some(both);
        both
    }

    /// The fog coefficient in all channels.
    pub(crate) fn fog(&mut self) -> Colour {
        if !self.channels.fog {
            return self.flat(of_primitive!(flat_fog));
        }
        let both = self.secondary_and_fog();
        self.l.arrange(both, [3; 4])
    }

    fn flat(&mut self, offset: i32) -> Colour {
        let pixels = self.l.load_ints(self.primitive, offset);
        self.l.unpack(pixels)
    }

    /// The value that is `computed` where a number of the primitive is not 0, else the one that is `known`. What either computes
    /// besides is not known afterwards.
    pub(crate) fn where_nonzero<T: Merged>(
        &mut self,
        number: i32,
        computed: impl FnOnce(&mut Self) -> T,
        known: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let [long, short, done] = [(); 3].map(|()| self.l.block());
        let result = T::var(self.l);
        let number = self.l.load_pointer(self.primitive, number);
        self.l.branch(number.0, long, short);

        let before = (self.primary, self.secondary, self.depth, self.old);
        self.l.switch_to(long);
        let value = computed(self);
        value.set(self.l, result);
        self.l.jump(done);

        (self.primary, self.secondary, self.depth, self.old) = before;
        self.l.switch_to(short);
        let value = known(self);
        value.set(self.l, result);
        self.l.jump(done);

        (self.primary, self.secondary, self.depth, self.old) = before;
        self.l.switch_to(done);
        T::get(self.l, result)
    }

    /// Four channels: `(anchor + (change >> 4)) >> 10` (8.3), which is `(16 anchor + change) >> 14`. Terms wrap, but
    /// where a pixel is covered they fit.
    fn changing(&mut self, half: usize) -> Colour {
        let first = self.channels.term(half).expect("the channels are alive");
        let first = self.l.get_int(first);
        let others = [0, 1, 2].map(|n| {
            let lanes = of_channels(half, offset_of!(ChannelNumbers, lanes)) + n * 16;
            let change = self.l.load_ints(self.primitive, lanes);
            self.l.int_add(first, change)
        });
        let [b, c, d] = others;
        let pixels = [first, b, c, d].map(|term| self.l.int_sar(term, 14));
        let colour = self.l.pixels_saturated(pixels);
        let most = self.l.channel_splat(255);
        self.l.colour_min(colour, most)
    }

    /// Depth.
    pub(crate) fn depth(&mut self) -> I32s {
        if let Some(depth) = self.depth {
            return depth;
        }
        let depth = match self.deep {
            Some(deep) => deep.lanes(self.l, self.primitive),
            None => self.l.load_ints(self.primitive, of_primitive!(flat_depth)),
        };
        self.depth = Some(depth);
        depth
    }

    /// Alpha of the textured colour, 0 to 255, with fog or without.
    pub(crate) fn alpha(&mut self, colour: Colour) -> I32s {
        if let Some(alpha) = self.alpha {
            return alpha;
        }
        let pixels = self.l.pack(colour);
        let alpha = self.l.int_shr(pixels, 24);
        self.alpha = Some(alpha);
        alpha
    }

    /// The stored pixels, in the format of the buffer.
    pub(crate) fn old(&mut self, bytes: u32) -> I32s {
        if let Some(old) = self.old {
            return old;
        }
        let at = self.places.colour.expect("the code touches colours");
        let old = if bytes == 4 { self.l.load_ints(at, 0) } else { self.l.load_halves(at, 0) };
        self.old = Some(old);
        old
    }

    /// Continues if a pixel of `mask` is alive, else jumps to the next group.
    pub(crate) fn end_if_none(&mut self, mask: Mask, next: cranelift_codegen::ir::Block) {
        let on = self.l.block();
        let any = self.l.any(mask);
        self.l.branch(any, on, next);
        self.l.switch_to(on);
    }
}
