//! A capture as a CiTrace recording: its initial state as tables, its events as the writes of a CPU and the memory that
//! the machine reads.
//!
//! Tables of lighting, fog and procedural textures become writes to their ports in front of everything else: the format
//! has no place for them.

use super::Pica;
use crate::convert::{Converted, Losses};
use crate::inspect::NoAnswer;
use crate::machine::{Machine as _, Plays as _};
use crate::setup::Setup;
use picaflor_pipeline::memory::{Memory, read_bytes};
use picaflor_pipeline::pica::capture::ctf::{CiTrace, Element, Layout, Tables};
use picaflor_pipeline::pica::capture::replay::{Outcome, Player};
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::float::{Precision, encode_f24};
use picaflor_pipeline::pica::{Field, Pica as Unit, Snapshot};
use std::collections::HashMap;
use std::sync::Arc;

/// Physical address of the P3D registers, and of those behind them.
const P3D: u32 = 0x1040_1000;
const P3D_END: u32 = 0x1040_2000;
/// Registers of channel 0 for lists: bytes / 8, address / 8, start.
const LIST_SIZE: u16 = 0x238;
const LIST_ADDRESS: u16 = 0x23a;
const LIST_START: u16 = 0x23c;
/// Registers in the table of the initial state.
const REGISTERS: usize = 0x300;

/// Most bytes of lists that are loaded for a reader.
const MOST_LOADED: u64 = 1 << 30;

/// What a recording has no place for.
mod lost {
    pub(super) const PRECISION: &str = "rounding of shaders to binary32: a reader rounds as the console does";
    pub(super) const VBLANKS: &str = "vertical blanks";
    pub(super) const FLOATS: &str = "float uniforms that 24 bits do not hold";
    pub(super) const MASKS: &str = "register writes of separate bytes, which become several writes";
    pub(super) const STALE: &str = "loads into buffers that the frame draws, which readers take for stale";
    pub(super) const ORIGIN: &str =
        "the exact times of loads: a reader takes those of a CiTrace for approximate";
}

/// The recording of a capture.
///
/// # Errors
/// The capture is not sound, no engine runs here, or a list cannot be named.
pub(crate) fn to_citrace(capture: &Capture) -> Result<Converted, NoAnswer> {
    let mut losses = Losses::default();
    losses.always(lost::ORIGIN);
    if capture.precision != Precision::Console {
        losses.always(lost::PRECISION);
    }
    let (tables, uploads) = initial(&capture.initial, capture.precision, &mut losses)?;
    let count = uploads.len();
    let mut writer = Writer { elements: uploads, ..Writer::default() };
    let mut engine = Pica::engine("jit", Setup::default()).map_err(NoAnswer::new)?;
    let mut player = Player::new(capture).map_err(NoAnswer::new)?;
    while let Some(event) = capture.events.get(player.position()) {
        writer.event(event, player.memory(), &mut losses)?;
        player.step(Pica::stages(&mut engine));
    }
    let trace = CiTrace { tables, elements: writer.elements };
    let read = trace.to_capture();
    regions(capture, &read, &mut losses);
    state(&capture.initial, &read, count, &mut losses)?;
    losses.count(lost::STALE, stale(&read)?);
    Ok(Converted { bytes: trace.to_bytes(Layout::default()), losses })
}

/// All words of a field.
fn words(pica: &mut Unit, field: Field) -> Vec<u32> {
    let mut words = vec![0; pica.field_words(field)];
    // Its own number of words.
    let _ = pica.read_field(field, 0, &mut words);
    words
}

/// The tables of a state, and the writes for what they have no place for.
fn initial(
    state: &Snapshot,
    precision: Precision,
    losses: &mut Losses,
) -> Result<(Tables, Vec<Element>), NoAnswer> {
    let mut pica = Unit::new(precision);
    pica.load(state).map_err(NoAnswer::new)?;
    let pica = &mut pica;
    let registers = words(pica, Field::Registers);
    let mut gpu_registers = words(pica, Field::External);
    gpu_registers.resize(0x400, 0);
    gpu_registers.extend(registers.iter().take(REGISTERS));
    gpu_registers.resize(0x1000, 0);
    let mut floats = |values: Field, forms: Field| {
        let (values, forms) = (words(pica, values), words(pica, forms));
        let raw = |(n, &word): (usize, &u32)| match forms.get(n / 4) {
            Some(0) | None => word & 0xff_ffff,
            Some(_) => f24(word, losses),
        };
        values.iter().enumerate().map(raw).collect::<Vec<u32>>()
    };
    let vs_floats = floats(Field::VertexFloats, Field::VertexFloatForms);
    let gs_floats = floats(Field::GeometryFloats, Field::GeometryFloatForms);
    let attributes = words(pica, Field::FixedAttributes);
    let tables = Tables {
        gpu_registers,
        lcd_registers: words(pica, Field::Lcd),
        pica_registers: registers[..REGISTERS].to_vec(),
        default_attributes: attributes.iter().map(|&word| f24(word, losses)).collect(),
        vs_program: words(pica, Field::VertexCode),
        vs_descriptors: words(pica, Field::VertexDescriptors),
        vs_floats,
        gs_program: words(pica, Field::GeometryCode),
        gs_descriptors: words(pica, Field::GeometryDescriptors),
        gs_floats,
    };
    Ok((tables, uploads(pica, &registers)))
}

/// The 24 bits of a binary32 word.
fn f24(word: u32, losses: &mut Losses) -> u32 {
    let value = f32::from_bits(word);
    let raw = encode_f24(value);
    let is_lost = picaflor_pipeline::pica::float::f24(raw).to_bits() != word;
    losses.count_if(lost::FLOATS, is_lost);
    raw
}

/// Writes that fill the tables of the fragment units. Tables of zeros are left out: a reader begins with those.
fn uploads(pica: &mut Unit, registers: &[u32]) -> Vec<Element> {
    let mut elements = Vec::new();
    let mut upload = |index: u16, data: u16, number: u32, entries: &[u32]| {
        if entries.iter().any(|&entry| entry != 0) {
            elements.push(write(index, number << 8));
            elements.extend(entries.iter().map(|&entry| write(data, entry)));
            elements.push(write(index, registers[usize::from(index)]));
        }
    };
    for (number, entries) in (0..).zip(words(pica, Field::LightingTables).chunks(256)) {
        upload(0x1c5, 0x1c8, number, entries);
    }
    upload(0x0e6, 0x0e8, 0, &words(pica, Field::FogTable));
    upload(0x123, 0x124, 0, &words(pica, Field::GasTable));
    let tables =
        [Field::NoiseTable, Field::ColourMap, Field::AlphaMap, Field::Colours, Field::ColourDifferences];
    for (number, field) in [0, 2, 3, 4, 5].into_iter().zip(tables) {
        upload(0x0af, 0x0b0, number, &words(pica, field));
    }
    elements
}

/// A write of a whole word to a P3D register.
fn write(id: u16, value: u32) -> Element {
    Element::Write { address: P3D + u32::from(id) * 4, width_bytes: 4, value: value.into() }
}

/// The elements so far.
#[derive(Default)]
struct Writer {
    elements: Vec<Element>,
    /// Bytes of the latest load from each address: a reader takes the size of a list from there.
    loads: HashMap<u32, u32>,
    /// Registers of channel 0, which a reader holds back.
    list: [u32; 2],
    /// Bytes of lists that were loaded.
    loaded: u64,
}

impl Writer {
    fn event(&mut self, event: &Event, memory: &dyn Memory, losses: &mut Losses) -> Result<(), NoAnswer> {
        match *event {
            Event::Memory { address, ref bytes } => self.load(address, Arc::clone(bytes)),
            Event::Register { id, value, mask } => {
                return self.register(memory, [id.into(), value], mask, losses);
            }
            Event::Mmio { address, value } if (P3D..P3D_END).contains(&address) => {
                return self.register(memory, [(address - P3D) / 4, value], 15, losses);
            }
            Event::Mmio { address, value } => {
                self.elements.push(Element::Write { address, width_bytes: 4, value: value.into() });
            }
            Event::List { address, size_bytes } => return self.start(memory, address, size_bytes),
            Event::VBlank { .. } => losses.count(lost::VBLANKS, 1),
            Event::Field { field, .. } => {
                losses.count(&format!("state that the host set, {}", field.name()), 1);
            }
            Event::Frame => self.elements.push(Element::Frame),
        }
        Ok(())
    }

    fn load(&mut self, address: u32, bytes: Arc<[u8]>) {
        self.loads.insert(address, bytes.len() as u32);
        self.elements.push(Element::Load { address, bytes });
    }

    /// A write to the bytes of a P3D register that `mask` names.
    fn register(
        &mut self,
        memory: &dyn Memory,
        [id, value]: [u32; 2],
        mask: u8,
        losses: &mut Losses,
    ) -> Result<(), NoAnswer> {
        let bits =
            (0..4).filter(|bit| mask >> bit & 1 != 0).fold(0, |bits, bit| bits | 0xff_u32 << (8 * bit));
        match id as u16 {
            LIST_SIZE => self.list[0] = self.list[0] & !bits | value & bits,
            LIST_ADDRESS => self.list[1] = self.list[1] & !bits | value & bits,
            LIST_START if mask & 1 != 0 && value & 1 != 0 => {
                return self.start(memory, self.list[1] << 3, self.list[0] << 3);
            }
            LIST_START => {}
            _ => {
                let pieces = pieces(mask);
                losses.count_if(lost::MASKS, pieces.len() > 1);
                for (first, width_bytes) in pieces {
                    let used = u64::MAX >> (64 - 8 * u32::from(width_bytes));
                    let value = u64::from(value) >> (8 * first) & used;
                    self.elements.push(Element::Write { address: P3D + id * 4 + first, width_bytes, value });
                }
            }
        }
        Ok(())
    }

    /// A list: its bytes, as the recorder loaded them, and the writes that start it.
    fn start(&mut self, memory: &dyn Memory, address: u32, size_bytes: u32) -> Result<(), NoAnswer> {
        if !address.is_multiple_of(8) {
            return Err(NoAnswer::new(format!(
                "a list at {address:#010x}: CiTrace has multiples of 8 alone"
            )));
        }
        if self.loads.get(&address) != Some(&size_bytes) {
            let content = content(memory, address, size_bytes);
            self.loaded += content.len() as u64;
            if self.loaded > MOST_LOADED {
                return Err(NoAnswer::new(format!("its lists are longer than {MOST_LOADED} bytes together")));
            }
            self.load(address, content);
        }
        self.list = [size_bytes >> 3, address >> 3];
        self.elements.extend([
            write(LIST_SIZE, size_bytes),
            write(LIST_ADDRESS, address >> 3),
            write(LIST_START, 1),
        ]);
        Ok(())
    }
}

/// The mapped bytes from an address on.
fn content(memory: &dyn Memory, address: u32, length: u32) -> Arc<[u8]> {
    // A list that ends behind its memory is given up there; only that much can be loaded.
    let (mut mapped, mut end) = (0, length);
    while mapped < end {
        let middle = mapped + (end - mapped).div_ceil(2);
        match memory.region(address, middle) {
            Some(_) => mapped = middle,
            None => end = middle - 1,
        }
    }
    let length = mapped;
    match memory.region(address, length) {
        Some(slice) => slice.to_vec().into(),
        None => (0..length).map(|n| read_bytes::<1>(memory, address + n)[0]).collect(),
    }
}

/// Runs of bytes of a mask that one write can have: 4, 2 or 1 bytes.
fn pieces(mask: u8) -> Vec<(u32, u8)> {
    match mask & 15 {
        15 => return vec![(0, 4)],
        0 => return Vec::new(),
        _ => {}
    }
    let (mut pieces, mut bit) = (Vec::new(), 0);
    while bit < 4 {
        let has = |bit: u32| bit < 4 && mask >> bit & 1 != 0;
        let width = u8::from(has(bit)) + u8::from(has(bit) && has(bit + 1));
        if width > 0 {
            pieces.push((bit, width));
        }
        bit += u32::from(width.max(1));
    }
    pieces
}

/// Memory of the capture that a reader does not map.
fn regions(capture: &Capture, read: &Capture, losses: &mut Losses) {
    for &(base, bytes) in &capture.regions {
        let holds = |&(start, length): &(u32, u32)| {
            start <= base && u64::from(base) + u64::from(bytes) <= u64::from(start) + u64::from(length)
        };
        if !read.regions.iter().any(holds) {
            losses.always(format!("memory that no console has: {bytes} bytes at {base:#010x}"));
        }
    }
}

/// Fields of the initial state that differ after the uploads. Counters, interrupts and the last words of ports show in no
/// picture.
fn state(initial: &Snapshot, read: &Capture, uploads: usize, losses: &mut Losses) -> Result<(), NoAnswer> {
    let mut before = Unit::new(read.precision);
    before.load(initial).map_err(NoAnswer::new)?;
    let events = read.events.iter().take(uploads).cloned().collect();
    let start = Capture { events, ..read.clone() };
    let mut player = Player::new(&start).map_err(NoAnswer::new)?;
    let mut engine = Pica::engine("interp", Setup::default()).map_err(NoAnswer::new)?;
    while player.step(Pica::stages(&mut engine)).is_some() {}
    let mut after = Unit::new(read.precision);
    after.load(&player.pica().save()).map_err(NoAnswer::new)?;
    let is_quiet = |field: &Field| matches!(field, Field::Counters | Field::Interrupts | Field::Started);
    for field in Field::ALL.into_iter().filter(|field| !is_quiet(field)) {
        let (a, b) = (words(&mut before, field), words(&mut after, field));
        let shown = |n: &usize| field != Field::Registers || is_state(*n);
        let differ = (0..a.len().max(b.len())).filter(shown).filter(|&n| a.get(n) != b.get(n)).count();
        losses.count(&format!("words of the initial state, {}", field.name()), differ as u64);
    }
    Ok(())
}

/// True for registers that are no ports or triggers.
const fn is_state(id: usize) -> bool {
    !matches!(id, 0x000..=0x03f | 0x0b0..=0x0b7 | 0x0e8..=0x0ef | 0x124 | 0x1c8..=0x1cf | 0x22e | 0x22f)
        && !matches!(id, 0x063 | 0x110 | 0x111 | 0x231..=0x235 | 0x238..=0x23d | 0x25f)
        && !matches!(id, 0x290..=0x298 | 0x29b..=0x2a3 | 0x2a5..=0x2ad | 0x2c0..=0x2c8 | 0x2cb..=0x2d3)
        && !matches!(id, 0x2d5..=0x2dd)
}

/// Loads that a reader skips.
fn stale(read: &Capture) -> Result<u64, NoAnswer> {
    let mut engine = Pica::engine("jit", Setup::default()).map_err(NoAnswer::new)?;
    let mut player = Player::new(read).map_err(NoAnswer::new)?;
    let mut count = 0;
    while let Some(step) = player.step(Pica::stages(&mut engine)) {
        count += u64::from(matches!(step.outcome, Outcome::StaleLoad));
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::FlatMemory;

    /// A list that leaves its memory is loaded as far as there is any.
    #[test]
    fn lists_end_with_their_memory() {
        let memory = FlatMemory::new(0x2000_0000, (0..24).collect());
        for (length, mapped) in [(0, 0), (8, 8), (24, 24), (25, 24), (u32::MAX, 24)] {
            let bytes = content(&memory, 0x2000_0000, length);
            assert_eq!(*bytes, (0..mapped).collect::<Vec<u8>>(), "{length}");
        }
        assert!(content(&memory, 0x1000_0000, 64).is_empty());
    }

    #[test]
    fn masks_are_written_in_runs() {
        assert_eq!(pieces(15), [(0, 4)]);
        assert_eq!(pieces(0), []);
        assert_eq!(pieces(0b0110), [(1, 2)]);
        assert_eq!(pieces(0b0111), [(0, 2), (2, 1)]);
        assert_eq!(pieces(0b1001), [(0, 1), (3, 1)]);
    }
}
