//! The time to compile a program, on an engine that has compiled before. Throughput is program words.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use picaflor_benches::pica::contender::{PRECISIONS, blocking_engine, precision_name};
use picaflor_benches::pica::example::Example;
use picaflor_benches::pica::mesh::Storage;
use picaflor_benches::pica::workload::{Order, Workload};

fn compile(criterion: &mut Criterion) {
    for example in Example::ALL {
        let workload = Workload::new(example, Storage::Floats, Order::Sequential);
        let mut group = criterion.benchmark_group(format!("compile/{example}"));
        group.throughput(Throughput::Elements(workload.words as u64));
        for precision in PRECISIONS {
            let batch = workload.first(4, precision);
            group.bench_function(precision_name(precision), |bencher| {
                let mut engine = blocking_engine().build().expect("a host that runs compiled code");
                bencher.iter(|| engine.compile(&batch).expect("a program that compiles"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, compile);
criterion_main!(benches);
