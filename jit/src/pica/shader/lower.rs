//! Registers and operands while one node is emitted.

use super::fetch::Inputs;
use super::graph::{Al, Step};
use super::places::{Effects, Places, REGISTERS};
use crate::emit::flow::{FloatVar, IntVar};
use crate::emit::lanes::{I32s, Mask, Scalar};
use crate::emit::pica::number::{Form, Numbers, Operand};
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::pica::shader::instr::{Condition, Index, OperandDescriptor, Source};
use picaflor_pipeline::pica::shader::ops::Combine;
use picaflor_pipeline::pica::shader::program::Program;
use std::collections::HashMap;

/// Program and unit of a lowering.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    /// True if the registers are those of the geometry unit.
    pub(crate) geometry: bool,
}

/// Variables that carry places across nodes.
#[derive(Debug)]
pub(crate) struct Variables {
    /// Of the places that are carried; the others of vertex code start every node at zero.
    pub(crate) registers: Vec<Option<FloatVar>>,
    /// Form of each place, fixed by its first store; zero is the same in both.
    pub(crate) forms: Box<[Option<Form>; REGISTERS]>,
    /// Address of the geometry unit's temporaries, for those that are neither carried nor written yet.
    pub(crate) memory: Option<Scalar>,
    pub(crate) cmp: [IntVar; 2],
    /// `a0`: as integers in the geometry unit, which keeps them; as offsets within a byte's range elsewhere.
    pub(crate) a0: [IntVar; 2],
    pub(crate) al: IntVar,
    pub(crate) left: [IntVar; 4],
    pub(crate) saved: [IntVar; 4],
}

/// An address register, as far as rows of uniforms are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Register {
    A0(usize),
    Al,
}

/// The state of lowering.
pub(crate) struct Lowering<'a, 'f> {
    pub(crate) n: Numbers<'f>,
    pub(crate) context: Context<'a>,
    pub(crate) variables: Variables,
    pub(crate) inputs: Inputs,
    /// Row 0 of the uniforms in the plain and in the scaled table.
    pub(crate) row_tables: [Scalar; 2],
    /// Values of register components in this node.
    registers: [Option<Operand>; REGISTERS],
    /// Places written by this node.
    pub(crate) written: Places,
    cmp: [Option<Mask>; 2],
    a0: [Option<I32s>; 2],
    al: Option<I32s>,
    lanes: HashMap<Register, [[Scalar; 4]; 2]>,
    rows: HashMap<(Register, u8), usize>,
    /// Bounds of register components at the start of the node.
    pub(crate) bounds: [f32; REGISTERS],
}

impl<'a, 'f> Lowering<'a, 'f> {
    pub(crate) fn new(
        n: Numbers<'f>,
        context: Context<'a>,
        variables: Variables,
        inputs: Inputs,
        row_tables: [Scalar; 2],
    ) -> Self {
        Self {
            n,
            context,
            variables,
            inputs,
            row_tables,
            registers: [None; REGISTERS],
            written: Places::default(),
            cmp: [None; 2],
            a0: [None; 2],
            al: None,
            lanes: HashMap::new(),
            rows: HashMap::new(),
            bounds: [f32::INFINITY; REGISTERS],
        }
    }

    /// Begins a node, and forgets values of other blocks, which need not dominate it.
    pub(crate) fn begin_node(&mut self, bounds: [f32; REGISTERS]) {
        self.n.clear();
        self.registers = [None; REGISTERS];
        self.written = Places::default();
        self.cmp = [None; 2];
        self.a0 = [None; 2];
        self.al = None;
        self.lanes.clear();
        self.rows.clear();
        self.inputs.forget();
        self.bounds = bounds;
    }

    pub(crate) fn descriptor(&self, step: &Step) -> OperandDescriptor {
        self.context.program.descriptor(step.word.descriptor())
    }

    /// Current value of a register component.
    pub(crate) fn register(&mut self, place: usize) -> Operand {
        if let Some(operand) = self.registers[place] {
            return operand;
        }
        let operand = match self.variables.registers[place] {
            Some(variable) => {
                let value = self.n.l.get_float(variable);
                let form = *self.variables.forms[place].get_or_insert(Form::Scaled);
                self.n.carried(value, self.bounds[place], form)
            }
            None => match self.variables.memory {
                Some(memory) => self.initial(memory, place),
                None => self.n.constant(0.0),
            },
        };
        self.registers[place] = Some(operand);
        operand
    }

    /// A temporary as the geometry unit has it at the start of a run.
    pub(crate) fn initial(&mut self, memory: Scalar, place: usize) -> Operand {
        let offset = place as i32 * 4;
        let l = &mut self.n.l;
        let value =
            if self.n.single { l.load_first(memory, offset) } else { l.load_float_splat(memory, offset) };
        self.n.initial(value)
    }

    pub(crate) fn set_register(&mut self, place: usize, operand: Operand) {
        self.registers[place] = Some(operand);
        self.written.insert(place);
    }

    /// `cmp.x` or `cmp.y`.
    pub(crate) fn flag(&mut self, i: usize) -> Mask {
        match self.cmp[i] {
            Some(mask) => mask,
            None => {
                let mask = self.n.l.get_mask(self.variables.cmp[i]);
                *self.cmp[i].insert(mask)
            }
        }
    }

    pub(crate) fn set_flag(&mut self, i: usize, mask: Mask) {
        self.cmp[i] = Some(mask);
        self.written.insert(super::places::CMP + i);
    }

    /// `a0.x` or `a0.y`.
    pub(crate) fn address(&mut self, i: usize) -> I32s {
        match self.a0[i] {
            Some(value) => value,
            None => {
                let value = self.n.l.get_int(self.variables.a0[i]);
                *self.a0[i].insert(value)
            }
        }
    }

    pub(crate) fn set_address(&mut self, i: usize, value: I32s) {
        let value = if self.context.geometry { value } else { self.offset_of(value) };
        self.a0[i] = Some(value);
        self.written.insert(super::places::A0 + i);
        self.forget_rows(Register::A0(i));
    }

    /// `aL` in lanes.
    pub(crate) fn al(&mut self) -> I32s {
        match self.al {
            Some(value) => value,
            None => {
                let value = self.n.l.get_int(self.variables.al);
                *self.al.insert(value)
            }
        }
    }

    /// Replaces `aL` in lanes; the caller keeps the variable up to date.
    pub(crate) fn set_al(&mut self, value: I32s) {
        self.al = Some(value);
        self.forget_rows(Register::Al);
    }

    fn forget_rows(&mut self, register: Register) {
        self.lanes.remove(&register);
        self.rows.retain(|(of, _), _| *of != register);
    }

    /// 0 where an index is outside a byte's range (measured on a console), else the index.
    fn offset_of(&mut self, index: I32s) -> I32s {
        let l = &mut self.n.l;
        let bias = l.int(128);
        let biased = l.int_add(index, bias);
        let high = l.int(!0xff);
        let high = l.int_and(biased, high);
        let zero = l.int(0);
        let inside = l.int_compare(IntCC::Equal, high, zero);
        let inside = I32s(inside.0);
        l.int_and(index, inside)
    }

    /// The lanes in which a condition holds.
    pub(crate) fn condition(&mut self, condition: Condition) -> Mask {
        let mut flag = |i: usize, reference: bool| {
            let flag = self.flag(i);
            if reference { flag } else { self.n.l.not(flag) }
        };
        let (ref_x, ref_y) = (condition.ref_x, condition.ref_y);
        match condition.combine {
            Combine::X => flag(0, ref_x),
            Combine::Y => flag(1, ref_y),
            Combine::And => {
                let (x, y) = (flag(0, ref_x), flag(1, ref_y));
                self.n.l.and(x, y)
            }
            Combine::Or => {
                let (x, y) = (flag(0, ref_x), flag(1, ref_y));
                self.n.l.or(x, y)
            }
        }
    }

    /// Lane `lane` of source `n`, for arithmetic, which ignores the sign of a dirty zero.
    pub(crate) fn source(&mut self, step: &Step, n: usize, lane: usize) -> Operand {
        let descriptor = self.descriptor(step);
        let value = self.component(step, n, descriptor.component(n, lane));
        if descriptor.negate(n) { Numbers::flipped(value) } else { value }
    }

    /// Lane `lane` of source `n`, as bits.
    pub(crate) fn copied(&mut self, step: &Step, n: usize, lane: usize) -> Operand {
        let descriptor = self.descriptor(step);
        let value = self.component(step, n, descriptor.component(n, lane));
        if descriptor.negate(n) { self.n.negated(value) } else { value }
    }

    fn component(&mut self, step: &Step, n: usize, component: usize) -> Operand {
        match step.word.source(n) {
            Source::Input(v) => self.inputs.component(&mut self.n, usize::from(v) * 4 + component),
            Source::Temporary(r) => self.register(usize::from(r) * 4 + component),
            Source::Uniform(c, Index::None) => self.uniform(usize::from(c), component),
            Source::Uniform(c, Index::A0X) => self.relative(Register::A0(0), c, component),
            Source::Uniform(c, Index::A0Y) => self.relative(Register::A0(1), c, component),
            Source::Uniform(c, Index::AL) => match step.al {
                Al::Known(al) => {
                    let offset = if (-128..128).contains(&al) { al } else { 0 };
                    self.uniform(((i32::from(c) + offset) & 0x7f) as usize, component)
                }
                Al::Lanes | Al::Dead => self.relative(Register::Al, c, component),
            },
        }
    }

    /// A uniform component; registers from 96 on read as 1.
    fn uniform(&mut self, register: usize, component: usize) -> Operand {
        if let Some(input) = self.inputs.uniform(&mut self.n, register, component) {
            return input;
        }
        if register < 96 { self.n.splat(register * 4 + component) } else { self.n.constant(1.0) }
    }

    fn relative(&mut self, register: Register, c: u8, component: usize) -> Operand {
        let row = match self.rows.get(&(register, c)) {
            Some(&row) => row,
            None => {
                let lanes = self.lanes_of(register);
                let row = self.n.row(lanes, c);
                self.rows.insert((register, c), row);
                row
            }
        };
        self.n.row_component(row, component)
    }

    /// Addresses of row 0 plus the offset of each lane, in both tables.
    fn lanes_of(&mut self, register: Register) -> [[Scalar; 4]; 2] {
        if let Some(&lanes) = self.lanes.get(&register) {
            return lanes;
        }
        let index = match register {
            Register::A0(i) => self.address(i),
            Register::Al => self.al(),
        };
        let is_offset = register != Register::Al && !self.context.geometry;
        let offset = if is_offset { index } else { self.offset_of(index) };
        let mut offset_of_lane = |lane| {
            let row = self.n.l.lane(offset, lane);
            self.n.l.scalar_shl(row, 4)
        };
        let lanes = if self.n.single {
            let offset = offset_of_lane(0);
            self.row_tables.map(|table| [self.n.l.scalar_add(table, offset); 4])
        } else {
            let offsets = [0, 1, 2, 3].map(offset_of_lane);
            self.row_tables.map(|table| offsets.map(|offset| self.n.l.scalar_add(table, offset)))
        };
        self.lanes.insert(register, lanes);
        lanes
    }

    /// Writes the live components of the destination.
    pub(crate) fn write(&mut self, first: usize, values: [Option<Operand>; 4], effects: &Effects) {
        for (i, value) in values.into_iter().enumerate() {
            if let (Some(value), true) = (value, effects.components[i]) {
                self.set_register(first + i, value);
            }
        }
    }
}
