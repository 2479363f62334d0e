//! Set-up: flat shading, culling, orientation, and corners in drawing space (4.3, 7.1, 7.2, 8.3).

use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::raster::Winding;
use picaflor_pipeline::ge::vertex::Vertex;

/// Largest distance of a position from the origin, in sixteenths.
const FARTHEST: i32 = 1 << 20;

/// A coordinate s or t that is infinite or a NaN makes that axis 0 in all vertices (4.3, measured). q stays as it is
/// (assumed).
pub(super) fn clear_strange_coordinates(vertices: &mut [Vertex]) {
    for axis in [0, 1] {
        if vertices.iter().any(|vertex| !vertex.texture[axis].is_finite()) {
            vertices.iter_mut().for_each(|vertex| vertex.texture[axis] = 0.0);
        }
    }
}

/// Flat shading: the last vertex colours all. Rectangles are always flat.
pub(super) fn shade(registers: &Registers, shape: Shape, vertices: &mut [Vertex]) {
    let is_smooth = registers.is_smooth() && shape != Shape::Rectangle;
    let Some(&last) = vertices.last() else { return };
    if !is_smooth {
        vertices.iter_mut().for_each(|vertex| {
            (vertex.colour, vertex.secondary) = (last.colour, last.secondary);
        });
    }
}

/// The corners, unused ones repeating the last. `None` if one lies too far away.
pub(super) fn corners(vertices: &[Vertex]) -> Option<[Corner; 3]> {
    let is_near = |c: i32| (-FARTHEST..=FARTHEST).contains(&c);
    let last = vertices.last()?;
    let all_near = vertices.iter().all(|vertex| is_near(vertex.x) && is_near(vertex.y));
    all_near.then(|| std::array::from_fn(|n| corner(vertices.get(n).unwrap_or(last))))
}

fn corner(vertex: &Vertex) -> Corner {
    Corner {
        texture: vertex.texture,
        w: vertex.clip[3],
        x: vertex.x,
        y: vertex.y,
        z: vertex.z,
        colour: vertex.colour,
        secondary: vertex.secondary,
        fog: vertex.fog.into(),
    }
}

/// The triangle turned clockwise; `None` if it is culled or has no area. `is_odd` reverses the culling direction.
pub(super) fn oriented(registers: &Registers, is_odd: bool, [a, b, c]: [Corner; 3]) -> Option<Primitive> {
    let area = area([&a, &b, &c]);
    let (winding, corners) = match area {
        0 => return None,
        1.. => (Winding::Clockwise, [a, b, c]),
        _ => (Winding::CounterClockwise, [c, b, a]),
    };
    let culled = registers.culled().map(|culled| if is_odd { reversed(culled) } else { culled });
    (culled != Some(winding)).then_some(Primitive { corners, shape: Shape::Triangle, reserved: 0 })
}

/// Twice the signed area in 1/256 pixels; above 0 is clockwise on the screen.
fn area([a, b, c]: [&Corner; 3]) -> i64 {
    let [ax, ay, bx, by, cx, cy] = [a.x, a.y, b.x, b.y, c.x, c.y].map(i64::from);
    (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
}

const fn reversed(winding: Winding) -> Winding {
    match winding {
        Winding::Clockwise => Winding::CounterClockwise,
        Winding::CounterClockwise => Winding::Clockwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::primitive::testing::{at, drawn, registers};
    use picaflor_pipeline::ge::stage::primitive::Kind;

    const SMOOTH: u32 = 0x5000_0001;
    const CULL: u32 = 0x1d00_0001;
    const CLOCKWISE: [[i32; 2]; 3] = [[0, 0], [8, 0], [0, 8]];

    fn columns(primitive: &Primitive) -> [i32; 3] {
        primitive.corners.map(|corner| corner.x / 16)
    }

    fn coloured(places: &[[i32; 2]]) -> Vec<Vertex> {
        let vertex = |(n, &[x, y]): (usize, &[i32; 2])| Vertex {
            colour: n as u32 + 1,
            secondary: n as u32 + 0x10,
            ..at(x, y)
        };
        places.iter().enumerate().map(vertex).collect()
    }

    /// 8.3: clockwise as submitted, else v0 and v2 change places.
    #[test]
    fn triangles_are_clockwise() {
        let plain = registers(&[SMOOTH]);
        let vertices = coloured(&CLOCKWISE);
        let one = drawn(&plain, Kind::Triangles, &vertices);
        assert_eq!((one.len(), columns(&one[0])), (1, [0, 8, 0]));
        assert_eq!(one[0].corners.map(|corner| corner.colour), [1, 2, 3]);
        let reversed = drawn(&plain, Kind::Triangles, &[vertices[0], vertices[2], vertices[1]]);
        assert_eq!(reversed[0].corners.map(|corner| corner.colour), [2, 3, 1]);
        assert!(drawn(&plain, Kind::Triangles, &coloured(&[[0, 0], [4, 4], [8, 8]])).is_empty());
    }

    /// 7.2: FFACE 0 kills clockwise, 1 the others; strips alternate; clear mode kills nothing.
    #[test]
    fn culling() {
        let [a, b, c] = <[Vertex; 3]>::try_from(coloured(&CLOCKWISE)).unwrap();
        let survives = |words: &[u32], order: [Vertex; 3]| {
            let registers = registers(&[&[CULL][..], words].concat());
            !drawn(&registers, Kind::Triangles, &order).is_empty()
        };
        assert!(!survives(&[], [a, b, c]) && survives(&[], [a, c, b]));
        assert!(survives(&[0x9b00_0001], [a, b, c]) && !survives(&[0x9b00_0001], [a, c, b]));
        assert!(survives(&[0xd300_0001], [a, b, c]));
        // A quad as a strip: both halves look the same way.
        let quad = coloured(&[[0, 0], [8, 0], [0, 8], [8, 8]]);
        assert_eq!(drawn(&registers(&[CULL]), Kind::TriangleStrip, &quad).len(), 0);
        assert_eq!(drawn(&registers(&[CULL, 0x9b00_0001]), Kind::TriangleStrip, &quad).len(), 2);
    }

    /// 7.1: the last vertex as submitted, before the turn.
    #[test]
    fn flat_shading() {
        let [a, b, c] = <[Vertex; 3]>::try_from(coloured(&CLOCKWISE)).unwrap();
        for (order, colour) in [([a, b, c], 3), ([a, c, b], 2)] {
            let one = drawn(&registers(&[]), Kind::Triangles, &order);
            assert!(one[0].corners.iter().all(|corner| corner.colour == colour));
            assert!(one[0].corners.iter().all(|corner| corner.secondary == colour + 0xf));
        }
        let line = drawn(&registers(&[]), Kind::Lines, &[a, b]);
        assert_eq!(line[0].corners.map(|corner| corner.colour), [2; 3]);
        let line = drawn(&registers(&[SMOOTH]), Kind::Lines, &[a, b]);
        assert_eq!(line[0].corners.map(|corner| corner.colour), [1, 2, 2]);
        let rectangle = drawn(&registers(&[SMOOTH]), Kind::Rectangles, &[a, b]);
        assert_eq!(rectangle[0].corners.map(|corner| corner.colour), [2; 3]);
        assert_eq!(columns(&rectangle[0]), [0, 8, 8]);
    }

    /// Item 33.
    #[test]
    fn far_positions_are_dropped() {
        let far = |x: i32| drawn(&registers(&[]), Kind::Points, &[Vertex { x, ..at(0, 0) }]).len();
        let limit = 1 << 20;
        assert_eq!([limit, -limit, limit + 1, -limit - 1, i32::MAX, i32::MIN].map(far), [1, 1, 0, 0, 0, 0]);
    }

    /// 4.3, item 18: one of the vertices is enough, and the other axis stays.
    #[test]
    fn coordinates_that_are_no_numbers() {
        for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut vertices = coloured(&CLOCKWISE);
            vertices.iter_mut().for_each(|vertex| vertex.texture = [0.5, 0.25, 1.0]);
            vertices[1].texture[0] = strange;
            let one = drawn(&registers(&[]), Kind::Triangles, &vertices);
            assert_eq!(one[0].corners.map(|corner| corner.texture), [[0.0, 0.25, 1.0]; 3]);
        }
    }

    /// 5.5: the pieces of a clipped triangle have the flat colour of the whole.
    #[test]
    fn pieces_are_flat_too() {
        let float = |command: u32, value: f32| command << 24 | value.to_bits() >> 8;
        let viewport = [0x42, 0x43, 0x45, 0x46].map(|command| float(command, 1024.0));
        let registers = registers(&[&viewport[..], &[0x1c00_0001]].concat());
        let mut vertices = coloured(&CLOCKWISE);
        for (vertex, clip) in
            vertices.iter_mut().zip([[0.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 0.5, -2.0, 1.0]])
        {
            let place = crate::ge::vertex::project::project(clip, &registers);
            *vertex = Vertex { clip, x: place.x, y: place.y, outside: place.outside, ..*vertex };
        }
        let pieces = drawn(&registers, Kind::Triangles, &vertices);
        assert_eq!(pieces.len(), 2);
        assert!(pieces.iter().flat_map(|piece| piece.corners).all(|corner| corner.colour == 3));
    }

    /// The sign of the area does not depend on the place: far from the origin, a small triangle turns as it does there.
    #[test]
    fn triangles_turn_alike_everywhere() {
        for [x, y] in [[0, 0], [100, 0], [0, 100], [100, 100]] {
            let moved = CLOCKWISE.map(|[a, b]| [a + x, b + y]);
            let one = drawn(&registers(&[SMOOTH]), Kind::Triangles, &coloured(&moved));
            assert_eq!(one[0].corners.map(|corner| corner.colour), [1, 2, 3], "{x} {y}");
            assert!(drawn(&registers(&[CULL]), Kind::Triangles, &coloured(&moved)).is_empty(), "{x} {y}");
            // The third corner above the others: counter-clockwise.
            let upward = [[x, y + 8], [x + 8, y + 8], [x, y]];
            assert_eq!(drawn(&registers(&[CULL]), Kind::Triangles, &coloured(&upward)).len(), 1, "{x} {y}");
        }
    }
}
