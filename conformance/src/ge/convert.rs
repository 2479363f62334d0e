//! A capture as a frame dump (`.ppdmp`): the commands of its lists, and in front of each one that reads memory a record
//! of what it reads.
//!
//! Textures, palettes and sources of transfers in VRAM are named by their address: the replay has the same VRAM.

use super::engine;
use super::flat::{Before, Stream, command, play, reads_memory};
use crate::convert::{Converted, Losses};
use crate::inspect::NoAnswer;
use crate::setup::Setup;
use picaflor_pipeline::ge::block_transfer::BlockTransfer;
use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Display, Event};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vertex_type::Element;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, gather};
use picaflor_pipeline::ge::{CONTEXT_WORDS, Field, Ge, Snapshot};
use picaflor_pipeline::memory::FlatMemory;
use std::collections::HashMap;

/// Version of the files.
const VERSION: u32 = 6;
/// Most bytes of the data buffer, as the reader takes them.
const MOST_BYTES: usize = 1 << 30;
/// Most bytes that all draws together are taken to read; frames of games read a few hundred million.
const MOST_READ: u64 = 1 << 33;
/// Texels in each direction that a sampler reaches.
const REACH: u32 = 512;
/// Kinds of records.
mod kind {
    pub(super) const INIT: u8 = 0;
    pub(super) const REGISTERS: u8 = 1;
    pub(super) const VERTICES: u8 = 2;
    pub(super) const INDICES: u8 = 3;
    pub(super) const CLUT: u8 = 4;
    pub(super) const TRANSFER_SOURCE: u8 = 5;
    pub(super) const COPY_TO: u8 = 7;
    pub(super) const COPY: u8 = 8;
    pub(super) const DISPLAY: u8 = 9;
    pub(super) const CLUT_ADDRESS: u8 = 10;
    pub(super) const TEXTURE: u8 = 0x10;
    pub(super) const FRAME_BUFFER: u8 = 0x18;
}
/// Flag of memory in VRAM that the frame has drawn: its own content counts.
const IS_TARGET: u32 = 1;

/// What a dump has no place for.
mod lost {
    pub(super) const MIRRORS: &str = "the wiring of the mirrors of VRAM: dumps see VRAM flat";
    pub(super) const FLOW: &str =
        "lists with their jumps, calls, signals and ends: the stream of a dump is flat";
    pub(super) const TRANSFERS: &str = "block transfers to main memory: what draws read of it is kept";
    pub(super) const MIRRORED: &str = "block transfers through mirrors of VRAM, which become writes of a CPU";
    pub(super) const PRIMITIVE: &str = "primitives under assembly in a restored state";
    pub(super) const REMEMBERED: &str = "coordinates and normal of the vertex before a restored state";
    pub(super) const BOXES: &str = "addresses in main memory: a dump has the content alone";
}

/// The dump of a capture.
///
/// # Errors
/// The capture is not sound, no engine runs here, or the dump is larger than its reader takes.
pub(crate) fn to_dump(capture: &Capture) -> Result<Converted, NoAnswer> {
    let mut engine = engine::with_setup(engine::NAMES[1], Setup::default()).map_err(NoAnswer::new)?;
    let mut dumper = Dumper::default();
    dumper.writer.game("PICAFLOR");
    dumper.state(&capture.initial)?;
    let mut dumper = play(capture, &mut engine, dumper).map_err(NoAnswer::new)?;
    dumper.flush();
    if dumper.is_done() {
        return Err(NoAnswer::new(format!(
            "its draws read too much for a dump, which holds {MOST_BYTES} bytes at most"
        )));
    }
    dumper.losses.always(lost::FLOW);
    dumper.losses.always(lost::BOXES);
    Ok(Converted { bytes: dumper.writer.file(VERSION), losses: dumper.losses })
}

/// A range of the data buffer: offset and bytes.
type Span = (u32, u32);

/// Where a texture level points in the dump.
#[derive(Clone, Copy, PartialEq)]
enum Pointed {
    Vram(u32),
    Record(Span),
}

/// A dump under construction.
#[derive(Default)]
struct Dumper {
    writer: Writer,
    /// Contents that the data buffer has.
    held: HashMap<Vec<u8>, Span>,
    /// Textures in main memory that were looked at and not written since, by address and bytes.
    seen: HashMap<(u32, u32), Span>,
    words: Vec<u32>,
    textures: [Option<Pointed>; 8],
    /// Bytes that were read for records.
    read: u64,
    losses: Losses,
}

impl Dumper {
    /// Bytes that a record holds, mirrors resolved.
    fn read(&mut self, before: &Before<'_>, address: u32, bytes: u32) -> Vec<u8> {
        self.read += u64::from(bytes);
        if self.is_done() { Vec::new() } else { gather(before.memory, before.maps, address, bytes) }
    }

    /// The span of these bytes in the data buffer.
    fn span(&mut self, bytes: Vec<u8>) -> Span {
        let end = self.writer.data_bytes() as u32;
        let size = bytes.len() as u32;
        if let Some(&span) = self.held.get(&bytes) {
            return span;
        }
        self.writer.data(&bytes);
        self.held.insert(bytes, (end, size));
        (end, size)
    }

    fn record(&mut self, kind: u8, bytes: Vec<u8>) {
        self.flush();
        let (offset, size) = self.span(bytes);
        self.writer.entry(kind, size, offset);
    }

    fn record_words(&mut self, kind: u8, words: &[u32]) {
        self.record(kind, words.iter().flat_map(|word| word.to_le_bytes()).collect());
    }

    /// The words so far as a record.
    fn flush(&mut self) {
        if !self.words.is_empty() {
            let words = std::mem::take(&mut self.words);
            self.record_words(kind::REGISTERS, &words);
        }
    }

    /// A state: a context block, and the palette behind it.
    fn state(&mut self, state: &Snapshot) -> Result<(), NoAnswer> {
        let mut ge = Ge::new();
        ge.load(state).map_err(NoAnswer::new)?;
        if ge.address_maps() != AddressMaps::Flat {
            self.losses.always(lost::MIRRORS);
        }
        for field in [Field::IncompletePrimitive, Field::ImmediatePrimitive] {
            // Kind, order, number of vertices.
            let mut words = [0; 3];
            let is_read = ge.read_field(field, 0, &mut words).is_ok();
            self.losses.count_if(lost::PRIMITIVE, is_read && words[2] != 0);
        }
        let mut remembered = [0; 10];
        let is_read = ge.read_field(Field::Remembered, 0, &mut remembered).is_ok();
        self.losses.count_if(lost::REMEMBERED, is_read && remembered != [0; 10]);
        let memory = FlatMemory::new(VRAM, vec![0; CONTEXT_WORDS * 4]);
        ge.save_context(&memory, VRAM);
        self.record(kind::INIT, memory.as_slice().to_vec());
        self.record(kind::CLUT, ge.clut().bytes().to_vec());
        self.textures = [None; 8];
        Ok(())
    }

    /// The levels of the texture that a draw may read, as far as they changed.
    fn textures(&mut self, before: &Before<'_>) {
        let registers = before.registers;
        let last =
            if registers.texture_filter().mipmaps() { registers.texture_mode().max_level() } else { 0 };
        for level in 0..=(last.min(7) as u8) {
            let address = registers.texture_address(level);
            let size = registers.texture_size_log2(level).map(|log| (1 << log.min(9)).min(REACH));
            let bytes = Level::of(registers, level).extent(size);
            if address == 0 || bytes == 0 {
                continue;
            }
            let pointed = if is_plain_vram(before.maps, address) {
                Pointed::Vram(address)
            } else {
                Pointed::Record(self.texture(before, address, bytes))
            };
            if self.textures[usize::from(level)].replace(pointed) != Some(pointed) {
                self.point(registers, level, pointed);
            }
        }
    }

    /// A texture outside of VRAM, or behind a mirror that a dump does not have.
    fn texture(&mut self, before: &Before<'_>, address: u32, bytes: u32) -> Span {
        let is_in_vram = is_vram(address);
        if let Some(&span) = self.seen.get(&(address, bytes)).filter(|_| !is_in_vram) {
            return span;
        }
        let span = {
            let bytes = self.read(before, address, bytes);
            self.span(bytes)
        };
        if !is_in_vram {
            self.seen.insert((address, bytes), span);
        }
        span
    }

    fn point(&mut self, registers: &Registers, level: u8, pointed: Pointed) {
        let stride = registers.arg(op::TBW0 + level) & 0xffff;
        match pointed {
            Pointed::Vram(address) => {
                self.record_words(kind::FRAME_BUFFER + level, &[address, stride, IS_TARGET, 0]);
            }
            Pointed::Record((offset, size)) => {
                self.flush();
                self.writer.entry(kind::TEXTURE + level, size, offset);
            }
        }
    }

    /// The indices and vertices of a draw.
    fn vertices(&mut self, before: &Before<'_>, word: u32) {
        let count = match command(word) {
            op::PRIM => word & 0xffff,
            _ => (word & 0xff) * (word >> 8 & 0xff),
        };
        let [vertices, indices] = before.pointers;
        let vertex_type = before.registers.vertex_type();
        let mut records = count;
        if vertex_type.index() != Element::None && count > 0 {
            let bytes = vertex_type.index().bytes();
            let list = self.read(before, indices, count * bytes);
            let number =
                |index: &[u8]| u32::from(index[0]) | u32::from(index.get(1).copied().unwrap_or(0)) << 8;
            records = list.chunks_exact(bytes as usize).map(number).max().map_or(0, |most| most + 1);
            self.record(kind::INDICES, list);
        }
        let bytes = records * vertex_type.stride();
        if bytes > 0 {
            let content = self.read(before, vertices, bytes);
            self.record(kind::VERTICES, content);
        }
    }

    /// The source of a CLOAD.
    fn clut(&mut self, before: &Before<'_>, word: u32) {
        let registers = before.registers;
        let address = registers.arg(op::CBP) & 0xff_fff0 | (registers.arg(op::CBPH) & 0x0f_0000) << 8;
        let bytes = ((word & 0x3f) * 32).min(1024);
        if bytes == 0 {
            return;
        }
        if is_plain_vram(before.maps, address) {
            self.record_words(kind::CLUT_ADDRESS, &[address, IS_TARGET]);
        }
        let content = self.read(before, address, bytes);
        self.record(kind::CLUT, content);
    }

    /// The source of a transfer; false if a dump cannot have it.
    fn transfer(&mut self, before: &Before<'_>, word: u32) -> bool {
        let mut registers = before.registers.clone();
        registers.write(word);
        let transfer = BlockTransfer::new(&registers);
        let (start, bytes) = (transfer.destination.start, transfer.span(transfer.destination));
        if is_vram(start) && !is_plain_vram(before.maps, start) {
            self.losses.count(lost::MIRRORED, 1);
            self.copy(before, &transfer);
            return false;
        }
        if !is_vram(start) {
            self.losses.count(lost::TRANSFERS, 1);
            self.forget(start & 0x0fff_ffff, bytes);
            return false;
        }
        let base = registers.arg(op::TRXSBP) & 0xff_fff0 | (registers.arg(op::TRXSBW) & 0xff_0000) << 8;
        if !is_plain_vram(before.maps, base) {
            let length =
                transfer.source.start.wrapping_sub(base).saturating_add(transfer.span(transfer.source));
            let content = self.read(before, base, length);
            self.record(kind::TRANSFER_SOURCE, content);
        }
        true
    }

    /// A transfer as writes to the places in VRAM that a mirror stands for.
    fn copy(&mut self, before: &Before<'_>, transfer: &BlockTransfer) {
        let mut writes: Vec<(u32, Vec<u8>)> = Vec::new();
        for y in 0..transfer.rows {
            let row = self.read(before, transfer.source.row(y), transfer.row_bytes);
            for (n, &byte) in (0..).zip(&row) {
                let at = before.maps.resolve(transfer.destination.row(y).wrapping_add(n));
                match writes.last_mut() {
                    Some((start, run)) if *start + run.len() as u32 == at => run.push(byte),
                    _ => writes.push((at, vec![byte])),
                }
            }
        }
        for (address, bytes) in writes {
            self.record_words(kind::COPY_TO, &[address]);
            self.record(kind::COPY, bytes);
        }
    }

    /// Memory was written: textures there have to be looked at again.
    fn forget(&mut self, address: u32, bytes: u32) {
        let end = u64::from(address) + u64::from(bytes);
        let is_apart = |&(start, length): &(u32, u32)| {
            u64::from(start) >= end || u64::from(start) + u64::from(length) <= u64::from(address)
        };
        self.seen.retain(|range, _| is_apart(range));
    }
}

impl Stream for Dumper {
    fn event(&mut self, _: &Player<'_>, _: usize, event: &Event, _: u64) {
        match event {
            Event::Memory { address, bytes } if is_vram(*address) => {
                self.record_words(kind::COPY_TO, &[*address]);
                self.record(kind::COPY, bytes.to_vec());
            }
            Event::Memory { address, bytes } => self.forget(*address, bytes.len() as u32),
            // The player has tried every state before the first event.
            Event::State(state) => self.state(state).unwrap_or_default(),
            Event::Display(Display { address, stride, format }) => {
                self.record_words(kind::DISPLAY, &[*address, *stride, u32::from(*format)]);
            }
            Event::Run(_) | Event::Execute(_) => {}
        }
    }

    /// True if the dump is larger than its reader takes, or took too much to make.
    fn is_done(&self) -> bool {
        self.writer.data_bytes() > MOST_BYTES || self.read > MOST_READ
    }

    fn word(&mut self, before: &Before<'_>, word: u32) {
        if self.is_done() {
            return;
        }
        let is_kept = !reads_memory(word) || {
            let registers = before.registers;
            match command(word) {
                op::CLOAD => {
                    self.clut(before, word);
                    true
                }
                op::TRXKICK => self.transfer(before, word),
                of => {
                    // Immediate vertices bring their own enables.
                    if registers.is_textured() || of == op::VAP {
                        self.textures(before);
                    }
                    if of != op::VAP {
                        self.vertices(before, word);
                    }
                    true
                }
            }
        };
        if is_kept {
            self.words.push(word);
        }
    }
}

const fn is_vram(address: u32) -> bool {
    (address & 0x0fff_ffff) >> 26 == 1
}

/// True for addresses in VRAM that a flat view shows as the machine does.
const fn is_plain_vram(maps: AddressMaps, address: u32) -> bool {
    is_vram(address) && (matches!(maps, AddressMaps::Flat) || matches!(address >> 21 & 3, 0 | 2))
}
