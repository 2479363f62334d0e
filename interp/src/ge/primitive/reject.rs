//! Rejection: what is dropped whole, and what the near plane cuts (5.3, 5.5).

use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vertex::{Outside, Vertex};

/// The fate of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Dropped,
    /// Drawn as it is.
    Whole,
    /// Cut at the near plane.
    Clipped,
}

/// The fate of a primitive with these vertices. Those of through mode are nowhere outside.
pub(super) fn fate(registers: &Registers, shape: Shape, vertices: &[Vertex]) -> Fate {
    if vertices.iter().all(|vertex| vertex.clip[3] < 0.0) {
        return Fate::Dropped;
    }
    if registers.is_on(op::CPE) { clamping_fate(shape, vertices) } else { plain_fate(vertices) }
}

/// Without clip planes: any vertex that is outside of anything drops the primitive.
fn plain_fate(vertices: &[Vertex]) -> Fate {
    let reasons = Outside::NEAR | Outside::FAR | Outside::GUARD_BAND | Outside::DEPTH;
    if any(vertices, reasons) { Fate::Dropped } else { Fate::Whole }
}

/// With clip planes: all vertices beyond the same plane, or one beside the screen. The latter is not asked of vertices
/// that clipping replaces; points and rectangles are never clipped, so it is asked of all of theirs (assumed).
fn clamping_fate(shape: Shape, vertices: &[Vertex]) -> Fate {
    let is_clippable = matches!(shape, Shape::Line | Shape::Triangle);
    let is_replaced = |vertex: &Vertex| is_clippable && is_behind(vertex);
    let is_beside = |vertex: &Vertex| vertex.outside & Outside::GUARD_BAND != 0 && !is_replaced(vertex);
    if all(vertices, Outside::NEAR) || all(vertices, Outside::FAR) || vertices.iter().any(is_beside) {
        Fate::Dropped
    } else if vertices.iter().any(is_replaced) {
        Fate::Clipped
    } else {
        Fate::Whole
    }
}

/// True if the vertex is behind the near plane.
pub(super) const fn is_behind(vertex: &Vertex) -> bool {
    vertex.outside & Outside::BEHIND != 0
}

fn any(vertices: &[Vertex], bits: u8) -> bool {
    vertices.iter().any(|vertex| vertex.outside & bits != 0)
}

fn all(vertices: &[Vertex], bit: u8) -> bool {
    vertices.iter().all(|vertex| vertex.outside & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::primitive::testing::{at, registers};

    const NEAR: u8 = Outside::NEAR | Outside::BEHIND;
    const FAR: u8 = Outside::FAR;
    const BEHIND: u8 = Outside::BEHIND;
    const BAND: u8 = Outside::GUARD_BAND;
    const DEPTH: u8 = Outside::DEPTH;

    fn with(cpe: u32, shape: Shape, outside: &[u8]) -> Fate {
        let vertices: Vec<Vertex> = outside.iter().map(|&outside| Vertex { outside, ..at(1, 1) }).collect();
        fate(&registers(&[0x1c00_0000 | cpe]), shape, &vertices)
    }

    /// 5.5, CPE = 0: any reason in any vertex. A vertex inside of the margin is not clipped.
    #[test]
    fn without_clip_planes() {
        let triangle = |outside: u8| with(0, Shape::Triangle, &[0, outside, 0]);
        assert_eq!([NEAR, FAR, BAND, DEPTH].map(triangle), [Fate::Dropped; 4]);
        assert_eq!([0, BEHIND].map(triangle), [Fate::Whole; 2]);
        assert_eq!(with(0, Shape::Rectangle, &[0, FAR]), Fate::Dropped);
        assert_eq!(with(0, Shape::Point, &[DEPTH]), Fate::Dropped);
    }

    /// 5.5, CPE = 1: all vertices beyond one plane.
    #[test]
    fn with_clip_planes() {
        let triangle = |outside: [u8; 3]| with(1, Shape::Triangle, &outside);
        assert_eq!([[NEAR; 3], [FAR; 3]].map(triangle), [Fate::Dropped; 2]);
        assert_eq!([[FAR, FAR, 0], [FAR, DEPTH, DEPTH]].map(triangle), [Fate::Whole; 2]);
        assert_eq!([[NEAR, 0, 0], [NEAR, FAR, FAR], [BEHIND; 3]].map(triangle), [Fate::Clipped; 3]);
        // The range test is for vertices that stay.
        assert_eq!(triangle([0, BAND, NEAR]), Fate::Dropped);
        assert_eq!(triangle([0, 0, NEAR | BAND]), Fate::Clipped);
        assert_eq!(with(1, Shape::Line, &[NEAR | BAND, 0]), Fate::Clipped);
    }

    #[test]
    fn points_and_rectangles_are_not_clipped() {
        assert_eq!([[NEAR, 0], [0, FAR]].map(|all| with(1, Shape::Rectangle, &all)), [Fate::Whole; 2]);
        assert_eq!(with(1, Shape::Rectangle, &[NEAR, NEAR]), Fate::Dropped);
        assert_eq!(with(1, Shape::Rectangle, &[NEAR | BAND, 0]), Fate::Dropped);
        assert_eq!(
            [NEAR, FAR, BEHIND].map(|bits| with(1, Shape::Point, &[bits])),
            [Fate::Dropped, Fate::Dropped, Fate::Whole]
        );
    }

    /// w of 0 is not below 0: the planes decide.
    #[test]
    fn vertices_in_the_plane_of_the_eye() {
        let vertex = Vertex { clip: [0.0; 4], ..at(1, 1) };
        assert_eq!(fate(&registers(&[0x1c00_0000]), Shape::Triangle, &[vertex; 3]), Fate::Whole);
    }

    /// All w below 0: no vertex survives.
    #[test]
    fn behind_the_eye() {
        let vertex = |w: f64| Vertex { clip: [0.0, 0.0, f64::NAN, w], ..at(1, 1) };
        for cpe in [0, 1] {
            let registers = registers(&[0x1c00_0000 | cpe]);
            assert_eq!(fate(&registers, Shape::Rectangle, &[vertex(-1.0), vertex(-2.0)]), Fate::Dropped);
            assert_eq!(fate(&registers, Shape::Rectangle, &[vertex(-1.0), vertex(2.0)]), Fate::Whole);
        }
    }
}
