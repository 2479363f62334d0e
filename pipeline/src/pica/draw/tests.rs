//! Draws and immediate mode.

use super::rig::{BASE, INPUTS, PERMUTATION, Rig, numbers, pack};
use super::*;
use crate::pica::float::f24;
use crate::pica::vertex::Vertex;
use crate::stop::Stopper;

fn counting() -> Vec<u8> {
    (0..=255).collect()
}

#[test]
fn arrays_from_an_offset() {
    let mut rig = Rig::new(&counting());
    rig.set(&[(0x22a, 5)]);
    assert_eq!(rig.draw(false, 7), [[5, 6, 7], [8, 9, 10]]);
    assert_eq!((rig.stats.vertices, rig.stats.triangles, rig.stats.draws), (7, 2, 1));
    assert!(rig.faults.as_slice().is_empty());
}

#[test]
fn incomplete_primitives_continue_with_the_next_draw() {
    let mut rig = Rig::new(&counting());
    assert_eq!(rig.draw(false, 2), [[0; 3]; 0]);
    assert_eq!(rig.draw(false, 1), [[0, 1, 0]]);
    rig.draw(false, 2);
    rig.front.restart();
    assert_eq!(rig.draw(false, 3), [[0, 1, 2]]);
    rig.set(&[(0x25e, 1 << 8)]);
    assert_eq!(rig.draw(false, 3), [[0, 1, 2]]);
    assert_eq!(rig.draw(false, 2), [[2, 1, 0], [2, 0, 1]]);
    rig.front.topology_changed();
    rig.set(&[(0x25e, 2 << 8), (0x22a, 8)]);
    assert_eq!(rig.draw(false, 4), [[8, 9, 10], [8, 10, 11]]);
}

#[test]
fn nothing_is_drawn_without_vertices() {
    let mut rig = Rig::new(&counting());
    rig.set(&[(0x203, 0x0fff_ff00)]);
    assert_eq!(rig.draw(false, 0), [[0; 3]; 0]);
    assert_eq!((rig.stats.draws, rig.faults.as_slice()), (0, &[][..]));
}

/// Indices at BASE + 256.
fn indexed(indices: &[u8], wide: bool) -> Rig {
    let mut bytes = counting();
    bytes.extend_from_slice(indices);
    let mut rig = Rig::new(&bytes);
    rig.set(&[(0x227, u32::from(wide) << 31 | 0x100), (0x22a, 77)]);
    rig
}

#[test]
fn each_index_is_shaded_once() {
    let mut rig = indexed(&[9, 8, 7, 7, 8, 6, 9, 9, 255], false);
    assert_eq!(rig.draw(true, 9), [[9, 8, 7], [7, 8, 6], [9, 9, 255]]);
    assert_eq!(rig.stages.shaded, [9, 8, 7, 6, 255]);
    assert_eq!(rig.stats.vertices, 9);
    let mut rig = indexed(&[4, 0, 3, 0, 0xff, 0], true);
    assert_eq!(rig.draw(true, 3), [[4, 3, 255]]);
    // Nothing is kept from draw to draw: arrays may have changed.
    rig.memory.bytes_mut()[4] = 50;
    assert_eq!(rig.draw(true, 3), [[50, 3, 255]]);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn long_draws_go_in_chunks() {
    let indices: Vec<u8> = (0..10_000_u32).map(|i| (i * 7 % 251) as u8).collect();
    let mut rig = indexed(&indices, false);
    let expected: Vec<_> = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(u32::from)).collect();
    assert_eq!(rig.draw(true, 10_000), expected);
    assert_eq!(rig.stages.shaded.len(), 3 * 251);
    let mut rig = Rig::new(&vec![1; 10_000]);
    assert_eq!(rig.draw(false, 10_000).len(), 3333);
    assert!(rig.stages.shaded.iter().copied().eq(0..10_000));
}

/// The vector of pica-geometry.md section 12.
#[test]
fn arrays_win_over_fixed_values() {
    let mut rig = Rig::new(&[1, 1, 1, 1, 1, 1]);
    rig.set(&[(0x201, 0x5), (0x202, 1 << 16), (0x205, 1 << 28 | 2 << 16)]);
    rig.select(0);
    rig.vectors(&[[0.5; 4]]);
    assert_eq!(rig.vertices(false, 3)[0].map(|v| [v[0], v[1], v[2], v[3]]), [[1.0, 1.0, 0.0, 1.0]; 3]);
}

/// Two attributes of one byte, at BASE and BASE + 8; the second is the y of the position.
fn two_attributes() -> Rig {
    let mut rig = Rig::new(&[0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 5, 0, 2]);
    rig.set(&[(0x201, 0x11), (0x202, 1 << 28), (0x206, 8), (0x207, 1), (0x208, 1 << 28 | 1 << 16)]);
    rig.set(&[(0x04f, 2), (0x050, 0x1f1f_1f00), (0x051, 0x1f1f_1f01)]);
    rig.vertex.write(INPUTS, 1, 15);
    rig
}

fn xy(triangles: &[[Vertex; 3]]) -> Vec<[[f32; 2]; 3]> {
    triangles.iter().map(|t| t.map(|v| [v[0], v[1]])).collect()
}

#[test]
fn the_latch_keeps_the_last_vertex() {
    let mut rig = two_attributes();
    // No array and no fixed value: what it is after reset, which is 0, 0, 0, 1.
    rig.set(&[(0x208, 0)]);
    assert_eq!(xy(&rig.vertices(false, 3)), [[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]]);
    rig.set(&[(0x208, 1 << 28 | 1 << 16)]);
    assert_eq!(xy(&rig.vertices(false, 3)), [[[0.0, 10.0], [1.0, 11.0], [2.0, 12.0]]]);
    rig.set(&[(0x208, 0)]);
    assert_eq!(xy(&rig.vertices(false, 3)), [[[0.0, 12.0], [1.0, 12.0], [2.0, 12.0]]]);
    // The last index counts, although the vertex was shaded before.
    rig.set(&[(0x208, 1 << 28 | 1 << 16), (0x227, 16)]);
    rig.memory.bytes_mut()[17] = 5;
    assert!(rig.vertices(true, 2).is_empty());
    rig.front.restart();
    rig.set(&[(0x208, 0)]);
    assert_eq!(xy(&rig.vertices(false, 3))[0][0], [0.0, 15.0]);
    // A fixed value enters the latch as well.
    rig.select(1);
    rig.vectors(&[[3.0; 4]]);
    rig.set(&[(0x202, 1 << 28 | 2 << 16)]);
    assert_eq!(xy(&rig.vertices(false, 3))[0][2], [2.0, 3.0]);
    rig.set(&[(0x202, 1 << 28)]);
    assert_eq!(xy(&rig.vertices(false, 3))[0][2], [2.0, 3.0]);
}

#[test]
fn registers_beyond_the_fetched_attributes() {
    let mut rig = two_attributes();
    assert_eq!(xy(&rig.vertices(false, 3))[0][2], [2.0, 12.0]);
    // One attribute fetched, two registers written: the second from the latch.
    rig.set(&[(0x202, 0)]);
    assert_eq!(xy(&rig.vertices(false, 3)), [[[0.0, 12.0], [1.0, 12.0], [2.0, 12.0]]]);
    // One register written: the other is zero.
    rig.vertex.write(INPUTS, 0, 15);
    assert_eq!(xy(&rig.vertices(false, 3))[0][2], [2.0, 0.0]);
}

#[test]
fn fixed_attributes_advance() {
    let mut rig = Rig::new(&counting());
    rig.select(0xffff_fffb);
    rig.vectors(&[[1.0; 4], [2.0; 4], [3.0; 4], [4.0; 4]]);
    let fixed: Vec<_> = rig.front.attributes().fixed().iter().map(|v| v[0]).collect();
    assert_eq!(fixed[10..], [0.0, 1.0, 2.0, 3.0, 4.0, 0.0]);
    // From 14 it goes on to 15, which is immediate mode.
    rig.vectors(&[[5.0; 4], [6.0; 4], [7.0; 4]]);
    assert_eq!(numbers(&rig.flush()), [[5, 6, 7]]);
    assert_eq!(rig.front.attributes().fixed()[15], [0.0; 4]);
}

#[test]
fn a_fixed_attribute_is_every_vertex() {
    let mut rig = two_attributes();
    rig.set(&[(0x208, 0), (0x202, 1 << 28 | 2 << 16)]);
    rig.select(1);
    rig.vectors(&[[-2.5, 0.0, 0.0, 1.0]]);
    assert_eq!(xy(&rig.vertices(false, 3)), [[[0.0, -2.5], [1.0, -2.5], [2.0, -2.5]]]);
}

#[test]
fn immediate_vertices_are_permuted() {
    let mut rig = two_attributes();
    rig.set(&[(0x242, 1)]);
    rig.vertex.write(PERMUTATION, 0x7654_3201, 15);
    rig.select(15);
    rig.vectors(&[[1.0; 4], [2.0; 4], [3.0; 4], [4.0; 4], [5.0; 4]]);
    assert_eq!(rig.flush().len(), 0);
    rig.vectors(&[[6.0; 4]]);
    assert_eq!(xy(&rig.flush()), [[[2.0, 1.0], [4.0, 3.0], [6.0, 5.0]]]);
    assert_eq!((rig.stats.draws, rig.stats.vertices), (2, 3));
}

#[test]
fn selecting_discards_what_is_incomplete() {
    let mut rig = two_attributes();
    rig.set(&[(0x242, 1)]);
    rig.select(15);
    rig.vectors(&[[9.0; 4]]);
    rig.words(&pack([9.0; 4])[..2]);
    rig.select(15);
    for x in [1.0, 2.0, 3.0] {
        rig.vectors(&[[x; 4], [x + 10.0; 4]]);
    }
    assert_eq!(xy(&rig.flush()), [[[1.0, 11.0], [2.0, 12.0], [3.0, 13.0]]]);
}

#[test]
fn immediate_vertices_update_what_they_supply() {
    let mut rig = two_attributes();
    rig.vertices(false, 3);
    rig.set(&[(0x242, 0)]);
    rig.select(15);
    rig.vectors(&[[7.0; 4]; 3]);
    assert_eq!(xy(&rig.flush()), [[[7.0, 12.0]; 3]]);
    rig.set(&[(0x205, 0), (0x208, 0)]);
    assert_eq!(xy(&rig.vertices(false, 3)), [[[7.0, 12.0]; 3]]);
}

/// -0, a subnormal pattern and a NaN reach the program bit for bit, in both precisions.
#[test]
fn immediate_values_are_not_converted() {
    for precision in [Precision::Console, Precision::Binary32] {
        let mut rig = Rig::new(&[]);
        rig.precision = precision;
        rig.select(15);
        let odd = [0x80_0000, 0x00_0001, 0x7f_1234, 0xff_0000];
        let plain = [0x3f_0000, 0xbf_ffff, 0x00_0000, 0x7e_ffff];
        for raw in [plain, odd, plain] {
            let [x, y, z, w] = raw;
            rig.words(&[w << 8 | z >> 16, z << 16 & 0xffff_0000 | y >> 8, y << 24 | x]);
        }
        let bits = rig.flush()[0].map(|v| [v[0], v[1], v[2], v[3]].map(f32::to_bits));
        assert_eq!(bits, [plain, odd, plain].map(|raw| raw.map(|raw| f24(raw).to_bits())), "{precision:?}");
    }
}

#[test]
fn many_immediate_vertices_keep_their_order() {
    let mut rig = Rig::new(&[]);
    rig.select(15);
    let vectors: Vec<_> = (0..600).map(|i| [(i % 600) as f32, 0.0, 0.0, 1.0]).collect();
    rig.vectors(&vectors);
    // The first two batches were drawn when they were full.
    assert_eq!(rig.stats.triangles, 512 / 3);
    assert_eq!(numbers(&rig.flush())[0], [510, 511, 512]);
    assert_eq!(rig.stats.triangles, 200);
}

#[test]
fn immediate_vertices_ask_whether_the_run_ends() {
    let mut rig = Rig::new(&[]);
    rig.select(15);
    rig.vectors(&(0..9).map(|n| [n as f32; 4]).collect::<Vec<_>>());
    let stopper = Stopper::default();
    rig.stages.stops_after = Some((2, stopper.clone()));
    assert!(rig.flush().is_empty() && !rig.front.has_pending());
    assert_eq!(rig.stages.shaded, [0, 1]);
}

/// What a draw leaves does not depend on where in it the run was stopped.
#[test]
fn a_stopped_draw_leaves_no_incomplete_primitive() {
    let mut rig = Rig::new(&counting());
    rig.draw(false, 2);
    let stopper = Stopper::default();
    rig.stages.stops_after = Some((4, stopper.clone()));
    assert!(rig.draw(false, 9).is_empty());
    stopper.resume();
    assert_eq!(rig.draw(false, 3), [[0, 1, 2]]);
}

/// What was assembled of a draw before the run was stopped, and not drawn by then, is drawn by no other draw.
#[test]
fn triangles_of_a_stopped_draw_are_dropped() {
    let mut rig = Rig::new(&[0; 9000]);
    let stopper = Stopper::default();
    // In the second chunk.
    rig.stages.stops_after = Some((5000, stopper.clone()));
    rig.stages.parts = 2;
    // Of the first chunk, of 4,096 vertices, the first two streams of 1,024 together, when the third one came.
    let drawn = 2 * (2 * 1024 / 3);
    assert_eq!((rig.draw(false, 9000).len(), rig.stats.fragments), (4096 / 3, drawn));
    assert_eq!(rig.stages.routines, 1);
    stopper.resume();
    rig.draw(false, 3);
    assert_eq!((rig.stages.routines, rig.stats.fragments), (2, drawn + 2));
}

/// Past its triangles a draw shades no further chunk.
#[test]
fn draws_over_their_limit_shade_nothing_more() {
    let mut rig = Rig::new(&[0; 9000]);
    rig.limits.triangles = 5;
    rig.draw(false, 9000);
    assert_eq!((rig.stats.triangles, rig.stages.shaded.len()), (5, 4096));
    assert_eq!(rig.faults.as_slice(), [Fault::DrawBudget { vertices: 9000 }]);
}

#[test]
fn a_draw_flushes_immediate_vertices_first() {
    let mut rig = Rig::new(&counting());
    rig.select(15);
    rig.vectors(&[[40.0; 4], [41.0; 4]]);
    assert!(rig.front.has_pending());
    assert_eq!(rig.draw(false, 1), [[40, 41, 0]]);
    assert!(!rig.front.has_pending());
}

#[test]
fn unmapped_arrays_and_indices_skip_the_draw() {
    let mut rig = indexed(&[0, 1, 2], false);
    rig.set(&[(0x203, 0x1000)]);
    assert_eq!((rig.draw(false, 3), rig.draw(true, 3)), (vec![], vec![]));
    rig.set(&[(0x203, 0), (0x227, 0x1000)]);
    assert_eq!(rig.draw(true, 3), [[0; 3]; 0]);
    let address = BASE + 0x1000;
    let fault = |id| Fault::Unmapped { id, address };
    assert_eq!(rig.faults.as_slice(), [fault(0x203), fault(0x227)]);
    assert_eq!(rig.stages.shaded, []);
    // An array that is not in use may point anywhere.
    rig.set(&[(0x206, 0x0fff_0000), (0x207, 5), (0x208, 1 << 28)]);
    assert_eq!(rig.draw(false, 3), [[77, 78, 79]]);
}

#[test]
fn what_is_partly_mapped_reads_zero() {
    let mut rig = Rig::new(&[5, 6]);
    assert_eq!(rig.draw(false, 3), [[5, 6, 0]]);
    // Indices 1, 0 (not mapped), 0.
    rig.memory.bytes_mut()[1] = 1;
    rig.set(&[(0x227, 1)]);
    assert_eq!(rig.draw(true, 3), [[1, 5, 5]]);
    assert_eq!(rig.faults.as_slice(), []);
}

#[test]
fn absurd_counts_end_by_budget() {
    let mut rig = indexed(&[0, 1, 2], true);
    rig.limits.vertices = 5000;
    for indexed in [false, true] {
        rig.stats.vertices = 0;
        rig.faults.clear();
        rig.draw(indexed, u32::MAX);
        assert_eq!(rig.faults.as_slice(), [Fault::DrawBudget { vertices: u32::MAX }]);
        assert_eq!(rig.stats.vertices, 5000);
    }
    rig.faults.clear();
    rig.front.restart();
    rig.limits.triangles = 100;
    let mut triangles = |count| {
        rig.stats.triangles = 0;
        rig.faults.clear();
        rig.draw(false, count);
        (rig.stats.triangles, rig.faults.as_slice().to_vec())
    };
    assert_eq!(triangles(400), (100, vec![Fault::DrawBudget { vertices: 400 }]));
    // The vertex of an incomplete triangle is pending, also past the limit.
    assert_eq!(triangles(299), (100, vec![]));
    // Parts count, and triangles without any.
    rig.stages.parts = 3;
    let (triangles, faults) = {
        rig.stats.triangles = 0;
        rig.draw(false, 300);
        (rig.stats.triangles, rig.faults.as_slice().to_vec())
    };
    assert_eq!((triangles, faults), (34, vec![Fault::DrawBudget { vertices: 300 }]));
}

/// A triangle over the whole window of 32 by 16 pixels.
fn window(rig: &mut Rig) {
    rig.set(&[(0x041, 0x43_0000), (0x043, 0x42_0000), (0x11e, 1 << 24 | 15 << 12 | 32)]);
    rig.select(15);
    rig.vectors(&[[-1.0, -1.0, -0.5, 1.0], [1.0, -1.0, -0.5, 1.0], [0.0, 1.0, -0.5, 1.0]]);
}

#[test]
fn a_target_without_pixels() {
    let mut rig = Rig::new(&[]);
    window(&mut rig);
    rig.set(&[(0x11e, 0x0100_0000)]);
    rig.with(FrontEnd::flush);
    assert_eq!(rig.faults.as_slice(), [Fault::EmptyTarget { dim: 0x0100_0000 }]);
    assert_eq!((rig.stats.triangles, rig.stats.triangles_displayed), (1, 1));
}

#[test]
fn immediate_triangles_reach_the_tiles() {
    let mut rig = Rig::new(&[]);
    window(&mut rig);
    rig.with(FrontEnd::flush);
    window(&mut rig);
    // Beside the window: nothing of it is left for the tiles.
    rig.vectors(&[[-4.0, -1.0, -0.5, 1.0], [-2.0, -1.0, -0.5, 1.0], [-3.0, 1.0, -0.5, 1.0]]);
    rig.with(FrontEnd::flush);
    assert_eq!((rig.stages.routines, rig.stats.fragments), (2, 2));
    assert_eq!(rig.faults.as_slice(), []);
}

/// Nobody paid for the textures of a draw that has no pixel in the drawing area; so nobody decodes them.
#[test]
fn draws_beside_the_window_are_not_drawn() {
    let mut rig = Rig::new(&[]);
    window(&mut rig);
    rig.set(&[(0x065, 3), (0x066, 5 | 5 << 16), (0x067, 3 | 3 << 16)]);
    rig.with(FrontEnd::flush);
    assert_eq!((rig.stats.triangles, rig.stats.triangles_displayed, rig.stages.routines), (1, 1, 0));
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn triangles_wait_in_bounded_memory() {
    let mut rig = Rig::new(&[0; 9000]);
    window(&mut rig);
    rig.flush();
    (rig.stages.routines, rig.stats.fragments) = (0, 0);
    rig.set(&[(0x228, 3 * 2048)]);
    rig.stages.parts = 64;
    rig.limits.triangles = u32::MAX;
    rig.with(|front, cx| front.draw(cx, false));
    assert_eq!((rig.stats.triangles, rig.stages.routines), (2049, 1));
    // Behind the one before, those of each part of the stream.
    let drawn = std::mem::take(&mut *rig.stages.drawn.lock().unwrap());
    assert_eq!(drawn, [&[1], &[341, 341, 342, 341, 341, 342].map(|count| 64 * count)[..]].concat());
    // Where the draw reads its target, of a part of the stream after the 65,536th triangle, and of the rest.
    rig.set(&[(0x113, 15), (0x11d, BASE >> 3)]);
    rig.with(|front, cx| front.draw(cx, false));
    let drawn = std::mem::take(&mut *rig.stages.drawn.lock().unwrap());
    assert_eq!(drawn, [1024, 1024].map(|count| 64 * count));
}

#[test]
fn culled_triangles_are_assembled_but_not_displayed() {
    let mut rig = Rig::new(&[]);
    for parts in 0..3 {
        window(&mut rig);
        rig.stages.parts = parts;
        rig.with(FrontEnd::flush);
    }
    assert_eq!((rig.stats.triangles, rig.stats.triangles_displayed), (3, 2));
}

#[test]
fn state_survives_saving() {
    let mut rig = two_attributes();
    rig.vertices(false, 2);
    rig.select(1);
    rig.vectors(&[[3.0; 4]]);
    rig.set(&[(0x242, 1)]);
    rig.select(15);
    rig.vectors(&[[1.0; 4], [2.0; 4], [3.0; 4]]);
    rig.words(&pack([4.0; 4])[..2]);
    let mut words = Words::save();
    rig.front.persist(&mut words);
    let saved = words.into_words();
    rig.front = FrontEnd::new();
    let mut words = Words::load(saved.clone());
    rig.front.persist(&mut words);
    assert!(words.is_complete());
    assert_eq!(rig.front.attributes().fixed()[1], [3.0; 4]);
    rig.words(&pack([4.0; 4])[2..]);
    assert_eq!(xy(&rig.flush()), [[[0.0, 10.0], [1.0, 11.0], [1.0, 2.0]]]);
    assert_eq!(rig.front.attributes().latch()[1], [4.0; 4]);
    // Anything at all may be restored.
    let mut words = Words::load(vec![u32::MAX; saved.len()]);
    rig.front.persist(&mut words);
    rig.vectors(&[[4.0; 4], [5.0; 4]]);
    rig.use_all_modes();
}

impl Rig {
    /// Draws in each topology and each geometry mode.
    fn use_all_modes(&mut self) {
        for topology in 0..4 {
            self.set(&[(0x229, 0), (0x25e, topology << 8)]);
            self.vertices(false, 4);
        }
        for mode in 0..4 {
            self.use_geometry(16, mode);
            self.vertices(true, 4);
            self.select(15);
            self.vectors(&[[1.0; 4]; 20]);
            self.flush();
        }
    }
}

/// Registers of any content, draws of any kind: nothing panics, and the budgets hold.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn random_registers() {
    let bytes: Vec<u8> = (0..4096_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let mut rig = Rig::new(&bytes);
    rig.limits = Limits { vertices: 1500, triangles: 700, ..Limits::default() };
    rig.stages.emits = vec![(0, false, false, 1.0), (1, false, true, 2.0), (2, true, true, 3.0)];
    let mut state = 1_u64;
    let mut random = || crate::random::word(&mut state);
    for round in 0..300 {
        for id in (0x040..0x070).chain(0x110..0x120).chain(0x200..0x280) {
            let word = random() & random();
            rig.set(&[(id, word)]);
        }
        // Mostly arrays that are there.
        if round % 4 != 0 {
            (0..12).for_each(|i| rig.set(&[(0x203 + 3 * i, u32::from(i))]));
            rig.set(&[(0x200, BASE >> 3), (0x227, random() & 0x8000_0fff)]);
        }
        // Sometimes a viewport, a target and an output map that make sense, and bytes for a position.
        if round % 3 == 0 {
            rig.set(&[(0x041, 0x43_0000), (0x043, 0x42_0000), (0x11e, 1 << 24 | 15 << 12 | 32)]);
            rig.set(&[(0x040, 0), (0x047, 0), (0x04f, 1), (0x050, 0x0302_0100), (0x201, 0xcccc_cccc)]);
        }
        for offset in [INPUTS, PERMUTATION, PERMUTATION + 1] {
            rig.vertex.write(offset, random(), 15);
            rig.geometry.write(offset, random(), 15);
        }
        let before = rig.stats;
        rig.with(|front, cx| front.draw(cx, round % 2 != 0));
        assert!(rig.stats.triangles - before.triangles <= 700, "{:?}", rig.registers);
        rig.select(random() | 8);
        (0..100).for_each(|_| rig.words(&[random()]));
        rig.with(FrontEnd::flush);
        rig.stages.shaded.clear();
        rig.stages.runs.clear();
    }
    assert!(rig.stats.triangles_displayed > 0 && rig.stats.fragments > 0, "{:?}", rig.stats);
}

/// Red is x of the vertex, 0; what is not clocked is 1, unless the host ignores the register.
#[test]
fn attribute_clocks() {
    let mut rig = Rig::new(&[0, 0, 0]);
    rig.set(&[(0x050, 0x0302_0108)]);
    let mut red = |clocks, obeys| {
        rig.set(&[(0x06f, clocks)]);
        rig.obeys_attribute_clocks = obeys;
        rig.vertices(false, 3)[0].map(|vertex| vertex[8])
    };
    assert_eq!((red(2, true), red(0x0103_0701, true)), ([0.0; 3], [1.0; 3]));
    assert_eq!((red(2, false), red(0, false)), ([0.0; 3], [0.0; 3]));
}
