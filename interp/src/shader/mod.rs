//! Fetch, dispatch, step limit: one invocation of a program.

mod alu;
mod flow;
mod geometry;
mod operand;
mod rules;
pub mod trace;

use std::marker::PhantomData;

use self::flow::{Flow, Transfer};
use self::rules::{Binary32, Console, Rules};
use self::trace::Trace;
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::instr::{Instruction, OperandDescriptor};
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};
use picaflor_pipeline::stage::Emission;

/// What one invocation runs with, apart from the registers.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Code and descriptors. Its kind decides how many words there are and whether `EMIT` does anything.
    pub program: &'a Program,
    /// First word executed.
    pub entry: u16,
    /// Float, integer and boolean uniforms.
    pub uniforms: &'a Uniforms,
    /// Output mask by which `EMIT` packs; of no meaning to vertex programs.
    pub output_mask: u16,
    /// How arithmetic rounds.
    pub precision: Precision,
    /// Instructions that may be executed, `END` included.
    pub instruction_budget: u32,
    /// Position in the batch, named by faults; 0 for a geometry run.
    pub vertex: u32,
}

/// Runs a program once on the registers of `unit`, as they are, and leaves them as the program does.
///
/// What it emits is appended to `emitted`; every step goes to `trace` if there is one. `b15` stays as it is:
/// setting it after a geometry run is the caller's.
pub fn run_unit(
    invocation: &Invocation<'_>,
    unit: &mut ShaderUnit,
    emitted: &mut Vec<Emission>,
    faults: &mut FaultList,
    trace: Option<&mut Trace>,
) {
    match invocation.precision {
        Precision::Console => Machine::<Console>::run(invocation, unit, emitted, faults, trace),
        Precision::Binary32 => Machine::<Binary32>::run(invocation, unit, emitted, faults, trace),
    }
}

/// A unit while it runs.
struct Machine<'a, R> {
    invocation: &'a Invocation<'a>,
    unit: &'a mut ShaderUnit,
    flow: Flow,
    emitted: &'a mut Vec<Emission>,
    faults: &'a mut FaultList,
    rules: PhantomData<R>,
}

impl<'a, R: Rules> Machine<'a, R> {
    fn run(
        invocation: &'a Invocation<'a>,
        unit: &'a mut ShaderUnit,
        emitted: &'a mut Vec<Emission>,
        faults: &'a mut FaultList,
        mut trace: Option<&mut Trace>,
    ) {
        let flow = Flow::default();
        let mut machine = Self { invocation, unit, flow, emitted, faults, rules: PhantomData };
        let mut next = Some(invocation.entry);
        let mut executed = 0;
        // A program also ends where there is no word: past the end of code memory.
        while let Some((pc, instruction)) =
            next.and_then(|pc| Some((pc, invocation.program.instruction(pc)?)))
        {
            if executed == invocation.instruction_budget {
                machine.faults.push(Fault::InstructionBudget { pc, vertex: invocation.vertex });
                break;
            }
            executed += 1;
            next = machine.step(pc, instruction);
            if let Some(trace) = trace.as_deref_mut() {
                trace.record(invocation.program, machine.unit, pc, next);
            }
        }
    }

    /// Executes the instruction at `pc` and returns the address of the next, `None` after `END`.
    fn step(&mut self, pc: u16, instruction: Instruction) -> Option<u16> {
        match self.execute(pc, instruction) {
            Transfer::End => None,
            transfer => Some(self.flow.advance(pc, transfer, &mut self.unit.al)),
        }
    }

    /// One arm for each opcode, in the order of the opcode table.
    fn execute(&mut self, pc: u16, i: Instruction) -> Transfer {
        let d = self.invocation.program.descriptor(i.descriptor());
        let [s1, s2, s3] = operand::sources(self.invocation, self.unit, i, d);
        match i.opcode() {
            Opcode::Add => self.write(i, d, alu::add::<R>(s1, s2)),
            Opcode::Dp3 => self.write(i, d, alu::dp3::<R>(s1, s2)),
            Opcode::Dp4 => self.write(i, d, alu::dp4::<R>(s1, s2)),
            Opcode::Dph | Opcode::Dphi => self.write(i, d, alu::dph::<R>(s1, s2)),
            Opcode::Dst | Opcode::Dsti => self.write(i, d, alu::dst::<R>(s1, s2)),
            Opcode::Ex2 => self.write(i, d, alu::ex2::<R>(s1)),
            Opcode::Lg2 => self.write(i, d, alu::lg2::<R>(s1)),
            Opcode::Litp => self.litp(i, d, s1),
            Opcode::Mul => self.write(i, d, alu::mul::<R>(s1, s2)),
            Opcode::Sge | Opcode::Sgei => self.write(i, d, alu::sge(s1, s2)),
            Opcode::Slt | Opcode::Slti => self.write(i, d, alu::slt(s1, s2)),
            Opcode::Flr => self.write(i, d, alu::flr::<R>(s1)),
            Opcode::Max => self.write(i, d, alu::max(s1, s2)),
            Opcode::Min => self.write(i, d, alu::min(s1, s2)),
            Opcode::Rcp => self.write(i, d, alu::rcp::<R>(s1)),
            Opcode::Rsq => self.write(i, d, alu::rsq::<R>(s1)),
            Opcode::Mova => self.mova(d, s1),
            Opcode::Mov => self.write(i, d, s1),
            Opcode::Break => self.break_if(pc, true),
            Opcode::Nop => Transfer::Next,
            Opcode::End => Transfer::End,
            Opcode::Breakc => self.break_if(pc, self.condition(i)),
            Opcode::Call => self.flow.call(pc, i),
            Opcode::Callc => self.call_if(pc, i, self.condition(i)),
            Opcode::Callu => self.call_if(pc, i, self.bool(i)),
            Opcode::Ifu => self.flow.if_(i, self.bool(i)),
            Opcode::Ifc => self.flow.if_(i, self.condition(i)),
            Opcode::Loop => {
                self.flow.loop_(pc, i, self.invocation.uniforms.int(i.int_id()), &mut self.unit.al)
            }
            Opcode::Emit => self.emit(),
            Opcode::SetEmit => self.setemit(i),
            Opcode::Jmpc => jump_if(i, self.condition(i)),
            // Bit 0 of num inverts, in JMPU alone.
            Opcode::Jmpu => jump_if(i, self.bool(i) != (i.num() & 1 != 0)),
            Opcode::Cmp => self.cmp(i, s1, s2),
            Opcode::Mad | Opcode::Madi => self.write(i, d, alu::mad::<R>(s1, s2, s3)),
            Opcode::Undefined => self.undefined(pc, i),
        }
    }

    /// Stores a result and goes on.
    fn write(&mut self, i: Instruction, d: OperandDescriptor, value: Vec4) -> Transfer {
        operand::write(self.invocation.program.kind(), self.unit, i.destination(), d, value);
        Transfer::Next
    }

    /// `LITP` also sets the flags, whatever the destination mask.
    fn litp(&mut self, i: Instruction, d: OperandDescriptor, s1: Vec4) -> Transfer {
        self.unit.cmp = alu::litp_flags(s1);
        self.write(i, d, alu::litp(s1))
    }

    /// `MOVA` writes address registers where the mask enables x and y; the destination field has no meaning.
    fn mova(&mut self, d: OperandDescriptor, s1: Vec4) -> Transfer {
        for n in (0..2).filter(|&n| d.writes(n)) {
            self.unit.a0[n] = alu::mova(s1[n]);
        }
        Transfer::Next
    }

    /// `CMP` sets both flags, whatever the destination mask (measured on a console by a zitrus developer).
    fn cmp(&mut self, i: Instruction, s1: Vec4, s2: Vec4) -> Transfer {
        let [x, y] = i.compares();
        self.unit.cmp = [alu::compare(x, s1[0], s2[0]), alu::compare(y, s1[1], s2[1])];
        Transfer::Next
    }

    fn condition(&self, i: Instruction) -> bool {
        i.condition().holds(self.unit.cmp)
    }

    fn bool(&self, i: Instruction) -> bool {
        self.invocation.uniforms.bool(i.bool_id())
    }

    fn call_if(&mut self, pc: u16, i: Instruction, holds: bool) -> Transfer {
        if holds { self.flow.call(pc, i) } else { Transfer::Next }
    }

    /// `BREAK`, `BREAKC`. Taken outside a loop it hangs the console; the machine goes on.
    fn break_if(&mut self, pc: u16, holds: bool) -> Transfer {
        if !holds {
            return Transfer::Next;
        }
        if self.flow.outside_loops() {
            self.faults.push_once(Fault::BreakOutsideLoop { pc });
        }
        Transfer::Leave
    }

    /// `EMIT`; without effect in a vertex program (assumed).
    fn emit(&mut self) -> Transfer {
        if self.invocation.program.kind() == UnitKind::Geometry {
            self.emitted.push(geometry::emit(self.unit, self.invocation.output_mask));
        }
        Transfer::Next
    }

    /// `SETEMIT`; without effect in a vertex program (assumed).
    fn setemit(&mut self, i: Instruction) -> Transfer {
        if self.invocation.program.kind() == UnitKind::Geometry {
            geometry::setemit(self.unit, i);
        }
        Transfer::Next
    }

    /// An opcode that no program uses does nothing (assumed).
    fn undefined(&mut self, pc: u16, i: Instruction) -> Transfer {
        self.faults.push_once(Fault::UndefinedOpcode { pc, word: i.0 });
        Transfer::Next
    }
}

fn jump_if(i: Instruction, holds: bool) -> Transfer {
    if holds { Transfer::To(i.target()) } else { Transfer::Next }
}
