//! Draws on several threads: pending draws and their barriers.

use super::TileQueue;
use super::footprint::Footprint;
use super::in_place::{self, Submitted};
use crate::hashing::Seeds;
use crate::memory::Memory;
use crate::pica::lut::Luts;
use crate::pica::raster::Triangle;
use crate::pica::raster::scissor::Scissor;
use crate::pica::regs::Registers;
use crate::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use crate::pica::surface::Target;
use crate::pica::surface::feedback;
use crate::rect::Rect;
use crate::stop::Stopper;
use crate::tile::{self, Bytes, Cut, Footprint as _, Overlap};
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum total size of the textures of pending draws, each counted once. An engine may keep them decoded, at up to
/// eight times the size.
const MOST_TEXTURE_BYTES: u64 = 16 << 20;

/// A draw, independent of the machine that submitted it.
#[derive(Clone)]
pub(super) struct Draw<'m> {
    registers: Registers,
    luts: Arc<Luts>,
    routine: Arc<dyn TileRoutine + 'm>,
    target: Target<'m>,
    /// Pixels that the draw may access.
    area: Rect,
}

impl tile::Draw for Draw<'_> {
    type Primitive = Triangle;

    fn area(&self) -> Rect {
        self.area
    }

    fn cut(&self) -> Cut {
        in_place::cut(&self.target, &*self.routine)
    }

    fn run(&self, triangles: &[Triangle], order: &[u32], tile: Rect, memory: &dyn Memory) -> u64 {
        let state = FragmentState { registers: &self.registers, luts: &self.luts, memory };
        self.routine.run(&TileBatch { state, triangles, order, tile, target: &self.target })
    }
}

impl tile::Primitive for Triangle {
    fn bounds(&self) -> Rect {
        Self::bounds(self)
    }
}

/// The drawable pixels.
pub(super) fn area(registers: &Registers, target: &Target<'_>) -> Rect {
    let [x1, y1] = [target.width(), target.height()].map(|side| side as i32);
    Scissor::of(registers).clip(Rect { x0: 0, y0: 0, x1, y1 })
}

/// Pixels of an area in the bounds of triangles.
pub(super) fn pixels(triangles: &[Triangle], area: Rect) -> u64 {
    triangles.iter().map(|triangle| triangle.bounds().intersect(area).pixels()).sum()
}

/// Queue that draws on several threads.
pub(super) struct Pool<'p, 'm> {
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    overlap: Overlap<'p, 'm, Draw<'m>, Footprint>,
    /// The draw that is being submitted in pieces.
    current: Option<(Draw<'m>, Footprint)>,
    /// Textures of the pending draws.
    textures: HashSet<Bytes, Seeds>,
    texture_bytes: u64,
    /// The command list that is being read.
    list: Bytes,
}

impl<'p, 'm> Pool<'p, 'm> {
    pub(super) fn new(
        (memory, stopper): (&'m dyn Memory, &'m Stopper),
        overlap: Overlap<'p, 'm, Draw<'m>, Footprint>,
    ) -> Self {
        let textures = HashSet::default();
        Self { memory, stopper, overlap, current: None, textures, texture_bytes: 0, list: (0, 0) }
    }

    /// Adds the textures of a draw to those of the pending draws.
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

    /// Waits for the pending draws that a new draw may not overlap.
    fn wait_for(&mut self, footprint: &Footprint, registers: &Registers) {
        if self.overlap.pending().is_some_and(|pending| !pending.admits(footprint)) {
            self.finish();
        }
        self.hold_textures(registers);
        if self.texture_bytes > MOST_TEXTURE_BYTES {
            self.finish();
            self.forget_textures();
            self.hold_textures(registers);
        }
    }

    /// Submits a draw; `routine` creates its tile routine.
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
            return self.overlap.push(draw, &footprint, triangles);
        }
        let target = Target::new(registers, self.memory);
        let footprint = Footprint::of(registers, &target);
        self.wait_for(&footprint, registers);
        let state = FragmentState { registers, luts: luts.get(), memory: self.memory };
        if footprint.is_entangled(&target) || footprint.reaches(self.list) {
            self.finish();
            self.forget_textures();
            self.overlap.count(in_place::draw_whole(
                &*routine(&state),
                state,
                triangles,
                &target,
                self.stopper,
            ));
            return target.notify_written();
        }
        let (routine, luts, area) = (routine(&state), luts.share(), area(registers, &target));
        let draw = Draw { registers: registers.clone(), luts, routine, area, target };
        self.current = (!is_last).then(|| (draw.clone(), footprint));
        self.overlap.push(draw, &footprint, triangles);
    }
}

impl TileQueue for Pool<'_, '_> {
    fn is_idle(&self) -> bool {
        self.overlap.pending().is_none()
    }

    fn wants_pieces(&self) -> bool {
        true
    }

    fn start_list(&mut self, bytes: Bytes) {
        self.before_read(bytes);
        self.list = bytes;
    }

    fn before_read(&mut self, bytes: Bytes) {
        if self.overlap.pending().is_some_and(|pending| pending.reaches(bytes)) {
            self.finish();
        }
    }

    fn draw(&mut self, stage: &mut dyn FragmentStage, submitted: Submitted<'_>) {
        if self.current.is_none() {
            let target = Target::new(submitted.registers, self.memory);
            stage.next_draw(pixels(submitted.triangles, area(submitted.registers, &target)));
            if stage.is_full() {
                self.finish();
            }
        }
        self.draw_with(&mut |state| stage.fragment_routine(state), submitted);
    }

    fn finish(&mut self) {
        self.overlap.finish();
        self.forget_textures();
    }

    fn take_fragments(&mut self) -> u64 {
        self.overlap.take_fragments()
    }
}
