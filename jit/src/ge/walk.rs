//! From job to job, and through the groups of each.

use super::group::{Group, Places};
use super::steps::Steps;
use crate::emit::flow::{IntVar, ScalarVar};
use crate::emit::lanes::{I32s, Lanes, Mask, Scalar};
use crate::emit::span::{JOB_BYTES, call, of_job, of_primitive};
use crate::emit::steps::ChannelVar;
use crate::key::ge::PixelKey;
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM_BYTES};

/// Bits of an offset into VRAM.
const OFFSET: i64 = VRAM_BYTES as i64 - 1;

/// The two loops of a routine. Code for a group is emitted between [`group`](Self::group) and
/// [`close`](Self::close).
pub(super) struct Walk {
    call: Scalar,
    constants: Scalar,
    key: PixelKey,
    job: ScalarVar,
    /// Columns from the job's first lane to the group's.
    column: ScalarVar,
    /// Columns from the job's first lane to each of the group's.
    columns: IntVar,
    /// Lanes that do not lie before the job.
    begun: IntVar,
    /// The job's end in all lanes.
    end: IntVar,
    /// The primitive's numbers.
    primitive: ScalarVar,
    /// What changes from group to group: terms of the channels, positions in a texture.
    channels: Channels,
    steps: Option<Steps>,
    first_group: Block,
    /// Where code for a group goes when it is done with it.
    pub(super) next_group: Block,
}

/// Terms of the channels that change, by their number among a primitive's channels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channels {
    terms: [Option<IntVar>; 8],
    /// The primary colour where it does not change, and one more than it, as far as they are used.
    flat: [Option<ChannelVar>; 2],
}

impl Channels {
    fn of(l: &mut Lanes<'_>, key: &PixelKey) -> Self {
        let alive = |n: usize| match n {
            0..4 => key.smooth,
            4..7 => key.smooth && key.secondary,
            // Fog changes also where colours do not.
            _ => key.fog && !key.rectangles,
        };
        let is_read = key.texture.map_or([true, false], |key| [key.reads_primary(), key.multiplies()]);
        let flat =
            is_read.map(|is_read| (is_read && !key.smooth && key.reads_colour()).then(|| l.channel_var()));
        Self { terms: std::array::from_fn(|n| alive(n).then(|| l.int_var())), flat }
    }

    /// The primary colour where it does not change, with 0 or 1 added.
    pub(super) const fn flat(&self, more: usize) -> Option<ChannelVar> {
        self.flat[more]
    }

    pub(super) const fn term(&self, n: usize) -> Option<IntVar> {
        self.terms[n]
    }

    fn alive(&self) -> impl Iterator<Item = (usize, IntVar)> {
        self.terms.iter().enumerate().filter_map(|(n, term)| term.map(|term| (n, term)))
    }
}

impl Walk {
    /// Goes to the first group of the first job.
    pub(super) fn open(l: &mut Lanes<'_>, call: Scalar, key: PixelKey) -> Self {
        let [first_group, next_group] = [(); 2].map(|()| l.block());
        let [job, column, primitive] = [(); 3].map(|()| l.scalar_var());
        let [columns, begun, end] = [(); 3].map(|()| l.int_var());
        let channels = Channels::of(l, &key);
        let steps = Steps::of(l, &key);
        let constants = l.load_pointer(call, call::CONSTANTS);
        let first = l.load_pointer(call, call::JOBS);
        let walk = Self {
            call,
            constants,
            key,
            job,
            column,
            columns,
            begun,
            end,
            primitive,
            channels,
            steps,
            first_group,
            next_group,
        };
        walk.begin(l, first);
        l.jump(first_group);
        walk
    }

    /// A job covers at least one pixel.
    fn begin(&self, l: &mut Lanes<'_>, job: Scalar) {
        l.set_scalar(self.job, job);
        let zero = l.scalar(0);
        l.set_scalar(self.column, zero);
        let columns = l.int_lanes([0, 1, 2, 3]);
        l.set_int(self.columns, columns);
        let [first, end] = [of_job!(first), of_job!(end)].map(|at| l.load_broadcast(job, at));
        let before = l.int_compare(IntCC::SignedGreaterThan, first, columns);
        let begun = l.not(before);
        l.set_mask(self.begun, begun);
        l.set_int(self.end, end);
        let numbers = l.load_pointer(self.call, call::PRIMITIVES);
        let offset = l.load_pointer(job, of_job!(primitive));
        let primitive = l.scalar_add(numbers, offset);
        l.set_scalar(self.primitive, primitive);
        for (n, term) in self.channels.alive() {
            let all = l.load_ints(job, if n < 4 { of_job!(primary) } else { of_job!(secondary) });
            let first = l.broadcast(all, (n % 4) as u8);
            let lanes = l.load_ints(primitive, of_channel(n, 0));
            let value = l.int_add(first, lanes);
            l.set_int(term, value);
        }
        for (more, var) in (0..).zip(self.channels.flat) {
            if let Some(var) = var {
                l.set_bytes(var, primitive, of_primitive!(flat), more);
            }
        }
        if let Some(steps) = &self.steps {
            steps.begin(l, self.constants, primitive, job);
        }
    }

    /// The next group of the job.
    pub(super) fn group<'q, 'f>(&self, l: &'q mut Lanes<'f>) -> Group<'q, 'f> {
        l.switch_to(self.first_group);
        let job = l.get_scalar(self.job);
        let column = l.get_scalar(self.column);
        let mask = self.covered(l);
        let primitive = l.get_scalar(self.primitive);
        let places = self.places(l, job, column);
        Group::new(
            l,
            self.constants,
            primitive,
            job,
            column,
            mask,
            places,
            self.key.rectangles,
            self.channels,
            self.steps,
        )
    }

    /// The lanes of a group that the job covers.
    fn covered(&self, l: &mut Lanes<'_>) -> Mask {
        let (columns, end) = (l.get_int(self.columns), l.get_int(self.end));
        let inside = l.int_compare(IntCC::SignedGreaterThan, end, columns);
        let begun = l.get_mask(self.begun);
        l.and(inside, begun)
    }

    fn places(&self, l: &mut Lanes<'_>, job: Scalar, column: Scalar) -> Places {
        let vram = l.load_pointer(self.call, call::VRAM);
        let place = |l: &mut Lanes<'_>, start: i32, bytes: i64| {
            let start = l.load_pointer(job, start);
            let along = l.scalar_times(column, bytes);
            let offset = l.scalar_add(start, along);
            l.scalar_mask(offset, OFFSET)
        };
        let colour = self.key.touches_colour().then(|| {
            let offset = place(l, of_job!(colour_at), i64::from(self.key.format.bytes()));
            l.scalar_add(vram, offset)
        });
        let depth = self.key.depth.map(|depth| {
            let offset = place(l, of_job!(depth_at), 2);
            let offset = mapped(l, offset, depth.maps);
            l.scalar_add(vram, offset)
        });
        Places { colour, depth }
    }

    /// The ends of both loops, and of the routine.
    pub(super) fn close(self, l: &mut Lanes<'_>) {
        let [advance, next_job, another, done] = [(); 4].map(|()| l.block());
        l.switch_to(self.next_group);
        let job = l.get_scalar(self.job);
        let column = l.get_scalar(self.column);
        let column = l.scalar_add_constant(column, 4);
        let end = l.load_i32(job, of_job!(end));
        let more = l.scalar_less(column, end);
        l.branch(more, advance, next_job);

        l.switch_to(advance);
        l.set_scalar(self.column, column);
        let columns = l.get_int(self.columns);
        let four = l.int(4);
        let columns = l.int_add(columns, four);
        l.set_int(self.columns, columns);
        let all = l.all();
        l.set_mask(self.begun, all);
        let primitive = l.get_scalar(self.primitive);
        if let Some(steps) = &self.steps {
            steps.advance(l, primitive);
        }
        for (n, term) in self.channels.alive() {
            let step = l.load_ints(primitive, of_channel(n, 1));
            let value = l.get_int(term);
            let value = l.int_add(value, step);
            l.set_int(term, value);
        }
        l.jump(self.first_group);

        l.switch_to(next_job);
        let job = l.scalar_add_constant(job, JOB_BYTES);
        let end = l.load_pointer(self.call, call::END);
        let more = l.scalar_below(job, end);
        l.branch(more, another, done);

        l.switch_to(another);
        self.begin(l, job);
        l.jump(self.first_group);

        l.switch_to(done);
        l.ret();
    }
}

/// Offset of the lanes (0) or the step (1) of a channel.
const fn of_channel(n: usize, which: usize) -> i32 {
    of_primitive!(channels) + (n * 32 + which * 16) as i32
}

/// Offset of depth in VRAM: mirror 3 (1.1) undone. Groups are 8 bytes, and 32 stay together.
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
pub(super) const fn ints(mask: Mask) -> I32s {
    I32s(mask.0)
}
