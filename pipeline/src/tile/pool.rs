//! The caller's side of overlapped drawing: collects draws into batches, hands them over, and waits where a
//! dependency asks for it.

use super::backlog::Backlog;
use super::batch::{Batch, Draw, area};
use super::crew::Crew;
use super::footprint::{Bytes, Footprint};
use super::grid::Grid;
use super::in_place::{self, Submitted};
use super::{MOST_THREADS, TileQueue, Tiling};
use crate::memory::Memory;
use crate::pica::feedback;
use crate::pica::raster::Triangle;
use crate::pica::regs::Registers;
use crate::pica::surface::Target;
use crate::stage::{FragmentStage, FragmentState, TileRoutine};
use std::collections::HashSet;
use std::sync::Arc;

/// Bytes of the textures that pending draws may use, all different. An engine may keep them decoded, at up to
/// eight times the size.
const MOST_TEXTURE_BYTES: u64 = 16 << 20;

/// Draws on several threads.
pub(super) struct Pool<'p, 'm> {
    memory: &'m dyn Memory,
    tiling: Tiling,
    crew: &'p Crew<'m>,
    backlog: Backlog<'p, 'm>,
    /// The draw that is submitted in pieces.
    current: Option<(Draw<'m>, Footprint)>,
    /// Being filled.
    batch: Batch<'m>,
    /// What the draws do that are not known to be drawn.
    pending: Option<Footprint>,
    /// Their textures.
    textures: HashSet<Bytes>,
    texture_bytes: u64,
    /// The list that is being read.
    list: Bytes,
    fragments: u64,
}

impl<'p, 'm> Pool<'p, 'm> {
    /// `hire` starts a worker of the crew, if the system has one.
    pub(super) fn new(
        memory: &'m dyn Memory,
        crew: &'p Crew<'m>,
        hire: &'p dyn Fn() -> bool,
        tiling: Tiling,
    ) -> Self {
        let vacancies = tiling.threads.min(MOST_THREADS) - 1;
        let side = tiling.side.clamp(8, 1024).next_multiple_of(8);
        Self {
            memory,
            tiling: Tiling { side, ..tiling },
            crew,
            backlog: Backlog::new(crew, hire, vacancies),
            current: None,
            batch: Batch::new(Grid::new(0, 0, side)),
            pending: None,
            textures: HashSet::new(),
            texture_bytes: 0,
            list: (0, 0),
            fragments: 0,
        }
    }

    /// Takes note of the textures of a draw.
    fn hold_textures(&mut self, registers: &Registers) {
        for image in feedback::textures(registers) {
            if self.textures.insert(image) {
                self.texture_bytes += u64::from(image.1);
            }
        }
    }

    fn forget_textures(&mut self) {
        self.textures.clear();
        self.texture_bytes = 0;
    }

    /// Waits for the draws that a new one may not overlap.
    fn wait_for(&mut self, footprint: &Footprint, registers: &Registers) {
        if self.pending.is_some_and(|pending| !pending.admits(footprint)) {
            self.finish();
        }
        self.hold_textures(registers);
        if self.texture_bytes > MOST_TEXTURE_BYTES {
            self.finish();
            self.forget_textures();
            self.hold_textures(registers);
        }
    }

    /// Adds a draw to what is pending.
    fn push(&mut self, draw: Draw<'m>, footprint: &Footprint, triangles: &mut Vec<Triangle>) {
        if self.pending.is_none() {
            let (width, height) = (draw.target.width(), draw.target.height());
            self.batch.clear(Grid::new(width, height, self.tiling.side));
        }
        self.pending = Some(self.pending.map_or(*footprint, |pending| pending.with(footprint)));
        let mut rest = self.batch.push(draw, triangles);
        while let Some(draw) = rest {
            self.backlog.hand_over(&mut self.batch);
            rest = self.batch.push(draw, triangles);
        }
        if self.is_worth(self.batch.work(), 4) || self.batch.is_full() {
            self.backlog.hand_over(&mut self.batch);
        }
    }

    /// Whether so much work should be handed over. When nobody is idle, it has to be `busy` times as much.
    fn is_worth(&self, work: u64, busy: u64) -> bool {
        let least = self.tiling.least_work;
        work >= match () {
            () if !self.backlog.has_workers() => least.saturating_mul(8),
            () if self.crew.has_idle_worker() => least,
            () => least.saturating_mul(busy),
        }
    }

    /// Submits a draw; `routine` makes what draws it.
    pub(super) fn draw_with(
        &mut self,
        routine: &mut dyn FnMut(&FragmentState<'_>) -> Arc<dyn TileRoutine + 'm>,
        submitted: Submitted<'_>,
    ) {
        let Submitted { registers, luts, triangles, is_first, is_last } = submitted;
        if let Some((draw, footprint)) = self.current.take()
            && !is_first
        {
            self.current = (!is_last).then(|| (draw.clone(), footprint));
            return self.push(draw, &footprint, triangles);
        }
        let target = Target::new(registers, self.memory);
        let footprint = Footprint::of(registers, &target);
        self.wait_for(&footprint, registers);
        let state = FragmentState { registers, luts: luts.get(), memory: self.memory };
        if footprint.is_entangled(&target) || footprint.reaches(self.list) {
            self.finish();
            self.forget_textures();
            self.fragments += in_place::draw_whole(&*routine(&state), state, triangles, &target);
            return target.notify_written();
        }
        let (routine, luts, area) = (routine(&state), luts.share(), area(registers, &target));
        let draw = Draw { registers: registers.clone(), luts, routine, triangles: 0..0, area, target };
        self.current = (!is_last).then(|| (draw.clone(), footprint));
        self.push(draw, &footprint, triangles);
    }

    /// Draws all that is pending.
    fn draw_pending(&mut self) {
        if !self.is_worth(self.batch.work(), 1) && self.crew.is_done() {
            self.fragments += self.batch.draw_whole(self.memory);
        } else {
            self.backlog.hand_over(&mut self.batch);
            self.backlog.finish();
        }
        self.fragments += self.crew.take_fragments();
    }
}

impl TileQueue for Pool<'_, '_> {
    fn is_idle(&self) -> bool {
        self.pending.is_none()
    }

    fn wants_pieces(&self) -> bool {
        true
    }

    fn start_list(&mut self, bytes: Bytes) {
        self.before_read(bytes);
        self.list = bytes;
    }

    fn before_read(&mut self, bytes: Bytes) {
        if self.pending.is_some_and(|pending| pending.reaches(bytes)) {
            self.finish();
        }
    }

    fn draw(&mut self, stage: &mut dyn FragmentStage, submitted: Submitted<'_>) {
        self.draw_with(&mut |state| stage.fragment_routine(state), submitted);
    }

    fn finish(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        self.draw_pending();
        self.batch.clear(Grid::new(0, 0, self.tiling.side));
        self.forget_textures();
        for (address, length) in pending.changed() {
            self.memory.written(address, length);
        }
    }

    fn take_fragments(&mut self) -> u64 {
        std::mem::take(&mut self.fragments)
    }
}

/// Workers go home also when the caller panics.
impl Drop for Pool<'_, '_> {
    fn drop(&mut self) {
        self.crew.close();
    }
}
