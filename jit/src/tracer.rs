//! Traces on request: the numbers of chosen vertices, runs of geometry programs, and a pixel, by the interpreter, of draws
//! that an engine makes.
//!
//! A host arms the tracer when a draw begins that it wants to see, for example in an observer, and disarms it when the
//! draw ends. In between the interpreter draws the pixels, and runs the chosen vertices and geometry programs once more.
//! Results are the same.

use picaflor_interp::trace::{Found, FragmentTrace, Note, Subject};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most vertices that are recorded in a draw.
pub const MOST_TRACED_VERTICES: u32 = 256;
/// Most runs of geometry programs that are recorded in a draw.
pub const MOST_TRACED_RUNS: u32 = 256;

/// What is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TraceRequest {
    /// Every fragment of this pixel, by column and row as the machine counts them; at most
    /// [`MOST_TRACED_FRAGMENTS`](picaflor_interp::trace::MOST_TRACED_FRAGMENTS) are recorded, the others counted.
    pub pixel: Option<[i32; 2]>,
    /// Vertices by their number among those that the draw transforms; at most [`MOST_TRACED_VERTICES`] are recorded.
    pub vertices: Range<u32>,
    /// Runs of geometry programs by their number in the draw; at most [`MOST_TRACED_RUNS`] are recorded. Not on the GE,
    /// which has none.
    pub geometry_runs: Range<u32>,
}

impl TraceRequest {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A pixel as well.
    #[must_use]
    pub fn with_pixel(self, x: i32, y: i32) -> Self {
        Self { pixel: Some([x, y]), ..self }
    }

    /// Vertices as well.
    #[must_use]
    pub fn with_vertices(self, vertices: Range<u32>) -> Self {
        Self { vertices, ..self }
    }

    /// Runs of geometry programs as well.
    #[must_use]
    pub fn with_geometry_runs(self, geometry_runs: Range<u32>) -> Self {
        Self { geometry_runs, ..self }
    }
}

/// A vertex on its way through the vertex stage.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TracedVertex {
    /// Its number among those that the draw transformed.
    pub number: u32,
    /// Its index in the arrays or records.
    pub index: u32,
    /// Inputs, the first 8192 steps of the program where there is one, outputs.
    pub notes: Vec<Note>,
}

/// A run of a geometry program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TracedRun {
    /// Its number in the draw.
    pub number: u32,
    /// Inputs, float uniforms that are not zero, the first 8192 steps of the program, the first 256 emitted vertices.
    pub notes: Vec<Note>,
}

/// What was recorded.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// Fragments of the pixel, in the order of drawing: the first
    /// [`MOST_TRACED_FRAGMENTS`](picaflor_interp::trace::MOST_TRACED_FRAGMENTS).
    pub fragments: Vec<FragmentTrace>,
    /// Number of its fragments after them, which are not recorded.
    pub fragments_left_out: u64,
    /// The vertices.
    pub vertices: Vec<TracedVertex>,
    /// The runs of geometry programs.
    pub geometry_runs: Vec<TracedRun>,
}

/// The tracer of an engine. Clones are the same one; any thread may use it.
#[derive(Debug, Clone, Default)]
pub struct Tracer(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    is_armed: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    request: TraceRequest,
    found: Found,
    vertices: Vec<TracedVertex>,
    geometry_runs: Vec<TracedRun>,
    /// Vertices transformed since it was armed.
    seen: u32,
    /// Runs of geometry programs since then.
    runs_seen: u32,
}

impl Tracer {
    /// Records from now on, until it is [disarmed](Self::disarm).
    pub fn arm(&self, request: TraceRequest) {
        let mut state = self.lock();
        state.request = request;
        (state.seen, state.runs_seen) = (0, 0);
        self.0.is_armed.store(true, Ordering::Release);
    }

    /// Ends recording; what was recorded stays.
    pub fn disarm(&self) {
        self.0.is_armed.store(false, Ordering::Release);
    }

    /// What was recorded since the last call.
    #[must_use]
    pub fn take(&self) -> Trace {
        let mut state = self.lock();
        let (fragments, fragments_left_out) = state.found.take_traces();
        let vertices = std::mem::take(&mut state.vertices);
        let geometry_runs = std::mem::take(&mut state.geometry_runs);
        Trace { fragments, fragments_left_out, vertices, geometry_runs }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_armed(&self) -> bool {
        self.0.is_armed.load(Ordering::Acquire)
    }

    /// The pixel to record, and where to.
    pub(crate) fn pixel(&self) -> Option<(Subject, Found)> {
        if !self.is_armed() {
            return None;
        }
        let state = self.lock();
        Some((Subject::Pixel(state.request.pixel?), state.found.clone()))
    }

    /// Records those of a batch's vertices that are wanted.
    pub(crate) fn vertices(&self, indices: &[u32], notes: impl Fn(usize) -> Vec<Note>) {
        if !self.is_armed() {
            return;
        }
        let mut state = self.lock();
        let first = state.seen;
        state.seen = first.saturating_add(indices.len() as u32);
        let wanted = state.request.vertices.clone();
        for (position, &index) in indices.iter().enumerate() {
            let number = first.saturating_add(position as u32);
            if wanted.contains(&number) && (state.vertices.len() as u32) < MOST_TRACED_VERTICES {
                state.vertices.push(TracedVertex { number, index, notes: notes(position) });
            }
        }
    }

    /// Whether runs of geometry programs are wanted.
    pub(crate) fn wants_geometry_runs(&self) -> bool {
        self.is_armed() && !self.lock().request.geometry_runs.is_empty()
    }

    /// Records a run of a geometry program that is next, if it is wanted.
    pub(crate) fn geometry_run(&self, notes: impl FnOnce() -> Vec<Note>) {
        if !self.is_armed() {
            return;
        }
        let mut state = self.lock();
        let number = state.runs_seen;
        state.runs_seen = number.saturating_add(1);
        let has_room = (state.geometry_runs.len() as u32) < MOST_TRACED_RUNS;
        if state.request.geometry_runs.contains(&number) && has_room {
            state.geometry_runs.push(TracedRun { number, notes: notes() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_vertices_across_batches() {
        let tracer = Tracer::default();
        let none = |_| unreachable!("not armed");
        tracer.vertices(&[1, 2, 3], none);
        assert!(tracer.pixel().is_none());
        tracer.arm(TraceRequest::new().with_vertices(2..5));
        assert!(tracer.pixel().is_none(), "no pixel is wanted");
        tracer.vertices(&[10, 11, 12], |_| Vec::new());
        tracer.vertices(&[20, 21, 22], |_| Vec::new());
        tracer.disarm();
        tracer.vertices(&[1], none);
        let found = tracer.take().vertices.iter().map(|v| (v.number, v.index)).collect::<Vec<_>>();
        assert_eq!(found, [(2, 12), (3, 20), (4, 21)]);
        assert_eq!(tracer.take(), Trace::default());
        tracer.arm(TraceRequest::new().with_vertices(0..u32::MAX).with_pixel(3, 4));
        tracer.vertices(&[0; 1000], |_| Vec::new());
        assert_eq!(tracer.take().vertices.len(), MOST_TRACED_VERTICES as usize);
        assert_eq!(tracer.pixel().map(|(subject, _)| subject), Some(Subject::Pixel([3, 4])));
    }

    #[test]
    fn chosen_geometry_runs() {
        let tracer = Tracer::default();
        tracer.geometry_run(|| unreachable!("not armed"));
        tracer.arm(TraceRequest::new().with_vertices(0..9));
        assert!(!tracer.wants_geometry_runs(), "vertices alone");
        tracer.geometry_run(|| unreachable!("not wanted"));
        let run_many = |runs: Range<u32>, many| {
            tracer.arm(TraceRequest::new().with_geometry_runs(runs));
            assert!(tracer.wants_geometry_runs());
            (0..many).for_each(|_| tracer.geometry_run(Vec::new));
            tracer.disarm();
            tracer.take().geometry_runs.iter().map(|run| run.number).collect::<Vec<_>>()
        };
        assert_eq!(run_many(1..3, 5), [1, 2]);
        assert_eq!(run_many(2..9, 4), [2, 3], "counted anew");
        assert_eq!(run_many(0..u32::MAX, 1000).len(), MOST_TRACED_RUNS as usize);
        assert!(!tracer.wants_geometry_runs());
    }
}
