//! Calls of the shader seam as a host with its own pipeline makes them: small batches, programs and uniforms that
//! change from call to call, geometry programs run by run.

use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::{FlatMemory, NoMemory};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::shbin::Shbin;
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms};
use picaflor_pipeline::pica::stage::{
    DEFAULT_INSTRUCTION_BUDGET, Emission, GeometryBatch, GeometryInputs, GeometryRun, ShadedVertices,
    ShaderStage, VertexBatch,
};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
use std::hint::black_box;
use std::num::NonZeroUsize;

/// Vertices in memory.
const VERTICES: usize = 64;
/// Address of the mesh.
const BASE: u32 = 0x2000_0000;
/// Bytes of a vertex: position, colour and texture coordinates as binary32.
const STRIDE: u32 = 40;

/// A vertex program with what it reads.
#[derive(Debug, Clone)]
struct Call {
    program: Program,
    entry: u16,
    output: OutputForm,
    uniforms: Uniforms,
}

impl Call {
    fn new(shbin: &Shbin) -> Self {
        let executable = &shbin.executables[0];
        Self {
            program: shbin.program.program(UnitKind::Vertex),
            entry: executable.entry as u16,
            output: OutputForm::Mapped(executable.output_map()),
            uniforms: uniforms(),
        }
    }
}

fn uniforms() -> Uniforms {
    let mut uniforms = Uniforms::default();
    uniforms.set_floats_f32(0, &rows(0));
    uniforms
}

/// The words of all float uniforms, others for each number.
fn rows(number: u32) -> [[u32; 4]; Uniforms::FLOATS] {
    let value = |n: usize, i: usize| 0.25 + n as f32 * 0.125 + i as f32 * 0.5 + (number & 7) as f32;
    std::array::from_fn(|n| std::array::from_fn(|i| value(n, i).to_bits()))
}

/// Vertex batches.
#[derive(Debug)]
pub struct Batches<S> {
    stage: S,
    calls: [Call; 2],
    memory: FlatMemory,
    inputs: VertexInputs,
    indices: Vec<u32>,
    /// Uniforms that a host uploads in turn.
    uploads: [[[u32; 4]; Uniforms::FLOATS]; 2],
    turn: usize,
    precision: Precision,
    out: ShadedVertices,
    faults: FaultList,
}

impl<S: ShaderStage> Batches<S> {
    /// Batches of the 4x4 transform, and of a second program like it.
    ///
    /// # Panics
    /// Never: the containers are those of this crate.
    pub fn new(stage: S, precision: Precision) -> Self {
        let shbin = Shbin::read(include_bytes!("../../data/transform.shbin")).expect("a container");
        let other =
            include_str!("../../data/transform.v.pica").replace("mov outuv, inuv", "mov outuv, inclr");
        let other = other.replace("mov outclr, inclr", "mov outclr, inclr\n\tmov outclr, inpos");
        let other = assemble(&[SourceFile::new("other", &other)], Options::default()).expect("a program");
        let values = (0..VERTICES as u32 * STRIDE / 4).map(|n| (n % 17) as f32 * 0.25 + 0.5);
        let array = |at, components| AttributeSource::Array {
            address: BASE + at,
            stride_bytes: STRIDE,
            element: ElementType::F32,
            components,
        };
        Self {
            stage,
            calls: [Call::new(&shbin), Call::new(&other)],
            memory: FlatMemory::new(BASE, values.flat_map(f32::to_le_bytes).collect()),
            inputs: VertexInputs {
                attributes: vec![array(0, 4), array(16, 4), array(32, 2)],
                permutation: 0xfedc_ba98_7654_3210,
            },
            indices: (0..VERTICES as u32).collect(),
            uploads: [rows(1), rows(2)],
            turn: 0,
            precision,
            out: ShadedVertices::new(),
            faults: FaultList::new(),
        }
    }

    /// Shades a batch with the first program; nothing else has changed.
    pub fn same(&mut self, vertices: usize) {
        self.shade(0, vertices);
    }

    /// Shades a batch with the other program than before; `rows` float uniforms have other values than before.
    pub fn changed(&mut self, vertices: usize, rows: usize) {
        self.turn = (self.turn + 1) % 4;
        let upload = &self.uploads[self.turn / 2][..rows];
        self.calls[self.turn % 2].uniforms.set_floats_f32(0, upload);
        self.shade(self.turn % 2, vertices);
    }

    fn shade(&mut self, call: usize, vertices: usize) {
        let Call { program, entry, output, uniforms } = &self.calls[call];
        let batch = VertexBatch {
            memory: &self.memory,
            indices: &self.indices[..vertices],
            inputs: &self.inputs,
            program,
            entry: *entry,
            uniforms,
            output,
            precision: self.precision,
            instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
        };
        self.stage.shade(black_box(&batch), &mut self.out, &mut self.faults);
        black_box(self.out.component(0).as_ptr());
    }
}

/// Runs of a geometry program that turns points into squares: four emissions of three registers each.
#[derive(Debug)]
pub struct Runs<S> {
    stage: S,
    program: Program,
    entry: u16,
    uniforms: Uniforms,
    unit: ShaderUnit,
    precision: Precision,
    emitted: Vec<Emission>,
    faults: FaultList,
}

impl<S: ShaderStage> Runs<S> {
    /// Runs of `sprites.g.pica`.
    ///
    /// # Panics
    /// Never: the source is that of this crate.
    pub fn new(stage: S, precision: Precision) -> Self {
        let source = SourceFile::new("sprites", include_str!("../../data/sprites.g.pica"));
        let shbin = assemble(&[source], Options::default()).expect("a program");
        let executable = &shbin.executables[0];
        let mut uniforms = uniforms();
        executable.apply_constants(&mut uniforms);
        let mut unit = ShaderUnit::default();
        unit.v[0] = [0.25, 0.5, -0.5, 1.0];
        unit.v[1] = [1.0, 0.5, 0.25, 1.0];
        unit.v[2] = [0.125, 0.0, 0.0, 1.0];
        Self {
            stage,
            program: shbin.program.program(UnitKind::Geometry),
            entry: executable.entry as u16,
            uniforms,
            unit,
            precision,
            emitted: Vec::new(),
            faults: FaultList::new(),
        }
    }

    /// The stage, a run, and where its results go.
    fn parts(&mut self) -> (&mut S, GeometryRun<'_>, &mut Vec<Emission>, &mut FaultList) {
        let run = GeometryRun {
            program: &self.program,
            entry: self.entry,
            uniforms: &mut self.uniforms,
            unit: &mut self.unit,
            output_mask: 7,
            precision: self.precision,
            instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
            memory: &NoMemory,
        };
        (&mut self.stage, run, &mut self.emitted, &mut self.faults)
    }

    /// A batch of runs whose inputs go to registers.
    ///
    /// # Panics
    /// Never: a run has three inputs.
    pub fn batch(&mut self, runs: usize) {
        self.emitted.clear();
        let (stage, run, emitted, faults) = self.parts();
        let inputs = [[0.25, 0.5, -0.5, 1.0], [1.0, 0.5, 0.25, 1.0], [0.125, 0.0, 0.0, 1.0]].repeat(runs);
        let each = NonZeroUsize::new(3).expect("three inputs");
        let destination = GeometryInputs::Registers(0x210);
        let mut batch = GeometryBatch { run, inputs: &inputs, each, destination };
        stage.run_geometry_batch(black_box(&mut batch), emitted, faults);
        black_box(self.emitted.as_ptr());
    }

    /// One run.
    pub fn one(&mut self) {
        self.emitted.clear();
        let (stage, mut run, emitted, faults) = self.parts();
        stage.run_geometry(black_box(&mut run), emitted, faults);
        black_box(self.emitted.as_ptr());
    }
}
