//! Tiles on compiled code: the rows of primitives.

use super::bind::Bound;
use super::setup::{Edge, Rectangle, Triangle, columns, set_fog};
use crate::code::spans::{PixelRoutine, Spans};
use crate::emit::span::{Job, PixelConstants};
use crate::instead::Instead;
use crate::key::ge::PixelKey;
use crate::key::ge::texture::FilterKey;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::stage::{TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::{SIDE, Target};
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;

/// A routine and the constants of a draw.
pub(super) struct CompiledRows {
    pub(super) key: PixelKey,
    pub(super) routine: Arc<PixelRoutine>,
    pub(super) bound: Bound,
    /// Draws where buffers overlap.
    pub(super) instead: Instead<dyn TileRoutine>,
}

impl TileRoutine for CompiledRows {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        if !batch.target.vram.is_writable() || super::bind::buffers_overlap(&self.key, batch) {
            return self.instead.run(batch);
        }
        let mut painter = Painter::new(self, batch);
        let primitives = batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        let drawn = primitives.map(|primitive| painter.primitive(primitive)).sum();
        painter.spans.finish();
        drawn
    }
}

/// What of a primitive a routine reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    smooth: bool,
    secondary: bool,
    fog: bool,
    pub(super) depth: bool,
    pub(super) texture: bool,
    /// Neighbouring rows too.
    quads: bool,
    /// From coordinates to 1/256 texels, where there is a way for plain primitives.
    pub(super) plain: Option<[f64; 2]>,
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

    pub(super) const fn any_channel(self) -> bool {
        self.smooth || self.fog
    }

    /// Numbers of the channels that change.
    pub(super) fn channels(self) -> impl Iterator<Item = usize> {
        (0..8).filter(move |&n| match n {
            0..4 => self.smooth,
            4..7 => self.secondary,
            _ => self.fog,
        })
    }
}

/// Draws the primitives of a batch.
struct Painter<'a> {
    target: &'a Target<'a>,
    tile: Rect,
    needs: Needs,
    fog: bool,
    spans: Spans<'a>,
}

impl<'a> Painter<'a> {
    fn new(rows: &'a CompiledRows, batch: &TileBatch<'a>) -> Self {
        let all = Rect { x0: 0, y0: 0, x1: SIDE as i32, y1: SIDE as i32 };
        let target = batch.target;
        Self {
            target,
            tile: batch.tile.intersect(all),
            needs: Needs::of(&rows.key, &rows.bound.constants),
            fog: rows.key.fog,
            spans: Spans::new(&rows.routine, &rows.bound.constants, target.vram, target.format.bytes()),
        }
    }

    /// Draws a primitive; how many pixels it covers.
    fn primitive(&mut self, primitive: &Primitive) -> u64 {
        let rect = primitive.bounds().intersect(self.tile);
        match primitive.shape {
            _ if rect.is_empty() => 0,
            Shape::Rectangle => self.rectangle(primitive, rect),
            _ => self.triangle(primitive, rect),
        }
    }

    fn triangle(&mut self, primitive: &Primitive, rect: Rect) -> u64 {
        let (place, numbers) = self.spans.primitive();
        let triangle = Triangle::new(primitive, self.needs, numbers);
        let mut drawn = 0;
        for y in rect.y0..rect.y1 {
            let [from, to] = covered(&triangle.edges, rect, y);
            if from < to {
                let job = self.triangle_row(&triangle, place, [from, to], y);
                self.spans.push(job);
                drawn += (to - from) as u64;
            }
        }
        drawn
    }

    fn triangle_row(&self, triangle: &Triangle, primitive: u64, span: [i32; 2], y: i32) -> Job {
        let mut job = self.row(primitive, span, y);
        let x = span[0] & !3;
        for n in self.needs.channels() {
            let terms = if n < 4 { &mut job.primary } else { &mut job.secondary };
            terms[n % 4] = triangle.term(n, x, y);
        }
        if self.needs.depth {
            job.depth = triangle.depth(x, y);
        }
        if self.needs.texture {
            let edges = triangle.edges.map(|edge| edge.at(x, y));
            match triangle.plain_at(x, y) {
                Some(plain) => job.plain = plain,
                None => job.edges = edges.map(|edge| edge as f64),
            }
        }
        job
    }

    fn rectangle(&mut self, primitive: &Primitive, rect: Rect) -> u64 {
        let [a, b, _] = &primitive.corners;
        let ([x0, x1], [y0, y1]) = (columns(a.x, b.x), columns(a.y, b.y));
        let rect = Rect { x0, y0, x1, y1 }.intersect(rect);
        if rect.is_empty() {
            return 0;
        }
        // The half on A's side has the fog of B, and the other that of A.
        let [from, to] = columns(a.x, a.x + (b.x - a.x) / 2);
        let whole = [rect.x0, rect.x1];
        let halves = if !self.fog || a.fog == b.fog {
            [(whole, b.fog), ([0, 0], b.fog)]
        } else {
            let near = [from.max(rect.x0), to.min(rect.x1)];
            let far = if from == x0 { [to.max(rect.x0), rect.x1] } else { [rect.x0, from.min(rect.x1)] };
            [(near, b.fog), (far, a.fog)]
        };
        self.spans.reserve(halves.len());
        let parts = halves.map(|(columns, fog)| self.part(primitive, columns, fog));
        // Row by row, because rows may share memory.
        for y in rect.y0..rect.y1 {
            for part in parts.iter().filter(|part| part.columns[0] < part.columns[1]) {
                let job = self.rectangle_row(part, y);
                self.spans.push(job);
            }
        }
        rect.pixels()
    }

    /// The part of a rectangle that has one fog coefficient.
    fn part<'p>(&mut self, primitive: &'p Primitive, columns: [i32; 2], fog: u32) -> Part<'p> {
        let (place, numbers) = self.spans.primitive();
        let rectangle = Rectangle::new(primitive, self.needs, numbers);
        set_fog(fog, numbers);
        Part { rectangle, place, columns }
    }

    fn rectangle_row(&self, part: &Part<'_>, y: i32) -> Job {
        let Part { rectangle, place, columns } = part;
        let mut job = self.row(*place, *columns, y);
        if self.needs.texture {
            job.depth = rectangle.distance(columns[0] & !3);
            job.edges[0] = rectangle.across(y);
            job.plain = rectangle.plain_at(columns[0] & !3, y).unwrap_or_default();
        }
        if self.needs.quads {
            job.edges[1] = rectangle.across(y & !1);
            job.edges[2] = rectangle.across(y | 1);
        }
        job
    }

    /// What all rows have.
    fn row(&self, primitive: u64, [from, to]: [i32; 2], y: i32) -> Job {
        let first = from & !3;
        let target = self.target;
        let pixel = |start: u32, stride: u32, bytes: u32| {
            u64::from(start) + (u64::from(stride) * y as u64 + first as u64) * u64::from(bytes)
        };
        Job {
            first: from - first,
            end: to - first,
            colour_at: pixel(target.colour, target.colour_stride, target.format.bytes()),
            depth_at: pixel(target.depth, target.depth_stride, 2),
            primitive,
            dither: (y as u64 & 3) * 32,
            row: y,
            ..Job::default()
        }
    }
}

/// Columns of a rectangle.
struct Part<'p> {
    rectangle: Rectangle<'p>,
    /// Where its numbers are.
    place: u64,
    columns: [i32; 2],
}

/// The columns of a row that are inside of all edges.
fn covered(edges: &[Edge; 3], rect: Rect, y: i32) -> [i32; 2] {
    let mut span = [rect.x0, rect.x1];
    for edge in edges {
        // Inside where `spare + right * columns` is not negative.
        let spare = edge.at(rect.x0, y) - edge.least;
        let reach = i64::from(rect.x1 - rect.x0);
        match edge.right {
            0 if spare < 0 => return [0, 0],
            0 => {}
            right if right > 0 => {
                if spare < 0 {
                    let columns = (-spare + right - 1) / right;
                    span[0] = span[0].max(rect.x0 + columns.min(reach) as i32);
                }
            }
            right => {
                if spare < 0 {
                    return [0, 0];
                }
                let columns = spare / -right + 1;
                span[1] = span[1].min(rect.x0 + columns.min(reach) as i32);
            }
        }
    }
    span
}
