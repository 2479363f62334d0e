//! A host that replaces only its vertex recompiler: it keeps its own command processor, memory and
//! rasteriser, and hands Picaflor a batch of vertices for each draw.
//!
//! `cargo run --release -p picaflor --example vertex_recompiler`

use picaflor::pica::Precision;
use picaflor::pica::shader::{Program, Uniforms, UnitKind};
use picaflor::seam::Served;
use picaflor::seam::pica::{
    AttributeSource, DEFAULT_INSTRUCTION_BUDGET, ElementType, OutputForm, OutputMap, ShadedVertices,
    ShaderStage, VertexBatch, VertexInputs,
};
use picaflor::{CompileError, Engine, FaultList, GuestSlice, Memory};
use std::sync::atomic::{AtomicU8, Ordering};

/// `add o0, c0, v0`, `mov o1, v1`, `end`, and the two operand descriptors that they name.
const CODE: [u32; 3] = [0x0002_0000, 0x4c20_1001, 0x8800_0000];
const DESCRIPTORS: [u32; 2] = [0x0006_c36f, 0x0000_036f];

/// The host's main memory. Its emulated CPU may write while we read, hence atomic bytes.
struct MainMemory(Vec<AtomicU8>);

impl MainMemory {
    const BASE: u32 = 0x2000_0000;

    fn write(&self, address: u32, bytes: &[u8]) {
        for (cell, &byte) in self.0[(address - Self::BASE) as usize..].iter().zip(bytes) {
            cell.store(byte, Ordering::Relaxed);
        }
    }
}

impl Memory for MainMemory {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        let start = address.checked_sub(Self::BASE)? as usize;
        self.0.get(start..start.checked_add(length as usize)?).map(GuestSlice::new)
    }
}

/// What the host's command processor knows about a draw: contents of upload ports and registers.
struct Draw {
    program: Program,
    inputs: VertexInputs,
    output: OutputForm,
    indices: Vec<u32>,
}

impl Draw {
    /// Triangles of two floats for the position and four bytes for the colour, 12 bytes from one vertex to the next.
    fn triangle() -> Self {
        let array = |offset, element, components| AttributeSource::Array {
            address: MainMemory::BASE + offset,
            stride_bytes: 12,
            element,
            components,
        };
        let attributes = vec![array(0, ElementType::F32, 2), array(8, ElementType::U8, 4)];
        let mut output = OutputMap { mask: 0b11, total: 2, slots: [0x1f1f_1f1f; 7] };
        output.slots[0] = 0x0302_0100; // o0 is the position
        output.slots[1] = 0x0b0a_0908; // o1 is the colour
        Self {
            program: Program::from_words(UnitKind::Vertex, &CODE, &DESCRIPTORS),
            inputs: VertexInputs { attributes, permutation: 0x10 },
            output: OutputForm::Mapped(output),
            indices: vec![0, 1, 2],
        }
    }

    fn batch<'a>(&'a self, memory: &'a MainMemory, uniforms: &'a Uniforms) -> VertexBatch<'a> {
        VertexBatch {
            memory,
            indices: &self.indices,
            inputs: &self.inputs,
            program: &self.program,
            entry: 0,
            uniforms,
            output: &self.output,
            precision: Precision::Console,
            instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
        }
    }
}

fn main() -> Result<(), CompileError> {
    let mut engine = Engine::builder().build()?;
    let memory = MainMemory((0..4096).map(|_| AtomicU8::new(0)).collect());
    for (address, corner) in (MainMemory::BASE..).step_by(12).zip([[0.0_f32, 0.5], [-0.5, -0.5], [0.5, -0.5]])
    {
        memory.write(address, &corner[0].to_le_bytes());
        memory.write(address + 4, &corner[1].to_le_bytes());
        memory.write(address + 8, &[255, 0, 1, 1]);
    }
    let (draw, mut uniforms) = (Draw::triangle(), Uniforms::default());

    // When a program is uploaded, if the host wants its code before the first draw. Without this the interpreter
    // serves, with the same bits, until a worker has made the code.
    let compiled = engine.compile(&draw.batch(&memory, &uniforms))?;
    println!("{} words became {} bytes of code", compiled.words, compiled.code_bytes);

    // Keep both from draw to draw: their allocations are used again.
    let (mut shaded, mut faults) = (ShadedVertices::new(), FaultList::new());
    for frame in 0..3 {
        uniforms.set_float_f32(0, [0.25 * frame as f32, 0.0, 0.0, 0.0].map(f32::to_bits)); // c0
        engine.shade(&draw.batch(&memory, &uniforms), &mut shaded, &mut faults);
        assert_eq!(engine.last_run().served, Served::Compiled);
        rasterise(&shaded);
    }
    println!("{} faults of the guest", faults.as_slice().len());
    Ok(())
}

/// The host's own clipping and rasteriser would go on from here. Component k of all vertices lies together: 0 to 3
/// are the position, 8 to 11 the colour.
fn rasterise(shaded: &ShadedVertices) {
    let [x, y, red] = [0, 1, 8].map(|component| shaded.component(component));
    println!("x {x:?}, y {y:?}, red {red:?}");
}
