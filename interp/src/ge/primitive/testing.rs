//! Vertices and registers for tests of primitives.

use crate::Interpreter;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::primitive::{Kind, PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::vertex::Vertex;

/// A grey vertex in front of the eye at a pixel.
pub(super) fn at(x: i32, y: i32) -> Vertex {
    Vertex {
        clip: [0.0, 0.0, 0.0, 1.0],
        texture: [0.0, 0.0, 1.0],
        x: 16 * x,
        y: 16 * y,
        z: 0,
        colour: 0x8080_8080,
        secondary: 0,
        fog: 255,
        outside: 0,
        reserved: [0; 2],
    }
}

/// Registers after words.
pub(super) fn registers(words: &[u32]) -> Registers {
    let mut registers = Registers::default();
    words.iter().for_each(|&word| registers.write(word));
    registers
}

/// The primitives of a draw.
pub(super) fn drawn(registers: &Registers, kind: Kind, vertices: &[Vertex]) -> Vec<Primitive> {
    let mut pending = PendingVertices::default();
    pending.begin(Some(kind));
    continued(registers, &mut pending, vertices)
}

/// The primitives of more vertices.
pub(super) fn continued(
    registers: &Registers,
    pending: &mut PendingVertices,
    vertices: &[Vertex],
) -> Vec<Primitive> {
    let stream: Vec<u32> = (0..vertices.len() as u32).collect();
    let mut out = vec![];
    let batch = PrimitiveBatch { registers, vertices, stream: &stream };
    Interpreter::new().primitives(&batch, pending, &mut out);
    out
}
