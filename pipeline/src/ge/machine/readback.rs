//! Reads of the machine's state by the CPU.
//!
//! Source: psp-ge.md 2.1, 3.3, measured on a console (ge/get).

use crate::ge::Ge;
use crate::ge::matrix_ports::MatrixPort;
use crate::ge::vram::{VRAM, VRAM_BYTES};

impl Ge {
    /// The word of a command, as the system call returns it: the last one executed. For a matrix counter: its current
    /// count. For a matrix element: the one before the
    /// counter, which was written last unless the counter was set since (assumed).
    #[must_use]
    pub fn read_command(&self, command: u8) -> u32 {
        let matrices = &self.state.matrices;
        let mut ports = MatrixPort::ALL.into_iter();
        let Some(port) = ports.find(|p| [p.number_command(), p.data_command()].contains(&command)) else {
            return self.state.registers.word(command);
        };
        let counter = matrices.short_counter(port);
        let argument = if command == port.number_command() { counter } else { matrices.visible_at(port) };
        u32::from(command) << 24 | argument
    }

    /// The elements of a matrix, as the system call returns them: arguments of 24 bits. Numbers: 0 to 7 bones, 8
    /// world, 9 view, 10 projection, 11 texture; `None` for others.
    #[must_use]
    pub fn read_matrix(&self, number: u32) -> Option<&[u32]> {
        let matrices = &self.state.matrices;
        match number {
            0..8 => Some(&matrices.visible(MatrixPort::Bones)[12 * number as usize..][..12]),
            8 => Some(matrices.visible(MatrixPort::World)),
            9 => Some(matrices.visible(MatrixPort::View)),
            10 => Some(matrices.visible(MatrixPort::Projection)),
            11 => Some(matrices.visible(MatrixPort::Texture)),
            _ => None,
        }
    }

    /// Address and size in bytes of VRAM.
    #[must_use]
    pub const fn edram() -> (u32, u32) {
        (VRAM, VRAM_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::testing::Bench;

    #[test]
    fn words_come_back_with_unused_bits() {
        let mut bench = Bench::new();
        bench.execute(&[0x23ff_ffff, 0x3aff_fff5, 0x3b12_3456]);
        assert_eq!(bench.ge.read_command(0x23), 0x23ff_ffff);
        assert_eq!(bench.ge.read_command(0x24), 0x2400_0000);
        assert_eq!(bench.ge.read_command(0x3a), 0x3a00_0006);
        assert_eq!(bench.ge.read_command(0x3b), 0x3b12_3456, "the last element");
        assert_eq!(bench.ge.read_command(0x3d), 0x3d00_0000, "none");
        assert_eq!(bench.ge.read_matrix(8).expect("world")[4..7], [0, 0x12_3456, 0]);
        assert_eq!(bench.ge.read_matrix(10).map(<[u32]>::len), Some(16));
        assert_eq!(bench.ge.read_matrix(12), None);
    }

    /// The matrices of 3.3 by the numbers of the system call: bones 0 to 7, of twelve elements each as all but the
    /// projection, then world, view, projection, texture.
    #[test]
    fn numbers_of_matrices() {
        let mut bench = Bench::new();
        // The first element of bone 2, and of the others, each by its counter and its data.
        bench.execute(&[0x2a00_0018, 0x2b11_1111, 0x3a00_0000, 0x3b22_2222, 0x3c00_0000, 0x3d33_3333]);
        bench.execute(&[0x3e00_0000, 0x3f44_4444, 0x4000_0000, 0x4155_5555]);
        let first = |number| bench.ge.read_matrix(number).map(|elements| elements[0]);
        let expected = [0, 0, 0x11_1111, 0, 0, 0, 0, 0, 0x22_2222, 0x33_3333, 0x44_4444, 0x55_5555];
        for (number, expected) in (0..).zip(expected) {
            assert_eq!(first(number), Some(expected), "{number}");
        }
        assert!(
            (0..12).all(|n| bench.ge.read_matrix(n).map(<[u32]>::len) == Some(if n == 10 { 16 } else { 12 }))
        );
    }

    /// 1.1: 2 MiB at 0x04000000.
    #[test]
    fn place_of_vram() {
        assert_eq!(Ge::edram(), (0x0400_0000, 0x20_0000));
    }
}
