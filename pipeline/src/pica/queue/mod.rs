//! The destination of draws of the PICA200: drawn at once, or in tiles on several threads.
//!
//! # Overlapping work
//!
//! With several threads, draws to the same target overlap with each other and with the preparation of later draws:
//! reading the list, shading vertices, triangle set-up, compiling, decoding textures. A pending draw owns its
//! registers, tables, triangles and routine; it borrows only guest memory. Small draws are collected until there is
//! enough work to wake a thread. When too much work is pending, the caller draws as well.
//!
//! # Barriers
//!
//! At a barrier the caller helps to draw until every pending draw is complete and counted and the memory has been
//! notified of the writes. A barrier stands
//!
//! * before a draw to another target: another address, size, format, orientation or block size, or a shadow map in
//!   place of a colour format of another size;
//! * before a draw whose texture may lie in a buffer of a pending draw, and before a draw that uses a buffer
//!   that may contain a texture of a pending draw;
//! * before a draw that uses the other of two overlapping buffers;
//! * before and after a draw whose pixels are entangled: its buffers overlap, its width is not a whole number of
//!   blocks, or a texture overlaps its target. Such a draw is one tile;
//! * likewise for a draw whose target contains part of the command list that is being read;
//! * before a list, vertices or indices are read from memory that a pending draw may write;
//! * after each draw if there is an observer;
//! * when pending draws use too many textures, because engines hold them decoded;
//! * at the end of the run, also after an error.
//!
//! Recording needs no barrier: a page is compared before its first slice is returned, on any thread, and otherwise
//! after the run. Transfers, fills, snapshots and reads by the CPU happen between runs. Draws that the CPU starts,
//! register by register, are drawn in place.

mod footprint;
mod in_place;
mod pool;

use super::lut::LutMemory;
use super::raster::triangles::Triangles;
use super::surface::Target;
use crate::memory::Memory;
use crate::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use crate::stop::Stopper;
use crate::tile::{self, Tiling, Workers, visible};
pub(crate) use in_place::InPlace;
pub use in_place::Submitted;
use pool::Pool;
pub(crate) use pool::area;
use std::sync::Arc;

/// Destination of draws. The owner calls [`finish`](Self::finish) before memory is read elsewhere, with the
/// exceptions below.
pub(crate) trait TileQueue {
    /// True if everything submitted is drawn.
    fn is_idle(&self) -> bool;

    /// Announces the command list that is read from now on, in place of the previous one: address and length.
    fn start_list(&mut self, bytes: (u32, u32));

    /// Announces a read of guest memory: address and length.
    fn before_read(&mut self, bytes: (u32, u32));

    /// Submits a draw, or a piece of one. Its target is at least one pixel wide.
    fn draw(&mut self, stage: &mut dyn FragmentStage, draw: Submitted<'_>);

    /// Completes every pending draw, and notifies the memory of the changed buffers.
    fn finish(&mut self);

    /// Number of fragments drawn since the last call: covered, and inside the scissor. They count when they are
    /// drawn.
    fn take_fragments(&mut self) -> u64;
}

/// Calls `work` with a queue. Threads begin with the first work that is large enough, and rest before the return.
/// Draws left pending in the queue by `work` are dropped.
pub(crate) fn with_queue<R>(
    tiling: Tiling,
    workers: &mut Workers,
    memory: &dyn Memory,
    stopper: &Stopper,
    work: impl FnOnce(&mut dyn TileQueue) -> R,
) -> R {
    match tiling.threads {
        0 | 1 => workers.alone(|| work(&mut InPlace::new(memory, stopper))),
        _ => with_pool(tiling, workers, memory, stopper, |pool| work(pool)),
    }
}

fn with_pool<'m, R>(
    tiling: Tiling,
    workers: &mut Workers,
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    work: impl FnOnce(&mut Pool<'_, 'm>) -> R,
) -> R {
    tile::with_threads(tiling, workers, memory, stopper, |overlap| {
        work(&mut Pool::new((memory, stopper), overlap))
    })
}

/// Draws triangles on up to `threads` threads; one works in place. Returns the number of fragments covered and inside
/// the scissor.
pub fn rasterize(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    triangles: &Triangles,
    target: &Target<'_>,
    threads: usize,
) -> u64 {
    match threads {
        0 | 1 => {
            let order = visible(triangles.faces(), 0..triangles.len(), area(state.registers, target));
            in_place::draw_whole(routine, state, (triangles, &order), target, &Stopper::default())
        }
        _ => rasterize_shared(routine, state, triangles, Tiling::new(threads)),
    }
}

/// Draws triangles to the target named by the registers, on several threads if there is enough work. Returns the
/// number of fragments covered and inside the scissor.
pub fn rasterize_shared(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    triangles: &Triangles,
    tiling: Tiling,
) -> u64 {
    let luts = LutMemory::new(state.luts.clone());
    let mut triangles = triangles.clone();
    let submitted = Submitted::new((state.registers, &luts), &mut triangles, state.memory);
    with_pool(tiling, &mut Workers::default(), state.memory, &Stopper::default(), |pool| {
        pool.start(&mut |_| Arc::new(Borrowed(routine)), submitted);
        pool.finish();
        pool.take_fragments()
    })
}

/// A routine with another owner.
struct Borrowed<'a>(&'a dyn TileRoutine);

impl TileRoutine for Borrowed<'_> {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.0.run(batch)
    }

    fn pixels_at_once(&self) -> u64 {
        self.0.pixels_at_once()
    }
}

#[cfg(test)]
mod tests;
