//! Rejection of primitives, and clipping at the near plane.
//!
//! Source: psp-ge.md 5.3, 5.5, measured on a console (clipping/guardband, clipping/homogeneous). The arithmetic of
//! clipping is assumed.

use crate::ge::vertex::project::project;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::vertex::{Outside, Vertex};

/// Bits that reject a primitive if any of its vertices has one, unless depth is clamped.
const DROPPING: u8 = Outside::NEAR | Outside::FAR | Outside::DEPTH | Outside::GUARD_BAND;

/// The vertices of a clipped primitive: a triangle that loses a corner has four.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polygon {
    vertices: [Vertex; 4],
    count: usize,
}

impl Polygon {
    /// The vertices, in order.
    #[must_use]
    pub(crate) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }
}

/// True if the primitive is rejected before clipping, or clipping would do nothing but find that it is not on the screen.
/// Vertices that the shape has not repeat its last one.
#[must_use]
pub(crate) fn is_rejected(shape: Shape, [a, b, c]: [&Vertex; 3], registers: &Registers) -> bool {
    let (all, any) = (a.outside & b.outside & c.outside, a.outside | b.outside | c.outside);
    let is_behind_the_eye = a.clip[3] < 0.0 && b.clip[3] < 0.0 && c.clip[3] < 0.0;
    let is_clipped = clips(shape, registers) && any & Outside::BEHIND != 0;
    let is_dropped = if registers.clamps_depth() {
        all & (Outside::NEAR | Outside::FAR) != 0
    } else {
        any & DROPPING != 0
    };
    is_behind_the_eye || is_dropped || !is_clipped && any & Outside::GUARD_BAND != 0
}

/// Points and rectangles are not clipped.
const fn clips(shape: Shape, registers: &Registers) -> bool {
    registers.clamps_depth() && matches!(shape, Shape::Line | Shape::Triangle)
}

/// The part in front of the near plane; `None` if it is not on the screen.
#[must_use]
pub(crate) fn clip(shape: Shape, vertices: &[Vertex], registers: &Registers) -> Option<Polygon> {
    let mut polygon = Polygon { vertices: [vertices[0]; 4], count: 0 };
    if clips(shape, registers) && vertices.iter().any(is_behind) {
        clip_near(shape, vertices, registers, &mut polygon);
    } else {
        vertices.iter().for_each(|vertex| polygon.push(*vertex));
    }
    let is_on_screen = polygon.vertices().iter().all(|vertex| vertex.outside & Outside::GUARD_BAND == 0);
    (polygon.count > 0 && is_on_screen).then_some(polygon)
}

const fn is_behind(vertex: &Vertex) -> bool {
    vertex.outside & Outside::BEHIND != 0
}

/// Each edge contributes its start, if that is in front, and then its intersection with the plane. A line has one
/// edge, and contributes its end too.
fn clip_near(shape: Shape, vertices: &[Vertex], registers: &Registers, out: &mut Polygon) {
    for (n, start) in vertices.iter().enumerate() {
        let is_last = n + 1 == vertices.len();
        if !is_behind(start) {
            out.push(*start);
        }
        let end = &vertices[if is_last { 0 } else { n + 1 }];
        if is_behind(start) != is_behind(end) && !(is_last && shape == Shape::Line) {
            let (behind, front) = if is_behind(start) { (start, end) } else { (end, start) };
            out.push(crossing(behind, front, registers));
        }
    }
}

/// Intersection of the near plane with the edge from a vertex behind it to one in front.
fn crossing(behind: &Vertex, front: &Vertex, registers: &Registers) -> Vertex {
    let height = |vertex: &Vertex| vertex.clip[2] + vertex.clip[3];
    let t = height(behind) / (height(behind) - height(front));
    let between = |from: f64, to: f64| from + (to - from) * t;
    let clip = std::array::from_fn(|n| between(behind.clip[n], front.clip[n]));
    let projected = project(clip, registers);
    let t8 = (t * 256.0).floor() as u32;
    Vertex {
        clip,
        texture: std::array::from_fn(|n| between(behind.texture[n], front.texture[n])),
        x: projected.x,
        y: projected.y,
        z: projected.z,
        colour: mix(behind.colour, front.colour, t8),
        secondary: mix(behind.secondary, front.secondary, t8),
        fog: between(f64::from(behind.fog), f64::from(front.fog)).floor() as u8,
        outside: projected.outside,
        reserved: [0; 2],
    }
}

/// Colour at `t8` of 256 between two colours; a crossing at NaN has the first colour.
fn mix(from: u32, to: u32, t8: u32) -> u32 {
    let [from, to] = [from, to].map(u32::to_le_bytes);
    let t8 = t8.min(256);
    let channel = |n: usize| (u32::from(from[n]) * (256 - t8) + u32::from(to[n]) * t8) >> 8;
    u32::from_le_bytes(std::array::from_fn(|n| channel(n) as u8))
}
