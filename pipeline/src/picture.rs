//! `Picture`: what a screen shows, as either machine's scan-out makes it.

/// A picture as the viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows, the first at the top.
    pub height: u32,
    /// Red, green, blue of each pixel, row by row.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Longest side; what the registers ask beyond it is no screen.
    pub const LONGEST: u32 = 1024;

    /// Red, green, blue of a pixel.
    ///
    /// # Panics
    /// If it is outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "({x}, {y}) in {}x{}", self.width, self.height);
        let at = (y * self.width + x) as usize * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// The picture as a PPM file.
    #[must_use]
    pub fn to_ppm(&self) -> Vec<u8> {
        [format!("P6\n{} {}\n255\n", self.width, self.height).as_bytes(), &self.rgb].concat()
    }
}
