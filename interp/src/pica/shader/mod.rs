//! Fetch, dispatch, step limit: one invocation of a program.

mod alu;
mod flow;
mod geometry;
mod operand;
mod rules;
#[cfg(test)]
mod testing;
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
use picaflor_pipeline::pica::stage::Emission;

/// Parameters of one invocation, apart from the registers.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Code and descriptors. Its kind decides the number of words and the effect of `EMIT`.
    pub program: &'a Program,
    /// First word executed.
    pub entry: u16,
    /// Float, integer and boolean uniforms.
    pub uniforms: &'a Uniforms,
    /// Output mask by which `EMIT` packs; of no meaning to vertex programs.
    pub output_mask: u16,
    /// Rounding of arithmetic.
    pub precision: Precision,
    /// Instructions that may be executed, `END` included.
    pub instruction_budget: u32,
    /// Position in the batch, named by faults; 0 for a geometry run.
    pub vertex: u32,
}

/// Runs a program once on the registers of `unit`, as they are, and leaves them as the program does.
///
/// Emitted vertices are appended to `emitted`; every step goes to `trace`, if any. `b15` stays as it is: setting it
/// after a geometry run is the caller's.
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

    /// Stores a result and continues.
    fn write(&mut self, i: Instruction, d: OperandDescriptor, value: Vec4) -> Transfer {
        operand::write(self.invocation.program.kind(), self.unit, i.destination(), d, value);
        Transfer::Next
    }

    /// `LITP` also sets the flags, independent of the destination mask.
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

    /// `CMP` sets both flags, independent of the destination mask (measured on a console by a zitrus developer).
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

    /// `BREAK`, `BREAKC`. Taken outside a loop it hangs the console; the machine continues.
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

#[cfg(test)]
mod tests {
    use super::testing::{Bench, bare, end, flow, nop, one, two};
    use super::*;
    use picaflor_pipeline::pica::shader::instr::Destination;
    use trace::Written;

    fn with_budget(code: &[u32], budget: u32) -> (Vec<u16>, Vec<Fault>) {
        let mut bench = Bench::new(UnitKind::Vertex, code);
        bench.budget = budget;
        let outcome = bench.run();
        (outcome.addresses(), outcome.faults)
    }

    fn out_of_budget(pc: u16) -> Vec<Fault> {
        vec![Fault::InstructionBudget { pc, vertex: 0 }]
    }

    #[test]
    fn budget_includes_end() {
        let code = [nop(), nop(), end()];
        assert_eq!(with_budget(&code, 3), (vec![0, 1, 2], vec![]));
        assert_eq!(with_budget(&code, 2), (vec![0, 1], out_of_budget(2)));
        assert_eq!(with_budget(&code, 0), (vec![], out_of_budget(0)));
    }

    #[test]
    fn budget_ends_an_endless_loop_at_the_next_word() {
        let code = [nop(), flow(Opcode::Jmpu, 0, 0, 1)];
        let (addresses, faults) = with_budget(&code, 1001);
        assert_eq!((addresses.len(), faults), (1001, out_of_budget(1)));
    }

    /// A program without END runs into the words never written, which add `v0` to itself under descriptor 0,
    /// up to the end of code memory. That end costs no instruction.
    #[test]
    fn end_of_code_memory_ends_the_program() {
        for (kind, words) in [(UnitKind::Vertex, 512), (UnitKind::Geometry, 4096)] {
            let mut bench = Bench::new(kind, &[]);
            bench.budget = words;
            bench.unit.v[0] = [3.0; 4];
            let outcome = bench.run();
            assert_eq!((outcome.trace.steps().len(), outcome.faults), (words as usize, vec![]));
            assert_eq!(outcome.trace.steps().last().and_then(|step| step.next), Some(words as u16));
            assert_eq!(bench.unit.o[0][0], [6.0; 4]);
        }
    }

    #[test]
    fn jumps_past_the_end_and_entries_there_end_the_program() {
        let jump = |dst: u32| flow(Opcode::Jmpu, 0, dst, 1);
        assert_eq!(with_budget(&[jump(512), nop(), end()], 1), (vec![0], vec![]));
        assert_eq!(with_budget(&[jump(0xfff), nop(), end()], 9), (vec![0], vec![]));
        let mut bench = Bench::new(UnitKind::Vertex, &[end()]);
        (bench.entry, bench.budget) = (u16::MAX, 0);
        let outcome = bench.run();
        assert_eq!((outcome.addresses(), outcome.faults), (vec![], vec![]));
    }

    #[test]
    fn undefined_opcodes_do_nothing_and_are_reported_once() {
        let undefined = 0x1d << 26 | 0x3f_ffff;
        let code = [flow(Opcode::Call, 0, 3, 1), flow(Opcode::Call, 0, 3, 1), end(), undefined];
        let mut bench = Bench::new(UnitKind::Vertex, &code);
        let outcome = bench.run();
        assert_eq!(outcome.addresses(), [0, 3, 1, 3, 2]);
        assert_eq!(outcome.faults, [Fault::UndefinedOpcode { pc: 3, word: undefined }]);
        assert_eq!(bench.unit, ShaderUnit::default());
    }

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn every_word_is_accepted() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = || picaflor_pipeline::random::word(&mut seed);
        for kind in [UnitKind::Vertex, UnitKind::Geometry] {
            for _ in 0..200 {
                let code: Vec<u32> = (0..600).map(|_| random()).collect();
                let descriptors: Vec<u32> = (0..128).map(|_| random()).collect();
                let mut bench = Bench::new(kind, &code);
                bench.program = Program::from_words(kind, &code, &descriptors);
                bench.uniforms.set_bools(random() as u16);
                (0..4).for_each(|id| bench.uniforms.set_int(id, random().to_le_bytes()));
                let steps = bench.run().trace.steps().len();
                assert!((1..=1000).contains(&steps));
            }
        }
    }

    /// The sixteen combinations of flags and references under each way to combine them.
    #[test]
    fn conditions() {
        for bits in 0..64_u32 {
            let [cmp_x, cmp_y, ref_x, ref_y] = [0, 1, 2, 3].map(|n| bits >> n & 1 != 0);
            let combine = bits >> 4;
            let id = u32::from(ref_x) << 3 | u32::from(ref_y) << 2 | combine;
            let mut bench = Bench::new(UnitKind::Vertex, &[flow(Opcode::Ifc, id, 2, 0), nop(), end()]);
            bench.unit.cmp = [cmp_x, cmp_y];
            let (x, y) = (cmp_x == ref_x, cmp_y == ref_y);
            let expected = [x || y, x && y, x, y][combine as usize];
            assert_eq!(bench.run().addresses() == [0, 1, 2], expected, "{bits:06b}");
        }
    }

    #[test]
    fn cmp_ignores_the_mask_and_owns_two_codes() {
        for code in [0x2e_u32, 0x2f] {
            // cmpX is < and, with the top bit that the odd code brings, "true"; cmpY is >=.
            let word = code << 26 | 2 << 24 | 5 << 21 | 0x01 << 7;
            let mut bench = Bench::new(UnitKind::Vertex, &[word, end()]);
            bench.program.write_descriptor(0, testing::IDENTITY & !0xf);
            (bench.unit.v[0], bench.unit.v[1]) = ([2.0, 2.0, 0.0, 0.0], [1.0, 2.0, 0.0, 0.0]);
            bench.run();
            assert_eq!(bench.unit.cmp, [code == 0x2f, true]);
        }
    }

    #[test]
    fn litp_sets_flags_whatever_the_mask() {
        let mut bench = Bench::new(UnitKind::Vertex, &[one(Opcode::Litp, 0x10, 0), end()]);
        bench.program.write_descriptor(0, testing::IDENTITY & !0xf);
        bench.unit.v[0] = [1.0, 0.0, 0.0, -1.0];
        let outcome = bench.run();
        assert_eq!((bench.unit.cmp, bench.unit.r[0]), ([true, false], [0.0; 4]));
        assert_eq!(outcome.trace.steps()[0].written, None);
    }

    #[test]
    fn trace_shows_what_was_written() {
        let mut bench = Bench::new(
            UnitKind::Geometry,
            &[two(Opcode::Add, 0x03, 0, 0), bare(Opcode::Emit), one(Opcode::Rcp, 0x12, 0), end()],
        );
        bench.program.write_descriptor(0, testing::IDENTITY & !0xf | 0b1100);
        bench.unit.v[0] = [1.0, 2.0, 3.0, 4.0];
        let trace = bench.run().trace;
        let written: Vec<_> = trace.steps().iter().map(|step| step.written).collect();
        let sum = Written { destination: Destination::Output(3), mask: 12, value: [2.0, 4.0, 0.0, 0.0] };
        let one = Written { destination: Destination::Temporary(2), mask: 12, value: [1.0, 1.0, 0.0, 0.0] };
        assert_eq!(written, [Some(sum), None, Some(one), None]);
        assert_eq!(trace.steps().iter().map(|step| step.bank).collect::<Vec<_>>(), [0, 1, 1, 1]);
        assert_eq!(trace.steps()[3].next, None);
        let line = trace.steps()[0].to_string();
        assert_eq!(line, "000  00600000  add       a0 0,0 aL 0 cmp 00  o3. x 2 (40000000) y 4 (40800000)");
    }

    #[test]
    fn trace_has_a_limit() {
        let bench = Bench::new(UnitKind::Vertex, &[nop(), nop(), nop(), end()]);
        let invocation = Invocation {
            program: &bench.program,
            entry: 1,
            uniforms: &bench.uniforms,
            output_mask: 0,
            precision: Precision::Binary32,
            instruction_budget: 10,
            vertex: 0,
        };
        let mut trace = Trace::with_limit(2);
        let (mut unit, mut emitted, mut faults) = (bench.unit.clone(), Vec::new(), FaultList::new());
        run_unit(&invocation, &mut unit, &mut emitted, &mut faults, Some(&mut trace));
        assert_eq!((trace.addresses().collect::<Vec<_>>(), trace.omitted()), (vec![1, 2], 1));
    }
}
