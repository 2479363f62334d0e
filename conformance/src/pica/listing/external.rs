//! Names of the registers outside the command processor, by physical address.
//!
//! Source: pica-geometry.md 7, 8.5 and 8.6; 3dbrew, GPU/External Registers.

use picaflor_pipeline::pica::regs::describe;

/// The name of a register that the CPU reaches at this address.
#[must_use]
pub fn name(address: u32) -> String {
    let offset = address & 0xffc;
    match address & !0xfff {
        0x1040_1000 => describe((offset / 4) as u16).name.into_owned(),
        0x1040_0000 => external(offset),
        0x1020_2000 => lcd(offset),
        _ => format!("{address:08X}"),
    }
}

fn external(offset: u32) -> String {
    match offset {
        0x010..=0x02c => format!("FILL{}_{}", (offset >> 4) - 1, fill(offset & 0xc)),
        0xc00..=0xc2c => format!("TRANSFER_{}", transfer(offset - 0xc00)),
        0x400..=0x4fc => format!("TOP_{}", scan_out(offset - 0x400)),
        0x500..=0x5fc => format!("BOTTOM_{}", scan_out(offset - 0x500)),
        _ => format!("EXTERNAL_{offset:03X}"),
    }
}

const fn fill(offset: u32) -> &'static str {
    match offset {
        0x0 => "START",
        0x4 => "END",
        0x8 => "VALUE",
        _ => "CONTROL",
    }
}

fn transfer(offset: u32) -> String {
    let name = match offset {
        0x00 => "INPUT",
        0x04 => "OUTPUT",
        0x08 => "OUTPUT_SIZE",
        0x0c => "INPUT_SIZE",
        0x10 => "FLAGS",
        0x18 => "CONTROL",
        0x20 => "COPY_SIZE",
        0x24 => "COPY_INPUT_LINE",
        0x28 => "COPY_OUTPUT_LINE",
        other => return format!("{other:02X}"),
    };
    name.into()
}

fn scan_out(offset: u32) -> String {
    let name = match offset {
        0x5c => "SIZE",
        0x68 => "BUFFER1",
        0x6c => "BUFFER2",
        0x50 => "POSITION",
        0x54 => "LINE",
        0x60 => "COLUMNS",
        0x64 => "LINES",
        0x70 => "FORMAT",
        0x74 => "CONTROL",
        0x78 => "SELECT",
        0x80 => "GAMMA_INDEX",
        0x84 => "GAMMA_DATA",
        0x90 => "STRIDE",
        0x94 => "RIGHT_BUFFER1",
        0x98 => "RIGHT_BUFFER2",
        other => return format!("{other:02X}"),
    };
    name.into()
}

fn lcd(offset: u32) -> String {
    match offset {
        0x204 => "LCD_TOP_SOLID_COLOUR".into(),
        0xa04 => "LCD_BOTTOM_SOLID_COLOUR".into(),
        _ => format!("LCD_{offset:03X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let expected = [
            (0x1040_0010, "FILL0_START"),
            (0x1040_002c, "FILL1_CONTROL"),
            (0x1040_0c18, "TRANSFER_CONTROL"),
            (0x1040_0468, "TOP_BUFFER1"),
            (0x1040_0570, "BOTTOM_FORMAT"),
            (0x1040_0034, "EXTERNAL_034"),
            (0x1040_18f0, "CMDBUF_JUMP0"),
            (0x1020_2204, "LCD_TOP_SOLID_COLOUR"),
            (0x2000_0000, "20000000"),
        ];
        for (address, expected) in expected {
            assert_eq!(name(address), expected);
        }
    }
}
