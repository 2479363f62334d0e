//! Flat things in scenes: rectangles in pixels from the upper left corner of a screen, and labels.

use super::encode::format;
use super::kit::{Buffers, Kit, Screen, ShaderProgram};
use super::programs;
use super::state::{Combiner, Sampler, State, func, op, source};
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::{Mesh, Vertex};
use crate::modelling::paint::Canvas;

/// Sides of the texture that labels are written on.
const SHEET: (u32, u32) = (512, 256);

/// A line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    /// Upper left corner, in pixels of the viewer.
    pub at: [u32; 2],
    /// Size of a dot of a letter.
    pub scale: u32,
    /// Colour.
    pub colour: [u8; 4],
    /// The text, in capital letters.
    pub text: &'a str,
}

impl<'a> Label<'a> {
    /// Small white text.
    #[must_use]
    pub const fn new(x: u32, y: u32, text: &'a str) -> Self {
        Self { at: [x, y], scale: 1, colour: [255; 4], text }
    }

    /// Text in the middle of `x`.
    #[must_use]
    pub const fn centred(x: u32, y: u32, scale: u32, text: &'a str) -> Self {
        let half = text.len() as u32 * 3 * scale;
        Self { at: [x.saturating_sub(half), y], scale, colour: [255; 4], text }
    }

    /// In a colour.
    #[must_use]
    pub const fn coloured(mut self, colour: [u8; 4]) -> Self {
        self.colour = colour;
        self
    }

    fn bounds(&self) -> [u32; 4] {
        let [x, y] = self.at;
        [x, y, x + self.text.len() as u32 * 6 * self.scale, y + 8 * self.scale]
    }
}

/// A rectangle from (`x0`, `y0`) to (`x1`, `y1`), pixels from the upper left corner of the screen, for
/// [`Screen::flat`]; the whole texture lies on it.
#[must_use]
pub fn rect([x0, y0, x1, y1]: [f32; 4], colour: [f32; 4]) -> Mesh {
    shaded([x0, y0, x1, y1], colour, colour)
}

/// A rectangle that goes from one colour at the top to another at the bottom.
#[must_use]
pub fn shaded([x0, y0, x1, y1]: [f32; 4], top: [f32; 4], bottom: [f32; 4]) -> Mesh {
    let corner = |x: f32, y: f32, u: f32, v: f32, colour| Vertex {
        position: [x, 240.0 - y, 0.0],
        normal: [0.0, 0.0, 1.0],
        uv: [u, v],
        colour,
    };
    let vertices = vec![
        corner(x0, y1, 0.0, 0.0, bottom),
        corner(x1, y1, 1.0, 0.0, bottom),
        corner(x1, y0, 1.0, 1.0, top),
        corner(x0, y0, 0.0, 1.0, top),
    ];
    Mesh { vertices, indices: vec![0, 1, 2, 0, 2, 3] }
}

/// A rectangle of the viewer's pixels (from the upper left corner, ends exclusive) in the machine's:
/// x, y, width, height from its lower left corner.
#[must_use]
pub const fn machine(screen: Screen, [x0, y0, x1, y1]: [u32; 4]) -> [u32; 4] {
    [240 - y1, screen.rows() - x1, y1 - y0, x1 - x0]
}

/// Draws labels over a screen, which sets all state: blending, unit 0, no depth, no culling.
pub fn labels(kit: &mut Kit, screen: Screen, buffers: &Buffers, labels: &[Label<'_>]) {
    labels_with(kit, buffers, &screen.flat(), labels);
}

/// Draws labels with a matrix for pixels of its own.
pub fn labels_with(kit: &mut Kit, buffers: &Buffers, transform: &Matrix, labels: &[Label<'_>]) {
    let mut canvas = Canvas::plain(SHEET.0, SHEET.1, [0; 4]);
    let mut mesh = Mesh::default();
    for label in labels {
        let [x, y] = label.at;
        canvas.text(x, y, label.scale, label.colour, label.text);
        let [x0, y0, x1, y1] = label.bounds().map(|v| v as f32);
        let (width, height) = (SHEET.0 as f32, SHEET.1 as f32);
        mesh.append(&rect([x0, y0, x1, y1], [1.0; 4]).map(|vertex| {
            let [px, py, _] = vertex.position;
            vertex.uv = [px / width, 1.0 - (240.0 - py) / height];
        }));
    }
    let texture = kit.texture(&canvas, format::RGBA4);
    let program = overlay(kit, Screen::Top, buffers);
    kit.matrix(&program, "transform", transform);
    kit.list.texture(0, &texture, &Sampler::NEAREST).units(1).alpha_test(func::GREATER, 0);
    let placed = kit.mesh(&mesh);
    kit.draw(&placed);
    kit.list.units(0).alpha_test(func::ALWAYS, 0).logic_op(3);
}

/// The state for flat textured things with alpha: the textured program, vertex colour times unit 0.
pub fn overlay(kit: &mut Kit, screen: Screen, buffers: &Buffers) -> ShaderProgram {
    let program = ShaderProgram::assemble(programs::TEXTURED);
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", &screen.flat());
    kit.list.defaults(buffers).blend_alpha();
    kit.list.combiners(&[Combiner::both(op::MODULATE, [source::TEXTURE0, source::VERTEX, source::VERTEX])]);
    program
}

/// Draws a mesh of [`rect`]s in their colours, without a texture, blended.
pub fn panels(kit: &mut Kit, screen: Screen, buffers: &Buffers, mesh: &Mesh) {
    overlay(kit, screen, buffers);
    kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
    let placed = kit.mesh(mesh);
    kit.draw(&placed);
}
