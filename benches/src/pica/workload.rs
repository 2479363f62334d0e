//! A batch of vertices with all inputs of its results.

use crate::pica::example::Example;
use crate::pica::mesh::{Storage, mesh};
use crate::pica::uniforms;
use crate::random::Random;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::shbin::Shbin;
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::stage::{DEFAULT_INSTRUCTION_BUDGET, VertexBatch};
use picaflor_pipeline::pica::vertex::{OutputForm, VertexInputs};

/// Vertices of each workload: few enough for the caches near the core, so that arithmetic is measured.
pub const VERTICES: usize = 256;

/// Address of the mesh: the console's main memory.
const BASE: u32 = 0x2000_0000;

/// The order in which vertices are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The order in memory.
    Sequential,
    /// A random order, as of an index buffer.
    Shuffled,
}

/// One batch, owned.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The program.
    pub example: Example,
    /// Words of its code.
    pub words: usize,
    bytes: Vec<u8>,
    memory: FlatMemory,
    indices: Vec<u32>,
    inputs: VertexInputs,
    program: Program,
    entry: u16,
    uniforms: Uniforms,
    output: OutputForm,
}

impl Workload {
    /// The workload of an example.
    #[must_use]
    pub fn new(example: Example, storage: Storage, order: Order) -> Self {
        Self::with_seed(example, storage, order, 0)
    }

    /// The workload of an example with other vertices for each seed.
    #[must_use]
    pub fn with_seed(example: Example, storage: Storage, order: Order, seed: u64) -> Self {
        let container = Shbin::read(example.container()).expect("a container of this crate");
        let executable = &container.executables[0];
        let (bytes, inputs) = mesh(example, storage, VERTICES, BASE, seed);
        Self {
            example,
            words: container.program.code.len(),
            memory: FlatMemory::new(BASE, bytes.clone()),
            bytes,
            indices: indices(order),
            inputs,
            program: container.program.program(UnitKind::Vertex),
            entry: executable.entry as u16,
            uniforms: uniforms::uniforms(example, executable, storage.units()),
            output: OutputForm::Mapped(executable.output_map()),
        }
    }

    /// The batch as an engine takes it.
    #[must_use]
    pub fn batch(&self, precision: Precision) -> VertexBatch<'_> {
        self.first(VERTICES, precision)
    }

    /// A batch of the first `count` vertices only.
    #[must_use]
    pub fn first(&self, count: usize, precision: Precision) -> VertexBatch<'_> {
        VertexBatch {
            memory: &self.memory,
            indices: &self.indices[..count],
            inputs: &self.inputs,
            program: &self.program,
            entry: self.entry,
            uniforms: &self.uniforms,
            output: &self.output,
            precision,
            instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
        }
    }

    /// The interleaved attributes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn indices(order: Order) -> Vec<u32> {
    let mut indices: Vec<u32> = (0..VERTICES as u32).collect();
    if order == Order::Shuffled {
        let mut random = Random::new(0x6f72_6465);
        for last in (1..VERTICES).rev() {
            indices.swap(last, random.below(last as u32 + 1) as usize);
        }
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::{Order, VERTICES, Workload};
    use crate::pica::contender::PRECISIONS;
    use crate::pica::example::Example;
    use crate::pica::mesh::Storage;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::fault::FaultList;
    use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage};

    #[test]
    fn ordinary_values_stay_ordinary() {
        for (example, storage) in
            Example::ALL.into_iter().flat_map(|e| [(e, Storage::Floats), (e, Storage::Integers)])
        {
            let workload = Workload::new(example, storage, Order::Shuffled);
            for precision in PRECISIONS {
                let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
                Interpreter::new().shade(&workload.batch(precision), &mut out, &mut faults);
                assert_eq!(faults, FaultList::new(), "{example}");
                for k in 0..out.components() {
                    assert!(out.component(k).iter().all(|x| x.is_finite()), "{k} of {example}, {storage:?}");
                }
            }
        }
    }

    /// Within `branchy` each of the three ends is taken by some vertices: alpha 1, alpha 0.5, neither.
    #[test]
    fn branchy_takes_its_branches() {
        let workload = Workload::new(Example::Branchy, Storage::Floats, Order::Sequential);
        let mut out = ShadedVertices::new();
        Interpreter::new().shade(&workload.batch(PRECISIONS[0]), &mut out, &mut FaultList::new());
        let steps = out.component(13);
        for count in 2..=12 {
            assert!(steps.contains(&(count as f32)), "no vertex marches {count} steps");
        }
        let half = out.component(11).iter().filter(|&&alpha| alpha == 0.5).count();
        assert!((VERTICES / 8..VERTICES * 7 / 8).contains(&half), "{half} vertices end with alpha 0.5");
    }
}
