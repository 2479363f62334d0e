//! Primitives: [`assembly`] to triangles, vertices in [`window`] space, [`clip`], and [`set_up`].
//!
//! Source: pica-geometry.md 4-6.1.

mod assembly;
mod attributes;
mod clip;
mod set_up;
#[cfg(test)]
mod tests;
mod window;

use crate::code::vectors::{transposed, wide};
use assembly::Assembler;
use attributes::{Attributes, GROUPS};
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
    /// The pending vertices, and those in use of the batch; older ones behind them.
    vertices: Vec<Vertex>,
    /// Vertices from [`FIRST`] on in which all of a group is 1, as it is where the program has no output for it.
    ones: [usize; GROUPS],
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
        let attributes =
            if batch.is_drawn { Attributes::of_pixels(batch.registers) } else { Attributes::All };
        self.gather(batch.vertices, used.clone(), pending, attributes);
        let set_up = SetUp::of(batch.registers, attributes);
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
        pending.places = assembler.places.map(|number| match (number as usize).checked_sub(FIRST) {
            Some(place) => whole(batch.vertices, used.start + place),
            None => pending.places[number as usize],
        });
        assembler.suspend(pending);
    }

    /// Collects the pending vertices and those of a range, transposed from rows of components, with some attributes.
    fn gather(
        &mut self,
        shaded: &ShadedVertices,
        used: Range<usize>,
        pending: &PendingVertices,
        attributes: Attributes,
    ) {
        if self.vertices.len() < FIRST + used.len() {
            self.vertices.resize(FIRST + used.len(), [0.0; SEMANTICS]);
        }
        let (places, vertices) = self.vertices.split_at_mut(FIRST);
        places.copy_from_slice(&pending.places);
        let vertices = &mut vertices[..used.len()];
        // Rows of 1 stay where they are, and those that nobody asks for.
        let mut read = [false; GROUPS];
        for group in attributes.of_vertices() {
            let (read, ones) = (&mut read[group], &mut self.ones[group]);
            let is_one = (4 * group..4 * group + 4).all(|k| shaded.is_all_ones(k));
            *read = !(is_one && *ones >= used.len());
            *ones = if is_one { used.len().max(*ones) } else { 0 };
        }
        for (block, vertices) in vertices.chunks_mut(BLOCK).enumerate() {
            let first = used.start + block * BLOCK;
            for group in (0..GROUPS).filter(|&group| read[group]) {
                let rows = [0, 1, 2, 3].map(|n| &shaded.component(4 * group + n)[first..][..vertices.len()]);
                transpose(rows, vertices, group);
            }
        }
    }
}

/// All attributes of the vertex at a position.
fn whole(shaded: &ShadedVertices, position: usize) -> Vertex {
    std::array::from_fn(|k| shaded.component(k)[position])
}

/// Vertices that stay in the L1 cache while all rows are read.
const BLOCK: usize = 128;

/// Writes four rows to the vertices, as their semantics of a group.
fn transpose(rows: [&[f32]; 4], vertices: &mut [Vertex], group: usize) {
    let put = |vertex: &mut Vertex, column: [f32; 4]| vertex.as_chunks_mut().0[group] = column;
    let (fours, rest) = vertices.as_chunks_mut::<4>();
    let [a, b, c, d] = rows.map(|row| row.as_chunks::<4>().0);
    for ((((a, b), c), d), vertices) in a.iter().zip(b).zip(c).zip(d).zip(&mut *fours) {
        for (vertex, column) in vertices.iter_mut().zip(transposed([*a, *b, *c, *d])) {
            put(vertex, column);
        }
    }
    let first = 4 * fours.len();
    for (n, vertex) in rest.iter_mut().enumerate() {
        put(vertex, rows.map(|row| row[first + n]));
    }
}

/// The smallest range of positions that contains a stream.
fn used(stream: &[StreamVertex]) -> Range<usize> {
    let (first, last) = wide(|| {
        let ends = (u32::MAX, 0);
        stream
            .iter()
            .map(|vertex| vertex.position() as u32)
            .fold(ends, |(first, last), position| (first.min(position), last.max(position)))
    });
    if stream.is_empty() { 0..0 } else { first as usize..last as usize + 1 }
}

#[cfg(test)]
mod stream_tests {
    use super::*;
    use crate::{Engine, EngineMode, TraceRequest};
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
            let batch =
                PrimitiveBatch { registers: &registers, vertices: &vertices, stream, is_drawn: false };
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
        let batch =
            PrimitiveBatch { registers: &registers, vertices: &vertices, stream: &reversed, is_drawn: false };
        let (mut pending, mut out) = (PendingVertices::default(), Primitives::default());
        PrimitiveUnit::default().primitives(&batch, &mut pending, &mut out);
        assert_eq!(out.ends, [0, 1], "the first one is a back face");
        assert_eq!(pending, PendingVertices { places: pending.places, ..PendingVertices::default() });
        NoEngines.primitives(&batch, &mut pending, &mut out);
        assert_eq!(out.ends, [0, 1]);
    }

    /// Triangles that are drawn lack what no pixel reads, and differ in nothing else; what is pending lacks nothing, so that a strip
    /// can go on in a state that reads more.
    #[test]
    fn what_no_pixel_reads_is_left_out() {
        let (mut unit, mut seed, mut parts) = (PrimitiveUnit::default(), 2, [0, 0]);
        for case in 0..400 {
            let mut random = |bound| tests::random(&mut seed, bound);
            let topologies = [Topology::List, Topology::Strip, Topology::Fan, Topology::Geometry];
            let mut registers = registers(topologies[random(4) as usize]);
            registers.set_raw(0x1c6, random(2) as u32);
            registers.set_raw(0x080, random(8) as u32);
            let count = 3 + random(30) as u8;
            let mut vertices = vertices(count);
            for k in 0..SEMANTICS {
                // Some are clipped.
                let offset = if k < 4 { 0.0 } else { 0.5 };
                let row = vertices.component_mut(k).iter_mut();
                row.for_each(|v| *v += offset + random(100) as f32 / 60.0);
            }
            let stream: Vec<_> =
                (0..3 * u32::from(count)).map(|n| StreamVertex::new(n % u32::from(count))).collect();
            let mut of = |is_drawn| {
                let (mut pending, mut out) = (PendingVertices::default(), Primitives::default());
                for stream in stream.chunks(1 + case % 40) {
                    let batch =
                        PrimitiveBatch { registers: &registers, vertices: &vertices, stream, is_drawn };
                    unit.primitives(&batch, &mut pending, &mut out);
                }
                (out, pending)
            };
            let ((mut whole, pending), drawn) = (of(false), of(true));
            let carried = Attributes::of_pixels(&registers).groups();
            for p in whole.triangles.iter_mut().flat_map(|triangle| &mut triangle.p) {
                p.iter_mut()
                    .enumerate()
                    .for_each(|(k, p)| *p = if carried.contains(&(k / 4)) { *p } else { 0.0 });
            }
            parts = [parts[0] + whole.triangles.len(), parts[1] + whole.ends.len()];
            assert_eq!(drawn, (whole, pending), "case {case}: {carried:?}");
        }
        assert!(parts[0] > 2000, "{parts:?}");
    }

    /// Who traces a pixel sees attributes that no pixel reads.
    #[test]
    fn traced_triangles_are_whole() {
        let mut engine = Engine::builder().mode(EngineMode::InterpreterOnly).build().expect("an engine");
        let (registers, vertices) = (registers(Topology::List), vertices(3));
        let batch = PrimitiveBatch {
            registers: &registers,
            vertices: &vertices,
            stream: &stream(&[0, 1, 2]),
            is_drawn: true,
        };
        let [traced, drawn] = [true, false].map(|is_traced| {
            let tracer = engine.tracer();
            if is_traced {
                tracer.arm(TraceRequest::new().with_pixel(0, 0))
            } else {
                tracer.disarm()
            }
            let mut out = Primitives::default();
            engine.primitives(&batch, &mut PendingVertices::default(), &mut out);
            out.triangles[0].p.map(|p| p[3])
        });
        assert_eq!((traced, drawn), ([1.0; 3], [0.0; 3]), "w times 1 / w");
    }

    /// What one batch leaves in the buffers is not seen by the next one: outputs that a program lacks are 1, in batches of any
    /// size, and some programs have them.
    #[test]
    fn vertices_are_those_of_their_batch() {
        let mut registers = registers(Topology::List);
        registers.set_raw(0x040, 0);
        let (mut unit, mut seed) = (PrimitiveUnit::default(), 1);
        let mut random = |bound| tests::random(&mut seed, bound);
        for case in 0..400 {
            let count = 3 * (1 + random(60)) as u8;
            let mut vertices = vertices(count);
            let lacks = random(1 << 6);
            for k in 4..SEMANTICS {
                if lacks >> (k / 4) & 1 != 0 {
                    vertices.set_ones(k);
                } else {
                    vertices.component_mut(k).iter_mut().enumerate().for_each(|(n, v)| *v = (n + k) as f32);
                }
            }
            let stream: Vec<_> = (0..u32::from(count)).map(StreamVertex::new).collect();
            let batch = PrimitiveBatch {
                registers: &registers,
                vertices: &vertices,
                stream: &stream,
                is_drawn: false,
            };
            let of = |unit: &mut PrimitiveUnit| {
                let mut out = Primitives::default();
                unit.primitives(&batch, &mut PendingVertices::default(), &mut out);
                out
            };
            let found = of(&mut unit);
            assert!(!found.triangles.is_empty());
            assert_eq!(found, of(&mut PrimitiveUnit::default()), "case {case}");
        }
    }
}
