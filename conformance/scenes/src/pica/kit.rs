//! `Kit`: the builder of scenes. It places data in guest memory, writes command lists, and keeps the actions of a
//! host, in order, as a capture.

use super::encode;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::Canvas;
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::{Capture, Event, Origin};
use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::asm::{self, SourceFile};
use picaflor_pipeline::pica::shader::shbin::{Dvle, Shbin};

/// Start of video memory.
pub const VRAM: u32 = 0x1800_0000;
/// Start of main memory.
pub const FCRAM: u32 = 0x2000_0000;
/// The memory that a scene runs in.
pub const REGIONS: [(u32, u32); 2] = [(VRAM, 6 << 20), (FCRAM, 16 << 20)];

/// A screen of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// 400 x 240 for the viewer.
    Top,
    /// 320 x 240 for the viewer.
    Bottom,
}

impl Screen {
    /// Its height in the machine's terms, which is the viewer's width.
    #[must_use]
    pub const fn rows(self) -> u32 {
        match self {
            Self::Top => 400,
            Self::Bottom => 320,
        }
    }

    /// Perspective for this screen, turned for the panel.
    #[must_use]
    pub fn perspective(self, fov: f32, near: f32, far: f32) -> Matrix {
        Matrix::perspective(fov, self.rows() as f32 / 240.0, near, far).tilted()
    }

    /// Pixels of this screen from its lower left corner, turned for the panel.
    #[must_use]
    pub fn flat(self) -> Matrix {
        Matrix::flat(self.rows() as f32, 240.0).tilted()
    }

    const fn registers(self) -> u32 {
        match self {
            Self::Top => 0x1040_0400,
            Self::Bottom => 0x1040_0500,
        }
    }
}

/// Buffers to draw to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffers {
    /// Width in the machine's terms: 240 for a screen.
    pub width: u32,
    /// Height in the machine's terms: 400 or 320 for a screen.
    pub height: u32,
    /// Address of the colours.
    pub colour: u32,
    /// `COLORBUFFER_FORMAT` bits 18:16.
    pub colour_format: u32,
    /// Address of depth and stencil.
    pub depth: u32,
    /// `DEPTHBUFFER_FORMAT`.
    pub depth_format: u32,
}

impl Buffers {
    /// Bytes of a pixel of the colour buffer.
    #[must_use]
    pub const fn colour_bytes(&self) -> u32 {
        match self.colour_format {
            0 => 4,
            1 => 3,
            _ => 2,
        }
    }
}

/// A texture in guest memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texture {
    /// Its address.
    pub address: u32,
    /// Texels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Code of the format.
    pub format: u32,
    /// Levels in the chain.
    pub levels: u32,
}

/// An assembled program.
#[derive(Debug, Clone)]
pub struct ShaderProgram {
    /// The container.
    pub shbin: Shbin,
    /// Attributes that the vertex program takes.
    pub inputs: u8,
}

impl ShaderProgram {
    /// Assembles a program; the source is part of this crate.
    ///
    /// # Panics
    /// If the source has an error.
    #[must_use]
    pub fn assemble(source: &str) -> Self {
        let shbin = match asm::assemble(&[SourceFile::new("scene", source)], asm::Options::default()) {
            Ok(shbin) => shbin,
            Err(errors) => panic!("a scene's program: {errors}"),
        };
        let inputs = shbin.executables[0].input_mask.count_ones() as u8;
        Self { shbin, inputs }
    }

    /// The executable of the vertex stage, or whichever is first.
    #[must_use]
    pub fn executable(&self) -> &Dvle {
        &self.shbin.executables[0]
    }

    /// The number of a float uniform by name.
    ///
    /// # Panics
    /// If the program has no such uniform.
    #[must_use]
    pub fn float(&self, name: &str) -> u8 {
        self.register(name) - 0x10
    }

    /// The number of a boolean uniform by name.
    ///
    /// # Panics
    /// If the program has no such uniform.
    #[must_use]
    pub fn boolean(&self, name: &str) -> u8 {
        self.register(name) - 0x78
    }

    fn register(&self, name: &str) -> u8 {
        let executable = self.executable();
        let named = executable.uniforms.iter().find(|u| executable.name(u.name) == name.as_bytes());
        named.unwrap_or_else(|| panic!("a uniform {name}")).first as u8
    }
}

/// A list in memory that returns to its caller through channel 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subroutine {
    address: u32,
    bytes: u32,
}

/// Builds a scene.
#[derive(Debug)]
pub struct Kit {
    events: Vec<Event>,
    /// Parts of the current list that end in a call.
    calls: Vec<(ListBuilder, Subroutine)>,
    /// The command list that the next [`submit`](Self::submit) sends.
    pub list: ListBuilder,
    vram: u32,
    fcram: u32,
}

impl Default for Kit {
    fn default() -> Self {
        Self::new()
    }
}

impl Kit {
    /// An empty scene.
    #[must_use]
    pub const fn new() -> Self {
        Self { events: Vec::new(), calls: Vec::new(), list: ListBuilder::new(), vram: VRAM, fcram: FCRAM }
    }

    /// Reserves video memory.
    ///
    /// # Panics
    /// If there is none left.
    pub fn reserve(&mut self, bytes: u32) -> u32 {
        let address = self.vram.next_multiple_of(128);
        self.vram = address + bytes;
        assert!(self.vram <= VRAM + REGIONS[0].1, "a scene needs too much video memory");
        address
    }

    /// Puts bytes into main memory.
    ///
    /// # Panics
    /// If there is no room left.
    pub fn data(&mut self, bytes: Vec<u8>) -> u32 {
        let address = self.fcram.next_multiple_of(128);
        self.fcram = address + bytes.len() as u32;
        assert!(self.fcram <= FCRAM + REGIONS[1].1, "a scene needs too much memory");
        self.events.push(Event::Memory { address, bytes: bytes.into() });
        address
    }

    /// RGBA8 colours with 24 bits of depth and a stencil.
    pub fn buffers(&mut self, width: u32, height: u32) -> Buffers {
        let (colour, depth) = (self.reserve(width * height * 4), self.reserve(width * height * 4));
        Buffers { width, height, colour, colour_format: 0, depth, depth_format: 3 }
    }

    /// Buffers of a screen's size.
    pub fn screen_buffers(&mut self, screen: Screen) -> Buffers {
        self.buffers(240, screen.rows())
    }

    /// A texture of one level.
    pub fn texture(&mut self, canvas: &Canvas, format: u32) -> Texture {
        self.mipmapped(canvas, format, 1)
    }

    /// A texture with a mip chain.
    pub fn mipmapped(&mut self, canvas: &Canvas, format: u32, levels: u32) -> Texture {
        let address = self.data(encode::mip_chain(canvas, format, levels));
        Texture { address, width: canvas.width, height: canvas.height, format, levels }
    }

    /// A write to the external registers, as the system software does it.
    pub fn mmio(&mut self, address: u32, value: u32) {
        self.events.push(Event::Mmio { address, value });
    }

    /// Fills memory with 32-bit words.
    pub fn fill(&mut self, address: u32, bytes: u32, value: u32) {
        self.fill_units(address, bytes, value, 2);
    }

    /// Fills memory; `width` is the field of the control register: 0 for 16 bits, 1 for 24, 2 for 32.
    pub fn fill_units(&mut self, address: u32, bytes: u32, value: u32, width: u32) {
        self.mmio(0x1040_0010, address >> 3);
        self.mmio(0x1040_0014, (address + bytes) >> 3);
        self.mmio(0x1040_0018, value);
        self.mmio(0x1040_001c, width << 8 | 1);
    }

    /// Clears RGBA8 and D24S8 buffers: colour as 0xRRGGBBAA, depth 0 (farthest), stencil 0.
    pub fn clear(&mut self, buffers: &Buffers, colour: u32) {
        let bytes = buffers.width * buffers.height * 4;
        self.fill(buffers.colour, bytes, colour);
        self.fill(buffers.depth, bytes, 0);
    }

    /// Ends the list, which must contain a draw, and submits it.
    pub fn submit(&mut self) {
        self.list.write(0x111, 1);
        let bytes = std::mem::take(&mut self.list).finish();
        let mut rest = self.place(bytes);
        for (mut list, callee) in std::mem::take(&mut self.calls).into_iter().rev() {
            list.write(0x239, rest.bytes >> 3).write(0x23b, rest.address >> 3);
            rest = self.place(list.jump(0, callee.address, callee.bytes).bytes());
        }
        self.events.push(Event::List { address: rest.address, size_bytes: rest.bytes });
    }

    fn place(&mut self, list: Vec<u8>) -> Subroutine {
        let bytes = list.len() as u32;
        Subroutine { address: self.data(list), bytes }
    }

    /// A subroutine for [`call`](Self::call): the commands that `write` writes, and the return.
    pub fn subroutine(&mut self, write: impl FnOnce(&mut Self)) -> Subroutine {
        let outer = std::mem::take(&mut self.list);
        write(self);
        let mut list = std::mem::replace(&mut self.list, outer);
        let bytes = list.write(0x23d, 1).bytes();
        self.place(bytes)
    }

    /// Jumps to a subroutine through channel 0; channel 1 is where this list continues.
    pub fn call(&mut self, callee: Subroutine) {
        self.calls.push((std::mem::take(&mut self.list), callee));
    }

    /// Brings buffers to a screen: a display transfer to RGB8, and the registers of the scan-out.
    pub fn show(&mut self, screen: Screen, buffers: &Buffers) {
        let (width, height) = (240, screen.rows());
        let output = self.reserve(width * height * 3);
        self.mmio(0x1040_0c00, buffers.colour >> 3);
        self.mmio(0x1040_0c04, output >> 3);
        self.mmio(0x1040_0c08, height << 16 | width);
        self.mmio(0x1040_0c0c, buffers.height << 16 | buffers.width);
        let input_format = [0, 1, 3, 2, 4][buffers.colour_format as usize];
        let output_format = if input_format <= 1 { 1 } else { input_format };
        self.mmio(0x1040_0c10, 1 << 2 | input_format << 8 | output_format << 12);
        self.mmio(0x1040_0c18, 1);
        self.scan_out(screen, output, output_format);
    }

    fn scan_out(&mut self, screen: Screen, address: u32, format: u32) {
        let base = screen.registers();
        let bytes = if format == 1 { 3 } else { 2 };
        self.mmio(base + 0x5c, screen.rows() << 16 | 240);
        self.mmio(base + 0x68, address);
        self.mmio(base + 0x6c, address);
        self.mmio(base + 0x70, format);
        self.mmio(base + 0x78, 0);
        self.mmio(base + 0x90, 240 * bytes);
    }

    /// Ends a frame.
    pub fn frame(&mut self) {
        self.events.push(Event::Frame);
    }

    /// Loads a vertex program: code, constants, inputs, output map.
    pub fn vertex_program(&mut self, program: &ShaderProgram) {
        self.list.write_bytes(0x229, 0, 3).write_bytes(0x244, 0, 1);
        self.list.program(Bank::Vertex, &program.shbin.program);
        self.list.executable(Bank::Vertex, program.executable(), program.inputs);
        self.list.write(0x242, u32::from(program.inputs) - 1).output_map(program.executable());
    }

    /// Sets rows of a float uniform of the vertex program by name.
    pub fn uniform(&mut self, program: &ShaderProgram, name: &str, rows: &[[f32; 4]]) {
        self.list.float_uniforms(Bank::Vertex, program.float(name), rows);
    }

    /// Sets a matrix by name.
    pub fn matrix(&mut self, program: &ShaderProgram, name: &str, matrix: &Matrix) {
        self.uniform(program, name, &matrix.0);
    }

    /// Loads a vertex and a geometry program; the mode comes from the geometry program's `.gsh` line, and the
    /// attributes of a run in point mode are its inputs.
    pub fn geometry_program(&mut self, vertex: &ShaderProgram, geometry: &ShaderProgram) {
        let (before, after) = (vertex.executable(), geometry.executable());
        let mode = after.geometry;
        self.list.write_bytes(0x229, 2, 3).write_bytes(0x253, 0, 3).write_bytes(0x244, 1, 1);
        self.list.program(Bank::Vertex, &vertex.shbin.program);
        self.list.executable(Bank::Vertex, before, vertex.inputs);
        self.list.program(Bank::Geometry, &geometry.shbin.program);
        self.list.executable(Bank::Geometry, after, geometry.inputs).output_map(after);
        let slots = before.output_registers().count_ones() - 1;
        self.list.write(0x242, u32::from(vertex.inputs) - 1).write(0x24a, slots).write(0x251, slots);
        let (variable, fixed) = (mode.mode == 1, mode.mode == 2);
        self.list.write_bytes(0x229, u32::from(variable) << 31, 0b1010);
        let vertices = u32::from(mode.fixed_vertices).saturating_sub(1);
        let fixed_fields = 1 << 24 | u32::from(mode.fixed_start) << 16 | slots << 12 | vertices << 8;
        self.list.write(0x252, u32::from(mode.mode) | if fixed { fixed_fields } else { 0 });
        let whole = if variable { u32::from(mode.variable_vertices).saturating_sub(1) } else { 0 };
        self.list.write(0x254, whole).write_bytes(0x289, u32::from(variable || fixed) << 8, 2);
    }

    /// Sets rows of a float uniform of the geometry program by name.
    pub fn geometry_uniform(&mut self, program: &ShaderProgram, name: &str, rows: &[[f32; 4]]) {
        self.list.float_uniforms(Bank::Geometry, program.float(name), rows);
    }

    /// Puts a mesh into memory: position, normal, texture coordinates and colour of each vertex, 48 bytes, all
    /// 32-bit floats, then 16-bit indices.
    pub fn mesh(&mut self, mesh: &Mesh) -> Placed {
        let values = mesh.vertices.iter().flat_map(|v| {
            v.position.into_iter().chain(v.normal).chain(v.uv).chain(v.colour).collect::<Vec<f32>>()
        });
        let vertices = self.data(values.flat_map(f32::to_le_bytes).collect());
        let indices = self.data(mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect());
        Placed { vertices, indices, count: mesh.indices.len() as u32 }
    }

    /// Draws a mesh with a program that takes position, normal, texture coordinates and colour as `v0`-`v3`.
    pub fn draw(&mut self, placed: &Placed) {
        self.arrays(placed.vertices, 48, &[(3, 3), (3, 3), (3, 2), (3, 4)]);
        self.list.draw_elements(3, placed.indices - FCRAM, placed.count);
    }

    /// Sets up one interleaved array at `address` with (type, components) for each attribute, attribute 0
    /// first; types: 0 signed byte, 1 unsigned byte, 2 signed 16 bits, 3 float.
    pub fn arrays(&mut self, address: u32, stride: u32, attributes: &[(u32, u32)]) {
        let count = attributes.len() as u32;
        let format = |(k, &(kind, components)): (usize, &(u32, u32))| {
            u64::from(kind | (components - 1) << 2) << (4 * k)
        };
        let formats: u64 = attributes.iter().enumerate().map(format).sum();
        let order = 0xba98_7654_3210_u64 & ((1_u64 << (4 * count)) - 1);
        self.list.burst(
            0x200,
            &[
                FCRAM >> 3,
                formats as u32,
                (formats >> 32) as u32 | (count - 1) << 28,
                address - FCRAM,
                order as u32,
                (order >> 32) as u32 | stride << 16 | count << 28,
            ],
        );
        self.list.write(0x242, count - 1).write_bytes(0x2b9, count - 1, 1);
    }

    /// The scene as a capture.
    #[must_use]
    pub fn finish(self, precision: Precision) -> Capture {
        let initial = Pica::new(precision).save();
        Capture {
            origin: Origin::Recorder,
            precision,
            regions: REGIONS.to_vec(),
            initial,
            events: self.events,
        }
    }
}

/// A mesh in guest memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Address of the vertices.
    pub vertices: u32,
    /// Address of the indices.
    pub indices: u32,
    /// Number of indices.
    pub count: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};
    use picaflor_pipeline::pica::command::CommandList;

    /// A machine that has run the lists of a kit.
    fn ran(kit: Kit) -> Pica {
        let (memory, mut pica) = (BlockMemory::zeroed(&REGIONS), Pica::new(Precision::Console));
        for event in &kit.finish(Precision::Console).events {
            match *event {
                Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
                Event::List { address, size_bytes } => {
                    let list = CommandList { address, size_bytes };
                    pica.run(&mut Interpreter::new(), &memory, list).expect("a list that ends");
                }
                _ => {}
            }
        }
        pica
    }

    /// Bit 8 of 0x289 says that inputs go to uniforms (pica-geometry.md 3.9).
    #[test]
    fn variable_and_fixed_modes_send_inputs_to_uniforms() {
        let vertex = ShaderProgram::assemble(include_str!("programs/raw.v.pica"));
        let (variable, point) =
            (include_str!("programs/subdivide.g.pica"), include_str!("programs/sprites.g.pica"));
        for (source, expected) in [(variable, 1), (point, 0)] {
            let mut kit = Kit::new();
            kit.geometry_program(&vertex, &ShaderProgram::assemble(source));
            kit.submit();
            assert_eq!(ran(kit).registers().raw(0x289) >> 8 & 1, expected, "{source}");
        }
    }

    #[test]
    fn calls_come_back_through_channel_1() {
        let mut kit = Kit::new();
        let both = kit.subroutine(|kit| _ = kit.list.write(0x041, 1).write(0x0fd, 2));
        kit.call(both);
        kit.list.write(0x0fd, 3);
        kit.call(both);
        kit.list.write(0x043, 4);
        kit.submit();
        let pica = ran(kit);
        assert_eq!([0x041, 0x0fd, 0x043].map(|id| pica.registers().raw(id)), [1, 2, 4]);
        assert_eq!(pica.stats().lists, 5);
    }
}
