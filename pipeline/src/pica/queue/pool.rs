//! Draws on several threads: pending draws and their barriers.

use super::TileQueue;
use super::footprint::Footprint;
use super::in_place::{self, Submitted};
use crate::hashing::Seeds;
use crate::memory::Memory;
use crate::pica::lut::Luts;
use crate::pica::raster::scissor::Scissor;
use crate::pica::raster::triangles::{Face, Triangles};
use crate::pica::regs::Registers;
use crate::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use crate::pica::surface::Target;
use crate::pica::surface::feedback;
use crate::rect::Rect;
use crate::stop::Stopper;
use crate::tile::{self, Bytes, Cut, Footprint as _, Overlap, visible};
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum total size of the textures of pending draws, each counted once. An engine may keep them decoded, at up to
/// eight times the size.
const MOST_TEXTURE_BYTES: u64 = 16 << 20;
/// Maximum number of their images, however small they are: those without texels have no bytes.
const MOST_IMAGES: usize = 1024;

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
    type Primitives = Triangles;

    fn area(&self) -> Rect {
        self.area
    }

    fn cut(&self) -> Cut {
        in_place::cut(&self.target, &*self.routine)
    }

    fn run(&self, triangles: &Triangles, order: &[u32], tile: Rect, memory: &dyn Memory) -> u64 {
        let state = FragmentState { registers: &self.registers, luts: &self.luts, memory };
        self.routine.run(&TileBatch { state, triangles, order, tile, target: &self.target })
    }
}

impl tile::Primitive for Face {
    fn bounds(&self) -> Rect {
        Self::bounds(self)
    }
}

/// The drawable pixels.
pub(crate) fn area(registers: &Registers, target: &Target<'_>) -> Rect {
    let [x1, y1] = [target.width(), target.height()].map(|side| side as i32);
    Scissor::of(registers).clip(Rect { x0: 0, y0: 0, x1, y1 })
}

/// Textures of the pending draws.
#[derive(Debug, Default)]
struct Textures {
    images: HashSet<Bytes, Seeds>,
    bytes: u64,
}

impl Textures {
    /// Adds the images of a draw. False if there are too many now, or their total exceeds the budget: all are to be
    /// forgotten then.
    fn hold(&mut self, images: impl Iterator<Item = Bytes>) -> bool {
        for image in images {
            if self.images.insert(image) {
                self.bytes += u64::from(image.1);
            }
        }
        self.bytes <= MOST_TEXTURE_BYTES && self.images.len() <= MOST_IMAGES
    }

    fn forget(&mut self) {
        self.images.clear();
        self.bytes = 0;
    }
}

/// Queue that draws on several threads.
pub(super) struct Pool<'p, 'm> {
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    overlap: Overlap<'p, 'm, Draw<'m>, Footprint>,
    /// The draw that is being submitted in pieces.
    current: Option<(Draw<'m>, Footprint)>,
    textures: Textures,
    /// The command list that is being read.
    list: Bytes,
}

impl<'p, 'm> Pool<'p, 'm> {
    pub(super) fn new(
        (memory, stopper): (&'m dyn Memory, &'m Stopper),
        overlap: Overlap<'p, 'm, Draw<'m>, Footprint>,
    ) -> Self {
        Self { memory, stopper, overlap, current: None, textures: Textures::default(), list: (0, 0) }
    }

    /// Waits for the pending draws that a new draw may not overlap.
    fn wait_for(&mut self, footprint: &Footprint, registers: &Registers) {
        if self.overlap.pending().is_some_and(|pending| !pending.admits(footprint)) {
            self.finish();
        }
        if !self.textures.hold(feedback::textures(registers)) {
            self.finish();
            // The draw's own ones may be too many: it is the only one then.
            self.textures.hold(feedback::textures(registers));
        }
    }

    /// Submits a further piece of the draw that is being submitted. False if this is another draw.
    fn continues(&mut self, submitted: &mut Submitted<'_>) -> bool {
        let Some((draw, footprint)) = self.current.take().filter(|_| !submitted.is_first) else {
            return false;
        };
        self.current = (!submitted.is_last).then(|| (draw.clone(), footprint));
        self.overlap.push(draw, (&footprint, submitted.covered), submitted.triangles);
        true
    }

    /// Submits a draw to its place; `routine` creates its tile routine.
    pub(super) fn start(
        &mut self,
        routine: &mut dyn FnMut(&FragmentState<'_>) -> Arc<dyn TileRoutine + 'm>,
        submitted: Submitted<'_>,
    ) {
        let Submitted { registers, luts, triangles, covered, is_last, .. } = submitted;
        let target = Target::new(registers, self.memory);
        let area = area(registers, &target);
        let footprint = Footprint::of(registers, &target);
        self.wait_for(&footprint, registers);
        let state = FragmentState { registers, luts: luts.get(), memory: self.memory };
        if footprint.is_entangled(&target) || footprint.reaches(self.list) {
            self.finish();
            let order = visible(triangles.faces(), 0..triangles.len(), area);
            let triangles = (&*triangles, &order[..]);
            let routine = routine(&state);
            self.overlap.count(in_place::draw_whole(&*routine, state, triangles, &target, self.stopper));
            return target.notify_written();
        }
        let (routine, luts) = (routine(&state), luts.share());
        let draw = Draw { registers: registers.clone(), luts, routine, area, target };
        self.current = (!is_last).then(|| (draw.clone(), footprint));
        self.overlap.push(draw, (&footprint, covered), triangles);
    }
}

impl TileQueue for Pool<'_, '_> {
    fn is_idle(&self) -> bool {
        self.overlap.pending().is_none()
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

    fn draw(&mut self, stage: &mut dyn FragmentStage, mut submitted: Submitted<'_>) {
        if self.continues(&mut submitted) {
            return;
        }
        stage.next_draw(submitted.covered.pixels);
        if stage.is_full() {
            self.finish();
        }
        self.start(&mut |state| stage.fragment_routine(state), submitted);
    }

    fn finish(&mut self) {
        self.overlap.finish();
        self.textures.forget();
    }

    fn take_fragments(&mut self) -> u64 {
        self.overlap.take_fragments()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cubes without texels at many places: their bytes alone would bound nothing.
    #[test]
    fn empty_images_are_counted() {
        let mut registers = Registers::new();
        [(0x080, 7), (0x083, 1 << 28)].iter().for_each(|&(id, word)| registers.set_raw(id, word));
        let mut images = |place: u32| {
            [0x085, 0x086, 0x087, 0x088, 0x089, 0x08a, 0x095, 0x09d]
                .iter()
                .zip(8 * place..)
                .for_each(|(&id, address)| registers.set_raw(id, address));
            feedback::textures(&registers).collect::<Vec<_>>()
        };
        assert!(images(0).len() == 8 && images(0).iter().all(|&(_, length)| length == 0));
        let mut textures = Textures::default();
        let draws = MOST_IMAGES as u32 / 8;
        assert!((0..draws).all(|place| textures.hold(images(place).into_iter())));
        assert!(textures.hold(images(0).into_iter()), "they are held");
        assert!(!textures.hold(images(draws).into_iter()), "one more draw");
        textures.forget();
        assert!(textures.hold(images(draws).into_iter()));
    }

    #[test]
    fn bytes_of_images_are_counted_once() {
        let mut textures = Textures::default();
        let half = MOST_TEXTURE_BYTES as u32 / 2;
        let images = [(0, half), (1, half), (0, half), (2, 0)];
        assert!(textures.hold(images.into_iter()));
        assert!(!textures.hold([(3, 1)].into_iter()));
    }
}
