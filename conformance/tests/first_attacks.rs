//! The attacks that the account of work, the bounds of readers and the sizes of caches were built for: what each costs now. The
//! threat model has the figures, beside those of the tree that had none of them.

use crate::hostile::{COLOUR, cubes, palettes, plain_list, with_triangle};
use crate::process::{folder, picaflor, text};
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::{self, Ge};
use picaflor_pipeline::memory::write_bytes;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::{Pica, RunError};
use picaflor_pipeline::tile::Tiling;
use picaflor_pipeline::{memory::BlockMemory, pica};
use std::time::Instant;

const LIST: u32 = 0x2200_0000;
const GE_LIST: u32 = 0x0880_0000;
const ARRAYS: u32 = 0x2100_0000;

fn engine() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code")
}

/// A dump of about a kilobyte: many records over the same words, all of which are dropped.
fn dropped_words(records: usize) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.data(&vec![0x10; 1 << 20]);
    (0..records).for_each(|_| _ = writer.entry(1, 1 << 20, 0));
    writer.file(6)
}

/// `info` of such a dump once took minutes, and a day for one of 8 KB.
#[test]
fn dumps_of_a_kilobyte() {
    let folder = folder("first-dumps");
    for records in [400, 5000] {
        let file = dropped_words(records);
        assert!(file.len() < 10_000, "{} bytes", file.len());
        std::fs::write(folder.join("words.ppdmp"), &file).expect("a file");
        let began = Instant::now();
        let done = picaflor(&folder, &["info", "words.ppdmp"]);
        let (said, time) = (text(&done.stderr), began.elapsed());
        assert!(done.status.code() == Some(1) && said.lines().count() == 1, "{said}");
        println!("a dump of {} bytes: refused after {time:?}", file.len());
    }
}

/// A list of draws, each of which samples another texture of this size.
fn textures(draws: u32, [width, height]: [u32; 2]) -> (BlockMemory, Vec<u8>) {
    let mut list: ListBuilder = plain_list(COLOUR, ARRAYS);
    for n in 0..draws {
        let address = (0x2600_0000 + 8 * n) >> 3;
        list.write(0x080, 1 << 12 | 1).burst(0x081, &[0, width << 16 | height, 0, 0, address]);
        list.write(0x08e, 0).write(0x0c0, 0x0fff_0ff3).draw_arrays(0, 0, 3);
    }
    (with_triangle(ARRAYS, 0.1), list.finish())
}

/// A number of kilobytes that the system has about this process.
#[cfg(target_os = "linux")]
fn kilobytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|line| line.starts_with(name)).expect("a line");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

/// Runs a list of textures; prints what the cache says that it holds, and what the process holds more at its peak.
#[cfg(target_os = "linux")]
fn held(name: &str, (memory, list): &(BlockMemory, Vec<u8>), threads: usize) {
    write_bytes(memory, LIST, list);
    let mut engine = engine();
    let mut pica = Pica::new(Precision::Console);
    pica.set_tiling(Tiling { threads, tile: [64; 2], least_work: u64::MAX });
    // The peak is that of what follows.
    std::fs::write("/proc/self/clear_refs", "5").expect("a peak of its own");
    let (before, began) = (kilobytes("VmRSS"), Instant::now());
    let end = pica.run(&mut engine, memory, CommandList { address: LIST, size_bytes: list.len() as u32 });
    let more = (kilobytes("VmHWM") - before) >> 10;
    let textures = engine.stats().textures;
    let (held, evicted, draws) = (textures.held_bytes >> 20, textures.evictions, pica.stats().draws);
    println!(
        "{name}: {end:?} after {draws} draws, {:?}; {held} MiB said, {more} MiB more, {evicted} evictions",
        began.elapsed()
    );
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "measures"]
fn memory_of_textures() {
    held("100,000 textures of 1x1", &textures(100_000, [1, 1]), 1);
    held("300 textures of 512x512, pending", &textures(300, [512, 512]), 3);
}

#[test]
#[ignore = "measures"]
fn time_of_lists() {
    let (memory, list) = cubes(10);
    write_bytes(&memory, LIST, &list);
    let mut pica = Pica::new(Precision::Console);
    let (mut stages, began) = (engine(), Instant::now());
    let whole = CommandList { address: LIST, size_bytes: list.len() as u32 };
    let end: Result<pica::Finished, RunError> = pica.run(&mut stages, &memory, whole);
    println!(
        "ten cube maps of 2047x2047, {} bytes: {end:?} after {:?}, {} units, {} draws",
        list.len(),
        began.elapsed(),
        pica.work(),
        pica.stats().draws
    );
    let (memory, mut list) = palettes();
    write_bytes(&memory, GE_LIST, &list.finish(0));
    let mut ge = Ge::new();
    let (mut stages, began) = (engine(), Instant::now());
    let end: Result<ge::Stop, ge::RunError> = ge.run(&mut stages, &memory, &mut DisplayList::new(GE_LIST, 0));
    println!("palettes, endless: {end:?} after {:?}, {} draws", began.elapsed(), ge.stats().draws);
}
