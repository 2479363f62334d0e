//! Command lists: the format of a command, and a reader of lists.
//!
//! Source: pica-geometry.md 1.1-1.3; 3dbrew, GPU/Internal Registers; gbatek, 3DS GPU.

pub mod list_builder;

use super::regs::Registers;
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;

/// Address and size of a command list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommandList {
    /// Physical address; the low four bits are not implemented (measured: gbatek).
    pub address: u32,
    /// Length; the low four bits are not implemented.
    pub size_bytes: u32,
}

impl CommandList {
    /// The list in the registers of channel `channel` (0 or 1).
    #[must_use]
    pub fn of_channel(registers: &Registers, channel: u8) -> Self {
        let channel = u16::from(channel & 1);
        let field = |id, bits| (registers.raw(id) & bits) << 3;
        Self { address: field(0x23a + channel, 0x1fff_fffe), size_bytes: field(0x238 + channel, 0x1f_fffe) }
    }
}

crate::bits! {
    /// The second word of a command.
    pub struct Header(u32) {
        /// Register of the first parameter.
        id, with_id: u16 = 0..16;
        /// Mask of the bytes of every parameter that are written, bit 0 for the lowest.
        mask, with_mask: u8 = 16..20;
        /// Parameters after the first.
        extra, with_extra: u8 = 20..28;
        /// Every parameter goes to the next register; otherwise all go to the same one.
        consecutive, with_consecutive: bool = 31..32;
    }
}

/// A command in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Its address.
    pub address: u32,
    /// The second word.
    pub header: Header,
    /// Number of parameters inside the list: 1-256.
    pub parameters: u32,
    first: u32,
    /// Offset of the second parameter, in bytes from the start of the list.
    rest: u32,
}

impl Command {
    /// True if the command reaches past the end of its list.
    #[must_use]
    pub(crate) fn is_truncated(&self) -> bool {
        self.parameters <= u32::from(self.header.extra())
    }

    /// The register of parameter `k`, which may not exist.
    #[must_use]
    pub fn register(&self, k: u32) -> u32 {
        u32::from(self.header.id()) + if self.header.consecutive() { k } else { 0 }
    }
}

/// A word of a list is not mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable {
    /// The address.
    pub address: u32,
}

/// Iterator over the commands of a list.
pub struct ListReader<'a> {
    memory: &'a dyn Memory,
    /// The whole list, if it is contiguous in host memory.
    whole: Option<GuestSlice<'a>>,
    address: u32,
    length: u32,
    at: u32,
}

impl<'a> ListReader<'a> {
    /// A reader at the first command.
    #[must_use]
    pub fn new(memory: &'a dyn Memory, list: CommandList) -> Self {
        let (address, length) = (list.address & !15, list.size_bytes & !15);
        Self { memory, whole: memory.region(address, length), address, length, at: 0 }
    }

    /// The next command, `None` at the end.
    ///
    /// # Errors
    /// If the command is not mapped.
    pub fn next_command(&mut self) -> Result<Option<Command>, Unreadable> {
        if self.length - self.at < 8 {
            return Ok(None);
        }
        let start = self.at;
        let (first, header) = (self.word(start)?, Header(self.word(start + 4)?));
        let extra = u32::from(header.extra());
        let inside = extra.min((self.length - start - 8) / 4);
        self.at = start.saturating_add(8 + 4 * extra.next_multiple_of(2)).min(self.length);
        let address = self.address.wrapping_add(start);
        Ok(Some(Command { address, header, parameters: 1 + inside, first, rest: start + 8 }))
    }

    /// Parameter `k` of a command of this list; `k` below [`Command::parameters`].
    ///
    /// # Errors
    /// If the parameter is not mapped.
    pub fn parameter(&self, command: &Command, k: u32) -> Result<u32, Unreadable> {
        match k.checked_sub(1) {
            None => Ok(command.first),
            Some(k) => self.word(command.rest.saturating_add(k.saturating_mul(4))),
        }
    }

    fn word(&self, offset: u32) -> Result<u32, Unreadable> {
        let address = self.address.wrapping_add(offset);
        let bytes = match self.whole {
            Some(whole) if offset.saturating_add(4) <= self.length => whole.read_array(offset as usize),
            Some(_) => return Err(Unreadable { address }),
            None => self.memory.region(address, 4).ok_or(Unreadable { address })?.read_array(0),
        };
        Ok(u32::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{BlockMemory, FlatMemory};

    fn memory(words: &[u32]) -> FlatMemory {
        FlatMemory::new(0x1000, words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    /// Registers and parameters of all commands.
    fn read(words: &[u32], size_bytes: u32) -> Vec<(u32, u32)> {
        let memory = memory(words);
        let mut reader = ListReader::new(&memory, CommandList { address: 0x1000, size_bytes });
        let mut writes = Vec::new();
        while let Some(command) = reader.next_command().expect("mapped") {
            let parameter = |k| reader.parameter(&command, k).expect("mapped");
            writes.extend((0..command.parameters).map(|k| (command.register(k), parameter(k))));
        }
        writes
    }

    #[test]
    fn bursts_and_padding() {
        let list = [1, 0x802f_0040, 2, 3, 4, 0x001f_0050, 5, 99, 6, 0x000f_0060, 0, 0];
        let expected = [(0x40, 1), (0x41, 2), (0x42, 3), (0x50, 4), (0x50, 5), (0x60, 6), (0, 0)];
        assert_eq!(read(&list, 48), expected);
    }

    #[test]
    fn the_size_counts_in_sixteen_bytes() {
        let list = [1, 0x000f_0040, 2, 0x000f_0041, 3, 0x000f_0042, 4, 0x000f_0043];
        assert_eq!(read(&list, 31), [(0x40, 1), (0x41, 2)]);
        assert_eq!(read(&list, 15), []);
    }

    #[test]
    fn commands_stop_at_the_end() {
        let memory = memory(&[1, 0x0fff_0040, 2, 3, 4, 5, 6, 7]);
        let mut reader = ListReader::new(&memory, CommandList { address: 0x1008, size_bytes: 16 });
        assert_eq!(reader.next_command().map(|command| command.map(|c| c.address)), Ok(Some(0x1000)));
        let mut reader = ListReader::new(&memory, CommandList { address: 0x1000, size_bytes: 16 });
        let command = reader.next_command().ok().flatten().expect("a command");
        assert_eq!((command.parameters, command.is_truncated()), (3, true));
        assert_eq!(reader.parameter(&command, 2), Ok(3));
        assert_eq!(reader.next_command(), Ok(None));
        // Behind another command. There are no parameters behind the end.
        let memory = self::memory(&[1, 0x000f_0040, 2, 0x0fff_0041, 3, 4, 5, 6]);
        let mut reader = ListReader::new(&memory, CommandList { address: 0x1000, size_bytes: 32 });
        let command =
            std::iter::from_fn(|| reader.next_command().expect("mapped")).last().expect("two commands");
        assert_eq!((command.parameters, command.is_truncated()), (5, true));
        let parameters = [0, 4, 5, 1000].map(|k| reader.parameter(&command, k));
        let behind = |address| Err(Unreadable { address });
        assert_eq!(parameters, [Ok(2), Ok(6), behind(0x1020), behind(0x1000 + 16 + 4 * 999)]);
    }

    #[test]
    fn lists_across_blocks_and_into_nothing() {
        let memory = BlockMemory::zeroed(&[(0x1000, 16), (0x1010, 8)]);
        let mut reader = ListReader::new(&memory, CommandList { address: 0x1000, size_bytes: 64 });
        for _ in 0..3 {
            assert!(matches!(reader.next_command(), Ok(Some(_))));
        }
        assert_eq!(reader.next_command(), Err(Unreadable { address: 0x1018 }));
        let mut reader = ListReader::new(&memory, CommandList { address: 0xffff_fff0, size_bytes: u32::MAX });
        assert_eq!(reader.next_command(), Err(Unreadable { address: 0xffff_fff0 }));
    }

    #[test]
    fn channels() {
        let mut registers = Registers::new();
        registers.set_raw(0x239, 0xffff_ffff);
        registers.set_raw(0x23b, 0x0400_0003);
        let list = CommandList { address: 0x2000_0010, size_bytes: 0xff_fff0 };
        assert_eq!(CommandList::of_channel(&registers, 1), list);
    }
}
