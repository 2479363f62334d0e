//! Where draws of the PICA200 go: drawn at once, or in tiles on several threads.
//!
//! # What overlaps
//!
//! With more threads, draws to the same target overlap with each other and with everything that the machine
//! does to make the next ones: reading the list, shading vertices, setting triangles up, compiling, decoding
//! textures. A draw that waits owns all that it depends on, its registers, tables, triangles and routine; what
//! it borrows is guest memory. Small draws are collected until there is work enough to wake somebody. When too
//! much waits, the caller draws as well.
//!
//! # What does not
//!
//! The caller waits, and draws meanwhile, until everything pending is drawn and counted and the memory has been
//! told what was written,
//!
//! * before a draw to another target: another address, size, format, orientation or block size, or a format of
//!   shadow maps in place of one of colours of another size;
//! * before a draw with a texture that may reach a buffer that a pending draw may use, and before one that may
//!   use a buffer that a texture of a pending draw may reach;
//! * before a draw that uses the other one of two buffers that overlap;
//! * before and after a draw whose pixels are entangled: its buffers overlap, its target is no whole number of
//!   blocks wide, or a texture reaches what it draws to. Such a draw is one tile;
//! * likewise for a draw whose target reaches the command list that is being read;
//! * before a list, vertices or indices are read that lie where a pending draw may draw;
//! * after each draw while there is an observer;
//! * when pending draws use too many textures, which engines hold decoded;
//! * at the end of the run, also where it ends with an error.
//!
//! Recording needs none: what is recorded of a page is looked at before the first slice of it is handed out,
//! by whichever thread, and otherwise after the run. Transfers, fills, snapshots and reads by the CPU happen
//! between runs. Draws that the CPU starts, register by register, are drawn in place.

mod footprint;
mod in_place;
mod pool;

use super::lut::LutMemory;
use super::raster::Triangle;
use super::surface::Target;
use crate::memory::Memory;
use crate::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use crate::tile::{self, Tiling};
pub(crate) use in_place::InPlace;
pub use in_place::Submitted;
use pool::Pool;
use std::sync::Arc;

/// Where draws go. Whoever has one calls [`finish`](Self::finish) before anybody looks at memory, except as
/// below.
pub(crate) trait TileQueue {
    /// Whether everything submitted is drawn.
    fn is_idle(&self) -> bool;

    /// Whether a draw should be submitted in pieces, as soon as they are there.
    fn wants_pieces(&self) -> bool;

    /// A list of commands is about to be read, address and length; no other one is any more.
    fn start_list(&mut self, bytes: (u32, u32));

    /// Guest memory is about to be read, address and length.
    fn before_read(&mut self, bytes: (u32, u32));

    /// Submits a draw, or a piece of one. Its target is at least one pixel wide.
    fn draw(&mut self, stage: &mut dyn FragmentStage, draw: Submitted<'_>);

    /// Draws everything, and tells the memory which buffers have changed.
    fn finish(&mut self);

    /// How many fragments were drawn since this was last asked: covered, and inside the scissor. They count
    /// when they are drawn.
    fn take_fragments(&mut self) -> u64;
}

/// Lends `work` a queue. Threads start with the first work that is worth it, and end before this returns. What
/// `work` leaves in the queue is not drawn.
pub(crate) fn with_queue<R>(
    tiling: Tiling,
    memory: &dyn Memory,
    work: impl FnOnce(&mut dyn TileQueue) -> R,
) -> R {
    match tiling.threads {
        0 | 1 => work(&mut InPlace::new(memory)),
        _ => with_pool(tiling, memory, |pool| work(pool)),
    }
}

fn with_pool<'m, R>(tiling: Tiling, memory: &'m dyn Memory, work: impl FnOnce(&mut Pool<'_, 'm>) -> R) -> R {
    tile::with_threads(tiling, memory, |overlap| work(&mut Pool::new(memory, overlap)))
}

/// Draws triangles on up to `threads` threads; one works in place. Returns how many fragments were covered
/// and inside the scissor.
pub fn rasterize(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    triangles: &[Triangle],
    target: &Target<'_>,
    threads: usize,
) -> u64 {
    match threads {
        0 | 1 => in_place::draw_whole(routine, state, triangles, target),
        _ => rasterize_shared(routine, state, triangles, Tiling::new(threads)),
    }
}

/// Draws triangles to the target that the registers name, on more than one thread where there is work enough.
/// Returns how many fragments were covered and inside the scissor.
pub fn rasterize_shared(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    triangles: &[Triangle],
    tiling: Tiling,
) -> u64 {
    let luts = LutMemory::new(state.luts.clone());
    let mut triangles = triangles.to_vec();
    let (registers, triangles) = (state.registers, &mut triangles);
    let submitted = Submitted { registers, luts: &luts, triangles, is_first: true, is_last: true };
    with_pool(tiling, state.memory, |pool| {
        pool.draw_with(&mut |_| Arc::new(Borrowed(routine)), submitted);
        pool.finish();
        pool.take_fragments()
    })
}

/// A routine that somebody else keeps.
struct Borrowed<'a>(&'a dyn TileRoutine);

impl TileRoutine for Borrowed<'_> {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.0.run(batch)
    }
}

#[cfg(test)]
mod tests;
