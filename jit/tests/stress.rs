//! Code memory under load: many threads that compile, run, evict and free at once, while every mapping of the
//! process is watched.

use crate::common::{SCHEMES, Scene};
use picaflor_jit::{CompileError, Engine, EngineMode, Served};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Threads, each with an engine of its own.
const THREADS: usize = 4;
/// Programs that one of them runs, again and again.
const PROGRAMS: usize = 24;
const ROUNDS: usize = 3;
/// Room for some of the programs only.
const SMALL: usize = 12 << 10;

/// A program of its own for each number, with a loop, rows and a replay.
fn scene(number: usize) -> Scene {
    let mut scene = Scene::new(&format!(
        "mul o0, c{number}, v0\nmova a0.x, v1\nadd r2, c4[a0.x], v0\nfor i1, 4\nadd r2, c7[aL], r2\nrcp r1, v0.y\n\
         mov o1, r2\nmov o2, r1\nend"
    ));
    let vertices: Vec<_> =
        (0..7).map(|n| [[0.5, n as f32, -0.25, 2.0], [n as f32, 3.0, 1.5, -1.0]]).collect();
    scene.floats(&vertices);
    scene.uniforms.set_int(1, [2, 1, 2, 0]);
    (0..96).for_each(|n| scene.uniform(n, [0.25, -1.0, 2.0, n as f32]));
    scene
}

/// Runs the programs in an order of the thread's own.
fn work(thread: usize, engine: &mut Engine) {
    for round in 0..ROUNDS {
        for step in 0..PROGRAMS {
            let number = (step * 7 + thread * 5 + round) % PROGRAMS;
            scene(20 + number).check(engine, &format!("thread {thread}, program {number}"));
        }
        engine.wait_for_compiles();
    }
}

/// Mappings that are writable and executable at once, and how many are executable.
#[cfg(target_os = "linux")]
fn mappings() -> (Vec<String>, usize) {
    let text = std::fs::read_to_string("/proc/self/maps").expect("the mappings");
    let permissions = |line: &str| line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let both = text.lines().filter(|line| permissions(line).contains('w') && permissions(line).contains('x'));
    (both.map(str::to_owned).collect(), text.lines().filter(|line| permissions(line).contains('x')).count())
}

/// Looks at the mappings until the work is done; how often, and the most that were executable.
#[cfg(target_os = "linux")]
fn watch(done: &AtomicBool) -> (usize, usize) {
    let (mut looks, mut most) = (0, 0);
    while !done.load(Ordering::Relaxed) {
        let (both, executable) = mappings();
        assert!(both.is_empty(), "writable and executable: {both:?}");
        (looks, most) = (looks + 1, most.max(executable));
        std::thread::yield_now();
    }
    (looks, most)
}

#[cfg(not(target_os = "linux"))]
fn watch(_done: &AtomicBool) -> (usize, usize) {
    (usize::MAX, usize::MAX)
}

#[test]
fn threads_compile_evict_and_run_and_no_page_is_ever_writable_and_executable() {
    for &scheme in SCHEMES {
        let (done, evictions) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| watch(&done));
            let workers: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let evictions = &evictions;
                    scope.spawn(move || {
                        let mode = [EngineMode::Blocking, EngineMode::Background][thread % 2];
                        let builder = Engine::builder().mode(mode).mapping(scheme).code_budget(SMALL);
                        let mut engine = builder.build().expect("this host runs compiled code");
                        work(thread, &mut engine);
                        let stats = engine.stats();
                        assert!(stats.groups > 0 && stats.panics_contained == 0, "{stats:?}");
                        assert!(stats.code_bytes <= SMALL + SMALL / 4 + (32 << 10), "{stats:?}");
                        evictions.fetch_add(stats.evictions as usize, Ordering::Relaxed);
                    })
                })
                .collect();
            let failed: Vec<_> = workers.into_iter().filter_map(|worker| worker.join().err()).collect();
            // The watcher ends whatever became of the workers.
            done.store(true, Ordering::Relaxed);
            let (looks, executable) = watcher.join().expect("no mapping was both");
            if let Some(panic) = failed.into_iter().next() {
                std::panic::resume_unwind(panic);
            }
            assert!(looks > 5 && executable > 1, "{looks} looks at the mappings");
        });
        assert!(evictions.into_inner() > PROGRAMS, "{scheme:?}");
    }
}

/// Without room for a single routine everything is interpreted, and is right.
#[test]
fn no_code_memory_at_all() {
    for &scheme in SCHEMES {
        for mode in [EngineMode::Blocking, EngineMode::Background] {
            let builder = Engine::builder().mode(mode).mapping(scheme).code_budget(0);
            let mut engine = builder.build().expect("this host runs compiled code");
            for _ in 0..3 {
                // Longer than a page of code, so that no rounding up makes room.
                let lines = "rcp r0, v0.x\nadd r1, r0, r1\nmul r1, v1, r1\n".repeat(120) + "mov o0, r1\nend";
                Scene::new(&lines).check(&mut engine, "no room");
                engine.wait_for_compiles();
            }
            assert!(
                matches!(
                    engine.last_run().served,
                    Served::Interpreter(Some(CompileError::BudgetExceeded { .. }))
                ),
                "{:?}",
                engine.last_run()
            );
            assert_eq!(engine.stats().live_routines, 0);
        }
    }
}
