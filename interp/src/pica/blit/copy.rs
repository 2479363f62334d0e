//! Texture copies: lines of bytes with gaps between them, which need not be alike on both sides.
//!
//! Source: pica-geometry.md 7.4.

use super::{TRANSFER_INPUT, TRANSFER_OUTPUT, address, announce, is_mapped, is_over};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::transfer::TransferRegisters;

/// Unit of sizes, widths and gaps in bytes.
const UNIT: u32 = 16;

/// Position in the lines of one side.
struct Side {
    /// Address of the next byte.
    at: u32,
    /// Bytes of a line.
    width: u32,
    /// Bytes between two lines.
    gap: u32,
    /// Bytes left in this line.
    left: u32,
}

impl Side {
    /// Lines from an address on. Without a gap, all `total` bytes are one line. `None` if there are no bytes, or none in
    /// a line.
    fn new(start: u32, lines: u32, total: u32) -> Option<Self> {
        let (width, gap) = ((lines & 0xffff) * UNIT, (lines >> 16) * UNIT);
        let width = if gap == 0 { total } else { width };
        (total > 0 && width > 0).then_some(Self { at: address(start), width, gap, left: width })
    }

    /// Goes to the next byte.
    fn advance(&mut self) {
        self.at = self.at.wrapping_add(1);
        self.left -= 1;
        if self.left == 0 {
            self.left = self.width;
            self.at = self.at.wrapping_add(self.gap);
        }
    }
}

/// Copies byte by byte, forward; ends at the first byte that is not mapped. Lines without bytes, and no bytes at all,
/// freeze the console.
pub(super) fn run(memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
    let total = registers.copy_size & !(UNIT - 1);
    let input = Side::new(registers.input, registers.copy_input, total);
    let output = Side::new(registers.output, registers.copy_output, total);
    let (Some(mut input), Some(mut output)) = (input, output) else {
        return Err(Fault::BadTransfer { flags: registers.flags });
    };
    let start = output.at;
    // From the first byte written to the last one, in bytes.
    let mut written = 0;
    let mut result = Ok(());
    let mut reach = 0_u64;
    for n in 0..total {
        if is_over(memory, n.into()) {
            break;
        }
        result = copy_byte(memory, &input, &output);
        if result.is_err() {
            break;
        }
        written = reach + 1;
        let before = output.at;
        input.advance();
        output.advance();
        reach += u64::from(output.at.wrapping_sub(before));
    }
    announce(memory, start, written);
    result
}

fn copy_byte(memory: &dyn Memory, input: &Side, output: &Side) -> Result<(), Fault> {
    for (id, side) in [(TRANSFER_INPUT, input), (TRANSFER_OUTPUT, output)] {
        if !is_mapped(memory, side.at) {
            return Err(Fault::Unmapped { id, address: side.at });
        }
    }
    memory.set_byte(output.at, memory.byte(input.at));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Watched;
    use super::*;

    const INPUT: u32 = 0x1800_0000;
    const OUTPUT: u32 = 0x1800_1000;

    /// Bytes 1, 2, 3 ... at the input.
    fn memory() -> Watched {
        let bytes: Vec<u8> = (1..=255).collect();
        Watched::new(&[(INPUT, 0x2000)]).with(INPUT, &bytes)
    }

    /// Lines are (width, gap) in units of 16 bytes.
    fn copy(
        memory: &Watched,
        size: u32,
        input: (u32, u32),
        output: (u32, u32),
        at: [u32; 2],
    ) -> Result<(), Fault> {
        let registers = TransferRegisters {
            input: at[0] >> 3,
            output: at[1] >> 3,
            flags: 0x0300_0708 | 1 << 3,
            copy_size: size,
            copy_input: input.1 << 16 | input.0,
            copy_output: output.1 << 16 | output.0,
            ..TransferRegisters::default()
        };
        run(memory, &registers)
    }

    /// The first byte of each unit at the output.
    fn units<const N: usize>(memory: &Watched) -> [u8; N] {
        std::array::from_fn(|n| memory.byte(OUTPUT + 16 * n as u32))
    }

    #[test]
    fn contiguous() {
        let memory = memory();
        // The size is rounded down; a width without a gap has no effect.
        assert_eq!(copy(&memory, 47, (0, 0), (1, 0), [INPUT, OUTPUT]), Ok(()));
        assert_eq!(memory.read::<33>(OUTPUT)[30..], [31, 32, 0]);
        assert_eq!(memory.announced(), [(OUTPUT, 32)]);
    }

    /// Input: lines of two units with a gap of one. Output: lines of three units with a gap of two.
    #[test]
    fn lines_and_gaps() {
        let memory = memory();
        assert_eq!(copy(&memory, 5 * 16, (2, 1), (3, 2), [INPUT, OUTPUT]), Ok(()));
        // Units 0, 1, 3, 4, 6 of the input.
        assert_eq!(units(&memory), [1, 17, 49, 0, 0, 65, 97, 0]);
        assert_eq!(
            memory.announced(),
            [(OUTPUT, 7 * 16)],
            "the gaps are announced, the one after the end is not"
        );
    }

    #[test]
    fn settings_that_freeze() {
        let memory = memory();
        for (size, input, output) in
            [(15, (1, 1), (1, 1)), (0, (0, 0), (0, 0)), (64, (0, 1), (1, 1)), (64, (1, 1), (0, 1))]
        {
            let found = copy(&memory, size, input, output, [INPUT, OUTPUT]);
            assert_eq!(found, Err(Fault::BadTransfer { flags: 0x0300_0708 }), "{size}");
        }
        assert_eq!((memory.set_bytes(OUTPUT, 64), memory.announced()), (vec![], vec![]));
    }

    /// pica-geometry.md 7.4: forward, so that a copy to the next unit repeats the first one.
    #[test]
    fn overlapping() {
        let memory = memory();
        assert_eq!(copy(&memory, 48, (0, 0), (0, 0), [INPUT, INPUT + 16]), Ok(()));
        assert_eq!([0, 16, 32, 48, 64].map(|k| memory.byte(INPUT + k)), [1, 1, 1, 1, 65]);
    }

    #[test]
    fn unmapped_bytes() {
        let memory = Watched::new(&[(INPUT, 64), (OUTPUT, 32)]).with(INPUT, &[7; 64]);
        let fault = |id, address| Err(Fault::Unmapped { id, address });
        let found = copy(&memory, 64, (0, 0), (0, 0), [INPUT, OUTPUT]);
        assert_eq!(found, fault(0x8c04, OUTPUT + 32));
        assert_eq!(memory.announced(), [(OUTPUT, 32)]);
        let found = copy(&memory, 64, (0, 0), (0, 0), [INPUT + 48, OUTPUT]);
        assert_eq!(found, fault(0x8c00, INPUT + 64));
        assert_eq!(memory.announced()[1], (OUTPUT, 16));
        assert_eq!(copy(&memory, 64, (0, 0), (0, 0), [0, 0]), fault(0x8c00, 0));
        assert_eq!(memory.announced().len(), 2);
    }

    #[test]
    fn addresses_wrap() {
        let memory = Watched::new(&[(INPUT, 64), (0xffff_fff0, 16), (0, 32)]).with(INPUT, &[7; 64]);
        assert_eq!(copy(&memory, 32, (0, 0), (1, 1), [INPUT, 0xffff_fff0]), Ok(()));
        assert_eq!(memory.announced(), [(0xffff_fff0, 16), (0, 32)]);
        assert_eq!([0xffff_ffff, 0, 16].map(|at| memory.byte(at)), [7, 0, 7]);
    }
}
