//! Random states of the fragment pipeline: registers, tables and memory.
//!
//! States come in families: a first one, built room by room from the register table's fields and from raw words; a
//! near duplicate that differs from it in few fields; and two with one room of their own. Each state has several sets
//! of data: colours, references, tables, memory.

mod data;
mod rooms;

use crate::random::Random;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::{self, Registers};

/// First address of the memory of a case.
pub const BASE: u32 = 0x1800_0000;
/// Bytes of memory of a case.
pub const SIZE: u32 = 0x4_0000;
/// Usual address of the depth buffer; the usual one of the colour buffer is [`BASE`].
pub const DEPTH: u32 = BASE + 0x1_0000;
/// First address of most textures; they reach to the end.
pub const TEXTURES: u32 = BASE + 0x2_0000;

/// States of a family.
pub const FAMILY: u64 = 4;
/// Period of families with a target that is large enough for several threads.
const WIDE: u64 = 64;

/// A state and the data that its cases start from.
#[derive(Debug, Clone)]
pub struct State {
    /// The registers.
    pub registers: Registers,
    /// The tables.
    pub luts: Luts,
    /// Memory from [`BASE`] on.
    pub memory: Vec<u8>,
    /// True if the target is large enough for several threads.
    pub wide: bool,
}

/// State `number` of a seed, and the decisions that follow it.
#[must_use]
pub fn state(seed: u64, number: u64) -> (State, Random) {
    let (family, member) = (number / FAMILY, number % FAMILY);
    let wide = family % WIDE == WIDE - 1;
    let mut random = Random::of_item(seed, 2 * family);
    let mut registers = rooms::registers(&mut random, wide);
    let mut random = Random::of_item(seed, 2 * number + 1);
    match member {
        0 => {}
        1 => change_some(&mut random, &mut registers),
        _ => rooms::renew(&mut random, &mut registers),
    }
    let state = State { registers, luts: data::luts(&mut random), memory: data::memory(&mut random), wide };
    (state, random)
}

impl State {
    /// Changes data, mostly: values that select no code.
    pub fn vary(&mut self, random: &mut Random) {
        data::vary(random, self);
    }
}

/// Gives one to three fields other values.
fn change_some(random: &mut Random, registers: &mut Registers) {
    for _ in 0..random.between(1, 3) {
        let id = rooms::any(random);
        let word = registers.raw(id);
        let fields = regs::describe(id).fields;
        let changed = match fields.len() {
            0 => word ^ 1 << random.below(32),
            count => {
                let field = fields[random.below(count as u32) as usize];
                let bit = random.between(field.low, field.high - 1);
                word ^ 1 << bit
            }
        };
        registers.set_raw(id, changed);
    }
}

/// A word with random known fields and 0 in its other bits.
fn fields(random: &mut Random, id: u16) -> u32 {
    let mask = regs::describe(id).fields.iter().fold(0, |mask, field| mask | ones(field.low, field.high));
    random.word() & mask
}

/// The bits `low .. high`.
const fn ones(low: u32, high: u32) -> u32 {
    (((1_u64 << high) - 1) & !((1_u64 << low) - 1)) as u32
}

/// A number in a format of `exponent` and `mantissa` bits below a sign; small ones become 0.
fn float_bits(value: f32, exponent: u32, mantissa: u32) -> u32 {
    let bits = value.to_bits();
    let bias = (1 << (exponent - 1)) - 1;
    let power = (bits >> 23 & 0xff) as i32 - 127 + bias;
    let sign = (bits >> 31) << (exponent + mantissa);
    match power {
        ..=0 => sign,
        power if power >= 1 << exponent => sign | ones(mantissa, mantissa + exponent),
        power => sign | (power as u32) << mantissa | (bits & 0x7f_ffff) >> (23 - mantissa),
    }
}

/// A number from `low` to `high`.
fn number(random: &mut Random, low: f32, high: f32) -> f32 {
    low + (high - low) * (random.word() >> 8) as f32 / 16_777_216.0
}

/// A colour: any, or one of the extremes.
fn colour(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => 0,
        1 => u32::MAX,
        _ => random.word(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::pica::float;

    #[test]
    fn numbers_survive_narrow_formats() {
        for value in [0.0, 1.0, -0.5, 1.5, -200.0] {
            assert_eq!(float::f16(float_bits(value, 5, 10)), value);
            assert_eq!(float::f20(float_bits(value, 7, 12)), value);
            assert_eq!(float::f24(float_bits(value, 7, 16)), value);
        }
        assert_eq!(float_bits(1e-20, 5, 10), 0);
    }

    #[test]
    fn states_are_reproducible_and_families_are_alike() {
        let registers = |number| state(5, number).0.registers;
        assert_eq!(registers(9), registers(9));
        for family in 0..50 {
            let first = registers(family * FAMILY);
            let other = registers(family * FAMILY + 1);
            let words = first.words().iter().zip(other.words());
            let bits: u32 = words.map(|(a, b)| (a ^ b).count_ones()).sum();
            assert!(bits <= 3, "{bits} bits between members");
        }
    }
}
