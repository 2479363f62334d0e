//! Frames go on whatever happens to compilations: while the only compile thread is held, and while mappings are
//! refused and compilers panic.

use crate::code::fault_injection::At;
use crate::pauses::tests::Ending;
use crate::pica::key::fragment::FragmentKey;
use crate::{Effort, Engine, EngineMode, Served, Stats};
use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::{BlockMemory, Memory, NoMemory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
use picaflor_pipeline::pica::float::{Precision, encode_f24, encode_f31};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::shader::asm::{self, SourceFile};
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms};
use picaflor_pipeline::pica::stage::{GeometryRun, ShaderStage, Stages};
use std::sync::atomic::Ordering;
use std::time::Duration;

const COLOUR: u32 = 0x1800_0000;
const DEPTH: u32 = COLOUR + SIDE * SIDE * 4;
const LISTS: u32 = DEPTH + SIDE * SIDE * 4;
const SIDE: u32 = 32;
const PROGRAM: &str = ".out outpos position
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

/// A frame of two draws in different states, whose vertices run a program.
fn frame(program: &str) -> Vec<u8> {
    let mut list = ListBuilder::new();
    let shbin = asm::assemble(&[SourceFile::new("test", program)], asm::Options::default()).unwrap();
    let executable = &shbin.executables[0];
    list.write_bytes(0x229, 0, 3).write_bytes(0x244, 0, 1).write(0x242, 1);
    list.program(Bank::Vertex, &shbin.program).executable(Bank::Vertex, executable, 2).output_map(executable);
    let side = SIDE as f32;
    let [scale, inverse] = [encode_f24(side / 2.0), encode_f31(2.0 / side)];
    let dim = SIDE | (SIDE - 1) << 12 | 1 << 24;
    list.burst(0x041, &[scale, inverse, scale, inverse]).write(0x040, 0).write(0x068, 0);
    list.burst(0x04d, &[encode_f24(-1.0), 0]).write(0x06d, 1);
    list.burst(0x112, &[15, 15, 3, 3]).write(0x116, 3).write(0x117, 2);
    list.burst(0x11c, &[DEPTH >> 3, COLOUR >> 3, dim]);
    // The first stage gives the vertex colour, the others what they get.
    list.burst(0x0c0, &[0, 0, 0, 0, 0]);
    for stage in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        list.burst(stage, &[0x000f_000f, 0, 0, 0, 0]);
    }
    list.write(0x100, 0x00e4_0000).write(0x102, 3).write(0x107, 0x1f61);
    list.immediate(0, vertices(0.9, [1.0, 0.5, 0.25, 1.0]).iter().map(<[_; 2]>::as_slice));
    list.write(0x107, 0x0f10).write(0x100, 0x00e4_0100).write(0x101, 0x0101_0000);
    list.immediate(0, vertices(0.5, [0.0, 0.125, 0.5, 0.5]).iter().map(<[_; 2]>::as_slice));
    list.write(0x111, 1).finish()
}

/// Position and colour of a triangle.
fn vertices(size: f32, colour: [f32; 4]) -> [[[f32; 4]; 2]; 3] {
    [[-size, -size], [size, -size], [0.0, size]].map(|[x, y]| [[x, y, -0.5, 1.0], colour])
}

/// Runs the frame; all memory after it.
fn run(engine: &mut dyn Stages) -> Vec<u8> {
    run_with(engine, PROGRAM)
}

fn run_with(engine: &mut dyn Stages, program: &str) -> Vec<u8> {
    let memory = BlockMemory::zeroed(&[(COLOUR, 0x1_0000)]);
    let list = frame(program);
    write_bytes(&memory, LISTS, &list);
    let mut pica = Pica::new(Precision::Console);
    pica.run(engine, &memory, CommandList { address: LISTS, size_bytes: list.len() as u32 }).unwrap();
    assert_eq!((pica.stats().draws, pica.faults().as_slice()), (2, &[][..]));
    memory.region(COLOUR, SIDE * SIDE * 8).unwrap().to_vec()
}

fn interpreted(stats: &Stats) -> [u64; 2] {
    [stats.interpreter_batches, stats.interpreted_tiles]
}

#[test]
fn frames_end_while_the_compile_thread_is_held() {
    let expected = run(&mut Interpreter::new());
    assert!(expected.iter().filter(|&&byte| byte != 0).count() > 500);
    let mut engine = Engine::builder().mode(EngineMode::Background).build().unwrap();
    let other = FragmentKey::of(&Registers::new()).unwrap();
    let held = engine.core.routines().hold(other);
    for frame in 1..=3 {
        assert!(run(&mut engine) == expected);
        let stats = engine.stats();
        assert_eq!(stats.compiles, 0, "nothing was compiled, so nobody waited for it");
        assert_eq!(interpreted(&stats), [2 * frame, 2 * frame]);
        assert!(engine.pica.shading.knows_steps(), "the program is not looked at for each batch");
    }
    drop(held);
    engine.wait_for_compiles();
    let before = engine.stats();
    // One vertex routine, two fragment routines.
    assert_eq!((before.compiles, before.refined), (6, 3), "both versions");
    assert!(run(&mut engine) == expected);
    assert_eq!(interpreted(&engine.stats()), interpreted(&before));
    assert!(engine.stats().longest_lookup > Duration::ZERO);
}

#[test]
fn frames_are_right_whatever_fails() {
    let expected = run(&mut Interpreter::new());
    for mode in [EngineMode::Blocking, EngineMode::Background] {
        for (at, every) in [At::Map, At::Publish, At::Compile].into_iter().flat_map(|at| [(at, 1), (at, 2)]) {
            let mut engine = Engine::builder().mode(mode).build().unwrap();
            engine.core.routines().faults().order(at, every);
            for _ in 0..3 {
                assert!(run(&mut engine) == expected, "{mode:?} {at:?} {every}");
                engine.wait_for_compiles();
            }
            let stats = engine.stats();
            assert_eq!(stats.panics_contained != 0, at == At::Compile, "{stats:?}");
            // Where all fail nothing is compiled; where half do, the others are.
            assert_eq!(stats.live_routines == 0, every == 1, "{stats:?}");
            assert!(!stats.refusals.is_empty(), "{stats:?}");
        }
    }
}

/// A program of more words than are compiled with care while a draw waits: it is made in a single pass. In the background all
/// routines are, and once more when nobody waits, with less code.
#[test]
fn long_programs_are_made_with_care_in_the_end() {
    let words = "add r0, r0, inpos\nmul r1, r0, r0\nmax r2, r1, r2\n".repeat(60);
    let program = PROGRAM.replace(".proc main\n", &format!(".proc main\n{words}"));
    let expected = run_with(&mut Interpreter::new(), &program);
    let bytes = [
        (EngineMode::Blocking, Effort::Adaptive, 0),
        (EngineMode::Background, Effort::Adaptive, 3),
        (EngineMode::Blocking, Effort::Careful, 0),
        (EngineMode::Background, Effort::Careful, 0),
    ]
    .map(|(mode, effort, refined)| {
        let mut engine = Engine::builder().mode(mode).effort(effort).build().unwrap();
        for _ in 0..2 {
            assert!(run_with(&mut engine, &program) == expected, "{mode:?} {effort:?}");
            engine.wait_for_compiles();
        }
        let stats = engine.stats();
        assert_eq!((stats.refined, stats.compiles), (refined, 3 + refined), "{mode:?} {effort:?}");
        stats.code_bytes
    });
    // Windows counts whole pages.
    let is_smaller = if cfg!(windows) { bytes[0] >= bytes[1] } else { bytes[0] > bytes[1] };
    assert!(is_smaller && bytes[1..] == [bytes[1]; 3], "{bytes:?}");
}

/// A run that the interpreter would need longer for than the code takes, for which the run would wait.
#[test]
fn the_wait_for_code_of_a_geometry_program_ends_with_the_list() {
    // Two loops of 256 passes, one inside the other.
    let mul = 0x08 << 26 | 0x10 << 21 | 1 << 7;
    let code = [0x29 << 26 | 3 << 10, 0x29 << 26 | 2 << 10, mul, mul, 0x8800_0000];
    let program = Program::from_words(UnitKind::Geometry, &code, &[0x0006_c36f]);
    let memory = Ending::after(0, NoMemory);
    let run = |stage: &mut dyn ShaderStage| {
        let (mut uniforms, mut unit) = (Uniforms::default(), ShaderUnit::default());
        uniforms.set_int(0, [255, 0, 0, 0]);
        let (mut emitted, mut faults) = (vec![], FaultList::new());
        let mut run = GeometryRun {
            program: &program,
            entry: 0,
            uniforms: &mut uniforms,
            unit: &mut unit,
            output_mask: 1,
            precision: Precision::Console,
            instruction_budget: 1 << 20,
            memory: &memory,
        };
        stage.run_geometry(&mut run, &mut emitted, &mut faults);
        (emitted, faults.as_slice().to_vec(), unit)
    };
    let expected = run(&mut Interpreter::new());
    assert_eq!(expected.1, []);
    // Another thread may be done before the first question.
    let waited = (0..20).any(|_| {
        let mut engine = Engine::builder().mode(EngineMode::Background).build().unwrap();
        let held = engine.core.routines().hold(FragmentKey::of(&Registers::new()).unwrap());
        let found = run(&mut engine);
        assert!(found == expected);
        let was_asked = memory.1.swap(0, Ordering::Relaxed) != 0;
        assert!(!was_asked || engine.last_run().served == Served::Interpreter(None), "code after the end");
        drop(held);
        was_asked
    });
    assert!(waited);
}
