//! Geometry programs: one run at a time, in lane 0, with registers that persist.
//!
//! Arithmetic is exact, so that nothing has to run again: a run changes the unit. `r` and `o` live in memory:
//! there is one lane, so a node can load and store without masks, and `EMIT` packs `o` and turns the bank.
//! The rest lives in values and goes back to memory where the program ends.

use super::fetch::{INPUT_LIMIT, Inputs};
use super::flow::{Flow, Unit, al_in_lanes};
use super::graph::{Action, Graph, Uniform};
use super::lower::{Context, Lowering};
use super::places::{self, A0, CMP, Liveness, OUTPUTS, Places};
use super::vertex::{UNIFORM_LIMIT, declare_variables};
use crate::code::pica::facts::GeometryFacts;
use crate::emit::lanes::{I32s, Mask, Scalar};
use crate::emit::pica::layout::geometry as layout;
use crate::emit::pica::number::{Arithmetic, Numbers};
use crate::emit::routine::{close_routine, open_routine};
use crate::error::CompileError;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::Program;

/// `b15`, which the hardware sets after each run: not part of the key.
const VARIABLE_BOOLS: u16 = 0x8000;

/// Complete specialisation of a geometry routine.
#[derive(Clone, Copy)]
pub(crate) struct GeometrySpec<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: u16,
    pub(crate) bools: u16,
    pub(crate) ints: &'a [[u8; 4]; 4],
    pub(crate) arithmetic: Arithmetic,
}

/// The graph of a program.
pub(crate) fn unfold(spec: &GeometrySpec<'_>) -> Result<Graph, CompileError> {
    let uniform =
        Uniform { bools: spec.bools, variable_bools: VARIABLE_BOOLS, ints: spec.ints, al_is_zero: false };
    Graph::new(spec.program, spec.entry, uniform)
}

/// Emits the routine.
pub(crate) fn build(
    spec: &GeometrySpec<'_>,
    graph: &Graph,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) -> GeometryFacts {
    let (mut l, call) = open_routine(func, context, isa);
    let mut variables = declare_variables(&mut l, &Places::default());
    variables.memory = Some(l.load_pointer(call, layout::R));
    let [splats, rows] = [layout::SPLAT_TABLE, layout::ROW_TABLE].map(|at| l.load_pointer(call, at));
    let inputs = Inputs::registers(l.load_pointer(call, layout::V));
    let numbers = Numbers::new(l, spec.arithmetic, splats, splats, UNIFORM_LIMIT, INPUT_LIMIT);
    let lowering_context = Context { program: spec.program, geometry: true };
    let mut lowering = Lowering::new(numbers, lowering_context, variables, inputs, [rows, rows]);
    emit(&mut lowering, spec, graph, call);
    let Numbers { l, uses, .. } = lowering.n;
    close_routine(l, isa);
    GeometryFacts { length: graph.length(), uses }
}

fn emit(lowering: &mut Lowering<'_, '_>, spec: &GeometrySpec<'_>, graph: &Graph, call: Scalar) {
    let (mut results, mut outputs) = (Places::default(), Places::default());
    (0..OUTPUTS).chain(CMP..A0 + 2).for_each(|place| results.insert(place));
    (OUTPUTS..CMP).for_each(|place| outputs.insert(place));
    let liveness = Liveness::new(graph, spec.program, &results, outputs);
    load_unit(lowering, call);
    let lane = lowering.n.l.first_lane();
    let budget = graph.cyclic.then(|| lowering.n.l.load_pointer(call, layout::BUDGET));
    let mut flow = Flow::begin(lowering, graph, &liveness, Some(lane), budget);
    let mut unit = GeometryUnit { graph, call };
    let flags = flow.emit(lowering, &mut unit);
    let l = &mut lowering.n.l;
    l.store_lane0(I32s(flags.0), call, layout::FLAGGED);
    l.ret();
}

/// `cmp`, `a0` and `aL` into variables.
fn load_unit(lowering: &mut Lowering<'_, '_>, call: Scalar) {
    let l = &mut lowering.n.l;
    let variables = &lowering.variables;
    for i in 0..2 {
        let cmp = l.load_lane0(call, layout::CMP + i as i32 * 4);
        l.set_int(variables.cmp[i], cmp);
        let a0 = l.load_lane0(call, layout::A0 + i as i32 * 4);
        l.set_int(variables.a0[i], a0);
    }
    let al = l.load_lane0(call, layout::AL);
    l.set_int(variables.al, al);
    let none = l.int(0);
    for &variable in variables.left.iter().chain(&variables.saved) {
        l.set_int(variable, none);
    }
}

struct GeometryUnit<'g> {
    graph: &'g Graph,
    call: Scalar,
}

impl Unit for GeometryUnit<'_> {
    fn after_word(&mut self, lowering: &mut Lowering<'_, '_>, node: usize, at: usize) {
        let Action::Word(step) = self.graph.nodes[node].actions[at] else { return };
        match step.word.opcode() {
            Opcode::SetEmit => self.set_emit(lowering, step.word),
            Opcode::Emit => self.emit(lowering),
            op if places::is_arithmetic(op) => self.store_output(lowering, &step),
            _ => {}
        }
    }

    /// Stores all registers except temporaries to memory.
    fn at_end(&mut self, lowering: &mut Lowering<'_, '_>, node: usize) -> bool {
        for i in 0..2 {
            let flag = I32s(lowering.flag(i).0);
            lowering.n.l.store_lane0(flag, self.call, layout::CMP + i as i32 * 4);
            let address = lowering.address(i);
            lowering.n.l.store_lane0(address, self.call, layout::A0 + i as i32 * 4);
        }
        let al = al_in_lanes(lowering, self.graph.nodes[node].al);
        lowering.n.l.store_lane0(al, self.call, layout::AL);
        false
    }

    fn bool(&mut self, lowering: &mut Lowering<'_, '_>, _: u8) -> Mask {
        // Only b15 is variable. Lane 0 is the only lane.
        Mask(lowering.n.l.load_lane0(self.call, layout::B15).0)
    }
}

impl GeometryUnit<'_> {
    fn set_emit(
        &self,
        lowering: &mut Lowering<'_, '_>,
        word: picaflor_pipeline::pica::shader::instr::Instruction,
    ) {
        let fields =
            [i64::from(word.emit_id()), i64::from(word.emit_primitive()), i64::from(word.emit_winding())];
        for (i, field) in fields.into_iter().enumerate() {
            let field = lowering.n.l.scalar(field);
            lowering.n.l.store_u32(field, self.call, layout::LATCH + i as i32 * 4);
        }
    }

    /// Emits the call of the host, which packs the outputs and switches the bank.
    fn emit(&self, lowering: &mut Lowering<'_, '_>) {
        let l = &mut lowering.n.l;
        let host = l.load_pointer(self.call, layout::EMIT);
        l.call_host(host, self.call);
    }

    /// Components of `o` that the word wrote go to the current bank.
    fn store_output(&self, lowering: &mut Lowering<'_, '_>, step: &super::graph::Step) {
        let first = places::destination_place(step.word.destination());
        if first < OUTPUTS {
            return;
        }
        let descriptor = lowering.descriptor(step);
        let bank = lowering.n.l.load_pointer(self.call, layout::BANK_POINTER);
        for i in (0..4).filter(|&i| descriptor.writes(i)) {
            let operand = lowering.register(first + i);
            let value = lowering.n.bits_of(operand);
            let lane = lowering.n.l.as_ints(value);
            lowering.n.l.store_lane0(lane, bank, ((first - OUTPUTS + i) * 4) as i32);
        }
    }
}
