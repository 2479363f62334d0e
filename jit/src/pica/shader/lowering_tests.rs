//! Every lowering compiles for every target, and a few small routines as CLIF.
//!
//! The snapshots lie in `snapshots/`. A change of the generator that changes them on purpose is accepted with
//! `cargo insta accept`, or by running the tests with `INSTA_UPDATE=always`; read the difference first.

use super::geometry::{self, GeometrySpec};
use super::graph::{Graph, Loops};
use super::vertex::{self, VertexSpec};
use crate::code::targets;
use crate::emit::pica::layout::{InputKey, RunInputs};
use crate::emit::pica::number::Arithmetic;
use crate::error::CompileError;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::vertex::{OutputForm, OutputMap};

const ARITHMETICS: [Arithmetic; 4] =
    [Arithmetic::Binary32Fast, Arithmetic::Binary32Exact, Arithmetic::ConsoleFast, Arithmetic::ConsoleExact];

/// `i0` is unrolled; `i1` has too many rounds for that where the body has a few words.
const INTS: [[u8; 4]; 4] = [[2, 1, 3, 0], [255, 0, 1, 0], [1, 0, 0, 0], [0; 4]];

/// Every opcode of a vertex program, as it stands in `lines`.
const ARITHMETIC_LINES: &str = "add r0, c0, v0\ndp3 r1, c1, r0\ndp4 r2.xy, v1, r1\ndph r3, c2, r0\ndphi r3.y, r0, c3\n\
    dst r4, c4, r3\ndsti r5, r4, c5\nex2 r6, r5.y\nlg2 r7, v2\nlitp r8, r7\nmul r9, c6, r8\nsge r10, v3, r9\n\
    sgei r10.w, r9, c7\nslt r11, c8, r10\nslti r11.x, r10, c9\nflr r12, r11\nmax r13, -r12, r11\nmin r14, c10, -r13\n\
    rcp r15, r14.z\nrsq r0.y, r15\nmova a0.xy, r0\nmov r1, c11[a0.x]\nmad r2, r1, c12[a0.y], -r3\n\
    madi r3, r2, r1, c13[aL]\ncmp r3, eq, ne, r2\ncmp r3.y, le, ge, v1\nmov o0, r0\nmov o1, r1\nmov o2, r3\n\
    add o3, c14, r14\nnop\nend";

/// Programs with a name each: together all opcodes, and all shapes of control flow.
const PROGRAMS: [(&str, &str); 9] = [
    ("arithmetic", ARITHMETIC_LINES),
    (
        "branch",
        "cmp v0, gt, lt, v1\nifc cmp.x && !cmp.y, 4, 1\nmov o0, c0\nmov r0, v1\nmov o0, v0\nmov o1, r0\nend",
    ),
    ("unrolled", "for i0, 3\nmad r0, v0, c1[aL], r0\nbreakc cmp.x\ncmp r0, ge, ge, v1\nmov o0, r0\nend"),
    (
        "counted",
        "for i1, 7\nmova a0.x, r0\nadd r0, c2[a0.x], r0\nmul r1, c1[aL], r0\ncmp r0, ge, ge, v1\nbreakc cmp.y\n\
         nop\nnop\nmov o0, r0\nmov o1, r1\nend",
    ),
    (
        "nested",
        "for i1, 4\nfor i0, 3\nadd r0, c0[aL], r0\nbreakc !cmp.x\nadd r1, c1[aL], r1\nmov o0, r0\nmov o1, r1\nend",
    ),
    (
        "calls",
        "callc cmp.x, 5, 2\ncallu b0, 6, 1\ncall 5, 2\nmov o0, r0\nend\nadd r0, c0, v0\nrcp r0, r0\nend",
    ),
    (
        "jumps",
        "add r0, c0, r0\ncmp r0, lt, lt, v0\njmpc cmp.x || cmp.y, 0\njmpu !b0, 5\nmov o1, v0\nmov o0, r0\nend",
    ),
    ("faults", "break\nbreakc cmp.x\nmov o0, v0\nend"),
    ("colours", "mul o0, c0, v0\nmax o1, c1, v1\nmov o2, -v2\nend"),
];

/// What only geometry programs do, on top of the vertex programs.
const GEOMETRY_PROGRAMS: [(&str, &str); 3] = [
    ("emit", "setemit 1, prim inv\nmov o0, v0\nemit\nsetemit 2\nadd o1.xz, c0, r0\nemit\nend"),
    ("emit in a loop", "for i1, 4\nadd r0, c1[aL], r0\ncmp r0, gt, gt, v0\nmov o0, r0\nemit\nend"),
    ("b15", "ifu b15, 3, 1\nmova a0.xy, v0\nmov r0, c0[a0.y]\nmov r1, v0\ncallu b15, 5, 1\nend"),
];

pub(super) fn program(kind: UnitKind, lines: &str) -> Program {
    let text = format!(".raw\n.proc main\n{lines}\n.end\n");
    let shbin = assemble(&[SourceFile::new("test.pica", text)], Options::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{lines}"));
    let descriptors: Vec<u32> = shbin.program.descriptors.iter().map(|&[word, _]| word).collect();
    Program::from_words(kind, &shbin.program.code, &descriptors)
}

fn array(element: ElementType, components: u8) -> InputKey {
    InputKey::Array { element, components, stride_of: 0 }
}

/// `v0`, `v1`, `v2` of one format, `v3` fixed, the rest absent.
fn inputs(element: ElementType, components: u8) -> [InputKey; 16] {
    let mut keys = [InputKey::Absent; 16];
    keys[..3].fill(array(element, components));
    keys[3] = InputKey::Fixed;
    keys
}

fn records() -> OutputForm {
    OutputForm::Records { mask: 0xf, slots: 5 }
}

fn mapped() -> OutputForm {
    let mut slots = [0x1f1f_1f1f; 7];
    slots[..3].copy_from_slice(&[0x0302_0100, 0x0b0a_0908, 0x0d0c_1716]);
    OutputForm::Mapped(OutputMap { mask: 0b101, total: 3, slots })
}

/// A vertex program with what its routine is specialised on.
fn with_spec<R>(
    lines: &str,
    inputs: &[InputKey; 16],
    output: &OutputForm,
    arithmetic: Arithmetic,
    then: impl FnOnce(&VertexSpec<'_>, &Graph) -> R,
) -> R {
    let program = program(UnitKind::Vertex, lines);
    let spec = VertexSpec { program: &program, entry: 0, bools: 0, ints: &INTS, inputs, output, arithmetic };
    let graph = vertex::unfold(&spec, Loops::Unrolled).unwrap_or_else(|error| panic!("{error}: {lines}"));
    then(&spec, &graph)
}

/// Compiles a vertex program for all targets.
fn compile_vertex(
    name: &str,
    lines: &str,
    inputs: &[InputKey; 16],
    output: &OutputForm,
    arithmetic: Arithmetic,
) {
    with_spec(lines, inputs, output, arithmetic, |spec, graph| {
        for (target, isa) in targets::all() {
            // Scaled numbers need a mode that x86-64 alone has; elsewhere the engine asks for exact code.
            if arithmetic == Arithmetic::ConsoleFast && !target.starts_with("x86-64") {
                continue;
            }
            let code = targets::compile_only(&*isa, |func, context, isa| {
                vertex::build(spec, graph, func, context, isa);
                Ok(())
            });
            check(&format!("{name}, {arithmetic:?}, {inputs:?}, {target}"), &code);
        }
    });
}

fn check(name: &str, code: &Result<Vec<u8>, CompileError>) {
    match code {
        Ok(code) => assert!(code.len() > 40, "{name}: {} bytes", code.len()),
        Err(error) => panic!("{name}: {error}"),
    }
}

#[test]
fn the_programs_have_every_opcode() {
    use picaflor_pipeline::pica::shader::ops::Opcode;
    let mut seen: Vec<Opcode> = Vec::new();
    for (_, lines) in PROGRAMS.iter().chain(&GEOMETRY_PROGRAMS) {
        let program = program(UnitKind::Geometry, lines);
        let len = program.code().iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        seen.extend(program.code()[..len].iter().map(|&word| Opcode::of(word)));
    }
    for code in 0..64 {
        let op = Opcode::of(code << 26);
        assert!(op == Opcode::Undefined || seen.contains(&op), "{op:?}");
    }
}

#[test]
fn vertex_programs_compile_for_every_target() {
    let inputs = inputs(ElementType::F32, 4);
    for (name, lines) in PROGRAMS {
        for arithmetic in ARITHMETICS {
            compile_vertex(name, lines, &inputs, &records(), arithmetic);
        }
    }
}

#[test]
fn outputs_with_colours_compile_for_every_target() {
    for arithmetic in ARITHMETICS {
        compile_vertex("colours", PROGRAMS[8].1, &inputs(ElementType::F32, 3), &mapped(), arithmetic);
    }
}

#[test]
fn every_input_format_compiles_for_every_target() {
    for element in [ElementType::I8, ElementType::U8, ElementType::I16, ElementType::F32] {
        for components in 1..=4 {
            let inputs = inputs(element, components);
            let lines = "mul r0, v0, v1\nadd o0, v3, r0\nmov o1, v2\nend";
            for arithmetic in ARITHMETICS {
                compile_vertex("formats", lines, &inputs, &records(), arithmetic);
            }
        }
    }
}

#[test]
fn geometry_programs_compile_for_every_target() {
    for (name, lines) in PROGRAMS.into_iter().chain(GEOMETRY_PROGRAMS) {
        let program = program(UnitKind::Geometry, lines);
        let forms = [RunInputs::Unit, RunInputs::Registers { loaded: 5 }];
        for (arithmetic, inputs) in ARITHMETICS.into_iter().flat_map(|one| forms.map(|form| (one, form))) {
            let spec = GeometrySpec {
                program: &program,
                entry: 0,
                bools: 0,
                ints: &INTS,
                output_mask: 0b1001,
                inputs,
                arithmetic,
            };
            let graph =
                geometry::unfold(&spec, Loops::Unrolled).unwrap_or_else(|error| panic!("{name}: {error}"));
            for (target, isa) in targets::all() {
                let code = targets::compile_only(&*isa, |func, context, isa| {
                    geometry::build(&spec, &graph, func, context, isa);
                    Ok(())
                });
                check(&format!("{name}, {arithmetic:?}, {target}"), &code);
            }
        }
    }
}

/// The CLIF of a vertex routine.
fn clif(lines: &str, inputs: &[InputKey; 16], output: &OutputForm, arithmetic: Arithmetic) -> String {
    with_spec(lines, inputs, output, arithmetic, |spec, graph| {
        targets::clif(|func, context, isa| {
            vertex::build(spec, graph, func, context, isa);
        })
    })
}

/// One component of one attribute and of one output.
fn small(lines: &str, arithmetic: Arithmetic) -> String {
    let mut inputs = [InputKey::Absent; 16];
    inputs[0] = array(ElementType::F32, 1);
    let output = OutputForm::Mapped(OutputMap { mask: 1, total: 1, slots: [0x1f1f_1f00; 7] });
    clif(lines, &inputs, &output, arithmetic)
}

/// What most of a program is, in each arithmetic.
#[test]
fn snapshots_of_arithmetic() {
    let lines = "mad r0.x, v0, c0, v0\ndp3 r0.x, r0.x, r0.x\nrsq r0.x, r0\nmov o0.x, r0\nend";
    insta::assert_snapshot!("binary32_fast", small(lines, Arithmetic::Binary32Fast));
    insta::assert_snapshot!("binary32_exact", small(lines, Arithmetic::Binary32Exact));
    insta::assert_snapshot!("console_fast", small(lines, Arithmetic::ConsoleFast));
    insta::assert_snapshot!("console_exact", small(lines, Arithmetic::ConsoleExact));
}

#[test]
fn a_snapshot_of_a_recipe() {
    let lines = "ex2 r0.x, v0\nlg2 o0.x, r0\nend";
    insta::assert_snapshot!("ex2_lg2_binary32", small(lines, Arithmetic::Binary32Fast));
}

/// Each shape of control flow, with as little else as possible.
#[test]
fn snapshots_of_control_flow() {
    let of = |lines| small(lines, Arithmetic::Binary32Fast);
    insta::assert_snapshot!("straight", of("mov o0.x, v0\nend"));
    insta::assert_snapshot!(
        "branch",
        of("cmp v0, gt, gt, v0\nifc cmp.x, 3, 1\nmov o0.x, c0\nmov o0.x, v0\nend")
    );
    insta::assert_snapshot!("unrolled", of("for i0, 1\nadd r0.x, c0[aL], r0\nmov o0.x, r0\nend"));
    insta::assert_snapshot!(
        "counted",
        of("for i1, 5\nadd r0.x, c0[aL], r0\ncmp r0, gt, gt, v0\nbreakc cmp.x\nnop\nnop\nmov o0.x, r0\nend")
    );
    insta::assert_snapshot!("call", of("callc cmp.x, 3, 1\nmov o0.x, r0\nend\nmov r0.x, v0\nend"));
    insta::assert_snapshot!(
        "back",
        of("add r0.x, c0, r0\ncmp r0, lt, lt, v0\njmpc cmp.x, 0\nmov o0.x, r0\nend")
    );
}

/// Bytes of three attributes, one of them relative to `a0`, and a colour.
#[test]
fn a_snapshot_of_fetch_and_output() {
    let inputs = inputs(ElementType::U8, 2);
    let lines = "mova a0.x, v0\nmov o0.xy, v1\nmov o2.x, c4[a0.x]\nend";
    insta::assert_snapshot!("fetch", clif(lines, &inputs, &mapped(), Arithmetic::Binary32Fast));
}
