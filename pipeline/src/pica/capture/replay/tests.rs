use super::*;
use crate::memory::read_bytes;
use crate::pica::capture::ctf::{CiTrace, Element, Layout};
use crate::pica::command::list_builder::{Bank, ListBuilder};
use crate::pica::float::Precision;
use crate::pica::testing::Bytes;

const VRAM: u32 = 0x1800_0000;
const RAM: u32 = 0x2000_0000;
const BLOCKS: [(u32, u32); 2] = [(VRAM, 0x1_0000), (RAM, 0x1_0000)];

/// A host that records.
struct Host {
    pica: Pica,
    memory: BlockMemory,
    /// All of memory at the end of each frame.
    frames: Vec<Vec<u8>>,
}

impl Host {
    fn new() -> Self {
        let host = Self {
            pica: Pica::new(Precision::Binary32),
            memory: BlockMemory::zeroed(&BLOCKS),
            frames: Vec::new(),
        };
        (VRAM..VRAM + 0x800).for_each(|address| host.memory.set_byte(address, address as u8));
        host
    }

    fn record(&mut self) {
        self.pica.start_recording(&self.memory, &BLOCKS).expect("sound blocks");
    }

    fn list(&mut self, address: u32, list: &mut ListBuilder) {
        let bytes = list.finish();
        write_bytes(&self.memory, address, &bytes);
        let list = CommandList { address, size_bytes: bytes.len() as u32 };
        let finished = self.pica.run(&mut Bytes, &self.memory, list);
        assert_eq!(finished, Ok(Finished::Interrupt));
    }

    fn mmio(&mut self, writes: &[(u32, u32)]) {
        for &(address, value) in writes {
            self.pica.write_mmio(&mut Bytes, &self.memory, address, value).expect("no list");
        }
    }

    fn fill(&mut self, start: u32, bytes: u32, value: u32) {
        self.mmio(&[(0x1040_0010, start >> 3), (0x1040_0014, (start + bytes) >> 3)]);
        self.mmio(&[(0x1040_0018, value), (0x1040_001c, 0x201)]);
    }

    fn texture_copy(&mut self, from: u32, to: u32, bytes: u32) {
        self.mmio(&[(0x1040_0c00, from >> 3), (0x1040_0c04, to >> 3), (0x1040_0c20, bytes)]);
        self.mmio(&[(0x1040_0c24, 0), (0x1040_0c28, 0), (0x1040_0c10, 8), (0x1040_0c18, 1)]);
    }

    fn frame_end(&mut self) {
        self.pica.frame_end(&self.memory);
        self.frames.push(all_of(&self.memory));
    }
}

fn all_of(memory: &BlockMemory) -> Vec<u8> {
    memory.blocks().iter().flat_map(|block| block.as_slice().to_vec()).collect()
}

/// Plays a capture that went through a file.
fn replay(capture: &Capture, check: impl FnOnce(&mut Player<'_>)) {
    let back = Capture::read(&capture.to_bytes()).expect("own file");
    assert_eq!(&back, capture);
    check(&mut Player::new(&back).expect("own state"));
}

/// Memory of all frames, and the machine at the end, are those of the host.
fn check(mut host: Host) -> Capture {
    let capture = host.pica.stop_recording().expect("recording");
    assert!(!host.pica.is_recording());
    replay(&capture, |player| {
        for (i, expected) in host.frames.iter().enumerate() {
            let report = player.run_frame(&mut Bytes).expect("a frame");
            assert_eq!((report.frame, &report.errors[..]), (i, &[][..]));
            assert!(all_of(player.memory()) == *expected, "frame {i}");
        }
        assert_eq!(player.run_frame(&mut Bytes), None);
        assert_eq!(player.pica().save(), host.pica.save());
    });
    capture
}

fn memory_events(capture: &Capture) -> Vec<(u32, usize)> {
    let memory = |event: &Event| match event {
        Event::Memory { address, bytes } => Some((*address, bytes.len())),
        _ => None,
    };
    capture.events.iter().filter_map(memory).collect()
}

#[test]
fn lists_fills_and_transfers_over_several_frames() {
    let mut host = Host::new();
    // State from before the recording.
    host.list(
        RAM,
        ListBuilder::new().write(0x0c0, 0x1234).float_uniforms(Bank::Vertex, 3, &[[1.0, 2.0, 3.0, 4.0]]),
    );
    host.fill(RAM + 0x2000, 0x100, 0xaabb_ccdd);
    host.record();
    for frame in 0..3_u32 {
        let lut: Vec<u32> = (0..256).map(|i| i * (frame + 1)).collect();
        let mut list = ListBuilder::new();
        list.write(0x1c5, 0x300).feed(0x1c8, &lut).write_bytes(0x0e0, 0x0102_0304 * frame, 5);
        list.fixed_attribute(2, [frame as f32, 0.5, -1.0, 1.0]);
        host.list(RAM + 0x100 * frame, &mut list);
        host.fill(VRAM + 0x4000, 0x1000, frame);
        // The host prepares the source, half a page into a page that the machine wrote.
        write_bytes(&host.memory, RAM + 0x2800, &[frame as u8 + 1; 0x80]);
        host.texture_copy(RAM + 0x2000, VRAM + 0x4800 + 0x1000 * frame, 0x900);
        host.frame_end();
    }
    let capture = check(host);
    assert_eq!((capture.frames(), capture.precision), (3, Precision::Binary32));
}

#[test]
fn what_the_machine_wrote_is_not_in_the_capture() {
    let mut host = Host::new();
    host.record();
    host.fill(RAM + 0x4000, 0x2000, 0x5555_5555);
    host.texture_copy(RAM + 0x4000, RAM + 0x6000, 0x2000);
    host.texture_copy(RAM + 0x6000, RAM + 0x8000, 0x1000);
    host.frame_end();
    assert_eq!(memory_events(&check(host)), [(VRAM, 0x1000)]);
}

#[test]
fn lists_that_are_jumped_to() {
    let mut host = Host::new();
    host.record();
    for round in 1..=2 {
        let second = ListBuilder::new().write(0x0c1, 0x1000 + round).finish();
        write_bytes(&host.memory, RAM + 0x5000, &second);
        let mut first = ListBuilder::new();
        first.write(0x0c0, round).jump(0, RAM + 0x5000, second.len() as u32);
        host.list(RAM, &mut first);
        host.frame_end();
    }
    assert_eq!(host.pica.registers().raw(0x0c1), 0x1002);
    let capture = check(host);
    let second: Vec<_> =
        memory_events(&capture).into_iter().filter(|event| event.0 == RAM + 0x5000).collect();
    assert_eq!(second.len(), 2, "as it was each time");
}

#[test]
fn registers_written_and_read_by_the_cpu() {
    let mut host = Host::new();
    host.record();
    let list = ListBuilder::new().write(0x0c0, 77).finish();
    write_bytes(&host.memory, RAM + 0x300, &list);
    let pica = &mut host.pica;
    let mut write = |id, value, mask| {
        pica.write_register(&mut Bytes, &host.memory, id, value, mask).expect("a sound list");
    };
    write(0x1c5, 0x302, 15);
    write(0x238, list.len() as u32 >> 3, 15);
    write(0x23a, (RAM + 0x300) >> 3, 15);
    write(0x23c, 1, 0xff);
    write(0x0e0, u32::MAX, 2);
    for _ in 0..3 {
        let _ = host.pica.read_mmio(0x1040_1000 + 4 * 0x1c8);
    }
    assert_eq!(host.pica.read_register(0x1c5), 0x305);
    host.mmio(&[(0x1020_2204, 0x0100_ff00), (0x1040_1000, 0)]);
    host.frame_end();
    check(host);
}

/// The CPU draws into what is shown, and the machine never reads it.
#[test]
fn what_the_displays_show() {
    let mut host = Host::new();
    host.record();
    host.mmio(&[(0x1040_045c, 64 << 16 | 64), (0x1040_0468, RAM + 0x8000), (0x1040_0490, 128)]);
    host.mmio(&[(0x1040_0470, 2)]);
    for frame in 1..3_u8 {
        write_bytes(&host.memory, RAM + 0x8000, &[frame; 0x2000]);
        host.frame_end();
    }
    assert_eq!(memory_events(&check(host)), [(VRAM, 0x1000), (RAM + 0x8000, 0x2000), (RAM + 0x8000, 0x2000)]);
}

#[test]
fn an_unreadable_list_is_given_up_again() {
    let mut host = Host::new();
    host.record();
    let list = CommandList { address: 0x3000_0000, size_bytes: 64 };
    let error = host.pica.run(&mut Bytes, &host.memory, list).expect_err("not mapped");
    let capture = host.pica.stop_recording().expect("recording");
    replay(&capture, |player| {
        let report = player.run_frame(&mut Bytes).expect("an event");
        assert_eq!((report.events, report.errors), (0..2, vec![(1, error)]));
    });
}

#[test]
fn recordings_start_and_stop() {
    let mut host = Host::new();
    assert!(host.pica.stop_recording().is_none());
    assert!(host.pica.start_recording(&host.memory, &[(0, 2), (1, 2)]).is_err() && !host.pica.is_recording());
    host.record();
    let saved = host.pica.save();
    host.pica.load(&saved).expect("own state");
    assert!(!host.pica.is_recording(), "a recording cannot tell of a restored state");
}

/// Random operations and random changes by the host, in memory that the last operation reads as a whole.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn random_hosts() {
    let mut seed = 3_u64;
    let mut random = move |below: u32| crate::random::word(&mut seed) % below;
    for _ in 0..20 {
        let mut host = Host::new();
        host.record();
        for _ in 0..100 {
            let place = |block: u32, at: u32| [VRAM, RAM][block as usize] + at;
            let (from, to) = (place(random(2), random(0xf000) & !15), place(random(2), random(0xf000) & !15));
            match random(5) {
                0 => host.fill(to, random(0x1000) & !15, random(u32::MAX)),
                1 => host.texture_copy(from, to, random(0x1000)),
                2 => host.list(to, ListBuilder::new().write(random(0x22e) as u16 | 0x40, random(u32::MAX))),
                3 => write_bytes(&host.memory, to, &[random(256) as u8, random(256) as u8]),
                _ => host.pica.frame_end(&host.memory),
            }
        }
        host.texture_copy(RAM, VRAM, 0x1_0000);
        host.pica.frame_end(&host.memory);
        let capture = host.pica.stop_recording().expect("recording");
        replay(&capture, |player| {
            while player.step(&mut Bytes).is_some() {}
            assert!(all_of(player.memory()) == all_of(&host.memory));
            assert_eq!(player.pica().save(), host.pica.save());
        });
    }
}

fn trace(elements: Vec<Element>) -> Capture {
    let trace = CiTrace { elements, ..CiTrace::default() };
    Capture::read(&trace.to_bytes(Layout::default())).expect("sound")
}

fn write(address: u32, value: u32) -> Element {
    Element::Write { address, width_bytes: 4, value: value.into() }
}

fn load(address: u32, bytes: Vec<u8>) -> Element {
    Element::Load { address, bytes: bytes.into() }
}

#[test]
fn a_citrace_list_runs() {
    let list = ListBuilder::new().write(0x0c0, 0x77).finish();
    let size = list.len() as u32;
    let mut elements = vec![load(RAM + 0x100, list)];
    elements.extend([
        write(0x1040_18e0, size),
        write(0x1040_18e8, (RAM + 0x100) >> 3),
        write(0x1040_18f0, 1),
    ]);
    elements.extend([write(0x1040_0010, VRAM >> 3), write(0x1040_0014, (VRAM + 32) >> 3)]);
    elements.extend([write(0x1040_0018, 0x1122_3344), write(0x1040_001c, 0x201), Element::Frame]);
    let capture = trace(elements);
    let mut player = Player::new(&capture).expect("own state");
    let ran = std::iter::from_fn(|| player.step(&mut Bytes))
        .filter(|step| step.outcome == Outcome::Ran(Finished::Interrupt))
        .count();
    assert_eq!((ran, player.pica().registers().raw(0x0c0)), (1, 0x77));
    assert_eq!(read_bytes::<5>(player.memory(), VRAM + 28), [0x44, 0x33, 0x22, 0x11, 0]);
}

#[test]
fn the_initial_state_of_a_citrace() {
    let mut list = ListBuilder::new();
    list.write(0x0c0, 5).write(0x25e, 0x100).float_uniforms(Bank::Vertex, 0, &[[1.0, -2.0, 3.0, 0.5]; 96]);
    list.bool_uniforms(Bank::Vertex, 0x1234).int_uniform(Bank::Vertex, 1, [1, 2, 3]);
    list.write(0x2cb, 0).feed(0x2cc, &[0x8800_0000; 512]).write(0x2d5, 0).feed(0x2d6, &[0x1_2345; 128]);
    (0..16).for_each(|n| _ = list.fixed_attribute(n, [f32::from(n), 1.0, -1.0, 0.25]));
    let mut host = Host::new();
    host.list(RAM, &mut list);
    host.fill(VRAM + 0x4000, 0x100, 9);
    let raw = |values: [f32; 4]| values.map(crate::pica::float::encode_f24);
    let fixed = (0..16_u8).flat_map(|n| raw([f32::from(n), 1.0, -1.0, 0.25]));
    let mut tables = crate::pica::capture::ctf::Tables {
        gpu_registers: (0..0x400_u16).map(|i| host.pica.external().word(4 * i)).collect(),
        pica_registers: host.pica.registers().words()[..0x300].to_vec(),
        // The upper bits are garbage.
        default_attributes: fixed.map(|word| word | 0xab00_0000).collect(),
        vs_program: vec![0x8800_0000; 512],
        vs_descriptors: vec![0x1_2345; 128],
        vs_floats: [raw([1.0, -2.0, 3.0, 0.5]); 96].concat(),
        ..Default::default()
    };
    // As the recorder stored them: triggers and ports hold anything.
    for id in [0x22e, 0x22f, 0x23c, 0x232, 0x1c8, 0x2c1, 0x2cc, 0x10, 0x30] {
        tables.pica_registers[id] = u32::MAX;
    }
    tables.gpu_registers[7] |= 1;
    let trace = CiTrace { tables, elements: Vec::new() };
    let capture = Capture::read(&trace.to_bytes(Layout::default())).expect("sound");
    let player = Player::new(&capture).expect("own state");
    let (pica, expected) = (player.pica(), &host.pica);
    // 15 is where immediate vertices go.
    assert_eq!(pica.attributes().fixed()[..15], expected.attributes().fixed()[..15]);
    let [uniforms, like] = [pica, expected].map(|pica| pica.vertex_bank().uniforms());
    assert!((0..96).all(|n| uniforms.float(n, Precision::Console) == like.float(n, Precision::Console)));
    assert_eq!((uniforms.bools(), uniforms.int(1)), (like.bools(), like.int(1)));
    assert_eq!(pica.vertex_bank().program().code(), expected.vertex_bank().program().code());
    assert_eq!(pica.vertex_bank().program().descriptors(), expected.vertex_bank().program().descriptors());
    for id in [0x0c0, 0x25e, 0x2b0, 0x2b2, 0x2bd] {
        assert_eq!(pica.registers().raw(id), expected.registers().raw(id), "{id:#x}");
    }
    for offset in [0x10, 0x14, 0x18] {
        assert_eq!(pica.external().word(offset), expected.external().word(offset), "{offset:#x}");
    }
    assert_eq!(pica.registers().raw(0x30), expected.registers().raw(0x30), "the interrupt block");
    assert_eq!(pica.stats().draws, 0);
}

#[test]
fn captures_that_cannot_be_played() {
    let mut capture = trace(Vec::new());
    capture.regions = vec![(0, 4), (2, 4)];
    assert_eq!(Player::new(&capture).err().map(|error| error.problem), Some(Problem::BadRegions));
    capture.regions.clear();
    capture.initial = crate::pica::Snapshot::from_words(vec![1, 2, 3]);
    assert_eq!(Player::new(&capture).err().map(|error| error.problem), Some(Problem::BadState));
}

#[test]
fn loads_into_rendered_buffers_are_stale() {
    let capture = trace(vec![
        load(RAM + 0x100, vec![1; 0x80]),
        load(RAM + 0x0ff, vec![2; 0x80]),
        load(RAM + 0x180, vec![3; 0x81]),
        load(RAM + 0x200, vec![]),
        Element::Frame,
        load(RAM + 0x100, vec![4; 0x80]),
    ]);
    let outcomes = |skip: bool| {
        let mut player = Player::new(&capture).expect("own state");
        player.skip_stale_loads(skip);
        player.machine.rendered.push((RAM + 0x100, 0x100));
        let outcomes: Vec<_> = std::iter::from_fn(|| player.step(&mut Bytes)).map(|s| s.outcome).collect();
        (outcomes, player.memory().byte(RAM + 0x150))
    };
    use crate::capture::replay::Outcome::{Done, StaleLoad};
    assert_eq!(outcomes(true), (vec![StaleLoad, Done, Done, StaleLoad, Done, Done], 4));
    assert_eq!(outcomes(false), (vec![Done; 6], 4));
    assert!(Player::new(&capture).expect("own state").machine.skips_stale_loads);
}

/// Each buffer counts by itself, as in a list of all; buffers inside of others are left out, and so are those of hostile
/// captures: once every event sorted all of them.
#[test]
fn rendered_buffers_are_few() {
    let mut seed = 5_u64;
    let mut random = move |below: u32| crate::random::word(&mut seed) % below;
    let (mut rendered, mut all) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let written: Vec<_> = (0..random(4)).map(|_| (random(500), 1 + random(60))).collect();
        all.extend_from_slice(&written);
        remember(&mut rendered, written);
        for load in (0..40).map(|_| (random(600), random(70))) {
            let is_inside = |&buffer: &(u32, u32)| buffer.0 <= load.0 && end(load) <= end(buffer);
            assert_eq!(holds(&rendered, load), all.iter().any(is_inside), "{load:?} in {rendered:?}");
        }
    }
    assert!(rendered.len() < 60, "{}", rendered.len());
    for n in 0..100_000 {
        remember(&mut rendered, vec![(n * 0x1000, 0x800), (n * 0x1000, 0x400)]);
    }
    assert_eq!(rendered.len(), MOST_RENDERED);
}

/// A recording of this project has no stale loads, so nothing is kept.
#[test]
fn rendered_buffers_are_kept_for_stale_loads_only() {
    let capture = trace(Vec::new());
    let rendered = |skip: bool| {
        let mut player = Player::new(&capture).expect("own state");
        player.skip_stale_loads(skip);
        let memory = BlockMemory::zeroed(&BLOCKS);
        let rendering = Rendering::new(&memory);
        rendering.written(RAM, 64);
        player.machine.collect(rendering);
        player.machine.rendered
    };
    assert_eq!((rendered(false), rendered(true)), (vec![], vec![(RAM, 64)]));
}

/// A list that reaches every unit with state.
fn busy_list() -> Vec<u8> {
    let mut list = ListBuilder::new();
    list.float_uniforms(Bank::Vertex, 90, &[[1.0; 4]; 8]).feed(0x2c1, &[1, 2]).feed(0x2cc, &[5; 9]);
    list.feed(0x2d6, &[6; 9])
        .feed(0x1c8, &[7; 300])
        .feed(0x0e8, &[8; 3])
        .feed(0x0b0, &[9; 3])
        .feed(0x124, &[1]);
    list.fixed_attribute(14, [1.0; 4]).feed(0x233, &[1, 2]);
    list.draw_arrays(0, 0, 7).draw_elements(3, 0x100, 9).draw_arrays(2, 1, 5).draw_arrays(3, 0, 30);
    list.write(0x232, 15).feed(0x233, &[0x3f00_0000; 100]).write(0x25e, 0x100).feed(0x234, &[3; 40]);
    list.finish()
}

/// A file is no more to be trusted than a guest: whatever words the state consists of, and whatever events
/// follow.
#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn damaged_states_and_random_events() {
    let mut seed = 11_u64;
    let mut random = move |below: u32| crate::random::word(&mut seed) % below;
    let mut host = Host::new();
    host.list(RAM, &mut ListBuilder::new());
    write_bytes(&host.memory, RAM, &busy_list());
    let run = |pica: &mut Pica| {
        let list = CommandList { address: RAM, size_bytes: busy_list().len() as u32 };
        let _ = pica.run(&mut Bytes, &host.memory, list);
    };
    run(&mut host.pica);
    let sound = host.pica.save();
    let mut loaded = 0;
    for i in 0..400 {
        let mut words = sound.words().to_vec();
        for _ in 0..=random(30) {
            let at = random(words.len() as u32) as usize;
            words[at] =
                [0, 1, 255, 0x7fff_ffff, u32::MAX, random(u32::MAX), words[at] ^ 1][random(7) as usize];
        }
        // The state of the front end is small among tables, so it gets damage of its own.
        let tail = words.len() - 2000;
        words[tail + random(2000) as usize] = random(u32::MAX) >> random(32);
        let mut events = vec![
            Event::Memory { address: RAM, bytes: busy_list().into() },
            Event::List { address: RAM, size_bytes: busy_list().len() as u32 },
        ];
        for _ in 0..20 {
            let (id, value) = (random(0x400) as u16, random(u32::MAX));
            events.push(match random(4) {
                0 => Event::Register { id, value, mask: random(16) as u8 },
                1 => Event::Mmio { address: 0x1040_0000 + 4 * u32::from(id), value: value & 0xffff },
                2 => Event::Memory { address: value, bytes: vec![i as u8; 9].into() },
                _ => Event::List { address: RAM + value % 0x1000, size_bytes: value % 0x1000 },
            });
        }
        let capture = Capture {
            origin: Origin::CiTrace,
            precision: Precision::Console,
            regions: BLOCKS.to_vec(),
            initial: crate::pica::Snapshot::from_words(words),
            events,
        };
        let Ok(mut player) = Player::new(&capture) else { continue };
        loaded += 1;
        while player.step(&mut Bytes).is_some() {}
    }
    assert!(loaded > 100, "{loaded} of 400 states could be loaded");
}
