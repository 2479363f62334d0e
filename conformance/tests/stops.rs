//! How soon a run that is stopped ends, inside the longest pieces of work that a guest can ask for at once.

use picaflor_conformance::pica::engine::NamedEngine;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::list_builder::ListBuilder as GeList;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::{self, Ge};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::{Pica, RunError};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const LIST: u32 = 0x2000_0000;
const VRAM: u32 = 0x1800_0000;
const GE_VRAM: u32 = 0x0400_0000;
const GE_LIST: u32 = 0x0880_0000;

/// Processor time of this thread, which other processes do not share; where the system does not tell it, the time.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Work of the PICA200 that takes long.
enum Work {
    /// Writes to registers by address, as the CPU: offset from 0x10400000, and value.
    Engine(Vec<(u32, u32)>),
    List(Vec<u8>),
}

/// Time of a piece of work, and whether it was stopped.
fn pica(
    engine: &mut NamedEngine,
    memory: &BlockMemory,
    work: &Work,
    limit: Option<Duration>,
) -> (Duration, bool) {
    let mut pica = Pica::new(Precision::Console).with_limits(Limits::DEFAULT.with_work(u64::MAX));
    pica.set_time_limit(limit);
    let began = now();
    let end = match work {
        Work::Engine(words) => words
            .iter()
            .try_for_each(|&(offset, value)| pica.write_mmio(engine, memory, 0x1040_0000 + offset, value)),
        Work::List(bytes) => {
            write_bytes(memory, LIST, bytes);
            let list = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
            pica.run(engine, memory, list).map(|_| ())
        }
    };
    let is_stopped = matches!(end, Err(RunError::Stopped { .. }));
    assert!(is_stopped || end.is_ok(), "{end:?}");
    (now().saturating_sub(began), is_stopped)
}

/// Time of a list of the GE on the interpreter, and whether it was stopped.
fn ge(memory: &BlockMemory, list: &[u8], limit: Option<Duration>) -> (Duration, bool) {
    write_bytes(memory, GE_LIST, list);
    let mut machine = Ge::new().with_limits(ge::limits::Limits::DEFAULT.with_work(u64::MAX));
    machine.set_time_limit(limit);
    let began = now();
    let end = machine.run(&mut Interpreter::new(), memory, &mut DisplayList::new(GE_LIST, 0));
    let is_stopped = matches!(end, Err(ge::RunError::Stopped { .. }));
    assert!(is_stopped || end.is_ok(), "{end:?}");
    (now().saturating_sub(began), is_stopped)
}

/// Runs work to its end, and again with a limit of an eighth of that time; the second run must end soon after it.
fn check(name: &str, mut run: impl FnMut(Option<Duration>) -> (Duration, bool)) {
    // The first run also makes memory present.
    let (whole, is_stopped) = run(None).min(run(None));
    assert!(!is_stopped, "{name}");
    let limit = whole / 8;
    let late = (0..3).map(|_| {
        let (time, is_stopped) = run(Some(limit));
        assert!(is_stopped, "{name}: {time:?} of {whole:?}");
        time.saturating_sub(limit)
    });
    let late = late.min().unwrap_or_default();
    println!("{name}: {late:?} late, of {whole:?}");
    assert!(late < (whole / 4).max(Duration::from_millis(5)), "{name}: {late:?} of {whole:?}");
}

/// Sizes of a fill and of a copy, and sides of a transfer: a quarter of a second of the engine or more.
fn engines_of_the_pica200(name: &str) -> [(&'static str, Work); 3] {
    let (bytes, side) = if name == "jit" { (0x0700_0000, 2048) } else { (0x0080_0000, 1024) };
    let (from, to) = (LIST, LIST + 0x0080_0000);
    let fill = vec![(0x10, from >> 3), (0x14, (from + bytes) >> 3), (0x18, 0x1234_5678), (0x1c, 0x201)];
    let lines = 16 << 16 | 1;
    let copy = [(0xc20, bytes / 8), (0xc24, lines), (0xc28, lines), (0xc10, 8), (0xc18, 1)];
    let size = side << 16 | side;
    // Pixel by pixel, because the output is part of the input.
    let convert =
        [(0xc00, from >> 3), (0xc04, (from + 64) >> 3), (0xc08, size), (0xc0c, size), (0xc10, 0), (0xc18, 1)];
    [
        ("fill", Work::Engine(fill)),
        ("copy", Work::Engine([vec![(0xc00, from >> 3), (0xc04, to >> 3)], copy.to_vec()].concat())),
        ("transfer", Work::Engine(convert.to_vec())),
    ]
}

#[test]
fn fills_copies_and_transfers_of_the_pica200() {
    for name in ["interp", "jit"] {
        let mut engine = NamedEngine::by_name(name).expect("an engine").expect("compiled code");
        let memory = BlockMemory::console();
        for (kind, work) in engines_of_the_pica200(name) {
            check(&format!("{name}, {kind}"), |limit| pica(&mut engine, &memory, &work, limit));
        }
    }
}

/// 100 MB of texels, which take half a second.
#[test]
fn a_cube_map_of_the_largest_size() {
    let (memory, list) = crate::hostile::cubes(1);
    let work = Work::List(list);
    // A new engine each time, which has not decoded it.
    check("jit, cube map", |limit| {
        let mut engine = NamedEngine::by_name("jit").expect("an engine").expect("compiled code");
        pica(&mut engine, &memory, &work, limit)
    });
}

/// Vertices of a program with loops: one chunk of them on each engine.
#[test]
fn a_chunk_of_vertices() {
    let memory = BlockMemory::zeroed(&[(VRAM, 0x1000), (LIST, 0x2_0000)]);
    for (name, list) in [
        ("interp, vertices", crate::limits::loops(3600)),
        ("jit, vertices", crate::limits::loops(4064)),
        ("jit, vertices that compute", crate::limits::computing_loops(4064)),
    ] {
        let mut engine = NamedEngine::by_name(&name[..name.find(',').expect("a name")]);
        let engine = engine.as_mut().expect("an engine").as_mut().expect("compiled code");
        let work = Work::List(list);
        check(name, |limit| pica(engine, &memory, &work, limit));
    }
}

/// The same by the clock, for a host that is quiet: the time of the chunk, and how late thirty limits were noticed.
#[test]
#[ignore = "measures"]
fn a_chunk_of_vertices_by_the_clock() {
    let memory = BlockMemory::zeroed(&[(VRAM, 0x1000), (LIST, 0x2_0000)]);
    let mut engine = NamedEngine::by_name("jit").expect("an engine").expect("compiled code");
    let work = Work::List(crate::limits::computing_loops(4064));
    let mut run = |limit| {
        let began = Instant::now();
        pica(&mut engine, &memory, &work, limit);
        began.elapsed()
    };
    let whole = (0..40).map(|_| run(None)).min().unwrap_or_default();
    let mut late: Vec<_> =
        (1..=30).map(|n| run(Some(whole * n / 40)).saturating_sub(whole * n / 40)).collect();
    late.sort_unstable();
    println!("whole {whole:?}; late by {:?}, {:?}, {:?}", late[0], late[15], late[27]);
}

#[test]
fn transfers_of_the_ge() {
    let memory = BlockMemory::zeroed(&[(GE_VRAM, 2 << 20), (GE_LIST, 0x100_0000)]);
    let mut list = GeList::new();
    // 512 by 1024 words from a mirror of video memory.
    list.write(op::TRXSBP, 0x20_0000).write(op::TRXSBW, 0x04_0000 | 512);
    list.write(op::TRXDBP, 0x90_0000).write(op::TRXDBW, 0x08_0000 | 512);
    list.write(op::TRXSIZE, 1023 << 10 | 511).write(op::TRXKICK, 1);
    let list = list.finish(0);
    check("interp, transfer of the GE", |limit| ge(&memory, &list, limit));
}
