//! `cargo run --release -p picaflor-benches --bin fragments [STATE…]`: nanoseconds per fragment of each state.

use picaflor_benches::clock::{self, Task};
use picaflor_benches::contender::blocking_engine;
use picaflor_benches::fragment::{Shape, State, Workload};
use picaflor_pipeline::stage::FragmentStage;

fn main() {
    for state in State::ALL {
        for shape in Shape::ALL {
            let workload = Workload::new(state);
            let triangles = workload.triangles(shape);
            let mut engine = blocking_engine().build().expect("a host that runs compiled code");
            let routine = engine.fragment_routine(&workload.fragments());
            let fragments = workload.draw(&*routine, &triangles, 1) as f64;
            let draw = |threads| -> Task<'_> {
                let (workload, routine, triangles) = (&workload, &*routine, &triangles);
                Box::new(move || _ = workload.draw(routine, triangles, threads))
            };
            let times = clock::minima(&mut [draw(1), draw(2)], 200);
            println!(
                "{} {:<15} jit {:6.2} ns, 2 threads {:6.2} ns, {:.2}x",
                state.name(),
                shape.name(),
                times[0] / fragments,
                times[1] / fragments,
                times[0] / times[1]
            );
        }
    }
}
