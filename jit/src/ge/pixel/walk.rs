//! From run to run, and through the groups of each.

use super::depth::Depth;
use super::group::{Group, Places};
use crate::emit::flow::{IntVar, ScalarVar};
use crate::emit::ge::span::{ChannelNumbers, GROUP_TEXELS_BYTES, RUN_BYTES, of_call, of_primitive, of_run};
use crate::emit::ge::steps::ChannelVar;
use crate::emit::lanes::{I32s, Lanes, Mask, Scalar};
use crate::ge::key::PixelKey;
use cranelift_codegen::ir::Block;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM_BYTES};
use std::mem::offset_of;

/// Bits of an offset into VRAM.
const OFFSET: i64 = VRAM_BYTES as i64 - 1;

/// The loops of a routine. Code for a group is emitted between [`group`](Self::group) and [`close`](Self::close).
///
/// At the first group of a run the values that change are computed from its column and row; from group to group they go in
/// steps.
pub(crate) struct Walk {
    call: Scalar,
    constants: Scalar,
    key: PixelKey,
    run: ScalarVar,
    /// Groups of the run after this one.
    left: ScalarVar,
    /// Column of the group's first lane.
    column: ScalarVar,
    /// The primitive's numbers.
    primitive: ScalarVar,
    /// Values that change from group to group: terms of the channels, and depth.
    channels: Channels,
    deep: Option<Depth>,
    /// Where the colours of the group's texels are.
    texels: Option<ScalarVar>,
    /// Covered lanes of the group.
    mask: IntVar,
    first_group: Block,
    next_run: Block,
    /// Continuation after a group.
    pub(crate) next_group: Block,
}

/// Channels that change, or do not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Channels {
    /// Terms of red, green, blue, alpha in the first lane of a group; of secondary red, green, blue, and fog.
    terms: [Option<IntVar>; 2],
    /// True if the secondary colour changes, and fog.
    pub(crate) secondary: bool,
    pub(crate) fog: bool,
    /// The primary colour where it does not change, and one more than it, as far as they are used.
    flat: [Option<ChannelVar>; 2],
}

impl Channels {
    fn of(l: &mut Lanes<'_>, key: &PixelKey) -> Self {
        let secondary = key.smooth && key.secondary;
        // Fog changes also where colours do not.
        let fog = key.fog && !key.rectangles;
        let terms = [key.smooth, secondary || fog].map(|changes| changes.then(|| l.int_var()));
        let is_read = key.texture.map_or([true, false], |key| [key.reads_primary(), key.multiplies()]);
        let flat =
            is_read.map(|is_read| (is_read && !key.smooth && key.reads_colour()).then(|| l.channel_var()));
        Self { terms, secondary, fog, flat }
    }

    /// The primary colour where it does not change, with 0 or 1 added.
    pub(crate) const fn flat(&self, more: usize) -> Option<ChannelVar> {
        self.flat[more]
    }

    pub(crate) const fn term(&self, half: usize) -> Option<IntVar> {
        self.terms[half]
    }

    fn alive(&self) -> impl Iterator<Item = (usize, IntVar)> {
        self.terms.iter().enumerate().filter_map(|(half, term)| term.map(|term| (half, term)))
    }
}

impl Walk {
    /// Goes to the first group of the first run.
    pub(crate) fn open(l: &mut Lanes<'_>, call: Scalar, key: PixelKey) -> Self {
        let [begin, first_group, next_run, next_group] = [(); 4].map(|()| l.block());
        let [run, left, column, primitive] = [(); 4].map(|()| l.scalar_var());
        let channels = Channels::of(l, &key);
        let is_deep = !key.rectangles && key.reads_depth();
        let deep = is_deep.then(|| Depth::new(l));
        let texels = key.sampling().map(|_| l.scalar_var());
        if let Some(texels) = texels {
            let first = l.load_pointer(call, of_call!(texels));
            l.set_scalar(texels, first);
        }
        let mask = l.int_var();
        let constants = l.load_pointer(call, of_call!(constants));
        let first = l.load_pointer(call, of_call!(runs));
        l.set_scalar(run, first);
        l.jump(begin);
        let walk = Self {
            call,
            constants,
            key,
            run,
            left,
            column,
            primitive,
            channels,
            deep,
            texels,
            mask,
            first_group,
            next_run,
            next_group,
        };
        l.switch_to(begin);
        walk.begin(l);
        l.jump(first_group);

        l.switch_to(next_run);
        let [another, done] = [(); 2].map(|()| l.block());
        let before = l.get_scalar(run);
        let next = l.scalar_add_constant(before, RUN_BYTES);
        let end = l.load_pointer(call, of_call!(end));
        let more = l.scalar_below(next, end);
        l.branch(more, another, done);
        l.switch_to(another);
        l.set_scalar(run, next);
        l.jump(begin);
        l.switch_to(done);
        l.ret();
        walk
    }

    /// The values at the first group of a run.
    fn begin(&self, l: &mut Lanes<'_>) {
        let run = l.get_scalar(self.run);
        let numbers = l.load_pointer(self.call, of_call!(primitives));
        let offset = l.load_u32(run, of_run!(primitive));
        let primitive = l.scalar_add(numbers, offset);
        l.set_scalar(self.primitive, primitive);
        let column = l.load_u32(run, of_run!(column));
        l.set_scalar(self.column, column);
        let groups = l.load_u32(run, of_run!(groups));
        let left = l.scalar_add_constant(groups, -1);
        l.set_scalar(self.left, left);
        let covered = l.load_ints(run, of_run!(covered) + 32);
        l.set_int(self.mask, covered);
        for (more, var) in (0..).zip(self.channels.flat) {
            if let Some(var) = var {
                l.set_bytes(var, primitive, of_primitive!(flat), more);
            }
        }
        let row = l.load_u32(run, of_run!(row));
        self.begin_channels(l, primitive, [column, row]);
        if let Some(deep) = self.deep {
            deep.begin(l, primitive, [column, row]);
        }
    }

    fn begin_channels(&self, l: &mut Lanes<'_>, primitive: Scalar, [column, row]: [Scalar; 2]) {
        let alive: Vec<_> = self.channels.alive().collect();
        if alive.is_empty() {
            return;
        }
        let groups = l.scalar_down(column, 2);
        let counts = [groups, row].map(|count| l.count_to_ints(count));
        for (half, term) in alive {
            let mut value = l.load_ints(primitive, of_channels(half, offset_of!(ChannelNumbers, first)));
            let steps = [offset_of!(ChannelNumbers, group), offset_of!(ChannelNumbers, down)];
            for (count, step) in counts.into_iter().zip(steps) {
                let step = l.load_ints(primitive, of_channels(half, step));
                let change = l.int_mul(count, step);
                value = l.int_add(value, change);
            }
            l.set_int(term, value);
        }
    }

    /// The next group of the run.
    pub(crate) fn group<'q, 'f>(&self, l: &'q mut Lanes<'f>) -> Group<'q, 'f> {
        l.switch_to(self.first_group);
        let run = l.get_scalar(self.run);
        let column = l.get_scalar(self.column);
        let mask = l.get_mask(self.mask);
        let primitive = l.get_scalar(self.primitive);
        let places = self.places(l, run, column);
        let texels = self.texels.map(|texels| l.get_scalar(texels));
        Group::new(l, self.constants, primitive, run, mask, places, self.channels, self.deep, texels)
    }

    fn places(&self, l: &mut Lanes<'_>, run: Scalar, column: Scalar) -> Places {
        let vram = l.load_pointer(self.call, of_call!(vram));
        let place = |l: &mut Lanes<'_>, start: i32, bytes: i64| {
            let start = l.load_u32(run, start);
            let along = l.scalar_times(column, bytes);
            let offset = l.scalar_add(start, along);
            l.scalar_mask(offset, OFFSET)
        };
        let colour = self.key.touches_colour().then(|| {
            let offset = place(l, of_run!(colour_at), i64::from(self.key.format.bytes()));
            l.scalar_add(vram, offset)
        });
        let depth = self.key.depth.map(|depth| {
            let offset = place(l, of_run!(depth_at), 2);
            let offset = mapped(l, offset, depth.maps);
            l.scalar_add(vram, offset)
        });
        Places { colour, depth }
    }

    /// Goes on behind a group.
    pub(crate) fn close(self, l: &mut Lanes<'_>) {
        l.switch_to(self.next_group);
        if let Some(texels) = self.texels {
            let before = l.get_scalar(texels);
            let next = l.scalar_add_constant(before, GROUP_TEXELS_BYTES);
            l.set_scalar(texels, next);
        }
        let on = l.block();
        let left = l.get_scalar(self.left);
        l.branch(left.0, on, self.next_run);

        l.switch_to(on);
        let left = l.scalar_add_constant(left, -1);
        l.set_scalar(self.left, left);
        let run = l.get_scalar(self.run);
        let before_last = l.scalar_add_constant(run, 16);
        let covered = l.scalar_select(left, before_last, run);
        let covered = l.load_ints(covered, of_run!(covered));
        l.set_int(self.mask, covered);
        let column = l.get_scalar(self.column);
        let column = l.scalar_add_constant(column, 4);
        l.set_scalar(self.column, column);
        let primitive = l.get_scalar(self.primitive);
        for (half, term) in self.channels.alive() {
            let step = l.load_ints(primitive, of_channels(half, offset_of!(ChannelNumbers, group)));
            let value = l.get_int(term);
            let value = l.int_add(value, step);
            l.set_int(term, value);
        }
        if let Some(deep) = self.deep {
            deep.advance(l, primitive);
        }
        l.jump(self.first_group);
    }
}

/// Offset of a field of four channels' numbers.
pub(crate) const fn of_channels(half: usize, field: usize) -> i32 {
    of_primitive!(channels) + (half * size_of::<ChannelNumbers>() + field) as i32
}

/// Offset of depth in VRAM, below its size like `offset`: mirror 3 (1.1) undone. Groups are 8 bytes, and 32 stay together.
fn mapped(l: &mut Lanes<'_>, offset: Scalar, maps: AddressMaps) -> Scalar {
    match maps {
        AddressMaps::Flat => offset,
        AddressMaps::Off => {
            // Both bits are inverted where they are equal.
            let high = l.scalar_down(offset, 1);
            let differ = l.scalar_bits_xor(high, offset);
            let differ = l.scalar_mask(differ, 0x200);
            let equal = l.scalar_xor(differ, 0x200);
            let pair = l.scalar_times(equal, 3);
            l.scalar_bits_xor(offset, pair)
        }
        AddressMaps::Shift(n) => {
            // Only these bits are used. Others would make an offset beyond VRAM.
            let n = n & 3;
            let top = 8 + n;
            let field = (2_i64 << top) - 32;
            let moved = l.scalar_xor(offset, 0x1000 << n);
            let around = l.scalar_mask(moved, OFFSET & !field);
            let middle = l.scalar_mask(moved, (field >> 1) & !0x3f);
            let middle = l.scalar_shl(middle, 1);
            let low = l.scalar_xor(moved, 0x20);
            let low = l.scalar_mask(low, 0x20);
            let low = l.scalar_shl(low, 1);
            let high = l.scalar_down(moved, top - 5);
            let high = l.scalar_mask(high, 0x20);
            let ends = l.scalar_or(low, high);
            let inside = l.scalar_or(middle, ends);
            l.scalar_or(around, inside)
        }
    }
}

/// Lanes that are covered, as integers.
pub(crate) const fn ints(mask: Mask) -> I32s {
    I32s(mask.0)
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;
    use crate::code::targets::clif;
    use crate::ge::key::pixel::DepthKey;
    use picaflor_pipeline::ge::clut::Clut;
    use picaflor_pipeline::ge::raster::Shape;
    use picaflor_pipeline::ge::regs::{Registers, op};
    use picaflor_pipeline::ge::stage::PixelState;
    use picaflor_pipeline::memory::FlatMemory;

    /// The key of a clear of depth alone.
    fn clear(maps: AddressMaps) -> PixelKey {
        let mut registers = Registers::default();
        registers.write(u32::from(op::CLEAR) << 24 | 0x401);
        let (clut, memory) = (Clut::default(), FlatMemory::default());
        let state =
            PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
        PixelKey::of(&state, Shape::Rectangle).expect("a state that is compiled")
    }

    /// Any host can make a wiring that no system call has. Its offsets stay in VRAM, because they are those of one that
    /// a system call has.
    #[test]
    fn a_shift_out_of_range_is_one_in_range() {
        let code = |n| {
            let key = clear(AddressMaps::Shift(n));
            assert!(matches!(key.depth, Some(DepthKey { writes: true, .. })), "{key}");
            clif(|func, context, isa| build(&key, func, context, isa))
        };
        for n in [4, 13, 18, 51, 52, 255] {
            assert_eq!(code(n), code(n & 3), "{n}");
        }
        assert_ne!(code(0), code(1));
    }
}
