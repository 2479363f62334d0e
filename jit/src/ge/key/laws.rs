//! Laws of the GE's keys on random states.

use super::{PixelKey, TransformKey};
use crate::code::targets;
use crate::error::CompileError;
use crate::ge;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::FlatMemory;
use std::collections::HashMap;
use std::fmt::{Debug, Display};

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
        let (clut, memory) = (Clut::default(), FlatMemory::default());
        let (registers, maps) = (&self.registers, self.maps);
        let state =
            PixelState { registers, clut: &clut, memory: &memory, maps, is_immediate: self.is_immediate };
        PixelKey::of(&state, self.shape)
    }
}

/// The name of a routine is its key on disk.
fn names_are_different<K: Copy + Eq + Debug + Display>(keys: impl Iterator<Item = K>, least: usize) {
    let mut names: HashMap<String, K> = HashMap::new();
    for key in keys {
        let other = *names.entry(key.to_string()).or_insert(key);
        assert_eq!(other, key, "{key}");
    }
    assert!(names.len() > least, "only {} keys", names.len());
}

#[test]
fn pixel_names_are_different() {
    let mut random = Random(0x1357_9bdf_2468_ace1);
    names_are_different((0..STATES).filter_map(|_| Pixels::random(&mut random).key().ok()), STATES / 2);
}

#[test]
fn transform_names_are_different() {
    let mut random = Random(0x2468_ace0_1357_9bdf);
    let keys = (0..STATES).filter_map(|_| TransformKey::of(&registers(&mut random)).ok());
    names_are_different(keys, STATES / 4);
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
        let key = state.key();
        for (command, bits) in PIXEL_DATA {
            let changed = (state.registers.arg(command) & !bits) | (random.word() & bits);
            set(&mut state.registers, command, changed);
        }
        // The vertex path is another key's.
        (op::LT0..op::FFACE).for_each(|command| set(&mut state.registers, command, random.word()));
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
    assert!(!kept.written.alpha && !kept.stencil.expect("it is tested").writes);
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
