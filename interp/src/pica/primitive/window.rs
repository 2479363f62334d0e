//! Division, viewport, grid, culling and set-up of a triangle inside the view volume.
//!
//! Source: pica-geometry.md 5.4, 5.6, 6.1, 6.4.

use super::Vertex;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::rasterizer::CullMode;

/// Largest magnitude of a window coordinate in sixteenths of a pixel (assumed).
const FARTHEST: i32 = 1 << 18;

/// A vertex in the window.
struct WindowVertex {
    x: i32,
    y: i32,
    z: f32,
    r: f32,
    p: Vertex,
}

/// The triangle of three vertices in clip space, unless it is culled or has no area.
pub(super) fn triangle(registers: &Registers, corners: &[Vertex; 3]) -> Option<Triangle> {
    let [a, b, c] = corners.each_ref().map(|v| to_window(registers, v));
    let area = area(&a, &b, &c);
    let is_kept = match registers.face_culling().mode() {
        CullMode::KeepAll | CullMode::KeepAllToo => area != 0,
        CullMode::CullFront => area < 0,
        CullMode::CullBack => area > 0,
    };
    // Counter-clockwise order.
    let ordered = if area < 0 { [a, c, b] } else { [a, b, c] };
    is_kept.then(|| Triangle {
        x: ordered.each_ref().map(|v| v.x),
        y: ordered.each_ref().map(|v| v.y),
        z: ordered.each_ref().map(|v| v.z),
        r: ordered.each_ref().map(|v| v.r),
        p: ordered.each_ref().map(|v| v.p),
        flat_colour: None,
    })
}

fn to_window(registers: &Registers, v: &Vertex) -> WindowVertex {
    let [x, y, z, w] = [v[0], v[1], v[2], v[3]];
    let viewport = registers.viewport();
    let r = 1.0 / w;
    let side = |k: usize, c: f32| snapped((c * r + 1.0) * viewport.scale[k] + viewport.origin[k]);
    WindowVertex { x: side(0, x), y: side(1, y), z: z * r, r, p: v.map(|value| value * r) }
}

/// A coordinate in pixels on the grid of sixteenths: the nearest one, away from 0 if two are; 0 for a NaN.
fn snapped(side: f32) -> i32 {
    ((side * 16.0).round() as i32).clamp(-FARTHEST, FARTHEST)
}

/// Twice the area in the window, positive for a counter-clockwise triangle.
fn area(a: &WindowVertex, b: &WindowVertex, c: &WindowVertex) -> i64 {
    let [ax, ay, bx, by, cx, cy] = [a.x, a.y, b.x, b.y, c.x, c.y].map(i64::from);
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A viewport of 240x400 pixels (scales 120 and 200) at (-2, 10), in a culling mode.
    fn registers(culling: u32) -> Registers {
        let mut registers = Registers::new();
        let origin = 10 << 16 | 0x3fe;
        let words = [(0x040, culling), (0x041, 0x45_e000), (0x043, 0x46_9000), (0x068, origin)];
        words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        registers
    }

    fn at([x, y, z, w]: [f32; 4]) -> Vertex {
        let mut vertex = [3.0; 24];
        vertex[..4].copy_from_slice(&[x, y, z, w]);
        vertex
    }

    const CORNERS: [[f32; 4]; 3] = [[-2.0, -2.0, -1.0, 2.0], [4.0, -4.0, 0.0, 4.0], [0.0, 0.5, -0.25, 0.5]];

    #[test]
    fn division_and_viewport() {
        let found = triangle(&registers(0), &CORNERS.map(at)).expect("an area");
        // The corners of normalised space: (-1, -1), (1, -1), (0, 1).
        assert_eq!(found.x, [-2 * 16, 238 * 16, 118 * 16]);
        assert_eq!(found.y, [10 * 16, 10 * 16, 410 * 16]);
        assert_eq!((found.z, found.r), ([-0.5, 0.0, -0.5], [0.5, 0.25, 2.0]));
        assert_eq!([0, 1, 2].map(|k| found.p[k][12]), [1.5, 0.75, 6.0]);
        assert_eq!(found.p[1][..4], [1.0, -1.0, 0.0, 1.0]);
    }

    /// pica-geometry.md 5.6: 1 keeps the clockwise ones, 2 the others; kept clockwise ones are turned.
    #[test]
    fn culling() {
        let turned = [CORNERS[0], CORNERS[2], CORNERS[1]];
        let kept = |mode, corners: [[f32; 4]; 3]| triangle(&registers(mode), &corners.map(at));
        assert_eq!([0, 1, 2, 3].map(|mode| kept(mode, CORNERS).is_some()), [true, false, true, true]);
        assert_eq!([0, 1, 2, 3].map(|mode| kept(mode, turned).is_some()), [true, true, false, true]);
        assert_eq!(kept(0, CORNERS), kept(1, turned));
        let line = [CORNERS[0], CORNERS[0], CORNERS[1]];
        assert_eq!([0, 1, 2, 3].map(|mode| kept(mode, line)), [const { None }; 4]);
    }

    /// pica-geometry.md 6.1: half away from zero; NaN becomes 0; the limit is 2^18.
    #[test]
    fn grid() {
        let sixteenths = |n: f32| snapped(n / 16.0);
        assert_eq!([0.5, 1.5, -0.5, -1.5, 0.49, -2.51].map(sixteenths), [1, 2, -1, -2, 0, -3]);
        assert_eq!(snapped(f32::NAN), 0);
        let far = [16_384.0, 16_385.0, 1e30, f32::INFINITY];
        assert_eq!(far.map(snapped), [FARTHEST; 4]);
        assert_eq!(far.map(|side| snapped(-side)), [-FARTHEST; 4]);
    }

    /// The scalar of the cross product of two sides: 15 * 23 - 2 * 6, and (-20) * (-10) for sides along the axes.
    #[test]
    fn areas_away_from_the_origin() {
        let at = |[x, y]: [i32; 2]| WindowVertex { x, y, z: 0.0, r: 1.0, p: [0.0; 24] };
        let of = |corners: [[i32; 2]; 3]| {
            let [a, b, c] = corners.map(at);
            area(&a, &b, &c)
        };
        assert_eq!(of([[5, 7], [20, 9], [11, 30]]), 333);
        assert_eq!(of([[30, 20], [10, 20], [30, 10]]), 200);
        assert_eq!(of([[5, 7], [11, 30], [20, 9]]), -333);
    }
}
