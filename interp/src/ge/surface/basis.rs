//! Weights of control points along one axis, in doubles (7.6, 7.7).

/// Control points of a sample along an axis.
const POINTS: usize = 4;

/// A sample along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// The first of its four control points.
    pub(super) first: usize,
    /// Their weights.
    pub(super) weights: [f64; POINTS],
    /// Their weights in the derivative.
    pub(super) derivatives: [f64; POINTS],
    /// The generated texture coordinate (7.7.1).
    pub(super) coordinate: f64,
}

/// The tessellation along an axis.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    /// Segments, or patches, of four control points.
    segments: usize,
    /// Samples from one segment's end to the other's.
    divisions: usize,
    /// Knots of a spline; none for Bezier patches.
    knots: Option<Vec<f64>>,
}

impl Axis {
    /// The patches of `count` control points, at least 4.
    pub(super) const fn bezier(count: usize, divisions: usize) -> Self {
        Self { segments: (count - 1) / 3, divisions, knots: None }
    }

    /// The spline of `count` control points, at least 4. Bit 0 of `edges` opens its start, bit 1 its end.
    pub(super) fn spline(count: usize, divisions: usize, edges: u32) -> Self {
        let n = count - 3;
        let mut knots: Vec<f64> = (0..n + 5).map(|j| j as f64 - 2.0).collect();
        if edges & 1 != 0 {
            knots[..2].fill(0.0);
        }
        if edges & 2 != 0 {
            knots[n + 3..].fill(n as f64);
        }
        Self { segments: n, divisions, knots: Some(knots) }
    }

    /// Patches: the segments of a spline are one.
    pub(super) const fn patches(&self) -> usize {
        if self.knots.is_some() { 1 } else { self.segments }
    }

    /// Cells of a patch.
    pub(super) const fn cells(&self) -> usize {
        if self.knots.is_some() { self.segments * self.divisions } else { self.divisions }
    }

    /// Sample `n` of a patch, 0 to the number of its cells.
    pub(super) fn sample(&self, patch: usize, n: usize) -> Sample {
        let t = n as f64 / self.divisions as f64;
        let Some(knots) = &self.knots else { return bezier(patch, t) };
        // A sample on a knot belongs to the segment before.
        let segment = n.saturating_sub(1) / self.divisions;
        spline(segment, t, &knots[segment..])
    }
}

/// The sample of a Bezier patch at t.
fn bezier(patch: usize, t: f64) -> Sample {
    let s = 1.0 - t;
    Sample {
        first: 3 * patch,
        weights: [s * s * s, 3.0 * t * s * s, 3.0 * t * t * s, t * t * t],
        derivatives: [-3.0 * s * s, 9.0 * t * t - 12.0 * t + 3.0, 3.0 * t * (2.0 - 3.0 * t), 3.0 * t * t],
        coordinate: patch as f64 + t,
    }
}

/// The sample of a spline at t, with the knots from its segment on.
fn spline(segment: usize, t: f64, k: &[f64]) -> Sample {
    let f = |a: usize, b: usize| (t - k[b]) / (k[a] - k[b]);
    let [f30, f41, f52, f31, f42, f32] = [f(3, 0), f(4, 1), f(5, 2), f(3, 1), f(4, 2), f(3, 2)];
    let a = (1.0 - f30) * (1.0 - f31);
    let b = f31 * f41;
    let c = (1.0 - f41) * (1.0 - f42);
    let d = f42 * f52;
    let i1 = (1.0 - f31) * (1.0 - f32);
    let i2 = f31 * (1.0 - f32) + (1.0 - f42) * f32;
    let i3 = f42 * f32;
    let [p, q, r] = [i1 / (k[3] - k[0]), i2 / (k[4] - k[1]), i3 / (k[5] - k[2])];
    Sample {
        first: segment,
        weights: [
            a * (1.0 - f32),
            (1.0 - a - b) * (1.0 - f32) + c * f32,
            b * (1.0 - f32) + (1.0 - c - d) * f32,
            d * f32,
        ],
        derivatives: [-3.0 * p, 3.0 * (p - q), 3.0 * (q - r), 3.0 * r],
        coordinate: t,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B(1/2) = 1/8, 3/8, 3/8, 1/8; D(1/2) = -3/4, 9/4 - 6 + 3 = -3/4, 3/2 * 1/2 = 3/4, 3/4.
    #[test]
    fn bezier_weights() {
        let axis = Axis::bezier(7, 2);
        assert_eq!((axis.patches(), axis.cells()), (2, 2));
        let middle = axis.sample(1, 1);
        assert_eq!(middle.weights, [0.125, 0.375, 0.375, 0.125]);
        assert_eq!(middle.derivatives, [-0.75, -0.75, 0.75, 0.75]);
        assert_eq!((middle.first, middle.coordinate), (3, 1.5));
        assert_eq!(axis.sample(0, 0).weights, [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(axis.sample(0, 2).weights, [0.0, 0.0, 0.0, 1.0]);
    }

    /// 7.7: exactly a Bezier patch with one segment and both ends open.
    #[test]
    fn one_open_segment_is_a_bezier_patch() {
        let [bezier, spline] = [Axis::bezier(4, 4), Axis::spline(4, 4, 3)];
        for n in 0..=4 {
            assert_eq!(spline.sample(0, n), bezier.sample(0, n), "{n}");
        }
    }

    /// A uniform cubic spline: 1/6, 4/6, 1/6 on a knot, and -1/2, 0, 1/2 in the derivative.
    #[test]
    fn closed_ends() {
        let axis = Axis::spline(5, 2, 0);
        assert_eq!((axis.patches(), axis.cells()), (1, 4));
        let near = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
        let start = axis.sample(0, 0);
        assert!(near(start.weights, [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0, 0.0]));
        assert!(near(start.derivatives, [-0.5, 0.0, 0.5, 0.0]));
        // The knot between the segments belongs to the first.
        let knot = axis.sample(0, 2);
        assert!(knot.first == 0 && near(knot.weights, [0.0, 1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]));
        assert_eq!((axis.sample(0, 3).first, axis.sample(0, 3).coordinate), (1, 1.5));
    }

    /// Knots -2 .. n + 2, clamped to 0 and n at open ends.
    #[test]
    fn open_ends() {
        let axis = Axis::spline(6, 1, 1);
        assert_eq!(axis.knots.as_deref(), Some(&[0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0][..]));
        assert_eq!(axis.sample(0, 0).weights, [1.0, 0.0, 0.0, 0.0]);
        let axis = Axis::spline(6, 1, 2);
        assert_eq!(axis.knots.as_deref(), Some(&[-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0][..]));
        assert_eq!(axis.sample(0, 3).weights, [0.0, 0.0, 0.0, 1.0]);
    }

    /// 7.6: floor((count - 1) / 3) patches; what does not fill one is left out.
    #[test]
    fn control_points_beyond_the_last_patch() {
        assert_eq!([4, 5, 6, 7, 9, 10].map(|count| Axis::bezier(count, 1).patches()), [1, 1, 1, 2, 2, 3]);
    }

    /// 7.7: at the end of a uniform segment the derivative is that at the start, one control point on. There i1 is 0 and
    /// i2 = 0 + 1/2 = i3, divided by K4 - K1 and K5 - K2, both 3.
    #[test]
    fn derivatives_at_a_knot() {
        let expected = [0.0, -0.5, 0.0, 0.5];
        for n in [2, 4] {
            let knot = Axis::spline(5, 2, 0).sample(0, n);
            assert!(knot.derivatives.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{knot:?}");
        }
    }
}
