//! Coverage of triangles: exact edge functions at pixel centres.
//!
//! Source: psp-ge.md 8.1, measured on a console (triangle).

use picaflor_pipeline::ge::raster::Corner;

/// Centre of a pixel, in sixteenths.
#[must_use]
#[inline]
pub(crate) const fn centre(pixel: i32) -> i32 {
    16 * pixel + 8
}

/// The edge functions of a clockwise triangle. Number i belongs to the edge opposite corner i.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edges {
    edges: [Edge; 3],
}

/// `E = dx * (py - y) - dy * (px - x)` for an edge that starts at (x, y).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edge {
    dx: i64,
    dy: i64,
    x: i64,
    y: i64,
}

impl Edge {
    #[inline]
    fn new(from: &Corner, to: &Corner) -> Self {
        let [x, y] = [i64::from(from.x), i64::from(from.y)];
        Self { dx: i64::from(to.x) - x, dy: i64::from(to.y) - y, x, y }
    }

    const fn at(&self, x: i64, y: i64) -> i64 {
        self.dx * (y - self.y) - self.dy * (x - self.x)
    }

    const fn steps(&self) -> [i64; 2] {
        [-16 * self.dy, 16 * self.dx]
    }

    /// True if samples exactly on the edge are inside: on left edges and on horizontal top edges.
    const fn is_inclusive(&self) -> bool {
        self.dy < 0 || (self.dy == 0 && self.dx > 0)
    }
}

impl Edges {
    /// The edge functions of the triangle with these corners, clockwise on the screen.
    #[must_use]
    #[inline]
    pub(crate) fn new([a, b, c]: &[Corner; 3]) -> Self {
        Self { edges: [Edge::new(b, c), Edge::new(c, a), Edge::new(a, b)] }
    }

    /// The three functions at the centre of a pixel. Their sum is twice the area, in 1/256 pixels.
    #[must_use]
    #[inline]
    pub(crate) fn at(&self, x: i32, y: i32) -> [i64; 3] {
        let [x, y] = [i64::from(centre(x)), i64::from(centre(y))];
        let [a, b, c] = &self.edges;
        [a.at(x, y), b.at(x, y), c.at(x, y)]
    }

    /// Change of each function to the next pixel on the right, and to the next one down.
    #[must_use]
    #[inline]
    pub(crate) const fn steps(&self) -> [[i64; 2]; 3] {
        let [a, b, c] = &self.edges;
        [a.steps(), b.steps(), c.steps()]
    }

    /// True if a pixel with these function values is covered.
    #[cfg(test)]
    #[must_use]
    #[inline]
    pub(crate) fn covers(&self, values: [i64; 3]) -> bool {
        values.iter().zip(&self.edges).all(|(&value, edge)| value > 0 || (value == 0 && edge.is_inclusive()))
    }

    /// The smallest value of each function inside: 0 if samples exactly on the edge are inside.
    #[must_use]
    #[inline]
    pub(crate) fn least(&self) -> [i64; 3] {
        let [a, b, c] = &self.edges;
        let least = |edge: &Edge| i64::from(!edge.is_inclusive());
        [least(a), least(b), least(c)]
    }
}

/// Twice the area of the triangle of three positions, in 1/256 pixels; above 0 if it is clockwise on the screen, y
/// down (7.2).
#[must_use]
#[inline]
pub(crate) fn signed_area([a, b, c]: [(i32, i32); 3]) -> i64 {
    let from_a = |p: (i32, i32)| [i64::from(p.0) - i64::from(a.0), i64::from(p.1) - i64::from(a.1)];
    let [[x1, y1], [x2, y2]] = [from_a(b), from_a(c)];
    x1 * y2 - x2 * y1
}
