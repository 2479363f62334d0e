//! The smallest host that draws: memory of its own, one command list, a picture.
//!
//! `cargo run --release -p picaflor --example minimal_host -- wheel.ppm`

use picaflor::pica::shader::{Options, SourceFile, assemble};
use picaflor::pica::{Bank, CommandList, ListBuilder, Pica, Precision, Screen, encode_f24, encode_f31};
use picaflor::{Engine, GuestSlice, Memory, write_bytes};
use std::sync::atomic::AtomicU8;

const VRAM: u32 = 0x1800_0000; // where the list is, too
const DRAWN: u32 = VRAM + 0x1_0000;
const SHOWN: u32 = VRAM + 0x10_0000;
const SIZE: u32 = 400 << 16 | 240; // the screen is mounted on its side
const PROGRAM: &str = ".in place v0\n .in tint v1\n .out position position\n .out colour color\n .entry main
    .proc main\n mov position, place\n mov colour, tint\n end\n .end";

struct Vram(Vec<AtomicU8>);

impl Memory for Vram {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        let start = address.checked_sub(VRAM)? as usize;
        self.0.get(start..)?.get(..length as usize).map(GuestSlice::new)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let memory = Vram((0..6 << 20).map(|_| AtomicU8::new(0)).collect());
    let (mut engine, mut pica) = (Engine::builder().build()?, Pica::new(Precision::Console));

    // What a game does: a program, a target of 240x400 pixels, a fan of triangles.
    let shader = assemble(&[SourceFile::new("wheel", PROGRAM)], Options::default())?;
    let (main, target) = (&shader.executables[0], 1 << 24 | 399 << 12 | 240);
    let mut list = ListBuilder::new();
    list.program(Bank::Vertex, &shader.program).executable(Bank::Vertex, main, 2).output_map(main);
    list.write(0x242, 1).burst(0x11d, &[DRAWN >> 3, target]).write(0x06e, target).write(0x117, 2);
    list.burst(0x041, &[encode_f24(120.0), encode_f31(1.0 / 120.0)]); // the viewport
    list.burst(0x043, &[encode_f24(200.0), encode_f31(1.0 / 200.0)]);
    list.burst(0x112, &[15, 15]).write(0x102, 3).write(0x107, 0xf00); // colours are written as they are
    let rim = |k: u8| {
        let angle = f32::from(k) / 48.0 * std::f32::consts::TAU;
        let [red, green, blue] = [0.0, 2.1, 4.2].map(|hue| 0.5 + 0.5 * (angle + hue).sin());
        [[0.9 * angle.sin(), 0.54 * angle.cos(), -0.5, 1.0], [red, green, blue, 1.0]]
    };
    let hub = [[0.0, 0.0, -0.5, 1.0], [1.0; 4]];
    let fan: Vec<_> = std::iter::once(hub).chain((0..=48).map(rim)).collect();
    let list = list.immediate(2, fan.iter().map(|vertex| &vertex[..])).write(0x111, 1).finish();
    write_bytes(&memory, VRAM, &list);
    pica.run(&mut engine, &memory, CommandList { address: VRAM, size_bytes: list.len() as u32 })?;

    // What the system does: a transfer to RGB8, and the registers of the upper screen.
    let transfer = [(0xc00, DRAWN >> 3), (0xc04, SHOWN >> 3), (0xc08, SIZE), (0xc0c, SIZE), (0xc10, 1 << 12)];
    let screen = [(0xc18, 1), (0x45c, SIZE), (0x468, SHOWN), (0x470, 1), (0x490, 720)];
    for (register, value) in transfer.into_iter().chain(screen) {
        pica.write_mmio(&mut engine, &memory, 0x1040_0000 + register, value)?;
    }
    let picture = pica.picture(&mut engine, &memory, Screen::Top).ok_or("nothing is shown")?;
    Ok(std::fs::write(std::env::args().nth(1).ok_or("usage: HOST OUT.ppm")?, picture.to_ppm())?)
}
