//! What lists do, as the manual and the captures have it (2.3, 2.4).

use super::Ge;
use super::display_list::{CALL_DEPTH, DisplayList, Frame};
use super::limits::Limits;
use super::prices;
use super::regs::op;
use super::stage::NoEngines;
use super::testing::{Bench, LIST, Sketch};
use crate::ge::machine::processor::{RunError, Stop};
use crate::guest_slice::GuestSlice;
use crate::memory::{BlockMemory, Memory};
use std::sync::Mutex;

const FINISH: [u32; 2] = [0x0f00_0000, 0x0c00_0000];
const DONE: Result<Stop, RunError> = Ok(Stop::Finished { token: 0 });
/// A command that only stays in its register, to see how far a list came.
const MARK: u8 = 0x5c;

const fn mark(n: u32) -> u32 {
    (MARK as u32) << 24 | n
}

fn list(parts: &[&[u32]]) -> Vec<u32> {
    parts.concat()
}

#[test]
fn finish_carries_a_token_and_leaves_the_pc_behind_the_end() {
    let mut bench = Bench::new();
    bench.put(LIST, &[mark(1), 0x0f00_1234, 0x0c00_0000, mark(2)]);
    let mut list = DisplayList::new(LIST | 0x4000_0000, 0);
    assert_eq!(bench.go_on(&mut list), Ok(Stop::Finished { token: 0x1234 }));
    assert_eq!((list.pc, bench.word(MARK)), (LIST + 12, mark(1)));
}

#[test]
fn an_end_alone_does_nothing() {
    let mut bench = Bench::new();
    assert_eq!(bench.run(&list(&[&[0x0c00_0000, mark(1), 0x0c00_0000, mark(2)], &FINISH])), DONE);
    assert_eq!(bench.word(MARK), mark(2));
}

#[test]
fn stalls_before_the_word() {
    let mut bench = Bench::new();
    bench.put(LIST, &list(&[&[mark(1), mark(2)], &FINISH]));
    let mut list = DisplayList::new(LIST, LIST + 4);
    assert_eq!(bench.go_on(&mut list), Ok(Stop::Stalled));
    assert_eq!((list.pc, bench.word(MARK)), (LIST + 4, mark(1)));
    assert_eq!(bench.go_on(&mut list), Ok(Stop::Stalled), "still");
    list.stall = 0;
    assert_eq!(bench.go_on(&mut list), DONE);
    assert_eq!(bench.word(MARK), mark(2));
}

/// Targets lose their low bits, and the address of an ORIGIN is its own.
#[test]
fn jumps_calls_and_returns() {
    let mut bench = Bench::new();
    // At LIST + 0x100: a routine that jumps over a mark and returns.
    bench.put(LIST + 0x100, &[0x1400_0000, 0x0800_000f, mark(9), mark(5), 0x0b00_0000]);
    let words = list(&[
        // Base, and an offset that the call keeps.
        &[0x1008_0000, 0x1300_8000, 0x0a00_0102, 0x0100_0040],
        &FINISH,
    ]);
    let mut at = DisplayList::new(LIST, 0);
    bench.put(LIST, &words);
    // The routine has BASE 0x08000000, so its jump is that far from its origin: off the memory.
    assert!(matches!(bench.go_on(&mut at), Err(RunError::Unmapped { .. })));
    bench.put(LIST + 0x100, &[0x1000_0000, 0x1400_0000, 0x0800_000f, mark(9), 0x0b00_0000]);
    assert_eq!(bench.run(&words), DONE);
    assert_eq!(bench.word(MARK), mark(0), "jumped over");
    // OFFSET came back; BASE did not.
    assert_eq!(bench.ge.vertex_pointer(), 0x0080_0040);
}

#[test]
fn calls_are_so_deep_and_returns_need_a_call() {
    let mut bench = Bench::new();
    // Returns to itself through the stack: each call is to the next word.
    let mut words = vec![0x0b00_0000, 0x1400_0000];
    words.extend((0..40).map(|n| 0x0a00_0000 | (4 * (n + 2) - 4)));
    words.extend(FINISH);
    bench.put(LIST, &words);
    let mut list = DisplayList::new(LIST, 0);
    assert_eq!(bench.go_on(&mut list), DONE);
    assert_eq!(list.stack.len(), CALL_DEPTH);
    assert_eq!(list.stack[0], Frame { pc: LIST + 12, offset: LIST + 4, base: 0x1000_0000 });
}

#[test]
fn a_conditional_jump_takes_the_box_outside_at_first() {
    let mut bench = Bench::new();
    let words = list(&[&[0x1400_0000, 0x0900_000c, mark(7), mark(1)], &FINISH]);
    bench.put(LIST, &words);
    let mut outside = DisplayList::new(LIST, 0);
    assert_eq!(bench.go_on(&mut outside), DONE);
    assert_eq!(bench.ge.stats().commands, 5);
    let mut inside = DisplayList { is_outside: false, ..DisplayList::new(LIST, 0) };
    assert_eq!(bench.go_on(&mut inside), DONE);
    assert_eq!(bench.ge.stats().commands, 5 + 6);
}

/// A conditional jump follows the box before it: one without vertices is outside, and the engine says that others are inside.
#[test]
fn a_box_decides_a_conditional_jump() {
    for (count, is_outside) in [(0, true), (4, false)] {
        let mut bench = Bench::new();
        // Three numbers of 16 bits for a vertex.
        let box_and_jump = [0x1400_0000, 0x1280_0100, 0x0700_0000 | count, 0x0900_0014, mark(7), mark(1)];
        bench.put(LIST, &list(&[&box_and_jump, &FINISH]));
        let mut list = DisplayList { is_outside: !is_outside, ..DisplayList::new(LIST, 0) };
        assert_eq!(bench.go_on(&mut list), DONE);
        assert_eq!(
            (list.is_outside, bench.ge.stats().commands),
            (is_outside, if is_outside { 7 } else { 8 })
        );
        assert_eq!((bench.ge.vertex_pointer(), bench.ge.stats().vertices), (6 * count, count.into()));
        // Outside of lists nothing jumps, but the pointer moves.
        bench.execute(&[0x0700_0003]);
        assert_eq!(bench.ge.vertex_pointer(), 6 * (count + 3));
    }
}

/// Surfaces take a record of six bytes for each control point.
#[test]
fn surfaces_move_the_vertex_pointer() {
    let mut bench = Bench::new();
    bench.execute(&[0x1280_0100, 0x0500_0704]);
    assert_eq!(bench.ge.vertex_pointer(), 6 * 28);
    bench.execute(&[0x0600_0506]);
    assert_eq!(bench.ge.vertex_pointer(), 6 * (28 + 30));
}

#[test]
fn each_list_has_its_own_offset() {
    let mut bench = Bench::new();
    assert_eq!(bench.run(&list(&[&[0x1300_1234, 0x0100_0000], &FINISH])), DONE);
    assert_eq!(bench.ge.vertex_pointer(), 0x0012_3400);
    assert_eq!(bench.run(&list(&[&[0x0100_0010], &FINISH])), DONE);
    assert_eq!(bench.ge.vertex_pointer(), 0x10);
}

#[test]
fn signals_that_stop() {
    for behaviour in [0, 1, 2, 0xee, 0xf0, 0xff] {
        let mut bench = Bench::new();
        bench.put(LIST, &list(&[&[0x0e00_1234 | behaviour << 16, 0x0c00_0000, mark(1)], &FINISH]));
        let mut list = DisplayList::new(LIST, 0);
        let stop = Stop::Signal { behaviour: behaviour as u8, token: 0x1234 };
        assert_eq!(bench.go_on(&mut list), Ok(stop));
        assert_eq!((list.pc, bench.word(MARK)), (LIST + 8, mark(0)));
        assert_eq!(bench.go_on(&mut list), DONE);
        assert_eq!(bench.word(MARK), mark(1));
    }
}

/// Measured (signals/pause, signals/sync): where the finish after it comes to a stop.
#[test]
fn pause_and_sync_take_a_finish() {
    let behaviours = [(0x0e03_0007, Ok(Stop::Paused { token: 7 }), 2), (0x0e08_0000, DONE, 3)];
    for (signal, stop, at) in behaviours {
        let mut bench = Bench::new();
        let words = [mark(1), signal, 0x0c00_0000, mark(2), 0x0f00_0000, 0x0c00_0000, mark(3)];
        bench.put(LIST, &list(&[&words, &FINISH]));
        let mut list = DisplayList::new(LIST, 0);
        assert_eq!((bench.go_on(&mut list), bench.word(MARK)), (stop, mark(at)));
    }
    let mut bench = Bench::new();
    let words = [0x0e03_0007, 0x0c00_0000, 0x0f00_0000, 0x0c00_0000, mark(3)];
    bench.put(LIST, &list(&[&words, &FINISH]));
    let mut list = DisplayList::new(LIST, 0);
    assert_eq!(bench.go_on(&mut list), Ok(Stop::Paused { token: 7 }));
    assert_eq!((bench.go_on(&mut list), bench.word(MARK)), (DONE, mark(3)));
}

/// Jumps and calls by signals: absolute, from the SIGNAL, from OFFSET. Targets lose their low bits.
#[test]
fn signals_that_jump() {
    let target = LIST + 0x203;
    let [relative, origin] = [LIST + 8, LIST + 4].map(|from| target - from);
    let jumps = [(0x10, target), (0x13, relative), (0x15, origin)].map(|case| (case, 0));
    let calls = [(0x11, target), (0x14, relative), (0x16, origin)].map(|case| (case, 1));
    for ((behaviour, payload), depth) in jumps.into_iter().chain(calls) {
        let mut bench = Bench::new();
        let signal = [0x0e00_0000 | behaviour << 16 | payload >> 16, 0x0c00_0000 | payload & 0xffff];
        bench.put(LIST, &list(&[&[0, 0x1400_0000], &signal, &[mark(8)], &FINISH]));
        bench.put(LIST + 0x200, &list(&[&[mark(6)], &FINISH]));
        let mut list = DisplayList::new(LIST, 0);
        assert_eq!((bench.go_on(&mut list), bench.word(MARK)), (DONE, mark(6)), "{behaviour:#x}");
        assert_eq!(list.stack.len(), depth);
    }
}

#[test]
fn a_signalled_return_restores_the_base_too() {
    let mut bench = Bench::new();
    let routine = [0x1005_0000, 0x1300_0001, 0x0e12_0000, 0x0c00_0000, mark(9)];
    bench.put(LIST + 0x200, &routine);
    let call = [0x1008_0000, 0x0e11_0880, 0x0c00_0200, 0x0100_0004];
    assert_eq!(bench.run(&list(&[&call, &FINISH])), DONE);
    assert_eq!((bench.word(op::BASE), bench.word(MARK)), (0x1008_0000, mark(0)));
    assert_eq!(bench.ge.vertex_pointer(), 0x0800_0004);
}

#[test]
fn signals_that_set_pointers() {
    let mut bench = Bench::new();
    let words = [0xab00_0200, 0x0e23_0001, 0x0c00_0010, 0x0e30_0000, 0x0c00_0020];
    assert_eq!(bench.run(&list(&[&words, &FINISH])), DONE);
    assert_eq!((bench.word(0xa3), bench.word(0xab)), (0xa381_0014, 0xab08_0200));
    assert_eq!((bench.word(op::CBP), bench.word(op::CBPH)), (0xb080_002c, 0xb108_0000));
    // From OFFSET, which is the address of the list here.
    let words = [0x1400_0000, 0xaf00_0100, 0x0e2f_0701, 0x0c00_0010, 0x0e38_0000, 0x0c00_0020];
    assert_eq!(bench.run(&list(&[&words, &FINISH])), DONE);
    assert_eq!((bench.word(0xa7), bench.word(0xaf)), (0xa781_0010, 0xaf0f_0100));
    assert_eq!((bench.word(op::CBP), bench.word(op::CBPH)), (0xb080_0020, 0xb108_0000));
}

#[test]
fn lists_without_an_end_end() {
    let mut bench = Bench::new();
    bench.ge = Ge::new().with_limits(Limits { commands: 1000, ..Limits::default() });
    assert_eq!(bench.run(&[0x1400_0000, 0x0800_0000]), Err(RunError::Commands { limit: 1000 }));
    assert_eq!(
        bench.go_on(&mut DisplayList::new(0x0900_0000, 0)),
        Err(RunError::Unmapped { address: 0x0900_0000 })
    );
}

/// Words outside of lists count as those of lists do.
#[test]
fn words_of_a_host_are_counted() {
    for (words, end) in [(3, Ok(())), (4, Err(RunError::Commands { limit: 3 }))] {
        let mut bench = Bench::new();
        bench.ge = Ge::new().with_limits(Limits { commands: 3, ..Limits::default() });
        assert_eq!(bench.ge.execute(&mut NoEngines, &bench.memory, &vec![mark(1); words]), end);
        assert_eq!(bench.ge.stats().commands, words as u64);
    }
}

/// Each run has the limits to itself, and its report tells of it alone.
#[test]
fn limits_are_those_of_each_run() {
    let runs = |limits: Limits| {
        let mut bench = Bench::new();
        bench.ge = Ge::new().with_limits(limits);
        // Immediate points, of a pixel each.
        bench.put(LIST, &list(&[&[0xf700_0080; 5], &FINISH]));
        [0, 1].map(|_| {
            let end = bench.ge.run(&mut Sketch, &bench.memory, &mut DisplayList::new(LIST, 0));
            (end, bench.ge.work())
        })
    };
    let ends = |limits| runs(limits).map(|(end, _)| end);
    let limits = |commands, run_pixels| Limits { commands, run_pixels, ..Limits::default() };
    let [(first, work), (second, again)] = runs(limits(7, 5));
    assert_eq!([first, second], [DONE; 2]);
    // Most of it is the state of the pixels, which is new to either run.
    assert_eq!(work, again);
    assert!(work > prices::PIXEL_STATE);
    // The fifth point is too much, also where it is the last command that may be.
    let beyond = Err(RunError::Work { vertices: 5, pixels: 5, bytes: 0 });
    assert_eq!([ends(limits(1000, 4)), ends(limits(5, 4))], [[beyond; 2]; 2]);
    assert_eq!(ends(limits(5, 5)), [Err(RunError::Commands { limit: 5 }); 2]);
}

/// Memory that notes what it is asked for.
struct Asked(BlockMemory, Mutex<Vec<(u32, u32)>>);

impl Memory for Asked {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.1.lock().expect("one thread").push((address, length));
        self.0.region(address, length)
    }
}

/// A host is not asked for each word.
#[test]
fn words_of_a_page_are_asked_for_together() {
    let words = [vec![mark(1); 1020], FINISH.to_vec()].concat();
    for start in [LIST, LIST + 0x800] {
        let mut bench = Bench::new();
        bench.put(start, &words);
        let memory = Asked(bench.memory, Mutex::default());
        assert_eq!(bench.ge.run(&mut NoEngines, &memory, &mut DisplayList::new(start, 0)), DONE);
        let mut asked = memory.1.into_inner().expect("one thread");
        let pages = asked.iter().filter(|&&(_, length)| length == 4096).copied().collect::<Vec<_>>();
        let expected = if start == LIST { vec![LIST] } else { vec![LIST, LIST + 0x1000] };
        assert_eq!(pages, expected.iter().map(|&page| (page, 4096)).collect::<Vec<_>>());
        // The word that was missing in each, once or twice.
        asked.retain(|&(_, length)| length == 4);
        assert!(asked.len() <= 2 * expected.len(), "{asked:x?}");
    }
}

/// A list may lie in VRAM, in every mirror.
#[test]
fn lists_in_mirrors() {
    for mirror in 0..4 {
        let mut bench = Bench::new();
        let at = 0x0400_0000 | mirror << 21 | 0x1f8;
        let maps = bench.ge.address_maps();
        let words = list(&[&[mark(1), mark(2), mark(3)], &FINISH]);
        for (n, word) in words.iter().enumerate() {
            bench.put(maps.resolve(at + 4 * n as u32), &[*word]);
        }
        assert_eq!(bench.go_on(&mut DisplayList::new(at, 0)), DONE);
        assert_eq!(bench.word(MARK), mark(3));
    }
}

#[test]
fn the_colour_table_is_loaded_at_once() {
    let mut bench = Bench::new();
    bench.put(LIST + 0x1000, &[0x0403_0201; 16]);
    bench.execute(&[0xb080_100f, 0xb108_0000, 0xc400_0041]);
    bench.put(LIST + 0x1000, &[0; 16]);
    let bytes = *bench.ge.clut().bytes();
    assert_eq!((bytes[31], bytes[32]), (4, 0));
    bench.execute(&[0xb0ff_ff00, 0xc400_0000]);
    assert_eq!(*bench.ge.clut().bytes(), bytes, "no blocks");
    bench.execute(&[0xc400_003f]);
    assert_eq!(*bench.ge.clut().bytes(), [0; 1024], "not mapped");
}
