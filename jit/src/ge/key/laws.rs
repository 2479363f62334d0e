//! Laws of the GE's keys on random states.

use super::texture::{TextureKey, textured};
use super::{PixelKey, TransformKey};
use crate::code::targets;
use crate::error::CompileError;
use crate::ge;
use crate::key::bytes::{Stored, laws::Seen};
use crate::key::text::NotAKey;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::texture::LodMode;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::switches::{self, Switches};
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::FlatMemory;
use std::fmt::{Debug, Display};
use std::str::FromStr;

/// States of a law.
const STATES: usize = 40_000;

/// Random numbers, from a seed.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.word() % bound
    }
}

fn set(registers: &mut Registers, command: u8, argument: u32) {
    registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
}

/// Every register, most of them with few bits: whatever a guest may write.
fn registers(random: &mut Random) -> Registers {
    let mut registers = Registers::default();
    for command in 0..=255 {
        let word = random.word();
        let argument = match random.below(4) {
            0 => 0,
            1 => word & 1,
            2 => word & 0x07_0707,
            _ => word,
        };
        set(&mut registers, command, argument);
    }
    if random.below(8) != 0 {
        set(&mut registers, op::CLEAR, 0);
    }
    registers
}

/// A pixel state, all of it.
struct Pixels {
    registers: Registers,
    maps: AddressMaps,
    is_immediate: bool,
    shape: Shape,
}

impl Pixels {
    fn random(random: &mut Random) -> Self {
        let maps = [AddressMaps::Flat, AddressMaps::Off, AddressMaps::Shift(0), AddressMaps::Shift(3)];
        let shapes = [Shape::Triangle, Shape::Rectangle];
        Self {
            registers: registers(random),
            maps: maps[random.below(4) as usize],
            is_immediate: random.below(4) == 0,
            shape: shapes[random.below(2) as usize],
        }
    }

    fn key(&self) -> Result<PixelKey, CompileError> {
        self.with_state(|state| PixelKey::of(state, self.shape))
    }

    fn switches(&self) -> Switches {
        self.with_state(|state| switches::of_pixels(state, self.shape))
    }

    fn with_state<T>(&self, of: impl FnOnce(&PixelState<'_>) -> T) -> T {
        let (clut, memory) = (Clut::default(), FlatMemory::default());
        let (registers, maps) = (&self.registers, self.maps);
        of(&PixelState { registers, clut: &clut, memory: &memory, maps, is_immediate: self.is_immediate })
    }
}

/// Every law of the text and the bytes of keys, of many keys and of what differs from them in one place.
fn texts_and_bytes<K>(keys: impl Iterator<Item = K>, least: usize)
where
    K: Copy + Eq + Debug + Display + Stored + FromStr<Err = NotAKey>,
{
    let mut seen = Seen::default();
    for (n, key) in keys.enumerate() {
        seen.check(key);
        if n % 50 == 0 {
            let neighbours = key.neighbours();
            assert!(neighbours.len() > 20 && !neighbours.contains(&key), "{key}");
            neighbours.into_iter().for_each(|neighbour| seen.check(neighbour));
        }
    }
    assert!(seen.count() > least, "only {} keys", seen.count());
}

#[test]
fn texts_and_bytes_of_pixels() {
    let mut random = Random(0x1357_9bdf_2468_ace1);
    texts_and_bytes((0..STATES).filter_map(|_| Pixels::random(&mut random).key().ok()), STATES / 2);
}

#[test]
fn texts_and_bytes_of_transforms() {
    let mut random = Random(0x2468_ace0_1357_9bdf);
    let keys = (0..STATES).filter_map(|_| TransformKey::of(&registers(&mut random)).ok());
    texts_and_bytes(keys, STATES / 4);
}

#[test]
fn texts_and_bytes_of_textures() {
    let mut random = Random(0x9bdf_1357_ace1_2468);
    let mut seen = Seen::default();
    for _ in 0..STATES / 4 {
        let key = TextureKey::of(&registers(&mut random), random.below(2) == 0);
        seen.check(key);
        key.neighbours().into_iter().for_each(|neighbour| seen.check(neighbour));
    }
    assert!(seen.count() > 1_000, "only {} keys", seen.count());
}

/// There is a state for each key.
#[test]
fn keys_lead_to_states() {
    let mut random = Random(0xace1_2468_9bdf_1357);
    for _ in 0..STATES {
        let state = Pixels::random(&mut random);
        if let Ok(key) = state.key() {
            let (registers, maps, shape) = key.to_registers();
            let back = Pixels { registers, maps, is_immediate: false, shape };
            assert_eq!(back.key(), Ok(key), "{key}");
        }
        let key = TextureKey::of(&state.registers, state.is_immediate);
        let mut registers = Registers::default();
        key.to_registers(&mut registers);
        assert_eq!(textured(&registers, false), Some(key), "{key}");
        if let Ok(key) = TransformKey::of(&state.registers) {
            assert_eq!(TransformKey::of(&key.to_registers()), Ok(key), "{key}");
        }
    }
}

#[test]
fn texts_that_are_no_keys() {
    let tri = "ge/tri/Rgba8888/rgb";
    assert!(tri.parse::<PixelKey>().is_ok());
    let others = [
        "",
        "ge/tri",
        "ge/tri/Rgba8888/rgb ",
        "ge/tri/Rgba8888/rgb/",
        "ge/tri/Rgba8888/rgb/smooth",
        "ge/tri/Rgba8888/rgb/alpha=Always",
        "ge/tri/Rgba8888/rgb/logic=Copy",
        "ge/tri/rgba8888/rgb",
        "ge/tri/Rgba8888/rgb/depth=Less@Shift(4)",
        "ge-vertex/000180/tex=Off",
    ];
    assert!(others.iter().all(|text| text.parse::<PixelKey>() == Err(NotAKey)));
    assert!("ge-vertex/00018A/tex=Off".parse::<TransformKey>().is_err());
    assert!("ge-vertex/00180/tex=Off".parse::<TransformKey>().is_err());
}

/// What code loads instead of being made for it.
const PIXEL_DATA: [(u8, u32); 24] = [
    (op::FBP, 0xff_ffff),
    (op::FBW, 0xff_ffff),
    (op::ZBP, 0xff_ffff),
    (op::ZBW, 0xff_ffff),
    (op::TBP0, 0xff_ffff),
    (op::TBW0 + 3, 0xff_ffff),
    (op::TSIZE0, 0xff_ffff),
    (op::TPSM, 0xff_ffff),
    (op::CMODE, 0xff_ffff),
    // Not the number of the last level, and not the mode of the level of detail.
    (op::TMODE, 0x00_ffff),
    // Not where it is the level of detail.
    (op::TBIAS, 0xff_0000),
    (op::TSLOPE, 0xff_ffff),
    (op::TEC, 0xff_ffff),
    (op::FCOL, 0xff_ffff),
    (op::CREF, 0xff_ffff),
    (op::CMSK, 0xff_ffff),
    // Not the comparisons.
    (op::ATST, 0xff_ff00),
    (op::STST, 0xff_ff00),
    (op::SFIX, 0xff_ffff),
    (op::DFIX, 0xff_ffff),
    (op::SCISSOR1, 0xff_ffff),
    (op::SCISSOR2, 0xff_ffff),
    (op::REGION2, 0xff_ffff),
    (op::AAE, 0xff_ffff),
];

#[test]
fn pixel_keys_do_not_hold_data() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for _ in 0..STATES / 8 {
        let mut state = Pixels::random(&mut random);
        // A reference that some alpha is below and some above, without which there is no test.
        let tested = |word: u32| word & !0x200 | 0x3_0100;
        let test = tested(state.registers.arg(op::ATST));
        set(&mut state.registers, op::ATST, test);
        let key = state.key();
        let is_constant = state.registers.texture_bias().mode() == LodMode::Constant;
        for (command, bits) in
            PIXEL_DATA.into_iter().filter(|&(command, _)| command != op::TBIAS || !is_constant)
        {
            let changed = (state.registers.arg(command) & !bits) | (random.word() & bits);
            set(&mut state.registers, command, if command == op::ATST { tested(changed) } else { changed });
        }
        // The vertex path is another key's, but for lights with a specular part.
        let lights =
            (op::LT0..op::FFACE).map(|command| (command, if command < op::LT0 + 4 { !3 } else { !0 }));
        for (command, bits) in lights {
            let changed = (state.registers.arg(command) & !bits) | (random.word() & bits);
            set(&mut state.registers, command, changed);
        }
        assert_eq!(state.key(), key);
    }
}

#[test]
fn transform_keys_do_not_hold_data() {
    let mut random = Random(0xfedc_ba98_7654_3210);
    for _ in 0..STATES / 8 {
        let mut state = registers(&mut random);
        let key = TransformKey::of(&state);
        let data = [op::MW0..=op::MW0 + 7, op::XSCALE..=op::OFFSETY, op::EMC..=op::AMA];
        let colours =
            [op::ALC..=op::ALA, op::LXP0..=op::LXD0 - 1, op::LCA0..=op::LSE0 - 1, op::ALC0..=op::FFACE];
        for command in data.into_iter().chain(colours).flatten().chain([op::FDIST, op::TSHADE]) {
            set(&mut state, command, random.word());
        }
        // The pixel path is another key's, but for the switches that both have.
        (op::FBP..=op::TSIZE0 + 7).for_each(|command| set(&mut state, command, random.word()));
        (op::PSM..=op::PMSKA).for_each(|command| set(&mut state, command, random.word()));
        assert_eq!(TransformKey::of(&state), key);
    }
}

/// States that differ in what can never happen have one key.
#[test]
fn what_never_happens_is_left_out() {
    let key = |words: &[(u8, u32)]| {
        let mut state = Pixels {
            registers: Registers::default(),
            maps: AddressMaps::Flat,
            is_immediate: false,
            shape: Shape::Triangle,
        };
        set(&mut state.registers, op::PSM, 3);
        words.iter().for_each(|&(command, argument)| set(&mut state.registers, command, argument));
        state.key().expect("triangles")
    };
    let (keep, zero) = (0, 1);
    let ops = |fail: u32, depth_fail: u32, pass: u32| (op::SOP, fail | depth_fail << 8 | pass << 16);
    let (stencil, equal, always) = ((op::STE, 1), (op::STST, 2), (op::STST, 1));
    let (depth, less, anything) = ((op::ZTE, 1), (op::ZTST, 4), (op::ZTST, 1));
    // Without a depth test, or with one that always passes, none fails.
    let kept = key(&[stencil, equal]);
    assert_eq!(key(&[stencil, equal, ops(keep, zero, keep)]), kept);
    assert!(!kept.written.alpha && !kept.stencil.expect("it is tested").writes());
    let passed = [stencil, equal, depth, anything];
    assert_eq!(key(&[&passed[..], &[ops(keep, zero, keep)]].concat()), key(&passed));
    assert_ne!(
        key(&[stencil, equal, depth, less, ops(keep, zero, keep)]),
        key(&[stencil, equal, depth, less])
    );
    // A test that always passes does not fail, and then there is nothing to do.
    assert_eq!(key(&[stencil, always, ops(zero, keep, keep)]), key(&[]));
    assert_ne!(key(&[stencil, always, ops(keep, keep, zero)]), key(&[]));
    // One that never passes does nothing else.
    let never = [stencil, (op::STST, 0)];
    assert_eq!(
        key(&[&never[..], &[ops(zero, zero, zero)]].concat()),
        key(&[&never[..], &[ops(zero, keep, keep)]].concat())
    );
}

/// Every lowering of the GE compiles for every target; only those of this host run here.
#[test]
fn random_states_compile_for_every_target() {
    let mut random = Random(0x1122_3344_5566_7788);
    let targets = targets::all();
    let pixels: Vec<PixelKey> = (0..200).filter_map(|_| Pixels::random(&mut random).key().ok()).collect();
    let transforms: Vec<TransformKey> =
        (0..200).filter_map(|_| TransformKey::of(&registers(&mut random)).ok()).collect();
    assert!(pixels.len() > 100 && transforms.len() > 50, "{} and {}", pixels.len(), transforms.len());
    for (target, isa) in &targets {
        for key in &pixels {
            let code = targets::compile_only(&**isa, |func, context, isa| {
                ge::pixel::build(key, func, context, isa);
                Ok(())
            });
            assert!(code.is_ok(), "{key} for {target}: {}", code.unwrap_err());
        }
        for key in &transforms {
            let code = targets::compile_only(&**isa, |func, context, isa| {
                ge::vertex::build(key, func, context, isa);
                Ok(())
            });
            assert!(code.is_ok(), "{key} for {target}: {}", code.unwrap_err());
        }
    }
}

/// States with the same switches have one code: a run pays for switches.
#[test]
fn keys_depend_on_switches_alone() {
    let mut random = Random(0xfedc_ba98_7654_3210);
    let (mut pixels, mut vertices) = (0, 0);
    for _ in 0..STATES {
        let mut state = Pixels::random(&mut random);
        // Kinds of vertices that are known are rare among random ones.
        set(&mut state.registers, op::VTYPE, random.word() & 0x9f_ffff);
        let before = (state.switches(), state.key(), switches::of_vertices(&state.registers));
        let transform = TransformKey::of(&state.registers);
        for _ in 0..8 {
            let command = random.below(256) as u8;
            let bits = random.word() & random.word();
            let changed = state.registers.arg(command) ^ bits;
            let kept = state.registers.clone();
            set(&mut state.registers, command, changed);
            if state.switches() == before.0
                && let (Ok(now), Ok(key)) = (state.key(), &before.1)
            {
                assert_eq!(now, *key, "command {command:#x}: bits {bits:#x}");
                pixels += 1;
            }
            if switches::of_vertices(&state.registers) == before.2
                && let (Ok(now), Ok(key)) = (TransformKey::of(&state.registers), &transform)
            {
                assert_eq!(now, *key, "command {command:#x}: bits {bits:#x}");
                vertices += 1;
            }
            state.registers = kept;
        }
    }
    assert!(pixels.min(vertices) > 2 * STATES, "{pixels} states of pixels, {vertices} of vertices");
}
