//! Scan-out: the picture of a screen.
//!
//! The panels are mounted rotated. A row of the framebuffer is a column of the picture, the first row at the left; its
//! first pixel is at the bottom.
//!
//! Source: pica-geometry.md 0 (axes), 8.6.

use crate::pica::surface::pixel::Layout;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::picture::Picture;

/// The picture, pixel by pixel in its own order; `None` if a side of the framebuffer is 0 or longer than any screen,
/// or without memory.
pub(super) fn picture(memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
    let is_side = |side: u32| (1..=Picture::LONGEST).contains(&side);
    if !is_side(source.width) || !is_side(source.height) {
        return None;
    }
    let (width, height) = (source.height, source.width);
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
    let mut rgb = Vec::new();
    rgb.try_reserve_exact(3 * width as usize * height as usize).ok()?;
    rgb.extend(pixels.flat_map(|[x, y]| colour(memory, source, source.width - 1 - y, x)));
    Some(Picture { width, height, rgb })
}

/// Red, green, blue of a pixel of the framebuffer as the panel shows it.
fn colour(memory: &dyn Memory, source: &ScanOut, column: u32, row: u32) -> [u8; 3] {
    if let Some(colour) = source.solid {
        return colour;
    }
    let layout = Layout::of_transfer(source.format);
    let line = source.address.wrapping_add_signed((row as i32).wrapping_mul(source.stride_bytes));
    let address = line.wrapping_add(column * layout.bytes() as u32);
    let [r, g, b, _] = layout.load(memory, address);
    match &source.gamma {
        Some(table) => [table[usize::from(r)][0], table[usize::from(g)][1], table[usize::from(b)][2]],
        None => [r, g, b],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::FlatMemory;
    use picaflor_pipeline::pica::texel::TransferFormat;
    use std::sync::Arc;

    /// Two columns and three rows of RGB8, eight bytes from row to row: bytes B, G, R.
    fn memory() -> FlatMemory {
        let rows = [[1, 2, 3, 4, 5, 6, 0, 0], [11, 12, 13, 14, 15, 16, 0, 0], [21, 22, 23, 24, 25, 26, 0, 0]];
        FlatMemory::new(0x1000, rows.concat())
    }

    fn source() -> ScanOut {
        ScanOut {
            address: 0x1000,
            format: TransferFormat::Rgb8,
            stride_bytes: 8,
            width: 2,
            height: 3,
            solid: None,
            gamma: None,
        }
    }

    fn shown(source: &ScanOut) -> Vec<u8> {
        let picture = picture(&memory(), source).expect("a size");
        assert_eq!((picture.width, picture.height), (3, 2));
        picture.rgb
    }

    #[test]
    fn picture_is_turned() {
        let expected = [6, 5, 4, 16, 15, 14, 26, 25, 24, 3, 2, 1, 13, 12, 11, 23, 22, 21];
        assert_eq!(shown(&source()), expected);
    }

    /// pica-geometry.md 8.6: a negative stride flips the picture.
    #[test]
    fn negative_stride() {
        let expected = [26, 25, 24, 16, 15, 14, 6, 5, 4, 23, 22, 21, 13, 12, 11, 3, 2, 1];
        assert_eq!(shown(&ScanOut { address: 0x1010, stride_bytes: -8, ..source() }), expected);
    }

    #[test]
    fn gamma_and_solid_colours() {
        let table = std::array::from_fn(|v| [v as u8, v as u8 + (v < 100) as u8, 255 - v as u8]);
        let gamma = Some(Arc::new(table));
        assert_eq!(shown(&ScanOut { gamma: gamma.clone(), ..source() })[..3], [6, 6, 251]);
        let solid = ScanOut { solid: Some([7, 8, 9]), gamma, ..source() };
        assert_eq!(shown(&solid), [7, 8, 9].repeat(6));
    }

    #[test]
    fn unmapped_bytes_and_wrapping_addresses() {
        assert_eq!(shown(&ScanOut { address: 0x1012, ..source() })[15..], [0, 0, 0]);
        let memory = FlatMemory::new(0, vec![9; 4]);
        let wrapped =
            ScanOut { address: 0xffff_fffe, format: TransferFormat::Rgba4, width: 1, height: 1, ..source() };
        assert_eq!(picture(&memory, &wrapped).map(|p| p.rgb), Some(vec![0, 0, 0]));
        let second = ScanOut { width: 2, ..wrapped };
        assert_eq!(picture(&memory, &second).map(|p| p.rgb), Some(vec![0, 0x99, 0, 0, 0, 0]));
    }

    #[test]
    fn sizes() {
        let of = |width, height| {
            let source = ScanOut { width, height, solid: Some([1; 3]), ..source() };
            picture(&memory(), &source).map(|p| (p.width, p.height))
        };
        assert_eq!([of(0, 5), of(5, 0), of(1025, 5), of(5, 1025)], [None; 4]);
        assert_eq!(of(1024, 1), Some((1, 1024)));
    }
}
