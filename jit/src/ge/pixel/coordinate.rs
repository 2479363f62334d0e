//! Texture coordinates of a group, in the order of operations that psp-ge.md 8.6 fixes. Doubles.

use super::group::Group;
use super::perspective::ERROR;
use crate::emit::ge::row::Quadruple;
use crate::emit::ge::span::{CornerNumbers, EdgeNumbers, RowNumbers, of_primitive};
use crate::emit::lanes::{F64s, I32s, Mask};
use std::mem::offset_of;

/// u and v.
pub(crate) type Coordinates = [Quadruple; 2];

/// Row of the quads that contain the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    /// The group's.
    This,
    /// The even one (0) and the odd one (1).
    Of(i32),
}

/// Texture coordinates in a row.
pub(crate) fn at(g: &mut Group<'_, '_>, divides: bool, row: Row) -> Coordinates {
    if g.rectangles { rectangle(g, divides, row) } else { triangle(g, divides, row) }
}

fn triangle(g: &mut Group<'_, '_>, divides: bool, row: Row) -> Coordinates {
    let edges = edges(g, row);
    if !divides {
        return affine(g, edges);
    }
    let (flat, deep, done) = (g.l.cold_block(), g.l.block(), g.l.block());
    let vars = [[(); 2]; 2].map(|axis| axis.map(|()| g.l.double_var()));
    let divides = g.l.load_pointer(g.primitive, of_primitive!(divides));
    g.l.branch(divides.0, deep, flat);
    for (block, is_deep) in [(flat, false), (deep, true)] {
        g.l.switch_to(block);
        let found = if is_deep { perspective(g, edges) } else { affine(g, edges) };
        for (var, value) in vars.iter().flatten().zip(found.iter().flatten()) {
            g.l.set_double(*var, *value);
        }
        g.l.jump(done);
    }
    g.l.switch_to(done);
    vars.map(|axis| axis.map(|var| g.l.get_double(var)))
}

/// Values of the three edges: exact.
fn edges(g: &mut Group<'_, '_>, row: Row) -> [Quadruple; 3] {
    let here = [0, 1, 2].map(|n| g.edge(n));
    let Row::Of(wanted) = row else { return here };
    // From this row to the wanted one: 1, 0 or -1 rows.
    let number = g.row();
    let odd = g.l.scalar_mask(number, 1);
    let wanted = g.l.scalar(i64::from(wanted));
    let rows = g.l.scalar_sub(wanted, odd);
    let rows = g.l.count_to_doubles(rows);
    let mut down = of_primitive!(edges) + offset_of!(EdgeNumbers, down) as i32;
    here.map(|edge| {
        let step = g.single_double(down);
        down += size_of::<EdgeNumbers>() as i32;
        let change = g.l.dmul(step, rows);
        edge.map(|edge| g.l.dadd(edge, change))
    })
}

/// Offset of a number of the corners, of the first one's.
macro_rules! of_corners {
    ($field:ident) => {
        of_primitive!(corners) + offset_of!(CornerNumbers, $field) as i32
    };
}

/// `(f0 a0 + f1 a1) + f2 a2`.
fn weighted(g: &mut Group<'_, '_>, weights: [Quadruple; 3], values: i32) -> Quadruple {
    let size = size_of::<CornerNumbers>() as i32;
    let values = [0, 1, 2].map(|n| g.single_double(values + n * size));
    [0, 1].map(|half| {
        let products = [0, 1, 2].map(|n| g.l.dmul(weights[n][half], values[n]));
        let sum = g.l.dadd(products[0], products[1]);
        g.l.dadd(sum, products[2])
    })
}

fn divided(g: &mut Group<'_, '_>, a: Quadruple, b: Quadruple) -> Quadruple {
    [0, 1].map(|half| g.l.ddiv(a[half], b[half]))
}

fn affine(g: &mut Group<'_, '_>, edges: [Quadruple; 3]) -> Coordinates {
    let area = g.double(of_primitive!(area));
    [of_corners!(s), of_corners!(t)].map(|values| {
        let sum = weighted(g, edges, values);
        divided(g, sum, [area; 2])
    })
}

/// The corners' numbers are times the reciprocals of w.
fn perspective(g: &mut Group<'_, '_>, edges: [Quadruple; 3]) -> Coordinates {
    let share = g.double(of_primitive!(area_reciprocal));
    let [s, t, q] = [of_corners!(s), of_corners!(t), of_corners!(q)].map(|values| {
        let sum = weighted(g, edges, values);
        sum.map(|half| g.l.dmul(half, share))
    });
    let reciprocal = reciprocal(g, q);
    [s, t].map(|coordinate| times(g, coordinate, reciprocal))
}

/// Last bits of a double that a reciprocal of 16 significant bits has not.
const CUT: u8 = 37;

/// Positions of a divided triangle from s, t and q that go in steps, in 2^-20 of a texel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Divided {
    /// Of both axes.
    pub(crate) exact: Coordinates,
    /// Reciprocals of q before they are cut, not above the manual's.
    pub(crate) estimate: Quadruple,
}

impl Divided {
    pub(crate) fn of(g: &mut Group<'_, '_>, [s, t, q]: [Quadruple; 3]) -> Self {
        let (one, kept) = (g.l.double_of(1.0), g.l.double(u64::MAX << CUT));
        let estimate = q.map(|half| g.l.ddiv(one, half));
        let reciprocal = estimate.map(|half| g.l.double_bits_and(half, kept));
        Self { exact: [s, t].map(|coordinate| times(g, coordinate, reciprocal)), estimate }
    }

    /// Positions less a number of 2^-20 texels. Of them the bits from `from` on are the manual's, except in lanes of the
    /// mask, which are those too where a reciprocal of `others` may not be the manual's.
    pub(crate) fn rounded(
        self,
        g: &mut Group<'_, '_>,
        (less, from): (u32, u8),
        others: Option<Self>,
    ) -> ([I32s; 2], Mask) {
        let places = self.exact.map(|exact| g.l.rounded_less(exact, less + ERROR));
        let estimates: Vec<_> = std::iter::once(self).chain(others).map(|divided| divided.estimate).collect();
        (places, g.l.nearly_next((&estimates, CUT), (places, from)))
    }
}

/// As `raster::texture::reciprocal`: 16 significant bits, truncated.
fn reciprocal(g: &mut Group<'_, '_>, x: Quadruple) -> Quadruple {
    let (one, upper) = (g.l.double_of(1.0), g.l.double(u64::MAX << CUT));
    x.map(|half| {
        let exact = g.l.ddiv(one, half);
        g.l.double_bits_and(exact, upper)
    })
}

fn times(g: &mut Group<'_, '_>, a: Quadruple, b: Quadruple) -> Quadruple {
    [0, 1].map(|half| g.l.dmul(a[half], b[half]))
}

/// Clip w, linear on the screen, in the even row.
pub(crate) fn w(g: &mut Group<'_, '_>) -> Quadruple {
    if g.rectangles {
        return [g.single_double(of_corners!(w)); 2];
    }
    let edges = edges(g, Row::Of(0));
    let area = g.double(of_primitive!(area));
    let sum = weighted(g, edges, of_corners!(w));
    divided(g, sum, [area; 2])
}

fn rectangle(g: &mut Group<'_, '_>, divides: bool, row: Row) -> Coordinates {
    let along = between(g, of_primitive!(along));
    let across = match row {
        Row::This => 0,
        Row::Of(n) => 8 + n * 8,
    };
    let numbers = g.row_numbers();
    let across = [g.l.load_double(numbers, offset_of!(RowNumbers, across) as i32 + across); 2];
    if !divides {
        return ordered(g, along, across);
    }
    let (plain, projected, done) = (g.l.block(), g.l.block(), g.l.block());
    let vars = [[(); 2]; 2].map(|axis| axis.map(|()| g.l.double_var()));
    let flag = g.l.load_pointer(g.primitive, of_primitive!(divides));
    g.l.branch(flag.0, projected, plain);
    for (block, is_projected) in [(plain, false), (projected, true)] {
        g.l.switch_to(block);
        let [mut a, mut b] = [along, across];
        if is_projected {
            let q = between(g, of_primitive!(along_q));
            let reciprocal = reciprocal(g, q);
            [a, b] = [a, b].map(|coordinate| times(g, coordinate, reciprocal));
        }
        let found = ordered(g, a, b);
        for (var, value) in vars.iter().flatten().zip(found.iter().flatten()) {
            g.l.set_double(*var, *value);
        }
        g.l.jump(done);
    }
    g.l.switch_to(done);
    vars.map(|axis| axis.map(|var| g.l.get_double(var)))
}

/// A value that runs along x: `(a L + (b - a) d) / L`.
fn between(g: &mut Group<'_, '_>, numbers: i32) -> Quadruple {
    let columns = g.columns();
    let [first, difference] = [numbers, numbers + 16].map(|at| g.double(at));
    let length = g.double(of_primitive!(area));
    // Distance from A, which is whole.
    let start = g.l.load_double(g.primitive, of_primitive!(distance));
    let sixteen = g.l.double_of(16.0);
    columns.map(|columns| {
        let distance = g.l.dmul(columns, sixteen);
        let distance = g.l.dadd(start, distance);
        let change = g.l.dmul(difference, distance);
        let sum = g.l.dadd(first, change);
        g.l.ddiv(sum, length)
    })
}

/// Which of the two is u.
fn ordered(g: &mut Group<'_, '_>, along: Quadruple, across: Quadruple) -> Coordinates {
    let swapped: F64s = g.double(of_primitive!(swapped));
    let either = |g: &mut Group<'_, '_>, a: Quadruple, b: Quadruple| {
        [0, 1].map(|half| g.l.double_select(swapped, a[half], b[half]))
    };
    [either(g, across, along), either(g, along, across)]
}
