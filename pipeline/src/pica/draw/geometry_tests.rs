//! Draws through the geometry stage.

use super::FrontEnd;
use super::rig::{INPUTS, PERMUTATION, Rig, numbers};
use crate::persist::Words;
use crate::pica::float::Precision;
use crate::pica::prices;

/// Bytes 0-255, then indices, which 0x227 points to. Two attributes: byte n and byte n + 100.
fn rig(indices: &[u8], slots: u32, misc: u32) -> Rig {
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.extend_from_slice(indices);
    let mut rig = Rig::new(&bytes);
    rig.set(&[(0x201, 0x11), (0x202, 1 << 28), (0x206, 100), (0x207, 1), (0x208, 1 << 28 | 1 << 16)]);
    rig.set(&[(0x227, 0x100)]);
    rig.vertex.write(INPUTS, 1, 15);
    rig.use_geometry(slots, misc);
    rig
}

/// x of the first registers of each run.
fn inputs(rig: &Rig, count: usize) -> Vec<Vec<f32>> {
    rig.stages.runs.iter().map(|run| run.v[..count].iter().map(|v| v[0]).collect()).collect()
}

#[test]
fn point_mode_fills_the_inputs() {
    let mut rig = rig(&[], 2, 0);
    rig.geometry.write(INPUTS, 5, 15);
    rig.draw(false, 7);
    let expected = [[0.0, 100.0, 1.0, 101.0, 2.0, 102.0], [3.0, 103.0, 4.0, 104.0, 5.0, 105.0]];
    assert_eq!(inputs(&rig, 6), expected);
    assert_eq!(rig.stages.runs.iter().map(|run| run.uniforms.bools()).collect::<Vec<_>>(), [0, 0x8000]);
    assert_eq!(rig.geometry.register(0), 0x8000);
    assert_eq!(rig.stats.shaded, 7 + 2);
    // A draw drops what was collected.
    rig.draw(false, 3);
    assert_eq!(inputs(&rig, 6)[2..], expected[..1]);
}

#[test]
fn point_mode_permutes_and_keeps_registers() {
    let mut rig = rig(&[], 2, 3);
    rig.geometry.write(INPUTS, 1, 15);
    rig.geometry.write(PERMUTATION, 0x14, 15);
    rig.draw(false, 1);
    assert_eq!(inputs(&rig, 5), [[0.0, 100.0, 0.0, 0.0, 0.0]]);
    // Later attributes win; registers that nothing names keep what they had.
    rig.geometry.write(PERMUTATION, 0x22, 15);
    rig.draw(false, 1);
    assert_eq!(inputs(&rig, 5)[1], [0.0, 100.0, 100.0, 0.0, 0.0]);
}

#[test]
fn point_mode_carries_a_remainder() {
    let mut rig = rig(&[], 2, 0);
    rig.geometry.write(INPUTS, 2, 15);
    rig.draw(false, 4);
    assert_eq!(inputs(&rig, 3), [[0.0, 100.0, 1.0], [101.0, 2.0, 102.0]]);
}

#[test]
fn point_mode_with_more_slots_than_inputs() {
    let mut rig = rig(&[], 5, 0);
    rig.geometry.write(INPUTS, 1, 15);
    rig.draw(false, 2);
    let runs = [[0.0, 100.0], [0.0, 0.0], [0.0, 1.0], [101.0, 0.0], [0.0, 0.0]];
    assert_eq!(inputs(&rig, 2), runs);
}

#[test]
fn variable_mode_follows_the_counts() {
    let mut rig = rig(&[3, 7, 8, 9, 0, 1, 5, 2, 6], 2, 1);
    rig.set(&[(0x254, 1)]);
    rig.draw(true, 9);
    // Two whole vertices, then positions.
    assert_eq!(rig.stages.runs[0].c(0..7), [3.0, 7.0, 107.0, 8.0, 108.0, 9.0, 0.0]);
    assert_eq!(rig.stages.runs[1].c(0..7), [1.0, 5.0, 105.0, 8.0, 108.0, 9.0, 0.0]);
    assert_eq!(rig.stages.runs[0].uniforms.float(0, Precision::Console), [3.0; 4]);
    assert_eq!(rig.stages.runs.len(), 2);
    // Counts are no vertices; the last primitive is not complete.
    assert_eq!(rig.stages.shaded, [7, 8, 9, 5, 6]);
    assert_eq!(rig.stats.shaded, 5 + 2);
    assert_eq!(rig.geometry.uniforms().float(0, Precision::Console), [2.0; 4]);
    // The next draw expects a count.
    rig.draw(true, 4);
    assert_eq!(rig.stages.runs.len(), 3);
}

#[test]
fn variable_mode_with_a_count_of_zero() {
    let mut rig = rig(&[0, 0, 1, 4], 1, 1);
    rig.draw(true, 2);
    assert_eq!((rig.stages.runs.len(), rig.stages.shaded.len()), (0, 0));
    assert_eq!(rig.geometry.uniforms().float(0, Precision::Console), [0.0; 4]);
    rig.draw(true, 4);
    assert_eq!(rig.stages.runs[0].c(0..2), [1.0, 4.0]);
}

#[test]
fn variable_mode_past_the_last_uniform() {
    let mut indices: Vec<u8> = vec![120];
    indices.extend(1..=120);
    let mut rig = rig(&indices, 1, 1);
    rig.draw(true, 121);
    assert_eq!(rig.stages.runs.len(), 1);
    assert_eq!(rig.stages.runs[0].c(94..96), [94.0, 95.0]);
}

#[test]
fn variable_mode_across_chunks() {
    let indices = [2, 10, 11].repeat(3000);
    let mut rig = rig(&indices, 1, 1);
    rig.draw(true, 9000);
    assert_eq!(rig.stages.runs.len(), 3000);
    assert!(rig.stages.runs.iter().all(|run| run.c(0..3) == [2.0, 10.0, 11.0]));
    assert!(rig.stages.shaded.iter().all(|index| [10, 11].contains(index)));
}

#[test]
fn variable_mode_without_an_index_list() {
    let mut rig = rig(&[], 1, 1);
    rig.draw(false, 6);
    rig.select(15);
    rig.vectors(&[[1.0; 4]; 3]);
    rig.flush();
    assert_eq!((rig.stages.runs.len(), rig.stages.shaded.len()), (0, 0));
}

#[test]
fn fixed_mode_counts_vertices() {
    // Two vertices of two slots from c3.
    let mut rig = rig(&[], 2, 2 | 1 << 8 | 1 << 12 | 3 << 16 | 1 << 24);
    rig.draw(false, 5);
    let runs: Vec<_> = rig.stages.runs.iter().map(|run| run.c(2..8)).collect();
    let expected = [[0.0, 0.0, 100.0, 1.0, 101.0, 0.0], [0.0, 2.0, 102.0, 3.0, 103.0, 0.0]];
    assert_eq!(runs, expected);
    // The vertex of an incomplete primitive is written too.
    let c = |rig: &Rig, n| rig.geometry.uniforms().float(n, Precision::Console)[0];
    assert_eq!([3, 4, 5].map(|n| c(&rig, n)), [4.0, 104.0, 3.0]);
    // A draw starts at the first uniform.
    rig.draw(false, 2);
    assert_eq!(rig.stages.runs[2].c(2..8), expected[0]);
}

#[test]
fn fixed_mode_with_another_stride() {
    let of = |slots, stride: u32, first: u32| {
        let mut rig = rig(&[], slots, 2 | 1 << 8 | (stride - 1) << 12 | first << 16 | 1 << 24);
        rig.draw(false, 2);
        rig.stages.runs.remove(0)
    };
    assert_eq!(of(2, 3, 1).c(0..7), [0.0, 0.0, 100.0, 0.0, 1.0, 101.0, 0.0]);
    assert_eq!(of(2, 1, 1).c(0..4), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(of(2, 2, 93).c(92..96), [0.0, 0.0, 100.0, 1.0]);
    assert_eq!(of(2, 2, 127).c(0..96), [0.0; 96]);
}

#[test]
fn immediate_vertices_are_collected_until_0x232_is_written() {
    let mut rig = rig(&[], 2, 0);
    rig.geometry.write(INPUTS, 3, 15);
    rig.set(&[(0x242, 1)]);
    rig.select(15);
    rig.vectors(&[[1.0; 4], [2.0; 4]]);
    rig.flush();
    rig.vectors(&[[3.0; 4], [4.0; 4]]);
    rig.flush();
    assert_eq!(inputs(&rig, 4), [[1.0, 2.0, 3.0, 4.0]]);
    rig.vectors(&[[5.0; 4], [6.0; 4]]);
    rig.select(15);
    rig.vectors(&[[7.0; 4], [8.0; 4], [9.0; 4], [10.0; 4]]);
    rig.flush();
    assert_eq!(inputs(&rig, 4)[1], [7.0, 8.0, 9.0, 10.0]);
}

#[test]
fn emissions_become_triangles() {
    let mut rig = rig(&[], 1, 0);
    rig.geometry.write(INPUTS, 0, 15);
    rig.stages.emits = vec![
        (0, false, false, 10.0),
        (1, false, false, 11.0),
        (2, true, false, 12.0),
        // The others stay in the buffer; id 3 is never seen.
        (3, false, false, 99.0),
        (1, true, true, 13.0),
    ];
    assert_eq!(rig.draw(false, 1), [[10, 11, 12], [13, 10, 12]]);
    assert_eq!(rig.stats.vertices, 6);
    // Also into the next run.
    rig.stages.emits = vec![(3, true, false, 0.0)];
    assert_eq!(rig.draw(false, 1), [[10, 13, 12]]);
}

#[test]
fn emissions_honour_the_topology() {
    let mut rig = rig(&[], 1, 0);
    rig.geometry.write(INPUTS, 0, 15);
    rig.set(&[(0x25e, 1 << 8)]);
    rig.stages.emits = vec![(0, false, false, 10.0), (1, false, false, 11.0), (2, true, true, 12.0)];
    let strip = [[10, 11, 12], [12, 11, 10], [12, 10, 11], [11, 10, 12]];
    assert_eq!(rig.draw(false, 2), strip);
    // The winding flag is lost, not kept for topology 3.
    rig.front.restart();
    rig.set(&[(0x25e, 0)]);
    rig.draw(false, 1);
    rig.set(&[(0x25e, 3 << 8)]);
    rig.stages.emits[2].2 = false;
    assert_eq!(rig.draw(false, 1), [[10, 11, 12]]);
}

#[test]
fn emissions_end_by_budget() {
    let mut rig = rig(&[], 1, 0);
    rig.geometry.write(INPUTS, 0, 15);
    rig.stages.emits = vec![(2, true, false, 1.0); 50];
    rig.limits.triangles = 120;
    rig.draw(false, 100);
    assert_eq!(rig.stats.triangles, 120);
    // The first runs are run together, up to 65,536 instructions by the bound of the program.
    assert_eq!(rig.stages.runs.len(), 21);
    assert_eq!(rig.faults.as_slice().len(), 1);
}

/// Triangles share emitted vertices, also where there are too many for one piece.
#[test]
fn emissions_of_many_runs() {
    let mut rig = rig(&[], 1, 0);
    rig.geometry.write(INPUTS, 0, 15);
    rig.stages.emits = vec![(0, false, false, 10.0), (1, false, false, 11.0)];
    rig.stages.emits.extend((0..4000).map(|n| (2, true, false, n as f32)));
    let triangles = rig.draw(false, 3);
    assert_eq!(triangles.len(), 12_000);
    let expected = (0..3).flat_map(|_| (0..4000).map(|n| [10, 11, n]));
    assert!(triangles.into_iter().eq(expected));
}

/// 3.9: the flag belongs to the primitive that is assembled next, also where a vertex of the draw before came first.
#[test]
fn winding_turns_the_primitive_of_its_first_vertex() {
    let mut rig = rig(&[], 1, 0);
    rig.geometry.write(INPUTS, 0, 15);
    rig.set(&[(0x229, 0)]);
    assert!(rig.draw(false, 1).is_empty(), "a vertex that stays pending");
    rig.set(&[(0x229, 2)]);
    rig.stages.emits = vec![(0, false, false, 10.0), (1, false, false, 11.0), (2, true, true, 12.0)];
    // After the vertices 0, 10 and 11 come 12 and those of a run without the flag, whose buffer is the same.
    let turned = rig.draw(false, 1);
    rig.stages.emits[2].2 = false;
    assert_eq!((turned, rig.draw(false, 1)), (vec![[10, 0, 11]], vec![[12, 10, 11]]));
}

/// pica-geometry.md 5.1: colours of emitted vertices lose their sign and end at 1, as those of vertex programs; others are as
/// they are.
#[test]
fn emitted_colours_are_conditioned() {
    for (semantic, values) in [(8, [0.25, 0.5, 1.0]), (11, [0.25, 0.5, 1.0]), (12, [-0.25, 0.5, 7.0])] {
        let mut rig = rig(&[], 1, 0);
        rig.geometry.write(INPUTS, 0, 15);
        rig.set(&[(0x050, 0x1f1f_1f00 | semantic)]);
        rig.stages.emits = vec![(0, false, false, -0.25), (1, false, false, 0.5), (2, true, false, 7.0)];
        let triangles = rig.vertices(false, 1);
        assert_eq!(triangles[0].map(|vertex| vertex[semantic as usize]), values);
    }
}

/// Units that draws of so many vertices spend, in one run.
fn spent<const N: usize>(rig: &mut Rig, counts: [u32; N]) -> [u64; N] {
    counts.map(|count| {
        rig.set(&[(0x228, count)]);
        rig.with(|front, cx| {
            front.draw(cx, false);
            cx.account.spent()
        })
    })
}

/// Uniforms that take the inputs of a run are paid, in the modes that have them.
#[test]
fn runs_pay_for_their_uniforms() {
    // A run for each vertex.
    let runs = |misc| {
        let mut rig = rig(&[], 1, misc);
        rig.geometry.write(INPUTS, 0, 15);
        let [few, many] = spent(&mut rig, [4, 9]);
        assert_eq!(rig.stages.runs.len(), 13);
        many - few
    };
    // Of one vertex, from c0.
    assert_eq!(runs(2 | 1 << 24) - runs(0), 5 * prices::GEOMETRY_UNIFORMS);
}

/// Each slot of each vertex that the geometry stage takes is paid.
#[test]
fn collected_slots_are_paid() {
    let vertices = |slots| {
        let mut rig = rig(&[], slots, 0);
        rig.geometry.write(INPUTS, 15, 15);
        let [few, many] = spent(&mut rig, [1, 4]);
        assert_eq!(rig.stages.runs.len(), 0, "too few slots for a run");
        many - few
    };
    let more = vertices(2) - vertices(1);
    assert_eq!((more, vertices(3) - vertices(1)), (3 * prices::SLOT, 6 * prices::SLOT));
}

/// Inputs in other registers are another state: code is made for it.
#[test]
fn other_permutations_are_paid_as_other_states() {
    let mut rig = rig(&[], 1, 0);
    rig.geometry.write(INPUTS, 0, 15);
    rig.set(&[(0x228, 1)]);
    let is_new = rig.with(|front, cx| {
        let mut is_new = |(low, high): (u32, u32)| {
            cx.geometry.write(PERMUTATION, low, 15);
            cx.geometry.write(PERMUTATION + 1, high, 15);
            let before = cx.account.spent();
            front.draw(cx, false);
            cx.account.spent() - before > prices::STATE
        };
        // The first run sets a boolean, which makes another state too.
        assert!(is_new((0, 0)) && is_new((0, 0)));
        [(0, 0), (1, 0), (1, 0), (1, 1), (1, 1 << 28), (1, 1 << 28)].map(is_new)
    });
    assert_eq!(is_new, [false, true, false, true, true, false]);
}

/// The least budget of a run, in steps of 20, with which a draw satisfies something, and does so with more.
fn least_work(rig: impl Fn() -> Rig, draw: fn(&mut Rig), is_enough: impl Fn(&Rig) -> bool) -> (u64, Rig) {
    let drawn = |work| {
        let mut rig = rig();
        rig.limits.work = work;
        draw(&mut rig);
        (work, rig)
    };
    let (mut too_little, mut enough) = (0, 1 << 32);
    while enough - too_little > 1 {
        let middle = u64::midpoint(too_little, enough);
        let is_reached = is_enough(&drawn(20 * middle).1);
        *(if is_reached { &mut enough } else { &mut too_little }) = middle;
    }
    drawn(20 * enough)
}

/// A run that is not paid for does not take place. Its inputs arrive all the same, after the runs that are paid; what comes
/// later does not.
#[test]
fn unpaid_runs_in_point_mode() {
    let point = || {
        let mut rig = rig(&[], 2, 0);
        rig.geometry.write(INPUTS, 1, 15);
        rig
    };
    let draw = |rig: &mut Rig| _ = rig.draw(false, 4);
    let (none, _) = least_work(point, draw, |rig| !rig.stages.shaded.is_empty());
    let (one, mut rig) = least_work(point, draw, |rig| !rig.stages.runs.is_empty());
    assert!(none < one, "vertices are paid for first: {none}, {one}");
    assert_eq!(inputs(&rig, 2), [[0.0, 100.0]]);
    rig.limits.work = u64::MAX;
    rig.geometry.write(PERMUTATION, 0x32, 15);
    rig.draw(false, 1);
    assert_eq!(inputs(&rig, 4)[1], [1.0, 101.0, 0.0, 100.0]);
}

#[test]
fn unpaid_runs_in_variable_mode() {
    let variable = || rig(&[2, 7, 8, 1, 9], 2, 1);
    let draw = |rig: &mut Rig| _ = rig.draw(true, 5);
    let (none, _) = least_work(variable, draw, |rig| !rig.stages.shaded.is_empty());
    let (one, rig) = least_work(variable, draw, |rig| !rig.stages.runs.is_empty());
    assert!(none < one, "{none}, {one}");
    assert_eq!((rig.stages.runs.len(), rig.stats.shaded), (1, 3 + 1));
}

#[test]
fn the_unit_survives_saving() {
    let mut rig = rig(&[], 2, 0);
    rig.geometry.write(INPUTS, 5, 15);
    rig.set(&[(0x242, 1)]);
    rig.draw(false, 3);
    rig.select(15);
    rig.vectors(&[[1.0; 4], [2.0; 4], [3.0; 4], [4.0; 4]]);
    rig.flush();
    let mut words = Words::save();
    rig.front.persist(&mut words);
    rig.front = FrontEnd::new();
    let mut words = Words::load(words.into_words());
    rig.front.persist(&mut words);
    assert!(words.is_complete());
    rig.vectors(&[[5.0; 4], [6.0; 4]]);
    rig.stages.emits = vec![(2, true, false, 9.0)];
    assert_eq!(numbers(&rig.flush()), [[0, 0, 9]]);
    assert_eq!(inputs(&rig, 6)[1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

/// Emissions of the runs of a vertex do not wait for each other: a run may have 65,536 of them.
#[test]
fn emissions_are_taken_after_each_run() {
    let mut rig = rig(&[], 5, 0);
    rig.geometry.write(INPUTS, 0, 15);
    rig.stages.emits = vec![(0, false, false, 1.0), (1, false, false, 2.0), (2, true, false, 3.0)];
    // Runs wait together until they have emitted a lot.
    (0..300).for_each(|_| rig.stages.emits.push((2, true, false, 4.0)));
    rig.draw(false, 40);
    assert_eq!(rig.stages.runs.len(), 200);
    assert!(rig.stages.waiting[32..].iter().all(|&emissions| emissions == 0), "{:?}", rig.stages.waiting);
}

/// Slots that immediate vertices of point mode leave are no run of another mode.
#[test]
fn slots_of_point_mode_stay_behind_in_fixed_mode() {
    let mut rig = rig(&[], 5, 0);
    rig.geometry.write(INPUTS, 15, 15);
    rig.select(15);
    rig.vectors(&[[1.0; 4]]);
    rig.flush();
    assert_eq!(rig.stages.runs.len(), 0);
    rig.set(&[(0x252, 0x0100_3002)]);
    rig.geometry.write(INPUTS, 4, 15);
    rig.vectors(&[[2.0; 4]]);
    rig.flush();
    assert_eq!(rig.stages.runs.len(), 1);
}
