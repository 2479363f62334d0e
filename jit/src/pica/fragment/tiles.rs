//! Tiles on compiled code: traversal of the blocks of a triangle, with the coverage of each.

use super::bind::Bound;
use super::coverage::{self, Edges, Rows, SIDE};
use super::pixels::Pixels;
use super::setup;
use crate::code::pica::blocks::{Buffers, Coverage, FragmentRoutine, Jobs, PIXELS, Scratch, TriangleSlots};
use crate::code::pica::found::ToFind;
use crate::fallback::Fallback;
use crate::pica::tiling::{block_index, unmorton};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::raster::scissor::Scissor;
use picaflor_pipeline::pica::raster::triangles::{Face, Triangles};
use picaflor_pipeline::pica::regs::rasterizer::ScissorMode;
use picaflor_pipeline::pica::stage::{TileBatch, TileRoutine};
use picaflor_pipeline::pica::surface::{Target, overlap};
use picaflor_pipeline::pica::vertex::{SEMANTICS, Vertex};
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;

/// A routine and the constants of a draw.
pub(crate) struct CompiledTiles {
    pub(super) routine: Arc<FragmentRoutine>,
    pub(super) bound: Bound,
    /// Only every second line is drawn.
    pub(super) skips_odd_lines: bool,
    /// The buffers share memory.
    pub(super) overlaps: bool,
    /// Draws where buffers overlap.
    pub(super) fallback: Fallback<dyn TileRoutine>,
}

impl TileRoutine for CompiledTiles {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        if self.overlaps {
            return self.fallback.run(batch);
        }
        let mut painter = Painter::new(self, batch);
        let drawn = batch.order.iter().map(|&n| painter.triangle(n as usize)).sum();
        painter.jobs.finish();
        drawn
    }

    fn pixels_at_once(&self) -> u64 {
        match self.routine.facts.interpolants.union(self.bound.to_find.interpolants).has_normals() {
            _ if self.overlaps => self.fallback.pixels_at_once(),
            true => LIT_PIXELS,
            false => COMPILED_PIXELS,
        }
    }
}

/// Pixels that take some hundred microseconds.
const COMPILED_PIXELS: u64 = 1 << 14;

/// Likewise, with up to eight lights.
const LIT_PIXELS: u64 = 1 << 12;

/// Predicate: overlapping buffers at these addresses. The order of pixels then matters, and compiled code uses that of quads.
pub(super) fn buffers_overlap(routine: &FragmentRoutine, [colour, depth]: [(u32, u32); 2]) -> bool {
    let facts = &routine.facts;
    facts.colour_bytes > 0 && facts.depth_bytes > 0 && overlap(colour, depth)
}

/// Draws the triangles of a batch.
struct Painter<'a> {
    target: &'a Target<'a>,
    memory: &'a dyn Memory,
    triangles: &'a Triangles,
    /// Attributes of the corners of a triangle, those of the groups that are read.
    attributes: [Vertex; 3],
    groups: u32,
    rows: Rows,
    /// The pixels of the tile, rows as in memory.
    tile: Rect,
    /// Drops pixels besides those outside the tile: all of a block that a triangle covers have to be asked.
    sieve: Option<Sieve>,
    routine: &'a FragmentRoutine,
    to_find: &'a ToFind,
    jobs: Jobs<'a>,
    /// Pixels of both buffers that code may touch where they lie.
    reachable: usize,
    /// Scale and offset of depth.
    depth: [f32; 2],
}

impl<'a> Painter<'a> {
    fn new(tiles: &'a CompiledTiles, batch: &TileBatch<'a>) -> Self {
        let (target, routine) = (batch.target, &*tiles.routine);
        let rows = Rows { height: target.height() as i32, top_first: target.top_first() };
        let facts = &routine.facts;
        let (colour, depth) = (
            reach(target.colour_bytes(), facts.colour_bytes),
            reach(target.depth_bytes(), facts.depth_bytes),
        );
        let buffers = Buffers { colour: colour.1, depth: depth.1 };
        Self {
            target,
            memory: batch.state.memory,
            triangles: batch.triangles,
            attributes: [[0.0; SEMANTICS]; 3],
            groups: facts.interpolants.union(tiles.bound.to_find.interpolants).groups(),
            rows,
            tile: rows.flip_rect(batch.tile),
            sieve: Sieve::new(&Scissor::of(batch.state.registers), rows, tiles.skips_odd_lines),
            routine,
            to_find: &tiles.bound.to_find,
            jobs: Jobs::new((routine, &tiles.bound.to_find), &tiles.bound.constants, buffers),
            reachable: colour.0.min(depth.0),
            depth: [tiles.bound.constants.depth_scale[0], tiles.bound.constants.depth_offset[0]],
        }
    }

    /// Draws the triangle of a number; returns how many fragments it has.
    fn triangle(&mut self, number: usize) -> u64 {
        let Some(face) = self.triangles.faces().get(number) else { return 0 };
        let places = [&face.x, &face.y];
        let rect = self.rows.flip_rect(coverage::centres(places)).intersect(self.tile);
        if rect.is_empty() {
            return 0;
        }
        let edges = Edges::of(places, self.rows, self.target.width() as i32);
        let pixels = (rect.x1 - rect.x0) * (rect.y1 - rect.y0);
        let (mut slots, mut drawn) = (None, 0);
        for row in (rect.y0 & !(SIDE - 1)..rect.y1).step_by(SIDE as usize) {
            for x in (rect.x0 & !(SIDE - 1)..rect.x1).step_by(SIDE as usize) {
                let (first, covered) = self.covered(&edges, x, row);
                if covered == 0 {
                    continue;
                }
                // Many a small triangle has no pixel, and its vertices are not read.
                let Some(numbers) = slots.or_else(|| self.set_up(face, &edges, pixels)) else {
                    return drawn;
                };
                slots = Some(numbers);
                self.block(numbers, &edges, (first, covered), x, row);
                drawn += u64::from(covered.count_ones());
            }
        }
        drawn
    }

    /// Room with the numbers of a triangle of about so many pixels; `None` if it has no vertices.
    #[inline]
    fn set_up(&mut self, face: &Face, edges: &Edges, pixels: i32) -> Option<TriangleSlots> {
        if !self.triangles.attributes(face, self.groups, &mut self.attributes) {
            return None;
        }
        let (p, flat_colour) = (&self.attributes, self.triangles.flat_colour(face));
        let (numbers, slots) = self.jobs.triangle();
        let reads = (&self.routine.facts, self.to_find);
        setup::fill(slots, (&setup::Triangle { face, p, flat_colour }, edges), reads, self.depth, pixels);
        Some(numbers)
    }

    /// The values of the edges at the first pixel of the block at a pixel, and the pixels to draw there.
    #[inline]
    fn covered(&self, edges: &Edges, x: i32, row: i32) -> ([i64; 3], u64) {
        let first = edges.at(x, row);
        let covered = edges.covered(first) & coverage::in_rect(self.tile, x, row);
        (first, self.sieve.as_ref().map_or(covered, |sieve| sieve.keeps(covered, x, row)))
    }

    /// Draws a triangle in the block at a pixel.
    #[inline]
    fn block(
        &mut self,
        triangle: TriangleSlots,
        edges: &Edges,
        (first, covered): ([i64; 3], u64),
        x: i32,
        row: i32,
    ) {
        let target = self.target;
        let index = block_index(x as u32, row as u32, target.width(), target.block32()) as usize;
        let is_apart = index + PIXELS > self.reachable;
        if is_apart {
            // What is waiting may draw the same pixels.
            self.jobs.do_waiting();
        }
        let table = edges.is_far.then(|| {
            let (table, slots) = self.jobs.table();
            setup::fill_table(slots, edges, first);
            table
        });
        let coverage = Coverage { covered, edges: first.map(|value| value as i32), table };
        if is_apart {
            self.apart(triangle, &coverage, x, row);
        } else {
            self.jobs.push(triangle, index, &coverage);
        }
    }

    /// Draws a triangle in a block of which not all lies in memory in one piece: its pixels are copied there
    /// and back. Nothing may be waiting.
    #[cold]
    fn apart(&mut self, triangle: TriangleSlots, coverage: &Coverage, x: i32, row: i32) {
        let (target, facts) = (self.target, &self.routine.facts);
        let [colour_range, depth_range] = target.ranges();
        let colours = Pixels::new(self.memory, colour_range, facts.colour_bytes);
        let depths = Pixels::new(self.memory, depth_range, facts.depth_bytes);
        let [colour_bytes, depth_bytes] = [facts.colour_bytes, facts.depth_bytes].map(|bytes| bytes as usize);
        let places = (0..PIXELS).filter(|place| coverage.covered >> place & 1 != 0);
        let pixels = places.map(|place| {
            let (column, line) = unmorton(place as u32);
            let [x, row] = [x as u32 + column, row as u32 + line];
            (place, block_index(x, row, target.width(), target.block32()))
        });
        let mut scratch = Scratch::default();
        for (place, index) in pixels.clone() {
            copy_pixel(&mut scratch.colour, place, &colours.get(index)[..colour_bytes]);
            copy_pixel(&mut scratch.depth, place, &depths.get(index)[..depth_bytes]);
        }
        self.jobs.do_apart(triangle, coverage, &mut scratch);
        for (place, index) in pixels {
            colours.set(index, pixel(&scratch.colour, place, colour_bytes));
            depths.set(index, pixel(&scratch.depth, place, depth_bytes));
        }
    }
}

/// Number of pixels of a buffer that code may access in place, and the buffer if there are any.
fn reach(bytes: Option<GuestSlice<'_>>, pixel_bytes: u32) -> (usize, Option<GuestSlice<'_>>) {
    if pixel_bytes == 0 {
        return (usize::MAX, None);
    }
    let bytes = bytes.filter(|bytes| bytes.is_writable());
    (bytes.map_or(0, |bytes| bytes.len() / pixel_bytes as usize), bytes)
}

fn copy_pixel(buffer: &mut [u8], place: usize, bytes: &[u8]) {
    buffer[place * bytes.len()..][..bytes.len()].copy_from_slice(bytes);
}

fn pixel(buffer: &[u8], place: usize, pixel_bytes: usize) -> [u8; 4] {
    let mut pixel = [0; 4];
    pixel[..pixel_bytes].copy_from_slice(&buffer[place * pixel_bytes..][..pixel_bytes]);
    pixel
}

/// No pixels.
const NOTHING: Rect = Rect { x0: 0, y0: 0, x1: 0, y1: 0 };

/// Discards single pixels: by a scissor that keeps the outside, and by lines that are not drawn.
struct Sieve {
    /// Pixels that the scissor drops, rows as in memory.
    dropped: Rect,
    /// Pixels of lines that are drawn, by their place in any block.
    lines: u64,
}

impl Sieve {
    /// `None` where no pixel of the tile is dropped.
    fn new(scissor: &Scissor, rows: Rows, skips_odd_lines: bool) -> Option<Self> {
        let keeps_outside = scissor.mode == ScissorMode::KeepOutside;
        if !(keeps_outside || skips_odd_lines) {
            return None;
        }
        let dropped = if keeps_outside { rows.flip_rect(scissor.rect) } else { NOTHING };
        let is_drawn = |line: &i32| !skips_odd_lines || rows.flip(*line) & 1 == 0;
        // Blocks begin at even rows.
        let lines = (0..SIDE).filter(is_drawn).fold(0, |lines, line| lines | coverage::lines(line, line + 1));
        Some(Self { dropped, lines })
    }

    /// The remaining covered pixels of the block at a pixel.
    fn keeps(&self, covered: u64, x: i32, row: i32) -> u64 {
        covered & self.lines & !coverage::in_rect(self.dropped, x, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixel by pixel: what the scissor keeps, and every second line.
    #[test]
    fn pixels_that_are_dropped() {
        let (mut seed, mut partial) = (7, 0);
        let mut random =
            |bound: i32| ((picaflor_pipeline::random::bits(&mut seed) >> 33) % bound as u64) as i32;
        for _ in 0..2000 {
            let rows = Rows { height: 8 * (1 + random(5)), top_first: random(2) == 0 };
            let [x0, y0] = [random(40), random(40)];
            let rect = Rect { x0, y0, x1: x0 - 4 + random(30), y1: y0 - 4 + random(30) };
            let mode = [ScissorMode::Off, ScissorMode::KeepOutside][random(2) as usize];
            let skips = random(2) == 0;
            let (x, row) = (8 * random(5), 8 * random(rows.height / 8));
            let is_kept = |place: &u32| {
                let (column, line) = unmorton(*place);
                let (x, y) = (x + column as i32, rows.flip(row + line as i32));
                let is_inside = rect.x0 <= x && x < rect.x1 && rect.y0 <= y && y < rect.y1;
                !(skips && y & 1 != 0 || mode == ScissorMode::KeepOutside && is_inside)
            };
            let expected = (0..64).filter(is_kept).fold(0, |kept, place| kept | 1_u64 << place);
            let sieve = Sieve::new(&Scissor { mode, rect }, rows, skips);
            let kept = sieve.map_or(u64::MAX, |sieve| sieve.keeps(u64::MAX, x, row));
            assert_eq!(kept, expected, "{mode:?} {rect:?} {rows:?} {skips} at {x}, {row}");
            partial += u32::from(!matches!(kept, 0 | u64::MAX));
        }
        assert!(partial > 1000, "{partial}");
    }
}
