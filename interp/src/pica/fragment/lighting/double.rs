//! Lighting once more, in binary64 and from raw register words alone, against [`light`](super::light).
//! Nothing is shared with it, so a mistake in a formula shows.

use super::testing::{ABS, CONFIG0, CONFIG1, NUM_LIGHTS, PERMUTATION, Random, SCALE, SELECT, Scene};
use std::f64::consts::TAU;

type V = [f64; 3];

fn dot(a: V, b: V) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn unit(v: V) -> V {
    let length = dot(v, v).sqrt();
    if length == 0.0 { v } else { v.map(|c| c / length) }
}

fn plus(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The matrix of a quaternion of any length, applied.
fn turn([x, y, z, w]: [f64; 4], v: V) -> V {
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    [
        dot([1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)], v),
        dot([s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)], v),
        dot([s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)], v),
    ]
}

/// `width` bits of register `id` from bit `low` on.
fn field(scene: &Scene, id: u16, low: u32, width: u32) -> u32 {
    scene.registers.raw(id) >> low & ((1 << width) - 1)
}

fn bit(scene: &Scene, id: u16, n: u32) -> bool {
    field(scene, id, n, 1) == 1
}

/// A float of `exponent` and `mantissa` bits that is neither subnormal nor infinite.
fn float(raw: u32, exponent: u32, mantissa: u32) -> f64 {
    let e = raw >> mantissa & ((1 << exponent) - 1);
    let m = raw & ((1 << mantissa) - 1);
    let sign = if raw >> (exponent + mantissa) & 1 == 1 { -1.0 } else { 1.0 };
    let bias = (1 << (exponent - 1)) - 1;
    let one = f64::from(1 << mantissa);
    if e == 0 { 0.0 } else { sign * (1.0 + f64::from(m) / one) * 2_f64.powi(e as i32 - bias) }
}

fn colour(scene: &Scene, id: u16) -> V {
    [20, 10, 0].map(|low| f64::from(field(scene, id, low, 10)) / 255.0)
}

fn interpolate(table: &[u32; 256], index: i32, rest: f64) -> f64 {
    let entry = table[(index & 255) as usize];
    let step = f64::from(entry >> 12 & 0x7ff) / 2047.0;
    f64::from(entry & 0xfff) / 4095.0 + rest * if entry >> 23 & 1 == 1 { -step } else { step }
}

fn unsigned(table: &[u32; 256], x: f64) -> f64 {
    let index = ((x * 256.0).floor() as i32).clamp(0, 255);
    interpolate(table, index, x * 256.0 - f64::from(index))
}

/// Rows of the environment table: which of D0, D1, SP, FR, RB, RG, RR there are, as bits from the lowest.
const ENVIRONMENTS: [u32; 16] = [
    0b100_0101, 0b100_1100, 0b100_0011, 0b000_1011, 0b111_0111, 0b111_1101, 0b100_1111, 0b100_1111,
    0b111_1111, 0b100_1111, 0b100_1111, 0b100_1111, 0b100_1111, 0b100_1111, 0b100_1111, 0b100_1111,
];

/// A table of the seven for light `id`, whose six inputs are given.
fn table(scene: &Scene, number: u32, id: u32, inputs: &[f64; 6]) -> Option<f64> {
    let off = if number == 2 { 8 + id } else { 16 + number };
    let environment = field(scene, CONFIG0, 4, 4) as usize;
    if ENVIRONMENTS[environment] >> number & 1 == 0 || bit(scene, CONFIG1, off) {
        return None;
    }
    let x = *inputs.get(field(scene, SELECT, 4 * number, 3) as usize).unwrap_or(&0.0);
    let lut = &scene.luts.lighting[if number == 2 { 8 + id } else { number } as usize];
    let value = if bit(scene, ABS, 4 * number + 1) {
        let index = ((x * 128.0).floor() as i32).clamp(-128, 127);
        interpolate(lut, index, x * 128.0 - f64::from(index))
    } else if bit(scene, 0x149 + 16 * id as u16, 1) {
        unsigned(lut, x.abs())
    } else {
        unsigned(lut, x.max(0.0))
    };
    let scale = [1.0, 2.0, 4.0, 8.0, 0.0, 0.0, 0.25, 0.5];
    Some(value * scale[field(scene, SCALE, 4 * number, 3) as usize])
}

/// N and T.
fn surface(scene: &Scene) -> [V; 2] {
    let texel = scene.textures[field(scene, CONFIG0, 22, 2) as usize].map(f64::from);
    let bump = [texel[0], texel[1], texel[2]].map(|c| c / 127.5 - 1.0);
    let height = (1.0 - bump[0] * bump[0] - bump[1] * bump[1]).max(0.0).sqrt();
    let [n, t] = match (field(scene, CONFIG0, 28, 2), bit(scene, CONFIG0, 30)) {
        (1, true) => [bump, [1.0, 0.0, 0.0]],
        (1, false) => [[bump[0], bump[1], height], [1.0, 0.0, 0.0]],
        (2, _) => [[0.0, 0.0, 1.0], bump],
        _ => [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    };
    let q = scene.inputs.quaternion.map(f64::from);
    [turn(q, n), turn(q, t)]
}

/// Primary and secondary colour, 255 for 1.
fn evaluate(scene: &Scene) -> [[f64; 4]; 2] {
    let [n, t] = surface(scene);
    let view = scene.inputs.view.map(f64::from);
    let v = unit(view);
    let mut shadow = [1.0; 4];
    if bit(scene, CONFIG0, 0) {
        shadow = scene.textures[field(scene, CONFIG0, 24, 2) as usize].map(|c| f64::from(c) / 255.0);
        if bit(scene, CONFIG0, 18) {
            shadow = shadow.map(|c| 1.0 - c);
        }
    }
    let (mut primary, mut secondary) = (colour(scene, 0x1c0), [0.0; 3]);
    let mut alphas = [1.0; 2];
    for slot in 0..=field(scene, NUM_LIGHTS, 0, 3) {
        let id = field(scene, PERMUTATION, 4 * slot, 3);
        let base = 0x140 + 16 * id as u16;
        let position =
            [(4, 0), (4, 16), (5, 0)].map(|(r, low)| float(field(scene, base + r, low, 16), 5, 10));
        let to_light = if bit(scene, base + 9, 0) { position } else { plus(position, view) };
        let l = unit(to_light);
        let two_h = plus(v, l);
        let h = unit(two_h);
        let spot = [(6, 0), (6, 16), (7, 0)].map(|(r, low)| {
            let raw = field(scene, base + r, low, 13) as i32;
            f64::from(if raw >= 0x1000 { raw - 0x2000 } else { raw }) / 2047.0
        });
        let along = dot(n, h);
        let flat = plus(h, n.map(|c| -c * along));
        let cp = if field(scene, CONFIG0, 4, 4) == 8 { dot(flat, t) } else { 0.0 };
        let inputs = [along, dot(v, h), dot(n, v), dot(l, n), dot(l, spot), cp];
        let lut = |number| table(scene, number, id, &inputs);
        let mut attenuation = lut(2).unwrap_or(1.0);
        if !bit(scene, CONFIG1, 24 + id) {
            let scale = float(field(scene, base + 11, 0, 20), 7, 12);
            let bias = float(field(scene, base + 10, 0, 20), 7, 12);
            let at = (scale * dot(to_light, to_light).sqrt() + bias).clamp(0.0, 1.0);
            attenuation *= unsigned(&scene.luts.lighting[16 + id as usize], at);
        }
        let d = if bit(scene, base + 9, 1) { inputs[3].abs() } else { inputs[3].max(0.0) };
        let highlight = f64::from(!(bit(scene, CONFIG0, 27) && d == 0.0));
        let g = if two_h == [0.0; 3] { 0.0 } else { (d / dot(two_h, two_h)).min(1.0) };
        let red = lut(6).unwrap_or(1.0);
        let reflection = [red, lut(5).unwrap_or(red), lut(4).unwrap_or(red)];
        let shadowed = |n| bit(scene, CONFIG0, n) && !bit(scene, CONFIG1, id);
        for i in 0..3 {
            let mut specular0 = lut(0).unwrap_or(1.0) * colour(scene, base)[i];
            let mut specular1 = lut(1).unwrap_or(1.0) * reflection[i] * colour(scene, base + 1)[i];
            specular0 *= if bit(scene, base + 9, 2) { g } else { 1.0 };
            specular1 *= if bit(scene, base + 9, 3) { g } else { 1.0 };
            let mut diffuse = colour(scene, base + 2)[i] * d;
            diffuse *= if shadowed(16) { shadow[i] } else { 1.0 };
            primary[i] += (diffuse + colour(scene, base + 3)[i]) * attenuation;
            let shine = (specular0 + specular1) * highlight * attenuation;
            secondary[i] += if shadowed(17) { shine * shadow[i] } else { shine };
        }
        if let (true, Some(fresnel)) = (slot == field(scene, NUM_LIGHTS, 0, 3), lut(3)) {
            alphas = [2, 3].map(|n| if bit(scene, CONFIG0, n) { fresnel } else { 1.0 });
        }
    }
    if bit(scene, CONFIG0, 19) {
        for (i, alpha) in alphas.iter_mut().enumerate() {
            *alpha *= if bit(scene, CONFIG0, 2 + i as u32) { shadow[3] } else { 1.0 };
        }
    }
    [(primary, alphas[0]), (secondary, alphas[1])]
        .map(|([r, g, b], a)| [r, g, b, a].map(|c: f64| c.clamp(0.0, 1.0) * 255.0))
}

/// A wave without a seam: it continues where the table starts again.
fn wave(random: &mut Random) -> [u32; 256] {
    let (waves, phase) = (f64::from(random.word() % 3 + 1), f64::from(random.word() % 64) / 64.0);
    let at = |i: usize| 0.5 + 0.45 * (TAU * (waves * i as f64 / 256.0 + phase)).sin();
    std::array::from_fn(|i| {
        let difference = at(i + 1) - at(i);
        let (value, magnitude) = ((at(i) * 4095.0).round(), (difference.abs() * 2047.0).round());
        u32::from(difference < 0.0) << 23 | (magnitude as u32) << 12 | value as u32
    })
}

/// A number between -1 and 1.
fn small(random: &mut Random) -> f32 {
    random.word() as i32 as f32 / 2_147_483_648.0
}

/// Ordinary registers: dim colours, smooth tables, lights at some distance.
fn ordinary(random: &mut Random) -> Scene {
    let mut scene = Scene::new();
    let count = random.word() % 8;
    for light in 0..8 {
        (0..4).for_each(|colour| {
            scene.set_light(light, colour, random.word() & (0x1f << 20 | 0x1f << 10 | 0x1f));
        });
        // Magnitudes from a half to 2, both signs.
        let mut float = || random.word() & 0x8bff | 0x3800 | (random.word() & 1) << 10;
        let [x, y, z] = [float(), float(), float()];
        scene.set_light(light, 4, y << 16 | x).set_light(light, 5, z);
        // Components of spot directions from about -1 to 1.
        let mut spot = || (random.word() & 0x7ff) | ((random.word() & 1) * 0x1800);
        let [x, y, z] = [spot(), spot(), spot()];
        scene.set_light(light, 6, y << 16 | x).set_light(light, 7, z).set_light(light, 9, random.word());
        let (bias, scale) = (0x3d000 | random.word() & 0x80fff, 0x3b000 | random.word() & 0x01fff);
        scene.set_light(light, 0xa, bias).set_light(light, 0xb, scale);
    }
    scene.set(0x1c0, random.word() & (0x1f << 20 | 0x1f << 10 | 0x1f)).set(NUM_LIGHTS, count);
    for id in [CONFIG0, CONFIG1, ABS, SELECT, SCALE, PERMUTATION] {
        scene.set(id, random.word());
    }
    if random.word() & 1 == 0 {
        scene.set(CONFIG0, scene.registers.raw(CONFIG0) & !0xf0 | 0x80);
    }
    for table in scene.luts.lighting.iter_mut() {
        *table = wave(random);
    }
    scene.inputs.quaternion = [(); 4].map(|()| small(random));
    scene.inputs.view = [(); 3].map(|()| 3.0 * small(random));
    scene.textures = [(); 4].map(|()| random.word().to_le_bytes());
    scene
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn binary64_agrees() {
    let mut random = Random(2);
    let mut unsaturated = 0;
    for case in 0..4000 {
        let scene = ordinary(&mut random);
        let (found, expected) = (scene.light(), evaluate(&scene));
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            let difference = (f64::from(*found) - expected).abs();
            assert!(difference <= 2.0, "case {case}: {found} for {expected}\n{:x?}", scene.registers);
            unsaturated += u32::from((4..252).contains(found));
        }
    }
    assert!(unsaturated > 4000 * 8 / 4, "{unsaturated} channels say something");
}
