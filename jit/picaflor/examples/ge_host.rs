//! A host of the PSP: memory, engine, machine, a display list as a game writes it, the picture of its frame buffer.
//!
//! `cargo run --release -p picaflor --example ge_host -- wheel.ppm`

use picaflor::ge::{AddressMaps, DisplayList, FrameBuffer, Ge, ListBuilder, PixelFormat, Stop};
use picaflor::{BlockMemory, Engine, write_bytes};

const VRAM: u32 = 0x0400_0000;
const RAM: u32 = 0x0880_0000;
const VERTICES: u32 = RAM + 0x1_0000;
const STRIDE: u32 = 512;

/// A vertex of 12 bytes: colour (8888), then x, y, z as 16-bit screen coordinates and two bytes that are not used.
fn vertex([red, green, blue]: [f32; 3], x: f32, y: f32) -> [u8; 12] {
    let colour = [red, green, blue, 1.0].map(|channel| (channel * 255.0).round() as u8);
    let place = [x.round() as i16, y.round() as i16, 0, 0].map(i16::to_le_bytes);
    std::array::from_fn(|at| if at < 4 { colour[at] } else { place.as_flattened()[at - 4] })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let memory = BlockMemory::zeroed(&[(VRAM, 2 << 20), (RAM, 1 << 20)]);
    let (mut engine, mut ge) = (Engine::builder().build()?, Ge::new());

    // What a game does: a fan of triangles around the middle of the screen.
    let rim = |k: u8| {
        let angle = f32::from(k) / 48.0 * std::f32::consts::TAU;
        let colour = [0.0, 2.1, 4.2].map(|hue| 0.5 + 0.5 * (angle + hue).sin());
        vertex(colour, 240.0 + 120.0 * angle.sin(), 136.0 - 120.0 * angle.cos())
    };
    let hub = vertex([1.0; 3], 240.0, 136.0);
    let fan: Vec<u8> = std::iter::once(hub).chain((0..=48).map(rim)).flatten().collect();
    write_bytes(&memory, VERTICES, &fan);

    let mut list = ListBuilder::new();
    list.wide_pointer(0x9c, 0x9d, VRAM, STRIDE).write(0xd2, 3); // frame buffer of 32-bit pixels
    list.write(0x15, 0).write(0x16, 271 << 10 | 479); // region
    list.write(0xd4, 0).write(0xd5, 271 << 10 | 479); // scissor
    list.write(0x50, 1); // colours change across triangles
    list.write(0x12, 1 << 23 | 2 << 7 | 7 << 2); // vertices in screen coordinates: colour 8888, position of 16 bits
    list.vertices(VERTICES).prim(5, 50);
    let words = list.finish(0);
    write_bytes(&memory, RAM, &words);

    // What an emulator does when the game hands the list over, and at the next vertical blank.
    let stop = ge.run(&mut engine, &memory, &mut DisplayList::new(RAM, 0))?;
    assert_eq!(stop, Stop::Finished { token: 0 });
    let shown = FrameBuffer { address: VRAM, stride: STRIDE, format: PixelFormat::Rgba8888 };
    let picture = shown.picture(&mut engine, &memory, AddressMaps::default());
    Ok(std::fs::write(std::env::args().nth(1).ok_or("usage: ge_host OUT.ppm")?, picture.to_ppm())?)
}
