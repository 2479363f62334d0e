//! `MatrixPorts`: upload counters, the matrices used by draws, and the copy that the CPU reads back.
//!
//! Source: psp-ge.md 3.3; the copy as measured on a console (ge/get).

use super::matrices::Matrices;
use super::number::f24;
use super::regs::op;
use crate::persist::Words;

/// One of the five ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixPort {
    /// Bones: `BOFS`, `BONE`.
    Bones,
    /// World: `WMS`, `WORLD`.
    World,
    /// View: `VMS`, `VIEW`.
    View,
    /// Projection: `PMS`, `PROJ`.
    Projection,
    /// Texture: `TMS`, `TMATRIX`.
    Texture,
}

impl MatrixPort {
    /// All ports, in the order of their commands.
    pub const ALL: [Self; 5] = [Self::Bones, Self::World, Self::View, Self::Projection, Self::Texture];

    /// The command that sets the counter; the next command writes elements.
    #[must_use]
    pub const fn number_command(self) -> u8 {
        [op::BOFS, op::WMS, op::VMS, op::PMS, op::TMS][self as usize]
    }

    /// The command that writes elements.
    #[must_use]
    pub const fn data_command(self) -> u8 {
        self.number_command() + 1
    }

    /// Elements of the matrix, or of all eight bones.
    #[must_use]
    pub const fn elements(self) -> usize {
        [96, 12, 12, 16, 12][self as usize]
    }

    /// First element in the bank.
    const fn first(self) -> usize {
        [0, 96, 108, 120, 136][self as usize]
    }

    /// Mask of the counter bits that select an element of the bank.
    const fn mask(self) -> u32 {
        if matches!(self, Self::Bones) { 0x7f } else { 15 }
    }
}

/// Number of elements in the CPU's copy.
const BANK: usize = 148;

/// Matrices as they are uploaded.
#[derive(Debug, Clone)]
pub(crate) struct MatrixPorts {
    matrices: Matrices,
    counters: [u32; 5],
    /// Arguments of 24 bits.
    bank: [u32; BANK],
}

impl Default for MatrixPorts {
    fn default() -> Self {
        Self { matrices: Matrices::default(), counters: [0; 5], bank: [0; BANK] }
    }
}

impl MatrixPorts {
    /// The matrices used by draws.
    #[must_use]
    pub(crate) const fn matrices(&self) -> &Matrices {
        &self.matrices
    }

    /// Index of the next element.
    #[must_use]
    pub(crate) const fn counter(&self, port: MatrixPort) -> u32 {
        self.counters[port as usize]
    }

    /// [`counter`](Self::counter), reduced to the bits of the port.
    #[must_use]
    pub(crate) const fn short_counter(&self, port: MatrixPort) -> u32 {
        self.counter(port) & port.mask()
    }

    /// The elements used by draws.
    #[must_use]
    pub(crate) const fn elements(&self, port: MatrixPort) -> &[f32] {
        match port {
            MatrixPort::Bones => &self.matrices.bones,
            MatrixPort::World => &self.matrices.world,
            MatrixPort::View => &self.matrices.view,
            MatrixPort::Projection => &self.matrices.projection,
            MatrixPort::Texture => &self.matrices.texture,
        }
    }

    /// Argument of the element before the counter, which a write left behind, as the CPU reads it back.
    #[must_use]
    pub(crate) fn visible_at(&self, port: MatrixPort) -> u32 {
        let before = self.short_counter(port).wrapping_sub(1) & port.mask();
        self.visible(port).get(before as usize).copied().unwrap_or(0)
    }

    /// Arguments of the elements as the CPU reads them back.
    #[must_use]
    pub(crate) fn visible(&self, port: MatrixPort) -> &[u32] {
        &self.bank[port.first()..][..port.elements()]
    }

    /// Sets a counter; excess bits are dropped.
    pub(crate) const fn set_counter(&mut self, port: MatrixPort, argument: u32) {
        self.counters[port as usize] = argument & port.mask();
    }

    /// True if a command of the ports with an argument changes an element that draws use.
    pub(crate) fn changes(&self, command: u8, argument: u32) -> bool {
        let port = MatrixPort::ALL.into_iter().find(|port| port.data_command() == command);
        port.is_some_and(|port| {
            let element = self.elements(port).get(self.counters[port as usize] as usize);
            element.is_some_and(|element| element.to_bits() != f24(argument & 0xff_ffff).to_bits())
        })
    }

    /// Writes an element. Past the end of the matrix only the copy is written, possibly in the next matrix.
    pub(crate) fn push(&mut self, port: MatrixPort, argument: u32) {
        let counter = self.counters[port as usize];
        self.counters[port as usize] = counter.saturating_add(1);
        let argument = argument & 0xff_ffff;
        if let Some(element) = self.elements_mut(port).get_mut(counter as usize) {
            *element = f24(argument);
        }
        let place = port.first() + (counter & port.mask()) as usize;
        if let Some(visible) = self.bank.get_mut(place) {
            *visible = argument;
        }
    }

    const fn elements_mut(&mut self, port: MatrixPort) -> &mut [f32] {
        match port {
            MatrixPort::Bones => &mut self.matrices.bones,
            MatrixPort::World => &mut self.matrices.world,
            MatrixPort::View => &mut self.matrices.view,
            MatrixPort::Projection => &mut self.matrices.projection,
            MatrixPort::Texture => &mut self.matrices.texture,
        }
    }

    pub(super) fn persist(&mut self, words: &mut Words) {
        self.persist_elements(words);
        self.persist_counters(words);
        self.persist_copy(words);
    }

    /// The elements that draws use, port by port. Of loaded ones the bits count that a command would have.
    pub(super) fn persist_elements(&mut self, words: &mut Words) {
        for port in MatrixPort::ALL {
            let elements = self.elements_mut(port);
            words.floats(elements.iter_mut());
            elements.iter_mut().for_each(|element| *element = f24(element.to_bits() >> 8));
        }
    }

    /// The next element of each port.
    pub(super) fn persist_counters(&mut self, words: &mut Words) {
        words.words(&mut self.counters);
    }

    /// The copy that the CPU reads.
    pub(super) fn persist_copy(&mut self, words: &mut Words) {
        words.words(&mut self.bank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_uploads_spill_into_the_visible_copy_only() {
        let mut ports = MatrixPorts::default();
        (1..=16).for_each(|n| ports.push(MatrixPort::World, n << 8));
        assert_eq!(ports.visible(MatrixPort::World)[11], 12 << 8);
        assert_eq!(ports.visible(MatrixPort::View)[..5], [13 << 8, 14 << 8, 15 << 8, 16 << 8, 0]);
        assert_eq!(ports.matrices().world[11], f24(12 << 8));
        assert_eq!(ports.matrices().view, [0.0; 12]);
        assert_eq!(ports.counter(MatrixPort::World), 16);
    }

    /// Draws depend on elements, not on words that leave them as they are or that are past the end of a matrix.
    #[test]
    fn words_that_change_an_element() {
        for port in MatrixPort::ALL {
            let mut ports = MatrixPorts::default();
            let (command, last) = (port.data_command(), port.elements() as u32 - 1);
            ports.set_counter(port, last);
            ports.push(port, 0x3f_8000);
            let mut changes = |counter, argument| {
                ports.set_counter(port, counter);
                ports.changes(command, argument)
            };
            assert!(
                !changes(last, 0x3f_8000) && changes(last, 0) && changes(last, 0x40_0000),
                "{command:#x}"
            );
            assert!(!changes(0, 0) && changes(0, 0x3f_8000), "{command:#x}");
            // The counter of the projection cannot be past its end.
            if port.mask() > last {
                assert!(!changes(last + 1, 0x3f_8000) && !changes(last + 1, 0), "{command:#x}");
            }
            assert!(!ports.changes(port.number_command(), 0x3f_8000));
        }
    }

    #[test]
    fn projection_wraps_onto_itself() {
        let mut ports = MatrixPorts::default();
        (0..20).for_each(|n| ports.push(MatrixPort::Projection, 0x3f_0000 + n));
        let seen: Vec<_> = ports.visible(MatrixPort::Projection).iter().map(|x| x & 0xff).collect();
        assert_eq!(seen[..5], [16, 17, 18, 19, 4]);
        assert_eq!(ports.matrices().projection[0], f24(0x3f_0000));
    }

    #[test]
    fn texture_does_not_leave_the_bank_and_bones_spill() {
        let mut ports = MatrixPorts::default();
        ports.set_counter(MatrixPort::Texture, 0x1c);
        assert_eq!(ports.counter(MatrixPort::Texture), 12);
        (0..8).for_each(|_| ports.push(MatrixPort::Texture, 7));
        assert_eq!(ports.visible(MatrixPort::Texture)[..5], [7, 7, 7, 7, 0]);
        ports.set_counter(MatrixPort::Bones, 95);
        (0..3).for_each(|n| ports.push(MatrixPort::Bones, 0x10 + n));
        assert_eq!(ports.visible(MatrixPort::World)[..3], [0x11, 0x12, 0]);
        assert_eq!(ports.matrices().world, [0.0; 12]);
    }
}
