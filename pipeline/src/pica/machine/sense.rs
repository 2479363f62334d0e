//! Settings without sense of lists, fills and transfers: each is a fault that names the register. The operation itself
//! does what the manual says.
//!
//! Source: pica-geometry.md 1.1 (units of 16 bytes), 7.1-7.3.

use crate::fault::Fault;
use crate::pica::Pica;
use crate::pica::command::CommandList;
use crate::pica::external::FAULT_ID;
use crate::pica::transfer::{TransferFlags, TransferRegisters, TransferScale};

/// Registers of channel 0; those of channel 1 follow.
const LIST_SIZE: u16 = 0x238;
const LIST_ADDRESS: u16 = 0x23a;
/// Offsets of the transfer engine's sizes.
const OUTPUT_SIZE: u16 = FAULT_ID | 0xc08;
const INPUT_SIZE: u16 = FAULT_ID | 0xc0c;

impl Pica {
    /// Checks a list of the host: the low four bits of its address and size are not implemented.
    pub(crate) fn check_list(&mut self, list: CommandList) {
        let values = [(LIST_ADDRESS, list.address), (LIST_SIZE, list.size_bytes)];
        for (id, value) in values.into_iter().filter(|(_, value)| value & 15 != 0) {
            self.faults.push_once(Fault::BadSetting { id, value });
        }
    }

    /// Checks a write to a register: bit 0, 8 bytes, of the addresses and sizes of both channels is not implemented.
    pub(crate) fn check_channel(&mut self, id: u16, value: u32) {
        if (LIST_SIZE..LIST_ADDRESS + 2).contains(&id) && value & 1 != 0 {
            self.faults.push_once(Fault::BadSetting { id, value });
        }
    }

    /// Checks a fill unit that starts.
    pub(crate) fn check_fill(&mut self, unit: u8) {
        let fill = self.state.external.fill(unit);
        if fill.end <= fill.start {
            let end = 0x14 + 0x10 * u16::from(unit);
            let value = self.state.external.word(end);
            self.faults.push_once(Fault::BadSetting { id: FAULT_ID | end, value });
        }
    }

    /// Checks a transfer that starts.
    pub(crate) fn check_transfer(&mut self, registers: &TransferRegisters) {
        if let Some((id, value)) = senseless_size(registers) {
            self.faults.push_once(Fault::BadSetting { id, value });
        }
    }
}

/// The size of a display transfer that makes no sense: output without pixels or not made of its blocks, lines of the
/// input that are shorter than those of the output. Copies and invalid flags have a fault of their own.
fn senseless_size(registers: &TransferRegisters) -> Option<(u16, u32)> {
    let flags = TransferFlags(registers.flags);
    if flags.copy() || flags.scale() == TransferScale::Invalid {
        return None;
    }
    let output = registers.output_size;
    // The low three bits are not implemented.
    let sides = [output & 0xfff8, output >> 16 & 0xfff8];
    let is_broken = flags.block32() && sides.iter().any(|side| side % 32 != 0);
    if is_broken || sides.contains(&0) {
        return Some((OUTPUT_SIZE, output));
    }
    let is_short = flags.crop() && registers.input_size & 0xfff8 < sides[0];
    is_short.then_some((INPUT_SIZE, registers.input_size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::external::interrupts::Interrupt;
    use crate::pica::testing::{Bench, LIST, header};

    const VRAM: u32 = 0x1800_0000;

    fn bad(id: u16, value: u32) -> Fault {
        Fault::BadSetting { id, value }
    }

    /// Writes words at offsets from 0x10400000; returns the faults.
    fn faults(bench: &mut Bench, words: &[(u32, u32)]) -> Vec<Fault> {
        for &(offset, value) in words {
            assert_eq!(bench.mmio(0x1040_0000 + offset, value), Ok(()));
        }
        bench.pica.take_faults().as_slice().to_vec()
    }

    #[test]
    fn lists_of_the_host() {
        let mut bench = Bench::new();
        bench.put(LIST, &[6, header(0x041, 15), 7, header(0x045, 15), 8, header(0x046, 15)]);
        assert!(bench.run_at(CommandList { address: LIST + 8, size_bytes: 24 }).is_ok());
        assert_eq!(bench.pica.take_faults().as_slice(), [bad(0x23a, LIST + 8), bad(0x238, 24)]);
        assert_eq!(
            [0x041, 0x045, 0x046].map(|id| bench.word(id)),
            [6, 7, 0],
            "16 bytes from a multiple of 16"
        );
        assert!(bench.run_at(CommandList { address: LIST, size_bytes: 16 }).is_ok());
        assert!(bench.pica.faults().as_slice().is_empty());
    }

    #[test]
    fn lists_of_channels() {
        let mut bench = Bench::new();
        bench.put(LIST, &[6, header(0x041, 15), 0, 0]);
        let words = [(0x18e4, 3), (0x18ec, LIST >> 3 | 1), (0x18f4, 1)];
        let expected = [bad(0x239, 3), bad(0x23b, LIST >> 3 | 1)];
        assert_eq!((faults(&mut bench, &words), bench.word(0x041)), (expected.to_vec(), 6));
        let jump = [3, header(0x238, 15), (LIST + 0x40) >> 3, header(0x23a, 15), 1, header(0x23c, 15), 0, 0];
        assert!(bench.run(&jump).is_ok());
        assert_eq!(bench.pica.take_faults().as_slice(), [bad(0x238, 3)]);
    }

    #[test]
    fn fills() {
        let mut bench = Bench::new();
        for end in [VRAM, VRAM - 16] {
            let words = [(0x20, VRAM >> 3), (0x24, end >> 3), (0x28, u32::MAX), (0x2c, 0x201)];
            assert_eq!(faults(&mut bench, &words), [bad(0x8024, end >> 3)]);
            assert_eq!((bench.bytes(VRAM, 2), bench.pica.read_mmio(0x1040_002c)), (vec![0, 0], 0x202));
            assert!(bench.pica.interrupts().contains(Interrupt::Psc1), "finished normally");
        }
        let outside = [(0x10, 0x0800_0000 >> 3), (0x14, 0x0800_0100 >> 3), (0x1c, 1)];
        assert_eq!(faults(&mut bench, &outside), [Fault::Unmapped { id: 0x8010, address: 0x0800_0000 }]);
        assert_eq!(faults(&mut bench, &[(0x10, 0), (0x14, 0), (0x1c, 1)]), [], "a unit that is skipped");
    }

    #[test]
    fn transfers() {
        let mut bench = Bench::new();
        let start = |bench: &mut Bench, output: u32, input: u32, flags: u32| {
            let addresses = [(0xc00, VRAM >> 3), (0xc04, VRAM >> 3)];
            let sizes = [(0xc08, output), (0xc0c, input), (0xc10, flags), (0xc18, 1)];
            let found = faults(bench, &[addresses.as_slice(), &sizes].concat());
            assert!(bench.pica.interrupts().contains(Interrupt::Ppf));
            bench.pica.acknowledge(Interrupt::Ppf);
            found
        };
        let (eight, wide) = (0x0008_0008, 0x0008_0010);
        assert_eq!(start(&mut bench, eight, eight, 0), []);
        assert_eq!(start(&mut bench, eight, eight, 3 << 24), [Fault::BadTransfer { flags: 3 << 24 }]);
        for size in [0, 0x0008_0007, 0x0007_0008] {
            // The low three bits of each half are not stored.
            assert_eq!(start(&mut bench, size, eight, 0), [bad(0x8c08, size & 0xfff8_fff8)]);
        }
        assert_eq!(start(&mut bench, wide, eight, 4), [bad(0x8c0c, 8)], "the input's lines are shorter");
        assert_eq!((start(&mut bench, wide, eight, 0), start(&mut bench, eight, wide, 4)), (vec![], vec![]));
        assert_eq!(start(&mut bench, 0x0020_0010, 0x20, 1 << 16), [bad(0x8c08, 0x0020_0010)]);
    }

    #[test]
    fn faults_name_the_register() {
        assert_eq!(bad(0x8014, 16).to_string(), "register 0x10400014 = 0x00000010 makes no sense");
        assert_eq!(bad(0x23a, 0x2000_0008).to_string(), "register 0x23a: 0x20000008 makes no sense");
        let transfer = Fault::BadTransfer { flags: 8 };
        assert!(transfer.to_string().contains("0x10400c10 = 0x00000008"), "{transfer}");
    }

    /// Blocks of 32 x 32 pixels are whole; cropped lines of the input are as long as those of the output, or longer.
    #[test]
    fn sizes_of_transfers() {
        let found = |flags, output_size, input_size| {
            senseless_size(&TransferRegisters {
                flags,
                output_size,
                input_size,
                ..TransferRegisters::default()
            })
        };
        let [crop, blocks] = [1 << 2, 1 << 16];
        assert_eq!(found(blocks, 32 << 16 | 64, 64), None);
        assert_eq!(found(blocks, 32 << 16 | 40, 64), Some((OUTPUT_SIZE, 32 << 16 | 40)));
        assert_eq!(found(blocks, 40 << 16 | 32, 64), Some((OUTPUT_SIZE, 40 << 16 | 32)));
        assert_eq!(found(0, 40 << 16 | 40, 64), None);
        assert_eq!([64, 72].map(|width| found(crop, 8 << 16 | 64, width)), [None; 2]);
        assert_eq!(found(crop, 8 << 16 | 64, 56), Some((INPUT_SIZE, 56)));
    }
}
