use super::*;
use crate::memory::{BlockMemory, read_bytes, write_bytes};

const BLOCKS: [(u32, u32); 2] = [(0x1000, 0x3000), (0x8_0800, 0x1801)];

fn recorder() -> Recorder {
    Recorder::new(Precision::Console, Snapshot::from_words(Vec::new()), &BLOCKS).expect("sound")
}

fn memory_of(capture: &Capture) -> BlockMemory {
    let memory = BlockMemory::zeroed(&capture.regions);
    for event in &capture.events {
        if let Event::Memory { address, bytes } = event {
            write_bytes(&memory, *address, bytes);
        }
    }
    memory
}

fn list(address: u32) -> Event {
    Event::List { address, size_bytes: 16 }
}

/// Addresses and sizes of memory events, other events as 0.
fn shape(capture: &Capture) -> Vec<(u32, usize)> {
    let shape = |event: &Event| match event {
        Event::Memory { address, bytes } => (*address, bytes.len()),
        _ => (0, 0),
    };
    capture.events.iter().map(shape).collect()
}

#[test]
fn what_is_read_is_recorded_once() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut recorder = recorder();
    write_bytes(&memory, 0x1fff, &[1, 2, 3]);
    for _ in 0..2 {
        recorder.operation(&memory, list(0), |memory| {
            assert_eq!(read_bytes::<3>(memory, 0x1fff), [1, 2, 3]);
            assert_eq!(memory.byte(0x3000), 0);
        });
    }
    let capture = recorder.finish();
    assert_eq!(shape(&capture), [(0x1000, 0x2000), (0, 0), (0, 0)]);
    assert_eq!(read_bytes::<3>(&memory_of(&capture), 0x1fff), [1, 2, 3]);
}

#[test]
fn what_the_machine_writes_is_not_recorded() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut recorder = recorder();
    let write = |value| {
        move |memory: &dyn Memory| {
            write_bytes(memory, 0x1100, &[value; 8]);
            memory.written(0x1100, 8);
        }
    };
    recorder.operation(&memory, list(0), write(5));
    recorder.operation(&memory, list(0), write(6));
    memory.set_byte(0x1108, 9);
    recorder.operation(&memory, list(0), write(7));
    let capture = recorder.finish();
    assert_eq!(shape(&capture), [(0, 0), (0, 0), (0x1000, 0x1000), (0, 0)]);
    let Event::Memory { bytes, .. } = &capture.events[2] else { panic!("{capture:?}") };
    assert_eq!(bytes[0x100..0x10a], [6, 6, 6, 6, 6, 6, 6, 6, 9, 0], "as before the third operation");
}

#[test]
fn a_write_that_was_not_reported_is_taken_for_the_hosts() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut recorder = recorder();
    recorder.operation(&memory, list(0), |memory| memory.set_byte(0x1000, 1));
    recorder.operation(&memory, list(0), |memory| memory.byte(0x1000));
    assert_eq!(shape(&recorder.finish()), [(0, 0), (0x1000, 0x1000), (0, 0)]);
}

#[test]
fn a_change_beside_reported_writes_is_found_later() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    let mut recorder = recorder();
    recorder.operation(&memory, list(0), |watched| {
        assert_eq!(watched.byte(0x1000), 0);
        // The host writes while the machine runs: once beside it, once into a page that it never asks for.
        memory.set_byte(0x1001, 3);
        memory.set_byte(0x2000, 4);
        watched.set_byte(0x1002, 5);
        watched.written(0x1002, 1);
        watched.written(0x2000, 0x10);
    });
    recorder.operation(&memory, list(0), |memory| read_bytes::<3>(memory, 0x1fff));
    let capture = recorder.finish();
    assert_eq!(shape(&capture), [(0, 0), (0x1000, 0x2000), (0, 0)]);
    let replayed = memory_of(&capture);
    assert_eq!(read_bytes::<0x1800>(&replayed, 0x1000), read_bytes::<0x1800>(&memory, 0x1000));
}

#[test]
fn only_the_blocks_of_the_recording_are_seen() {
    let memory = BlockMemory::zeroed(&[(0, 0x10_0000)]);
    (0..0x10_0000).for_each(|address| memory.set_byte(address, 1));
    let mut recorder = recorder();
    recorder.operation(&memory, list(0), |memory| {
        assert!(memory.region(0xfff, 2).is_none() && memory.region(0x3fff, 2).is_none());
        assert!(memory.region(0x8_2000, 2).is_none() && memory.region(0x8_2000, 1).is_some());
        assert!(memory.region(0xffff_ffff, u32::MAX).is_none() && memory.region(0xffff_ffff, 0).is_some());
        memory.written(0, u32::MAX);
    });
    let look = |recorder: &mut Recorder| recorder.look_at(&memory, 0x2fff, u32::MAX);
    look(&mut recorder);
    look(&mut recorder);
    let capture = recorder.finish();
    assert_eq!(shape(&capture), [(0x8_1800, 0x801), (0, 0), (0x2000, 0x2000), (0x8_0800, 0x1000)]);
}

#[test]
fn threads_touch_the_same_pages_in_any_order() {
    let memory = BlockMemory::zeroed(&BLOCKS);
    (0x1000..0x4000).for_each(|address| memory.set_byte(address, address as u8));
    let record = |threads: u32| {
        let mut recorder = recorder();
        recorder.operation(&memory, list(0), |memory| {
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
        recorder.finish()
    };
    assert_eq!(record(1), record(8));
}

#[test]
fn unsound_blocks_are_refused() {
    let new =
        |regions: &[(u32, u32)]| Recorder::new(Precision::Console, Snapshot::from_words(Vec::new()), regions);
    assert!(new(&[(0, 0x1000), (0xfff, 1)]).is_err() && new(&[(u32::MAX, 2)]).is_err());
    assert!(new(&[(0xffff_f000, 0x1000), (0, 0)]).is_ok());
}
