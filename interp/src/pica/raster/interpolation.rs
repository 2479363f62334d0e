//! Interpolation at one pixel: attributes in perspective, depth linear in the window.
//!
//! Everything is binary32, each operation rounded on its own, in the order of the manuals; edge values and their sum are
//! exact integers that are rounded once.
//!
//! Source: pica-geometry.md 6.4 and 6.5, pica-fragment.md 1.1 and 1.3.

use super::coverage;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;

/// A covered pixel of a triangle.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a> {
    triangle: &'a Triangle,
    /// Column in the window.
    pub(crate) x: i32,
    /// Row in the window, upward.
    pub(crate) y: i32,
    /// Value of the edge opposite to each vertex.
    e: [f32; 3],
    /// Their sum: twice the area.
    area: f32,
    /// 1 over the interpolated 1 / w, up to the factor of the area.
    rd: f32,
}

impl<'a> Sample<'a> {
    /// The pixel, if the triangle covers it.
    pub(crate) fn new(triangle: &'a Triangle, x: i32, y: i32) -> Option<Self> {
        let e = coverage::at_pixel(triangle, x, y)?;
        let area = e.iter().sum::<i64>() as f32;
        let e = e.map(|value| value as f32);
        Some(Self { triangle, x, y, e, area, rd: 1.0 / weighted(triangle.r, e) })
    }

    /// Values of the edges opposite to the vertices.
    pub(crate) fn edges(&self) -> [f32; 3] {
        self.e
    }

    /// Semantic `k`, which the triangle has multiplied by 1 / w.
    pub(crate) fn attribute(&self, k: usize) -> f32 {
        weighted(self.of_vertices(k), self.e) * self.rd
    }

    fn of_vertices(&self, k: usize) -> [f32; 3] {
        self.triangle.p.each_ref().map(|vertex| vertex[k])
    }

    /// Change of semantic `k` per pixel to the right and per pixel upward.
    pub(crate) fn derivatives(&self, k: usize) -> [f32; 2] {
        let (p, r, value) = (self.of_vertices(k), self.triangle.r, self.attribute(k));
        self.gradients().map(|g| (weighted(p, g) - value * weighted(r, g)) * self.rd)
    }

    /// Change of the edge values per pixel to the right and per pixel upward.
    fn gradients(&self) -> [[f32; 3]; 2] {
        let edges = [0, 1, 2].map(|i| coverage::edge(self.triangle, i));
        let right = edges.map(|[[_, ay], [_, by]]| (-16 * (by - ay)) as f32);
        let upward = edges.map(|[[ax, _], [bx, _]]| (16 * (bx - ax)) as f32);
        [right, upward]
    }

    /// Depth, 0 to 1, before it is quantised.
    pub(crate) fn depth(&self, registers: &Registers) -> f32 {
        let z_over_w = weighted(self.triangle.z, self.e) / self.area;
        let mapped = z_over_w * registers.depth_scale() + registers.depth_offset();
        let is_w_buffer = !registers.depth_map().z_buffer();
        unit(if is_w_buffer { mapped * (self.rd * self.area) } else { mapped })
    }

    /// The colour of the vertices at the pixel, or of the third one if colours are flat.
    pub(crate) fn colour(&self) -> [f32; 4] {
        self.triangle.flat_colour.unwrap_or_else(|| [8, 9, 10, 11].map(|k| self.attribute(k)))
    }
}

/// The sum of three numbers, one of each vertex, with weights.
fn weighted(of: [f32; 3], weights: [f32; 3]) -> f32 {
    (of[0] * weights[0] + of[1] * weights[1]) + of[2] * weights[2]
}

/// A number limited to 0 to 1; a NaN gives 0 (pica-fragment.md 0.2).
fn unit(x: f32) -> f32 {
    let above = if x > 0.0 { x } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::testing::triangle;
    use super::*;

    /// Legs of four pixels; at the centre of pixel (0, 0) the weights are 3/4, 1/8, 1/8.
    const CORNERS: [[i32; 2]; 3] = [[0, 0], [64, 0], [0, 64]];

    /// Semantic 0 of the vertices, times their 1 / w.
    fn with(values: [f32; 3], r: [f32; 3]) -> Triangle {
        let mut triangle = triangle(CORNERS);
        triangle.r = r;
        for k in 0..3 {
            triangle.p[k][0] = values[k] * r[k];
        }
        triangle
    }

    fn corner(triangle: &Triangle) -> Sample<'_> {
        Sample::new(triangle, 0, 0).expect("covered")
    }

    #[test]
    fn linear_where_w_is_the_same() {
        let triangle = with([0.0, 8.0, 16.0], [1.0; 3]);
        let at = corner(&triangle);
        assert_eq!(at.attribute(0), 3.0);
        // 8 per four pixels to the right, 16 per four pixels upward.
        assert_eq!(at.derivatives(0), [2.0, 4.0]);
    }

    /// w = 1, 2, 4 and values 0, 8, 16: the numerator is 4/8 + 4/8, the denominator 3/4 + 1/16 + 1/32.
    #[test]
    fn perspective() {
        let triangle = with([0.0, 8.0, 16.0], [1.0, 0.5, 0.25]);
        let at = corner(&triangle);
        assert_eq!(at.attribute(0), 4096.0 * (1.0 / (4096.0 * 0.84375_f32)));
        // du/dx = (dn/dx - u dd/dx) / d with dn/dx = 4 / 4 and dd/dx = -0.5 / 4.
        let expected = f64::from(1.0 + 1.0 / 0.84375_f32 * 0.125) / 0.84375;
        assert!((f64::from(at.derivatives(0)[0]) - expected).abs() < 1e-6);
    }

    fn depth(z: [f32; 3], r: [f32; 3], words: &[(u16, u32)]) -> f32 {
        let mut registers = Registers::new();
        words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        corner(&Triangle { z, r, ..triangle(CORNERS) }).depth(&registers)
    }

    /// Scale -1 (0xBF0000), offset 0.
    const MINUS_ONE: (u16, u32) = (0x04d, 0xbf_0000);
    const Z_BUFFER: (u16, u32) = (0x06d, 1);

    #[test]
    fn depth_is_linear_in_the_window() {
        let z = [-0.25, -0.5, -1.0];
        assert_eq!(depth(z, [1.0, 0.5, 0.25], &[MINUS_ONE, Z_BUFFER]), 0.375);
        // With an offset of 1 (0x3F0000).
        assert_eq!(depth(z, [1.0; 3], &[MINUS_ONE, Z_BUFFER, (0x04e, 0x3f_0000)]), 1.0, "limited");
        assert_eq!(depth(z.map(|z| -z), [1.0; 3], &[MINUS_ONE, Z_BUFFER]), 0.0, "limited");
        assert_eq!(depth([f32::NAN; 3], [1.0; 3], &[MINUS_ONE, Z_BUFFER]), 0.0);
    }

    /// pica-geometry.md 6.5: z/w times w.
    #[test]
    fn depth_of_a_w_buffer() {
        assert_eq!(depth([-0.125; 3], [0.5; 3], &[MINUS_ONE]), 0.25);
    }

    #[test]
    fn flat_colours_replace_interpolated_ones() {
        let mut triangle = triangle(CORNERS);
        assert_eq!(corner(&triangle).colour(), [1.0; 4]);
        triangle.flat_colour = Some([0.5, 0.25, 0.0, 2.0]);
        assert_eq!(corner(&triangle).colour(), [0.5, 0.25, 0.0, 2.0]);
    }

    /// pica-geometry.md 6.5: z/w times the scale, -1/2 (0xBE0000).
    #[test]
    fn depth_is_scaled() {
        assert_eq!(depth([-0.5; 3], [1.0; 3], &[(0x04d, 0xbe_0000), Z_BUFFER]), 0.25);
    }
}
