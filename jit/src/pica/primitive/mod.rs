//! Primitives: [`assembly`] to triangles, vertices in [`window`] space, [`clip`], and [`set_up`].
//!
//! Source: pica-geometry.md 4-6.1.

mod assembly;
mod clip;
mod set_up;
#[cfg(test)]
mod tests;
mod window;

use assembly::Assembler;
use clip::Polygon;
use picaflor_pipeline::pica::regs::geometry::Topology;
use picaflor_pipeline::pica::stage::ShadedVertices;
use picaflor_pipeline::pica::stage::primitive::{PendingVertices, PrimitiveBatch, Primitives, StreamVertex};
use picaflor_pipeline::pica::vertex::{SEMANTICS, Vertex};
use set_up::SetUp;
use std::ops::Range;
use window::Windows;

/// Number of the first vertex of a batch: after the two pending ones.
const FIRST: usize = 2;

/// Buffers kept from batch to batch.
#[derive(Debug, Default)]
pub(crate) struct PrimitiveUnit {
    /// The pending vertices, and those in use of the batch.
    vertices: Vec<Vertex>,
    /// The same in window space.
    windows: Windows,
    /// What clipping leaves of a triangle.
    polygon: Polygon,
}

impl PrimitiveUnit {
    /// Passes the stream through assembly and appends the triangles to `out`.
    pub(crate) fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        let used = used(batch.stream);
        self.gather(batch.vertices, used.clone(), pending);
        let set_up = SetUp::of(batch.registers);
        self.windows.of(&set_up, &self.vertices[..FIRST], batch.vertices, used.clone());
        let topology = batch.registers.primitive_config().topology();
        let mut assembler = Assembler::resume(topology, pending);
        for vertex in batch.stream {
            if vertex.reverses() && topology == Topology::Geometry {
                assembler.reverse_next();
            }
            let number = FIRST + vertex.position() - used.start;
            if let Some(triangle) = assembler.vertex(number as u32) {
                let (vertices, windows) = (&self.vertices, &self.windows);
                set_up.process(triangle, vertices, windows, &mut self.polygon, &mut out.triangles);
                out.ends.push(out.triangles.len() as u32);
            }
        }
        pending.places = assembler.places.map(|number| self.vertices[number as usize]);
        assembler.suspend(pending);
    }

    /// Collects the pending vertices and those of a range, transposed from rows of components.
    fn gather(&mut self, shaded: &ShadedVertices, used: Range<usize>, pending: &PendingVertices) {
        /// Vertices that stay in the L1 cache while all rows are read.
        const BLOCK: usize = 128;
        self.vertices.resize(FIRST + used.len(), [0.0; SEMANTICS]);
        let (places, vertices) = self.vertices.split_at_mut(FIRST);
        places.copy_from_slice(&pending.places);
        for (block, vertices) in vertices.chunks_mut(BLOCK).enumerate() {
            for k in 0..SEMANTICS {
                let row = &shaded.component(k)[used.start + block * BLOCK..];
                vertices.iter_mut().zip(row).for_each(|(vertex, value)| vertex[k] = *value);
            }
        }
    }
}

/// The smallest range of positions that contains a stream.
fn used(stream: &[StreamVertex]) -> Range<usize> {
    let positions = || stream.iter().map(|vertex| vertex.position());
    positions().min().unwrap_or(0)..positions().max().map_or(0, |last| last + 1)
}

#[cfg(test)]
mod stream_tests {
    use super::*;
    use picaflor_pipeline::pica::regs::Registers;
    use picaflor_pipeline::pica::stage::NoEngines;
    use picaflor_pipeline::pica::stage::primitive::PrimitiveStage as _;

    /// Registers with a topology, and a viewport in which a vertex is recognised by its x.
    fn registers(topology: Topology) -> Registers {
        let mut registers = Registers::new();
        let code = match topology {
            Topology::List => 0,
            Topology::Strip => 1,
            Topology::Fan => 2,
            Topology::Geometry => 3,
        };
        registers.set_raw(0x041, 0x45_0000);
        registers.set_raw(0x043, 0x45_0000);
        registers.set_raw(0x25e, code << 8);
        registers
    }

    /// Vertex `n` on a circle, counter-clockwise; its texture coordinate is `n`.
    fn vertices(count: u8) -> ShadedVertices {
        let mut vertices = ShadedVertices::new();
        vertices.reset(usize::from(count), SEMANTICS);
        for n in 0..count {
            let angle = f32::from(n) * std::f32::consts::TAU / f32::from(count);
            let vertex = [angle.cos() / 2.0, angle.sin() / 2.0, -0.5, 1.0];
            vertex.iter().enumerate().for_each(|(k, &v)| vertices.component_mut(k)[usize::from(n)] = v);
            vertices.component_mut(12)[usize::from(n)] = f32::from(n);
        }
        vertices
    }

    /// The triangles of a stream, each by its smallest number and those after it, counter-clockwise.
    fn triangles(topology: Topology, parts: &[&[StreamVertex]]) -> Vec<[u8; 3]> {
        let (registers, vertices) = (registers(topology), vertices(12));
        let (mut pending, mut out) = (PendingVertices::default(), Primitives::default());
        for stream in parts {
            let batch = PrimitiveBatch { registers: &registers, vertices: &vertices, stream };
            PrimitiveUnit::default().primitives(&batch, &mut pending, &mut out);
        }
        assert!(out.ends.iter().copied().eq(1..=out.ends.len() as u32), "one part each");
        out.triangles.iter().map(|triangle| triangle.p.map(|p| p[12] as u8)).collect()
    }

    fn stream(numbers: &[u32]) -> Vec<StreamVertex> {
        numbers.iter().map(|&n| StreamVertex::new(n)).collect()
    }

    /// Strips are cut anywhere: the vertices of an incomplete triangle persist.
    #[test]
    fn batches_may_end_anywhere() {
        let whole = stream(&[0, 1, 2, 3, 4, 5, 6, 8]);
        for (topology, expected) in [
            (Topology::List, vec![[0, 1, 2], [3, 4, 5]]),
            (Topology::Geometry, vec![[0, 1, 2], [3, 4, 5]]),
            (Topology::Fan, vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 6], [0, 6, 8]]),
        ] {
            for cut in 0..=whole.len() {
                let (first, second) = whole.split_at(cut);
                assert_eq!(triangles(topology, &[first, second]), expected, "{topology:?} at {cut}");
            }
        }
        // Every second triangle of a strip has its first two vertices swapped.
        let expected = triangles(Topology::Strip, &[&whole]);
        assert_eq!(expected.len(), 6);
        for cut in 0..=whole.len() {
            let (first, second) = whole.split_at(cut);
            assert_eq!(triangles(Topology::Strip, &[first, second]), expected, "at {cut}");
        }
    }

    #[test]
    fn a_reversed_triangle_is_a_back_face() {
        let (mut registers, vertices) = (registers(Topology::Geometry), vertices(12));
        registers.set_raw(0x040, 2);
        let mut reversed = stream(&[0, 1, 2, 3, 4, 5]);
        reversed[0] = reversed[0].reversing();
        let batch = PrimitiveBatch { registers: &registers, vertices: &vertices, stream: &reversed };
        let (mut pending, mut out) = (PendingVertices::default(), Primitives::default());
        PrimitiveUnit::default().primitives(&batch, &mut pending, &mut out);
        assert_eq!(out.ends, [0, 1], "the first one is a back face");
        assert_eq!(pending, PendingVertices { places: pending.places, ..PendingVertices::default() });
        NoEngines.primitives(&batch, &mut pending, &mut out);
        assert_eq!(out.ends, [0, 1]);
    }
}
