//! Lists that ask for as much as they can: the account of work ends them, at the same command on every engine.

use picaflor_conformance::pica::engine::NamedEngine;
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::list_builder::ListBuilder as GeList;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::Stages as GeStages;
use picaflor_pipeline::ge::{self, Ge};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float::{Precision, encode_f24};
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::{Pica, RunError};
use picaflor_pipeline::stop::StopCause;
use picaflor_pipeline::tile::Tiling;
use std::thread;
use std::time::{Duration, Instant};

const GE_LIST: u32 = 0x0880_0000;
const GE_DATA: u32 = 0x0890_0000;
const TEXTURE: u32 = 0x0900_0000;

/// Threads, and side of a square tile.
const WAYS: [(&str, usize, u32); 4] = [("interp", 1, 64), ("jit", 1, 64), ("jit", 3, 8), ("interp", 2, 16)];

/// VRAM, so many bytes of RAM with sprites of this size as vertices, and a list that sets up a screen and textured sprites.
fn sprites(ram: u32, [width, height]: [i16; 2], count: usize) -> (BlockMemory, GeList) {
    let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20), (0x0880_0000, ram)]);
    let sprite = [0_i16, 0, 0, width, height, 0].map(i16::to_le_bytes).concat();
    write_bytes(&memory, GE_DATA, &sprite.repeat(count));
    let mut list = GeList::new();
    list.write(op::FBW, 512)
        .write(op::PSM, 3)
        .write(op::SCISSOR2, 479 | 271 << 10)
        .write(op::REGION2, 0xf_ffff);
    list.write(op::VTYPE, 1 << 23 | 2 << 7).write(op::TME, 1);
    (memory, list)
}

/// A texture with a palette, and with eight levels of 512 by 512.
pub(crate) fn eight_levels(list: &mut GeList) {
    list.write(op::TPSM, 7)
        .write(op::TMODE, 7 << 16)
        .write(op::TFLT, 6 | 1 << 8)
        .write(op::CMODE, 3 | 0xff << 8);
    for level in 0..8 {
        list.wide_pointer(op::TBP0 + level, op::TBW0 + level, TEXTURE + 16 * u32::from(level), 512)
            .write(op::TSIZE0 + level, 9 | 9 << 8);
    }
}

/// An endless list: a palette before each draw of a texture with eight levels of 512 by 512.
pub(crate) fn palettes() -> (BlockMemory, GeList) {
    let (memory, mut list) = sprites(0xc0_0000, [1, 1], 1);
    let colours: Vec<u8> = (0..0x8000_u32).map(|n| ((n * n) >> 7) as u8).collect();
    write_bytes(&memory, GE_DATA + 0x1000, &colours);
    eight_levels(&mut list);
    let again = GE_LIST + list.bytes();
    for n in 0..16 {
        list.wide_pointer(op::CBP, op::CBPH, GE_DATA + 0x1000 + n * 0x400, 0).write(op::CLOAD, 32);
        list.vertices(GE_DATA).prim(6, 2);
    }
    list.address(op::JUMP, again);
    (memory, list)
}

/// What a list leaves behind: how it ended, its counters and memory, and the work that it was.
fn run_ge(
    work: u64,
    (engine, threads, side): (&str, usize, u32),
) -> (Result<ge::Stop, ge::RunError>, Ge, Vec<u8>) {
    let (memory, mut list) = palettes();
    write_bytes(&memory, GE_LIST, &list.finish(0));
    let mut jit = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
    let mut interpreter = Interpreter::new();
    let stages: &mut dyn GeStages = if engine == "jit" { &mut jit } else { &mut interpreter };
    let mut ge = Ge::new().with_limits(ge::limits::Limits::DEFAULT.with_work(work));
    ge.set_tiling(Tiling { threads, tile: [side; 2], least_work: 0 });
    let end = ge.run(stages, &memory, &mut DisplayList::new(GE_LIST, 0));
    let bytes = memory.blocks()[0].as_slice().to_vec();
    (end, ge, bytes)
}

/// Once 21 ms for each of eight million commands. The default allows less than 500 of the draws.
#[test]
fn palettes_before_draws_of_large_textures() {
    for work in [0, 1_000, 50_000_000, 50_000_019, 120_000_000] {
        let (end, expected, bytes) = run_ge(work, WAYS[0]);
        assert_eq!(end, Err(ge::RunError::Budget { limit: work }));
        assert!(expected.work() <= work);
        for way in WAYS {
            let (end, ge, other) = run_ge(work, way);
            assert_eq!(end, Err(ge::RunError::Budget { limit: work }), "{way:?}");
            assert!(ge.save() == expected.save() && ge.faults() == expected.faults(), "{way:?} with {work}");
            assert!((ge.work(), other) == (expected.work(), bytes.clone()), "{way:?} with {work}");
        }
        let draws = expected.stats().draws;
        assert!(draws <= 1 + work / 20_000_000, "{draws} draws for {work}");
    }
}

/// An endless list of as many palettes before draws of a single texel; the last word of each makes up for what differs, by the
/// rule that palettes were once hashed with.
fn palettes_of_one_hash(count: u32) -> (BlockMemory, GeList) {
    let rule = |digest: u64, word: u64| (digest.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (memory, mut list) = sprites(0x200_0000, [1, 1], 1);
    list.write(op::TPSM, 5).write(op::CMODE, 3 | 0xff << 8);
    list.wide_pointer(op::TBP0, op::TBW0, TEXTURE, 16).write(op::TSIZE0, 0);
    let again = GE_LIST + list.bytes();
    for n in 0..count {
        let digest = (1..127).fold(rule(0, n.into()), |digest, _| rule(digest, 0));
        let palette = 0x0980_0000 + n * 0x400;
        write_bytes(&memory, palette, &u64::from(n).to_le_bytes());
        write_bytes(&memory, palette + 0x3f8, &digest.rotate_left(5).to_le_bytes());
        list.wide_pointer(op::CBP, op::CBPH, palette, 0).write(op::CLOAD, 32);
        list.vertices(GE_DATA).prim(6, 2);
    }
    list.address(op::JUMP, again);
    (memory, list)
}

/// What a unit of the account costs with few of them and with many. Once a draw took 57 us with 8,000.
#[test]
#[ignore = "measures"]
fn time_of_palettes_of_one_hash() {
    for count in [10, 1000, 8000] {
        let (memory, mut list) = palettes_of_one_hash(count);
        write_bytes(&memory, GE_LIST, &list.finish(0));
        let mut jit = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
        let mut ge = Ge::new().with_limits(ge::limits::Limits::DEFAULT.with_work(200_000_000));
        let start = Instant::now();
        let end = ge.run(&mut jit, &memory, &mut DisplayList::new(GE_LIST, 0));
        let (time, draws) = (start.elapsed().as_nanos() as f64, ge.stats().draws as f64);
        assert!(end.is_err());
        println!("{count}: {:.2} ns a unit, {:.0} ns a draw", time / ge.work() as f64, time / draws);
    }
}

pub(crate) const COLOUR: u32 = 0x1800_0000;
const LIST: u32 = 0x2000_0000;
pub(crate) const ARRAYS: u32 = 0x2100_0000;

/// A list that sets up a program which passes on positions from an array, a target of 64 by 64 pixels, and a constant colour.
pub(crate) fn plain_list(colour: u32, array: u32) -> ListBuilder {
    let mut list = ListBuilder::new();
    // mov o0, v0; end
    list.write(0x2cb, 0).feed(0x2cc, &[0x13 << 26, 0x22 << 26]).write(0x2d5, 0).feed(0x2d6, &[0x0d86_c36f]);
    list.write(0x2ba, 0x7fff_0000).write(0x2b9, 0xa000_0000).write(0x2bb, 0).write(0x2bd, 1).write(0x04f, 1);
    list.write(0x050, 0x0302_0100).write(0x06f, 0x0103_0703).write(0x242, 0);
    let scale = encode_f24(32.0);
    list.burst(0x041, &[scale, 0x3811_1100, scale, 0x3811_1100]).burst(0x04d, &[encode_f24(-1.0), 0]);
    list.burst(0x11c, &[0, colour >> 3, 1 << 24 | 63 << 12 | 64]).burst(0x112, &[15, 15, 0, 0]);
    list.burst(0x116, &[0, 2]).write(0x100, 0x00e4_0000).write(0x102, 3).write(0x107, 0x0f10).write(0x06d, 1);
    list.burst(0x200, &[array >> 3, 0xf, 0, 0, 0, 0x1010_0000]).burst(0x0c0, &[0x0fff_0ff3, 0, 0, 0, 0]);
    for stage in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        list.burst(stage, &[0x0fff_0fff, 0, 0, 0, 0]);
    }
    list
}

/// Memory with a triangle of this size at an address.
pub(crate) fn with_triangle(array: u32, size: f32) -> BlockMemory {
    let memory = BlockMemory::console();
    let corners = [[-size, -size], [size, -size], [-size, size]];
    let vertices = corners.map(|[x, y]| [x, y, -0.5, 1.0]);
    let bytes: Vec<u8> = vertices.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
    write_bytes(&memory, array, &bytes);
    memory
}

/// Draws of a triangle, each with another cube map of 2047 by 2047.
pub(crate) fn cubes(draws: u32) -> (BlockMemory, Vec<u8>) {
    let (memory, mut list) = (with_triangle(ARRAYS, 0.1), plain_list(COLOUR, ARRAYS));
    for n in 0..draws {
        let face = (LIST + 8 * n) >> 3;
        list.write(0x080, 1 << 12 | 1)
            .burst(0x081, &[0, 2047 << 16 | 2047, 1 << 28 | 6, 0, face])
            .write(0x08e, 0);
        list.burst(0x086, &[face; 5]).draw_arrays(0, 0, 3);
    }
    (memory, list.finish())
}

fn run_pica(
    draws: u32,
    work: u64,
    (engine, threads, side): (&str, usize, u32),
) -> (Result<(), RunError>, Pica) {
    let (memory, list) = cubes(draws);
    write_bytes(&memory, LIST, &list);
    let mut stages = NamedEngine::by_name(engine).expect("an engine").expect("compiled code");
    let mut pica = Pica::new(Precision::Console).with_limits(Limits::DEFAULT.with_work(work));
    pica.set_tiling(Tiling { threads, tile: [side; 2], least_work: 0 });
    let list = CommandList { address: LIST, size_bytes: list.len() as u32 };
    (pica.run(&mut stages, &memory, list).map(|_| ()), pica)
}

/// Ten draws once took 46 seconds where the maps were not mapped.
#[test]
fn cube_maps_of_the_largest_size() {
    for work in [0, 2_000, 1_000_000, 600_000_000] {
        let (end, expected) = run_pica(10, work, WAYS[0]);
        assert_eq!(end, Err(RunError::Budget { limit: work }));
        assert!(expected.work() <= work && expected.stats().draws <= 1 + work / 250_000_000);
        for way in WAYS {
            let (end, pica) = run_pica(10, work, way);
            assert_eq!(end, Err(RunError::Budget { limit: work }), "{way:?}");
            assert!(pica.save() == expected.save() && pica.work() == expected.work(), "{way:?} with {work}");
        }
    }
    let (end, pica) = run_pica(1, Limits::DEFAULT.work, WAYS[0]);
    assert_eq!((end, pica.stats().triangles_displayed), (Ok(()), 1), "the list draws what it should");
    // The texture is paid last, but for the commands behind the draw.
    let whole = pica.work();
    for way in WAYS {
        assert_eq!(run_pica(1, whole, way).0, Ok(()), "{way:?}");
        assert_eq!(
            run_pica(1, whole - 1000, way).0,
            Err(RunError::Budget { limit: whole - 1000 }),
            "{way:?}"
        );
    }
}

/// An endless list of draws over the whole screen that read what they draw: always interpreted.
fn feedback() -> (BlockMemory, GeList) {
    let (memory, mut list) = sprites(0x20_0000, [480, 272], 100);
    list.write(op::TPSM, 3).write(op::TSIZE0, 9 | 9 << 8);
    list.wide_pointer(op::TBP0, op::TBW0, 0x0400_0000, 512);
    let again = GE_LIST + list.bytes();
    list.vertices(GE_DATA).prim(6, 200).address(op::JUMP, again);
    (memory, list)
}

/// Runs an endless list without limits until it is stopped; returns the error and the time from the request to the end.
fn stopped(threads: usize, limit: Option<Duration>) -> (Ge, Option<ge::RunError>, Duration) {
    let (memory, mut list) = feedback();
    write_bytes(&memory, GE_LIST, &list.finish(0));
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
    let limits = ge::limits::Limits::DEFAULT.with_work(u64::MAX).with_commands(u32::MAX);
    let mut ge = Ge::new().with_limits(limits.with_run_pixels(u64::MAX).with_run_vertices(u64::MAX));
    ge.set_tiling(Tiling { threads, tile: [64; 2], least_work: 0 });
    ge.set_time_limit(limit);
    let stopper = ge.stopper();
    let asker = thread::spawn(move || {
        thread::sleep(Duration::from_millis(60));
        let asked = Instant::now();
        stopper.stop();
        asked
    });
    let began = Instant::now();
    let end = ge.run(&mut engine, &memory, &mut DisplayList::new(GE_LIST, 0));
    let ended = Instant::now();
    let asked = asker.join().expect("a time");
    let since = limit.map_or_else(|| ended - asked, |limit| (ended - began).saturating_sub(limit));
    (ge, end.err(), since)
}

#[test]
fn runs_are_stopped() {
    for threads in [1, 3] {
        for (limit, expected) in
            [(None, StopCause::Requested), (Some(Duration::from_millis(20)), StopCause::TimeLimit)]
        {
            let (mut ge, end, since) = stopped(threads, limit);
            let Some(ge::RunError::Stopped { address, cause }) = end else { panic!("{end:?}") };
            assert_eq!(cause, expected);
            assert!((GE_LIST..GE_LIST + 0x100).contains(&address), "{address:#x}");
            println!("{threads} threads, {cause}: noticed after {since:?}");
            assert!(since < Duration::from_secs(2), "{since:?}");
            // The next run is as ever, once it may run.
            let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20), (GE_LIST, 0x1000)]);
            write_bytes(&memory, GE_LIST, &GeList::new().write(op::PSM, 1).finish(7));
            ge.set_time_limit(None);
            let again = ge.run(&mut Interpreter::new(), &memory, &mut DisplayList::new(GE_LIST, 0));
            assert!(matches!(again, Err(ge::RunError::Stopped { .. })), "until it is resumed: {again:?}");
            ge.stopper().resume();
            let again = ge.run(&mut Interpreter::new(), &memory, &mut DisplayList::new(GE_LIST, 0));
            assert_eq!(again, Ok(ge::Stop::Finished { token: 7 }));
        }
    }
}

#[test]
fn runs_of_the_pica200_are_stopped() {
    let (memory, list) = cubes(2000);
    write_bytes(&memory, LIST, &list);
    let mut engine = NamedEngine::by_name("jit").expect("an engine").expect("compiled code");
    let mut pica = Pica::new(Precision::Console).with_limits(Limits::DEFAULT.with_work(u64::MAX));
    pica.set_time_limit(Some(Duration::from_millis(50)));
    let began = Instant::now();
    let end = pica.run(&mut engine, &memory, CommandList { address: LIST, size_bytes: list.len() as u32 });
    let since = began.elapsed().saturating_sub(Duration::from_millis(50));
    let Err(RunError::Stopped { address, cause: StopCause::TimeLimit }) = end else { panic!("{end:?}") };
    println!("at {address:#x}: noticed after {since:?}");
    assert!((LIST..LIST + list.len() as u32).contains(&address) && since < Duration::from_secs(2));
}
