//! The block that the transfer registers (B2 to B5, EA to EE) describe.
//!
//! Source: psp-ge.md 11.1, measured on a console (commands/blocktransfer).

use super::regs::{Registers, fields, op};

/// Longest stride in elements; longer ones act as 0.
const LONGEST: u32 = 0x400;

/// Source or destination of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// Address of the first element.
    pub start: u32,
    /// Bytes from row to row.
    pub pitch: u32,
}

impl Side {
    /// Decodes pointer, width and position registers.
    const fn new(registers: &Registers, pointer: u8, width: u8, position: u8, element: u32) -> Self {
        let high = (registers.arg(width) & 0xff_0000) << 8;
        let stride = match registers.arg(width) & 0x7f8 {
            // Measured: every row starts at the same address.
            stride if stride > LONGEST => 0,
            stride => stride,
        };
        let [x, y] = [registers.field(position, fields::PIXEL_X), registers.field(position, fields::PIXEL_Y)];
        let start = (registers.arg(pointer) & 0xff_fff0 | high).wrapping_add((y * stride + x) * element);
        Self { start, pitch: stride * element }
    }

    /// Address of the first element of a row; addresses wrap.
    #[must_use]
    pub const fn row(self, y: u32) -> u32 {
        self.start.wrapping_add(y * self.pitch)
    }
}

/// A transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockTransfer {
    /// The block that is read: TRXSBP, TRXSBW, TRXSPOS.
    pub source: Side,
    /// The block that is written: TRXDBP, TRXDBW, TRXDPOS.
    pub destination: Side,
    /// Bytes of a row, 2 to 4096.
    pub row_bytes: u32,
    /// Rows, 1 to 1024.
    pub rows: u32,
}

impl BlockTransfer {
    /// Decodes the registers.
    #[must_use]
    pub const fn new(registers: &Registers) -> Self {
        let element = if registers.is_on(op::TRXKICK) { 4 } else { 2 };
        Self {
            source: Side::new(registers, op::TRXSBP, op::TRXSBW, op::TRXSPOS, element),
            destination: Side::new(registers, op::TRXDBP, op::TRXDBW, op::TRXDPOS, element),
            row_bytes: (registers.field(op::TRXSIZE, fields::PIXEL_X) + 1) * element,
            rows: registers.field(op::TRXSIZE, fields::PIXEL_Y) + 1,
        }
    }

    /// Number of bytes to move.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.row_bytes as u64 * self.rows as u64
    }

    /// Bytes of a side from the first one to the last, gaps included.
    #[must_use]
    pub const fn span(&self, side: Side) -> u32 {
        (self.rows - 1) * side.pitch + self.row_bytes
    }
}
