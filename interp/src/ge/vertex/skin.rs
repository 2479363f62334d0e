//! Skinning: positions and normals moved by bones.
//!
//! Source: psp-ge.md 4.6. Each element of the mixed matrix is a sum `D` of at most eight products (assumed).

use super::decode::Model;
use crate::ge::number::dot;
use crate::ge::vector::{direction, operands, point};
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::vertex_type::VertexType;

/// Position and normal in model space after skinning. A missing normal is the remembered one.
pub(in crate::ge) fn skinned(
    batch: &VertexBatch<'_>,
    format: VertexType,
    model: &Model,
) -> ([f64; 3], [f64; 3]) {
    let normal = model.normal.unwrap_or(batch.remembered.normal);
    if format.weight_count() == 0 {
        return (model.position, normal);
    }
    let matrix = mixed(&model.weights, &operands(&batch.matrices.bones));
    (point(model.position, &matrix), direction(normal, &matrix))
}

/// The sum of bones, each times its weight. Bones beyond the weights have weight 0, and add nothing.
fn mixed(weights: &[f64; 8], bones: &[f64; 96]) -> [f64; 12] {
    std::array::from_fn(|element| {
        dot(std::array::from_fn::<_, 8, _>(|n| (weights[n], bones[12 * n + element])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halves of 2 and 6; the third bone has no weight and is not touched, an infinity with weight 0 is 0.
    #[test]
    fn bones_are_mixed() {
        let mut bones = [0.0; 96];
        (bones[0], bones[12], bones[24]) = (2.0, 6.0, f64::NAN);
        assert_eq!(mixed(&[0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &bones)[0], 4.0);
        bones[12] = f64::INFINITY;
        assert_eq!(mixed(&[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &bones)[0], 1.0);
    }
}
