//! Commands, vertices, primitives and transfers outside of lists, for hosts with a pipeline of their own.

use super::session::{Joint, either};
use super::{Console, GeHandle};
use crate::handle::Handle;
use crate::machine::{Hosted, failure, with};
use crate::raw::{Array, In, Out, Room, c_struct, check_reserved};
use crate::status::{Failure, Status, guard};
use picaflor_jit::Engine;
use picaflor_pipeline::ge::Transfer;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::stage::primitive::Kind;
use picaflor_pipeline::ge::vertex::Vertex;
use std::convert::Infallible;

/// `PICAFLOR_MAX_VERTICES`.
const MOST: usize = 1 << 20;

c_struct! {
    fixed
    /// `picaflor_ge_vertex`.
    VertexInfo {
        /// Clip coordinates.
        clip: [f64; 4],
        /// s, t, q.
        texture: [f64; 3],
        /// Position in sixteenths of a pixel.
        x: i32,
        /// Downward.
        y: i32,
        /// Depth.
        z: i32,
        /// Primary colour.
        colour: u32,
        /// Secondary colour.
        secondary: u32,
        /// Fog coefficient.
        fog: u32,
        /// `PICAFLOR_GE_OUTSIDE_...`.
        outside: u32,
        /// Zero.
        reserved: u32,
    }
}

c_struct! {
    fixed
    /// `picaflor_ge_corner`.
    CornerInfo {
        /// s, t, q.
        texture: [f64; 3],
        /// Clip w.
        w: f64,
        /// Position in sixteenths of a pixel.
        x: i32,
        /// Downward.
        y: i32,
        /// Depth.
        z: i32,
        /// Primary colour.
        colour: u32,
        /// Secondary colour.
        secondary: u32,
        /// Fog coefficient.
        fog: u32,
    }
}

c_struct! {
    fixed
    /// `picaflor_ge_primitive`.
    PrimitiveInfo {
        /// The corners; unused ones repeat the last.
        corners: [CornerInfo; 3],
        /// `PICAFLOR_GE_SHAPE_...`.
        shape: u32,
        /// Zero.
        reserved: u32,
    }
}

c_struct! {
    growing
    /// `picaflor_ge_transfer`.
    TransferConfig {
        /// Address of the image that is read.
        source: u32,
        /// Its stride in pixels.
        source_stride: u32,
        /// Column of the block.
        source_x: u32,
        /// Row of the block.
        source_y: u32,
        /// Address of the image that is written.
        destination: u32,
        /// Its stride.
        destination_stride: u32,
        /// Column of the block.
        destination_x: u32,
        /// Row of the block.
        destination_y: u32,
        /// Width of the block.
        width: u32,
        /// Height of the block.
        height: u32,
        /// Bytes of a pixel: 2 or 4.
        pixel_bytes: u32,
        /// Zero.
        reserved: u32,
    }
}

impl VertexInfo {
    fn of(vertex: &Vertex) -> Self {
        let Vertex { clip, texture, x, y, z, colour, secondary, fog, outside, .. } = *vertex;
        let (fog, outside) = (fog.into(), outside.into());
        Self { clip, texture, x, y, z, colour, secondary, fog, outside, reserved: 0 }
    }

    /// The vertex, with fog and flags in their ranges.
    fn vertex(&self) -> Vertex {
        let Self { clip, texture, x, y, z, colour, secondary, fog, outside, .. } = *self;
        let (fog, outside) = (fog.min(255) as u8, outside as u8);
        Vertex { clip, texture, x, y, z, colour, secondary, fog, outside, ..Vertex::EMPTY }
    }
}

impl PrimitiveInfo {
    fn of(primitive: &Primitive) -> Self {
        let corners = primitive.corners.map(|corner| {
            let Corner { texture, w, x, y, z, colour, secondary, fog } = corner;
            CornerInfo { texture, w, x, y, z, colour, secondary, fog }
        });
        Self { corners, shape: primitive.shape as u32, reserved: 0 }
    }

    fn primitive(&self) -> Result<Primitive, Failure> {
        let shapes = [Shape::Point, Shape::Line, Shape::Triangle, Shape::Rectangle];
        let shape = *shapes
            .get(self.shape as usize)
            .ok_or_else(|| Failure::argument(format!("shape {}", self.shape)))?;
        let corners = self.corners.map(|corner| {
            let CornerInfo { texture, w, x, y, z, colour, secondary, fog } = corner;
            Corner { texture, w, x, y, z, colour, secondary, fog }
        });
        Ok(Primitive { corners, shape, reserved: 0 })
    }
}

impl TransferConfig {
    fn transfer(&self) -> Result<Transfer, Failure> {
        check_reserved(self.reserved, "picaflor_ge_transfer")?;
        let sides = [self.width, self.height];
        let places = [self.source_x, self.source_y, self.destination_x, self.destination_y];
        let is_sound = sides.iter().all(|side| (1..=1024).contains(side))
            && places.iter().all(|place| *place < 1024)
            && [self.source_stride, self.destination_stride].iter().all(|stride| *stride <= 1024)
            && (self.source | self.destination).is_multiple_of(16)
            && matches!(self.pixel_bytes, 2 | 4);
        if !is_sound {
            return Err(Failure::argument("picaflor_ge_transfer: a member is out of range"));
        }
        Ok(Transfer {
            source: self.source,
            source_stride: self.source_stride,
            source_at: [self.source_x, self.source_y],
            destination: self.destination,
            destination_stride: self.destination_stride,
            destination_at: [self.destination_x, self.destination_y],
            size: sides,
            is_wide: self.pixel_bytes == 4,
        })
    }
}

fn check_count(count: usize) -> Result<(), Failure> {
    if count > MOST {
        return Err(Failure::argument(format!("{count}, more than {MOST}")));
    }
    Ok(())
}

fn kind(code: u32) -> Result<Kind, Failure> {
    let kind = if code < 7 { Kind::of(code) } else { None };
    kind.ok_or_else(|| Failure::argument(format!("primitive {code}")))
}

/// Runs work of the machine that cannot fail, with its engine.
fn look<R>(
    hosted: &mut Hosted<Console>,
    work: impl FnOnce(&Console, &mut Engine) -> R,
) -> Result<R, Failure> {
    hosted.work(|console, engine, _| Ok::<_, Infallible>(work(console, engine)))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_execute(ge: Handle<GeHandle>, words: Array<u32>, count: usize) -> Status {
    guard(|| {
        let words = words.slice(count, "words")?;
        let joint = |joint: &mut Joint<'_, '_>| joint.session.execute(words).map_err(failure);
        either(&ge, joint, |hosted| {
            hosted.work(|console, engine, memory| console.ge.execute(engine, memory, words))
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_transform(
    ge: Handle<GeHandle>,
    records: Array<u8>,
    length: usize,
    indices: Array<u32>,
    count: usize,
    vertices: Room<VertexInfo>,
) -> Status {
    guard(|| {
        check_count(count)?;
        let (records, indices) = (records.slice(length, "records")?, indices.slice(count, "indices")?);
        vertices.check(count, "vertices")?;
        let transformed = with(&ge, |hosted| {
            look(hosted, |console, engine| console.ge.transform(engine, records, indices))
        })?;
        if transformed.len() < count {
            return Err(Failure::size("an index is beyond the last record, or VTYPE has no position"));
        }
        let infos: Vec<_> = transformed.iter().map(VertexInfo::of).collect();
        vertices.put(count, &infos, "vertices")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_draw_vertices(
    ge: Handle<GeHandle>,
    primitive: u32,
    vertices: Array<VertexInfo>,
    count: usize,
) -> Status {
    guard(|| {
        check_count(count)?;
        let kind = kind(primitive)?;
        let vertices: Vec<_> = vertices.slice(count, "vertices")?.iter().map(VertexInfo::vertex).collect();
        let joint = |joint: &mut Joint<'_, '_>| joint.session.draw_vertices(kind, &vertices).map_err(failure);
        either(&ge, joint, |hosted| {
            hosted.work(|console, engine, memory| console.ge.draw_vertices(engine, memory, kind, &vertices))
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_up(
    ge: Handle<GeHandle>,
    primitive: u32,
    vertices: Array<VertexInfo>,
    vertex_count: usize,
    primitives: Room<PrimitiveInfo>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    guard(|| {
        check_count(vertex_count)?;
        let kind = kind(primitive)?;
        let vertices: Vec<_> =
            vertices.slice(vertex_count, "vertices")?.iter().map(VertexInfo::vertex).collect();
        primitives.check(capacity, "primitives")?;
        count.put(0, "count")?;
        let set_up =
            with(&ge, |hosted| look(hosted, |console, engine| console.ge.set_up(engine, kind, &vertices)))?;
        count.put(set_up.len(), "count")?;
        if set_up.len() > capacity {
            return Err(Failure::size(format!("room for {capacity} primitives of {}", set_up.len())));
        }
        let infos: Vec<_> = set_up.iter().map(PrimitiveInfo::of).collect();
        primitives.put(capacity, &infos, "primitives")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_draw_primitives(
    ge: Handle<GeHandle>,
    primitives: Array<PrimitiveInfo>,
    count: usize,
) -> Status {
    guard(|| {
        check_count(count)?;
        let primitives = primitives.slice(count, "primitives")?;
        let primitives = primitives.iter().map(PrimitiveInfo::primitive).collect::<Result<Vec<_>, _>>()?;
        let joint = |joint: &mut Joint<'_, '_>| joint.session.draw_primitives(&primitives).map_err(failure);
        either(&ge, joint, |hosted| {
            hosted.work(|console, engine, memory| console.ge.draw_primitives(engine, memory, &primitives))
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_run_transfer(ge: Handle<GeHandle>, transfer: In<TransferConfig>) -> Status {
    guard(|| {
        let transfer = transfer.read("picaflor_ge_transfer")?.transfer()?;
        let joint = |joint: &mut Joint<'_, '_>| joint.session.transfer_with(&transfer).map_err(failure);
        either(&ge, joint, |hosted| {
            hosted.work(|console, engine, memory| console.ge.transfer_with(engine, memory, &transfer))
        })
    })
}
