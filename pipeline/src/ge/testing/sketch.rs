//! An engine for tests of the machine: it assembles without clipping, culling and flat shading, and moves blocks byte
//! by byte. Nothing else has an effect.

use crate::fault::Fault;
use crate::ge::display::FrameBuffer;
use crate::ge::raster::{Corner, Primitive, Shape};
use crate::ge::regs::{Registers, fields, op};
use crate::ge::stage::blit::BlitStage;
use crate::ge::stage::primitive::{Kind, PendingVertices, PrimitiveBatch, PrimitiveStage};
use crate::ge::stage::surface::{Surface, SurfaceBatch};
use crate::ge::stage::{
    NoEngines, PixelStage, PixelState, Remembered, TileRoutine, TransformStage, VertexBatch,
};
use crate::ge::vertex::Vertex;
use crate::ge::vram::AddressMaps;
use crate::memory::{Memory, write_bytes};
use crate::picture::Picture;
use std::sync::Arc;

/// The engine.
pub(in crate::ge) struct Sketch;

impl TransformStage for Sketch {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        NoEngines.transform(batch, out);
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        NoEngines.remembered(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        NoEngines.is_outside(batch)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        NoEngines.immediate(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        NoEngines.surface(batch)
    }
}

impl PixelStage for Sketch {
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        NoEngines.pixel_routine(state, primitives)
    }
}

impl PrimitiveStage for Sketch {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        let Some(kind) = pending.kind else { return };
        let needed = match kind.shape() {
            Shape::Point => 1,
            Shape::Line | Shape::Rectangle => 2,
            Shape::Triangle => 3,
        };
        for &place in batch.stream {
            let Some(&vertex) = batch.vertices.get(place as usize) else { return };
            pending.vertices.push(vertex);
            if pending.vertices.len() == needed {
                out.push(primitive(kind.shape(), &pending.vertices));
                match kind {
                    Kind::LineStrip => drop(pending.vertices.remove(0)),
                    Kind::TriangleStrip => {
                        pending.vertices.remove(0);
                        pending.is_odd = !pending.is_odd;
                    }
                    Kind::TriangleFan => drop(pending.vertices.remove(1)),
                    _ => pending.vertices.clear(),
                }
            }
        }
    }
}

/// The primitive of one to three vertices; triangles are clockwise.
fn primitive(shape: Shape, vertices: &[Vertex]) -> Primitive {
    let mut corners = [0, 1, 2].map(|n| corner(&vertices[n.min(vertices.len() - 1)]));
    let [a, b, c] = corners;
    if (b.x - a.x) * (c.y - a.y) < (b.y - a.y) * (c.x - a.x) {
        corners.reverse();
    }
    Primitive { corners, shape, reserved: 0 }
}

fn corner(vertex: &Vertex) -> Corner {
    let &Vertex { clip: [.., w], texture, x, y, z, colour, secondary, fog, .. } = vertex;
    Corner { texture, w, x, y, z, colour, secondary, fog: fog.into() }
}

impl BlitStage for Sketch {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        let element = 2 << (registers.arg(op::TRXKICK) & 1);
        let [width, rows] =
            [fields::PIXEL_X, fields::PIXEL_Y].map(|size| registers.field(op::TRXSIZE, size) + 1);
        let row = |pointer, stride, position, y| {
            let start = registers.arg(pointer) | (registers.arg(stride) & 0xff_0000) << 8;
            let [left, top] =
                [fields::PIXEL_X, fields::PIXEL_Y].map(|place| registers.field(position, place));
            maps.resolve(start + ((top + y) * (registers.arg(stride) & 0x7f8) + left) * element)
        };
        for y in 0..rows {
            let from = row(op::TRXSBP, op::TRXSBW, op::TRXSPOS, y);
            let to = row(op::TRXDBP, op::TRXDBW, op::TRXDPOS, y);
            for (id, address) in [(op::TRXSBP, from), (op::TRXDBP, to)] {
                if memory.region(address, 1).is_none() {
                    return Err(Fault::Unmapped { id: id.into(), address });
                }
            }
            for at in 0..width * element {
                write_bytes(memory, to + at, &[memory.byte(from + at)]);
            }
        }
        Ok(())
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        NoEngines.scan_out(memory, maps, frame)
    }
}
