//! What the tests of the engine share: programs from text, scenes, and the comparison with the interpreter.

use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode, MappingScheme};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::{FlatMemory, Memory};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::stage::{DEFAULT_INSTRUCTION_BUDGET, ShadedVertices, ShaderStage, VertexBatch};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Schemes that every host and emulator runs: user-mode emulation does not notice that code was replaced through a
/// second view.
pub(crate) const SCHEMES: &[MappingScheme] = if cfg!(target_arch = "x86_64") {
    &[MappingScheme::DualView, MappingScheme::Protect]
} else {
    &[MappingScheme::Protect]
};

/// Routines of a program in the console's arithmetic, one vertex of which needs the rare cases: a fast one without
/// them, and the exact one that replays. A host that cannot flush results after rounding has no fast one.
pub(crate) const FORMS: u64 = if cfg!(target_arch = "x86_64") { 2 } else { 1 };

/// Where the memory of scenes begins.
pub(crate) const BASE: u32 = 0x2000_0000;

/// A program of the lines, from address 0, with control flow written out.
pub(crate) fn program(kind: UnitKind, lines: &str) -> Program {
    let text = format!(".raw\n.proc main\n{lines}\n.end\n");
    let shbin = assemble(&[SourceFile::new("test.pica", text)], Options::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{lines}"));
    let descriptors: Vec<u32> = shbin.program.descriptors.iter().map(|&[word, _]| word).collect();
    Program::from_words(kind, &shbin.program.code, &descriptors)
}

/// Everything that a batch refers to.
pub(crate) struct Scene {
    pub(crate) memory: Box<dyn Memory>,
    pub(crate) indices: Vec<u32>,
    pub(crate) inputs: VertexInputs,
    pub(crate) program: Program,
    pub(crate) uniforms: Uniforms,
    pub(crate) output: OutputForm,
    pub(crate) precision: Precision,
    pub(crate) budget: u32,
}

impl Scene {
    /// Vertices 0 to 6 with `v0`, `v1` of four floats each, all zero; `o0` to `o3` come out.
    pub(crate) fn new(lines: &str) -> Self {
        let mut scene = Self {
            memory: Box::new(FlatMemory::default()),
            indices: (0..7).collect(),
            inputs: VertexInputs { attributes: vec![], permutation: 0xfedc_ba98_7654_3210 },
            program: program(UnitKind::Vertex, lines),
            uniforms: Uniforms::default(),
            output: OutputForm::Records { mask: 0xf, slots: 4 },
            precision: Precision::Console,
            budget: DEFAULT_INSTRUCTION_BUDGET,
        };
        scene.floats(&[[[0.0; 4]; 2]; 7]);
        scene
    }

    /// Sets `v0` and `v1` of each vertex.
    pub(crate) fn floats(&mut self, vertices: &[[[f32; 4]; 2]]) {
        let bytes = vertices.iter().flatten().flatten().flat_map(|value| value.to_le_bytes()).collect();
        self.memory = Box::new(FlatMemory::new(BASE, bytes));
        let array = |offset| AttributeSource::Array {
            address: BASE + offset,
            stride_bytes: 32,
            element: ElementType::F32,
            components: 4,
        };
        self.inputs.attributes = vec![array(0), array(16)];
        self.indices = (0..vertices.len() as u32).collect();
    }

    /// Sets a uniform to a 32-bit value.
    pub(crate) fn uniform(&mut self, n: usize, value: [f32; 4]) {
        self.uniforms.set_float_f32(n, value.map(f32::to_bits));
    }

    pub(crate) fn batch(&self) -> VertexBatch<'_> {
        VertexBatch {
            memory: &*self.memory,
            indices: &self.indices,
            inputs: &self.inputs,
            program: &self.program,
            entry: 0,
            uniforms: &self.uniforms,
            output: &self.output,
            precision: self.precision,
            instruction_budget: self.budget,
        }
    }

    /// What an engine makes of it: bits by component and vertex, and faults.
    pub(crate) fn shade(&self, stage: &mut dyn ShaderStage) -> (Vec<Vec<u32>>, FaultList) {
        let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
        stage.shade(&self.batch(), &mut out, &mut faults);
        assert_eq!(out.len(), self.indices.len());
        let rows = (0..out.components()).map(|k| out.component(k).iter().map(|v| v.to_bits()).collect());
        (rows.collect(), faults)
    }

    /// What the interpreter makes of it.
    pub(crate) fn expected(&self) -> (Vec<Vec<u32>>, FaultList) {
        self.shade(&mut Interpreter::new())
    }

    /// Asserts that an engine makes the same of it as the interpreter.
    #[track_caller]
    pub(crate) fn check(&self, engine: &mut Engine, name: &str) {
        let (actual, expected) = (self.shade(engine), self.expected());
        if let Some(k) = (0..expected.0.len()).find(|&k| actual.0[k] != expected.0[k]) {
            panic!(
                "{name}, component {k}:\n{:08x?} expected\n{:08x?} from {:?}",
                expected.0[k],
                actual.0[k],
                engine.last_run()
            );
        }
        assert_eq!(actual.1, expected.1, "{name}: faults");
    }
}

/// An engine that compiles at once and never interprets.
pub(crate) fn compiled_only() -> Engine {
    Engine::builder()
        .mode(EngineMode::Blocking)
        .fallback(false)
        .build()
        .expect("this host runs compiled code")
}

/// An engine that compiles at once.
pub(crate) fn blocking() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("this host runs compiled code")
}

/// Random numbers, from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u32) as usize]
    }
}

/// Where the perf map of this process is going to be, and the right to be the only test that makes one.
pub(crate) fn perf_map() -> (PathBuf, MutexGuard<'static, ()>) {
    static ONE: Mutex<()> = Mutex::new(());
    let only = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = if cfg!(unix) { "/tmp".into() } else { std::env::temp_dir() };
    let path = folder.join(format!("perf-{}.map", std::process::id()));
    // Of another process of this number, or of another test.
    let _ = std::fs::remove_file(&path);
    (path, only)
}
