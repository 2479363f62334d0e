//! `Writer`: builds the memory and lists of a case.

use super::super::program::{Program, Step};
use super::draws::command;
use super::{DATA, DATA_BYTES, LIST_BYTES, LISTS, RAM, TEXTURES, bytes, program};
use crate::ge::vertices::numbers::{Style, single};
use crate::random::Random;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use std::sync::Arc;

/// A list that is written.
#[derive(Debug, Clone)]
pub(super) struct Written {
    /// Where it begins.
    pub(super) start: u32,
    /// Where the words are that it may stop at or behind.
    pub(super) stops: Vec<u32>,
}

/// Builds a case.
pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    pub(super) list: ListBuilder,
    /// Where the list begins.
    pub(super) base: u32,
    pub(super) stops: Vec<u32>,
    /// Lists that return.
    pub(super) subroutines: Vec<u32>,
    pub(super) steps: Vec<Step>,
    /// The mode of the vertex path.
    pub(super) mode: u32,
    /// Where the next vertices go.
    data: u32,
    lists: u32,
}

impl<'r> Writer<'r> {
    /// A writer that has filled the memory of textures.
    pub(super) fn new(random: &'r mut Random) -> Self {
        let count = random.pick(&[TEXTURES, TEXTURES / 8, 0]) / 8;
        let textures: Vec<u8> = (0..count).flat_map(|_| random.bits().to_le_bytes()).collect();
        Self {
            random,
            list: ListBuilder::new(),
            base: 0,
            stops: Vec::new(),
            subroutines: Vec::new(),
            steps: vec![Step::Memory(RAM, textures.into())],
            mode: 0,
            data: DATA,
            lists: LISTS,
        }
    }

    /// The lists of the case run one after the other.
    pub(super) fn plain(mut self) -> Program {
        for _ in 0..self.random.between(1, 3) {
            let Written { start, stops } = self.written();
            let mut at = start;
            for stop in stops {
                self.steps.push(Step::Run(DisplayList::new(at, stop)));
                self.host_write();
                self.host_draw();
                at = stop;
            }
            self.steps.push(Step::Run(DisplayList::new(at, 0)));
            self.host_draw();
        }
        self.finish(0)
    }

    pub(super) fn finish(self, sdk: u32) -> Program {
        program(sdk, self.steps)
    }

    /// A list with its subroutines, in memory.
    pub(super) fn written(&mut self) -> Written {
        if self.random.chance(40) {
            self.begin();
            (0..self.random.between(1, 4)).for_each(|_| self.piece());
            self.list.write(op::RET, 0);
            let Written { start, .. } = self.end();
            self.subroutines.push(start);
        }
        self.begin();
        self.start_of_frame();
        for _ in 0..self.random.between(2, 9) {
            self.piece();
        }
        if self.random.chance(97) {
            self.list.write(op::FINISH, self.random.word() & 0xffff).write(op::END, 0);
        }
        self.end()
    }

    fn begin(&mut self) {
        self.base = self.lists;
        // Lists of a case that has very many are written over each other.
        self.lists = if self.lists + 2 * LIST_BYTES > DATA { LISTS } else { self.lists + LIST_BYTES };
        self.stops.clear();
    }

    fn end(&mut self) -> Written {
        let mut words = std::mem::take(&mut self.list).words().to_vec();
        words.truncate(LIST_BYTES as usize / 4);
        self.steps.push(Step::Memory(self.base, bytes(&words)));
        let end = self.base + 4 * words.len() as u32;
        self.stops.retain(|&stop| stop < end);
        Written { start: self.base, stops: std::mem::take(&mut self.stops) }
    }

    /// Where the next word goes.
    pub(super) fn here(&self) -> u32 {
        self.base + self.list.bytes()
    }

    /// The list may stop here.
    pub(super) fn stop(&mut self) {
        self.stops.push(self.here());
    }

    /// What the CPU writes between two runs, if it does: to a texture, a target, or what is there already.
    pub(super) fn host_write(&mut self) {
        if !self.random.chance(50) {
            return;
        }
        let count = self.random.pick(&[1, 64, 2048]);
        let (address, count) = match self.random.below(5) {
            0 => (VRAM + self.random.below(VRAM_BYTES), count),
            1 => (VRAM + self.random.below(0x400), count),
            2 => (RAM + self.random.below(TEXTURES), count),
            _ => (RAM, TEXTURES),
        };
        let value = self.random.pick(&[0, 0xff]);
        let is_plain = self.random.chance(50);
        let written = (0..count).map(|_| if is_plain { value } else { self.random.bits() as u8 });
        let step = Step::Memory(address, written.collect());
        self.steps.push(step);
    }

    /// What a host does at the seams between two runs, if it does: commands, or vertices of its own.
    fn host_draw(&mut self) {
        let step = match self.random.below(8) {
            0 => Step::Execute((0..self.random.between(1, 6)).map(|_| command(self.random)).collect()),
            1 | 2 => Step::Vertices(self.random.bits(), self.random.chance(60)),
            _ => return,
        };
        self.steps.push(step);
    }

    /// Puts data into memory.
    pub(super) fn data(&mut self, bytes: Vec<u8>) -> u32 {
        let bytes: Arc<[u8]> = bytes.into();
        let length = (bytes.len() as u32).next_multiple_of(16);
        let address = if self.data + length > DATA + DATA_BYTES { DATA } else { self.data };
        self.data = address + length;
        self.steps.push(Step::Memory(address, bytes));
        address
    }

    /// A float as games have it, or a strange one.
    pub(super) fn float(&mut self) -> f32 {
        let style = if self.random.chance(96) { Style::Usual } else { Style::Wide };
        single(self.random, style)
    }
}
