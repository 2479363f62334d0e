//! Random numbers as registers, uniforms and attributes hold them.

use crate::random::Random;
use picaflor_pipeline::pica::float;

/// Frequency of exceptional values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Never: magnitudes around 1, so that most results stay finite.
    Ordinary,
    /// One in twenty.
    Mixed,
    /// Every second.
    Wild,
}

impl Style {
    /// Mostly ordinary, so that the fast variant is compared without being replayed.
    pub fn random(random: &mut Random) -> Self {
        random.weighted(&[(60, Self::Ordinary), (28, Self::Mixed), (12, Self::Wild)])
    }

    fn exceptional(self, random: &mut Random) -> bool {
        match self {
            Self::Ordinary => false,
            Self::Mixed => random.chance(5),
            Self::Wild => random.chance(50),
        }
    }
}

/// Raw 24-bit floats at which a rule changes: zeros, subnormal patterns, the ends of the normal range,
/// infinities, NaN with payloads.
const EDGES_F24: &[u32] = &[
    0x00_0000, 0x80_0000, 0x00_0001, 0x00_ffff, 0x80_0001, 0x80_8000, 0x01_0000, 0x81_0000, 0x01_0001,
    0x01_ffff, 0x02_0000, 0x7e_ffff, 0xfe_ffff, 0x7e_0000, 0x7d_ffff, 0x7f_0000, 0xff_0000, 0x7f_8000,
    0xff_8000, 0x7f_0001, 0x7f_ffff, 0xff_1234,
];

/// Binary32 words at which a rule changes, beyond those of the 24-bit format.
const EDGES_F32: &[u32] = &[
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0001,
    0xffbf_ffff,
    0x7fc0_0000,
    0xffc0_0000,
    0x7fff_ffff,
    0x5f7f_ffff,
    0x5f7f_ff80,
    0x5f80_0000,
    0x5f80_0001,
    0xdf80_0000,
    0x207f_ffff,
    0x2080_0000,
    0x2080_0001,
    0xa07f_ffff,
    0x1f80_0000,
    0x1fff_ffff,
    0x6000_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0x4effffff,
    0x4f00_0000,
    0xcf00_0001,
    0x42ff_ffff,
    0x4300_0000,
    0xc301_0000,
];

/// Turning points of EX2, MOVA, FLR and relative addressing.
const TURNING_POINTS: &[i32] = &[0, 1, 2, 31, 62, 63, 64, 78, 95, 96, 126, 127, 128, 129, 149, 150];

/// A raw 24-bit float.
pub fn raw_f24(random: &mut Random, style: Style) -> u32 {
    if style.exceptional(random) { exceptional_f24(random) } else { ordinary_f24(random) }
}

/// A binary32 word.
pub fn word_f32(random: &mut Random, style: Style) -> u32 {
    if !style.exceptional(random) {
        return float::f24(ordinary_f24(random)).to_bits() | low_bits(random);
    }
    match random.below(4) {
        0 => float::f24(exceptional_f24(random)).to_bits(),
        1 => float::f24(exceptional_f24(random)).to_bits() ^ low_bits(random),
        2 => random.pick(EDGES_F32),
        _ => random.word(),
    }
}

/// The mantissa bits that 24 bits do not keep.
fn low_bits(random: &mut Random) -> u32 {
    if random.chance(50) { random.word() & !float::MANTISSA_MASK } else { 0 }
}

fn ordinary_f24(random: &mut Random) -> u32 {
    let sign = u32::from(random.chance(30)) << 23;
    sign | match random.below(16) {
        0 => 0x3f_0000,
        1..4 => small_integer(random),
        4 => 0x3e_0000 | random.below(16) << 12,
        _ => random.between(0x3b, 0x41) << 16 | random.below(1 << 16),
    }
}

/// 1 to 8.
fn small_integer(random: &mut Random) -> u32 {
    float::to_f24(random.between(1, 8) as f32).unwrap_or_default()
}

fn exceptional_f24(random: &mut Random) -> u32 {
    let sign = u32::from(random.chance(50)) << 23;
    match random.below(8) {
        0..4 => random.pick(EDGES_F24),
        4 => sign | turning_point(random),
        // Two of these multiply to the neighbourhood of 2^64 or 2^-62.
        5 => sign | random.between(0x3f + 30, 0x3f + 33) << 16 | random.below(1 << 16),
        6 => sign | random.between(0x3f - 32, 0x3f - 30) << 16 | random.below(1 << 16),
        _ => random.word() & 0xff_ffff,
    }
}

/// One of [`TURNING_POINTS`], or the next value below or above it.
fn turning_point(random: &mut Random) -> u32 {
    let raw = float::to_f24(random.pick(TURNING_POINTS) as f32).unwrap_or_default();
    match random.below(4) {
        0 if raw != 0 => raw - 1,
        1 => raw + 1,
        _ => raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_values_are_finite_and_near_one() {
        let mut random = Random::new(1);
        for _ in 0..10_000 {
            let value = float::f24(raw_f24(&mut random, Style::Ordinary));
            assert!((0.05..=8.0).contains(&value.abs()), "{value}");
        }
    }

    #[test]
    fn wild_values_reach_every_class() {
        let mut random = Random::new(2);
        let values: Vec<f32> =
            (0..5_000).map(|_| f32::from_bits(word_f32(&mut random, Style::Wild))).collect();
        let smallest = f32::from_bits(float::SMALLEST_NORMAL);
        assert!(values.iter().any(|v| v.is_nan() && v.to_bits() != float::CANONICAL_NAN));
        assert!(values.contains(&f32::NEG_INFINITY));
        assert!(values.iter().any(|v| v.to_bits() == 0x8000_0000));
        assert!(values.iter().any(|v| *v != 0.0 && v.abs() < smallest));
        assert!(values.iter().any(|v| v.abs() > 2e19 && v.is_finite()));
    }
}
