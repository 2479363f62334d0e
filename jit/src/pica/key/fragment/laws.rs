//! Laws of fragment keys on random states.

use super::FragmentKey;
use crate::key::bytes::laws::Seen;
use crate::key::bytes::{Stored, to_bytes};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::switches::OfFragments;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

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
        let of_code = key.of_code();
        if of_code != key {
            seen.check(of_code);
            let back = FragmentKey::of(&of_code.to_registers()).map(FragmentKey::of_code);
            assert_eq!(back, Ok(of_code), "{of_code}");
        }
    }
    assert!(seen.count() > 1_500, "only {} keys", seen.count());
}

/// Of what is found, code knows no more than that it is; of units that only lights read, nothing.
#[test]
fn what_is_found_is_no_part_of_code() {
    let cases = [
        ("0rrnn.1rrnn.-:mul.t0.t1/.s0", "0rrnn.1rrnn.-:mul.t0.t1/.s0"),
        ("0rrlnn.1rrnn.-:mul.t0.t1/.s0", "+.+.-:mul.t0.t1/.s0"),
        ("ps.-.-:.t0", "+.-.-:.t0"),
        ("-.-.-:.t3:p03030n6-1", "-.-.-:.t3:p+"),
        ("-.-.-:.t3:p031---0-0", "-.-.-:.t3:p+"),
        ("-.-.-:.v,.t3:p0--10-a20", "-.-.-:.v,.t3:p+"),
        // Lights, and what bends their surface or falls on it.
        ("-.-.-:.l0:p03030n6-1:lp.n3/d", "-.-.-:.l0:l+"),
        ("-.-.-:mul.l0.t3/.s0:p03030n6-1:lp.n3/d", "-.-.-:mul.l0.t3/.s0:p+:l+"),
        ("0rrnn.-.-:mul.l0.t0/.s0:lp.n0/d", "+.-.-:mul.l0.t0/.s0:l+"),
        ("ps.-.-:.l0:lp.s0p/ds", "-.-.-:.l0:l+"),
    ];
    for (whole, of_code) in cases {
        let [whole, of_code] = [whole, of_code].map(|middle| format!("fs:{middle}::D16.Always.Rgba8.f.Copy"));
        let key: FragmentKey = whole.parse().unwrap_or_else(|_| panic!("{whole} is no key"));
        let key = FragmentKey::of(&key.to_registers()).expect("a state that is compiled");
        assert_eq!(key.to_string(), whole, "no state has this key");
        assert_eq!(key.of_code().to_string(), of_code, "{whole}");
    }
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

fn switches(registers: &Registers) -> u64 {
    let mut hasher = DefaultHasher::new();
    OfFragments(registers).hash(&mut hasher);
    hasher.finish()
}

/// States with the same switches have one code: a run pays for switches.
#[test]
fn keys_depend_on_switches_alone() {
    let (mut seed, mut same) = (0xfedc_u64, 0);
    let mut word = move || picaflor_pipeline::random::word(&mut seed);
    for mut state in states(10_000) {
        let Ok(key) = FragmentKey::of(&state) else { continue };
        let before = switches(&state);
        for _ in 0..16 {
            let (id, bits) = ((0x040 + word() % 0x1c0) as u16, word() & word());
            let kept = state.raw(id);
            state.set_raw(id, kept ^ bits);
            if switches(&state) == before
                && let Ok(now) = FragmentKey::of(&state)
            {
                assert_eq!(now, key, "register {id:#x}, bits {bits:#x}");
                same += 1;
            }
            state.set_raw(id, kept);
        }
    }
    assert!(same > 10_000, "{same} states");
}
