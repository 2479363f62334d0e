//! Lists of the GE whose textures, vertices or rows took more than was paid for them. [`attacks`](crate::attacks) runs and
//! measures them.

use crate::attacks::{DATA, LIST, TEXTURE, VRAM, again, screen, sprite};
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::matrix_ports::MatrixPort;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};

type List = (BlockMemory, ListBuilder);

/// Where nothing is mapped.
const NOWHERE: u32 = 0x0010_0000;
/// Texels from row to row, as far apart as they can be.
const FAR_APART: u32 = 0x7f0;

/// A screen, and a pixel at [`DATA`].
fn pixel() -> List {
    let (memory, list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 1, 1]));
    (memory, list)
}

/// A pixel, and the write of two bytes, again and again.
fn with_writes(list: &mut ListBuilder, to: u32) {
    list.wide_pointer(op::TRXSBP, op::TRXSBW, LIST, 8).wide_pointer(op::TRXDBP, op::TRXDBW, to, 8);
    list.write(op::TRXSIZE, 0);
    let start = LIST + list.bytes();
    for _ in 0..16 {
        list.write(op::TRXKICK, 0).vertices(DATA).prim(6, 2);
    }
    again(list, start);
}

/// Writes 64 MiB from the texture, whose bytes are looked up one by one.
pub(crate) fn distant_writes() -> List {
    let (memory, mut list) = pixel();
    list.write(op::TSIZE0, 6 << 8).wide_pointer(op::TBP0, op::TBW0, NOWHERE, FAR_APART);
    with_writes(&mut list, VRAM + NOWHERE);
    (memory, list)
}

/// Writes right before eight levels, in the page where they begin.
pub(crate) fn writes_nearby() -> List {
    let (memory, mut list) = pixel();
    list.write(op::TFLT, 6).write(op::TMODE, 7 << 16);
    for level in 0..8_u8 {
        let place = TEXTURE + 16 * u32::from(level + 1);
        list.wide_pointer(op::TBP0 + level, op::TBW0 + level, place, FAR_APART);
        list.write(op::TSIZE0 + level, 9 << 8);
    }
    with_writes(&mut list, TEXTURE);
    (memory, list)
}

/// Draws of a pixel beside 1,024 levels of textures of pending draws. Each reaches one row farther down, so that all levels are
/// asked whether the pending draws may change them.
pub(crate) fn held_levels() -> List {
    let (memory, mut list) = screen();
    let rows = 0..1024_u32;
    let pixels = rows.clone().flat_map(|y| sprite([0, 0], [0, y as i16, 1, y as i16 + 1]));
    write_bytes(&memory, DATA, &pixels.collect::<Vec<_>>());
    list.write(op::PSM, 0).write(op::ZTE, 1).write(op::ZTST, 1).wide_pointer(
        op::ZBP,
        op::ZBW,
        0x10_0000,
        512,
    );
    list.write(op::SCISSOR2, 511 | 1023 << 10).write(op::TFLT, 6).write(op::TMODE, 7 << 16);
    (0..8).for_each(|level| _ = list.write(op::TSIZE0 + level, 0));
    let start = LIST + list.bytes();
    for y in rows {
        for level in 0..if y < 128 { 8 } else { 0 } {
            let place = TEXTURE + 16 * (8 * y + u32::from(level));
            list.wide_pointer(op::TBP0 + level, op::TBW0 + level, place, 8);
        }
        list.write(op::FCOL, y).vertices(DATA + 20 * y).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

/// Rectangles with a texture that begins right before the last address and goes on at 0, in two states in turn.
pub(crate) fn past_the_last_address(corners: [i16; 4]) -> List {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], corners));
    list.write(op::TSIZE0, 6 << 8).wide_pointer(op::TBP0, op::TBW0, 0x0fff_fff0, FAR_APART);
    let start = LIST + list.bytes();
    for n in 0..2 {
        list.write(op::FCOL, n).vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}

/// Each pixel lies between the first row and the last one, and reads a column of all of them.
pub(crate) fn columns_of_a_target() -> List {
    let (memory, mut list) = screen();
    write_bytes(&memory, DATA, &sprite([0, 0], [0, 0, 480, 64]));
    list.wide_pointer(op::TBP0, op::TBW0, VRAM, 512).write(op::TSIZE0, 9 | 6 << 8);
    list.write(op::TFLT, 0x101).write(op::TWRAP, 1);
    let start = LIST + list.bytes();
    list.vertices(DATA).prim(6, 2);
    again(&mut list, start);
    (memory, list)
}

/// Vertices with all that there is, to an infinite projection.
pub(crate) fn infinite_vertices() -> List {
    let (memory, mut list) = screen();
    list.write(op::TME, 0).write(op::LTE, 1).write(op::PMS, 0).write(op::PROJ, 0x7f_8000);
    list.write(op::VTYPE, 7 << 18 | 7 << 14 | 3 << 9 | 3 << 7 | 3 << 5 | 7 << 2 | 3);
    for n in 0..4_u8 {
        list.write(op::LTE0 + n, 1).write(op::LT0 + n, 2 << 8 | 1).write(op::LXD0 + 3 * n, 0x3f_8000);
    }
    let start = LIST + list.bytes();
    list.vertices(DATA).prim(0, 2000);
    again(&mut list, start);
    (memory, list)
}

/// Matrices without effect, and the viewport of a game.
fn with_viewport(list: &mut ListBuilder) {
    let axes: [f32; 12] = std::array::from_fn(|n| if n % 4 == 0 && n < 9 { 1.0 } else { 0.0 });
    let projection: [f32; 16] = std::array::from_fn(|n| if n % 5 == 0 { 1.0 } else { 0.0 });
    list.matrix(MatrixPort::World, &axes).matrix(MatrixPort::View, &axes);
    list.matrix(MatrixPort::Projection, &projection);
    list.float(op::XSCALE, 240.0).float(op::YSCALE, -136.0).float(op::ZSCALE, 0.0);
    list.float(op::XPOS, 2048.0).float(op::YPOS, 2048.0).float(op::ZPOS, 0.0);
    list.write(op::OFFSETX, 1808 << 4).write(op::OFFSETY, 1912 << 4);
    list.write(op::TME, 0).write(op::VTYPE, 3 << 7);
}

/// Rectangles of two columns, each with a fog of its own.
pub(crate) fn narrow_in_fog() -> List {
    let (memory, mut list) = screen();
    let corners = |n: u16| {
        let x = f32::from(n) / 60.0 - 1.0;
        [x, 1.0, -0.25, x + 2.0 / 240.0, -1.0, -0.75]
    };
    let bytes: Vec<u8> = (0..100).flat_map(corners).flat_map(f32::to_le_bytes).collect();
    write_bytes(&memory, DATA, &bytes);
    with_viewport(&mut list);
    list.write(op::FGE, 1).write(op::FCOL, 0xff).float(op::FFAR, 1.0).float(op::FDIST, 1.0);
    let start = LIST + list.bytes();
    list.vertices(DATA).prim(6, 200);
    again(&mut list, start);
    (memory, list)
}

/// Boxes in the picture.
pub(crate) fn boxes() -> List {
    let (memory, mut list) = screen();
    with_viewport(&mut list);
    let start = LIST + list.bytes();
    for _ in 0..64 {
        list.vertices(DATA).write(op::BBOX, 256);
    }
    again(&mut list, start);
    (memory, list)
}

/// Surfaces with other lights, each before a draw in its state, whose vertices are other ones.
pub(crate) fn surfaces_in_states() -> List {
    let (memory, mut list) = screen();
    list.write(op::TME, 0).write(op::VTYPE, 2 << 7 | 2 << 5).write(op::PSUB, 1 | 1 << 8).write(op::LTE, 1);
    (0..4).for_each(|n| _ = list.write(op::LTE0 + n, 1));
    let start = LIST + list.bytes();
    for n in 0..6561_u32 {
        for (light, place) in [1, 9, 81, 729].into_iter().enumerate() {
            let [components, kind] = [n / place % 3, n / place / 3 % 3];
            list.write(op::LT0 + light as u8, components | kind << 8);
        }
        list.vertices(DATA).write(op::BEZIER, 4 | 4 << 8).vertices(DATA).prim(6, 2);
    }
    again(&mut list, start);
    (memory, list)
}
