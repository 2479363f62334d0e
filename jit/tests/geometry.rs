//! Geometry runs: registers that persist, banks, `b15`, on compiled code and on the interpreter.

use crate::common::{blocking, compiled_only, program};
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, Served};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};
use picaflor_pipeline::pica::stage::{Emission, GeometryBatch, GeometryInputs, GeometryRun, ShaderStage};
use std::num::NonZeroUsize;

/// What persists from run to run, and all that was emitted.
#[derive(Debug, Clone, Default)]
struct State {
    uniforms: Uniforms,
    unit: ShaderUnit,
    emitted: Vec<Emission>,
    faults: FaultList,
}

impl State {
    fn new() -> Self {
        let mut state = Self::default();
        for n in 0..96 {
            let value = [0.5, n as f32, -1.0, 2.0];
            state.uniforms.set_float_f32(n, value.map(f32::to_bits));
        }
        state.uniforms.set_int(0, [2, 1, 3, 0]);
        state.uniforms.set_int(1, [200, 0, 1, 0]);
        state
    }

    fn run(&mut self, stage: &mut dyn ShaderStage, program: &Program, precision: Precision, budget: u32) {
        let mut run = GeometryRun {
            program,
            entry: 0,
            uniforms: &mut self.uniforms,
            unit: &mut self.unit,
            output_mask: 0b1011,
            precision,
            instruction_budget: budget,
        };
        stage.run_geometry(&mut run, &mut self.emitted, &mut self.faults);
    }

    fn batch(
        &mut self,
        stage: &mut dyn ShaderStage,
        program: &Program,
        instruction_budget: u32,
        (inputs, each, destination): (&[Vec4], NonZeroUsize, GeometryInputs),
    ) {
        let run = GeometryRun {
            program,
            entry: 0,
            uniforms: &mut self.uniforms,
            unit: &mut self.unit,
            output_mask: 0b1011,
            precision: Precision::Console,
            instruction_budget,
        };
        let mut batch = GeometryBatch { run, inputs, each, destination };
        stage.run_geometry_batch(&mut batch, &mut self.emitted, &mut self.faults);
    }

    /// Everything, with floats by their bits.
    fn text(&self) -> String {
        let bits = |values: &[[f32; 4]]| values.iter().map(|v| v.map(f32::to_bits)).collect::<Vec<_>>();
        let unit = &self.unit;
        let emitted: Vec<_> = self.emitted.iter().map(|e| (e.latch, bits(&e.record))).collect();
        format!(
            "{:x?}\n{:x?}\n{:x?}\n{:?} {:?} {} {} {:?} {:x}\n{:?}\n{:x?}",
            bits(&unit.v),
            bits(&unit.r),
            unit.o.map(|bank| bits(&bank)),
            unit.cmp,
            unit.a0,
            unit.al,
            unit.bank,
            unit.latch,
            self.uniforms.bools(),
            self.faults,
            emitted,
        )
    }
}

/// Runs a program several times with changing inputs, on both.
fn check(engine: &mut Engine, lines: &str, budget: u32) {
    let program = program(UnitKind::Geometry, lines);
    for precision in [Precision::Console, Precision::Binary32] {
        let (mut expected, mut actual) = (State::new(), State::new());
        let mut interpreter = Interpreter::new();
        for run in 0..5 {
            for state in [&mut expected, &mut actual] {
                state.unit.v[0] = [run as f32, 2.0, f32::from_bits(0x8000_0000), f32::NAN];
                state.unit.v[1] = [1e20, -3.0, f32::INFINITY, 0.25];
            }
            expected.run(&mut interpreter, &program, precision, budget);
            actual.run(engine, &program, precision, budget);
            assert_eq!(actual.text(), expected.text(), "run {run}, {precision:?}, {budget}\n{lines}");
        }
    }
}

const PROGRAMS: [&str; 7] = [
    // Temporaries, flags and addresses of the run before.
    "add r0, c1, r0\nmov o0, r0\nmov o1, c3[a0.x]\nmova a0.xy, r0.xy\nifc cmp.x, 7, 0\nmov o3, c5\n\
     cmp r0.x, gt, le, v0.y\nsetemit 1, prim inv\nemit\nend",
    // aL of the run before, and what a loop leaves.
    "mov r0, c4[aL]\nmov o0, r0\nsetemit 0\nemit\nfor i0, 7\nadd r1.x, c1, r1\nmov o1, r1\nemit\nend",
    // Too many rounds to unroll.
    "for i1, 3\nadd r1, c1, r1\ncmp r1.y, gt, gt, v0.x\nnop\nmov o0, r1\nmov o3, c0[aL]\nemit\nend",
    // b15 tells the first run from the others.
    "ifu b15, 3, 2\nmov r5, v0\nmul o0, c2, r5\nadd r5, c3, r5\nmov o1, r5\nmov o0, c9\nemit\nsetemit 2, prim\nemit\nend",
    // Outputs that are only partly written go to alternating banks.
    "mov o0.x, v0\nemit\nmov o0.y, v0\nmov o3.zw, v1\nemit\nmov o0.z, -v0\nend",
    // Every rare case of the arithmetic.
    "rcp o0, v0.z\nrsq o1.x, v1.y\nmul o1.y, v1, r9\nmin o1.z, v0.w, r9\nmax r9, c2, v0\nex2 o3, v1.x\nlg2 r8, v0\nemit\nend",
    // Stacks with entries left over.
    "callc cmp.x, 4, 2\nmov o0, r0\nemit\nend\nadd r0, c1, r0\ncmp r0.y, lt, ge, v0.x\nend",
];

#[test]
fn registers_persist_as_in_the_interpreter() {
    let mut engine = compiled_only();
    for lines in PROGRAMS {
        check(&mut engine, lines, 65_536);
        assert_eq!(engine.last_run().served, Served::Compiled, "{lines}");
    }
}

#[test]
fn a_run_that_the_budget_ends_is_done_over_by_the_interpreter() {
    let mut engine = blocking();
    for lines in PROGRAMS {
        for budget in [0, 1, 5, 8, 9, 10, 11, 13, 50] {
            check(&mut engine, lines, budget);
        }
    }
}

#[test]
fn a_fault_restores_the_unit_before_the_interpreter_runs() {
    let mut engine = blocking();
    check(&mut engine, "add r0, c1, r0\nmov o0, r0\nemit\nbreak\nmov o1, r0\nemit\nend", 65_536);
    assert!(matches!(engine.last_run().served, Served::Interpreter(_)));
}

/// A batch equals its runs one by one, wherever the inputs go, and wherever the interpreter takes over.
#[test]
fn batches_equal_single_runs() {
    let mut inputs = Vec::new();
    for n in 0..7_u8 {
        inputs.extend([[f32::from(n), 2.0, -0.5, 1.0], [1e20, f32::from(n) - 3.0, f32::INFINITY, 0.25]]);
    }
    let destinations =
        [GeometryInputs::Registers(0x10), GeometryInputs::Uniforms(2), GeometryInputs::Uniforms(95)];
    let each = NonZeroUsize::new(2).expect("two inputs");
    for (lines, destination) in PROGRAMS.iter().flat_map(|lines| destinations.map(|to| (lines, to))) {
        let program = program(UnitKind::Geometry, lines);
        for budget in [11, 13, 65_536] {
            let (mut expected, mut actual) = (State::new(), State::new());
            for inputs in inputs.chunks(2) {
                expected.batch(&mut Interpreter::new(), &program, budget, (inputs, each, destination));
            }
            actual.batch(&mut blocking(), &program, budget, (&inputs, each, destination));
            assert_eq!(actual.text(), expected.text(), "{destination:?}, {budget}\n{lines}");
        }
    }
}
