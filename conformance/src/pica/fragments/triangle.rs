//! Random triangles as they leave primitive assembly: three vertices of 24 semantics, colours conditioned.

use crate::random::Random;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::vertex::{COLOUR, SEMANTICS, Vertex, condition_colour};

/// The shape of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One to nine pixels.
    Tiny,
    /// About a block.
    Small,
    /// Any size inside the target.
    Medium,
    /// Long and thin.
    Sliver,
    /// All of the target.
    Cover,
    /// Far beyond the target.
    Huge,
    /// Any bits.
    Wild,
}

/// A triangle for the target and viewport of a state. `large`: it covers most of it.
pub fn triangle(random: &mut Random, registers: &Registers, large: bool) -> [Vertex; 3] {
    let shape = if large { Shape::Cover } else { random.weighted(&SHAPES) };
    let dim = registers.framebuffer_dim();
    let places = places(random, shape, [dim.width() as f32, dim.height() as f32]);
    let style = Style::random(random);
    let depth = unit(random);
    places.map(|place| style.vertex(random, shape, registers, place, depth))
}

const SHAPES: [(u32, Shape); 7] = [
    (30, Shape::Tiny),
    (22, Shape::Small),
    (18, Shape::Medium),
    (12, Shape::Sliver),
    (6, Shape::Cover),
    (7, Shape::Huge),
    (5, Shape::Wild),
];

/// From 0 to 1.
fn unit(random: &mut Random) -> f32 {
    (random.word() >> 8) as f32 / 16_777_216.0
}

fn between(random: &mut Random, low: f32, high: f32) -> f32 {
    low + (high - low) * unit(random)
}

/// Corners in pixels, mostly on sixteenths.
fn places(random: &mut Random, shape: Shape, size: [f32; 2]) -> [[f32; 2]; 3] {
    let middle = size.map(|side| between(random, 0.0, side));
    let far = random.chance(8);
    let mut around = |reach: f32| {
        middle.map(|at| {
            let place = at + between(random, -reach, reach);
            if random.chance(70) { (place * 16.0).round() / 16.0 } else { place }
        })
    };
    match shape {
        Shape::Tiny => [(); 3].map(|()| around(2.2)),
        Shape::Small => [(); 3].map(|()| around(6.0)),
        Shape::Medium | Shape::Wild => [(); 3].map(|()| around(size[0] / 2.0)),
        Shape::Sliver => {
            let (a, b) = (around(40.0), around(40.0));
            let near = [a[0] + between(random, -1.0, 1.0), a[1] + between(random, -1.0, 1.0)];
            [a, b, near]
        }
        Shape::Cover => cover(random, size),
        // The edges of the largest ones do not fit 32 bits.
        Shape::Huge => {
            let reach = if far { 5000.0 } else { 400.0 };
            [(); 3].map(|()| around(reach))
        }
    }
}

/// Half of the target or a little less, or all of it, on either side.
fn cover(random: &mut Random, [width, height]: [f32; 2]) -> [[f32; 2]; 3] {
    let margin = if random.chance(50) { 0.0 } else { between(random, -20.0, 4.0) };
    let (low, right, top) = (margin, width - margin, height - margin);
    let mut corners = [[low, low], [right, low], [right, top], [low, top]];
    corners.rotate_left(random.below(4) as usize);
    if random.chance(50) {
        [corners[0], corners[1], corners[2]]
    } else {
        [corners[2], corners[1], corners[0]]
    }
}

/// The style of a triangle's attributes.
struct Style {
    /// Texture coordinates lie between these.
    coordinates: [f32; 2],
    /// True if w differs between vertices.
    perspective: bool,
    /// True if depth differs between vertices.
    sloped: bool,
    /// Chance of a special number, in 100 attributes.
    special: u32,
}

impl Style {
    fn random(random: &mut Random) -> Self {
        let coordinates = [[0.0, 1.0], [-1.5, 2.5], [-0.25, 1.25], [-300.0, 300.0], [0.4, 0.6]];
        Self {
            coordinates: random.pick(&coordinates),
            perspective: random.chance(50),
            sloped: random.chance(60),
            special: if random.chance(6) { 10 } else { 0 },
        }
    }

    fn vertex(
        &self,
        random: &mut Random,
        shape: Shape,
        registers: &Registers,
        place: [f32; 2],
        depth: f32,
    ) -> Vertex {
        let mut vertex = [1.0; SEMANTICS];
        for (k, value) in vertex.iter_mut().enumerate().skip(4) {
            *value = self.attribute(random, k);
        }
        let w = if self.perspective { between(random, 0.3, 4.0) } else { 1.0 };
        let depth = if self.sloped { between(random, -0.1, 1.1) } else { depth };
        let viewport = registers.viewport();
        for (i, position) in vertex.iter_mut().enumerate().take(2) {
            *position = ((place[i] - viewport.origin[i]) / viewport.scale[i] - 1.0) * w;
        }
        (vertex[2], vertex[3]) = (-depth * w, w);
        if shape == Shape::Wild {
            let count = random.between(1, 6);
            (0..count).for_each(|_| vertex[random.below(SEMANTICS as u32) as usize] = special(random));
        }
        vertex[COLOUR].iter_mut().for_each(|channel| *channel = condition_colour(*channel));
        vertex
    }

    fn attribute(&self, random: &mut Random, k: usize) -> f32 {
        if random.chance(self.special) {
            return special(random);
        }
        match k {
            8..=11 => unit(random),
            12..=15 | 22 | 23 => between(random, self.coordinates[0], self.coordinates[1]),
            16 if random.chance(50) => between(random, 0.2, 2.0),
            17 | 21 => 1.0,
            _ => between(random, -1.0, 1.0),
        }
    }
}

/// Zeros, infinities, NaN, the smallest and largest, any bits.
fn special(random: &mut Random) -> f32 {
    let some = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-42, f32::MAX, -1e-30, 1e30, -1.0];
    if random.chance(60) { random.pick(&some) } else { f32::from_bits(random.word()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::fragments::case::set_up;
    use crate::pica::fragments::state;
    use picaflor_pipeline::pica::raster::triangles::Triangles;

    #[test]
    fn most_triangles_are_drawn_and_small() {
        let (state, mut random) = state::state(1, 0);
        let triangles = (0..1000).map(|_| triangle(&mut random, &state.registers, false));
        let parts: Vec<_> = triangles.map(|vertices| set_up(&vertices, &state.registers)).collect();
        let drawn = parts.iter().filter(|parts| !parts.is_empty()).count();
        let pieces: Vec<_> = parts.iter().flat_map(Triangles::iter).collect();
        assert!(drawn > 500, "{drawn} of 1000");
        let small = pieces.iter().filter(|piece| piece.bounds().pixels() < 40).count();
        assert!(small > 200, "{small} of {}", pieces.len());
    }
}
