//! Basis functions: the weights of four control points along one axis of a patch.
//!
//! Source: psp-ge.md 7.6, 7.7, measured on a console (primitives/bezier, primitives/spline).

/// A sample position along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Index of the first of the four control points.
    pub(super) first: usize,
    /// Weight of each control point.
    pub(super) weights: [f64; 4],
    /// Derivatives of the weights.
    pub(super) slopes: [f64; 4],
    /// Texture coordinate, for patches without their own.
    pub(super) coordinate: f64,
}

/// Sample positions along an axis of Bezier patch number `patch`: one more than divisions.
pub(super) fn bezier(patch: usize, divisions: u32) -> Vec<Sample> {
    let sample = |i: u32| {
        let t = f64::from(i) / f64::from(divisions);
        let r = 1.0 - t;
        Sample {
            first: 3 * patch,
            weights: [r * r * r, 3.0 * t * r * r, 3.0 * t * t * r, t * t * t],
            slopes: [-3.0 * r * r, 9.0 * t * t - 12.0 * t + 3.0, 3.0 * t * (2.0 - 3.0 * t), 3.0 * t * t],
            coordinate: patch as f64 + t,
        }
    };
    (0..=divisions).map(sample).collect()
}

/// Sample positions between two questions whether the run ends.
const PART: u32 = 4096;

/// Sample positions along an axis of a spline of `segments` segments; `None` if the run ends. Bit 0 of `edges` opens the
/// start, bit 1 the end.
pub(super) fn spline(
    segments: u32,
    divisions: u32,
    edges: u32,
    is_over: &dyn Fn() -> bool,
) -> Option<Vec<Sample>> {
    let sample = |s: u32| {
        let t = f64::from(s) / f64::from(divisions);
        // A place on a knot belongs to the segment on its left.
        let segment = s.saturating_sub(1) / divisions;
        let knots = std::array::from_fn(|n| knot(segment + n as u32, segments, edges));
        let (weights, slopes) = segment_weights(t, knots);
        Sample { first: segment as usize, weights, slopes, coordinate: t }
    };
    let end = segments * divisions;
    let mut samples = Vec::with_capacity(end as usize + 1);
    for s in 0..=end {
        if s > 0 && s.is_multiple_of(PART) && is_over() {
            return None;
        }
        samples.push(sample(s));
    }
    Some(samples)
}

/// Knot `j`. Those before an open start are 0, those after an open end the number of segments.
fn knot(j: u32, segments: u32, edges: u32) -> f64 {
    match j {
        0 | 1 if edges & 1 != 0 => 0.0,
        _ if edges & 2 != 0 && j > segments + 2 => f64::from(segments),
        _ => f64::from(j) - 2.0,
    }
}

/// Weights and slopes of the four control points of a segment with its six knots.
fn segment_weights(t: f64, k: [f64; 6]) -> ([f64; 4], [f64; 4]) {
    let f = |a: usize, b: usize| (t - k[b]) / (k[a] - k[b]);
    let [f_30, f_41, f_52] = [f(3, 0), f(4, 1), f(5, 2)];
    let [f_31, f_42, f_32] = [f(3, 1), f(4, 2), f(3, 2)];
    let a = (1.0 - f_30) * (1.0 - f_31);
    let b = f_31 * f_41;
    let c = (1.0 - f_41) * (1.0 - f_42);
    let d = f_42 * f_52;
    let weights = [
        a * (1.0 - f_32),
        (1.0 - a - b) * (1.0 - f_32) + c * f_32,
        b * (1.0 - f_32) + (1.0 - c - d) * f_32,
        d * f_32,
    ];
    let p = (1.0 - f_31) * (1.0 - f_32) / (k[3] - k[0]);
    let q = (f_31 * (1.0 - f_32) + (1.0 - f_42) * f_32) / (k[4] - k[1]);
    let r = f_42 * f_32 / (k[5] - k[2]);
    (weights, [-3.0 * p, 3.0 * (p - q), 3.0 * (q - r), 3.0 * r])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spline(segments: u32, divisions: u32, edges: u32) -> Vec<Sample> {
        super::spline(segments, divisions, edges, &|| false).expect("nobody stops it")
    }

    fn close(a: [f64; 4], b: [f64; 4]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn one_open_segment_is_a_bezier_patch() {
        for (a, b) in spline(1, 7, 3).iter().zip(bezier(0, 7)) {
            assert!(close(a.weights, b.weights) && close(a.slopes, b.slopes), "{a:?} {b:?}");
            assert_eq!((a.first, a.coordinate), (b.first, b.coordinate));
        }
    }

    #[test]
    fn weights_add_up_and_slopes_cancel() {
        for edges in 0..4 {
            for segments in 1..5 {
                let samples = spline(segments, 3, edges);
                assert_eq!(samples.len() as u32, 3 * segments + 1);
                for sample in samples {
                    assert!((sample.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                    assert!(sample.slopes.iter().sum::<f64>().abs() < 1e-12);
                }
            }
        }
    }

    /// Vertices lie inside the hull of the control points: see `VertexBatch` and
    /// [`is_unseen`](picaflor_pipeline::ge::stage::TransformStage::is_unseen).
    #[test]
    fn weights_are_shares() {
        let splines = (0..4).flat_map(|edges| (1..9).map(move |segments| (segments, edges)));
        let splines =
            splines.flat_map(|(segments, edges)| [1, 2, 3, 7, 64].map(|n| spline(segments, n, edges)));
        let beziers = (0..3).flat_map(|patch| [1, 2, 3, 7, 127].map(|divisions| bezier(patch, divisions)));
        for sample in splines.chain(beziers).flatten() {
            assert!(sample.weights.iter().all(|&weight| weight >= -1e-12), "{sample:?}");
            assert!((sample.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{sample:?}");
        }
    }

    #[test]
    fn closed_ends_are_uniform() {
        let sixth = 1.0 / 6.0;
        let samples = spline(3, 2, 0);
        assert!(close(samples[0].weights, [sixth, 4.0 * sixth, sixth, 0.0]));
        assert!(close(samples[6].weights, [0.0, sixth, 4.0 * sixth, sixth]));
        assert_eq!([2, 3, 4, 5].map(|s| samples[s].first), [0, 1, 1, 2]);
    }

    #[test]
    fn open_ends_reach_the_control_points() {
        let samples = spline(4, 2, 3);
        assert_eq!(samples[0].weights, [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(samples[8].weights, [0.0, 0.0, 0.0, 1.0]);
    }
}
