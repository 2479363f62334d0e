//! What the manual states about coverage and interpolation.

use super::colour::{Gradients, Slopes};
use super::texture::{Coordinates, reciprocal};
use super::triangle::{Edges, signed_area};
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::rect::Rect;

const ALL: Rect = Rect { x0: 0, y0: 0, x1: 1024, y1: 1024 };

fn corner(x: i32, y: i32) -> Corner {
    Corner { texture: [0.0, 0.0, 1.0], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 255 }
}

/// Pixels of a rectangle that a triangle covers.
fn pixels(corners: [Corner; 3], rect: Rect) -> Vec<(i32, i32)> {
    let edges = Edges::new(&corners);
    let rect = Primitive { corners, shape: Shape::Triangle, reserved: 0 }.bounds().intersect(rect);
    let all = (rect.y0..rect.y1).flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)));
    all.filter(|&(x, y)| edges.covers(edges.at(x, y))).collect()
}

#[test]
fn triangle_of_the_capture() {
    // Its corners and the number of its pixels are in psp-ge.md 8.1.
    let corners = [(4466, 1679), (3711, 3299), (2716, 2047)].map(|(x, y)| corner(x, y));
    assert_eq!(pixels(corners, ALL).len(), 4995);
}

#[test]
fn triangles_share_no_pixel_and_leave_none_out() {
    let at = |x, y| corner(x, y);
    let [a, b, c, d] = [at(8, 8), at(328, 24), at(344, 200), at(24, 216)];
    let centre = at(104, 104);
    let mut all: Vec<_> = [[a, b, centre], [b, c, centre], [c, d, centre], [d, a, centre]]
        .into_iter()
        .flat_map(|corners| pixels(corners, ALL))
        .collect();
    let mut halves = [pixels([a, b, c], ALL), pixels([a, c, d], ALL)].concat();
    all.sort_unstable();
    halves.sort_unstable();
    assert_eq!(all, halves);
    all.dedup();
    assert_eq!(all.len(), halves.len());
}

#[test]
fn only_pixels_of_the_tile() {
    let corners = [corner(0, 0), corner(1600, 0), corner(0, 1600)];
    let rect = Rect { x0: 10, y0: 20, x1: 12, y1: 22 };
    assert_eq!(pixels(corners, rect), [(10, 20), (11, 20), (10, 21), (11, 21)]);
}

fn slopes(corners: &[Corner; 3]) -> Slopes<'_> {
    Slopes::new(corners, 1.0 / signed_area(corners.map(|corner| (corner.x, corner.y))) as f64)
}

#[test]
fn slopes_are_floored() {
    let (a, mut b, mut c) = (corner(0, 0), corner(4096, 0), corner(0, 4096));
    (b.colour, c.colour) = (0x0000_00ff, 0xff00_0000);
    let corners = [a, b, c];
    let found = slopes(&corners);
    // 255/256 with ten bits.
    assert_eq!(found.gradients(0), Gradients { anchor: [0; 4], x: [1020, 0, 0, 0], y: [0, 0, 0, 1020] });
    assert_eq!(found.gradients(1), Gradients { anchor: [0, 0, 0, 255 * 1024], x: [0; 4], y: [0; 4] });
}

#[test]
fn flat_channels_have_no_slope() {
    let corners =
        [(3, 5), (9001, 77), (333, 1234)].map(|(x, y)| Corner { colour: 0xfe80_01ff, ..corner(x, y) });
    let found = slopes(&corners);
    for (half, values) in [[0xff, 1, 0x80, 0xfe], [0, 0, 0, 255]].into_iter().enumerate() {
        let anchor = values.map(|value| value * 1024);
        assert_eq!(found.gradients(half), Gradients { anchor, x: [0; 4], y: [0; 4] });
    }
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
    b.w = 1.0;
    assert_eq!(Coordinates::new([&a, &b, &c]).s, [0.0, 4.0, 0.0]);
}

#[test]
fn extreme_corners_do_no_harm() {
    let far = (1 << 20) - 1;
    for corners in [
        [(-far, -far), (far, -far + 1), (far, far)],
        [(-far, -far), (far, far - 1), (far - 1, far)],
        [(-far, far), (-far, -far), (far, -far)],
    ] {
        let corners = corners.map(|(x, y)| Corner { colour: 0xff00_00ff & x as u32, ..corner(x, y) });
        let edges = Edges::new(&corners);
        let areas = [0, 1023].map(|at| edges.at(at, at).iter().sum::<i64>());
        assert!(areas[0] > 0 && areas[0] == areas[1]);
        (0..2).for_each(|half| _ = slopes(&corners).gradients(half));
    }
}
