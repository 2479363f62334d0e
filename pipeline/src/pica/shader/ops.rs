//! The opcode table: code, name, mnemonic, form, meaning. Decoder, encoder, assembler, disassembler, random generator
//! and coverage list are derived from it.
//!
//! Source: 3dbrew, GPU/Shader Instruction Set, with the corrections of pica-shader.md section 2.

/// Layout of the fields of an instruction word (pica-shader.md 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Format 0: opcode only.
    Bare,
    /// Format 1: two sources, the first wide.
    Two,
    /// Format 1i: two sources, the second wide.
    TwoInverted,
    /// Format 1u: one wide source.
    One,
    /// Format 1u without a destination register: the mask selects address registers.
    Mova,
    /// Format 1c: two sources, two comparisons, no destination.
    Cmp,
    /// Format 2: condition, destination address, number.
    Condition,
    /// Format 2 without a condition.
    Unconditional,
    /// Format 3: boolean uniform, destination address, number.
    Bool,
    /// Format 3: integer uniform, destination address.
    Int,
    /// Format 4: vertex id and two flags.
    SetEmit,
    /// Format 5: three sources, the second wide.
    Three,
    /// Format 5i: three sources, the third wide.
    ThreeInverted,
    /// Undefined code; executed as `NOP`.
    Undefined,
}

macro_rules! shader_ops {
    ($($code:literal $(..= $last:literal)? $name:ident $mnemonic:literal $form:ident $meaning:literal;)*) => {
        /// Operation of an instruction. `CMP`, `MADI` and `MAD` have two, eight and eight codes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode {
            $(#[doc = concat!("`", $meaning, "`")] $name,)*
            /// An undefined code: 0x10, 0x11, 0x14-0x17, 0x1c-0x1f. Executed as `NOP` (assumed).
            Undefined,
        }

        impl Opcode {
            /// Every defined opcode, in order of code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The opcode of a word.
            #[must_use]
            pub const fn of(word: u32) -> Self {
                match word >> 26 {
                    $($code $(..= $last)? => Self::$name,)*
                    _ => Self::Undefined,
                }
            }

            /// The lowest code of the opcode, in bits 31:26 of a word; 0x10 for `Undefined`.
            #[must_use]
            pub const fn code(self) -> u32 {
                match self {
                    $(Self::$name => $code,)*
                    Self::Undefined => 0x10,
                }
            }

            /// The name in assembly language.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                match self {
                    $(Self::$name => $mnemonic,)*
                    Self::Undefined => "undefined",
                }
            }

            /// The layout of the word.
            #[must_use]
            pub const fn form(self) -> Form {
                match self {
                    $(Self::$name => Form::$form,)*
                    Self::Undefined => Form::Undefined,
                }
            }

            /// The operation in one line.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning,)*
                    Self::Undefined => "no operation (assumed)",
                }
            }
        }
    };
}

shader_ops! {
    0x00 Add     "add"     Two           "d[i] = s1[i] + s2[i]";
    0x01 Dp3     "dp3"     Two           "d = s1.x × s2.x + s1.y × s2.y + s1.z × s2.z, in every component";
    0x02 Dp4     "dp4"     Two           "d = s1 · s2 of four components, in every component";
    0x03 Dph     "dph"     Two           "d = (s1.x, s1.y, s1.z, 1) · s2, in every component";
    0x04 Dst     "dst"     Two           "d = (1, s1.y × s2.y, s1.z, s2.w)";
    0x05 Ex2     "ex2"     One           "d = 2 to the power s1.x, in every component";
    0x06 Lg2     "lg2"     One           "d = logarithm to base 2 of s1.x, in every component";
    0x07 Litp    "litp"    One           "d = (max(s1.x, 0), clamp(s1.y, ±127.996), 0, max(s1.w, 0)); cmp = (s1.x >= 0, s1.w >= 0)";
    0x08 Mul     "mul"     Two           "d[i] = s1[i] × s2[i]";
    0x09 Sge     "sge"     Two           "d[i] = s1[i] >= s2[i] ? 1 : 0";
    0x0a Slt     "slt"     Two           "d[i] = s1[i] < s2[i] ? 1 : 0";
    0x0b Flr     "flr"     One           "d[i] = floor of s1[i]";
    0x0c Max     "max"     Two           "d[i] = s1[i] > s2[i] ? s1[i] : s2[i]";
    0x0d Min     "min"     Two           "d[i] = s1[i] < s2[i] ? s1[i] : s2[i]";
    0x0e Rcp     "rcp"     One           "d = 1 / s1.x, in every component";
    0x0f Rsq     "rsq"     One           "d = 1 / square root of s1.x, in every component";
    0x12 Mova    "mova"    Mova          "a0.x = s1.x, a0.y = s1.y, truncated to integers, where the mask enables them";
    0x13 Mov     "mov"     One           "d[i] = s1[i]";
    0x18 Dphi    "dphi"    TwoInverted   "as dph with a wide second source";
    0x19 Dsti    "dsti"    TwoInverted   "as dst with a wide second source";
    0x1a Sgei    "sgei"    TwoInverted   "as sge with a wide second source";
    0x1b Slti    "slti"    TwoInverted   "as slt with a wide second source";
    0x20 Break   "break"   Bare          "leave the innermost loop";
    0x21 Nop     "nop"     Bare          "nothing";
    0x22 End     "end"     Bare          "stop";
    0x23 Breakc  "breakc"  Condition     "break if the condition holds";
    0x24 Call    "call"    Unconditional "call num words from dst";
    0x25 Callc   "callc"   Condition     "call if the condition holds";
    0x26 Callu   "callu"   Bool          "call if the boolean uniform is set";
    0x27 Ifu     "ifu"     Bool          "if the boolean uniform is set: the words up to dst, else num words from dst";
    0x28 Ifc     "ifc"     Condition     "if the condition holds: the words up to dst, else num words from dst";
    0x29 Loop    "for"     Int           "repeat the words up to and including dst, i.x + 1 times, aL from i.y in steps of i.z";
    0x2a Emit    "emit"    Bare          "geometry: hand over a vertex, maybe a primitive";
    0x2b SetEmit "setemit" SetEmit       "geometry: configure the EMITs that follow";
    0x2c Jmpc    "jmpc"    Condition     "jump to dst if the condition holds";
    0x2d Jmpu    "jmpu"    Bool          "jump to dst if the boolean uniform differs from bit 0 of num";
    0x2e..=0x2f Cmp  "cmp"     Cmp           "cmp.x = opx(s1.x, s2.x), cmp.y = opy(s1.y, s2.y)";
    0x30..=0x37 Madi "madi"    ThreeInverted "d[i] = s1[i] × s2[i] + s3[i] with a wide third source";
    0x38..=0x3f Mad  "mad"     Three         "d[i] = s1[i] × s2[i] + s3[i] with a wide second source";
}

/// A comparison of `CMP`. Codes 6 and 7 are true (3dbrew: they seem to be).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Code 0, `==`.
    Equal,
    /// Code 1, `!=`; true when an operand is NaN.
    NotEqual,
    /// Code 2, `<`.
    Less,
    /// Code 3, `<=`.
    LessEqual,
    /// Code 4, `>`.
    Greater,
    /// Code 5, `>=`.
    GreaterEqual,
    /// Codes 6 and 7.
    True,
}

impl Compare {
    /// The comparison of a code; bits above 2 are ignored.
    #[must_use]
    pub const fn of(code: u32) -> Self {
        match code & 7 {
            0 => Self::Equal,
            1 => Self::NotEqual,
            2 => Self::Less,
            3 => Self::LessEqual,
            4 => Self::Greater,
            5 => Self::GreaterEqual,
            _ => Self::True,
        }
    }
}

/// Combination of X = (cmp.x == refX) and Y = (cmp.y == refY) in a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combine {
    /// Code 0: X or Y.
    Or,
    /// Code 1: X and Y.
    And,
    /// Code 2: X.
    X,
    /// Code 3: Y.
    Y,
}

impl Combine {
    /// The combination of a code; bits above 1 are ignored.
    #[must_use]
    pub const fn of(code: u32) -> Self {
        match code & 3 {
            0 => Self::Or,
            1 => Self::And,
            2 => Self::X,
            _ => Self::Y,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_decoder_agree() {
        for &op in Opcode::ALL {
            assert_eq!(Opcode::of(op.code() << 26), op);
        }
    }

    #[test]
    fn every_code_decodes() {
        let undefined = (0..64).filter(|code| Opcode::of(code << 26) == Opcode::Undefined);
        assert_eq!(
            undefined.collect::<Vec<_>>(),
            [0x10, 0x11, 0x14, 0x15, 0x16, 0x17, 0x1c, 0x1d, 0x1e, 0x1f]
        );
    }

    /// `CMP`, in the order of the manual: ==, !=, <, <=, >, >=, and true twice.
    #[test]
    fn codes_of_comparisons() {
        use Compare::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, True};
        let all = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, True, True];
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(Compare::of), all);
        assert_eq!(Compare::of(8), Equal);
    }
}
