//! From job to job, and through the quads of each that are covered.

use super::FragmentFacts;
use crate::emit::block::{self, slot};
use crate::emit::constants::constant;
use crate::emit::flow::ScalarVar;
use crate::emit::lanes::{F32s, Lanes, Mask, Scalar};
use cranelift_codegen::ir::Block;

/// The two loops of a routine. Code for a quad is emitted between [`quad`](Self::quad) and
/// [`close`](Self::close).
pub(super) struct Walk {
    call: Scalar,
    constants: Scalar,
    job: ScalarVar,
    /// Pixels of the job that are still to be drawn.
    rest: ScalarVar,
    first_quad: Block,
    /// Where code for a quad goes when it is done with it.
    pub(super) next_quad: Block,
}

/// Where the pixels of a quad lie.
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
}

impl Walk {
    /// Goes to the first quad of the first job.
    pub(super) fn open(l: &mut Lanes<'_>, call: Scalar) -> Self {
        let [first_quad, next_quad] = [(); 2].map(|()| l.block());
        let [job, rest] = [(); 2].map(|()| l.scalar_var());
        let constants = l.load_pointer(call, block::CONSTANTS);
        let first = l.load_pointer(call, block::JOBS);
        let walk = Self { call, constants, job, rest, first_quad, next_quad };
        walk.begin(l, first);
        l.jump(first_quad);
        walk
    }

    /// A job has at least one pixel.
    fn begin(&self, l: &mut Lanes<'_>, job: Scalar) {
        l.set_scalar(self.job, job);
        let covered = l.load_pointer(job, block::JOB_COVERED);
        l.set_scalar(self.rest, covered);
    }

    /// The next quad of the job. Its number is below 16.
    pub(super) fn quad(&self, l: &mut Lanes<'_>, facts: FragmentFacts) -> Here {
        l.switch_to(self.first_quad);
        let (job, rest) = (l.get_scalar(self.job), l.get_scalar(self.rest));
        let pixel = l.lowest_bit(rest);
        let three = l.scalar(!3);
        let pixel = l.scalar_and(pixel, three);
        let (bits, rest) = self.take(l, rest, pixel);
        l.set_scalar(self.rest, rest);
        let row = l.scalar_shl(bits, 4);
        let row = l.scalar_add(self.constants, row);
        let mask = Mask(l.load_ints(row, constant!(masks)).0);
        let triangle = self.slots(l, job, block::JOB_TRIANGLE);
        let edges = self.edges(l, job, triangle, pixel);
        let places = Places {
            colour: self.place(l, [block::COLOUR, block::JOB_COLOUR], pixel, facts.colour_bytes),
            depth: self.place(l, [block::DEPTH, block::JOB_DEPTH], pixel, facts.depth_bytes),
        };
        Here { constants: self.constants, triangle, edges, mask, places }
    }

    /// The four bits of a quad from a pixel on, and what is left without them.
    fn take(&self, l: &mut Lanes<'_>, rest: Scalar, pixel: Scalar) -> (Scalar, Scalar) {
        let fifteen = l.scalar(15);
        let bits = l.scalar_shr(rest, pixel);
        let bits = l.scalar_and(bits, fifteen);
        let quad = l.scalar_shl_by(fifteen, pixel);
        (bits, l.scalar_and_not(rest, quad))
    }

    /// Slots that a job names.
    fn slots(&self, l: &mut Lanes<'_>, job: Scalar, field: i32) -> Scalar {
        let slots = l.load_pointer(self.call, block::SLOTS);
        let offset = l.load_pointer(job, field);
        l.scalar_add(slots, offset)
    }

    /// The values of the edges at the lanes of the quad that begins with a pixel.
    fn edges(&self, l: &mut Lanes<'_>, job: Scalar, triangle: Scalar, pixel: Scalar) -> [F32s; 3] {
        let (far, near, done) = (l.cold_block(), l.block(), l.block());
        let edges = [(); 3].map(|()| l.float_var());
        let table = l.load_pointer(job, block::JOB_TABLE);
        l.branch(table.0, far, near);

        l.switch_to(far);
        let values = self.slots(l, job, block::JOB_TABLE);
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

    /// Where the quad that begins with a pixel lies in a buffer: code loads and stores its four pixels, which
    /// are among the 64 of the job's block.
    fn place(&self, l: &mut Lanes<'_>, [buffer, block]: [i32; 2], pixel: Scalar, bytes: u32) -> Scalar {
        if bytes == 0 {
            return pixel;
        }
        let job = l.get_scalar(self.job);
        let (start, block) = (l.load_pointer(self.call, buffer), l.load_pointer(job, block));
        let start = l.scalar_add(start, block);
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
        l.jump(self.first_quad);

        l.switch_to(done);
        l.ret();
    }
}
