//! `Picture`: the image on a screen, as the scan-out of either machine produces it.

/// A picture in the orientation of the viewer.
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
    /// Longest side in pixels; larger values of the registers describe no screen.
    pub const LONGEST: u32 = 1024;

    /// Red, green, blue of a pixel.
    ///
    /// # Panics
    /// If the pixel is outside of the picture.
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
