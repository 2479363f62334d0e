//! Meshes, rectangles and words.

use super::kit::{Kit, SCREEN, Target};
use super::texture::{Style, Texture, format};
use super::vertices::{Corner, layout, records};
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::Canvas;
use picaflor_pipeline::ge::regs::op;

/// PRIM's types.
pub mod shape {
    /// Points.
    pub const POINTS: u32 = 0;
    /// Lines.
    pub const LINES: u32 = 1;
    /// Lines from corner to corner.
    pub const LINE_STRIP: u32 = 2;
    /// Triangles.
    pub const TRIANGLES: u32 = 3;
    /// Triangles with the last two corners.
    pub const TRIANGLE_STRIP: u32 = 4;
    /// Triangles around the first corner.
    pub const TRIANGLE_FAN: u32 = 5;
    /// Rectangles.
    pub const RECTANGLES: u32 = 6;
    /// Continuation of the primitive before.
    pub const MORE: u32 = 7;
}

/// The usual record of a mesh: texture coordinates, colour, normal and position, floats.
pub const MESH: u32 = layout::TEXTURE | layout::COLOUR | layout::NORMAL | layout::POSITION;
/// Record of rectangles on the screen.
const FLAT: u32 = layout::TEXTURE16 | layout::COLOUR | layout::POSITION16 | layout::THROUGH;
/// Columns in which programs clear buffers.
const COLUMN: u32 = 64;
/// Pixels of a letter in the texture.
const CELL: u32 = 8;
/// From letter to letter.
const ADVANCE: f32 = 6.0;

/// A mesh in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// VTYPE, indices included.
    pub vertex_type: u32,
    /// Address of the vertices.
    pub vertices: u32,
    /// Address of the indices.
    pub indices: u32,
    /// Their number.
    pub count: u32,
}

impl Kit {
    /// Puts a mesh into memory.
    pub fn mesh(&mut self, mesh: &Mesh, vertex_type: u32) -> Placed {
        let corners: Vec<Corner> = mesh.vertices.iter().map(Corner::from).collect();
        self.shape(&corners, &mesh.indices, vertex_type)
    }

    /// Puts corners and triangles between them into memory.
    pub fn shape(&mut self, corners: &[Corner], indices: &[u16], vertex_type: u32) -> Placed {
        let vertices = self.data(records(vertex_type, corners));
        let count = indices.len() as u32;
        let indices = self.data(indices.iter().flat_map(|index| index.to_le_bytes()).collect());
        Placed { vertex_type: vertex_type | layout::INDEX16, vertices, indices, count }
    }

    /// Draws triangles.
    pub fn draw(&mut self, placed: &Placed) {
        let Placed { vertex_type, vertices, indices, count } = *placed;
        self.list.write(op::VTYPE, vertex_type).vertices(vertices).indices(indices);
        self.list.prim(shape::TRIANGLES, count);
    }

    /// Puts a mesh into memory and draws it.
    pub fn draw_mesh(&mut self, mesh: &Mesh) {
        let placed = self.mesh(mesh, MESH);
        self.draw(&placed);
    }

    /// Draws corners without indices.
    pub fn draw_corners(&mut self, kind: u32, vertex_type: u32, corners: &[Corner]) {
        let vertices = self.data(records(vertex_type, corners));
        self.list.write(op::VTYPE, vertex_type).vertices(vertices).prim(kind, corners.len() as u32);
    }

    /// The start of a frame: defaults, the screen, and the screen cleared.
    pub fn start(&mut self, colour: [u8; 3]) {
        self.start_on(SCREEN, colour);
    }

    /// Defaults, other buffers, and the buffers cleared.
    pub fn start_on(&mut self, target: Target, colour: [u8; 3]) {
        self.defaults();
        self.draw_to(target);
        self.clear(colour);
    }

    /// Clears colour, alpha and depth, in columns as programs do it.
    pub fn clear(&mut self, [r, g, b]: [u8; 3]) {
        let Target { width, height, .. } = self.target;
        self.list.write(op::CLEAR, 0x701);
        let corner = |x: u32, y: u32| Corner {
            colour: [r, g, b, 0],
            position: [x as f32, y as f32, 0.0],
            ..Corner::default()
        };
        let column = |left: u32| [corner(left, 0), corner((left + COLUMN).min(width), height)];
        let corners: Vec<Corner> = (0..width).step_by(COLUMN as usize).flat_map(column).collect();
        let vertex_type = layout::COLOUR | layout::POSITION16 | layout::THROUGH;
        self.draw_corners(shape::RECTANGLES, vertex_type, &corners);
        self.list.write(op::CLEAR, 0);
    }

    /// The state for flat drawing on the screen: no depth, blending by alpha.
    pub fn flat(&mut self) {
        self.defaults();
        let target = self.target;
        self.draw_to(target);
        self.blend_alpha();
        self.filter(0, 0);
    }

    /// A rectangle of texels (left, top, right, bottom) on pixels (left, top, right, bottom).
    pub fn sprite(&mut self, pixels: [f32; 4], texels: [f32; 4], colour: [u8; 4]) {
        let corner = |n: usize| Corner {
            texture: [texels[n], texels[n + 1]],
            colour,
            position: [pixels[n], pixels[n + 1], 0.0],
            ..Corner::default()
        };
        self.draw_corners(shape::RECTANGLES, FLAT, &[corner(0), corner(2)]);
    }

    /// A whole texture on pixels (left, top, width, height).
    pub fn picture(&mut self, texture: &Texture, [left, top, width, height]: [f32; 4]) {
        self.use_texture(texture);
        let level = texture.levels[0];
        let texels = [0.0, 0.0, level.width as f32, level.height as f32];
        self.sprite([left, top, left + width, top + height], texels, [255; 4]);
    }

    /// A rectangle (left, top, width, height) of one colour.
    pub fn plate(&mut self, [left, top, width, height]: [f32; 4], colour: [u8; 4]) {
        self.list.switch(op::TME, false);
        self.sprite([left, top, left + width, top + height], [0.0; 4], colour);
    }

    /// Words with their upper left corner at (x, y), in capital letters of 5 by 7 pixels.
    pub fn text(&mut self, [x, y]: [f32; 2], colour: [u8; 4], words: &str) {
        let font = self.font();
        self.use_texture(&font);
        let letter = |(n, letter): (usize, char)| {
            let code = (letter.to_ascii_uppercase() as u32).wrapping_sub(32) & 63;
            let (u, v) = ((code % 16 * CELL) as f32, (code / 16 * CELL) as f32);
            let left = x + n as f32 * ADVANCE;
            [[left, y, u, v], [left + ADVANCE, y + CELL as f32, u + ADVANCE, v + CELL as f32]]
        };
        let corner = |[x, y, u, v]: [f32; 4]| Corner {
            texture: [u, v],
            colour,
            position: [x, y, 0.0],
            ..Corner::default()
        };
        let corners: Vec<Corner> = words.chars().enumerate().flat_map(letter).map(corner).collect();
        self.draw_corners(shape::RECTANGLES, FLAT, &corners);
    }

    /// White letters, 16 in a row, four bits each.
    fn font(&mut self) -> Texture {
        if let Some(font) = &self.font {
            return font.clone();
        }
        let mut canvas = Canvas::plain(16 * CELL, 4 * CELL, [255, 255, 255, 0]);
        for code in 0..64 {
            let letter = char::from(code as u8 + 32);
            canvas.text(code % 16 * CELL, code / 16 * CELL, 1, [255; 4], &letter.to_string());
        }
        let font = self.texture(&canvas, Style::of(format::CLUT4).palette(2).swizzled());
        self.font.insert(font).clone()
    }
}
