//! Rejection, clipping and culling: the tables of psp-ge.md 5.5, 14.8, 14.15.

use super::assembly::Group;
use super::set_up::SetUp;
use crate::ge::raster::triangle::Edges;
use crate::ge::vertex::project::project;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vertex::Vertex;

/// Registers with a viewport of this half size, whose middle is drawn at `centre`.
fn registers(half: [f32; 2], centre: [u32; 2], clamps: bool) -> Registers {
    let mut registers = Registers::default();
    let mut set = |command: u8, argument: u32| registers.write(u32::from(command) << 24 | argument);
    let floats = [
        (op::XSCALE, half[0]),
        (op::YSCALE, half[1]),
        (op::ZSCALE, 32767.5),
        (op::XPOS, 2048.0),
        (op::YPOS, 2048.0),
        (op::ZPOS, 32767.5),
    ];
    floats.iter().for_each(|&(command, value)| set(command, value.to_bits() >> 8));
    set(op::OFFSETX, (2048 - centre[0]) << 4);
    set(op::OFFSETY, (2048 - centre[1]) << 4);
    set(op::CPE, u32::from(clamps));
    set(op::SCISSOR2, 0xf_ffff);
    set(op::REGION2, 0xf_ffff);
    set(op::SHADE, 1);
    registers
}

fn vertex(clip: [f64; 4], registers: &Registers) -> Vertex {
    let clip = clip.map(t16);
    let projected = project(clip, registers);
    let (x, y, z, outside) = (projected.x, projected.y, projected.z, projected.outside);
    Vertex { clip, x, y, z, outside, ..Vertex::EMPTY }
}

fn primitives(shape: Shape, vertices: &[Vertex], registers: &Registers) -> Vec<Primitive> {
    let mut out = Vec::new();
    let vertices = std::array::from_fn(|n| &vertices[n.min(vertices.len() - 1)]);
    SetUp::new(registers, &mut out).add(Group { shape, vertices, is_odd: false });
    out
}

/// Pixels in the drawing area that triangles cover, in order.
fn pixels(triangles: &[Primitive], registers: &Registers) -> Vec<(i32, i32)> {
    let mut all = Vec::new();
    for triangle in triangles {
        let edges = Edges::new(&triangle.corners);
        let area = triangle.bounds().intersect(registers.drawing_area());
        let candidates = (area.y0..area.y1).flat_map(|y| (area.x0..area.x1).map(move |x| (x, y)));
        all.extend(candidates.filter(|&(x, y)| edges.covers(edges.at(x, y))));
    }
    all
}

/// The pixels of the triangle of the capture, with corner i times `scale[i]`.
fn covered(corners: [[f64; 4]; 3], clamps: bool) -> Vec<(i32, i32)> {
    let registers = registers([128.0, 64.0], [256, 128], clamps);
    let vertices = corners.map(|clip| vertex(clip, &registers));
    pixels(&primitives(Shape::Triangle, &vertices, &registers), &registers)
}

/// Pixels of the topmost row and of the rightmost column.
fn counts(corners: [[f64; 4]; 3], clamps: bool) -> (usize, usize) {
    let all = covered(corners, clamps);
    let top = all.iter().map(|at| at.1).min().unwrap_or(0);
    let right = all.iter().map(|at| at.0).max().unwrap_or(0);
    (all.iter().filter(|at| at.1 == top).count(), all.iter().filter(|at| at.0 == right).count())
}

/// The corners of the capture, (-1, -1, -z), (1, -1, z), (1, 1, z), with x and y times a factor.
fn corners([x, y]: [f64; 2], [near, far]: [f64; 2]) -> [[f64; 4]; 3] {
    [[-x, -y, -near, 1.0], [x, -y, far, 1.0], [x, y, far, 1.0]]
}

#[test]
fn measured_counts() {
    let inside = [1.0, 1.0];
    let cases = [
        (corners(inside, inside), (255, 128), (255, 128)),
        (corners([2.0, 1.0], inside), (510, 128), (510, 128)),
        (corners([1.0, 2.0], inside), (256, 256), (256, 256)),
        (corners(inside, [2.0, 1.0]), (171, 128), (0, 0)),
        (corners(inside, [1.0, 2.0]), (255, 128), (0, 0)),
        (corners(inside, [2.0, 2.0]), (192, 128), (0, 0)),
    ];
    for (corners, clamped, dropped) in cases {
        assert_eq!(counts(corners, true), clamped, "{corners:?}");
        assert_eq!(counts(corners, false), dropped, "{corners:?}");
    }
}

#[test]
fn w_of_all_corners() {
    for (w, top) in [(1.0, 255), (2.0, 255), (0.0, 0), (-1.0, 0), (-2.0, 0)] {
        let corners = corners([1.0; 2], [1.0; 2]).map(|corner| corner.map(|at| at * w));
        assert_eq!([true, false].map(|clamps| counts(corners, clamps).0), [top; 2], "{w}");
    }
}

/// Every corner exactly on the near plane: the whole triangle, whatever the signs, unless all are negative.
#[test]
fn corners_on_the_near_plane() {
    let some = [1.0, 2.0, 1.0 / 1024.0, -1.0 / 1024.0, -1.0];
    for n in 0..125 {
        let ws = [n / 25, n / 5 % 5, n % 5].map(|k| some[k]);
        let [a, b, c] = ws;
        let corners = [[-a, -a, -a, a], [b, -b, -b, b], [c, c, -c, c]];
        let all = covered(corners, true);
        if ws.iter().all(|&w| w < 0.0) {
            assert_eq!(all, []);
        } else {
            assert_eq!((all.len(), all.first()), (16384, Some(&(129, 64))), "{ws:?}");
        }
    }
}

/// Whether a triangle with this corner in place of one in the middle of a 480x272 picture draws anything.
fn draws(corner: [f64; 3], clamps: bool) -> bool {
    let registers = registers([240.0, -136.0], [240, 136], clamps);
    let clip = |[x, y, z]: [f64; 3]| [(x - 240.0) / 240.0, (136.0 - y) / 136.0, z, 1.0];
    let corners = [[100.0, 50.0, 0.5], corner, [300.0, 200.0, 0.5]].map(|at| vertex(clip(at), &registers));
    !primitives(Shape::Triangle, &corners, &registers).is_empty()
}

#[test]
fn guard_band() {
    let inside = [
        [10.0, 200.0, 0.5],
        [-1808.0, 200.0, 0.5],
        [2288.0, 50.0, 0.5],
        [100.0, -1912.0, 0.5],
        [100.0, 2184.0, 0.5],
    ];
    let outside = [[-1809.0, 200.0, 0.5], [2289.0, 50.0, 0.5], [100.0, -1913.0, 0.5], [100.0, 2185.0, 0.5]];
    for clamps in [false, true] {
        assert!(inside.iter().all(|&at| draws(at, clamps)), "{clamps}");
        assert!(!outside.iter().any(|&at| draws(at, clamps)), "{clamps}");
    }
    // A fifth of the range beyond near or far.
    for z in [-1.2, 1.2] {
        assert_eq!([false, true].map(|clamps| draws([10.0, 200.0, z], clamps)), [false, true]);
    }
}

#[test]
fn depth_out_of_range() {
    for (clamps, expected) in [(false, vec![]), (true, vec![65535])] {
        let mut registers = registers([128.0, 64.0], [256, 128], clamps);
        registers.write(u32::from(op::ZPOS) << 24 | 40000.0_f32.to_bits() >> 8);
        let point = vertex([0.0, 0.0, 0.9, 1.0], &registers);
        let depths: Vec<i32> =
            primitives(Shape::Point, &[point], &registers).iter().map(|p| p.corners[0].z).collect();
        assert_eq!(depths, expected);
    }
}

#[test]
fn crossings_have_eight_bits_of_colour() {
    let registers = registers([128.0, 64.0], [256, 128], true);
    let at =
        |clip, colour, fog, s| Vertex { colour, fog, texture: [s, 0.0, 1.0], ..vertex(clip, &registers) };
    let behind = at([-1.0, 0.0, -2.0, 1.0], 0xff00_00ff, 200, 0.0);
    let front = at([1.0, 0.0, 1.0, 1.0], 0x00ff_0001, 101, 3.0);
    let [line] = primitives(Shape::Line, &[behind, front], &registers)[..] else { panic!("no line") };
    let [crossing, end, _] = line.corners;
    // A third of the way, 85 of 256; the end in front stays.
    assert_eq!((crossing.fog, crossing.texture[0], crossing.z), (167, 1.0, 0));
    let mix = |from: u32, to: u32| (from * 171 + to * 85) >> 8;
    assert_eq!(crossing.colour, mix(255, 0) << 24 | mix(0, 255) << 16 | mix(255, 1));
    assert_eq!((end.x, end.colour, end.fog), (384 * 16, 0x00ff_0001, 101));
    // The other way round the line begins at its end in front.
    let [line] = primitives(Shape::Line, &[front, behind], &registers)[..] else { panic!("no line") };
    assert_eq!([line.corners[0], line.corners[1]], [end, crossing]);
    assert_eq!(primitives(Shape::Line, &[behind, behind], &registers), []);
}

/// A triangle on the screen, in pixels.
fn on_screen(corners: [(i32, i32); 3]) -> [Vertex; 3] {
    corners.map(|(x, y)| Vertex { x: 16 * x, y: 16 * y, ..Vertex::EMPTY })
}

#[test]
fn culling_looks_at_the_screen() {
    let clockwise = on_screen([(0, 0), (10, 0), (0, 10)]);
    let [a, b, c] = clockwise;
    let drawn = |bce: u32, fface: u32, clear: u32, vertices: &[Vertex], is_odd| {
        let mut registers = registers([1.0; 2], [0; 2], false);
        for (command, argument) in [(op::BCE, bce), (op::FFACE, fface), (op::CLEAR, clear)] {
            registers.write(u32::from(command) << 24 | argument);
        }
        let mut out = Vec::new();
        let vertices = std::array::from_fn(|n| &vertices[n]);
        let group = Group { shape: Shape::Triangle, vertices, is_odd };
        SetUp::new(&registers, &mut out).add(group);
        out.len()
    };
    for (vertices, is_clockwise) in [([a, b, c], true), ([c, b, a], false)] {
        for is_odd in [false, true] {
            let culled_by = u32::from(is_clockwise == is_odd);
            for fface in [0, 1] {
                let expected = usize::from(fface != culled_by);
                assert_eq!(drawn(1, fface, 0, &vertices, is_odd), expected);
                assert_eq!(drawn(0, fface, 0, &vertices, is_odd), 1);
                assert_eq!(drawn(1, fface, 1, &vertices, is_odd), 1);
            }
        }
    }
    assert_eq!(drawn(0, 0, 0, &on_screen([(0, 0), (5, 5), (10, 10)]), false), 0);
}

#[test]
fn triangles_turn_around_their_middle_corner() {
    let registers = registers([1.0; 2], [0; 2], false);
    let [a, b, c] = on_screen([(0, 0), (10, 0), (0, 10)]);
    let first = |vertices: [Vertex; 3]| {
        let [triangle] = primitives(Shape::Triangle, &vertices, &registers)[..] else {
            panic!("no triangle")
        };
        triangle.corners.map(|corner| (corner.x, corner.y))
    };
    assert_eq!(first([a, b, c]), [(0, 0), (160, 0), (0, 160)]);
    assert_eq!(first([c, b, a]), [(0, 0), (160, 0), (0, 160)]);
    assert_eq!(first([b, a, c]), [(0, 160), (0, 0), (160, 0)]);
}

#[test]
fn flat_colours_come_last() {
    let mut smooth = registers([1.0; 2], [0; 2], false);
    let mut vertices = on_screen([(0, 0), (10, 0), (0, 10)]);
    for (n, vertex) in vertices.iter_mut().enumerate() {
        (vertex.colour, vertex.secondary, vertex.fog) = (n as u32 + 1, n as u32 + 11, n as u8 + 21);
    }
    let colours = |shape, count: usize, registers: &Registers| {
        let all = primitives(shape, &vertices[..count], registers);
        all[0].corners.map(|corner| (corner.colour, corner.secondary, corner.fog))
    };
    assert_eq!(colours(Shape::Triangle, 3, &smooth), [(1, 11, 21), (2, 12, 22), (3, 13, 23)]);
    assert_eq!(colours(Shape::Line, 2, &smooth), [(1, 11, 21), (2, 12, 22), (2, 12, 22)]);
    assert_eq!(colours(Shape::Point, 1, &smooth), [(1, 11, 21); 3]);
    let mut clearing = smooth.clone();
    clearing.write(u32::from(op::CLEAR) << 24 | 1);
    smooth.write(u32::from(op::SHADE) << 24);
    for flat in [smooth, clearing] {
        assert_eq!(colours(Shape::Triangle, 3, &flat), [(3, 13, 21), (3, 13, 22), (3, 13, 23)]);
        assert_eq!(colours(Shape::Line, 2, &flat)[0], (2, 12, 21));
    }
    vertices[1].y = 160;
    let rectangle = primitives(Shape::Rectangle, &vertices[..2], &registers([1.0; 2], [0; 2], false));
    assert_eq!(rectangle[0].corners.map(|c| (c.colour, c.fog)), [(2, 21), (2, 22), (2, 22)]);
}

#[test]
fn bad_coordinates_are_zero_on_their_axis() {
    let registers = registers([1.0; 2], [0; 2], false);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut vertices = on_screen([(0, 0), (10, 0), (0, 10)]);
        vertices.iter_mut().for_each(|vertex| vertex.texture = [2.0, 3.0, 1.0]);
        vertices[1].texture[0] = bad;
        let all = primitives(Shape::Triangle, &vertices, &registers);
        assert!(all[0].corners.iter().all(|corner| corner.texture == [0.0, 3.0, 1.0]), "{bad}");
    }
}

#[test]
fn far_positions_draw_nothing() {
    let registers = registers([1.0; 2], [0; 2], false);
    let mut vertices = on_screen([(0, 0), (10, 0), (0, 10)]);
    let end = 1 << 20;
    for (place, is_near) in
        [i32::MIN, -end - 1, -end, end, end + 1, i32::MAX].into_iter().zip([0, 0, 1, 1, 0, 0])
    {
        for at in [(place, 0), (10, place)] {
            (vertices[1].x, vertices[1].y) = at;
            for (shape, count) in [(Shape::Triangle, 3), (Shape::Line, 2), (Shape::Rectangle, 2)] {
                assert_eq!(primitives(shape, &vertices[..count], &registers).len(), is_near, "{at:?}");
            }
            // A point lies where no pixel is drawn anyway.
            assert_eq!(primitives(Shape::Point, &vertices[1..2], &registers), [], "{at:?}");
        }
    }
}
