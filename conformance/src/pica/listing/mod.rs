//! Command lists as named registers with decoded fields, other registers by name ([`external`]), and the
//! state of a draw in words ([`state`]).

pub mod external;
pub mod state;

use picaflor_pipeline::bits::FieldInfo;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::command::{Command, CommandList, ListReader};
use picaflor_pipeline::pica::external::interrupts;
use picaflor_pipeline::pica::regs::{Registers, describe, expand_mask};
use std::fmt;
use std::ops::Range;

/// Parameters that a line of text shows; more are counted.
const SHOWN: usize = 8;

/// Writes that a command makes to one register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Address of the first parameter.
    pub address: u32,
    /// Register number, which may not exist.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Bytes that are written, bit 0 for the lowest.
    pub mask: u8,
    /// The words, one after the other.
    pub words: Vec<u32>,
    /// The fields of a single word of which at least a byte is written: name and value.
    pub fields: Vec<(&'static str, String)>,
}

impl Line {
    /// A write by the CPU, at the address of the register.
    #[must_use]
    pub fn of_cpu(id: u16, value: u32, mask: u8) -> Self {
        Self::new(0x1040_1000 + 4 * u32::from(id), u32::from(id), mask, vec![value])
    }

    fn new(address: u32, id: u32, mask: u8, words: Vec<u32>) -> Self {
        let known = u16::try_from(id).ok().filter(|&id| usize::from(id) < Registers::COUNT).map(describe);
        let (name, fields) = match known {
            Some(known) => (known.name.into_owned(), known.fields),
            None => ("no such register".into(), &[][..]),
        };
        let fields = match words[..] {
            [word] => shown(fields, word, mask),
            _ => Vec::new(),
        };
        Self { address, id, name, mask, words, fields }
    }
}

fn shown(fields: &'static [FieldInfo], word: u32, mask: u8) -> Vec<(&'static str, String)> {
    let is_written =
        |field: &&FieldInfo| (field.low..field.high).any(|bit| expand_mask(mask) >> bit & 1 != 0);
    fields.iter().filter(is_written).map(|field| (field.name, legible((field.show)(word)))).collect()
}

/// Large numbers are addresses or patterns, which people read as hexadecimal.
fn legible(value: String) -> String {
    match value.parse::<u32>() {
        Ok(number) if number >= 0x1000 => format!("{number:#x}"),
        _ => value,
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mask = if self.mask == 15 { String::new() } else { format!("/{:x}", self.mask) };
        let id = format!("{:03x}{mask}", self.id);
        write!(f, "{:08x}  {id:<5}  {:<28}", self.address, self.name)?;
        for word in self.words.iter().take(SHOWN) {
            write!(f, " {word:08x}")?;
        }
        if self.words.len() > SHOWN {
            write!(f, " ... {} words", self.words.len())?;
        }
        if !self.fields.is_empty() {
            f.write_str(" ")?;
        }
        self.fields.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// The end of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The end after its last command.
    End,
    /// A jump to the list of a channel.
    Jump(u8),
    /// A request for the interrupt, which stops the list.
    Interrupt,
    /// The address of unmapped memory.
    Unmapped(u32),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("end of the list"),
            Self::Jump(channel) => write!(f, "jump to the list of channel {channel}"),
            Self::Interrupt => f.write_str("interrupt"),
            Self::Unmapped(address) => write!(f, "memory at {address:#010x} is not mapped"),
        }
    }
}

/// Walks a list as far as the machine does: to its end, a jump, or the interrupt.
pub struct Lines<'a> {
    reader: ListReader<'a>,
    /// The registers of interrupts, as the list changes them.
    registers: Registers,
    /// The command that is shown in part, and its next parameter.
    current: Option<(Command, u32)>,
    ending: Option<Ending>,
}

impl<'a> Lines<'a> {
    /// A list that begins while the registers are these.
    #[must_use]
    pub fn new(memory: &'a dyn Memory, registers: &Registers, list: CommandList) -> Self {
        let reader = ListReader::new(memory, list);
        Self { reader, registers: registers.clone(), current: None, ending: None }
    }

    /// The end of the list; `None` while there are lines.
    #[must_use]
    pub const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Parameters of a command that go to one register, from `k` on.
    fn run(command: &Command, k: u32) -> Range<u32> {
        if command.header.consecutive() { k..k + 1 } else { k..command.parameters }
    }

    fn line(&mut self, command: &Command, run: Range<u32>) -> Option<Line> {
        let (id, mask) = (command.register(run.start), command.header.mask());
        let address = command.address.wrapping_add(if run.start == 0 { 0 } else { 4 + 4 * run.start });
        let mut words = Vec::new();
        for k in run {
            match self.reader.parameter(command, k) {
                Ok(word) => words.push(word),
                Err(why) => self.ending = Some(Ending::Unmapped(why.address)),
            }
            if self.ending.is_none() {
                self.ending = words.last().and_then(|&word| self.write(id, word, mask));
            }
            if self.ending.is_some() {
                break;
            }
        }
        (!words.is_empty()).then(|| Line::new(address, id, mask, words))
    }

    /// Applies a write; returns the end of the list if the write ends it.
    fn write(&mut self, id: u32, word: u32, mask: u8) -> Option<Ending> {
        match id {
            _ if mask == 0 => None,
            0x23c | 0x23d => Some(Ending::Jump((id - 0x23c) as u8)),
            0x010..=0x01f => {
                let is_asked = interrupts::request(&mut self.registers, id as u16 & 15, word, mask);
                (is_asked && self.registers.autostop().stop_on_match()).then_some(Ending::Interrupt)
            }
            _ => None,
        }
    }

    fn command(&mut self) -> Option<(Command, u32)> {
        match self.reader.next_command() {
            Ok(Some(command)) => Some((command, 0)),
            Ok(None) => {
                self.ending = Some(Ending::End);
                None
            }
            Err(why) => {
                self.ending = Some(Ending::Unmapped(why.address));
                None
            }
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.ending.is_some() {
            return None;
        }
        let current = self.current.take();
        let (command, k) = match current {
            Some(current) => current,
            None => self.command()?,
        };
        let run = Self::run(&command, k);
        if run.end < command.parameters {
            self.current = Some((command, run.end));
        }
        self.line(&command, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};
    use picaflor_pipeline::pica::command::list_builder::ListBuilder;

    const AT: u32 = 0x2000_0000;

    fn lines(build: impl FnOnce(&mut ListBuilder)) -> (Vec<Line>, Option<Ending>) {
        let mut list = ListBuilder::new();
        build(&mut list);
        let memory = BlockMemory::zeroed(&[(AT, 0x1000)]);
        let bytes = list.finish();
        write_bytes(&memory, AT, &bytes);
        let list = CommandList { address: AT, size_bytes: bytes.len() as u32 };
        let mut lines = Lines::new(&memory, &Registers::new(), list);
        (lines.by_ref().collect(), lines.ending())
    }

    #[test]
    fn names_and_fields() {
        let (lines, ending) = lines(|list| {
            list.write(0x104, 0x2a11).write_bytes(0x104, 0x7f00, 2);
        });
        assert_eq!(
            lines[0].to_string(),
            "20000000  104    FRAGOP_ALPHA_TEST            00002a11  enable=true func=Always reference=42"
        );
        assert_eq!(
            lines[1].to_string(),
            "20000008  104/2  FRAGOP_ALPHA_TEST            00007f00  reference=127"
        );
        assert_eq!(lines.last().map(|line| line.name.as_str()), Some("FINALIZE"));
        assert_eq!(ending, Some(Ending::Interrupt));
    }

    #[test]
    fn large_numbers_are_hexadecimal() {
        let (lines, _) = lines(|list| {
            list.write(0x11d, 0x0300_0000).write(0x11e, 0x0118_f0f0);
        });
        assert!(lines[0].to_string().ends_with("03000000  units=0x600000"));
        assert!(lines[1].to_string().ends_with("width=240 last_row=399 top_first=true"));
    }

    #[test]
    fn bursts_and_ports() {
        let (lines, _) = lines(|list| {
            list.burst(0x04d, &[1, 2, 3]).feed(0x2c1, &[7; 10]);
        });
        let places: Vec<_> = lines[..4].iter().map(|line| (line.address - AT, line.id)).collect();
        assert_eq!(places, [(0, 0x04d), (8, 0x04e), (12, 0x04f), (16, 0x2c1)]);
        assert_eq!(lines[3].words, [7; 10]);
        assert!(lines[3].to_string().ends_with("00000007 ... 10 words"));
    }

    #[test]
    fn a_list_ends_where_the_machine_leaves_it() {
        let (lines, ending) = lines(|list| {
            list.write(0x23c, 1).write(0x040, 1);
        });
        assert_eq!((lines.len(), ending), (1, Some(Ending::Jump(0))));
        let memory = BlockMemory::zeroed(&[]);
        let list = CommandList { address: AT, size_bytes: 16 };
        let mut lines = Lines::new(&memory, &Registers::new(), list);
        assert_eq!((lines.next(), lines.ending()), (None, Some(Ending::Unmapped(AT))));
    }

    #[test]
    fn registers_that_do_not_exist() {
        let lines = [0x400, 0xffff, 0x1_00fe].map(|id| Line::new(AT, id, 15, vec![5]));
        assert!(lines.iter().all(|line| line.name == "no such register" && line.fields.is_empty()));
    }

    /// Any bytes are a list; no more words are shown than it has.
    #[test]
    fn any_bytes_are_a_list() {
        let memory = BlockMemory::zeroed(&[(AT, 0x1000)]);
        let mut state = 1_u32;
        for round in 0..400 {
            let random: Vec<u8> = std::iter::repeat_with(|| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state
            })
            .take(0x400)
            // Every other round with ids that exist.
            .flat_map(|word| (if round % 2 == 0 { word } else { word & 0x80ff_03ff }).to_le_bytes())
            .collect();
            write_bytes(&memory, AT, &random);
            let list = CommandList { address: AT, size_bytes: 0x800 + 16 * (round % 0x100) };
            let mut lines = Lines::new(&memory, &Registers::new(), list);
            let shown: usize =
                lines.by_ref().map(|line| line.to_string().len().min(1) * line.words.len()).sum();
            assert!(shown > 0 && shown <= list.size_bytes as usize / 4);
            assert!(lines.ending().is_some());
        }
    }
}
