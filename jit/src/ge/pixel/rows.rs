//! Tiles on compiled code: the rows of primitives.

use super::bind::Bound;
use super::coverage::{Coverage, Far};
use super::fill::Flat;
use super::pieces;
use super::setup::{self, Linear};
use super::thin::{self, Wanted};
use crate::code::ge::depth_test::DepthTest;
use crate::code::ge::rows::{PixelRoutine, Spans};
use crate::code::vectors::{Work, widely};
use crate::emit::ge::span::{LevelConstants, PixelConstants};
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::ge::key::PixelKey;
use crate::ge::key::texture::FilterKey;
use crate::ge::pixel::perspective::{Beside, Texels};
use crate::ge::raster::triangle::Edges;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::texture::LodMode;
use picaflor_pipeline::ge::stage::{TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::{SIDE, Target};
use picaflor_pipeline::rect::Rect;
use picaflor_pipeline::tile::in_pieces;
use std::sync::Arc;

/// A routine and the constants of a draw.
pub(crate) struct CompiledRows {
    pub(crate) key: PixelKey,
    pub(crate) routine: Arc<PixelRoutine>,
    pub(crate) bound: Bound,
    /// The buffers share memory. The order of pixels then matters, but code draws four at once.
    pub(crate) overlaps: bool,
    /// Secondary colours count, but code adds none, because no light of this state gives one.
    pub(crate) is_unlit: bool,
    /// Draws where buffers overlap, or texels that are read are drawn.
    pub(crate) fallback: Fallback<dyn TileRoutine>,
}

impl TileRoutine for CompiledRows {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        // Those of other draws, of another shape, may be among the primitives.
        let first = batch.order.first().and_then(|&n| batch.primitives.get(n as usize));
        let is_thin = first.is_some_and(|primitive| primitive.shape.is_thin());
        if is_thin { self.draw_thin(batch) } else { self.draw_parts(batch) }
    }

    fn pixels_at_once(&self) -> u64 {
        match self.overlaps {
            true => self.fallback.pixels_at_once(),
            false if self.bound.feedback.is_some() => PIXELS_IN_PIECES,
            false => COMPILED_PIXELS,
        }
    }
}

impl CompiledRows {
    /// Draws each run of primitives that code can draw, and of others.
    fn draw_parts(&self, batch: &TileBatch<'_>) -> u64 {
        let why_not =
            |&n: &u32| batch.primitives.get(n as usize).and_then(|primitive| self.why_not(primitive));
        let part = |order: &[u32], why_not: Option<&'static str>| {
            let part = TileBatch { order, ..*batch };
            let drawn = why_not.map_or_else(|| self.draw(&part), |what| self.refused(what));
            drawn.unwrap_or_else(|| self.interpreted(&part))
        };
        if !batch.order.iter().any(|n| why_not(n).is_some()) {
            return part(batch.order, None);
        }
        let parts = batch.order.chunk_by(|a, b| why_not(a) == why_not(b));
        parts.map(|order| part(order, order.first().and_then(why_not))).sum()
    }

    /// What of a primitive code cannot draw.
    fn why_not(&self, primitive: &Primitive) -> Option<&'static str> {
        if divides_in_vain(&self.key, primitive) {
            Some("coordinates of another mode, to be divided")
        } else if self.is_unlit && primitive.has_secondary() {
            Some(SECONDARY)
        } else if self.key.reads_depth() && primitive.is_vast() {
            Some("depth across triangles of more than 5,000 pixels a side")
        } else {
            None
        }
    }

    /// Draws, unless code cannot.
    fn draw(&self, batch: &TileBatch<'_>) -> Option<u64> {
        if !batch.target.vram.is_writable() || self.overlaps {
            return None;
        }
        let feedback = self.bound.feedback.as_ref().filter(|feedback| !feedback.is_apart(&self.key, batch));
        if let Some(feedback) = feedback {
            let drawn = pieces::draw(self, feedback, batch);
            return drawn.or_else(|| self.refused("a texture that overlaps the target"));
        }
        let mut painter = Painter::new(self, &self.bound.constants, batch.target, batch.tile);
        let drawn = widely(Painting { painter: &mut painter, batch });
        painter.finish();
        Some(drawn)
    }

    /// Has the interpreter draw: a batch has as many pixels as code may draw at once.
    pub(super) fn interpreted(&self, batch: &TileBatch<'_>) -> u64 {
        self.fallback.draw(|interpreter| in_parts(interpreter, batch))
    }

    /// Draws points or lines, some at a time.
    fn draw_thin(&self, batch: &TileBatch<'_>) -> u64 {
        in_pieces((batch.order, COMPILED_PIXELS), pixels_of(batch), ends(batch), |order, _| {
            let part = TileBatch { order, ..*batch };
            self.draw_pixels(&part).unwrap_or_else(|| self.interpreted(&part))
        })
    }

    /// Draws points or lines.
    fn draw_pixels(&self, batch: &TileBatch<'_>) -> Option<u64> {
        let wanted = Wanted::of(&self.key);
        let primitives = || batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        if self.is_unlit && primitives().any(Primitive::has_secondary) {
            return self.refused(SECONDARY);
        }
        if self.bound.feedback.is_none() && !primitives().any(|line| wanted.may_be_no_number(line)) {
            return self.draw(batch);
        }
        let pixels = thin::pixels(primitives(), batch.tile, wanted)
            .or_else(|| self.refused("points and lines with coordinates that are no numbers"))?;
        let order: Vec<u32> = (0..pixels.len() as u32).collect();
        self.draw(&TileBatch { primitives: &pixels, order: &order, ..*batch })
    }

    fn refused<T>(&self, what: &'static str) -> Option<T> {
        self.fallback.profile.refused(&CompileError::UnknownState { what });
        None
    }
}

/// Draws some pixels at a time until the run ends. The order of pixels is that of the whole.
fn in_parts(routine: &dyn TileRoutine, batch: &TileBatch<'_>) -> u64 {
    in_pieces((batch.order, routine.pixels_at_once()), pixels_of(batch), ends(batch), |order, large| {
        let part = TileBatch { order, ..*batch };
        match large.and_then(|n| batch.primitives.get(n as usize)) {
            Some(large) => in_bands(routine, &part, large.bounds()),
            None => routine.run(&part),
        }
    })
}

/// Draws one primitive with these bounds, some rows at a time.
fn in_bands(routine: &dyn TileRoutine, batch: &TileBatch<'_>, bounds: Rect) -> u64 {
    let area = bounds.intersect(batch.tile);
    let rows = (routine.pixels_at_once() / (area.x1 - area.x0).max(1) as u64).max(1) as usize;
    let band = |y0: i32| {
        let tile = Rect { y0, y1: area.y1.min(y0 + rows as i32), ..area };
        routine.run(&TileBatch { tile, ..*batch })
    };
    let ends = ends(batch);
    (area.y0..area.y1).step_by(rows).take_while(|_| !ends()).map(band).sum()
}

/// Pixels of a primitive in the tile of a batch, at most.
fn pixels_of(batch: &TileBatch<'_>) -> impl Fn(u32) -> u64 {
    move |number| {
        batch.primitives.get(number as usize).map_or(0, |primitive| primitive.most_pixels(batch.tile))
    }
}

/// Predicate: the run of a batch ends.
fn ends(batch: &TileBatch<'_>) -> impl Fn() -> bool {
    move || batch.state.memory.is_stopping()
}

/// Predicate: a primitive whose coordinates are divided by q or w, in a state without such: some of its vertices are
/// those of a draw before, in another mode, which this one continues.
fn divides_in_vain(key: &PixelKey, primitive: &Primitive) -> bool {
    key.texture.is_some_and(|texture| !texture.divides) && primitive.divides()
}

/// What code refuses where no light gives a secondary colour: vertices of a draw before, or of a host, have one.
const SECONDARY: &str = "secondary colours that no light of the state gives";

/// Pixels that take some hundred microseconds.
const COMPILED_PIXELS: u64 = 1 << 14;

/// Likewise, if each is a piece of its own.
const PIXELS_IN_PIECES: u64 = 1 << 12;

/// Data of a primitive that a routine reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    pub(crate) smooth: bool,
    pub(crate) secondary: bool,
    pub(crate) fog: bool,
    pub(crate) depth: bool,
    /// Least and greatest depth, where others are rejected.
    pub(crate) range: Option<[i32; 2]>,
    pub(crate) texture: bool,
    /// Neighbouring rows too.
    pub(crate) quads: bool,
    /// From coordinates to 1/256 texels, where there is a way for plain primitives.
    pub(crate) plain: Option<[f64; 2]>,
    /// Four texels are mixed.
    pub(crate) mixes: bool,
    /// Likewise for divided triangles.
    pub(crate) divided: Option<Texels>,
    pub(crate) beside: Beside,
}

impl Needs {
    fn of(key: &PixelKey, bound: &Bound, constants: &PixelConstants) -> Self {
        let lod = key.texture.and_then(|texture| texture.filter.lod());
        let texels = || constants.levels[0].scale.map(|[scale, _]| scale);
        let divided = key.texture.filter(|texture| texture.divides && !key.rectangles);
        let mode = lod.map(|lod| lod.mode);
        Self {
            mixes: key.texture.is_some_and(|texture| texture.filter == FilterKey::Linear),
            plain: (key.texture.is_some() && lod.is_none()).then(texels),
            divided: divided.filter(|_| lod.is_none() || none_is_larger(&constants.levels)).map(|texture| {
                // Positions in smaller levels follow from those in level 0, of which 12 bits of whole texels are kept.
                let is_large = |axis: usize| lod.is_some() && bound.log2[axis] > 12;
                Texels::new(texels(), [0, 1].map(|axis| texture.clamp[axis] || is_large(axis)))
            }),
            beside: Beside { quads: mode == Some(LodMode::Auto), w: mode == Some(LodMode::Slope) },
            smooth: key.smooth,
            secondary: key.smooth && key.secondary,
            fog: key.fog && !key.rectangles,
            depth: !key.rectangles && key.reads_depth(),
            range: key.depth_range.then(|| constants.depth_range.map(|[depth, ..]| depth)),
            texture: key.texture.is_some(),
            quads: lod.is_some(),
        }
    }

    /// Predicate: this depth is outside the range. Depths of a triangle are floors of means of its corners', so that they lie
    /// between these.
    pub(crate) fn rejects(self, depth: i32) -> bool {
        self.range.is_some_and(|[least, most]| depth < least || most < depth)
    }

    pub(crate) const fn any_channel(self) -> bool {
        self.smooth || self.fog
    }
}

/// True if no level is larger than level 0, in either direction: positions in it are then enough for all.
fn none_is_larger(levels: &[LevelConstants]) -> bool {
    (0..2).all(|axis| levels.iter().all(|level| level.scale[axis] <= levels[0].scale[axis]))
}

/// Draws the primitives of a batch.
pub(super) struct Painter<'a> {
    pub(super) tile: Rect,
    pub(super) needs: Needs,
    pub(super) wanted: Wanted,
    /// Where triangles are hidden, they are not drawn.
    hiding: Option<DepthTest>,
    /// Where groups of rectangles are copies of each other.
    pub(super) flat: Option<Flat>,
    pub(super) spans: Spans<'a>,
}

/// A triangle with area: its edges from a pixel on, and what is drawn of it, in so many columns and rows from there on.
struct Triangle<'c> {
    corners: &'c [Corner; 3],
    edges: [Linear; 3],
    origin: [i32; 2],
    size: [i32; 2],
    rect: Rect,
}

/// All primitives of a batch.
struct Painting<'p, 'a, 'b> {
    painter: &'p mut Painter<'a>,
    batch: &'p TileBatch<'b>,
}

impl Work for Painting<'_, '_, '_> {
    /// Number of covered pixels.
    type Found = u64;

    #[inline(always)]
    fn work(self) -> u64 {
        let primitives = self.batch.order.iter().filter_map(|&n| self.batch.primitives.get(n as usize));
        let mut drawn = 0;
        for primitive in primitives {
            drawn += self.painter.primitive(primitive);
        }
        drawn
    }
}

impl<'a> Painter<'a> {
    /// Draws inside a tile.
    pub(super) fn new(
        rows: &'a CompiledRows,
        constants: &'a PixelConstants,
        target: &'a Target<'a>,
        tile: Rect,
    ) -> Self {
        let all = Rect { x0: 0, y0: 0, x1: SIDE as i32, y1: SIDE as i32 };
        Self {
            tile: tile.intersect(all),
            needs: Needs::of(&rows.key, &rows.bound, constants),
            wanted: Wanted::of(&rows.key),
            hiding: rows.key.hiding_test(),
            flat: Flat::of(&rows.key, constants),
            spans: Spans::new(&rows.routine, (rows.key.format, rows.key.sampling()), constants, target),
        }
    }

    /// Draws what is pending.
    pub(super) fn finish(mut self) {
        self.spans.finish();
    }

    /// Draws a primitive, now or later. Returns the number of covered pixels.
    #[inline(always)]
    pub(super) fn primitive(&mut self, primitive: &Primitive) -> u64 {
        let rect = primitive.bounds().intersect(self.tile);
        match primitive.shape {
            _ if rect.is_empty() => 0,
            Shape::Triangle => self.triangle(&primitive.corners, rect),
            Shape::Rectangle => self.rectangle(primitive, rect),
            Shape::Point | Shape::Line => self.thin(primitive),
        }
    }

    /// Draws the part of a triangle in a rectangle.
    #[inline(always)]
    fn triangle(&mut self, corners: &[Corner; 3], rect: Rect) -> u64 {
        let [top, bottom] = setup::rows(corners);
        let rect = Rect { y0: rect.y0.max(top), y1: rect.y1.min(bottom), ..rect };
        if rect.is_empty() {
            return 0;
        }
        let edges = Edges::new(corners);
        let origin = [rect.x0 & !3, rect.y0 & !3];
        let size = [rect.x1 - origin[0], rect.y1 - origin[1]];
        let values = Linear::of_edges(&edges, origin);
        let (right, down) = (i64::from(rect.x0 - origin[0]), i64::from(rect.y0 - origin[1]));
        let moved = |edge: &Linear| Linear { at: edge.value(right, down), ..*edge };
        // Written out: as a map of the array this is a call, and goes through memory.
        let [a, b, c] = &values;
        let at_first = [moved(a), moved(b), moved(c)];
        let triangle = Triangle { corners, edges: values, origin, size, rect };
        match Coverage::new(&at_first, edges.least(), rect) {
            Coverage::Near(mut near) => self.covered(&triangle, || near.next()),
            Coverage::Far(far) => self.covered_by_far(triangle, far),
        }
    }

    /// Draws rows of a triangle, of each the columns that are covered. Returns the number of covered pixels.
    #[inline(always)]
    fn covered(&mut self, triangle: &Triangle<'_>, mut columns: impl FnMut() -> [i32; 2]) -> u64 {
        let Triangle { corners, edges, origin, size, rect } = triangle;
        // A tenth to a third of the triangles of a frame lie between the centres of pixels, and some as many behind what is
        // there: they need no numbers.
        let hiding = match &self.hiding {
            Some(test) => test.hiding([corners[0].z, corners[1].z, corners[2].z]),
            None => None,
        };
        let (mut y, mut hidden) = (rect.y0, 0);
        let first = loop {
            let columns = columns();
            if columns[0] < columns[1] {
                let is_hidden = match &hiding {
                    Some(hiding) => self.spans.hides(hiding, columns, y),
                    None => false,
                };
                if !is_hidden {
                    break columns;
                }
                hidden += u64::from((columns[1] - columns[0]).cast_unsigned());
            }
            y += 1;
            if y == rect.y1 {
                return hidden;
            }
        };
        let (place, numbers) = self.spans.primitive();
        setup::fill_triangle(corners, edges, self.needs, *origin, *size, numbers);
        hidden + self.spans.rows(place, *origin, y..rect.y1, (first, columns))
    }

    /// Likewise, of large triangles.
    #[cold]
    #[inline(never)]
    fn covered_by_far(&mut self, triangle: Triangle<'_>, mut far: Far) -> u64 {
        self.covered(&triangle, || far.next())
    }
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
