//! Register views for patches.
//!
//! Source: psp-ge.md 3.3, 7.7.1.

use super::{Registers, fields, op};

/// Primitive type of patches (PPRIM).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchPrimitive {
    /// Two triangles for each cell.
    Triangles,
    /// Three lines for each cell.
    Lines,
    /// Six points for each cell. Code 3 too.
    Points,
}

impl Registers {
    /// Pieces of a patch along u and v. 0 acts as 1 (measured).
    #[must_use]
    pub const fn patch_divisions(&self) -> [u32; 2] {
        let [u, v] = [self.field(op::PSUB, fields::PSUB_U), self.field(op::PSUB, fields::PSUB_V)];
        [if u == 0 { 1 } else { u }, if v == 0 { 1 } else { v }]
    }

    /// Primitive type of patches.
    #[must_use]
    pub const fn patch_primitive(&self) -> PatchPrimitive {
        match self.field(op::PPRIM, fields::PPRIM) {
            0 => PatchPrimitive::Triangles,
            1 => PatchPrimitive::Lines,
            _ => PatchPrimitive::Points,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_of_patches() {
        use PatchPrimitive::{Lines, Points, Triangles};
        let of = |code: u32| {
            let mut registers = Registers::default();
            registers.write(0x3700_0000 | code);
            registers.patch_primitive()
        };
        assert_eq!([0, 1, 2, 3].map(of), [Triangles, Lines, Points, Points]);
    }
}
