//! Geometry runs: registers that persist, banks, `b15`, on compiled code and on the interpreter.

use crate::common::{blocking, compiled_only, program};
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, Served};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::NoMemory;
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
            memory: &NoMemory,
        };
        stage.run_geometry(&mut run, &mut self.emitted, &mut self.faults);
    }

    fn batch(
        &mut self,
        stage: &mut dyn ShaderStage,
        program: &Program,
        precision: Precision,
        instruction_budget: u32,
        (inputs, each, destination): (&[Vec4], NonZeroUsize, GeometryInputs),
    ) {
        let run = GeometryRun {
            program,
            entry: 0,
            uniforms: &mut self.uniforms,
            unit: &mut self.unit,
            output_mask: 0b1011,
            precision,
            instruction_budget,
            memory: &NoMemory,
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
            "{:x?}\n{:x?}\n{:x?}\n{:x?}\n{:?} {:?} {} {} {:?} {:x}\n{:?}\n{:x?}",
            bits(&[2, 3, 95].map(|n| self.uniforms.float(n, Precision::Binary32))),
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

/// Programs whose runs can go side by side: nothing that a run writes is read by the next one.
const SIDE_BY_SIDE: [&str; 8] = [
    // Four emissions; a register that no run writes, one that remains.
    "setemit 0\nadd r0, c1, v0\nmov o0, r0\nmov o1, r9\nmov o3, v1\nemit\nsetemit 2, prim\nmul o0, c2, r0\n\
     mov o1, v1\nmov o3, -v0\nemit\nsetemit 1, prim inv\nmov o0, v1\nmov o1, v0\nmad o3, r0, c3, v1\nemit\n\
     mov o0, c4\nmov o1, c5\nmov o3, r0\nemit\nmov r1.yz, v0\nend",
    // One emission: banks alternate from run to run.
    "mul o0, c1, v0\nmov o1, v1\nmov o3, c3\nemit\nend",
    // Three emissions, one of them of what was written two before, and outputs that nothing packs.
    "mov o0, v0\nmov o1, v1\nmov o3, v0\nemit\nmov o0, v1\nmov o1, c1\nmov o3, c2\nmov o2.y, v0\nemit\nemit\n\
     mov o1.x, v0\nend",
    // Loops, unrolled and counted, with aL.
    "mov r0, v0\nfor i0, 6\nadd r0, c1[aL], r0\nmov o0, r0\nmov o1, v1\nmov o3, c0[aL]\nemit\nend",
    "mov r0, v0\nfor i1, 6\nadd r0, c1, r0\nmul o0, c2, r0\nmov o1, v1\nmov o3, c0[aL]\nemit\nend",
    // Flags and addresses that remain, relative uniforms.
    "mova a0.xy, v0\ncmp v0, gt, le, v1.y\nslt r2, v0, v1\nmov o0, c3[a0.x]\nmov o1, c3[a0.y]\nmov o3, r2\nemit\nend",
    // Every rare case of the arithmetic.
    "rcp r0, v0.z\nrsq r1, v1.y\nmul r2, v1, v0\nmin r3, v0.w, r0\nmax r4, c2, v0\nex2 r5, v1.x\nlg2 r6, v0\n\
     flr r7, v1\nadd o0, r0, r1\nmad o1, r2, c1, r3\nmul o3, r5, r6\nemit\nmov o0, r4\nmov o1, r7\ndp4 o3, v0, v1\nemit\nend",
    // No emission.
    "add r0, c1, v0\nmul r1.xz, r0, v1\nlitp r3, v1\nend",
];

/// Batches of one to nine runs equal runs one by one; some with ordinary numbers, some without.
#[test]
fn runs_side_by_side_equal_runs_one_by_one() {
    let mut engine = compiled_only();
    let each = NonZeroUsize::new(2).expect("two inputs");
    let input = |n: usize| match n % 5 {
        0 => [n as f32, 2.0, -0.5, -0.0],
        1 => [1.0, n as f32 - 3.0, -0.25, 0.125],
        2 => [-3.0, 0.0, 100.0, n as f32 * 0.5],
        3 => [0.75, -2.0, 3.0, -6.0],
        _ => [n as f32 - 9.0, 1.5, 0.0, 7.0],
    };
    let ordinary: Vec<Vec4> = (0..18).map(input).collect();
    let mut one_odd = ordinary.clone();
    one_odd[7] = [f32::INFINITY, 1e20, f32::from_bits(0x7fc1_2345), -1e-20];
    let destinations =
        [GeometryInputs::Registers(0x10), GeometryInputs::Registers(0x11), GeometryInputs::Uniforms(2)];
    for (lines, inputs) in SIDE_BY_SIDE.iter().flat_map(|lines| [(lines, &ordinary), (lines, &one_odd)]) {
        let program = program(UnitKind::Geometry, lines);
        for (destination, precision) in
            destinations.into_iter().flat_map(|to| [(to, Precision::Console), (to, Precision::Binary32)])
        {
            let mut expected = State::new();
            expected.unit.bank = 1;
            expected.unit.r[9] = [0.5, -7.0, 3.0, 9.0];
            expected.unit.o = [[[11.0; 4]; 16], [[12.0; 4]; 16]];
            let start = expected.clone();
            for runs in 1..=9 {
                let batch = |inputs| (inputs, each, destination);
                let last = &inputs[2 * runs - 2..2 * runs];
                expected.batch(&mut Interpreter::new(), &program, precision, 65_536, batch(last));
                let mut actual = start.clone();
                actual.batch(&mut engine, &program, precision, 65_536, batch(&inputs[..2 * runs]));
                assert_eq!(engine.last_run().served, Served::Compiled, "{lines}");
                assert_eq!(
                    actual.text(),
                    expected.text(),
                    "{runs} runs, {destination:?}, {precision:?}\n{lines}"
                );
            }
        }
    }
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
    for (lines, destination) in
        PROGRAMS.iter().chain(&SIDE_BY_SIDE).flat_map(|lines| destinations.map(|to| (lines, to)))
    {
        let program = program(UnitKind::Geometry, lines);
        for budget in [11, 13, 65_536] {
            let (mut expected, mut actual) = (State::new(), State::new());
            for inputs in inputs.chunks(2) {
                let batch = (inputs, each, destination);
                expected.batch(&mut Interpreter::new(), &program, Precision::Console, budget, batch);
            }
            let batch = (&inputs[..], each, destination);
            actual.batch(&mut blocking(), &program, Precision::Console, budget, batch);
            assert_eq!(actual.text(), expected.text(), "{destination:?}, {budget}\n{lines}");
        }
    }
}
