//! What the manual states about coverage and interpolation.

use super::fragment::Fragment;
use super::texture::{Coordinates, reciprocal};
use super::walk::walk;
use super::{Corner, Primitive, Shape};
use crate::rect::Rect;

const ALL: Rect = Rect { x0: 0, y0: 0, x1: 1024, y1: 1024 };

fn corner(x: i32, y: i32) -> Corner {
    Corner { texture: [0.0, 0.0, 1.0], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 255 }
}

fn primitive(shape: Shape, corners: [Corner; 3]) -> Primitive {
    Primitive { corners, shape, reserved: 0 }
}

fn fragments(shape: Shape, corners: [Corner; 3], rect: Rect) -> Vec<Fragment> {
    let mut all = Vec::new();
    let count = walk(&primitive(shape, corners), rect, &mut |fragment, _| all.push(*fragment));
    assert_eq!(count, all.len() as u64);
    all
}

fn pixels(shape: Shape, corners: [Corner; 3]) -> Vec<(i32, i32)> {
    fragments(shape, corners, ALL).iter().map(|fragment| (fragment.x, fragment.y)).collect()
}

/// A line between whole pixels.
fn line(from: (i32, i32), to: (i32, i32)) -> Vec<(i32, i32)> {
    let [a, b] = [from, to].map(|(x, y)| corner(16 * x, 16 * y));
    pixels(Shape::Line, [a, b, b])
}

#[test]
fn triangle_of_the_capture() {
    // Its corners and the number of its pixels are in psp-ge.md 8.1.
    let corners = [(4466, 1679), (3711, 3299), (2716, 2047)].map(|(x, y)| corner(x, y));
    assert_eq!(pixels(Shape::Triangle, corners).len(), 4995);
}

#[test]
fn triangles_share_no_pixel_and_leave_none_out() {
    let at = |x, y| corner(x, y);
    let [a, b, c, d] = [at(8, 8), at(328, 24), at(344, 200), at(24, 216)];
    let centre = at(104, 104);
    let mut all: Vec<_> = [[a, b, centre], [b, c, centre], [c, d, centre], [d, a, centre]]
        .into_iter()
        .flat_map(|corners| pixels(Shape::Triangle, corners))
        .collect();
    let mut halves = [pixels(Shape::Triangle, [a, b, c]), pixels(Shape::Triangle, [a, c, d])].concat();
    all.sort_unstable();
    halves.sort_unstable();
    assert_eq!(all, halves);
    all.dedup();
    assert_eq!(all.len(), halves.len());
}

#[test]
fn two_triangles_are_a_rectangle() {
    let corners = |x0, y0, x1, y1| [corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1)];
    for [x0, y0, x1, y1] in [[0, 0, 160, 160], [8, 8, 168, 72], [7, 9, 169, 73], [-100, 3, 24, 24]] {
        let [a, b, c, d] = corners(x0, y0, x1, y1);
        let mut triangles = [pixels(Shape::Triangle, [a, b, c]), pixels(Shape::Triangle, [a, c, d])].concat();
        triangles.sort_unstable_by_key(|&(x, y)| (y, x));
        assert_eq!(pixels(Shape::Rectangle, [a, c, c]), triangles);
        assert_eq!(pixels(Shape::Rectangle, [b, d, d]), triangles);
    }
}

#[test]
fn only_pixels_of_the_tile() {
    let corners = [corner(0, 0), corner(1600, 0), corner(0, 1600)];
    let rect = Rect { x0: 10, y0: 20, x1: 12, y1: 22 };
    let at: Vec<_> = fragments(Shape::Triangle, corners, rect).iter().map(|f| (f.x, f.y)).collect();
    assert_eq!(at, [(10, 20), (11, 20), (10, 21), (11, 21)]);
}

#[test]
fn lines_of_the_captures() {
    // psp-ge.md 14.14.
    assert_eq!(line((14, 10), (16, 10)), [(14, 10), (15, 10)]);
    assert_eq!(line((24, 10), (22, 10)), [(22, 10), (23, 10)]);
    assert_eq!([line((14, 10), (16, 10)), line((16, 10), (16, 12))].concat().len(), 4);
    assert_eq!(line((16, 10), (16, 12)), [(16, 10), (16, 11)]);
    let strip = [line((110, 10), (150, 10)), line((150, 10), (150, 50)), line((150, 50), (110, 50))].concat();
    let row = |y| {
        let mut columns: Vec<_> = strip.iter().filter(|at| at.1 == y).map(|at| at.0).collect();
        columns.sort_unstable();
        columns
    };
    assert_eq!(row(10), (110..=150).collect::<Vec<_>>());
    assert!((11..50).all(|y| row(y) == [150]));
    assert_eq!(row(50), (110..150).collect::<Vec<_>>());
}

#[test]
fn lines_on_pixel_centres_include_both_ends() {
    let ends = [corner(8, 8), corner(40, 8), corner(40, 8)];
    assert_eq!(pixels(Shape::Line, ends), [(0, 0), (1, 0), (2, 0)]);
    let point = corner(24, 24);
    assert_eq!(pixels(Shape::Line, [point; 3]), [(1, 1)]);
    assert_eq!(pixels(Shape::Line, [corner(25, 24); 3]), []);
}

#[test]
fn lines_interpolate_from_the_lower_end() {
    let (mut a, mut b) = (corner(0, 0), corner(160, 0));
    (a.colour, a.z, a.fog) = (0x00ff_0000, 0, 0);
    (b.colour, b.z, b.fog) = (0x0000_00ff, 100, 160);
    (a.texture, b.texture) = ([0.0, 4.0, 1.0], [10.0, 4.0, 1.0]);
    let there = fragments(Shape::Line, [a, b, b], ALL);
    assert_eq!(there, fragments(Shape::Line, [b, a, a], ALL));
    assert_eq!((there[0].z, there[4].z, there[9].z), (5, 45, 95));
    assert_eq!((there[0].u, there[4].u, there[0].v), (0.5, 4.5, 4.0));
    assert_eq!((there[0].fog, there[9].fog), (8, 152));
    // 255 / 20 is 12.75.
    assert_eq!((there[0].colour, there[9].colour), ([12, 0, 242, 0], [242, 0, 12, 0]));
}

#[test]
fn line_colours_stay_bytes() {
    let (mut a, b) = (corner(8, 0), corner(8 + 16000 - 16, 8));
    a.colour = 0xff;
    let last = *fragments(Shape::Line, [a, b, b], ALL).last().unwrap();
    assert_eq!((last.x, last.colour[0]), (999, 0));
}

#[test]
fn flat_colours_stay() {
    let corners =
        [(3, 5), (9001, 77), (333, 1234)].map(|(x, y)| Corner { colour: 0xfe80_01ff, ..corner(x, y) });
    let all = fragments(Shape::Triangle, corners, ALL);
    assert!(!all.is_empty() && all.iter().all(|f| f.colour == [0xff, 1, 0x80, 0xfe] && f.fog == 255));
}

#[test]
fn colours_are_linear_on_the_screen() {
    let (mut a, mut b, mut c) = (corner(0, 0), corner(4096, 0), corner(0, 4096));
    (a.w, b.w, c.w) = (1.0, 100.0, 3.0);
    (b.colour, c.colour) = (0x0000_00ff, 0xff00_0000);
    (b.z, c.z) = (256, 512);
    for f in fragments(Shape::Triangle, [a, b, c], ALL) {
        // Half a pixel, floored; slopes of 255/256 are floored to ten bits: 1020.
        let ramp = |at: i32| ((1020 * (16 * at + 8)) >> 4 >> 10) as u8;
        assert_eq!(f.colour, [ramp(f.x), 0, 0, ramp(f.y)]);
        assert_eq!(f.z, (2 * f.x + 1 + 4 * f.y + 2) / 2);
    }
}

#[test]
fn coordinates_are_affine_or_in_perspective() {
    let (mut a, mut b, mut c) = (corner(0, 0), corner(64, 0), corner(0, 64));
    (b.texture, c.texture) = ([4.0, 0.0, 1.0], [0.0, 4.0, 1.0]);
    let uv = |corners| {
        let all = fragments(Shape::Triangle, corners, ALL);
        all.iter().map(|f| [f.u, f.v]).collect::<Vec<_>>()
    };
    assert_eq!(uv([a, b, c])[..3], [[0.5, 0.5], [1.5, 0.5], [2.5, 0.5]]);
    // Twice the distance at all corners changes nothing, at one it does.
    (a.w, b.w, c.w) = (2.0, 2.0, 2.0);
    assert_eq!(uv([a, b, c])[1], [1.5, 0.5]);
    b.w = 4.0;
    // Weights 4, 3, 1 of 8 over w: 2, 0.75, 0.5.
    let q = reciprocal((2.0 + 0.75 + 0.5) / 8.0);
    assert_eq!(uv([a, b, c])[1], [0.75 * 4.0 / 8.0 * q, 0.5 * 4.0 / 8.0 * q]);
}

#[test]
fn reciprocals_of_coordinates_are_truncated() {
    assert_eq!([2.0, 3.0, -3.0].map(reciprocal), [0.5, 43690.0 / 131_072.0, -43690.0 / 131_072.0]);
    assert_eq!(reciprocal(0.0), f64::INFINITY);
    let (a, mut b, c) = (corner(0, 0), corner(64, 0), corner(0, 64));
    b.w = 3.0;
    // That of w too: 4 times 43690 / 131072 would be 1.333... otherwise.
    b.texture[0] = 4.0;
    assert_eq!(Coordinates::new([&a, &b, &c]).s, [0.0, 43690.0 / 32768.0, 0.0]);
}

/// Texels that a 2x2 texture shows on the 2x2 quarters of a rectangle (7.3).
fn quarters(a: (i32, i32), b: (i32, i32)) -> Vec<i32> {
    let (mut a, mut b) = (corner(a.0, a.1), corner(b.0, b.1));
    (a.texture, b.texture) = ([0.0, 0.0, 1.0], [2.0, 2.0, 1.0]);
    let all = fragments(Shape::Rectangle, [a, b, b], ALL);
    all.iter().map(|f| 1 + f.u as i32 + 2 * f.v as i32).collect()
}

#[test]
fn rectangles_turn_the_texture() {
    let [(left, top), (right, bottom)] = [(160, 160), (192, 192)];
    assert_eq!(quarters((left, top), (right, bottom)), [1, 2, 3, 4]);
    assert_eq!(quarters((right, top), (left, bottom)), [3, 1, 4, 2]);
    assert_eq!(quarters((left, bottom), (right, top)), [2, 4, 1, 3]);
    assert_eq!(quarters((right, bottom), (left, top)), [4, 3, 2, 1]);
}

#[test]
fn rectangles_have_what_the_second_corner_has() {
    let (mut a, mut b) = (corner(160, 0), corner(0, 48));
    (a.z, a.colour, a.secondary, a.fog) = (1, 1, 1, 1);
    (b.z, b.colour, b.secondary, b.fog) = (7, 0x0403_0201, 0x0007_0605, 9);
    (a.texture[2], b.texture[2]) = (1.0, 3.0);
    b.texture[0] = 6.0;
    let all = fragments(Shape::Rectangle, [a, b, b], ALL);
    assert!(all.iter().all(|f| f.z == 7 && f.colour == [1, 2, 3, 4] && f.secondary[..3] == [5, 6, 7]));
    // The half on A's side, here the right one, has B's fog.
    assert_eq!(all[..10].iter().map(|f| f.fog).collect::<Vec<_>>(), [1, 1, 1, 1, 1, 9, 9, 9, 9, 9]);
    // u runs downward on this diagonal, q leftward from 1 to 3: one is 1.1 + 0.2 k.
    assert_eq!((all[9].u, all[0].u), (reciprocal(1.1), reciprocal(2.9)));
}

#[test]
fn points_are_one_pixel() {
    let mut a = corner(175, 47);
    a.texture = [6.0, 3.0, 2.0];
    let [only] = fragments(Shape::Point, [a; 3], ALL)[..] else { panic!("not one pixel") };
    assert_eq!((only.x, only.y, only.u, only.v), (10, 2, 3.0, 1.5));
    assert_eq!(pixels(Shape::Point, [corner(-1, 5); 3]), []);
}

#[test]
fn quads_have_one_change() {
    let (mut a, mut b) = (corner(24, 8), corner(24 + 64, 8 + 128));
    (a.texture, b.texture) = ([0.0, 0.0, 1.0], [8.0, 4.0, 1.0]);
    b.w = 5.0;
    let rectangle = primitive(Shape::Rectangle, [a, b, b]);
    let covered = walk(&rectangle, ALL, &mut |f, quad| {
        assert_eq!((quad.change(f.x, f.y), quad.w(f.x, f.y)), ([2.0, 0.5], 5.0));
    });
    assert_eq!(covered, 4 * 8);

    let (mut a, b, mut c) = (corner(0, 0), corner(64, 0), corner(0, 64));
    (a.w, c.w) = (3.0, 5.0);
    c.texture = [0.0, 4.0, 1.0];
    let mut quads = Vec::new();
    walk(&primitive(Shape::Triangle, [a, b, c]), ALL, &mut |f, quad| {
        quads.push((f.x, f.y, quad.change(f.x, f.y), quad.w(f.x, f.y)));
    });
    // Weights at the centre of pixel (0, 0): 6, 1, 1 of 8.
    let of = |x, y| quads.iter().find(|q| (q.0, q.1) == (x, y)).map(|q| (q.2, q.3)).unwrap();
    assert_eq!(of(0, 0).1, (6.0 * 3.0 + 1.0 + 5.0) / 8.0);
    assert_eq!(of(0, 0), of(1, 1));
    assert_ne!(of(0, 0), of(2, 0));
}

#[test]
fn extreme_corners_do_no_harm() {
    let far = (1 << 20) - 1;
    let rect = Rect { x0: 1000, y0: 1000, x1: 1024, y1: 1024 };
    for corners in [
        [(-far, -far), (far, -far + 1), (far, far)],
        [(-far, -far), (far, far - 1), (far - 1, far)],
        [(-far, far), (-far, -far), (far, -far)],
    ] {
        let corners =
            corners.map(|(x, y)| Corner { z: 65535, colour: 0xff00_00ff & x as u32, ..corner(x, y) });
        for shape in [Shape::Triangle, Shape::Line, Shape::Rectangle, Shape::Point] {
            assert!(fragments(shape, corners, rect).iter().all(|f| f.z == 65535));
        }
    }
}
