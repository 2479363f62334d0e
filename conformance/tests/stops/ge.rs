//! Work of the GE that takes long.

use super::{ALONE, COMPILED, MODES, Row, Run, SHARED, Way, sized};
use crate::attacks::{DATA, LIST, TEXTURE, VRAM, screen, sprite};
use crate::attacks_of_textures;
use crate::hostile::eight_levels;
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::limits::Limits;
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::{Ge, RunError};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::tile::Tiling;
use std::time::Instant;

pub(super) struct Job {
    memory: BlockMemory,
    list: Vec<u8>,
    /// Bytes that are others in each run.
    changed: Vec<u32>,
    /// Each run has a new engine.
    is_cold: bool,
}

impl Job {
    fn new((memory, mut list): (BlockMemory, ListBuilder)) -> Self {
        Self { memory, list: list.finish(0), changed: Vec::new(), is_cold: false }
    }
}

pub(super) fn attack(list: (BlockMemory, ListBuilder)) -> Job {
    Job { is_cold: true, ..Job::new(list) }
}

fn engine(name: &str) -> Box<dyn Stages> {
    let mode = match name {
        "interp" => return Box::new(Interpreter::new()),
        "jit" => EngineMode::Blocking,
        _ => EngineMode::Background,
    };
    Box::new(Engine::builder().mode(mode).build().expect("compiled code"))
}

/// One engine and one machine for all runs.
pub(super) fn start(job: Job, (name, threads): Way) -> Run {
    let mut stages = engine(name);
    let limits = Limits::DEFAULT.with_work(u64::MAX).with_commands(u32::MAX).with_run_bytes(u64::MAX);
    let mut ge = Ge::new().with_limits(limits.with_run_pixels(u64::MAX).with_run_vertices(u64::MAX));
    ge.set_tiling(Tiling { least_work: 0, ..Tiling::new(threads) });
    write_bytes(&job.memory, LIST, &job.list);
    let mut runs = 0_u8;
    Box::new(move |limit| {
        runs = runs.wrapping_add(1);
        job.changed.iter().for_each(|&address| write_bytes(&job.memory, address, &[runs]));
        if job.is_cold {
            stages = engine(name);
        }
        ge.set_time_limit(Some(limit));
        let began = Instant::now();
        let end = ge.run(&mut *stages, &job.memory, &mut DisplayList::new(LIST, 0));
        let time = began.elapsed();
        let is_stopped = matches!(end, Err(RunError::Stopped { .. }));
        assert!(is_stopped || end.is_ok(), "{end:?}");
        (time, is_stopped)
    })
}

/// Each kind of work in pieces as large as can be.
pub(super) const ROWS: [Row<Job>; 11] = [
    ("transfers from a mirror", ALONE, |engine| transfers(sized(engine, [3, 600]))),
    ("texture decoding", COMPILED, |_| textures()),
    ("vertices", ALONE, |engine| vertices(sized(engine, [5, 20]))),
    ("bounding boxes", ALONE, |_| Job::new(attacks_of_textures::boxes())),
    ("surfaces", SHARED, |engine| surface(sized(engine, [151, 253]), op::BEZIER)),
    ("splines", ALONE, |engine| surface(sized(engine, [60, 150]), op::SPLINE)),
    ("triangles", SHARED, |engine| triangles(sized(engine, [25, 4_000]))),
    ("small sprites", SHARED, |engine| small_sprites(sized(engine, [4, 40]))),
    ("sprites that read the target", SHARED, |engine| feedback(sized(engine, [12, 900]))),
    ("compiling surfaces", MODES, |_| attack(attacks_of_textures::surfaces_in_states())),
    ("compiling pixels", MODES, |_| attack(crate::attacks::states_of_levels())),
];

/// Single pieces of work.
pub(super) const PIECES: [Row<Job>; 4] = [
    ("transfer from a mirror", &[("interp", 1)], |_| transfers(1)),
    ("surfaces", ALONE, |engine| surface(sized(engine, [151, 253]), op::BEZIER)),
    ("triangles", SHARED, |engine| triangles(sized(engine, [25, 4_000]))),
    ("sprites that read the target", SHARED, |engine| feedback(sized(engine, [12, 900]))),
];

/// 512 by 1024 words from a mirror of video memory.
fn transfers(count: u32) -> Job {
    let (memory, mut list) = screen();
    list.write(op::TRXSBP, 0x20_0000).write(op::TRXSBW, 0x04_0000 | 512);
    list.write(op::TRXDBP, 0x90_0000).write(op::TRXDBW, 0x08_0000 | 512).write(op::TRXSIZE, 1023 << 10 | 511);
    (0..count).for_each(|_| _ = list.write(op::TRXKICK, 1));
    Job::new((memory, list))
}

/// Eight levels of 512 by 512 texels with eight palettes, all of which are changed.
fn textures() -> Job {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 1, 1]));
    eight_levels(&mut list);
    let palettes = (0..8).map(|n| DATA + 0x1000 + n * 0x400);
    for (n, palette) in (0_u8..).zip(palettes.clone()) {
        write_bytes(&memory, palette + 1, &[n]);
        list.wide_pointer(op::CBP, op::CBPH, palette, 0).write(op::CLOAD, 32);
        list.vertices(DATA).prim(6, 2);
    }
    Job { changed: palettes.collect(), ..Job::new((memory, list)) }
}

/// Points with all that there is, far away.
fn vertices(draws: u32) -> Job {
    let (memory, mut list) = screen();
    list.write(op::TME, 0).write(op::LTE, 1).write(op::PMS, 0).write(op::PROJ, 0x7f_8000);
    list.write(op::VTYPE, 7 << 18 | 7 << 14 | 3 << 9 | 3 << 7 | 3 << 5 | 7 << 2 | 3);
    for n in 0..4_u8 {
        list.write(op::LTE0 + n, 1).write(op::LT0 + n, 2 << 8 | 1).write(op::LXD0 + 3 * n, 0x3f_8000);
    }
    (0..draws).for_each(|_| _ = list.vertices(DATA).prim(0, 20_000));
    Job::new((memory, list))
}

/// A lit surface of so many control points in either direction, all at one place.
fn surface(side: u32, command: u8) -> Job {
    let (memory, mut list) = screen();
    list.write(op::TME, 0).write(op::VTYPE, 2 << 7 | 2 << 5).write(op::PSUB, 4 | 4 << 8).write(op::LTE, 1);
    (0..4).for_each(|n| _ = list.write(op::LTE0 + n, 1));
    list.vertices(DATA).write(command, side | side << 8);
    Job::new((memory, list))
}

/// So many triangles in one draw, each over half of the screen.
fn triangles(count: u32) -> Job {
    let (memory, mut list) = screen();
    let corners = [[0_i16, 0, 0], [480, 0, 0], [0, 272, 0]];
    let bytes: Vec<u8> = corners.as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
    write_bytes(&memory, DATA, &bytes.repeat(count as usize));
    list.write(op::TME, 0).write(op::VTYPE, 1 << 23 | 2 << 7).write(op::ABE, 1).write(op::ALPHA, 3 << 4 | 2);
    list.vertices(DATA).prim(3, 3 * count);
    Job::new((memory, list))
}

/// Draws of 20,000 sprites of 16 pixels.
fn small_sprites(draws: u32) -> Job {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [8, 8, 12, 12]).repeat(20_000));
    list.wide_pointer(op::TBP0, op::TBW0, TEXTURE, 16).write(op::TSIZE0, 3 | 3 << 8);
    (0..draws).for_each(|_| _ = list.vertices(DATA).prim(6, 40_000));
    Job::new((memory, list))
}

/// Sprites of the whole screen in one draw, whose texture is the screen.
fn feedback(count: u32) -> Job {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 480, 272]).repeat(count as usize));
    list.write(op::TSIZE0, 9 | 9 << 8).wide_pointer(op::TBP0, op::TBW0, VRAM, 512);
    list.vertices(DATA).prim(6, 2 * count);
    Job::new((memory, list))
}
