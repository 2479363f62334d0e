//! What makes the machine work: draws, fills, transfers, jumps.

use super::words;
use super::writer::{Writer, empty_list};
use crate::random::Random;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;

/// First register of the transfer engine.
const TRANSFER: u32 = 0x1040_0c00;
const FILLS: [u32; 2] = [0x1040_0010, 0x1040_0020];

/// Vertices of a draw: mostly as many as there are.
fn count(random: &mut Random, most: u32) -> u32 {
    match random.below(30) {
        0 => random.pick(&[0, 1, 2, 0xffff, 0x0fff_ffff, 0x7fff_ffff, u32::MAX]),
        1 => words::any(random),
        _ => random.between(3, most.max(3)),
    }
}

impl Writer<'_> {
    /// A draw of some sort.
    pub(super) fn work(&mut self) {
        let topology = self.random.below(4);
        match self.random.below(10) {
            0..4 => {
                let count = count(self.random, self.vertices());
                self.kit.list.draw_arrays(topology, 0, count);
            }
            4..7 => {
                let count = count(self.random, 60);
                let offset = self.index_offset();
                self.kit.list.draw_elements(topology, offset, count);
            }
            7 => self.odd_draw(),
            8 => {
                let vertices = self.immediate_vertices();
                self.kit.list.immediate(topology, vertices.iter().map(|vertex| &vertex[..]));
            }
            _ => self.odd_immediate(),
        }
    }

    /// A draw whose arrays, indices or counts are anything.
    fn odd_draw(&mut self) {
        let most = self.vertices();
        self.write_words(3, |random| random.between(0x200, 0x22d) as u16);
        let (count, first) = (count(self.random, most), words::any(self.random));
        self.kit.list.write(0x228, count).write(0x22a, first);
        self.kit.list.write(self.random.pick(&[0x22e, 0x22f]), 1);
    }

    /// Words for the port of fixed attributes and immediate vertices, in no order.
    fn odd_immediate(&mut self) {
        for _ in 0..self.random.between(1, 4) {
            let index = self.random.pick(&[15, 15, 15, 0, 3, 14, 0x1f]);
            let words: Vec<u32> = (0..self.random.between(1, 40)).map(|_| words::any(self.random)).collect();
            self.kit.list.write(0x232, index).feed(0x233, &words);
            if self.random.chance(30) {
                self.write_words(1, |random| random.pick(&[0x25e, 0x25f, 0x253, 0x242, 0x229, 0x252]));
            }
        }
    }

    /// To another list, to nowhere, or to itself.
    pub(super) fn jump(&mut self) {
        let (channel, address, bytes) = match self.random.below(4) {
            0 => (0, self.kit.data(empty_list()), 16),
            1 => self.endless(),
            2 => (1, self.kit.data(vec![0; 4096]), 4096),
            _ => (self.random.below(2) as u16, words::address(self.random), words::any(self.random)),
        };
        self.kit.list.jump(channel, address, bytes);
    }

    /// A list that jumps to itself. Data is placed in steps of 128 bytes.
    fn endless(&mut self) -> (u16, u32, u32) {
        let next = self.kit.data(vec![0; 16]) + 128;
        let mut list = ListBuilder::new();
        if self.random.chance(50) {
            list.write(0x228, 3).write(0x22e, 1);
        }
        let channel = self.random.below(2) as u16;
        let bytes = list.jump(channel, next, 64).bytes();
        self.kit.data(bytes);
        (channel, next, 64)
    }

    /// What a host writes to the registers outside: fills, transfers, copies, screens, anything.
    pub(super) fn host(&mut self) {
        match self.random.below(8) {
            0 => self.fill(),
            1..4 => self.transfer(),
            4 => self.copy(),
            5 => self.screens(),
            6 => {
                let buffers = self.buffers;
                self.kit.clear(&buffers, 0x1020_30ff);
            }
            _ => self.odd_words(),
        }
    }

    fn fill(&mut self) {
        let base = self.random.pick(&FILLS);
        let start = words::address(self.random);
        let end = if self.random.chance(80) {
            start.wrapping_add(self.random.below(0x2000))
        } else {
            words::address(self.random)
        };
        let words = [start >> 3, end >> 3, self.random.word(), self.random.below(4) << 8 | 1];
        self.mmio(base, &words);
    }

    fn transfer(&mut self) {
        let size = |random: &mut Random| match random.below(12) {
            0 => random.word(),
            1 => random.below(64) << 16 | random.below(64),
            _ => random.below(20) << 19 | random.below(20) << 3,
        };
        let (input, output) = (words::address(self.random) >> 3, words::address(self.random) >> 3);
        let (to, from) = (size(self.random), size(self.random));
        let flags = self.random.word() & if self.random.chance(80) { 0x0101_7727 } else { u32::MAX };
        self.mmio(TRANSFER, &[input, output, to, from, flags, 0, 1]);
    }

    fn copy(&mut self) {
        let line = |random: &mut Random| match random.below(6) {
            0 => random.word(),
            _ => random.below(8) << 16 | random.below(16),
        };
        let (input, output) = (words::address(self.random) >> 3, words::address(self.random) >> 3);
        let size = if self.random.chance(80) { self.random.below(0x4000) } else { self.random.word() };
        let (from, to) = (line(self.random), line(self.random));
        self.mmio(TRANSFER + 0x20, &[size, from, to]);
        self.mmio(TRANSFER, &[input, output, 0, 0, 8, 0, 1]);
    }

    fn screens(&mut self) {
        let buffers = self.buffers;
        let base = self.random.pick(&[0x1040_0400, 0x1040_0500]);
        let size = if self.random.chance(80) { 400 << 16 | 240 } else { self.random.word() };
        let address = if self.random.chance(80) { buffers.colour } else { self.random.word() };
        self.kit.mmio(base + 0x5c, size);
        self.kit.mmio(base + 0x68, address);
        self.kit.mmio(base + 0x70, self.random.below(8));
        self.kit.mmio(base + 0x90, if self.random.chance(80) { 720 } else { self.random.word() });
        if self.random.chance(20) {
            self.kit.mmio(0x1020_2204, self.random.word());
        }
    }

    /// Words for any register that the CPU reaches, those of lists included.
    fn odd_words(&mut self) {
        for _ in 0..self.random.between(1, 12) {
            let base = self.random.pick(&[0x1040_0000, 0x1040_0c00, 0x1040_1000, 0x1040_18e0, 0x1020_2000]);
            let offset = self.random.pick(&[0x2c, 0xffc, 0xffff]) & self.random.word();
            self.kit.mmio(base + offset, words::any(self.random));
        }
    }

    fn mmio(&mut self, base: u32, words: &[u32]) {
        for (address, &word) in (base..).step_by(4).zip(words) {
            self.kit.mmio(address, word);
        }
    }
}
