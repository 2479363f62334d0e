//! Laws of fragment keys on random states.

use super::FragmentKey;
use crate::key::bytes::laws::Seen;
use crate::key::bytes::{Stored, to_bytes};
use picaflor_pipeline::pica::regs::Registers;
use std::collections::HashSet;

/// States in which much is switched on.
fn states(count: usize) -> impl Iterator<Item = Registers> {
    let mut seed = 0x5eed_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 32) as u32
    };
    (0..count).map(move |_| {
        let mut registers = Registers::new();
        (0x040..0x200).for_each(|id| registers.set_raw(id, random() & random()));
        registers.set_raw(0x100, random() & 0x101);
        registers.set_raw(0x1c6, random() & 1);
        (0x112..0x116).for_each(|id| registers.set_raw(id, random() | random()));
        registers
    })
}

#[test]
fn texts_bytes_and_states_lead_back() {
    let mut seen = Seen::default();
    for key in states(10_000).filter_map(|state| FragmentKey::of(&state).ok()) {
        seen.check(key);
        assert_eq!(FragmentKey::of(&key.to_registers()), Ok(key), "{key}");
    }
    assert!(seen.count() > 1_500, "only {} keys", seen.count());
}

/// What differs from a key in one place has other bytes, which lead back to it.
#[test]
fn bytes_tell_keys_apart() {
    for key in states(400).filter_map(|state| FragmentKey::of(&state).ok()) {
        let mut keys = key.neighbours();
        keys.push(key);
        let bytes: HashSet<_> = keys.iter().map(|key| to_bytes("", key).expect("they lead back")).collect();
        assert_eq!(bytes.len(), keys.len(), "{key}");
    }
}
