//! Replays a scene by hand, as an emulator drives the machine, and writes what the screens show as PPM files:
//! `cargo run --release -p picaflor-conformance --example replay -- SCENE OUT.ppm`

use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::Event;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::display::Screen;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(name), Some(path)) = (args.next(), args.next()) else {
        return Err("usage: replay SCENE OUT.ppm".into());
    };
    let capture = Scene::by_name(&name).ok_or("no such scene")?.capture(Precision::Console);
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut pica = Pica::new(capture.precision);
    pica.set_threads(2);
    let mut engine = Interpreter::new();
    let start = std::time::Instant::now();
    for event in &capture.events {
        match *event {
            Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
            Event::Mmio { address, value } => pica.write_mmio(&mut engine, &memory, address, value)?,
            Event::Register { id, value, mask } => {
                pica.write_register(&mut engine, &memory, id, value, mask)?;
            }
            Event::List { address, size_bytes } => {
                pica.run(&mut engine, &memory, CommandList { address, size_bytes })?;
            }
            Event::VBlank { screen } => pica.vblank(screen),
            Event::Field { field, first, ref words } => pica.write_field(field, first as usize, words)?,
            Event::Frame => println!("frame after {:?}", start.elapsed()),
        }
    }
    println!("{:?}\n{:?}", pica.stats(), pica.faults().as_slice());
    for (screen, suffix) in [(Screen::Top, ""), (Screen::Bottom, ".bottom.ppm")] {
        if let Some(picture) = pica.picture(&mut engine, &memory, screen) {
            std::fs::write(format!("{path}{suffix}"), picture.to_ppm())?;
        }
    }
    Ok(())
}
