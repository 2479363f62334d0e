//! The yardstick of fragments: the state [`State::Yardstick`] drawn by a hand-written function.
//!
//! It has the same advantages as compiled code: the target in blocks of 8x8 pixels, textures decoded to rows of
//! pixels, and triangles that are set up. [`Frame::draw`] goes over the blocks of each triangle; the vectors are in
//! `fragment_simd.rs`, and a scalar walk is the fallback on hosts without them.

use crate::pica::fragment::{HEIGHT, State, WIDTH, Workload};
use picaflor_pipeline::memory::read_word;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::texel::TextureFormat;
use picaflor_pipeline::pica::tiling::morton;

/// Pixels on the side of a block.
pub(super) const SIDE: i32 = 8;
/// Interpolated values: red, green, blue, alpha, and two pairs of coordinates.
pub(super) const VALUES: usize = 8;
/// Semantics of the values.
const SEMANTICS: [usize; VALUES] = [8, 9, 10, 11, 12, 13, 14, 15];

/// Vectors that are used, where the host has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// 128 bits, a quad at a time.
    Four,
    /// 256 bits, two quads at a time.
    Eight,
}

/// Two textures of the same size, a power of two, decoded: alpha, blue, green, red from the lowest byte on, rows
/// from the lowest on. An index that is masked with [`columns`](Self::columns) and [`rows`](Self::rows) is inside.
#[derive(Debug, Clone)]
pub(super) struct Textures {
    texels: [Vec<u32>; 2],
    side: u32,
}

impl Textures {
    fn of(workload: &Workload) -> Self {
        let registers = workload.registers();
        let side = u32::from(registers.texture_dim(0).width());
        assert!(side.is_power_of_two(), "a side of {side}");
        let decoded = |unit: usize| -> Vec<u32> {
            let base = registers.texture_address(unit).bytes();
            assert_eq!(registers.texture_type(unit).format(), TextureFormat::Rgba8);
            let texel = |n: u32| {
                let (x, row) = (n % side, side - 1 - n / side);
                let index = (row & !7) * side + (x & !7) * 8 + morton(x, row);
                read_word(workload.fragments().memory, base + index * 4)
            };
            (0..side * side).map(texel).collect()
        };
        Self { texels: [decoded(0), decoded(1)], side }
    }

    /// Bits of the column in an index.
    pub(super) const fn columns(&self) -> i32 {
        self.side as i32 - 1
    }

    /// Bits of the row in an index.
    pub(super) const fn rows(&self) -> i32 {
        (self.side * (self.side - 1)) as i32
    }

    /// The texels of a unit.
    pub(super) fn texels(&self, unit: usize) -> &[u32] {
        &self.texels[unit]
    }
}

/// A target with the textures that are drawn on it.
#[derive(Debug, Clone)]
pub struct Frame {
    pub(super) colour: Vec<u32>,
    pub(super) depth: Vec<u32>,
    pub(super) textures: Textures,
    pub(super) depth_scale: f32,
    pub(super) depth_offset: f32,
    top_first: bool,
}

impl Frame {
    /// The target of the yardstick's state as it is now.
    ///
    /// # Panics
    /// If the workload has another state.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        assert_eq!(workload.state, State::Yardstick);
        let [colour, depth] = workload.picture().map(|bytes| {
            let (words, _) = bytes.as_chunks::<4>();
            words.iter().map(|&word| u32::from_le_bytes(word)).collect::<Vec<_>>()
        });
        assert!([&colour, &depth].iter().all(|words| words.len() == (WIDTH * HEIGHT) as usize));
        let registers = workload.registers();
        Self {
            colour,
            depth,
            textures: Textures::of(workload),
            depth_scale: registers.depth_scale(),
            depth_offset: registers.depth_offset(),
            top_first: Target::new(registers, workload.fragments().memory).top_first(),
        }
    }

    /// Draws triangles and counts the covered pixels.
    pub fn draw(&mut self, triangles: &[Triangle], width: Width) -> u64 {
        let mut set = Set { triangles, next: 0 };
        #[cfg(target_arch = "x86_64")]
        if let Some(covered) = super::fragment_simd::draw(self, &mut set, width) {
            return covered;
        }
        let _ = width;
        super::fragment_scalar::draw(self, &mut set)
    }

    /// The bytes of the colour buffer and of the depth buffer.
    #[must_use]
    pub fn picture(&self) -> [Vec<u8>; 2] {
        [&self.colour, &self.depth].map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// An edge of a triangle in the order of memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    /// At the sample of the first pixel in memory.
    origin: i32,
    right: i32,
    down: i32,
    /// Least value inside.
    pub(super) least: i32,
    /// Change from the first pixel of a block to the first eight in memory.
    pub(super) quads: [i32; 8],
}

impl Edge {
    fn opposite(triangle: &Triangle, n: usize, top_first: bool) -> Self {
        let (a, b) = ((n + 1) % 3, (n + 2) % 3);
        let (dx, dy) = (triangle.x[b] - triangle.x[a], triangle.y[b] - triangle.y[a]);
        let is_open = dy > 0 || dy == 0 && dx < 0;
        let up = 16 * dx;
        let lowest = dx * (8 - triangle.y[a]) - dy * (8 - triangle.x[a]);
        let (origin, down) = if top_first { (lowest + up * (HEIGHT as i32 - 1), -up) } else { (lowest, up) };
        let right = -16 * dy;
        let quads = [0, right, down, right + down, 2 * right, 3 * right, 2 * right + down, 3 * right + down];
        Self { origin, right, down, least: i32::from(is_open), quads }
    }

    const fn at(&self, x: i32, row: i32) -> i32 {
        self.origin + self.right * x + self.down * row
    }

    /// Change from the first pixel of a block to pixel `place`.
    pub(super) const fn step(&self, place: usize) -> i32 {
        let [x, row] =
            [place & 1 | place >> 1 & 2 | place >> 2 & 4, place >> 1 & 1 | place >> 2 & 2 | place >> 3 & 4];
        self.right * x as i32 + self.down * row as i32
    }
}

/// Numbers that are the same for all pixels of a triangle.
#[derive(Debug, Clone, Default)]
pub(super) struct TriangleNumbers {
    pub(super) edges: [Edge; 3],
    pub(super) r: [f32; 3],
    pub(super) z: [f32; 3],
    pub(super) sum: f32,
    /// Values times 1 / w; coordinates in texels, the second of a pair in texels before its row.
    pub(super) values: [[f32; 3]; VALUES],
    /// First column, and end of the columns.
    pub(super) columns: (i32, i32),
    /// First row in memory, and end of the rows.
    pub(super) rows: (i32, i32),
}

/// A block that a triangle touches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) number: usize,
    /// Edge values at its first pixel.
    pub(super) edges: [i32; 3],
    /// The whole block is inside.
    pub(super) whole: bool,
}

impl TriangleNumbers {
    /// Takes a triangle; returns true if it touches the target.
    #[inline]
    fn set(&mut self, triangle: &Triangle, frame: &Frame) -> bool {
        let bounds = triangle.bounds();
        let (width, height) = (WIDTH as i32, HEIGHT as i32);
        self.columns = (bounds.x0.max(0), bounds.x1.min(width));
        let (low, high) = (bounds.y0.max(0), bounds.y1.min(height));
        self.rows = if frame.top_first { (height - high, height - low) } else { (low, high) };
        let side = frame.textures.side as f32;
        let scales = [1.0, 1.0, 1.0, 1.0, side, side * side, side, side * side];
        let mut sum = 0;
        for n in 0..3 {
            self.edges[n] = Edge::opposite(triangle, n, frame.top_first);
            sum += self.edges[n].origin;
            for (value, (&k, scale)) in self.values.iter_mut().zip(SEMANTICS.iter().zip(scales)) {
                value[n] = triangle.p[n][k] * scale;
            }
        }
        (self.r, self.z, self.sum) = (triangle.r, triangle.z, sum as f32);
        self.columns.0 < self.columns.1 && low < high
    }

    /// The block with this first pixel; `None` outside.
    #[inline]
    pub(super) fn block(&self, x: i32, row: i32) -> Option<Block> {
        let mut whole = true;
        for edge in &self.edges {
            let first = edge.at(x, row) - edge.least;
            let (along, across) = (edge.right * (SIDE - 1), edge.down * (SIDE - 1));
            if first + along.max(0) + across.max(0) < 0 {
                return None;
            }
            whole &= first + along.min(0) + across.min(0) >= 0;
        }
        let number = (row / SIDE * (WIDTH as i32 / SIDE) + x / SIDE) as usize;
        let [a, b, c] = &self.edges;
        Some(Block { number, edges: [a.at(x, row), b.at(x, row), c.at(x, row)], whole })
    }
}

/// Triangles that wait.
#[derive(Debug)]
pub(super) struct Set<'a> {
    triangles: &'a [Triangle],
    next: usize,
}

impl Set<'_> {
    /// Takes the next triangle that touches the target; false if there is none.
    #[inline]
    pub(super) fn next(&mut self, frame: &Frame, numbers: &mut TriangleNumbers) -> bool {
        while let Some(triangle) = self.triangles.get(self.next) {
            self.next += 1;
            if numbers.set(triangle, frame) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::fragment::Shape;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::stage::FragmentStage;

    #[test]
    fn the_picture_is_the_interpreters() {
        for shape in Shape::ALL {
            let workload = Workload::new(State::Yardstick);
            let mut frames = [(); 3].map(|()| Frame::new(&workload));
            let shared = workload.triangles(shape);
            let triangles: Vec<_> = shared.iter().collect();
            let routine = Interpreter::new().fragment_routine(&workload.fragments());
            for round in 0..2 {
                let expected = workload.draw(&*routine, &shared, 1);
                let [a, b, c] = &mut frames;
                let mut set = Set { triangles: &triangles, next: 0 };
                let drawn = [
                    a.draw(&triangles, Width::Four),
                    b.draw(&triangles, Width::Eight),
                    super::super::fragment_scalar::draw(c, &mut set),
                ];
                assert_eq!(drawn, [expected; 3]);
                for frame in &frames {
                    assert!(frame.picture() == workload.picture(), "{} {round}", shape.name());
                }
            }
        }
    }
}
