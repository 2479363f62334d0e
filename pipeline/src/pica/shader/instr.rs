//! An instruction word and an operand descriptor, decoded. Decoding is total.

use super::ops::{Combine, Compare, Form, Opcode};
use crate::bits::extract;

/// One word of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Instruction(
    /// The raw word.
    pub u32,
);

/// Address register that is added to the wide source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Index {
    /// Code 0.
    #[default]
    None,
    /// Code 1, `a0.x`.
    A0X,
    /// Code 2, `a0.y`.
    A0Y,
    /// Code 3, `aL`.
    AL,
}

impl Index {
    const fn of(code: u32) -> Self {
        match code & 3 {
            0 => Self::None,
            1 => Self::A0X,
            2 => Self::A0Y,
            _ => Self::AL,
        }
    }
}

/// A source register: file and number. Codes above 0x5f of the `c` file cannot be encoded directly; they arise only
/// by relative addressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// `v0`-`v15`, codes 0x00-0x0f.
    Input(u8),
    /// `r0`-`r15`, codes 0x10-0x1f.
    Temporary(u8),
    /// `c0`-`c95`, codes 0x20-0x7f, with the address register added to the number.
    Uniform(u8, Index),
}

/// A destination register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination {
    /// `o0`-`o15`, codes 0x00-0x0f.
    Output(u8),
    /// `r0`-`r15`, codes 0x10-0x1f.
    Temporary(u8),
}

/// The condition of `IFC`, `JMPC`, `CALLC` and `BREAKC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Combination of the two flags.
    pub combine: Combine,
    /// `cmp.x` must equal this.
    pub ref_x: bool,
    /// `cmp.y` must equal this.
    pub ref_y: bool,
}

impl Condition {
    /// True if the condition holds for these flags.
    #[must_use]
    pub const fn holds(self, cmp: [bool; 2]) -> bool {
        let x = cmp[0] == self.ref_x;
        let y = cmp[1] == self.ref_y;
        match self.combine {
            Combine::Or => x || y,
            Combine::And => x && y,
            Combine::X => x,
            Combine::Y => y,
        }
    }
}

impl Instruction {
    /// The opcode.
    #[must_use]
    pub const fn opcode(self) -> Opcode {
        Opcode::of(self.0)
    }

    /// Number of the operand descriptor, 0-127; 0-31 for `MAD` and `MADI`. Meaningless for control flow.
    #[must_use]
    pub const fn descriptor(self) -> usize {
        match self.opcode().form() {
            Form::Three | Form::ThreeInverted => extract(self.0, 0, 5) as usize,
            _ => extract(self.0, 0, 7) as usize,
        }
    }

    /// Number of sources of the opcode.
    #[must_use]
    pub const fn source_count(self) -> usize {
        match self.opcode().form() {
            Form::One | Form::Mova => 1,
            Form::Two | Form::TwoInverted | Form::Cmp => 2,
            Form::Three | Form::ThreeInverted => 3,
            _ => 0,
        }
    }

    /// Source `n`, counted from 0; a meaningless register if the opcode has no such source.
    #[must_use]
    pub const fn source(self, n: usize) -> Source {
        let word = self.0;
        let (low, high, wide) = match (self.opcode().form(), n) {
            (Form::Three, 0) | (Form::ThreeInverted, 0) => (17, 22, false),
            (Form::Three, 1) => (10, 17, true),
            (Form::Three, _) => (5, 10, false),
            (Form::ThreeInverted, 1) => (12, 17, false),
            (Form::ThreeInverted, _) => (5, 12, true),
            (Form::TwoInverted, 0) => (14, 19, false),
            (Form::TwoInverted, _) => (7, 14, true),
            (_, 0) => (12, 19, true),
            _ => (7, 12, false),
        };
        let index = match self.opcode().form() {
            Form::Three | Form::ThreeInverted => extract(word, 22, 24),
            _ => extract(word, 19, 21),
        };
        let code = extract(word, low, high);
        match code {
            0x00..=0x0f => Source::Input(code as u8),
            0x10..=0x1f => Source::Temporary(code as u8 - 0x10),
            _ => Source::Uniform(code as u8 - 0x20, if wide { Index::of(index) } else { Index::None }),
        }
    }

    /// The destination register; meaningless for `CMP`, `MOVA` and control flow.
    #[must_use]
    pub const fn destination(self) -> Destination {
        let code = match self.opcode().form() {
            Form::Three | Form::ThreeInverted => extract(self.0, 24, 29),
            _ => extract(self.0, 21, 26),
        };
        if code < 0x10 { Destination::Output(code as u8) } else { Destination::Temporary(code as u8 - 0x10) }
    }

    /// The comparisons of `CMP`, for x and for y.
    #[must_use]
    pub const fn compares(self) -> [Compare; 2] {
        [Compare::of(extract(self.0, 24, 27)), Compare::of(extract(self.0, 21, 24))]
    }

    /// The condition of a format 2 instruction.
    #[must_use]
    pub const fn condition(self) -> Condition {
        Condition {
            combine: Combine::of(extract(self.0, 22, 24)),
            ref_x: extract(self.0, 25, 26) != 0,
            ref_y: extract(self.0, 24, 25) != 0,
        }
    }

    /// `num` of control flow, 8 bits (the two bits above are unused).
    #[must_use]
    pub const fn num(self) -> u16 {
        extract(self.0, 0, 8) as u16
    }

    /// `dst` of control flow: a word address, 12 bits.
    #[must_use]
    pub const fn target(self) -> u16 {
        extract(self.0, 10, 22) as u16
    }

    /// Number of the boolean uniform of a format 3 instruction, 0-15.
    #[must_use]
    pub const fn bool_id(self) -> u8 {
        extract(self.0, 22, 26) as u8
    }

    /// Number of the integer uniform of `LOOP`, 0-3.
    #[must_use]
    pub const fn int_id(self) -> u8 {
        extract(self.0, 22, 24) as u8
    }

    /// Vertex id of `SETEMIT`, 0-3.
    #[must_use]
    pub const fn emit_id(self) -> u8 {
        extract(self.0, 24, 26) as u8
    }

    /// Primitive flag of `SETEMIT`.
    #[must_use]
    pub const fn emit_primitive(self) -> bool {
        extract(self.0, 23, 24) != 0
    }

    /// Winding flag of `SETEMIT`.
    #[must_use]
    pub const fn emit_winding(self) -> bool {
        extract(self.0, 22, 23) != 0
    }
}

/// An operand descriptor: the components that an instruction reads and writes (pica-shader.md 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OperandDescriptor(
    /// The raw word.
    pub u32,
);

impl OperandDescriptor {
    /// True if component `i` (0 is x) of the destination is written. Bit 3 of the mask is x.
    #[must_use]
    pub const fn writes(self, i: usize) -> bool {
        self.0 >> (3 - i) & 1 != 0
    }

    /// The destination mask, as in the word: bit 3 is x, bit 0 is w.
    #[must_use]
    pub const fn mask(self) -> u32 {
        self.0 & 0xf
    }

    /// True if source `n` (from 0) is negated, after its swizzle.
    #[must_use]
    pub const fn negate(self, n: usize) -> bool {
        self.0 >> (4 + 9 * n) & 1 != 0
    }

    /// The component of the register that source `n` provides as component `i`.
    #[must_use]
    pub const fn component(self, n: usize, i: usize) -> usize {
        (self.selector(n) >> (6 - 2 * i) & 3) as usize
    }

    /// The selector of source `n`: x in bits 7:6, w in bits 1:0.
    #[must_use]
    pub const fn selector(self, n: usize) -> u32 {
        self.0 >> (5 + 9 * n) & 0xff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `add r2.xy, c3[a0.x].yz, -r1` of pica-shader.md 2.6.
    #[test]
    fn worked_encoding_add() {
        let word = Instruction(0x024a_3882);
        let descriptor = OperandDescriptor(0x0006_ed4c);
        // The destination field of the worked word is r2: code 0x12.
        assert_eq!(word.opcode(), Opcode::Add);
        assert_eq!(word.destination(), Destination::Temporary(2));
        assert_eq!(word.source(0), Source::Uniform(3, Index::A0X));
        assert_eq!(word.source(1), Source::Temporary(1));
        assert_eq!(word.descriptor(), 2);
        assert_eq!([0, 1, 2, 3].map(|i| descriptor.writes(i)), [true, true, false, false]);
        assert_eq!([0, 1].map(|i| descriptor.component(0, i)), [1, 2]);
        assert!(descriptor.negate(1) && !descriptor.negate(0));
    }

    #[test]
    fn worked_encoding_mad_and_madi() {
        let mad = Instruction(0xf420_8640);
        assert_eq!(mad.opcode(), Opcode::Mad);
        assert_eq!(mad.destination(), Destination::Temporary(4));
        let sources = [0, 1, 2].map(|n| mad.source(n));
        assert_eq!(sources, [Source::Temporary(0), Source::Uniform(1, Index::None), Source::Temporary(2)]);
        let madi = Instruction(0xd521_1441);
        assert_eq!(madi.opcode(), Opcode::Madi);
        // Five bits: those above belong to a source.
        assert_eq!((mad.descriptor(), madi.descriptor()), (0, 1));
        assert_eq!(madi.source(2), Source::Uniform(2, Index::None));
        assert_eq!(madi.source(1), Source::Temporary(1));
    }

    #[test]
    fn worked_encoding_flow() {
        let ifc = Instruction(0xa240_3001);
        assert_eq!((ifc.target(), ifc.num()), (12, 1));
        let condition = Condition { combine: Combine::And, ref_x: true, ref_y: false };
        assert_eq!(ifc.condition(), condition);
        let cmp = Instruction(0xbaa1_0884);
        assert_eq!(cmp.compares(), [Compare::Less, Compare::GreaterEqual]);
        let setemit = Instruction(0xaec0_0000);
        assert_eq!((setemit.emit_id(), setemit.emit_primitive(), setemit.emit_winding()), (2, true, true));
    }
}
