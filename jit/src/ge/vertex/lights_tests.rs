//! Wide vectors against what any processor does, on lights of all kinds; what colours ought to be is compared with the
//! interpreter by campaigns of vertices.

use super::*;
use crate::code::ge::transforms::GROUP;
use crate::ge::vertex::bind::bind_lights;
use crate::ge::vertex::test_numbers::Random;
use picaflor_pipeline::ge::regs::{Registers, op};

/// Lights of any kind on a surface of any colour, or an environment.
fn registers(random: &mut Random) -> Registers {
    let mut registers = Registers::default();
    let mut write = |command: u8, argument: u32| registers.write(u32::from(command) << 24 | argument);
    write(op::VTYPE, 3 << 7 | 3 << 5 | 7 << 2);
    write(op::LTE, u32::from(random.below(8) != 0));
    for n in 0..4 {
        write(op::LTE0 + n, random.below(2));
        write(op::LT0 + n, random.below(3) << 8 | random.below(3));
        write(op::LSC0 + n, (-random.number(2.0, 32).abs()).to_bits() >> 8);
        write(op::LSE0 + n, random.number(2.0, 32).abs().to_bits() >> 8);
        for axis in 0..3 {
            for command in [op::LXP0, op::LXD0, op::LCA0] {
                write(command + 3 * n + axis, random.number(2.0, 32).to_bits() >> 8);
            }
        }
    }
    for n in 0..12 {
        write(op::ALC0 + n, random.below(1 << 24));
    }
    for command in [op::EMC, op::ALC, op::AMC, op::DMC, op::SMC] {
        write(command, random.below(1 << 24));
    }
    let power = [0.0, f32::INFINITY, 0.75, 8.0, 2.5][random.below(5) as usize];
    for (command, argument) in [
        (op::ALA, random.below(256)),
        (op::AMA, random.below(256)),
        (op::CMAT, random.below(8) * random.below(2)),
        (op::LMODE, random.below(2)),
        (op::SPOW, power.to_bits() >> 8),
        (op::TME, 1),
        (op::TMAP, [0, 2][random.below(2) as usize]),
        (op::TSHADE, random.below(4) | random.below(4) << 8),
    ] {
        write(command, argument);
    }
    registers
}

#[test]
fn wide_vectors_are_as_any() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut lit, mut left, mut kinds) = (0, 0, std::collections::HashSet::new());
    for _ in 0..2000 {
        let registers = registers(&mut random);
        let Ok(key) = TransformKey::of(&registers) else { continue };
        let lamps = key.lighting.iter().flat_map(|lighting| lighting.lights.iter().flatten());
        kinds.extend(lamps.map(|light| format!("{light:?}")));
        let mut lights = Lights::default();
        bind_lights(&key, &registers, &mut lights);
        let mut stations = Stations::default();
        let count = GROUP * (1 + random.below(MOST as u32 / 4) as usize);
        for n in 0..count {
            let normal = [(); 3].map(|()| f64::from(random.number(2.0, 32)));
            let unit = direction::<false>(normal, &mut 0).unit;
            put(unit, &mut stations.normal, n);
            put([(); 3].map(|()| f64::from(random.number(2.0, 32))), &mut stations.world, n);
            stations.colour[n] = random.below(u32::MAX).cast_signed();
        }
        let mut plain = stations.clone();
        light_by(has_wide(), &key, &lights, count, &mut stations);
        light_by(false, &key, &lights, count, &mut plain);
        let found = |stations: &Stations, n: usize| {
            let [s, t, q] = at(&stations.texture, n).map(f64::to_bits);
            (stations.colour[n], stations.secondary[n], s, t, q)
        };
        for n in 0..count {
            assert_eq!(stations.rare[n], plain.rare[n], "{key} {n}");
            if stations.rare[n] == 0 {
                assert_eq!(found(&stations, n), found(&plain, n), "{key} {n}");
                lit += 1;
            } else {
                left += 1;
            }
        }
    }
    assert!(lit > 30_000 && left > 500 && kinds.len() > 9, "{lit} {left} {kinds:?}");
}

/// Ends of the range of doubles; what is not positive stays.
#[test]
fn powers() {
    let of = |x: f64, exponent: f64| {
        let mut numbers = [x; MOST];
        power(Power::Curve, exponent, GROUP, &mut numbers);
        numbers[0]
    };
    assert_eq!([of(0.5, 1.0), of(0.5, 2.0), of(0.75, 2.0), of(3.0, 0.5)], [0.5, 0.25, 0.5, 1.75]);
    assert_eq!(
        [of(0.5, 2000.0), of(2.0, 1024.0), of(1.0, 1e30), of(0.5, 1e300)],
        [0.0, f64::INFINITY, 1.0, 0.0]
    );
    assert_eq!([of(0.0, 2.0), of(-2.0, 2.0)], [0.0, -2.0]);
    let mut numbers = [0.5; MOST];
    (numbers[1], numbers[2], numbers[3]) = (1.0, 1.5, -3.0);
    power(Power::Step, 1.0, GROUP, &mut numbers);
    assert_eq!(numbers[..4], [0.0, 1.0, 1.0, -3.0]);
    power(Power::One, 1.0, GROUP, &mut numbers);
    assert_eq!(numbers[..4], [1.0; 4]);
}
