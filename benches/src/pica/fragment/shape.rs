//! Coverage of the target: by two triangles or by thousands.

use super::{HEIGHT, WIDTH};
use picaflor_interp::Interpreter;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::ShadedVertices;
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage as _, Primitives, StreamVertex,
};
use picaflor_pipeline::pica::vertex::{SEMANTICS, Vertex};

/// Side of a box of two small triangles, in pixels.
const BOX: f32 = 8.0;

/// The triangles that cover the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Two right triangles, the diagonal from corner to corner.
    FullScreen,
    /// Two right triangles of 32 pixels in each box of 8x8; a fraction of a pixel off the blocks of memory.
    Boxes,
    /// The same three or four pixels off, so that most boxes touch four blocks.
    Straddling,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::FullScreen, Self::Boxes, Self::Straddling];

    /// A short name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FullScreen => "full-screen",
            Self::Boxes => "8x8",
            Self::Straddling => "8x8-straddling",
        }
    }

    /// The corner nearest to the origin, the number of boxes in both directions, and their size.
    const fn layout(self) -> ([f32; 2], [u32; 2], [f32; 2]) {
        let (width, height) = (WIDTH as f32, HEIGHT as f32);
        match self {
            Self::FullScreen => ([0.0, 0.0], [1, 1], [width, height]),
            Self::Boxes => ([0.3125, 0.1875], [WIDTH / 8 - 1, HEIGHT / 8 - 1], [BOX, BOX]),
            Self::Straddling => ([3.3125, 4.1875], [WIDTH / 8 - 1, HEIGHT / 8 - 1], [BOX, BOX]),
        }
    }

    /// The triangles, clipped and set up.
    pub(super) fn triangles(self, registers: &Registers) -> Triangles {
        let (corner, count, size) = self.layout();
        let at = |column: u32, row: u32| {
            vertex(corner[0] + column as f32 * size[0], corner[1] + row as f32 * size[1])
        };
        let mut vertices = Vec::new();
        for (row, column) in (0..count[1]).flat_map(|row| (0..count[0]).map(move |column| (row, column))) {
            let [a, b] = [at(column, row), at(column + 1, row)];
            let [c, d] = [at(column, row + 1), at(column + 1, row + 1)];
            vertices.extend([a, b, d, a, d, c]);
        }
        set_up(&vertices, registers)
    }
}

/// The triangles of a list of vertices.
fn set_up(list: &[Vertex], registers: &Registers) -> Triangles {
    let mut vertices = ShadedVertices::new();
    vertices.reset(list.len(), SEMANTICS);
    for k in 0..SEMANTICS {
        vertices.component_mut(k).iter_mut().zip(list).for_each(|(value, vertex)| *value = vertex[k]);
    }
    let stream: Vec<_> = (0..list.len() as u32).map(StreamVertex::new).collect();
    let batch = PrimitiveBatch { registers, vertices: &vertices, stream: &stream, is_drawn: false };
    let mut out = Primitives::default();
    Interpreter::new().primitives(&batch, &mut PendingVertices::default(), &mut out);
    out.triangles
}

/// A vertex of a tilted surface that is `(x, y)` in the window: w goes from 1 to 2.5, the depth along with it.
fn vertex(x: f32, y: f32) -> Vertex {
    let (across, up) = (x / WIDTH as f32, y / HEIGHT as f32);
    let near = 0.4 + 0.35 * across + 0.25 * up;
    let w = 1.0 / near;
    let mut vertex = [1.0; SEMANTICS];
    let position = [across * 2.0 - 1.0, up * 2.0 - 1.0, -0.1 - 0.8 * near];
    vertex[..3].copy_from_slice(&position.map(|c| c * w));
    vertex[3] = w;
    let normal = unit([(x * 0.05).sin() * 0.6, (y * 0.04).cos() * 0.5, 1.0]);
    vertex[4..8].copy_from_slice(&quaternion(normal));
    let colour = [1.0 - 0.7 * across, 0.25 + 0.7 * up, 0.9 - 0.6 * across * up, 0.3 + 0.6 * across];
    vertex[8..12].copy_from_slice(&colour);
    // About a texel of a 128x128 texture to a pixel.
    let [u, v] = [x / 128.0, y / 128.0].map(|c| (c + 0.1) * 0.6 * w);
    vertex[12..17].copy_from_slice(&[u, v, 1.3 * v, 0.7 * u, 1.0]);
    vertex[18..21].copy_from_slice(&[(0.5 - across) * w, (0.5 - up) * w, w]);
    [vertex[22], vertex[23]] = [v, u];
    vertex
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|c| c * c).sum::<f32>().sqrt();
    v.map(|c| c / length)
}

/// The rotation that turns (0, 0, 1) into a direction of length 1 in front of it.
fn quaternion([x, y, z]: [f32; 3]) -> [f32; 4] {
    let scale = 1.0 / (2.0 * (1.0 + z)).sqrt();
    [-y * scale, x * scale, 0.0, (1.0 + z) * scale]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::fragment::{State, Workload};
    use picaflor_pipeline::pica::raster::triangles::Face;

    #[test]
    fn boxes_are_32_pixels_a_triangle() {
        let workload = Workload::new(State::Gouraud);
        for (shape, count) in
            [(Shape::FullScreen, 2), (Shape::Boxes, 2 * 29 * 49), (Shape::Straddling, 2 * 29 * 49)]
        {
            let triangles = workload.triangles(shape);
            assert_eq!(triangles.len(), count, "{}", shape.name());
            if shape != Shape::FullScreen {
                // In sixteenths of pixels, twice: 512 to a pixel.
                let area =
                    |Face { x, y, .. }: &Face| (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
                assert!(triangles.faces().iter().all(|face| area(face) == 32 * 512));
            }
        }
    }
}
