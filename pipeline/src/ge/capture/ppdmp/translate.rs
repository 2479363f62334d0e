//! Translation of records to a capture: the flat stream becomes display lists that refer to memory of their own.
//!
//! A record of data becomes commands that point to it. The game's own pointers are dropped, or kept in the registers
//! while the commands that would use them see the record's memory.

use super::account::{Account, Source};
use super::place::{CLUT_READS, LIST_BYTES, Placement, RAM};
use super::{Dump, Record, Span, VramFlags};
use crate::capture::CaptureError;
use crate::ge::Ge;
use crate::ge::capture::{Capture, Event};
use crate::ge::display_list::DisplayList;
use crate::ge::regs::texture::TextureFormat;
use crate::ge::regs::{Registers, op};
use crate::ge::texel::Level;
use crate::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use std::sync::Arc;

/// Texels in each direction that a sampler reaches.
const REACH: u32 = 512;
/// Bits of an address inside the GE.
const ADDRESS: u32 = 0x0fff_ffff;
/// Maximum number of words of a list.
const LIST_WORDS: usize = LIST_BYTES as usize / 4;
/// CLOAD of the whole table.
const WHOLE_CLUT: u32 = 32;

/// Word indices in the context block (2.6).
mod context {
    pub(super) const VERTEX_POINTER: usize = 5;
    pub(super) const INDEX_POINTER: usize = 6;
    pub(super) const COMMANDS: std::ops::Range<usize> = 17..384;
}

/// Division of the stream into lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// A list continues until a record other than list words has to be translated to an event.
    Long,
    /// A list ends with each record.
    OfRecords,
}

/// Translates a dump to a capture. Also returns, for each record, the number of events up to and including it.
///
/// Equal contents share their memory; the rest may cost what [`Rate::DUMP_CONTENTS`](crate::capture::Rate::DUMP_CONTENTS)
/// allows, at most 1 GiB. Lists have at most the words of [`Rate::DUMP_WORDS`](crate::capture::Rate::DUMP_WORDS), events
/// write at most the bytes of [`Rate::WRITES`](crate::capture::Rate::WRITES). Recorded dumps stay far below.
///
/// # Errors
/// If the capture needs more than the account has.
pub fn translate(dump: &Dump, lists: Lists) -> Result<(Capture, Vec<usize>), CaptureError> {
    let mut translator = Translator {
        dump,
        placement: Placement::new(),
        account: Account::new(dump),
        events: Vec::new(),
        words: Vec::new(),
        registers: Registers::default(),
        textures: [0; 8],
        next: Next::default(),
    };
    let mut marks = Vec::with_capacity(dump.records.len());
    for &record in &dump.records {
        translator.record(record);
        if lists == Lists::OfRecords {
            translator.end_list();
        }
        translator.account.check().map_err(|problem| problem.at(0))?;
        marks.push(translator.events.len());
    }
    translator.end_list();
    translator.account.check().map_err(|problem| problem.at(0))?;
    let regions = vec![(VRAM, VRAM_BYTES), translator.placement.region()];
    let mut ge = Ge::new();
    ge.set_address_maps(AddressMaps::Flat);
    Ok((Capture { regions, initial: ge.save(), events: translator.events }, marks))
}

/// Data of records that apply to a later record or command.
#[derive(Default)]
struct Next {
    /// The previous record was the initial state.
    is_start: bool,
    copy: Option<u32>,
    clut_address: Option<(u32, VramFlags)>,
    clut: Option<u32>,
    transfer: Option<u32>,
}

struct Translator<'d> {
    dump: &'d Dump,
    placement: Placement,
    account: Account,
    events: Vec<Event>,
    /// Words of the list under construction.
    words: Vec<u32>,
    /// State of the registers after the words.
    registers: Registers,
    /// Addresses of the texture levels.
    textures: [u32; 8],
    next: Next,
}

impl Translator<'_> {
    fn record(&mut self, record: Record) {
        let is_start = std::mem::replace(&mut self.next.is_start, matches!(record, Record::Init(_)));
        match record {
            Record::Init(span) => self.initial_state(span),
            Record::Registers(span) => self.run(span),
            Record::Vertices(span) => {
                let address = self.place(span, 0);
                self.pointer(op::VADDR, address);
            }
            Record::Indices(span) => {
                let address = self.place(span, 0);
                self.pointer(op::IADDR, address);
            }
            Record::Clut(span) if is_start => self.initial_clut(span),
            Record::Clut(span) => self.clut(span),
            Record::TransferSource(span) => self.next.transfer = Some(self.place(span, 0)),
            Record::Fill { address, value, size } => {
                self.write_vram(address, size, |size| Source::Fill(value, size));
            }
            Record::CopyTo(address) => self.next.copy = Some(address),
            Record::Copy(span) => {
                if let Some(address) = self.next.copy.take() {
                    self.write_span(address, span);
                }
            }
            Record::Display(display) => {
                self.end_list();
                self.event(Event::Display(display));
            }
            Record::ClutAddress { address, flags } => self.next.clut_address = Some((address, flags)),
            // Dumps see VRAM flat (12.3).
            Record::Translation(_) => {}
            Record::Texture { level, span } => {
                let address = self.place(self.image(level, span), 0);
                let width = self.registers.arg(op::TBW0 + level);
                self.texture(level, address, width);
            }
            Record::FrameBuffer { level, address, stride, flags, span } => {
                if !self.dump.is_in_vram(flags) {
                    self.write_span(address, span);
                }
                self.texture(level, address & ADDRESS, stride.cast_unsigned());
            }
        }
    }

    /// The context block is a list that restores the state; texture pointers are reset.
    fn initial_state(&mut self, span: Span) {
        let words: Vec<u32> = self.dump.words(span).collect();
        self.textures = [0; 8];
        for &word in words.get(context::COMMANDS).unwrap_or_default() {
            self.word(word);
        }
        for level in 0..8 {
            self.texture(level, 0, self.registers.arg(op::TBW0 + level));
        }
        let pointer = |at: usize| words.get(at).map_or(0, |word| word & ADDRESS);
        self.pointer(op::VADDR, pointer(context::VERTEX_POINTER));
        self.pointer(op::IADDR, pointer(context::INDEX_POINTER));
    }

    fn initial_clut(&mut self, span: Span) {
        self.next.clut = Some(self.place(span, CLUT_READS));
        self.load_clut(u32::from(op::CLOAD) << 24 | WHOLE_CLUT);
    }

    /// The source of the next CLOAD: VRAM if that has the palette; or else the record, which later records of the
    /// same address may rely on in VRAM (12.2).
    fn clut(&mut self, span: Span) {
        let address = match self.next.clut_address.take() {
            Some((address, flags)) if self.dump.is_in_vram(flags) => address & ADDRESS,
            target => {
                if let Some((address, _)) = target {
                    self.write_span(address, span);
                }
                self.place(span, CLUT_READS)
            }
        };
        self.next.clut = Some(address);
    }

    /// The bytes of a texture level. Records can be shorter than the image; the bytes behind them in the data buffer are
    /// then part of it (12.2).
    fn image(&self, level: u8, span: Span) -> Span {
        let size = self.registers.texture_size_log2(level).map(|log| (1 << log).min(REACH));
        self.dump.grown(span, image_bytes(&Level::of(&self.registers, level), size))
    }

    /// Translates words of the game's list, as far as the account goes.
    fn run(&mut self, span: Span) {
        // Words that are dropped are work too.
        self.account.charge(span.size.into());
        for word in self.dump.words(span) {
            if self.account.is_spent() {
                return;
            }
            self.word(word);
        }
    }

    /// Translates a word of the game's list.
    fn word(&mut self, word: u32) {
        self.account.word();
        match (word >> 24) as u8 {
            // The stream is flat already, and these have records in their place (12.3).
            op::VADDR | op::IADDR | op::BBOX..=op::END | op::SIGNAL..=op::BASE => {}
            op::OFFSET | op::ORIGIN => {}
            pointer if (op::TBP0..op::TBP0 + 8).contains(&pointer) => {}
            width if (op::TBW0..op::TBW0 + 8).contains(&width) => {
                let level = width - op::TBW0;
                self.texture(level, self.textures[usize::from(level)], word);
            }
            op::CLOAD => self.load_clut(word),
            op::TRXKICK => self.transfer(word),
            _ => self.emit(word),
        }
    }

    fn load_clut(&mut self, word: u32) {
        let source = self.next.clut.take();
        self.with_source(op::CBP, op::CBPH, source, word);
    }

    fn transfer(&mut self, word: u32) {
        let source = self.next.transfer.take();
        self.with_source(op::TRXSBP, op::TRXSBW, source, word);
    }

    /// Emits a command that reads the bytes of a record: first the pointer to them, then the command, then the game's
    /// pointer again.
    fn with_source(&mut self, low: u8, high: u8, source: Option<u32>, word: u32) {
        let Some(address) = source else { return self.emit(word) };
        let [old_low, old_high] = [low, high].map(|register| self.registers.word(register));
        self.emit(u32::from(low) << 24 | address & 0xff_ffff);
        self.emit(old_high & 0xff00_ffff | upper(address));
        self.emit(word);
        self.emit(old_low);
        self.emit(old_high);
    }

    /// Sets address and row width of a texture level.
    fn texture(&mut self, level: u8, address: u32, width: u32) {
        self.textures[usize::from(level)] = address;
        self.emit(u32::from(op::TBP0 + level) << 24 | address & 0xff_ffff);
        self.emit(u32::from(op::TBW0 + level) << 24 | width & 0xffff | upper(address));
    }

    fn pointer(&mut self, command: u8, address: u32) {
        self.emit(u32::from(op::BASE) << 24 | upper(address));
        self.emit(u32::from(command) << 24 | address & 0xff_ffff);
    }

    fn emit(&mut self, word: u32) {
        if self.words.len() == LIST_WORDS {
            self.end_list();
        }
        self.registers.write(word);
        self.words.push(word);
    }

    /// Ends the list: emits the run of the words so far.
    fn end_list(&mut self) {
        if !self.words.is_empty() {
            let words = std::mem::take(&mut self.words);
            let start = RAM;
            let stall = start + words.len() as u32 * 4;
            let bytes: Arc<[u8]> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.account.charge(bytes.len() as u64);
            self.event(Event::Memory { address: start, bytes });
            self.event(Event::Run(DisplayList::new(start, stall)));
        }
    }

    /// The address of a record's bytes, zero-padded to at least `least` bytes.
    fn place(&mut self, span: Span, least: u32) -> u32 {
        let place = self.placement.place(span, least);
        if place.reuses {
            self.end_list();
        }
        if place.is_new {
            self.write(place.address, Source::Data(span, span.size.max(least)));
        }
        place.address
    }

    /// Emits a write of a record's bytes to VRAM.
    fn write_span(&mut self, address: u32, span: Span) {
        self.write_vram(address, span.size, |size| Source::Data(Span { size, ..span }, size));
    }

    /// Emits a CPU write to VRAM; bytes outside of VRAM are dropped.
    fn write_vram(&mut self, address: u32, size: u32, source: impl FnOnce(u32) -> Source) {
        let offset = address & (VRAM_BYTES - 1);
        if address & ADDRESS >> 26 << 26 == VRAM {
            self.end_list();
            self.write(VRAM | offset, source(size.min(VRAM_BYTES - offset)));
        }
    }

    fn write(&mut self, address: u32, source: Source) {
        let bytes = self.account.contents(self.dump, source);
        self.event(Event::Memory { address, bytes });
    }

    fn event(&mut self, event: Event) {
        self.account.event(&event);
        self.events.push(event);
    }
}

/// Number of bytes of a level of this size in texels, up to the end of its last texel or block.
fn image_bytes(level: &Level, size: [u32; 2]) -> u32 {
    let has_blocks = level.swizzled || matches!(level.format, TextureFormat::Compressed(_));
    if has_blocks || level.format == TextureFormat::Invalid {
        return level.extent(size);
    }
    let last = level.texel_address(size[0] - 1, size[1] - 1).wrapping_sub(level.address);
    last + level.format.bits().div_ceil(8)
}

/// The upper bits of an address in the form of BASE and similar registers.
const fn upper(address: u32) -> u32 {
    address >> 8 & 0x0f_0000
}
