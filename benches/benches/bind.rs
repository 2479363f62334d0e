//! The cost of a draw beside its vertices and fragments: from registers to a routine with its constants. Measured
//! inside a list, where contents of textures are compared once, and outside. The routine exists already.

use criterion::{Criterion, criterion_group, criterion_main};
use picaflor_benches::pica::contender::blocking_engine;
use picaflor_benches::pica::fragment::{State, Workload};
use picaflor_pipeline::pica::stage::FragmentStage;
use std::hint::black_box;

fn bind(criterion: &mut Criterion) {
    for state in State::ALL {
        let workload = Workload::new(state);
        let mut engine = blocking_engine().build().expect("a host that runs compiled code");
        let mut group = criterion.benchmark_group(format!("bind/{}", state.name()));
        group.bench_function("alone", |bencher| {
            bencher.iter(|| drop(black_box(engine.fragment_routine(&workload.fragments()))));
        });
        engine.list_begins();
        group.bench_function("in a list", |bencher| {
            bencher.iter(|| drop(black_box(engine.fragment_routine(&workload.fragments()))));
        });
        engine.list_ends();
        group.finish();
    }
}

criterion_group!(benches, bind);
criterion_main!(benches);
