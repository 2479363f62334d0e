//! A second witness for both machines, which shares nothing with them but the manual: raw words in, pixels out, and
//! what must be seen there by [exact] arithmetic.
//!
//! The engines are compared with each other elsewhere. Here each of them is compared with a rasterizer that has no
//! clipping, no fixed point and no edges; it cannot say what happens within a fraction of a pixel of a border, which
//! the vectors of the fill rule do.

mod exact;
mod ge;
mod pica;

use picaflor_jit::{Engine, EngineMode};

/// Draws of each machine on each engine.
const CASES: u32 = 400;

/// A generator of small numbers, the same on every machine (splitmix64).
struct Dice(u64);

impl Dice {
    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound) as i64
    }

    /// A number from `-reach` to `reach`.
    fn around(&mut self, reach: i64) -> i64 {
        self.below(2 * reach as u64 + 1) - reach
    }
}

/// What became of the pixels of many pictures.
#[derive(Debug, Default)]
struct Tally {
    covered: u32,
    bare: u32,
    unknown: u32,
}

/// Makes random draws and counts what `look` sees of them.
fn survey(seed: u64, name: &str, mut look: impl FnMut(&mut Dice, &mut Tally)) -> Tally {
    let (mut dice, mut tally) = (Dice(seed), Tally::default());
    (0..CASES).for_each(|_| look(&mut dice, &mut tally));
    println!("{name}: {CASES} draws, {tally:?}");
    tally
}

/// An engine whose code is ready before it draws.
fn compiled() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("this host can run compiled code")
}
