//! The whole machine with the reference engine: lists in, pixels out, by every route that draws.

use crate::support::Random;
use picaflor_interp::Interpreter;
use picaflor_interp::pica::surface::Surface;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder, pack_f24x4};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::float::encode_f24;
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::{Finished, Pica, RunError};

const COLOUR: u32 = 0x1800_0000;
const LIST: u32 = 0x2000_0000;
const ARRAYS: u32 = 0x2001_0000;
const INDICES: u32 = 0x400;
const SIZE: u32 = 16;

const PROGRAM: &str = "\
.out outpos position
.out outclr color
.in inpos v0
.in inclr v1
.entry main
.proc main
	mov outpos, inpos
	mov outclr, inclr
	end
.end
";

type Vertex = [[f32; 4]; 2];

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// The lower left half of the target, counter-clockwise, or the upper right one.
fn half(lower: bool, colour: [f32; 4]) -> [Vertex; 3] {
    let s = if lower { 1.0 } else { -1.0 };
    [[-s, -s], [s, -s], [-s, s]].map(|[x, y]| [[x, y, -0.5, 1.0], colour])
}

struct Bench {
    pica: Pica,
    memory: BlockMemory,
}

impl Bench {
    fn new() -> Self {
        let memory = BlockMemory::zeroed(&[(COLOUR, 0x1_0000), (LIST, 0x2_0000)]);
        Self { pica: Pica::new(Precision::Console), memory }
    }

    fn try_run(&mut self, list: &mut ListBuilder) -> Result<Finished, RunError> {
        let bytes = list.finish();
        write_bytes(&self.memory, LIST, &bytes);
        let list = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
        self.pica.run(&mut Interpreter::new(), &self.memory, list)
    }

    fn run(&mut self, list: &mut ListBuilder) {
        assert_eq!(self.try_run(list), Ok(Finished::Interrupt));
        assert_eq!(self.pica.faults().as_slice(), []);
    }

    /// The pixels, as a letter each: r, b, any other, or nothing.
    fn picture(&self) -> Vec<char> {
        let surface = Surface::new(self.pica.registers(), &self.memory);
        let pixels = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
        pixels
            .map(|(x, y)| match surface.colour(x, y) {
                [255, 0, 0, 255] => 'r',
                [0, 0, 255, 255] => 'b',
                [0, 0, 0, 0] => '.',
                _ => '?',
            })
            .collect()
    }

    fn put_arrays(&self, vertices: &[Vertex]) {
        let words = vertices.as_flattened().as_flattened();
        let bytes: Vec<u8> = words.iter().flat_map(|value| value.to_le_bytes()).collect();
        write_bytes(&self.memory, ARRAYS, &bytes);
    }
}

/// A list that begins with everything that a draw needs.
fn set_up() -> ListBuilder {
    let shbin = assemble(&[SourceFile::new("colour", PROGRAM)], Options::default()).expect("it assembles");
    let mut list = ListBuilder::new();
    list.program(Bank::Vertex, &shbin.program).executable(Bank::Vertex, &shbin.executables[0], 2);
    list.output_map(&shbin.executables[0]).write(0x242, 1);
    let dim = 1 << 24 | (SIZE - 1) << 12 | SIZE;
    let scale = encode_f24(SIZE as f32 / 2.0);
    list.burst(0x041, &[scale, 0x3811_1100, scale, 0x3811_1100]).write(0x068, 0);
    list.burst(0x11c, &[0, COLOUR >> 3, dim]).burst(0x112, &[15, 15, 0, 0]).burst(0x116, &[0, 2]);
    list.write(0x100, 0x00e4_0000).write(0x102, 3).write(0x107, 0x0f10).write(0x06d, 1);
    list.burst(0x04d, &[encode_f24(-1.0), 0]);
    for stage in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        let source = if stage == 0x0c0 { 0 } else { 0x0fff_0fff };
        list.burst(stage, &[source, 0, 0, 0, 0]);
    }
    // Two attributes of four floats each in one array.
    list.burst(0x200, &[ARRAYS >> 3, 0xff, 0x1000_0000, 0, 0x10, 0x2020_0000]);
    list
}

fn immediate(list: &mut ListBuilder, vertices: &[Vertex]) {
    for vertex in vertices {
        for attribute in vertex {
            list.feed(0x233, &pack_f24x4(*attribute));
        }
    }
}

fn count(picture: &[char], what: char) -> usize {
    picture.iter().filter(|pixel| **pixel == what).count()
}

#[test]
fn all_routes_draw_the_same() {
    let vertices = [half(true, RED), half(false, BLUE)].concat();
    let draw = |extra: &dyn Fn(&mut ListBuilder)| {
        let mut bench = Bench::new();
        bench.put_arrays(&vertices);
        let indices: Vec<u8> = (0..6_u16).flat_map(u16::to_le_bytes).collect();
        write_bytes(&bench.memory, ARRAYS + INDICES, &indices);
        let mut list = set_up();
        extra(&mut list);
        bench.run(&mut list);
        let stats = bench.pica.stats();
        assert_eq!((stats.vertices, stats.triangles, stats.fragments, stats.draws), (6, 2, 256, 1));
        bench.picture()
    };
    let arrays = draw(&|list| {
        list.draw_arrays(0, 0, 6);
    });
    let elements = draw(&|list| {
        list.draw_elements(3, INDICES, 6);
    });
    let one_by_one = draw(&|list| {
        list.write(0x232, 15);
        immediate(list, &vertices);
    });
    assert!(arrays == elements && arrays == one_by_one);
    assert_eq!((count(&arrays, 'r') + count(&arrays, 'b'), count(&arrays, '.')), (256, 0));
    assert!(count(&arrays, 'r').abs_diff(128) <= 8);
}

/// A register written between immediate vertices holds for those after it only.
#[test]
fn immediate_vertices_keep_the_registers_they_were_sent_under() {
    let mut bench = Bench::new();
    let mut list = set_up();
    list.write(0x232, 15);
    immediate(&mut list, &half(true, RED));
    // From here on nothing but green is written.
    list.write(0x107, 0x0210);
    immediate(&mut list, &half(false, BLUE));
    bench.run(&mut list);
    let picture = bench.picture();
    assert!(count(&picture, 'r').abs_diff(128) <= 8 && count(&picture, 'r') + count(&picture, '.') == 256);
    assert_eq!(bench.pica.stats().draws, 2);
}

/// A machine saved in the middle of an immediate triangle goes on with it in another one.
#[test]
fn a_snapshot_in_the_middle_of_a_triangle() {
    let vertices = half(true, RED);
    let mut whole = Bench::new();
    let mut list = set_up();
    list.write(0x232, 15);
    immediate(&mut list, &vertices);
    whole.run(&mut list);

    let mut first = Bench::new();
    let mut list = set_up();
    list.write(0x232, 15);
    immediate(&mut list, &vertices[..1]);
    // Half a vertex, and half an attribute of it.
    list.feed(0x233, &pack_f24x4(vertices[1][0])).feed(0x233, &pack_f24x4(vertices[1][1])[..2]);
    first.run(&mut list);
    let mut second = Bench { pica: Pica::new(Precision::Console), memory: first.memory.clone() };
    second.pica.load(&first.pica.save()).expect("a snapshot");
    let mut rest = ListBuilder::new();
    rest.feed(0x234, &pack_f24x4(vertices[1][1])[2..]);
    immediate(&mut rest, &vertices[2..]);
    second.run(&mut rest);
    assert_eq!(second.picture(), whole.picture());
    assert_eq!(second.pica.registers(), whole.pica.registers());
}

#[test]
fn the_work_of_a_run_is_limited() {
    let mut bench = Bench::new();
    bench.put_arrays(&half(true, RED));
    bench.pica = bench.pica.with_limits(Limits::default().with_run_pixels(600));
    let mut list = set_up();
    for _ in 0..10 {
        list.draw_arrays(0, 0, 3);
    }
    let finished = bench.try_run(&mut list);
    assert!(matches!(finished, Err(RunError::Work { pixels: 768, .. })), "{finished:?}");
    assert_eq!(bench.pica.stats().draws, 3);
}

/// Nor does it help to start all draws by one command.
#[test]
fn the_work_of_a_command_is_limited() {
    let mut bench = Bench::new();
    bench.put_arrays(&half(true, RED));
    bench.pica = bench.pica.with_limits(Limits::default().with_run_pixels(600));
    let mut list = set_up();
    list.draw_arrays(0, 0, 3).feed(0x22e, &[1; 200]);
    let finished = bench.try_run(&mut list);
    assert!(matches!(finished, Err(RunError::Work { pixels: 768, .. })), "{finished:?}");
    assert_eq!(bench.pica.stats().draws, 3);
}

/// Vertices count when they are shaded, also where the geometry program keeps them all to itself.
#[test]
fn vertices_that_a_geometry_program_swallows_are_limited() {
    let mut bench = Bench::new();
    bench.put_arrays(&half(true, RED));
    bench.pica = bench.pica.with_limits(Limits::default().with_run_vertices(10));
    let mut list = set_up();
    // The geometry stage takes part; its program memory is empty, so nothing is emitted.
    list.write_bytes(0x229, 2, 1).draw_arrays(0, 0, 3).feed(0x22e, &[1; 200]);
    let finished = bench.try_run(&mut list);
    assert!(matches!(finished, Err(RunError::Work { vertices: 11..16, .. })), "{finished:?}");
    assert_eq!(bench.pica.stats().vertices, 0);
}

/// One draw stops where its pixels end.
#[test]
fn the_pixels_of_a_draw_are_limited() {
    let mut bench = Bench::new();
    let vertices: Vec<Vertex> = (0..9).flat_map(|_| half(true, RED)).collect();
    bench.put_arrays(&vertices);
    bench.pica = bench.pica.with_limits(Limits::default().with_pixels(600));
    assert_eq!(bench.try_run(set_up().draw_arrays(0, 0, 27)), Ok(Finished::Interrupt));
    assert_eq!((bench.pica.stats().triangles, bench.pica.stats().pixels), (3, 768));
    assert_eq!(bench.pica.faults().as_slice(), [Fault::DrawBudget { vertices: 27 }]);
}

/// Small, large, a float, an address, or anything.
fn value(random: &mut Random) -> u32 {
    match random.below(6) {
        0 => random.below(16),
        1 => encode_f24(random.below(64) as f32 - 32.0),
        2 => (COLOUR + random.below(0x2_0000)) >> 3,
        3 => (LIST + random.below(0x3_0000)) >> 3,
        4 => 1 << random.below(32),
        _ => random.word(),
    }
}

/// Writes to a few registers, then draws in some way, again and again.
fn random_list(random: &mut Random) -> ListBuilder {
    let mut list = set_up();
    for _ in 0..random.below(12) {
        for _ in 0..random.below(8) {
            let id = match random.below(8) {
                0 => 0x100 + random.below(0x40),
                1 => 0x200 + random.below(0x60),
                2 => 0x040 + random.below(0x30),
                3 => 0x2b0 + random.below(0x30),
                _ => 0x040 + random.below(0x3c0),
            };
            // Lists do not end early, and jump only where there is something.
            if !matches!(id, 0x238..=0x23d) {
                list.write_bytes(id as u16, value(random), random.word() as u8 | 1);
            }
        }
        match random.below(4) {
            0 => list.draw_arrays(random.below(4), random.below(4), random.below(20)),
            1 => list.draw_elements(random.below(4), INDICES + random.below(9), random.below(20)),
            2 => list.write(0x232, random.below(16)).feed(0x234, &[random.word(); 60]),
            _ => list.write(0x22e + random.below(2) as u16, 1),
        };
    }
    list
}

/// Lists that draw in random states end, in bounded time and without a panic.
#[test]
fn random_states() {
    let lists = std::env::var("PICAFLOR_LISTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let limits = Limits::DEFAULT
        .with_instructions(200)
        .with_vertices(1000)
        .with_triangles(1000)
        .with_pixels(1 << 14)
        .with_commands(10_000)
        .with_jumps(10)
        .with_run_vertices(10_000)
        .with_run_pixels(1 << 16)
        .with_run_instructions(1 << 22);
    let mut random = Random(1);
    let mut fragments = 0;
    for n in 0..lists {
        let mut bench = Bench::new();
        bench.pica = bench.pica.with_limits(limits);
        bench.put_arrays(&[half(true, RED), half(false, BLUE)].concat());
        bench.pica.set_threads(1 + n % 2);
        // However it ends: what is drawn may have changed the list itself.
        let _ = bench.try_run(&mut random_list(&mut random));
        assert!(bench.pica.stats().commands <= 10_000);
        assert!(bench.pica.stats().pixels <= (1 << 16) + (1 << 14) + 2 * (1 << 21));
        fragments += bench.pica.stats().fragments;
        let snapshot = bench.pica.save();
        assert_eq!(bench.pica.load(&snapshot), Ok(()));
        assert_eq!(bench.pica.save(), snapshot);
    }
    assert!(fragments > 50 * lists as u64, "{fragments} fragments in {lists} lists");
}
