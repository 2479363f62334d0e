//! Groups against single vertices, with and without wide vectors.

use super::*;
use crate::code::ge::transforms::GROUP;
use crate::emit::ge::vertices::MOST;
use crate::ge::number;
use crate::ge::vertex::bind::{bind_matrices, bind_way};
use crate::ge::vertex::test_numbers::Random;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::{Registers, op};

/// The sum of a vertex's bones, and what it makes of a vector whose last number is 1 or 0.
fn moved(matrices: &Matrices, weights: &[f64], [x, y, z]: [f64; 3], one: f64) -> [f64; 3] {
    let mut matrix = [0.0; 12];
    for (c, element) in matrix.iter_mut().enumerate() {
        let mut terms = [(0.0, 0.0); 8];
        for (k, (term, weight)) in terms.iter_mut().zip(weights).enumerate() {
            *term = (*weight, f64::from(matrices.bones[12 * k + c]));
        }
        *element = number::dot(terms);
    }
    taken(&matrix, [x, y, z], one)
}

/// What a matrix makes of a vector whose last number is 1 or 0.
fn taken(matrix: &[f64; 12], [x, y, z]: [f64; 3], one: f64) -> [f64; 3] {
    [0, 1, 2]
        .map(|c| number::dot([(x, matrix[c]), (y, matrix[3 + c]), (z, matrix[6 + c]), (one, matrix[9 + c])]))
}

/// Those of a number; all NaN are alike.
const fn number_bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

#[test]
fn groups_are_as_single_vertices() {
    let mut random = Random(0x0dd_b0de);
    let (mut same, mut left, mut mappings, mut coordinates_compared) = (0, 0, [0; 8], 0);
    for _ in 0..1500 {
        let mut registers = Registers::default();
        let mapping = random.below(4);
        let weights = random.below(9);
        let weight_bits = if weights > 0 { 3 << 9 | (weights - 1) << 14 } else { 0 };
        for (command, argument) in [
            (op::VTYPE, 3 << 7 | 3 << 5 | 3 | weight_bits),
            (op::TME, 1),
            (op::TMAP, [0, 1, 2, 1][mapping as usize] | random.below(4) << 8),
            (op::RNORM, random.below(2)),
        ] {
            registers.write(u32::from(command) << 24 | argument);
        }
        let key = TransformKey::of(&registers).expect("a state that is compiled");
        mappings[key.texture as usize] += 1;
        let mut matrices = Matrices::default();
        let Matrices { bones, texture, .. } = &mut matrices;
        bones.iter_mut().chain(texture).for_each(|element| *element = random.number(8.0, 64));
        let mut way = Way::default();
        bind_way(&key, &registers, &mut way);
        bind_matrices(&key, &matrices, &mut way);
        let mut stations = Stations::default();
        let Stations { position, normal, texture, weights: of_bones, .. } = &mut stations;
        let fields = position.iter_mut().chain(normal).chain(texture).chain(of_bones);
        fields.flatten().for_each(|value| *value = f64::from(random.number(8.0, 64)));
        let count = GROUP * (1 + random.below(MOST as u32 / 4) as usize);
        let (before, mut plain) = (stations.clone(), stations.clone());
        model_by(has_wide(), &key, &way, count, &mut stations);
        model_by(false, &key, &way, count, &mut plain);
        for n in 0..count {
            assert_eq!(stations.rare[n], plain.rare[n], "{key} {n}");
            let bits = |stations: &Stations| {
                let Stations { position, normal, texture, .. } = stations;
                [position, normal, texture].map(|field| at(field, n).map(number_bits))
            };
            if stations.rare[n] != 0 {
                left += 1;
                continue;
            }
            assert_eq!(bits(&stations), bits(&plain), "{key} {n}");
            let source = match key.texture {
                Mapping::Position => Some(at(&before.position, n)),
                Mapping::MatrixCoordinates => Some([before.texture[0][n], before.texture[1][n], 0.0]),
                _ => None,
            };
            if let Some(source) = source.filter(|_| at(&stations.texture, n).iter().all(|c| c.is_finite())) {
                let coordinates = taken(&matrices.texture.map(f64::from), source, 1.0);
                assert_eq!(bits(&stations)[2], coordinates.map(number_bits), "{key} {n}");
                coordinates_compared += 1;
            }
            let weights: Vec<f64> = before.weights[..weights as usize].iter().map(|field| field[n]).collect();
            // What is not finite shows at the ends only.
            if weights.is_empty() || at(&stations.position, n).iter().any(|number| !number.is_finite()) {
                continue;
            }
            let position = moved(&matrices, &weights, at(&before.position, n), 1.0);
            assert_eq!(bits(&stations)[0], position.map(number_bits), "{key} {n} {weights:?}");
            if key.reads_normal() && at(&stations.normal, n).iter().all(|number| number.is_finite()) {
                let normal = moved(&matrices, &weights, at(&before.normal, n), 0.0);
                assert_eq!(bits(&stations)[1], normal.map(number_bits), "{key} {n} {weights:?}");
            }
            same += 1;
        }
    }
    assert!(same > 30_000 && left > 300, "{same} {left}");
    assert!(coordinates_compared > 5000, "{coordinates_compared}");
    assert!(
        mappings[Mapping::Position as usize..].iter().filter(|&&states| states > 50).count() >= 4,
        "{mappings:?}"
    );
}
