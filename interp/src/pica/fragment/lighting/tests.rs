//! The rows of pica-fragment.md 10.3, the tables of 4.5 and 4.6, and inputs that are no numbers.

use super::frame::{Frame, LitBy};
use super::tables::{Place, available, distance_attenuation};
use super::testing::*;
use crate::pica::fragment::vector::normalise;
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::lighting::{LightingConfig0, LightingInput, LightingTable};

/// The grey of a real number.
fn grey(value: f32, alpha: u8) -> [u8; 4] {
    let channel = (value * 255.0 + 0.5) as u8;
    [channel, channel, channel, alpha]
}

fn look_up(entry: u32, delta: f32) -> f32 {
    Place { entry: 3, delta }.look_up(&std::array::from_fn(|i| if i == 3 { entry } else { 0 }))
}

#[test]
fn lut_entry_value_and_difference() {
    assert!((look_up(0x40_0800, 0.5) - 0.750_244).abs() < 1e-6);
    assert!((look_up(0xc0_0800, 0.5) - 0.25).abs() < 1e-6);
    assert_eq!(look_up(0x00_0fff, 0.0), 1.0);
    // The order of operations, bit for bit.
    assert_eq!(look_up(0x40_0800, 0.5), 2048.0 / 4095.0 + 1024.0 / 2047.0 * 0.5);
    assert_eq!(look_up(0xc0_0800, 0.5), 2048.0 / 4095.0 - 1024.0 / 2047.0 * 0.5);
}

#[test]
fn signed_index() {
    for (x, entry, delta) in [
        (-1.0, 128, 0.0),
        (-0.5, 192, 0.0),
        (-0.001, 255, 0.872),
        (0.0, 0, 0.0),
        (0.25, 32, 0.0),
        (1.0, 127, 1.0),
        (1.5, 127, 65.0),
        (-1.5, 128, -64.0),
    ] {
        assert_eq!(Place::signed(x).entry, entry, "{x}");
        assert!((Place::signed(x).delta - delta).abs() < 1e-5, "{x}");
    }
}

#[test]
fn unsigned_index() {
    for (y, entry, delta) in
        [(0.25, 64, 0.0), (0.999, 255, 0.744), (1.0, 255, 1.0), (0.0, 0, 0.0), (1.25, 255, 65.0)]
    {
        assert_eq!(Place::unsigned(y).entry, entry, "{y}");
        assert!((Place::unsigned(y).delta - delta).abs() < 1e-4, "{y}");
    }
}

#[test]
fn quaternion_of_halves() {
    let mut scene = Scene::new();
    scene.inputs.quaternion = [0.5; 4];
    let frame = scene.frame();
    assert_eq!((frame.normal, frame.tangent), ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
    scene.inputs.quaternion = [3.0; 4];
    assert_eq!(scene.frame().normal, frame.normal, "the length does not matter");
}

#[test]
fn quaternion_quarter_turn_about_x() {
    let mut scene = Scene::new();
    let half = 0.5_f32.sqrt();
    scene.inputs.quaternion = [half, 0.0, 0.0, half];
    let frame = scene.frame();
    let expected = [0.0, -1.0, 0.0];
    assert!((0..3).all(|i| (frame.normal[i] - expected[i]).abs() < 2e-7), "{:?}", frame.normal);
    assert_eq!(frame.tangent, [1.0, 0.0, 0.0]);
}

#[test]
fn quaternion_zero() {
    let mut scene = Scene::new();
    scene.inputs.quaternion = [0.0; 4];
    assert_eq!(scene.frame().normal, [0.0, 0.0, 1.0]);
}

#[test]
fn geometric_factor() {
    let v9 = [-0.9, 0.19_f32.sqrt(), 0.0];
    for (v, normal, expected) in [
        ([0.0, 1.0, 0.0], [0.5, 0.0, 0.0], 0.25),
        ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.25),
        ([-1.0, 0.0, 0.0], [0.5, 0.0, 0.0], 0.0),
        (v9, [0.5, 0.0, 0.0], 1.0),
    ] {
        let mut scene = Scene::new();
        scene.direction(0, [1.0, 0.0, 0.0]);
        let frame = Frame { normal, tangent: [0.0; 3], has_cp: false };
        let by = LitBy::new(&scene.registers, 0, &frame, v);
        assert_eq!(by.geometric_factor(), expected, "V = {v:?}");
    }
}

/// The factor reaches the specular colour that selects it, and no other.
#[test]
fn geometric_factor_by_colour() {
    for (bits, expected) in [(0, [255, 255]), (1, [64, 255]), (2, [255, 64]), (3, [64, 64])] {
        let mut scene = Scene::new();
        scene.set_light(0, 0, 255 << 20).set_light(0, 1, 255).set_light(0, 9, 1 | bits << 2);
        let [_, [r, g, b, _]] = scene.light();
        assert_eq!(([r, b], g), (expected, 0), "bits {bits}");
    }
}

#[test]
fn diffuse_and_highlight_factors() {
    let [towards, edge, away] = [[3.0, 0.0, 4.0], [1.0, 0.0, 0.0], [3.0, 0.0, -4.0]];
    for (l, two_sided, d, k_off, k_on) in [
        (towards, false, 0.8, 255, 255),
        (towards, true, 0.8, 255, 255),
        (edge, false, 0.0, 255, 0),
        (edge, true, 0.0, 255, 0),
        (away, false, 0.0, 255, 0),
        (away, true, 0.8, 255, 255),
    ] {
        for (clamp_highlights, k) in [(0, k_off), (1 << 27, k_on)] {
            let mut scene = Scene::new();
            scene.direction(0, l);
            scene.set_light(0, 0, WHITE).set_light(0, 2, WHITE);
            scene.set_light(0, 9, 1 | u32::from(two_sided) << 1).set(CONFIG0, clamp_highlights);
            let expected = [grey(d, 255), [k, k, k, 255]];
            assert_eq!(scene.light(), expected, "L = {l:?}, two-sided {two_sided}, {clamp_highlights:#x}");
        }
    }
}

#[test]
fn fresnel_of_the_last_slot_only() {
    let alphas = |light5: [f32; 3], light2: [f32; 3]| {
        let mut scene = Scene::new();
        scene.set(NUM_LIGHTS, 1).set(PERMUTATION, 0x25).set(CONFIG0, 1 << 4 | 1 << 3 | 1 << 2);
        scene.set(CONFIG1, NO_TABLES & !FR_OFF).set(SELECT, 3 << 12);
        // The table's entries are what the index is.
        scene.luts.lighting[3] = std::array::from_fn(|i| (i * 16) as u32);
        scene.direction(5, light5);
        scene.direction(2, light2);
        scene.light().map(|colour| colour[3])
    };
    let [tilted, lower] = [[3.0, 0.0, 4.0], [4.0, 0.0, 3.0]];
    assert_eq!(alphas(lower, tilted), [203; 2]);
    assert_eq!(alphas(tilted, tilted), [203; 2]);
    assert_eq!(alphas(tilted, lower), [152; 2]);
}

/// Each of the two bits selects its own alpha; without them Fresnel goes nowhere.
#[test]
fn fresnel_bits() {
    for (bits, expected) in [(0, [255, 255]), (1, [0, 255]), (2, [255, 0]), (3, [0, 0])] {
        let mut scene = Scene::new();
        scene.set(CONFIG0, 1 << 4 | bits << 2).set(CONFIG1, NO_TABLES & !FR_OFF);
        assert_eq!(scene.light().map(|colour| colour[3]), expected, "bits {bits}");
    }
}

#[test]
fn shadow_alpha_without_fresnel() {
    let mut scene = Scene::new();
    scene.textures[2] = [10, 20, 30, 77];
    scene.set(CONFIG0, 1 | 1 << 2 | 1 << 19 | 2 << 24);
    assert_eq!(scene.light().map(|colour| colour[3]), [77, 255]);
    scene.set(CONFIG0, 1 | 1 << 3 | 1 << 19 | 2 << 24 | 1 << 18);
    assert_eq!(scene.light().map(|colour| colour[3]), [255, 178]);
    scene.set(CONFIG0, 1 << 2 | 1 << 19 | 2 << 24);
    assert_eq!(scene.light().map(|colour| colour[3]), [255; 2], "shadow is off");
}

#[test]
fn shadow_primary_with_ambient() {
    let mut scene = Scene::new();
    scene.textures[3] = [0, 51, 255, 0];
    scene.set_light(0, 2, 200 << 20 | 200 << 10 | 200).set_light(0, 3, 5 << 20 | 6 << 10 | 7);
    scene.set_light(0, 0, WHITE).set(CONFIG0, 1 | 1 << 16 | 3 << 24);
    assert_eq!(scene.light(), [[5, 46, 207, 255], [255; 4]]);
    scene.set(CONFIG0, 1 | 1 << 16 | 1 << 18 | 3 << 24);
    assert_eq!(scene.light()[0], [205, 166, 7, 255], "inverted");
    scene.set(CONFIG0, 1 | 1 << 17 | 3 << 24);
    assert_eq!(scene.light(), [[205, 206, 207, 255], [0, 51, 255, 255]], "on specular light");
    scene.set(CONFIG0, 1 | 3 << 16 | 3 << 24).set(CONFIG1, NO_TABLES | 1);
    assert_eq!(scene.light(), [[205, 206, 207, 255], [255; 4]], "not on this light");
}

#[test]
fn config_3_multiplies_specular_1_by_1() {
    let mut scene = Scene::new();
    scene.set_light(0, 1, 100 << 20 | 150 << 10 | 200);
    // D1 gives 1, the reflection tables a half.
    scene.constant(1, 0xfff);
    (4..7).for_each(|table| scene.constant(table, 0x800));
    let enabled = NO_TABLES & !(D1_OFF | RB_OFF | RG_OFF | RR_OFF);
    scene.set(CONFIG0, 3 << 4).set(CONFIG1, enabled);
    assert_eq!(scene.light()[1], [100, 150, 200, 255]);
    scene.set(CONFIG0, 2 << 4);
    assert_eq!(scene.light()[1], [50, 75, 100, 255], "config 2 has RR, which the others copy");
}

#[test]
fn cp_outside_environment_8() {
    let mut scene = Scene::new();
    scene.direction(0, [1.0, 0.0, 0.0]);
    scene.set_light(0, 0, WHITE).set(CONFIG1, NO_TABLES & !D0_OFF).set(SELECT, 5);
    scene.constant(0, 0x333);
    scene.luts.lighting[0][0] = 0xfff;
    assert_eq!(scene.light()[1], [255; 4]);
    scene.set(CONFIG0, 9 << 4);
    assert_eq!(scene.light()[1], [255; 4]);
    scene.set(CONFIG0, 8 << 4);
    assert_eq!(scene.light()[1], [51, 51, 51, 255]);
}

/// The table of 4.6, a column for each table in the order D0 D1 SP FR RR RG.
#[test]
fn environments() {
    use LightingTable::{D0, D1, Fresnel, ReflectionB, ReflectionG, ReflectionR, Spot};
    let rows = [
        "x.x.x.", "..xxx.", "xx..x.", "xx.x..", "xxx.xx", "x.xxxx", "xxxxx.", "xxxxx.", "xxxxxx", "xxxxx.",
        "xxxxx.", "xxxxx.", "xxxxx.", "xxxxx.", "xxxxx.", "xxxxx.",
    ];
    for (environment, row) in rows.into_iter().enumerate() {
        let has = |table| available(environment as u8, table);
        let found = [D0, D1, Spot, Fresnel, ReflectionR, ReflectionG].map(|t| if has(t) { 'x' } else { '.' });
        assert_eq!(String::from_iter(found), row, "environment {environment}");
        assert_eq!(has(ReflectionB), has(ReflectionG));
    }
}

/// Every table acts in exactly the environments that have it, and its own disable bit takes it away.
#[test]
fn tables_act_where_they_are_available() {
    for environment in 0..16 {
        for (id, off, table) in [
            (0, D0_OFF, LightingTable::D0),
            (1, D1_OFF, LightingTable::D1),
            (8, 1 << 8, LightingTable::Spot),
            (4, RB_OFF, LightingTable::ReflectionB),
            (5, RG_OFF, LightingTable::ReflectionG),
            (6, RR_OFF, LightingTable::ReflectionR),
            (16, 1 << 24, LightingTable::D0),
        ] {
            let mut scene = Scene::new();
            (0..24).for_each(|table| scene.constant(table, 0xfff));
            scene.constant(id, 0);
            scene.set_light(0, 0, 100 << 20 | 100 << 10 | 100).set_light(0, 1, 100 << 20 | 100 << 10 | 100);
            scene.set_light(0, 2, 0x0400_0000);
            scene.set(CONFIG0, environment << 4).set(CONFIG1, NO_TABLES & !off);
            let changed = scene.light() != scene.set(CONFIG1, NO_TABLES).light();
            let expected = id == 16 || available(environment as u8, table);
            assert_eq!(changed, expected, "table {id} in environment {environment}");
        }
    }
}

#[test]
fn reflection_tables_copy_red_one_by_one() {
    for (off, expected) in [
        (0, [51, 102, 153]),
        (RG_OFF, [51, 51, 153]),
        (RB_OFF, [51, 102, 51]),
        (RR_OFF, [255, 102, 153]),
        (RR_OFF | RG_OFF, [255, 255, 153]),
    ] {
        let mut scene = Scene::new();
        scene.constant(6, 0x333);
        scene.constant(5, 0x666);
        scene.constant(4, 0x999);
        scene.set_light(0, 1, WHITE).set(CONFIG0, 4 << 4);
        scene.set(CONFIG1, NO_TABLES & !(RR_OFF | RG_OFF | RB_OFF) | off);
        assert_eq!(scene.light()[1][..3], expected, "{off:#x}");
    }
}

#[test]
fn scales() {
    for (code, expected) in [(0, 24), (1, 48), (2, 96), (3, 191), (4, 0), (5, 0), (6, 6), (7, 12)] {
        let mut scene = Scene::new();
        scene.constant(0, 0x180);
        scene.set_light(0, 0, WHITE).set(CONFIG1, NO_TABLES & !D0_OFF).set(SCALE, code);
        assert_eq!(scene.light()[1][0], expected, "code {code}");
    }
}

/// Unsigned inputs below 0 count as 0, or by their magnitude when the light is two-sided; signed ones have
/// the upper half of the table.
#[test]
fn inputs_below_zero() {
    for (two_sided, signed, expected) in [(0, 0, 0), (2, 0, 203), (0, 2, 152), (2, 2, 152)] {
        let mut scene = Scene::new();
        scene.luts.lighting[0] = std::array::from_fn(|i| (i * 16) as u32);
        scene.direction(0, [3.0, 0.0, -4.0]);
        scene.set_light(0, 0, WHITE).set_light(0, 9, 1 | two_sided);
        scene.set(CONFIG1, NO_TABLES & !D0_OFF).set(SELECT, 3).set(ABS, signed);
        assert_eq!(scene.light()[1][0], expected, "two-sided {two_sided}, signed {signed}");
    }
}

#[test]
fn inputs_by_code() {
    let mut scene = Scene::new();
    scene.direction(0, [1.0, 0.0, 0.0]);
    scene.set_light(0, 6, 0x1801).set(CONFIG0, 8 << 4);
    let frame = Frame { normal: [0.0, 0.5, 0.5], tangent: [0.25, 0.0, 1.0], has_cp: true };
    let by = LitBy::new(&scene.registers, 0, &frame, [0.0, 2.0, 0.0]);
    // H = (r, r, 0); without the part along N it is (r, 3r/4, -r/4).
    let r = 0.5_f32.sqrt();
    let expected = [r * 0.5, r, 0.5, 0.0, -1.0, 0.0, 0.0, 0.0];
    for (code, expected) in expected.into_iter().enumerate() {
        let input = by.input(LightingInput::from_bits(code as u32));
        assert!((input - expected).abs() < 1e-6, "code {code}: {input}");
    }
    let frame = Frame { tangent: [1.0, 1.0, 0.0], ..frame };
    let by = LitBy::new(&scene.registers, 0, &frame, [0.0, 2.0, 0.0]);
    assert!((by.input(LightingInput::CosPhi) - r * 1.75).abs() < 1e-6);
}

#[test]
fn bump_maps() {
    let mut scene = Scene::new();
    scene.textures[1] = [255, 0, 51, 9];
    let mut frame = |bits: u32| {
        scene.set(CONFIG0, 1 << 22 | bits);
        let frame = scene.frame();
        (frame.normal, frame.tangent)
    };
    let (normal, tangent) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    let bump = [1.0, -1.0, 51.0 / 127.5 - 1.0];
    assert_eq!(frame(0), (normal, tangent));
    assert_eq!(frame(1 << 28), ([1.0, -1.0, 0.0], tangent), "no length is left for z");
    assert_eq!(frame(1 << 28 | 1 << 30), (bump, tangent), "z kept");
    assert_eq!(frame(2 << 28), (normal, bump));
    assert_eq!(frame(2 << 28 | 1 << 30), (normal, bump));
    assert_eq!(frame(3 << 28), (normal, tangent));
}

#[test]
fn bump_z_is_recomputed() {
    let config = LightingConfig0(1 << 28);
    let mut textures = [[0; 4]; 4];
    textures[0] = [204, 128, 0, 0];
    let normal = Frame::new(config, [0.0, 0.0, 0.0, 1.0], &textures).normal;
    let [x, y] = [204.0 / 127.5 - 1.0_f32, 128.0 / 127.5 - 1.0];
    assert_eq!(normal, [x, y, (1.0 - (x * x + y * y)).sqrt()]);
}

#[test]
fn distance_attenuation_by_distance() {
    let mut scene = Scene::new();
    scene.luts.lighting[18] = std::array::from_fn(|i| (i * 16) as u32);
    scene.direction(2, [0.0, 3.0, 3.0]);
    // Positional; a quarter of the distance less a half.
    scene.set(CONFIG1, NO_TABLES & !(1 << 26)).set_light(2, 9, 0);
    scene.set_light(2, 0xa, 0xbe000).set_light(2, 0xb, 0x3d000);
    for (z, expected) in [(2.0, 192), (0.0, 64), (-2.0, 0), (10.0, 255), (f32::NAN, 0), (f32::INFINITY, 255)]
    {
        let by = LitBy::new(&scene.registers, 2, &scene.frame(), [0.0, -3.0, z]);
        let index = (distance_attenuation(&scene.state(), &by) * 4095.0 / 16.0).round();
        assert_eq!(index, expected as f32, "z {z}");
    }
}

#[test]
fn lights_add_up_and_colours_saturate() {
    let mut scene = Scene::new();
    for light in 0..8 {
        scene.set_light(light, 2, 20 << 20).set_light(light, 3, 5 << 10).set_light(light, 0, 40);
    }
    scene.set(0x1c0, 7 << 20 | 7 << 10 | 7).set(NUM_LIGHTS, 3);
    assert_eq!(scene.light(), [[87, 27, 7, 255], [0, 0, 160, 255]]);
    scene.set(NUM_LIGHTS, 7).set(0x1c0, 1000 << 20);
    assert_eq!(scene.light(), [[255, 40, 0, 255], [0, 0, 255, 255]]);
}

#[test]
fn disabled_lighting_gives_zeros() {
    let mut scene = Scene::new();
    scene.set(0x1c0, WHITE);
    assert_eq!(scene.light(), [[255; 4], [0, 0, 0, 255]]);
    assert_eq!(scene.set(DISABLE, 1).light(), [[0; 4]; 2]);
    assert_eq!(scene.set(DISABLE, 2).light()[0], [255; 4]);
}

/// Where the interpolated vectors are no numbers, they are no directions either.
#[test]
fn vectors_that_are_no_numbers() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38] {
        let mut scene = Scene::new();
        scene.set_light(0, 2, WHITE).set_light(0, 0, WHITE);
        scene.inputs.quaternion[0] = bad;
        scene.inputs.view[1] = bad;
        assert_eq!(scene.light(), [[255; 4]; 2], "{bad}");
        // A positional light has no direction then.
        scene.set_light(0, 9, 0);
        assert_eq!(scene.light(), [[0, 0, 0, 255], [255; 4]], "{bad}");
    }
}

fn random_scene(random: &mut Random) -> Scene {
    let mut scene = Scene::new();
    (0x140..0x200).for_each(|id| scene.registers.set_raw(id, random.word()));
    scene.set(DISABLE, 0);
    for table in scene.luts.lighting.iter_mut() {
        // A few entries, because filling all takes most of the time.
        (0..8).for_each(|_| table[random.word() as usize & 255] = random.word());
    }
    scene.inputs.quaternion = [(); 4].map(|()| random.float());
    scene.inputs.view = [(); 3].map(|()| random.float());
    scene.textures = [(); 4].map(|()| random.word().to_le_bytes());
    scene
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn random_registers_give_numbers() {
    let mut random = Random(1);
    for case in 0..3000 {
        let scene = random_scene(&mut random);
        let (frame, state) = (scene.frame(), scene.state());
        for light in 0..8 {
            let by = LitBy::new(&scene.registers, light, &frame, scene.inputs.view);
            let inputs = LightingInput::ALL.iter().map(|&selector| by.input(selector));
            let factors = [by.diffuse_factor(), by.geometric_factor(), distance_attenuation(&state, &by)];
            assert!(inputs.chain(factors).all(f32::is_finite), "case {case}, light {light}");
        }
        scene.light();
    }
}

#[test]
fn normalised_half_vector_of_opposite_directions() {
    let mut scene = Scene::new();
    scene.direction(0, [0.0, 0.0, -1.0]);
    let by = LitBy::new(&scene.registers, 0, &scene.frame(), [0.0, 0.0, 5.0]);
    assert_eq!((by.input(LightingInput::NormalHalf), by.geometric_factor()), (0.0, 0.0));
    assert_eq!(by.input(LightingInput::NormalView), normalise([0.0, 0.0, 5.0])[2]);
}
