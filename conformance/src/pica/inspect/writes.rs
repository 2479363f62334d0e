//! Bytes that fills and transfers write, whatever was there before: they belong to the history of a pixel also where they
//! leave the bytes that they find.

use crate::inspect::Spot;
use picaflor_interp::pica::transfer_source;
use picaflor_pipeline::pica::external::FillSettings;
use picaflor_pipeline::pica::transfer::{TransferFlags, TransferRegisters, address};

/// Unit of texture copies in bytes.
const UNIT: u32 = 16;
/// Most bytes of a pixel of a transfer.
const MOST_BYTES: u32 = 4;

/// True if a fill writes a byte of a pixel. One from address 0 writes nothing.
pub(super) fn fill_writes(fill: &FillSettings, spot: Spot) -> bool {
    fill.start != 0 && spot.meets(fill.start, fill.end.saturating_sub(fill.start).into())
}

/// True if a display transfer or texture copy writes a byte of a pixel.
pub(super) fn transfer_writes(registers: &TransferRegisters, spot: Spot) -> bool {
    if TransferFlags(registers.flags).copy() {
        return copy_writes(registers, spot);
    }
    let bytes = super::pixel_bytes(TransferFlags(registers.flags).output_format());
    let starts = (0..spot.bytes + bytes - 1).map(|n| spot.address.wrapping_add(n).wrapping_sub(bytes - 1));
    // The search goes through all pixels: it is left out where none can lie, and the usual place comes first.
    let mut places = [spot.address].into_iter().chain(starts);
    is_near(registers, spot) && places.any(|address| transfer_source(registers, address).is_some())
}

/// True if a pixel may lie in the output of a display transfer; blocks and a first row behind others are allowed for.
fn is_near(registers: &TransferRegisters, spot: Spot) -> bool {
    let side = |size: u32| u64::from(size & 0xffff) + 32;
    let width = side(registers.output_size).max(side(registers.input_size));
    let most = width * side(registers.output_size >> 16) * u64::from(MOST_BYTES);
    let behind = spot.address.wrapping_add(MOST_BYTES).wrapping_sub(address(registers.output));
    u64::from(behind) <= most + u64::from(MOST_BYTES)
}

/// True if a texture copy writes a byte of a pixel: lines of bytes with gaps between them.
fn copy_writes(registers: &TransferRegisters, spot: Spot) -> bool {
    let total = registers.copy_size & !(UNIT - 1);
    let [width, gap] =
        [registers.copy_output & 0xffff, registers.copy_output >> 16].map(|units| units * UNIT);
    let width = if gap == 0 { total } else { width };
    (0..spot.bytes).any(|n| {
        let offset = spot.address.wrapping_add(n).wrapping_sub(address(registers.output));
        let (Some(line), column) = (offset.checked_div(width + gap), offset % (width + gap).max(1)) else {
            return false;
        };
        column < width && u64::from(line) * u64::from(width) + u64::from(column) < total.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::memory::{BlockMemory, Memory as _};
    use picaflor_pipeline::pica::stage::blit::{BlitStage as _, Fill};
    use picaflor_pipeline::pica::transfer::FillWidth;

    const INPUT: u32 = 0x1800_0000;
    const OUTPUT: u32 = 0x1820_0000;
    const BYTES: u32 = 0x4000;

    /// Each byte around the output is found if, and only if, the engine changes it.
    fn check(name: &str, run: impl Fn(&mut Interpreter, &BlockMemory), writes: impl Fn(Spot) -> bool) {
        let memory = BlockMemory::zeroed(&[(INPUT, BYTES), (OUTPUT, BYTES)]);
        (0..BYTES).for_each(|n| memory.set_byte(INPUT + n, 0xff));
        run(&mut Interpreter::default(), &memory);
        let is_written = |address: u32| memory.byte(address) != 0;
        let mut count = 0;
        for address in (OUTPUT..OUTPUT + BYTES - 4).step_by(7) {
            for bytes in [1, 3] {
                let spot = Spot { address, bytes };
                let expected = (0..bytes).any(|n| is_written(address + n));
                assert_eq!(writes(spot), expected, "{name}: {spot:x?}");
                count += usize::from(expected);
            }
        }
        assert!((20..4600).contains(&count), "{name}: {count}");
    }

    #[test]
    fn bytes_of_fills() {
        let settings = FillSettings { start: OUTPUT + 0x40, end: OUTPUT + 0x2000, value: !0, width: 2 };
        let fill = Fill { start: settings.start, end: settings.end, value: !0, width: FillWidth::Bits32 };
        check(
            "a fill",
            |engine, memory| engine.fill(memory, &fill).expect("mapped"),
            |spot| fill_writes(&settings, spot),
        );
        let nothing = FillSettings { start: 0, ..settings };
        assert!(!fill_writes(&nothing, Spot { address: 16, bytes: 4 }));
    }

    #[test]
    fn bytes_of_transfers() {
        let plain = TransferRegisters {
            input: INPUT >> 3,
            output: OUTPUT >> 3,
            output_size: 16 << 16 | 24,
            input_size: 16 << 16 | 32,
            ..TransferRegisters::default()
        };
        let copy = TransferRegisters { flags: 8, copy_size: 0x400, ..plain };
        let cases = [
            ("32 bits", plain),
            ("24 bits, flipped", TransferRegisters { flags: 0x1001, ..plain }),
            ("16 bits, of a part", TransferRegisters { flags: 0x2004, ..plain }),
            ("a part, flipped", TransferRegisters { flags: 0x0005, ..plain }),
            ("into blocks, a quarter", TransferRegisters { flags: 0x0200_0002, ..plain }),
            ("a copy without gaps", TransferRegisters { copy_output: 4, ..copy }),
            ("a copy with gaps", TransferRegisters { copy_output: 2 << 16 | 3, copy_size: 0x41f, ..copy }),
        ];
        for (name, registers) in cases {
            check(
                name,
                |engine, memory| engine.transfer(memory, &registers).expect("mapped"),
                |spot| transfer_writes(&registers, spot),
            );
        }
    }
}
