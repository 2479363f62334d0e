//! Immediate vertices.

use super::{Bench, pixels};
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
    let mut all = pixels(&bench.queue.primitives, &bench.registers);
    all.sort_unstable_by_key(|&(x, y)| (y, x));
    let mut expected: Vec<_> = (110..=150).map(|x| (x, 10)).collect();
    expected.extend((11..50).map(|y| (150, y)));
    expected.extend((110..150).map(|x| (x, 50)));
    assert_eq!(all, expected);
}

#[test]
fn everything_comes_from_registers() {
    let mut bench = Bench::new(0);
    for (command, argument) in [
        (op::OFFSETX, 0x100),
        (op::OFFSETY, 0x200),
        (op::VSCZ, 0x1_2345),
        (op::VTCS, 0.5_f32.to_bits() >> 8),
        (op::VTCT, 0.25_f32.to_bits() >> 8),
        (op::VTCQ, 2.0_f32.to_bits() >> 8),
        (op::VCV, 0x0c_0b0a),
        (op::VFC, 0x33),
        (op::VSCV, 0x03_0201),
        (op::LMODE, 1),
        (op::TSIZE0, 0x0406),
    ] {
        bench.set(command, argument);
    }
    let corner = |bench: &mut Bench, vtype, at| {
        bench.set(op::VTYPE, vtype);
        bench.queue.primitives.clear();
        emit(bench, &mut FrontEnd::default(), 0, at);
        bench.queue.primitives[0].corners[0]
    };
    let normal = corner(&mut bench, 0, [0x1101, 0x1202]);
    assert_eq!((normal.x, normal.y, normal.z), (0x1001, 0x1002, 0x2345));
    assert_eq!((normal.colour, normal.secondary, normal.fog), (0x800c_0b0a, 0x03_0201, 0x33));
    assert_eq!((normal.texture, normal.w), ([0.5, 0.25, 2.0], 1.0));
    let through = corner(&mut bench, 1 << 23, [0x9001, 0x9002]);
    assert_eq!((through.x, through.y, through.secondary), (0x1001, 0x1002, 0));
    assert_eq!(through.texture, [32.0, 4.0, 2.0]);
    bench.set(op::LMODE, 0);
    assert_eq!(corner(&mut bench, 0, [0x1101, 0x1202]).secondary, 0);
}

#[test]
fn enables_come_with_the_first_vertex() {
    let mut bench = Bench::new(0);
    let mut front_end = FrontEnd::default();
    let flags = 1 << 18 | 1 << 20 | 1 << 22;
    bench.set(op::DTE, 1);
    for (n, x) in [0x8100, 0x8200].into_iter().enumerate() {
        bench.set(op::VSCX, x);
        bench.set(op::VSCY, 0x8100);
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
