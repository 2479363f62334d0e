//! Coverage: the pixels of a triangle.
//!
//! A sample lies in the centre of its pixel. A sample on an edge belongs to the triangle if the edge is a left edge
//! or a horizontal one on the low side, not if it is a right edge or a horizontal one on the high side; so triangles
//! that share an edge cover each pixel once. The rule is software tradition, not measured. Edge values are exact; no
//! decision uses floats.
//!
//! Source: pica-geometry.md 6.1-6.2.

use super::Sample;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::rect::Rect;

/// An edge from a to b: its value is positive to the left of it.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// At the first pixel of the current row.
    value: i64,
    /// Change per pixel to the right.
    right: i64,
    /// Change per pixel upward.
    up: i64,
    /// Smallest value inside: 0 if the edge owns the samples on it, else 1.
    least: i64,
}

impl Edge {
    /// The edge opposite to vertex `i`, at pixel (`x`, `y`).
    fn opposite(triangle: &Triangle, i: usize, x: i32, y: i32) -> Self {
        let (a, b) = ((i + 1) % 3, (i + 2) % 3);
        let [ax, ay, bx, by] = [triangle.x[a], triangle.y[a], triangle.x[b], triangle.y[b]];
        let [dx, dy] = [bx - ax, by - ay].map(i64::from);
        let [from_x, from_y] = [16 * x + 8 - ax, 16 * y + 8 - ay].map(i64::from);
        let open = dy > 0 || dy == 0 && dx < 0;
        Self { value: dx * from_y - dy * from_x, right: -16 * dy, up: 16 * dx, least: i64::from(open) }
    }

    /// Narrows `first .. end`, columns of the current row, to those inside.
    fn narrow(&self, first: &mut i64, end: &mut i64) {
        let spare = self.value - self.least;
        if self.right > 0 && spare < 0 {
            *first = (*first).max(-spare.div_euclid(self.right));
        } else if self.right < 0 && spare + (*end - 1) * self.right < 0 {
            *end = (*end).min(spare.div_euclid(-self.right) + 1);
        } else if self.right == 0 && spare < 0 {
            *end = 0;
        }
    }
}

/// The covered pixels of a triangle inside a rectangle, see [`Pixels::samples`](super::Pixels::samples).
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    edges: [Edge; 3],
    rect: Rect,
    /// The next row.
    y: i32,
    /// The next pixel of the current row, and the end of the row.
    x: i32,
    end: i32,
    /// Edge values at the next pixel.
    e: [i64; 3],
    row: i32,
}

impl Samples {
    pub(crate) fn new(triangle: &Triangle, rect: Rect) -> Self {
        let rect = rect.intersect(triangle.bounds());
        let rect = if rect.is_empty() { Rect { x0: 0, y0: 0, x1: 0, y1: 0 } } else { rect };
        let edges = [0, 1, 2].map(|i| Edge::opposite(triangle, i, rect.x0, rect.y0));
        Self { edges, rect, y: rect.y0, x: 0, end: 0, e: [0; 3], row: 0 }
    }

    /// Advances to the first pixel of the next non-empty row; false if there is none.
    fn next_row(&mut self) -> bool {
        while self.y < self.rect.y1 {
            let (mut first, mut end) = (0, i64::from(self.rect.x1 - self.rect.x0));
            self.edges.iter().for_each(|edge| edge.narrow(&mut first, &mut end));
            self.e = self.edges.map(|edge| edge.value + first * edge.right);
            self.edges.iter_mut().for_each(|edge| edge.value += edge.up);
            self.row = self.y;
            self.y += 1;
            if first < end {
                self.x = self.rect.x0 + first as i32;
                self.end = self.rect.x0 + end as i32;
                return true;
            }
        }
        false
    }
}

impl Iterator for Samples {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        if self.x >= self.end && !self.next_row() {
            return None;
        }
        let sum = self.e[0] + self.e[1] + self.e[2];
        let sample = Sample { x: self.x, y: self.row, e: self.e.map(|e| e as f32), sum: sum as f32 };
        self.x += 1;
        for (e, edge) in self.e.iter_mut().zip(&self.edges) {
            *e += edge.right;
        }
        Some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::raster::Pixels as _;
    use picaflor_pipeline::pica::vertex::SEMANTICS;
    use picaflor_pipeline::random::bits;

    /// A number below `bound`, and the next seed.
    fn random(seed: &mut u64, bound: i32) -> i32 {
        ((bits(seed) >> 33) % bound as u64) as i32
    }

    /// A triangle with corners in sixteenths of a pixel, w 1 and all else 0; `None` if it has no area.
    fn window_triangle(points: [[i32; 2]; 3]) -> Option<Triangle> {
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

    const SCREEN: Rect = Rect { x0: 0, y0: 0, x1: 48, y1: 40 };

    /// The rule as the manual writes it, pixel by pixel.
    fn covers(triangle: &Triangle, x: i32, y: i32) -> bool {
        let [px, py] = [16 * x + 8, 16 * y + 8].map(i128::from);
        let [tx, ty] = [triangle.x, triangle.y].map(|side| side.map(i128::from));
        [(0, 1), (1, 2), (2, 0)].iter().all(|&(a, b)| {
            let e = (tx[b] - tx[a]) * (py - ty[a]) - (ty[b] - ty[a]) * (px - tx[a]);
            let open = ty[b] > ty[a] || ty[b] == ty[a] && tx[b] < tx[a];
            e > 0 || e == 0 && !open
        })
    }

    fn pixels(rect: Rect) -> impl Iterator<Item = (i32, i32)> {
        (rect.y0..rect.y1).flat_map(move |y| (rect.x0..rect.x1).map(move |x| (x, y)))
    }

    fn check(points: [[i32; 2]; 3], rect: Rect) -> usize {
        let Some(triangle) = window_triangle(points) else { return 0 };
        let expected: Vec<_> = pixels(rect).filter(|&(x, y)| covers(&triangle, x, y)).collect();
        let found: Vec<_> = triangle.samples(rect).map(|at| (at.x, at.y)).collect();
        assert_eq!(found, expected, "{points:?} in {rect:?}");
        found.len()
    }

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn coverage_is_the_rule_pixel_by_pixel() {
        let mut seed = 1;
        let mut covered = 0;
        for round in 0..3000 {
            // Half the rounds on quarter pixels, so that many samples lie on edges.
            let (grid, reach) = if round % 2 == 0 { (1, 900) } else { (4, 225) };
            let points = [(); 3].map(|()| [(); 2].map(|()| (random(&mut seed, reach) - reach / 9) * grid));
            covered += check(points, SCREEN);
            let [x0, y0] = [(); 2].map(|()| random(&mut seed, 40) - 8);
            covered += check(points, Rect { x0, y0, x1: x0 + 8, y1: y0 + 16 });
        }
        assert!(covered > 100_000, "{covered}");
    }

    #[test]
    fn coordinates_at_the_bound() {
        let far = 1 << 18;
        let all = (SCREEN.x1 * SCREEN.y1) as usize;
        assert_eq!(check([[-far, -far], [far, -far], [0, far]], SCREEN), all);
        check([[-far, -far], [far, far], [far, far - 1]], SCREEN);
        check([[-far, -far], [far, far - 1], [-far, far]], SCREEN);
        check([[-far, 8], [far, 9], [far, 24]], SCREEN);
    }

    #[test]
    fn edge_values_are_exact() {
        let mut seed = 7;
        for _ in 0..500 {
            let points = [(); 3].map(|()| [(); 2].map(|()| random(&mut seed, 1200) - 200));
            let Some(triangle) = window_triangle(points) else { continue };
            for at in triangle.samples(SCREEN) {
                let [px, py] = [16 * at.x + 8, 16 * at.y + 8];
                let exact = [0, 1, 2].map(|i| {
                    let (a, b) = ((i + 1) % 3, (i + 2) % 3);
                    let (x, y) = (&triangle.x, &triangle.y);
                    i64::from((x[b] - x[a]) * (py - y[a])) - i64::from((y[b] - y[a]) * (px - x[a]))
                });
                assert_eq!(at.e, exact.map(|e| e as f32));
                assert_eq!(at.sum, exact.iter().sum::<i64>() as f32);
            }
        }
    }

    #[test]
    fn who_owns_the_edges() {
        // A square from sample to sample: left and low edges are in, right and high ones are not.
        let [low, high] = [16 * 2 + 8, 16 * 5 + 8];
        let corners = [[low, low], [high, low], [high, high], [low, high]];
        let halves = [[0, 1, 2], [0, 2, 3]].map(|half| half.map(|i| corners[i]));
        let mut found: Vec<_> = halves
            .iter()
            .flat_map(|&half| window_triangle(half).unwrap().samples(SCREEN).map(|at| (at.x, at.y)))
            .collect();
        found.sort_by_key(|&(x, y)| (y, x));
        let expected = Rect { x0: 2, y0: 2, x1: 5, y1: 5 };
        assert_eq!(found, pixels(expected).collect::<Vec<_>>());
    }

    /// A mesh over the whole screen whose inner corners are moved about covers each pixel once.
    #[test]
    fn shared_edges_cover_each_pixel_once() {
        let (columns, rows, cell) = (12, 10, 64);
        let mut seed = 3;
        for grid in [1, 2, 8] {
            let mut corner = |column: i32, row: i32| {
                let inner = column % columns != 0 && row % rows != 0;
                let jitter = [(); 2].map(|()| (random(&mut seed, 28 / grid) - 14 / grid) * grid);
                let [dx, dy] = if inner { jitter } else { [0, 0] };
                [column * cell + dx, row * cell + dy]
            };
            let line = columns + 1;
            let corners: Vec<_> = (0..line * (rows + 1)).map(|n| corner(n % line, n / line)).collect();
            let mut times = vec![0; (SCREEN.x1 * SCREEN.y1) as usize];
            for n in (0..line * rows).filter(|n| n % line != columns) {
                for part in [[n, n + 1, n + line], [n + 1, n + line + 1, n + line]] {
                    let triangle = window_triangle(part.map(|n| corners[n as usize])).unwrap();
                    triangle.samples(SCREEN).for_each(|at| times[(at.y * SCREEN.x1 + at.x) as usize] += 1);
                }
            }
            assert!(times.iter().all(|&n| n == 1), "corners on multiples of {grid}: {times:?}");
        }
    }

    #[test]
    fn a_fan_covers_its_hub_once() {
        let hub = [16 * 20 + 8, 16 * 20 + 8];
        let rim = [[160, 0], [16, 320], [-160, 160], [-320, -16], [0, -328], [200, -200]];
        let mut times = 0;
        for i in 0..rim.len() {
            let ends = [rim[i], rim[(i + 1) % rim.len()]].map(|[x, y]| [hub[0] + x, hub[1] + y]);
            let part = window_triangle([hub, ends[0], ends[1]]).unwrap();
            times += part.samples(SCREEN).filter(|at| (at.x, at.y) == (20, 20)).count();
        }
        assert_eq!(times, 1);
    }
}
