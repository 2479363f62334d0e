use super::*;
use crate::ge::capture::format;
use crate::ge::capture::replay::Player;
use crate::ge::display_list::DisplayList;
use crate::ge::list_builder::ListBuilder;
use crate::ge::lists::{Arguments, Lists, Progress, Request};
use crate::ge::random_tests::{LIMITS, Random};
use crate::ge::regs::op;
use crate::ge::testing::{LIST, Sketch};
use crate::ge::vram::AddressMaps;
use crate::memory::{BlockMemory, read_bytes, write_bytes};

const RAM_BYTES: u32 = 0x1_0000;
const REGIONS: [(u32, u32); 2] = [(VRAM, VRAM_BYTES), (LIST, RAM_BYTES)];
const DATA: u32 = LIST + 0x2000;
const CONTEXT: u32 = LIST + 0x4000;
/// Its picture is all of main memory.
const RAM: Display = Display { address: LIST, stride: 480, format: 3 };

/// A machine whose host maps more than it says.
struct Host {
    ge: Ge,
    memory: BlockMemory,
}

impl Host {
    fn new() -> Self {
        let memory = BlockMemory::zeroed(&[REGIONS[0], (LIST, RAM_BYTES + 0x1000)]);
        Self { ge: Ge::new().with_limits(LIMITS), memory }
    }

    fn run(&mut self, lists: &mut Lists) -> Progress {
        lists.run(&mut self.ge, &mut Sketch, &self.memory).expect("lists run")
    }

    fn start(&mut self) {
        self.ge.start_recording(&self.memory, &REGIONS).expect("sound blocks");
    }

    /// Ends the recording, plays its file and compares everything.
    fn check(mut self) -> Capture {
        self.ge.frame_end(&self.memory, RAM);
        let capture = self.ge.stop_recording().expect("a recording");
        assert!(!self.ge.is_recording() && self.ge.stop_recording().is_none());
        let read = format::read(&format::write(&capture)).expect("a capture");
        assert_eq!(read, capture);
        let mut player = Player::new(&read).expect("a sound capture").with_limits(LIMITS);
        while player.step(&mut Sketch).is_some() {}
        assert_eq!(player.ge().save(), self.ge.save());
        for (address, length) in REGIONS {
            let bytes = |memory: &BlockMemory| memory.region(address, length).expect("mapped").to_vec();
            assert_eq!(bytes(player.memory()), bytes(&self.memory), "{address:#x}");
        }
        capture
    }
}

/// What is in a capture, a letter for each event.
fn shape(capture: &Capture) -> String {
    let letter = |event: &Event| match event {
        Event::Memory { .. } => 'm',
        Event::Run(_) => 'r',
        Event::Execute(_) => 'x',
        Event::State(_) => 's',
        Event::Display(_) => 'd',
    };
    capture.events.iter().map(letter).collect()
}

/// A list that copies 64 bytes from `DATA` to VRAM in four words a row, signals and ends.
fn copying() -> Vec<u8> {
    let mut list = ListBuilder::new();
    list.write(op::LTE, 1);
    list.wide_pointer(op::TRXSBP, op::TRXSBW, DATA, 16).wide_pointer(op::TRXDBP, op::TRXDBW, VRAM, 16);
    list.write(op::TRXSIZE, 15).write(op::TRXKICK, 1);
    list.signal(1, 7);
    list.finish(9)
}

#[test]
fn lists_contexts_and_writes_of_the_cpu() {
    let mut host = Host::new();
    let mut lists = Lists::new(0);
    host.ge.set_register(0x2100_0001);
    write_bytes(&host.memory, LIST, &copying());
    write_bytes(&host.memory, DATA, &[0xa5; 64]);
    write_bytes(&host.memory, VRAM + 0x1f_f000, &[1, 2, 3]);
    host.start();
    let arguments = Some(Arguments { size: 8, context: CONTEXT, stack_depth: 0, stack: 0 });
    let request = Request { list: LIST, stall: LIST + 4, callback: Some(0), arguments };
    let list = lists.enqueue(&request).expect("enqueued");
    assert_eq!(host.run(&mut lists), Progress::Stalled(list));
    assert_eq!(lists.update_stall(list, 0), Ok(()));
    assert_eq!(host.run(&mut lists), Progress::Interrupt(list));
    // The handler changes what is copied next, and the list that is executed already.
    write_bytes(&host.memory, DATA, &[0x5a; 32]);
    write_bytes(&host.memory, LIST, &[0; 4]);
    let interrupt = lists.next_interrupt().expect("a signal");
    lists.acknowledge(&interrupt);
    assert_eq!(host.run(&mut lists), Progress::Idle);
    assert_eq!(host.ge.read_command(op::LTE), 0x1700_0000, "as in the context");
    assert_eq!(read_bytes::<4>(&host.memory, VRAM), [0xa5; 4]);
    host.ge.frame_end(&host.memory, Display { address: VRAM, stride: 512, format: 3 });
    host.ge.execute(&mut Sketch, &host.memory, &[0x1700_0001, 0xea00_0001]).expect("a transfer");
    assert_eq!(lists.save_context(&mut host.ge, &host.memory, CONTEXT), Ok(()));
    assert_eq!(Lists::set_translation(&mut host.ge, 0x200), Ok(0x400));
    let capture = host.check();
    // VRAM, the context before the list, the list; what is copied; the list again; the state in the context; the
    // context after all lists; the state after the system call, and what else the screen shows.
    assert_eq!(shape(&capture), "mmmrmrmrsdxmsmd");
}

/// A block that a host saves is in the recording, also where it lies in two pages.
#[test]
fn saved_blocks_are_recorded_whole() {
    let mut host = Host::new();
    let address = LIST + 0x5000 - 1024;
    host.start();
    host.ge.save_context(&host.memory, address);
    let capture = host.ge.stop_recording().expect("a recording");
    let mut player = Player::new(&capture).expect("a sound capture").with_limits(LIMITS);
    while player.step(&mut Sketch).is_some() {}
    let bytes = |memory: &BlockMemory| memory.region(address, 2048).expect("mapped").to_vec();
    assert_eq!(bytes(player.memory()), bytes(&host.memory));
}

#[test]
fn nothing_outside_the_blocks_is_reached() {
    let mut host = Host::new();
    host.start();
    let mut list = DisplayList::new(LIST + RAM_BYTES, 0);
    assert!(host.ge.run(&mut Sketch, &host.memory, &mut list).is_err());
    assert_eq!(shape(&host.check()), "rd");
    let mut ge = Ge::new();
    assert!(ge.start_recording(&BlockMemory::default(), &[(0, 8), (4, 8)]).is_err() && !ge.is_recording());
}

/// Whatever guest and host do.
#[test]
fn random_hosts() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for _ in 0..40 {
        let mut host = Host::new();
        for at in (0..0x2000).step_by(4) {
            write_bytes(&host.memory, LIST + at, &random.command().to_le_bytes());
        }
        host.start();
        let mut list = DisplayList::new(LIST, 0);
        for _ in 0..12 {
            match random.below(8) {
                0 => host.ge.restore_context(&host.memory, LIST + random.below(0x1000) * 4),
                1 => host.ge.save_context(&host.memory, LIST + random.below(0x3000) * 4),
                2 => _ = host.ge.set_address_maps(AddressMaps::Shift(random.below(4) as u8)),
                3 => host.ge.set_register(random.word()),
                4 => {
                    let words = [random.command(), random.command(), random.command()];
                    let _ = host.ge.execute(&mut Sketch, &host.memory, &words);
                }
                5 => list = DisplayList::new(LIST + random.below(0x1000), random.below(2) * random.word()),
                _ => _ = host.ge.run(&mut Sketch, &host.memory, &mut list),
            }
            let (at, word) = (random.below(0x4000) * 4, random.command());
            write_bytes(&host.memory, LIST + at, &word.to_le_bytes());
        }
        host.check();
    }
}
