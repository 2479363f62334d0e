//! Registers with an effect on writes.
//!
//! Source: pica-geometry.md 1.7, 1.8, 2.9.

use crate::pica::regs::Registers;

/// Effect of a write to a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handler {
    /// Stored without further effect.
    Plain,
    /// Stored; some values hang the console or make no sense, which is recorded as a fault.
    Watched,
    /// No effect: read-only.
    ReadOnly,
    /// No effect from a list; the CPU sets up the request block with it.
    CpuOnly,
    /// Request bytes of the interrupt block.
    Request,
    /// A word of a table.
    LutData,
    /// Draw arrays.
    DrawArrays,
    /// Draw elements.
    DrawElements,
    /// Selection of a fixed attribute, or of immediate mode.
    FixedIndex,
    /// A word of a fixed attribute or immediate vertex.
    FixedData,
    /// Jump through channel 0 or 1.
    Jump(u8),
    /// Topology of the assembler.
    Primitive,
    /// Restart of the assembler.
    Restart,
    /// The storage of `RESTART_PRIMITIVE`, without a restart.
    Mirror,
    /// Bank of the geometry unit.
    GeometryBank,
    /// Bank of the vertex units.
    VertexBank,
}

const fn handler(id: u16) -> Handler {
    match id {
        0x000..=0x00f | 0x020..=0x03f => Handler::CpuOnly,
        0x010..=0x01f => Handler::Request,
        0x05a..=0x05c => Handler::ReadOnly,
        0x0b0..=0x0b7 | 0x0e8..=0x0ef | 0x124 | 0x1c8..=0x1cf => Handler::LutData,
        0x111 | 0x11f | 0x238..=0x23b | 0x243 => Handler::Watched,
        0x22e => Handler::DrawArrays,
        0x22f => Handler::DrawElements,
        0x232 => Handler::FixedIndex,
        0x233..=0x235 => Handler::FixedData,
        0x23c => Handler::Jump(0),
        0x23d => Handler::Jump(1),
        0x25e => Handler::Primitive,
        0x25f => Handler::Restart,
        0x280..=0x2af => Handler::GeometryBank,
        0x2b0..=0x2df => Handler::VertexBank,
        _ if is_mirror(id) => Handler::Mirror,
        _ => Handler::Plain,
    }
}

/// True if `id` reads and writes the storage of `RESTART_PRIMITIVE` (measured: gbatek).
pub(crate) const fn is_mirror(id: u16) -> bool {
    matches!(
        id,
        0x070..=0x07f
            | 0x0fe..=0x0ff
            | 0x127..=0x12f
            | 0x1e0..=0x1ff
            | 0x240..=0x241
            | 0x246..=0x249
            | 0x24b..=0x24f
            | 0x258..=0x25d
            | 0x260..=0x27f
            | 0x340..=0x3ff
    )
}

/// The handler of every register, as a table: one load for each write.
pub(crate) static HANDLERS: [Handler; Registers::COUNT] = {
    let mut handlers = [Handler::Plain; Registers::COUNT];
    let mut id = 0;
    while id < Registers::COUNT {
        handlers[id] = handler(id as u16);
        id += 1;
    }
    handlers
};
