//! State required by an executable: program memory, uniforms, output map, entry point.
//!
//! Source: handling of a DVLE by the common homebrew library (pica-shader.md 8.4).

use super::{Constant, Dvle, Dvlp, Stage};
use crate::pica::shader::program::{Program, UnitKind};
use crate::pica::shader::unit::Uniforms;

/// For each semantic of an output entry: first semantic number of the output map, and number of semantics. `None`:
/// dummy and unknown semantics, which are not mapped.
const fn semantic_numbers(semantic: u16) -> Option<(u32, u32)> {
    Some(match semantic {
        0 => (0, 4),
        1 => (4, 4),
        2 => (8, 4),
        3 => (12, 2),
        4 => (16, 1),
        5 => (14, 2),
        6 => (22, 2),
        8 => (18, 3),
        _ => return None,
    })
}

impl Stage {
    /// The unit that runs executables of this stage.
    #[must_use]
    pub const fn unit(self) -> UnitKind {
        match self {
            Self::Vertex => UnitKind::Vertex,
            Self::Geometry => UnitKind::Geometry,
        }
    }
}

impl Dvlp {
    /// Program memory that contains this program at address 0. A vertex unit holds the first 512 words.
    #[must_use]
    pub fn program(&self, kind: UnitKind) -> Program {
        let descriptors: Vec<_> = self.descriptors.iter().map(|pair| pair[0]).collect();
        Program::from_words(kind, &self.code, &descriptors)
    }
}

impl Dvle {
    /// The value for the entry point register: address in the low half, 0x7fff above.
    #[must_use]
    pub const fn entry_point(&self) -> u32 {
        0x7fff_0000 | self.entry & 0xffff
    }

    /// Mask of the `o` registers in the output table.
    #[must_use]
    pub fn output_registers(&self) -> u16 {
        self.outputs.iter().fold(0, |mask, output| mask | 1 << (output.register & 15))
    }

    /// The output map word of each `o` register; 0x1f for a component without meaning.
    #[must_use]
    pub fn output_words(&self) -> [u32; 16] {
        let mut words = [0x1f1f_1f1f; 16];
        for output in &self.outputs {
            let Some((base, count)) = semantic_numbers(output.semantic) else { continue };
            let word = &mut words[usize::from(output.register & 15)];
            let enabled = (0..4).filter(|component| output.mask >> component & 1 != 0);
            for (component, number) in enabled.zip(base..base + count) {
                *word = *word & !(0xff << (8 * component)) | number << (8 * component);
            }
        }
        words
    }

    /// Writes the constants of the executable: floats and integers one by one; the booleans together, those without a
    /// constant as false.
    pub fn apply_constants(&self, uniforms: &mut Uniforms) {
        let mut bools = 0;
        for constant in &self.constants {
            match *constant {
                Constant::Bool(n, value) => bools = bools & !(1 << (n & 15)) | u16::from(value) << (n & 15),
                Constant::Int(n, value) => uniforms.set_int((n & 3) as u8, value),
                Constant::Float(n, value) => uniforms.set_float_f24(usize::from(n), value),
            }
        }
        uniforms.set_bools(bools);
    }
}
