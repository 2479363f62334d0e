//! Damage: words of lists and of other memory changed, moved and cut off.

use super::super::program::{Program, Step};
use super::{bytes, draws, words};
use crate::random::Random;

/// Words from which on only a part of what a step writes is looked at.
const MOST: usize = 1 << 14;

/// Changes some words of what is written to memory, lists or not.
pub(super) fn lists(random: &mut Random, program: &mut Program) {
    let written = |(n, step): (usize, &Step)| match step {
        Step::Memory(_, bytes) if bytes.len() >= 4 => Some(n),
        _ => None,
    };
    let steps: Vec<usize> = program.steps.iter().enumerate().filter_map(written).collect();
    for _ in 0..random.between(1, 4) {
        if steps.is_empty() {
            return;
        }
        let step = random.pick(&steps);
        if let Step::Memory(_, contents) = &mut program.steps[step] {
            *contents = bytes(&damaged(random, words(contents)));
        }
    }
}

fn damaged(random: &mut Random, mut list: Vec<u32>) -> Vec<u32> {
    let count = list.len().min(MOST) as u32;
    for _ in 0..random.between(1, 12) {
        let at = random.below(count) as usize;
        match random.below(8) {
            0 => list[at] = random.word(),
            1 => list[at] = draws::command(random),
            2 => list[at] ^= 1 << random.below(32),
            3 => list[at] ^= 1 << random.below(24),
            4 => list[at] = list[random.below(count) as usize],
            5 => {
                let length = (random.between(1, 16) as usize).min(list.len() - at);
                let to = random.below((list.len() - length) as u32 + 1) as usize;
                list.copy_within(at..at + length, to);
            }
            6 => list[at] = list[at] & 0xff00_0000 | random.word() & 0xff_ffff,
            _ => list[at] ^= random.word() & random.word() & random.word(),
        }
    }
    list
}
