//! Geometry programs, in one of two forms.
//!
//! *One run* at a time, in lane 0: the registers of the unit persist from run to run (pica-shader.md 1.5). What a run may read
//! before it writes it is loaded, and what it writes is stored where it ends, unless it was flagged. *Side by side*: four
//! runs of a batch in four lanes, if [`path`] finds that no run can see what the one before left. Only the last run's
//! registers are stored then.
//!
//! [`unit`](mod@unit) writes emissions where the host wants them, and keeps the two banks of `o`.

mod path;
mod unit;

use self::path::Path;
use self::unit::GeometryUnit;
use super::fetch::{INPUT_LIMIT, Inputs};
use super::flow::Flow;
use super::graph::{Action, Graph, Loops, Node, Uniform};
use super::groups::{Fields, Groups};
use super::lower::{Context, Lowering};
use super::places::{self, A0, CMP, Liveness, OUTPUTS, Places};
use super::vertex::declare_variables;
use crate::code::pica::facts::{GeometryFacts, GeometryForm, Length};
use crate::emit::lanes::{I32s, Scalar};
use crate::emit::pica::layout::RunInputs;
use crate::emit::pica::layout::geometry as layout;
use crate::emit::pica::number::{Arithmetic, Form, Numbers};
use crate::emit::routine::{close_routine, open_routine};
use crate::error::CompileError;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use picaflor_pipeline::pica::shader::instr::Source;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::Program;

/// Bound that `Console` code assumes for the magnitude of uniforms: random numbers of particles are often computed modulo
/// 2^16.
pub(crate) const UNIFORM_LIMIT: f32 = 131_072.0;

/// `b15`, which the hardware sets after each run: not part of the key.
const VARIABLE_BOOLS: u16 = 0x8000;

/// Complete specialisation of a geometry routine.
#[derive(Clone, Copy)]
pub(crate) struct GeometrySpec<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: u16,
    pub(crate) bools: u16,
    pub(crate) ints: &'a [[u8; 4]; 4],
    pub(crate) output_mask: u16,
    pub(crate) inputs: RunInputs,
    pub(crate) arithmetic: Arithmetic,
}

/// The graph of a program.
pub(crate) fn unfold(spec: &GeometrySpec<'_>, loops: Loops) -> Result<Graph, CompileError> {
    let uniform =
        Uniform { bools: spec.bools, variable_bools: VARIABLE_BOOLS, ints: spec.ints, al_is_zero: false };
    Graph::new(spec.program, spec.entry, uniform, loops)
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
    let results = written(graph, spec.program);
    let liveness = Liveness::new(graph, spec.program, &results, outputs());
    let path = path::side_by_side(spec, graph, &liveness, &results);
    let read_later = liveness.read_later(graph, spec.program);
    let mut variables = declare_variables(&mut l, &carried(&read_later));
    variables.memory = Some(l.load_pointer(call, layout::R));
    let v = l.load_pointer(call, layout::V);
    let inputs = match path {
        Some(_) => Inputs::runs(spec.inputs, call, v),
        None => Inputs::registers(v),
    };
    let tables =
        [layout::SPLAT_TABLE, layout::SCALED_SPLAT_TABLE, layout::ROW_TABLE, layout::SCALED_ROW_TABLE];
    let [splats, scaled_splats, rows, scaled_rows] = tables.map(|at| l.load_pointer(call, at));
    let mut numbers = Numbers::new(l, spec.arithmetic, splats, scaled_splats, UNIFORM_LIMIT, INPUT_LIMIT);
    numbers.single = path.is_none();
    let lowering_context = Context { program: spec.program, geometry: true };
    let mut lowering = Lowering::new(numbers, lowering_context, variables, inputs, [rows, scaled_rows]);
    let initial = temporaries(&read_later[0]);
    let routine = GeometryRoutine { spec, graph, liveness: &liveness, initial, results: &results, call };
    match &path {
        Some(path) => routine.side_by_side(&mut lowering, path),
        None => routine.one_run(&mut lowering),
    }
    let Numbers { l, uses, .. } = lowering.n;
    close_routine(l, isa);
    GeometryFacts {
        length: path.as_ref().map_or(graph.length(), |path| Length { longest: path.words, counts: false }),
        form: match &path {
            Some(path) => GeometryForm::SideBySide { emissions: path.emissions },
            None => GeometryForm::One { emissions: most_emissions(graph), early: graph.nodes.len() > 1 },
        },
        inputs: inputs_read(graph),
        initial: initial.iter().fold(0, |bits, place| bits | 1 << place),
        uses,
    }
}

/// All of `o`, which an `EMIT` may pack.
fn outputs() -> Places {
    let mut outputs = Places::default();
    (OUTPUTS..CMP).for_each(|place| outputs.insert(place));
    outputs
}

/// Components of `r` that variables carry from node to node. What only remains is stored where it is written.
fn carried(read_later: &[Places]) -> Places {
    let mut carried = Places::default();
    if read_later.len() > 1 {
        read_later.iter().for_each(|places| {
            carried.extend(&temporaries(places));
        });
    }
    carried
}

/// Those of the places that are components of `r`.
fn temporaries(places: &Places) -> Places {
    let mut temporaries = Places::default();
    places.iter().filter(|&place| place < OUTPUTS).for_each(|place| temporaries.insert(place));
    temporaries
}

/// Places except `o` that some word writes.
fn written(graph: &Graph, program: &Program) -> Places {
    let mut written = Places::default();
    for step in words(graph) {
        let descriptor = program.descriptor(step.word.descriptor());
        match step.word.opcode() {
            Opcode::Cmp => [0, 1].iter().for_each(|i| written.insert(CMP + i)),
            Opcode::Mova => {
                (0..2).filter(|&i| descriptor.writes(i)).for_each(|i| written.insert(A0 + i));
            }
            op if places::is_arithmetic(op) => {
                let first = places::destination_place(step.word.destination());
                let components = (0..4).filter(|&i| first < OUTPUTS && descriptor.writes(i));
                components.for_each(|i| written.insert(first + i));
                if op == Opcode::Litp {
                    [0, 1].iter().for_each(|i| written.insert(CMP + i));
                }
            }
            _ => {}
        }
    }
    written
}

/// Bit `n`: some word reads `v[n]`.
fn inputs_read(graph: &Graph) -> u16 {
    let sources = words(graph).flat_map(|step| (0..step.word.source_count()).map(|n| step.word.source(n)));
    sources.fold(0, |bits, source| match source {
        Source::Input(v) => bits | 1 << (v & 15),
        _ => bits,
    })
}

fn words(graph: &Graph) -> impl Iterator<Item = &super::graph::Step> {
    graph.nodes.iter().flat_map(|node| &node.actions).filter_map(|action| match action {
        Action::Word(step) => Some(step),
        Action::Count(_) => None,
    })
}

/// The number of `EMIT` in a node.
fn emissions(node: &Node) -> u32 {
    let is_emit =
        |action: &&Action| matches!(action, Action::Word(step) if step.word.opcode() == Opcode::Emit);
    node.actions.iter().filter(is_emit).count() as u32
}

/// The most `EMIT` that a run executes, unless cycles repeat some.
fn most_emissions(graph: &Graph) -> Option<u32> {
    if graph.cyclic {
        return None;
    }
    let mut most = vec![0; graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate().rev() {
        most[at] = emissions(node) + node.successors().map(|next| most[next]).max().unwrap_or(0);
    }
    Some(most[0])
}

struct GeometryRoutine<'a> {
    spec: &'a GeometrySpec<'a>,
    graph: &'a Graph,
    liveness: &'a Liveness,
    /// Components of `r` that are read before they are written.
    initial: Places,
    results: &'a Places,
    call: Scalar,
}

impl<'a> GeometryRoutine<'a> {
    fn unit(&self, lowering: &mut Lowering<'_, '_>) -> GeometryUnit<'a> {
        GeometryUnit::new(
            lowering,
            self.graph,
            self.liveness,
            self.call,
            *self.results,
            self.spec.output_mask,
        )
    }

    /// One run, in lane 0.
    fn one_run(&self, lowering: &mut Lowering<'_, '_>) {
        let mut unit = self.unit(lowering);
        let l = &mut lowering.n.l;
        let budget = self.graph.cyclic.then(|| l.load_pointer(self.call, layout::BUDGET));
        unit.begin_one(l);
        let mut flow = Flow::begin(lowering, self.graph, self.liveness, budget);
        self.load_unit(lowering);
        let flags = flow.emit(lowering, &mut unit);
        let l = &mut lowering.n.l;
        l.store_lane0(I32s(flags.0), self.call, layout::FLAGGED);
        l.ret();
        unit.end_full(l);
    }

    /// Groups of four runs.
    fn side_by_side(&self, lowering: &mut Lowering<'_, '_>, path: &'a Path) {
        let mut unit = self.unit(lowering);
        let fields = Fields {
            groups: layout::GROUPS,
            list: layout::GROUP_LIST,
            flagged: layout::FLAGGED_GROUPS,
            flagged_count: layout::FLAGGED_COUNT,
        };
        let is_fast = self.spec.arithmetic.is_fast();
        let l = &mut lowering.n.l;
        let (groups, ()) = Groups::begin(l, self.call, fields, is_fast, |_| ());
        let inputs = unit.begin_group(l, groups.group, path);
        lowering.inputs.begin_runs(inputs);
        let mut flow = Flow::begin(lowering, self.graph, self.liveness, None);
        self.load_unit(lowering);
        let flags = flow.emit(lowering, &mut unit);

        groups.end(&mut lowering.n.l, flags);
    }

    /// The registers at the start, as far as they may be read, into variables.
    fn load_unit(&self, lowering: &mut Lowering<'_, '_>) {
        self.load_integers(lowering, &self.liveness.at_start[0]);
        for place in 0..OUTPUTS {
            let Some(variable) = lowering.variables.registers[place] else { continue };
            let value = match lowering.variables.memory {
                Some(memory) if self.initial.contains(place) => {
                    let operand = lowering.initial(memory, place);
                    let form = *lowering.variables.forms[place].get_or_insert(Form::Scaled);
                    lowering.n.portable(operand, form)
                }
                _ => lowering.n.l.float(0.0),
            };
            lowering.n.l.set_float(variable, value);
        }
    }

    fn load_integers(&self, lowering: &mut Lowering<'_, '_>, live: &Places) {
        let variables = &lowering.variables;
        let (single, l) = (lowering.n.single, &mut lowering.n.l);
        let none = l.int(0);
        let mut load = |variable, offset, is_live| {
            let value = match (is_live, single) {
                (false, _) => none,
                (true, true) => l.load_lane0(self.call, offset),
                (true, false) => l.load_splat(self.call, offset),
            };
            l.set_int(variable, value);
        };
        for i in 0..2 {
            load(variables.cmp[i], layout::CMP + i as i32 * 4, live.contains(CMP + i));
            load(variables.a0[i], layout::A0 + i as i32 * 4, live.contains(A0 + i));
        }
        load(variables.al, layout::AL, true);
        for &variable in variables.left.iter().chain(&variables.saved) {
            l.set_int(variable, none);
        }
    }
}
