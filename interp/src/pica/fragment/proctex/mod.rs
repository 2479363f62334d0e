//! The procedural texture, unit 3 (section 3).
//!
//! The algorithm was found by others and compared with a console (Citra PR 2697, levels PR 3916).

mod noise;

use super::texture::{between, log2q};
use super::{Coordinate, Inputs, clamp, max, min};
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::texture::{ProctexClamp, ProctexFilter, ProctexFunction, ProctexShift};
use picaflor_pipeline::pica::stage::FragmentState;

/// The colour of unit 3.
pub(crate) fn sample(state: &FragmentState<'_>, inputs: &Inputs, probe: &impl Probe) -> [u8; 4] {
    let registers = state.registers;
    let config = registers.texunit_config();
    if !config.enable3() {
        return [0; 4];
    }
    // Set 3 does not exist; set 0 is assumed.
    let set = inputs.texcoord.get(usize::from(config.set3())).unwrap_or(&inputs.texcoord[0]);
    let uv = place(state, set.map(|c| magnitude(c.value)));
    let unit = registers.proctex0();
    let selector = map(&state.luts.colour_map, function(unit.colour_function(), uv));
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::numbered("texture", 3), name, value);
    note("u v", &|| Value::Floats(uv.to_vec()));
    note("selector", &|| Value::Float(selector));
    let [r, g, b, a] = lookup(state, selector, level_of_detail(registers, set));
    let a = if unit.separate_alpha() {
        let alpha = map(&state.luts.alpha_map, function(unit.alpha_function(), uv));
        round(255.0 * alpha) as u8
    } else {
        a
    };
    note("result", &|| Value::Colour([r, g, b, a]));
    [r, g, b, a]
}

/// The magnitude of a coordinate, as long as its integer part is one; 0 for a NaN.
fn magnitude(x: f32) -> f32 {
    let x = if x.is_nan() { 0.0 } else { x.abs() };
    min(x, FAR)
}

const FAR: f32 = (1 << 30) as f32;

/// u and v after noise, shift and clamp (3.3). The shifts go by u and v before noise.
fn place(state: &FragmentState<'_>, [u, v]: [f32; 2]) -> [f32; 2] {
    let unit = state.registers.proctex0();
    let shifts = [shift(v, unit.u_shift(), unit.u_clamp()), shift(u, unit.v_shift(), unit.v_clamp())];
    let [u, v] = if unit.noise() { noise::disturbed(state, [u, v]) } else { [u, v] };
    [clamped(u + shifts[0], unit.u_clamp()), clamped(v + shifts[1], unit.v_clamp())]
}

/// Offset of a coordinate in odd, or even, rows of the `other` one.
fn shift(other: f32, mode: ProctexShift, clamp: ProctexClamp) -> f32 {
    let row = other as i32;
    let step = if clamp == ProctexClamp::Mirror { 1.0 } else { 0.5 };
    match mode {
        ProctexShift::None => 0.0,
        ProctexShift::Odd => step * (row / 2 % 2) as f32,
        ProctexShift::Even => step * ((row + 1) / 2 % 2) as f32,
    }
}

fn clamped(x: f32, mode: ProctexClamp) -> f32 {
    match mode {
        ProctexClamp::ToZero if x > 1.0 => 0.0,
        ProctexClamp::ToZero => x,
        ProctexClamp::ToEdge => min(x, 1.0),
        ProctexClamp::Repeat => x - x.floor(),
        ProctexClamp::Mirror => {
            let f = x - x.floor();
            if x as i64 % 2 == 0 { f } else { 1.0 - f }
        }
        ProctexClamp::Pulse if x <= 0.5 => 0.0,
        ProctexClamp::Pulse => 1.0,
    }
}

fn function(function: ProctexFunction, [u, v]: [f32; 2]) -> f32 {
    let squares = u * u + v * v;
    match function {
        ProctexFunction::U => u,
        ProctexFunction::USquared => u * u,
        ProctexFunction::V => v,
        ProctexFunction::VSquared => v * v,
        ProctexFunction::Add => (u + v) * 0.5,
        ProctexFunction::AddSquared => squares * 0.5,
        ProctexFunction::Distance => min(squares.sqrt(), 1.0),
        ProctexFunction::Min => min(u, v),
        ProctexFunction::Max => max(u, v),
        ProctexFunction::RMax => min(((u + v) * 0.5 + squares.sqrt()) * 0.5, 1.0),
        ProctexFunction::Unknown => 0.0,
    }
}

/// The value of a table at `at`, which is not negative; 1 is the end of the last entry (3.2).
fn map(table: &[u32; 128], at: f32) -> f32 {
    let position = at * 128.0;
    let i = (position as usize).min(127);
    let f = position - i as f32;
    let difference = (table[i] << 8) as i32 >> 20;
    let [value, difference] = [(table[i] & 0xfff) as f32, difference as f32].map(|units| units / 4095.0);
    clamp(value + f * difference, 0.0, 1.0)
}

/// The level of detail in units of 1/256 (3.5). Coordinates count as they are before noise.
fn level_of_detail(registers: &Registers, set: &[Coordinate; 2]) -> i32 {
    let unit = registers.proctex4();
    let bias = registers.proctex_bias().to_f32();
    let [du, dv] = set.map(|c| max(c.dx.abs(), c.dy.abs()));
    let lod = if bias == 0.0 { 0 } else { log2q((f32::from(unit.width()) * bias).abs() * (du + dv)) };
    let [low, high] = [unit.lod_min(), unit.lod_max().min(7)].map(|level| 256 * i32::from(level));
    lod.max(low).min(high)
}

/// A colour of the table, by the filter (3.6). `lod` is 0 to 7 levels.
fn lookup(state: &FragmentState<'_>, selector: f32, lod: i32) -> [u8; 4] {
    let level = lod as u32 >> 8;
    let closer = (lod as u32 + 128) >> 8;
    let nearest = |level| entry(state, selector, level, false);
    let linear = |level| entry(state, selector, level, true);
    let fraction = lod as u32 & 255;
    let next = (level + 1).min(7);
    match state.registers.proctex4().filter() {
        ProctexFilter::Nearest => nearest(0),
        ProctexFilter::Linear => linear(0),
        ProctexFilter::NearestMipNearest => nearest(closer),
        ProctexFilter::LinearMipNearest => linear(closer),
        ProctexFilter::NearestMipLinear => between(nearest(level), nearest(next), fraction),
        ProctexFilter::LinearMipLinear => between(linear(level), linear(next), fraction),
    }
}

/// The colour at `selector`, 0 to 1, of a level.
fn entry(state: &FragmentState<'_>, selector: f32, level: u32, linear: bool) -> [u8; 4] {
    let last = (u32::from(state.registers.proctex4().width()) >> level).saturating_sub(1);
    let position = selector * last as f32;
    let i = if linear { position as usize } else { round(position) as usize };
    let index = (offset(state.registers, level) + i) % 256;
    let colour = state.luts.colours[index].to_le_bytes();
    if !linear {
        return colour;
    }
    let halves = state.luts.colour_differences[index].to_le_bytes();
    std::array::from_fn(|c| toward(colour[c], halves[c] as i8, position - i as f32))
}

/// A channel, moved by `f` of the difference to the next entry, half of which is given.
fn toward(channel: u8, half: i8, f: f32) -> u8 {
    round(clamp(f32::from(channel) + f * (2.0 * f32::from(half)), 0.0, 255.0)) as u8
}

/// Start of a level in the colour table. Levels 4 to 7 are wired (measured on a console, Citra PR 3916).
fn offset(registers: &Registers, level: u32) -> usize {
    let set = registers.proctex_offsets();
    let offsets = [set.level0(), set.level1(), set.level2(), set.level3(), 0xf0, 0xf8, 0xfc, 0xfe];
    usize::from(offsets[level as usize])
}

fn round(x: f32) -> f32 {
    (x + 0.5).floor()
}

#[cfg(test)]
mod tests {
    use super::noise::tests::identity;
    use super::*;
    use crate::pica::fragment::texture::testing::{Random, Scene, at, fragment};

    const ENABLE: (u16, u32) = (0x080, 1 << 10);
    /// The usual places of levels 0 to 3.
    const OFFSETS: (u16, u32) = (0x0ad, 0xe0c0_8000);

    /// Width 128, filter and levels as given, no noise, edges clamped. Colours are their own index.
    fn scene(proctex0: u32, filter: u32) -> Scene {
        let edges = 0b001_001;
        let levels = 6 << 7;
        let mut scene = Scene::new(
            &[ENABLE, (0x0a8, edges | proctex0), (0x0ac, filter | levels | 128 << 11), OFFSETS],
            vec![],
        );
        *scene.luts.colour_map = identity();
        *scene.luts.alpha_map = identity();
        *scene.luts.noise = identity();
        *scene.luts.colours = std::array::from_fn(|k| k as u32 * 0x0101_0101);
        scene
    }

    fn colour(scene: &Scene, u: f32, v: f32) -> [u8; 4] {
        sample(&scene.state(), &fragment(at(u), at(v), at(1.0)), &())
    }

    #[test]
    fn shift_vectors() {
        let rows = |mode| [0.5, 1.5, 2.5, 3.5, 4.5].map(|other| shift(other, mode, ProctexClamp::Repeat));
        assert_eq!(rows(ProctexShift::Odd), [0.0, 0.0, 0.5, 0.5, 0.0]);
        assert_eq!(rows(ProctexShift::Even), [0.0, 0.5, 0.5, 0.0, 0.0]);
        assert_eq!(rows(ProctexShift::None), [0.0; 5]);
        assert_eq!(shift(2.5, ProctexShift::Odd, ProctexClamp::Mirror), 1.0);
        assert_eq!(
            [ProctexShift::Odd, ProctexShift::Even].map(|m| shift(FAR, m, ProctexClamp::ToEdge)),
            [0.0; 2]
        );
    }

    #[test]
    fn colour_difference_is_half() {
        assert_eq!(toward(100, -2, 0.5), 98);
        assert_eq!([toward(1, -128, 0.5), toward(250, 127, 0.5)], [0, 255]);
        assert_eq!(toward(100, 1, 0.25), 101, "100.5 rounds up");
    }

    #[test]
    fn clamp_modes() {
        let of = |mode| [0.25, 0.5, 1.0, 1.25, 2.25].map(|x| clamped(x, mode));
        assert_eq!(of(ProctexClamp::ToZero), [0.25, 0.5, 1.0, 0.0, 0.0]);
        assert_eq!(of(ProctexClamp::ToEdge), [0.25, 0.5, 1.0, 1.0, 1.0]);
        assert_eq!(of(ProctexClamp::Repeat), [0.25, 0.5, 0.0, 0.25, 0.25]);
        assert_eq!(of(ProctexClamp::Mirror), [0.25, 0.5, 1.0, 0.75, 0.25]);
        assert_eq!(of(ProctexClamp::Pulse), [0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn functions() {
        let of = |uv| ProctexFunction::ALL.iter().map(|&f| function(f, uv)).collect::<Vec<_>>();
        let expected = [0.375, 0.140_625, 0.5, 0.25, 0.4375, 0.195_312_5, 0.625, 0.375, 0.5, 0.531_25, 0.0];
        assert_eq!(of([0.375, 0.5]), expected);
        assert_eq!(of([1.0, 1.0])[6..10], [1.0; 4], "distances end at 1");
    }

    #[test]
    fn map_ends_with_the_whole_difference() {
        let mut table = [0; 128];
        table[127] = 4000 | 50 << 12;
        table[64] = 100 | 0xfff << 12;
        table[3] = 100 | 0x800 << 12;
        assert_eq!([127.0 / 128.0, 1.0].map(|c| map(&table, c)), [4000.0 / 4095.0, 4050.0 / 4095.0]);
        assert_eq!(map(&table, 0.5 + 1.0 / 256.0), 99.5 / 4095.0);
        assert_eq!(map(&table, 3.5 / 128.0), 0.0, "not below 0");
    }

    #[test]
    fn disabled_unit_reads_nothing() {
        let mut scene = scene(0, 0);
        scene.luts.colours.fill(u32::MAX);
        assert_eq!(colour(&scene, 0.5, 0.5), [255; 4]);
        scene.set(&[(0x080, 0)]);
        assert_eq!(colour(&scene, 0.5, 0.5), [0; 4]);
    }

    #[test]
    fn colours_of_level_0() {
        let mut scene = scene(0, 0);
        assert_eq!([0.0, 0.5, 1.0, -1.0, 9.0].map(|u| colour(&scene, u, 0.0)[0]), [0, 64, 127, 127, 127]);
        scene.set(&[(0x0ac, 1 | 128 << 11)]);
        scene.luts.colour_differences.fill(0x0000_7f01);
        // The map gives 2048 / 4095 at a half, which is entry 63.5155.
        assert_eq!(colour(&scene, 0.5, 0.0), [64, 194, 63, 63]);
        assert_eq!(colour(&scene, f32::NAN, 0.0)[0], 0);
    }

    #[test]
    fn colours_of_an_empty_table() {
        let mut scene = scene(0, 1);
        scene.set(&[(0x0ac, 1)]);
        scene.luts.colours[0] = 0x0403_0201;
        assert_eq!(colour(&scene, 1.0, 0.0), [1, 2, 3, 4]);
    }

    #[test]
    fn alpha_of_its_own() {
        // Colour by u, alpha by v.
        let scene = scene(1 << 14 | 2 << 10, 0);
        assert_eq!(colour(&scene, 1.0, 0.25), [127, 127, 127, 64]);
        assert_eq!(colour(&scene, 0.0, 1.0), [0, 0, 0, 255]);
    }

    #[test]
    fn shift_goes_by_the_other_coordinate() {
        // u is shifted in odd rows and repeats; the colour is by u.
        let mut scene = scene(0, 0);
        scene.set(&[(0x0a8, 2 | 1 << 3 | 1 << 16)]);
        assert_eq!([0.0, 2.0, 4.0].map(|v| colour(&scene, 0.25, v)[0]), [32, 95, 32]);
    }

    #[test]
    fn noise_moves_both_coordinates() {
        // Amplitude 1 for u and 2 for v, frequency such that 0.5 is 0.5 on the lattice: 1 / 9 is 0x2f1c.
        let mut scene = scene(1 << 15 | 1 << 14 | 2 << 10, 0);
        scene.set(&[(0x0a9, 4095), (0x0aa, 2 * 4095), (0x0ab, 0x2f1c_2f1c)]);
        // -1/30 from 0.5 is entry 59.3; twice as much is alpha 0.4333.
        assert_eq!(colour(&scene, 0.5, 0.5), [59, 59, 59, 111]);
        scene.set(&[(0x0a8, 0b001_001)]);
        assert_eq!(colour(&scene, 0.5, 0.5)[0], 64);
    }

    /// Phase 0.25 moves the point of the lattice, not the coordinate.
    #[test]
    fn the_phase_of_noise() {
        let mut scene = scene(1 << 15, 0);
        let disturbed = |scene: &Scene, uv| noise::disturbed(&scene.state().state, uv);
        scene.set(&[(0x0a9, 4095), (0x0aa, 4095), (0x0ab, 0x2f1c_2f1c)]);
        let [u, v] = disturbed(&scene, [0.5, 0.75]);
        assert!(u != 0.5 && v != 0.75, "there is noise");
        scene.set(&[(0x0a9, 0x3400_0000 | 4095), (0x0aa, 0x3400_0000 | 4095)]);
        let moved = disturbed(&scene, [0.25, 0.5]);
        assert!((moved[0] + 0.25 - u).abs() < 1e-6 && (moved[1] + 0.25 - v).abs() < 1e-6);
    }

    /// Rows 1 of the other coordinate move by 1/2, upward.
    #[test]
    fn shifts_are_added() {
        let scene = scene(2 << 16 | 2 << 18, 0);
        let place = |uv| place(&scene.state().state, uv);
        assert_eq!([place([0.25, 1.5])[0], place([1.5, 0.25])[1]], [0.75; 2]);
    }

    /// Expected: by hand from the formula with bias 1 and width 128.
    #[test]
    fn level_by_the_sum_of_both_changes() {
        let mut scene = scene(0, 0);
        let set = [at(0.0), at(0.0)];
        let moving = |dx: f32, dy: f32| [Coordinate { dx, dy, ..set[0] }, Coordinate { dy: dx, ..set[1] }];
        let lod = |scene: &Scene, set| level_of_detail(&scene.registers, &set);
        assert_eq!(lod(&scene, moving(0.5, 0.5)), 0, "bias 0");
        scene.set(&[(0x0ac, 6 << 7 | 128 << 11 | 0x3c << 19)]);
        assert_eq!(lod(&scene, moving(1.0 / 64.0, -1.0 / 32.0)), 256 * 2 + 150, "3 / 64 by 128 is 6");
        assert_eq!(lod(&scene, moving(-1.0 / 64.0, 0.0)), 256 * 2);
        assert_eq!(lod(&scene, set), 0);
        assert_eq!(lod(&scene, moving(8.0, 8.0)), 256 * 6);
        scene.set(&[(0x0ac, 3 << 3 | 15 << 7 | 128 << 11 | 0x3c << 19)]);
        assert_eq!([set, moving(8.0, 8.0)].map(|set| lod(&scene, set)), [256 * 3, 256 * 7]);
        scene.set(&[(0x0ac, 9 << 3 | 2 << 7)]);
        assert_eq!(lod(&scene, set), 256 * 2, "the upper limit wins");
    }

    #[test]
    fn filters_of_levels() {
        let mut scene = scene(0, 0);
        for (filter, expected) in [(0, 0), (1, 0), (2, 0x80), (3, 0x80), (4, 0x20), (5, 0x20), (6, 0), (7, 0)]
        {
            scene.set(&[(0x0ac, filter | 128 << 11)]);
            let just_above = if matches!(filter, 4 | 5) { 64 } else { 128 };
            assert_eq!(lookup(&scene.state(), 0.0, just_above)[0], expected, "filter {filter}");
        }
        // 0x0AE, by its bytes the starts of levels 4 to 7, has no effect.
        scene.set(&[(0x0ac, 2 | 128 << 11), (0x0ae, 0x1234_5678)]);
        let starts = (0..8).map(|level| lookup(&scene.state(), 0.0, 256 * level)[0]);
        assert_eq!(starts.collect::<Vec<_>>(), [0, 0x80, 0xc0, 0xe0, 0xf0, 0xf8, 0xfc, 0xfe]);
        let ends = (0..8).map(|level| lookup(&scene.state(), 1.0, 256 * level)[0]);
        assert_eq!(ends.collect::<Vec<_>>(), [0x7f, 0xbf, 0xdf, 0xef, 0xf7, 0xfb, 0xfd, 0xfe]);
        scene.set(&[(0x0ac, 4 | 128 << 11)]);
        assert_eq!(lookup(&scene.state(), 1.0, 256 * 7)[0], 0xfe, "there is no level 8");
    }

    /// Whatever a guest writes, a colour comes out.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn random_registers_and_coordinates() {
        let mut random = Random(5);
        let mut scene = scene(0, 0);
        let mut seen = [0; 256];
        for _ in 0..20_000 {
            scene.registers = random.texture_registers();
            let registers = &mut scene.registers;
            registers.set_raw(0x080, registers.raw(0x080) | 1 << 10);
            for table in [&mut scene.luts.colour_map, &mut scene.luts.noise, &mut scene.luts.alpha_map] {
                table[(random.word() >> 25) as usize] = random.word();
            }
            scene.luts.colour_differences[(random.word() >> 24) as usize] = random.word();
            let [r, ..] = sample(&scene.state(), &random.fragment(), &());
            seen[usize::from(r)] += 1;
        }
        assert!(seen.iter().filter(|&&n| n > 0).count() > 200, "{seen:?}");
    }

    /// 3.5: the bias is a factor: 3 / 64 by 128 and 2 is 12, and log2(12) is log2(6) and 1.
    #[test]
    fn the_bias_of_levels_is_a_factor() {
        let mut scene = scene(0, 0);
        let set = [Coordinate { dx: 1.0 / 64.0, ..at(0.0) }, Coordinate { dx: -1.0 / 32.0, ..at(0.0) }];
        // 2.0 is 0x4000.
        scene.set(&[(0x0ac, 6 << 7 | 128 << 11 | 0x40 << 19)]);
        assert_eq!(level_of_detail(&scene.registers, &set), 256 * 3 + 150);
    }
}
