//! The engine as hosts see it: modes, eviction, keys, staging, budgets, threads, profilers.

use crate::common::{BASE, FORMS, SCHEMES, Scene, blocking, compiled_only, perf_map};
use picaflor_jit::{CompileError, Engine, EngineMode, MappingScheme, Served, Variant};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{FlatMemory, Memory};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, OutputMap};
use std::sync::atomic::{AtomicU32, Ordering};

/// A little of everything, for 7 vertices; the constant makes another program of it.
fn scene(constant: usize) -> Scene {
    let lines = format!(
        "dp4 r0, c0, v0\nmad o0, v1, c{constant}, r0\ncmp r0.x, ge, lt, r0.y\nifc !cmp.x, 6, 0\n\
         add r0, r0, r0\nmul r0, c2, r0\nrcp r1, v0.y\nmov o1, r0\nmov o2, r1\nend"
    );
    let mut scene = Scene::new(&lines);
    let vertices: Vec<_> =
        (0..7).map(|n| [[0.5, 1.0 + n as f32, -0.25, 2.0], [n as f32, 3.0, 1.5, -1.0]]).collect();
    scene.floats(&vertices);
    for n in 0..96 {
        scene.uniform(n, [0.25, -1.0, 2.0, n as f32]);
    }
    scene
}

fn engine(mode: EngineMode) -> Engine {
    Engine::builder().mode(mode).build().expect("this host runs compiled code")
}

#[test]
fn background_interprets_until_the_code_is_there() {
    let mut engine = engine(EngineMode::Background);
    let scene = scene(1);
    scene.check(&mut engine, "before");
    assert_eq!(engine.last_run().served, Served::Interpreter(None));
    engine.wait_for_compiles();
    scene.check(&mut engine, "after");
    assert_eq!(engine.last_run().served, Served::Compiled);
    let stats = engine.stats();
    assert_eq!((stats.compiles, stats.refined, stats.interpreter_batches), (2, 1, 1));
}

// Only there is code that is replayed.
#[cfg(target_arch = "x86_64")]
#[test]
fn background_interprets_replays_until_the_exact_code_is_there() {
    let mut engine = engine(EngineMode::Background);
    let mut scene = Scene::new("rcp r0, v0.x\nmov o0, r0\nend");
    scene.floats(&[[[2.0; 4]; 2], [[2.0; 4]; 2], [[2.0; 4]; 2], [[2.0; 4]; 2], [[0.0; 4]; 2]]);
    scene.check(&mut engine, "nothing compiled");
    engine.wait_for_compiles();
    scene.check(&mut engine, "fast code compiled");
    assert_eq!((engine.last_run().groups, engine.last_run().replayed), (2, 1));
    assert_eq!(engine.last_run().served, Served::Interpreter(None));
    engine.wait_for_compiles();
    scene.check(&mut engine, "both compiled");
    assert_eq!((engine.last_run().groups, engine.last_run().replayed), (2, 1));
    assert_eq!(engine.last_run().served, Served::Compiled);
}

#[test]
fn interpreter_only_compiles_nothing() {
    let mut engine = engine(EngineMode::InterpreterOnly);
    scene(1).check(&mut engine, "interpreted");
    assert_eq!(engine.last_run().served, Served::Interpreter(None));
    engine.wait_for_compiles();
    assert_eq!(engine.stats().compiles, 0);
}

#[test]
fn eviction_keeps_results_right() {
    for &scheme in SCHEMES {
        let builder = Engine::builder().mode(EngineMode::Blocking).mapping(scheme).code_budget(32 << 10);
        let mut engine = builder.build().expect("this host runs compiled code");
        for round in 0..2 {
            for constant in 0..60 {
                scene(constant).check(&mut engine, &format!("{scheme:?}, round {round}, {constant}"));
                assert!(engine.stats().code_bytes <= 40 << 10);
            }
        }
        let stats = engine.stats();
        assert!(stats.evictions > 0, "{scheme:?}: {stats:?}");
        assert!(stats.compiles > 60, "{scheme:?}: {stats:?}");
    }
}

#[test]
fn a_budget_too_small_for_any_code_leaves_the_interpreter() {
    let builder = Engine::builder().mode(EngineMode::Blocking).code_budget(64);
    let mut engine = builder.build().expect("this host runs compiled code");
    // Budgets are whole pages; this is more code than one holds.
    let long: Vec<String> = (0..90).map(|n| format!("mad r{0}, v0, c{n}, r{0}", n % 4)).collect();
    let mut long =
        Scene::new(&format!("{}\nmov o0, r0\nmov o1, r1\nmov o2, r2\nmov o3, r3\nend", long.join("\n")));
    (0..90).for_each(|n| long.uniform(n, [1.5; 4]));
    for _ in 0..3 {
        long.check(&mut engine, "no room");
        assert!(matches!(engine.last_run().served, Served::Interpreter(Some(_))), "{:?}", engine.last_run());
    }
}

#[test]
fn the_same_program_is_compiled_once() {
    let mut engine = blocking();
    let first = scene(1);
    first.check(&mut engine, "first");
    let compiles = engine.stats().compiles;
    for _ in 0..3 {
        // Assembled anew: other generations, the same words.
        scene(1).check(&mut engine, "again");
    }
    let mut changed = scene(1);
    changed.uniform(0, [9.0, 8.0, 7.0, 6.0]);
    changed.uniforms.set_bools(0xffff);
    changed.uniforms.set_int(0, [1, 2, 3, 4]);
    changed.check(&mut engine, "values that the program does not name");
    let written = changed.program.code()[3];
    changed.program.write_code(3, 0);
    changed.program.write_code(3, written);
    changed.check(&mut engine, "written and restored");
    assert_eq!(engine.stats().compiles, compiles);
    scene(2).check(&mut engine, "another program");
    assert!(engine.stats().compiles > compiles);
}

#[test]
fn named_booleans_and_integers_are_part_of_the_key() {
    let mut engine = compiled_only();
    let mut scene = Scene::new("ifu b3, 2, 0\nmov o0, c1\nfor i1, 3\nadd r0, c2[aL], r0\nmov o1, r0\nend");
    (0..96).for_each(|n| scene.uniform(n, [n as f32, 1.0, 2.0, 3.0]));
    for (bools, int) in [(0, [0, 0, 0, 0]), (8, [0, 0, 0, 0]), (8, [3, 1, 2, 0]), (0, [255, 90, 1, 0])] {
        scene.uniforms.set_bools(bools);
        scene.uniforms.set_int(1, int);
        scene.check(&mut engine, &format!("{bools:x}, {int:?}"));
        assert_eq!(engine.last_run().served, Served::Compiled);
    }
}

#[test]
fn a_perf_map_lists_every_routine() {
    let (path, _only) = perf_map();
    let builder = Engine::builder().mode(EngineMode::Blocking).mapping(MappingScheme::Protect).perf_map(true);
    let mut engine = builder.build().expect("this host runs compiled code");
    let mut scene = scene(77);
    scene.uniforms.set_bools(0x8000);
    scene.check(&mut engine, "listed");
    let map = std::fs::read_to_string(&path).expect("a perf map");
    let lines: Vec<&str> = map.lines().collect();
    assert_eq!(lines.len() as u64, engine.stats().compiles, "{map}");
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let mut number = || u64::from_str_radix(words.next().unwrap_or_default(), 16);
        assert!(number().is_ok_and(|start| start != 0) && number().is_ok_and(|size| size > 16), "{line}");
        assert!(words.next().is_some_and(|name| name.contains("vs")), "{line}");
    }
}

#[test]
fn engines_on_several_threads_do_not_meet() {
    std::thread::scope(|scope| {
        for mode in [EngineMode::Blocking, EngineMode::Background, EngineMode::Background] {
            scope.spawn(move || {
                let mut engine = engine(mode);
                for round in 0..3 {
                    for constant in 0..12 {
                        scene(constant).check(&mut engine, &format!("{mode:?}, {round}, {constant}"));
                    }
                    engine.wait_for_compiles();
                }
                assert_eq!(engine.last_run().served, Served::Compiled);
            });
        }
    });
}

#[test]
fn batches_of_every_small_size() {
    let mut engine = compiled_only();
    let mut scene = scene(1);
    for size in 0..=9 {
        scene.indices = (0..size).map(|n| n * 5 % 7).collect();
        scene.check(&mut engine, &format!("{size} vertices"));
        assert_eq!(engine.last_run().groups, size.div_ceil(4));
    }
}

fn array(address: u32, stride_bytes: u32, element: ElementType, components: u8) -> AttributeSource {
    AttributeSource::Array { address, stride_bytes, element, components }
}

#[test]
fn every_format_and_number_of_components() {
    let mut engine = compiled_only();
    let bytes: Vec<u8> = (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for precision in [Precision::Console, Precision::Binary32] {
        for element in [ElementType::I8, ElementType::U8, ElementType::I16, ElementType::F32] {
            for components in 1..=4 {
                for (offset, stride) in [(0, 16), (1, 7), (3, 0), (2, 255), (0, element.bytes())] {
                    let mut scene = Scene::new("mov o0, v0\nmov o1, v1\nmov o2, v7\nend");
                    scene.memory = Box::new(FlatMemory::new(BASE, bytes.clone()));
                    let first = array(BASE + offset, stride, element, components);
                    scene.inputs.attributes = vec![first, AttributeSource::Fixed([1.0, -0.0, 0.5, f32::NAN])];
                    scene.indices = vec![3, 0, 7, 7, 1, 9];
                    scene.precision = precision;
                    let name = format!("{precision:?} {element:?}×{components}, {offset}, {stride}");
                    scene.check(&mut engine, &name);
                    assert_eq!(engine.last_run().served, Served::Compiled, "{name}");
                }
            }
        }
    }
}

/// Memory with a hole, arrays that end where memory ends, and arrays around the end of the address space.
#[test]
fn arrays_that_are_not_wholly_mapped_are_staged() {
    let mut engine = compiled_only();
    let lines = "mov o0, v0\nmov o1, v1\nend";
    let bytes: Vec<u8> = (0..64_u8).map(|n| n.wrapping_mul(37)).collect();
    let cases = [
        ("ends with memory", BASE, 24, ElementType::F32, 3, vec![0, 1, 2]),
        ("one byte beyond", BASE + 1, 21, ElementType::F32, 3, vec![2, 0, 1]),
        ("before memory", BASE - 8, 8, ElementType::I16, 4, vec![0, 1, 2, 3, 4]),
        ("unmapped", 0, 4, ElementType::U8, 4, vec![0, 5]),
        ("wraps", 0xffff_fff0, 8, ElementType::I8, 3, vec![0, 1, 2, 3, 1 << 31, u32::MAX]),
        ("far index", BASE, 255, ElementType::I16, 2, vec![0, u32::MAX / 255, u32::MAX]),
        ("last bytes", BASE + 63, 1, ElementType::U8, 1, vec![0, 1, 2]),
    ];
    for (name, address, stride, element, components, indices) in cases {
        for base in [BASE, 0xffff_ffc0] {
            let mut scene = Scene::new(lines);
            let shift = base.wrapping_sub(BASE);
            scene.memory = Box::new(FlatMemory::new(base, bytes.clone()));
            scene.inputs.attributes = vec![
                array(address.wrapping_add(shift), stride, element, components),
                array(base, 4, ElementType::U8, 4),
            ];
            scene.indices.clone_from(&indices);
            scene.check(&mut engine, &format!("{name}, memory at {base:x}"));
            assert_eq!(engine.last_run().served, Served::Compiled, "{name}");
        }
    }
}

#[test]
fn budgets_at_the_longest_path() {
    let mut engine = blocking();
    // Without a branch: 4 words.
    let mut straight = Scene::new("mov r0, v0\nadd r0, r0, r0\nmov o0, r0\nend");
    // With cycles: a jump back that vertices take differently often.
    let mut cyclic = Scene::new("add r0, c0, r0\ncmp r0.x, lt, lt, v0.x\njmpc cmp.x, 0\nmov o0, r0\nend");
    cyclic.uniform(0, [1.0; 4]);
    let vertices: Vec<_> = (0..7).map(|n| [[n as f32; 4], [0.0; 4]]).collect();
    for scene in [&mut straight, &mut cyclic] {
        scene.floats(&vertices);
    }
    for budget in 0..=24 {
        for (name, scene) in [("straight", &mut straight), ("cyclic", &mut cyclic)] {
            scene.budget = budget;
            scene.check(&mut engine, &format!("{name}, {budget}"));
            let faults = scene.expected().1;
            let over = faults.as_slice().iter().any(|fault| matches!(fault, Fault::InstructionBudget { .. }));
            let compiled = engine.last_run().served == Served::Compiled;
            assert_eq!(compiled, !over, "{name}, {budget}: {:?}", engine.last_run());
        }
    }
    straight.budget = 3;
    straight.check(&mut engine, "refused");
    let refusal = Some(CompileError::SmallInstructionBudget { budget: 3 });
    assert_eq!(engine.last_run().refusal, refusal);
}

#[test]
fn a_program_that_never_ends_is_stopped() {
    let mut engine = blocking();
    for lines in ["jmpu b0, 0\nend", "for i0, 1\njmpu b0, 0\nend", "call 0, 3\nend\nend"] {
        let mut scene = Scene::new(lines);
        scene.uniforms.set_bools(1);
        scene.budget = 1000;
        scene.check(&mut engine, lines);
    }
}

#[test]
fn faults_come_from_the_interpreter_and_the_rest_stays_compiled() {
    let mut engine = blocking();
    let mut scene = Scene::new("cmp v0.x, gt, gt, v0.y\nmov o0, v0\nbreakc cmp.x\nend");
    let vertices: Vec<_> = (0..12).map(|n| [[if n == 6 { 1.0 } else { 0.0 }, 0.0, 2.0, 3.0]; 2]).collect();
    scene.floats(&vertices);
    scene.check(&mut engine, "one vertex breaks");
    assert_eq!(scene.expected().1.as_slice(), [Fault::BreakOutsideLoop { pc: 2 }]);
    assert_eq!(u64::from(engine.last_run().replayed), FORMS - 1);
}

#[test]
fn mapped_outputs_with_colours_zeros_and_ones() {
    let mut engine = compiled_only();
    let mut scene = Scene::new("mov o0, v0\nmov o2, -v1\nmov o5, c0\nend");
    let special = [f32::NAN, -f32::NAN, f32::INFINITY, -0.0];
    scene.floats(&[[[0.5, -2.0, -0.25, 1.0], special], [special, [1.0; 4]]]);
    scene.uniform(0, [0.3, 0.7, -0.9, 1.5]);
    for precision in [Precision::Console, Precision::Binary32] {
        for mask in [0, 1, 0b101, 0b10_0101, 0xffff] {
            for total in [0, 1, 3, 7] {
                let mut map = OutputMap { mask, total, slots: [0x0b0a_0908; 7] };
                map.slots[1] = 0x0302_0100;
                map.slots[2] = 0x0817_1f09;
                scene.output = OutputForm::Mapped(map);
                scene.precision = precision;
                scene.check(&mut engine, &format!("{precision:?}, {mask:x}, {total}"));
            }
        }
    }
}

#[test]
fn the_exact_variant_replays_nothing() {
    let builder = Engine::builder().mode(EngineMode::Blocking).variant(Variant::Exact);
    let mut engine = builder.build().expect("this host runs compiled code");
    let mut scene = Scene::new("rcp o0, v0.x\nend");
    scene.floats(&[[[0.0; 4]; 2], [[f32::NAN; 4]; 2], [[1e-30; 4]; 2]]);
    for precision in [Precision::Console, Precision::Binary32] {
        scene.precision = precision;
        scene.check(&mut engine, "exact");
        assert_eq!((engine.last_run().replayed, &engine.last_run().served), (0, &Served::Compiled));
    }
}

#[test]
fn a_vertex_program_runs_to_the_end_of_memory_without_end() {
    let mut engine = compiled_only();
    let mut scene = Scene::new("mov o0, v0");
    scene.floats(&[[[1.0, 2.0, 3.0, 4.0]; 2]; 3]);
    assert_eq!(scene.program.kind(), UnitKind::Vertex);
    scene.check(&mut engine, "no END");
}

/// A register that a later node writes by copying an input, and that an earlier one reads in the next round:
/// both must take it in the same form, scaled or not.
#[test]
fn copies_go_round_in_loops() {
    let mut engine = compiled_only();
    for copy in ["mov r1, v1", "max r1, v1, r5", "mov r1, c1", "mul r1, c1, v1"] {
        let mut scene = Scene::new(&format!(
            "add r2, c2, r2\nmul r3, c0, r1\nadd r0, r0, r3\ncmp r2.x, lt, lt, v0.y\nifc cmp.y, 8, 0\n{copy}\n\
             nop\nnop\njmpc cmp.x, 0\nmov o0, r0\nmov o1, r1\nend"
        ));
        let tiny = 2.0_f32.powi(-40);
        let vertices: Vec<_> = (0..9).map(|n| [[n as f32; 4], [4.0, 0.5, 3.0 * tiny, tiny]]).collect();
        scene.uniform(0, [0.5, 2.0, -1.0, 3.0]);
        scene.uniform(1, [7.0, -2.0, tiny, 3.0]);
        scene.uniform(2, [1.0; 4]);
        for inputs in [vec![[[9.0; 4], [tiny; 4]]; 4], vertices] {
            scene.floats(&inputs);
            scene.check(&mut engine, copy);
            assert_eq!(
                (engine.last_run().replayed, &engine.last_run().served),
                (0, &Served::Compiled),
                "{copy}"
            );
        }
    }
}

/// One buffer for all batches, as a host has it: what is known to be 1 must not outlive a change of the map.
#[test]
fn unmapped_semantics_are_one_whatever_the_buffer_held() {
    let mut engine = compiled_only();
    let mut scene = Scene::new("mov o0, v0\nmov o1, v0\nend");
    scene.floats(&[[[0.5, 0.25, 0.125, 2.0]; 2]; 9]);
    let maps =
        [0x0302_0100, 0x0706_0504, 0x0b0a_0908].map(|slot| OutputMap { mask: 1, total: 1, slots: [slot; 7] });
    let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
    for (map, size) in [(0, 9), (1, 3), (1, 9), (2, 1), (0, 2), (0, 7), (2, 9), (1, 9), (0, 9)] {
        scene.output = OutputForm::Mapped(maps[map]);
        scene.indices = (0..size).collect();
        engine.shade(&scene.batch(), &mut out, &mut faults);
        let expected = scene.expected().0;
        for (k, expected) in expected.iter().enumerate() {
            let actual: Vec<u32> = out.component(k).iter().map(|value| value.to_bits()).collect();
            assert_eq!(&actual, expected, "map {map}, {size} vertices, semantic {k}");
        }
    }
}

/// A program that may run for long, for so many vertices that they take several calls; some want the exact code.
fn long_batch() -> Scene {
    // The last word of the body: 200 rounds of four words.
    let mut scene = Scene::new(
        "mov r0, v0\nfor i0, 5\nadd r0, r0, v1\nmul r1, r0, r0\nadd r0, c1, r0\nmad r1, r1, r0, r0\nrcp r2, v0.x\nmov o0, r0\nmov o1, r2\nend",
    );
    scene.uniforms.set_int(0, [199, 0, 1, 0]);
    scene.uniform(1, [0.5, 0.25, -0.5, 1.0]);
    let of = |n: u32| if n % 97 == 5 { 0.0 } else { n as f32 };
    let vertices: Vec<_> = (0..1003).map(|n| [[of(n), 1.0, n as f32, 2.0], [0.25, 0.5, 1.0, -1.0]]).collect();
    scene.floats(&vertices);
    scene
}

fn exact_or_fast(variant: Variant) -> Engine {
    let builder = Engine::builder().mode(EngineMode::Blocking).variant(variant).fallback(false);
    builder.build().expect("this host runs compiled code")
}

#[test]
fn long_batches_take_several_calls() {
    for precision in [Precision::Console, Precision::Binary32] {
        let scene = Scene { precision, ..long_batch() };
        for variant in [Variant::Fast, Variant::Exact] {
            let mut engine = exact_or_fast(variant);
            scene.check(&mut engine, &format!("{precision:?}, {variant:?}"));
            assert_eq!(engine.last_run().served, Served::Compiled);
        }
    }
}

/// Memory of a run that ends at some question.
struct Ending {
    memory: Box<dyn Memory>,
    questions: AtomicU32,
    ends_at: u32,
}

impl Memory for Ending {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn is_stopping(&self) -> bool {
        self.questions.fetch_add(1, Ordering::Relaxed) + 1 >= self.ends_at
    }
}

/// 806 words for each of 1003 vertices are five calls of at most 200,000; the vertices behind the end are not shaded.
#[test]
fn long_batches_end_with_the_run() {
    let mut scene = long_batch();
    scene.precision = Precision::Binary32;
    let whole = scene.shade(&mut compiled_only()).0;
    for (ends_at, calls) in [(1, 1), (3, 3), (100, 5)] {
        let memory = std::mem::replace(&mut scene.memory, Box::new(FlatMemory::default()));
        scene.memory = Box::new(Ending { memory, questions: AtomicU32::new(0), ends_at });
        let done = scene.shade(&mut exact_or_fast(Variant::Exact)).0;
        let vertices = done[1].iter().filter(|&&bits| bits != 0).count();
        assert_eq!(vertices, (calls * 248).min(1003), "{ends_at}");
        assert_eq!(done[0][..vertices], whole[0][..vertices]);
    }
}

/// Their files would go to the current folder.
#[test]
fn folders_have_names() {
    let builders = [
        Engine::builder().disk_cache(""),
        Engine::builder().jitdump(""),
        Engine::builder().dumps("").mode(EngineMode::InterpreterOnly),
    ];
    for (builder, setting) in builders.into_iter().zip(["disk_cache", "jitdump", "dumps"]) {
        assert_eq!(builder.build().err(), Some(CompileError::UnnamedFolder { setting }));
    }
}

/// Nothing would be written, and the host would not know.
#[test]
fn folders_for_profilers_are_there() {
    let builders = [Engine::builder().jitdump("/nowhere/at/all"), Engine::builder().dumps("/nowhere/at/all")];
    for (builder, named) in builders.into_iter().zip(["jitdump", "dumps"]) {
        let refused = builder.mode(EngineMode::Blocking).build().err();
        assert!(
            matches!(&refused, Some(CompileError::Unwritable { setting, path, .. })
                if *setting == named && path == "/nowhere/at/all"),
            "{refused:?}"
        );
    }
}
