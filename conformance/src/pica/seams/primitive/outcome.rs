//! Results of primitive cases, and their comparison.

use crate::pica::seams::{Outcome, fnv};
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::stage::primitive::{PendingVertices, Primitives};

/// Triangles, and what is pending after each batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    /// The triangles.
    pub out: Primitives,
    /// Pending vertices after each batch.
    pub pending: Vec<PendingVertices>,
}

/// Bits of a value, those of one NaN for all of them.
fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

/// The parts of a triangle by name, as words.
fn words(triangle: &Triangle) -> impl Iterator<Item = (String, u32)> + use<'_> {
    let windows = [("x", triangle.x), ("y", triangle.y)];
    let windows = windows
        .into_iter()
        .flat_map(|(name, side)| (0..3).map(move |n| (format!("{name}{n}"), side[n].cast_unsigned())));
    let floats = [("z", triangle.z), ("r", triangle.r)];
    let floats = floats
        .into_iter()
        .flat_map(|(name, values)| (0..3).map(move |n| (format!("{name}{n}"), bits(values[n]))));
    let products =
        triangle.p.iter().enumerate().flat_map(|(n, p)| {
            p.iter().enumerate().map(move |(k, &value)| (format!("p{n}[{k}]"), bits(value)))
        });
    let flat = triangle.flat_colour.iter().flatten().enumerate();
    let flat = flat.map(|(n, &value)| (format!("flat colour {n}"), bits(value)));
    windows.chain(floats).chain(products).chain(flat)
}

fn of_triangle(actual: &Triangle, expected: &Triangle) -> Option<String> {
    if actual.flat_colour.is_some() != expected.flat_colour.is_some() {
        return Some(format!("flat colour {:?}, not {:?}", actual.flat_colour, expected.flat_colour));
    }
    let mut both = words(actual).zip(words(expected));
    let ((name, actual), (_, expected)) = both.find(|(a, b)| a.1 != b.1)?;
    Some(format!("{name} is {actual:08x}, not {expected:08x}"))
}

fn of_pending(actual: &PendingVertices, expected: &PendingVertices) -> Option<String> {
    let state = |p: &PendingVertices| (p.filled, p.is_ready, p.is_reversed);
    if state(actual) != state(expected) {
        return Some(format!("filled, ready, reversed are {:?}, not {:?}", state(actual), state(expected)));
    }
    let values = |p: &PendingVertices| p.places.map(|vertex| vertex.map(bits));
    let (actual, expected) = (values(actual), values(expected));
    let place = (0..2).find(|&n| actual[n] != expected[n])?;
    Some(format!("place {place} is {:08x?}, not {:08x?}", actual[place], expected[place]))
}

impl Outcome for Assembled {
    fn difference(&self, expected: &Self) -> Option<String> {
        if self.out.ends != expected.out.ends {
            return Some(format!("ends {:?}, not {:?}", self.out.ends, expected.out.ends));
        }
        if self.out.triangles.len() != expected.out.triangles.len() {
            let count = |side: &Self| side.out.triangles.len();
            return Some(format!("{} triangles, not {}", count(self), count(expected)));
        }
        let triangles = self.out.triangles.iter().zip(expected.out.triangles.iter()).enumerate();
        let triangle = triangles
            .filter_map(|(n, (a, b))| Some(format!("triangle {n}: {}", of_triangle(&a, &b)?)))
            .next();
        let pending = || {
            let both = self.pending.iter().zip(&expected.pending).enumerate();
            both.filter_map(|(n, (a, b))| Some(format!("after batch {n}: {}", of_pending(a, b)?))).next()
        };
        triangle.or_else(pending)
    }

    fn is_empty(&self) -> bool {
        self.out.ends.is_empty()
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let starts = std::iter::once(&0).chain(&self.out.ends);
        let parts: Vec<u32> = self.out.ends.iter().zip(starts).map(|(end, start)| end - start).collect();
        let of = |test: &dyn Fn(u32) -> bool| parts.iter().filter(|&&parts| test(parts)).count() as u64;
        vec![
            ("assembled", parts.len() as u64),
            ("culled, degenerate or outside", of(&|parts| parts == 0)),
            ("clipped to several", of(&|parts| parts > 1)),
            ("triangles", self.out.triangles.len() as u64),
        ]
    }

    fn digest(&self) -> u64 {
        let ends = self.out.ends.iter().copied();
        let triangles = self.out.triangles.iter();
        let triangles = triangles.flat_map(|t| words(&t).map(|(_, word)| word).collect::<Vec<_>>());
        let pending = self.pending.iter().flat_map(|p| p.places).flatten().map(bits);
        fnv(ends.chain(triangles).chain(pending).map(u64::from))
    }
}
