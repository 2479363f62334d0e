//! Lists of the PICA200 whose code is long, slow, or made again and again. [`attacks`](crate::attacks) runs and measures them.

use crate::hostile::{ARRAYS, COLOUR, plain_list, with_triangle};
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::limits::Limits;

const END: u32 = 0x22 << 26;
/// `mov o0, r0`.
const RESULT: u32 = 0x13 << 26 | 0x10 << 12;

/// A word of two sources: `r[to] = op(first, second)`.
const fn word(op: u32, to: u32, first: u32, second: u32) -> u32 {
    op << 26 | (0x10 + to % 16) << 21 | first << 12 | second << 7
}

/// `loop i0`, to this word.
const fn repeat(last: u32) -> u32 {
    0x29 << 26 | last << 10
}

fn upload(list: &mut ListBuilder, words: &[u32]) {
    list.write(0x2cb, 0).feed(0x2cc, words);
}

/// Products of uniforms in four rounds, each of which is code of its own, with another start of the counter for each of 64 draws
/// in turn. A uniform is too large for fast code.
pub(crate) fn unrolled(vertices: u32) -> (BlockMemory, ListBuilder) {
    let mut list = plain_list(COLOUR, ARRAYS);
    let mut words = vec![word(0x13, 0, 0, 0), repeat(241)];
    // Uniforms by the counter.
    words.extend((0..240).map(|n| word(0x02, 0, 0x20 + n % 8, 0x10) | 3 << 19));
    words.extend([RESULT, END]);
    upload(&mut list, &words);
    list.write(0x2c0, 1 << 31).feed(0x2c1, &[20_000_f32.to_bits(); 4]);
    for n in 0..20_000 {
        list.write(0x2b1, 3 | (n & 63) << 8).draw_arrays(0, 0, vertices);
    }
    (with_triangle(ARRAYS, 0.01), list)
}

/// Loops of exponents and logarithms, for single vertices with values that are too large for fast code.
pub(crate) fn exponents() -> (BlockMemory, ListBuilder) {
    let mut list = plain_list(COLOUR, ARRAYS);
    let mut words = vec![repeat(200), word(0x05, 0, 0, 0)];
    words.extend((1..200).map(|n| word(0x05 + n % 2, 0, 0x10, 0)));
    words.extend([RESULT, END]);
    upload(&mut list, &words);
    list.write(0x2b1, 254);
    for _ in 0..20_000 {
        list.draw_arrays(0, 0, 1);
    }
    (with_triangle(ARRAYS, 40_000.0), list)
}

/// A sum of a product with a uniform, which keeps all registers in use.
const fn sum_of_product(n: u32) -> u32 {
    let [to, a, b] = [n % 16, (n + 5) % 16, (n + 9) % 16];
    7 << 29 | (0x10 + to) << 24 | (0x10 + a) << 17 | 0x20 << 10 | (0x10 + b) << 5
}

/// How often a program of [`in_turn`] has its words.
#[derive(Clone, Copy)]
pub(crate) enum Times {
    Once,
    Rounds(u32),
    Calls(u32),
}

/// Draws of a vertex, each with another program of 16 words and so many others. A uniform is too large for fast code.
fn in_turn(times: Times, words: impl Iterator<Item = u32>) -> (BlockMemory, ListBuilder) {
    programs(times, words, 0..20_000)
}

/// The same, of programs with these numbers.
fn programs(
    times: Times,
    words: impl Iterator<Item = u32>,
    numbers: impl IntoIterator<Item = u32>,
) -> (BlockMemory, ListBuilder) {
    let mut list = plain_list(COLOUR, ARRAYS);
    let body: Vec<u32> = words.collect();
    let count = body.len() as u32;
    let mut words = vec![0; 16];
    match times {
        Times::Once => words.extend(body.into_iter().chain([RESULT, END])),
        Times::Rounds(rounds) => {
            words.push(repeat(16 + count));
            words.extend(body.into_iter().chain([RESULT, END]));
            list.write(0x2b1, rounds - 1);
        }
        Times::Calls(calls) => {
            words.extend((0..calls).map(|_| 0x24 << 26 | (16 + calls + 2) << 10 | count));
            words.extend([RESULT, END].into_iter().chain(body));
        }
    }
    upload(&mut list, &words);
    list.write(0x2c0, 1 << 31).feed(0x2c1, &[20_000_f32.to_bits(); 4]);
    for n in numbers {
        // Products of uniforms with one of two inputs.
        let first: Vec<u32> = (0..16).map(|bit| word(0x08, bit, 0x20 + bit, n >> bit & 1)).collect();
        list.write(0x2cb, 0).feed(0x2cc, &first).draw_arrays(0, 0, 1);
    }
    (with_triangle(ARRAYS, 0.01), list)
}

/// Sums of products, each of them with all registers.
pub(crate) fn sums_in_turn(count: u32, times: Times) -> (BlockMemory, ListBuilder) {
    in_turn(times, (0..count).map(sum_of_product))
}

/// An engine has room for the code of all states that a run pays for once. Once the code of 25 such programs in turn was made again
/// for each draw: 100 ms for 200,000 units.
#[test]
fn programs_that_are_paid_once_are_compiled_once() {
    const PROGRAMS: u32 = 26;
    let numbers = (0..PROGRAMS).chain(0..PROGRAMS);
    let (memory, mut list) = programs(Times::Rounds(2), (0..235).map(sum_of_product), numbers);
    let bytes = list.finish();
    write_bytes(&memory, 0x2200_0000, &bytes);
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
    let mut pica = Pica::new(Precision::Console).with_limits(Limits::DEFAULT);
    let list = CommandList { address: 0x2200_0000, size_bytes: bytes.len() as u32 };
    pica.run(&mut engine, &memory, list).expect("the list ends");
    let (draws, stats) = (u64::from(PROGRAMS), engine.stats());
    assert_eq!((stats.compiles, stats.evictions), (2 * draws, 0), "fast and exact code");
    assert!(pica.work() > 780_000_000, "{} units: as many as a run pays for once", pica.work());
    assert!(pica.work() < 900_000_000, "{} units: paid twice", pica.work());
}

/// EX2 and LG2 of one register.
pub(crate) fn exponents_in_turn(count: u32, times: Times) -> (BlockMemory, ListBuilder) {
    in_turn(times, (0..count).map(|n| word(0x05 + n % 2, 0, 0x10, 0)))
}

/// Sums of products that need more registers than there are, unrolled four times.
pub(crate) fn large_frames() -> (BlockMemory, ListBuilder) {
    let mut list = plain_list(COLOUR, ARRAYS);
    let mut words = vec![repeat(250)];
    words.extend((0..250).map(sum_of_product));
    words.extend([RESULT, END]);
    upload(&mut list, &words);
    list.write(0x2b1, 3);
    for _ in 0..20_000 {
        list.draw_arrays(0, 0, 256);
    }
    (with_triangle(ARRAYS, 0.01), list)
}

/// A geometry program of 100 words in a mode (0x252).
fn with_geometry(mode: u32) -> ListBuilder {
    let mut list = plain_list(COLOUR, ARRAYS);
    let mut words: Vec<u32> = (0..99).map(|n| word(0x02, 0, 0x20 + n % 8, 0x10)).collect();
    words.push(END);
    list.write(0x29b, 0).feed(0x29c, &words).write(0x2a5, 0).feed(0x2a6, &[0x0d86_c36f]);
    list.write(0x28a, 0x7fff_0000).write(0x289, 0x0800_0000).write(0x28b, 0).write(0x28d, 1);
    list.write(0x229, 2).write(0x24a, 0).write(0x252, mode).write(0x25e, 3 << 8);
    list
}

/// Runs of fixed mode whose inputs go to other uniforms in each draw.
pub(crate) fn other_uniforms() -> (BlockMemory, ListBuilder) {
    let mut list = with_geometry(2);
    for n in 0..20_000_u32 {
        list.write(0x252, (n % 90) << 24 | (n / 90 % 16) << 12 | 2).draw_arrays(0, 0, 1);
    }
    (with_triangle(ARRAYS, 0.01), list)
}

/// More geometry programs in turn than were once remembered.
pub(crate) fn programs_in_turn() -> (BlockMemory, ListBuilder) {
    let mut list = with_geometry(0);
    for n in 0..20_000_u32 {
        let changed = word(0x02, 0, 0x20 + n % 90, n / 90 % 3);
        list.write(0x29b, 1).feed(0x29c, &[changed]).draw_arrays(0, 0, 1);
    }
    (with_triangle(ARRAYS, 0.01), list)
}

/// Fragments lit by eight lights with all tables, of three textures with levels and the procedural one, through six stages; in
/// each draw another configuration of the lights.
pub(crate) fn long_fragments(size: f32) -> (BlockMemory, ListBuilder) {
    let mut list = with_long_fragments();
    for n in 0..20_000_u32 {
        for (light, place) in (0..4_u16).zip([1, 16, 256, 4096]) {
            list.write(0x149 + 0x10 * light, n / place % 16);
        }
        list.draw_arrays(0, 0, 3);
    }
    (with_triangle(ARRAYS, size), list)
}

fn with_long_fragments() -> ListBuilder {
    let mut list = plain_list(COLOUR, ARRAYS);
    list.write(0x08f, 1).write(0x1c6, 0).write(0x1c2, 7).write(0x1d9, 0x7654_3210);
    list.write(0x1c3, 0x7 << 28 | 0xff << 4).write(0x1c4, 0).write(0x1d0, 0x0012_3410).write(0x1d1, 0);
    // Units 0 to 3, linear between levels; the procedural one with noise.
    list.write(0x080, 0x1_0407);
    for first in [0x081, 0x091, 0x099] {
        list.burst(first, &[0, 64 << 16 | 64, 1 << 24 | 6, 3 << 16, 0x2000_0000 >> 3]);
    }
    list.burst(0x0a8, &[0x3f | 1 << 14 | 3 << 16, 0x100, 0x100, 0x100, 6 << 24, 0]);
    for (n, stage) in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].into_iter().enumerate() {
        let sources = [0x0321, 0x0654, 0x0f21, 0x0f43, 0x0f65, 0x0f12][n];
        list.burst(stage, &[sources | sources << 16, 0, 8 | 8 << 16, 0x8040_2010, 0]);
    }
    list
}

/// A word of each table of lighting, fog and the procedural texture, before each draw that reads all of them.
pub(crate) fn changed_tables() -> (BlockMemory, ListBuilder) {
    let mut list = with_long_fragments();
    // The environment with all tables, Fresnel in both alphas, fog; noise, alpha and linear colours of the procedural texture.
    list.write(0x1c3, 8 << 4 | 3 << 2).write(0x0e0, 5);
    list.write(0x0a8, 0x3f | 3 << 14 | 3 << 16).write(0x0ac, 5 | 0xff << 11);
    for n in 0..20_000_u32 {
        for table in (0..24).filter(|table| !matches!(table, 2 | 7)) {
            list.write(0x1c5, table << 8 | 0xff).write(0x1c8, n);
        }
        for table in [0, 2, 3, 4, 5] {
            list.write(0x0af, table << 8 | 0x7f).write(0x0b0, n);
        }
        list.write(0x0e6, 0x7f).write(0x0e8, n).draw_arrays(0, 0, 3);
    }
    (with_triangle(ARRAYS, 0.01), list)
}
