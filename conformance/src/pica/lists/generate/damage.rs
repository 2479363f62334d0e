//! Damage: words of command lists changed, moved and cut off.

use super::words;
use crate::random::Random;
use picaflor_pipeline::pica::capture::{Capture, Event};
use std::sync::Arc;

/// Changes some words of some lists.
pub(super) fn lists(random: &mut Random, capture: &mut Capture) {
    let lists: Vec<(usize, u32)> = capture.events.iter().enumerate().filter_map(list).collect();
    for _ in 0..random.between(1, 3) {
        if lists.is_empty() {
            return;
        }
        let (at, address) = random.pick(&lists);
        if random.chance(10) {
            damage_size(random, &mut capture.events[at]);
        }
        if let Some(bytes) = contents(&mut capture.events[..at], address) {
            *bytes = damaged(random, bytes);
        }
    }
}

fn list((at, event): (usize, &Event)) -> Option<(usize, u32)> {
    match *event {
        Event::List { address, .. } => Some((at, address)),
        _ => None,
    }
}

/// The bytes that were last put at the start of a list.
fn contents(events: &mut [Event], list: u32) -> Option<&mut Arc<[u8]>> {
    events.iter_mut().rev().find_map(|event| match event {
        Event::Memory { address, bytes } if *address == list => Some(bytes),
        _ => None,
    })
}

fn damage_size(random: &mut Random, event: &mut Event) {
    if let Event::List { size_bytes, .. } = event {
        *size_bytes = random.pick(&[0, 8, *size_bytes / 2, *size_bytes + 64, 0x00ff_fff0, u32::MAX]);
    }
}

fn damaged(random: &mut Random, bytes: &[u8]) -> Arc<[u8]> {
    let mut list: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    if list.is_empty() {
        return Arc::from(bytes);
    }
    for _ in 0..random.between(1, 12) {
        let at = random.below(list.len() as u32) as usize;
        match random.below(8) {
            0 => list[at] = random.word(),
            1 => list[at] = words::any(random),
            2 => list[at] = words::header(random),
            3 => list[at] ^= 1 << random.below(32),
            4 => list[at] = list[random.below(list.len() as u32) as usize],
            5 => repeat(random, &mut list, at),
            6 => {
                // If this is a parameter, the header is the other word of its pair.
                let header = list.get(at ^ 1).copied().unwrap_or_default();
                list[at] = words::of_register(random, (header & 0x3ff) as u16);
            }
            _ => list[at] ^= random.word() & random.word() & random.word(),
        }
    }
    list.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Copies some words over those that follow, as a list that was written twice.
fn repeat(random: &mut Random, list: &mut [u32], at: usize) {
    let length = (random.between(1, 16) as usize * 2).min(list.len() - at);
    let to = random.below((list.len() - length) as u32 + 1) as usize;
    list.copy_within(at..at + length, to);
}
