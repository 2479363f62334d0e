//! Instructions that an invocation is charged with, against those that the interpreter executes.

use picaflor_conformance::pica::encode;
use picaflor_conformance::pica::programs::generate::shader::{Shader, Shape};
use picaflor_conformance::random::Random;
use picaflor_interp::pica::shader::trace::Trace;
use picaflor_interp::pica::shader::{Invocation, run_unit};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::limits::longest_invocation;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms};

/// Instructions after which an invocation is cut off.
const BUDGET: u32 = 3000;

type Ints = [[u8; 4]; 4];

fn executed(program: &Program, entry: u16, ints: Ints, bools: u16, cmp: [bool; 2]) -> u64 {
    let mut uniforms = Uniforms::default();
    uniforms.set_bools(bools);
    (0..).zip(ints).for_each(|(id, int)| uniforms.set_int(id, int));
    let invocation = Invocation {
        program,
        entry,
        uniforms: &uniforms,
        output_mask: 1,
        precision: Precision::Binary32,
        instruction_budget: BUDGET,
        vertex: 0,
    };
    let mut unit = ShaderUnit { cmp, ..ShaderUnit::default() };
    let (mut emitted, mut faults, mut trace) = (Vec::new(), FaultList::new(), Trace::with_limit(0));
    run_unit(&invocation, &mut unit, &mut emitted, &mut faults, Some(&mut trace));
    trace.omitted()
}

/// Charges and executions of programs.
#[derive(Debug, Default)]
struct Tally {
    programs: u32,
    /// Programs with a bound of their own.
    bounded: u32,
    /// Of these, programs with an invocation that executes all that it is charged with.
    exact: u32,
    wrong: Vec<String>,
}

impl Tally {
    fn look(&mut self, random: &mut Random, code: &[u32], descriptors: &[u32], entry: u16) {
        self.programs += 1;
        let program = Program::from_words(UnitKind::Vertex, code, descriptors);
        let ints: Ints = std::array::from_fn(|_| [random.below(3) as u8, 0, 1, 0]);
        let Some(most) = longest_invocation(&program, entry, ints) else { return };
        self.bounded += 1;
        let mut largest = 0;
        for _ in 0..8 {
            let (bools, cmp) = (random.word() as u16, [random.chance(50), random.chance(50)]);
            let steps = executed(&program, entry, ints, bools, cmp);
            if steps > most {
                let words: Vec<_> = code.iter().map(|word| format!("{word:#010x}")).collect();
                let words = words.join(", ");
                self.wrong.push(format!("{steps} of {most}: [{words}], entry {entry}, {ints:?}, {bools:#x}"));
                return;
            }
            largest = largest.max(steps);
        }
        self.exact += u32::from(largest == most);
    }

    fn assert_right(&self, name: &str) {
        println!("{name}: {} programs, {} bounded, {} exact", self.programs, self.bounded, self.exact);
        let shortest = self.wrong.iter().min_by_key(|line| line.len());
        assert!(shortest.is_none(), "{name}: {} wrong, {}", self.wrong.len(), shortest.map_or("", |s| s));
    }
}

/// Little but control flow, with targets that are near: scopes share words, begin inside of others and end together.
fn dense(random: &mut Random) -> Vec<u32> {
    let length = random.between(4, 18);
    let mut code: Vec<u32> = (0..length)
        .map(|at| {
            let opcode = random.weighted(&[
                (30, Opcode::Nop),
                (8, Opcode::Call),
                (4, Opcode::Callu),
                (10, Opcode::Ifu),
                (2, Opcode::Ifc),
                (8, Opcode::Loop),
                (4, Opcode::Jmpu),
                (2, Opcode::Break),
                (4, Opcode::Breakc),
                (1, Opcode::End),
            ]);
            let is_near = random.chance(70);
            let target = if is_near { at + 1 + random.below(6) } else { random.below(length + 1) };
            match opcode {
                Opcode::Nop | Opcode::End | Opcode::Break => encode::bare(opcode),
                _ => encode::flow(opcode, target, random.below(5), random.below(4)),
            }
        })
        .collect();
    code.extend((0..6).map(|_| encode::bare(Opcode::Nop)));
    code.push(encode::bare(Opcode::End));
    code
}

#[test]
fn dense_control_flow() {
    let mut tally = Tally::default();
    for number in 0..120_000 {
        let random = &mut Random::of_item(1, number);
        let code = dense(random);
        tally.look(random, &code, &[], 0);
    }
    tally.assert_right("dense");
    assert!(tally.bounded > 6000 && tally.exact > 3000, "{tally:?}");
}

#[test]
fn generated_programs() {
    for (shape, bounded) in [(Shape::Structured, 0.88), (Shape::Irregular, 0.05), (Shape::Raw, 0.0)] {
        let mut tally = Tally::default();
        for number in 0..3000 {
            let random = &mut Random::of_item(2, number);
            let shader = Shader::of(random, UnitKind::Vertex, shape);
            tally.look(random, &shader.code, &shader.descriptors, shader.entry);
        }
        tally.assert_right(&format!("{shape:?}"));
        assert!(f64::from(tally.bounded) >= bounded * f64::from(tally.programs), "{shape:?}");
    }
}
