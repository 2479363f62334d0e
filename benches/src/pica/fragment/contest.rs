//! Contests of fragments: the contenders, and their times.

use super::{Shape, State, Workload};
use crate::clock::{self, Task};
use crate::pica::contender::blocking_engine;
use crate::pica::yardstick::fragment::{Frame, Width};
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, Engine};
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::stage::{FragmentStage, TileRoutine};
use std::sync::Arc;

/// Samples of compiled code and of the yardstick in each round; the interpreter has one.
const SAMPLES: usize = 60;
/// Number of times that the triangles are drawn over each other where threads are compared: as much work as in a
/// frame, so that the start of a thread, once for a command list, has the same small share as there.
const LAYERS: usize = 8;

/// Nanoseconds for each fragment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Compiled code.
    pub jit: f64,
    /// Compiled code on one and two threads, several layers of the triangles at once.
    pub threads: [f64; 2],
    /// The interpreter.
    pub interpreter: f64,
    /// Vectors of four and of eight pixels by hand, where the state is the yardstick's.
    pub yardstick: Option<[f64; 2]>,
}

impl Times {
    fn best(self, other: Self) -> Self {
        let best = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].min(b[1])];
        Self {
            jit: self.jit.min(other.jit),
            threads: best(self.threads, other.threads),
            interpreter: self.interpreter.min(other.interpreter),
            yardstick: self.yardstick.zip(other.yardstick).map(|(a, b)| best(a, b)),
        }
    }
}

/// A state, triangles of one shape, and every contender that can draw them.
pub struct Contest {
    workload: Workload,
    triangles: Triangles,
    /// Several times the same.
    layers: Triangles,
    fragments: u64,
    engine: Engine,
    compiled: Arc<dyn TileRoutine>,
    interpreted: Arc<dyn TileRoutine>,
    /// By hand, with the same triangles, each with attributes of its own.
    by_hand: Option<(Frame, Vec<Triangle>)>,
}

impl Contest {
    /// Compiles the state and draws everything once.
    ///
    /// # Errors
    /// If the host cannot run compiled code.
    pub fn new(state: State, shape: Shape) -> Result<Self, CompileError> {
        let workload = Workload::new(state);
        let triangles = workload.triangles(shape);
        let layers = std::iter::repeat_n(&triangles, LAYERS).flat_map(Triangles::iter).collect();
        let by_hand =
            (state == State::Yardstick).then(|| (Frame::new(&workload), triangles.iter().collect()));
        let mut engine = blocking_engine().fallback(false).build()?;
        let compiled = engine.fragment_routine(&workload.fragments());
        let interpreted = Interpreter::new().fragment_routine(&workload.fragments());
        let fragments = workload.draw(&*compiled, &triangles, 1);
        Ok(Self { workload, triangles, layers, fragments, engine, compiled, interpreted, by_hand })
    }

    /// Fragments of a drawing.
    #[must_use]
    pub const fn fragments(&self) -> u64 {
        self.fragments
    }

    /// Draws everything on compiled code.
    pub fn draw_compiled(&self) -> u64 {
        self.workload.draw(&*self.compiled, &self.triangles, 1)
    }

    /// Draws several layers on compiled code.
    pub fn draw_layers(&self, threads: usize) -> u64 {
        self.workload.draw(&*self.compiled, &self.layers, threads)
    }

    /// Draws everything on the interpreter.
    pub fn draw_interpreted(&self) -> u64 {
        self.workload.draw(&*self.interpreted, &self.triangles, 1)
    }

    /// Microseconds to bind a state to a routine that exists already.
    #[must_use]
    pub fn bind_time(&mut self) -> f64 {
        let Self { engine, workload, .. } = self;
        let task = || drop(std::hint::black_box(engine.fragment_routine(&workload.fragments())));
        clock::minima(&mut [Box::new(task)], SAMPLES)[0] / 1e3
    }

    /// The shortest times of some rounds, in each of which every contender runs.
    #[must_use]
    pub fn times(&self, rounds: usize) -> Times {
        let first = self.round();
        (1..rounds).fold(first, |best, _| best.best(self.round()))
    }

    fn round(&self) -> Times {
        let mut frames = [self.by_hand.clone(), self.by_hand.clone()];
        let mut by_hand: Vec<Task<'_>> = Vec::new();
        for (frame, width) in frames.iter_mut().zip([Width::Four, Width::Eight]) {
            if let Some((frame, triangles)) = frame {
                by_hand.push(Box::new(move || _ = frame.draw(triangles, width)));
            }
        }
        let layers = |threads| -> Task<'_> { Box::new(move || _ = self.draw_layers(threads)) };
        let interpreter = clock::minima(&mut [Box::new(|| _ = self.draw_interpreted())], 1)[0];
        let mut tasks: Vec<Task<'_>> = vec![Box::new(|| _ = self.draw_compiled())];
        tasks.extend(by_hand);
        let fast = clock::minima(&mut tasks, SAMPLES);
        let threads = clock::minima(&mut [layers(1), layers(2)], SAMPLES / LAYERS);
        let per = |time: f64, layers: usize| time / (self.fragments * layers as u64) as f64;
        Times {
            jit: per(fast[0], 1),
            threads: [per(threads[0], LAYERS), per(threads[1], LAYERS)],
            interpreter: per(interpreter, 1),
            yardstick: (fast.len() == 3).then(|| [per(fast[1], 1), per(fast[2], 1)]),
        }
    }
}
