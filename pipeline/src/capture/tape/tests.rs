use super::*;
use crate::memory::{BlockMemory, read_bytes, write_bytes};

const BLOCKS: [(u32, u32); 2] = [(0x1000, 0x3000), (0x8_0800, 0x1801)];

/// Events of a machine that has but one operation.
#[derive(Debug, PartialEq)]
enum Event {
    Memory { address: u32, bytes: Arc<[u8]> },
    Operation,
}

impl From<Change> for Event {
    fn from(Change { address, bytes }: Change) -> Self {
        Self::Memory { address, bytes }
    }
}

/// What is on a tape.
#[derive(Debug, PartialEq)]
struct Recorded {
    regions: Vec<(u32, u32)>,
    events: Vec<Event>,
}

fn tape() -> Tape<Event> {
    Tape::new(&BLOCKS).expect("sound")
}

fn finished(tape: Tape<Event>) -> Recorded {
    let (regions, events) = tape.finish();
    Recorded { regions, events }
}

fn memory_of(recorded: &Recorded) -> BlockMemory {
    let memory = BlockMemory::zeroed(&recorded.regions);
    for event in &recorded.events {
        if let Event::Memory { address, bytes } = event {
            write_bytes(&memory, *address, bytes);
        }
    }
    memory
}

/// Addresses and sizes of memory events, other events as 0.
fn shape(recorded: &Recorded) -> Vec<(u32, usize)> {
    let shape = |event: &Event| match event {
        Event::Memory { address, bytes } => (*address, bytes.len()),
        Event::Operation => (0, 0),
    };
    recorded.events.iter().map(shape).collect()
}

#[test]
fn what_is_read_is_recorded_once() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut tape = tape();
    write_bytes(&memory, 0x1fff, &[1, 2, 3]);
    for _ in 0..2 {
        tape.operation(&memory, Event::Operation, |memory| {
            assert_eq!(read_bytes::<3>(memory, 0x1fff), [1, 2, 3]);
            assert_eq!(memory.byte(0x3000), 0);
        });
    }
    let recorded = finished(tape);
    assert_eq!(shape(&recorded), [(0x1000, 0x2000), (0, 0), (0, 0)]);
    assert_eq!(read_bytes::<3>(&memory_of(&recorded), 0x1fff), [1, 2, 3]);
}

#[test]
fn what_the_machine_writes_is_not_recorded() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut tape = tape();
    let write = |value| {
        move |memory: &dyn Memory| {
            write_bytes(memory, 0x1100, &[value; 8]);
            memory.written(0x1100, 8);
        }
    };
    tape.operation(&memory, Event::Operation, write(5));
    tape.operation(&memory, Event::Operation, write(6));
    memory.set_byte(0x1108, 9);
    tape.operation(&memory, Event::Operation, write(7));
    let recorded = finished(tape);
    assert_eq!(shape(&recorded), [(0, 0), (0, 0), (0x1000, 0x1000), (0, 0)]);
    let Event::Memory { bytes, .. } = &recorded.events[2] else { panic!("{recorded:?}") };
    assert_eq!(bytes[0x100..0x10a], [6, 6, 6, 6, 6, 6, 6, 6, 9, 0], "as before the third operation");
}

#[test]
fn a_write_that_was_not_reported_is_taken_for_the_hosts() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut tape = tape();
    tape.operation(&memory, Event::Operation, |memory| memory.set_byte(0x1000, 1));
    tape.operation(&memory, Event::Operation, |memory| memory.byte(0x1000));
    assert_eq!(shape(&finished(tape)), [(0, 0), (0x1000, 0x1000), (0, 0)]);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn a_change_beside_reported_writes_is_found_later() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut tape = tape();
    tape.operation(&memory, Event::Operation, |watched| {
        assert_eq!(watched.byte(0x1000), 0);
        // The host writes while the machine runs: once beside it, once into a page that it never asks for.
        memory.set_byte(0x1001, 3);
        memory.set_byte(0x2000, 4);
        watched.set_byte(0x1002, 5);
        watched.written(0x1002, 1);
        watched.written(0x2000, 0x10);
    });
    tape.operation(&memory, Event::Operation, |memory| read_bytes::<3>(memory, 0x1fff));
    let recorded = finished(tape);
    assert_eq!(shape(&recorded), [(0, 0), (0x1000, 0x2000), (0, 0)]);
    let replayed = memory_of(&recorded);
    assert_eq!(read_bytes::<0x1800>(&replayed, 0x1000), read_bytes::<0x1800>(&memory, 0x1000));
}

/// Draws with colour and depth in turn: no number of them fills memory.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn ranges_that_come_again_are_kept_once() {
    let mut written = Written { ranges: Vec::new(), apart: 0 };
    for n in 0..100_000 {
        written.add([(64, 128), (256, 512), (512, 513), (0, 8)][n % 4]);
        assert!(written.ranges.len() <= FEW);
    }
    assert_eq!(merged(written.ranges), [(0, 8), (64, 128), (256, 513)]);
    let mut written = Written { ranges: Vec::new(), apart: 0 };
    let apart = || (0..5000).map(|n| n * 7777 % 5000 * 16).map(|start| (start, start + 8));
    (0..20).flat_map(|_| apart()).for_each(|range| written.add(range));
    assert!(written.ranges.len() <= 10_000, "{}", written.ranges.len());
    let mut all: Vec<_> = apart().collect();
    all.sort_unstable();
    assert_eq!(merged(written.ranges), all);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn a_change_between_many_reported_writes_is_found_later() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut tape = tape();
    tape.operation(&memory, Event::Operation, |watched| {
        for n in 0..5000 {
            let address = 0x1000 + n * 7 % 0x300 * 16;
            watched.set_byte(address, 1);
            watched.written(address, 1);
        }
        memory.set_byte(0x2008, 3);
    });
    tape.operation(&memory, Event::Operation, |memory| read_bytes::<0x3000>(memory, 0x1000));
    let recorded = finished(tape);
    assert_eq!(shape(&recorded), [(0, 0), (0x2000, 0x1000), (0, 0)], "what was reported is known");
    assert_eq!(memory_of(&recorded).byte(0x2008), 3);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn only_the_blocks_of_the_recording_are_seen() {
    let memory = BlockMemory::zeroed(&[(0, 0x10_0000)]);
    (0..0x10_0000).for_each(|address| memory.set_byte(address, 1));
    let mut tape = tape();
    tape.operation(&memory, Event::Operation, |memory| {
        assert!(memory.region(0xfff, 2).is_none() && memory.region(0x3fff, 2).is_none());
        assert!(memory.region(0x8_2000, 2).is_none() && memory.region(0x8_2000, 1).is_some());
        assert!(memory.region(0xffff_ffff, u32::MAX).is_none() && memory.region(0xffff_ffff, 0).is_some());
        memory.written(0, u32::MAX);
    });
    let look = |tape: &mut Tape<Event>| tape.look_at(&memory, 0x2fff, u32::MAX);
    look(&mut tape);
    look(&mut tape);
    let recorded = finished(tape);
    assert_eq!(shape(&recorded), [(0x8_1800, 0x801), (0, 0), (0x2000, 0x2000), (0x8_0800, 0x1000)]);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn threads_touch_the_same_pages_in_any_order() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    (0x1000..0x4000).for_each(|address| memory.set_byte(address, address as u8));
    let record = |threads: u32| {
        let mut tape = tape();
        tape.operation(&memory, Event::Operation, |memory| {
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    scope.spawn(move || {
                        for i in 0..0x3000 {
                            let address = 0x1000 + (i * (2 * thread + 1)) % 0x3000;
                            assert_eq!(memory.byte(address), address as u8);
                        }
                    });
                }
            });
        });
        finished(tape)
    };
    assert_eq!(record(1), record(8));
}

#[test]
fn unsound_blocks_are_refused() {
    let new = |regions: &[(u32, u32)]| Tape::<Event>::new(regions);
    assert!(new(&[(0, 0x1000), (0xfff, 1)]).is_err() && new(&[(u32::MAX, 2)]).is_err());
    assert!(new(&[(0xffff_f000, 0x1000), (0, 0)]).is_ok());
}
