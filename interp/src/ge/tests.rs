//! From clip coordinates to pixels: the console's counts of clipping/homogeneous (5.5), and item 29.

use super::raster::walk;
use super::vertex::project::project;
use crate::Interpreter;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::primitive::{Kind, PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::rect::Rect;

/// A viewport of 256 x 128 around drawing (256, 128), depths 0 to 65535.
fn registers(cpe: u32, words: &[u32]) -> Registers {
    let float = |command: u32, value: f32| command << 24 | value.to_bits() >> 8;
    let mut registers = Registers::default();
    let viewport = [(0x42, 128.0), (0x43, 64.0), (0x44, 32767.5), (0x45, 2048.0), (0x46, 2048.0)];
    viewport.into_iter().for_each(|(command, value)| registers.write(float(command, value)));
    registers.write(float(0x47, 32767.5));
    for word in [0x1c00_0000 | cpe, 0x4c00_7000, 0x4d00_7800] {
        registers.write(word);
    }
    words.iter().for_each(|&word| registers.write(word));
    registers
}

/// The pixels of a draw.
fn pixels(registers: &Registers, kind: Kind, clips: &[[f64; 4]]) -> Vec<(i32, i32)> {
    let vertex = |&clip: &[f64; 4]| {
        let place = project(clip, registers);
        Vertex {
            clip,
            texture: [0.0, 0.0, 1.0],
            x: place.x,
            y: place.y,
            z: place.z,
            colour: 0,
            secondary: 0,
            fog: 255,
            outside: place.outside,
            reserved: [0; 2],
        }
    };
    let vertices: Vec<Vertex> = clips.iter().map(vertex).collect();
    let stream: Vec<u32> = (0..clips.len() as u32).collect();
    let mut pending = PendingVertices::default();
    pending.begin(Some(kind));
    let (mut primitives, mut pixels) = (vec![], vec![]);
    let batch = PrimitiveBatch { registers, vertices: &vertices, stream: &stream };
    Interpreter::new().primitives(&batch, &mut pending, &mut primitives);
    let tile = Rect { x0: 0, y0: 0, x1: 1024, y1: 1024 };
    for primitive in &primitives {
        walk(primitive, tile, &mut |at, _| pixels.push((at.x, at.y)));
    }
    pixels
}

/// Corners (-1, -1), (1, -1), (1, 1) times x and y, with z of the first and of the others, and their w.
fn triangle(scale: [f64; 2], z: [f64; 2], w: [f64; 3]) -> [[f64; 4]; 3] {
    let [x, y] = scale;
    [[-x, -y, z[0], w[0]], [x, -y, z[1], w[1]], [x, y, z[1], w[2]]]
}

/// Pixels in the row of the top edge and in the column of the right edge.
fn edges(cpe: u32, scale: [f64; 2], z: [f64; 2]) -> [usize; 2] {
    let pixels = pixels(&registers(cpe, &[]), Kind::Triangles, &triangle(scale, z, [1.0; 3]));
    let [top, right] = [pixels.iter().map(|at| at.1).min(), pixels.iter().map(|at| at.0).max()];
    let row = pixels.iter().filter(|at| Some(at.1) == top).count();
    [row, pixels.iter().filter(|at| Some(at.0) == right).count()]
}

/// The table of 5.5.
#[test]
fn measured_edges() {
    let table = [
        ([1.0, 1.0], [-1.0, 1.0], [255, 128], [255, 128]),
        ([2.0, 1.0], [-1.0, 1.0], [510, 128], [510, 128]),
        ([1.0, 2.0], [-1.0, 1.0], [256, 256], [256, 256]),
        ([1.0, 1.0], [-2.0, 1.0], [171, 128], [0, 0]),
        ([1.0, 1.0], [-1.0, 2.0], [255, 128], [0, 0]),
        ([1.0, 1.0], [-2.0, 2.0], [192, 128], [0, 0]),
    ];
    for (scale, z, clipping, plain) in table {
        assert_eq!([edges(1, scale, z), edges(0, scale, z)], [clipping, plain], "{scale:?} {z:?}");
    }
}

/// Every vertex on the near plane, z = -w: negative w are divided by as they are, unless all are negative.
#[test]
fn measured_signs_of_w() {
    let set = registers(1, &[]);
    let small = 1.0 / 1024.0;
    let drawn = |w: [f64; 3]| {
        let mut clips = triangle([1.0, 1.0], [0.0, 0.0], w);
        clips.iter_mut().for_each(|[x, y, z, w]| (*x, *y, *z) = (*x * *w, *y * *w, -*w));
        pixels(&set, Kind::Triangles, &clips)
    };
    for w in [[1.0, 2.0, small], [1.0, -1.0, -small], [-1.0, small, 2.0], [-small, -1.0, 1.0]] {
        let pixels = drawn(w);
        assert_eq!((pixels.len(), pixels[0]), (16384, (129, 64)), "{w:?}");
    }
    assert!(drawn([-1.0, -2.0, -small]).is_empty());
}

/// Item 29: a game's texts have NaN in z, and ZSCALE is 0. They are drawn, with clip planes and without.
#[test]
fn rectangles_with_a_nan_in_z() {
    for cpe in [0, 1] {
        let set = registers(cpe, &[0x4400_0000]);
        let corners = [[-0.5, -0.5, f64::NAN, 1.0], [0.5, 0.5, f64::NAN, 1.0]];
        let pixels = pixels(&set, Kind::Rectangles, &corners);
        assert_eq!((pixels.len(), pixels[0]), (128 * 64, (192, 96)), "{cpe}");
    }
}

/// 5.5: a triangle around the eye, whose quotients z / w are 0.5, -0.5, 0.5. Without clip planes it is dropped; with
/// them, what lies before the near plane is cut off.
#[test]
fn triangles_around_the_eye() {
    let clips = [[-0.5, -0.5, 0.5, 1.0], [0.5, -0.5, 0.5, -1.0], [0.5, 0.5, 0.5, 1.0]];
    assert!(pixels(&registers(0, &[]), Kind::Triangles, &clips).is_empty());
    assert!(!pixels(&registers(1, &[]), Kind::Triangles, &clips).is_empty());
}
