//! `ListBuilder`: writes command lists, for scenes, tests and hosts without an SDK.
//!
//! A list is a sequence of register writes. The builder implements the packing of commands (headers, bursts,
//! padding), the upload of programs, uniforms and tables, and the end of a list. The meaning of registers is left to
//! the caller; [`regs`](crate::pica::regs) has views that produce words.
//!
//! ```
//! use picaflor_pipeline::pica::command::list_builder::ListBuilder;
//!
//! let mut list = ListBuilder::new();
//! list.write(0x040, 0).burst(0x0c0, &[0x000f_000f, 0, 0, 0, 0]);
//! let bytes = list.finish();
//! assert_eq!(bytes.len() % 16, 0);
//! ```
//!
//! Source: pica-geometry.md 1.2, 1.5, 1.6, 1.10, 3.6; pica-shader.md 7.

use crate::pica::float;
use crate::pica::shader::shbin::{Constant, Dvle, Dvlp};

/// Maximum number of extra parameters of a command.
const MOST_EXTRA: usize = 255;

/// Request bytes that the system software sets as compare bytes; writing them ends a list.
pub const FINALIZE: u32 = 0x1234_5678;

/// First register of the two shader units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bank {
    /// 0x280.
    Geometry,
    /// 0x2B0.
    Vertex,
}

impl Bank {
    const fn register(self, offset: u16) -> u16 {
        offset
            + match self {
                Self::Geometry => 0x280,
                Self::Vertex => 0x2b0,
            }
    }
}

/// A command list under construction: methods append to it, [`finish`](Self::finish) returns its bytes.
///
/// ```
/// use picaflor_pipeline::pica::command::list_builder::{Bank, ListBuilder};
/// use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
///
/// let source = ".out position position\n.in place v0\n.entry main\n.proc main\nmov position, place\nend\n.end";
/// let shader = assemble(&[SourceFile::new("copy.v.pica", source)], Options::default())?;
/// let main = &shader.executables[0];
///
/// let mut list = ListBuilder::new();
/// list.program(Bank::Vertex, &shader.program).executable(Bank::Vertex, main, 1).output_map(main);
/// list.float_uniforms(Bank::Vertex, 0, &[[1.0, 0.0, 0.0, 0.0]]);
/// // A triangle without arrays; the state of the fragment units is as it was.
/// let corners = [[-0.5, -0.5, -0.5, 1.0], [0.5, -0.5, -0.5, 1.0], [0.0, 0.5, -0.5, 1.0]];
/// list.immediate(0, corners.iter().map(std::slice::from_ref));
/// assert_eq!(list.finish().len() % 16, 0);
/// # Ok::<(), picaflor_pipeline::pica::shader::asm::AsmErrors>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListBuilder {
    words: Vec<u32>,
}

impl ListBuilder {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// The words so far.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Appends a write to one register.
    pub fn write(&mut self, id: u16, value: u32) -> &mut Self {
        self.write_bytes(id, value, 0xf)
    }

    /// Appends a write to the bytes of a register that `mask` enables, bit 0 for the lowest.
    pub fn write_bytes(&mut self, id: u16, value: u32, mask: u8) -> &mut Self {
        self.words.extend([value, header(id, mask, 0, false)]);
        self
    }

    /// Appends writes to consecutive registers from `first` on.
    pub fn burst(&mut self, first: u16, values: &[u32]) -> &mut Self {
        for (i, part) in values.chunks(MOST_EXTRA + 1).enumerate() {
            self.command(first + (i * (MOST_EXTRA + 1)) as u16, part, true);
        }
        self
    }

    /// Appends repeated writes to one register, for data ports.
    pub fn feed(&mut self, port: u16, values: &[u32]) -> &mut Self {
        for part in values.chunks(MOST_EXTRA + 1) {
            self.command(port, part, false);
        }
        self
    }

    fn command(&mut self, id: u16, values: &[u32], consecutive: bool) {
        let Some((first, rest)) = values.split_first() else { return };
        self.words.extend([*first, header(id, 0xf, rest.len(), consecutive)]);
        self.words.extend(rest);
        if rest.len() % 2 == 1 {
            self.words.push(0);
        }
    }

    /// Uploads float uniforms from `c[first]` on, in 32-bit mode.
    pub fn float_uniforms(&mut self, bank: Bank, first: u8, values: &[[f32; 4]]) -> &mut Self {
        let words: Vec<_> = values.iter().flat_map(|v| [v[3], v[2], v[1], v[0]].map(f32::to_bits)).collect();
        self.write(bank.register(0x10), 0x8000_0000 | u32::from(first)).feed(bank.register(0x11), &words)
    }

    /// Sets the boolean uniforms, `b0` in bit 0.
    pub fn bool_uniforms(&mut self, bank: Bank, bools: u16) -> &mut Self {
        self.write(bank.register(0x00), 0x7fff_0000 | u32::from(bools))
    }

    /// Sets integer uniform `i[n]`: x (passes - 1), y (start), z (step).
    pub fn int_uniform(&mut self, bank: Bank, n: u8, value: [u8; 3]) -> &mut Self {
        let [x, y, z] = value;
        self.write(bank.register(0x01 + u16::from(n & 3)), u32::from_le_bytes([x, y, z, 0]))
    }

    /// Uploads code and operand descriptors.
    pub fn program(&mut self, bank: Bank, program: &Dvlp) -> &mut Self {
        let descriptors: Vec<_> = program.descriptors.iter().map(|pair| pair[0]).collect();
        self.write(bank.register(0x1b), 0)
            .feed(bank.register(0x1c), &program.code)
            .write(bank.register(0x0f), 1)
            .write(bank.register(0x25), 0)
            .feed(bank.register(0x26), &descriptors)
    }

    /// Sets entry point, constants, input count and output mask of an executable whose program is uploaded.
    /// [`output_map`](Self::output_map) sets the output map.
    pub fn executable(&mut self, bank: Bank, executable: &Dvle, inputs: u8) -> &mut Self {
        let role = if bank == Bank::Vertex { 0xa000_0000 } else { 0x0800_0000 };
        self.write(bank.register(0x09), role | u32::from(inputs.saturating_sub(1)))
            .write(bank.register(0x0a), executable.entry_point())
            .burst(bank.register(0x0b), &[0x7654_3210, 0xfedc_ba98])
            .write(bank.register(0x0d), u32::from(executable.output_registers()));
        self.constants(bank, executable)
    }

    fn constants(&mut self, bank: Bank, executable: &Dvle) -> &mut Self {
        let mut bools = 0;
        for constant in &executable.constants {
            match *constant {
                Constant::Bool(n, value) => bools |= u16::from(value) << (n & 15),
                Constant::Int(n, [x, y, z, _]) => {
                    self.int_uniform(bank, n as u8, [x, y, z]);
                }
                Constant::Float(n, [x, y, z, w]) => {
                    let packed = [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x];
                    self.write(bank.register(0x10), u32::from(n)).feed(bank.register(0x11), &packed);
                }
            }
        }
        self.bool_uniforms(bank, bools)
    }

    /// Sets the output map of an executable: number and semantics of its outputs.
    pub fn output_map(&mut self, executable: &Dvle) -> &mut Self {
        let map = executable.output_map();
        let total = u32::from(map.total);
        let mut values = vec![total];
        values.extend(map.slots);
        let last = total.saturating_sub(1);
        let textured =
            map.sources()[12..17].iter().any(|source| *source != crate::pica::vertex::SemanticSource::One);
        self.burst(0x04f, &values)
            .write(0x064, u32::from(textured))
            .write(0x06f, 0x0103_0703)
            .write(0x24a, last)
            .write(0x251, last)
            .write_bytes(0x25e, last, 1)
    }

    /// Sets the value of fixed attribute `n`.
    pub fn fixed_attribute(&mut self, n: u8, value: [f32; 4]) -> &mut Self {
        self.write(0x232, u32::from(n)).feed(0x233, &pack_f24x4(value))
    }

    /// Appends vertices in immediate mode, each as its attributes in order; `topology` is the field of 0x25E.
    pub fn immediate<'a>(
        &mut self,
        topology: u32,
        vertices: impl IntoIterator<Item = &'a [[f32; 4]]>,
    ) -> &mut Self {
        self.write_bytes(0x25e, topology << 8, 2).write(0x25f, 1).write(0x227, 0x8000_0000);
        self.write_bytes(0x253, 1, 1).write(0x245, 0).write(0x232, 0xf);
        for vertex in vertices {
            let words: Vec<_> = vertex.iter().flat_map(|&attribute| pack_f24x4(attribute)).collect();
            self.feed(0x233, &words);
        }
        self.write(0x245, 1).write_bytes(0x253, 0, 1).write(0x231, 1)
    }

    /// Draws `count` vertices of the arrays from `first` on.
    pub fn draw_arrays(&mut self, topology: u32, first: u32, count: u32) -> &mut Self {
        self.write_bytes(0x25e, topology << 8, 2).write(0x25f, 1).write(0x227, 0x8000_0000);
        self.write(0x228, count).write(0x22a, first).write_bytes(0x253, 1, 1).write(0x245, 0);
        self.write(0x22e, 1).write(0x245, 1).write_bytes(0x253, 0, 1).write(0x231, 1)
    }

    /// Draws `count` vertices named by 16-bit indices at `offset` from the base of the arrays. As in SDKs, a triangle
    /// list is topology 3 here.
    pub fn draw_elements(&mut self, topology: u32, offset: u32, count: u32) -> &mut Self {
        let list = u32::from(topology == 3) << 8;
        self.write_bytes(0x25e, topology << 8, 2).write(0x25f, 1).write(0x227, 0x8000_0000 | offset);
        self.write(0x228, count).write(0x22a, 0).write_bytes(0x229, list, 2).write_bytes(0x253, list, 2);
        self.write(0x245, 0).write(0x22f, 1).write(0x245, 1);
        self.write_bytes(0x229, 0, 2).write_bytes(0x253, 0, 2).write(0x231, 1);
        self.write_bytes(0x25e, 0, 8).write_bytes(0x25e, 0, 8)
    }

    /// Continues with another list: `channel` 0 or 1, its address and size in bytes, both multiples of 16. Later
    /// commands of this list are not executed.
    pub fn jump(&mut self, channel: u16, address: u32, bytes: u32) -> &mut Self {
        let channel = channel & 1;
        self.write(0x238 + channel, bytes >> 3).write(0x23a + channel, address >> 3).write(0x23c + channel, 1)
    }

    /// Ends the list with the interrupt and pads it. Returns its bytes; their number is a multiple of 16.
    #[must_use]
    pub fn finish(&mut self) -> Vec<u8> {
        self.write(0x010, FINALIZE);
        self.bytes()
    }

    /// The list so far, padded to a multiple of 16 bytes with commands without effect.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut words = self.words.clone();
        words.resize(words.len().next_multiple_of(4), 0);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The second word of a command.
fn header(id: u16, mask: u8, extra: usize, consecutive: bool) -> u32 {
    u32::from(id & 0x3ff) | u32::from(mask & 15) << 16 | (extra as u32) << 20 | u32::from(consecutive) << 31
}

/// A vector of four 24-bit floats as its three words, w first.
#[must_use]
pub fn pack_f24x4(value: [f32; 4]) -> [u32; 3] {
    let [x, y, z, w] = value.map(float::encode_f24);
    [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_packed_and_padded() {
        let mut list = ListBuilder::new();
        list.burst(0x0c0, &[1, 2]).write_bytes(0x080, 7, 0b0100);
        assert_eq!(list.words(), [1, 0x801f_00c0, 2, 0, 7, 0x0004_0080]);
    }

    #[test]
    fn long_feeds_are_split() {
        let mut list = ListBuilder::new();
        list.feed(0x1c8, &[9; 300]);
        assert_eq!(list.words()[1], 0x0fff_01c8);
        assert_eq!(list.words()[258..260], [9, 0x02bf_01c8]);
        assert_eq!(list.words().len() % 2, 0);
    }

    #[test]
    fn floats_pack_as_they_unpack() {
        let value = [1.0, 0.5, -1.0, 3.0];
        assert_eq!(float::unpack_f24x4(pack_f24x4(value)).map(float::f24), value);
    }

    #[test]
    fn the_end_is_a_multiple_of_sixteen() {
        for writes in 0..4 {
            let mut list = ListBuilder::new();
            (0..writes).for_each(|_| {
                list.write(0x040, 0);
            });
            let bytes = list.finish();
            assert_eq!(bytes.len() % 16, 0);
            assert!(bytes.chunks(8).any(|command| command[..4] == FINALIZE.to_le_bytes()));
        }
    }
}
