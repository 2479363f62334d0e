//! From a case to guest memory and a command list.

use super::{Case, Pixel, Table, TargetForm, Words, bytes, raw};
use crate::pica::vector::listing::{self, Conditions, Listing};
use crate::pica::vector::value::Value;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::{Registers, describe};
use picaflor_scenes::pica::kit::Buffers;
use picaflor_scenes::pica::state::{State, func};

/// The colour buffer.
pub const COLOUR: u32 = 0x1800_0000;
/// The depth buffer.
pub const DEPTH: u32 = 0x1810_0000;
/// The command list.
pub const LIST: u32 = 0x2000_0000;
/// Vertices of probes and meshes.
pub const VERTICES: u32 = 0x2008_0000;

/// Position, colour, texture coordinates 0 with w, 1 and 2, quaternion, view.
const ATTRIBUTES: usize = 7;
type Vertex = [[f32; 4]; ATTRIBUTES];

/// A case, ready to run.
pub(super) struct Built {
    /// Guest memory.
    pub(super) memory: BlockMemory,
    /// Bytes of the command list at [`LIST`]; `None` if there is no draw.
    pub(super) list: Option<u32>,
    /// Places of the probes, with their expectations.
    pub(super) pixels: Vec<([u32; 2], Pixel)>,
    /// The buffers.
    pub(super) target: TargetForm,
}

/// Memory and list of a case.
///
/// # Errors
/// An error in the case.
pub(super) fn build(case: &Case) -> Result<Built, String> {
    let target = case.target.unwrap_or_default();
    let memory = BlockMemory::zeroed(&[(COLOUR, 4 << 20), (LIST, 2 << 20)]);
    let pixels = pixels(case, target)?;
    prepare(case, target, &memory)?;
    let mut vertices = Vec::new();
    for (at, pixel) in &pixels {
        vertices.extend(probe(*at, pixel, target)?);
    }
    if let Some(mesh) = &case.mesh {
        vertices.extend(mesh.vertices.iter().map(|v| corner(v, target)));
    }
    let floats = vertices.iter().flatten().flatten();
    write_bytes(&memory, VERTICES, &floats.flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    let topology = case.mesh.as_ref().map_or(0, |mesh| mesh.topology);
    let draw = case.arrays.or((!vertices.is_empty()).then_some([topology, 0, vertices.len() as u32]));
    let list = match &case.list {
        Some(text) => Some(raw::list(&[case.state.as_deref().unwrap_or_default(), text])?),
        None => draw.map(|draw| list(case, target, draw)).transpose()?,
    };
    if let Some(list) = &list {
        write_bytes(&memory, LIST, list);
    }
    Ok(Built { memory, list: list.map(|list| list.len() as u32), pixels, target })
}

fn prepare(case: &Case, target: TargetForm, memory: &BlockMemory) -> Result<(), String> {
    let pixels = (target.width * target.height) as usize;
    for (address, text) in [(COLOUR, &case.colour_before), (DEPTH, &case.depth_before)] {
        if let Some(text) = text {
            write_bytes(memory, address, &bytes::repeated(text, pixels)?);
        }
    }
    for part in &case.memory {
        write_bytes(memory, part.at, &part.bytes()?);
    }
    Ok(())
}

/// All probes, with their defaults and places.
fn pixels(case: &Case, target: TargetForm) -> Result<Vec<([u32; 2], Pixel)>, String> {
    let swept = case.sweep.iter().flat_map(|sweep| {
        (0..256_u32).map(|x| {
            let steps = |steps: &Vec<u32>| steps.iter().filter(|step| **step <= x).count() as u8;
            let count = sweep.steps.as_ref().map_or(x as u8, steps);
            let colour = sweep.colour.replace('x', &format!("{x:02x}"));
            Pixel {
                name: format!("x = {x}"),
                colour: Some(colour),
                rgb: Some([count; 3]),
                ..Pixel::default()
            }
        })
    });
    let all = case.pixels.iter().cloned().chain(swept).enumerate();
    all.map(|(n, pixel)| {
        let pixel = pixel.on(&case.probe);
        let at = pixel.at.unwrap_or([n as u32 % target.width, n as u32 / target.width]);
        let outside = at[0] >= target.width || at[1] >= target.height;
        if outside { Err(format!("no pixel {at:?}")) } else { Ok((at, pixel)) }
    })
    .collect()
}

/// The viewport of clip space: powers of two, so that positions are exact, and larger than the target, so that
/// nothing is clipped.
fn viewport(target: TargetForm) -> [f32; 2] {
    [target.width, target.height].map(|side| (side + 1).next_power_of_two() as f32)
}

/// A vertex at a place in pixels.
fn position([x, y]: [f32; 2], depth: f32, w: f32, target: TargetForm) -> [f32; 4] {
    let [width, height] = viewport(target);
    [(x * 2.0 / width - 1.0) * w, (y * 2.0 / height - 1.0) * w, -depth * w, w]
}

fn corner(&[x, y, r, g, b]: &[f32; 5], target: TargetForm) -> Vertex {
    let mut vertex = [[0.0, 0.0, 0.0, 1.0]; ATTRIBUTES];
    vertex[0] = position([x, y], 0.5, 1.0, target);
    vertex[1] = [r, g, b, 1.0];
    vertex
}

/// The triangle of a probe: a corner on the centre of the pixel, the others half a pixel to the right and above,
/// where no other centre is covered. At the corner the first vertex has all the weight, a power of two, so the
/// attributes arrive exactly.
fn probe(at: [u32; 2], pixel: &Pixel, target: TargetForm) -> Result<[Vertex; 3], String> {
    let [x, y] = at.map(|place| place as f32 + 0.5);
    let number = |value: Option<Value>, default| value.map_or(default, self::number);
    let (depth, w) = (number(pixel.depth, 0.5), number(pixel.w, 1.0));
    let (dx, dy) = (list_of(&pixel.dx), list_of(&pixel.dy));
    let corner = |change: Option<&[f32; 6]>, place| -> Result<Vertex, String> {
        let mut vertex = attributes(pixel)?;
        vertex[0] = position(place, depth, w, target);
        if let Some(change) = change {
            for (coordinate, change) in
                [(2, 0), (2, 1), (3, 2), (3, 3), (4, 4), (4, 5)].into_iter().zip(change)
            {
                let (attribute, component) = coordinate;
                vertex[attribute][component % 2] += change / 2.0;
            }
        }
        Ok(vertex)
    };
    Ok([corner(None, [x, y])?, corner(Some(&dx), [x + 0.5, y])?, corner(Some(&dy), [x, y + 0.5])?])
}

fn attributes(pixel: &Pixel) -> Result<Vertex, String> {
    let mut colour = pixel.vertex.map_or([1.0; 4], |values| values.map(number));
    if let Some(text) = &pixel.colour {
        colour = bytes::exactly::<4>(text)?.map(|byte| f32::from(byte) / 255.0);
    }
    let coordinates = |given: &Option<Vec<Value>>| {
        let mut out = [0.0, 0.0, 1.0, 0.0];
        out.iter_mut().zip(given.iter().flatten()).for_each(|(out, value)| *out = number(*value));
        out
    };
    let [x, y, z] = pixel.view.map_or([0.0, 0.0, 1.0], |values| values.map(number));
    let quaternion = pixel.quaternion.map_or([0.0, 0.0, 0.0, 1.0], |values| values.map(number));
    let [tc0, tc1, tc2] = [&pixel.tc0, &pixel.tc1, &pixel.tc2].map(coordinates);
    Ok([[0.0; 4], colour, tc0, tc1, tc2, quaternion, [x, y, z, 0.0]])
}

fn number(value: Value) -> f32 {
    value.operand(Precision::Binary32)
}

fn list_of(given: &Option<Vec<Value>>) -> [f32; 6] {
    let mut out = [0.0; 6];
    out.iter_mut().zip(given.iter().flatten()).for_each(|(out, value)| *out = number(*value));
    out
}

/// The command list of a draw.
fn list(case: &Case, target: TargetForm, [topology, first, count]: [u32; 3]) -> Result<Vec<u8>, String> {
    let mut list = ListBuilder::new();
    let TargetForm { width, height, colour, depth } = target;
    let buffers =
        Buffers { width, height, colour: COLOUR, colour_format: colour, depth: DEPTH, depth_format: depth };
    let [w, h] = viewport(target);
    list.defaults(&buffers).viewport(0, 0, w as u32, h as u32).writes(0xf, None, false);
    list.write(0x107, 0xf << 8 | func::ALWAYS << 4);
    program(&mut list)?;
    arrays(&mut list);
    for (name, words) in &case.write {
        let id = register(name)?;
        match words {
            Words::One(word) => list.write(id, *word),
            Words::Many(words) => list.burst(id, words),
        };
    }
    for table in &case.tables {
        upload(&mut list, table)?;
    }
    Ok(list.draw_arrays(topology, first, count).write(0x111, 1).finish())
}

/// A vertex program that copies every attribute to the output of the same number, with the semantics of the outputs.
fn program(list: &mut ListBuilder) -> Result<(), String> {
    let lines: String = (0..ATTRIBUTES).map(|n| format!("mov o{n}, v{n}\n")).collect();
    let Listing { code, descriptors } = listing::encode(&(lines + "end\n"), Conditions::Uniform, &[])?;
    list.write(0x229, 0).write(0x244, 0).write(0x2b0, 0x7fff_0000);
    list.write(0x2cb, 0).feed(0x2cc, &code).write(0x2bf, 1).write(0x2d5, 0).feed(0x2d6, &descriptors);
    let last = ATTRIBUTES as u32 - 1;
    list.burst(0x2b9, &[0xa000_0000 | last, 0x7fff_0000, 0x7654_3210, 0xfedc_ba98, 0x7f]);
    list.write(0x04f, ATTRIBUTES as u32);
    list.burst(
        0x050,
        &[0x0302_0100, 0x0b0a_0908, 0x1f10_0d0c, 0x1f1f_0f0e, 0x1f1f_1716, 0x0706_0504, 0x1f14_1312],
    );
    list.write(0x064, 1).write(0x06f, 0x0103_0703).write(0x24a, last).write(0x251, last);
    list.write(0x242, last).write_bytes(0x25e, last, 1);
    Ok(())
}

/// One array of all attributes, four binary32 components each.
fn arrays(list: &mut ListBuilder) {
    let (count, stride) = (ATTRIBUTES as u32, 16 * ATTRIBUTES as u32);
    let formats = [0x0fff_ffff, (count - 1) << 28];
    let array = [VERTICES - LIST, 0x0654_3210, count << 28 | stride << 16];
    list.write(0x200, LIST >> 3).burst(0x201, &formats).burst(0x203, &array);
}

/// A register by name, or by number as `0x104`.
fn register(name: &str) -> Result<u16, String> {
    let id = match name.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16).ok(),
        None => (0..Registers::COUNT as u16).find(|id| describe(*id).name == name),
    };
    id.ok_or_else(|| format!("`{name}` is no register"))
}

fn upload(list: &mut ListBuilder, table: &Table) -> Result<(), String> {
    let mut data = table.data.repeat(table.times);
    data.extend(table.ramp.iter().flat_map(|ramp| ramp.values()));
    let (index, value, port) = match table.table.as_str() {
        "fog" => (0x0e6, table.first, 0x0e8),
        "noise" => (0x0af, table.first, 0x0b0),
        "colour map" => (0x0af, 2 << 8 | table.first, 0x0b0),
        "alpha map" => (0x0af, 3 << 8 | table.first, 0x0b0),
        "colour" => (0x0af, 4 << 8 | table.first, 0x0b0),
        "difference" => (0x0af, 5 << 8 | table.first, 0x0b0),
        name => {
            let id = name.strip_prefix("light ").and_then(|id| id.parse::<u32>().ok());
            let id = id.ok_or_else(|| format!("`{name}` is no table"))?;
            (0x1c5, id << 8 | table.first, 0x1c8)
        }
    };
    list.write(index, value).feed(port, &data);
    Ok(())
}
