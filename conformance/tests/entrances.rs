//! Every scene of the PICA200 through the entrance of hosts with a command processor of their own: what they give is
//! registers, uploads as they happen, fills and transfers. The bytes are those of whole lists.

use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::{CommandList, ListReader};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::Registers;
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
        Self { processor: machine(), machine: machine(), engine, memory, draws: 0 }
    }

    fn fields(&mut self) -> Vec<Vec<u32>> {
        let read = |field| {
            let mut words = vec![0; self.processor.field_words(field)];
            self.processor.read_field(field, 0, &mut words).expect("all of its words");
            words
        };
        UPLOADED.into_iter().map(read).collect()
    }

    /// A write of a list.
    fn write(&mut self, id: u16, value: u32, mask: u8) {
        if matches!(id, DRAW_ARRAYS | DRAW_ELEMENTS) {
            self.draws += 1;
            let registers = self.processor.registers().words();
            let input = if id == DRAW_ARRAYS { Input::Arrays } else { Input::Elements };
            let call = DrawCall { registers, changed: None, input };
            self.machine.draw_with(&mut self.engine, &self.memory, &call).expect("within the limits");
        } else if id == 0x25f {
            self.machine.write_register(&mut self.engine, &self.memory, id, value, mask).expect("no list");
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

    fn list(&mut self, list: CommandList) {
        // The processor draws nothing, so what is read here is what the machine would read.
        let mut writes = Vec::new();
        let mut reader = ListReader::new(&self.memory, list);
        while let Some(command) = reader.next_command().expect("in memory") {
            for k in 0..command.parameters {
                let value = reader.parameter(&command, k).expect("in memory");
                writes.push((command.register(k) as u16, value, command.header.mask()));
            }
        }
        for (id, value, mask) in writes {
            let is_kept = (0x040..Registers::COUNT as u16).contains(&id) && !(0x238..=0x23d).contains(&id);
            if is_kept && mask != 0 {
                self.write(id, value, mask);
            }
        }
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
            Event::Frame | Event::VBlank { .. } => {}
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
            Event::Frame | Event::VBlank { .. } => {}
        }
    }
    memory
}

#[test]
fn scenes_by_registers() {
    let (mut draws, mut scenes) = (0, 0);
    for scene in Scene::all() {
        // Immediate vertices arrive as attributes: the examples of all ways have them.
        if scene.name == "immediate_mode" {
            continue;
        }
        let capture = scene.capture(Precision::Console);
        let mut host = Host::new(&capture);
        capture.events.iter().for_each(|event| host.play(event));
        let expected = drawn(&capture);
        for &(address, length) in &capture.regions {
            let [actual, expected] = [&host.memory, &expected]
                .map(|memory| memory.region(address, length).expect("mapped").to_vec());
            assert!(actual == expected, "{}: {address:#x}", scene.name);
        }
        draws += host.draws;
        scenes += 1;
    }
    println!("{scenes} scenes, {draws} draws by registers");
    assert!(scenes > 30 && draws > 300, "{scenes} scenes, {draws} draws");
}
