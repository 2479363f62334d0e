//! A machine without a command processor, whose vertex program copies `v` to `o`.

use super::*;
use crate::memory::FlatMemory;
use crate::pica::display::ScanOut;
use crate::pica::draw::texels::Texels;
use crate::pica::float::to_f24;
use crate::pica::limits::RunAccount;
use crate::pica::queue::InPlace;
use crate::pica::raster::Triangle;
use crate::pica::regs::geometry::Topology;
use crate::pica::shader::program::UnitKind;
use crate::pica::shader::unit::{EmitLatch, Record, ShaderUnit, Uniforms, Vec4};
use crate::pica::stage::blit::{BlitStage, Fill};
use crate::pica::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use crate::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, TileBatch, TileRoutine,
    VertexBatch,
};
use crate::pica::transfer::TransferRegisters;
use crate::pica::vertex::OutputForm;
use crate::pica::vertex::Vertex;
use crate::picture::Picture;
use crate::stop::Stopper;
use std::sync::{Arc, Mutex};

/// Address of the memory.
pub(super) const BASE: u32 = 0x1000;

/// What a geometry run found.
pub(super) struct Run {
    pub(super) v: [Vec4; 16],
    pub(super) uniforms: Uniforms,
}

impl Run {
    /// x of uniforms.
    pub(super) fn c(&self, range: std::ops::Range<usize>) -> Vec<f32> {
        range.map(|n| self.uniforms.float(n, Precision::Console)[0]).collect()
    }
}

/// Engines that record what they are asked for.
pub(super) struct Fake {
    /// Assembled triangles.
    pub(super) assembled: Vec<[Vertex; 3]>,
    /// Triangles left of each assembled one.
    pub(super) parts: usize,
    pub(super) shaded: Vec<u32>,
    pub(super) runs: Vec<Run>,
    /// How often fragments were asked for.
    pub(super) routines: u32,
    /// How many triangles were drawn each time.
    pub(super) drawn: Arc<Mutex<Vec<usize>>>,
    /// What each geometry run emits: id, primitive, winding, x of slot 0.
    pub(super) emits: Vec<(u8, bool, bool, f32)>,
    /// Emissions that waited when each run began.
    pub(super) waiting: Vec<usize>,
    /// Stops the run when so many vertices are shaded.
    pub(super) stops_after: Option<(usize, Stopper)>,
}

impl Default for Fake {
    fn default() -> Self {
        let (assembled, shaded, runs, emits) = Default::default();
        let (drawn, waiting, stops_after) = Default::default();
        Self { assembled, parts: 1, shaded, runs, routines: 0, drawn, emits, waiting, stops_after }
    }
}

impl Fake {
    /// What is left of an assembled triangle: all of it; of several parts each has some pixels.
    fn part(&self, vertices: &[Vertex; 3]) -> Triangle {
        let whole = Self::triangle(vertices);
        if self.parts == 1 { whole } else { Triangle { x: [0, 32, 0], y: [0, 0, 32], ..whole } }
    }

    /// A triangle whose window coordinates are those of clip space, in a window of 32 by 16 pixels.
    fn triangle(vertices: &[Vertex; 3]) -> Triangle {
        let side = |k: usize, half: f32| {
            vertices.each_ref().map(|v| (((v[k] + 1.0) * half * 16.0) as i32).clamp(-9999, 9999))
        };
        Triangle {
            x: side(0, 16.0),
            y: side(1, 8.0),
            z: [0.0; 3],
            r: [1.0; 3],
            p: *vertices,
            flat_colour: None,
        }
    }
}

impl PrimitiveStage for Fake {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        let topology = batch.registers.primitive_config().topology();
        let is_list = matches!(topology, Topology::List | Topology::Geometry);
        for at in batch.stream {
            pending.is_reversed |= at.reverses();
            let vertex = std::array::from_fn(|k| batch.vertices.component(k)[at.position()]);
            if if is_list { pending.filled == 2 } else { pending.is_ready } {
                let [a, b] = pending.places;
                let swaps = topology == Topology::Geometry && std::mem::take(&mut pending.is_reversed);
                let triangle = if swaps { [b, a, vertex] } else { [a, b, vertex] };
                self.assembled.push(triangle);
                out.triangles.extend((0..self.parts).map(|_| self.part(&triangle)));
                out.ends.push(out.triangles.len() as u32);
            }
            match (is_list, usize::from(pending.filled)) {
                (true, 2) => pending.filled = 0,
                (true, place) => {
                    pending.places[place] = vertex;
                    pending.filled += 1;
                }
                (false, filled) => {
                    let place = filled & 1;
                    pending.places[place] = vertex;
                    pending.is_ready |= place == 1;
                    pending.filled = if topology == Topology::Strip { 1 - place as u8 } else { 1 };
                }
            }
        }
    }
}

impl BlitStage for Fake {
    fn fill(&mut self, _: &dyn Memory, _: &Fill) -> Result<(), Fault> {
        Ok(())
    }

    fn transfer(&mut self, _: &dyn Memory, _: &TransferRegisters) -> Result<(), Fault> {
        Ok(())
    }

    fn scan_out(&mut self, _: &dyn Memory, _: &ScanOut) -> Option<Picture> {
        None
    }
}

impl ShaderStage for Fake {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, _: &mut FaultList) {
        for &index in batch.indices.iter().take_while(|_| !batch.memory.is_stopping()) {
            self.shaded.push(index);
            if let Some((_, stopper)) =
                self.stops_after.as_ref().filter(|(count, _)| *count == self.shaded.len())
            {
                stopper.stop();
            }
        }
        out.reset(batch.indices.len(), batch.output.components());
        for (i, &index) in batch.indices.iter().enumerate() {
            let v = batch.inputs.fetch(batch.memory, index, batch.precision);
            let values = match batch.output {
                OutputForm::Mapped(map) => map.apply(&ShaderUnit::pack(&v, map.mask)).to_vec(),
                OutputForm::Records { mask, .. } => ShaderUnit::pack(&v, *mask).concat(),
            };
            (0..out.components()).for_each(|k| out.component_mut(k)[i] = values[k]);
        }
    }

    fn run_geometry(&mut self, run: &mut GeometryRun<'_>, emitted: &mut Vec<Emission>, _: &mut FaultList) {
        self.runs.push(Run { v: run.unit.v, uniforms: run.uniforms.clone() });
        self.waiting.push(emitted.len());
        run.uniforms.set_bools(run.uniforms.bools() | 0x8000);
        for &(id, primitive, winding, x) in &self.emits {
            let mut record: Record = [[0.0; 4]; 16];
            record[0][0] = x;
            emitted.push(Emission { latch: EmitLatch { id, primitive, winding }, record });
        }
    }
}

/// Counts triangles.
struct Count(Arc<Mutex<Vec<usize>>>);

impl TileRoutine for Count {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.0.lock().unwrap().push(batch.order.len());
        batch.order.len() as u64
    }
}

impl FragmentStage for Fake {
    fn fragment_routine(&mut self, _: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        self.routines += 1;
        Arc::new(Count(Arc::clone(&self.drawn)))
    }
}

pub(super) struct Rig {
    pub(super) front: FrontEnd,
    pub(super) registers: Registers,
    pub(super) vertex: ShaderBank,
    pub(super) geometry: ShaderBank,
    pub(super) stages: Fake,
    pub(super) memory: FlatMemory,
    pub(super) limits: Limits,
    pub(super) faults: FaultList,
    pub(super) stats: Stats,
    pub(super) precision: Precision,
    pub(super) obeys_attribute_clocks: bool,
    luts: LutMemory,
}

/// Offset in a shader bank.
pub(super) const INPUTS: u8 = 0x09;
pub(super) const PERMUTATION: u8 = 0x0b;
pub(super) const MASK: u8 = 0x0d;

impl Rig {
    /// `bytes` at [`BASE`], one attribute: the byte there, so that vertex n is (byte n, 0, 0, 1). Position
    /// is `o0`, triangles are lists.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut rig = Self {
            front: FrontEnd::new(),
            registers: Registers::new(),
            vertex: ShaderBank::new(UnitKind::Vertex),
            geometry: ShaderBank::new(UnitKind::Geometry),
            stages: Fake::default(),
            memory: FlatMemory::new(BASE, bytes.to_vec()),
            limits: Limits::default(),
            faults: FaultList::new(),
            stats: Stats::default(),
            precision: Precision::Console,
            obeys_attribute_clocks: true,
            luts: LutMemory::default(),
        };
        // Base; format of one byte; array 0 with one component, 1 byte apart.
        rig.set(&[(0x200, BASE >> 3), (0x201, 1), (0x205, 1 << 28 | 1 << 16)]);
        rig.set(&[(0x04f, 1), (0x050, 0x0302_0100), (0x06f, 0x0103_0703), (0x11e, 1 << 24 | 15 << 12 | 32)]);
        rig.vertex.write(MASK, 0xffff, 15);
        rig.geometry.write(MASK, 0xffff, 15);
        rig
    }

    pub(super) fn set(&mut self, words: &[(u16, u32)]) {
        words.iter().for_each(|&(id, word)| self.registers.set_raw(id, word));
    }

    /// The geometry stage in use, with `slots` of each vertex, and 0x252.
    pub(super) fn use_geometry(&mut self, slots: u32, misc: u32) {
        self.set(&[(0x229, 2), (0x24a, slots - 1), (0x252, misc), (0x25e, 3 << 8)]);
    }

    pub(super) fn with<R>(&mut self, work: impl FnOnce(&mut FrontEnd, &mut DrawContext<'_>) -> R) -> R {
        let stopper =
            self.stages.stops_after.as_ref().map_or_else(Stopper::default, |(_, stopper)| stopper.clone());
        stopper.begin(None);
        let mut queue = InPlace::new(&self.memory, &stopper);
        let mut cx = DrawContext {
            registers: &self.registers,
            luts: &self.luts,
            vertex: &self.vertex,
            geometry: &mut self.geometry,
            stages: &mut self.stages,
            memory: &self.memory,
            precision: self.precision,
            obeys_attribute_clocks: self.obeys_attribute_clocks,
            limits: &self.limits,
            queue: &mut queue,
            faults: &mut self.faults,
            stats: &mut self.stats,
            texels: &mut Texels::default(),
            stopper: &stopper,
            account: &mut RunAccount::new(&self.limits),
        };
        let result = work(&mut self.front, &mut cx);
        self.stats.fragments += queue.take_fragments();
        result
    }

    /// Draws and returns all triangles.
    pub(super) fn vertices(&mut self, indexed: bool, count: u32) -> Vec<[Vertex; 3]> {
        self.registers.set_raw(0x228, count);
        self.stages.assembled.clear();
        self.with(|front, cx| front.draw(cx, indexed));
        std::mem::take(&mut self.stages.assembled)
    }

    /// Draws and returns x of all triangles.
    pub(super) fn draw(&mut self, indexed: bool, count: u32) -> Vec<[u32; 3]> {
        numbers(&self.vertices(indexed, count))
    }

    /// Selects a fixed attribute or immediate mode.
    pub(super) fn select(&mut self, target: u32) {
        self.with(|front, cx| front.select_fixed(cx, target));
    }

    /// Words of data.
    pub(super) fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.with(|front, cx| front.fixed_word(cx, word)));
    }

    /// Vectors of data, which 24 bits can hold.
    pub(super) fn vectors(&mut self, vectors: &[Vec4]) {
        vectors.iter().for_each(|&vector| self.words(&pack(vector)));
    }

    /// Flushes immediate vertices and returns all triangles.
    pub(super) fn flush(&mut self) -> Vec<[Vertex; 3]> {
        self.stages.assembled.clear();
        self.with(FrontEnd::flush);
        std::mem::take(&mut self.stages.assembled)
    }
}

/// A vector of 24-bit floats, w first.
pub(super) fn pack(vector: Vec4) -> [u32; 3] {
    let [x, y, z, w] = vector.map(|value| to_f24(value).expect("24 bits"));
    [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x]
}

/// x of vertices.
pub(super) fn numbers(triangles: &[[Vertex; 3]]) -> Vec<[u32; 3]> {
    triangles.iter().map(|t| t.map(|v| v[0] as u32)).collect()
}
