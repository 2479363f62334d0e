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

/// Bytes of a pixel in memory of the host, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PictureFormat {
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue, 255.
    Rgba,
    /// Blue, green, red, 255.
    Bgra,
}

impl PictureFormat {
    /// Bytes of a pixel.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Rgb => 3,
            Self::Rgba | Self::Bgra => 4,
        }
    }

    /// The bytes of a colour, the first [`bytes`](Self::bytes) of the result.
    #[must_use]
    pub const fn pixel(self, [r, g, b]: [u8; 3]) -> [u8; 4] {
        match self {
            Self::Rgb | Self::Rgba => [r, g, b, 255],
            Self::Bgra => [b, g, r, 255],
        }
    }
}

/// Why there is no picture in a buffer. Nothing was written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureError {
    /// The screen shows nothing: its size is zero, or larger than any screen.
    Nothing,
    /// The buffer has too few bytes for this size in pixels, or its rows are too close.
    NoRoom {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
    },
}

impl std::fmt::Display for PictureError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("the screen shows nothing"),
            Self::NoRoom { width, height } => write!(f, "no room for a picture of {width} x {height} pixels"),
        }
    }
}

impl std::error::Error for PictureError {}

/// Memory of the host for a picture, with its format and stride. The bytes between rows stay as they are.
#[derive(Debug)]
pub struct PictureBuffer<'a> {
    bytes: &'a mut [u8],
    stride_bytes: usize,
    format: PictureFormat,
}

impl<'a> PictureBuffer<'a> {
    /// A buffer whose rows, the first at the top, are `stride_bytes` apart. The last row may end with the buffer.
    #[must_use]
    pub const fn new(bytes: &'a mut [u8], stride_bytes: usize, format: PictureFormat) -> Self {
        Self { bytes, stride_bytes, format }
    }

    /// Format of the pixels.
    #[must_use]
    pub const fn format(&self) -> PictureFormat {
        self.format
    }

    /// Bytes from row to row.
    #[must_use]
    pub const fn stride_bytes(&self) -> usize {
        self.stride_bytes
    }

    /// The bytes of a picture of this size in pixels, from its first pixel to its last.
    ///
    /// # Errors
    /// [`PictureError::NoRoom`].
    pub fn area(&mut self, width: u32, height: u32) -> Result<&mut [u8], PictureError> {
        let row = width as usize * self.format.bytes();
        let rows = (height as usize).saturating_sub(1).checked_mul(self.stride_bytes);
        let needed = rows.and_then(|rows| rows.checked_add(row));
        match needed.and_then(|needed| self.bytes.get_mut(..needed)) {
            Some(area) if row <= self.stride_bytes || height <= 1 => Ok(area),
            _ => Err(PictureError::NoRoom { width, height }),
        }
    }

    /// Writes a picture pixel by pixel.
    ///
    /// # Errors
    /// [`PictureError::NoRoom`].
    pub fn put(&mut self, picture: &Picture) -> Result<(), PictureError> {
        let (format, stride) = (self.format, self.stride_bytes);
        let area = self.area(picture.width, picture.height)?;
        for (n, &colour) in picture.rgb.as_chunks::<3>().0.iter().enumerate() {
            let (x, y) = (n % picture.width as usize, n / picture.width as usize);
            let at = y * stride + x * format.bytes();
            area[at..at + format.bytes()].copy_from_slice(&format.pixel(colour)[..format.bytes()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pixels in each of two rows.
    fn picture() -> Picture {
        Picture { width: 2, height: 2, rgb: (1..=12).collect() }
    }

    fn put(bytes: usize, stride: usize, format: PictureFormat) -> Result<Vec<u8>, PictureError> {
        let mut all = vec![99; bytes];
        PictureBuffer::new(&mut all, stride, format).put(&picture()).map(|()| all)
    }

    #[test]
    fn formats_and_strides() {
        assert_eq!(put(12, 6, PictureFormat::Rgb), Ok((1..=12).collect()));
        let rgba = [1, 2, 3, 255, 4, 5, 6, 255, 99, 7, 8, 9, 255, 10, 11, 12, 255, 99, 99];
        assert_eq!(put(19, 9, PictureFormat::Rgba), Ok(rgba.to_vec()));
        let bgra = [3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255, 12, 11, 10, 255];
        assert_eq!(put(16, 8, PictureFormat::Bgra), Ok(bgra.to_vec()));
    }

    #[test]
    fn buffers_without_room() {
        let none = Err(PictureError::NoRoom { width: 2, height: 2 });
        assert_eq!(put(15, 8, PictureFormat::Rgba), none);
        assert_eq!(put(100, 7, PictureFormat::Rgba), none);
        assert_eq!(put(100, usize::MAX, PictureFormat::Rgb), none);
        assert_eq!(put(0, 0, PictureFormat::Bgra), none);
    }
}
