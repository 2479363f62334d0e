//! Measures texture units: `cargo test -p picaflor-jit --lib speed -- --ignored --nocapture`.

use super::ImageKey;
use super::tests::{Bench, Random, SIDE, TEXTURES, fastest, words};
use crate::texture_cache::TextureCache;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::texel::TextureFormat;

/// Triangles, each of which covers the target.
const TRIANGLES: u32 = 64;

/// Name, parameters, level of detail, type of unit 0.
const CASES: [(&str, u32, u32, u32); 12] = [
    ("nothing", 0, 0, 5),
    ("nearest repeat", 0x2200, 0, 0),
    ("nearest edge", 0, 0, 0),
    ("linear repeat", 0x2206, 0, 0),
    ("linear edge", 6, 0, 0),
    ("linear border", 0x1106, 0, 0),
    ("linear, nearest minified", 0x2202, 0, 0),
    ("linear, nearest level", 0x2206, 7 << 16, 0),
    ("linear, linear levels", 0x0100_2206, 7 << 16, 0),
    ("projection", 0x2206, 0, 3),
    ("cube", 0x2206, 0, 1),
    ("shadow", 0x2206, 0, 2),
];

/// Triangles over the target, so that s and t change by these steps per pixel, right and up, in units of 1/1024.
fn walk([s, t]: [[f32; 2]; 2]) -> Vec<Triangle> {
    let side = 2.0 * SIDE as f32;
    let corners = [[0.0, 0.0], [side, 0.0], [0.0, side]];
    let along = |step: [f32; 2], at: [f32; 2]| (at[0] * step[0] + at[1] * step[1]) / 1024.0;
    let triangle = |k: u32| {
        let mut triangle = Random(1).triangle();
        (triangle.x, triangle.y, triangle.r) = ([0, 512, 0], [0, 0, 512], [1.0; 3]);
        for (p, [x, y]) in triangle.p.iter_mut().zip(corners) {
            let at = [x + (k * SIDE) as f32, y];
            (p[12], p[13], p[16]) = (along(s, at) + 0.123, along(t, at) + 0.321, 1.0);
        }
        triangle
    };
    (0..TRIANGLES).map(triangle).collect()
}

#[test]
#[ignore = "measures"]
fn sampling_speed() {
    let mut bench = Bench::new(1);
    bench.set(&words(0));
    bench.set(&[(0x080, 1), (0x085, TEXTURES >> 3), (0x08b, 1), (0x08e, 0)]);
    bench.set(&[0x086, 0x087, 0x088, 0x089, 0x08a].map(|id| (id, TEXTURES >> 3)));
    let walks = [[[1.0, 0.0], [0.0, 1.0]], [[0.2, 1.0], [-1.0, 0.2]], [[3.3, 1.0], [-1.0, 3.3]]].map(walk);
    for (name, param, lod, kind) in CASES {
        let side = if matches!(kind, 1 | 2) { 256 } else { 1024 };
        bench.set(&[(0x082, side << 16 | side), (0x083, param | kind << 28), (0x084, lod)]);
        let routine = bench.routine(true);
        let fragments = f64::from(SIDE * SIDE * TRIANGLES);
        let [even, turned, small] =
            walks.each_ref().map(|triangles| fastest(200, || bench.run(&*routine, triangles)) / fragments);
        println!("{name:26} {even:6.2} even, {turned:6.2} turned, {small:6.2} minified: ns per fragment");
    }
}

#[test]
#[ignore = "measures"]
fn decoding_speed() {
    const SIDE: u32 = 256;
    let bench = Bench::new(1);
    for &format in TextureFormat::ALL {
        let faces = [TEXTURES, 0, 0, 0, 0, 0];
        let key = ImageKey {
            faces,
            count: 1,
            format,
            shadow: false,
            size: [SIDE; 2],
            levels: [0, 0],
            replaced: None,
        };
        let image =
            |cache: &mut TextureCache<ImageKey>| drop(cache.image(&bench.memory, &key).expect("an image"));
        let mut cache = TextureCache::new(1 << 30);
        image(&mut cache);
        let per_texel = |time: f64| time / f64::from(SIDE * SIDE);
        let decode = per_texel(fastest(40, || image(&mut TextureCache::new(1 << 30))));
        let compare = per_texel(fastest(40, || image(&mut cache)));
        println!("{format:10?} {decode:6.2} decoded, {compare:6.3} compared: ns per texel");
    }
}
