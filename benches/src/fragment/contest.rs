//! Who takes part in drawing fragments, and how long each takes.

use super::{Shape, State, Workload};
use crate::clock::{self, Task};
use crate::contender::blocking_engine;
use crate::yardstick::fragment::{Frame, Width};
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, Engine};
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::stage::{FragmentStage, TileRoutine};
use std::sync::Arc;

/// Samples of compiled code and of the yardstick in each round; the interpreter has one.
const SAMPLES: usize = 60;

/// Nanoseconds for each fragment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Compiled code on one and two threads.
    pub jit: [f64; 2],
    /// The interpreter on one and two threads.
    pub interpreter: [f64; 2],
    /// Vectors of four and of eight pixels by hand, where the state is the yardstick's.
    pub yardstick: Option<[f64; 2]>,
}

impl Times {
    fn best(self, other: Self) -> Self {
        let best = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].min(b[1])];
        Self {
            jit: best(self.jit, other.jit),
            interpreter: best(self.interpreter, other.interpreter),
            yardstick: self.yardstick.zip(other.yardstick).map(|(a, b)| best(a, b)),
        }
    }
}

/// A state, with triangles of one shape, in front of everybody who can draw it.
pub struct Contest {
    workload: Workload,
    triangles: Vec<Triangle>,
    fragments: u64,
    engine: Engine,
    compiled: Arc<dyn TileRoutine>,
    interpreted: Arc<dyn TileRoutine>,
    frame: Option<Frame>,
}

impl Contest {
    /// Compiles the state and draws everything once.
    ///
    /// # Errors
    /// When the host cannot run compiled code.
    pub fn new(state: State, shape: Shape) -> Result<Self, CompileError> {
        let workload = Workload::new(state);
        let triangles = workload.triangles(shape);
        let frame = (state == State::Yardstick).then(|| Frame::new(&workload));
        let mut engine = blocking_engine().fallback(false).build()?;
        let compiled = engine.fragment_routine(&workload.fragments());
        let interpreted = Interpreter::new().fragment_routine(&workload.fragments());
        let fragments = workload.draw(&*compiled, &triangles, 1);
        Ok(Self { workload, triangles, fragments, engine, compiled, interpreted, frame })
    }

    /// Fragments of a drawing.
    #[must_use]
    pub const fn fragments(&self) -> u64 {
        self.fragments
    }

    /// Draws everything on compiled code.
    pub fn draw_compiled(&self, threads: usize) -> u64 {
        self.workload.draw(&*self.compiled, &self.triangles, threads)
    }

    /// Draws everything on the interpreter.
    pub fn draw_interpreted(&self, threads: usize) -> u64 {
        self.workload.draw(&*self.interpreted, &self.triangles, threads)
    }

    /// Microseconds from a state to a routine that is bound to it, when there is code already.
    #[must_use]
    pub fn bind_time(&mut self) -> f64 {
        let Self { engine, workload, .. } = self;
        let task = || drop(std::hint::black_box(engine.fragment_routine(&workload.fragments())));
        clock::minima(&mut [Box::new(task)], SAMPLES)[0] / 1e3
    }

    /// The shortest times of some rounds, in which everybody takes turns.
    #[must_use]
    pub fn times(&mut self, rounds: usize) -> Times {
        let first = self.round();
        (1..rounds).fold(first, |best, _| best.best(self.round()))
    }

    fn round(&mut self) -> Times {
        let Self { workload, triangles, compiled, interpreted, frame, .. } = self;
        let task = |routine: &Arc<dyn TileRoutine>, threads| -> Task<'_> {
            let (workload, triangles, routine) = (&*workload, &*triangles, Arc::clone(routine));
            Box::new(move || _ = workload.draw(&*routine, triangles, threads))
        };
        let slow = clock::minima(&mut [task(interpreted, 1), task(interpreted, 2)], 1);
        let mut frames = [frame.clone(), frame.clone()];
        let mut fast = vec![task(compiled, 1), task(compiled, 2)];
        for (frame, width) in frames.iter_mut().zip([Width::Four, Width::Eight]) {
            if let Some(frame) = frame {
                let triangles = &*triangles;
                fast.push(Box::new(move || _ = frame.draw(triangles, width)));
            }
        }
        let fast = clock::minima(&mut fast, SAMPLES);
        let per_fragment = |time: f64| time / self.fragments as f64;
        let pair = |times: &[f64]| [per_fragment(times[0]), per_fragment(times[1])];
        Times {
            jit: pair(&fast),
            interpreter: pair(&slow),
            yardstick: (fast.len() == 4).then(|| pair(&fast[2..])),
        }
    }
}
