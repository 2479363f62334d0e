//! Counts of results of `EX2` and `LG2` that are not the nearest binary32.
//!
//! The host's binary64 function decides where its result is far from the middle of two binary32 values (2^-46
//! relative, which leaves it 64 units of error); nearer results are decided with 100 bits.

use super::double_double::{self, Wide};
use picaflor_pipeline::pica::float::{self, CANONICAL_NAN};
use std::fmt;
use std::ops::RangeInclusive;

/// A function with a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Op {
    /// 2^x.
    Ex2,
    /// log2 x.
    Lg2,
}

impl Op {
    /// The recipe of the engines.
    #[must_use]
    pub fn recipe(self, x: f32) -> f32 {
        match self {
            Self::Ex2 => float::ex2(x),
            Self::Lg2 => float::lg2(x),
        }
    }

    /// The nearest binary32, and true if the decision took 100 bits.
    #[must_use]
    pub fn nearest(self, x: f32) -> (f32, bool) {
        let estimate = match self {
            Self::Ex2 => f64::from(x).exp2(),
            Self::Lg2 => f64::from(x).log2(),
        };
        let (low, high) = ((estimate * (1.0 - DOUBT)) as f32, (estimate * (1.0 + DOUBT)) as f32);
        if estimate.is_nan() {
            (f32::from_bits(CANONICAL_NAN), false)
        } else if low.to_bits() == high.to_bits() {
            (low, false)
        } else {
            (self.nearer(x, low, high), true)
        }
    }

    /// Which of two neighbours is nearer to the result for `x`.
    fn nearer(self, x: f32, low: f32, high: f32) -> f32 {
        let middle = middle(low, high);
        let below = match self {
            // Only an integer has a power that binary64 holds; the tie at 2^-150 goes to the even 0.
            Self::Ex2 if x.fract() == 0.0 => f64::from(x).exp2() <= middle,
            Self::Ex2 => {
                let n = x.round();
                // Scaling by a power of two is exact: the smallest middle is 2^-150.
                scaled_below(double_double::power(f64::from(x - n)), middle, n as i32)
            }
            Self::Lg2 => {
                let (mantissa, exponent) = split(x);
                double_double::logarithm(mantissa, exponent).below(middle)
            }
        };
        if below { low.min(high) } else { low.max(high) }
    }
}

/// Relative distance from a middle within which 100 bits decide.
const DOUBT: f64 = 1.0 / (1_u64 << 46) as f64;

/// The middle of two neighbours, at which rounding changes; an infinity stands for 2^128.
fn middle(a: f32, b: f32) -> f64 {
    let finite = |v: f32| if v.is_infinite() { 2_f64.powi(128).copysign(v.into()) } else { f64::from(v) };
    (finite(a) + finite(b)) / 2.0
}

fn scaled_below(value: Wide, limit: f64, exponent: i32) -> bool {
    value.below(limit * 2_f64.powi(-exponent))
}

/// A positive number as a mantissa in 0.7 .. 1.5 and an exponent.
fn split(x: f32) -> (f64, i32) {
    let bits = f64::from(x).to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 1.0_f64.to_bits());
    if mantissa < 1.5 { (mantissa, exponent) } else { (mantissa / 2.0, exponent + 1) }
}

/// A recipe against the nearest values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Inputs tried.
    pub inputs: u64,
    /// Inputs of which 100 bits had to decide.
    pub hard: u64,
    /// Inputs for which the recipe's bits differ.
    pub misrounded: u64,
    /// The first of those, as bits, at most [`KEPT`](Self::KEPT).
    pub first: Vec<u32>,
}

impl SweepReport {
    /// Maximum number of listed inputs.
    pub const KEPT: usize = 16;

    /// The report of two sweeps together.
    #[must_use]
    pub fn merged(mut self, other: Self) -> Self {
        self.inputs += other.inputs;
        self.hard += other.hard;
        self.misrounded += other.misrounded;
        self.first.extend(other.first);
        self.first.truncate(Self::KEPT);
        self
    }

    fn record(&mut self, input: u32, result: f32, expected: f32, hard: bool) {
        self.inputs += 1;
        self.hard += u64::from(hard);
        if result.to_bits() != expected.to_bits() {
            self.misrounded += 1;
            if self.first.len() < Self::KEPT {
                self.first.push(input);
            }
        }
    }
}

impl fmt::Display for SweepReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} inputs not correctly rounded", self.misrounded, self.inputs)?;
        write!(f, " ({} decided with 100 bits)", self.hard)?;
        self.first.iter().try_for_each(|input| write!(f, "\n  {input:08x}"))
    }
}

/// The recipe in the `Binary32` profile, for every pattern of the range.
#[must_use]
pub fn correctly_rounded(op: Op, patterns: RangeInclusive<u32>) -> SweepReport {
    let mut report = SweepReport::default();
    for bits in patterns {
        let x = f32::from_bits(bits);
        let (expected, hard) = op.nearest(x);
        report.record(bits, op.recipe(x), expected, hard);
    }
    report
}

/// The recipe in the `Console` profile, for all 2^24 patterns: flushed, computed, truncated.
#[must_use]
pub fn correctly_rounded_console(op: Op) -> SweepReport {
    let mut report = SweepReport::default();
    for raw in 0..1 << 24 {
        let x = float::flush(float::f24(raw));
        let (expected, hard) = op.nearest(x);
        report.record(raw, float::truncate(op.recipe(x)), float::truncate(expected), hard);
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tie_of_ex2() {
        assert_eq!(Op::Ex2.nearest(-150.0), (0.0, true));
        assert_eq!(Op::Ex2.nearest(f32::from_bits((-150.0_f32).to_bits() - 1)).0.to_bits(), 1);
    }

    #[test]
    fn special_values() {
        assert_eq!(Op::Ex2.nearest(f32::NEG_INFINITY), (0.0, false));
        assert_eq!(Op::Ex2.nearest(128.0), (f32::INFINITY, false));
        assert_eq!(Op::Lg2.nearest(0.0), (f32::NEG_INFINITY, false));
        assert_eq!(Op::Lg2.nearest(-1.0).0.to_bits(), CANONICAL_NAN);
        assert_eq!(Op::Lg2.nearest(1.0).0.to_bits(), 0);
    }

    /// The two inputs whose results binary64 cannot tell from a middle; references from 400-bit arithmetic.
    #[test]
    fn hard_inputs() {
        for (input, expected) in [(0x3b42_9d37, 0x3f80_4385), (0xbcf3_a937, 0x3f7a_c6b1)] {
            let (nearest, hard) = Op::Ex2.nearest(f32::from_bits(input));
            assert_eq!((nearest.to_bits(), hard), (expected, true), "{input:08x}");
        }
    }

    #[test]
    fn a_misrounded_result_is_reported() {
        let mut report = SweepReport::default();
        report.record(7, 1.0, 1.0, false);
        report.record(8, 0.0, -0.0, true);
        assert_eq!(report, SweepReport { inputs: 2, hard: 1, misrounded: 1, first: vec![8] });
    }
}
