//! Triangles for tests.

use super::Triangle;
use crate::pica::vertex::SEMANTICS;

/// A number below `bound`, and the next seed.
pub(crate) fn random(seed: &mut u64, bound: i32) -> i32 {
    ((crate::random::bits(seed) >> 33) % bound as u64) as i32
}

/// A triangle with corners in sixteenths of a pixel, w 1 and all else 0; `None` if it has no area.
pub(crate) fn window_triangle(points: [[i32; 2]; 3]) -> Option<Triangle> {
    let [x, y] = [0, 1].map(|axis| points.map(|point| point[axis]));
    let side = |to: usize| [x[to] - x[0], y[to] - y[0]].map(i64::from);
    let ([x1, y1], [x2, y2]) = (side(1), side(2));
    let order = match (x1 * y2 - y1 * x2).signum() {
        0 => return None,
        1 => [0, 1, 2],
        _ => [0, 2, 1],
    };
    let turned = |side: [i32; 3]| order.map(|i| side[i]);
    let (z, r, p) = ([0.0; 3], [1.0; 3], [[0.0; SEMANTICS]; 3]);
    Some(Triangle { x: turned(x), y: turned(y), z, r, p, flat_colour: None })
}
