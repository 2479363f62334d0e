//! The oracle of the GE: interpreter of every stage after psp-ge.md, one vertex, one primitive, one pixel and one byte
//! at a time. Section numbers refer to that document.
//!
//! ```text
//!  control points                     immediate registers
//!       │ surface                            │ immediate
//!       ▼                                    ▼
//!  vertex records ──► vertex ─────────► vertices ──► primitive ──► primitives ──► raster ──► fragments ──► pixel
//!                       │                                                           │                        │
//!                       └──► bounding_box                                           └── texture, colour      ├── texel
//!                                                                                                            ▼
//!                                                    memory ◄──────────────── blit ◄───────────────── frame buffer
//! ```
//!
//! * `number.rs`: arithmetic of 16 significant bits (1.4); `vector.rs`: vectors and matrices.
//! * `vertex`: decode, skinning, transform, lighting, projection of one vertex (4, 5, 6).
//! * `surface`: Bezier and spline surfaces (7.6, 7.7); `immediate.rs`: immediate vertices (7.9); `bounding_box.rs`: the
//!   bounding box test (7.8).
//! * `primitive`: assembly, rejection, clipping, culling, set-up (5.5, 7).
//! * `raster`: coverage and interpolation of one pixel (8).
//! * `texel`: addresses and formats of texels, colour look-up (1.5, 9.2 to 9.4).
//! * `pixel`: texturing and tests of one fragment, the frame buffer (9, 10).
//! * `blit`: block transfers and scan-out (11.1, 1.5).

mod blit;
mod bounding_box;
mod immediate;
mod number;
mod pixel;
mod primitive;
mod raster;
mod surface;
#[cfg(test)]
mod tests;
mod texel;
mod vector;
mod vertex;

use crate::Interpreter;
use crate::trace::{Found, Subject};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{PixelState, Remembered, TileRoutine, TransformStage, VertexBatch};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::{Arc, OnceLock};

/// The routine of the interpreter, which also records a subject in `found`; for draws in one state.
#[must_use]
pub fn traced(subject: Subject, found: &Found) -> Arc<dyn TileRoutine> {
    Arc::new(pixel::Traced { subject, found: found.clone(), replaced: OnceLock::new() })
}

/// The components of the vertex of an index as they are decoded, morphed but not yet transformed, by name.
#[must_use]
pub fn components(batch: &VertexBatch<'_>, index: u32) -> Vec<(&'static str, Vec<f64>)> {
    vertex::components(batch, index)
}

/// The colours of the look-up table's entries: red, green, blue, alpha.
#[must_use]
pub fn palette(state: &PixelState<'_>) -> Vec<[u8; 4]> {
    texel::palette(state)
}

/// The colour that the target has at a pixel: red, green, blue, alpha (the stencil value).
#[must_use]
pub fn stored_colour(target: &Target<'_>, pixel: [i32; 2]) -> [u8; 4] {
    pixel::stored_colour(target, pixel)
}

/// Width, height and texels (red, green, blue, alpha) of a level of the texture; `None` if texturing is off. Sides are
/// those that coordinates reach: at most 512.
#[must_use]
pub fn texels(state: &PixelState<'_>, level: u8) -> Option<([u32; 2], Vec<[u8; 4]>)> {
    let registers = state.registers;
    if !registers.is_textured() || u32::from(level) > registers.texture_mode().max_level() {
        return None;
    }
    let [width, height] = registers.texture_size_log2(level).map(|log2| 1 << log2.min(9));
    let places = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
    let texels = places.map(|[x, y]| texel::texel(state, level, x, y, &()).to_le_bytes()).collect();
    Some(([width, height], texels))
}

impl TransformStage for Interpreter {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
        out.extend(batch.indices.iter().map(|&index| vertex::vertex(batch, index)));
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        vertex::remembered(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        bounding_box::is_outside(batch)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        immediate::vertex(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        surface::surface(batch)
    }
}
