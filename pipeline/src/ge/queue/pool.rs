//! Draws on several threads: pending draws and their barriers.

use super::footprint::{Footprint, covered};
use super::in_place::InPlace;
use super::textures::{Image, Textures, images};
use super::{Queue, Submitted};
use crate::ge::clut::Clut;
use crate::ge::raster::Primitive;
use crate::ge::regs::Registers;
use crate::ge::stage::{PixelStage, PixelState, TileBatch, TileRoutine};
use crate::ge::target::Target;
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;
use crate::rect::Rect;
use crate::tile::{self, Bytes, Footprint as _, Overlap};
use std::sync::Arc;

/// A draw, independent of the machine that submitted it.
#[derive(Clone)]
pub(super) struct Draw<'m> {
    registers: Registers,
    clut: Clut,
    maps: AddressMaps,
    is_immediate: bool,
    routine: Arc<dyn TileRoutine>,
    target: Target<'m>,
    /// Pixels that the draw may access.
    area: Rect,
}

impl tile::Draw for Draw<'_> {
    type Primitive = Primitive;

    fn area(&self) -> Rect {
        self.area
    }

    fn run(&self, primitives: &[Primitive], order: &[u32], tile: Rect, memory: &dyn Memory) -> u64 {
        let Self { registers, clut, maps, is_immediate, routine, target, .. } = self;
        let (maps, is_immediate) = (*maps, *is_immediate);
        let state = PixelState { registers, clut, memory, maps, is_immediate };
        routine.run(&TileBatch { state, primitives, order, tile, target })
    }
}

impl tile::Primitive for Primitive {
    fn bounds(&self) -> Rect {
        Self::bounds(self)
    }
}

/// Queue that draws on several threads.
pub(super) struct Pool<'p, 'm> {
    memory: &'m dyn Memory,
    overlap: Overlap<'p, 'm, Draw<'m>, Footprint>,
    textures: Textures,
    /// Texture levels of the draw that is being submitted.
    images: Vec<Image>,
    /// Queue for draws that are one tile.
    in_place: InPlace<'m>,
}

impl<'p, 'm> Pool<'p, 'm> {
    pub(super) fn new(memory: &'m dyn Memory, overlap: Overlap<'p, 'm, Draw<'m>, Footprint>) -> Self {
        let (textures, images) = (Textures::default(), Vec::new());
        Self { memory, overlap, textures, images, in_place: InPlace::new(memory) }
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
        self.images.iter().any(|image| draws.reaches(image.bytes))
    }
}

impl Queue for Pool<'_, '_> {
    fn draw(&mut self, stage: &mut dyn PixelStage, draw: Submitted<'_>) {
        let Submitted { state, primitives } = draw;
        let area = state.registers.drawing_area();
        let pixels = covered(primitives, area);
        let target = Target::new(state.registers, state.maps, self.memory);
        let (Some(target), false) = (target, pixels.is_empty()) else { return primitives.clear() };
        let Some(shape) = primitives.first().map(|first| first.shape) else { return };
        self.images.clear();
        self.images.extend(images(&state));
        let footprint = Footprint::new(state.registers, &target, pixels);
        if footprint.is_entangled() || self.samples(&footprint) {
            self.finish();
            return self.in_place.draw(stage, Submitted { state, primitives });
        }
        if !self.admits(&footprint) || !self.textures.hold(&self.images) {
            self.finish();
            self.textures.hold(&self.images);
        }
        let routine = stage.pixel_routine(&state, shape);
        let (registers, clut) = (state.registers.clone(), state.clut.clone());
        let PixelState { maps, is_immediate, .. } = state;
        let draw = Draw { registers, clut, maps, is_immediate, routine, target, area };
        self.overlap.push(draw, &footprint, primitives);
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

    fn finish(&mut self) {
        self.overlap.finish();
        self.textures.forget();
    }

    fn take_pixels(&mut self) -> u64 {
        self.overlap.take_fragments() + self.in_place.take_pixels()
    }
}
