//! Noise of the procedural texture: gradients at the points of a lattice, interpolated by a table.

use super::super::eight::Eight;
use super::{Map, OfProcedural};
use crate::emit::bytes::ByteTable;
use crate::emit::pica::constants::ProctexConstants;
use crate::emit::pica::lattice::{self, FAR, PERIOD};
use crate::pica::key::fragment::proctex::ProctexKey;
use std::arch::x86_64::{
    __m128i, __m256i, _mm256_add_epi8, _mm256_add_epi16, _mm256_and_si256, _mm256_broadcastsi128_si256,
    _mm256_castsi256_ps, _mm256_mullo_epi16, _mm256_mullo_epi32, _mm256_packs_epi32, _mm256_packus_epi16,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_shuffle_epi32,
    _mm256_srli_epi16, _mm256_sub_epi32, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpacklo_epi8,
    _mm256_unpacklo_epi16, _mm256_xor_si256,
};

impl OfProcedural {
    /// u and v with noise, those that a function reads.
    ///
    /// # Safety
    /// The table of noise is there.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn disturb(&mut self, key: &ProctexKey, constants: &ProctexConstants, quads: usize) {
        let weights = Map::new(constants.noise);
        for quad in (0..quads).step_by(2) {
            let uv = [Eight::of(&self.uv[0], quad), Eight::of(&self.uv[1], quad)];
            // SAFETY: as the caller promises.
            let noise = unsafe { noise(weights, [point(constants, 0, uv[0]), point(constants, 1, uv[1])]) };
            for axis in (0..2).filter(|&axis| key.axes[axis].is_some()) {
                let part = noise.times(Eight::constant(&constants.amplitude[axis]));
                uv[axis].plus(part).magnitude().put(&mut self.moved[axis], quad);
            }
        }
    }
}

/// Column or row of the lattice.
#[target_feature(enable = "avx2")]
#[inline]
fn point(constants: &ProctexConstants, axis: usize, x: Eight) -> Eight {
    let positive = x.plus(Eight::constant(&constants.phase[axis])).magnitude();
    Eight::constant(&constants.frequency[axis]).times(positive).clamp(-FAR, FAR)
}

/// Gradient noise at points of the lattice.
///
/// # Safety
/// The table is there.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn noise(weights: Map, [x, y]: [Eight; 2]) -> Eight {
    let (columns, rows) = (x.floor(), y.floor());
    let (fx, fy) = (x.minus(columns), y.minus(rows));
    let [r0, r1, r2, r3] = gradients(in_period(columns), in_period(rows));
    let sum = fx.plus(fy);
    let less = sum.minus(Eight::all(1.0));
    let (g0, g1, g2) = (r0.times(sum), r1.times(less), r2.times(less));
    let g3 = r3.times(sum.minus(Eight::all(2.0)));
    // SAFETY: as the caller promises.
    let (wx, wy) = unsafe { (weights.look_up(fx), weights.look_up(fy)) };
    between(between(g0, g1, wx), between(g2, g3, wx), wy)
}

/// `a + (b - a) w`.
#[target_feature(enable = "avx2")]
#[inline]
fn between(a: Eight, b: Eight, w: Eight) -> Eight {
    a.plus(b.minus(a).times(w))
}

/// An integer of up to 2^30 either way, less a multiple of the period: -128 to 272, as
/// [compiled code](crate::pica::fragment) says.
#[target_feature(enable = "avx2")]
#[inline]
fn in_period(k: Eight) -> __m256i {
    let quotient = k.times(Eight::all(1.0 / PERIOD)).floor();
    _mm256_sub_epi32(k.whole(), _mm256_mullo_epi32(quotient.whole(), _mm256_set1_epi32(PERIOD as i32)))
}

/// Gradients at the four corners around points: (0, 0), (1, 0), (0, 1), (1, 1).
#[target_feature(enable = "avx2")]
#[inline]
fn gradients(columns: __m256i, rows: __m256i) -> [Eight; 4] {
    // Of each quad columns, then rows.
    let first = _mm256_packs_epi32(columns, rows);
    let first = _mm256_add_epi16(first, _mm256_set1_epi16(PERIOD as i16));
    let next = _mm256_add_epi16(first, _mm256_set1_epi16(1));
    // Of four pixels each: columns, rows, next columns, next rows.
    let hashes = _mm256_packus_epi16(hash_of_axis(first), hash_of_axis(next));
    let columns = _mm256_shuffle_epi32::<0b10_00_10_00>(hashes);
    let rows = _mm256_shuffle_epi32::<0b11_11_01_01>(hashes);
    of_hashes(hash(columns, rows))
}

/// The hashes of columns or rows, which are 0 to 511: nine of them share an entry of the table.
#[target_feature(enable = "avx2")]
#[inline]
fn hash_of_axis(k: __m256i) -> __m256i {
    // A ninth, rounded down: 57 / 512 is too much by less than 1 / 9 in all.
    let ninth = _mm256_srli_epi16::<9>(_mm256_mullo_epi16(k, _mm256_set1_epi16(57)));
    // 3 (k mod 9 + 2), modulo 16.
    let rest = _mm256_mullo_epi16(k, _mm256_set1_epi16(3));
    let nines = _mm256_mullo_epi16(ninth, _mm256_set1_epi16(5));
    let sum = _mm256_add_epi16(_mm256_add_epi16(rest, nines), _mm256_set1_epi16(6));
    let sum = _mm256_and_si256(sum, _mm256_set1_epi16(15));
    // The upper byte of each number is 0, and so is the first entry.
    _mm256_xor_si256(sum, entries(lattice::AXIS, ninth))
}

/// The hashes of lattice points from those of their columns and rows, 0 to 15.
#[target_feature(enable = "avx2")]
#[inline]
fn hash(columns: __m256i, rows: __m256i) -> __m256i {
    let sum = _mm256_add_epi8(rows, entries(lattice::ADDED, columns));
    let flipped = _mm256_xor_si256(sum, entries(lattice::FLIPPED, columns));
    let sum = _mm256_add_epi8(flipped, entries(lattice::OFFSET, columns));
    let low = _mm256_and_si256(sum, _mm256_set1_epi8(15));
    _mm256_xor_si256(low, entries(lattice::POINT, columns))
}

/// The entries of a table by bytes below 128, of which the lowest four bits count.
#[target_feature(enable = "avx2")]
#[inline]
fn entries(table: ByteTable, at: __m256i) -> __m256i {
    // SAFETY: both have 16 bytes, and any bits are a value of each.
    let table = unsafe { std::mem::transmute::<ByteTable, __m128i>(table) };
    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), at)
}

/// The bytes of all gradients: the lowest ones, and so on.
const PLANES: [ByteTable; 4] = {
    let (mut planes, mut n) = ([[0; 16]; 4], 0);
    while n < 64 {
        planes[n % 4][n / 4] = lattice::GRADIENTS[n / 4].to_le_bytes()[n % 4];
        n += 1;
    }
    planes
};

/// Gradients by hashes: of each quad four, by each of the four groups of four bytes that it has.
#[target_feature(enable = "avx2")]
#[inline]
fn of_hashes(hashes: __m256i) -> [Eight; 4] {
    let [a, b, c, d] = PLANES;
    let (a, b, c, d) = (entries(a, hashes), entries(b, hashes), entries(c, hashes), entries(d, hashes));
    let (low, other_low) = (_mm256_unpacklo_epi8(a, b), _mm256_unpacklo_epi8(c, d));
    let (high, other_high) = (_mm256_unpackhi_epi8(a, b), _mm256_unpackhi_epi8(c, d));
    [
        Eight(_mm256_castsi256_ps(_mm256_unpacklo_epi16(low, other_low))),
        Eight(_mm256_castsi256_ps(_mm256_unpackhi_epi16(low, other_low))),
        Eight(_mm256_castsi256_ps(_mm256_unpacklo_epi16(high, other_high))),
        Eight(_mm256_castsi256_ps(_mm256_unpackhi_epi16(high, other_high))),
    ]
}
