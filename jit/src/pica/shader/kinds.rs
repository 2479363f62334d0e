//! [`RoutineKind`](crate::kind::RoutineKind) of shader programs: compile, store, load.

use super::geometry::{self, GeometrySpec};
use super::graph::{Graph, Node};
use super::vertex::{self, VertexSpec};
use crate::code::compile::Compiler;
use crate::code::pica::facts::{GeometryFacts, VertexFacts};
use crate::code::pica::geometry::GeometryRoutine;
use crate::code::pica::shade::VertexRoutine;
use crate::code::routine::CodeBlock;
use crate::error::CompileError;
use crate::kind::RoutineKind;
use crate::pica::key::bytes;
use crate::pica::key::programs::KnownProgram;
use crate::pica::key::shader::{GeometryKey, VertexKey};
use crate::stats::Phase;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use std::sync::Arc;

impl RoutineKind for VertexKey {
    type Routine = VertexRoutine;
    type Source = Arc<KnownProgram>;

    fn compile(
        &self,
        source: &Arc<KnownProgram>,
        compiler: &mut Compiler,
    ) -> Result<VertexRoutine, CompileError> {
        let spec = VertexSpec {
            program: &source.program,
            entry: self.entry,
            bools: self.bools,
            ints: &self.ints,
            inputs: &self.inputs,
            output: &self.output,
            arithmetic: self.arithmetic,
        };
        let graph = unfolded(compiler, || vertex::unfold(&spec))?;
        let mut facts = None;
        let code = defined(compiler, &graph, &self.to_string(), |func, context, isa| {
            facts = Some(vertex::build(&spec, &graph, func, context, isa));
            Ok(())
        })?;
        vertex_routine(self, code, facts.expect("the function was built"))
    }

    fn code(routine: &VertexRoutine) -> &Arc<CodeBlock> {
        routine.code()
    }

    fn stored_key(&self, source: &Arc<KnownProgram>) -> Option<Vec<u8>> {
        bytes::vertex(self, source)
    }

    fn store(routine: &VertexRoutine) -> Vec<u8> {
        routine.facts.to_bytes()
    }

    fn load(
        &self,
        facts: &[u8],
        code: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<VertexRoutine>, CompileError> {
        let Some(facts) = VertexFacts::from_bytes(facts) else { return Ok(None) };
        vertex_routine(self, code()?, facts).map(Some)
    }
}

impl RoutineKind for GeometryKey {
    type Routine = GeometryRoutine;
    type Source = Arc<KnownProgram>;

    fn compile(
        &self,
        source: &Arc<KnownProgram>,
        compiler: &mut Compiler,
    ) -> Result<GeometryRoutine, CompileError> {
        let spec = GeometrySpec {
            program: &source.program,
            entry: self.entry,
            bools: self.bools,
            ints: &self.ints,
            output_mask: self.output_mask,
            inputs: self.inputs,
            arithmetic: self.arithmetic,
        };
        let graph = unfolded(compiler, || geometry::unfold(&spec))?;
        let mut facts = None;
        let code = defined(compiler, &graph, &self.to_string(), |func, context, isa| {
            facts = Some(geometry::build(&spec, &graph, func, context, isa));
            Ok(())
        })?;
        GeometryRoutine::new(code, self, facts.expect("the function was built"))
    }

    fn code(routine: &GeometryRoutine) -> &Arc<CodeBlock> {
        routine.code()
    }

    fn stored_key(&self, source: &Arc<KnownProgram>) -> Option<Vec<u8>> {
        bytes::geometry(self, source)
    }

    fn store(routine: &GeometryRoutine) -> Vec<u8> {
        routine.facts.to_bytes()
    }

    fn load(
        &self,
        facts: &[u8],
        code: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<GeometryRoutine>, CompileError> {
        let Some(facts) = GeometryFacts::from_bytes(facts) else { return Ok(None) };
        GeometryRoutine::new(code()?, self, facts).map(Some)
    }
}

/// Handle for the code of a key.
fn vertex_routine(
    key: &VertexKey,
    code: Arc<CodeBlock>,
    facts: VertexFacts,
) -> Result<VertexRoutine, CompileError> {
    VertexRoutine::new(code, key.inputs, key.output.components(), key.arithmetic, facts)
}

/// The graph of a program; selects the register allocator for it.
fn unfolded(
    compiler: &mut Compiler,
    unfold: impl FnOnce() -> Result<Graph, CompileError>,
) -> Result<Graph, CompileError> {
    let graph = {
        let _timer = compiler.profile().time(Phase::Analyse);
        unfold()?
    };
    compiler.allocate_quickly(is_tangled(&graph) || is_long(&graph))?;
    Ok(graph)
}

/// The code of a graph. Long code whose frame is too large after the quick allocator, which uses no slot again, gets the
/// careful one.
fn defined(
    compiler: &mut Compiler,
    graph: &Graph,
    name: &str,
    mut build: impl FnMut(&mut Function, &mut FunctionBuilderContext, &dyn TargetIsa) -> Result<(), CompileError>,
) -> Result<Arc<CodeBlock>, CompileError> {
    match compiler.define(name, &mut build) {
        Err(CompileError::LargeFrame { .. }) if is_long(graph) && !is_tangled(graph) => {
            compiler.allocate_quickly(false)?;
            compiler.define(name, build)
        }
        made => made,
    }
}

/// Predicate for graphs on which careful register allocation would be very slow: many values live across many nodes. The
/// programs of `benches`, unrolled, are far from it.
fn is_tangled(graph: &Graph) -> bool {
    let nodes = graph.nodes.len();
    nodes > 64 || graph.cyclic && nodes > 16
}

/// Predicate for graphs of so many unrolled words that careful allocation is not worth its time.
fn is_long(graph: &Graph) -> bool {
    graph.nodes.iter().map(Node::words).sum::<u32>() > 320
}
