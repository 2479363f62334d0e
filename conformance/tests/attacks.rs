//! Lists that made the engines disagree, or work that was not paid. Each ends by its budget; what a unit of it takes is measured.

use crate::attacks_of_code::{self, Times};
use crate::attacks_of_textures;
use crate::hostile::{ARRAYS, COLOUR, plain_list, with_triangle};
use picaflor_conformance::pica::engine::NamedEngine;
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::limits::Limits;
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::observer::Observer;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::{Ge, RunError};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::ListBuilder as PicaList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::{self, Pica};
use picaflor_pipeline::tile::Tiling;
use std::time::{Duration, Instant};

pub(crate) const LIST: u32 = 0x0880_0000;
pub(crate) const DATA: u32 = 0x0890_0000;
pub(crate) const TEXTURE: u32 = 0x0900_0000;
pub(crate) const VRAM: u32 = 0x0400_0000;
/// More time than any list here takes.
const HOUR: Duration = Duration::from_secs(3600);
/// Colour behind the screen.
const OTHER: u32 = 0x10_0000;

/// A sprite in through mode: 16-bit texels and places, from here to there.
pub(crate) fn sprite([u, v]: [i16; 2], [x0, y0, x1, y1]: [i16; 4]) -> Vec<u8> {
    let corner = |x: i16, y: i16| [u, v, x, y, 0];
    [corner(x0, y0), corner(x1, y1)].as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Memory, and a list for textured sprites to a screen of 512 pixels a row.
pub(crate) fn screen() -> (BlockMemory, ListBuilder) {
    let memory = BlockMemory::zeroed(&[(VRAM, 2 << 20), (0x0880_0000, 0x180_0000)]);
    let mut list = ListBuilder::new();
    list.write(op::FBW, 512)
        .write(op::PSM, 3)
        .write(op::SCISSOR2, 479 | 271 << 10)
        .write(op::REGION2, 0xf_ffff);
    list.write(op::VTYPE, 1 << 23 | 2 << 7 | 2).write(op::TME, 1).write(op::TPSM, 3);
    (memory, list)
}

/// VRAM after a list on `jit` or `interp`.
fn drawn(list: &[u8], memory: &BlockMemory, engine: &str, tiling: Tiling) -> Vec<u8> {
    drawn_in_time(list, memory, (engine, None), tiling)
}

/// Likewise, in a run that has so much time.
fn drawn_in_time(
    list: &[u8],
    memory: &BlockMemory,
    (engine, time): (&str, Option<Duration>),
    tiling: Tiling,
) -> Vec<u8> {
    write_bytes(memory, LIST, list);
    let mut jit = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
    let stages: &mut dyn Stages = if engine == "jit" { &mut jit } else { &mut Interpreter::new() };
    let mut ge = Ge::new();
    ge.set_tiling(tiling);
    ge.set_time_limit(time);
    ge.run(stages, memory, &mut DisplayList::new(LIST, 0)).expect("the list ends");
    memory.blocks()[0].as_slice().to_vec()
}

/// A transfer from memory that the host has in pieces, which touch inside a row, or where addresses begin anew.
#[test]
fn rows_of_transfers_may_lie_in_several_pieces_of_memory() {
    let pieces = [
        (VRAM, 2 << 20),
        (LIST, 0x1000),
        (DATA, 0x800),
        (DATA + 0x800, 0x800),
        (0x0fff_f000, 0x1000),
        (0, 0x1000),
    ];
    for from in [DATA + 0x780, 0x0fff_ff80] {
        let [expected, found] = ["interp", "jit"].map(|engine| {
            let memory = BlockMemory::zeroed(&pieces);
            let bytes: Vec<u8> = (1..=255).collect();
            write_bytes(&memory, from, &bytes[..128]);
            write_bytes(&memory, from.wrapping_add(128) & 0x0fff_ffff, &bytes[128..]);
            let mut list = ListBuilder::new();
            list.wide_pointer(op::TRXSBP, op::TRXSBW, from, 64);
            list.wide_pointer(op::TRXDBP, op::TRXDBW, VRAM, 64);
            list.write(op::TRXSIZE, 62).write(op::TRXKICK, 1);
            drawn(&list.finish(0), &memory, engine, Tiling::new(1))
        });
        assert_eq!(
            (expected[0], expected[127], expected[128], expected[251]),
            (1, 128, 129, 252),
            "{from:#x}"
        );
        assert!(expected == found, "{from:#x}");
    }
}

/// A line across the screen, upward, all of whose pixels add a colour to one texel: its own pixel in the middle. Those behind
/// the middle find what it has become. A run that may be stopped draws in rows, which have another order.
#[test]
fn lines_that_read_themselves_are_the_same_where_a_run_may_be_stopped() {
    let mut all = Vec::new();
    for way in [("interp", None), ("jit", None), ("interp", Some(HOUR)), ("jit", Some(HOUR))] {
        let (memory, mut list) = screen();
        let ends = [[240_i16, 135, 0, 271, 0], [240, 135, 480, 0, 0]];
        let bytes: Vec<u8> = ends.as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
        write_bytes(&memory, DATA, &bytes);
        list.write(op::TSIZE0, 9 | 9 << 8).wide_pointer(op::TBP0, op::TBW0, VRAM, 512);
        list.write(op::TFUNC, 4).write(op::AMC, 0x01_0101).vertices(DATA).prim(1, 2);
        all.push(drawn_in_time(&list.finish(0), &memory, way, Tiling::new(1)));
    }
    let pixels = |value: u8| all[0].chunks_exact(4).filter(|pixel| pixel[0] == value).count();
    assert!([1, 2].map(pixels).iter().all(|&count| count > 200), "{:?}", [1, 2].map(pixels));
    assert!(all.iter().all(|vram| *vram == all[0]));
}

/// A constant level of detail between two levels that lie elsewhere, while a draw to where level 0 lies is pending: level 0 was
/// read before that was drawn, and kept. It has to wait.
#[test]
fn levels_beside_a_constant_detail_wait_for_draws() {
    let picture = |engine: &str, tiling: Tiling| {
        let (memory, mut list) = screen();
        write_bytes(&memory, TEXTURE, &[0x40; 0x1000]);
        let white = [0, 100, 480, 110];
        for (n, sprite) in [sprite([0, 0], white), sprite([0, 0], [0, 0, 16, 10])].iter().enumerate() {
            write_bytes(&memory, DATA + 0x100 * n as u32, sprite);
        }
        // A: a bar, untextured.
        list.write(op::TME, 0).write(op::AMC, 0xff_ffff).write(op::AMA, 0xff);
        list.vertices(DATA).prim(6, 2).write(op::TME, 1);
        // B: levels 6 and 7, beside a level 0 where the bar is.
        list.write(op::SCISSOR2, 479 | 50 << 10).write(op::TMODE, 7 << 16).write(op::TFLT, 6);
        list.write(op::TBIAS, 0x68_0001);
        list.wide_pointer(op::TBP0, op::TBW0, VRAM + 100 * 2048, 512).write(op::TSIZE0, 3 | 3 << 8);
        for level in 1..8 {
            list.wide_pointer(op::TBP0 + level, op::TBW0 + level, TEXTURE, 16).write(op::TSIZE0 + level, 0);
        }
        list.vertices(DATA + 0x100).prim(6, 2);
        // C: level 0, to another target.
        list.write(op::FBP, OTHER).write(op::TFLT, 0).write(op::TMODE, 0).write(op::TBIAS, 0);
        list.vertices(DATA + 0x100).prim(6, 2);
        drawn(&list.finish(0), &memory, engine, tiling)
    };
    let expected = picture("interp", Tiling::new(1));
    assert_eq!(expected[OTHER as usize..][..3], [0xff; 3], "C shows the bar");
    let eager = Tiling { threads: 3, tile: [64; 2], least_work: 0 };
    for (engine, tiling) in
        [("jit", Tiling::new(1)), ("jit", Tiling::new(2)), ("jit", eager), ("interp", eager)]
    {
        assert!(picture(engine, tiling) == expected, "{engine}, {tiling:?}");
    }
}

/// Positions of through mode are bounded by their format alone: the depth of such a triangle does not fit the numbers of code.
#[test]
fn depth_of_vast_triangles() {
    let picture = |engine: &str| {
        let (memory, mut list) = screen();
        let corners = [[0_i16, 0, 0], [32_766, 0, 10_922], [0, 32_766, 10_922]];
        let far = [[-100_i16, -100, 0], [30_000, -100, 16_384], [-100, 30_000, 16_384]];
        let bytes = [corners, far].concat().into_iter().flatten().flat_map(i16::to_le_bytes);
        write_bytes(&memory, DATA, &bytes.collect::<Vec<_>>());
        list.write(op::TME, 0).write(op::VTYPE, 1 << 23 | 2 << 7);
        list.write(op::ZBP, 0x10_0000).write(op::ZBW, 512).write(op::ZTE, 1).write(op::ZTST, 1);
        list.vertices(DATA).prim(3, 3).write(op::ZBP, 0x18_0000).vertices(DATA + 18).prim(3, 3);
        drawn(&list.finish(0), &memory, engine, Tiling::new(1))
    };
    let expected = picture("interp");
    assert!(expected[0x18_0000..].iter().any(|&byte| byte != 0), "depth is written");
    assert!(picture("jit") == expected);
}

/// A clip z that is no number is neither near nor far: it proves no draw away.
#[test]
fn rectangles_whose_depth_is_no_number() {
    let picture = |engine: &str| {
        let (memory, mut list) = screen();
        let corners = [-1.2_f32, 1.0, 1.0, -1.2, 1.0, -1.0];
        write_bytes(&memory, DATA, &corners.map(f32::to_le_bytes).concat());
        list.write(op::TME, 0).write(op::AMC, 0xff_ffff).write(op::VTYPE, 3 << 7);
        list.write(op::XSCALE, 0x43_7000).write(op::YSCALE, 0xc3_0800).write(op::ZSCALE, 0);
        list.write(op::XPOS, 0x45_0000).write(op::YPOS, 0x45_0000).write(op::OFFSETX, 1808 << 4);
        list.write(op::OFFSETY, 1912 << 4);
        for (number, data) in [(op::WMS, op::WORLD), (op::VMS, op::VIEW)] {
            list.write(number, 0);
            (0..12).for_each(|n| _ = list.write(data, if n % 4 == 0 && n < 9 { 0x3f_8000 } else { 0 }));
        }
        let (one, nan) = (0x3f_8000, 0x7f_c000);
        list.write(op::PMS, 0);
        for element in [one, 0, nan, 0, 0, one, nan, 0, 0, 0, nan, one, 0, 0, nan, 0] {
            list.write(op::PROJ, element);
        }
        list.vertices(DATA).prim(6, 2);
        drawn(&list.finish(0), &memory, engine, Tiling::new(1))
    };
    let expected = picture("interp");
    assert!(expected.iter().any(|&byte| byte != 0), "the rectangle is drawn");
    assert!(picture("jit") == expected);
}

/// Looks at nothing: each draw is drawn by itself.
struct Blind;

impl Observer for Blind {}

/// Draws wait for others only if the account has enough for all they may be, interpreted triangles too.
#[test]
fn vast_triangles_end_with_the_account_together_or_alone() {
    let ended = |work: u64, is_watched: bool| {
        let (memory, mut list) = screen();
        let far = [[-100_i16, -100, 0], [30_000, -100, 0], [-100, 30_000, 0]];
        write_bytes(
            &memory,
            DATA,
            &far.as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>(),
        );
        list.write(op::TME, 0).write(op::VTYPE, 1 << 23 | 2 << 7);
        for _ in 0..5 {
            list.vertices(DATA).prim(3, 3);
        }
        write_bytes(&memory, LIST, &list.finish(0));
        let mut ge = Ge::new().with_limits(Limits::DEFAULT.with_work(work));
        ge.set_observer(is_watched.then(|| Box::new(Blind) as _));
        let end = ge.run(&mut Interpreter::new(), &memory, &mut DisplayList::new(LIST, 0));
        (end, ge.work(), ge.stats().draws)
    };
    for work in [10_000_000, 40_000_000, 76_000_000, 120_000_000, 300_000_000] {
        assert_eq!(ended(work, false), ended(work, true), "{work}");
    }
}

pub(crate) type Attack = (&'static str, fn() -> (BlockMemory, ListBuilder));

/// Endless lists of the work that was once paid too little.
pub(crate) const ATTACKS: [Attack; 27] = [
    ("levels beside a constant detail", hidden_levels),
    ("a window that wraps, read while it is drawn", wrapping_feedback),
    ("tall thin textures in turn", thin_textures),
    ("palettes of each level", own_palettes),
    ("transfers beside many textures", transfers),
    ("targets in turn beside many textures", targets),
    ("triangles to be divided in vain", vain_fans),
    ("palettes where nothing is mapped", unmapped_palettes),
    ("small draws, each in another state", || states([0, 0, 1, 1])),
    ("large draws, each in another state", || states([0, 0, 160, 160])),
    ("large draws of two levels, each in another state", states_of_levels),
    ("vertices in other states", vertex_states),
    ("vertices of 8 bones and 8 morphs in other states", states_of_long_vertices),
    ("exponents of lights", exponents),
    ("textures where an unused depth buffer lies", unused_depth),
    ("textures of no format where the target lies", formless),
    ("buffers that overlap above the scissor", above_the_scissor),
    ("writes far from a texture", attacks_of_textures::distant_writes),
    ("writes beside levels", attacks_of_textures::writes_nearby),
    ("small draws past the last address", || attacks_of_textures::past_the_last_address([0, 0, 1, 1])),
    ("large draws past the last address", || attacks_of_textures::past_the_last_address([0, 0, 480, 272])),
    ("draws beside 1,024 levels of pending ones", attacks_of_textures::held_levels),
    ("columns of a texture that is drawn to", attacks_of_textures::columns_of_a_target),
    ("vertices to an infinite projection", attacks_of_textures::infinite_vertices),
    ("narrow rectangles in fog", attacks_of_textures::narrow_in_fog),
    ("bounding boxes", attacks_of_textures::boxes),
    ("surfaces in other states", attacks_of_textures::surfaces_in_states),
];

pub(crate) fn again(list: &mut ListBuilder, start: u32) {
    list.address(op::JUMP, start);
}

fn hidden_levels() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 1, 1]));
    list.write(op::TFLT, 6).write(op::TBIAS, 0x68_0001).write(op::TMODE, 7 << 16);
    for level in 0..8_u8 {
        let size = if level < 6 { 9 | 9 << 8 } else { 0 };
        list.wide_pointer(op::TBP0 + level, op::TBW0 + level, TEXTURE, 0x7f0).write(op::TSIZE0 + level, size);
    }
    let start = LIST + list.bytes();
    for n in 0..64 {
        for level in 0..6 {
            list.wide_pointer(op::TBP0 + level, op::TBW0 + level, TEXTURE + 16 * n, 0x7f0);
        }
        list.vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

fn wrapping_feedback() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 480, 272]));
    let pixels: Vec<u8> = (0..0x10_0000_u32).map(|n| (n.wrapping_mul(n) >> 11) as u8).collect();
    write_bytes(&memory, VRAM, &pixels);
    list.write(op::AMC, 0xff_ffff).write(op::AMA, 0xff);
    list.wide_pointer(op::TBP0, op::TBW0, VRAM, 512).write(op::TSIZE0, 9 | 9 << 8).write(op::TFLT, 0x101);
    let start = LIST + list.bytes();
    list.vertices(DATA).prim(6, 2);
    again(&mut list, start);
    (memory, list)
}

fn thin_textures() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 1, 1]));
    list.write(op::TSIZE0, 9 << 8);
    let start = LIST + list.bytes();
    for n in 0..30 {
        list.wide_pointer(op::TBP0, op::TBW0, TEXTURE + 16 * n, 0x7f0).vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

fn own_palettes() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 1, 1]));
    list.write(op::TPSM, 4).write(op::TMODE, 7 << 16 | 1 << 8).write(op::TFLT, 4);
    list.write(op::CMODE, 3 | 0xff << 8);
    let start = LIST + list.bytes();
    for n in 0..31_u32 {
        for level in 0..8 {
            list.wide_pointer(op::TBP0 + level, op::TBW0 + level, TEXTURE + 16 * n, 512);
            list.write(op::TSIZE0 + level, 9 | 9 << 8);
        }
        list.vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

/// Draws of as many textures of a texel.
fn many_textures() -> (BlockMemory, ListBuilder, u32) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 1, 1]));
    list.write(op::TSIZE0, 0);
    for n in 0..16_000 {
        list.wide_pointer(op::TBP0, op::TBW0, TEXTURE + 16 * n, 16).vertices(DATA).prim(6, 2);
    }
    let start = LIST + list.bytes();
    (memory, list, start)
}

fn transfers() -> (BlockMemory, ListBuilder) {
    let (memory, mut list, start) = many_textures();
    list.wide_pointer(op::TRXSBP, op::TRXSBW, 0x0880_0000, 8).wide_pointer(
        op::TRXDBP,
        op::TRXDBW,
        0x08a0_0000,
        8,
    );
    list.write(op::TRXSIZE, 0);
    let start = start + 20;
    for _ in 0..16 {
        list.write(op::TRXKICK, 0);
    }
    again(&mut list, start);
    (memory, list)
}

fn targets() -> (BlockMemory, ListBuilder) {
    let (memory, mut list, start) = many_textures();
    for n in 0..16 {
        list.write(op::FBP, OTHER * (n % 2)).vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

fn vain_fans() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    // Two vertices of a fan, of which the first is the anchor of all that follow in through mode.
    let singles: Vec<u8> =
        [[0.0_f32, 0.0, 0.0, 0.0, 0.0]; 2].as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
    write_bytes(&memory, DATA, &singles);
    let places = [[0_i16, 272], [480, 272]];
    let corners = (0..2000).map(|n| places[n % 2]).flat_map(|[x, y]| [0, 0, x, y, 0]);
    write_bytes(&memory, DATA + 0x1000, &corners.flat_map(i16::to_le_bytes).collect::<Vec<_>>());
    list.write(op::TSIZE0, 0).wide_pointer(op::TBP0, op::TBW0, TEXTURE, 16);
    list.write(op::VTYPE, 3 << 7 | 3);
    // Nothing but w, which is 2.
    list.write(op::PMS, 15).write(op::PROJ, 0x40_0000);
    let start = LIST + list.bytes();
    list.write(op::VTYPE, 3 << 7 | 3).vertices(DATA).prim(5, 2);
    list.write(op::VTYPE, 1 << 23 | 2 << 7 | 2).vertices(DATA + 0x1000).prim(7, 2000);
    again(&mut list, start);
    (memory, list)
}

fn unmapped_palettes() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    list.wide_pointer(op::CBP, op::CBPH, 0x0010_0000, 0);
    let start = LIST + list.bytes();
    for _ in 0..64 {
        list.write(op::CLOAD, 32);
    }
    again(&mut list, start);
    (memory, list)
}

/// Sprites, each with another alpha test and other factors of blending.
fn states(corners: [i16; 4]) -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], corners));
    list.write(op::TME, 0);
    in_states(&mut list);
    (memory, list)
}

/// Likewise, between two levels of a texture.
pub(crate) fn states_of_levels() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    let corner = |x: i16| [x, x, x, x, 0];
    let bytes: Vec<u8> =
        [corner(0), corner(160)].as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
    write_bytes(&memory, DATA, &bytes);
    list.write(op::TFLT, 0x107).write(op::TBIAS, 0x08_0001).write(op::TMODE, 7 << 16);
    for level in 0..8_u8 {
        let size = u32::from(8 - level);
        list.wide_pointer(op::TBP0 + level, op::TBW0 + level, TEXTURE, 256);
        list.write(op::TSIZE0 + level, size | size << 8);
    }
    in_states(&mut list);
    (memory, list)
}

/// Two vertices as a sprite, again and again, each with another alpha test and other factors of blending.
fn in_states(list: &mut ListBuilder) {
    list.write(op::ABE, 1).write(op::ATE, 1);
    let start = LIST + list.bytes();
    for n in 0..5000_u32 {
        let digit = |place: u32, base: u32| n / place % base;
        list.write(op::ALPHA, digit(1, 10) | digit(10, 10) << 4 | digit(100, 3) << 8);
        list.write(op::ATST, 1 + n / 300 % 7).vertices(DATA).prim(6, 2);
    }
    again(list, start);
}

/// Sprites beside the screen, each with other lights.
fn vertex_states() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    list.write(op::TME, 0).write(op::VTYPE, 2 << 7 | 2 << 5);
    with_lights(&mut list, 0);
    (memory, list)
}

/// Likewise, of floats with everything, each eight times.
fn states_of_long_vertices() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    list.write(op::VTYPE, 7 << 18 | 7 << 14 | 3 << 9 | 3 << 7 | 3 << 5 | 7 << 2 | 3);
    list.write(op::TMAP, 1).write(op::FGE, 1);
    (0..4).for_each(|n| _ = list.write(op::LSE0 + n, 0x40_8000).write(op::LXD0 + 3 * n, 0x3f_8000));
    with_lights(&mut list, 1);
    (memory, list)
}

/// Two vertices as a sprite, again and again, each with other components and kinds of four lights.
fn with_lights(list: &mut ListBuilder, least_kind: u32) {
    list.write(op::LTE, 1);
    (0..4).for_each(|n| _ = list.write(op::LTE0 + n, 1));
    let start = LIST + list.bytes();
    for n in 0..6561_u32 {
        for (light, place) in [1, 9, 81, 729].into_iter().enumerate() {
            let [components, kind] = [n / place % 3, least_kind + n / place / 3 % 2];
            list.write(op::LT0 + light as u8, components | kind << 8);
        }
        list.write(op::CMAT, n & 7).vertices(DATA).prim(6, 2);
    }
    again(list, start);
}

/// Four spots whose exponents are none, one and infinite, in each combination.
fn exponents() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    list.write(op::TME, 0).write(op::VTYPE, 2 << 7 | 2 << 5).write(op::LTE, 1);
    for n in 0..4_u8 {
        list.write(op::LTE0 + n, 1).write(op::LT0 + n, 2 << 8 | 1).write(op::LXD0 + 3 * n, 0x3f_8000);
    }
    let start = LIST + list.bytes();
    for n in 0..81_u32 {
        for (light, place) in [1, 3, 9, 27].into_iter().enumerate() {
            let exponent = [0, 0x3f_8000, 0x7f_8000][(n / place % 3) as usize];
            list.write(op::LSE0 + light as u8, exponent);
        }
        list.vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

/// Draws of other colours, all with a texture that only a depth buffer could change, which they do not use.
fn unused_depth() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 1, 1]));
    list.wide_pointer(op::ZBP, op::ZBW, VRAM + 0x10_0000, 512);
    list.wide_pointer(op::TBP0, op::TBW0, VRAM + 0x10_0000, 512).write(op::TSIZE0, 9 | 9 << 8);
    let start = LIST + list.bytes();
    for n in 0..2 {
        list.write(op::FCOL, n).vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

/// Sprites with a texture that has no texels, at an address in their target.
fn formless() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 160, 160]));
    list.write(op::TPSM, 11)
        .wide_pointer(op::TBP0, op::TBW0, VRAM + 0x1000, 512)
        .write(op::TSIZE0, 8 | 8 << 8);
    let start = LIST + list.bytes();
    list.vertices(DATA).prim(6, 2);
    again(&mut list, start);
    (memory, list)
}

/// Draws to rows from the 256th on, of buffers that overlap in rows above them.
fn above_the_scissor() -> (BlockMemory, ListBuilder) {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 256, 480, 512]));
    list.write(op::TME, 0).write(op::ZTE, 1).write(op::ZTST, 1).write(op::ZBW, 512);
    list.write(op::SCISSOR1, 256 << 10).write(op::SCISSOR2, 511 | 511 << 10);
    let start = LIST + list.bytes();
    list.vertices(DATA).prim(6, 2);
    again(&mut list, start);
    (memory, list)
}

/// Runs an attack until its budget ends; returns the machine with its VRAM, and the time.
fn attacked(
    (name, attack): Attack,
    work: u64,
    stages: &mut dyn Stages,
    threads: usize,
) -> (Ge, Vec<u8>, f64) {
    let (memory, mut list) = attack();
    write_bytes(&memory, LIST, &list.finish(0));
    let limits = Limits::DEFAULT.with_work(work).with_commands(u32::MAX);
    let mut ge = Ge::new().with_limits(limits.with_run_pixels(u64::MAX).with_run_vertices(u64::MAX));
    ge.set_tiling(Tiling::new(threads));
    let start = Instant::now();
    let end = ge.run(stages, &memory, &mut DisplayList::new(LIST, 0));
    assert_eq!(end, Err(RunError::Budget { limit: work }), "{name}");
    let time = start.elapsed().as_nanos() as f64;
    (ge, memory.blocks()[0].as_slice().to_vec(), time)
}

#[test]
fn attacks_end_at_one_command_on_every_engine() {
    for attack in ATTACKS {
        let work = 60_000_000;
        let (expected, pixels, _) = attacked(attack, work, &mut Interpreter::new(), 1);
        for threads in [1, 2] {
            let mut jit = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
            let (ge, found, _) = attacked(attack, work, &mut jit, threads);
            assert!(
                ge.work() == expected.work() && ge.save() == expected.save(),
                "{}, {threads} threads",
                attack.0
            );
            assert!(found == pixels, "{}, {threads} threads: other pixels", attack.0);
        }
    }
}

pub(crate) type PicaAttack = (&'static str, fn() -> (BlockMemory, PicaList));

/// Draws of the PICA200 whose work was once paid too little.
pub(crate) const PICA_ATTACKS: [PicaAttack; 25] = [
    ("pixels of a target that is not mapped", unmapped_target),
    ("vertices with an array at the edge of memory", array_at_the_edge),
    ("lit pixels", lit),
    ("cube maps of draws beside the scissor", beside),
    ("programs with undefined words", undefined),
    ("arrays whose addresses wrap around", wrapped),
    ("small triangles, each in another state", || combiners(0.01)),
    ("large triangles, each in another state", || combiners(1.0)),
    ("programs for other inputs", permutations),
    ("new programs that take long", loops),
    ("unrolled loops in turn, a vertex", || attacks_of_code::unrolled(1)),
    ("unrolled loops in turn, 200 vertices", || attacks_of_code::unrolled(200)),
    ("sums in turn, 62 words", || attacks_of_code::sums_in_turn(44, Times::Once)),
    ("sums in turn, 126 words", || attacks_of_code::sums_in_turn(108, Times::Once)),
    ("sums in turn, 470 words in rounds", || attacks_of_code::sums_in_turn(235, Times::Rounds(2))),
    ("sums in turn, 1,440 words in calls", || attacks_of_code::sums_in_turn(240, Times::Calls(6))),
    ("exponents in turn", || attacks_of_code::exponents_in_turn(27, Times::Once)),
    ("exponents in turn, in rounds", || attacks_of_code::exponents_in_turn(110, Times::Rounds(4))),
    ("exponents of a vertex", attacks_of_code::exponents),
    ("large frames", attacks_of_code::large_frames),
    ("geometry programs whose inputs go to other uniforms", attacks_of_code::other_uniforms),
    ("geometry programs in turn", attacks_of_code::programs_in_turn),
    ("small triangles of much code, each in another state", || attacks_of_code::long_fragments(0.01)),
    ("tables that change before each draw", attacks_of_code::changed_tables),
    ("large triangles of much code, each in another state", || attacks_of_code::long_fragments(1.0)),
];

fn unmapped_target() -> (BlockMemory, PicaList) {
    let mut list = plain_list(0x1000_0000, ARRAYS);
    draws(&mut list, 0);
    (with_triangle(ARRAYS, 2.0), list)
}

/// Three of 32 bits are read as four.
fn array_at_the_edge() -> (BlockMemory, PicaList) {
    let end = 0x2800_0000 - 36;
    let mut list = plain_list(COLOUR, 0x2000_0000);
    list.burst(0x200, &[0x2000_0000 >> 3, 0xb, 0, end - 0x2000_0000, 0, 0x100c_0000]);
    draws(&mut list, 0);
    (with_triangle(ARRAYS, 0.1), list)
}

fn lit() -> (BlockMemory, PicaList) {
    let mut list = plain_list(COLOUR, ARRAYS);
    list.write(0x08f, 0).write(0x1c6, 0).write(0x1c2, 7).burst(0x0c0, &[0x0fff_0ff1, 0, 0, 0, 0]);
    draws(&mut list, 0);
    (with_triangle(ARRAYS, 2.0), list)
}

/// The same draw again and again.
fn draws(list: &mut PicaList, first: u32) {
    for _ in 0..20_000 {
        list.draw_arrays(0, first, 3);
    }
}

fn beside() -> (BlockMemory, PicaList) {
    let mut list = plain_list(COLOUR, ARRAYS);
    list.burst(0x065, &[3, 5 | 5 << 16, 3 | 3 << 16]);
    for n in 0..20_000 {
        let face = (0x2000_0000 + 8 * n) >> 3;
        list.write(0x080, 1 << 12 | 1).burst(0x081, &[0, 2047 << 16 | 2047, 1 << 28 | 6, 0, face]);
        list.write(0x08e, 0).burst(0x086, &[face; 5]).draw_arrays(0, 0, 3);
    }
    (with_triangle(ARRAYS, 0.1), list)
}

fn undefined() -> (BlockMemory, PicaList) {
    let mut list = plain_list(COLOUR, ARRAYS);
    let mut words = vec![0x10 << 26; 500];
    words.extend([0x13 << 26, 0x22 << 26]);
    list.write(0x2cb, 0).feed(0x2cc, &words);
    draws(&mut list, 0);
    (with_triangle(ARRAYS, 0.1), list)
}

fn wrapped() -> (BlockMemory, PicaList) {
    let mut list = plain_list(COLOUR, ARRAYS);
    draws(&mut list, 0x1000_0000);
    (with_triangle(ARRAYS, 0.1), list)
}

/// Triangles, each with other combiners.
fn combiners(size: f32) -> (BlockMemory, PicaList) {
    let mut list = plain_list(COLOUR, ARRAYS);
    for n in 0..20_000 {
        for (stage, place) in [(0x0c0, 1), (0x0c8, 10), (0x0d0, 100), (0x0d8, 1000)] {
            let operation = n / place % 10;
            list.burst(stage, &[0x0fff_0fff, 0, operation | operation << 16, 0x8040_2010, 0]);
        }
        list.draw_arrays(0, 0, 3);
    }
    (with_triangle(ARRAYS, size), list)
}

/// A program of many words, for other registers of its inputs in each draw.
fn permutations() -> (BlockMemory, PicaList) {
    let mut list = plain_list(COLOUR, ARRAYS);
    // Sums of attributes.
    let mut words: Vec<u32> = (0..200).map(|n| 0x0000_1000 | (n & 7) << 21 | (n & 3) << 7).collect();
    words.extend([0x13 << 26, 0x22 << 26]);
    list.write(0x2cb, 0).feed(0x2cc, &words);
    for n in 0..20_000_u32 {
        list.write(0x2bb, 0x7654_3210 ^ n.wrapping_mul(0x0010_0100)).draw_arrays(0, 0, 3);
    }
    (with_triangle(ARRAYS, 0.01), list)
}

/// Programs of 256 times 200 words, each another, for 40 vertices.
fn loops() -> (BlockMemory, PicaList) {
    let mut list = plain_list(COLOUR, ARRAYS);
    let sum = |n: u32| 0x0000_1000 | (n & 7) << 21 | (n >> 3 & 3) << 7 | (n >> 5 & 3) << 12;
    let mut words = vec![0x29 << 26 | 200 << 10];
    words.extend((0..200).map(sum));
    words.extend([0x13 << 26, 0x22 << 26]);
    list.write(0x2cb, 0).feed(0x2cc, &words).write(0x2b1, 0xff);
    for n in 0..20_000 {
        list.write(0x2cb, 1).feed(0x2cc, &[sum(n), sum(n >> 7), sum(n >> 14)]).draw_arrays(0, 0, 40);
    }
    (with_triangle(ARRAYS, 0.01), list)
}

fn attacked_pica(
    attack: fn() -> (BlockMemory, PicaList),
    work: u64,
    (engine, threads): (&str, usize),
) -> (Pica, f64) {
    let (memory, mut list) = attack();
    let bytes = list.finish();
    write_bytes(&memory, 0x2200_0000, &bytes);
    let mut stages = NamedEngine::by_name(engine).expect("an engine").expect("compiled code");
    let mut pica = Pica::new(Precision::Console).with_limits(pica::limits::Limits::DEFAULT.with_work(work));
    pica.set_tiling(Tiling::new(threads));
    let list = CommandList { address: 0x2200_0000, size_bytes: bytes.len() as u32 };
    let start = Instant::now();
    let end = pica.run(&mut stages, &memory, list).map(|_| ());
    assert_eq!(end, Err(pica::RunError::Budget { limit: work }));
    (pica, start.elapsed().as_nanos() as f64)
}

#[test]
fn attacks_on_the_pica200_end_at_one_command_on_every_engine() {
    for (name, attack) in PICA_ATTACKS {
        let (expected, _) = attacked_pica(attack, 20_000_000, ("interp", 1));
        for threads in [1, 2] {
            let (found, _) = attacked_pica(attack, 20_000_000, ("jit", threads));
            let is_same = found.save() == expected.save() && found.work() == expected.work();
            assert!(is_same, "{name}, {threads} threads");
        }
    }
}

#[test]
#[ignore = "measures"]
fn time_of_attacks() {
    for (name, attack) in PICA_ATTACKS {
        for (engine, threads) in [("jit", 1), ("jit-default", 1), ("jit", 3)] {
            attacked_pica(attack, 1_000_000, (engine, threads));
            let (pica, time) = attacked_pica(attack, 200_000_000, (engine, threads));
            let (time, draws) = (time / pica.work() as f64, pica.stats().draws);
            println!("{name}, {engine}, {threads} threads: {time:.2} ns a unit, {draws} draws");
        }
    }
    for attack in ATTACKS {
        use EngineMode::{Background, Blocking};
        for (mode, threads) in [(Blocking, 1), (Background, 1), (Blocking, 3)] {
            let mut jit = Engine::builder().mode(mode).build().expect("compiled code");
            attacked(attack, 1_000_000, &mut jit, threads);
            let (ge, _, time) = attacked(attack, 400_000_000, &mut jit, threads);
            let (time, draws) = (time / ge.work() as f64, ge.stats().draws);
            println!("{}, {mode:?}, {threads} threads: {time:.2} ns a unit, {draws} draws", attack.0);
        }
    }
}
