//! What a host does beside running lists.

use super::super::program::{Program, Step, UNCACHED};
use super::draws::command;
use super::{DATA, VRAM, VRAM_BYTES};
use crate::ge::vertices::numbers::{Style, short_single, single};
use crate::host_memory::InVain;
use crate::random::Random;
use picaflor_pipeline::ge::Field;

/// Adds steps to a case, whose own are as before.
pub(super) fn whims(random: &mut Random, program: &mut Program) {
    program.replaces = random.chance(6);
    let [writes_state, undoes] = [random.chance(25), random.chance(30)];
    let steps = std::mem::take(&mut program.steps);
    for step in steps {
        let draws = matches!(step, Step::Run(_) | Step::Go(_) | Step::Execute(_) | Step::Vertices(..));
        program.steps.push(step);
        if draws && random.chance(30) {
            program.steps.push(look(random));
        }
        if draws && writes_state && random.chance(40) {
            program.steps.push(state(random));
        }
        if draws && program.replaces && random.chance(20) {
            program.steps.push(Step::Images);
        }
    }
    if undoes {
        for _ in 0..random.between(1, 3) {
            let at = random.below(program.steps.len() as u32) as usize;
            let in_vain = Step::InVain(random.between(1, 8), InVain::random(random));
            program.steps.insert(at, in_vain);
        }
    }
}

/// The CPU looks at memory, by a cached or an uncached address, while draws may be pending.
fn look(random: &mut Random) -> Step {
    let length = random.pick(&[4, 256, 0x4000, 0x10_0000]);
    let range = random.pick(&[0x400, 0x4_0000, VRAM_BYTES - 0x10_0000]);
    let at = VRAM + random.below(range);
    Step::Look(at | random.pick(&[0, 0, UNCACHED]), length)
}

/// A host writes the machine's state.
fn state(random: &mut Random) -> Step {
    let (field, first, words) = match random.below(12) {
        0..6 => {
            let word = command(random);
            (Field::Commands, word >> 24, vec![word])
        }
        6 | 7 => {
            let first = random.below(148);
            let count = random.between(1, 12).min(148 - first);
            let number = |random: &mut Random| match random.below(8) {
                0 => random.word(),
                1 => single(random, Style::Usual).to_bits(),
                _ => short_single(random, Style::Usual).to_bits(),
            };
            (Field::Matrices, first, (0..count).map(|_| number(random)).collect())
        }
        8 => {
            let first = random.below(256);
            (Field::Clut, first, (first..256).map(|_| random.word()).collect())
        }
        9 => (Field::Pointers, random.below(2), vec![DATA + random.below(0x400)]),
        10 => {
            let number = match random.below(4) {
                0 => random.bits(),
                1 => f64::from(single(random, Style::Usual)).to_bits(),
                _ => f64::from(short_single(random, Style::Usual)).to_bits(),
            };
            (Field::Remembered, 2 * random.below(5), vec![number as u32, (number >> 32) as u32])
        }
        _ => (Field::IncompletePrimitive, 0, vec![7, 0, 0]),
    };
    Step::State(field, first, words.into())
}
