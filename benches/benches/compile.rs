//! How long it takes until a program runs in compiled code: a new engine's first batch of four vertices.
//! Throughput is program words. The binary `table` prints the same without the batch itself.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use picaflor_benches::contender::{PRECISIONS, Runner, precision_name};
use picaflor_benches::example::Example;
use picaflor_benches::mesh::Storage;
use picaflor_benches::workload::{Order, Workload};

fn compile(criterion: &mut Criterion) {
    for example in Example::ALL {
        let workload = Workload::new(example, Storage::Floats, Order::Sequential);
        let mut group = criterion.benchmark_group(format!("compile/{example}"));
        group.throughput(Throughput::Elements(workload.words as u64));
        for precision in PRECISIONS {
            let batch = workload.first(4, precision);
            group.bench_function(precision_name(precision), |bencher| {
                bencher.iter_batched_ref(
                    || Runner::jit().expect("a host that runs compiled code"),
                    |runner| runner.run(&batch),
                    BatchSize::PerIteration,
                );
            });
        }
        group.finish();
    }
}

criterion_group!(benches, compile);
criterion_main!(benches);
