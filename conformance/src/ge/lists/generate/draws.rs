//! What lists are made of: state, draws, transfers, and what changes the order of execution.

use super::writer::Writer;
use super::{CONTEXTS, DATA, RAM};
use crate::ge::pixels::registers::Mode;
use crate::ge::vertices::numbers::{self, Style};
use crate::ge::vertices::registers as vertex_registers;
use crate::random::Random;
use picaflor_pipeline::ge::matrix_ports::MatrixPort;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vertex_type::{Element, VertexType};
use picaflor_pipeline::ge::vram::VRAM;

/// Modes of each stage that cases choose from: so few that most code has been made before.
const MODES: u32 = 300;
/// Where they come from.
const MODE_SEED: u64 = 0x6765_6c69_7374;

/// Registers of the pixel path.
const PIXELS: [(u8, u8); 13] = [
    (op::REGION1, op::REGION2),
    (op::TME, op::STE),
    (op::CTE, op::LOE),
    (op::SHADE, op::SHADE),
    (op::LMODE, op::LMODE),
    (op::FBP, op::ZBW),
    (op::TBP0, op::TBW0 + 7),
    (op::TSIZE0, op::TSIZE0 + 7),
    (op::TMODE, op::TPSM),
    (op::CMODE, op::TEC),
    (op::FCOL, op::TSLOPE),
    (op::PSM, op::ZMSK),
    (op::PMSKC, op::PMSKA),
];

/// Registers of the vertex path but for the type and the viewport.
const VERTICES: [(u8, u8); 8] = [
    (op::LTE, op::LTE0 + 3),
    (op::MW0, op::MW0 + 7),
    (op::USCALE, op::VOFFSET),
    (op::RNORM, op::AMA),
    (op::SPOW, op::ALA),
    (op::LT0, op::SLC0 + 9),
    (op::TMAP, op::TSHADE),
    (op::FFAR, op::FDIST),
];

/// A command that does something more often than not, with any argument that is not too wild.
pub(super) fn command(random: &mut Random) -> u32 {
    let argument = random.word() & 0xff_ffff;
    let (command, argument) = match random.below(16) {
        0 => (op::BASE, 0x08_0000),
        1 => (random.pick(&[op::VADDR, op::IADDR]), (DATA & 0xff_ffff) + random.below(0x400)),
        2 | 3 => (op::PRIM, random.below(8) << 16 | random.below(24)),
        4 => (
            random.pick(&[op::BEZIER, op::SPLINE]),
            random.below(8) << 8 | random.below(8) | argument & 0xf_0000,
        ),
        5 => (op::BBOX, random.below(20)),
        6 => (random.pick(&[op::JUMP, op::BJUMP, op::CALL]), 0x84_0000 | argument & 0xfff),
        7 => (op::SIGNAL, random.below(0x40) << 16 | argument & 0xfff),
        8 => (random.pick(&[op::END, op::FINISH, op::RET, op::ORIGIN, op::OFFSET]), argument & 0xfff),
        9 => (op::VTYPE, argument),
        10 => (op::PSUB, argument & 0x0707),
        11 => (op::VAP, argument),
        12 => (random.pick(&[op::CLOAD, op::TRXKICK]), argument & 0x3f),
        13 => (op::SCISSOR2, random.below(64) | random.below(64) << 10),
        14 => (random.below(256) as u8, random.below(16)),
        _ => (random.below(256) as u8, argument),
    };
    u32::from(command) << 24 | argument & 0xff_ffff
}

impl Writer<'_> {
    /// What every frame begins with.
    pub(super) fn start_of_frame(&mut self) {
        self.list.write(op::OFFSET, 0).write(op::BASE, 0);
        self.viewport();
        self.pixels();
        self.lights();
        self.matrices();
    }

    /// A part of a list.
    pub(super) fn piece(&mut self) {
        match self.random.below(44) {
            0..12 => self.draw(),
            12..16 => self.patch(),
            16..19 => self.immediate(),
            19..23 => self.pixels(),
            23..25 => self.lights(),
            25..27 => self.matrices(),
            27..30 => self.colour_table(),
            30..32 => self.transfer(),
            32..34 => self.bounding_box(),
            34 => self.call(),
            35..37 => self.signal(),
            37 => self.jump(),
            38 => self.clear(),
            39 => self.odd_words(),
            40 => self.offset(),
            41 => _ = self.list.write(op::TFLUSH, 0).write(op::TSYNC, 0),
            _ => self.stop(),
        }
    }

    fn registers(&mut self, registers: &Registers, ranges: &[(u8, u8)]) {
        for &(first, last) in ranges {
            for command in first..=last {
                self.list.write(command, registers.arg(command));
            }
        }
    }

    /// The pixel path, with buffers.
    fn pixels(&mut self) {
        let mode = Mode::random(&mut Random::of_item(MODE_SEED, self.random.below(MODES).into()));
        let registers = mode.registers(self.random);
        self.registers(&registers, &PIXELS);
        self.list.switch(op::BCE, self.random.chance(25)).write(op::FFACE, self.random.below(2));
        self.list.switch(op::CPE, self.random.chance(60)).switch(op::AAE, self.random.chance(5));
        self.list.switch(op::PCE, self.random.chance(25)).write(op::PFACE, self.random.below(2));
    }

    /// The vertex path, without the type.
    fn lights(&mut self) {
        self.mode = self.random.below(MODES);
        let mut registers = vertex_registers::registers(&mut Random::of_item(!MODE_SEED, self.mode.into()));
        vertex_registers::vary(self.random, &mut registers);
        self.registers(&registers, &VERTICES);
    }

    /// The unit cube goes to the first pixels of the screen, or somewhere else.
    fn viewport(&mut self) {
        let middle = 2048.0;
        if self.random.chance(6) {
            for command in op::XSCALE..=op::ZPOS {
                let value = 1000.0 * self.float();
                self.list.float(command, value);
            }
            return;
        }
        let scale = self.random.pick(&[16.0, 32.0, 32.0, 64.0, 240.0]);
        self.list.float(op::XSCALE, scale).float(op::YSCALE, -scale).float(op::ZSCALE, -32767.5);
        self.list.float(op::XPOS, middle).float(op::YPOS, middle).float(op::ZPOS, 32767.5);
        for offset in [op::OFFSETX, op::OFFSETY] {
            self.list.write(offset, (2048 - 16 - self.random.below(32)) * 16 + self.random.below(16));
        }
    }

    /// Some matrices, or parts of them.
    fn matrices(&mut self) {
        let style = if self.random.chance(94) { Style::Usual } else { Style::Wide };
        let matrices = numbers::matrices(self.random, style);
        for port in MatrixPort::ALL {
            let elements: &[f32] = match port {
                MatrixPort::Bones => &matrices.bones,
                MatrixPort::World => &matrices.world,
                MatrixPort::View => &matrices.view,
                MatrixPort::Projection => &matrices.projection,
                MatrixPort::Texture => &matrices.texture,
            };
            match self.random.below(8) {
                0 => {
                    let start = self.random.below(130);
                    self.list.write(port.number_command(), start);
                    let count = self.random.below(20) as usize;
                    elements.iter().take(count).for_each(|&e| _ = self.list.float(port.data_command(), e));
                }
                1 => {}
                2 => _ = self.list.matrix(port, &unit(elements.len())),
                _ => _ = self.list.matrix(port, elements),
            }
        }
    }

    /// A type of vertices: mostly one of few, so that their code has been made.
    fn vertex_type(&mut self) -> VertexType {
        let neighbour = u64::from(self.mode + self.random.below(3));
        let plain = vertex_registers::registers(&mut Random::of_item(!MODE_SEED, neighbour)).vertex_type();
        // Indices say nothing of a record.
        let indices = if self.random.chance(40) { self.random.between(1, 3) } else { 0 };
        let argument = if self.random.chance(3) { self.random.word() } else { plain.0 & !(3 << 11) };
        VertexType((argument | indices << 11) & 0xff_ffff)
    }

    /// Records of so many vertices, in memory.
    fn records(&mut self, vertex_type: VertexType, count: u32) -> u32 {
        let style = if self.random.chance(95) { Style::Usual } else { Style::Any };
        let mut records = numbers::records(self.random, style, vertex_type, count);
        let layout = vertex_type.layout();
        if vertex_type.is_through() && layout.record_bytes > 0 {
            for record in records.chunks_exact_mut(layout.record_bytes as usize) {
                self.screen_position(vertex_type, &mut record[layout.position as usize..]);
            }
        }
        self.data(records)
    }

    /// Pixels, for most of the vertices of through mode.
    fn screen_position(&mut self, vertex_type: VertexType, position: &mut [u8]) {
        for axis in 0..2 {
            let pixel = self.random.below(88) as i32 - 12;
            match vertex_type.position() {
                Element::Short => position[2 * axis..][..2].copy_from_slice(&(pixel as i16).to_le_bytes()),
                Element::Word => {
                    let place = pixel as f32 + self.random.below(16) as f32 / 16.0;
                    position[4 * axis..][..4].copy_from_slice(&place.to_le_bytes());
                }
                _ => {}
            }
        }
    }

    /// Points the machine to vertices of some type.
    fn vertices(&mut self, count: u32) {
        let vertex_type = self.vertex_type();
        self.vertices_of(vertex_type, count);
    }

    /// Points the machine to vertices of a type, and to indices where it has them.
    fn vertices_of(&mut self, vertex_type: VertexType, count: u32) {
        self.list.write(op::VTYPE, vertex_type.0);
        let records = if self.random.chance(97) { count } else { count / 2 };
        let address = self.records(vertex_type, records.max(1));
        let address = if self.random.chance(97) { address } else { self.address() };
        self.list.vertices(address);
        if vertex_type.index() != Element::None {
            let size = vertex_type.index().bytes() as usize;
            let wild = self.random.chance(3);
            let index = |random: &mut Random| if wild { random.word() } else { random.below(count.max(1)) };
            let indices: Vec<u8> =
                (0..count).flat_map(|_| index(self.random).to_le_bytes()[..size].to_vec()).collect();
            let address = self.data(indices);
            self.list.indices(address);
        }
    }

    /// Somewhere.
    fn address(&mut self) -> u32 {
        match self.random.below(4) {
            0 => VRAM + 16 * self.random.below(1 << 17),
            1 => VRAM + 0x20_0000 * self.random.below(4) + 16 * self.random.below(1 << 14),
            2 => RAM + self.random.below(0x8_0000),
            _ => self.random.word() & 0x0fff_ffff,
        }
    }

    fn draw(&mut self) {
        let count = match self.random.below(20) {
            0 => 0,
            1 => self.random.between(64, 300),
            _ => self.random.between(2, 26),
        };
        let vertex_type = self.vertex_type();
        self.vertices_of(vertex_type, count);
        let primitive =
            self.random.weighted(&[(1, 0), (2, 1), (2, 2), (6, 3), (5, 4), (3, 5), (7, 6), (1, 7)]);
        self.list.prim(primitive, count);
        if self.random.chance(12) {
            self.list.prim(7, self.random.between(1, 6));
        }
        if self.random.chance(40) {
            for _ in 0..self.random.between(1, 9) {
                self.draw_again(vertex_type, primitive);
            }
        }
    }

    /// A small draw, mostly in the state of the one before: machines draw such together.
    fn draw_again(&mut self, vertex_type: VertexType, primitive: u32) {
        match self.random.below(32) {
            // Goes on behind the vertices before.
            0..10 => {}
            10..12 => self.colour_table(),
            12 => self.transfer(),
            13 => self.pixels(),
            14 | 15 => {
                let port = self.random.pick(&MatrixPort::ALL);
                let value = self.float();
                self.list.write(port.number_command(), self.random.below(12));
                self.list.float(port.data_command(), value);
            }
            16 | 17 => {
                let (first, last) = self.random.pick(&VERTICES);
                let command = first + self.random.below(u32::from(last - first) + 1) as u8;
                self.list.write(command, self.random.word());
            }
            18 | 19 => {
                let (first, last) = self.random.pick(&PIXELS[..5]);
                let command = first + self.random.below(u32::from(last - first) + 1) as u8;
                self.list.write(command, self.random.below(2));
            }
            20 => self.lights(),
            21 => self.odd_words(),
            _ => {
                let count = self.random.between(2, 12);
                self.vertices_of(vertex_type, count);
            }
        }
        let other = self.random.weighted(&[(10, primitive), (1, 3), (1, 4), (1, 6), (1, 7)]);
        self.list.prim(other, self.random.between(1, 12));
    }

    fn patch(&mut self) {
        let [u, v] = [0, 1].map(|_| self.random.pick(&[4, 4, 5, 7]) + u32::from(self.random.chance(5)));
        self.vertices(u * v);
        let divisions = self.random.below(7) | self.random.below(7) << 8;
        self.list.write(op::PSUB, divisions).write(op::PPRIM, self.random.below(4));
        let patch = self.random.pick(&[op::BEZIER, op::SPLINE]);
        self.list.write(patch, u | v << 8 | self.random.below(16) << 16);
    }

    fn immediate(&mut self) {
        let kind = self.random.below(8);
        for vertex in 0..self.random.between(1, 8) {
            for axis in [op::VSCX, op::VSCY] {
                let origin = self.random.pick(&[0x8000, (2048 - 32) * 16]);
                self.list.write(axis, origin + self.random.below(72 * 16));
            }
            self.list.write(op::VSCZ, self.random.word() & 0xffff);
            for coordinate in [op::VTCS, op::VTCT, op::VTCQ] {
                let value = self.float();
                self.list.float(coordinate, value);
            }
            self.list.write(op::VCV, self.random.word()).write(op::VFC, self.random.below(256));
            self.list.write(op::VSCV, self.random.word());
            let first = if vertex == 0 { kind } else { 7 };
            let flags = self.random.word() & 0xfc_08ff;
            self.list.write(op::VAP, flags | first << 8);
        }
    }

    fn colour_table(&mut self) {
        let address =
            if self.random.chance(90) { RAM + 32 * self.random.below(0xf00) } else { self.address() };
        self.list.wide_pointer(op::CBP, op::CBPH, address, 0);
        self.list.write(op::CLOAD, self.random.pick(&[1, 2, 8, 16, 32, 63]));
    }

    /// Bytes from somewhere to somewhere.
    fn transfer(&mut self) {
        for (pointer, width) in [(op::TRXSBP, op::TRXSBW), (op::TRXDBP, op::TRXDBW)] {
            let in_vram = self.random.chance(60);
            let address = match self.random.chance(94) {
                true if in_vram => VRAM + 16 * self.random.below(1 << 15),
                true => RAM + 16 * self.random.below(0x2000),
                false => self.address(),
            };
            let stride = self.random.pick(&[8, 16, 64, 128, 512, 1024]);
            self.list.wide_pointer(pointer, width, address, stride);
        }
        for position in [op::TRXSPOS, op::TRXDPOS] {
            self.list.write(position, self.random.below(32) | self.random.below(32) << 10);
        }
        let size = if self.random.chance(96) { 64 } else { 1024 };
        self.list.write(op::TRXSIZE, self.random.below(size) | self.random.below(size) << 10);
        self.list.write(op::TRXKICK, self.random.below(2));
    }

    /// A box, and draws that are left out if it cannot be seen.
    fn bounding_box(&mut self) {
        let count = self.random.pick(&[8, 8, 8, 1, 4, 13]);
        self.vertices(count);
        self.list.write(op::BBOX, count);
        self.jump_over(op::BJUMP);
    }

    /// A jump over a draw.
    fn jump(&mut self) {
        self.jump_over(op::JUMP);
        if self.random.chance(4) {
            // Back: the list never ends of itself.
            let target = self.base + 4 * self.random.below(self.list.words().len() as u32);
            self.list.address(op::JUMP, target);
        }
    }

    fn jump_over(&mut self, jump: u8) {
        let at = self.list.words().len();
        let outer = std::mem::take(&mut self.list);
        self.draw();
        let skipped = std::mem::replace(&mut self.list, outer);
        let target = self.base + 4 * (at + 2 + skipped.words().len()) as u32;
        self.list.address(jump, target);
        for &word in skipped.words() {
            self.list.write(word.to_le_bytes()[3], word);
        }
    }

    fn call(&mut self) {
        let Some(&subroutine) = self.subroutines.first() else { return };
        self.list.address(op::CALL, subroutine);
    }

    fn signal(&mut self) {
        let behaviour = self.random.weighted(&[
            (4, 1),
            (4, 2),
            (3, 3),
            (3, 8),
            (2, 0x10),
            (2, 0x11),
            (1, 0x12),
            (2, 0x13),
            (1, 0x14),
            (1, 0x15),
            (1, 0x16),
            (2, 0x20),
            (2, 0x28),
            (2, 0x30),
            (2, 0x38),
            (1, 0xf0),
            (1, 0xff),
            (1, 0x77),
        ]);
        let next = self.here() + 8;
        let subroutine = self.subroutines.first().copied().unwrap_or(next);
        let payload = match behaviour {
            0x10 => next,
            0x13 => 8,
            0x11 | 0x16 => subroutine,
            0x14 => subroutine.wrapping_sub(self.here()),
            0x15 => next,
            0x20 | 0x28 | 0x30 | 0x38 => self.random.below(0x4_0000),
            _ => self.random.word(),
        };
        let level = if (0x20..0x30).contains(&behaviour) { self.random.below(8) as u8 } else { 0 };
        self.list.signal(behaviour + level, payload);
        if matches!(behaviour, 1..=3) {
            self.stop();
        }
    }

    fn clear(&mut self) {
        self.list.write(op::CLEAR, 1 | self.random.below(8) << 8);
        self.draw();
        self.list.write(op::CLEAR, 0);
    }

    fn odd_words(&mut self) {
        for _ in 0..self.random.between(1, 6) {
            let word = if self.random.chance(70) { command(self.random) } else { self.random.word() };
            self.list.write(word.to_le_bytes()[3], word);
        }
    }

    /// Addresses count from elsewhere for one draw.
    fn offset(&mut self) {
        if self.random.chance(50) {
            self.list.write(op::ORIGIN, 0);
        } else {
            self.list.write(op::OFFSET, self.random.pick(&[0x08_8000, 0x00_0010, 0x04_0000]));
        }
        self.draw();
        self.list.write(op::OFFSET, 0);
    }

    /// Where a state may be kept.
    pub(super) fn context(&mut self) -> u32 {
        if self.random.chance(95) { CONTEXTS + 0x1000 * self.random.below(8) } else { self.address() }
    }
}

/// Ones in the diagonal: 3 by 4, or 4 by 4.
fn unit(count: usize) -> Vec<f32> {
    let rows = if count == 16 { 4 } else { 3 };
    (0..count).map(|n| if n / rows % 4 == n % rows { 1.0 } else { 0.0 }).collect()
}
