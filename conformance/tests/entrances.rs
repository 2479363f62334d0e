//! Every scene of the PICA200 through the entrance of hosts with a command processor of their own: what they give is
//! registers, uploads and immediate vertices as they happen, fills and transfers. The bytes are those of whole lists.

use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::{CommandList, ListReader};
use picaflor_pipeline::pica::float::{Precision, f24, unpack_f24x4};
use picaflor_pipeline::pica::stage::NoEngines;
use picaflor_pipeline::pica::{DrawCall, Field, Input, Pica};
use picaflor_scenes::pica::Scene;

const DRAW_ARRAYS: u16 = 0x22e;
const DRAW_ELEMENTS: u16 = 0x22f;

/// Fields that uploads change.
const UPLOADED: [Field; 17] = [
    Field::VertexCode,
    Field::VertexDescriptors,
    Field::VertexFloats,
    Field::VertexFloatForms,
    Field::GeometryCode,
    Field::GeometryDescriptors,
    Field::GeometryFloats,
    Field::GeometryFloatForms,
    Field::LightingTables,
    Field::FogTable,
    Field::NoiseTable,
    Field::ColourMap,
    Field::AlphaMap,
    Field::Colours,
    Field::ColourDifferences,
    Field::GasTable,
    Field::FixedAttributes,
];

/// True for registers whose write may be an upload.
fn is_upload(id: u16) -> bool {
    matches!(id, 0x0e8..=0x0ef | 0x0b0..=0x0b7 | 0x124 | 0x1c8..=0x1cf | 0x233..=0x235 | 0x290..=0x2df)
}

/// The host: its command processor is a machine without engines.
struct Host {
    processor: Pica,
    machine: Pica,
    engine: Engine,
    memory: BlockMemory,
    draws: usize,
    /// Immediate mode is selected.
    is_immediate: bool,
    /// Words of immediate vertices that are not drawn yet.
    words: Vec<u32>,
}

impl Host {
    fn new(capture: &Capture) -> Self {
        let machine = || {
            let mut pica = Pica::new(capture.precision);
            pica.load(&capture.initial).expect("a state");
            pica
        };
        let engine = Engine::builder().mode(EngineMode::Blocking).build().expect("an engine");
        let memory = BlockMemory::zeroed(&capture.regions);
        let (processor, machine) = (machine(), machine());
        Self { processor, machine, engine, memory, draws: 0, is_immediate: false, words: Vec::new() }
    }

    fn fields(&mut self) -> Vec<Vec<u32>> {
        let read = |field| {
            let mut words = vec![0; self.processor.field_words(field)];
            self.processor.read_field(field, 0, &mut words).expect("all of its words");
            words
        };
        UPLOADED.into_iter().map(read).collect()
    }

    /// Draws with the registers of now.
    fn draw(&mut self, input: Input<'_>) {
        self.draws += 1;
        let call = DrawCall { registers: self.processor.registers().words(), changed: None, input };
        self.machine.draw_with(&mut self.engine, &self.memory, &call).expect("within the limits");
    }

    /// Draws the immediate vertices that have arrived.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            let vectors = words.as_chunks::<3>().0.iter().map(|&words| unpack_f24x4(words).map(f24));
            self.draw(Input::Immediate(&vectors.collect::<Vec<_>>()));
        }
    }

    /// A write of a list.
    fn write(&mut self, id: u16, value: u32, mask: u8) {
        if self.is_immediate && matches!(id, 0x233..=0x235) {
            self.words.push(value);
            return;
        }
        self.flush();
        match id {
            DRAW_ARRAYS => self.draw(Input::Arrays),
            DRAW_ELEMENTS => self.draw(Input::Elements),
            0x232 => self.is_immediate = value & 15 == 15,
            // They drop the incomplete primitive when they are written.
            0x25e | 0x25f => {
                let Self { machine, engine, memory, .. } = self;
                machine.write_register(engine, memory, id, value, mask).expect("no list");
            }
            _ => {}
        }
        let before = if is_upload(id) { self.fields() } else { Vec::new() };
        self.processor.write_register(&mut NoEngines, &self.memory, id, value, mask).expect("no list");
        if is_upload(id) {
            let after = self.fields();
            for ((field, before), after) in UPLOADED.into_iter().zip(before).zip(after) {
                for n in (0..after.len()).filter(|&n| before[n] != after[n]) {
                    self.machine.write_field(field, n, &after[n..=n]).expect("a word of the field");
                }
            }
        }
    }

    /// The writes of a list. The processor draws nothing, so what is read is what the machine would read.
    fn writes_of(&self, list: CommandList) -> Vec<(u16, u32, u8)> {
        let mut writes = Vec::new();
        let mut reader = ListReader::new(&self.memory, list);
        while let Some(command) = reader.next_command().expect("in memory") {
            for k in 0..command.parameters {
                let value = reader.parameter(&command, k).expect("in memory");
                writes.push((command.register(k) as u16, value, command.header.mask()));
            }
        }
        writes
    }

    /// A list, and those that it jumps to.
    fn list(&mut self, list: CommandList) {
        let mut next = Some(list);
        while let Some(list) = next.take() {
            for (id, value, mask) in self.writes_of(list).into_iter().filter(|write| write.2 != 0) {
                match id {
                    // The interrupt ends the list.
                    0x010 => break,
                    0x23c | 0x23d => {
                        let channel = (id - 0x23c) as u8;
                        next = Some(CommandList::of_channel(self.processor.registers(), channel));
                        break;
                    }
                    0x040..0x400 => self.write(id, value, mask),
                    _ => {}
                }
            }
        }
        self.flush();
    }

    fn play(&mut self, event: &Event) {
        match *event {
            Event::Memory { address, ref bytes } => write_bytes(&self.memory, address, bytes),
            Event::List { address, size_bytes } => self.list(CommandList { address, size_bytes }),
            Event::Mmio { address, value } => {
                let Self { machine, engine, memory, .. } = self;
                machine.write_mmio(engine, memory, address, value).expect("no list");
            }
            Event::Register { id, value, mask } => self.write(id, value, mask),
            Event::Frame | Event::VBlank { .. } | Event::Field { .. } => {}
        }
    }
}

/// What whole lists draw.
fn drawn(capture: &Capture) -> BlockMemory {
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut pica = Pica::new(capture.precision);
    pica.load(&capture.initial).expect("a state");
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("an engine");
    for event in &capture.events {
        match *event {
            Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
            Event::List { address, size_bytes } => {
                let list = CommandList { address, size_bytes };
                pica.run(&mut engine, &memory, list).expect("within the limits");
            }
            Event::Mmio { address, value } => {
                pica.write_mmio(&mut engine, &memory, address, value).expect("no list");
            }
            Event::Register { id, value, mask } => {
                pica.write_register(&mut engine, &memory, id, value, mask).expect("no list");
            }
            Event::Frame | Event::VBlank { .. } | Event::Field { .. } => {}
        }
    }
    memory
}

fn contents(memory: &BlockMemory, capture: &Capture) -> Vec<Vec<u8>> {
    let block = |&(at, length): &(u32, u32)| memory.region(at, length).expect("mapped").to_vec();
    capture.regions.iter().map(block).collect()
}

/// What a recording of the host draws, from its file; bytes that the machine neither read nor wrote are missing in it, so
/// that they are taken from the host.
fn replayed(host: &mut Host) -> Vec<Vec<u8>> {
    let recording = host.machine.stop_recording().expect("it is not dropped");
    let recording = Capture::read(&recording.to_bytes()).expect("a capture");
    let mut player = Player::new(&recording).expect("a sound capture");
    while player.step(&mut host.engine).is_some() {}
    let (played, real) = (contents(player.memory(), &recording), contents(&host.memory, &recording));
    let is_touched = |page: &[u8]| page.iter().any(|&byte| byte != 0);
    let pages = |played: &[u8], real: &[u8]| {
        let pages = played.chunks(4096).zip(real.chunks(4096));
        pages.flat_map(|(played, real)| if is_touched(played) { played } else { real }.to_vec()).collect()
    };
    played.iter().zip(&real).map(|(played, real)| pages(played, real)).collect()
}

#[test]
fn scenes_by_registers() {
    let (mut draws, mut scenes, mut wrong) = (0, 0, Vec::new());
    for scene in Scene::all() {
        let capture = scene.capture(Precision::Console);
        let mut host = Host::new(&capture);
        host.machine.start_recording(&host.memory, &capture.regions).expect("sound blocks");
        capture.events.iter().for_each(|event| host.play(event));
        let expected = drawn(&capture);
        for &(address, length) in &capture.regions {
            let [actual, expected] = [&host.memory, &expected]
                .map(|memory| memory.region(address, length).expect("mapped").to_vec());
            if actual != expected {
                wrong.push(format!("{}: {address:#x}", scene.name));
            }
        }
        if replayed(&mut host) != contents(&host.memory, &capture) {
            wrong.push(format!("{}: the recording", scene.name));
        }
        draws += host.draws;
        scenes += 1;
    }
    println!("{scenes} scenes, {draws} draws by registers");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(scenes > 30 && draws > 100, "{scenes} scenes, {draws} draws");
}
