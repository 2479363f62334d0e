//! `ListBuilder`: writes display lists, for scenes, tests and hosts without an SDK.
//!
//! ```
//! use picaflor_pipeline::ge::list_builder::ListBuilder;
//! use picaflor_pipeline::ge::regs::op;
//!
//! let mut list = ListBuilder::new();
//! list.write(op::PSM, 3).float(op::XSCALE, 240.0).vertices(0x0890_0000).prim(3, 6);
//! assert_eq!(list.finish(0)[8..12], [0, 0, 0x08, 0x10]);
//! ```
//!
//! Source: psp-ge.md 1.2, 1.3, 2.3, 3.

use super::matrix_ports::MatrixPort;
use super::regs::op;

/// A display list under construction.
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

    /// Bytes so far.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        4 * self.words.len() as u32
    }

    /// Appends a command with its argument, of which the low 24 bits are used.
    pub fn write(&mut self, command: u8, argument: u32) -> &mut Self {
        self.words.push(u32::from(command) << 24 | argument & 0xff_ffff);
        self
    }

    /// Appends a command with a float argument, truncated to 24 bits.
    pub fn float(&mut self, command: u8, value: f32) -> &mut Self {
        self.write(command, value.to_bits() >> 8)
    }

    /// Appends a switch.
    pub fn switch(&mut self, command: u8, is_on: bool) -> &mut Self {
        self.write(command, is_on.into())
    }

    /// Appends a whole matrix, or all bones: `elements`, from the first element of the port on.
    pub fn matrix(&mut self, port: MatrixPort, elements: &[f32]) -> &mut Self {
        self.write(port.number_command(), 0);
        elements.iter().for_each(|&element| _ = self.float(port.data_command(), element));
        self
    }

    /// Appends a command whose argument is the lower part of an address; the upper part goes to `BASE`.
    pub fn address(&mut self, command: u8, address: u32) -> &mut Self {
        self.write(op::BASE, address >> 8 & 0x0f_0000).write(command, address)
    }

    /// Appends a pointer whose upper part goes to a second command, together with `low` (stride or width).
    pub fn wide_pointer(&mut self, command: u8, upper: u8, address: u32, low: u32) -> &mut Self {
        self.write(command, address).write(upper, address >> 8 & 0xff_0000 | low & 0xffff)
    }

    /// Sets the vertex pointer.
    pub fn vertices(&mut self, address: u32) -> &mut Self {
        self.address(op::VADDR, address)
    }

    /// Sets the index pointer.
    pub fn indices(&mut self, address: u32) -> &mut Self {
        self.address(op::IADDR, address)
    }

    /// Appends a draw of `count` vertices; `primitive` is the type in `PRIM`.
    pub fn prim(&mut self, primitive: u32, count: u32) -> &mut Self {
        self.write(op::PRIM, (primitive & 7) << 16 | count & 0xffff)
    }

    /// Appends a signal with its argument; `behaviour` as in the manual.
    pub fn signal(&mut self, behaviour: u8, payload: u32) -> &mut Self {
        self.write(op::SIGNAL, u32::from(behaviour) << 16 | payload >> 16).write(op::END, payload & 0xffff)
    }

    /// Ends the list. Returns its bytes.
    #[must_use]
    pub fn finish(&mut self, token: u16) -> Vec<u8> {
        self.write(op::FINISH, token.into()).write(op::END, 0);
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::display_list::DisplayList;
    use super::super::testing::{Bench, LIST};
    use super::*;
    use crate::ge::machine::processor::Stop;
    use crate::memory::write_bytes;

    #[test]
    fn lists_do_what_they_were_built_for() {
        let mut list = ListBuilder::new();
        let world: [f32; 12] = std::array::from_fn(|n| n as f32);
        list.matrix(MatrixPort::World, &world).switch(op::TME, true).float(op::XSCALE, 0.1);
        list.wide_pointer(op::TBP0, op::TBW0, 0x0912_3450, 256).indices(0x0432_1000);
        list.signal(2, 0x0007_0009);
        let bytes = list.finish(5);
        let mut bench = Bench::new();
        write_bytes(&bench.memory, LIST, &bytes);
        let mut at = DisplayList::new(LIST, 0);
        assert_eq!(bench.go_on(&mut at), Ok(Stop::Signal { behaviour: 2, token: 7 }));
        assert_eq!(bench.go_on(&mut at), Ok(Stop::Finished { token: 5 }));
        assert_eq!(bench.ge.matrices().world, world);
        assert_eq!((bench.word(op::TBP0), bench.word(op::TBW0)), (0xa012_3450, 0xa809_0100));
        assert_eq!((bench.ge.index_pointer(), bench.word(op::TME)), (0x0432_1000, 0x1e00_0001));
        assert_eq!(bench.ge.registers().float(op::XSCALE).to_bits(), 0.1_f32.to_bits() & !0xff);
    }
}
