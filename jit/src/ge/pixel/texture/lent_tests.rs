//! Draws that the engine leaves to the interpreter, with images of the host: each level is shown once, and the picture is that
//! of the interpreter alone.

use crate::fallback::testing::Host;
use crate::ge::pixel::side_by_side::{Random, SIDE};
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, Memory as _, write_bytes};
use picaflor_pipeline::rect::Rect;

const DRAWS: u32 = 40;
/// Offset of the colour buffer.
const COLOUR: u32 = 0x4000;
/// Bytes of VRAM that are used.
const BYTES: u32 = 0x4_0000;

fn host() -> Host {
    let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]);
    let bytes: Vec<u8> = (0..BYTES).map(|n| ((n * 7) ^ (n >> 9)) as u8).collect();
    write_bytes(&memory, VRAM, &bytes);
    Host::new(memory, Some(1))
}

/// A texture of 64x64 texels of 32 bits, in through mode, whose smaller levels of 32x32 and 16x16 are used if it has filters
/// that mix levels; more commands come after.
fn registers(more: &[(u8, u32)]) -> Registers {
    let mut registers = Registers::default();
    let commands = [
        (op::VTYPE, 1 << 23),
        (op::FBP, COLOUR),
        (op::FBW, 64),
        (op::ZBP, 0x1_0000),
        (op::ZBW, 64),
        (op::PSM, 3),
        (op::SCISSOR2, 0x3f | 0x3f << 10),
        (op::REGION2, 0xf_ffff),
        (op::FARZ, 0xffff),
        (op::TME, 1),
        (op::TBP0, 0x2_0000),
        (op::TBW0, 4 << 16 | 64),
        (op::TSIZE0, 6 | 6 << 8),
        (op::TBP0 + 1, 0x2_8000),
        (op::TBW0 + 1, 4 << 16 | 64),
        (op::TSIZE0 + 1, 5 | 5 << 8),
        (op::TBP0 + 2, 0x3_0000),
        (op::TBW0 + 2, 4 << 16 | 64),
        (op::TSIZE0 + 2, 4 | 4 << 8),
        (op::TMODE, 2 << 16),
        (op::TPSM, 3),
        (op::TFUNC, 1 << 8 | 3),
    ];
    commands
        .iter()
        .chain(more)
        .for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    registers
}

fn rectangle(random: &mut Random) -> Primitive {
    let mut corner = || Corner {
        texture: [random.below(4 * 80) as f64 / 4.0 - 8.0, random.below(4 * 80) as f64 / 4.0 - 8.0, 1.0],
        w: 1.0,
        x: random.below(16 * 70) as i32,
        y: random.below(16 * 70) as i32,
        z: 77,
        colour: 0x80c0_a0ff,
        secondary: 0,
        fog: 255,
    };
    let [a, b] = [corner(), corner()];
    Primitive { corners: [a, b, b], shape: Shape::Rectangle, reserved: 0 }
}

/// Draws one rectangle after the other, each by a routine of its own. Returns the bytes of VRAM.
fn draw(stage: &mut dyn PixelStage, host: &Host, registers: &Registers, draws: u32) -> Vec<u8> {
    let mut clut = Clut::default();
    *clut.change() = std::array::from_fn(|n| (n * 7) as u8);
    let maps = AddressMaps::default();
    let state = PixelState { registers, clut: &clut, memory: host, maps, is_immediate: false };
    let target = &Target::new(registers, maps, host).expect("VRAM is there");
    let tile = Rect { x0: 0, x1: SIDE, y1: SIDE, ..registers.drawing_area() };
    let mut random = Random(draws.into());
    for _ in 0..draws {
        let primitives = [rectangle(&mut random)];
        let routine = stage.pixel_routine(&state, &primitives);
        routine.run(&TileBatch { state, primitives: &primitives, order: &[0], tile, target });
    }
    host.region(VRAM, BYTES).expect("VRAM is there").to_vec()
}

/// Draws on the engine, and in a list. Returns the refusals.
fn check(engine: &mut Engine, registers: &Registers, levels: u32) -> Vec<u64> {
    let [mut ours, oracle] = [host(), host()];
    let mut same = |ours: &Host, draws: u32, shown: u32, what: &str| {
        let expected = draw(&mut Interpreter::new(), &oracle, registers, draws);
        assert_eq!(oracle.shown(), draws * levels, "{what}: the interpreter alone");
        assert!(draw(engine, ours, registers, draws) == expected, "{what}");
        assert_eq!(ours.shown(), shown, "{what}");
    };
    same(&ours, DRAWS, levels, "the first draws");
    same(&ours, DRAWS, 0, "the same state");
    [&ours, &oracle].iter().for_each(|host| write_bytes(*host, VRAM + 0x2_0123, &[0x99]));
    same(&ours, 3, 1, "other bytes of level 0");
    ours.images = Some(2);
    same(&ours, 3, levels, "other images");
    PixelStage::list_begins(engine);
    let _ = draw(engine, &ours, registers, DRAWS);
    PixelStage::list_ends(engine);
    assert_eq!(ours.shown(), 0);
    let stats = engine.stats();
    assert_eq!(stats.interpreted_tiles, u64::from(3 * DRAWS + 6), "{stats:?}");
    stats.refusals.values().copied().collect()
}

/// A level that is the target, which compiled code refuses, is sampled as it is; those beside it are not decoded for each draw.
#[test]
fn feedback_beside_shown_levels() {
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("an engine");
    // Halfway from level 0 to level 1.
    let feedback = [(op::TBP0 + 1, COLOUR), (op::TFLT, 0x107), (op::TBIAS, 1 | 8 << 16)];
    let refusals = check(&mut engine, &registers(&feedback), 2);
    assert_eq!(refusals, [u64::from(3 * DRAWS + 6)]);
}

/// Compiled code leaves rows to the interpreter where both buffers share memory.
#[test]
fn buffers_that_overlap() {
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("an engine");
    let depth = [(op::ZBP, COLOUR + 0x1000), (op::ZTE, 1), (op::ZTST, 1)];
    assert!(check(&mut engine, &registers(&depth), 1).is_empty());
}

/// Draws whose code is not there yet.
#[test]
fn states_without_code() {
    let mut engine = Engine::builder().mode(EngineMode::InterpreterOnly).build().expect("an engine");
    assert!(check(&mut engine, &registers(&[(op::TFLT, 0x107), (op::TBIAS, 1 | 8 << 16)]), 3).is_empty());
}

/// An engine that may not interpret shows nothing for draws that it refuses.
#[test]
fn nothing_is_shown_for_draws_that_are_left_out() {
    let builder = Engine::builder().mode(EngineMode::InterpreterOnly).fallback(false);
    let host = host();
    draw(&mut builder.build().expect("an engine"), &host, &registers(&[]), 3);
    assert_eq!(host.shown(), 0);
}

/// A texture in the rows of the buffer above the scissor is shown, though the range of the buffer has it: compiled code samples
/// the host's image.
#[test]
fn shown_level_above_the_scissor() {
    let builder = Engine::builder().mode(EngineMode::Blocking).fallback(false);
    let above = [(op::TBP0, COLOUR), (op::TSIZE0, 6 | 5 << 8), (op::SCISSOR1, 32 << 10)];
    let (registers, ours, oracle) = (registers(&above), host(), host());
    let expected = draw(&mut Interpreter::new(), &oracle, &registers, DRAWS);
    assert!(draw(&mut builder.build().expect("an engine"), &ours, &registers, DRAWS) == expected);
    assert_eq!((oracle.shown(), ours.shown()), (DRAWS, 1));
}

/// Formats, filters, levels, palettes, rows and scissor at random; texture and target apart, or not.
#[test]
fn random_states() {
    let mut random = Random(5);
    let modes = [EngineMode::InterpreterOnly, EngineMode::Blocking];
    let mut engines = modes.map(|mode| Engine::builder().mode(mode).build().expect("an engine"));
    let (mut shown, mut changed) = (0, 0);
    for case in 0..400 {
        let mut pick = |n: u64| random.below(n) as u32;
        let at = [0x2_0000, COLOUR + 0x200 * pick(64), 0x3_0000];
        let more = [
            (op::PSM, pick(4)),
            (op::TPSM, pick(12)),
            (op::TMODE, pick(3) << 16 | pick(2) << 8 | pick(2)),
            (op::TBW0, 4 << 16 | [64, 64, 16, 4, 0][pick(5) as usize]),
            (op::TBP0, at[pick(3) as usize]),
            (op::TBP0 + 1, at[pick(3) as usize]),
            (op::TSIZE0, pick(8) | pick(8) << 8),
            (op::CMODE, 3 | pick(32) << 2 | 0xff << 8 | pick(4) << 16),
            (op::TFLT, pick(8) | pick(2) << 8),
            (op::TBIAS, pick(3) | pick(256) << 16),
            (op::TWRAP, pick(2) | pick(2) << 8),
            (op::SCISSOR1, (pick(2) * 32) << 10),
        ];
        let registers = registers(&more);
        let oracle = host();
        let expected = draw(&mut Interpreter::new(), &oracle, &registers, 3);
        let mut plain = host();
        plain.images = None;
        changed += u32::from(draw(&mut Interpreter::new(), &plain, &registers, 3) != expected);
        shown += oracle.shown();
        for (engine, mode) in engines.iter_mut().zip(modes) {
            assert!(draw(engine, &host(), &registers, 3) == expected, "case {case}, {mode:?}: {more:x?}");
        }
    }
    assert!(shown > 1000 && changed > 100, "{shown} {changed}");
}
