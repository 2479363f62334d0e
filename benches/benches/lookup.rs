//! The cost of a draw beside its vertices: from the key to the routine, with an empty batch and with one group of
//! four vertices. The routine exists already.

use criterion::{Criterion, criterion_group, criterion_main};
use picaflor_benches::pica::contender::{PRECISIONS, Runner, precision_name};
use picaflor_benches::pica::example::Example;
use picaflor_benches::pica::mesh::Storage;
use picaflor_benches::pica::workload::{Order, Workload};

fn lookup(criterion: &mut Criterion) {
    for example in Example::ALL {
        let workload = Workload::new(example, Storage::Floats, Order::Sequential);
        let mut group = criterion.benchmark_group(format!("lookup/{example}"));
        for precision in PRECISIONS {
            let mut runner = Runner::jit().expect("a host that runs compiled code");
            runner.run(&workload.first(4, precision));
            for (name, vertices) in [("empty", 0), ("one group", 4)] {
                let batch = workload.first(vertices, precision);
                group.bench_function(format!("{}/{name}", precision_name(precision)), |bencher| {
                    bencher.iter(|| runner.run(&batch));
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, lookup);
criterion_main!(benches);
