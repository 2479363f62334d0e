//! Clipping against the planes of the view volume and the plane of the program, one after the other.
//!
//! Source: pica-geometry.md 5.3. That x and y are clipped like z is assumed, as are the tolerance and the guard of w.

use super::Vertex;
use picaflor_pipeline::pica::regs::Registers;

/// Vertices that a polygon has room for: three, and one more for each plane. Further ones are dropped; they appear only
/// where rounding or a NaN makes a polygon that is not convex (assumed).
const ROOM: usize = 11;

/// Distances below 0 that count as inside at the two planes of z, against the rounding of binary32.
const TOLERANCE: f32 = 1e-8;

/// The smallest w: 2^-62, the smallest normal number of 24 bits.
const SMALLEST_W: f32 = 1.0 / (1_u64 << 62) as f32;

/// A plane: where a vertex is in relation to it.
struct Plane {
    /// Distance of a vertex from the plane, positive inside.
    distance: Box<dyn Fn(&Vertex) -> f32>,
    /// Distances from here on are inside.
    inside_from: f32,
}

impl Plane {
    fn new(tolerance: f32, distance: impl Fn([f32; 4]) -> f32 + 'static) -> Self {
        Self { distance: Box::new(move |v| distance([v[0], v[1], v[2], v[3]])), inside_from: -tolerance }
    }

    /// False if the distance is NaN.
    fn has_inside(&self, distance: f32) -> bool {
        distance >= self.inside_from
    }

    fn keeps(&self, v: &Vertex) -> bool {
        self.has_inside((self.distance)(v))
    }
}

/// All planes, in the order of clipping.
fn planes(registers: &Registers) -> Vec<Plane> {
    let mut planes = vec![
        Plane::new(0.0, |[x, _, _, w]| w - x),
        Plane::new(0.0, |[x, _, _, w]| w + x),
        Plane::new(0.0, |[_, y, _, w]| w - y),
        Plane::new(0.0, |[_, y, _, w]| w + y),
        Plane::new(TOLERANCE, |[_, _, z, _]| -z),
        Plane::new(TOLERANCE, |[_, _, z, w]| z + w),
        Plane::new(0.0, |[_, _, _, w]| w - SMALLEST_W),
    ];
    if let Some([cx, cy, cz, cw]) = registers.user_clip_plane() {
        planes.push(Plane::new(0.0, move |[x, y, z, w]| ((cx * x + cy * y) + cz * z) + cw * w));
    }
    planes
}

/// The part of a triangle inside all planes, as a convex polygon of at least three vertices, or of none.
pub(super) fn clip(registers: &Registers, corners: [Vertex; 3]) -> Vec<Vertex> {
    let planes = planes(registers);
    let mut polygon = corners.to_vec();
    if planes.iter().all(|plane| corners.iter().all(|v| plane.keeps(v))) {
        return polygon;
    }
    for plane in &planes {
        polygon = clip_at(plane, &polygon);
        if polygon.len() < 3 {
            return Vec::new();
        }
    }
    polygon
}

/// The part of a polygon inside one plane.
fn clip_at(plane: &Plane, polygon: &[Vertex]) -> Vec<Vertex> {
    let mut part = Vec::new();
    let mut previous = polygon.last();
    for current in polygon {
        if let Some(previous) = previous {
            let [from, to] = [previous, current].map(|v| (plane.distance)(v));
            if plane.has_inside(from) != plane.has_inside(to) {
                part.push(between(previous, current, from / (from - to)));
            }
        }
        if plane.keeps(current) {
            part.push(*current);
        }
        previous = Some(current);
    }
    part.truncate(ROOM);
    part
}

/// The vertex between two others; `t` is the weight of `b`. All semantics are mixed, the position included.
fn between(a: &Vertex, b: &Vertex, t: f32) -> Vertex {
    std::array::from_fn(|k| a[k] * (1.0 - t) + b[k] * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex at a position, whose other semantics are `value`.
    fn at([x, y, z, w]: [f32; 4], value: f32) -> Vertex {
        let mut vertex = [value; 24];
        vertex[..4].copy_from_slice(&[x, y, z, w]);
        vertex
    }

    fn with_plane(words: &[(u16, u32)], positions: [[f32; 4]; 3]) -> Vec<Vertex> {
        let mut registers = Registers::new();
        words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        let mut value = 0.0;
        let corners = positions.map(|position| {
            value += 1.0;
            at(position, value)
        });
        clip(&registers, corners)
    }

    fn clipped(positions: [[f32; 4]; 3]) -> Vec<Vertex> {
        with_plane(&[], positions)
    }

    fn position(v: &Vertex) -> [f32; 4] {
        [v[0], v[1], v[2], v[3]]
    }

    const A: [f32; 4] = [-0.5, -0.5, -0.5, 1.0];
    const B: [f32; 4] = [0.5, -0.5, -0.5, 1.0];
    const C: [f32; 4] = [0.0, 0.5, -0.5, 1.0];

    #[test]
    fn inside() {
        assert_eq!(clipped([A, B, C]).iter().map(|v| v[20]).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        // The borders are inside.
        let edge = [[1.0, 1.0, 0.0, 1.0], [-1.0, -1.0, -1.0, 1.0], [1.0, -1.0, 0.0, 1.0]];
        assert_eq!(clipped(edge).len(), 3);
    }

    /// B moves to x = 1.5: at the plane +x, the distance of A is 1.5 and that of B -0.5, so B weighs 3/4.
    #[test]
    fn one_corner_outside() {
        let found = clipped([A, [1.5, -0.5, -0.5, 1.0], [-0.5, 0.5, -0.5, 1.0]]);
        // The edge from the last vertex, A, the vertex on A-B, the vertex on B-C, C.
        let positions: Vec<_> = found.iter().map(position).collect();
        assert_eq!(positions[0], A);
        assert_eq!(positions[1], [1.0, -0.5, -0.5, 1.0]);
        assert_eq!(positions[2], [1.0, -0.25, -0.5, 1.0]);
        assert_eq!(positions.len(), 4);
        assert_eq!(found[1][8], 1.0 * 0.25 + 2.0 * 0.75);
        // From B, whose distance is -0.5, to C: t = -0.5 / (-0.5 - 1.5).
        assert_eq!(found[2][8], 2.0 * 0.75 + 3.0 * 0.25);
    }

    #[test]
    fn outside_of_each_plane() {
        let moved = |d: [f32; 4]| [A, B, C].map(|p: [f32; 4]| std::array::from_fn(|k| p[k] + d[k]));
        let far = [
            [2.0, 0.0, 0.0, 0.0],
            [-2.0, 0.0, 0.0, 0.0],
            [0.0, 2.0, 0.0, 0.0],
            [0.0, -2.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, -1.0, 0.0],
            [0.0, 0.0, 0.0, -2.0],
        ];
        assert_eq!(far.map(|d| clipped(moved(d)).len()), [0; 7]);
    }

    /// pica-geometry.md 5.3: 1e-8 at the planes of z, nothing at the others.
    #[test]
    fn tolerance() {
        let z = |z: f32| clipped([[0.0, 0.0, z, 1.0], B, C]).len();
        assert_eq!([z(1e-8), z(2e-8)], [3, 4]);
        let far =
            |z: f32| clipped([[0.0, 0.0, z, 1000.0], [0.0, 1.0, z, 1000.0], [1.0, 0.0, z, 1000.0]]).len();
        assert_eq!([far(1e-8), far(2e-8)], [3, 0], "the tolerance does not grow with w");
        let low = [[0.0, 0.0, 0.0, 0.0], [1e-9, 0.0, 0.0, 0.0]];
        let distance = |n: usize, v| (planes(&Registers::new())[n].distance)(&at(v, 0.0));
        assert_eq!((distance(0, low[1]), distance(4, [0.0, 0.0, 3.0, 1.0])), (-1e-9, -3.0));
        assert!(!planes(&Registers::new())[0].keeps(&at(low[1], 0.0)), "no tolerance at x");
        assert!(planes(&Registers::new())[5].keeps(&at([0.0, 0.0, -1e-8, 0.0], 0.0)));
    }

    /// A scene in small units: w = 2^-40 is nothing special; w = 2^-62 is the smallest.
    #[test]
    fn smallest_w() {
        assert_eq!(SMALLEST_W.to_bits(), (127 - 62) << 23);
        let scaled = |s: f32| clipped([A, B, C].map(|p| p.map(|c| c * s))).len();
        assert_eq!([scaled(2.0_f32.powi(-40)), scaled(SMALLEST_W), scaled(SMALLEST_W / 2.0)], [3, 3, 0]);
        assert_eq!(clipped([[0.0; 4]; 3]).len(), 0);
    }

    /// x >= 0.25 w, coefficients (1, 0, 0, -0.25): the left part of the triangle disappears.
    #[test]
    fn plane_of_the_program() {
        let words = [(0x047, 1), (0x048, 0x3f_0000), (0x04b, 0xbd_0000)];
        let found = with_plane(&words, [A, B, C]);
        let x: Vec<_> = found.iter().map(|v| v[0]).collect();
        assert_eq!(x, [0.25, 0.5, 0.25]);
        assert_eq!(with_plane(&words[1..], [A, B, C]).len(), 3, "not enabled");
    }

    /// Comparisons with NaN are false: a NaN is outside. The weight on an edge to it is NaN, so both of its successors
    /// are again, at every plane.
    #[test]
    fn nan_is_outside() {
        assert_eq!(clipped([[f32::NAN; 4]; 3]).len(), 0);
        let found = clipped([A, B, [f32::NAN, 0.0, -0.5, 1.0]]);
        assert_eq!(found.iter().map(|v| v[20].is_nan()).collect::<Vec<_>>(), [true, false, false, true]);
    }

    /// A polygon of 11 vertices that alternate between inside and outside has room for 11 of its 16 successors.
    #[test]
    fn room() {
        let zigzag: Vec<_> =
            (0..11).map(|n| at([if n % 2 == 0 { 0.0 } else { 2.0 }, 0.0, -0.5, 1.0], 0.0)).collect();
        assert_eq!(clip_at(&planes(&Registers::new())[0], &zigzag).len(), 11);
    }

    /// 5.3: the plane of the program is the scalar product with its coefficients: 2 + 3 * 10 + 5 * 100 + 7 * 1000.
    #[test]
    fn the_plane_of_the_program() {
        let mut registers = Registers::new();
        let coefficients = [(0x048, 0x40_0000), (0x049, 0x40_8000), (0x04a, 0x41_4000), (0x04b, 0x41_c000)];
        coefficients.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        assert_eq!(planes(&registers).len(), 7);
        registers.set_raw(0x047, 1);
        let plane = &planes(&registers)[7];
        assert_eq!((plane.distance)(&at([1.0, 10.0, 100.0, 1000.0], 0.0)), 7532.0);
        assert!(
            plane.keeps(&at([-7.0, 0.0, 0.0, 2.0], 0.0)) && !plane.keeps(&at([-7.5, 0.0, 0.0, 2.0], 0.0))
        );
    }
}
