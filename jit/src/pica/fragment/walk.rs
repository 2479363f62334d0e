//! From job to job, and through the quads of each that are covered.

use crate::code::pica::facts::FragmentFacts;
use crate::emit::flow::{Room, ScalarVar};
use crate::emit::lanes::{F32s, Lanes, Mask, Scalar};
use crate::emit::pica::block::{self, QuadNumbers, slot};
use crate::emit::pica::constants::constant;
use cranelift_codegen::ir::Block;

/// The loops of a routine. Code for a quad is emitted between [`quad`](Self::quad) and [`close`](Self::close), code for
/// work ahead of all quads of a job between [`pair`](Self::pair) and [`close_pair`](Self::close_pair).
pub(super) struct Walk {
    call: Scalar,
    constants: Scalar,
    facts: FragmentFacts,
    job: ScalarVar,
    /// Pixels of the job that are still to be drawn.
    rest: ScalarVar,
    /// The triangle's slots.
    triangle: ScalarVar,
    /// The block in the colour buffer and in the depth buffer, where the code touches them.
    colour: ScalarVar,
    depth: ScalarVar,
    /// Colours of the next quad, and its numbers, where some were found before.
    found: [ScalarVar; 2],
    first_quad: Block,
    /// Continuation after a quad.
    pub(super) next_quad: Block,
    ahead: Option<Ahead>,
}

/// Work for two quads at a time, whose results wait for the quads.
struct Ahead {
    first_pair: Block,
    /// Pixels of the job without a result.
    rest: ScalarVar,
    /// 16 bytes for each quad of a block.
    results: Room,
}

/// Two quads next to each other, of which one has covered pixels.
pub(super) struct Pair {
    pub(super) constants: Scalar,
    /// The triangle's slots.
    pub(super) triangle: Scalar,
    pub(super) edges: [[F32s; 3]; 2],
    /// Address of the results.
    pub(super) results: Scalar,
}

/// Addresses of the pixels of a quad.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub(super) colour: Scalar,
    pub(super) depth: Scalar,
}

/// A quad that has covered pixels.
pub(super) struct Here {
    pub(super) constants: Scalar,
    /// The triangle's slots.
    pub(super) triangle: Scalar,
    pub(super) edges: [F32s; 3],
    /// The covered pixels.
    pub(super) mask: Mask,
    pub(super) places: Places,
    /// Address of the result of the work ahead.
    pub(super) ahead: Option<Scalar>,
    /// Addresses of the colours that were found before, and of the quad's numbers.
    pub(super) found: Option<[Scalar; 2]>,
}

impl Walk {
    /// Goes to the first quad of the first job, or first to the work ahead.
    pub(super) fn open(l: &mut Lanes<'_>, call: Scalar, facts: FragmentFacts, has_ahead: bool) -> Self {
        let [first_quad, next_quad] = [(); 2].map(|()| l.block());
        let [job, rest, triangle, colour, depth] = [(); 5].map(|()| l.scalar_var());
        let found = [(); 2].map(|()| l.scalar_var());
        let constants = l.load_pointer(call, block::CONSTANTS);
        let first = l.load_pointer(call, block::JOBS);
        let ahead = has_ahead.then(|| Ahead {
            first_pair: l.block(),
            rest: l.scalar_var(),
            results: l.room(16 * 16),
        });
        if facts.found > 0 {
            for (var, offset) in found.into_iter().zip([block::FOUND, block::QUADS]) {
                let first = l.load_pointer(call, offset);
                l.set_scalar(var, first);
            }
        }
        #[rustfmt::skip]
        let walk = Self {
            call, constants, facts, job, rest, triangle, colour, depth, found, first_quad, next_quad, ahead,
        };
        walk.begin(l, first);
        walk
    }

    /// A job has at least one pixel.
    fn begin(&self, l: &mut Lanes<'_>, job: Scalar) {
        l.set_scalar(self.job, job);
        let covered = l.load_pointer(job, block::JOB_COVERED);
        l.set_scalar(self.rest, covered);
        let triangle = self.place(l, block::SLOTS, job, block::JOB_TRIANGLE);
        l.set_scalar(self.triangle, triangle);
        if self.facts.colour_bytes > 0 {
            let colour = self.place(l, block::COLOUR, job, block::JOB_COLOUR);
            l.set_scalar(self.colour, colour);
        }
        if self.facts.depth_bytes > 0 {
            let depth = self.place(l, block::DEPTH, job, block::JOB_DEPTH);
            l.set_scalar(self.depth, depth);
        }
        let Some(ahead) = &self.ahead else { return l.jump(self.first_quad) };
        l.set_scalar(ahead.rest, covered);
        if self.facts.common.origin == 0 {
            return l.jump(ahead.first_pair);
        }
        let flags = l.load_u32(triangle, slot::offset(slot::FLAGS));
        let at_origin = l.bits_of(flags, i64::from(slot::ORIGIN));
        l.branch(at_origin, self.first_quad, ahead.first_pair);
    }

    /// The next pair of quads of the job, where there is work ahead.
    pub(super) fn pair(&self, l: &mut Lanes<'_>) -> Option<Pair> {
        let ahead = self.ahead.as_ref()?;
        l.switch_to(ahead.first_pair);
        let rest = l.get_scalar(ahead.rest);
        let pixel = l.lowest_bit(rest);
        let seven = l.scalar(!7);
        let pixel = l.scalar_and(pixel, seven);
        let (_, rest) = self.take(l, rest, pixel, 255);
        l.set_scalar(ahead.rest, rest);
        let triangle = l.get_scalar(self.triangle);
        let edges = [0, 4].map(|quad| {
            let pixel = l.scalar_add_constant(pixel, quad);
            self.edges(l, triangle, pixel)
        });
        let results = self.results(l, ahead, pixel);
        Some(Pair { constants: self.constants, triangle, edges, results })
    }

    /// Where the result for the quad that begins with a pixel lies.
    fn results(&self, l: &mut Lanes<'_>, ahead: &Ahead, pixel: Scalar) -> Scalar {
        let start = l.room_address(ahead.results);
        let offset = l.scalar_shl(pixel, 2);
        l.scalar_add(start, offset)
    }

    /// Goes to the next pair, or to the first quad.
    pub(super) fn close_pair(&self, l: &mut Lanes<'_>) {
        if let Some(ahead) = &self.ahead {
            let rest = l.get_scalar(ahead.rest);
            l.branch(rest.0, ahead.first_pair, self.first_quad);
        }
    }

    /// The address at a job's offset from an address of the call.
    fn place(&self, l: &mut Lanes<'_>, start: i32, job: Scalar, offset: i32) -> Scalar {
        let start = l.load_pointer(self.call, start);
        let offset = l.load_pointer(job, offset);
        l.scalar_add(start, offset)
    }

    /// The next quad of the job, from its first pixel on, which is below 64.
    pub(super) fn quad(&self, l: &mut Lanes<'_>) -> Here {
        l.switch_to(self.first_quad);
        let rest = l.get_scalar(self.rest);
        let pixel = l.lowest_bit(rest);
        let three = l.scalar(!3);
        let pixel = l.scalar_and(pixel, three);
        let (bits, rest) = self.take(l, rest, pixel, 15);
        l.set_scalar(self.rest, rest);
        let row = l.scalar_shl(bits, 4);
        let row = l.scalar_add(self.constants, row);
        let mask = Mask(l.load_ints(row, constant!(masks)).0);
        let triangle = l.get_scalar(self.triangle);
        let found = (self.facts.found > 0).then(|| self.next_found(l));
        let edges = match found {
            Some([_, numbers]) => {
                let [a, b, c, _] = QuadNumbers::PLACES;
                [a, b, c].map(|edge| l.load_floats(numbers, edge))
            }
            None => self.edges(l, triangle, pixel),
        };
        let places = Places {
            colour: self.pixels(l, self.colour, pixel, self.facts.colour_bytes),
            depth: self.pixels(l, self.depth, pixel, self.facts.depth_bytes),
        };
        let ahead = self.ahead.as_ref().map(|ahead| self.results(l, ahead, pixel));
        Here { constants: self.constants, triangle, edges, mask, places, ahead, found }
    }

    /// What was found of the next quad, before it is that of another one.
    fn next_found(&self, l: &mut Lanes<'_>) -> [Scalar; 2] {
        let here = self.found.map(|var| l.get_scalar(var));
        for (n, bytes) in [16 * self.facts.found as i64, 16].into_iter().enumerate() {
            let next = l.scalar_add_constant(here[n], bytes);
            l.set_scalar(self.found[n], next);
        }
        here
    }

    /// The lowest bits from a pixel on, and the remaining bits.
    fn take(&self, l: &mut Lanes<'_>, rest: Scalar, pixel: Scalar, lowest: i64) -> (Scalar, Scalar) {
        let lowest = l.scalar(lowest);
        let bits = l.scalar_shr(rest, pixel);
        let bits = l.scalar_and(bits, lowest);
        let taken = l.scalar_shl_by(bits, pixel);
        (bits, l.scalar_sub(rest, taken))
    }

    /// The values of the edges at the lanes of the quad that begins with a pixel.
    fn edges(&self, l: &mut Lanes<'_>, triangle: Scalar, pixel: Scalar) -> [F32s; 3] {
        let job = l.get_scalar(self.job);
        let (far, near, done) = (l.cold_block(), l.block(), l.block());
        let edges = [(); 3].map(|()| l.float_var());
        let table = l.load_pointer(job, block::JOB_TABLE);
        l.branch(table.0, far, near);

        l.switch_to(far);
        let slots = l.load_pointer(self.call, block::SLOTS);
        let values = l.scalar_add(slots, table);
        // Three slots for each four pixels.
        let offset = l.scalar_times(pixel, 12);
        let values = l.scalar_add(values, offset);
        for (n, &edge) in edges.iter().enumerate() {
            let value = l.load_floats(values, slot::offset(n));
            l.set_float(edge, value);
        }
        l.jump(done);

        l.switch_to(near);
        let first = l.load_ints(job, block::JOB_EDGES);
        let offset = l.scalar_shl(pixel, 2);
        let row = l.scalar_add(triangle, offset);
        let step = l.load_ints(row, slot::offset(slot::QUADS));
        let base = l.int_add(first, step);
        for (n, &edge) in edges.iter().enumerate() {
            let first = l.broadcast(base, n as u8);
            let steps = l.load_ints(triangle, slot::offset(slot::LANES + n));
            let value = l.int_add(first, steps);
            let value = l.int_to_float(value);
            l.set_float(edge, value);
        }
        l.jump(done);

        l.switch_to(done);
        edges.map(|edge| l.get_float(edge))
    }

    /// Where the quad that begins with a pixel lies in a block: code loads and stores its four pixels, which
    /// are among the block's 64.
    fn pixels(&self, l: &mut Lanes<'_>, block: ScalarVar, pixel: Scalar, bytes: u32) -> Scalar {
        if bytes == 0 {
            return pixel;
        }
        let start = l.get_scalar(block);
        let offset = l.scalar_times(pixel, i64::from(bytes));
        l.scalar_add(start, offset)
    }

    /// The ends of both loops, and of the routine.
    pub(super) fn close(self, l: &mut Lanes<'_>) {
        let [next_job, another, done] = [(); 3].map(|()| l.block());
        l.switch_to(self.next_quad);
        let rest = l.get_scalar(self.rest);
        l.branch(rest.0, self.first_quad, next_job);

        l.switch_to(next_job);
        let job = l.get_scalar(self.job);
        let job = l.scalar_add_constant(job, block::JOB_BYTES);
        let end = l.load_pointer(self.call, block::END);
        let more = l.scalar_below(job, end);
        l.branch(more, another, done);

        l.switch_to(another);
        self.begin(l, job);

        l.switch_to(done);
        l.ret();
    }
}
