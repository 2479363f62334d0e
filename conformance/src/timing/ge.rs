//! The same of captures of the GE. Block transfers are commands there, and count as such.

use super::first_frames::{self, FirstFrames, Frame, Frames};
use super::spans::{Ledger, Span, length, merged};
use super::{Timing, touch};
use crate::replay::ReplayError;
use picaflor_jit::Engine;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::stage::{
    PixelStage, PixelState, Stages, TileBatch, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An engine whose work is timed.
struct Clocked<'a> {
    inner: &'a mut dyn Stages,
    shaded: u64,
    vertex: Vec<Span>,
    pixel: Ledger,
}

impl TransformStage for Clocked<'_> {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        let start = Instant::now();
        self.inner.transform(batch, out);
        self.vertex.push((start, Instant::now()));
        self.shaded += batch.indices.len() as u64;
    }
}

impl PixelStage for Clocked<'_> {
    fn pixel_routine(&mut self, state: &PixelState<'_>, shape: Shape) -> Arc<dyn TileRoutine> {
        let start = Instant::now();
        let inner = self.inner.pixel_routine(state, shape);
        self.pixel.note(start);
        Arc::new(ClockedRoutine { inner, ledger: self.pixel.clone() })
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.inner.changed(address, length);
    }
}

struct ClockedRoutine {
    inner: Arc<dyn TileRoutine>,
    ledger: Ledger,
}

impl TileRoutine for ClockedRoutine {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let start = Instant::now();
        let covered = self.inner.run(batch);
        self.ledger.note(start);
        covered
    }
}

/// Replays a capture once.
///
/// # Errors
/// The capture is not sound.
pub fn replay(
    capture: &Capture,
    engine: &mut dyn Stages,
    threads: usize,
) -> Result<Timing<Stats>, CaptureError> {
    let mut player = Player::new(capture)?;
    player.ge_mut().set_threads(threads);
    touch(player.memory());
    let mut clocked = Clocked { inner: engine, shaded: 0, vertex: Vec::new(), pixel: Ledger::default() };
    let mut whole = Duration::ZERO;
    loop {
        let start = Instant::now();
        match player.step(&mut clocked) {
            None => break,
            Some(step) if matches!(step.event, Event::Run(_) | Event::Execute(_)) => whole += start.elapsed(),
            Some(_) => {}
        }
    }
    let (vertex, fragment) = (merged(clocked.vertex), merged(clocked.pixel.spans()));
    Ok(Timing {
        stats: *player.ge().stats(),
        shaded: clocked.shaded,
        vertex: length(&vertex),
        fragment: length(&fragment),
        transfer: Duration::ZERO,
        command: whole.saturating_sub(length(&merged([vertex, fragment].concat()))),
        whole,
    })
}

/// As [`first_frames`](super::first_frames()), of the GE.
///
/// # Errors
/// The capture is not sound, or the host cannot run compiled code.
pub fn first_frames(capture: &Capture, threads: usize) -> Result<FirstFrames, ReplayError> {
    first_frames::of(&mut |engine, done| Ok(frames_of(capture, engine, threads, done)?))
}

/// Plays a capture once.
fn frames_of(
    capture: &Capture,
    engine: &mut Engine,
    threads: usize,
    done: &mut dyn FnMut(&Engine),
) -> Result<Vec<Frame>, CaptureError> {
    let mut player = Player::new(capture)?;
    player.ge_mut().set_threads(threads);
    touch(player.memory());
    let mut frames = Frames::new(engine);
    let mut is_open = false;
    loop {
        let start = Instant::now();
        let Some(step) = player.step(engine) else { break };
        is_open = !matches!(step.event, Event::Display(_));
        match step.event {
            Event::Display(_) => frames.end(engine, done),
            Event::Memory { .. } | Event::State(_) => {}
            Event::Run(_) | Event::Execute(_) => frames.time += start.elapsed(),
        }
    }
    // What follows the last one that is shown is one more.
    if is_open {
        frames.end(engine, done);
    }
    Ok(frames.frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::scene::Scene;
    use picaflor_interp::Interpreter;

    #[test]
    fn stages_add_up_on_one_thread() {
        let capture = Scene::by_name("lists").expect("a scene").capture();
        let timing = replay(&capture, &mut Interpreter::new(), 1).unwrap();
        assert_eq!(timing.vertex + timing.fragment + timing.command, timing.whole);
        assert!([timing.vertex, timing.fragment, timing.command].iter().all(|time| !time.is_zero()));
        assert!(timing.shaded > 0 && timing.per_vertex() > 0.0 && timing.per_fragment() > 0.0);
    }

    #[test]
    fn an_engine_becomes_steady() {
        let capture = Scene::by_name("sprites").expect("a scene").capture();
        let first = first_frames(&capture, 1).unwrap();
        let until = first.until_steady.expect("a scene that is compiled wholly");
        assert!(until >= 1 && until < first.frames.len(), "{until} of {}", first.frames.len());
        assert!(first.frames[0].interpreted_tiles > first.frames.last().unwrap().interpreted_tiles);
        assert!(first.stats.compiles > 0);
    }
}
