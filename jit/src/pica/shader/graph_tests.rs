//! Unfolded graphs, followed step by step, against the worked traces of pica-shader.md 4.3 and against the
//! interpreter.

use super::*;
use picaflor_interp::pica::shader::trace::Trace;
use picaflor_interp::pica::shader::{Invocation, run_unit};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms};

/// Words that are followed; a program may run for ever.
const STEPS: usize = 300;
/// `b0` is set, and no other.
const BOOLS: u16 = 1;

/// Letter, program, integer uniforms, addresses of the executed words.
type WorkedTrace = (char, &'static str, &'static [[u8; 4]], &'static [u16]);

/// `ifu b0` holds, `ifu b1` does not; `nop` stands for any plain instruction.
const TRACES: [WorkedTrace; 21] = [
    ('A', "for i0, 2; nop; nop; end", &[[2, 10, 3, 0]], &[0, 1, 2, 1, 2, 1, 2, 3]),
    (
        'B',
        "for i0, 3; for i1, 2; nop; nop; end",
        &[[1, 0, 1, 0], [1, 50, 1, 0]],
        &[0, 1, 2, 2, 3, 1, 2, 2, 3, 4],
    ),
    ('C', "for i0, 2; for i1, 2; nop; end", &[[1, 0, 1, 0], [1, 50, 1, 0]], &[0, 1, 2, 2, 3]),
    ('D', "ifu b0, 3, 1; nop; nop; nop; nop; end", &[], &[0, 1, 2, 4, 5]),
    ('d', "ifu b1, 3, 1; nop; nop; nop; nop; end", &[], &[0, 3, 4, 5]),
    ('E', "ifu b0, 3, 2; nop; jmpu b0, 6; nop; nop; nop; end", &[], &[0, 1, 2, 5, 6]),
    ('F', "ifu b0, 2, 1; call 5, 1; nop; nop; end; nop", &[], &[0, 1, 3, 4]),
    ('G', "call 3, 1; nop; end; call 5, 1; end; nop", &[], &[0, 3, 5, 1, 2]),
    ('H', "call 2, 1; end; call 3, 1; call 4, 2; nop; nop", &[], &[0, 2, 3, 4, 5, 1]),
    (
        'I',
        "call 2, 1; end; call 3, 1; call 4, 1; call 5, 1; nop; end",
        &[],
        &[0, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5, 6],
    ),
    ('J', "for i0, 3; nop; ifu b1, 4, 0; nop; end", &[[1, 0, 1, 0]], &[0, 1, 2, 4]),
    ('j', "for i0, 3; nop; ifu b0, 4, 0; nop; end", &[[1, 0, 1, 0]], &[0, 1, 2, 3, 1, 2, 3, 4]),
    ('K', "for i0, 4; ifu b0, 3, 2; nop; nop; nop; end", &[[1, 0, 1, 0]], &[0, 1, 2, 5]),
    ('L', "for i0, 2; nop; call 5, 1; nop; end; nop", &[[1, 0, 1, 0]], &[0, 1, 2, 1, 2, 3, 4]),
    ('M', "for i0, 3; nop; break; nop; end", &[[5, 0, 1, 0]], &[0, 1, 2, 4]),
    ('N', "for i0, 2; jmpu b0, 5; nop; nop; nop; nop; end", &[[1, 0, 1, 0]], &[0, 1, 5, 6]),
    (
        'O',
        "ifu b0, 7, 1; for i0, 5; ifu b0, 5, 0; break; nop; nop; nop; nop; end",
        &[[3, 0, 1, 0]],
        &[0, 1, 2, 3, 6, 7, 8],
    ),
    (
        'P',
        "call 2, 5; end; for i0, 4; call 8, 2; nop; nop; nop; end; break; nop",
        &[[3, 0, 1, 0]],
        &[0, 2, 3, 8, 5, 6, 7],
    ),
    (
        'Q',
        "call 3, 2; nop; end; call 5, 2; nop; call 7, 2; nop; call 9, 2; nop; call 11, 1; nop; nop; end",
        &[],
        &[0, 3, 5, 7, 9, 11, 10, 8, 6, 4, 5],
    ),
    ('R', "call 3, 2; nop; end; nop; jmpu b0, 6; nop; end", &[], &[0, 3, 4, 1, 2]),
    ('S', "ifu b0, 1, 0; nop; end", &[], &[0, 1, 2]),
];

fn program(lines: &str) -> Program {
    let text = format!(".raw\n.proc main\n{}\n.end\n", lines.replace("; ", "\n"));
    let shbin = assemble(&[SourceFile::new("trace.pica", text)], Options::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{lines}"));
    let descriptors: Vec<u32> = shbin.program.descriptors.iter().map(|&[word, _]| word).collect();
    Program::from_words(UnitKind::Vertex, &shbin.program.code, &descriptors)
}

fn int_uniforms(ints: &[[u8; 4]]) -> [[u8; 4]; 4] {
    std::array::from_fn(|id| ints.get(id).copied().unwrap_or_default())
}

/// All ways to unfold a program: loops in the state or in lanes, booleans known or not.
const WAYS: [(Loops, u16); 4] =
    [(Loops::Unrolled, 0), (Loops::Unrolled, 0xffff), (Loops::Counted, 0), (Loops::Counted, 0xffff)];

fn unfold(program: &Program, ints: &[[u8; 4]; 4], (loops, variable_bools): (Loops, u16)) -> Option<Graph> {
    let uniform = Uniform { bools: BOOLS, variable_bools, ints, al_is_zero: true };
    Unfolder::new(program, uniform, loops, false).run(0, STATE_LIMIT).expect("memory")
}

/// The registers that a graph works on.
#[derive(Default)]
struct Walker {
    al: i32,
    left: [i32; 4],
    saved: [i32; 4],
    /// Address and `aL` of each word.
    trace: Vec<(u16, i32)>,
    faulty: bool,
}

impl Walker {
    /// Follows a graph for a while; both flags are false. Whether it came to the end.
    fn follow(&mut self, graph: &Graph) -> bool {
        let mut at = 0;
        while self.trace.len() < STEPS {
            let node = &graph.nodes[at];
            node.actions.iter().for_each(|action| self.act(*action));
            self.faulty |= node.faulty;
            at = match node.exit {
                Exit::End => return true,
                Exit::Goto(next) => next,
                Exit::Branch(test, yes, no) => {
                    if self.holds(test) {
                        yes
                    } else {
                        no
                    }
                }
            };
        }
        false
    }

    fn holds(&self, test: Test) -> bool {
        match test {
            Test::Cmp(condition) => condition.holds([false; 2]),
            Test::Bool(id, wanted) => (BOOLS >> id & 1 != 0) == wanted,
            Test::Counter(slot) => self.left[usize::from(slot)] != 0,
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Word(Step { pc, al, .. }) => {
                let al = match al {
                    Al::Known(al) => al,
                    Al::Lanes => self.al,
                    Al::Dead => panic!("nothing was to be forgotten"),
                };
                self.trace.push((pc, al));
            }
            Action::Count(Count::Start { slot, left, start }) => {
                self.saved[usize::from(slot)] = self.al;
                self.left[usize::from(slot)] = i32::from(left);
                self.al = i32::from(start);
            }
            Action::Count(Count::Step { increment }) => self.al += i32::from(increment),
            Action::Count(Count::Restore { slot }) => self.al = self.saved[usize::from(slot)],
            Action::Count(Count::Decrement { slot }) => self.left[usize::from(slot)] -= 1,
        }
    }
}

/// What the interpreter executes: address of each word, `aL` before it; whether a fault was reported, whether
/// it came to the end.
fn interpreted(program: &Program, ints: &[[u8; 4]; 4]) -> (Vec<(u16, i32)>, bool, bool) {
    let mut uniforms = Uniforms::default();
    uniforms.set_bools(BOOLS);
    (0..4).for_each(|id| uniforms.set_int(id, ints[usize::from(id)]));
    let invocation = Invocation {
        program,
        entry: 0,
        uniforms: &uniforms,
        output_mask: 0,
        precision: Precision::Console,
        instruction_budget: 2 * STEPS as u32,
        vertex: 0,
    };
    let (mut trace, mut faults) = (Trace::with_limit(2 * STEPS), FaultList::new());
    run_unit(&invocation, &mut ShaderUnit::default(), &mut Vec::new(), &mut faults, Some(&mut trace));
    let mut al = 0;
    let before = trace.steps().iter().map(|step| (step.pc, std::mem::replace(&mut al, step.al))).collect();
    let ended = trace.steps().len() < 2 * STEPS;
    (before, !faults.as_slice().is_empty(), ended)
}

#[test]
fn worked_traces() {
    for (letter, lines, ints, expected) in TRACES {
        let (program, ints) = (program(lines), int_uniforms(ints));
        for way in WAYS {
            let graph = unfold(&program, &ints, way).expect("a small graph");
            let mut walker = Walker::default();
            walker.follow(&graph);
            let addresses: Vec<u16> = walker.trace.iter().map(|&(pc, _)| pc).collect();
            assert!(addresses.starts_with(expected), "{letter}, {way:?}: {addresses:?}");
            assert!(addresses.len() == expected.len() || letter == 'Q', "{letter}, {way:?}: {addresses:?}");
        }
    }
}

#[test]
fn loop_counters_of_the_worked_traces() {
    let expected: [(char, &[i32]); 3] = [
        ('A', &[0, 10, 10, 13, 13, 16, 16, 19]),
        ('B', &[0, 0, 50, 51, 0, 1, 50, 51, 1, 2]),
        ('M', &[0, 0, 0, 1]),
    ];
    for (letter, expected) in expected {
        let (_, lines, ints, _) = TRACES.into_iter().find(|trace| trace.0 == letter).expect("a trace");
        for way in WAYS {
            let mut walker = Walker::default();
            walker.follow(&unfold(&program(lines), &int_uniforms(ints), way).expect("a small graph"));
            let counters: Vec<i32> = walker.trace.iter().map(|&(_, al)| al).collect();
            assert_eq!(counters, expected, "{letter}, {way:?}");
        }
    }
}

/// Random numbers, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        picaflor_pipeline::random::word(&mut self.0) % limit
    }
}

/// Words of control flow without any structure.
fn wild(random: &mut Random) -> String {
    let words: Vec<String> = (0..12)
        .map(|at| {
            let (target, num, id) = (random.below(13), random.below(4), random.below(3));
            let near = (at + 1 + random.below(4)).min(12);
            match random.below(16) {
                0 | 1 => format!("for i{id}, {near}"),
                2 => format!("ifu b{id}, {near}, {num}"),
                3 => format!("ifc cmp.x, {near}, {num}"),
                4 => format!("ifc !cmp.x || cmp.y, {near}, {num}"),
                5 => format!("call {target}, {num}"),
                6 => format!("callu b{id}, {target}, {num}"),
                7 => format!("callc !cmp.y, {near}, {num}"),
                8 => format!("jmpu b{id}, {target}"),
                9 => format!("jmpc cmp.x, {target}"),
                10 => "break".into(),
                11 => "breakc !cmp.x && cmp.y".into(),
                12 => "end".into(),
                _ => "nop".into(),
            }
        })
        .collect();
    format!("{}; end", words.join("; "))
}

#[test]
fn random_programs_go_the_way_of_the_interpreter() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut compared = 0;
    for number in 0..500 {
        let lines = wild(&mut random);
        let ints = int_uniforms(&[[0, 3, 1, 0], [1, 0, 2, 0], [3, 250, 100, 0]]);
        let program = program(&lines);
        let (expected, fault, ended) = interpreted(&program, &ints);
        for way in WAYS {
            let Some(graph) = unfold(&program, &ints, way) else { continue };
            check_shape(&graph, &lines);
            let mut walker = Walker::default();
            let ends = walker.follow(&graph);
            let length = walker.trace.len().min(expected.len());
            assert_eq!(walker.trace[..length], expected[..length], "program {number}, {way:?}: {lines}");
            if ends {
                assert_eq!((length, ended), (expected.len(), true), "program {number}, {way:?}: {lines}");
                assert_eq!(walker.faulty, fault, "program {number}, {way:?}: {lines}");
                let within = graph.cyclic || walker.trace.len() as u32 <= graph.longest;
                assert!(within, "program {number}, {way:?}: {lines}");
            }
            compared += 1;
        }
    }
    assert!(compared > 1750, "{compared} of 2000 were small enough");
}

/// What holds for every graph.
fn check_shape(graph: &Graph, name: &str) {
    let count = graph.nodes.len();
    let mut predecessors = vec![0; count];
    let mut forward = vec![false; count];
    predecessors[0] = 1;
    forward[0] = true;
    let mut back = false;
    for (at, node) in graph.nodes.iter().enumerate() {
        assert!(forward[at], "node {at} is reached from nodes before it: {name}");
        for next in node.successors() {
            predecessors[next] += 1;
            forward[next] |= next > at;
            back |= next <= at;
        }
    }
    let stated: Vec<usize> = graph.nodes.iter().map(|node| node.predecessors).collect();
    assert_eq!(stated, predecessors, "{name}");
    assert_eq!(graph.cyclic, back, "{name}");
    // Whatever ends a chain is reached from elsewhere too.
    for node in &graph.nodes {
        if let Exit::Goto(next) = node.exit {
            assert!(graph.nodes[next].predecessors > 1, "a chain is not joined: {name}");
        }
    }
}

#[test]
fn straight_code_is_one_node() {
    for way in WAYS {
        let graph = unfold(&program("nop; nop; call 4, 2; end; nop; nop"), &[[0; 4]; 4], way).expect("small");
        assert_eq!((graph.nodes.len(), graph.longest, graph.cyclic), (1, 6, false));
        assert_eq!(graph.nodes[0].words(), 6);
    }
}

#[test]
fn the_longer_side_of_a_branch_counts() {
    let graph =
        unfold(&program("ifc cmp.x, 4, 1; nop; nop; nop; nop; end"), &[[0; 4]; 4], WAYS[0]).expect("small");
    assert_eq!((graph.nodes.len(), graph.longest, graph.cyclic), (4, 5, false));
}

#[test]
fn loops_are_unrolled_or_counted() {
    let ints = int_uniforms(&[[9, 0, 1, 0]]);
    let program = program("for i0, 2; nop; nop; end");
    let unrolled = unfold(&program, &ints, WAYS[0]).expect("small");
    assert_eq!((unrolled.nodes.len(), unrolled.longest, unrolled.cyclic), (1, 22, false));
    let counted = unfold(&program, &ints, WAYS[2]).expect("small");
    assert!(counted.cyclic && counted.nodes.len() > 1, "{counted:?}");
    let chosen = |x| {
        let ints = int_uniforms(&[[x, 0, 1, 0], [x, 0, 1, 0]]);
        let nested = self::program("for i0, 4; for i1, 3; nop; nop; nop; end");
        let uniform = Uniform { bools: 0, variable_bools: 0, ints: &ints, al_is_zero: true };
        Graph::new(&nested, 0, uniform, Loops::Unrolled).expect("it is unfolded").cyclic
    };
    assert_eq!((chosen(3), chosen(255)), (false, true));
}

#[test]
fn graphs_with_too_many_states_are_refused() {
    // Every word calls some other on a condition: the stacks make a state of every path.
    let lines: Vec<String> =
        (0..60).map(|at| format!("callc cmp.x, {}, {}", at * 7 % 60, 1 + at % 9)).collect();
    let program = program(&format!("{}; end", lines.join("; ")));
    let uniform = Uniform { bools: 0, variable_bools: 0, ints: &[[0; 4]; 4], al_is_zero: true };
    let refused = Graph::new(&program, 0, uniform, Loops::Unrolled);
    assert!(
        matches!(refused, Err(CompileError::TooManyStates { .. })),
        "{:?}",
        refused.map(|graph| graph.nodes.len())
    );
}

#[test]
fn an_entry_beyond_the_memory_ends_at_once() {
    let uniform = Uniform { bools: 0, variable_bools: 0, ints: &[[0; 4]; 4], al_is_zero: true };
    let graph = Graph::new(&program("nop; end"), u16::MAX, uniform, Loops::Unrolled).expect("an empty graph");
    assert_eq!((graph.nodes.len(), graph.longest), (1, 0));
    assert_eq!(graph.nodes[0].exit, Exit::End);
}
