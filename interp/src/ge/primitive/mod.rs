//! From vertices to primitives in drawing space, one primitive at a time.
//!
//! * `assembly.rs` groups the vertices of the stream (7.1).
//! * `reject.rs` drops what is outside (5.3, 5.5), `clip.rs` cuts at the near plane (5.5).
//! * `set_up.rs` shades flat, culls, and turns triangles clockwise (7.1, 7.2, 8.3).

mod assembly;
mod clip;
mod reject;
mod set_up;
#[cfg(test)]
mod testing;

use crate::Interpreter;
use assembly::Group;
use clip::clipped;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::vertex::Vertex;
use reject::Fate;

impl PrimitiveStage for Interpreter {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        for vertex in batch.stream.iter().filter_map(|&n| batch.vertices.get(n as usize)) {
            if let Some(group) = assembly::push(pending, *vertex) {
                out.extend(drawn(batch.registers, group));
            }
        }
    }
}

/// The primitives of one group: none if it is dropped, several if it is clipped.
fn drawn(registers: &Registers, group: Group) -> Vec<Primitive> {
    let Group { shape, is_odd, mut vertices } = group;
    set_up::clear_strange_coordinates(&mut vertices);
    set_up::shade(registers, shape, &mut vertices);
    let pieces = match reject::fate(registers, shape, &vertices) {
        Fate::Dropped => vec![],
        Fate::Whole => vec![vertices],
        Fate::Clipped => clipped(registers, &vertices),
    };
    pieces.iter().filter_map(|piece| placed(registers, shape, is_odd, piece)).collect()
}

/// One piece on the screen.
fn placed(registers: &Registers, shape: Shape, is_odd: bool, piece: &[Vertex]) -> Option<Primitive> {
    let corners = set_up::corners(piece)?;
    match shape {
        Shape::Triangle => set_up::oriented(registers, is_odd, corners),
        _ => Some(Primitive { corners, shape, reserved: 0 }),
    }
}
