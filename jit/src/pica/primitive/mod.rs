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

/// Positions of a stream lie among so many times as many vertices, at most, for all of these to be taken.
const MOST_VERTICES: usize = 4;

/// Buffers kept from batch to batch.
#[derive(Debug, Default)]
pub(crate) struct PrimitiveUnit {
    /// Vertices of a stream whose positions lie far apart, in its order, and a stream of these.
    apart: (ShadedVertices, Vec<StreamVertex>),
    /// The pending vertices and those in use of the batch, in window space.
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
        let Self { apart, windows, polygon } = self;
        let (mut vertices, mut stream, mut used) = (batch.vertices, batch.stream, used(batch.stream));
        if used.len() > MOST_VERTICES * stream.len() {
            collect(batch, apart);
            (vertices, stream, used) = (&apart.0, &apart.1, 0..batch.stream.len());
        }
        let attributes =
            if batch.is_drawn { Attributes::of_pixels(batch.registers) } else { Attributes::All };
        let set_up = SetUp::of(batch.registers, attributes);
        let first = out.triangles.vertices().len();
        gather(vertices, used.clone(), pending, attributes, out.triangles.parts_mut().1);
        windows.of(&set_up, &pending.places, vertices, used.clone());
        let topology = batch.registers.primitive_config().topology();
        let mut assembler = Assembler::resume(topology, pending);
        for vertex in stream {
            if vertex.reverses() && topology == Topology::Geometry {
                assembler.reverse_next();
            }
            let number = FIRST + vertex.position() - used.start;
            if let Some(triangle) = assembler.vertex(number as u32) {
                set_up.process((triangle, first), windows, polygon, &mut out.triangles);
                out.ends.push(out.triangles.len() as u32);
            }
        }
        pending.places = assembler.places.map(|number| match (number as usize).checked_sub(FIRST) {
            Some(place) => whole(vertices, used.start + place),
            None => pending.places[number as usize],
        });
        assembler.suspend(pending);
    }
}

/// Collects the vertices of a stream in its order, each as often as it is there.
#[cold]
fn collect(batch: &PrimitiveBatch<'_>, (vertices, stream): &mut (ShadedVertices, Vec<StreamVertex>)) {
    vertices.reset(batch.stream.len(), SEMANTICS);
    for k in 0..SEMANTICS {
        let from = batch.vertices.component(k);
        let to = vertices.component_mut(k).iter_mut();
        to.zip(batch.stream).for_each(|(to, vertex)| *to = from[vertex.position()]);
    }
    stream.clear();
    stream.extend((0..).zip(batch.stream).map(|(number, vertex)| {
        let place = StreamVertex::new(number);
        if vertex.reverses() { place.reversing() } else { place }
    }));
}

/// Appends the pending vertices and those of a range, transposed from rows of components, with some attributes.
fn gather(
    shaded: &ShadedVertices,
    used: Range<usize>,
    pending: &PendingVertices,
    attributes: Attributes,
    vertices: &mut Vec<Vertex>,
) {
    vertices.extend(pending.places);
    // Rows of 1 need not be read, and those that nobody asks for are 0.
    let (mut blank, mut read) = ([0.0; SEMANTICS], [false; GROUPS]);
    for group in attributes.of_vertices() {
        let semantics = 4 * group..4 * group + 4;
        let is_one = semantics.clone().all(|k| shaded.is_all_ones(k));
        read[group] = !is_one;
        if is_one {
            blank[semantics].fill(1.0);
        }
    }
    let from = vertices.len();
    vertices.resize(from + used.len(), blank);
    for (block, vertices) in vertices[from..].chunks_mut(BLOCK).enumerate() {
        let first = used.start + block * BLOCK;
        for group in (0..GROUPS).filter(|&group| read[group]) {
            let rows = [0, 1, 2, 3].map(|n| &shaded.component(4 * group + n)[first..][..vertices.len()]);
            transpose(rows, vertices, group);
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
    use picaflor_interp::Interpreter;
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
            let [(whole, pending), (drawn, pending_drawn)] = [false, true].map(&mut of);
            let carried: Vec<_> = Attributes::of_pixels(&registers).of_vertices().collect();
            // Vertices of an earlier batch have more.
            let of_pixels = |primitives: &Primitives| {
                let triangles = primitives.triangles.iter().map(|mut triangle| {
                    for p in triangle.p.iter_mut().flat_map(|p| p.iter_mut().enumerate()) {
                        *p.1 = if carried.contains(&(p.0 / 4)) { *p.1 } else { 0.0 };
                    }
                    triangle
                });
                (triangles.collect::<Vec<_>>(), primitives.ends.clone())
            };
            parts = [parts[0] + whole.triangles.len(), parts[1] + whole.ends.len()];
            assert_eq!(of_pixels(&drawn), of_pixels(&whole), "case {case}: {carried:?}");
            assert_eq!(pending_drawn, pending, "case {case}");
        }
        assert!(parts[0] > 2000, "{parts:?}");
    }

    /// A stream whose positions lie far apart: the same triangles as the oracle's, and vertices for its positions alone.
    #[test]
    fn few_of_many_vertices() {
        let (mut unit, mut seed, mut triangles) = (PrimitiveUnit::default(), 4, 0);
        for case in 0..200 {
            let mut random = |bound| tests::random(&mut seed, bound);
            let topologies = [Topology::List, Topology::Strip, Topology::Fan, Topology::Geometry];
            let mut registers = registers(topologies[case % 4]);
            registers.set_raw(0x040, random(3) as u32);
            let mut vertices = ShadedVertices::new();
            vertices.reset(1000, SEMANTICS);
            for k in 0..SEMANTICS {
                let row = vertices.component_mut(k).iter_mut();
                row.for_each(|v| *v = if k == 3 { 1.0 } else { random(100) as f32 / 60.0 - 1.0 });
            }
            vertices.set_ones(20);
            let stream: Vec<_> = (0..1 + random(60))
                .map(|_| {
                    let vertex = StreamVertex::new(random(1000) as u32);
                    if random(8) == 0 { vertex.reversing() } else { vertex }
                })
                .collect();
            let mut pending = [PendingVertices::default(), PendingVertices::default()];
            let mut out = [Primitives::default(), Primitives::default()];
            for stream in [&stream[..], &stream[..1]] {
                let batch =
                    PrimitiveBatch { registers: &registers, vertices: &vertices, stream, is_drawn: false };
                let before = out[0].triangles.vertices().len();
                unit.primitives(&batch, &mut pending[0], &mut out[0]);
                let cuts = 88 * out[0].ends.len();
                assert!(out[0].triangles.vertices().len() - before <= FIRST + stream.len() + cuts);
                Interpreter::new().primitives(&batch, &mut pending[1], &mut out[1]);
            }
            assert_eq!(out[0], out[1], "case {case}");
            assert_eq!(pending[0], pending[1], "case {case}");
            triangles += out[0].triangles.len();
        }
        assert!(triangles > 1500, "{triangles}");
    }

    /// Who traces a pixel sees attributes that no pixel reads.
    #[test]
    fn traced_triangles_are_whole() {
        let mut engine = Engine::builder().mode(EngineMode::InterpreterOnly).build().expect("an engine");
        let (mut registers, mut vertices) = (registers(Topology::List), vertices(3));
        registers.set_raw(0x1c6, 1);
        vertices.set_ones(18);
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
            out.triangles.get(0).expect("a triangle").p.map(|p| p[18])
        });
        assert_eq!((traced, drawn), ([1.0; 3], [0.0; 3]), "the view, without lights");
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
