//! Measures the cost of a draw before its first triangle: `cargo test --release -p picaflor-jit --lib bind_speed --
//! --ignored --nocapture`.

use super::texture::tests::{Bench, TEXTURES, fastest, words};
use crate::pica::key::fragment::FragmentKey;
use picaflor_pipeline::pica::stage::FragmentStage;

/// Draws that are measured together.
const DRAWS: u32 = 256;

/// Three textures, five stages, two lights with tables and Fresnel, fog, blending, depth; data and code of a
/// material of this number.
fn material(n: u32) -> Vec<(u16, u32)> {
    let mut state = words(0);
    let texture = |unit: u32| (TEXTURES + 0x4_0000 * unit + 0x1_0000 * (n & 3)) >> 3;
    state.extend([(0x080, 7), (0x085, texture(0)), (0x095, texture(1)), (0x09d, texture(2))]);
    state.extend([0x082, 0x092, 0x09a].map(|id| (id, 0x0080_0080)));
    state.extend([0x083, 0x093, 0x09b].map(|id| (id, 0x0100_2206)));
    state.extend([0x084, 0x094, 0x09c].map(|id| (id, 3 << 16)));
    state.extend([0x08e, 0x096, 0x09e].map(|id| (id, 3)));
    for (base, source, op) in [(0x0c0, 0x310, 1), (0x0c8, 0xf4f, 1), (0x0d0, 0xe5f, 2), (0x0d8, 0x02f, 8)] {
        state.extend([(base, source << 16 | source), (base + 1, 0), (base + 2, op << 16 | op)]);
    }
    state.extend([0x0c3, 0x0cb, 0x0d3].map(|id| (id, 0x1234_5678 + n)));
    state.extend([(0x0e0, 5), (0x0e1, 0x0080_4020), (0x0fd, n)]);
    state.extend([(0x100, 0x100), (0x101, 0x7676_0000), (0x107, 0x1f31 + (n & 4) * 4)]);
    state.extend([(0x1c2, 1), (0x1c6, 0), (0x1c3, 0x0000_04b0), (0x1c4, 0), (0x1d9, 0x10)]);
    state.extend((0x140..0x15c).map(|id| (id, 0x3c00_0000 ^ (77 * u32::from(id) + n))));
    state.extend([0x149, 0x159].map(|id| (id, n & 1)));
    state
}

/// Nanoseconds per draw of some materials in turn.
fn per_draw(bench: &mut Bench, materials: u32, mut work: impl FnMut(&mut Bench, u32)) -> f64 {
    let states: Vec<_> = (0..materials)
        .map(|n| {
            bench.set(&material(n));
            bench.registers.clone()
        })
        .collect();
    let mut all = || {
        for n in 0..DRAWS {
            bench.registers.clone_from(&states[(n % materials) as usize]);
            work(bench, n);
        }
    };
    all();
    fastest(40, all) / f64::from(DRAWS)
}

#[test]
#[ignore = "measures"]
fn bind_speed() {
    for materials in [1, 8] {
        let mut bench = Bench::new(1);
        let copy = per_draw(&mut bench, materials, |_, _| ());
        let mut keys = 0;
        let key = per_draw(&mut bench, materials, |bench, _| {
            keys += u64::from(FragmentKey::of(&bench.registers).is_ok());
        });
        let alone = per_draw(&mut bench, materials, |bench, _| drop(bench.routine(true)));
        bench.engine.list_begins();
        let in_list = per_draw(&mut bench, materials, |bench, _| drop(bench.routine(true)));
        bench.engine.list_ends();
        let stats = bench.engine.stats();
        assert_eq!(stats.missing_tiles, 0);
        println!(
            "{materials} materials, {} routines: key {:.0}, routine {:.0} alone and {:.0} in a list: ns per draw",
            stats.compiles,
            key - copy,
            alone - copy,
            in_list - copy
        );
    }
}
