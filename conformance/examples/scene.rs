//! Renders a scene to a PPM file: `scene NAME OUT.ppm [threads]`.
use picaflor_conformance::scene::Scene;
use picaflor_interp::Interpreter;
use picaflor_pipeline::capture::Event;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::display::{ScanOut, Screen, scan_out};
use picaflor_pipeline::pica::float::Precision;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scene = Scene::by_name(&args[1]).expect("scene");
    let capture = scene.capture(Precision::Console);
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut pica = Pica::new(capture.precision);
    pica.set_threads(2);
    let mut engine = Interpreter::new();
    let start = std::time::Instant::now();
    for event in &capture.events {
        match event {
            Event::Memory { address, bytes } => write_bytes(&memory, *address, bytes),
            Event::Mmio { address, value } => {
                pica.write_mmio(&mut engine, &memory, *address, *value);
            }
            Event::List { address, size_bytes } => {
                let list =
                    picaflor_pipeline::pica::CommandList { address: *address, size_bytes: *size_bytes };
                println!("{:?}", pica.run(&mut engine, &memory, list));
            }
            _ => {}
        }
    }
    println!("{:?} {:?}\n{:?}", start.elapsed(), pica.stats(), pica.faults());
    for (screen, suffix) in [(Screen::Top, ""), (Screen::Bottom, ".bottom")] {
        let out = ScanOut::of(|a| pica.read_mmio(a), screen);
        let Some(p) = scan_out(&memory, &out) else { continue };
        let mut bytes = format!("P6\n{} {}\n255\n", p.width, p.height).into_bytes();
        bytes.extend(&p.rgb);
        std::fs::write(format!("{}{suffix}", args[2]), bytes).unwrap();
    }
}
