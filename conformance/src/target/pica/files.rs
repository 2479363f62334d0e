//! Captures, machine states and keys. Any bytes are read or refused, and a file that is read can be used.

use super::tiny;
use crate::target::mended;
use picaflor_interp::Interpreter;
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::pica::capture::ctf;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, format};

/// Limit of the unpacked size of a file, in bytes.
const UNPACKED: u64 = 1 << 24;
/// Size limit of the memory of a capture that is played; others are only read.
const MAPPED: u64 = 1 << 20;
/// Events that are played.
const EVENTS: usize = 24;

/// Bytes are a capture of the own format or are refused, as they are and with their checks put right; a capture
/// is written and read again without a change, and plays.
///
/// # Panics
/// If that does not hold.
pub fn capture(bytes: &[u8]) {
    for bytes in [bytes, &mended(bytes)] {
        if let Ok(capture) = format::read_limited(bytes, UNPACKED) {
            let again = format::read(&capture.to_bytes()).expect("what was written reads back");
            assert!(again == capture, "a capture changes when it is written");
            play(&capture);
        }
    }
}

/// Bytes are a CiTrace recording or are refused; a recording plays, also after it was written.
///
/// # Panics
/// If that does not hold.
pub fn citrace(bytes: &[u8]) {
    if let Ok(trace) = ctf::parse_limited(bytes, UNPACKED) {
        let capture = trace.to_capture();
        let written = trace.to_bytes(ctf::Layout::default());
        assert!(ctf::parse(&written).is_ok(), "what was written reads back");
        play(&capture);
    }
}

/// Keys: text is a key or is refused; a key has one text form, and registers with this key.
///
/// # Panics
/// If the property does not hold.
pub fn key(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(key) = text.parse::<FragmentStateKey>() else { return };
    assert_eq!(key.to_string(), text, "a key has one text");
    // Text may combine what no state has together; what its registers are the key of has to be stable.
    if let Ok(of) = FragmentStateKey::of(&key.to_registers()) {
        assert_eq!(FragmentStateKey::of(&of.to_registers()), Ok(of), "{text}");
        assert_eq!(of.to_string().parse(), Ok(of), "{text}");
    }
}

fn play(capture: &Capture) {
    if capture.regions.iter().map(|&(_, bytes)| u64::from(bytes)).sum::<u64>() > MAPPED {
        return;
    }
    let Ok(player) = Player::new(capture) else { return };
    let (mut player, mut engine) = (player.with_limits(tiny::LIMITS), Interpreter::new());
    for _ in 0..EVENTS {
        if player.step(&mut engine).is_none() {
            break;
        }
    }
    // The state that is left can be saved and loaded.
    let saved = Capture { initial: player.pica().save(), events: Vec::new(), ..capture.clone() };
    assert!(Player::new(&saved).is_ok(), "a saved state loads");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::fragments::state::state;
    use crate::pica::lists::generate;
    use crate::random::Random;

    /// Some bytes changed, or the end cut off.
    fn damaged(random: &mut Random, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        for _ in 0..random.between(1, 4) {
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] = random.pick(&[0, 1, 4, 0x7f, 0x80, 0xff, b':', b'.']);
        }
        if random.chance(20) {
            bytes.truncate(random.below(bytes.len() as u32) as usize);
        }
        bytes
    }

    #[test]
    fn damaged_captures() {
        let mut random = Random::new(19);
        for number in 0..6 {
            let whole = generate::case(4, number).capture.to_bytes();
            capture(&whole);
            assert_eq!(mended(&whole), whole, "a sound file needs no mending");
            (0..40).for_each(|_| capture(&damaged(&mut random, &whole)));
        }
    }

    #[test]
    fn mending_reaches_behind_the_checks() {
        let mut bytes = generate::case(4, 1).capture.to_bytes();
        let last = bytes.len() - 1;
        bytes[0] ^= 1;
        bytes[24] ^= 1;
        bytes[last] ^= 1;
        assert!(format::read(&bytes).is_err());
        let why = format::read(&mended(&bytes)).map(|_| ()).unwrap_err().problem;
        assert!(!matches!(why, picaflor_pipeline::capture::Problem::Checksum), "{why:?}");
    }

    #[test]
    fn damaged_keys() {
        let mut random = Random::new(20);
        for number in 0..200 {
            let (state, _) = state(6, number);
            let Ok(of) = FragmentStateKey::of(&state.registers) else { continue };
            let text = of.to_string().into_bytes();
            key(&text);
            (0..20).for_each(|_| key(&damaged(&mut random, &text)));
        }
    }
}
