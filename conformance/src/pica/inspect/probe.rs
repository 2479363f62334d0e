//! An engine that hands its work to a desk, and lets the oracle draw the pixels that are asked for.

use super::{program, views};
use crate::inspect::{Desk, Mesh, MeshVertex, around};
use picaflor_interp::pica::traced;
use picaflor_interp::trace::{Found, Subject};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives,
};
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryBatch, GeometryRun, ShadedVertices, ShaderStage, Stages,
    TileBatch, TileRoutine, VertexBatch,
};
use picaflor_pipeline::pica::surface::feedback;
use picaflor_pipeline::pica::transfer::TransferRegisters;
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;

/// Vertices and primitives of a draw that are kept.
const MOST: usize = 1 << 16;
/// Layouts of buffers in which the place of the spot is kept.
const PLACES: usize = 8;

/// An engine with a desk.
pub struct Probed<'e> {
    inner: &'e mut dyn Stages,
    desk: Desk,
}

impl<'e> Probed<'e> {
    pub(super) fn new(inner: &'e mut dyn Stages, desk: &Desk) -> Self {
        Self { inner, desk: desk.clone() }
    }
}

impl ShaderStage for Probed<'_> {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.inner.shade(batch, out, faults);
        let mut log = self.desk.lock();
        log.program = Some(program::checksum(batch.program));
        if log.is_asked() {
            let wanted = log.question.vertex;
            let before = log.current.mesh.vertices.len();
            let is_wanted = log.question.geometry.is_none();
            if is_wanted && (before..before + batch.indices.len()).contains(&wanted) {
                log.current.program = program::program(batch, wanted - before, wanted);
            }
            keep_vertices(&mut log.current.mesh, batch, out);
        }
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        let mut log = self.desk.lock();
        if log.is_asked() {
            let number = log.current.geometry_runs;
            log.current.geometry_runs += 1;
            if log.question.geometry == Some(number) {
                log.current.program = Some(program::geometry(run, number));
            }
        }
        drop(log);
        self.inner.run_geometry(run, emitted, faults);
    }

    fn run_geometry_batch(
        &mut self,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        if !self.desk.lock().is_asked() {
            return self.inner.run_geometry_batch(batch, emitted, faults);
        }
        for inputs in batch.inputs.chunks_exact(batch.each.get()) {
            batch.load(inputs);
            self.run_geometry(&mut batch.run, emitted, faults);
        }
    }
}

/// Adds shaded vertices to a mesh.
fn keep_vertices(mesh: &mut Mesh, batch: &VertexBatch<'_>, out: &ShadedVertices) {
    let room = MOST.saturating_sub(mesh.vertices.len());
    mesh.omitted += batch.indices.len().saturating_sub(room) as u64;
    for (position, &index) in batch.indices.iter().enumerate().take(room) {
        let v = batch.inputs.fetch(batch.memory, index, batch.precision);
        let used = batch.inputs.by_register();
        let inputs = (0..16).filter(|&n: &usize| used[n].is_some());
        let component = |k: usize| f64::from(out.component(k)[position]);
        mesh.vertices.push(MeshVertex {
            index,
            inputs: inputs.map(|n| (format!("v{n}"), v[n].map(f64::from).to_vec())).collect(),
            outputs: program::outputs(batch.output, &component),
            bytes: Vec::new(),
        });
    }
}

impl PrimitiveStage for Probed<'_> {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        let before = out.triangles.len();
        self.inner.primitives(batch, pending, out);
        let mut log = self.desk.lock();
        if log.is_asked() {
            let pixel = |n: i32| f64::from(n) / 16.0;
            let corners = out.triangles.faces()[before..].iter().map(|triangle| {
                (0..3)
                    .map(|k| [pixel(triangle.x[k]), pixel(triangle.y[k]), f64::from(triangle.z[k])])
                    .collect()
            });
            let kept: Vec<Vec<[f64; 3]>> = corners.take(MOST).collect();
            log.current.mesh.primitives.extend(kept);
        }
    }
}

impl BlitStage for Probed<'_> {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        self.inner.fill(memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        self.inner.transfer(memory, registers)
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        self.inner.scan_out(memory, source)
    }
}

impl FragmentStage for Probed<'_> {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        let inner = self.inner.fragment_routine(state);
        let mut log = self.desk.lock();
        if !log.is_brief() {
            log.key = crate::pica::key::key(state.registers);
        }
        if log.is_asked() && log.current.before.colour.is_empty() {
            log.current.before = views::buffers(state.registers, state.memory);
            log.current.textures = views::pictures(state);
            log.current.tables = views::tables(state);
        }
        let layout = views::layout(state.registers);
        let known = log.places.iter().find(|(of, _)| *of == layout).map(|&(_, place)| place);
        let place = known.or_else(|| {
            let spot = log.question.spot?;
            let place = views::place(state.registers, state.memory, spot.address);
            log.places.truncate(PLACES - 1);
            log.places.insert(0, (layout, place));
            Some(place)
        });
        let subject = log.subject(|_| place.flatten());
        let Some(subject) = subject else {
            let bounds = log.question.bounds;
            return if bounds { Arc::new(Bounded { inner, desk: self.desk.clone() }) } else { inner };
        };
        if let Subject::Pixel(pixel) = subject {
            log.pixel = Some(pixel);
        }
        Arc::new(Split { inner, subject, found: log.found.clone() })
    }

    fn next_draw(&mut self, pixels: u64) {
        self.inner.next_draw(pixels);
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
    }
}

/// A routine that reports where it draws.
struct Bounded {
    inner: Arc<dyn TileRoutine>,
    desk: Desk,
}

impl TileRoutine for Bounded {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let drawn = batch.order.iter().filter_map(|&number| batch.triangles.get(number as usize));
        let mut log = self.desk.lock();
        drawn.for_each(|triangle| log.extend_bounds(triangle.bounds().intersect(batch.tile)));
        drop(log);
        self.inner.run(batch)
    }
}

/// A routine that leaves one pixel, or the whole tile, to the oracle.
struct Split {
    inner: Arc<dyn TileRoutine>,
    subject: Subject,
    found: Found,
}

impl TileRoutine for Split {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let oracle = traced(self.subject, &self.found);
        let Subject::Pixel([x, y]) = self.subject else { return oracle.run(batch) };
        if !batch.tile.contains(x, y) {
            return self.inner.run(batch);
        }
        let registers = batch.state.registers;
        let is_apart = batch.target.tiles_are_disjoint()
            && !feedback::target_is_texture(registers, batch.target.ranges());
        if !is_apart {
            return oracle.run(batch);
        }
        let pixel = Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 };
        let around =
            around(pixel, batch.tile).into_iter().map(|tile| self.inner.run(&TileBatch { tile, ..*batch }));
        around.sum::<u64>() + oracle.run(&TileBatch { tile: pixel, ..*batch })
    }
}
