//! A host that replaces only its vertex recompiler: it keeps its own command processor, memory and
//! rasteriser, and hands Picaflor a batch of vertices for each draw.
//!
//! `cargo run --release -p picaflor-jit --example shade`

use picaflor_jit::{CompileError, Engine};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::vertex::{AttributeSource, ElementType, OutputForm, OutputMap, VertexInputs};
use picaflor_pipeline::stage::{DEFAULT_INSTRUCTION_BUDGET, ShadedVertices, ShaderStage, VertexBatch};
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

fn main() -> Result<(), CompileError> {
    // Once: the engine, and memory with three vertices of two floats and four bytes of colour.
    let mut engine = Engine::builder().build()?;
    let memory = MainMemory((0..4096).map(|_| AtomicU8::new(0)).collect());
    for (address, corner) in (MainMemory::BASE..).step_by(12).zip([[0.0_f32, 0.5], [-0.5, -0.5], [0.5, -0.5]])
    {
        memory.write(address, &corner[0].to_le_bytes());
        memory.write(address + 4, &corner[1].to_le_bytes());
        memory.write(address + 8, &[255, 0, 1, 1]);
    }

    // What the upload ports and registers held when the draw was submitted.
    let program = Program::from_words(UnitKind::Vertex, &CODE, &DESCRIPTORS);
    let mut uniforms = Uniforms::default();
    uniforms.set_float_f32(0, [0.25_f32, 0.0, 0.0, 0.0].map(f32::to_bits));
    let array = |offset, element, components| AttributeSource::Array {
        address: MainMemory::BASE + offset,
        stride_bytes: 12,
        element,
        components,
    };
    let attributes = vec![array(0, ElementType::F32, 2), array(8, ElementType::U8, 4)];
    let inputs = VertexInputs { attributes, permutation: 0x10 };
    let mut output = OutputMap { mask: 0b11, total: 2, slots: [0x1f1f_1f1f; 7] };
    output.slots[0] = 0x0302_0100; // o0 is the position
    output.slots[1] = 0x0b0a_0908; // o1 is the colour

    let batch = VertexBatch {
        memory: &memory,
        indices: &[0, 1, 2],
        inputs: &inputs,
        program: &program,
        entry: 0,
        uniforms: &uniforms,
        output: &OutputForm::Mapped(output),
        precision: Precision::Console,
        instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
    };
    let (mut shaded, mut faults) = (ShadedVertices::new(), FaultList::new());
    engine.shade(&batch, &mut shaded, &mut faults);

    // Component k of all vertices lies together: 0 to 3 are the position, 8 to 11 the colour.
    assert_eq!(shaded.component(0), [0.25, -0.25, 0.75]);
    assert_eq!(shaded.component(8), [1.0; 3]);
    println!("x {:?}, y {:?}", shaded.component(0), shaded.component(1));
    println!("{:?}, faults {:?}", engine.last_run(), faults.as_slice());
    Ok(())
}
