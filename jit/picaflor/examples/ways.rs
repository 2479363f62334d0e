//! One scene through every entrance of both machines. A host picks the entrance that fits the parts it keeps; each gives
//! the same bytes.
//!
//! `cargo run --release -p picaflor --example ways`

use picaflor::pica::shader::{Options, SourceFile, assemble};
use picaflor::pica::{Bank, CommandList, DrawCall, Field, Input, ListBuilder, Pica, Precision};
use picaflor::pica::{encode_f24, encode_f31};
use picaflor::seam::ge::{Kind, Vertex};
use picaflor::seam::pica::{
    AttributeSource, BlitStage, DEFAULT_INSTRUCTION_BUDGET, ElementType, Fill, FillWidth, NoEngines,
    OutputForm, ShadedVertices, ShaderStage, VertexBatch, VertexInputs,
};
use picaflor::{BlockMemory, Engine, FaultList, Memory, ge, write_bytes};
use std::error::Error;

const VRAM: u32 = 0x1800_0000;
const ARRAY: u32 = VRAM + 0x10_0000;
const LIST: u32 = VRAM + 0x11_0000;
const PROGRAM: &str = ".in place v0\n .in tint v1\n .out position position\n .out colour color\n .entry main
    .proc main\n mov position, place\n mov colour, tint\n end\n .end";

/// Four triangles, one of them partly behind the eye: position and colour, 32 bytes each vertex.
fn attributes() -> Vec<[f32; 4]> {
    let places = [[-0.9, -0.9, -0.2], [0.9, -0.9, -0.8], [0.0, 0.9, -0.5], [-0.9, 0.8, -0.7]];
    let more = [[0.8, -0.7, -0.1], [0.9, 0.9, -0.6], [-2.5, 0.1, -0.4], [0.25, -0.25, -0.25]];
    let last = [[0.25, 3.0, -1.75], [-0.5, -0.5, -0.9], [-0.1, -0.5, -0.9], [-0.25, -0.1, -0.0625]];
    let places = places.into_iter().chain(more).chain(last);
    places
        .zip(0_u8..)
        .flat_map(|([x, y, z], n)| {
            [[x, y, z, 1.0], [f32::from(n % 3) / 2.0, f32::from(n % 4) / 4.0, f32::from(n) / 16.0, 1.0]]
        })
        // As numbers of 24 bits, so that every way starts from the same.
        .map(|attribute| attribute.map(|value: f32| f32::from_bits(value.to_bits() & !0x7f)))
        .collect()
}

fn memory() -> BlockMemory {
    let memory = BlockMemory::zeroed(&[(VRAM, 6 << 20)]);
    let bytes: Vec<u8> = attributes().iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    write_bytes(&memory, ARRAY, &bytes);
    memory
}

/// The target's bytes.
fn drawn(memory: &BlockMemory) -> Vec<u8> {
    memory.region(VRAM, 64 * 64 * 4).expect("mapped").to_vec()
}

/// The list of a game.
fn list() -> Result<Vec<u8>, Box<dyn Error>> {
    let shader = assemble(&[SourceFile::new("scene", PROGRAM)], Options::default())?;
    let (main, target) = (&shader.executables[0], 1 << 24 | 63 << 12 | 64);
    let mut list = ListBuilder::new();
    list.program(Bank::Vertex, &shader.program).executable(Bank::Vertex, main, 2).output_map(main);
    list.write(0x242, 1).burst(0x11d, &[VRAM >> 3, target]).write(0x06e, target).write(0x117, 2);
    list.burst(0x041, &[encode_f24(32.0), encode_f31(1.0 / 32.0), encode_f24(32.0), encode_f31(1.0 / 32.0)]);
    list.burst(0x112, &[15, 15]).write(0x102, 3).write(0x107, 0xf00);
    list.write(0x06f, 0x0103_0703); // all attributes have a clock
    list.burst(0x200, &[ARRAY >> 3, 0xff, 1 << 28]).burst(0x203, &[0, 0x10, 2 << 28 | 32 << 16]);
    list.write(0x228, 12).write(0x22a, 0).write(0x253, 1).write(0x22e, 1).write(0x111, 1);
    Ok(list.finish())
}

/// (a) The whole list.
fn by_list(engine: &mut Engine) -> Result<Vec<u8>, Box<dyn Error>> {
    let (memory, mut pica, list) = (memory(), Pica::new(Precision::Console), list()?);
    write_bytes(&memory, LIST, &list);
    pica.run(engine, &memory, CommandList { address: LIST, size_bytes: list.len() as u32 })?;
    Ok(drawn(&memory))
}

/// What a host's own command processor knows after the list; here, that of a machine without engines.
fn processed() -> Result<Pica, Box<dyn Error>> {
    let (memory, mut pica, list) = (memory(), Pica::new(Precision::Console), list()?);
    write_bytes(&memory, LIST, &list);
    pica.run(&mut NoEngines, &memory, CommandList { address: LIST, size_bytes: list.len() as u32 })?;
    Ok(pica)
}

/// A machine that is told of uploads as they happen.
fn told(known: &mut Pica) -> Result<Pica, Box<dyn Error>> {
    let mut pica = Pica::new(Precision::Console);
    for field in [Field::VertexCode, Field::VertexDescriptors, Field::VertexFloats, Field::VertexFloatForms] {
        let mut words = vec![0; known.field_words(field)];
        known.read_field(field, 0, &mut words)?;
        pica.write_field(field, 0, &words)?;
    }
    Ok(pica)
}

/// (b) The host's registers, and vertices in arrays or one by one.
fn by_draw(engine: &mut Engine, input: Input<'_>) -> Result<Vec<u8>, Box<dyn Error>> {
    let (memory, mut known) = (memory(), processed()?);
    let mut pica = told(&mut known)?;
    let call = DrawCall { registers: known.registers().words(), changed: None, input };
    pica.draw_with(engine, &memory, &call)?;
    Ok(drawn(&memory))
}

/// (d) Vertices alone: 24 semantics each.
fn shade(engine: &mut Engine, memory: &BlockMemory) -> Result<Vec<[f32; 24]>, Box<dyn Error>> {
    let mut known = processed()?;
    let pica = told(&mut known)?;
    let shader = assemble(&[SourceFile::new("scene", PROGRAM)], Options::default())?;
    let array = |offset| AttributeSource::Array {
        address: ARRAY + offset,
        stride_bytes: 32,
        element: ElementType::F32,
        components: 4,
    };
    let batch = VertexBatch {
        memory,
        indices: &std::array::from_fn::<u32, 12, _>(|n| n as u32),
        inputs: &VertexInputs { attributes: vec![array(0), array(16)], permutation: 0x10 },
        program: pica.vertex_bank().program(),
        entry: shader.executables[0].entry as u16,
        uniforms: pica.vertex_bank().uniforms(),
        output: &OutputForm::Mapped(shader.executables[0].output_map()),
        precision: Precision::Console,
        instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
    };
    let (mut shaded, mut faults) = (ShadedVertices::new(), FaultList::new());
    engine.shade(&batch, &mut shaded, &mut faults);
    Ok((0..12).map(|n| std::array::from_fn(|k| shaded.component(k)[n])).collect())
}

/// (c) Triangles of shaded vertices, or (e) triangles in window space.
fn by_vertices(engine: &mut Engine, are_triangles: bool) -> Result<Vec<u8>, Box<dyn Error>> {
    let (memory, mut pica, known) = (memory(), Pica::new(Precision::Console), processed()?);
    pica.write_field(Field::Registers, 0, known.registers().words())?;
    let vertices = shade(engine, &memory)?;
    if are_triangles {
        let triangles = pica.set_up(engine, &vertices);
        pica.draw_triangles(engine, &memory, &triangles)?;
    } else {
        pica.draw_vertices(engine, &memory, &vertices)?;
    }
    Ok(drawn(&memory))
}

/// (f) A fill alone, by the engine and by registers.
fn fills(engine: &mut Engine) -> Result<bool, Box<dyn Error>> {
    let (plain, by_registers, mut pica) = (memory(), memory(), Pica::new(Precision::Console));
    let fill = Fill { start: VRAM, end: VRAM + 0x4000, value: 0x12_3456, width: FillWidth::Bits24 };
    engine.fill(&plain, &fill).map_err(|fault| fault.to_string())?;
    for (register, value) in
        [(0x10, VRAM >> 3), (0x14, (VRAM + 0x4000) >> 3), (0x18, 0x12_3456), (0x1c, 0x101)]
    {
        pica.write_mmio(engine, &by_registers, 0x1040_0000 + register, value)?;
    }
    Ok(drawn(&plain) == drawn(&by_registers))
}

const RAM: u32 = 0x0880_0000;

/// The GE: its registers, then a list (0), commands (1), transformed vertices (2) or primitives (3).
fn psp(engine: &mut Engine, way: u32) -> Result<Vec<u8>, Box<dyn Error>> {
    let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20), (RAM, 1 << 20)]);
    let place = |x: i16, y: i16| [x, y, 0, 0].map(i16::to_le_bytes).concat();
    let corners = [(2, 2), (62, 4), (5, 62), (60, 60), (-9, 33), (40, 80)].into_iter().zip(1_u32..);
    let records =
        corners.flat_map(|((x, y), n)| [(n * 0x0012_3457).to_le_bytes().to_vec(), place(x, y)].concat());
    let records: Vec<u8> = records.collect();
    write_bytes(&memory, RAM + 0x8000, &records);
    let mut setup = ge::ListBuilder::new();
    setup.wide_pointer(0x9c, 0x9d, 0x0400_0000, 512).write(0xd2, 3);
    setup.write(0x15, 0).write(0x16, 0xf_ffff).write(0xd4, 0).write(0xd5, 63 << 10 | 63);
    setup.write(0x12, 1 << 23 | 2 << 7 | 7 << 2);
    let mut machine = ge::Ge::new();
    if way == 0 {
        setup.vertices(RAM + 0x8000).prim(3, 6);
        write_bytes(&memory, RAM, &setup.finish(0));
        machine.run(engine, &memory, &mut ge::DisplayList::new(RAM, 0))?;
    } else {
        // A host's own command processor keeps the last word of each command.
        for word in setup.words() {
            machine.write_field(ge::Field::Commands, (word >> 24) as usize, &[*word])?;
        }
        let vertices: Vec<Vertex> = machine.transform(engine, &records, &[0, 1, 2, 3, 4, 5]);
        match way {
            1 => {
                machine.write_field(ge::Field::Pointers, 0, &[RAM + 0x8000, 0, 0])?;
                machine.execute(engine, &memory, &[0x0403_0006])?;
            }
            2 => machine.draw_vertices(engine, &memory, Kind::Triangles, &vertices)?,
            _ => {
                let primitives = machine.set_up(engine, Kind::Triangles, &vertices);
                machine.draw_primitives(engine, &memory, &primitives)?;
            }
        }
    }
    let copy = ge::Transfer {
        source: 0x0400_0000,
        source_stride: 512,
        destination: 0x0410_0000,
        destination_stride: 64,
        size: [64, 64],
        is_wide: true,
        ..ge::Transfer::default()
    };
    machine.transfer_with(engine, &memory, &copy)?;
    Ok(memory.region(0x0410_0000, 64 * 64 * 4).ok_or("mapped")?.to_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::builder().build()?;
    let (expected, immediate) = (by_list(&mut engine)?, attributes());
    let drawn = expected.chunks(4).filter(|pixel| **pixel != [0; 4]).count();
    for (way, bytes) in [
        ("arrays", by_draw(&mut engine, Input::Arrays)?),
        ("immediate", by_draw(&mut engine, Input::Immediate(&immediate))?),
        ("vertices", by_vertices(&mut engine, false)?),
        ("triangles", by_vertices(&mut engine, true)?),
    ] {
        println!("PICA200, {way}: {drawn} pixels, {}", if bytes == expected { "same" } else { "DIFFERENT" });
    }
    println!("PICA200, fills: {}", if fills(&mut engine)? { "same" } else { "DIFFERENT" });
    let expected = psp(&mut engine, 0)?;
    let drawn = expected.chunks(4).filter(|pixel| **pixel != [0; 4]).count();
    for (way, n) in [("commands", 1), ("vertices", 2), ("primitives", 3)] {
        let is_same = psp(&mut engine, n)? == expected;
        println!("GE, {way}: {drawn} pixels, {}", if is_same { "same" } else { "DIFFERENT" });
    }
    Ok(())
}
