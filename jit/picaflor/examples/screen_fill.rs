//! The listing of the README: memory of the host, an engine, a machine, a picture. Nothing is drawn by a list here; for
//! that see `minimal_host`.
//!
//! `cargo run --release -p picaflor --example screen_fill -- screen.ppm`

use picaflor::pica::{CommandList, Pica, Precision, Screen};
use picaflor::{Engine, GuestSlice, Memory};
use std::sync::atomic::AtomicU8;

const VRAM: u32 = 0x1800_0000;

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

    // The game's command lists. Here: an empty one.
    pica.run(&mut engine, &memory, CommandList { address: VRAM, size_bytes: 0 })?;

    // Register writes of the system: a fill of 240x400 pixels of 3 bytes, and what the upper screen shows.
    let fill = [(0x010, VRAM >> 3), (0x014, (VRAM + 288_000) >> 3), (0x018, 0x20_80ff), (0x01c, 0x101)];
    let screen = [(0x45c, 400 << 16 | 240), (0x468, VRAM), (0x470, 1), (0x490, 720)];
    for (register, value) in fill.into_iter().chain(screen) {
        pica.write_mmio(&mut engine, &memory, 0x1040_0000 + register, value)?;
    }
    let picture = pica.picture(&mut engine, &memory, Screen::Top).ok_or("nothing is shown")?;
    Ok(std::fs::write(std::env::args().nth(1).ok_or("usage: HOST OUT.ppm")?, picture.to_ppm())?)
}
