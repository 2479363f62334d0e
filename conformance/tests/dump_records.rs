//! Pictures of dumps whose records rely on the loader: a palette that a later record finds in VRAM, and a texture that
//! goes on behind its record. The colours are derived by hand.

use picaflor_conformance::ge::Ge;
use picaflor_conformance::image::Image;
use picaflor_conformance::machine::{Machine as _, Plays as _, Reading};
use picaflor_conformance::replay;
use picaflor_conformance::setup::Setup;
use picaflor_pipeline::ge::capture::ppdmp::write::Writer;

/// A target of 512 pixels a row in 8888 at the start of VRAM, scissored to 480 x 272; vertices in through mode with
/// 16-bit texture coordinates and positions; textures replace colour and alpha, nearest texel, no levels.
const STATE: [u32; 9] = [
    0x9d00_0200,
    0xd200_0003,
    0xd504_3ddf,
    0x16ff_ffff,
    0x1280_0102,
    0x1e00_0001,
    0xc900_0103,
    0xc200_0000,
    0xc600_0000,
];
/// A rectangle of two vertices.
const RECTANGLE: u32 = 0x0406_0002;

/// A rectangle of `width` x `height` texels, one for each pixel, at column `left`.
fn rectangle(left: u16, width: u16, height: u16) -> Vec<u8> {
    let vertices = [[0, 0, left, 0, 0], [width, height, left + width, height, 0]];
    vertices.concat().into_iter().flat_map(u16::to_le_bytes).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The picture of a dump on an engine.
fn picture(writer: &Writer, engine: &str) -> Image {
    let capture = Ge::read(&writer.file(6), Reading::default()).expect("a dump");
    let mut engine = Ge::engine(engine, Setup::default()).expect("an engine");
    let played = replay::play::<Ge>(&capture, &mut engine, 1, None).expect("a capture");
    assert_eq!((played.faults.as_slice(), played.given_up.as_slice().len()), (&[][..], 0));
    played.picture.expect("a picture")
}

/// psp-ge.md 12.2, type 4: the first rectangle's palette comes with its address. The third load of the table says that
/// VRAM has that palette unchanged, and its record holds zeros, which are never looked at.
#[test]
fn an_unchanged_palette_is_found_in_vram() {
    let palette = bytes(&[0, 0xff11_2233, 0, 0, 0, 0, 0, 0]);
    let other = bytes(&[0, 0xff00_ff00, 0, 0, 0, 0, 0, 0]);
    // 8-bit indices, a table of 8888; CLOAD of one block.
    let indexed = [0xc300_0005, 0xc500_ff03, 0xa800_0010, 0xb800_0000];
    let load = 0xc400_0001;
    let mut writer = Writer::default();
    writer.words(1, &STATE).words(1, &indexed);
    let tables = [(Some(0), &palette), (None, &other), (Some(2), &vec![0; 32])];
    for (left, (flags, table)) in (0..).zip(tables) {
        if let Some(flags) = flags {
            writer.words(10, &[0x0410_0000, flags]);
        }
        writer.record(4, table).words(1, &[load]);
        writer.record(0x10, &[1; 16]).record(2, &rectangle(left, 1, 1)).words(1, &[RECTANGLE]);
    }
    writer.words(9, &[0x0400_0000, 512, 3]);
    for engine in ["interp", "jit"] {
        let picture = picture(&writer, engine);
        let colours = [0, 1, 2].map(|x| picture.pixel(x, 0));
        assert_eq!(colours, [[0x33, 0x22, 0x11], [0, 0xff, 0], [0x33, 0x22, 0x11]], "{engine}");
    }
}

/// psp-ge.md 12.2, type 0x10: a texture of 4 x 2 texels, of which the record holds the first row.
#[test]
fn a_short_texture_goes_on_in_the_data_buffer() {
    let row = |first: u32| bytes(&[0, 1, 2, 3].map(|x| 0xff00_0000 | first << 8 | x));
    let mut writer = Writer::default();
    writer.words(1, &STATE).words(1, &[0xc300_0003, 0xa800_0004, 0xb800_0102]);
    writer.record(0x10, &row(0x70)).data(&row(0x80));
    writer.record(2, &rectangle(0, 4, 2)).words(1, &[RECTANGLE]);
    writer.words(9, &[0x0400_0000, 512, 3]);
    for engine in ["interp", "jit"] {
        let picture = picture(&writer, engine);
        for x in 0..4 {
            let expected = [[x as u8, 0x70, 0], [x as u8, 0x80, 0]];
            assert_eq!([0, 1].map(|y| picture.pixel(x, y)), expected, "{engine}, column {x}");
        }
    }
}
