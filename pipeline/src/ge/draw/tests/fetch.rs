//! What a fetch reads, and what it costs: indices and records that lie anywhere.

use super::{Bench, INDICES, VERTICES};
use crate::fault::Fault;
use crate::ge::draw::CHUNK;
use crate::ge::regs::op;
use crate::ge::vram::{AddressMaps, VRAM};
use crate::memory::write_bytes;

/// Mirror 1 of video memory, where runs of 64 bytes are elsewhere.
const SCATTERED: u32 = 0x0420_0000;
/// Bits of VTYPE: indices of 16 bits; colours of 16 bits.
const SHORT_INDICES: u32 = 2 << 11;
const SHORT_COLOURS: u32 = 4 << 2;

/// Writes numbers of 16 bits, each byte where the mirrors have it.
fn put_numbers(bench: &Bench, address: u32, numbers: impl Iterator<Item = u16>) {
    let maps = AddressMaps::default();
    let bytes = numbers.flat_map(u16::to_le_bytes);
    (address..).zip(bytes).for_each(|(at, byte)| bench.put(maps.resolve(at), &[byte]));
}

/// A copy is paid, and so is each byte that no slice of memory serves; records in place are free.
#[test]
fn fetches_pay_for_what_they_copy() {
    let many = CHUNK as u32 + 1;
    for (vertices, count, units) in [
        (VERTICES, 1, 0),
        (VERTICES, many, 0),
        (VRAM, 1, 0),
        (VRAM, CHUNK as u32, 0),
        // Records of six bytes; eight for a unit.
        (VRAM, many, u64::from(many) * 6 / 8),
        // Twenty units for a byte.
        (SCATTERED, 5, 5 * 6 * 20),
        (SCATTERED, many, u64::from(many) * 6 * 20),
    ] {
        let mut bench = Bench::new(0);
        bench.vertex_pointer = vertices;
        let spent = bench.act(|cx| {
            cx.fetch(count, Vec::new()).expect("memory");
            cx.account.spent()
        });
        assert_eq!(spent, units, "{vertices:#x}, {count}");
    }
}

/// What the first vertices of a long draw draw changes none of the others.
#[test]
fn long_draws_keep_the_vertices_that_they_draw_over() {
    let mut bench = Bench::new(0);
    bench.vertex_pointer = VRAM;
    bench.put(VRAM + 6 * CHUNK as u32, &[7, 0]);
    let kept = bench.act(|cx| {
        let fetched = cx.fetch(CHUNK as u32 + 1, Vec::new()).expect("memory");
        write_bytes(cx.memory, VRAM + 6 * CHUNK as u32, &[9, 0]);
        fetched.records().read_array(6 * CHUNK)
    });
    assert_eq!(kept, [7, 0]);
}

/// A list of indices in six pieces. After a stop, those in the middle are not read: the first vertex and the last two are what they
/// are.
#[test]
fn lists_of_indices_in_pieces() {
    const COUNT: u16 = 45_000;
    for is_stopped in [false, true] {
        let mut bench = Bench::new(SHORT_INDICES);
        bench.index_pointer = SCATTERED;
        put_numbers(&bench, SCATTERED, 0..COUNT);
        if is_stopped {
            bench.stopper.stop();
        }
        let indices = bench.act(|cx| cx.fetch(COUNT.into(), Vec::new()).expect("memory").indices);
        let is_read = |n: u32| !is_stopped || [0, 4, 5].contains(&(n / 8192));
        let expected = (0..COUNT.into()).map(|n| if is_read(n) { n } else { 0 });
        assert!(indices.into_iter().eq(expected), "{is_stopped}");
    }
}

/// A run that ends among records that lie scattered copies the rest of its 16 KiB, and the first record and the last two.
#[test]
fn a_stop_ends_the_copy_of_scattered_records() {
    let copied = |stop: Option<u32>| {
        // Eight bytes each, none of which is across two runs of the mirror.
        let mut bench = Bench::new(SHORT_COLOURS);
        bench.vertex_pointer = SCATTERED;
        bench.memory.counted = 8;
        bench.memory.stops = stop.map(|call| (call, bench.stopper.clone()));
        bench.act(|cx| _ = cx.fetch(5000, Vec::new()).expect("memory"));
        bench.memory.counter.into_inner()
    };
    assert_eq!(copied(None), 5000);
    assert_eq!(copied(Some(1)), 2048 + 3);
    assert_eq!(copied(Some(2049)), 4096 + 3);
    assert_eq!(copied(Some(4097)), 5000);
}

/// 7.8: of 0x300 vertices those from 0x100 on are tested, 256.
#[test]
fn boxes_fetch_the_vertices_that_they_test() {
    let mut bench = Bench::new(SHORT_INDICES);
    put_numbers(&bench, INDICES, (0..0x300).map(|n| 3 * n));
    let fetched = bench.act(|cx| cx.fetch_box(0x300).expect("memory").indices);
    assert!(fetched.into_iter().eq((0x100..0x200).map(|n| 3 * n)));
    let mut bench = Bench::new(0);
    let (tested, is_in_order) = bench.act(|cx| {
        let fetched = cx.fetch_box(0x300).expect("memory");
        (fetched.indices, fetched.is_in_order)
    });
    assert!(tested.into_iter().eq(0x100..0x200) && !is_in_order);
}

/// Without a list of indices the records are those from 0 on.
#[test]
fn indices_in_order() {
    for (more, expected) in [(0, true), (SHORT_INDICES, false)] {
        let mut bench = Bench::new(more);
        assert_eq!(bench.act(|cx| cx.fetch(3, Vec::new()).expect("memory").is_in_order), expected);
        // They are copied in their order.
        bench.vertex_pointer = SCATTERED;
        assert!(bench.act(|cx| cx.fetch(3, Vec::new()).expect("memory").is_in_order));
    }
}

/// Draws that wait may write the bytes.
#[test]
fn fetches_announce_what_they_read() {
    let mut bench = Bench::new(SHORT_INDICES);
    put_numbers(&bench, INDICES, [4, 0, 9].into_iter());
    bench.act(|cx| _ = cx.fetch(3, Vec::new()).expect("memory"));
    assert_eq!(bench.queue.reads, [(INDICES, 6), (VERTICES, 60)]);
}

/// Pointers move over draws that draw nothing, by the bytes of their indices too.
#[test]
fn skipped_draws_move_a_pointer() {
    for (code, bytes) in [(1, 1), (2, 2), (3, 4)] {
        let mut bench = Bench::new(code << 11);
        bench.act(|cx| cx.skip(5));
        assert_eq!((bench.vertex_pointer, bench.index_pointer), (VERTICES, INDICES + 5 * bytes));
    }
    let mut bench = Bench::new(0);
    bench.act(|cx| cx.skip(5));
    assert_eq!((bench.vertex_pointer, bench.index_pointer), (VERTICES + 5 * 6, INDICES));
}

/// Lists of indices that are nowhere.
#[test]
fn unmapped_indices_are_zero() {
    let mut bench = Bench::new(SHORT_INDICES);
    bench.index_pointer = 0x0a00_0000;
    assert_eq!(bench.act(|cx| cx.fetch(3, Vec::new()).expect("memory").indices), [0; 3]);
    assert_eq!(bench.faults.as_slice(), [Fault::Unmapped { id: op::IADDR.into(), address: 0x0a00_0000 }]);
}
