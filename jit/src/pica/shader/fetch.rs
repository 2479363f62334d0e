//! Attribute loading into lanes, specialised on formats. Addresses were checked before the call.

use super::graph::{Action, Graph};
use super::places::{Effects, Liveness};
use crate::emit::flow::FloatVar;
use crate::emit::lanes::{F32s, I32s, Lanes, Scalar};
use crate::emit::pica::layout::{self, InputKey, RunInputs, geometry};
use crate::emit::pica::number::{Arithmetic, Numbers, Operand};
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::instr::Source;
use picaflor_pipeline::pica::shader::program::Program;
use std::collections::HashMap;

/// Bound that `Console` code assumes for the magnitude of binary32 attributes; vertices beyond it are replayed.
pub(crate) const INPUT_LIMIT: f32 = 32_768.0;

/// Source of the components of `v` registers.
#[derive(Debug)]
pub(crate) struct Inputs {
    source: InputSource,
    values: [Option<Operand>; 64],
}

#[derive(Debug)]
enum InputSource {
    /// Registers in memory, one value each.
    Registers(Scalar),
    /// Attributes.
    Attributes(Box<Attributes>),
    /// Inputs of four geometry runs.
    Runs(Box<Runs>),
}

/// Inputs of geometry runs side by side, lane by lane.
#[derive(Debug)]
struct Runs {
    key: RunInputs,
    call: Scalar,
    /// Registers of the unit, for those that no input goes to.
    v: Scalar,
    /// Address of the inputs of each lane's run.
    at: Option<[Scalar; 4]>,
    /// Loaded inputs, by their register or uniform.
    rows: HashMap<usize, [F32s; 4]>,
}

#[derive(Debug)]
struct Attributes {
    keys: [InputKey; 16],
    call: Scalar,
    group: Option<Scalar>,
    /// Byte offset of each lane's element, by the register whose stride it is.
    offsets: [Option<[Scalar; 4]>; 16],
    /// Loaded components of each register.
    loaded: [Option<Loaded>; 16],
    /// Variables of components, where several nodes share them.
    variables: Option<Box<[Option<FloatVar>; 64]>>,
}

#[derive(Debug, Clone, Copy)]
enum Loaded {
    Floats([Option<F32s>; 4]),
    Words([Option<I32s>; 2]),
}

impl Inputs {
    /// Registers that lie at an address, for one lane.
    pub(crate) fn registers(base: Scalar) -> Self {
        Self { source: InputSource::Registers(base), values: [None; 64] }
    }

    /// Attributes of the groups of a call.
    pub(crate) fn attributes(keys: [InputKey; 16], call: Scalar) -> Self {
        let attributes =
            Attributes { keys, call, group: None, offsets: [None; 16], loaded: [None; 16], variables: None };
        Self { source: InputSource::Attributes(Box::new(attributes)), values: [None; 64] }
    }

    /// Inputs of a batch of geometry runs; `v` is the address of the unit's registers.
    pub(crate) fn runs(key: RunInputs, call: Scalar, v: Scalar) -> Self {
        let runs = Runs { key, call, v, at: None, rows: HashMap::new() };
        Self { source: InputSource::Runs(Box::new(runs)), values: [None; 64] }
    }

    /// A group of runs begins, whose inputs lie at these addresses.
    pub(crate) fn begin_runs(&mut self, at: [Scalar; 4]) {
        if let InputSource::Runs(runs) = &mut self.source {
            runs.at = Some(at);
        }
    }

    /// A component of a float uniform that is an input of the runs.
    pub(crate) fn uniform(
        &mut self,
        n: &mut Numbers<'_>,
        register: usize,
        component: usize,
    ) -> Option<Operand> {
        let InputSource::Runs(runs) = &mut self.source else { return None };
        let RunInputs::Uniforms { first, count } = runs.key else { return None };
        let input = register.checked_sub(first.into()).filter(|&input| input < count.into())?;
        let value = runs.row(&mut n.l, register, |_| RowPlace::Fixed(input as i32 * 16))[component];
        Some(n.initial(value))
    }

    /// A group begins. With several nodes, `shared` names the components that are loaded now.
    pub(crate) fn begin_group(&mut self, n: &mut Numbers<'_>, group: Scalar, shared: Option<&[bool; 64]>) {
        let InputSource::Attributes(attributes) = &mut self.source else { return };
        attributes.group = Some(group);
        attributes.offsets = [None; 16];
        attributes.loaded = [None; 16];
        self.values = [None; 64];
        let Some(shared) = shared else { return };
        let mut variables = Box::new([None; 64]);
        for at in 0..64 {
            if !shared[at] || !attributes.is_loaded(at) {
                continue;
            }
            let operand = attributes.load(n, at);
            let value = n.bits_of(operand);
            let variable = n.l.float_var();
            n.l.set_float(variable, value);
            variables[at] = Some(variable);
        }
        attributes.variables = Some(variables);
    }

    /// Another node begins.
    pub(crate) fn forget(&mut self) {
        self.values = [None; 64];
        if let InputSource::Runs(runs) = &mut self.source {
            runs.rows.clear();
        }
    }

    /// Component `at % 4` of `v[at / 4]`.
    pub(crate) fn component(&mut self, n: &mut Numbers<'_>, at: usize) -> Operand {
        if let Some(operand) = self.values[at] {
            return operand;
        }
        let operand = match &mut self.source {
            InputSource::Registers(base) => {
                let value = n.l.load_first(*base, at as i32 * 4);
                n.initial(value)
            }
            InputSource::Attributes(attributes) => attributes.component(n, at),
            InputSource::Runs(runs) => {
                let value = runs.register(&mut n.l, at / 4, at % 4);
                n.initial(value)
            }
        };
        self.values[at] = Some(operand);
        operand
    }
}

/// Place of a row in the inputs of a run.
enum RowPlace {
    /// A distance in bytes.
    Fixed(i32),
    /// One that the call holds.
    Loaded(Scalar),
}

impl Runs {
    /// A component of a `v` register.
    fn register(&mut self, l: &mut Lanes<'_>, register: usize, component: usize) -> F32s {
        let is_loaded = matches!(self.key, RunInputs::Registers { loaded } if loaded >> register & 1 != 0);
        if !is_loaded {
            return l.load_float_splat(self.v, (register * 16 + component * 4) as i32);
        }
        let call = self.call;
        let place = |l: &mut Lanes<'_>| {
            RowPlace::Loaded(l.load_pointer(call, geometry::OFFSETS + register as i32 * 8))
        };
        self.row(l, register, place)[component]
    }

    /// A row of inputs, transposed.
    fn row(
        &mut self,
        l: &mut Lanes<'_>,
        register: usize,
        place: impl FnOnce(&mut Lanes<'_>) -> RowPlace,
    ) -> [F32s; 4] {
        if let Some(row) = self.rows.get(&register) {
            return *row;
        }
        let at = self.at.expect("a group has begun");
        let rows = match place(l) {
            RowPlace::Fixed(offset) => at.map(|at| l.load_floats(at, offset)),
            RowPlace::Loaded(offset) => at.map(|at| {
                let at = l.scalar_add(at, offset);
                l.load_floats(at, 0)
            }),
        };
        *self.rows.entry(register).or_insert(transposed(l, rows))
    }
}

impl Attributes {
    /// True if the component comes out of an array.
    fn is_loaded(&self, at: usize) -> bool {
        matches!(self.keys[at / 4], InputKey::Array { components, .. } if at % 4 < usize::from(components))
    }

    fn component(&mut self, n: &mut Numbers<'_>, at: usize) -> Operand {
        match self.keys[at / 4] {
            InputKey::Absent => n.constant(0.0),
            InputKey::Fixed => n.splat(96 * 4 + at),
            InputKey::Array { .. } if !self.is_loaded(at) => n.constant(if at % 4 == 3 { 1.0 } else { 0.0 }),
            InputKey::Array { element, .. } => match self.variables.as_ref().and_then(|v| v[at]) {
                Some(variable) => {
                    let value = n.l.get_float(variable);
                    let may_be_negative_zero = element == ElementType::F32 && !is_console(n.arithmetic);
                    n.plain(value, bound(element), may_be_negative_zero)
                }
                None => self.load(n, at),
            },
        }
    }

    /// Loads one component out of its array.
    fn load(&mut self, n: &mut Numbers<'_>, at: usize) -> Operand {
        let (register, component) = (at / 4, at % 4);
        let InputKey::Array { element, components, stride_of } = self.keys[register] else {
            return n.constant(0.0);
        };
        if element == ElementType::F32 {
            let value = self.float(&mut n.l, register, component, components, stride_of);
            return n.input_f32(value);
        }
        let (word, field) = match element {
            ElementType::I16 => (component / 2, component % 2),
            _ => (0, component),
        };
        let word = self.word(&mut n.l, register, word, stride_of);
        let field = field as u8;
        let integer = match element {
            ElementType::I16 => n.l.sign_field(word, 16 - 16 * field, 16),
            ElementType::I8 => n.l.sign_field(word, 24 - 8 * field, 24),
            _ => n.l.byte_field(word, field),
        };
        let value = n.l.int_to_float(integer);
        n.plain(value, bound(element), false)
    }

    /// Host addresses of each lane's element.
    fn addresses(&mut self, l: &mut Lanes<'_>, register: usize, stride_of: u8) -> [Scalar; 4] {
        let offsets = match self.offsets[usize::from(stride_of)] {
            Some(offsets) => offsets,
            None => {
                let offsets = self.lane_offsets(l, stride_of);
                *self.offsets[usize::from(stride_of)].insert(offsets)
            }
        };
        let base = l.load_pointer(self.call, layout::ARRAYS + register as i32 * 8);
        offsets.map(|offset| l.scalar_add(base, offset))
    }

    fn lane_offsets(&mut self, l: &mut Lanes<'_>, stride_of: u8) -> [Scalar; 4] {
        let indices = l.load_pointer(self.call, layout::INDICES);
        let group = self.group.expect("a group has begun");
        let first = l.scalar_shl(group, 4);
        let at = l.scalar_add(indices, first);
        let stride = l.load_pointer(self.call, layout::STRIDES + i32::from(stride_of) * 8);
        [0, 4, 8, 12].map(|offset| {
            let index = l.load_u32(at, offset);
            l.scalar_mul(index, stride)
        })
    }

    /// Four bytes of each lane's element.
    fn word(&mut self, l: &mut Lanes<'_>, register: usize, word: usize, stride_of: u8) -> I32s {
        let mut words = match self.loaded[register] {
            Some(Loaded::Words(words)) => words,
            _ => [None; 2],
        };
        if let Some(value) = words[word] {
            return value;
        }
        let at = self.addresses(l, register, stride_of);
        let value = l.gather_words(at, word as i32 * 4);
        words[word] = Some(value);
        self.loaded[register] = Some(Loaded::Words(words));
        value
    }

    /// A float of each lane's element.
    fn float(
        &mut self,
        l: &mut Lanes<'_>,
        register: usize,
        at: usize,
        components: u8,
        stride_of: u8,
    ) -> F32s {
        let loaded = match self.loaded[register] {
            Some(Loaded::Floats(floats)) => floats,
            _ => {
                let addresses = self.addresses(l, register, stride_of);
                let floats = load_floats(l, addresses, components);
                self.loaded[register] = Some(Loaded::Floats(floats));
                floats
            }
        };
        loaded[at].expect("the component is in the array")
    }
}

/// All components of a float attribute, transposed into lanes.
fn load_floats(l: &mut Lanes<'_>, at: [Scalar; 4], components: u8) -> [Option<F32s>; 4] {
    match components {
        1 => {
            let words = l.gather_words(at, 0);
            [Some(l.as_floats(words)), None, None, None]
        }
        2 => {
            let [x, y] = l.gather_pairs(at, 0);
            [Some(x), Some(y), None, None]
        }
        _ => {
            let rows = at.map(|address| l.load_floats(address, 0));
            let [x, y, z, w] = transposed(l, rows);
            [Some(x), Some(y), Some(z), Some(w).filter(|_| components == 4)]
        }
    }
}

/// Four rows as columns. What nobody uses costs nothing.
pub(crate) fn transposed(l: &mut Lanes<'_>, rows: [F32s; 4]) -> [F32s; 4] {
    let low = [l.mix(rows[0], rows[1], [0, 4, 1, 5]), l.mix(rows[2], rows[3], [0, 4, 1, 5])];
    let high = [l.mix(rows[0], rows[1], [2, 6, 3, 7]), l.mix(rows[2], rows[3], [2, 6, 3, 7])];
    let x = l.mix(low[0], low[1], [0, 1, 4, 5]);
    let y = l.mix(low[0], low[1], [2, 3, 6, 7]);
    let z = l.mix(high[0], high[1], [0, 1, 4, 5]);
    let w = l.mix(high[0], high[1], [2, 3, 6, 7]);
    [x, y, z, w]
}

const fn is_console(arithmetic: Arithmetic) -> bool {
    matches!(arithmetic, Arithmetic::ConsoleFast | Arithmetic::ConsoleExact)
}

/// The largest magnitude that an element can have, or is checked to have.
const fn bound(element: ElementType) -> f32 {
    match element {
        ElementType::I8 => 128.0,
        ElementType::U8 => 255.0,
        ElementType::I16 => 32_768.0,
        ElementType::F32 => INPUT_LIMIT,
    }
}

/// The components of inputs that a program reads.
pub(crate) fn components_read(graph: &Graph, program: &Program, liveness: &Liveness) -> [bool; 64] {
    let mut read = [false; 64];
    for at in 0..graph.nodes.len() {
        let effects = liveness.effects(graph, program, at);
        for (action, effects) in graph.nodes[at].actions.iter().zip(&effects) {
            if let Action::Word(step) = action {
                mark_read(&mut read, step.word, program, effects);
            }
        }
    }
    read
}

fn mark_read(
    read: &mut [bool; 64],
    word: picaflor_pipeline::pica::shader::instr::Instruction,
    program: &Program,
    effects: &Effects,
) {
    let descriptor = program.descriptor(word.descriptor());
    for n in 0..word.source_count() {
        for lane in (0..4).filter(|&lane| effects.lanes[n][lane]) {
            if let Source::Input(v) = word.source(n) {
                read[usize::from(v) * 4 + descriptor.component(n, lane)] = true;
            }
        }
    }
}
