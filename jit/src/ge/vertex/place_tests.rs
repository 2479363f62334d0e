//! Groups against single vertices.

use super::place::place_by;
use super::test_numbers::Random;
use super::way::Way;
use crate::code::ge::transforms::GROUP;
use crate::code::vectors::has_wide;
use crate::emit::ge::vertices::{MOST, Stations};
use crate::ge::key::TransformKey;
use crate::ge::vector;
use crate::ge::vertex::bind::{bind_matrices, bind_way};
use crate::ge::vertex::project::project;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::{Registers, op};

/// A number of a console, now and then one that is hard.
fn number(random: &mut Random) -> f32 {
    random.number(8.0, 24)
}

fn registers(random: &mut Random) -> Registers {
    let mut registers = Registers::default();
    let floats = [op::XSCALE, op::YSCALE, op::ZSCALE, op::XPOS, op::YPOS, op::ZPOS];
    for (n, command) in floats.into_iter().chain([op::USCALE, op::VOFFSET, op::FFAR, op::FDIST]).enumerate() {
        let value = number(random) * if n < 6 { 500.0 } else { 1.0 };
        registers.write(u32::from(command) << 24 | value.to_bits() >> 8);
    }
    let is_lit = random.below(2);
    for (command, on) in [
        (op::LTE, is_lit),
        (op::LTE0, 1),
        (op::RNORM, random.below(2)),
        (op::OFFSETX, 1808 << 4),
        (op::OFFSETY, 77),
        (op::TME, 1),
        (op::FGE, 1),
    ] {
        registers.write(u32::from(command) << 24 | on);
    }
    registers.write(
        u32::from(op::VTYPE) << 24 | 3 << 7 | 3 << 5 | 3 | random.below(2) << 9 | random.below(2) << 18,
    );
    registers
}

fn matrices(random: &mut Random) -> Matrices {
    let mut all = Matrices::default();
    let Matrices { world, view, projection, .. } = &mut all;
    world.iter_mut().chain(view).chain(projection).for_each(|element| *element = number(random));
    if random.below(2) == 0 {
        [1, 2, 3, 5, 6, 7].into_iter().for_each(|n| all.world[n] = 0.0);
    }
    if random.below(2) == 0 {
        all.view = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    }
    if random.below(2) == 0 {
        [1, 2, 3, 4, 6, 7, 8, 9, 12, 13, 15].into_iter().for_each(|n| all.projection[n] = 0.0);
    }
    all
}

/// The numbers of a vertex: ten of its position, the normal, texture coordinates.
fn bits(stations: &Stations, n: usize) -> Vec<u64> {
    let Stations { world, view, clip, normal, texture, .. } = stations;
    let all = [&world[..], view, clip, normal, texture].concat();
    all.iter().map(|field| field[n].to_bits()).collect()
}

/// Everything that is not left to the interpreter is what single vertices give, with and without wide vectors.
#[test]
fn groups_are_as_single_vertices() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut placed, mut left) = (0, 0);
    for _ in 0..400 {
        let (registers, matrices) = (registers(&mut random), matrices(&mut random));
        let Ok(key) = TransformKey::of(&registers) else { continue };
        let mut way = Way::default();
        bind_way(&key, &registers, &mut way);
        bind_matrices(&key, &matrices, &mut way);
        let mut stations = Stations::default();
        let fields =
            stations.position.iter_mut().chain(&mut stations.normal).chain(&mut stations.texture[..2]);
        fields.flatten().for_each(|value| *value = f64::from(number(&mut random)));
        let count = GROUP * (1 + random.below(MOST as u32 / 4) as usize);
        let normals = stations.normal;
        let mut plain = stations.clone();
        place_by(has_wide(), &key, &way, count, &mut stations);
        place_by(false, &key, &way, count, &mut plain);
        for n in 0..count {
            assert_eq!(stations.rare[n], plain.rare[n], "{key} {n}");
            if stations.rare[n] != 0 {
                left += 1;
                continue;
            }
            placed += 1;
            let [found, expected] = [&stations, &plain].map(|stations| bits(stations, n));
            assert_eq!(found, expected, "{key} {n}");
            let model = stations.position.map(|component| component[n]);
            let one = vector::Stations::of(model, &matrices);
            let all = one.world.iter().chain(&one.view).chain(&one.clip).map(|c| c.to_bits());
            assert_eq!(found[..10], all.collect::<Vec<_>>(), "{key} {n} {one:?}");
            if key.reads_world_normal() {
                let m = matrices.world.map(f64::from);
                let normal = normals.map(|component| component[n]);
                let turned = [0, 1, 2].map(|c| vector::dot3(normal, [m[c], m[3 + c], m[6 + c]]));
                let unit = vector::Direction::of(turned).map_or([0.0, 0.0, 1.0], |direction| direction.unit);
                let unit = unit.map(|component| if key.reversed { -component } else { component });
                assert_eq!(found[10..13], unit.map(f64::to_bits), "{key} {n} {normal:?}");
            }
            let expected = project(one.clip, &registers);
            for stations in [&stations, &plain] {
                let [x, y, z] = stations.place.map(|place| place[n]);
                assert_eq!([x, y, z], [expected.x, expected.y, expected.z], "{key} {n} {one:?}");
                assert_eq!(stations.outside[n], i32::from(expected.outside), "{key} {n} {one:?}");
                assert_eq!(stations.fog[n], plain.fog[n]);
            }
        }
    }
    assert!(placed > 5000 && left > 500, "{placed} {left}");
}
