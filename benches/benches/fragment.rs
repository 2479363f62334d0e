//! The time of the fragment path for full-screen and for small triangles, on each engine.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use picaflor_benches::pica::fragment::contest::Contest;
use picaflor_benches::pica::fragment::{Shape, State};
use std::hint::black_box;

fn fragment(criterion: &mut Criterion) {
    for (state, shape) in State::ALL.into_iter().flat_map(|state| Shape::ALL.map(|shape| (state, shape))) {
        let contest = Contest::new(state, shape).expect("a host that runs compiled code");
        let mut group = criterion.benchmark_group(format!("fragment/{}/{}", state.name(), shape.name()));
        group.sample_size(10).throughput(Throughput::Elements(contest.fragments()));
        group.bench_function("jit", |bencher| bencher.iter(|| black_box(contest.draw_compiled())));
        group.bench_function("interpreter", |bencher| {
            bencher.iter(|| black_box(contest.draw_interpreted()));
        });
        group.finish();
    }
}

criterion_group!(benches, fragment);
criterion_main!(benches);
