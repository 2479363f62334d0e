//! Frame dumps and captures of the GE. Any bytes are read or refused, and a file that is read can be used.

mod mutate;

pub use mutate::{mutated_dump, mutated_ge_capture};

use super::mended;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, format};
use picaflor_pipeline::ge::limits::Limits;
use picaflor_pipeline::tile::Tiling;

/// Limit of the unpacked size of a file, in bytes.
const UNPACKED: u64 = 1 << 24;
/// Size limit of the memory of a capture that is played; others are only read.
const MAPPED: u64 = 8 << 20;
/// Events that are played.
const EVENTS: usize = 24;
/// One of so many inputs is also shown: a picture takes longer than all the rest.
const SHOWN: usize = 32;
/// Limits that bound the time of any capture.
const LIMITS: Limits = Limits::DEFAULT
    .with_work(1 << 25)
    .with_vertices(1 << 7)
    .with_pixels(1 << 9)
    .with_commands(1 << 10)
    .with_run_vertices(1 << 8)
    .with_run_pixels(1 << 10)
    .with_run_bytes(1 << 13);

/// Frame dumps: the bytes are read or refused; a dump that is read plays, list by list and as a whole.
///
/// # Panics
/// If the property does not hold.
pub fn ppdmp(bytes: &[u8]) {
    let Ok(dump) = ppdmp::read_limited(bytes, UNPACKED) else { return };
    for lists in [Lists::Long, Lists::OfRecords] {
        if let Ok((capture, marks)) = ppdmp::translate(&dump, lists) {
            assert_eq!(marks.len(), dump.records.len());
            assert!(format::read(&format::write(&capture)) == Ok(capture.clone()), "a capture changes");
            play(&capture, is_shown(bytes));
        }
    }
}

/// True for some byte strings.
fn is_shown(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .fold(bytes.len(), |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
        .is_multiple_of(SHOWN)
}

/// Bytes are a capture of the GE or are refused, as they are and with their checks put right; a capture is written
/// and read again without a change, and plays.
///
/// # Panics
/// If that does not hold.
pub fn ge_capture(bytes: &[u8]) {
    for bytes in [bytes, &mended(bytes)] {
        if let Ok(capture) = format::read_limited(bytes, UNPACKED) {
            assert!(format::read(&format::write(&capture)) == Ok(capture.clone()), "a capture changes");
            play(&capture, is_shown(bytes));
        }
    }
}

fn play(capture: &Capture, is_shown: bool) {
    if capture.regions.iter().map(|&(_, bytes)| u64::from(bytes)).sum::<u64>() > MAPPED {
        return;
    }
    let Ok(player) = Player::new(capture) else { return };
    let (mut player, mut engine) = (player.with_limits(LIMITS), Interpreter::new());
    for _ in 0..EVENTS {
        if player.step(&mut engine).is_none() {
            break;
        }
    }
    if is_shown {
        if let Some(display) = player.display() {
            let _ = player.picture(&mut engine, display);
        }
        assert_frames(capture, &player);
    }
    let saved = Capture { initial: player.ge().save(), events: Vec::new(), ..capture.clone() };
    assert!(Player::new(&saved).is_ok(), "a saved state loads");
}

/// Frames whose draws are pending from list to list, on two threads, leave what a player has that went step by step.
fn assert_frames(capture: &Capture, stepped: &Player<'_>) {
    let events = capture.events[..stepped.position()].to_vec();
    let capture = Capture { events, ..capture.clone() };
    let mut player = Player::new(&capture).expect("it has played").with_limits(LIMITS);
    player.ge_mut().set_tiling(Tiling { least_work: 0, ..Tiling::new(2) });
    while player.run_frame(&mut Interpreter::new()).is_some() {}
    assert!(player.ge().save() == stepped.ge().save(), "another state");
    let blocks = player.memory().blocks().iter().zip(stepped.memory().blocks());
    for (joint, alone) in blocks {
        assert!(joint.as_slice().equals(&alone.as_slice().snapshot()), "memory at {:#x}", joint.base());
    }
}

/// A dump with a textured rectangle, a table, a transfer and writes of the CPU: a start for fuzzers.
#[must_use]
pub fn sample_dump() -> Writer {
    let mut writer = Writer::default();
    let state: Vec<u32> = (0..512).map(|n| if (17..384).contains(&n) { 0 } else { n }).collect();
    writer
        .words(0, &state)
        .record(4, &[0x5a; 1024])
        .words(1, &[0x9d00_0200, 0xd200_0003, 0xd51f_ffff, 0x16ff_ffff, 0x1e00_0001, 0xa800_0010])
        .record(0x10, &[7; 256])
        .words(1, &[0xb800_0303, 0xc300_0005, 0xc500_ff03, 0xb008_0000, 0xc400_0020, 0x1280_011f])
        .words(10, &[0x0408_8000, 0])
        .record(4, &[0xc3; 1024])
        .words(1, &[0xc400_0008])
        .record(2, &[1, 0, 8, 0, 3, 0, 9, 0, 60, 0, 50, 0, 3, 0, 9, 0, 4, 0, 60, 0])
        .words(1, &[0x0406_0002])
        .words(6, &[0x0410_0000, 0x12, 4096])
        .record(5, &[9; 128])
        .words(1, &[0xb300_0010, 0xb400_1000, 0xb504_0010, 0xee00_0c07, 0xea00_0001])
        .words(0x18, &[0x0410_0000, 16, 0, 0, 0xaabb_ccdd])
        .words(9, &[0x0400_0000, 512, 3]);
    writer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::target::strings::strings;
    use picaflor_pipeline::ge::capture::Event;

    #[test]
    fn no_byte_string_is_too_much() {
        for bytes in strings(&mut Random::new(17)) {
            ppdmp(&bytes);
            ge_capture(&bytes);
        }
    }

    #[test]
    fn damaged_dumps_and_captures() {
        let mut random = Random::new(31);
        for version in ppdmp::VERSIONS {
            let whole = sample_dump().file(version);
            ppdmp(&whole);
            let read = ppdmp::read(&whole).expect("a sound file");
            let (mut capture, _) = ppdmp::translate(&read, Lists::Long).expect("it is small");
            let recorded = [Event::State(capture.initial.clone()), Event::Execute([0x0406_0002].into())];
            capture.events.extend(recorded);
            let capture = format::write(&capture);
            for _ in 0..40 {
                ppdmp(&damaged(&mut random, &whole));
                ge_capture(&damaged(&mut random, &capture));
            }
        }
    }

    fn damaged(random: &mut Random, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        for _ in 0..random.between(1, 4) {
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] = random.pick(&[0, 1, 4, 0x7f, 0x80, 0xff]);
        }
        bytes
    }

    /// Words at random in the runs of a dump, so that every command gets every argument.
    #[test]
    fn random_words() {
        let mut random = Random::new(32);
        for _ in 0..60 {
            let mut writer = Writer::default();
            for _ in 0..random.between(1, 12) {
                let words: Vec<u32> = (0..random.between(1, 40)).map(|_| random.word()).collect();
                let kind = random.pick(&[1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x10, 0x17, 0x18, 0x1f]);
                writer.words(kind, &words);
            }
            ppdmp(&writer.file(6));
        }
    }
}
