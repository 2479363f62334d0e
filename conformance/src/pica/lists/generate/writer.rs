//! Structured cases: lists that set up everything a draw needs, then change some of it.

use super::{REGIONS, shaders, words};
use crate::pica::programs::generate::value::{self, Style};
use crate::random::Random;
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_scenes::pica::kit::{Buffers, FCRAM, Kit, Texture, VRAM};
use picaflor_scenes::pica::state::{Sampler, State};

/// Bytes of a vertex: position, normal, texture coordinates, colour.
const STRIDE: u32 = 48;

/// Writes one case.
pub(super) struct Writer<'r> {
    pub(super) random: &'r mut Random,
    pub(super) kit: Kit,
    style: Style,
    pub(super) buffers: Buffers,
    /// Vertices in memory, and how many.
    vertices: (u32, u32),
    indices: u32,
}

impl<'r> Writer<'r> {
    pub(super) fn new(random: &'r mut Random) -> Self {
        let style = Style::random(random);
        let buffers = random_buffers(random);
        let mut writer =
            Self { random, kit: Kit::new(), style, buffers, vertices: (FCRAM, 0), indices: FCRAM };
        writer.place_vertices();
        writer
    }

    pub(super) fn write(mut self) -> Capture {
        for _ in 0..self.random.between(1, 3) {
            if self.random.chance(40) {
                self.host();
            }
            self.list();
        }
        if self.random.chance(40) {
            self.host();
        }
        let mut capture = self.kit.finish(Precision::Console);
        capture.regions = REGIONS.to_vec();
        capture
    }

    fn list(&mut self) {
        self.begin();
        for _ in 0..self.random.between(1, 4) {
            self.state();
            self.work();
        }
        match self.random.below(20) {
            0 => self.jump(),
            1 => self.write_words(1, |random| random.below(0x400) as u16),
            _ => {}
        }
        self.kit.submit();
    }

    /// Everything in a plain state, and a program.
    fn begin(&mut self) {
        self.kit.list.defaults(&self.buffers);
        if self.random.chance(65) {
            shaders::sensible(self.random, &mut self.kit);
        } else {
            self.kit.list.write_bytes(0x229, 0, 3).write_bytes(0x244, 0, 1);
            shaders::random(self.random, &mut self.kit.list, UnitKind::Vertex, self.style);
            shaders::output_map(self.random, &mut self.kit.list);
            self.kit.list.write(0x2bb, 0x7654_3210).write(0x2bc, 0xfedc_ba98);
        }
        if self.random.chance(12) {
            shaders::geometry(self.random, &mut self.kit.list, self.style);
        }
        let (address, _) = self.vertices;
        self.kit.arrays(address, STRIDE, &[(3, 3), (3, 3), (3, 2), (3, 4)]);
    }

    /// Random state: some registers of some units, tables, textures.
    fn state(&mut self) {
        for _ in 0..self.random.weighted(&[(30, 0), (40, 1), (20, 2), (10, 6)]) {
            let unit = words::unit(self.random);
            let every = self.random.pick(&[1, 1, 2, 8]);
            for &id in unit {
                if self.random.below(every) == 0 {
                    self.write_state(id);
                }
            }
        }
        if self.random.chance(50) {
            self.textures();
        }
        if self.random.chance(30) {
            self.table();
        }
        if self.random.chance(25) {
            self.pixels_written();
        }
        if self.random.chance(4) {
            self.kit.list.write(self.random.pick(&[0x11c, 0x11d, 0x11e, 0x200]), words::any(self.random));
        }
    }

    fn write_state(&mut self, id: u16) {
        let word = words::of_register(self.random, id);
        let mask = if self.random.chance(90) { 15 } else { self.random.below(16) as u8 };
        self.kit.list.write_bytes(id, word, mask);
    }

    /// Back to a target that can be seen, after state that may have lost it.
    fn pixels_written(&mut self) {
        let Buffers { width, height, .. } = self.buffers;
        self.kit.list.target(&self.buffers).viewport(0, 0, width, height).cull(0).scissor(0, [0; 2], [0; 2]);
        self.kit.list.depth_map(-1.0, 0.0, false);
    }

    /// Textures of the vertex data, of the target, of nothing.
    fn textures(&mut self) {
        for unit in 0..3 {
            let side = |random: &mut Random| 8 << random.below(4);
            let texture = Texture {
                address: self.random.pick(&[FCRAM, VRAM, self.buffers.colour, self.buffers.depth]),
                width: side(self.random),
                height: side(self.random),
                format: self.random.below(16),
                levels: self.random.between(1, 4),
            };
            let kind = self.random.weighted(&[(12, 0), (2, 1), (2, 2), (2, 3), (2, 4)]);
            let wrap = [self.random.below(8), self.random.below(8)];
            let sampler = Sampler { kind, wrap, ..self.random.pick(&[Sampler::NEAREST, Sampler::LINEAR]) };
            self.kit.list.texture(unit, &texture, &sampler);
        }
        let units = self.random.word() & 0x0400 | self.random.below(8) | self.random.below(4) << 8;
        self.kit.list.units(units);
        // Stages that make something of them.
        for stage in [0x0c0, 0x0c8] {
            let sources =
                self.random.pick(&[0x0330_0330, 0x0430_0430, 0x0530_0530, 0x0630_0630, 0x0210_0210]);
            self.kit
                .list
                .burst(stage, &[sources, 0, self.random.pick(&[0x0001_0001, 0x0004_0004, 0x0007_0007])]);
        }
    }

    /// Part of a table, through its port.
    fn table(&mut self) {
        let (index, data) =
            self.random.pick(&[(0x1c5, 0x1c8), (0x0e6, 0x0e8), (0x0af, 0x0b0), (0x123, 0x124)]);
        let start = if self.random.chance(60) { self.random.below(24) << 8 } else { words::any(self.random) };
        let values: Vec<u32> =
            (0..self.random.pick(&[1, 16, 128, 256])).map(|_| self.random.word()).collect();
        self.kit.list.write(index, start).feed(data, &values);
    }

    pub(super) fn write_words(&mut self, count: u32, mut id: impl FnMut(&mut Random) -> u16) {
        for _ in 0..count {
            let id = id(self.random);
            let word = words::any(self.random);
            self.kit.list.write(id, word);
        }
    }

    /// Vertices in clip space: small triangles, some large, some anywhere.
    fn place_vertices(&mut self) {
        let count = self.random.between(3, 60);
        let size = self.random.pick(&[0.1, 0.4, 2.5]);
        let mut centre = [0.0; 2];
        let mut bytes = Vec::new();
        for n in 0..count {
            if n % 3 == 0 {
                centre = [signed(self.random, 1.0), signed(self.random, 1.0)];
            }
            let near = centre.map(|c| c + signed(self.random, size));
            let position = [near[0], near[1], self.random.below(1100) as f32 / -1000.0];
            bytes.extend(position.into_iter().flat_map(f32::to_le_bytes));
            let rest = (0..9).map(|_| value::word_f32(self.random, self.style));
            bytes.extend(rest.flat_map(u32::to_le_bytes));
        }
        self.spoil(&mut bytes);
        self.vertices = (self.kit.data(bytes), count);
        let index = |random: &mut Random| {
            if random.chance(97) { random.below(count) as u16 } else { random.word() as u16 }
        };
        let indices = (0..64).map(|_| index(self.random)).flat_map(u16::to_le_bytes).collect();
        self.indices = self.kit.data(indices);
    }

    /// Some coordinates become NaN, infinite, or anything.
    fn spoil(&mut self, bytes: &mut [u8]) {
        let spoilt = if self.style == Style::Ordinary { 0 } else { self.random.below(6) };
        for _ in 0..spoilt {
            let at = 4 * self.random.below(bytes.len() as u32 / 4) as usize;
            bytes[at..at + 4].copy_from_slice(&words::any(self.random).to_le_bytes());
        }
    }

    pub(super) const fn vertices(&self) -> u32 {
        self.vertices.1
    }

    pub(super) const fn index_offset(&self) -> u32 {
        self.indices - FCRAM
    }

    pub(super) fn immediate_vertices(&mut self) -> Vec<[[f32; 4]; 4]> {
        let count = self.random.between(1, 9);
        let row =
            |random: &mut Random, style| [(); 4].map(|()| f32::from_bits(value::word_f32(random, style)));
        (0..count)
            .map(|_| {
                let position = [signed(self.random, 1.2), signed(self.random, 1.2), -0.5, 1.0];
                [
                    position,
                    row(self.random, self.style),
                    row(self.random, self.style),
                    row(self.random, self.style),
                ]
            })
            .collect()
    }
}

/// From -`most` to `most`.
fn signed(random: &mut Random, most: f32) -> f32 {
    (random.below(2001) as f32 / 1000.0 - 1.0) * most
}

/// Mostly small, so that a case is quick; some of no size, some of the largest.
fn random_buffers(random: &mut Random) -> Buffers {
    let side = |random: &mut Random| match random.below(40) {
        0 => random.pick(&[1, 7, 0x3ff]),
        1..4 => 128,
        _ => random.between(1, 8) * 8,
    };
    let (width, height) = (side(random), side(random));
    let at = |random: &mut Random, base| if random.chance(97) { base } else { words::address(random) };
    Buffers {
        width: if random.chance(99) { width } else { 0 },
        height,
        colour: at(random, VRAM),
        colour_format: random.weighted(&[(8, 0), (2, 1), (2, 2), (2, 3), (2, 4)]),
        depth: at(random, VRAM + (256 << 10)),
        depth_format: random.weighted(&[(2, 0), (2, 2), (6, 3)]),
    }
}

/// A list that is empty but for its end, at an address that is known.
pub(super) fn empty_list() -> Vec<u8> {
    ListBuilder::new().finish()
}
