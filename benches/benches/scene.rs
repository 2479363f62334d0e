//! The time of the whole machine for a scene: reference fragment path, vertex stage on both engines.

use criterion::{Criterion, criterion_group, criterion_main};
use picaflor_benches::pica::contender::blocking_engine;
use picaflor_conformance::pica::Pica;
use picaflor_conformance::timing::replay;
use picaflor_interp::Interpreter;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use std::hint::black_box;

/// Scenes that stand for the others: plain triangles, textures, lighting, many triangles. Those that do not
/// exist are left out.
const NAMES: [&str; 4] = ["transforms", "wrap_modes", "spot_light", "game_frame"];

fn scene(criterion: &mut Criterion) {
    for name in NAMES {
        let scene = Scene::by_name(name).expect("a scene");
        let capture = scene.capture(Precision::Console);
        let mut group = criterion.benchmark_group(format!("scene/{}", scene.name));
        group.sample_size(10);
        group.bench_function("interpreter", |bencher| {
            let mut engine = Interpreter::new();
            bencher.iter(|| black_box(replay::<Pica>(&capture, &mut engine, 1).expect("a sound capture")));
        });
        for threads in [1, 2] {
            let mut engine = blocking_engine().build().expect("a host that runs compiled code");
            group.bench_function(format!("jit/{threads}"), |bencher| {
                bencher.iter(|| {
                    black_box(replay::<Pica>(&capture, &mut engine, threads).expect("a sound capture"))
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, scene);
criterion_main!(benches);
