//! Every budget of the machine at its edge, on both engines: one less than what a list needs, just that, and one
//! more.

use picaflor_conformance::pica::engine::NamedEngine;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
use picaflor_pipeline::pica::float::{Precision, encode_f24};
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::stage::{NoEngines, Stages};
use picaflor_pipeline::pica::{Finished, Pica, RunError};
use std::time::Instant;

const COLOUR: u32 = 0x1800_0000;
const LIST: u32 = 0x2000_0000;
const ARRAYS: u32 = 0x2001_0000;
const SIZE: u32 = 16;

/// Four instructions and a loop of three rounds with two each: ten, which cannot be known without running it.
const LOOPS: &str = "mov p, v0\nfor i0\nnop\nnop\n.end\nmov c, v1\nend";
/// A backward jump that is not taken.
const JUMPS: &str = "back:\nmov p, v0\nmov c, v1\njmpu b0, back\nend";
/// Three instructions.
const STRAIGHT: &str = "mov p, v0\nmov c, v1\nend";

fn set_up(body: &str) -> ListBuilder {
    let source = format!(".out p position\n.out c color\n.proc main\n{body}\n.end\n");
    let shbin = assemble(&[SourceFile::new("a", source.as_str())], Options::default()).expect("it assembles");
    let mut list = ListBuilder::new();
    list.program(Bank::Vertex, &shbin.program).executable(Bank::Vertex, &shbin.executables[0], 2);
    list.output_map(&shbin.executables[0]).write(0x242, 1).write(0x2b1, 2);
    let (dim, scale) = (1 << 24 | (SIZE - 1) << 12 | SIZE, encode_f24(SIZE as f32 / 2.0));
    list.burst(0x041, &[scale, 0x3811_1100, scale, 0x3811_1100]).write(0x068, 0);
    list.burst(0x11c, &[0, COLOUR >> 3, dim]).burst(0x112, &[15, 15, 0, 0]).burst(0x116, &[0, 2]);
    list.write(0x100, 0x00e4_0000).write(0x102, 3).write(0x107, 0x0f10).write(0x06d, 1);
    list.burst(0x04d, &[encode_f24(-1.0), 0]);
    for stage in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        list.burst(stage, &[if stage == 0x0c0 { 0 } else { 0x0fff_0fff }, 0, 0, 0, 0]);
    }
    list.burst(0x200, &[ARRAYS >> 3, 0xff, 0x1000_0000, 0, 0x10, 0x2020_0000]);
    list
}

/// What a list leaves behind.
#[derive(Debug, PartialEq)]
struct Left {
    finished: Result<Finished, RunError>,
    faults: FaultList,
    state: Vec<u32>,
    memory: Vec<u8>,
}

impl Left {
    fn is_whole(&self) -> bool {
        self.finished == Ok(Finished::Interrupt) && self.faults == FaultList::new()
    }
}

fn run(list: &mut ListBuilder, limits: Limits, engine: &str) -> Left {
    let memory = BlockMemory::zeroed(&[(COLOUR, 0x1000), (LIST, 0x2_0000)]);
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]];
    let vertices = corners.map(|[x, y]| [x, y, -0.5, 1.0, 1.0, 0.5, 0.25, 1.0_f32]);
    let bytes: Vec<u8> = vertices.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    write_bytes(&memory, ARRAYS, &bytes);
    let bytes = list.finish();
    write_bytes(&memory, LIST, &bytes);
    let mut engine = NamedEngine::by_name(engine).expect("an engine").expect("this host runs compiled code");
    let mut pica = Pica::new(Precision::Console).with_limits(limits);
    let finished =
        pica.run(&mut engine, &memory, CommandList { address: LIST, size_bytes: bytes.len() as u32 });
    let (faults, state) = (pica.faults().clone(), pica.save().words().to_vec());
    let memory = memory.blocks().iter().flat_map(|block| block.as_slice().to_vec()).collect();
    Left { finished, faults, state, memory }
}

/// With one less than `needed` the list is cut short, with that or more it is not; engines never differ.
fn edge(name: &str, list: impl Fn() -> ListBuilder, needed: u64, limits: impl Fn(u64) -> Limits) {
    for limit in [0, 1, needed - 1, needed, needed + 1] {
        let expected = run(&mut list(), limits(limit), "interp");
        assert_eq!(expected.is_whole(), limit >= needed, "{name} {limit}: {:?}", expected.finished);
        assert!(run(&mut list(), limits(limit), "jit") == expected, "{name} {limit}: compiled code differs");
    }
}

/// A list that draws so many vertices with 516 instructions each; its target is at the start of VRAM.
pub(crate) fn loops(vertices: u32) -> Vec<u8> {
    let mut list = set_up(LOOPS);
    list.write(0x2b1, 255).draw_arrays(0, 0, vertices);
    list.finish()
}

/// The same with instructions that compute, for vertices that want exact code too.
pub(crate) fn computing_loops(vertices: u32) -> Vec<u8> {
    let mut list =
        set_up("mov p, v0\nmov r0, v1\nfor i0\nmad r0, r0, r0, v0\nrcp r1, r0.x\n.end\nmov c, r1\nend");
    list.write(0x2b1, 255).draw_arrays(0, 0, vertices);
    list.finish()
}

fn quad(body: &str) -> ListBuilder {
    let mut list = set_up(body);
    list.draw_arrays(0, 0, 6);
    list
}

#[test]
fn instructions_of_an_invocation() {
    let limits = |n: u64| Limits::default().with_instructions(n as u32);
    edge("straight", || quad(STRAIGHT), 3, limits);
    edge("looping", || quad(LOOPS), 10, limits);
}

#[test]
fn instructions_of_a_run() {
    let limits = |n: u64| Limits::default().with_run_instructions(n);
    edge("straight", || quad(STRAIGHT), 6 * 3, limits);
    // The second draw is the one that cannot be paid for.
    let twice = || {
        let mut list = quad(STRAIGHT);
        list.draw_arrays(0, 0, 3);
        list
    };
    edge("two draws", twice, 9 * 3, limits);
    // Loops count with the rounds of their uniform, backward jumps as the whole budget of an invocation.
    let small = |n: u64| Limits::default().with_run_instructions(n).with_instructions(100);
    edge("looping", || quad(LOOPS), 6 * 10, small);
    edge("jumping", || quad(JUMPS), 6 * 100, small);
}

#[test]
fn vertices_triangles_and_pixels_of_a_draw() {
    edge("vertices", || quad(STRAIGHT), 6, |n| Limits::default().with_vertices(n as u32));
    edge("triangles", || quad(STRAIGHT), 2, |n| Limits::default().with_triangles(n as u32));
    // The triangle that goes beyond them is drawn, the next one is not: the second finds 256 pixels used.
    edge("pixels", || quad(STRAIGHT), 256, |n| Limits::default().with_pixels(n));
}

#[test]
fn vertices_and_pixels_of_a_run() {
    edge("vertices", || quad(STRAIGHT), 6, |n| Limits::default().with_run_vertices(n));
    edge("pixels", || quad(STRAIGHT), 512, |n| Limits::default().with_run_pixels(n));
}

#[test]
fn commands_and_jumps() {
    let bytes = quad(STRAIGHT).finish();
    let memory = BlockMemory::zeroed(&[(LIST, 0x2_0000)]);
    write_bytes(&memory, LIST, &bytes);
    let mut pica = Pica::new(Precision::Console);
    let list = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
    pica.run(&mut picaflor_pipeline::pica::stage::NoEngines, &memory, list).expect("a list that ends");
    let commands = pica.stats().commands;
    edge("commands", || quad(STRAIGHT), commands, |n| Limits::default().with_commands(n as u32));
    // A jump to the end of memory, where an interrupt is asked for.
    let jumps = || {
        let mut list = ListBuilder::new();
        list.write(0x245, 1).write(0x23a, (LIST + 0x1_0000) >> 3).write(0x238, 2).write(0x23c, 1);
        list
    };
    let limits = |n: u64| Limits::default().with_jumps(n as u32);
    for limit in [0, 1, 2] {
        let left = run(&mut jumps(), limits(limit), "interp");
        let ended = if limit == 0 { Err(RunError::Jumps { limit: 0 }) } else { Ok(Finished::EndOfList) };
        assert_eq!(left.finished, ended);
        assert!(run(&mut jumps(), limits(limit), "jit") == left);
    }
}

/// What the fill units and the transfer engine do, as offsets from 0x10400000 and words. The last one starts it.
fn engine_work() -> [(&'static str, Vec<(u32, u32)>); 5] {
    let copy = |to: u32, lines: u32| {
        vec![
            (0xc00, ARRAYS >> 3),
            (0xc04, to >> 3),
            (0xc20, 0x200),
            (0xc24, lines),
            (0xc28, lines),
            (0xc10, 8),
            (0xc18, 1),
        ]
    };
    let transfer = |to: u32| {
        let size = 16 << 16 | 32;
        vec![(0xc00, ARRAYS >> 3), (0xc04, to >> 3), (0xc08, size), (0xc0c, size), (0xc10, 0), (0xc18, 1)]
    };
    let fill = vec![(0x10, COLOUR >> 3), (0x14, (COLOUR + 0x400) >> 3), (0x18, 0x12_3456), (0x1c, 0x101)];
    [
        ("fill", fill),
        ("copy", copy(COLOUR, 1 << 16 | 1)),
        ("copy onto itself", copy(ARRAYS + 16, 0)),
        ("transfer", transfer(COLOUR)),
        ("transfer onto itself", transfer(ARRAYS + 64)),
    ]
}

/// What such work leaves behind within a limit, and its price.
fn start(words: &[(u32, u32)], work: u64, engine: &str) -> (Result<(), RunError>, Left, u64) {
    let memory = BlockMemory::zeroed(&[(COLOUR, 0x1000), (LIST, 0x2_0000)]);
    write_bytes(&memory, ARRAYS, &(1..=255).cycle().take(0x1000).collect::<Vec<u8>>());
    let mut engine = NamedEngine::by_name(engine).expect("an engine").expect("this host runs compiled code");
    let mut pica = Pica::new(Precision::Console).with_limits(Limits::default().with_work(work));
    let ends: Vec<_> = words
        .iter()
        .map(|&(offset, word)| pica.write_mmio(&mut engine, &memory, 0x1040_0000 + offset, word))
        .collect();
    let (faults, state, price) = (pica.faults().clone(), pica.save().words().to_vec(), pica.work());
    let memory = memory.blocks().iter().flat_map(|block| block.as_slice().to_vec()).collect();
    let left = Left { finished: Ok(Finished::Interrupt), faults, state, memory };
    (ends.last().copied().expect("a word"), left, price)
}

/// Fills, copies and transfers are done as a whole or not at all.
#[test]
fn work_of_the_engines_that_registers_start() {
    for (name, words) in engine_work() {
        let (end, whole, price) = start(&words, u64::MAX, "interp");
        assert!(end.is_ok() && whole.is_whole() && price > 0x200 / 4, "{name}: {end:?} {price}");
        let nothing = start(&words[..words.len() - 1], u64::MAX, "interp").1;
        for work in [0, price - 1, price, price + 1] {
            let (end, left, paid) = start(&words, work, "interp");
            let is_paid = work >= price;
            assert_eq!(end, if is_paid { Ok(()) } else { Err(RunError::Budget { limit: work }) }, "{name}");
            assert_eq!(paid, if is_paid { price } else { 0 }, "{name}");
            let expected = if is_paid { &whole } else { &nothing };
            assert!(left.memory == expected.memory && left.is_whole(), "{name} {work}");
            assert_eq!(left == whole, is_paid, "{name} {work}");
            assert!(start(&words, work, "jit") == (end, left, paid), "{name} {work}: compiled code differs");
        }
    }
}

/// A program whose procedures are called so often that 17,000 words are looked at to know how long it may run.
fn called_often() -> String {
    let (calls, nops) = ("call b\n".repeat(20), "nop\n".repeat(40));
    let main = format!("mov p, v0\nmov c, v1\nfor i0\nnop\nnop\n.end\n{}end", "call a\n".repeat(20));
    format!("{main}\n.end\n.proc a\n{calls}nop\n.end\n.proc b\n{nops}nop")
}

/// Draws that change something before each: integer uniform 0, or the entry of the program.
fn changing(draws: u32, vertices: u32, change: impl Fn(u32) -> (u16, u32)) -> ListBuilder {
    let mut list = set_up(&called_often());
    if vertices == 0 {
        // Vertices without an index list cannot say how many they are: none is shaded.
        list.write(0x229, 1 << 31 | 2).write(0x252, 1);
    }
    for n in 0..draws {
        let (register, value) = change(n);
        list.write(register, value).draw_arrays(0, 0, vertices.max(3));
    }
    list
}

const fn entry(n: u32) -> (u16, u32) {
    (0x2ba, 0x7fff_0000 | n)
}

/// Units of a list.
fn work(list: &mut ListBuilder, stages: &mut dyn Stages) -> u64 {
    let bytes = list.finish();
    let memory = BlockMemory::zeroed(&[(COLOUR, 0x1000), (LIST, 0x80_0000)]);
    // Behind the vertices.
    let at = LIST + 0x2_0000;
    write_bytes(&memory, at, &bytes);
    let mut pica = Pica::new(Precision::Console);
    let end = pica.run(stages, &memory, CommandList { address: at, size_bytes: bytes.len() as u32 });
    assert_eq!(end, Ok(Finished::Interrupt));
    pica.work()
}

/// Another entry is paid for by the words that are looked at; other integer uniforms are not looked at again.
#[test]
fn entries_of_programs() {
    let whole = |draws, change: fn(u32) -> (u16, u32)| work(&mut changing(draws, 3, change), &mut NoEngines);
    // What is new in a run is paid in the first six draws.
    let units = |change: fn(u32) -> (u16, u32)| whole(12, change) - whole(6, change);
    let [same, two] = [|_| entry(0), |n| entry(n & 1)].map(units);
    // Six changes; from entry 1 on there is one instruction less. Three vertices are paid as four.
    let fewer = 3 * 4 * 35;
    assert!(two + fewer > same + 6 * (5_000 + 50 * 16_000), "{two} {same}");
    // Three rounds or four; with so many branches an instruction costs 35.
    let ints = units(|n| (0x2b1, 2 + (n & 1)));
    let longer = 3 * 4 * 2 * 35;
    assert_eq!(ints, same + longer, "two words once more in three draws");
    let list = || changing(6, 3, |n| entry(n & 1));
    // Pixels are not in this figure.
    let two = whole(6, |n| entry(n & 1));
    for limit in [0, two / 4, two / 2, two - 1, u64::MAX] {
        let [interp, jit] =
            ["interp", "jit"].map(|engine| run(&mut list(), Limits::default().with_work(limit), engine));
        assert!(interp == jit && (limit > two || !interp.is_whole()), "{limit}: {:?}", interp.finished);
    }
}

/// Nanoseconds for each unit of draws that change the entry or an integer uniform, with vertices and without any.
#[test]
#[ignore = "measures"]
fn draws_with_other_entries_and_uniforms() {
    type Change = fn(u32) -> (u16, u32);
    let kinds: [(&str, Change); 3] =
        [("nothing", |_| entry(0)), ("integers", |n| (0x2b1, n & 0xff)), ("entries", |n| entry(n % 400))];
    for (name, change) in kinds {
        for vertices in [0, 3] {
            let mut list = changing(1000, vertices, change);
            let mut engine = Engine::builder().mode(EngineMode::Background).build().expect("compiled code");
            let began = Instant::now();
            let units = work(&mut list, &mut engine);
            let time = began.elapsed().as_nanos() as f64;
            println!("{name}, {vertices} vertices: {units} units, {:.2} ns each", time / units as f64);
        }
    }
}
