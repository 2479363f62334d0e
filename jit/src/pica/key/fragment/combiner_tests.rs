//! Which states have the same key.

use super::*;
use picaflor_pipeline::pica::regs::Registers;

const BASES: [u16; 6] = [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8];
const ALL: Needs = Needs { rgb: true, alpha: true };

/// Stages from (sources, operands, operations, scales); the others pass on what comes.
fn registers(stages: &[(usize, [u32; 4])]) -> Registers {
    let mut registers = Registers::new();
    registers.set_raw(0x080, 7);
    BASES[1..].iter().for_each(|&base| registers.set_raw(base, 0x000f_000f));
    for &(k, [sources, operands, operations, scales]) in stages {
        for (offset, word) in [(0, sources), (1, operands), (2, operations), (4, scales)] {
            registers.set_raw(BASES[k] + offset, word);
        }
    }
    registers
}

fn key(stages: &[(usize, [u32; 4])]) -> String {
    CombinerKey::of(&registers(stages), ALL).to_string()
}

#[test]
fn passing_on_is_no_stage() {
    assert_eq!(key(&[]), ".v");
    // Texture 1, RGB in stage 2 and alpha in stage 4.
    assert_eq!(key(&[(2, [0x000f_0004, 0, 0, 0]), (4, [0x0004_000f, 0, 0, 0])]), ".t1");
    assert_eq!(key(&[(3, [0x0000_0003, 0, 0, 0])]), ".t0,.v");
}

#[test]
fn a_stage_may_stand_anywhere() {
    let modulate = [0x0030_0030, 0, 0x0001_0001, 0];
    assert_eq!(key(&[(0, modulate)]), "mul.v.t0/.s0");
    for k in 1..6 {
        // Vertex colour or what comes times texture 0, in either order.
        for sources in [0x0030_0030, 0x0003_0003, 0x003f_003f, 0x00f3_00f3] {
            assert_eq!(key(&[(k, [sources, 0, 0x0001_0001, 0])]), "mul.v.t0/.s0", "{k} {sources:x}");
        }
    }
}

#[test]
fn nothing_unused_is_left() {
    // Replace with other sources in the second and third place, their operands and the unused scale 3.
    assert_eq!(key(&[(1, [0x0ccf_0c4f, 0x0033_0550, 0, 0x0003_0003])]), ".v");
    // A stage that the last one does not look at.
    assert_eq!(key(&[(1, [0x0033_0033, 0, 0x0001_0001, 0]), (5, [0x0004_0004, 0, 0, 0])]), ".t1");
    let needs = Needs { rgb: false, alpha: true };
    let modulated = registers(&[(0, [0x0030_0030, 0, 0x0001_0001, 0])]);
    assert_eq!(CombinerKey::of(&modulated, needs).to_string(), "-,mul.v.t0/-,.s0");
    assert_eq!(CombinerKey::of(&modulated, Needs::default()).to_string(), "-");
}

#[test]
fn the_buffer_is_followed_back() {
    // Stage 0 makes and stores a product, stage 1 replaces by texture 1, stage 2 adds the buffer.
    let stages = [
        (0, [0x0030_0030, 0, 0x0001_0001, 0]),
        (1, [0x0004_0004, 0, 0, 0]),
        (2, [0x00df_00df, 0, 0x0002_0002, 0]),
    ];
    let mut registers = registers(&stages);
    assert_eq!(CombinerKey::of(&registers, ALL).to_string(), "add.t1.k/.s0", "the buffer's colour");
    registers.set_raw(0x0e0, 0x0100);
    assert_eq!(CombinerKey::of(&registers, ALL).to_string(), "mul.v.t0,-/add.t1.s0,add.t1.k/.s1");
    registers.set_raw(0x0e0, 0x1100);
    assert_eq!(CombinerKey::of(&registers, ALL).to_string(), "mul.v.t0/add.t1.s0/.s1");
}

#[test]
fn the_first_stage_has_nothing_before_it() {
    // Previous in the first two places is the third source, with the operands of the places.
    assert_eq!(key(&[(0, [0x03ff_03ff, 0x0001_0010, 0x0005_0005, 0])]), "sub.t0.~t0/.s0");
    let zero = registers(&[(0, [0x0fff_0fff, 0, 0, 0])]);
    assert_eq!(CombinerKey::of(&zero, ALL).to_string(), ".k");
    assert_eq!(
        constants(&zero, ALL)[STAGES][0].map(|use_| use_.map(|use_| use_.colour)),
        [Some(ConstantColour::Zero); 2]
    );
}

#[test]
fn a_dot_product_to_alpha_takes_its_place() {
    let dot = key(&[(0, [0x0ccc_0030, 0x0011_0000, 0x0009_0007, 0x0001_0000])]);
    assert_eq!(dot, "dot.v.t0,dot.v.t0*2/.s0");
    // As operation of alpha alone it gives 0.
    assert_eq!(key(&[(0, [0x0030_0030, 0, 0x0007_0001, 0])]), "mul.v.t0,-/.s0,.k");
}

#[test]
fn units_that_are_off_are_zeros() {
    let mut registers = registers(&[(0, [0x0030_0030, 0, 0x0001_0001, 0])]);
    registers.set_raw(0x080, 6);
    assert_eq!(CombinerKey::of(&registers, ALL).to_string(), "mul.v.k/.s0");
}

#[test]
fn channels_of_the_vertex_colour() {
    let channels = |stages: &[(usize, [u32; 4])], result| {
        CombinerKey::of(&registers(stages), ALL).vertex_channels(result)
    };
    let modulate = (0, [0x0030_0030, 0, 0x0001_0001, 0]);
    assert_eq!([15, 7, 8, 2, 0].map(|result| channels(&[modulate], result)), [15, 7, 8, 2, 0]);
    // RGB from texture 0 times the vertex colour's alpha, and texture 0's alpha.
    let by_alpha = (0, [0x0003_0030, 0x2, 1, 0]);
    assert_eq!([15, 7, 1, 8].map(|result| channels(&[by_alpha], result)), [8, 8, 8, 0]);
    // Alpha from green.
    assert_eq!(channels(&[(0, [0x0000_0003, 0x4000, 0, 0])], 15), 2);
    // A dot product reads all colours, also for one channel, also for alpha; the stages behind it do not.
    let dot = (0, [0x0030_0030, 0, 0x0007_0007, 0]);
    assert_eq!(channels(&[dot, (1, [0x0004_003f, 0x40, 1, 0])], 4), 7);
    // Stage 0's red, through stage 1's blue.
    let passed = [(0, [0x0030_0030, 0, 0x0001_0001, 0]), (1, [0x004f_004f, 0x4, 0x0001_0001, 0])];
    assert_eq!(channels(&passed, 4), 1);
}

#[test]
fn channels_of_the_procedural_texture() {
    let channels = |stages: &[(usize, [u32; 4])], result| {
        let mut registers = registers(stages);
        registers.set_raw(0x080, 1 << 10);
        CombinerKey::of(&registers, ALL).proctex_channels(result)
    };
    let modulate = (0, [0x0060_0060, 0, 0x0001_0001, 0]);
    assert_eq!([15, 7, 8, 2, 0].map(|result| channels(&[modulate], result)), [15, 7, 8, 2, 0]);
    // The vertex colour times its alpha; other textures do not count.
    assert_eq!(channels(&[(0, [0x0000_0060, 0x20, 1, 0])], 15), 8);
    assert_eq!(channels(&[(0, [0x0030_0030, 0, 0x0001_0001, 0])], 15), 0);
}
