//! Recordings of a host that draws: whatever it does is in them, and they play to the same bytes.

use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, Memory, read_bytes, write_bytes};
use picaflor_pipeline::pica::capture::ctf::{CiTrace, Element, Layout, Tables};
use picaflor_pipeline::pica::capture::replay::{Outcome, Player};
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
use picaflor_pipeline::pica::display::Screen;
use picaflor_pipeline::pica::float::{Precision, encode_f24};
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::{Finished, Pica};
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::tile::Tiling;

const BLOCKS: [(u32, u32); 2] = [(0x1800_0000, 0x10_0000), (0x2000_0000, 0x10_0000)];
/// Render target, and what it is copied to, all of `SIDE` x `SIDE` pixels of four bytes: large enough for
/// threads.
const TARGET: u32 = 0x1800_0000;
const TEXTURE: u32 = 0x2008_0000;
const SHOWN: u32 = 0x1808_0000;
const LIST: u32 = 0x2000_0000;
const SUB_LIST: u32 = 0x2000_4000;
const ARRAYS: u32 = 0x2001_0f80;
const SIDE: u32 = 256;
const BYTES: u32 = SIDE * SIDE * 4;

const PROGRAM: &str = "\
.fvec offset
.out outpos position
.out outclr color
.out outtc0 texcoord0
.in inpos v0
.in inclr v1
.entry main
.proc main
	add outpos, offset, inpos
	mov outclr, inclr
	mov outtc0, inpos
	end
.end
";

/// Registers that are set once.
fn set_up() -> ListBuilder {
    let shbin = assemble(&[SourceFile::new("textured", PROGRAM)], Options::default()).expect("it assembles");
    let mut list = ListBuilder::new();
    list.program(Bank::Vertex, &shbin.program).executable(Bank::Vertex, &shbin.executables[0], 2);
    list.output_map(&shbin.executables[0]).write(0x242, 1);
    let scale = encode_f24(SIDE as f32 / 2.0);
    list.burst(0x041, &[scale, 0x3811_1100, scale, 0x3811_1100]).write(0x068, 0);
    let dim = 1 << 24 | (SIDE - 1) << 12 | SIDE;
    list.burst(0x11c, &[0, TARGET >> 3, dim]).burst(0x112, &[15, 15, 0, 0]).burst(0x116, &[0, 2]);
    list.write(0x100, 0x00e4_0000).write(0x102, 3).write(0x107, 0x0f10).write(0x06d, 1);
    list.burst(0x04d, &[encode_f24(-1.0), 0]);
    // Texture unit 0: RGBA8, repeated.
    list.write(0x080, 1)
        .burst(0x082, &[SIDE << 16 | SIDE, 0x2200])
        .write(0x085, TEXTURE >> 3)
        .write(0x08e, 0);
    // Vertex colour plus texture.
    list.burst(0x0c0, &[0x0fff_0f30, 0, 2, 0, 0]);
    for stage in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        list.burst(stage, &[0x0fff_0fff, 0, 0, 0, 0]);
    }
    list.burst(0x200, &[ARRAYS >> 3, 0xff, 0x1000_0000, 0, 0x10, 0x2020_0000]);
    list
}

/// What changes from frame to frame.
fn draw(frame: u32) -> ListBuilder {
    let mut list = ListBuilder::new();
    list.float_uniforms(Bank::Vertex, 0, &[[0.125 * frame as f32, 0.0, 0.0, 0.0]]).draw_arrays(0, 0, 3);
    list
}

fn triangle(frame: u32) -> Vec<u8> {
    let corners = [[-0.8, -0.9], [0.7, -0.75], [-0.3, 0.9 - 0.2 * frame as f32]];
    let vertex = |[x, y]: [f32; 2]| [x, y, -0.5, 1.0, 0.25 * frame as f32, 0.5, 0.125, 1.0];
    corners.into_iter().flat_map(vertex).flat_map(f32::to_le_bytes).collect()
}

/// The writes that start a fill of the target, and transfers out of it.
fn clear(colour: u32) -> [(u32, u32); 4] {
    let end = (TARGET + BYTES) >> 3;
    [(0x1040_0010, TARGET >> 3), (0x1040_0014, end), (0x1040_0018, colour), (0x1040_001c, 0x201)]
}

/// `flags`: 0 to a linear picture, 8 a copy as it is.
fn transfer(to: u32, flags: u32) -> [(u32, u32); 9] {
    let size = SIDE << 16 | SIDE;
    let [input, output] = [(0x1040_0c00, TARGET >> 3), (0x1040_0c04, to >> 3)];
    let sizes = [(0x1040_0c08, size), (0x1040_0c0c, size), (0x1040_0c20, BYTES)];
    let rest = [(0x1040_0c24, 0), (0x1040_0c28, 0), (0x1040_0c10, flags), (0x1040_0c18, 1)];
    [input, output, sizes[0], sizes[1], sizes[2], rest[0], rest[1], rest[2], rest[3]]
}

const SCAN_OUT: [(u32, u32); 4] =
    [(0x1040_045c, SIDE << 16 | SIDE), (0x1040_0468, SHOWN), (0x1040_0470, 0), (0x1040_0490, SIDE * 4)];

struct Host {
    pica: Pica,
    memory: BlockMemory,
    engine: Interpreter,
}

impl Host {
    fn new(precision: Precision, threads: usize) -> Self {
        let mut pica = Pica::new(precision);
        pica.set_tiling(Tiling::new(threads));
        Self { pica, memory: BlockMemory::zeroed(&BLOCKS), engine: Interpreter::new() }
    }

    fn mmio(&mut self, writes: &[(u32, u32)]) {
        for &(address, value) in writes {
            self.pica.write_mmio(&mut self.engine, &self.memory, address, value).expect("no list");
        }
    }

    fn run(&mut self, bytes: &[u8]) {
        write_bytes(&self.memory, LIST, bytes);
        let list = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
        let finished = self.pica.run(&mut self.engine, &self.memory, list);
        assert_eq!(finished, Ok(Finished::Interrupt));
        assert_eq!(self.pica.faults().as_slice(), []);
    }

    /// A frame whose picture shows the one before: clear, draw in a list that is jumped to, copy, show.
    fn frame(&mut self, frame: u32) {
        write_bytes(&self.memory, ARRAYS, &triangle(frame));
        self.mmio(&clear(0x1000_0000 * frame + 0xff));
        let sub_list = draw(frame).finish();
        write_bytes(&self.memory, SUB_LIST, &sub_list);
        let mut list = ListBuilder::new();
        list.jump(0, SUB_LIST, sub_list.len() as u32);
        self.run(&list.finish());
        self.mmio(&transfer(SHOWN, 0));
        self.mmio(&transfer(TEXTURE, 8));
        // The CPU paints over a part of it.
        write_bytes(&self.memory, TEXTURE + 0x1800 + frame, &[0x55; 0x400]);
        self.pica.frame_end(&self.memory);
    }
}

fn all_of(memory: &BlockMemory) -> Vec<u8> {
    memory.blocks().iter().flat_map(|block| block.as_slice().to_vec()).collect()
}

fn picture(pica: &Pica, memory: &dyn Memory) -> Picture {
    pica.picture(&mut Interpreter::new(), memory, Screen::Top).expect("a picture")
}

/// Records `frames` frames, from the second on. Returns the recording and all of memory after each frame.
fn record(precision: Precision, threads: usize, frames: u32) -> (Host, Capture, Vec<Vec<u8>>) {
    let mut host = Host::new(precision, threads);
    host.run(&set_up().finish());
    host.mmio(&SCAN_OUT);
    host.frame(0);
    host.pica.start_recording(&host.memory, &BLOCKS).expect("sound blocks");
    let mut memories = Vec::new();
    for frame in 1..=frames {
        host.frame(frame);
        memories.push(all_of(&host.memory));
    }
    let capture = host.pica.stop_recording().expect("a recording");
    (host, capture, memories)
}

/// Where the host's changes after the last operation on a page are not in the recording.
fn forget_last_paint(memory: &mut [u8], frame: u32) {
    let start = (BLOCKS[0].1 + TEXTURE - BLOCKS[1].0 + 0x1800 + frame) as usize;
    memory[start..start + 0x400].fill(0);
}

#[test]
fn frames_replay_to_the_same_bytes() {
    let mut recordings = Vec::new();
    for (precision, threads) in [(Precision::Console, 1), (Precision::Console, 2), (Precision::Binary32, 2)] {
        let (host, capture, memories) = record(precision, threads, 3);
        let capture = {
            let back = Capture::read(&capture.to_bytes()).expect("own file");
            assert_eq!(back, capture);
            back
        };
        let mut player = Player::new(&capture).expect("own state");
        let mut engine = Interpreter::new();
        for (frame, expected) in (1..).zip(memories) {
            let report = player.run_frame(&mut engine).expect("a frame");
            assert_eq!(report.errors, []);
            let [mut left, mut right] = [all_of(player.memory()), expected];
            forget_last_paint(&mut left, frame);
            forget_last_paint(&mut right, frame);
            assert!(left == right, "frame {frame}");
        }
        assert_eq!(player.run_frame(&mut engine), None);
        assert_eq!(player.pica().save(), host.pica.save());
        assert_eq!(player.pica().stats().draws, 4);
        let shown = picture(&host.pica, &host.memory);
        let background = shown.pixel(0, shown.height - 1);
        let drawn = shown.rgb.chunks_exact(3).filter(|pixel| **pixel != background).count() as u32;
        assert!((SIDE * SIDE / 8..SIDE * SIDE / 2).contains(&drawn), "{drawn} pixels of a triangle");
        recordings.push(capture);
    }
    assert_eq!(recordings[0], recordings[1], "threads leave no trace");
}

/// The pages that the machine made itself are not stored.
#[test]
fn rendered_buffers_are_not_recorded() {
    let (_, capture, _) = record(Precision::Console, 2, 4);
    let mut started = false;
    for event in &capture.events {
        match event {
            Event::Memory { address, bytes } if started => {
                let end = address + bytes.len() as u32;
                assert!(end <= TARGET || *address >= TARGET + BYTES, "{address:#x} in the target");
                assert!(end <= SHOWN || *address >= SHOWN + BYTES, "{address:#x} in the picture");
            }
            Event::Memory { .. } => {}
            _ => started = true,
        }
    }
}

fn write(address: u32, value: u32) -> Element {
    Element::Write { address, width_bytes: 4, value: value.into() }
}

fn load(address: u32, bytes: Vec<u8>) -> Element {
    Element::Load { address, bytes: bytes.into() }
}

/// What Citra's recorder would have written of a machine before its first list. The w components are not to
/// be trusted, so what depends on them is in the list.
fn tables(host: &Host) -> Tables {
    let program = host.pica.vertex_bank().program();
    Tables {
        gpu_registers: (0..0x400_u16).map(|i| host.pica.external().word(4 * i)).collect(),
        lcd_registers: vec![0; 0x400],
        pica_registers: host.pica.registers().words()[..0x300].to_vec(),
        default_attributes: vec![0; 64],
        vs_program: program.code().to_vec(),
        vs_descriptors: program.descriptors().to_vec(),
        vs_floats: vec![0xdead_beef; 96 * 4],
        ..Tables::default()
    }
}

#[test]
fn a_citrace_plays_to_the_expected_picture() {
    let mut host = Host::new(Precision::Console, 1);
    host.run(&set_up().finish());
    host.mmio(&SCAN_OUT);
    let tables = tables(&host);
    let texture: Vec<u8> = (0..BYTES).map(|i| (i / 7) as u8).collect();
    write_bytes(&host.memory, TEXTURE, &texture);
    write_bytes(&host.memory, ARRAYS, &triangle(1));
    let list = draw(1).finish();
    host.mmio(&clear(0x2040_60ff));
    host.run(&list);
    host.mmio(&transfer(SHOWN, 0));
    let expected = picture(&host.pica, &host.memory);

    let writes = |writes: &[(u32, u32)]| -> Vec<Element> {
        writes.iter().map(|&(address, value)| write(address, value)).collect()
    };
    let size = list.len() as u32;
    let mut elements = writes(&clear(0x2040_60ff));
    // What the GPU reads precedes the write that starts it, and the size is in bytes.
    elements.extend([load(LIST, list), load(ARRAYS, triangle(1)), load(TEXTURE, texture)]);
    elements.extend(writes(&[(0x1040_18e0, size), (0x1040_18e8, LIST >> 3), (0x1040_18f0, 1)]));
    // The next list reads the target as a texture; RAM held something else beside a hardware renderer.
    elements.push(load(TARGET, vec![0x99; BYTES as usize]));
    elements.extend(writes(&transfer(SHOWN, 0)));
    elements.push(Element::Frame);
    let trace = CiTrace { tables, elements };
    for (first_generation, late_writes) in [(false, false), (true, false), (false, true), (true, true)] {
        let file = trace.to_bytes(Layout { first_generation, late_writes });
        let capture = Capture::read(&file).expect("sound");
        let mut player = Player::new(&capture).expect("own state");
        let mut engine = Interpreter::new();
        let report = player.run_frame(&mut engine).expect("a frame");
        assert_eq!((report.stale_loads, &report.errors[..]), (1, &[][..]));
        let memory = player.memory().clone();
        assert!(picture(player.pica(), &memory) == expected, "{first_generation} {late_writes}");
    }
    let mut player_of_all = trace.to_capture();
    player_of_all.events.truncate(player_of_all.events.len() - 1);
    let mut player = Player::new(&player_of_all).expect("own state");
    player.skip_stale_loads(false);
    let mut engine = Interpreter::new();
    let outcomes: Vec<_> = std::iter::from_fn(|| player.step(&mut engine)).map(|step| step.outcome).collect();
    assert!(!outcomes.contains(&Outcome::StaleLoad));
    assert_eq!(read_bytes::<4>(player.memory(), SHOWN), [0x99; 4]);
}
