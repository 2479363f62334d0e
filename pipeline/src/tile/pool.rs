//! The caller's side of overlapped drawing: collects draws into batches, hands them over, and waits where a
//! dependency asks for it.

use super::backlog::Backlog;
use super::batch::{Batch, Draw, area};
use super::crew::Crew;
use super::footprint::{Bytes, Footprint};
use super::grid::Grid;
use super::in_place::{self, Submitted};
use super::{SIDE, TileQueue};
use crate::memory::Memory;
use crate::pica::feedback;
use crate::pica::raster::Triangle;
use crate::pica::regs::Registers;
use crate::pica::surface::Target;
use crate::stage::{FragmentStage, FragmentState};
use std::collections::HashSet;

/// Work in pixels below which draws cost less than waking a worker.
const LEAST_WORK: u64 = 16 * 1024;
/// Work that is handed over even when all workers are busy.
const MUCH_WORK: u64 = 64 * 1024;
/// Bytes of the textures that pending draws may use, all different. An engine may keep them decoded, at up to
/// eight times the size.
const MOST_TEXTURE_BYTES: u64 = 16 << 20;

/// Draws on several threads.
pub(super) struct Pool<'p, 'm> {
    memory: &'m dyn Memory,
    crew: &'p Crew<'m>,
    backlog: Backlog<'p, 'm>,
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
    /// `hire` starts a worker of the crew, if the system has one; up to `vacancies` are asked for.
    pub(super) fn new(
        memory: &'m dyn Memory,
        crew: &'p Crew<'m>,
        hire: &'p dyn Fn() -> bool,
        vacancies: usize,
    ) -> Self {
        Self {
            memory,
            crew,
            backlog: Backlog::new(crew, hire, vacancies),
            batch: Batch::new(Grid::new(0, 0, SIDE)),
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

    /// Waits for the draws that a new one may not overlap.
    fn wait_for(&mut self, footprint: &Footprint, registers: &Registers) {
        if self.pending.is_some_and(|pending| !pending.admits(footprint)) {
            self.finish();
        }
        self.hold_textures(registers);
        if self.texture_bytes > MOST_TEXTURE_BYTES {
            self.finish();
            self.hold_textures(registers);
        }
    }

    /// Adds a draw to what is pending.
    fn push(&mut self, draw: Draw<'m>, footprint: &Footprint, triangles: &mut Vec<Triangle>) {
        if self.pending.is_none() {
            self.batch.clear(Grid::new(draw.target.width(), draw.target.height(), SIDE));
        }
        self.pending = Some(self.pending.map_or(*footprint, |pending| pending.with(footprint)));
        let mut rest = self.batch.push(draw, triangles);
        while let Some(draw) = rest {
            self.backlog.hand_over(&mut self.batch);
            rest = self.batch.push(draw, triangles);
        }
        let least = if self.backlog.has_idle_worker() { LEAST_WORK } else { MUCH_WORK };
        if self.batch.work() >= least || self.batch.is_full() {
            self.backlog.hand_over(&mut self.batch);
        }
    }

    /// Draws all that is pending.
    fn draw_pending(&mut self) {
        if self.batch.work() < LEAST_WORK && self.crew.is_done() {
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
        let (registers, luts) = (submitted.registers, submitted.luts);
        let target = Target::new(registers, self.memory);
        let footprint = Footprint::of(registers, &target);
        self.wait_for(&footprint, registers);
        if footprint.is_entangled(&target) || footprint.reaches(self.list) {
            self.finish();
            self.fragments += in_place::draw(stage, self.memory, submitted);
            return;
        }
        let state = FragmentState { registers, luts: luts.get(), memory: self.memory };
        let routine = stage.fragment_routine(&state);
        let draw = Draw {
            registers: registers.clone(),
            luts: luts.share(),
            routine,
            triangles: 0..0,
            area: area(registers, &target),
            target,
        };
        self.push(draw, &footprint, submitted.triangles);
    }

    fn finish(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        self.draw_pending();
        self.batch.clear(Grid::new(0, 0, SIDE));
        self.textures.clear();
        self.texture_bytes = 0;
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
