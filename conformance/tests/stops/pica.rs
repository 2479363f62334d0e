//! Work of the PICA200 that takes long.

use super::{ALONE, COMPILED, MODES, Row, Run, SHARED, Way, sized};
use crate::attacks_of_code;
use crate::hostile::{ARRAYS, COLOUR, plain_list};
use picaflor_conformance::pica::engine::NamedEngine;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float::{Precision, encode_f24};
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::{Pica, RunError};
use picaflor_pipeline::tile::Tiling;
use std::time::{Duration, Instant};

const RAM: u32 = 0x2000_0000;
/// Behind the largest texture.
const LIST: u32 = 0x2200_0000;

enum Work {
    /// Writes to registers by address, as the CPU: offset from 0x10400000, and value.
    Engine(Vec<(u32, u32)>),
    List(Vec<u8>),
}

pub(super) struct Job {
    memory: BlockMemory,
    work: Work,
    /// Each run has a new engine.
    is_cold: bool,
}

impl Job {
    fn list(memory: BlockMemory, list: Vec<u8>) -> Self {
        Self { memory, work: Work::List(list), is_cold: false }
    }

    fn engine(writes: Vec<(u32, u32)>) -> Self {
        Self { memory: BlockMemory::console(), work: Work::Engine(writes), is_cold: false }
    }
}

pub(super) fn attack((memory, mut list): (BlockMemory, ListBuilder)) -> Job {
    Job { is_cold: true, ..Job::list(memory, list.finish()) }
}

/// One engine and one machine for all runs.
pub(super) fn start(job: Job, (name, threads): Way) -> Run {
    let engine = || NamedEngine::by_name(name).expect("an engine").expect("compiled code");
    let mut stages = engine();
    let mut pica = Pica::new(Precision::Console).with_limits(Limits::DEFAULT.with_work(u64::MAX));
    pica.set_tiling(Tiling { least_work: 0, ..Tiling::new(threads) });
    if let Work::List(bytes) = &job.work {
        write_bytes(&job.memory, LIST, bytes);
    }
    Box::new(move |limit| {
        if job.is_cold {
            stages = engine();
        }
        time(&job, &mut pica, &mut stages, limit)
    })
}

fn time(job: &Job, pica: &mut Pica, stages: &mut NamedEngine, limit: Duration) -> (Duration, bool) {
    pica.set_time_limit(Some(limit));
    let began = Instant::now();
    let end = match &job.work {
        Work::Engine(writes) => writes.iter().try_for_each(|&(offset, value)| {
            pica.write_mmio(stages, &job.memory, 0x1040_0000 + offset, value)
        }),
        Work::List(bytes) => {
            let list = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
            pica.run(stages, &job.memory, list).map(|_| ())
        }
    };
    let time = began.elapsed();
    let is_stopped = matches!(end, Err(RunError::Stopped { .. }));
    assert!(is_stopped || end.is_ok(), "{end:?}");
    (time, is_stopped)
}

/// Each kind of work in pieces as large as can be.
pub(super) const ROWS: [Row<Job>; 14] = [
    ("fill", ALONE, fill),
    ("texture copy", ALONE, copy),
    ("transfer", ALONE, |_| transfer(0x0100_0000)),
    ("transfer onto itself", ALONE, |_| transfer(64)),
    ("texture decoding", COMPILED, |_| cube_map()),
    ("vertices that loop", ALONE, |engine| vertices(engine, crate::limits::loops)),
    ("vertices that compute", ALONE, |engine| vertices(engine, crate::limits::computing_loops)),
    ("geometry runs", ALONE, geometry),
    ("fragments", SHARED, |engine| fragments(engine, [1, 200], |_| ())),
    ("lit fragments", SHARED, |engine| fragments(engine, [1, 10], light)),
    ("fragments that read the target", SHARED, |engine| fragments(engine, [1, 1], read_target)),
    ("small triangles", SHARED, small_triangles),
    ("compiling vertex programs", MODES, |_| attack(attacks_of_code::unrolled(1))),
    ("compiling fragments", MODES, |_| attack(attacks_of_code::long_fragments(0.01))),
];

/// Single pieces of work.
pub(super) const PIECES: [Row<Job>; 6] = [
    ("fill", &[("interp", 1)], fill),
    ("texture copy", &[("interp", 1)], copy),
    ("transfer onto itself", ALONE, |_| transfer(64)),
    ("texture decoding", COMPILED, |_| cube_map()),
    ("vertices that loop", &[("interp", 1)], |engine| vertices(engine, crate::limits::loops)),
    ("fragments", SHARED, |engine| fragments(engine, [1, 200], |_| ())),
];

fn fill(engine: &str) -> Job {
    let end = RAM + sized(engine, [0x0200_0000, 0x0700_0000]);
    Job::engine(vec![(0x10, RAM >> 3), (0x14, end >> 3), (0x18, 0x1234_5678), (0x1c, 0x201)])
}

/// Lines of 16 bytes with gaps.
fn copy(engine: &str) -> Job {
    let (to, lines) = (RAM + 0x0080_0000, 16 << 16 | 1);
    let bytes = sized(engine, [0x0060_0000, 0x0300_0000]);
    Job::engine(vec![
        (0xc00, RAM >> 3),
        (0xc04, to >> 3),
        (0xc20, bytes),
        (0xc24, lines),
        (0xc28, lines),
        (0xc10, 8),
        (0xc18, 1),
    ])
}

/// Where the output is part of the input it goes pixel by pixel.
fn transfer(distance: u32) -> Job {
    let size = 2040 << 16 | 2040;
    Job::engine(vec![
        (0xc00, RAM >> 3),
        (0xc04, (RAM + distance) >> 3),
        (0xc08, size),
        (0xc0c, size),
        (0xc10, 0),
        (0xc18, 1),
    ])
}

/// 100 MB of texels, which a new engine has not decoded.
fn cube_map() -> Job {
    let (memory, list) = crate::hostile::cubes(1);
    Job { is_cold: true, ..Job::list(memory, list) }
}

/// Up to 516 instructions each.
fn vertices(engine: &str, list: fn(u32) -> Vec<u8>) -> Job {
    Job::list(BlockMemory::console(), list(sized(engine, [15_000, 180_000])))
}

/// Runs of a program of 25,000 instructions, one for each vertex.
fn geometry(engine: &str) -> Job {
    let mut list = plain_list(COLOUR, ARRAYS);
    let sum = |n: u32| 0x02 << 26 | 0x10 << 21 | (0x20 + n % 8) << 12 | 0x10 << 7;
    let mut words = vec![0x29 << 26 | 99 << 10];
    words.extend((0..99).map(sum));
    words.push(0x22 << 26);
    list.write(0x29b, 0).feed(0x29c, &words).write(0x2a5, 0).feed(0x2a6, &[0x0d86_c36f]);
    list.write(0x28a, 0x7fff_0000).write(0x289, 0x0800_0000).write(0x28b, 0).write(0x28d, 1);
    list.write(0x281, 255).write(0x229, 2).write(0x24a, 0).write(0x252, 0);
    list.draw_arrays(3, 0, sized(engine, [200, 3_000])).write(0x229, 0);
    Job::list(BlockMemory::console(), list.finish())
}

/// So many triangles in one draw, each over half of a target of 1024 by 1024 pixels.
fn fragments(engine: &str, counts: [u32; 2], set_up: fn(&mut ListBuilder)) -> Job {
    triangles(2.0, sized(engine, counts), set_up)
}

/// A draw of triangles of some pixels.
fn small_triangles(engine: &str) -> Job {
    triangles(0.01, sized(engine, [10_000, 400_000]), |_| ())
}

fn triangles(size: f32, count: u32, set_up: fn(&mut ListBuilder)) -> Job {
    let memory = BlockMemory::console();
    let corners = [[-size, -size], [size, -size], [-size, size]];
    let bytes = corners.iter().flat_map(|&[x, y]| [x, y, -0.5, 1.0]).flat_map(f32::to_le_bytes);
    write_bytes(&memory, ARRAYS, &bytes.collect::<Vec<u8>>().repeat(count as usize));
    let mut list = plain_list(COLOUR, ARRAYS);
    let scale = encode_f24(512.0);
    list.burst(0x041, &[scale, 0x3600_0000, scale, 0x3600_0000]);
    list.burst(0x11c, &[0, COLOUR >> 3, 1 << 24 | 1023 << 12 | 1024]);
    set_up(&mut list);
    list.draw_arrays(0, 0, 3 * count);
    Job::list(memory, list.finish())
}

/// Eight lights with all tables.
fn light(list: &mut ListBuilder) {
    list.write(0x08f, 1).write(0x1c6, 0).write(0x1c2, 7).write(0x1d9, 0x7654_3210);
    list.write(0x1c3, 0x7 << 28 | 0xff << 4).write(0x1c4, 0).write(0x1d0, 0x0012_3410).write(0x1d1, 0);
    list.burst(0x0c0, &[0x0321_0321, 0, 8 | 8 << 16, 0x8040_2010, 0]);
}

/// The target as texture.
fn read_target(list: &mut ListBuilder) {
    list.write(0x080, 1 << 12 | 1).burst(0x081, &[0, 1024 << 16 | 1024, 0, 0, COLOUR >> 3]).write(0x08e, 0);
    list.burst(0x0c0, &[0x0fff_0ff3, 0, 0, 0, 0]);
}
