//! Pictures: screens side by side, contact sheets, PNG files.

use picaflor_pipeline::capture::Rate;
use picaflor_pipeline::picture::Picture;
use picaflor_scenes::modelling::font::glyph;
use std::borrow::Cow;
use std::io::Cursor;

/// A colour: red, green, blue.
pub type Rgb = [u8; 3];

/// Behind pictures that do not fill their place.
const BACKGROUND: Rgb = [24, 26, 32];
/// Letters below pictures.
const INK: Rgb = [200, 204, 212];
/// Room between pictures, in pixels.
const GAP: u32 = 8;
/// Width of a letter and the room behind it, in pixels.
const LETTER: u32 = 6;
/// Height of a line of letters and the room around it, in pixels.
const LINE: u32 = 13;

/// An opaque picture, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

/// No PNG file, or one that is not in red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a PNG picture of 8-bit colours")]
pub struct BadPng;

/// Bytes of a picture that a PNG file may unpack to: compression makes files up to 1030 times as small.
const UNPACKED: Rate = Rate { factor: 1024, base: 16 << 20 };
/// The same for a file of any size.
const MOST_BYTES: u64 = 1 << 28;

fn unpacked_limit(file: &[u8]) -> u64 {
    UNPACKED.of(file.len() as u64).at_most(MOST_BYTES).limit()
}

/// A decoder whose own buffers are limited as the picture is.
fn decoder(file: &[u8]) -> png::Decoder<Cursor<&[u8]>> {
    let bytes = usize::try_from(unpacked_limit(file)).unwrap_or(usize::MAX);
    png::Decoder::new_with_limits(Cursor::new(file), png::Limits { bytes })
}

/// Bytes of the picture of a file, if it may have so many.
fn buffer_size(reader: &png::Reader<Cursor<&[u8]>>, file: &[u8]) -> Result<usize, BadPng> {
    let is_sound = |&size: &usize| size as u64 <= unpacked_limit(file);
    reader.output_buffer_size().filter(is_sound).ok_or(BadPng)
}

impl From<&Picture> for Image {
    fn from(picture: &Picture) -> Self {
        Self { width: picture.width, height: picture.height, rgb: picture.rgb.clone() }
    }
}

impl Image {
    /// A picture in one colour.
    #[must_use]
    pub fn new(width: u32, height: u32, colour: Rgb) -> Self {
        Self { width, height, rgb: colour.repeat(width as usize * height as usize) }
    }

    /// A picture with the pixels that `colour` returns, from the top left.
    #[must_use]
    pub fn of(width: u32, height: u32, colour: impl Fn(u32, u32) -> Rgb) -> Self {
        let rgb = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Self { width, height, rgb: rgb.flat_map(|(x, y)| colour(x, y)).collect() }
    }

    /// The picture of a PNG file without transparency, 8 bits for each colour.
    ///
    /// # Errors
    /// The file is no PNG picture.
    pub fn from_png(file: &[u8]) -> Result<Self, BadPng> {
        let mut reader = decoder(file).read_info().map_err(|_| BadPng)?;
        let mut rgb = vec![0; buffer_size(&reader, file)?];
        let info = reader.next_frame(&mut rgb).map_err(|_| BadPng)?;
        let is_rgb = (info.color_type, info.bit_depth) == (png::ColorType::Rgb, png::BitDepth::Eight);
        if is_rgb { Ok(Self { width: info.width, height: info.height, rgb }) } else { Err(BadPng) }
    }

    /// The picture of any PNG file: grey, palette, 16 bits; transparency is dropped.
    ///
    /// # Errors
    /// The file is no PNG picture.
    pub fn from_any_png(file: &[u8]) -> Result<Self, BadPng> {
        let mut decoder = decoder(file);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|_| BadPng)?;
        let mut bytes = vec![0; buffer_size(&reader, file)?];
        let info = reader.next_frame(&mut bytes).map_err(|_| BadPng)?;
        let samples = info.color_type.samples();
        let colour = |pixel: &[u8]| if samples < 3 { [pixel[0]; 3] } else { [pixel[0], pixel[1], pixel[2]] };
        if samples == 3 {
            bytes.truncate(info.buffer_size());
            return Ok(Self { width: info.width, height: info.height, rgb: bytes });
        }
        let mut rgb = Vec::with_capacity(info.width as usize * info.height as usize * 3);
        rgb.extend(bytes[..info.buffer_size()].chunks_exact(samples).flat_map(colour));
        Ok(Self { width: info.width, height: info.height, rgb })
    }

    /// Red, green and blue of each pixel, rows from the top.
    #[must_use]
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// Pixels of a row.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    const fn at(&self, x: u32, y: u32) -> usize {
        (y as usize * self.width as usize + x as usize) * 3
    }

    /// The colour of a pixel.
    ///
    /// # Panics
    /// If it is outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Rgb {
        assert!(x < self.width && y < self.height, "({x}, {y}) in {}x{}", self.width, self.height);
        let at = self.at(x, y);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// Copies another picture to a position, clipped to this one.
    pub fn paste(&mut self, left: u32, top: u32, other: &Self) {
        let width = other.width.min(self.width.saturating_sub(left)) as usize * 3;
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            let (to, from) = (self.at(left, top + y), other.at(0, y));
            self.rgb[to..to + width].copy_from_slice(&other.rgb[from..from + width]);
        }
    }

    /// Writes a line of letters of 5 x 7 pixels, clipped to this picture.
    fn write(&mut self, left: u32, top: u32, text: &str) {
        for (i, letter) in (0..).zip(text.chars()) {
            for (y, row) in (0..).zip(glyph(letter)) {
                for x in (0..5).filter(|x| row >> (4 - x) & 1 != 0) {
                    self.set(left + i * LETTER + x, top + y, INK);
                }
            }
        }
    }

    fn set(&mut self, x: u32, y: u32, colour: Rgb) {
        if x < self.width && y < self.height {
            let at = self.at(x, y);
            self.rgb[at..at + 3].copy_from_slice(&colour);
        }
    }

    /// The picture made smaller, so that it fits: each pixel is the mean of those that it stands for. A
    /// picture that fits stays as it is.
    #[must_use]
    pub fn fitted(&self, width: u32, height: u32) -> Cow<'_, Self> {
        if self.width <= width && self.height <= height {
            return Cow::Borrowed(self);
        }
        let by_width = self.height * width <= self.width * height;
        let (w, h) = match by_width {
            true => (width, self.height * width / self.width),
            false => (self.width * height / self.height, height),
        };
        let (w, h) = (w.max(1), h.max(1));
        Cow::Owned(Self::of(w, h, |x, y| {
            let columns = x * self.width / w..((x + 1) * self.width).div_ceil(w);
            let rows = y * self.height / h..((y + 1) * self.height).div_ceil(h);
            self.mean(columns, rows)
        }))
    }

    fn mean(&self, columns: std::ops::Range<u32>, rows: std::ops::Range<u32>) -> Rgb {
        let count = (columns.len() * rows.len()) as u32;
        let mut sum = [0; 3];
        for (x, y) in rows.flat_map(|y| columns.clone().map(move |x| (x, y))) {
            let pixel = self.pixel(x, y);
            sum = std::array::from_fn(|c| sum[c] + u32::from(pixel[c]));
        }
        sum.map(|channel| ((channel + count / 2) / count) as u8)
    }

    /// The picture as a PNG file.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        encode(self.width, self.height, (png::ColorType::Rgb, png::BitDepth::Eight), &self.rgb)
    }
}

/// Grey of 16 bits per pixel as a PNG file, rows from the top.
#[must_use]
pub fn grey_png(width: u32, height: u32, grey: &[u16]) -> Vec<u8> {
    let bytes: Vec<u8> = grey.iter().flat_map(|value| value.to_be_bytes()).collect();
    encode(width, height, (png::ColorType::Grayscale, png::BitDepth::Sixteen), &bytes)
}

fn encode(width: u32, height: u32, format: (png::ColorType, png::BitDepth), data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(format.0);
    encoder.set_depth(format.1);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(data));
    // The encoder refuses only empty pictures and data of another length.
    written.unwrap_or_else(|why| panic!("{width}x{height}, {} bytes: {why}", data.len()));
    file
}

/// The screens in their arrangement on the console: one above the other, centred. `None` if there is no screen.
#[must_use]
pub fn stacked(screens: &[Image]) -> Option<Image> {
    let width = screens.iter().map(Image::width).max()?;
    let height = screens.iter().map(Image::height).sum();
    let mut image = Image::new(width, height, BACKGROUND);
    let mut top = 0;
    for screen in screens {
        image.paste((width - screen.width) / 2, top, screen);
        top += screen.height;
    }
    Some(image)
}

/// Pictures side by side without room between them, as the eyes see them. `None` if there is none.
#[must_use]
pub fn beside(pictures: &[Image]) -> Option<Image> {
    let height = pictures.iter().map(Image::height).max()?;
    let mut image = Image::new(pictures.iter().map(Image::width).sum(), height, BACKGROUND);
    let mut left = 0;
    for picture in pictures {
        image.paste(left, 0, picture);
        left += picture.width;
    }
    Some(image)
}

/// Three pictures of one size side by side: expected, difference, actual.
#[must_use]
pub fn side_by_side(panels: [&Image; 3]) -> Image {
    let [expected, ..] = panels;
    let mut image = Image::new(3 * expected.width + 2 * GAP, expected.height, BACKGROUND);
    for (i, panel) in panels.into_iter().enumerate() {
        image.paste(i as u32 * (expected.width + GAP), 0, panel);
    }
    image
}

/// The pictures of a surface on both engines, and their difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panels {
    /// The reference's picture.
    pub expected: Image,
    /// The difference of the two.
    pub difference: Image,
    /// The other engine's picture.
    pub actual: Image,
}

impl Panels {
    /// The pictures of two surfaces of one size.
    #[must_use]
    pub fn of(
        (width, height): (u32, u32),
        expected: impl Fn(u32, u32) -> [u8; 4],
        actual: impl Fn(u32, u32) -> [u8; 4],
    ) -> Self {
        let opaque = |[r, g, b, _]: [u8; 4]| [r, g, b];
        Self {
            expected: Image::of(width, height, |x, y| opaque(expected(x, y))),
            actual: Image::of(width, height, |x, y| opaque(actual(x, y))),
            difference: difference((width, height), expected, actual),
        }
    }

    /// Two pictures of one size; `None` if they have different sizes.
    #[must_use]
    pub fn of_images(expected: &Image, actual: &Image) -> Option<Self> {
        let size = (expected.width, expected.height);
        let pixel = |image: &Image, x, y| {
            let [r, g, b] = image.pixel(x, y);
            [r, g, b, 255]
        };
        (size == (actual.width, actual.height))
            .then(|| Self::of(size, |x, y| pixel(expected, x, y), |x, y| pixel(actual, x, y)))
    }

    /// Expected, difference and actual beside each other.
    #[must_use]
    pub fn side_by_side(&self) -> Image {
        side_by_side([&self.expected, &self.difference, &self.actual])
    }
}

/// Where two surfaces differ: the brighter, the more; equal pixels are a dark shade of `expected`. All four
/// channels count.
#[must_use]
pub fn difference(
    (width, height): (u32, u32),
    expected: impl Fn(u32, u32) -> [u8; 4],
    actual: impl Fn(u32, u32) -> [u8; 4],
) -> Image {
    Image::of(width, height, |x, y| {
        let (a, b) = (expected(x, y), actual(x, y));
        let most = (0..4).map(|c| a[c].abs_diff(b[c])).max().unwrap_or(0);
        match most {
            0 => [a[0] / 5, a[1] / 5, a[2] / 5],
            most => [255, 128 + most / 2, most / 2],
        }
    })
}

/// Small versions of pictures in a grid, row by row, with their names below.
#[must_use]
pub fn contact_sheet(pictures: &[(&str, &Image)], columns: u32, cell: (u32, u32)) -> Image {
    let columns = columns.clamp(1, (pictures.len() as u32).max(1));
    let rows = (pictures.len() as u32).div_ceil(columns).max(1);
    let (across, down) = (cell.0 + GAP, cell.1 + LINE + GAP);
    let mut sheet = Image::new(GAP + columns * across, GAP + rows * down, BACKGROUND);
    for (i, (name, picture)) in (0..).zip(pictures) {
        let (left, top) = (GAP + i % columns * across, GAP + i / columns * down);
        let small = picture.fitted(cell.0, cell.1);
        sheet.paste(left + (cell.0 - small.width) / 2, top + (cell.1 - small.height) / 2, &small);
        let fits: String = name.chars().take((cell.0 / LETTER) as usize).collect();
        let indent = (cell.0 - fits.chars().count() as u32 * LETTER) / 2;
        sheet.write(left + indent, top + cell.1 + LINE - 8, &fits);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(file: &[u8]) -> (png::OutputInfo, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        (info, bytes)
    }

    #[test]
    fn png_files_hold_the_pixels() {
        let image = Image::of(3, 2, |x, y| [x as u8, y as u8, 7]);
        let (info, bytes) = decoded(&image.to_png());
        assert_eq!((info.width, info.height, info.color_type), (3, 2, png::ColorType::Rgb));
        assert_eq!(bytes, [0, 0, 7, 1, 0, 7, 2, 0, 7, 0, 1, 7, 1, 1, 7, 2, 1, 7]);
        assert_eq!(Image::from_png(&image.to_png()), Ok(image));
        assert_eq!(Image::from_png(&grey_png(1, 2, &[0x1234, 0xffff])), Err(BadPng));
        let (info, bytes) = decoded(&grey_png(1, 2, &[0x1234, 0xffff]));
        assert_eq!((info.bit_depth, &bytes[..]), (png::BitDepth::Sixteen, &[0x12, 0x34, 255, 255][..]));
    }

    #[test]
    fn png_files_of_every_kind() {
        let image = Image::of(3, 2, |x, y| [x as u8, y as u8, 7]);
        assert_eq!(Image::from_any_png(&image.to_png()), Ok(image));
        let grey = Image::from_any_png(&grey_png(1, 2, &[0x1234, 0xffff])).unwrap();
        assert_eq!([grey.pixel(0, 0), grey.pixel(0, 1)], [[0x12; 3], [0xff; 3]]);
        let clear = encode(1, 1, (png::ColorType::Rgba, png::BitDepth::Eight), &[1, 2, 3, 0]);
        assert_eq!(Image::from_any_png(&clear).map(|image| image.pixel(0, 0)), Ok([1, 2, 3]));
        assert_eq!(Image::from_any_png(b"no picture"), Err(BadPng));
    }

    /// Some 70 bytes once made the reader fill 192 MiB.
    #[test]
    fn small_png_files_hold_small_pictures() {
        let sized = |width: u32, height: u32| {
            let mut file = Image::new(1, 1, [0; 3]).to_png();
            // The size is in the first chunk: 4 bytes of length, 4 of type, 13 of content, then the checksum.
            file[16..20].copy_from_slice(&width.to_be_bytes());
            file[20..24].copy_from_slice(&height.to_be_bytes());
            let checksum = crc32fast::hash(&file[12..29]);
            file[29..33].copy_from_slice(&checksum.to_be_bytes());
            file
        };
        let size = |file: &[u8]| {
            let reader = decoder(file).read_info().map_err(|_| BadPng)?;
            buffer_size(&reader, file)
        };
        assert_eq!(size(&sized(2048, 2048)), Ok(12 << 20));
        assert_eq!(size(&sized(8192, 8192)), Err(BadPng));
        assert_eq!(Image::from_png(&sized(8192, 8192)), Err(BadPng));
        assert_eq!(Image::from_any_png(&sized(8192, 8192)), Err(BadPng));
        let zeros = Image::new(2048, 4096, [0; 3]);
        assert_eq!(Image::from_any_png(&zeros.to_png()), Ok(zeros), "what compresses best");
    }

    #[test]
    fn screens_are_stacked_and_centred() {
        let stack = stacked(&[Image::new(4, 1, [1; 3]), Image::new(2, 1, [2; 3])]).unwrap();
        assert_eq!((stack.width, stack.height), (4, 2));
        let row = |y| (0..4).map(|x| stack.pixel(x, y)).collect::<Vec<_>>();
        assert_eq!(row(0), [[1; 3]; 4]);
        assert_eq!(row(1), [BACKGROUND, [2; 3], [2; 3], BACKGROUND]);
        assert_eq!(stacked(&[]), None);
    }

    #[test]
    fn smaller_pictures_are_means() {
        let image = Image::of(4, 2, |x, _| [if x < 2 { 0 } else { 100 }; 3]);
        let small = image.fitted(2, 9);
        assert_eq!((small.width, small.height), (2, 1));
        assert_eq!([small.pixel(0, 0), small.pixel(1, 0)], [[0; 3], [100; 3]]);
        assert_eq!(image.fitted(1, 1).pixel(0, 0), [50; 3]);
        assert_eq!(*image.fitted(4, 2), image);
    }

    #[test]
    fn differences_show_alpha_too() {
        let expected = |x: u32, _| [100, 50, 0, if x == 0 { 255 } else { 0 }];
        let image = difference((2, 1), expected, |_, _| [100, 50, 0, 0]);
        assert_eq!([image.pixel(0, 0), image.pixel(1, 0)], [[255, 255, 127], [20, 10, 0]]);
    }

    #[test]
    fn a_sheet_has_room_for_all() {
        let picture = Image::new(20, 10, [9; 3]);
        let sheet = contact_sheet(&[("", &picture); 5], 3, (10, 10));
        assert_eq!((sheet.width, sheet.height), (8 + 3 * 18, 8 + 2 * 31));
        assert_eq!(sheet.rgb.chunks(3).filter(|&pixel| pixel == [9; 3]).count(), 5 * 10 * 5);
        assert_eq!(sheet.pixel(8, 8 + 2), [9; 3]);
        assert_eq!(sheet.pixel(8, 8), BACKGROUND);
        assert_eq!(contact_sheet(&[], 3, (10, 10)).width, 26);
    }

    #[test]
    fn names_lie_below_and_inside() {
        let picture = Image::new(20, 20, [9; 3]);
        let named = contact_sheet(&[("aaaaaaaa", &picture)], 1, (20, 20));
        let ink = |x, y| named.pixel(x, y) == INK;
        let all = || (0..named.height).flat_map(|y| (0..named.width).map(move |x| (x, y)));
        assert!(all().any(|(x, y)| ink(x, y)));
        assert!(all().filter(|&(x, y)| ink(x, y)).all(|(x, y)| (8..28).contains(&x) && y >= 28));
    }
}
