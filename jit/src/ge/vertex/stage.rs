//! Batches: on compiled code, or on the interpreter.

use super::bind::{bind_lights, bind_matrices, bind_registers, bind_remembered, bind_way, read};
use super::lights::{Lights, light};
use super::model::model;
use super::place::place;
use super::way::Way;
use crate::code::fp_mode;
use crate::code::ge::finish::finish;
use crate::code::ge::transforms::{GROUP, TransformRoutine, Transformed};
use crate::emit::ge::vertices::TransformConstants;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::ge::key::TransformKey;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::same::OF_VERTICES;
use picaflor_pipeline::ge::stage::{Remembered, TransformStage as _, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;

/// Nanoseconds that the interpreter needs for a vertex, about (measured: 300 plain, 1500 with three lights; weights
/// and morphs are estimated).
fn interpreted(key: &TransformKey) -> u64 {
    let lights = key.lighting.map_or(0, |lighting| lighting.lights.iter().flatten().count());
    let (weights, morphs) = (key.vertex_type.weight_count(), key.vertex_type.morph_count());
    300 + 400 * lights as u64 + 180 * u64::from(weights) + 360 * (u64::from(morphs) - 1)
}

/// State kept between batches.
#[derive(Debug, Default)]
pub(crate) struct Transforms {
    /// The core's generation in which the rest was made.
    generation: u64,
    /// The routine of the batch before, and what `constants`, `way` and `lights` were made from.
    bound: Option<Bound>,
    constants: Box<TransformConstants>,
    way: Box<Way>,
    lights: Box<Lights>,
    transformed: Transformed,
    /// First vertices of the groups of the last batch that need the fallback.
    rare: Vec<usize>,
    /// Vertices of a group that the interpreter did.
    group: Vec<Vertex>,
}

/// A routine, and what its constants were made from.
#[derive(Debug)]
struct Bound {
    /// Of the state, and of the code.
    key: TransformKey,
    code: TransformKey,
    routine: Arc<TransformRoutine>,
    registers: Registers,
    matrices: Matrices,
    remembered: Remembered,
}

impl Transforms {
    /// Transforms a batch.
    pub(crate) fn transform(&mut self, core: &mut Core, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        match self.run_compiled(core, batch, out) {
            Ok(true) => return,
            Ok(false) => {}
            Err(reason) => core.profile.refused(&reason),
        }
        out.clear();
        core.interpret(|interpreter| interpreter.transform(batch, out));
    }

    /// Transforms a batch on compiled code; returns false without a routine (yet).
    fn run_compiled(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        out: &mut Vec<Vertex>,
    ) -> Result<bool, CompileError> {
        if !core.compiles() || batch.indices.is_empty() {
            out.clear();
            return Ok(batch.indices.is_empty());
        }
        if self.generation != core.generation() {
            (self.generation, self.bound) = (core.generation(), None);
        }
        let routine = match self.bound_routine(batch)? {
            Some(routine) => routine,
            None => match self.bind(core, batch)? {
                Some(routine) => routine,
                None => return Ok(false),
            },
        };
        if batch.stride != routine.stride() {
            return Err(CompileError::UnknownState { what: "vertex records of unexpected length" });
        }
        if !self.run_parts(&routine, batch, out) {
            return Err(CompileError::UnknownState { what: "unmapped vertex records" });
        }
        self.replay_rare(core, batch, out);
        Ok(true)
    }

    /// Runs the routine that is bound; false, without any effect, if some record is not mapped.
    fn run_parts(
        &mut self,
        routine: &TransformRoutine,
        batch: &VertexBatch<'_>,
        out: &mut Vec<Vertex>,
    ) -> bool {
        let Self { bound: Some(Bound { key, .. }), constants, way, lights, transformed, rare, .. } = self
        else {
            return false;
        };
        rare.clear();
        // Each of them is written; what was there before need not be cleared.
        out.resize(batch.indices.len().next_multiple_of(GROUP), Vertex::EMPTY);
        let mut first = 0;
        let is_mapped = transformed.parts(routine, constants, batch, |mut part| {
            part.run();
            let count = part.len();
            part.stations.rare[..count].fill(0);
            if !key.vertex_type.is_through() {
                model(key, way, count, part.stations);
                place(key, way, count, part.stations);
                light(key, lights, count, part.stations);
            }
            let groups = part.stations.rare[..count].chunks(GROUP).enumerate();
            let found = groups.filter(|(_, group)| group.iter().any(|&lane| lane != 0));
            rare.extend(found.map(|(n, _)| first + n * GROUP));
            finish(part.stations, &mut out[first..first + count]);
            first += count;
        });
        out.truncate(batch.indices.len());
        is_mapped
    }

    /// The routine of the batch before, if the registers are the same. What changed apart from them, the matrices from object
    /// to object and the remembered vertex from draw to draw, is brought up to date.
    fn bound_routine(
        &mut self,
        batch: &VertexBatch<'_>,
    ) -> Result<Option<Arc<TransformRoutine>>, CompileError> {
        let Some(bound) = &mut self.bound else { return Ok(None) };
        if !bound.registers.is_same(batch.registers, &OF_VERTICES) {
            return Ok(None);
        }
        if !has_same_bits(&bound.matrices, batch.matrices) {
            bind_matrices(&bound.key, batch.matrices, &mut self.way);
            bound.matrices = batch.matrices.clone();
        }
        let remembered = read(&bound.key, &batch.remembered);
        if remembered_bits(&bound.remembered) != remembered_bits(&remembered) {
            bind_remembered(&remembered, &mut self.constants)?;
            bound.remembered = remembered;
        }
        Ok(Some(Arc::clone(&bound.routine)))
    }

    /// Finds the routine and makes the constants; `None` without a routine (yet).
    fn bind(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
    ) -> Result<Option<Arc<TransformRoutine>>, CompileError> {
        let key = TransformKey::of(batch.registers)?;
        let code = key.of_code();
        let before = self.bound.take().filter(|bound| bound.code == code);
        let routine = match before {
            Some(bound) => bound.routine,
            None => {
                let work = || batch.indices.len() as u64 * interpreted(&key);
                match core.find(&code, &(), work, &|| batch.memory.is_stopping())? {
                    Some(routine) => routine,
                    None => return Ok(None),
                }
            }
        };
        let remembered = read(&key, &batch.remembered);
        bind_remembered(&remembered, &mut self.constants)?;
        bind_registers(&key, batch.registers, &mut self.constants);
        bind_way(&key, batch.registers, &mut self.way);
        bind_lights(&key, batch.registers, &mut self.lights);
        bind_matrices(&key, batch.matrices, &mut self.way);
        let (registers, matrices) = (batch.registers.clone(), batch.matrices.clone());
        let found = Arc::clone(&routine);
        self.bound = Some(Bound { key, code, routine, registers, matrices, remembered });
        Ok(Some(found))
    }

    /// Runs in the interpreter the groups with values outside the range of compiled code.
    fn replay_rare(&mut self, core: &mut Core, batch: &VertexBatch<'_>, out: &mut [Vertex]) {
        let Self { rare, group, .. } = self;
        for &first in &*rare {
            let end = batch.indices.len().min(first + GROUP);
            let part = VertexBatch { indices: &batch.indices[first..end], ..*batch };
            fp_mode::ieee(|| core.interpreter.transform(&part, group));
            out[first..end].copy_from_slice(group);
        }
        core.profile.ran(batch.indices.len().div_ceil(GROUP) as u32, rare.len() as u32);
    }
}

/// Comparison that tells zeros apart, and no NaN from itself.
fn has_same_bits(a: &Matrices, b: &Matrices) -> bool {
    fn same<const N: usize>(a: &[f32; N], b: &[f32; N]) -> bool {
        a.iter().zip(b).fold(0, |all, (a, b)| all | (a.to_bits() ^ b.to_bits())) == 0
    }
    same(&a.bones, &b.bones)
        && same(&a.world, &b.world)
        && same(&a.view, &b.view)
        && same(&a.projection, &b.projection)
        && same(&a.texture, &b.texture)
}

fn remembered_bits(remembered: &Remembered) -> [u64; 5] {
    let ([s, t], [x, y, z]) = (remembered.texture, remembered.normal);
    [s, t, x, y, z].map(f64::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pauses::tests::Ending;
    use crate::{Engine, EngineMode};
    use picaflor_pipeline::ge::regs::op;
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::NoMemory;
    use std::sync::atomic::Ordering::Relaxed;

    /// The interpreter's work would take longer than the code, for which the batch would wait.
    #[test]
    fn the_wait_for_code_ends_with_the_list() {
        let mut registers = Registers::default();
        registers.write(u32::from(op::VTYPE) << 24 | 1 << 7);
        let other = TransformKey::of(&Registers::default()).expect("a key");
        let bytes: Vec<u8> = (0..64 * 3).collect();
        let indices: Vec<u32> = (0..20_000).map(|n| n % 64).collect();
        let memory = Ending::after(0, NoMemory);
        let batch = VertexBatch {
            registers: &registers,
            matrices: &Matrices::default(),
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(&bytes),
            stride: registers.vertex_type().stride(),
            indices: &indices,
            memory: &memory,
        };
        let (mut expected, mut found) = (vec![], vec![]);
        picaflor_interp::Interpreter::new().transform(&batch, &mut expected);
        // Another thread may be done before the first question.
        let waited = (0..20).any(|_| {
            let mut engine = Engine::builder().mode(EngineMode::Background).build().expect("an engine");
            let held = engine.core.routines().hold(other);
            engine.transform(&batch, &mut found);
            assert!(found == expected);
            let was_asked = memory.1.swap(0, Relaxed) != 0;
            assert!(!was_asked || engine.ge.transforms.bound.is_none(), "code after the end");
            drop(held);
            was_asked
        });
        assert!(waited);
    }
}
