//! The fill and transfer engines, 0x10400010-0x1040002F and 0x10400C00-0x10400C2F. Each operation completes at its
//! start.
//!
//! Source: pica-geometry.md 7.1-7.4.

use crate::pica::texel::TransferFormat;

crate::field_enum! {
    /// Size of the repeated value of a fill, bits 9:8 of the control register.
    pub enum FillWidth {
        /// Two.
        Bits16,
        /// Three; codes 1 and 3.
        Bits24,
        /// Four.
        Bits32,
    } else Bits24
}

crate::field_enum! {
    /// Reduction of a display transfer, bits 25:24 of the flags.
    pub enum TransferScale {
        /// None.
        None,
        /// Half the width.
        Half,
        /// Half the width and half the height.
        Quarter,
        /// Invalid.
        Invalid,
    } else Invalid
}

crate::bits! {
    /// Flags of the transfer engine, 0x10400C10.
    pub struct TransferFlags(u32) {
        /// The rows are written in reverse order.
        flip, with_flip: bool = 0..1;
        /// The output is tiled and the input linear; otherwise the input is tiled and the output linear.
        tile, with_tile: bool = 1..2;
        /// The row distance of the input is its own width; otherwise the width of the output.
        crop, with_crop: bool = 2..3;
        /// Selects a texture copy.
        copy, with_copy: bool = 3..4;
        /// Input and output are tiled.
        keep_tiling, with_keep_tiling: bool = 5..6;
        /// Format of the input.
        input_format, with_input_format: TransferFormat = 8..11;
        /// Format of the output.
        output_format, with_output_format: TransferFormat = 12..15;
        /// The tiled sides have blocks of 32x32 pixels.
        block32, with_block32: bool = 16..17;
        /// Reduction.
        scale, with_scale: TransferScale = 24..26;
    }
}

/// The registers of the transfer engine, as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransferRegisters {
    /// 0x10400C00: address of the input / 8.
    pub input: u32,
    /// 0x10400C04: address of the output / 8.
    pub output: u32,
    /// 0x10400C08: width and height of the output before reduction.
    pub output_size: u32,
    /// 0x10400C0C: width of the input; the upper half is unused.
    pub input_size: u32,
    /// 0x10400C10: see [`TransferFlags`].
    pub flags: u32,
    /// 0x10400C20: size of a texture copy in bytes.
    pub copy_size: u32,
    /// 0x10400C24: input of a texture copy: width of a line, and gap after it, in units of 16 bytes.
    pub copy_input: u32,
    /// 0x10400C28: the same for the output.
    pub copy_output: u32,
}

/// The physical address in an address register of these engines: bits 28:1 in units of 8 bytes.
#[must_use]
pub const fn address(register: u32) -> u32 {
    (register & 0x1fff_fffe) << 3
}
