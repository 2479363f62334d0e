//! Set-up, and the interpolation of what it leaves.

use super::attributes::Attributes;
use super::clip::Polygon;
use super::set_up::{FARTHEST, SetUp, snap};
use super::window::Windows;
use crate::pica::raster::{Pixels as _, Sample};
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::ShadedVertices;
use picaflor_pipeline::pica::vertex::{COLOUR, SEMANTICS, Vertex};
use picaflor_pipeline::random as splitmix;
use picaflor_pipeline::rect::Rect;

/// A number below `bound`, and the next seed.
pub(super) fn random(seed: &mut u64, bound: i32) -> i32 {
    ((splitmix::bits(seed) >> 33) % bound as u64) as i32
}

const WHOLE: Rect = Rect { x0: 0, y0: 0, x1: 240, y1: 400 };

/// A viewport of 240x320 at the origin.
fn registers() -> Registers {
    let mut registers = Registers::new();
    registers.set_raw(0x041, 0x45_e000);
    registers.set_raw(0x043, 0x46_4000);
    registers.set_raw(0x04d, 0xbf_0000);
    registers
}

fn vertex(x: f32, y: f32, z: f32, w: f32) -> Vertex {
    let mut vertex = [0.25; SEMANTICS];
    vertex[..4].copy_from_slice(&[x, y, z, w]);
    vertex
}

fn processed(vertices: &[Vertex; 3], registers: &Registers) -> Vec<Triangle> {
    let set_up = SetUp::of(registers, Attributes::All);
    let (mut windows, mut none, mut out) = (Windows::default(), ShadedVertices::new(), Triangles::default());
    none.reset(0, SEMANTICS);
    windows.of(&set_up, vertices, &none, 0..0);
    out.parts_mut().1.extend(vertices);
    set_up.process(([0, 1, 2], 0), &windows, &mut Polygon::default(), &mut out);
    out.iter().collect()
}

/// Counter-clockwise, well inside.
fn front() -> [Vertex; 3] {
    [vertex(-0.5, -0.5, -0.5, 1.0), vertex(0.5, -0.5, -0.5, 1.0), vertex(0.0, 0.5, -0.5, 1.0)]
}

#[test]
fn snapping() {
    let cases = [
        (0.0, 0),
        (1.0 / 32.0, 1),
        (-1.0 / 32.0, -1),
        (3.0 / 32.0, 2),
        (0.031_249_998, 0),
        (-7.03, -112),
        (f32::NAN, 0),
        (f32::INFINITY, FARTHEST),
        (-1e30, -FARTHEST),
        (16_384.0, FARTHEST),
        (16_383.969, FARTHEST),
        (16_383.96, FARTHEST - 1),
    ];
    for (s, expected) in cases {
        assert_eq!(snap(s), expected, "{s}");
    }
}

#[test]
fn snapping_rounds_as_the_library_does() {
    let rounded = |s: f32| ((s * 16.0).round() as i32).clamp(-FARTHEST, FARTHEST);
    let mut seed = 1;
    for _ in 0..1_000_000 {
        let bits = (random(&mut seed, i32::MAX) as u32) << 1 | random(&mut seed, 2) as u32;
        let near = random(&mut seed, 1 << 20) as f32 / 1024.0 - 512.0;
        for s in [f32::from_bits(bits), near, near + 1.0 / 32.0] {
            assert_eq!(snap(s), rounded(s), "{s:e}");
        }
    }
}

#[test]
fn viewport_maps_to_pixels() {
    let mut registers = registers();
    registers.set_raw(0x068, 0x0005_03fe);
    let triangle = &processed(&front(), &registers)[0];
    assert_eq!(triangle.x, [58, 178, 118].map(|x| x * 16));
    assert_eq!(triangle.y, [85, 85, 245].map(|y| y * 16));
    assert_eq!(triangle.bounds(), Rect { x0: 58, y0: 85, x1: 178, y1: 245 });
    assert_eq!((triangle.z, triangle.r), ([-0.5; 3], [1.0; 3]));
}

#[test]
fn perspective_is_divided_out() {
    let mut vertices = front();
    vertices[1] = vertex(1.0, -1.0, -1.0, 2.0);
    let triangle = &processed(&vertices, &registers())[0];
    assert_eq!((triangle.x[1], triangle.z[1], triangle.r[1]), (180 * 16, -0.5, 0.5));
    assert_eq!((triangle.p[1][12], triangle.p[0][12]), (0.125, 0.25));
}

#[test]
fn cull_modes() {
    let ccw = front();
    let cw = [ccw[0], ccw[2], ccw[1]];
    let flat = [ccw[0], ccw[1], ccw[1]];
    let expected = [[true, true], [false, true], [true, false], [true, true]];
    for (mode, [front, back]) in expected.into_iter().enumerate() {
        let mut registers = registers();
        registers.set_raw(0x040, mode as u32 | 4);
        let kept = [ccw, cw, flat].map(|vertices| processed(&vertices, &registers));
        assert_eq!(kept.each_ref().map(Vec::len), [front.into(), back.into(), 0], "mode {mode}");
        for triangle in kept.iter().flatten() {
            assert_eq!(triangle.x, [60, 180, 120].map(|x| x * 16), "counter-clockwise");
        }
    }
}

#[test]
fn flat_colour_is_the_third_assembled_vertex() {
    let mut vertices = front();
    vertices[2][1] = 5.0;
    vertices[2][COLOUR].copy_from_slice(&[0.1, 0.2, 0.3, 0.4]);
    let mut registers = registers();
    assert!(processed(&vertices, &registers).iter().all(|part| part.flat_colour.is_none()));
    registers.set_raw(0x058, 1);
    for order in [[0, 1, 2], [1, 0, 2]] {
        let parts = processed(&order.map(|i| vertices[i]), &registers);
        assert_eq!(parts.len(), 2, "clipped at the top");
        assert!(parts.iter().all(|part| part.flat_colour == Some([0.1, 0.2, 0.3, 0.4])));
    }
}

#[test]
fn nan_positions_are_drawn_from_the_origin() {
    let mut vertices = front();
    vertices[1][0] = f32::NAN;
    let parts = processed(&vertices, &registers());
    assert_eq!(parts.len(), 1);
    let nan = parts[0].r.iter().position(|r| r.is_nan()).unwrap();
    assert_eq!((parts[0].x[nan], parts[0].y[nan]), (0, 0));
    assert!(parts[0].samples(WHOLE).count() > 1000);
    for at in parts[0].samples(WHOLE) {
        assert_eq!(parts[0].depth(&at, -1.0, 0.5, true), 0.0);
    }
    for component in 0..4 {
        let all = front().map(|mut vertex| {
            vertex[component] = f32::NAN;
            vertex
        });
        assert!(processed(&all, &registers()).is_empty());
    }
}

fn depths(z: f32, w: f32, scale: f32, offset: f32, w_buffer: bool) -> Vec<f32> {
    let vertices = front().map(|[x, y, ..]| vertex(x * w, y * w, z * w, w));
    let parts = processed(&vertices, &registers());
    let [triangle] = &parts[..] else { panic!("{} parts", parts.len()) };
    triangle.samples(WHOLE).map(|at| triangle.depth(&at, scale, offset, w_buffer)).collect()
}

#[test]
fn depth_mapping() {
    let half = depths(-0.5, 1.0, -1.0, 0.0, false);
    assert!(half.len() > 5000);
    for depth in half {
        let quantised = (depth * 16_777_215.0) as i32;
        assert!((quantised - 0x7f_ffff).abs() <= 8, "{quantised:x}");
    }
    for (z, w, scale, offset, w_buffer, expected) in [
        (-0.2, 1.0, -0.5, 0.3, false, 0.4),
        (-0.2, 3.0, -0.5, 0.3, false, 0.4),
        (-0.5, 0.5, -1.0, 0.25, true, 0.375),
        (-0.5, 2.0, -1.0, -0.25, true, 0.5),
        (-0.5, 1.0, -4.0, 0.0, false, 1.0),
        (-0.5, 1.0, 4.0, 0.0, false, 0.0),
        (-0.5, 1.0, f32::NAN, 0.0, false, 0.0),
    ] {
        let all = depths(z, w, scale, offset, w_buffer);
        assert!(all.iter().all(|depth| (depth - expected).abs() < 1e-6), "{z} {w}: {:?}", all[0]);
    }
}

/// Against f64: edge values are not negative, so errors do not grow by cancellation.
#[test]
fn interpolation_is_accurate() {
    let mut seed = 11;
    let mut checked = 0;
    for _ in 0..400 {
        let vertices = [(); 3].map(|()| {
            let mut unit = || random(&mut seed, 2001) as f32 / 1000.0 - 1.0;
            let w = 2.25 + 1.75 * unit();
            let mut vertex = vertex(unit() * w, unit() * w, (unit() - 1.0) / 2.0 * w, w);
            vertex[12] = 10.0 * unit();
            vertex
        });
        for triangle in processed(&vertices, &registers()) {
            for at in triangle.samples(WHOLE).step_by(37) {
                check_against_f64(&triangle, &vertices, &at);
                checked += 1;
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}

fn check_against_f64(triangle: &Triangle, vertices: &[Vertex; 3], at: &Sample) {
    // The order of vertices after culling, found by their w.
    let order: [&Vertex; 3] =
        triangle.r.map(|r| vertices.iter().find(|vertex| 1.0 / vertex[3] == r).unwrap());
    let weight = |i: usize| f64::from(at.e[i]) / f64::from(order[i][3]);
    let sum: f64 = (0..3).map(weight).sum();
    let exact: f64 = (0..3).map(|i| weight(i) * f64::from(order[i][12])).sum::<f64>() / sum;
    let found = triangle.attribute(12, at, triangle.rd(at));
    assert!((f64::from(found) - exact).abs() < 10.0 * 2_f64.powi(-20), "{found} {exact}");
    let z: f64 = (0..3).map(|i| f64::from(order[i][2]) / f64::from(order[i][3]) * f64::from(at.e[i])).sum();
    check_derivatives(triangle, at, [order[0][12], order[1][12], order[2][12]]);
    let area: f64 = at.e.iter().map(|&e| f64::from(e)).sum();
    assert!((f64::from(triangle.z_over_w(at)) - z / area).abs() < 2_f64.powi(-21));
}

/// Against the difference between two points close by, in f64.
fn check_derivatives(triangle: &Triangle, at: &Sample, values: [f32; 3]) {
    let steps =
        |from: &[i32; 3], sign: i32| [0, 1, 2].map(|i| sign * 16 * (from[(i + 2) % 3] - from[(i + 1) % 3]));
    let along = |g: [i32; 3], distance: f64| {
        let weight = |i: usize| (f64::from(at.e[i]) + distance * f64::from(g[i])) * f64::from(triangle.r[i]);
        (0..3).map(|i| weight(i) * f64::from(values[i])).sum::<f64>() / (0..3).map(weight).sum::<f64>()
    };
    let rd = triangle.rd(at);
    let found = triangle.derivative(12, triangle.attribute(12, at, rd), rd);
    for (found, g) in found.into_iter().zip([steps(&triangle.y, -1), steps(&triangle.x, 1)]) {
        let expected = (along(g, 1e-5) - along(g, -1e-5)) / 2e-5;
        let scale = g.map(|g| f64::from(g).abs()).iter().sum::<f64>() * f64::from(rd);
        assert!((f64::from(found) - expected).abs() < 1e-3 * scale, "{found} {expected}");
    }
}

#[test]
fn any_bits_make_triangles_that_end() {
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -f32::MAX, 1e-45, -0.0, 1e-5];
    let words = [0x7f_0000, 0xff_ffff, 0x7e_ffff, 0xfe_ffff, 0, 0x45_e000, 0x46_4000, 0x3f_0000];
    let mut seed = 13;
    let mut fragments = 0;
    for _ in 0..5_000 {
        let mut registers = Registers::new();
        for id in [0x041, 0x043, 0x048, 0x049, 0x04a, 0x04b] {
            registers.set_raw(id, words[random(&mut seed, 8) as usize]);
        }
        registers.set_raw(0x047, random(&mut seed, 2) as u32);
        registers.set_raw(0x068, random(&mut seed, i32::MAX) as u32);
        let mut pick = || match random(&mut seed, 24) {
            n @ 0..8 => special[n as usize],
            _ => random(&mut seed, 2001) as f32 / 1000.0 - 1.0,
        };
        let vertices = [(); 3].map(|()| vertex(pick(), pick(), pick(), pick().abs()));
        let triangles = processed(&vertices, &registers);
        assert!(triangles.len() <= 9);
        for triangle in &triangles {
            assert!(triangle.x.iter().chain(&triangle.y).all(|at| at.abs() <= FARTHEST));
            for at in triangle.samples(WHOLE) {
                let depth = triangle.depth(&at, f32::INFINITY, f32::NEG_INFINITY, fragments % 2 == 0);
                assert!((0.0..=1.0).contains(&depth) && at.e.iter().all(|&e| e >= 0.0) && at.sum > 0.0);
                fragments += 1;
            }
        }
    }
    assert!(fragments > 250_000, "{fragments}");
}
