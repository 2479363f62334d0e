//! The SHBIN container: DVLB (file), DVLP (program), DVLE (one executable of the program).
//!
//! [`Shbin::read`] accepts any byte string; its errors name the offset. [`Shbin::write`] uses the layout of the
//! common assembler, so that reading and writing a file of that assembler gives the same bytes. Offsets inside a
//! block are relative to its start. Source: 3dbrew, SHBIN, and pica-shader.md 8, which adds the conventions of the
//! common assembler.

mod read;
mod setup;
mod write;

pub use read::ShbinError;

/// A container: one program, and executables with entry points in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shbin {
    /// Code and operand descriptors, shared by all executables.
    pub program: Dvlp,
    /// The executables in order.
    pub executables: Vec<Dvle>,
}

/// The program block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dvlp {
    /// Version; the common assembler writes 0.
    pub version: u32,
    /// Instruction words.
    pub code: Vec<u32>,
    /// Operand descriptors, each with a second word of unknown meaning (0 from the common assembler).
    pub descriptors: Vec<[u32; 2]>,
    /// File names for debuggers, zero-terminated; usually absent.
    pub file_names: Vec<u8>,
}

/// Stage of an executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// Code 0.
    #[default]
    Vertex,
    /// Code 1.
    Geometry,
}

/// Input mode of a geometry program; the four bytes at 0x14 of a DVLE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GeometryMode {
    /// 0 point, 1 variable (subdivision), 2 fixed (particle).
    pub mode: u8,
    /// Fixed: first float uniform that receives vertices.
    pub fixed_start: u8,
    /// Variable: number of vertices that arrive with all their attributes.
    pub variable_vertices: u8,
    /// Fixed: vertices of a primitive.
    pub fixed_vertices: u8,
}

/// An executable: entry point and interface.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dvle {
    /// Version; the common assembler writes 0x1002.
    pub version: u16,
    /// Vertex or geometry.
    pub stage: Stage,
    /// Geometry: outputs of the vertex program are merged into the output map.
    pub merge: bool,
    /// Address of the first word.
    pub entry: u32,
    /// Address after the last word of the entry procedure.
    pub end: u32,
    /// Mask of the `v` registers that the program declares as inputs.
    pub input_mask: u16,
    /// Mask of the `o` registers that it writes.
    pub output_mask: u16,
    /// Input mode of a geometry program.
    pub geometry: GeometryMode,
    /// Uniform values that belong to the program.
    pub constants: Vec<Constant>,
    /// Labels for debuggers; the common assembler writes none.
    pub labels: Vec<Label>,
    /// Semantics of the outputs.
    pub outputs: Vec<Output>,
    /// Names of inputs and uniforms.
    pub uniforms: Vec<Uniform>,
    /// Zero-terminated names, referred to by offset.
    pub symbols: Vec<u8>,
}

impl Dvle {
    /// The name at `offset` of the symbol table, without its terminator; empty past the end.
    #[must_use]
    pub fn name(&self, offset: u32) -> &[u8] {
        let rest = self.symbols.get(offset as usize..).unwrap_or_default();
        rest.split(|&byte| byte == 0).next().unwrap_or_default()
    }
}

/// The value of a uniform register; the number is relative to its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    /// Kind 0: `b` register, value.
    Bool(u16, bool),
    /// Kind 1: `i` register, x, y, z and an unused byte.
    Int(u16, [u8; 4]),
    /// Kind 2: `c` register, raw 24-bit floats, x first.
    Float(u16, [u32; 4]),
}

/// A label: address and size of a range of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// Number of the label.
    pub id: u16,
    /// Unknown; 1 has been seen.
    pub flags: u16,
    /// Address in words.
    pub position: u32,
    /// Size in words, or `0xffff_ffff`.
    pub size: u32,
    /// Offset of the name in the symbol table.
    pub name: u32,
}

/// One entry of the output table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// 0 position, 1 normal quaternion, 2 colour, 3 texcoord0, 4 texcoord0 w, 5 texcoord1, 6 texcoord2, 8 view,
    /// 9 dummy.
    pub semantic: u16,
    /// Number of the `o` register.
    pub register: u16,
    /// Components: bit 0 is x, bit 3 is w.
    pub mask: u16,
    /// Unknown; 0 from the common assembler.
    pub unknown: u16,
}

impl Output {
    /// The names of the semantics in assembly language, by number; 7 is unknown.
    pub const SEMANTICS: [&str; 10] = [
        "position",
        "normalquat",
        "color",
        "texcoord0",
        "texcoord0w",
        "texcoord1",
        "texcoord2",
        "",
        "view",
        "dummy",
    ];
}

/// One entry of the uniform table: a name for a range of registers.
///
/// Register numbers share one space: 0x00-0x0f `v`, 0x10-0x6f `c`, 0x70-0x73 `i`, 0x78-0x87 `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uniform {
    /// Offset of the name in the symbol table.
    pub name: u32,
    /// First register.
    pub first: u16,
    /// Last register, inclusive.
    pub last: u16,
}

#[cfg(test)]
mod tests;
