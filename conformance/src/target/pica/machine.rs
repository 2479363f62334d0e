//! Accesses of a host or a guest to the machine: writes by address, and command lists.

use super::tiny;
use crate::pica::lists::Engines;
use picaflor_interp::Interpreter;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, Event, Origin};
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::display::Screen;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::{Pica, Snapshot};
use picaflor_scenes::modelling::matrix::Matrix;
use picaflor_scenes::modelling::mesh::Mesh;
use picaflor_scenes::modelling::paint::Canvas;
use picaflor_scenes::pica::kit::{Buffers, FCRAM, Kit, ShaderProgram, VRAM};
use picaflor_scenes::pica::programs;
use picaflor_scenes::pica::state::{Combiner, Sampler, State as _, func, source};
use std::sync::{Arc, LazyLock};

/// Bytes of an event: its kind, and two words.
const EVENT: usize = 9;
/// Maximum number of events of a case.
const EVENTS: usize = 32;

/// Writes by address. Format: the first byte selects the way to run, the second is the number of events; then the
/// events, then the initial memory.
///
/// # Panics
/// If that way differs from the reference, or the machine panics.
pub fn mmio(bytes: &[u8], engines: &mut Engines) {
    let [choice, count, rest @ ..] = bytes else { return };
    let (precision, way) = tiny::choice(*choice);
    let (events, memory) = rest.split_at(rest.len().min(usize::from(*count) % EVENTS * EVENT));
    let memory: Arc<[u8]> = Arc::from(memory);
    let loads = [FCRAM, VRAM].map(|address| Event::Memory { address, bytes: Arc::clone(&memory) });
    let events = events.as_chunks::<EVENT>().0.iter().map(event);
    let events = loads.into_iter().chain(events).collect();
    tiny::check(&capture(precision, Pica::new(precision).save(), events), way, engines);
}

fn event(bytes: &[u8; EVENT]) -> Event {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let (first, second) = (word(1), word(5));
    match bytes[0] {
        0..96 => Event::Mmio { address: 0x1040_0000 | first & 0x1fff, value: second },
        96..112 => Event::Mmio { address: 0x1020_2000 | first & 0xfff, value: second },
        112..116 => Event::Mmio { address: first, value: second },
        116..212 => {
            Event::Register { id: (first & 0x3ff) as u16, value: second, mask: (first >> 16) as u8 & 15 }
        }
        212..220 => Event::Register { id: first as u16, value: second, mask: (first >> 16) as u8 & 15 },
        220..250 => Event::List { address: FCRAM + (first & 0xff0), size_bytes: second & 0xffff },
        250..254 => Event::List { address: first, size_bytes: second },
        254 => Event::VBlank { screen: if first & 1 == 0 { Screen::Top } else { Screen::Bottom } },
        255 => Event::Frame,
    }
}

fn capture(precision: Precision, initial: Snapshot, events: Vec<Event>) -> Capture {
    Capture { origin: Origin::Recorder, precision, regions: tiny::REGIONS.to_vec(), initial, events }
}

/// Bytes of a command: a register, the operation, and a word.
const COMMAND: usize = 6;
/// Maximum number of commands of a case.
const COMMANDS: usize = 192;
/// Address of the list.
const LIST: u32 = FCRAM + (16 << 10);

/// Command lists. Format: the first byte selects the way to run; the rest are commands for a machine that is ready to
/// draw, followed by a draw.
///
/// # Panics
/// If that way differs from the reference, or the machine panics.
pub fn command_list(bytes: &[u8], engines: &mut Engines) {
    let Some((&choice, commands)) = bytes.split_first() else { return };
    let (precision, way) = tiny::choice(choice);
    let stage = &STAGES[usize::from(precision == Precision::Binary32)];
    let mut list = ListBuilder::new();
    for bytes in commands.as_chunks::<COMMAND>().0.iter().take(COMMANDS) {
        command(bytes, stage, &mut list);
    }
    draw(stage, 3, 6, &mut list);
    tiny::check(&stage.capture(&mut list), way, engines);
}

fn command(bytes: &[u8; COMMAND], stage: &Stage, list: &mut ListBuilder) {
    let [a, b, word @ ..] = *bytes;
    let (head, word) = (u16::from_le_bytes([a, b]), u32::from_le_bytes(word));
    let (id, mask) = (head & 0x3ff, (head >> 10 & 15) as u8 ^ 15);
    match head >> 14 {
        0 => list.write_bytes(id, word, mask),
        1 => list.burst(id, &[word; 8][..usize::from(mask & 7) + 1]),
        2 => list.feed(id, &[word, word.rotate_left(8), word.rotate_left(16), !word]),
        _ => draw(stage, word & 3, word >> 2 & 15, list),
    };
}

/// A fragment state as commands for [`command_list`], with the memory that there is.
#[must_use]
pub fn fragment_commands(registers: &Registers) -> Vec<u8> {
    let size = 1 << 24 | 15 << 12 | 16;
    let texture = (VRAM + 0x800) >> 3;
    let word = |id: u16| match id {
        0x06e | 0x11e => size,
        0x11c => (VRAM + 0x400) >> 3,
        0x11d => VRAM >> 3,
        0x085..=0x08a | 0x095 | 0x09d => texture,
        _ => registers.raw(id),
    };
    let blank = Registers::new();
    let changed = (0x040..0x200).filter(|&id| registers.raw(id) != blank.raw(id));
    changed.take(COMMANDS).flat_map(|id| [&id.to_le_bytes()[..], &word(id).to_le_bytes()].concat()).collect()
}

fn draw<'l>(stage: &Stage, topology: u32, count: u32, list: &'l mut ListBuilder) -> &'l mut ListBuilder {
    list.draw_elements(topology, stage.indices - FCRAM, count)
}

/// A machine that is ready to draw a textured rectangle, and its memory.
struct Stage {
    precision: Precision,
    initial: Snapshot,
    memory: Vec<Event>,
    indices: u32,
}

static STAGES: LazyLock<[Stage; 2]> =
    LazyLock::new(|| [Precision::Console, Precision::Binary32].map(Stage::new));

impl Stage {
    fn new(precision: Precision) -> Self {
        let mut kit = Kit::new();
        let buffers = kit.buffers(16, 16);
        let placed = kit.mesh(&Mesh::quad(1.6, 1.6).moved(1.0, [0.1, 0.1, -0.5]));
        plain_state(&mut kit, &buffers);
        kit.arrays(placed.vertices, 48, &[(3, 3), (3, 3), (3, 2), (3, 4)]);
        kit.submit();
        let ready = Capture { regions: tiny::REGIONS.to_vec(), ..kit.finish(precision) };
        let mut player = Player::new(&ready).expect("a sound capture");
        while player.step(&mut Interpreter::new()).is_some() {}
        let initial = player.pica().save();
        let memory = ready.events.into_iter().filter(|event| matches!(event, Event::Memory { .. })).collect();
        Self { precision, initial, memory, indices: placed.indices }
    }

    /// The list, run on this.
    fn capture(&self, list: &mut ListBuilder) -> Capture {
        let bytes: Arc<[u8]> = Arc::from(list.write(0x111, 1).finish());
        let run = Event::List { address: LIST, size_bytes: bytes.len() as u32 };
        let events = [&self.memory[..], &[Event::Memory { address: LIST, bytes }, run]].concat();
        capture(self.precision, self.initial.clone(), events)
    }
}

fn plain_state(kit: &mut Kit, buffers: &Buffers) {
    let program = ShaderProgram::assemble(programs::TEXTURED);
    let texture = kit.texture(&Canvas::checker(8, 4, [255, 128, 0, 255], [0, 64, 255, 128]), 0);
    kit.list.defaults(buffers);
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", &Matrix::IDENTITY);
    kit.list.texture(0, &texture, &Sampler::NEAREST).units(1).depth_test(func::ALWAYS, true);
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::engine::NamedEngine;
    use crate::pica::lists;

    #[test]
    fn lists_draw() {
        let mut engines = Engines::new().expect("this host runs compiled code");
        command_list(&[0], &mut engines);
        command_list(&[3, 0x00, 0xc0, 7, 0, 0, 0], &mut engines);
        let stage = &STAGES[0];
        let mut list = ListBuilder::new();
        draw(stage, 3, 6, &mut list);
        let case = stage.capture(&mut list);
        let mut reference = NamedEngine::by_name("interp").expect("a name").expect("an engine");
        let ran = lists::run(&case, &mut reference, 1);
        assert!(ran.stats.fragments > 50, "{:?}", ran.stats);
        assert!(ran.faults.as_slice().is_empty(), "{:?}", ran.faults);
    }
}
