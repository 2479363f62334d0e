//! Draws on several threads: pending draws and their barriers.

use super::footprint::Footprint;
use super::in_place::{self, InPlace};
use super::textures::{Image, Textures, images};
use super::{Queue, Submitted, reaches};
use crate::ge::clut::Clut;
use crate::ge::raster::Primitive;
use crate::ge::regs::Registers;
use crate::ge::regs::same::OF_PIXELS;
use crate::ge::stage::{PixelStage, PixelState, TileBatch, TileRoutine};
use crate::ge::target::Target;
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;
use crate::rect::Rect;
use crate::stop::Stopper;
use crate::tile::{self, Bytes, Covered, Cut, Footprint as _, Overlap};
use std::sync::Arc;

/// A draw, independent of the machine that submitted it.
#[derive(Clone)]
pub(super) struct Draw<'m> {
    state: Arc<State>,
    routine: Arc<dyn TileRoutine>,
    target: Target<'m>,
    /// Pixels that the draw may access.
    area: Rect,
}

/// What pixels depend on, beside memory; shared by draws in the same state.
struct State {
    registers: Registers,
    clut: Clut,
    maps: AddressMaps,
    is_immediate: bool,
}

impl State {
    fn of(state: &PixelState<'_>) -> Self {
        let PixelState { registers, clut, maps, is_immediate, .. } = *state;
        Self { registers: registers.clone(), clut: clut.clone(), maps, is_immediate }
    }

    fn is_same(&self, state: &PixelState<'_>) -> bool {
        self.registers.is_same(state.registers, &OF_PIXELS)
            && self.clut == *state.clut
            && (self.maps, self.is_immediate) == (state.maps, state.is_immediate)
    }
}

impl tile::Draw for Draw<'_> {
    type Primitives = Vec<Primitive>;

    fn area(&self) -> Rect {
        self.area
    }

    fn cut(&self) -> Cut {
        in_place::cut(&*self.routine)
    }

    fn continues(&self, before: &Self) -> bool {
        Arc::ptr_eq(&self.state, &before.state) && Arc::ptr_eq(&self.routine, &before.routine)
    }

    fn run(&self, primitives: &Vec<Primitive>, order: &[u32], tile: Rect, memory: &dyn Memory) -> u64 {
        let Self { state, routine, target, .. } = self;
        let State { registers, clut, maps, is_immediate } = &**state;
        let (maps, is_immediate) = (*maps, *is_immediate);
        let state = PixelState { registers, clut, memory, maps, is_immediate };
        routine.run(&TileBatch { state, primitives, order, tile, target })
    }
}

impl tile::Primitive for Primitive {
    fn bounds(&self) -> Rect {
        Self::bounds(self)
    }

    /// A line has fewer in any target than any piece: so it is drawn from end to end, which may be upward.
    fn most_pixels(&self, tile: Rect) -> u64 {
        Self::most_pixels(self, tile)
    }
}

/// Queue that draws on several threads.
pub(super) struct Pool<'p, 'm> {
    memory: &'m dyn Memory,
    overlap: Overlap<'p, 'm, Draw<'m>, Footprint>,
    textures: Textures,
    /// The state of the last draw, and the texture levels that it may sample.
    state: Option<Arc<State>>,
    images: Vec<Image>,
    /// True if these levels are among the textures.
    are_held: bool,
    /// Queue for draws that are one tile.
    in_place: InPlace<'m>,
}

impl<'p, 'm> Pool<'p, 'm> {
    pub(super) fn new(
        (memory, stopper): (&'m dyn Memory, &'m Stopper),
        overlap: Overlap<'p, 'm, Draw<'m>, Footprint>,
    ) -> Self {
        let (textures, images, in_place) = (Textures::default(), Vec::new(), InPlace::new(memory, stopper));
        Self { memory, overlap, textures, state: None, images, are_held: false, in_place }
    }

    /// The state of a draw, which becomes that of the last one.
    fn state(&mut self, state: &PixelState<'_>) -> Arc<State> {
        if let Some(last) = self.state.as_ref().filter(|last| last.is_same(state)) {
            return Arc::clone(last);
        }
        self.images.clear();
        self.images.extend(images(state));
        self.are_held = false;
        Arc::clone(self.state.insert(Arc::new(State::of(state))))
    }

    /// Adds the textures of the last draw to those of pending ones; false if there is no room.
    fn hold(&mut self) -> bool {
        self.are_held = self.are_held || self.textures.hold(&self.images);
        self.are_held
    }

    /// True if a draw, apart from its textures, may be drawn while the others are pending.
    fn admits(&self, draw: &Footprint) -> bool {
        let Some(pending) = self.overlap.pending() else { return true };
        if !pending.admits(draw) {
            return false;
        }
        let all = pending.with(draw);
        // What is pending reaches none of its own textures.
        let reaches_more = !all.extents().eq(pending.extents());
        !(reaches_more && all.extents().any(|extent| self.textures.reach(extent)) || self.samples(&all))
    }

    /// True if the draw that is being submitted may sample from this footprint.
    fn samples(&self, draws: &Footprint) -> bool {
        self.images.iter().any(|image| reaches(draws, image))
    }
}

impl Queue for Pool<'_, '_> {
    fn draw(&mut self, stage: &mut dyn PixelStage, draw: Submitted<'_>) {
        let Submitted { state, primitives, covered, pixels } = draw;
        let area = state.registers.drawing_area();
        let target = Target::new(state.registers, state.maps, self.memory);
        let (Some(target), false) = (target, covered.is_empty()) else { return primitives.clear() };
        if primitives.is_empty() {
            return;
        }
        let shared = self.state(&state);
        let footprint = Footprint::new(state.registers, &target, covered);
        if footprint.is_entangled() || self.samples(&footprint) {
            self.finish();
            return self.in_place.draw(stage, Submitted { state, primitives, covered, pixels });
        }
        if !self.admits(&footprint) || !self.hold() || stage.is_full() {
            self.finish();
            self.hold();
        }
        let routine = stage.pixel_routine(&state, primitives);
        let draw = Draw { state: shared, routine, target, area };
        let covered = Covered { bounds: covered, pixels };
        self.overlap.push(draw, (&footprint, covered), primitives);
    }

    fn before_read(&mut self, bytes: Bytes) {
        if self.overlap.pending().is_some_and(|pending| pending.reaches(bytes)) {
            self.finish();
        }
    }

    fn before_write(&mut self, bytes: Bytes) {
        self.before_read(bytes);
        if self.textures.reach(bytes) {
            self.finish();
        }
    }

    fn is_pending(&self) -> bool {
        self.overlap.pending().is_some()
    }

    fn finish(&mut self) {
        self.overlap.finish();
        self.textures.forget();
        self.are_held = false;
    }

    fn take_pixels(&mut self) -> u64 {
        self.overlap.take_fragments() + self.in_place.take_pixels()
    }
}
