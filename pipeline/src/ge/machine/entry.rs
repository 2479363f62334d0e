//! Entrances for hosts with a pipeline of their own: vertices, transformed vertices, primitives, transfers. A draw by
//! registers is [`Ge::write_field`] and [`Ge::execute`].

use super::processor::{Host, RunError};
use super::session::Session;
use crate::ge::Ge;
use crate::ge::draw::{DrawContext, FrontEnd};
use crate::ge::raster::{Corner, Primitive, Shape};
use crate::ge::regs::op;
use crate::ge::stage::primitive::{Kind, PendingVertices, PrimitiveBatch, PrimitiveStage};
use crate::ge::stage::{Stages, TransformStage, VertexBatch};
use crate::ge::vertex::Vertex;
use crate::ge::vertex_type::Element;
use crate::guest_slice::GuestSlice;
use crate::memory::{Memory, NoMemory};

/// Largest coordinate of a primitive, in sixteenths of a pixel: those of 16-bit positions in through mode.
const LARGEST: i32 = 1 << 19;

/// A block transfer by plain parameters (11.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Transfer {
    /// Address of the image that is read; a multiple of 16.
    pub source: u32,
    /// Its stride in pixels: at most 1024, cut to a multiple of 8.
    pub source_stride: u32,
    /// Column and row of its block, below 1024.
    pub source_at: [u32; 2],
    /// Address of the image that is written.
    pub destination: u32,
    /// Its stride.
    pub destination_stride: u32,
    /// Column and row of its block.
    pub destination_at: [u32; 2],
    /// Width and height of the block, 1 to 1024.
    pub size: [u32; 2],
    /// True for pixels of 4 bytes; of 2 bytes otherwise.
    pub is_wide: bool,
}

impl Transfer {
    /// The commands that set it up and start it.
    #[must_use]
    pub fn words(&self) -> [u32; 8] {
        let word = |command: u8, argument: u32| u32::from(command) << 24 | argument & 0xff_ffff;
        let place = |[x, y]: [u32; 2]| (y & 0x3ff) << 10 | x & 0x3ff;
        let width = |address: u32, stride: u32| (address >> 24) << 16 | stride & 0xffff;
        [
            word(op::TRXSBP, self.source),
            word(op::TRXSBW, width(self.source, self.source_stride)),
            word(op::TRXSPOS, place(self.source_at)),
            word(op::TRXDBP, self.destination),
            word(op::TRXDBW, width(self.destination, self.destination_stride)),
            word(op::TRXDPOS, place(self.destination_at)),
            word(op::TRXSIZE, place(self.size.map(|side| side.wrapping_sub(1)))),
            word(op::TRXKICK, self.is_wide.into()),
        ]
    }
}

impl Ge {
    /// Transforms and lights the records of a host with the registers and matrices of the machine. VTYPE describes the
    /// records, which follow each other; indices beyond the last are dropped, and all where it has no position. Nothing
    /// changes.
    #[must_use]
    pub fn transform(&self, stage: &mut dyn TransformStage, records: &[u8], indices: &[u32]) -> Vec<Vertex> {
        let vertex_type = self.state.registers.vertex_type();
        let stride = vertex_type.stride();
        let known = match vertex_type.position() {
            Element::None => 0,
            _ => records.len() / (stride.max(1) as usize),
        };
        let indices: Vec<u32> = indices.iter().copied().filter(|&index| (index as usize) < known).collect();
        let mut vertices = Vec::new();
        let batch = VertexBatch {
            registers: &self.state.registers,
            matrices: self.state.matrices.matrices(),
            remembered: self.state.remembered,
            records: GuestSlice::from_slice(records),
            stride,
            indices: &indices,
            memory: &NoMemory,
        };
        stage.transform(&batch, &mut vertices);
        vertices
    }

    /// Draws vertices that are transformed, as a primitive of their own, in the state of the registers. Depths are clamped
    /// to 0 to 65535. A recording in progress is dropped, because none can represent them.
    ///
    /// # Errors
    /// If the draw exceeds the limits of a run; [`RunError::Stopped`].
    pub fn draw_vertices(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        kind: Kind,
        vertices: &[Vertex],
    ) -> Result<(), RunError> {
        Session::single(self, stages, memory).draw_vertices(kind, vertices)
    }

    /// The primitives that [`draw_vertices`](Self::draw_vertices) would draw. Nothing changes.
    #[must_use]
    pub fn set_up(&self, stage: &mut dyn PrimitiveStage, kind: Kind, vertices: &[Vertex]) -> Vec<Primitive> {
        let stream: Vec<u32> = (0..vertices.len() as u32).collect();
        let vertices: Vec<Vertex> = vertices.iter().map(Vertex::with_stored_depth).collect();
        let batch = PrimitiveBatch { registers: &self.state.registers, vertices: &vertices, stream: &stream };
        let mut pending = PendingVertices::default();
        pending.begin(Some(kind));
        let mut primitives = Vec::new();
        stage.primitives(&batch, &mut pending, &mut primitives);
        // A draw drops what engines leave outside of its area, and not all engines leave the same.
        let area = self.state.registers.drawing_area();
        primitives.retain(|primitive| !primitive.bounds().intersect(area).is_empty());
        primitives
    }

    /// Draws primitives that are set up, in the state of the registers: pixels alone. All are of the shape of the first;
    /// others are dropped, as are those with values outside of the ranges of [`Corner`](crate::ge::raster::Corner),
    /// triangles that are not clockwise, and, with flat shading, those of several colours. A coordinate s or t that is
    /// infinite or a NaN counts as those of vertices do: all of the primitive are 0. A recording in progress is dropped.
    ///
    /// # Errors
    /// If the draw exceeds the limits of a run; [`RunError::Stopped`].
    pub fn draw_primitives(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        primitives: &[Primitive],
    ) -> Result<(), RunError> {
        Session::single(self, stages, memory).draw_primitives(primitives)
    }

    /// Runs a block transfer. The transfer registers keep its parameters.
    ///
    /// # Errors
    /// If the transfer exceeds the limits of a run; [`RunError::Stopped`].
    pub fn transfer_with(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        transfer: &Transfer,
    ) -> Result<(), RunError> {
        self.execute(stages, memory, &transfer.words())
    }

    /// Draws what is of no list, with a queue; the draw may be pending afterwards.
    fn draw_foreign(
        &mut self,
        host: &mut Host<'_>,
        action: impl FnOnce(&mut FrontEnd, &mut DrawContext<'_>),
    ) -> Result<(), RunError> {
        // Draws of a session may be pending behind this one, so that nobody asks after it.
        if self.stopper.asks() {
            return self.check_stop(0);
        }
        let before = self.state.stats;
        self.draw(host, action);
        self.settle(host);
        self.check(&before)
    }
}

impl Session<'_> {
    /// [`Ge::execute`] in the session.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn execute(&mut self, words: &[u32]) -> Result<(), RunError> {
        let alone =
            |ge: &mut Ge, stages: &mut dyn Stages, memory: &dyn Memory| ge.execute(stages, memory, words);
        self.perform(alone, |ge, host| ge.execute_all(host, words))
    }

    /// [`Ge::transfer_with`] in the session.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn transfer_with(&mut self, transfer: &Transfer) -> Result<(), RunError> {
        self.execute(&transfer.words())
    }

    /// [`Ge::draw_vertices`] in the session.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn draw_vertices(&mut self, kind: Kind, vertices: &[Vertex]) -> Result<(), RunError> {
        self.foreign(|front_end, cx| front_end.vertices(cx, kind, vertices))
    }

    /// [`Ge::draw_primitives`] in the session.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn draw_primitives(&mut self, primitives: &[Primitive]) -> Result<(), RunError> {
        let shape = primitives.first().map(|first| first.shape);
        let is_flat = !self.ge().state.registers.is_smooth();
        let is_drawn = |primitive: &&Primitive| {
            Some(primitive.shape) == shape && is_drawable(primitive) && !(is_flat && has_colours(primitive))
        };
        let drawn: Vec<Primitive> = primitives.iter().filter(is_drawn).map(with_finite_coordinates).collect();
        self.foreign(|front_end, cx| front_end.primitives(cx, &drawn))
    }

    fn foreign(&mut self, action: impl Fn(&mut FrontEnd, &mut DrawContext<'_>)) -> Result<(), RunError> {
        let draw = |ge: &mut Ge, host: &mut Host<'_>| ge.draw_foreign(host, &action);
        let alone = |ge: &mut Ge, stages: &mut dyn Stages, memory: &dyn Memory| {
            ge.recorder = None;
            ge.hosted(stages, memory, draw)?;
            ge.check_stop(0)
        };
        self.perform(alone, draw)
    }
}

/// True for a primitive as an engine sets it up.
fn is_drawable(primitive: &Primitive) -> bool {
    let Primitive { corners, shape, .. } = primitive;
    let is_inside = |value: i32| (-LARGEST..=LARGEST).contains(&value);
    let is_sound = corners.iter().all(|corner| {
        is_inside(corner.x) && is_inside(corner.y) && (0..0x1_0000).contains(&corner.z) && corner.fog < 256
    });
    is_sound && (*shape != Shape::Triangle || has_area(corners))
}

/// The primitive, as set-up makes it, without coordinates s or t of which one is infinite or a NaN (measured).
fn with_finite_coordinates(primitive: &Primitive) -> Primitive {
    let mut primitive = *primitive;
    for axis in 0..2 {
        if primitive.corners.iter().any(|corner| !corner.texture[axis].is_finite()) {
            primitive.corners.iter_mut().for_each(|corner| corner.texture[axis] = 0.0);
        }
    }
    primitive
}

/// True for a triangle whose corners differ in colour. Flat shading has no rule for it: the interpreter would make a gradient, and
/// compiled code one colour. Of other shapes both make the same.
fn has_colours(primitive: &Primitive) -> bool {
    let [first, others @ ..] = &primitive.corners;
    let differs = |other: &Corner| (other.colour, other.secondary) != (first.colour, first.secondary);
    primitive.shape == Shape::Triangle && others.iter().any(differs)
}

/// True for corners in clockwise order. They lie in the bounds of [`LARGEST`]: of others the products would overflow.
fn has_area(corners: &[Corner; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| [i64::from(corner.x), i64::from(corner.y)]);
    (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::block_transfer::BlockTransfer;
    use crate::ge::regs::Registers;
    use crate::ge::stage::NoEngines;
    use crate::ge::testing::Bench;

    #[test]
    fn transfers_by_parameters() {
        let transfer = Transfer {
            source: 0x0880_1000,
            source_stride: 512,
            source_at: [3, 2],
            destination: 0x0400_0000,
            destination_stride: 64,
            destination_at: [1, 5],
            size: [16, 8],
            is_wide: true,
        };
        let mut registers = Registers::default();
        transfer.words().iter().for_each(|&word| registers.write(word));
        let decoded = BlockTransfer::new(&registers);
        assert_eq!((decoded.row_bytes, decoded.rows), (64, 8));
        assert_eq!((decoded.source.start, decoded.source.pitch), (0x0880_1000 + 4 * (2 * 512 + 3), 2048));
        assert_eq!(decoded.destination.start, 0x0400_0000 + 4 * (5 * 64 + 1));
    }

    #[test]
    fn primitives_of_hosts_are_checked() {
        let corner = |x, y| Corner { texture: [0.0; 3], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 };
        let triangle = |corners| Primitive { corners, shape: Shape::Triangle, reserved: 0 };
        let [a, b, c] = [corner(0, 0), corner(16, 0), corner(0, 16)];
        assert!(is_drawable(&triangle([a, b, c])));
        assert!(!is_drawable(&triangle([a, c, b])), "counter-clockwise");
        assert!(!is_drawable(&triangle([a, b, Corner { z: 0x1_0000, ..c }])));
        assert!(!is_drawable(&triangle([a, b, Corner { y: i32::MAX, ..c }])));
        let [least, most] = [i32::MIN, i32::MAX].map(|far| Corner { x: far, y: far, ..a });
        assert!(!is_drawable(&triangle([least, Corner { y: i32::MIN, ..most }, most])));
        assert!(!is_drawable(&triangle([a, b, Corner { fog: 256, ..c }])));
    }

    /// An engine may leave primitives outside of the drawing area. No draw would draw them, so no host receives them.
    #[test]
    fn primitives_beside_the_drawing_area_are_not_set_up() {
        struct All;
        impl PrimitiveStage for All {
            fn primitives(
                &mut self,
                batch: &PrimitiveBatch<'_>,
                _: &mut PendingVertices,
                out: &mut Vec<Primitive>,
            ) {
                out.extend(batch.vertices.iter().map(|&Vertex { x, y, .. }| {
                    let corner =
                        Corner { texture: [0.0; 3], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 };
                    Primitive { corners: [corner; 3], shape: Shape::Point, reserved: 0 }
                }));
            }
        }
        let mut bench = Bench::new();
        let one_pixel = [op::SCISSOR1, op::SCISSOR2, op::REGION2];
        bench.execute(&one_pixel.map(|command| u32::from(command) << 24 | 30 << 10 | 20));
        let place = |x: i32, y: i32| Vertex { x: 16 * x + 15, y: 16 * y, ..Vertex::EMPTY };
        let vertices = [(20, 30), (19, 30), (21, 30), (20, 29), (20, 31)].map(|(x, y)| place(x, y));
        let left = bench.ge.set_up(&mut All, Kind::Points, &vertices);
        let left: Vec<[i32; 2]> = left.iter().map(|point| [point.corners[0].x, point.corners[0].y]).collect();
        assert_eq!(left, [[335, 480]]);
    }

    /// Of the primitives of a host those are drawn that have the shape of the first and are as an engine sets them up.
    #[test]
    fn primitives_of_one_shape_are_drawn() {
        let corner = |x, y| Corner { texture: [0.0; 3], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 };
        let of = |shape, [a, b, c]: [[i32; 2]; 3]| {
            let corners = [a, b, c].map(|[x, y]| corner(x, y));
            Primitive { corners, shape, reserved: 0 }
        };
        let (clockwise, other) = ([[0, 0], [160, 0], [0, 160]], [[0, 0], [0, 160], [160, 0]]);
        let all = [
            of(Shape::Triangle, clockwise),
            of(Shape::Triangle, other),
            of(Shape::Rectangle, clockwise),
            of(Shape::Triangle, [[0, 0], [LARGEST + 1, 0], [0, 160]]),
            of(Shape::Triangle, clockwise),
        ];
        let drawn = |primitives: &[Primitive]| {
            let mut bench = Bench::new();
            assert_eq!(bench.ge.draw_primitives(&mut NoEngines, &bench.memory, primitives), Ok(()));
            bench.ge.stats().primitives
        };
        assert_eq!((drawn(&all), drawn(&all[1..3]), drawn(&all[2..]), drawn(&[])), (2, 0, 1, 0));
    }

    /// Depths that no buffer stores are clamped before set-up sees them, and bad coordinates dropped as those of vertices.
    #[test]
    fn numbers_of_hosts_are_brought_into_their_ranges() {
        struct Depths(Vec<i32>);
        impl PrimitiveStage for Depths {
            fn primitives(
                &mut self,
                batch: &PrimitiveBatch<'_>,
                _: &mut PendingVertices,
                _: &mut Vec<Primitive>,
            ) {
                self.0.extend(batch.vertices.iter().map(|vertex| vertex.z));
            }
        }
        let vertices = [-1, 0, 0xffff, 0x1_0000, i32::MIN].map(|z| Vertex { z, ..Vertex::EMPTY });
        let mut depths = Depths(Vec::new());
        let _ = Bench::new().ge.set_up(&mut depths, Kind::Points, &vertices);
        assert_eq!(depths.0, [0, 0, 0xffff, 0xffff, 0]);
        let corner = |texture| Corner { texture, w: 1.0, x: 0, y: 0, z: 0, colour: 0, secondary: 0, fog: 0 };
        let coordinates = |texture: [[f64; 3]; 3]| {
            let corners = texture.map(corner);
            let primitive = Primitive { corners, shape: Shape::Triangle, reserved: 0 };
            with_finite_coordinates(&primitive).corners.map(|corner| corner.texture)
        };
        let finite = [[0.5, 3.0, 1.0], [0.25, -1.0, 1.0], [0.0, 2.0, 1.0]];
        assert_eq!(coordinates(finite), finite);
        let [a, b, c] = finite;
        let without_s = [[0.0, 3.0, 1.0], [0.0, -1.0, 1.0], [0.0, 2.0, 1.0]];
        assert_eq!(coordinates([a, [f64::NAN, b[1], 1.0], c]), without_s);
        let without_t = [[0.5, 0.0, 1.0], [0.25, 0.0, 1.0], [0.0, 0.0, 1.0]];
        assert_eq!(coordinates([a, b, [c[0], f64::NEG_INFINITY, 1.0]]), without_t);
    }

    /// Triangles of several colours are dropped with flat shading, which clear mode has, too.
    #[test]
    fn flat_triangles_have_one_colour() {
        let corner = |x, y| Corner { texture: [0.0; 3], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 };
        let [a, b, c] = [corner(0, 0), corner(160, 0), corner(0, 160)];
        let of = |c| Primitive { corners: [a, b, c], shape: Shape::Triangle, reserved: 0 };
        let all = [of(c), of(Corner { colour: 1, ..c }), of(Corner { secondary: 1, ..c })];
        for (words, count) in [(&[][..], 1), (&[(op::SHADE, 1)], 3), (&[(op::SHADE, 1), (op::CLEAR, 1)], 1)] {
            let mut bench = Bench::new();
            let word = |&(command, argument): &(u8, u32)| u32::from(command) << 24 | argument;
            let words: Vec<u32> = words.iter().map(word).collect();
            assert_eq!(bench.ge.execute(&mut NoEngines, &bench.memory, &words), Ok(()));
            assert_eq!(bench.ge.draw_primitives(&mut NoEngines, &bench.memory, &all), Ok(()));
            assert_eq!(bench.ge.stats().primitives, count, "{words:x?}");
        }
    }

    /// Clockwise triangles, wherever they are: y is downward.
    #[test]
    fn triangles_with_an_area() {
        let has_area = |corners: [[i32; 2]; 3]| {
            has_area(&corners.map(|[x, y]| Corner {
                texture: [0.0, 0.0, 1.0],
                w: 1.0,
                x,
                y,
                z: 0,
                colour: 0,
                secondary: 0,
                fog: 0,
            }))
        };
        // Twice the area is 15 * 23 - 2 * 6 = 333.
        let [a, b, c] = [[5, 7], [20, 9], [11, 30]];
        assert!(has_area([a, b, c]) && has_area([b, c, a]) && has_area([c, a, b]));
        assert!(!has_area([a, c, b]) && !has_area([a, a, b]) && !has_area([a, b, b]));
        assert!(!has_area([[10, 20], [12, 24], [15, 30]]), "on one line");
        assert!(has_area([[30, 30], [10, 30], [30, 10]]) && !has_area([[30, 30], [30, 10], [10, 30]]));
    }
}
