//! The time of one vertex: yardstick, interpreter and JIT, each program, both precisions.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use picaflor_benches::pica::contender::{PRECISIONS, Ruler, Runner, precision_name};
use picaflor_benches::pica::example::Example;
use picaflor_benches::pica::mesh::Storage;
use picaflor_benches::pica::workload::{Order, VERTICES, Workload};

fn shader(criterion: &mut Criterion) {
    for example in Example::ALL {
        let workload = Workload::new(example, Storage::Floats, Order::Sequential);
        let mut group = criterion.benchmark_group(format!("shader/{example}"));
        group.throughput(Throughput::Elements(VERTICES as u64));
        let mut ruler = Ruler::new(&workload);
        group.bench_function("yardstick", |bencher| bencher.iter(|| ruler.run()));
        for precision in PRECISIONS {
            let batch = workload.batch(precision);
            let mut interpreter = Runner::interpreter();
            group.bench_function(format!("interpreter/{}", precision_name(precision)), |bencher| {
                bencher.iter(|| interpreter.run(&batch));
            });
            let mut jit = Runner::jit().expect("a host that runs compiled code");
            group.bench_function(format!("jit/{}", precision_name(precision)), |bencher| {
                bencher.iter(|| jit.run(&batch));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, shader);
criterion_main!(benches);
