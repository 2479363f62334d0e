//! The values of edges at quads, and 1 over the interpolated 1 / w.

use super::eight::Eight;
use super::vectors::{floats, four, number, set_two, two};
use super::{Slot, Stations, covered_quads};
use crate::emit::pica::block::{Job, slot};
use std::arch::x86_64::{
    __m128i, __m256, _mm_add_epi32, _mm_cvtepi32_ps, _mm_shuffle_epi32, _mm256_add_ps, _mm256_div_ps,
    _mm256_mul_ps, _mm256_set1_ps,
};
use std::ops::Range;

impl Stations {
    /// Fills in the quads of jobs, of which there are [`MOST_QUADS`](super::MOST_QUADS) at most, of triangles with so many
    /// slots each.
    #[target_feature(enable = "avx2")]
    pub(super) fn fill(&mut self, jobs: &[Job], slots: &[Slot], each: usize) {
        self.runs.clear();
        self.quads = 0;
        for job in jobs {
            let (first, triangle) = (self.quads, job.triangle as usize / size_of::<Slot>());
            if job.table == 0 {
                self.add(job, &slots[triangle..]);
            } else {
                self.add_from_table(job, &slots[job.table as usize / size_of::<Slot>()..]);
            }
            match self.runs.last_mut() {
                Some((last, run)) if last.start == triangle => run.end = self.quads,
                _ => self.runs.push((triangle..triangle + each, first..self.quads)),
            }
        }
        for n in 0..self.runs.len() {
            let (triangle, run) = self.runs[n].clone();
            self.fill_reciprocals(&slots[triangle], run);
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn add(&mut self, job: &Job, triangle: &[Slot]) {
        let first = four(job.edges.map(i32::cast_unsigned));
        let (steps, lanes) = (&triangle[slot::QUADS..][..16], &triangle[slot::LANES..][..3]);
        let lanes = [four(lanes[0]), four(lanes[1]), four(lanes[2])];
        let mut left = covered_quads(job.covered);
        while left != 0 {
            let (base, at) =
                (_mm_add_epi32(first, four(steps[left.trailing_zeros() as usize / 4])), self.quads);
            self.numbers.edges[0][at] = edge(_mm_shuffle_epi32::<0b00_00_00_00>(base), lanes[0]);
            self.numbers.edges[1][at] = edge(_mm_shuffle_epi32::<0b01_01_01_01>(base), lanes[1]);
            self.numbers.edges[2][at] = edge(_mm_shuffle_epi32::<0b10_10_10_10>(base), lanes[2]);
            (left, self.quads) = (left & (left - 1), at + 1);
        }
    }

    fn add_from_table(&mut self, job: &Job, table: &[Slot]) {
        let mut left = covered_quads(job.covered);
        while left != 0 {
            let quad = left.trailing_zeros() as usize / 4;
            for (edge, slot) in self.numbers.edges.iter_mut().zip(&table[3 * quad..]) {
                edge[self.quads] = slot.map(f32::from_bits);
            }
            (left, self.quads) = (left & (left - 1), self.quads + 1);
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn fill_reciprocals(&mut self, triangle: &[Slot], quads: Range<usize>) {
        if triangle[slot::FLAGS][0] & slot::RECIPROCAL != 0 {
            self.numbers.rd[quads].fill(triangle[slot::RD].map(f32::from_bits));
            return;
        }
        for n in quads.step_by(2) {
            let sum = weighted(self.edges(n), &triangle[slot::R..]);
            set_two(&mut self.numbers.rd, n, _mm256_div_ps(_mm256_set1_ps(1.0), sum));
        }
    }

    /// A quad and the next one, which are of this triangle.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn pixels<'a>(&self, triangle: &'a [Slot], quad: usize) -> Pixels<'a> {
        Pixels { triangle, edges: self.edges(quad), rd: Eight::of(&self.numbers.rd, quad) }
    }

    /// The edges' values of a quad and the next one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn edges(&self, quad: usize) -> [__m256; 3] {
        [
            two(&self.numbers.edges[0], quad),
            two(&self.numbers.edges[1], quad),
            two(&self.numbers.edges[2], quad),
        ]
    }
}

/// Two quads of a triangle.
#[derive(Clone, Copy)]
pub(super) struct Pixels<'a> {
    /// The triangle's numbers.
    triangle: &'a [Slot],
    edges: [__m256; 3],
    rd: Eight,
}

impl Pixels<'_> {
    /// The attribute whose value begins with a slot.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn value(&self, first: usize) -> Eight {
        Eight(weighted(self.edges, &self.triangle[first..])).times(self.rd)
    }

    /// How an attribute with this value changes to the right (0) or upward (1), by the slots from the first one on.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn change(&self, value: Eight, first: usize, direction: usize) -> Eight {
        let part = value.times(Eight(number(&self.triangle[slot::R_STEP + direction])));
        Eight(number(&self.triangle[first + direction])).minus(part).times(self.rd)
    }
}

/// The values of an edge.
#[target_feature(enable = "avx2")]
#[inline]
fn edge(first: __m128i, steps: __m128i) -> [f32; 4] {
    floats(_mm_cvtepi32_ps(_mm_add_epi32(first, steps)))
}

/// `(a e0 + b e1) + c e2` with three slots.
#[target_feature(enable = "avx2")]
#[inline]
fn weighted([e0, e1, e2]: [__m256; 3], slots: &[Slot]) -> __m256 {
    let slots = &slots[..3];
    let sum = _mm256_add_ps(_mm256_mul_ps(e0, number(&slots[0])), _mm256_mul_ps(e1, number(&slots[1])));
    _mm256_add_ps(sum, _mm256_mul_ps(e2, number(&slots[2])))
}
