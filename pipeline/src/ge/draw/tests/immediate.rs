//! Immediate vertices.

use super::Bench;
use crate::ge::draw::FrontEnd;
use crate::ge::regs::op;
use crate::persist::Words;

/// Has the front end emit a vertex at these 12.4 coordinates.
fn emit(bench: &mut Bench, front_end: &mut FrontEnd, kind: u32, [x, y]: [u32; 2]) {
    bench.set(op::VSCX, x);
    bench.set(op::VSCY, y);
    let word = u32::from(op::VAP) << 24 | kind << 8 | 0x80;
    bench.registers.write(word);
    bench.act(|cx| front_end.immediate(cx, word));
}

#[test]
fn strip_of_the_capture() {
    // psp-ge.md 14.14: three lines, pending vertices through a snapshot in between.
    let mut bench = Bench::new(0);
    bench.set(op::VTYPE, 0);
    let mut front_end = FrontEnd::default();
    for (n, [x, y]) in [[110, 10], [150, 10], [150, 50], [110, 50]].into_iter().enumerate() {
        emit(&mut bench, &mut front_end, if n == 0 { 2 } else { 7 }, [x << 4, y << 4]);
        let mut words = Words::save();
        front_end.persist(&mut words);
        front_end = FrontEnd::default();
        front_end.persist(&mut Words::load(words.into_words()));
    }
    assert!(bench.queue.is_immediate);
    let lines = bench.queue.primitives.iter().map(|line| {
        let [from, to, _] = line.corners;
        [(from.x >> 4, from.y >> 4), (to.x >> 4, to.y >> 4)]
    });
    let expected = [[(110, 10), (150, 10)], [(150, 10), (150, 50)], [(150, 50), (110, 50)]];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

#[test]
fn enables_come_with_the_first_vertex() {
    let mut bench = Bench::new(0);
    let mut front_end = FrontEnd::default();
    let flags = 1 << 18 | 1 << 20 | 1 << 22;
    bench.set(op::DTE, 1);
    for (n, x) in [0x100, 0x200].into_iter().enumerate() {
        bench.set(op::VSCX, x);
        bench.set(op::VSCY, 0x100);
        let kind = if n == 0 { 1 << 8 | flags } else { 7 << 8 | 0xff_f800 & !flags };
        let word = u32::from(op::VAP) << 24 | kind;
        bench.registers.write(word);
        bench.act(|cx| front_end.immediate(cx, word));
    }
    let [registers] = &bench.queue.registers[..] else { panic!("not one draw") };
    let commands = [op::AAE, op::SHADE, op::BCE, op::FFACE, op::TME, op::FGE, op::DTE];
    assert_eq!(commands.map(|command| registers.arg(command)), [0, 1, 0, 1, 0, 1, 0]);
    assert!(bench.registers.is_on(op::DTE));
}

#[test]
fn points_of_zeros_are_initialisation() {
    let mut bench = Bench::new(0);
    bench.set(op::VTYPE, 0);
    let mut front_end = FrontEnd::default();
    bench.act(|cx| front_end.immediate(cx, u32::from(op::VAP) << 24));
    assert_eq!((bench.queue.primitives.len(), bench.stats.draws), (0, 0));
    emit(&mut bench, &mut front_end, 0, [0, 0]);
    assert_eq!(bench.queue.primitives.len(), 1);
    // Nothing to continue.
    emit(&mut bench, &mut FrontEnd::default(), 7, [0, 0]);
    assert_eq!(bench.queue.primitives.len(), 1);
}

/// There is no primitive that the first vertex could continue.
#[test]
fn vertices_without_a_primitive_are_not_drawn() {
    let mut bench = Bench::new(0);
    let mut front_end = FrontEnd::default();
    emit(&mut bench, &mut front_end, 7, [16, 16]);
    assert_eq!((bench.stats.draws, bench.stats.vertices, bench.queue.primitives.len()), (0, 0, 0));
    emit(&mut bench, &mut front_end, 0, [16, 16]);
    assert_eq!((bench.stats.draws, bench.stats.vertices, bench.queue.primitives.len()), (1, 1, 1));
    // Nor is one that is too much.
    bench.limits.vertices = 0;
    emit(&mut bench, &mut front_end, 7, [16, 16]);
    assert_eq!((bench.stats.draws, bench.queue.primitives.len()), (1, 1));
}
