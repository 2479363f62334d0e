//! `Queue`: where primitives go to be drawn, at once or in tiles on several threads.
//!
//! # What overlaps
//!
//! With more threads, draws to the same buffers overlap with each other and with everything that the machine does to
//! make the next ones: reading the list, transforming vertices, assembling primitives, compiling. A draw that waits
//! owns all that it depends on, its registers, colour table, primitives and routine; what it borrows is guest
//! memory. Small draws are collected until there is work enough to wake somebody.
//!
//! # What does not
//!
//! The caller waits, and draws meanwhile, until everything pending is drawn and counted and the memory has been told
//! what was written,
//!
//! * before a draw to other buffers: another address, width or size of a pixel, of depth only where both use depth;
//! * before a draw with which the pixels drawn to would share memory: rows wider than their stride, what wraps at
//!   the end of VRAM, depth on top of colour;
//! * before a draw with a texture that may reach what a pending draw may use, and before one that may use what a
//!   texture of a pending draw may reach;
//! * before and after a draw that alone does such a thing. It is one tile;
//! * before a list, vertices, indices or a colour table are read, or bytes are moved from where a pending draw may
//!   draw, and before bytes are moved to where one draws or has a texture;
//! * after each draw while there is an observer;
//! * when pending draws have so many textures that engines would hold too much of them decoded;
//! * at the end of the run, also where it ends with an error.
//!
//! What the two permuted mirrors of VRAM show may be anywhere in it, so it reaches everything that is drawn. Recordings
//! need nothing: what is drawn is in VRAM, which belongs to the machine until the run ends.

mod buffer;
mod footprint;
mod in_place;
mod pool;
mod textures;

use crate::ge::raster::Primitive;
use crate::ge::stage::{PixelStage, PixelState};
use crate::memory::Memory;
use crate::tile::{self, Bytes, Tiling};
use in_place::InPlace;
use pool::Pool;

/// A draw as the machine submits it. Target and area are those that its registers name.
pub struct Submitted<'a> {
    /// What the pixels depend on.
    pub state: PixelState<'a>,
    /// What to draw, in order; all of one shape. Afterwards it holds nothing of use.
    pub primitives: &'a mut Vec<Primitive>,
}

/// Where draws go. Whoever has one calls [`finish`](Self::finish) before anybody else looks at what is drawn.
pub trait Queue {
    /// Submits a draw.
    fn draw(&mut self, stage: &mut dyn PixelStage, draw: Submitted<'_>);

    /// Guest memory is about to be read: address, mirrors resolved, and length.
    fn before_read(&mut self, bytes: (u32, u32));

    /// Guest memory is about to be written otherwise: address, mirrors resolved, and length.
    fn before_write(&mut self, bytes: (u32, u32));

    /// Draws everything, and tells the memory what has changed.
    fn finish(&mut self);

    /// How many pixels were covered since this was last asked. They count when they are drawn.
    fn take_pixels(&mut self) -> u64;
}

/// Lends `work` a queue. Threads start with the first work that is worth it, and end before this returns. What
/// `work` leaves in the queue is not drawn.
pub fn with_queue<R>(tiling: Tiling, memory: &dyn Memory, work: impl FnOnce(&mut dyn Queue) -> R) -> R {
    match tiling.threads {
        0 | 1 => work(&mut InPlace::new(memory)),
        _ => tile::with_threads(tiling, memory, |overlap| work(&mut Pool::new(memory, overlap))),
    }
}

/// Whether some bytes are the same.
const fn meet((a, a_length): Bytes, (b, b_length): Bytes) -> bool {
    let [a, b, a_length, b_length] = [a as u64, b as u64, a_length as u64, b_length as u64];
    a_length > 0 && b_length > 0 && a < b + b_length && b < a + a_length
}

#[cfg(test)]
mod tests;
