//! A capture on an engine, with the time that each stage of the machine takes.

use picaflor_pipeline::capture::replay::Player;
use picaflor_pipeline::capture::{Capture, CaptureError, Event};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, Stages, TileBatch,
    TileRoutine, VertexBatch,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a replay did, and how long its stages took.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Counters.
    pub stats: Stats,
    /// Vertices that were shaded; the others were known from the draw they belong to.
    pub shaded: u64,
    /// In vertex and geometry programs.
    pub vertex: Duration,
    /// From the first to the last fragment of each draw, coverage and interpolation included.
    pub fragment: Duration,
    /// In fills, display transfers and copies.
    pub transfer: Duration,
    /// In everything, set-up of draws included.
    pub whole: Duration,
}

impl Timing {
    /// The shorter time of each stage.
    #[must_use]
    pub fn best(self, other: Self) -> Self {
        Self {
            vertex: self.vertex.min(other.vertex),
            fragment: self.fragment.min(other.fragment),
            transfer: self.transfer.min(other.transfer),
            whole: self.whole.min(other.whole),
            ..self
        }
    }

    /// Nanoseconds of the vertex stage for each vertex that was shaded.
    #[must_use]
    pub fn per_vertex(&self) -> f64 {
        per(self.vertex, self.shaded)
    }

    /// Nanoseconds of the fragment path for each fragment.
    #[must_use]
    pub fn per_fragment(&self) -> f64 {
        per(self.fragment, self.stats.fragments)
    }
}

fn per(time: Duration, count: u64) -> f64 {
    time.as_nanos() as f64 / count.max(1) as f64
}

/// Replays a capture once.
///
/// # Errors
/// The capture is not sound.
pub fn replay(capture: &Capture, engine: &mut dyn Stages, threads: usize) -> Result<Timing, CaptureError> {
    let mut player = Player::new(capture)?;
    player.pica_mut().set_threads(threads);
    let mut timed = Timed::new(engine);
    let mut transfer = Duration::ZERO;
    let whole = Instant::now();
    loop {
        let start = Instant::now();
        let Some(step) = player.step(&mut timed) else { break };
        if let Event::Mmio { .. } = step.event {
            transfer += start.elapsed();
        }
    }
    let whole = whole.elapsed();
    let Timed { shaded, vertex, draws, .. } = timed;
    let fragment = draws.iter().map(|draw| draw.length()).sum();
    Ok(Timing { stats: *player.pica().stats(), shaded, vertex, fragment, transfer, whole })
}

/// The best of several replays, after one that does not count.
///
/// # Errors
/// The capture is not sound.
pub fn best_of(
    runs: usize,
    capture: &Capture,
    engine: &mut dyn Stages,
    threads: usize,
) -> Result<Timing, CaptureError> {
    replay(capture, engine, threads)?;
    let mut best = replay(capture, engine, threads)?;
    for _ in 1..runs {
        best = best.best(replay(capture, engine, threads)?);
    }
    Ok(best)
}

/// Engines with a clock.
struct Timed<'a> {
    inner: &'a mut dyn Stages,
    shaded: u64,
    vertex: Duration,
    draws: Vec<Arc<TimedRoutine>>,
}

impl<'a> Timed<'a> {
    fn new(inner: &'a mut dyn Stages) -> Self {
        Self { inner, shaded: 0, vertex: Duration::ZERO, draws: Vec::new() }
    }
}

impl ShaderStage for Timed<'_> {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        let start = Instant::now();
        self.inner.shade(batch, out, faults);
        self.vertex += start.elapsed();
        self.shaded += batch.indices.len() as u64;
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        let start = Instant::now();
        self.inner.run_geometry(run, emitted, faults);
        self.vertex += start.elapsed();
    }
}

impl FragmentStage for Timed<'_> {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        let inner = self.inner.fragment_routine(state);
        let routine = Arc::new(TimedRoutine { inner, span: Mutex::new(None) });
        self.draws.push(Arc::clone(&routine));
        routine
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
    }
}

/// The fragments of one draw: when the first tile began and the last one ended.
struct TimedRoutine {
    inner: Arc<dyn TileRoutine>,
    span: Mutex<Option<(Instant, Instant)>>,
}

impl TimedRoutine {
    fn length(&self) -> Duration {
        let span = *self.span.lock().unwrap_or_else(PoisonError::into_inner);
        span.map_or(Duration::ZERO, |(start, end)| end - start)
    }
}

impl TileRoutine for TimedRoutine {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let start = Instant::now();
        let drawn = self.inner.run(batch);
        let end = Instant::now();
        let mut span = self.span.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last) = span.unwrap_or((start, end));
        *span = Some((first.min(start), last.max(end)));
        drawn
    }
}
