//! Every type in the signatures of methods, and of traits that a host implements, has a name in this crate.

use picaflor::capture::{self, Mark};
use picaflor::ge::{self, Ge, MatrixPort};
use picaflor::pica::external::{Engine as Unit, External};
use picaflor::pica::shader::shbin::{Dvle, Dvlp, Shbin, ShbinError, Stage};
use picaflor::pica::{self, CommandList, Pica, Precision};
use picaflor::seam::pica::{BlitStage, Fill, ScanOut, TransferRegisters};
use picaflor::seam::timeline::{Event, Timeline};
use picaflor::seam::{Rect, Tiling, Workers};
use picaflor::{BlockMemory, Fault, Interpreter, Memory, Picture, write_bytes};
use std::sync::{Arc, Mutex};

const VRAM: u32 = 0x1800_0000;
const GE_VRAM: (u32, u32) = (0x0400_0000, 2 << 20);
const LIST: u32 = 0x0880_0000;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, line: String) {
        self.0.lock().expect("no panic").push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic"))
    }
}

fn start_of_fill(external: &External) -> u32 {
    external.fill(0).start
}

impl pica::Observer for Log {
    fn list_started(&mut self, _: pica::View<'_>, list: CommandList) {
        self.add(format!("list {:x}", list.address));
    }

    fn engine_done(&mut self, view: pica::View<'_>, engine: Unit) {
        self.add(format!("{engine:?} {:x} {}", start_of_fill(view.external), view.memory.byte(VRAM)));
    }
}

impl ge::Observer for Log {
    fn command(&mut self, view: ge::View<'_>, address: u32, word: u32) {
        self.add(format!("{address:x} {word:x} {}", view.stats.commands));
    }
}

#[test]
fn observers() {
    let memory = BlockMemory::zeroed(&[(VRAM, 4096)]);
    let (log, mut engine) = (Log::default(), Interpreter::default());
    let mut pica = Pica::new(Precision::Console);
    pica.set_observer(Some(Box::new(log.clone())));
    for (offset, value) in [(0x10, VRAM >> 3), (0x14, (VRAM + 16) >> 3), (0x18, 7), (0x1c, 0x201)] {
        pica.write_mmio(&mut engine, &memory, 0x1040_0000 + offset, value).expect("a fill");
    }
    assert_eq!(log.take(), ["Fill(0) 18000000 7"]);

    let memory = BlockMemory::zeroed(&[(LIST, 4096)]);
    let mut list = ge::ListBuilder::new();
    list.matrix(MatrixPort::World, &[1.0; 12]);
    write_bytes(&memory, LIST, &list.finish(0));
    let mut ge = Ge::new();
    ge.set_observer(Some(Box::new(log.clone())));
    ge.run(&mut engine, &memory, &mut ge::DisplayList::new(LIST, 0)).expect("a list");
    assert_eq!(log.take().first().map(String::as_str), Some("8800000 3a000000 0"));
}

/// A blit engine of a host.
struct Blits(Interpreter);

impl BlitStage for Blits {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        BlitStage::fill(&mut self.0, memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        BlitStage::transfer(&mut self.0, memory, registers)
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        BlitStage::scan_out(&mut self.0, memory, source)
    }
}

/// Work of a frame of the PSP, as a host's thread for the GPU receives it.
enum Work {
    List(ge::DisplayList),
    CpuWrites(u32, &'static [u8]),
    CpuReads(u32, u32),
}

/// The listing of the chapter on embedding, in a host whose errors are of any type.
#[test]
fn a_session() -> Result<(), Box<dyn std::error::Error>> {
    let memory = BlockMemory::zeroed(&[(LIST, 4096)]);
    write_bytes(&memory, LIST, &ge::ListBuilder::new().finish(7));
    let frame = [Work::CpuWrites(LIST + 64, &[5; 8]), Work::List(ge::DisplayList::new(LIST, 0))];
    let mut frame = frame.into_iter().chain([Work::CpuReads(LIST, 64)]);
    let mut next_of_this_frame = || frame.next();
    let (mut engine, mut ge) = (Interpreter::default(), Ge::new());
    ge.session(&mut engine, &memory, |session| {
        while let Some(work) = next_of_this_frame() {
            match work {
                // Or `lists.run_in(session)`, `session.execute(words)`.
                Work::List(mut list) => _ = session.run(&mut list)?,
                Work::CpuWrites(address, bytes) => session.write(address, bytes)?,
                Work::CpuReads(address, length) => session.before_read(address, length)?,
            }
        }
        session.finish()
    })??;
    assert_eq!((ge.stats().runs, memory.byte(LIST + 64)), (1, 5));

    let chapter = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/embedding.md");
    let chapter = std::fs::read_to_string(chapter)?;
    let (_, listing) = chapter.split_once("```rust,ignore\n").ok_or("a listing")?;
    let (listing, _) = listing.split_once("```").ok_or("its end")?;
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    assert!(dense(include_str!("interface.rs")).contains(&dense(listing)), "{listing}");
    Ok(())
}

/// What a tile routine of a host draws to.
fn rows(
    of_pica: &picaflor::seam::pica::TileBatch<'_>,
    of_ge: &picaflor::seam::ge::TileBatch<'_>,
) -> [i32; 2] {
    let _: (&picaflor::seam::pica::Target<'_>, &picaflor::seam::ge::Target<'_>) =
        (of_pica.target, of_ge.target);
    let height = |tile: Rect| tile.y1 - tile.y0;
    [height(of_pica.tile), height(of_ge.tile)]
}

#[test]
fn engines() {
    let memory = BlockMemory::zeroed(&[(VRAM, 4096)]);
    let mut engine = Blits(Interpreter::default());
    assert_eq!(engine.transfer(&memory, &TransferRegisters::default()), Ok(()), "nothing to move");
    let _: fn(&picaflor::seam::pica::TileBatch<'_>, &picaflor::seam::ge::TileBatch<'_>) -> [i32; 2] = rows;
    let _: Option<Workers> = None;
}

#[test]
fn threads_of_a_machine() {
    let memory = BlockMemory::zeroed(&[(VRAM, 4096), (LIST, 4096)]);
    write_bytes(&memory, LIST, &ge::ListBuilder::new().finish(0));
    let (timeline, tiling) = (Timeline::default(), Tiling { least_work: 0, ..Tiling::new(2) });
    let mut pica = Pica::new(Precision::Console);
    pica.set_tiling(tiling);
    pica.set_timeline(Some(timeline.clone()));
    let mut ge = Ge::new();
    ge.set_tiling(tiling);
    ge.set_timeline(Some(timeline.clone()));
    ge.run(&mut Interpreter::default(), &memory, &mut ge::DisplayList::new(LIST, 0)).expect("a list");
    let events: Vec<Event> = timeline.take();
    assert!(events.iter().all(|event| matches!(event, Event::Caller(_) | Event::Barrier)), "{events:?}");
}

/// The places that a tool keeps of a replay of each machine.
struct Places {
    pica: Mark<Vec<(u32, u32)>>,
    ge: Mark<Option<capture::ge::Display>>,
}

#[test]
fn replays_that_go_on() -> Result<(), Box<dyn std::error::Error>> {
    let memory = BlockMemory::zeroed(&[(VRAM, 0x60_0000), GE_VRAM]);
    let mut pica = Pica::new(Precision::Console);
    pica.start_recording(&memory, &[(VRAM, 0x60_0000)])?;
    pica.frame_end(&memory);
    let of_pica = pica.stop_recording().ok_or("a recording")?;
    let mut ge = Ge::new();
    ge.start_recording(&memory, &[GE_VRAM])?;
    ge.frame_end(&memory, capture::ge::Display { address: GE_VRAM.0, stride: 512, format: 3 });
    let of_ge = ge.stop_recording().ok_or("a recording")?;

    let mut engine = Interpreter::default();
    let places = Places {
        pica: capture::pica::Player::new(&of_pica)?.mark(),
        ge: capture::ge::Player::new(&of_ge)?.mark(),
    };
    let mut player = capture::pica::Player::resume(&of_pica, &places.pica)?;
    let step: capture::pica::StepReport<'_> = player.step(&mut engine).ok_or("an event")?;
    assert_eq!(step.index, 0);
    let mut player = capture::ge::Player::resume(&of_ge, &places.ge)?;
    let frame: capture::ge::FrameReport = player.run_frame(&mut engine).ok_or("a frame")?;
    assert_eq!((frame.frame, frame.error_count), (0, 0));
    Ok(())
}

#[test]
fn files_of_programs() {
    let executable = Dvle { stage: Stage::Geometry, ..Dvle::default() };
    let program = Dvlp { code: vec![0x8800_0000], ..Dvlp::default() };
    let file = Shbin { program, executables: vec![executable] };
    let read: Result<Shbin, ShbinError> = Shbin::read(&file.write());
    assert_eq!(read, Ok(file));
}

/// What methods return by a reference or in a field.
#[test]
fn parts_of_the_machines_have_names() {
    use picaflor::seam;
    let pica = Pica::new(Precision::Console);
    let (_, _, _): (&seam::pica::Luts, &seam::pica::ShaderBank, &seam::pica::AttributePort) =
        (pica.luts(), pica.vertex_bank(), pica.attributes());
    let memory = BlockMemory::zeroed(&[(VRAM, 4096)]);
    let _: &[picaflor::FlatMemory] = memory.blocks();
    let last = |engine: &picaflor::Engine| engine.stats().phase_times[picaflor::Phase::ALL.len() - 1];
    let engine = picaflor::Engine::builder().build().expect("an engine");
    assert!(last(&engine).is_zero());
    let _ = |report: picaflor::CompileReport| report;
    let _ = |matrices: &seam::ge::Matrices, _: &seam::ge::Clut| matrices.world[0];
}
