//! Draws by registers, shaded vertices and triangles, for hosts with a command processor or pipeline of their own.

use crate::handle::Handle;
use crate::pica::gpu::GpuHandle;
use crate::raw::{Array, In, Out, Room, c_struct, check_reserved};
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::vertex::Vertex;
use picaflor_pipeline::pica::{DrawCall, Input};

c_struct! {
    fixed
    /// `picaflor_register_range`.
    RegisterRange {
        /// Number of the first register.
        first: u32,
        /// Number of registers.
        count: u32,
    }
}

c_struct! {
    growing
    /// `picaflor_draw`.
    Draw {
        /// Words of the registers from 0 on.
        registers: Array<u32>,
        /// Number of words.
        register_count: usize,
        /// Ranges that may have changed, or NULL.
        changed: Array<RegisterRange>,
        /// Number of ranges.
        changed_count: usize,
        /// Attributes of immediate vertices.
        attributes: Array<[f32; 4]>,
        /// Number of attributes.
        attribute_count: usize,
        /// `PICAFLOR_INPUT_...`.
        input: u32,
        /// Zero.
        reserved: u32,
    }
}

c_struct! {
    fixed
    /// `picaflor_triangle`.
    TriangleInfo {
        /// Horizontal positions in sixteenths of a pixel.
        x: [i32; 3],
        /// Vertical positions, upward.
        y: [i32; 3],
        /// z / w.
        z: [f32; 3],
        /// 1 / w.
        r: [f32; 3],
        /// Semantics times 1 / w.
        semantics: [[f32; 24]; 3],
        /// The colour of all pixels.
        flat_colour: [f32; 4],
        /// 1: `flat_colour` is in use.
        is_flat: u32,
        /// Zero.
        reserved: u32,
    }
}

impl TriangleInfo {
    fn of(triangle: &Triangle) -> Self {
        let Triangle { x, y, z, r, p: semantics, flat_colour } = *triangle;
        let is_flat = flat_colour.is_some().into();
        Self { x, y, z, r, semantics, flat_colour: flat_colour.unwrap_or_default(), is_flat, reserved: 0 }
    }

    fn triangle(&self) -> Triangle {
        let Self { x, y, z, r, semantics: p, flat_colour, is_flat, .. } = *self;
        Triangle { x, y, z, r, p, flat_colour: (is_flat != 0).then_some(flat_colour) }
    }
}

/// `PICAFLOR_MAX_VERTICES`.
const MOST: usize = 1 << 20;

/// Checks a number of vertices or triangles.
pub(crate) fn check_count(count: usize, what: &str) -> Result<(), Failure> {
    if count > MOST {
        return Err(Failure::argument(format!("{count} {what}, more than {MOST}")));
    }
    Ok(())
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_draw(gpu: Handle<GpuHandle>, draw: In<Draw>) -> Status {
    guard(|| {
        let draw = draw.read("picaflor_draw")?;
        check_reserved(draw.reserved, "picaflor_draw")?;
        let registers = draw.registers.slice(draw.register_count.min(Registers::COUNT), "registers")?;
        check_count(draw.changed_count, "ranges")?;
        let ranges = draw.changed.slice(draw.changed_count, "changed")?;
        let end = |range: &RegisterRange| range.first.saturating_add(range.count).min(0x400) as u16;
        let ranges: Vec<_> = ranges.iter().map(|range| range.first.min(0x400) as u16..end(range)).collect();
        check_count(draw.attribute_count / 16, "immediate vertices")?;
        let input = match draw.input {
            0 => Input::Arrays,
            1 => Input::Elements,
            2 => Input::Immediate(draw.attributes.slice(draw.attribute_count, "attributes")?),
            input => return Err(Failure::argument(format!("input {input}"))),
        };
        let changed = (!draw.changed.is_null()).then_some(&ranges[..]);
        let call = DrawCall { registers, changed, input };
        gpu.get("gpu")?.0.with(|gpu| gpu.work(|pica, engine, memory| pica.draw_with(engine, memory, &call)))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_draw_vertices(
    gpu: Handle<GpuHandle>,
    vertices: Array<Vertex>,
    count: usize,
) -> Status {
    guard(|| {
        check_count(count, "vertices")?;
        let vertices = vertices.slice(count, "vertices")?;
        gpu.get("gpu")?
            .0
            .with(|gpu| gpu.work(|pica, engine, memory| pica.draw_vertices(engine, memory, vertices)))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_up(
    gpu: Handle<GpuHandle>,
    vertices: Array<Vertex>,
    vertex_count: usize,
    triangles: Room<TriangleInfo>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    guard(|| {
        check_count(vertex_count, "vertices")?;
        let vertices = vertices.slice(vertex_count, "vertices")?;
        triangles.check(capacity, "triangles")?;
        count.put(0, "count")?;
        let set_up = gpu.get("gpu")?.0.with(|gpu| {
            gpu.work(|pica, engine, _| Ok::<_, std::convert::Infallible>(pica.set_up(engine, vertices)))
        })?;
        count.put(set_up.len(), "count")?;
        if set_up.len() > capacity {
            return Err(Failure::size(format!("room for {capacity} triangles of {}", set_up.len())));
        }
        let infos: Vec<_> = set_up.iter().map(TriangleInfo::of).collect();
        triangles.put(capacity, &infos, "triangles")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_draw_triangles(
    gpu: Handle<GpuHandle>,
    triangles: Array<TriangleInfo>,
    count: usize,
) -> Status {
    guard(|| {
        check_count(count, "triangles")?;
        let triangles: Vec<_> =
            triangles.slice(count, "triangles")?.iter().map(TriangleInfo::triangle).collect();
        gpu.get("gpu")?
            .0
            .with(|gpu| gpu.work(|pica, engine, memory| pica.draw_triangles(engine, memory, &triangles)))
    })
}
