//! Coverage by brute force in exact arithmetic: for each pixel, where does the ray through its centre meet the triangle?
//!
//! Nothing is clipped, snapped, divided or stepped. A pixel is a direction `d` in clip space; the point of the
//! triangle that is seen in it is `sum(l_i * v_i) = d`, solved by Cramer's rule in integers. The pixel is covered if
//! no `l_i` is negative and the point lies inside the planes that the machine clips by. Everything is linear in the
//! pixel's position, so the distance to the nearest border is known too: samples closer than what the machine's grid
//! may move a corner are left out of the comparison.

/// Distance in pixels within which a machine's grid may decide either way.
const MARGIN: f64 = 0.2;

/// A vertex in clip space: x, y, z, w in any common unit.
pub(super) type Clip = [i64; 4];

/// The pixels of a picture as directions in clip space: pixel (column, row) is
/// `[x[0] * (2 * column + 1) + x[1], y[0] * (2 * row + 1) + y[1], w]`, with w above 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Factor and summand for the columns.
    pub(super) x: [i64; 2],
    /// Factor and summand for the rows.
    pub(super) y: [i64; 2],
    /// w of all directions.
    pub(super) w: i64,
}

/// A plane of the clip volume: points whose product with it is not negative are inside.
pub(super) type Plane = [i64; 4];

/// What is known of a pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Seen {
    /// The triangle does not cover it.
    No,
    /// It does, and here the corners have these weights (sum 1, in clip space: perspective).
    Yes([f64; 3]),
    /// Too close to a border.
    Unknown,
}

/// A triangle in clip space with the planes by which the machine clips it.
#[derive(Debug, Clone)]
pub(super) struct Triangle {
    corners: [Clip; 3],
    planes: Vec<Plane>,
}

/// A linear function of the pixel: its value is `at` in the pixel, and changes by `step` to the next column and row.
#[derive(Debug, Clone, Copy)]
struct Linear {
    at: i128,
    step: [i128; 2],
}

impl Linear {
    /// Signed distance in pixels from the line where the function is zero; far away if it is constant.
    fn distance(self) -> f64 {
        let [x, y] = self.step.map(|step| step as f64);
        let slope = x.hypot(y);
        match slope > 0.0 {
            true => self.at as f64 / slope,
            false => (self.at.signum() as f64) * 1e9,
        }
    }
}

impl Triangle {
    /// The triangle with these corners.
    pub(super) const fn new(corners: [Clip; 3], planes: Vec<Plane>) -> Self {
        Self { corners, planes }
    }

    /// Determinant of x, y, w of the corners: its sign is the orientation as seen from the eye.
    pub(super) fn determinant(&self) -> i128 {
        let [a, b, c] = self.corners.map(|[x, y, _, w]| [x, y, w]);
        determinant([a, b, c])
    }

    /// Whether and where the triangle is seen in a pixel.
    pub(super) fn seen(&self, window: &Window, column: i64, row: i64) -> Seen {
        let whole = self.determinant();
        if whole == 0 {
            return Seen::No;
        }
        let weights = [0, 1, 2].map(|i| self.weight(window, column, row, i, whole.signum()));
        let borders =
            weights.iter().copied().chain(self.planes.iter().map(|plane| self.height(plane, &weights)));
        let mut nearest = f64::INFINITY;
        for border in borders {
            let distance = border.distance();
            if distance <= -MARGIN {
                return Seen::No;
            }
            nearest = nearest.min(distance);
        }
        if nearest < MARGIN {
            return Seen::Unknown;
        }
        let sum: f64 = weights.iter().map(|weight| weight.at as f64).sum();
        Seen::Yes(weights.map(|weight| weight.at as f64 / sum))
    }

    /// Weight of corner `i`, times the magnitude of the determinant.
    fn weight(&self, window: &Window, column: i64, row: i64, i: usize, sign: i128) -> Linear {
        let at = |column, row| {
            let mut rows = self.corners.map(|[x, y, _, w]| [x, y, w]);
            rows[i] = [
                window.x[0] * (2 * column + 1) + window.x[1],
                window.y[0] * (2 * row + 1) + window.y[1],
                window.w,
            ];
            determinant(rows) * sign
        };
        let here = at(column, row);
        Linear { at: here, step: [at(column + 1, row) - here, at(column, row + 1) - here] }
    }

    /// Height of the point above a plane: the weighted sum of those of the corners.
    fn height(&self, plane: &Plane, weights: &[Linear; 3]) -> Linear {
        let heights = self.corners.map(|corner| {
            corner.iter().zip(plane).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum::<i128>()
        });
        let sum = |of: &dyn Fn(&Linear) -> i128| {
            weights.iter().zip(heights).map(|(weight, height)| of(weight) * height).sum()
        };
        Linear { at: sum(&|l| l.at), step: [sum(&|l| l.step[0]), sum(&|l| l.step[1])] }
    }
}

fn determinant(rows: [[i64; 3]; 3]) -> i128 {
    let [a, b, c] = rows.map(|row| row.map(i128::from));
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Least and most of a function over the places where the sample may be taken, if corners move by as much as the
/// margin: the pixel's centre and its surroundings, as far as they are known to be covered.
pub(super) fn range(
    triangle: &Triangle,
    window: &Window,
    (column, row): (i64, i64),
    value: impl Fn([f64; 3]) -> f64,
) -> Option<[f64; 2]> {
    let Seen::Yes(weights) = triangle.seen(window, column, row) else { return None };
    let here = value(weights);
    let mut range = [here, here];
    for (column, row) in [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)] {
        // Outside of the triangle weights are negative and still linear.
        let sign = triangle.determinant().signum();
        let weights = [0, 1, 2].map(|i| triangle.weight(window, column, row, i, sign).at as f64);
        let sum: f64 = weights.iter().sum();
        let change = (value(weights.map(|weight| weight / sum)) - here) * MARGIN;
        range = [range[0].min(here + change), range[1].max(here + change)];
    }
    Some(range)
}

#[test]
fn a_square_half_is_seen_where_it_is() {
    // Clip space -1..1 over four pixels; the lower left half.
    let window = Window { x: [1, -4], y: [1, -4], w: 4 };
    let corners = [[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1]];
    let triangle = Triangle::new(corners, Vec::new());
    assert!(triangle.determinant() > 0);
    let seen = |x, y| triangle.seen(&window, x, y);
    assert!(matches!(seen(0, 0), Seen::Yes(_)) && matches!(seen(2, 0), Seen::Yes(_)));
    assert_eq!((seen(3, 0), seen(0, 3)), (Seen::Unknown, Seen::Unknown), "on the diagonal");
    assert_eq!((seen(3, 1), seen(2, 3)), (Seen::No, Seen::No));
    let Seen::Yes([a, b, c]) = seen(0, 0) else { panic!("covered") };
    assert_eq!([a, b, c], [0.75, 0.125, 0.125]);
    // A plane: x not above 0.
    let cut = Triangle::new(corners, vec![[-1, 0, 0, 0]]);
    assert!(matches!(cut.seen(&window, 1, 0), Seen::Yes(_)));
    assert_eq!(cut.seen(&window, 2, 0), Seen::No);
}

#[test]
fn perspective_weights() {
    // A line of sight half way between two corners, one twice as far away: the near one weighs more.
    let window = Window { x: [1, -2], y: [1, -1], w: 2 };
    let corners = [[-2, -2, 0, 2], [4, -4, 0, 4], [0, 8, 0, 2]];
    let Seen::Yes([near, far, _]) = Triangle::new(corners, Vec::new()).seen(&window, 0, 0) else {
        panic!("covered")
    };
    assert!(near > far);
}
