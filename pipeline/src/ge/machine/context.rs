//! Context blocks: the state of the machine as words in guest memory, in the form of a list that restores it.
//!
//! Source: psp-ge.md 2.6; the extent as measured on a console (ge/context).

use crate::ge::Ge;
use crate::ge::matrix_ports::MatrixPort;
use crate::ge::regs::op;
use crate::memory::{Memory, read_bytes, write_bytes};

/// Words of a block. The last ones are unused.
pub const CONTEXT_WORDS: usize = 512;
/// Index of the words for vertex pointer, index pointer and OFFSET.
const POINTERS: usize = 5;
/// Index of the first command word.
const COMMANDS: usize = 17;
/// Ranges of commands whose words are stored, in order.
const KEPT: [(u8, u8); 16] = [
    (0x00, 0x02),
    (0x10, 0x10),
    (0x12, 0x28),
    (0x2c, 0x33),
    (0x36, 0x38),
    (0x42, 0x4d),
    (0x50, 0x51),
    (0x53, 0x58),
    (0x5b, 0xb5),
    (0xb8, 0xc3),
    (0xc5, 0xd0),
    (0xd2, 0xe9),
    (0xeb, 0xec),
    (0xee, 0xee),
    (0xf0, 0xf6),
    (0xf8, 0xf9),
];

/// The word of a command.
const fn word(command: u8, argument: u32) -> u32 {
    (command as u32) << 24 | argument
}

impl Ge {
    /// The meaningful words of a block, each with its index.
    fn context_words(&self) -> impl Iterator<Item = (usize, u32)> {
        let state = &self.state;
        let pointers = [state.vertex_pointer, state.index_pointer, state.offset];
        let mut commands: Vec<u32> =
            KEPT.iter().flat_map(|&(first, last)| first..=last).map(|n| state.registers.word(n)).collect();
        for port in MatrixPort::ALL {
            commands.push(word(port.number_command(), 0));
            let elements = state.matrices.elements(port).iter();
            commands.extend(elements.map(|element| word(port.data_command(), element.to_bits() >> 8)));
        }
        let counter = |port| word(MatrixPort::number_command(port), state.matrices.short_counter(port));
        commands.extend(MatrixPort::ALL.map(counter));
        commands.push(word(op::END, 0));
        (POINTERS..).zip(pointers).chain((COMMANDS..).zip(commands))
    }

    /// Writes the state to guest memory as a block; words of unknown meaning are not written.
    pub fn save_context(&mut self, memory: &dyn Memory, address: u32) {
        let address = self.state.maps.resolve(address);
        let mut is_written = false;
        for (place, word) in self.context_words() {
            let at = address.wrapping_add(4 * place as u32);
            write_bytes(memory, at, &word.to_le_bytes());
            is_written |= memory.region(at, 1).is_some();
        }
        if is_written {
            memory.written(address, 4 * CONTEXT_WORDS as u32);
        }
        self.record_memory(memory, address, 4 * CONTEXT_WORDS as u32);
    }

    /// Restores the state from a block. Command words are stored in their registers and have no other effect.
    pub fn restore_context(&mut self, memory: &dyn Memory, address: u32) {
        let address = self.state.maps.resolve(address);
        let word = |n| u32::from_le_bytes(read_bytes(memory, address.wrapping_add(4 * n as u32)));
        self.load_context(&std::array::from_fn(word));
    }

    /// [`restore_context`](Self::restore_context) from words instead of guest memory.
    pub fn load_context(&mut self, words: &[u32; CONTEXT_WORDS]) {
        self.set_vertex_pointer(words[POINTERS]);
        self.set_index_pointer(words[POINTERS + 1]);
        self.state.offset = words[POINTERS + 2] & 0x0fff_ffff;
        for &word in words[COMMANDS..].iter().take_while(|&&word| word >> 24 != u32::from(op::END)) {
            let command = word.to_le_bytes()[3];
            self.state.registers.write(word);
            if (op::BOFS..=op::TMATRIX).contains(&command) {
                self.matrix_word(command, word & 0xff_ffff);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::testing::{Bench, LIST};
    use crate::guest_slice::GuestSlice;
    use crate::memory::{FlatMemory, read_word};
    use std::sync::Mutex;

    #[test]
    fn words_are_where_the_console_has_them() {
        let bench = Bench::new();
        let places: Vec<_> = bench.ge.context_words().collect();
        let of = |command: u8| places.iter().find(|(_, word)| *word == u32::from(command) << 24);
        // Measured: word 26 is the register of lighting.
        assert_eq!(of(op::LTE), Some(&(26, 0x1700_0000)));
        let starts = [op::BOFS, op::WMS, op::VMS, op::PMS, op::TMS].map(|n| of(n).expect("kept").0);
        assert_eq!(starts, [226, 323, 336, 349, 366]);
        assert_eq!(of(op::VSCV), Some(&(225, 0xf900_0000)));
        assert_eq!(places.last(), Some(&(384, 0x0c00_0000)));
    }

    /// Memory of which a part is mapped, and what it was told of.
    #[derive(Default)]
    struct Told(FlatMemory, Mutex<Vec<(u32, u32)>>);

    impl Memory for Told {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.0.region(address, length)
        }

        fn written(&self, address: u32, length: u32) {
            self.1.lock().expect("one thread").push((address, length));
        }
    }

    #[test]
    fn nobody_is_told_of_what_is_not_mapped() {
        let mut bench = Bench::new();
        let memory = Told(FlatMemory::new(LIST, vec![0; 64]), Mutex::default());
        // The last word of a block at the first place, none at the second.
        let last = LIST - 4 * 384;
        for (address, is_told) in
            [(last, true), (last - 4, false), (LIST + 64, false), (LIST + 60 - 20, true)]
        {
            bench.ge.save_context(&memory, address);
            let told = std::mem::take(&mut *memory.1.lock().expect("one thread"));
            // 2.6: 512 words.
            assert_eq!(told, if is_told { vec![(address, 2048)] } else { vec![] }, "{address:#x}");
        }
    }

    /// The first END is the last word, whatever the arguments before it are, and whatever is behind it.
    #[test]
    fn a_block_ends_at_its_end() {
        let mut words = [0; CONTEXT_WORDS];
        words[COMMANDS..][..5].copy_from_slice(&[
            0x5c00_000c,
            0x5b00_0c0c,
            0x0c00_0000,
            0x5c00_0001,
            0x5e00_0001,
        ]);
        let mut bench = Bench::new();
        bench.ge.load_context(&words);
        assert_eq!(
            [0x5b, 0x5c, 0x5e].map(|command| bench.word(command)),
            [0x5b00_0c0c, 0x5c00_000c, 0x5e00_0000]
        );
    }

    #[test]
    fn there_and_back() {
        let mut bench = Bench::new();
        bench.execute(&[
            0x1700_0001,
            0x1308_8000,
            0x0100_0010,
            0x0200_0020,
            0x3a00_0003,
            0x3b3f_8000,
            0x3b40_0000,
            0x2a00_005f,
            0x2b12_3456,
            0x3e00_000f,
        ]);
        bench.ge.save_context(&bench.memory, LIST + 0x1000);
        assert_eq!(read_word(&bench.memory, LIST + 0x1000 + 4 * 5), 0x0880_0010);
        assert_eq!(read_word(&bench.memory, LIST + 0x1000 + 4 * 385), 0, "not touched");
        let mut other = Bench::new();
        other.ge.restore_context(&bench.memory, LIST + 0x1000);
        assert_eq!(other.ge.registers().word(op::LTE), 0x1700_0001);
        assert_eq!((other.ge.vertex_pointer(), other.ge.index_pointer()), (0x0880_0010, 0x0880_0020));
        assert_eq!(other.ge.matrices(), bench.ge.matrices());
        // The counters go on where they were, and so does OFFSET.
        other.execute(&[0x3b40_4000, 0x3f3f_8000, 0x0100_0030]);
        assert_eq!(other.ge.matrices().world[3..7], [1.0, 2.0, 3.0, 0.0]);
        assert_eq!(other.ge.matrices().projection[15], 1.0);
        assert_eq!(other.ge.vertex_pointer(), 0x0880_0030);
    }
}
