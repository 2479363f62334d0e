//! What the manual states about drawing commands, with engines that draw nothing.

mod commands;
mod fetch;
mod immediate;
mod stops;

use super::DrawContext;
use crate::fault::Fault;
use crate::fault::FaultList;
use crate::ge::clut::Clut;
use crate::ge::display::FrameBuffer;
use crate::ge::draw::{Joined, Texels};
use crate::ge::limits::Limits;
use crate::ge::matrices::Matrices;
use crate::ge::queue::{Queue, Submitted};
use crate::ge::raster::Primitive;
use crate::ge::regs::{Registers, fields, op};
use crate::ge::stage::blit::BlitStage;
use crate::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use crate::ge::stage::surface::{Piece, Surface, SurfaceBatch};
use crate::ge::stage::{
    NoEngines, PixelStage, PixelState, Remembered, TileRoutine, TransformStage, VertexBatch,
};
use crate::ge::stats::Stats;
use crate::ge::testing::Sketch;
use crate::ge::vertex::Vertex;
use crate::ge::vertex_type::Element;
use crate::ge::vram::AddressMaps;
use crate::guest_slice::GuestSlice;
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::picture::Picture;
use crate::stop::Stopper;
use crate::work::Account;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where tests put vertices and indices.
const VERTICES: u32 = 0x0880_0000;
const INDICES: u32 = 0x0890_0000;

/// An engine for vertices of through mode with positions, and perhaps texture coordinates, of 16 bits.
#[derive(Default)]
struct Through {
    /// Batches of vertices so far.
    batches: u32,
    /// These, and batches of primitives.
    calls: u32,
    /// Ends the run in a call of this number.
    stops: Option<(u32, Stopper)>,
    /// Vertices of a piece of a surface; 0 counts as 1.
    piece: u32,
}

impl Through {
    fn called(&mut self) {
        self.calls += 1;
        if let Some((_, stopper)) = self.stops.as_ref().filter(|(call, _)| *call == self.calls) {
            stopper.stop();
        }
    }
}

/// Number `n` of a component of 16-bit numbers, which begins at `offset` of record `index`.
fn short(batch: &VertexBatch<'_>, index: u32, offset: u32, n: u32) -> i32 {
    let at = index * batch.stride + offset + 2 * n;
    i32::from(i16::from_le_bytes(batch.records.read_array(at as usize)))
}

impl TransformStage for Through {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        self.batches += 1;
        self.called();
        out.clear();
        out.extend(batch.indices.iter().map(|&index| {
            let offset = batch.registers.vertex_type().layout().position;
            let [x, y, z] = [0, 1, 2].map(|n| short(batch, index, offset, n));
            Vertex { x: 16 * x, y: 16 * y, z, ..Vertex::EMPTY }
        }));
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        let vertex_type = batch.registers.vertex_type();
        match (vertex_type.texture(), batch.indices) {
            (Element::Short, &[.., last]) => {
                let offset = vertex_type.layout().texture;
                let texture = [0, 1].map(|n| f64::from(short(batch, last, offset, n)));
                Remembered { texture, ..batch.remembered }
            }
            _ => batch.remembered,
        }
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        NoEngines.is_outside(batch)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        let [x, y] = [op::VSCX, op::VSCY].map(|command| registers.field(command, fields::SHORT) as i32);
        Vertex { x, y, ..Vertex::EMPTY }
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        let bytes = batch.points.indices.len() * batch.points.stride as usize;
        let records = batch.points.records.slice(0, bytes).to_vec();
        Some(Box::new(Points {
            registers: batch.points.registers.clone(),
            records,
            piece: self.piece.max(1),
        }))
    }
}

/// A surface of its control points, so many to a piece.
struct Points {
    registers: Registers,
    records: Vec<u8>,
    piece: u32,
}

impl Surface for Points {
    fn registers(&self) -> &Registers {
        &self.registers
    }

    fn next_piece_unless(&mut self, _: &dyn Fn() -> bool, piece: &mut Piece) -> bool {
        let stride = self.registers.vertex_type().stride() as usize;
        let is_left = !self.records.is_empty();
        if is_left {
            let bytes = self.records.len().min(self.piece as usize * stride);
            let vertices = (bytes / stride) as u32;
            let records = self.records.drain(..bytes).collect();
            *piece = Piece { records, vertices, indices: (0..vertices).collect() };
        }
        is_left
    }
}

impl PrimitiveStage for Through {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        self.called();
        Sketch.primitives(batch, pending, out);
    }
}

impl BlitStage for Through {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        NoEngines.block_transfer(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        NoEngines.scan_out(memory, maps, frame)
    }
}

impl PixelStage for Through {
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        NoEngines.pixel_routine(state, primitives)
    }
}

/// A queue that keeps what it gets.
#[derive(Default)]
struct Kept {
    primitives: Vec<Primitive>,
    registers: Vec<Registers>,
    is_immediate: bool,
    /// Reads that were announced.
    reads: Vec<(u32, u32)>,
}

impl Queue for Kept {
    fn draw(&mut self, _: &mut dyn PixelStage, draw: Submitted<'_>) {
        self.primitives.append(draw.primitives);
        self.registers.push(draw.state.registers.clone());
        self.is_immediate = draw.state.is_immediate;
    }

    fn before_read(&mut self, bytes: (u32, u32)) {
        self.reads.push(bytes);
    }

    fn before_write(&mut self, _: (u32, u32)) {}

    fn is_pending(&self) -> bool {
        false
    }

    fn finish(&mut self) {}

    fn take_pixels(&mut self) -> u64 {
        0
    }
}

/// Memory that counts how often it is asked for regions of a length.
struct Counting {
    memory: BlockMemory,
    counted: u32,
    counter: AtomicU32,
    /// Ends the run when so many are counted.
    stops: Option<(u32, Stopper)>,
}

impl Memory for Counting {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        if length == self.counted {
            let count = 1 + self.counter.fetch_add(1, Ordering::Relaxed);
            self.stops.iter().filter(|(last, _)| *last == count).for_each(|(_, stopper)| stopper.stop());
        }
        self.memory.region(address, length)
    }
}

/// All that a draw context borrows.
struct Bench {
    registers: Registers,
    matrices: Matrices,
    clut: Clut,
    remembered: Remembered,
    vertex_pointer: u32,
    index_pointer: u32,
    memory: Counting,
    queue: Kept,
    stages: Through,
    limits: Limits,
    faults: FaultList,
    stats: Stats,
    stopper: Stopper,
}

impl Bench {
    /// A picture of 1024 by 1024; vertices of 16-bit positions on the screen, VTYPE bits `more` added.
    fn new(more: u32) -> Self {
        let mut bench = Self {
            registers: Registers::default(),
            matrices: Matrices::default(),
            clut: Clut::default(),
            remembered: Remembered::default(),
            vertex_pointer: VERTICES,
            index_pointer: INDICES,
            memory: Counting {
                memory: BlockMemory::zeroed(&[(0x0400_0000, 2 << 20), (0x0880_0000, 2 << 20)]),
                counted: u32::MAX,
                counter: AtomicU32::new(0),
                stops: None,
            },
            queue: Kept::default(),
            stages: Through::default(),
            limits: Limits::default(),
            faults: FaultList::new(),
            stats: Stats::default(),
            stopper: Stopper::default(),
        };
        bench.set(op::SCISSOR2, 0xf_ffff);
        bench.set(op::REGION2, 0xf_ffff);
        bench.set(op::SHADE, 1);
        bench.set(op::VTYPE, 1 << 23 | 2 << 7 | more);
        bench
    }

    fn set(&mut self, command: u8, argument: u32) {
        self.registers.write(u32::from(command) << 24 | argument);
    }

    fn put(&self, address: u32, bytes: &[u8]) {
        write_bytes(&self.memory, address, bytes);
    }

    /// Positions one after the other from the first vertex on.
    fn put_positions(&self, positions: &[[i16; 2]]) {
        let bytes = positions.iter().flat_map(|&[x, y]| [x, y, 0]).flat_map(i16::to_le_bytes);
        self.put(VERTICES, &bytes.collect::<Vec<_>>());
    }

    /// Has a front end do something.
    fn act<R>(&mut self, action: impl FnOnce(&mut DrawContext<'_>) -> R) -> R {
        let mut joined = Joined::default();
        let mut cx = DrawContext {
            registers: &self.registers,
            matrices: &self.matrices,
            clut: &self.clut,
            remembered: &mut self.remembered,
            vertex_pointer: &mut self.vertex_pointer,
            index_pointer: &mut self.index_pointer,
            stages: &mut self.stages,
            memory: &self.memory,
            maps: AddressMaps::default(),
            queue: &mut self.queue,
            limits: &self.limits,
            account: &mut Account::new(self.limits.work),
            joined: &mut joined,
            texels: &mut Texels::default(),
            stopper: &self.stopper,
            faults: &mut self.faults,
            stats: &mut self.stats,
        };
        let result = action(&mut cx);
        cx.submit_joined();
        assert!(cx.joined.is_empty(), "draws wait");
        result
    }

    /// Columns of the corners of everything that was submitted, in pixels.
    fn take_columns(&mut self) -> Vec<[i32; 3]> {
        let primitives = std::mem::take(&mut self.queue.primitives);
        primitives.iter().map(|primitive| primitive.corners.map(|corner| corner.x / 16)).collect()
    }
}
