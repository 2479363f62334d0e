//! `RoutineKind` of shader programs: compile, store, load.

use super::geometry::{self, GeometrySpec};
use super::graph::{Graph, Loops};
use super::vertex::{self, VertexSpec};
use crate::code::compile::Compiler;
use crate::code::pica::facts::{GeometryFacts, VertexFacts};
use crate::code::pica::geometry::GeometryRoutine;
use crate::code::pica::shade::VertexRoutine;
use crate::code::routine::CodeBlock;
use crate::emit::pica::number::Arithmetic;
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
        let (code, facts) = made(
            compiler,
            (self.arithmetic, &self.to_string()),
            |loops| vertex::unfold(&spec, loops),
            |graph, func, context, isa| vertex::build(&spec, graph, func, context, isa),
        )?;
        vertex_routine(self, code, facts)
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
        let (code, facts) = made(
            compiler,
            (self.arithmetic, &self.to_string()),
            |loops| geometry::unfold(&spec, loops),
            |graph, func, context, isa| geometry::build(&spec, graph, func, context, isa),
        )?;
        GeometryRoutine::new(code, self, facts)
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

/// The code of a program and its facts, from its graph. Rounds of a loop that come in a row may need too large a frame: the
/// loop is counted then.
fn made<F>(
    compiler: &mut Compiler,
    (arithmetic, name): (Arithmetic, &str),
    unfold: impl Fn(Loops) -> Result<Graph, CompileError>,
    build: impl Fn(&Graph, &mut Function, &mut FunctionBuilderContext, &dyn TargetIsa) -> F,
) -> Result<(Arc<CodeBlock>, F), CompileError> {
    let unfolded = |compiler: &Compiler, loops| {
        let _timer = compiler.profile().time(Phase::Analyse);
        unfold(loops)
    };
    let graph = unfolded(compiler, Loops::Unrolled)?;
    match defined(compiler, (arithmetic, name), &graph, &build) {
        Err(CompileError::LargeFrame { .. }) if graph.is_unrolled() => {
            let graph = unfolded(compiler, Loops::Counted)?;
            defined(compiler, (arithmetic, name), &graph, &build)
        }
        made => made,
    }
}

/// The code of a graph.
fn defined<F>(
    compiler: &mut Compiler,
    (arithmetic, name): (Arithmetic, &str),
    graph: &Graph,
    build: impl Fn(&Graph, &mut Function, &mut FunctionBuilderContext, &dyn TargetIsa) -> F,
) -> Result<(Arc<CodeBlock>, F), CompileError> {
    let define = |compiler: &mut Compiler, quick: bool| {
        compiler.allocate_quickly(quick)?;
        let mut facts = None;
        let code = compiler.define(name, |func, context, isa| {
            facts = Some(build(graph, func, context, isa));
            Ok(())
        })?;
        Ok((code, facts.expect("the function was built")))
    };
    let care = Care::of(graph, arithmetic, compiler.has_leisure());
    if care != Care::of(graph, arithmetic, true) {
        compiler.hurries();
    }
    match define(compiler, care != Care::Careful) {
        Err(CompileError::LargeFrame { .. }) if care == Care::QuickFirst => {
            // There is no better code then.
            compiler.take_hurried();
            define(compiler, false)
        }
        made => made,
    }
}

/// Register allocation of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    Careful,
    /// Quick, or careful if the frame is too large then: the quick allocator uses no slot again.
    QuickFirst,
    Quick,
}

impl Care {
    /// Where all registers live across all words, the careful allocator takes time by the square of their number: 10 ms for 160
    /// words of fast code, or 90 of exact code, which has five times as many operations; 7 s for 4,000. Longer code is made
    /// quickly, in 15 to 90 us a word, and twice to three times as much of it with care where nobody waits, in 60 ms. Code that leaves
    /// no other way is still made carefully, but not the longest.
    fn of(graph: &Graph, arithmetic: Arithmetic, at_leisure: bool) -> Self {
        let most = match (arithmetic.is_fast(), at_leisure) {
            (true, false) => 128,
            (false, false) => 64,
            (true, true) => 384,
            (false, true) => 160,
        };
        match graph.weight() {
            _ if is_tangled(graph) => Self::Quick,
            weight if weight <= most => Self::Careful,
            weight if weight <= SURE_WEIGHT => Self::QuickFirst,
            _ => Self::Quick,
        }
    }
}

/// [Weight](Graph::weight) of graphs whose code surely has a small enough frame. The account takes programs of more for slow.
const SURE_WEIGHT: u32 = 320;

/// Predicate for graphs on which careful register allocation would be very slow: many values live across many nodes. The
/// programs of `benches`, unrolled, are far from it.
fn is_tangled(graph: &Graph) -> bool {
    let nodes = graph.nodes.len();
    nodes > 64 || graph.cyclic && nodes > 16
}

#[cfg(test)]
mod tests {
    use super::super::graph::Uniform;
    use super::super::lowering_tests::program;
    use super::*;
    use crate::code::compile::tests::{compiler, compiler_with};
    use crate::code::memory::MappingScheme;
    use crate::emit::pica::layout::InputKey;
    use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
    use picaflor_pipeline::pica::vertex::OutputForm;
    use std::time::{Duration, Instant};

    /// A vertex program from its first word; `i0` has four rounds.
    fn spec(program: &Program, arithmetic: Arithmetic) -> VertexSpec<'_> {
        VertexSpec {
            program,
            entry: 0,
            bools: 0,
            ints: &[[3, 0, 1, 0], [0; 4], [0; 4], [0; 4]],
            inputs: &[InputKey::Fixed; 16],
            output: &OutputForm::Records { mask: 1, slots: 1 },
            arithmetic,
        }
    }

    /// Code of a vertex program.
    fn code(lines: &str, arithmetic: Arithmetic) -> Result<VertexFacts, CompileError> {
        let program = program(UnitKind::Vertex, lines);
        let spec = spec(&program, arithmetic);
        let made = made(
            &mut compiler(),
            (spec.arithmetic, "test"),
            |loops| vertex::unfold(&spec, loops),
            |graph, func, context, isa| vertex::build(&spec, graph, func, context, isa),
        );
        made.map(|(_, facts)| facts)
    }

    /// `EX2` and `LG2` in turn.
    fn exponents(count: usize) -> String {
        "ex2 r0, r0\nlg2 r0, r0\n".repeat(count / 2)
    }

    #[test]
    fn longer_code_is_allocated_quickly() {
        let care = |lines: &str, arithmetic, at_leisure| {
            let program = program(UnitKind::Vertex, lines);
            let uniform = Uniform { bools: 0, variable_bools: 0, ints: &[[0; 4]; 4], al_is_zero: true };
            Care::of(
                &Graph::new(&program, 0, uniform, Loops::Unrolled).expect("small"),
                arithmetic,
                at_leisure,
            )
        };
        let nops = |count: usize| "nop\n".repeat(count - 1) + "end";
        use Care::{Careful, Quick, QuickFirst};
        // The last counts of careful code, and of code that is made with care if its frame is too large otherwise.
        for (arithmetic, at_leisure, careful) in [
            (Arithmetic::ConsoleFast, false, 128),
            (Arithmetic::ConsoleExact, false, 64),
            (Arithmetic::ConsoleFast, true, 384),
            (Arithmetic::ConsoleExact, true, 160),
        ] {
            for count in [64, 65, 128, 129, 160, 161, 320, 321, 384, 385] {
                let expected = match count {
                    _ if count <= careful => Careful,
                    ..=320 => QuickFirst,
                    _ => Quick,
                };
                assert_eq!(care(&nops(count), arithmetic, at_leisure), expected, "{count} {arithmetic:?}");
            }
        }
        assert_eq!(care(&(exponents(40) + "end"), Arithmetic::ConsoleFast, false), QuickFirst);
    }

    /// Rounds of exponents are too heavy to come in a row. Those of products with uniforms by `a0` need a larger frame than a
    /// routine may have, 480 words in exact code. Once the careful allocator made it smaller, in up to a second.
    #[test]
    fn loops_whose_rounds_need_a_large_frame_are_counted() {
        let counts = |body: &str, arithmetic| {
            let words = body.lines().count();
            let lines = format!("mov r0, v0\nfor i0, {}\n{body}mov o0, r0\nend", 1 + words);
            code(&lines, arithmetic).expect("code").length.counts
        };
        let exponents = [20, 110].map(exponents);
        assert_eq!(exponents.map(|body| counts(&body, Arithmetic::Binary32Fast)), [false, true]);
        let products = "mova a0.x, r0\ndp4 r0, c1[a0.x], r0\n".repeat(60);
        let both = [Arithmetic::ConsoleFast, Arithmetic::ConsoleExact];
        assert_eq!(both.map(|arithmetic| counts(&products, arithmetic)), [false, true]);
    }

    #[test]
    fn rows_of_words_that_need_a_large_frame_are_refused() {
        let lines = |words: usize| format!("mov r0, v0\n{}mov o0, r0\nend", exponents(words));
        let code = |words| code(&lines(words), Arithmetic::Binary32Fast);
        assert!(code(78).is_ok(), "the account takes it for fast");
        let refused = code(440);
        assert!(matches!(refused, Err(CompileError::LargeFrame { .. })), "{refused:?}");
    }

    /// A program of so many words, whose temporary registers all live to its end.
    fn words(count: usize, temporaries: usize) -> String {
        let starts = (0..temporaries).map(|to| format!("mov r{to}, v{to}\n"));
        let body = (0..count - 2 * temporaries - 2).map(|word| {
            let (to, from, uniform) = (word % temporaries, (word + 1) % temporaries, word % 96);
            match word / temporaries % 4 {
                0 => format!("mad r{to}, r{from}, c{uniform}, r{to}\n"),
                1 => format!("dp4 r{to}, c{uniform}, r{from}\n"),
                2 => format!("max r{to}, r{to}, r{from}\n"),
                _ => format!("add r{to}, r{to}, r{from}\n"),
            }
        });
        let sums = (0..temporaries).map(|from| format!("add r0, r0, r{from}\n"));
        starts.chain(body).chain(sums).collect::<String>() + "mov o0, r0\nend"
    }

    /// What either allocator takes.
    #[test]
    #[ignore = "measures"]
    fn compile_times_by_length() {
        let mut compiler = compiler_with(MappingScheme::default(), 8 << 20);
        let mut time = |spec: &VertexSpec<'_>, quick: bool| {
            let graph = vertex::unfold(spec, Loops::Unrolled).expect("small");
            compiler.allocate_quickly(quick).expect("a known allocator");
            let start = Instant::now();
            let code = compiler.define("test", |func, context, isa| {
                vertex::build(spec, &graph, func, context, isa);
                Ok(())
            });
            code.expect("small enough a frame");
            start.elapsed()
        };
        for count in [64, 128, 192, 320, 448] {
            let arithmetics = [Arithmetic::Binary32Fast, Arithmetic::ConsoleFast, Arithmetic::ConsoleExact];
            for arithmetic in arithmetics {
                for quick in [true, false] {
                    let times = [4, 8, 16].map(|temporaries| {
                        let lines = words(count, temporaries);
                        assert_eq!(lines.lines().count(), count);
                        let program = program(UnitKind::Vertex, &lines);
                        let spec = spec(&program, arithmetic);
                        (0..5).map(|_| time(&spec, quick)).fold(Duration::MAX, Duration::min)
                    });
                    println!("{count} words, {arithmetic:?}, one pass {quick}: {times:.1?}");
                }
            }
        }
    }
}
