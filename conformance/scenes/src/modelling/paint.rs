//! Pictures for textures: a canvas with a few brushes, and noise.

use super::font;

/// RGBA pixels, the first row on top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canvas {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row after row.
    pub pixels: Vec<[u8; 4]>,
}

impl Canvas {
    /// A canvas painted by `colour(x, y)`, x and y in 0..1 from the upper left corner, pixel centres.
    pub fn paint(width: u32, height: u32, colour: impl Fn(f32, f32) -> [f32; 4]) -> Self {
        let centre = |at: u32, size: u32| (at as f32 + 0.5) / size as f32;
        let pixel = |i| bytes(colour(centre(i % width, width), centre(i / width, height)));
        Self { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    /// One colour.
    #[must_use]
    pub fn plain(width: u32, height: u32, colour: [u8; 4]) -> Self {
        Self { width, height, pixels: vec![colour; (width * height) as usize] }
    }

    /// Squares of two colours, `cells` on each side.
    #[must_use]
    pub fn checker(size: u32, cells: u32, light: [u8; 4], dark: [u8; 4]) -> Self {
        let cell = size / cells;
        let pixel = |i: u32| if (i % size / cell + i / size / cell).is_multiple_of(2) { light } else { dark };
        Self { width: size, height: size, pixels: (0..size * size).map(pixel).collect() }
    }

    /// The pixel at (x, y); coordinates outside are taken modulo the size.
    #[must_use]
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[(y % self.height * self.width + x % self.width) as usize]
    }

    /// Sets a pixel, if there is one.
    pub fn set(&mut self, x: u32, y: u32, colour: [u8; 4]) {
        if x < self.width && y < self.height {
            self.pixels[(y * self.width + x) as usize] = colour;
        }
    }

    /// Fills a rectangle.
    pub fn rect(&mut self, [x0, y0, x1, y1]: [u32; 4], colour: [u8; 4]) -> &mut Self {
        for y in y0..y1 {
            (x0..x1).for_each(|x| self.set(x, y, colour));
        }
        self
    }

    /// Writes capital letters, digits and some signs, 6 x 8 pixels each times `scale`.
    pub fn text(&mut self, x: u32, y: u32, scale: u32, colour: [u8; 4], text: &str) -> &mut Self {
        for (i, letter) in text.chars().enumerate() {
            let left = x + i as u32 * 6 * scale;
            for (row, bits) in font::glyph(letter).into_iter().enumerate() {
                for column in (0..5).filter(|column| bits >> (4 - column) & 1 != 0) {
                    let (px, py) = (left + column * scale, y + row as u32 * scale);
                    self.rect([px, py, px + scale, py + scale], colour);
                }
            }
        }
        self
    }

    /// Half the size, four pixels averaged into one: the next level of a mip chain.
    #[must_use]
    pub fn halved(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let pixel = |i: u32| {
            let (x, y) = (i % width * 2, i / width * 2);
            let four = [self.at(x, y), self.at(x + 1, y), self.at(x, y + 1), self.at(x + 1, y + 1)];
            std::array::from_fn(|c| (four.iter().map(|p| u32::from(p[c])).sum::<u32>() / 4) as u8)
        };
        Self { width, height, pixels: (0..width * height).map(pixel).collect() }
    }
}

/// A colour of reals as bytes.
#[must_use]
pub fn bytes(colour: [f32; 4]) -> [u8; 4] {
    colour.map(|c| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

/// A mixture: all of `a` at 0, all of `b` at 1.
#[must_use]
pub fn mix(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t.clamp(0.0, 1.0))
}

/// Smooth noise in 0..1 that repeats after `period` units in both directions.
#[must_use]
pub fn noise(x: f32, y: f32, period: u32, seed: u32) -> f32 {
    let (xi, yi) = (x.floor(), y.floor());
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (fx, fy) = (smooth(x - xi), smooth(y - yi));
    let corner = |dx: i32, dy: i32| {
        let wrap = |v: f32, d: i32| (v as i32 + d).rem_euclid(period as i32) as u32;
        hash(wrap(xi, dx), wrap(yi, dy), seed)
    };
    let top = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * fx;
    let bottom = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * fx;
    top + (bottom - top) * fy
}

/// Noise of several octaves, in 0..1 and periodic over the unit square.
#[must_use]
pub fn clouds(x: f32, y: f32, seed: u32) -> f32 {
    let octave = |k: u32| {
        let cells = 4 << k;
        noise(x * cells as f32, y * cells as f32, cells, seed + k) / (2 << k) as f32
    };
    (0..5).map(octave).sum()
}

/// A number in 0..1 for a lattice point.
#[must_use]
pub fn hash(x: u32, y: u32, seed: u32) -> f32 {
    let mut h = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ seed.wrapping_mul(0xc2b2_ae3d);
    h = (h ^ h >> 15).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ h >> 12).wrapping_mul(0x297a_2d39);
    (h ^ h >> 15) as f32 / u32::MAX as f32
}
