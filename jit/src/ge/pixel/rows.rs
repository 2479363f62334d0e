//! Tiles on compiled code: the rows of primitives.

use super::bind::Bound;
use super::coverage::Coverage;
use super::pieces;
use super::setup::{self, Linear, Rectangle, Triangle, columns, set_fog};
use super::thin;
use crate::code::ge::rows::{PixelRoutine, Spans};
use crate::emit::ge::span::{Job, PixelConstants, PrimitiveNumbers};
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::ge::key::PixelKey;
use crate::ge::key::texture::FilterKey;
use crate::ge::raster::triangle::Edges;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::stage::{TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::{SIDE, Target};
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;

/// Columns that triangles have at the most which are drawn as blocks: all groups between the first and the last column
/// of all their rows.
const MOST_COLUMNS: i32 = 64;
/// Bound of edge values in such blocks.
const MOST_INSIDE: i64 = 1 << 30;

/// A routine and the constants of a draw.
pub(crate) struct CompiledRows {
    pub(crate) key: PixelKey,
    pub(crate) routine: Arc<PixelRoutine>,
    pub(crate) bound: Bound,
    /// Draws where buffers overlap, or texels that are read are drawn.
    pub(crate) fallback: Fallback<dyn TileRoutine>,
}

impl TileRoutine for CompiledRows {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let is_thin = batch.primitives.first().is_some_and(|primitive| thin::is_thin(primitive.shape));
        let drawn = if is_thin { self.draw_pixels(batch) } else { self.draw(batch) };
        drawn.unwrap_or_else(|| self.fallback.run(batch))
    }

    fn pixels_at_once(&self) -> u64 {
        if self.bound.feedback.is_some() { PIXELS_IN_PIECES } else { COMPILED_PIXELS }
    }
}

impl CompiledRows {
    /// Draws, unless code cannot.
    fn draw(&self, batch: &TileBatch<'_>) -> Option<u64> {
        if !batch.target.vram.is_writable() || super::bind::buffers_overlap(&self.key, batch) {
            return None;
        }
        if divides_in_vain(&self.key, batch) {
            return self.refused("coordinates of another mode, to be divided");
        }
        let feedback = self.bound.feedback.as_ref().filter(|feedback| !feedback.is_apart(&self.key, batch));
        if let Some(feedback) = feedback {
            let drawn = pieces::draw(self, feedback, batch);
            return drawn.or_else(|| self.refused("a texture that overlaps the target"));
        }
        let mut painter = Painter::new(self, &self.bound.constants, batch.target, batch.tile);
        let primitives = batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        let drawn: u64 = primitives.map(|primitive| painter.primitive(primitive)).sum();
        Some(drawn + painter.finish())
    }

    /// Draws points or lines.
    fn draw_pixels(&self, batch: &TileBatch<'_>) -> Option<u64> {
        let primitives = batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        let pixels = thin::pixels(primitives, batch.tile)
            .or_else(|| self.refused("points and lines with coordinates that are no numbers"))?;
        let order: Vec<u32> = (0..pixels.len() as u32).collect();
        self.draw(&TileBatch { primitives: &pixels, order: &order, ..*batch })
    }

    fn refused<T>(&self, what: &'static str) -> Option<T> {
        self.fallback.profile.refused(&CompileError::UnknownState { what });
        None
    }
}

/// Predicate: primitives whose coordinates are divided by q or w, in a state without such: some of their vertices are
/// those of a draw before, in another mode, which this one continues.
fn divides_in_vain(key: &PixelKey, batch: &TileBatch<'_>) -> bool {
    let divides = |primitive: &Primitive| {
        let corners = &primitive.corners[..if key.rectangles { 2 } else { 3 }];
        corners.iter().any(|corner| corner.texture[2] != 1.0 || !key.rectangles && corner.w != corners[0].w)
    };
    key.texture.is_some_and(|texture| !texture.divides)
        && batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize)).any(divides)
}

/// Pixels that take some hundred microseconds.
const COMPILED_PIXELS: u64 = 1 << 14;

/// Likewise, if each is a piece of its own.
const PIXELS_IN_PIECES: u64 = 1 << 12;

/// Data of a primitive that a routine reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    smooth: bool,
    secondary: bool,
    fog: bool,
    pub(crate) depth: bool,
    pub(crate) texture: bool,
    /// Neighbouring rows too.
    quads: bool,
    /// From coordinates to 1/256 texels, where there is a way for plain primitives.
    pub(crate) plain: Option<[f64; 2]>,
}

impl Needs {
    fn of(key: &PixelKey, constants: &PixelConstants) -> Self {
        let has_plain = key.texture.is_some_and(|texture| !matches!(texture.filter, FilterKey::Lod(_)));
        Self {
            plain: has_plain.then(|| constants.levels[0].scale.map(|[scale, _]| scale)),
            smooth: key.smooth,
            secondary: key.smooth && key.secondary,
            fog: key.fog && !key.rectangles,
            depth: !key.rectangles && (key.depth.is_some() || key.depth_range),
            texture: key.texture.is_some(),
            quads: key.texture.is_some_and(|texture| matches!(texture.filter, FilterKey::Lod(_))),
        }
    }

    pub(crate) const fn any_channel(self) -> bool {
        self.smooth || self.fog
    }

    /// Predicate: some of red, green, blue, alpha change, or of secondary red, green, blue, and fog.
    pub(crate) const fn channels(self, half: usize) -> bool {
        if half == 0 { self.smooth } else { self.secondary || self.fog }
    }
}

/// Draws the primitives of a batch.
pub(super) struct Painter<'a> {
    target: &'a Target<'a>,
    tile: Rect,
    needs: Needs,
    fog: bool,
    spans: Spans<'a>,
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
            target,
            tile: tile.intersect(all),
            needs: Needs::of(&rows.key, constants),
            fog: rows.key.fog,
            spans: Spans::new(&rows.routine, constants, target),
        }
    }

    /// Draws what is pending. Returns the number of pixels that code counted.
    pub(super) fn finish(mut self) -> u64 {
        self.spans.drawn()
    }

    /// Draws a primitive. Returns the number of covered pixels, unless code counts them.
    pub(super) fn primitive(&mut self, primitive: &Primitive) -> u64 {
        let bounds = primitive.bounds();
        let rect = bounds.intersect(self.tile);
        match primitive.shape {
            _ if rect.is_empty() => 0,
            Shape::Rectangle => self.rectangle(primitive, rect),
            _ => {
                self.triangle(&primitive.corners, rect, [rect.x0, rect.x1] == [bounds.x0, bounds.x1]);
                0
            }
        }
    }

    /// Draws the part of a triangle in a rectangle; `is_whole` if that cuts off no columns.
    fn triangle(&mut self, corners: &[Corner; 3], rect: Rect, is_whole: bool) {
        let [top, bottom] = setup::rows(corners);
        let rect = Rect { y0: rect.y0.max(top), y1: rect.y1.min(bottom), ..rect };
        if rect.is_empty() {
            return;
        }
        let edges = Edges::new(corners);
        let first = rect.x0 & !3;
        let [columns, rows] = [rect.x1 - first, rect.y1 - rect.y0];
        let values = Linear::of_edges(&edges, [first, rect.y0]);
        let farthest = setup::farthest(&values, [columns, rows]);
        let is_whole = is_whole && columns <= MOST_COLUMNS && farthest < MOST_INSIDE;
        let (place, numbers) = self.spans.primitive();
        let mut triangle =
            Triangle::new(corners, values, self.needs, [first, rect.y0], [columns, rows], numbers);
        if is_whole {
            let (job, numbers) = self.spans.job();
            fill_place(self.target, place, first, rect.y0, job);
            triangle.fill_row(self.needs, 0, job);
            triangle.fill_block(self.needs, edges.least(), job, numbers);
            (job.columns, job.rows) = (columns, rows);
            self.spans.push();
            return;
        }
        bound_columns(numbers);
        let to_left = i64::from(rect.x0 - first);
        let at_left = values.map(|edge| Linear { at: edge.value(to_left, 0), ..edge });
        let mut coverage = Coverage::new(at_left, edges.least(), rect);
        for y in rect.y0..rect.y1 {
            let [from, to] = coverage.next();
            if from < to {
                let (job, _) = self.spans.job();
                fill_place(self.target, place, from & !3, y, job);
                fill_columns([from, to], job);
                triangle.fill_row(self.needs, (from - first) >> 2, job);
                self.spans.push();
            }
            triangle.next_row();
        }
    }

    fn rectangle(&mut self, primitive: &Primitive, rect: Rect) -> u64 {
        let [a, b, _] = &primitive.corners;
        let ([x0, x1], [y0, y1]) = (columns(a.x, b.x), columns(a.y, b.y));
        let rect = Rect { x0, y0, x1, y1 }.intersect(rect);
        if rect.is_empty() {
            return 0;
        }
        if !self.fog || a.fog == b.fog {
            let part = self.part(primitive, [rect.x0, rect.x1], b.fog);
            self.rows_of(&[part], rect);
            return rect.pixels();
        }
        // The half on A's side has the fog of B, and the other that of A.
        let [from, to] = columns(a.x, a.x + (b.x - a.x) / 2);
        let near = [from.max(rect.x0), to.min(rect.x1)];
        let far = if from == x0 { [to.max(rect.x0), rect.x1] } else { [rect.x0, from.min(rect.x1)] };
        self.spans.reserve(2);
        let parts = [self.part(primitive, near, b.fog), self.part(primitive, far, a.fog)];
        self.rows_of(&parts, rect);
        rect.pixels()
    }

    /// Draws the rows of a rectangle: as a block, or row by row, because rows may share memory.
    fn rows_of(&mut self, parts: &[Part<'_>], rect: Rect) {
        if let [part] = parts
            && part.is_block(self.needs)
        {
            let (job, _) = self.spans.job();
            part.fill_first_row(self.target, self.needs, rect.y0, job);
            job.rows = rect.y1 - rect.y0;
            self.spans.push();
            return;
        }
        for y in rect.y0..rect.y1 {
            for part in parts.iter().filter(|part| part.columns[0] < part.columns[1]) {
                let (job, _) = self.spans.job();
                part.fill_row(self.target, self.needs, y, job);
                self.spans.push();
            }
        }
    }

    /// The part of a rectangle that has one fog coefficient.
    fn part<'p>(&mut self, primitive: &'p Primitive, columns: [i32; 2], fog: u32) -> Part<'p> {
        let (place, numbers) = self.spans.primitive();
        let rectangle = Rectangle::new(primitive, self.needs, numbers);
        set_fog(fog, numbers);
        bound_columns(numbers);
        Part { rectangle, place, columns }
    }
}

/// Fills where the first lane is.
fn fill_place(target: &Target<'_>, primitive: u64, x: i32, y: i32, job: &mut Job) {
    let pixel = |start: u32, stride: u32, bytes: u32| {
        u64::from(start) + (u64::from(stride) * y as u64 + x as u64) * u64::from(bytes)
    };
    job.colour_at = pixel(target.colour, target.colour_stride, target.format.bytes());
    job.depth_at = pixel(target.depth, target.depth_stride, 2);
    job.primitive = primitive;
    job.dither = (y as u64 & 3) * 32;
    job.row = y;
}

/// Fills a row of which some columns are covered.
fn fill_columns([from, to]: [i32; 2], job: &mut Job) {
    let first = from & !3;
    let before = [0, 1, 2, 3].map(|lane| first + lane - from);
    job.inside = [before, before.map(|column| to - from - 1 - column), [0; 4]];
    (job.columns, job.rows) = (to - first, 1);
}

/// Fills the numbers shared by such rows.
const fn bound_columns(numbers: &mut PrimitiveNumbers) {
    numbers.inside_right = [[4; 4], [-4; 4], [0; 4]];
}

/// Columns of a rectangle.
struct Part<'p> {
    rectangle: Rectangle<'p>,
    /// Where its numbers are.
    place: u64,
    columns: [i32; 2],
}

impl Part<'_> {
    /// True if code iterates over the rows itself.
    const fn is_block(&self, needs: Needs) -> bool {
        !needs.texture || !needs.quads && self.rectangle.goes_in_steps()
    }

    /// Fills the numbers of the first row of a block.
    fn fill_first_row(&self, target: &Target<'_>, needs: Needs, y: i32, job: &mut Job) {
        self.fill_span(target, y, job);
        if needs.texture {
            job.plain = self.rectangle.steps_at(self.columns[0] & !3, y).unwrap_or_default();
        }
    }

    /// Fills the numbers of a row.
    fn fill_row(&self, target: &Target<'_>, needs: Needs, y: i32, job: &mut Job) {
        self.fill_span(target, y, job);
        let first = self.columns[0] & !3;
        if needs.texture {
            job.distance = self.rectangle.distance(first);
            job.edges[0] = self.rectangle.across(y);
            job.plain = self.rectangle.plain_at(first, y).unwrap_or_default();
        }
        if needs.quads {
            job.edges[1] = self.rectangle.across(y & !1);
            job.edges[2] = self.rectangle.across(y | 1);
        }
    }

    fn fill_span(&self, target: &Target<'_>, y: i32, job: &mut Job) {
        fill_place(target, self.place, self.columns[0] & !3, y, job);
        fill_columns(self.columns, job);
    }
}
