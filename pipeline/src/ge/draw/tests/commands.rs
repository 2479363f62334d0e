//! `PRIM`, its pointers and its limits.

use super::{Bench, INDICES, VERTICES};
use crate::fault::{Fault, FaultList};
use crate::ge::draw::FrontEnd;
use crate::ge::limits::Limits;
use crate::ge::prices;
use crate::ge::raster::Shape;
use crate::ge::regs::op;

/// A strip going right, so that each vertex has a column of its own.
const STRIP: [[i16; 2]; 6] = [[0, 0], [10, 90], [20, 0], [30, 90], [40, 0], [50, 90]];

fn prim(kind: u32, count: u32) -> u32 {
    u32::from(op::PRIM) << 24 | kind << 16 | count
}

/// Has a fresh front end do all these commands.
fn draw(bench: &mut Bench, words: &[u32]) -> Vec<[i32; 3]> {
    let mut front_end = FrontEnd::default();
    bench.act(|cx| {
        words.iter().for_each(|&word| front_end.prim(cx, word));
        front_end.settle(cx);
    });
    bench.take_columns()
}

#[test]
fn vertices_one_after_the_other() {
    let mut bench = Bench::new(0);
    bench.put_positions(&STRIP);
    let triangles = draw(&mut bench, &[prim(4, 4)]);
    // (20, 0) (10, 90) (0, 0) is the first one, clockwise.
    assert_eq!(triangles, [[20, 10, 0], [10, 20, 30]]);
    assert_eq!((bench.vertex_pointer, bench.index_pointer), (VERTICES + 4 * 6, INDICES));
    assert_eq!((bench.stats.draws, bench.stats.vertices, bench.stats.primitives), (1, 4, 2));
    // The next command goes on behind.
    assert_eq!(draw(&mut bench, &[prim(0, 2)]), [[40; 3], [50; 3]]);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn continued_primitives() {
    let mut bench = Bench::new(0);
    bench.put_positions(&STRIP);
    let whole = draw(&mut bench, &[prim(4, 6)]);
    bench.vertex_pointer = VERTICES;
    assert_eq!(draw(&mut bench, &[prim(4, 1), prim(4, 0), prim(7, 1), prim(7, 4)]), whole);
    bench.vertex_pointer = VERTICES;
    // Nothing to continue: the pointer moves all the same.
    assert_eq!(draw(&mut bench, &[prim(7, 3)]), [[0; 3]; 0]);
    assert_eq!(bench.vertex_pointer, VERTICES + 3 * 6);
    // Bits above the type mean nothing: 8 is points.
    bench.vertex_pointer = VERTICES;
    assert_eq!(draw(&mut bench, &[prim(8, 1)]), [[0; 3]]);
}

#[test]
fn indices_of_all_sizes() {
    let indices = [5, 0, 3, 3];
    for size in [1, 2, 4] {
        let code = [1, 2, 0, 3][size - 1];
        let mut bench = Bench::new(code << 11);
        bench.put_positions(&STRIP);
        let list: Vec<u8> = indices.iter().flat_map(|&n: &u32| n.to_le_bytes()[..size].to_vec()).collect();
        // Lists need not be aligned.
        bench.index_pointer = INDICES + 1;
        bench.put(INDICES + 1, &list);
        assert_eq!(draw(&mut bench, &[prim(0, 4)]), [[50; 3], [0; 3], [30; 3], [30; 3]]);
        assert_eq!((bench.vertex_pointer, bench.index_pointer), (VERTICES, INDICES + 1 + 4 * size as u32));
    }
}

#[test]
fn of_long_indices_the_low_half_counts() {
    let mut bench = Bench::new(3 << 11);
    bench.put_positions(&STRIP);
    bench.put(INDICES, &0xabcd_0003_u32.to_le_bytes());
    assert_eq!(draw(&mut bench, &[prim(0, 1)]), [[30; 3]]);
}

#[test]
fn records_that_are_not_in_one_piece() {
    // Through mirror 1, where runs of 64 bytes are elsewhere, as they were put there one by one.
    let mut bench = Bench::new(2 << 11);
    let maps = crate::ge::vram::AddressMaps::default();
    bench.vertex_pointer = 0x0420_0030;
    for n in 0..40_u32 {
        for (k, byte) in (n as u16).to_le_bytes().into_iter().enumerate() {
            bench.put(maps.resolve(bench.vertex_pointer + 6 * n + k as u32), &[byte]);
        }
    }
    bench.put(INDICES, &[39_u16, 0, 11, 10].map(u16::to_le_bytes).concat());
    assert_eq!(draw(&mut bench, &[prim(0, 4)]), [[39; 3], [0; 3], [11; 3], [10; 3]]);
    assert_eq!(bench.faults.as_slice(), []);
}

#[test]
fn unmapped_vertices_are_zero() {
    let mut bench = Bench::new(0);
    bench.vertex_pointer = 0x0a00_0000;
    assert_eq!(draw(&mut bench, &[prim(0, 1), prim(0, 1)]), [[0; 3]; 2]);
    assert_eq!(
        bench.faults.as_slice()[0],
        Fault::Unmapped { id: u16::from(op::VADDR), address: 0x0a00_0000 }
    );
    // The last vertex straddles the end of what is mapped.
    let mut bench = Bench::new(0);
    bench.vertex_pointer = 0x08a0_0000 - 8;
    bench.put(0x08a0_0000 - 2, &[7, 0]);
    assert_eq!(draw(&mut bench, &[prim(0, 2)]), [[0; 3], [7; 3]]);
    assert_eq!(bench.faults.as_slice(), []);
}

#[test]
fn pointers_have_28_bits() {
    let mut bench = Bench::new(0);
    bench.vertex_pointer = 0x0fff_fffa;
    draw(&mut bench, &[prim(0, 2)]);
    assert_eq!(bench.vertex_pointer, 6);
}

#[test]
fn formats_without_positions_only_move_the_pointer() {
    let mut bench = Bench::new(0);
    bench.set(op::VTYPE, 1 << 23 | 2);
    assert_eq!(draw(&mut bench, &[prim(0, 3)]), [[0; 3]; 0]);
    assert_eq!((bench.vertex_pointer, bench.stats.draws), (VERTICES + 12, 0));
}

#[test]
fn many_vertices_are_drawn_in_order() {
    let mut bench = Bench::new(0);
    let positions: Vec<_> = (0..9000).map(|n| [n % 500, [0, 50][n as usize % 2]]).collect();
    bench.put_positions(&positions);
    let all = draw(&mut bench, &[prim(2, 9000)]);
    let expected: Vec<_> = (1..9000).map(|n| [(n - 1) % 500, n % 500, n % 500]).collect();
    assert_eq!(all, expected);
    assert!(bench.queue.registers.len() > 1);
}

#[test]
fn limits() {
    let mut bench = Bench::new(0);
    bench.put_positions(&STRIP);
    bench.limits.vertices = 3;
    assert_eq!(draw(&mut bench, &[prim(0, 4)]), [[0; 3]; 0]);
    assert_eq!(bench.faults.as_slice(), [Fault::DrawBudget { vertices: 4 }]);
    assert_eq!(bench.vertex_pointer, VERTICES + 24);
    let mut bench = Bench::new(0);
    bench.put_positions(&STRIP);
    // Both triangles are 21 by 91 pixels at most.
    bench.limits.pixels = 2 * 21 * 91 - 1;
    assert_eq!(draw(&mut bench, &[prim(4, 6)]).len(), 1);
    assert!(matches!(bench.faults.as_slice(), [Fault::DrawBudget { .. }]));
}

#[test]
fn limits_count_the_whole_surface() {
    // The engine makes a piece of each control point, which covers one pixel.
    let mut bench = Bench::new(0);
    let positions: Vec<_> = (0..16).map(|n| [n % 4 * 30, n / 4 * 30]).collect();
    bench.put_positions(&positions);
    bench.set(op::PPRIM, 2);
    bench.limits.pixels = 3;
    bench.act(|cx| FrontEnd::default().bezier(cx, 4 | 4 << 8));
    assert_eq!(bench.take_columns(), [[0; 3], [30; 3], [60; 3]]);
    assert_eq!((bench.stats.primitives, bench.stats.pixels), (3, 3));
    assert_eq!(bench.faults.as_slice(), [Fault::DrawBudget { vertices: 4 }]);
}

#[test]
fn what_later_formats_leave_out_is_remembered() {
    let mut bench = Bench::new(2);
    let bytes: Vec<u8> =
        [3_u16, 4, 10, 20, 0, 5, 6, 11, 21, 0].into_iter().flat_map(u16::to_le_bytes).collect();
    bench.put(VERTICES, &bytes);
    assert_eq!(draw(&mut bench, &[prim(0, 2)]), [[10; 3], [11; 3]]);
    assert_eq!(bench.remembered.texture, [5.0, 6.0]);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn bounding_boxes_move_the_pointers() {
    let mut bench = Bench::new(1 << 11);
    let mut front_end = FrontEnd::default();
    assert!(bench.act(|cx| front_end.bbox(cx, 0)));
    assert_eq!((bench.vertex_pointer, bench.index_pointer), (VERTICES, INDICES));
    assert!(!bench.act(|cx| front_end.bbox(cx, 0x300)));
    assert_eq!((bench.vertex_pointer, bench.index_pointer), (VERTICES, INDICES + 0x300));
    assert_eq!((bench.stats.vertices, bench.stats.draws), (0x100, 0));
}

#[test]
fn patches_of_points() {
    // The engine draws the control points: columns and rows 0, 30, 60, 90.
    let mut bench = Bench::new(0);
    let positions: Vec<_> = (0..16).map(|n| [n % 4 * 30, n / 4 * 30]).collect();
    bench.put_positions(&positions);
    bench.set(op::PSUB, 2 | 1 << 8);
    bench.set(op::PPRIM, 2);
    let mut front_end = FrontEnd::default();
    bench.act(|cx| front_end.bezier(cx, 4 | 4 << 8));
    assert!(bench.queue.primitives.iter().all(|primitive| primitive.shape == Shape::Point));
    let columns: Vec<_> = (0..16).map(|n| [n % 4 * 30; 3]).collect();
    assert_eq!(bench.take_columns(), columns);
    assert_eq!(bench.vertex_pointer, VERTICES + 16 * 6);
    // Too few control points draw nothing, and move the pointer.
    bench.act(|cx| front_end.spline(cx, 3 | 5 << 8));
    assert_eq!((bench.take_columns(), bench.vertex_pointer), (vec![], VERTICES + 31 * 6));
    bench.limits.vertices = 5;
    bench.act(|cx| front_end.spline(cx, 4 | 4 << 8));
    assert_eq!(bench.faults.as_slice(), [Fault::DrawBudget { vertices: 6 }]);
    // What is not drawn is not read, wherever it is: nothing would count what that takes.
    bench.vertex_pointer = 0;
    bench.faults = FaultList::default();
    bench.act(|cx| front_end.spline(cx, 4 | 4 << 8));
    bench.act(|cx| {
        front_end.prim(cx, 3 << 16 | 6);
        front_end.settle(cx);
    });
    assert!(bench.faults.as_slice().iter().all(|fault| matches!(fault, Fault::DrawBudget { .. })));
    assert_eq!(bench.vertex_pointer, 22 * 6);
}

/// Each vertex of a surface is paid as such, as one of a draw and as a primitive.
#[test]
fn surfaces_pay_for_their_vertices() {
    let spent = |divisions: u32, limit: u32| {
        let mut bench = Bench::new(0);
        bench.set(op::PSUB, divisions | 1 << 8);
        bench.limits.vertices = limit;
        bench.act(|cx| {
            FrontEnd::default().bezier(cx, 4 | 4 << 8);
            cx.account.spent()
        })
    };
    // Two rows of two to nine vertices; 60 is that of a plain one of a draw.
    let vertex = prices::SURFACE_VERTEX + prices::PRIMITIVE + 60;
    for divisions in 2..=8 {
        assert_eq!(spent(divisions, 100) - spent(1, 100), 2 * u64::from(divisions - 1) * vertex);
    }
    assert_eq!((spent(8, 17), spent(8, 18)), (0, spent(8, 100)), "what may not be drawn costs nothing");
}

/// Columns of what a front end does with these commands after another, numbers of batches of vertices and of submissions.
fn counted(bench: &mut Bench, words: &[u32]) -> (Vec<[i32; 3]>, u32, usize) {
    bench.stages.batches = 0;
    bench.queue.registers.clear();
    let columns = draw(bench, words);
    (columns, bench.stages.batches, bench.queue.registers.len())
}

#[test]
fn draws_in_one_state_go_together() {
    let mut bench = Bench::new(0);
    bench.put_positions(&STRIP);
    // The first is drawn before anybody knows of the others.
    let (columns, batches, submitted) =
        counted(&mut bench, &[prim(0, 1), prim(0, 2), prim(0, 1), prim(0, 2)]);
    assert_eq!(columns, [[0; 3], [10; 3], [20; 3], [30; 3], [40; 3], [50; 3]]);
    assert_eq!((batches, submitted), (2, 2));
    assert_eq!((bench.stats.draws, bench.stats.vertices, bench.stats.primitives), (4, 6, 6));
    // Strips begin anew with each command, which a continuation does not.
    bench.vertex_pointer = VERTICES;
    let (columns, batches, submitted) =
        counted(&mut bench, &[prim(4, 1), prim(2, 2), prim(2, 2), prim(7, 1)]);
    assert_eq!(columns, [[10, 20, 20], [30, 40, 40], [40, 50, 50]]);
    assert_eq!((batches, submitted), (3, 1));
    // Indices, of which some are the same.
    let mut bench = Bench::new(1 << 11);
    bench.put_positions(&STRIP);
    bench.put(INDICES, &[5, 3, 3, 5, 0]);
    let (columns, batches, submitted) = counted(&mut bench, &[prim(0, 1), prim(0, 2), prim(0, 2)]);
    assert_eq!(columns, [[50; 3], [30; 3], [30; 3], [50; 3], [0; 3]]);
    assert_eq!((batches, submitted), (2, 2));
}

#[test]
fn other_shapes_and_vertices_in_vram_go_alone() {
    let mut bench = Bench::new(0);
    bench.put_positions(&STRIP);
    let (_, batches, submitted) = counted(&mut bench, &[prim(0, 1), prim(0, 1), prim(1, 2), prim(1, 2)]);
    assert_eq!((batches, submitted), (3, 3));
    // Whatever waits may be drawn there.
    bench.vertex_pointer = 0x0400_0000;
    let (_, batches, submitted) = counted(&mut bench, &[prim(0, 1), prim(0, 1), prim(0, 1)]);
    assert_eq!((batches, submitted), (3, 3));
}

#[test]
fn what_may_exceed_a_limit_goes_alone() {
    let words = [prim(0, 1), prim(0, 1), prim(0, 1)];
    for (limits, most) in [
        (Limits::default(), 2),
        (Limits::default().with_work(1 << 24), 3),
        (Limits::default().with_pixels(1 << 19), 3),
        (Limits::default().with_run_pixels(1 << 19), 3),
    ] {
        let mut bench = Bench::new(0);
        bench.limits = limits;
        bench.put_positions(&STRIP);
        let (columns, batches, _) = counted(&mut bench, &words);
        assert_eq!((columns.len(), batches), (3, most), "{limits:?}");
    }
}
