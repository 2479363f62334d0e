//! Instruction words and descriptors from fields: for the generator, the sweep and listings of vector files.

use picaflor_pipeline::pica::shader::ops::{Form, Opcode};

/// Operands of an arithmetic instruction: register codes as in the word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Operands {
    /// Destination code, 0-31; ignored by `CMP`, of no meaning to `MOVA`.
    pub destination: u32,
    /// The wide source, 0-127.
    pub wide: u32,
    /// The narrow sources in order, 0-31.
    pub narrow: [u32; 2],
    /// Address register that is added to the wide source.
    pub index: u32,
    /// Descriptor; `MAD` and `MADI` keep five bits.
    pub descriptor: u32,
    /// Comparison codes of `CMP`, x first.
    pub compares: [u32; 2],
}

/// An arithmetic instruction.
#[must_use]
pub fn arithmetic(opcode: Opcode, o: Operands) -> u32 {
    let [a, b] = o.narrow;
    let fields = match opcode.form() {
        Form::TwoInverted => o.destination << 21 | o.index << 19 | a << 14 | o.wide << 7 | o.descriptor,
        Form::Cmp => {
            let [x, y] = o.compares;
            // The top bit of the comparison of x is the lowest bit of the opcode's code.
            (x << 24 | y << 21 | o.index << 19) | o.wide << 12 | a << 7 | o.descriptor
        }
        Form::Three => three(o) | a << 17 | o.wide << 10 | b << 5,
        Form::ThreeInverted => three(o) | a << 17 | b << 12 | o.wide << 5,
        _ => o.destination << 21 | o.index << 19 | o.wide << 12 | a << 7 | o.descriptor,
    };
    opcode.code() << 26 | fields
}

const fn three(o: Operands) -> u32 {
    o.destination << 24 | o.index << 22 | o.descriptor & 31
}

/// A control-flow instruction: `dst`, `num`, and the selector of the condition (bits 25:22: combination and reference
/// flags, or the number of a uniform).
#[must_use]
pub const fn flow(opcode: Opcode, target: u32, num: u32, selector: u32) -> u32 {
    opcode.code() << 26 | (selector & 15) << 22 | (target & 0xfff) << 10 | num & 0xff
}

/// An instruction without operands.
#[must_use]
pub const fn bare(opcode: Opcode) -> u32 {
    opcode.code() << 26
}

/// The descriptor that reads and writes everything in place.
pub const IDENTITY: u32 = descriptor(0xf, [0x1b; 3], [false; 3]);

/// A descriptor: mask (bit 3 is x), selectors and negations of the sources.
#[must_use]
pub const fn descriptor(mask: u32, selectors: [u32; 3], negated: [bool; 3]) -> u32 {
    let [s1, s2, s3] = selectors;
    let [n1, n2, n3] = negated;
    mask | (n1 as u32) << 4 | s1 << 5 | (n2 as u32) << 13 | s2 << 14 | (n3 as u32) << 22 | s3 << 23
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked encodings of the manual, 2.6.
    #[test]
    fn worked_encodings() {
        let add = Operands {
            destination: 0x12,
            wide: 0x23,
            narrow: [0x11, 0],
            index: 1,
            descriptor: 2,
            ..Operands::default()
        };
        assert_eq!(arithmetic(Opcode::Add, add), 0x024a_3882);
        let dphi = Operands {
            destination: 0x13,
            wide: 0x29,
            narrow: [0x12, 0],
            index: 3,
            descriptor: 3,
            ..Operands::default()
        };
        assert_eq!(arithmetic(Opcode::Dphi, dphi), 0x627c_9483);
        let mad = Operands { destination: 0x14, wide: 0x21, narrow: [0x10, 0x12], ..Operands::default() };
        assert_eq!(arithmetic(Opcode::Mad, mad), 0xf420_8640);
        let madi = Operands {
            destination: 0x15,
            wide: 0x22,
            narrow: [0x10, 0x11],
            descriptor: 1,
            ..Operands::default()
        };
        assert_eq!(arithmetic(Opcode::Madi, madi), 0xd521_1441);
        let cmp = Operands {
            wide: 0x10,
            narrow: [0x11, 0],
            descriptor: 4,
            compares: [2, 5],
            ..Operands::default()
        };
        assert_eq!(arithmetic(Opcode::Cmp, cmp), 0xbaa1_0884);
        assert_eq!(flow(Opcode::Ifc, 12, 1, 0b1001), 0xa240_3001);
        assert_eq!(flow(Opcode::Loop, 15, 0, 1), 0xa440_3c00);
        assert_eq!(flow(Opcode::Jmpu, 18, 1, 3), 0xb4c0_4801);
        assert_eq!(bare(Opcode::End), 0x8800_0000);
    }
}
