//! What draws leave behind where their run ends.

use super::{Bench, INDICES, VERTICES};
use crate::ge::draw::FrontEnd;
use crate::ge::draw::fetch::Fetched;
use crate::ge::regs::op;
use crate::persist::Words;

/// Vertices of a draw of several chunks, which leaves two pending as triangles, and one as lines.
const MANY: u32 = 5001;
/// Another one: mirror 1 of video memory, where runs of 64 bytes are elsewhere.
const SCATTERED: u32 = 0x0420_0030;

fn prim(kind: u32, count: u32) -> u32 {
    u32::from(op::PRIM) << 24 | kind << 16 | count
}

/// A picture, and vertices with texture coordinates of which each is another one; and indices of 16 bits.
fn bench(more: u32) -> Bench {
    let mut bench = Bench::new(2 | more);
    // The pixels of a fan share memory, which is dear.
    bench.limits.work = u64::MAX;
    let records = (0..20_000_u32).flat_map(|n| [n * 7, n * 3, n % 480, n / 480, 0]);
    let bytes: Vec<u8> = records.flat_map(|value| (value as u16).to_le_bytes()).collect();
    bench.put(VERTICES, &bytes);
    bench
}

/// What later draws see: the primitive under assembly, the remembered vertex and the pointers.
type Left = (Vec<u32>, [f64; 2], [u32; 2]);

/// What some commands leave, and the number of calls of the engine. The run ends in call number `stop`.
fn after(mut bench: Bench, words: &[u32], stop: Option<u32>) -> (Left, u32) {
    let host = bench.stopper.clone();
    // Somebody may stop it in any case.
    let _watch = [host.clone(), host.clone()];
    bench.stages.stops = stop.map(|call| (call, host.clone()));
    if stop == Some(0) {
        host.stop();
    }
    let mut front_end = FrontEnd::default();
    bench.act(|cx| {
        words.iter().for_each(|&word| front_end.prim(cx, word));
        front_end.settle(cx);
    });
    let mut saved = Words::save();
    front_end.persist_assembly(&mut saved);
    let pointers = [bench.vertex_pointer, bench.index_pointer];
    ((saved.into_words(), bench.remembered.texture, pointers), bench.stages.calls)
}

/// The state after commands is the same wherever the run ends.
fn check(bench: impl Fn() -> Bench, words: &[u32]) {
    let (expected, calls) = after(bench(), words, None);
    for stop in 0..=calls {
        assert_eq!(after(bench(), words, Some(stop)).0, expected, "{words:x?}, call {stop} of {calls}");
    }
}

#[test]
fn draws_leave_the_same_wherever_they_end() {
    for kind in 0..7 {
        check(|| bench(0), &[prim(kind, MANY)]);
        // Of these the second continues the first, in all ways of doing so.
        for pending in 1..=5 {
            check(|| bench(0), &[prim(kind, pending), prim(7, MANY), prim(7, 1)]);
        }
    }
}

/// Draws that wait for each other.
#[test]
fn gathered_draws_leave_the_same() {
    for kind in 0..7 {
        let draws = [3, 200, 201, 202, 11].map(|count| prim(kind, count));
        check(|| bench(0), &draws);
        check(|| bench(0), &[&draws[..], &[prim(7, 2)]].concat());
    }
}

/// Records or indices that are copied bit by bit are not all copied after a stop.
#[test]
fn scattered_draws_leave_the_same() {
    let scattered = |bench: &Bench, bytes: &[u8]| {
        let maps = crate::ge::vram::AddressMaps::default();
        (SCATTERED..).zip(bytes).for_each(|(at, byte)| bench.put(maps.resolve(at), &[*byte]));
    };
    for kind in 0..7 {
        let records = || {
            let mut bench = bench(0);
            let values = (0..MANY).flat_map(|n| [n + 1, n + 2, n % 480, n / 480, 0]);
            let bytes: Vec<u8> = values.flat_map(|value| (value as u16).to_le_bytes()).collect();
            scattered(&bench, &bytes);
            bench.vertex_pointer = SCATTERED;
            bench
        };
        // 16,385 indices: the last part has a single one.
        let indices = || {
            let mut bench = bench(2 << 11);
            let bytes: Vec<u8> = (0..16_385_u16).flat_map(|n| (n * 3 % 16_411).to_le_bytes()).collect();
            scattered(&bench, &bytes);
            bench.index_pointer = SCATTERED;
            bench
        };
        for pending in [1, 2] {
            check(records, &[prim(kind, pending), prim(7, MANY - 2)]);
            check(indices, &[prim(kind, pending), prim(7, 16_385 - pending)]);
        }
        check(records, &[prim(kind, MANY)]);
        check(indices, &[prim(kind, 16_385)]);
    }
}

/// A picture, and vertices at the end of memory. The record of every seventh index lies behind it, so that those of a draw are
/// copied one by one.
fn bench_at_the_end() -> Bench {
    let mut bench = bench(2 << 11);
    let records = (0..1000_u32).flat_map(|n| [n * 7, n * 3, n % 480, n / 480, 0]);
    let bytes: Vec<u8> = records.flat_map(|value| (value as u16).to_le_bytes()).collect();
    bench.vertex_pointer = 0x08a0_0000 - bytes.len() as u32;
    bench.put(bench.vertex_pointer, &bytes);
    let index = |n: u16| if n % 7 == 3 { 1000 + n } else { n };
    bench.put(INDICES, &(0..1000).flat_map(|n| index(n).to_le_bytes()).collect::<Vec<_>>());
    bench
}

#[test]
fn small_draws_beyond_memory_leave_the_same() {
    for kind in 0..7 {
        check(bench_at_the_end, &[3, 200, 201, 202, 11].map(|count| prim(kind, count)));
        check(bench_at_the_end, &[prim(kind, 2), prim(7, 256), prim(7, 3)]);
    }
}

/// Records that a stopped run copies: the first one and the last two of a small draw too, and all of a bounding box.
#[test]
fn records_beyond_memory_are_not_copied_after_a_stop() {
    let records = |fetched: Option<Fetched<'_>>| fetched.expect("memory").records().len() / 10;
    for is_stopped in [false, true] {
        let mut bench = bench_at_the_end();
        if is_stopped {
            bench.stopper.stop();
        }
        let copied = bench.act(|cx| [records(cx.fetch(256, Vec::new())), records(cx.fetch_box(256))]);
        assert_eq!(copied, if is_stopped { [3, 256] } else { [256, 256] });
    }
}

/// A surface of 65,025 vertices in one piece: parts of them are transformed, then parts of the indices assembled.
#[test]
fn no_work_is_done_on_a_surface_after_a_stop() {
    let drawn = |stop: Option<u32>| {
        let mut bench = bench(0);
        bench.stages.piece = 65_025;
        bench.set(op::PSUB, 1 | 1 << 8);
        bench.set(op::PPRIM, 2);
        let host = bench.stopper.clone();
        bench.stages.stops = stop.map(|call| (call, host.clone()));
        bench.remembered.texture = [9.0; 2];
        let _watch = [host.clone(), host];
        bench.act(|cx| FrontEnd::default().bezier(cx, 255 | 255 << 8));
        (bench.stages.calls, bench.queue.primitives.len(), bench.remembered.texture)
    };
    let (calls, points, remembered) = drawn(None);
    assert_eq!((calls, points), (65_025_u32.div_ceil(256) + 65_025_u32.div_ceil(2048), 65_025));
    for (stop, calls, points) in
        [(1, 1, 0), (3, 3, 0), (255, 256, 2048), (256, 256, 2048), (260, 260, 5 * 2048)]
    {
        assert_eq!(drawn(Some(stop)), (calls, points, remembered), "{stop}");
    }
}

/// What a host draws by itself.
#[test]
fn vertices_of_a_host() {
    let mut bench = bench(0);
    let host = bench.stopper.clone();
    bench.stages.stops = Some((2, host));
    let vertices = vec![crate::ge::vertex::Vertex::EMPTY; 10_000];
    let kind = crate::ge::stage::primitive::Kind::Points;
    bench.act(|cx| FrontEnd::default().vertices(cx, kind, &vertices));
    assert_eq!((bench.stages.calls, bench.queue.primitives.len()), (2, 4096));
}
