//! Clipping of lines and triangles at the near plane z = -w (5.5), in doubles.

use super::reject::is_behind;
use crate::ge::vertex::project::project;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::vertex::{Outside, Vertex};

/// What is left of a line or triangle: nothing, a line, or a fan of triangles. Nothing of it is drawn if one of the
/// vertices that clipping creates lies beside the screen (assumed: "any vertex drops the whole primitive").
pub(super) fn clipped(registers: &Registers, vertices: &[Vertex]) -> Vec<Vec<Vertex>> {
    let edges: &[[usize; 2]] = if vertices.len() == 2 { &[[0, 1]] } else { &[[0, 1], [1, 2], [2, 0]] };
    let mut polygon = vec![];
    for &[from, to] in edges {
        let [start, end] = [&vertices[from], &vertices[to]];
        if !is_behind(start) {
            polygon.push(*start);
        }
        if is_behind(start) != is_behind(end) {
            let crossing = crossing(registers, start, end);
            if crossing.outside & Outside::GUARD_BAND != 0 {
                return vec![];
            }
            polygon.push(crossing);
        }
    }
    match vertices.len() {
        2 => line(polygon, &vertices[1]),
        _ => fan(&polygon),
    }
}

/// The line from what the edge contributed; its end contributes itself.
fn line(mut ends: Vec<Vertex>, last: &Vertex) -> Vec<Vec<Vertex>> {
    if !is_behind(last) {
        ends.push(*last);
    }
    if ends.len() == 2 { vec![ends] } else { vec![] }
}

/// Triangles from the first vertex.
fn fan(polygon: &[Vertex]) -> Vec<Vec<Vertex>> {
    let Some((&first, others)) = polygon.split_first() else { return vec![] };
    others.windows(2).map(|pair| vec![first, pair[0], pair[1]]).collect()
}

/// The vertex where an edge meets the plane. It is computed from the end that is outside.
fn crossing(registers: &Registers, start: &Vertex, end: &Vertex) -> Vertex {
    let [outer, inner] = if is_behind(start) { [start, end] } else { [end, start] };
    let distance = |vertex: &Vertex| vertex.clip[2] + vertex.clip[3];
    let t = distance(outer) / (distance(outer) - distance(inner));
    let mix = |a: f64, b: f64| a + (b - a) * t;
    let clip = std::array::from_fn(|c| mix(outer.clip[c], inner.clip[c]));
    let place = project(clip, registers);
    Vertex {
        clip,
        texture: std::array::from_fn(|c| mix(outer.texture[c], inner.texture[c])),
        x: place.x,
        y: place.y,
        z: place.z,
        colour: mixed(outer.colour, inner.colour, t),
        secondary: mixed(outer.secondary, inner.secondary, t),
        // The cast clamps, and makes 0 of a NaN (assumed).
        fog: mix(outer.fog.into(), inner.fog.into()).floor() as u8,
        outside: place.outside,
        reserved: [0; 2],
    }
}

/// Channels with 256ths of `b`.
fn mixed(a: u32, b: u32, t: f64) -> u32 {
    // The cast clamps, and makes 0 of a NaN (assumed).
    let t8 = (t * 256.0).floor() as u32;
    let [a, b] = [a, b].map(|colour| colour.to_le_bytes().map(u32::from));
    u32::from_le_bytes(std::array::from_fn(|c| {
        ((a[c] * (256 - t8.min(256)) + b[c] * t8.min(256)) >> 8) as u8
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::primitive::testing::registers;

    /// A viewport of 256 x 128 in the middle of the screen, depths 0 to 65535, and clip planes.
    fn set() -> Registers {
        let float = |command: u32, value: f32| command << 24 | value.to_bits() >> 8;
        let scale = [float(0x42, 128.0), float(0x43, -64.0), float(0x44, 32767.5)];
        let centre = [float(0x45, 2048.0), float(0x46, 2048.0), float(0x47, 32767.5)];
        registers(&[&scale[..], &centre, &[0x1c00_0001]].concat())
    }

    /// A vertex with clip coordinates and a number in all other values.
    fn vertex(registers: &Registers, clip: [f64; 4], value: u8) -> Vertex {
        let place = project(clip, registers);
        Vertex {
            clip,
            texture: [f64::from(value), -f64::from(value), 1.0],
            x: place.x,
            y: place.y,
            z: place.z,
            colour: u32::from_le_bytes([value; 4]),
            secondary: u32::from(value),
            fog: value,
            outside: place.outside,
            reserved: [0; 2],
        }
    }

    /// From z = -3 (d = -2) to z = 0 (d = 1): t = 2/3, t8 = 170. x is 3 + (0 - 3) * 2/3 = 1.
    #[test]
    fn values_at_the_plane() {
        let set = set();
        let [outer, inner] =
            [vertex(&set, [3.0, 0.0, -3.0, 1.0], 0), vertex(&set, [0.0, 0.0, 0.0, 1.0], 255)];
        for edge in [[&outer, &inner], [&inner, &outer]] {
            let crossing = crossing(&set, edge[0], edge[1]);
            assert_eq!(crossing.clip, [1.0, 0.0, -1.0, 1.0]);
            assert_eq!((crossing.x, crossing.y, crossing.z), (16 * 2176, 16 * 2048, 0));
            assert_eq!(crossing.texture, [170.0, -170.0, 1.0]);
            // 255 * 170 / 256 = 169.3
            assert_eq!((crossing.colour, crossing.secondary, crossing.fog), (0xa9a9_a9a9, 0xa9, 170));
        }
    }

    /// 256 - t8 of the outer end and t8 of the inner one: t = 1/3, t8 = 85, (255 * 171) >> 8 = 170.
    #[test]
    fn colours_from_the_outer_end() {
        assert_eq!(mixed(0xff, 0, 1.0 / 3.0), 170);
        assert_eq!(mixed(0, 0xff, 1.0 / 3.0), 84);
        assert_eq!([mixed(0x12, 0x34, 1.0), mixed(0x12, 0x34, 0.0)], [0x34, 0x12]);
    }

    /// Order of the polygon: each edge contributes its start if inside, then the crossing.
    #[test]
    fn polygons_keep_their_order() {
        let set = set();
        let inside = |x: f64, value| vertex(&set, [x, 0.5, 0.0, 1.0], value);
        let behind = |x: f64, value| vertex(&set, [x, -0.5, -2.0, 1.0], value);
        let values = |vertices: [Vertex; 3]| -> Vec<Vec<u8>> {
            let pieces = clipped(&set, &vertices);
            pieces.iter().map(|piece| piece.iter().map(|vertex| vertex.fog).collect()).collect()
        };
        // d = -1 and 1: crossings are halfway.
        let two = values([inside(0.0, 10), inside(0.5, 20), behind(0.0, 40)]);
        assert_eq!(two, [[10, 20, 30], [10, 30, 25]]);
        let one = values([behind(0.0, 40), behind(0.5, 20), inside(0.0, 10)]);
        assert_eq!(one, [[15, 10, 25]]);
        assert!(values([behind(0.0, 1), behind(0.5, 2), behind(0.0, 3)]).is_empty());
    }

    #[test]
    fn lines_keep_their_direction() {
        let set = set();
        let [inside, behind] =
            [vertex(&set, [0.0, 0.0, 0.0, 1.0], 10), vertex(&set, [0.0, 0.0, -2.0, 1.0], 40)];
        let fogs =
            |ends: [Vertex; 2]| clipped(&set, &ends).concat().iter().map(|v| v.fog).collect::<Vec<_>>();
        assert_eq!(fogs([inside, behind]), [10, 25]);
        assert_eq!(fogs([behind, inside]), [25, 10]);
        assert!(fogs([behind, behind]).is_empty());
    }

    /// A crossing at x = 20 is drawn at 2048 + 2560, beyond 4096.
    #[test]
    fn created_vertices_are_tested() {
        let set = set();
        let ends = [vertex(&set, [40.0, 0.0, -2.0, 1.0], 0), vertex(&set, [0.0, 0.0, 0.0, 1.0], 0)];
        assert!(clipped(&set, &ends).is_empty());
    }

    /// 5.5: w of the plane's vertices is divided by as is, also below 0.
    #[test]
    fn on_the_plane_is_inside() {
        let set = set();
        assert!(!is_behind(&vertex(&set, [1.0, 1.0, 1.0, -1.0], 0)));
        assert!(is_behind(&vertex(&set, [1.0, 1.0, 0.5, -1.0], 0)));
    }
}
