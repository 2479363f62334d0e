//! Vertex programs: fetch, program and output map in one routine over groups of four vertices.

use super::fetch::{self, INPUT_LIMIT, Inputs};
use super::flow::{Flow, Unit, full_nodes};
use super::graph::{Action, Exit, Graph, Loops, Uniform};
use super::groups::{Fields, Groups};
use super::lower::{Context, Lowering, Variables};
use super::places::{self, Liveness, OUTPUTS, Places, REGISTERS};
use crate::code::pica::facts::VertexFacts;
use crate::emit::lanes::{F32s, Lanes, Mask, Scalar};
use crate::emit::pica::layout::{self, InputKey};
use crate::emit::pica::number::{Arithmetic, Numbers, Operand};
use crate::emit::routine::{close_routine, open_routine};
use crate::error::CompileError;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use picaflor_pipeline::pica::limits::longest_invocation;
use picaflor_pipeline::pica::shader::program::Program;
use picaflor_pipeline::pica::vertex::{COLOUR, OutputForm, SemanticSource};

/// Bound that `Console` code assumes for the magnitude of uniforms and fixed attributes.
pub(crate) const UNIFORM_LIMIT: f32 = 8192.0;

/// Complete specialisation of a vertex routine.
#[derive(Clone, Copy)]
pub(crate) struct VertexSpec<'a> {
    pub(crate) program: &'a Program,
    pub(crate) entry: u16,
    pub(crate) bools: u16,
    pub(crate) ints: &'a [[u8; 4]; 4],
    pub(crate) inputs: &'a [InputKey; 16],
    pub(crate) output: &'a OutputForm,
    pub(crate) arithmetic: Arithmetic,
}

/// The graph of a program.
pub(crate) fn unfold(spec: &VertexSpec<'_>, loops: Loops) -> Result<Graph, CompileError> {
    let uniform = Uniform { bools: spec.bools, variable_bools: 0, ints: spec.ints, al_is_zero: true };
    Graph::new(spec.program, spec.entry, uniform, loops)
}

/// Emits the routine.
pub(crate) fn build(
    spec: &VertexSpec<'_>,
    graph: &Graph,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) -> VertexFacts {
    let (mut l, call) = open_routine(func, context, isa);

    let outputs = Outputs::new(spec, graph);
    let liveness = Liveness::new(graph, spec.program, &outputs.places(), Places::default());
    let variables = declare_variables(&mut l, &liveness.carried(&outputs.places()));
    let tables =
        [layout::SPLAT_TABLE, layout::SCALED_SPLAT_TABLE, layout::ROW_TABLE, layout::SCALED_ROW_TABLE];
    let [splats, scaled_splats, rows, scaled_rows] = tables.map(|offset| l.load_pointer(call, offset));
    let numbers = Numbers::new(l, spec.arithmetic, splats, scaled_splats, UNIFORM_LIMIT, INPUT_LIMIT);
    let inputs = Inputs::attributes(*spec.inputs, call);
    let lowering_context = Context { program: spec.program, geometry: false };
    let mut lowering = Lowering::new(numbers, lowering_context, variables, inputs, [rows, scaled_rows]);

    GroupLoop { spec, graph, liveness: &liveness, call, outputs }.emit(&mut lowering);
    let Numbers { l, uses, .. } = lowering.n;
    close_routine(l, isa);
    VertexFacts {
        length: graph.length(),
        most: most_words(spec, graph),
        words: graph.nodes.iter().map(super::graph::Node::words).sum(),
        uses,
        untouched: unmapped(spec.output),
    }
}

/// Executed words of an invocation, at most.
fn most_words(spec: &VertexSpec<'_>, graph: &Graph) -> u32 {
    if !graph.cyclic {
        return graph.longest;
    }
    let most = longest_invocation(spec.program, spec.entry, *spec.ints);
    most.and_then(|most| most.try_into().ok()).unwrap_or(u32::MAX)
}

/// Semantics without an output.
fn unmapped(output: &OutputForm) -> u64 {
    let OutputForm::Mapped(map) = output else { return 0 };
    let ones = map.sources().into_iter().enumerate().filter(|(_, source)| *source == SemanticSource::One);
    ones.fold(0, |bits, (semantic, _)| bits | 1 << semantic)
}

pub(crate) fn declare_variables(l: &mut Lanes<'_>, carried: &Places) -> Variables {
    let registers = (0..REGISTERS).map(|place| carried.contains(place).then(|| l.float_var())).collect();
    Variables {
        registers,
        forms: Box::new([None; REGISTERS]),
        memory: None,
        cmp: [(); 2].map(|()| l.int_var()),
        a0: [(); 2].map(|()| l.int_var()),
        al: l.int_var(),
        left: [(); 4].map(|()| l.int_var()),
        saved: [(); 4].map(|()| l.int_var()),
    }
}

/// Every register starts at zero.
fn zero_variables(lowering: &mut Lowering<'_, '_>) {
    let l = &mut lowering.n.l;
    let (zero, none) = (l.float(0.0), l.int(0));
    for &variable in lowering.variables.registers.iter().flatten() {
        l.set_float(variable, zero);
    }
    let v = &lowering.variables;
    for variable in v.cmp.iter().chain(&v.a0).chain([&v.al]).chain(&v.left).chain(&v.saved) {
        l.set_int(*variable, none);
    }
}

struct GroupLoop<'a, 'g> {
    spec: &'a VertexSpec<'a>,
    graph: &'g Graph,
    liveness: &'g Liveness,
    call: Scalar,
    outputs: Outputs,
}

impl GroupLoop<'_, '_> {
    /// Runs the program for each group and lists the groups with flagged lanes.
    fn emit(self, lowering: &mut Lowering<'_, '_>) {
        let fields = Fields {
            groups: layout::GROUPS,
            list: layout::GROUP_LIST,
            flagged: layout::FLAGGED,
            flagged_count: layout::FLAGGED_COUNT,
        };
        let (groups, budget) =
            Groups::begin(&mut lowering.n.l, self.call, fields, self.spec.arithmetic.is_fast(), |l| {
                self.graph.cyclic.then(|| l.load_pointer(self.call, layout::BUDGET))
            });
        let group = groups.group;

        zero_variables(lowering);
        let shared = (self.graph.nodes.len() > 1)
            .then(|| fetch::components_read(self.graph, self.spec.program, self.liveness));
        lowering.inputs.begin_group(&mut lowering.n, group, shared.as_ref());
        let flags = self.nodes(lowering, group, budget);

        groups.end(&mut lowering.n.l, flags);
    }

    fn nodes(&self, lowering: &mut Lowering<'_, '_>, group: Scalar, budget: Option<Scalar>) -> Mask {
        let offset = lowering.n.l.scalar_shl(group, 4);
        let early = lowering.n.take_flags();
        let mut flow = Flow::begin(lowering, self.graph, self.liveness, budget);
        let mut unit = VertexUnit { outputs: &self.outputs, call: self.call, offset, stored: false };
        let mut flags = flow.emit(lowering, &mut unit);
        if !unit.stored {
            lowering.begin_node([f32::INFINITY; REGISTERS]);
            for place in self.outputs.places().iter() {
                unit.store(lowering, place);
            }
        }
        self.outputs.store_zeros(&mut lowering.n, self.call, offset);
        for raised in [early, lowering.n.take_flags()].into_iter().flatten() {
            flags = lowering.n.l.or(flags, raised);
        }
        flags
    }
}

/// Destinations of outputs.
#[derive(Debug, Clone)]
struct Outputs {
    /// For each component of `o`, the components of the result, and whether each is a colour.
    targets: Vec<Vec<(usize, bool)>>,
    /// Components of the result that are zero.
    zeros: Vec<usize>,
    /// The node through which all lanes end, if there is one, and for each component of `o` the action that
    /// writes it last there.
    last: Option<(usize, Vec<Option<usize>>)>,
}

impl Outputs {
    fn new(spec: &VertexSpec<'_>, graph: &Graph) -> Self {
        let mut targets = vec![Vec::new(); 64];
        let mut zeros = Vec::new();
        match spec.output {
            OutputForm::Mapped(map) => {
                for (semantic, source) in map.sources().into_iter().enumerate() {
                    match source {
                        SemanticSource::Output { register, component } => {
                            let place = usize::from(register) * 4 + usize::from(component);
                            targets[place].push((semantic, COLOUR.contains(&semantic)));
                        }
                        SemanticSource::Zero => zeros.push(semantic),
                        SemanticSource::One => {}
                    }
                }
            }
            OutputForm::Records { mask, slots } => {
                let mut enabled = (0..16).filter(|n| mask >> n & 1 != 0);
                for slot in 0..usize::from(*slots).min(16) {
                    match enabled.next() {
                        Some(register) => {
                            (0..4).for_each(|i| targets[register * 4 + i].push((slot * 4 + i, false)));
                        }
                        None => zeros.extend(slot * 4..slot * 4 + 4),
                    }
                }
            }
        }
        let last = last_writers(spec.program, graph);
        Self { targets, zeros, last }
    }

    /// Places live at the end.
    fn places(&self) -> Places {
        let mut places = Places::default();
        for (at, targets) in self.targets.iter().enumerate() {
            if !targets.is_empty() {
                places.insert(OUTPUTS + at);
            }
        }
        places
    }

    fn store_zeros(&self, n: &mut Numbers<'_>, call: Scalar, offset: Scalar) {
        for &component in &self.zeros {
            let zero = n.l.float(0.0);
            store(&mut n.l, call, offset, component, zero);
        }
    }
}

/// In the node through which all lanes end, the action that writes each component of `o` last.
fn last_writers(program: &Program, graph: &Graph) -> Option<(usize, Vec<Option<usize>>)> {
    let full = full_nodes(graph);
    let at = graph.nodes.len() - 1;
    if !full[at] || graph.nodes[at].exit != Exit::End {
        return None;
    }
    let mut last = vec![None; 64];
    for (i, action) in graph.nodes[at].actions.iter().enumerate() {
        let Action::Word(step) = action else { continue };
        let first = places::destination_place(step.word.destination());
        if places::is_arithmetic(step.word.opcode()) && first >= OUTPUTS {
            let descriptor = program.descriptor(step.word.descriptor());
            (0..4).filter(|&c| descriptor.writes(c)).for_each(|c| last[first - OUTPUTS + c] = Some(i));
        }
    }
    Some((at, last))
}

struct VertexUnit<'a> {
    outputs: &'a Outputs,
    call: Scalar,
    /// Offset of the group's values in each row.
    offset: Scalar,
    /// True if all outputs have been stored where the last node writes them.
    stored: bool,
}

impl VertexUnit<'_> {
    /// Stores a component of `o` to its destinations.
    fn store(&self, lowering: &mut Lowering<'_, '_>, place: usize) {
        let operand = lowering.register(place);
        for &(target, colour) in &self.outputs.targets[place - OUTPUTS] {
            let value =
                if colour { conditioned(&mut lowering.n, operand) } else { lowering.n.bits_of(operand) };
            store(&mut lowering.n.l, self.call, self.offset, target, value);
        }
    }
}

impl Unit for VertexUnit<'_> {
    fn after_word(&mut self, lowering: &mut Lowering<'_, '_>, node: usize, at: usize) {
        let Some((last_node, last)) = &self.outputs.last else { return };
        if *last_node != node {
            return;
        }
        for (component, _) in last.iter().enumerate().filter(|(_, last)| **last == Some(at)) {
            self.store(lowering, OUTPUTS + component);
        }
    }

    fn at_end(&mut self, lowering: &mut Lowering<'_, '_>, node: usize) -> bool {
        let Some((last_node, last)) = &self.outputs.last else { return false };
        debug_assert_eq!(*last_node, node, "all lanes end in the last node");
        for place in self.outputs.places().iter().filter(|place| last[place - OUTPUTS].is_none()) {
            self.store(lowering, place);
        }
        self.stored = true;
        true
    }

    fn bool(&mut self, lowering: &mut Lowering<'_, '_>, _: u8) -> Mask {
        // No boolean of a vertex routine is variable: the graph has resolved them all.
        lowering.n.l.none()
    }
}

/// `min(|c|, 1)`, NaN is 1.
fn conditioned(n: &mut Numbers<'_>, operand: Operand) -> F32s {
    let magnitude = n.magnitude_of(operand);
    let one = n.l.float(1.0);
    n.l.min(magnitude, one)
}

/// `offset`: that of the group in each row.
fn store(l: &mut Lanes<'_>, call: Scalar, offset: Scalar, component: usize, value: F32s) {
    let row = l.load_pointer(call, layout::OUTPUTS + component as i32 * 8);
    let at = l.scalar_add(row, offset);
    l.store_floats(value, at, 0);
}
