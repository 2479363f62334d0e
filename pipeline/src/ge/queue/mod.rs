//! `Queue`: the destination of primitives, which draws them at once or in tiles on several threads.
//!
//! # Overlapping work
//!
//! With several threads, draws to the same buffers overlap with each other and with the preparation of later draws:
//! reading the list, transforming vertices, assembling primitives, compiling. A pending draw owns its registers,
//! colour table, primitives and routine; it borrows only guest memory. Small draws are collected until there is
//! enough work to wake a thread.
//!
//! # Barriers
//!
//! At a barrier the caller helps to draw until every pending draw is complete and counted and the memory has been
//! notified of the writes. A barrier stands
//!
//! * before a draw to other buffers: another address, width or pixel size; for depth only if both use depth;
//! * before a draw whose pixels would share memory with pending ones: rows wider than their stride, wrapping at the
//!   end of VRAM, depth on top of colour;
//! * before a draw whose texture may lie in the footprint of a pending draw, and before a draw whose footprint may
//!   include a texture of a pending draw;
//! * before and after a draw that conflicts with itself in this way; it is drawn as one tile;
//! * before a list, vertices, indices or a colour table are read from the footprint of a pending draw, before bytes
//!   are moved from it, and before bytes are moved into it or into a texture of a pending draw;
//! * after each draw if there is an observer;
//! * when the textures of pending draws would exceed the budget of decoded texels, or be too many;
//! * at the end of the run, also after an error; in a [session](crate::ge::Session), at its end, and before the host reads
//!   or writes memory that pending draws use.
//!
//! The two permuted mirrors of VRAM can show any part of it, so an access through them conflicts with every pending
//! draw. Recordings need no barrier: draws write only to VRAM, which belongs to the machine until the run ends.

mod buffer;
mod footprint;
mod in_place;
mod pool;
mod textures;

use crate::ge::raster::Primitive;
use crate::ge::stage::{PixelStage, PixelState};
use crate::ge::target::Target;
use crate::memory::Memory;
use crate::rect::Rect;
use crate::stop::Stopper;
use crate::tile::{self, Bytes, Covered, Footprint as _, Tiling, Workers};
use footprint::Footprint;
use in_place::InPlace;
use pool::Pool;
pub(crate) use textures::{Image, images};

/// A draw, as the machine submits it. Target and area are those named by its registers.
pub struct Submitted<'a> {
    /// State on which the pixels depend.
    pub state: PixelState<'a>,
    /// Primitives to draw, in order; all of one shape. Their content is unspecified afterwards.
    pub primitives: &'a mut Vec<Primitive>,
    /// The pixels of the drawing area that they may cover.
    pub covered: Rect,
    /// The pixels of the drawing area in the bounds of each, together.
    pub pixels: u64,
}

impl<'a> Submitted<'a> {
    /// Primitives whose bounds nobody knows yet.
    #[must_use]
    pub fn new(state: PixelState<'a>, primitives: &'a mut Vec<Primitive>) -> Self {
        let area = state.registers.drawing_area();
        let Covered { bounds, pixels } = Covered::by(primitives, area);
        Self { covered: bounds, pixels, state, primitives }
    }
}

/// Destination of draws. The owner calls [`finish`](Self::finish) before the result is read elsewhere.
pub trait Queue {
    /// Submits a draw.
    fn draw(&mut self, stage: &mut dyn PixelStage, draw: Submitted<'_>);

    /// Announces a read of guest memory: address, mirrors resolved, and length in bytes.
    fn before_read(&mut self, bytes: (u32, u32));

    /// Announces a write to guest memory outside of draws: address, mirrors resolved, and length in bytes.
    fn before_write(&mut self, bytes: (u32, u32));

    /// True if draws are pending.
    fn is_pending(&self) -> bool;

    /// Completes every pending draw, and notifies the memory of the writes.
    fn finish(&mut self);

    /// Number of pixels covered since the last call. Pixels count when they are drawn.
    fn take_pixels(&mut self) -> u64;
}

/// Calls `work` with a queue, whose threads end before the return.
pub fn with_queue<R>(tiling: Tiling, memory: &dyn Memory, work: impl FnOnce(&mut dyn Queue) -> R) -> R {
    with_queue_of(tiling, &mut Workers::default(), memory, &Stopper::default(), work)
}

/// Calls `work` with a queue on the threads of a machine. These begin with the first work that is large enough, and rest before the return.
/// Draws left pending in the queue by `work` are dropped.
pub(crate) fn with_queue_of<R>(
    tiling: Tiling,
    workers: &mut Workers,
    memory: &dyn Memory,
    stopper: &Stopper,
    work: impl FnOnce(&mut dyn Queue) -> R,
) -> R {
    if tiling.threads <= 1 {
        return workers.alone(|| work(&mut InPlace::new(memory, stopper)));
    }
    tile::with_threads(tiling, workers, memory, stopper, |overlap| {
        work(&mut Pool::new((memory, stopper), overlap))
    })
}

/// The colour and the depth buffer of the drawing area, as address and length; of no bytes where they are not used. The machine's
/// barriers and prices go by them, and so should an engine that asks whether a draw reaches its own textures.
#[must_use]
pub fn buffers(state: &PixelState<'_>) -> [Bytes; 2] {
    let mut buffers = [(0, 0); 2];
    if let Some(footprint) = footprint_of(state, state.registers.drawing_area()) {
        buffers.iter_mut().zip(footprint.extents()).for_each(|(buffer, bytes)| *buffer = bytes);
    }
    buffers
}

/// True if pixels of the drawing area may depend on others: the buffers overlap there, or a draw may sample it.
pub(crate) fn may_be_entangled(state: &PixelState<'_>) -> bool {
    footprint_of(state, state.registers.drawing_area()).is_some_and(|footprint| {
        footprint.is_entangled() || images(state).any(|image| reaches(&footprint, &image))
    })
}

/// True if a level of the texture, 0 to 7, lies in part where a draw may read or write pixels: it is not
/// [replaced](Memory::replace).
#[must_use]
pub fn is_drawn_to(state: &PixelState<'_>, level: u8) -> bool {
    let image = Image::of(state, level);
    buffers(state).into_iter().any(|buffer| image.meets(buffer))
}

/// True if draws with a footprint may change a texel.
fn reaches(draws: &Footprint, image: &Image) -> bool {
    image.ranges().into_iter().any(|bytes| draws.reaches(bytes))
}

fn footprint_of(state: &PixelState<'_>, pixels: Rect) -> Option<Footprint> {
    let target = Target::new(state.registers, state.maps, state.memory)?;
    (!pixels.is_empty()).then(|| Footprint::new(state.registers, &target, pixels))
}

/// True if two ranges of bytes overlap.
pub(crate) const fn meet((a, a_length): Bytes, (b, b_length): Bytes) -> bool {
    let [a, b, a_length, b_length] = [a as u64, b as u64, a_length as u64, b_length as u64];
    a_length > 0 && b_length > 0 && a < b + b_length && b < a + a_length
}

#[cfg(test)]
mod tests;
