//! The stage as a whole: counts, order, flat colours, state across batches.

use super::*;
use picaflor_pipeline::pica::stage::ShadedVertices;

/// A viewport of 32x32 pixels at the origin: scale 16 (0x430000).
fn registers(words: &[(u16, u32)]) -> Registers {
    let mut registers = Registers::new();
    for &(id, word) in [(0x041, 0x43_0000), (0x043, 0x43_0000)].iter().chain(words) {
        registers.set_raw(id, word);
    }
    registers
}

fn strip_or_list(topology: u32) -> (u16, u32) {
    (0x25e, topology << 8)
}

/// Vertices with w = 1 and z = -0.5 whose red is their number.
fn vertices(positions: &[[f32; 2]]) -> ShadedVertices {
    let mut vertices = ShadedVertices::new();
    vertices.reset(positions.len(), SEMANTICS);
    for (n, &[x, y]) in positions.iter().enumerate() {
        for k in 0..SEMANTICS {
            vertices.component_mut(k)[n] = 1.0;
        }
        for (k, value) in [(0, x), (1, y), (2, -0.5), (8, n as f32)] {
            vertices.component_mut(k)[n] = value;
        }
    }
    vertices
}

/// A square and a corner outside of the volume.
const SQUARE: [[f32; 2]; 5] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [3.0, 1.0]];

fn run(registers: &Registers, pending: &mut PendingVertices, stream: &[StreamVertex]) -> Primitives {
    let mut out = Primitives::default();
    let vertices = vertices(&SQUARE);
    let batch = PrimitiveBatch { registers, vertices: &vertices, stream, is_drawn: false };
    Interpreter::new().primitives(&batch, pending, &mut out);
    out
}

fn positions(numbers: &[u32]) -> Vec<StreamVertex> {
    numbers.iter().map(|&n| StreamVertex::new(n)).collect()
}

/// Red of each corner.
fn reds(triangle: Triangle) -> [f32; 3] {
    triangle.p.map(|v| v[8])
}

/// The second triangle of a strip is (v2, v1, v3), which is counter-clockwise, too.
#[test]
fn strips_keep_their_winding() {
    let out =
        run(&registers(&[strip_or_list(1)]), &mut PendingVertices::default(), &positions(&[0, 1, 2, 3]));
    assert_eq!(out.ends, [1, 2]);
    assert_eq!(out.triangles.iter().map(reds).collect::<Vec<_>>(), [[0.0, 1.0, 2.0], [2.0, 1.0, 3.0]]);
    let first = out.triangles.get(0).expect("a triangle");
    assert_eq!((first.x, first.y), ([0, 512, 0], [0, 0, 512]));
}

#[test]
fn ends_count_assembled_triangles() {
    // Degenerate; kept; clipped to a quadrangle: two parts.
    let stream = positions(&[0, 0, 1, 0, 1, 2, 0, 4, 2]);
    let out = run(&registers(&[]), &mut PendingVertices::default(), &stream);
    assert_eq!((out.ends, out.triangles.len()), (vec![0, 1, 3], 3));
}

/// A NaN is outside, and so is what is cut next to it, which lies at (0, 0) in the window: the triangle is not dropped.
#[test]
fn a_corner_of_nan() {
    let mut vertices = vertices(&[[0.5, -0.5], [0.5, 0.5], [0.0, 0.0]]);
    vertices.component_mut(0)[2] = f32::NAN;
    let mut out = Primitives::default();
    let (state, stream) = (registers(&[]), positions(&[0, 1, 2, 2, 2, 2]));
    let batch = PrimitiveBatch { registers: &state, vertices: &vertices, stream: &stream, is_drawn: false };
    Interpreter::new().primitives(&batch, &mut PendingVertices::default(), &mut out);
    assert_eq!(out.ends, [1, 1]);
    let only = out.triangles.get(0).expect("a triangle");
    assert_eq!((only.x, only.y, only.r[0].is_nan()), ([0, 384, 384], [0, 128, 384], true));
}

/// pica-geometry.md 6.4: the colour of the third vertex as assembled, though it is clipped away or exchanged.
#[test]
fn flat_colour_is_that_of_the_newest_vertex() {
    let state = registers(&[(0x058, 1)]);
    for stream in [[0, 2, 4], [0, 1, 2], [0, 2, 1]] {
        let out = run(&state, &mut PendingVertices::default(), &positions(&stream));
        let expected = Some([stream[2] as f32, 1.0, 1.0, 1.0]);
        assert!(!out.triangles.is_empty());
        assert!(out.triangles.iter().all(|triangle| triangle.flat_colour == expected), "{stream:?}");
    }
}

#[test]
fn primitives_go_on_in_the_next_batch() {
    let (state, mut pending) = (registers(&[strip_or_list(2)]), PendingVertices::default());
    assert_eq!(run(&state, &mut pending, &positions(&[0, 1])).ends, [0; 0]);
    let out = run(&state, &mut pending, &positions(&[3, 2]));
    assert_eq!(out.triangles.iter().map(reds).collect::<Vec<_>>(), [[0.0, 1.0, 3.0], [0.0, 3.0, 2.0]]);
}

/// pica-geometry.md 4.1: the flag turns the triangle, which back-face culling then drops; it has no effect in lists.
#[test]
fn winding_flag() {
    let numbers = positions(&[0, 1, 2]);
    let stream = [numbers[0].reversing(), numbers[1], numbers[2], numbers[0], numbers[1], numbers[2]];
    for (topology, ends) in [(3, [0, 1]), (0, [1, 2])] {
        let mut pending = PendingVertices::default();
        let out = run(&registers(&[strip_or_list(topology), (0x040, 2)]), &mut pending, &stream);
        assert_eq!((out.ends.as_slice(), pending.is_reversed), (&ends[..], false), "{topology}");
    }
}
