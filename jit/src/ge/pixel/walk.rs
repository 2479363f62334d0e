//! From job to job, and through the rows and groups of each.

use super::group::{Group, Places};
use super::steps::{Going, Steps};
use crate::emit::flow::{IntVar, ScalarVar};
use crate::emit::ge::span::{ChannelNumbers, JOB_BYTES, call, of_job, of_primitive};
use crate::emit::ge::steps::ChannelVar;
use crate::emit::lanes::{I32s, Lanes, Mask, Scalar};
use crate::ge::key::PixelKey;
use crate::ge::key::texture::FilterKey;
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM_BYTES};

/// Bits of an offset into VRAM.
const OFFSET: i64 = VRAM_BYTES as i64 - 1;

/// The loops of a routine. Code for a group is emitted between [`group`](Self::group) and [`close`](Self::close).
///
/// A row of a triangle is searched for its first covered group, where the values that change are computed from the
/// column; it ends behind the last covered one. Rectangles cover all groups.
pub(crate) struct Walk {
    call: Scalar,
    constants: Scalar,
    key: PixelKey,
    job: ScalarVar,
    /// Columns from the job's first lane to the group's.
    column: ScalarVar,
    /// The primitive's numbers.
    primitive: ScalarVar,
    /// Values that change from group to group: terms of the channels, positions in a texture, and edges.
    channels: Channels,
    steps: Option<Steps>,
    deep: Option<Going>,
    inside: [IntVar; 3],
    /// Covered lanes of the group.
    mask: IntVar,
    /// Pixels that were covered.
    drawn: ScalarVar,
    first_row: Block,
    first_group: Block,
    /// Continuation after a row.
    row_done: Block,
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
    /// Goes to the first group of the first job.
    pub(crate) fn open(l: &mut Lanes<'_>, call: Scalar, key: PixelKey) -> Self {
        let [first_row, first_group, row_done, next_group] = [(); 4].map(|()| l.block());
        let [job, column, primitive, drawn] = [(); 4].map(|()| l.scalar_var());
        let channels = Channels::of(l, &key);
        let steps = Steps::of(l, &key);
        let is_deep = !key.rectangles && (key.depth.is_some() || key.depth_range);
        let deep = is_deep.then(|| Going::depth(l));
        let inside = [(); 3].map(|()| l.int_var());
        let mask = l.int_var();
        let none = l.scalar(0);
        l.set_scalar(drawn, none);
        let constants = l.load_pointer(call, call::CONSTANTS);
        let first = l.load_pointer(call, call::JOBS);
        let walk = Self {
            call,
            constants,
            key,
            job,
            column,
            primitive,
            channels,
            steps,
            deep,
            inside,
            mask,
            drawn,
            first_row,
            first_group,
            row_done,
            next_group,
        };
        walk.begin(l, first);
        l.jump(first_row);
        l.switch_to(first_row);
        walk.begin_row(l);
        walk.begin_values(l);
        l.jump(first_group);
        walk
    }

    fn begin(&self, l: &mut Lanes<'_>, job: Scalar) {
        l.set_scalar(self.job, job);
        let numbers = l.load_pointer(self.call, call::PRIMITIVES);
        let offset = l.load_pointer(job, of_job!(primitive));
        let primitive = l.scalar_add(numbers, offset);
        l.set_scalar(self.primitive, primitive);
        for (more, var) in (0..).zip(self.channels.flat) {
            if let Some(var) = var {
                l.set_bytes(var, primitive, of_primitive!(flat), more);
            }
        }
    }

    /// Goes to the first group of a row that is drawn, or to the end of the row.
    fn begin_row(&self, l: &mut Lanes<'_>) {
        let job = l.get_scalar(self.job);
        let zero = l.scalar(0);
        l.set_scalar(self.column, zero);
        for (n, inside) in self.sides() {
            let value = l.load_ints(job, of_job!(inside) + n * 16);
            l.set_int(inside, value);
        }
        if self.key.rectangles {
            let mask = self.covered(l);
            l.set_mask(self.mask, mask);
            return;
        }
        let [search, on, found] = [(); 3].map(|()| l.block());
        l.jump(search);
        l.switch_to(search);
        let mask = self.covered(l);
        l.set_mask(self.mask, mask);
        let any = l.sign_bits(mask);
        l.branch(any.0, found, on);
        l.switch_to(on);
        self.next_column(l, search);
        l.switch_to(found);
    }

    /// Goes to the next column and on to a block, or to the end of the row.
    fn next_column(&self, l: &mut Lanes<'_>, on: Block) {
        let job = l.get_scalar(self.job);
        let column = l.get_scalar(self.column);
        let column = l.scalar_add_constant(column, 4);
        l.set_scalar(self.column, column);
        let end = l.load_i32(job, of_job!(columns));
        let more = l.scalar_less(column, end);
        let advance = l.block();
        l.branch(more, advance, self.row_done);
        l.switch_to(advance);
        let primitive = l.get_scalar(self.primitive);
        for (n, inside) in self.sides() {
            let step = l.load_ints(primitive, of_primitive!(inside_right) + n * 16);
            let value = l.get_int(inside);
            let value = l.int_add(value, step);
            l.set_int(inside, value);
        }
        l.jump(on);
    }

    /// The values that change, at the first group of a row that is drawn.
    fn begin_values(&self, l: &mut Lanes<'_>) {
        let [job, primitive, column] = [self.job, self.primitive, self.column].map(|var| l.get_scalar(var));
        let alive: Vec<_> = self.channels.alive().collect();
        if !alive.is_empty() {
            let groups = l.scalar_down(column, 2);
            let groups = l.count_to_ints(groups);
            for (half, term) in alive {
                let first = l.load_ints(job, if half == 0 { of_job!(primary) } else { of_job!(secondary) });
                let step = l.load_ints(primitive, of_channels(half, 3));
                let change = l.int_mul(groups, step);
                let value = l.int_add(first, change);
                l.set_int(term, value);
            }
        }
        if let Some(deep) = &self.deep {
            deep.begin(l, primitive, job, column);
        }
        if let Some(steps) = &self.steps {
            steps.begin(l, self.constants, primitive, job, column);
        }
    }

    /// Bounding edges, by number.
    fn sides(&self) -> impl Iterator<Item = (i32, IntVar)> {
        let count = if self.key.rectangles { 2 } else { 3 };
        (0..).zip(self.inside).take(count)
    }

    /// The next group of the job.
    pub(crate) fn group<'q, 'f>(&self, l: &'q mut Lanes<'f>) -> Group<'q, 'f> {
        l.switch_to(self.first_group);
        let job = l.get_scalar(self.job);
        let column = l.get_scalar(self.column);
        let mask = l.get_mask(self.mask);
        if !self.key.rectangles {
            let lanes = l.sign_bits(mask);
            let count = l.scalar_ones(lanes);
            let drawn = l.get_scalar(self.drawn);
            let drawn = l.scalar_add(drawn, count);
            l.set_scalar(self.drawn, drawn);
        }
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
            self.deep,
        )
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

    /// The lanes of a group that the job covers.
    fn covered(&self, l: &mut Lanes<'_>) -> Mask {
        let outside = self.sides().map(|(_, inside)| l.get_int(inside)).collect::<Vec<_>>();
        let outside = outside.into_iter().reduce(|a, b| l.int_or(a, b)).expect("there are sides");
        let all = l.int(-1);
        l.int_compare(IntCC::SignedGreaterThan, outside, all)
    }

    /// From a group to the next one that is covered.
    fn go_right(&self, l: &mut Lanes<'_>) {
        let covered = l.block();
        self.next_column(l, covered);
        l.switch_to(covered);
        let mask = self.covered(l);
        l.set_mask(self.mask, mask);
        if !self.key.rectangles {
            let on = l.block();
            let any = l.sign_bits(mask);
            l.branch(any.0, on, self.row_done);
            l.switch_to(on);
        }
        let primitive = l.get_scalar(self.primitive);
        for (half, term) in self.channels.alive() {
            let step = l.load_ints(primitive, of_channels(half, 3));
            let value = l.get_int(term);
            let value = l.int_add(value, step);
            l.set_int(term, value);
        }
        if let Some(steps) = &self.steps {
            steps.advance(l, primitive);
        }
        if let Some(deep) = &self.deep {
            deep.advance(l, primitive);
        }
        l.jump(self.first_group);
    }

    /// The ends of the loops, and of the routine.
    pub(crate) fn close(self, l: &mut Lanes<'_>) {
        let [down, next_job, another, done] = [(); 4].map(|()| l.block());
        l.switch_to(self.next_group);
        self.go_right(l);

        l.switch_to(self.row_done);
        let job = l.get_scalar(self.job);
        let rows = l.load_i32(job, of_job!(rows));
        let rows = l.scalar_add_constant(rows, -1);
        l.store_u32(rows, job, of_job!(rows));
        l.branch(rows.0, down, next_job);

        l.switch_to(down);
        self.go_down(l, job);
        l.jump(self.first_row);

        l.switch_to(next_job);
        let job = l.scalar_add_constant(job, JOB_BYTES);
        let end = l.load_pointer(self.call, call::END);
        let more = l.scalar_below(job, end);
        l.branch(more, another, done);

        l.switch_to(another);
        self.begin(l, job);
        l.jump(self.first_row);

        l.switch_to(done);
        let drawn = l.get_scalar(self.drawn);
        l.store_scalar(drawn, self.call, call::DRAWN);
        l.ret();
    }

    /// Advances a job to its next row.
    fn go_down(&self, l: &mut Lanes<'_>, job: Scalar) {
        let primitive = l.get_scalar(self.primitive);
        let key = &self.key;
        let offsets = [
            (key.touches_colour(), of_job!(colour_at), call::COLOUR_DOWN),
            (key.depth.is_some(), of_job!(depth_at), call::DEPTH_DOWN),
        ];
        for (_, at, down) in offsets.into_iter().filter(|(is_used, ..)| *is_used) {
            let down = l.load_pointer(self.call, down);
            let offset = l.load_pointer(job, at);
            let offset = l.scalar_add(offset, down);
            l.store_scalar(offset, job, at);
        }
        if key.dither {
            let row = l.load_pointer(job, of_job!(dither));
            let row = l.scalar_add_constant(row, 32);
            let row = l.scalar_mask(row, 3 * 32);
            l.store_scalar(row, job, of_job!(dither));
        }
        if key.texture.is_some_and(|texture| matches!(texture.filter, FilterKey::Lod(_))) {
            let row = l.load_i32(job, of_job!(row));
            let row = l.scalar_add_constant(row, 1);
            l.store_u32(row, job, of_job!(row));
        }
        if self.steps.is_some() {
            let (at, down) = (of_job!(plain), of_primitive!(plain_down));
            let (value, down) = (l.load_longs(job, at), l.load_longs(primitive, down));
            let value = l.long_add(value, down);
            l.store_longs(value, job, at);
        }
        if !key.rectangles {
            self.go_down_edges(l, job, primitive);
        }
    }

    /// Advances the edges of a triangle to the next row.
    fn go_down_edges(&self, l: &mut Lanes<'_>, job: Scalar, primitive: Scalar) {
        let key = &self.key;
        let colours = [key.smooth, key.smooth && key.secondary || key.fog];
        let colours = colours.into_iter().zip([of_job!(primary), of_job!(secondary)]);
        let mut whole: Vec<(i32, i32)> =
            (0..3).map(|n| (of_job!(inside) + n * 16, of_primitive!(inside_down) + n * 16)).collect();
        let downs = [of_primitive!(channels_down), of_primitive!(channels_down) + 16];
        whole.extend(
            colours.zip(downs).filter(|((changes, _), _)| *changes).map(|((_, at), down)| (at, down)),
        );
        for (at, down) in whole {
            let (value, down) = (l.load_ints(job, at), l.load_ints(primitive, down));
            let value = l.int_add(value, down);
            l.store_ints(value, job, at);
        }
        let mut exact = vec![];
        if self.deep.is_some() {
            let at = l.load_pointer(job, of_job!(deep));
            let down = l.load_pointer(primitive, of_primitive!(deep_down));
            let at = l.scalar_add(at, down);
            l.store_scalar(at, job, of_job!(deep));
        }
        if let Some(texture) = key.texture {
            exact.extend([0, 16].map(|n| (of_job!(edges) + n, of_primitive!(edges_down) + n)));
            if texture.divides && self.steps.is_some() {
                exact.extend([0, 16].map(|n| (of_job!(divided) + n, of_primitive!(divided_down) + n)));
            }
        }
        for (at, down) in exact {
            let (value, down) = (l.load_doubles(job, at), l.load_doubles(primitive, down));
            let value = l.dadd(value, down);
            l.store_doubles(value, job, at);
        }
    }
}

/// Offset of a change of four channels: to lanes 1, 2, 3, to the next group.
pub(crate) const fn of_channels(half: usize, which: usize) -> i32 {
    of_primitive!(channels) + (half * size_of::<ChannelNumbers>() + which * 16) as i32
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
pub(crate) const fn ints(mask: Mask) -> I32s {
    I32s(mask.0)
}
