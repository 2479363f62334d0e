//! Control points and their weighted sums: along u once for each column of vertices, along v for each vertex.
//!
//! Source: psp-ge.md 7.6, 7.7.1.

use super::basis::Sample;
use crate::ge::four::Four;
use crate::ge::vector::{point, skinning};
use crate::ge::vertex::decode::decode;
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::stage::surface::SurfaceBatch;

/// Control points in each direction that a vertex depends on.
const ROWS: usize = 4;

/// Control points between two questions whether the run ends.
const PART: usize = 256;

/// Positions along u of a row that is long enough to ask for it alone: some ten microseconds.
pub(super) const LONG: usize = 1024;

/// A control point, skinned and morphed.
#[derive(Debug, Clone, Copy, Default)]
struct Control {
    /// Position; 0 in the fourth.
    position: Four,
    /// Texture coordinates; 0 in the others, and if the format has none.
    texture: Four,
    /// Colour channels, red first; 0 if the format has none.
    colour: Four,
}

/// The control points of a patch, row by row.
#[derive(Debug, Clone)]
pub(super) struct Controls {
    points: Vec<Control>,
    columns: usize,
}

impl Controls {
    /// Decodes the vertices of the batch as control points: plain ones from where the run ends.
    pub(super) fn read(batch: &SurfaceBatch<'_>) -> Self {
        let mut is_over = false;
        let point = |(n, &index): (usize, &u32)| {
            is_over |= n.is_multiple_of(PART) && batch.points.memory.is_stopping();
            if is_over { Control::default() } else { control(&batch.points, index) }
        };
        let points = batch.points.indices.iter().enumerate().map(point).collect();
        Self { points, columns: batch.controls[0] }
    }

    fn row(&self, row: usize) -> &[Control] {
        &self.points[row * self.columns..][..self.columns]
    }
}

/// Sums along u at each position of a patch, of four rows of control points: as they move along v, each row's are made
/// once.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    /// The first of the rows.
    first: usize,
    rows: [Vec<Along>; ROWS],
    /// Rows whose sums are made.
    made: usize,
}

/// Components that are drawn; the others are 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) texture: bool,
    pub(super) colour: bool,
    /// The normal of the surface; without it, that is (0, 0, 1).
    pub(super) normal: bool,
}

/// Components of the sum along u at a position.
#[derive(Debug, Clone, Copy)]
struct Along {
    /// Position and its derivative along u; 0 in the fourth.
    position: Four,
    slope: Four,
    /// Texture coordinates; 0 in the others.
    texture: Four,
    colour: Four,
}

/// A place on the surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    /// 0 in the fourth.
    pub(super) position: Four,
    /// Texture coordinates; 0 in the others.
    pub(super) texture: Four,
    pub(super) colour: Four,
    /// The normal, not normalised; 0 in the fourth.
    pub(super) normal: Four,
}

impl Along {
    #[inline(always)]
    fn new(row: &[Control], u: &Sample, wanted: Wanted) -> Self {
        let [a, b, c, d] = [&row[0], &row[1], &row[2], &row[3]];
        let if_wanted = |is_wanted, sum: &dyn Fn() -> Four| if is_wanted { sum() } else { Four::default() };
        let positions = [a.position, b.position, c.position, d.position];
        let (textures, colours) =
            ([a.texture, b.texture, c.texture, d.texture], [a.colour, b.colour, c.colour, d.colour]);
        Self {
            position: weighted(&u.weights, positions),
            slope: if_wanted(wanted.normal, &|| weighted(&u.slopes, positions)),
            texture: if_wanted(wanted.texture, &|| weighted(&u.weights, textures)),
            colour: if_wanted(wanted.colour, &|| weighted(&u.weights, colours)),
        }
    }
}

impl Lines {
    /// Forgets all rows, for other positions.
    pub(super) const fn clear(&mut self) {
        self.made = 0;
    }

    /// Moves to the rows of a position along v; `across` are the positions along u, the same since the last
    /// [`clear`](Self::clear). False if the run ends before.
    #[inline(always)]
    pub(super) fn move_to(
        &mut self,
        controls: &Controls,
        (across, v): (&[Sample], &Sample),
        wanted: Wanted,
        is_over: &dyn Fn() -> bool,
    ) -> bool {
        let gone = match v.first.checked_sub(self.first) {
            Some(further) => further.min(self.made),
            None => self.made,
        };
        self.rows.rotate_left(gone);
        (self.first, self.made) = (v.first, self.made - gone);
        for n in self.made..ROWS {
            if across.len() >= LONG && is_over() {
                return false;
            }
            let (row, along) = (controls.row(self.first + n), &mut self.rows[n]);
            along.clear();
            along.reserve(across.len());
            for u in across {
                along.push(Along::new(&row[u.first..][..ROWS], u, wanted));
            }
        }
        self.made = ROWS;
        true
    }

    /// The place at position number `column` along u, and at the position along v that [`move_to`](Self::move_to) was
    /// called for, with the same components wanted. Sums go first along u, then along v.
    #[inline(always)]
    pub(super) fn at(&self, column: usize, v: &Sample, wanted: Wanted) -> Point {
        let [a, b, c, d] = &self.rows;
        let [a, b, c, d] = [&a[column], &b[column], &c[column], &d[column]];
        let positions = [a.position, b.position, c.position, d.position];
        let mut point = Point {
            position: weighted(&v.weights, positions),
            texture: Four::default(),
            colour: Four::default(),
            normal: Four([0.0, 0.0, 1.0, 0.0]),
        };
        if wanted.texture {
            point.texture = weighted(&v.weights, [a.texture, b.texture, c.texture, d.texture]);
        }
        if wanted.colour {
            point.colour = weighted(&v.weights, [a.colour, b.colour, c.colour, d.colour]);
        }
        if wanted.normal {
            let [ux, uy, uz, _] = weighted(&v.weights, [a.slope, b.slope, c.slope, d.slope]).0;
            let [vx, vy, vz, _] = weighted(&v.slopes, positions).0;
            point.normal = Four([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx, 0.0]);
        }
        point
    }
}

/// The first product is added to 0, so that no sum is -0.
#[inline(always)]
fn weighted(weights: &[f64; 4], [a, b, c, d]: [Four; 4]) -> Four {
    let times = |n: usize, value: Four| Four::splat(weights[n]) * value;
    Four::default() + times(0, a) + times(1, b) + times(2, c) + times(3, d)
}

fn control(batch: &VertexBatch<'_>, index: u32) -> Control {
    let vertex_type = batch.registers.vertex_type();
    let vertex = decode(batch, vertex_type, index);
    let position = match vertex_type.weight_count() {
        count if count > 0 && !vertex_type.is_through() => {
            point(vertex.position, &skinning(&vertex.weights, count, &batch.matrices.bones))
        }
        _ => vertex.position,
    };
    let ([x, y, z], [s, t]) = (position, vertex.texture.unwrap_or_default());
    Control {
        position: Four([x, y, z, 0.0]),
        texture: Four([s, t, 0.0, 0.0]),
        colour: Four(vertex.colour.unwrap_or_default().to_le_bytes().map(f64::from)),
    }
}
