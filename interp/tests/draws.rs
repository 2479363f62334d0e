//! Draws from command list to pixels: the same picture from arrays, from an index list and from immediate
//! vertices, with and without a geometry program.

use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::asm::{self, SourceFile};
use picaflor_pipeline::pica::shader::shbin::Shbin;
use picaflor_pipeline::pica::stats::Stats;

const COLOURS: u32 = 0x1800_0000;
const LIST: u32 = 0x2000_0000;
const ARRAYS: u32 = 0x2000_8000;
/// Of the index list, from `ARRAYS`.
const INDICES: u32 = 0x1000;
/// The window is as wide as high.
const SIDE: u32 = 32;

/// Position and colour as they are.
const VERTEX: &str = "
.out outpos position
.out outclr color
.proc main
	mov outpos, v0
	mov outclr, v1
	end
.end";

/// A square around each point: a triangle, and the same with one vertex replaced and turned around.
const SQUARES: &str = "
.gsh point c0
.constf a(-0.25, -0.25, 0.0, 0.0)
.constf b(0.25, -0.25, 0.0, 0.0)
.constf c(-0.25, 0.25, 0.0, 0.0)
.constf d(0.25, 0.25, 0.0, 0.0)
.out outpos position
.out outclr color
.proc main
	mov r0, v0
	mov r1, v1
	setemit 0
	add outpos, a, r0
	mov outclr, r1
	emit
	setemit 1
	add outpos, b, r0
	mov outclr, r1
	emit
	setemit 2, prim
	add outpos, c, r0
	mov outclr, r1
	emit
	setemit 0, prim inv
	add outpos, d, r0
	mov outclr, r1
	emit
	end
.end";

/// The first three vertices of a primitive that has any number of them.
const FIRST_THREE: &str = "
.gsh variable c20 3
.out outpos position
.out outclr color
.proc main
	setemit 0
	mov outpos, c1
	mov outclr, c2
	emit
	setemit 1
	mov outpos, c3
	mov outclr, c4
	emit
	setemit 2, prim
	mov outpos, c5
	mov outclr, c6
	emit
	end
.end";

type Vertex = [[f32; 4]; 2];

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

/// Two points, so that squares around them are 8 by 8 pixels.
const POINTS: [Vertex; 2] = [[[-0.5, -0.5, -0.5, 1.0], RED], [[0.5, 0.5, -0.5, 1.0], GREEN]];

/// The lower left half of the window, counter-clockwise; -0 does not survive an array in `Console`.
const HALF: [Vertex; 3] = [
    [[-1.0, -1.0, -0.5, 1.0], RED],
    [[1.0, -1.0, -0.5, 1.0], RED],
    [[-1.0, 1.0, -0.5, 1.0], [1.0, -0.0, 0.0, 1.0]],
];

fn assemble(source: &str) -> Shbin {
    asm::assemble(&[SourceFile::new("program", source)], asm::Options::default()).expect("program")
}

/// A list that sets everything but the draw. `geometry` is a program with its 0x252, 0x254.
fn set_up(geometry: Option<(&str, u32, u32)>, cull: u32) -> ListBuilder {
    let mut list = ListBuilder::new();
    // Half of the window's sides and their reciprocals; the target; no tests, copy to all channels.
    list.burst(0x041, &[0x43_0000, 0x3b00_0000, 0x43_0000, 0x3b00_0000]);
    list.write(0x040, cull).write(0x11d, COLOURS >> 3).write(0x117, 2);
    list.write(0x11e, 1 << 24 | (SIDE - 1) << 12 | SIDE).burst(0x112, &[0xf, 0xf, 0, 0]);
    list.write(0x102, 3).write(0x107, 0xf00);
    // Two attributes of four floats, one array.
    list.burst(0x200, &[ARRAYS >> 3, 0xff, 1 << 28, 0, 0x10, 2 << 28 | 32 << 16]);
    list.write(0x242, 1).write(0x244, u32::from(geometry.is_some()));
    let vertex = assemble(VERTEX);
    list.program(Bank::Vertex, &vertex.program).executable(Bank::Vertex, &vertex.executables[0], 2);
    list.output_map(&vertex.executables[0]);
    if let Some((source, misc0, misc1)) = geometry {
        let program = assemble(source);
        list.write(0x229, 2).write(0x252, misc0).write(0x254, misc1);
        list.program(Bank::Geometry, &program.program);
        list.executable(Bank::Geometry, &program.executables[0], 2);
        list.output_map(&program.executables[0]);
    }
    list
}

struct Outcome {
    stats: Stats,
    /// Pixels, as red, green and neither.
    pixels: [usize; 3],
    bytes: Vec<u8>,
}

/// Runs the list with `vertices` in the arrays and `indices` in the index list.
fn run(mut list: ListBuilder, vertices: &[Vertex], indices: &[u16]) -> Outcome {
    let memory = BlockMemory::zeroed(&[(COLOURS, 0x8000), (LIST, 0x1_0000)]);
    let arrays: Vec<u8> = vertices.iter().flatten().flatten().flat_map(|f| f.to_le_bytes()).collect();
    let indices: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    let list = list.finish();
    for (address, bytes) in [(ARRAYS, &arrays), (ARRAYS + INDICES, &indices), (LIST, &list)] {
        write_bytes(&memory, address, bytes);
    }
    let mut pica = Pica::new(Precision::Console);
    let command_list = CommandList { address: LIST, size_bytes: list.len() as u32 };
    pica.run(&mut Interpreter::new(), &memory, command_list).expect("the list ends");
    assert_eq!(pica.faults().as_slice(), []);
    let bytes = memory.region(COLOURS, SIDE * SIDE * 4).expect("mapped").to_vec();
    // Bytes of a pixel are alpha, blue, green, red.
    let count = |is: fn(&[u8]) -> bool| bytes.chunks_exact(4).filter(|pixel| is(pixel)).count();
    let pixels = [count(|p| p == [255, 0, 0, 255]), count(|p| p == [255, 0, 255, 0]), count(|p| p == [0; 4])];
    Outcome { stats: *pica.stats(), pixels, bytes }
}

/// The same primitive from arrays, indices (with a vertex in front that is not used) and immediate vertices.
fn all_ways(set_up: impl Fn() -> ListBuilder, topology: u32, vertices: &[Vertex]) -> [Outcome; 3] {
    let count = vertices.len() as u32;
    let with = |draw: &dyn Fn(&mut ListBuilder), arrays: &[Vertex], indices: &[u16]| {
        let mut list = set_up();
        draw(&mut list);
        run(list, arrays, indices)
    };
    let mut shifted = vec![[[7.0; 4]; 2]];
    shifted.extend_from_slice(vertices);
    let indices: Vec<_> = (1..=count as u16).collect();
    [
        with(&|list| _ = list.draw_arrays(topology, 1, count), &shifted, &[]),
        with(&|list| _ = list.draw_elements(topology, INDICES, count), &shifted, &indices),
        with(&|list| _ = list.immediate(topology, vertices.iter().map(|v| &v[..])), &[], &[]),
    ]
}

#[test]
fn a_triangle_in_all_ways() {
    for outcome in all_ways(|| set_up(None, 0), 0, &HALF) {
        let half = (SIDE * (SIDE - 1) / 2) as usize;
        let [red, green, black] = outcome.pixels;
        assert!(red == half || red == half + SIDE as usize, "{red}");
        assert_eq!((green, black), (0, (SIDE * SIDE) as usize - red));
        assert_eq!((outcome.stats.vertices, outcome.stats.triangles), (3, 1));
        assert_eq!(outcome.stats.fragments, red as u64);
    }
}

#[test]
fn a_geometry_program_makes_squares_in_all_ways() {
    let outcomes = all_ways(|| set_up(Some((SQUARES, 0, 0)), 0), 3, &POINTS);
    for outcome in &outcomes {
        // No pixel twice: the triangles of a square share their diagonal.
        assert_eq!((outcome.pixels, outcome.stats.fragments), ([64, 64, 1024 - 128], 128));
        assert_eq!((outcome.stats.vertices, outcome.stats.triangles), (12, 4));
        assert_eq!(outcome.bytes, outcomes[0].bytes);
    }
}

/// All triangles face the same way only if the winding flag turns every second one.
#[test]
fn the_winding_flag_turns_triangles() {
    let displayed = |cull, topology| {
        let mut list = set_up(Some((SQUARES, 0, 0)), cull);
        list.draw_arrays(topology, 0, 2);
        run(list, &POINTS, &[]).stats.triangles_displayed
    };
    let mut by_side = [displayed(1, 3), displayed(2, 3)];
    by_side.sort_unstable();
    assert_eq!(by_side, [0, 4]);
    // As a plain list the flag counts for nothing.
    assert_eq!([displayed(1, 0), displayed(2, 0)], [2, 2]);
}

#[test]
fn primitives_of_variable_size() {
    // A vertex more than the program uses, then a primitive of its own.
    let mut vertices = HALF.to_vec();
    vertices.extend([[[9.0; 4]; 2], [[1.0, 1.0, -0.5, 1.0], GREEN]]);
    let mut list = set_up(Some((FIRST_THREE, 1, 2)), 0);
    list.draw_elements(3, INDICES, 9);
    let outcome = run(list, &vertices, &[4, 0, 1, 2, 3, 3, 1, 4, 2]);
    assert_eq!(outcome.stats.triangles, 2);
    // Both halves of the window, each pixel once.
    assert_eq!((outcome.stats.fragments, outcome.pixels[2]), (1024, 0));
}
