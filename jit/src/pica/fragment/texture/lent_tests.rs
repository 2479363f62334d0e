//! Draws that the engine leaves to the interpreter, with images of the host: each level is shown once, and the picture is that
//! of the interpreter alone.

use super::tests::{Random, SIDE, TARGET, TEXTURES, words};
use crate::fallback::testing::Host;
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, Memory as _, write_bytes};
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState, TileBatch};
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::rect::Rect;

/// Levels of the texture of unit 1.
const LEVELS: u32 = 6;
const DRAWS: u32 = 40;

/// Bytes that are not zero, in the target and from [`TEXTURES`] on.
fn host() -> Host {
    let memory = BlockMemory::zeroed(&[(TARGET, 0x2000), (TEXTURES, 0x8_0000)]);
    let bytes: Vec<u8> = (0..0x8_0000_u32).map(|n| ((n * 7) ^ (n >> 9)) as u8).collect();
    write_bytes(&memory, TARGET, &bytes[..0x2000]);
    write_bytes(&memory, TEXTURES, &bytes);
    Host::new(memory, Some(1))
}

/// Unit 1 has a texture of 256x256 with all of its levels; more words come after.
fn registers(more: &[(u16, u32)]) -> Registers {
    let mut registers = Registers::new();
    let texture = [
        (0x080, 2),
        (0x092, 256 << 16 | 256),
        (0x093, 0x0100_2206),
        (0x094, 8 << 16),
        (0x095, TEXTURES >> 3),
        (0x096, 0),
    ];
    words(1).iter().chain(&texture).chain(more).for_each(|&(id, word)| registers.set_raw(id, word));
    registers
}

/// Draws one triangle after the other, each by a routine of its own. Returns the picture.
fn draw(stage: &mut dyn FragmentStage, host: &Host, registers: &Registers, draws: u32) -> Vec<u8> {
    let state = FragmentState { registers, luts: &Luts::default(), memory: host };
    let target = &Target::new(registers, host);
    let tile = Rect { x0: 0, y0: 0, x1: SIDE as i32, y1: SIDE as i32 };
    let mut random = Random(u64::from(draws));
    for _ in 0..draws {
        let routine = stage.fragment_routine(&state);
        let triangles = [random.triangle()];
        routine.run(&TileBatch { state, triangles: &triangles[..].into(), order: &[0], tile, target });
    }
    host.region(TARGET, 0x2000).unwrap().to_vec()
}

/// Draws on the engine, in a list and without one. Returns the refusals.
fn check(engine: &mut Engine, registers: &Registers) -> Vec<u64> {
    let [mut ours, oracle] = [host(), host()];
    let mut same = |ours: &Host, draws: u32, shown: u32, what: &str| {
        let expected = draw(&mut Interpreter::new(), &oracle, registers, draws);
        assert_eq!(oracle.shown(), draws * LEVELS, "{what}: the interpreter alone");
        assert!(draw(engine, ours, registers, draws) == expected, "{what}");
        assert_eq!(ours.shown(), shown, "{what}");
    };
    same(&ours, DRAWS, LEVELS, "the first draws");
    same(&ours, DRAWS, 0, "the same state");
    [&ours, &oracle].iter().for_each(|host| write_bytes(*host, TEXTURES + 0x1234, &[0x99]));
    same(&ours, 3, LEVELS, "other bytes");
    ours.images = Some(2);
    same(&ours, 3, LEVELS, "other images");
    FragmentStage::list_begins(engine);
    let _ = draw(engine, &ours, registers, DRAWS);
    FragmentStage::list_ends(engine);
    assert_eq!(ours.shown(), 0);
    let stats = engine.stats();
    assert_eq!(stats.interpreted_tiles, u64::from(3 * DRAWS + 6), "{stats:?}");
    stats.refusals.values().copied().collect()
}

/// A texture that is the target, which compiled code refuses, is sampled as it is; the one beside it is not decoded for each
/// draw.
#[test]
fn feedback_beside_a_shown_texture() {
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().unwrap();
    // The sum of units 0 and 1.
    let feedback = [(0x080, 3), (0x082, 16 << 16 | 16), (0x083, 0x2200), (0x085, TARGET >> 3), (0x08e, 0)];
    let sum = [(0x0c0, 0x0043_0043), (0x0c2, 0x0002_0002)];
    let refusals = check(&mut engine, &registers(&[&feedback[..], &sum].concat()));
    assert_eq!(refusals, [u64::from(3 * DRAWS + 6)]);
}

/// Compiled code leaves tiles to the interpreter where both buffers share memory.
#[test]
fn buffers_that_overlap() {
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().unwrap();
    let depth = [(0x107, 0x1f11), (0x11c, (TARGET + 0x200) >> 3)];
    assert!(check(&mut engine, &registers(&depth)).is_empty());
}

/// Draws whose code is not there yet.
#[test]
fn states_without_code() {
    let mut engine = Engine::builder().mode(EngineMode::InterpreterOnly).build().unwrap();
    assert!(check(&mut engine, &registers(&[])).is_empty());
}

/// An engine that may not interpret shows nothing for draws that it refuses.
#[test]
fn nothing_is_shown_for_draws_that_are_left_out() {
    let mut engine = Engine::builder().mode(EngineMode::InterpreterOnly).fallback(false).build().unwrap();
    let host = host();
    draw(&mut engine, &host, &registers(&[]), 3);
    assert_eq!(host.shown(), 0);
}
