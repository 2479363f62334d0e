//! What the combiners are specialised on.

use crate::error::CompileError;
use picaflor_pipeline::pica::regs::Registers;

/// The six stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CombinerKey {
    /// The vertex colour as it is.
    VertexColour,
    /// The colour of a texture unit as it is.
    Texture(u8),
}

impl CombinerKey {
    pub(crate) fn of(registers: &Registers) -> Result<Self, CompileError> {
        let passes = |first: u16| {
            let words = [0, 1, 2, 4].map(|n| registers.raw(first + n));
            words[0] & 0x000f_000f == 0x000f_000f
                && words[1] & 0x700f == 0
                && words[2] & 0xf_000f == 0
                && words[3] & 0x3_0003 == 0
        };
        let source = registers.raw(0x0c0) & 0x000f_000f;
        let first = (source == 0 || source == 0x0006_0006)
            && registers.raw(0x0c1) & 0x700f == 0
            && registers.raw(0x0c2) & 0xf_000f == 0
            && registers.raw(0x0c4) & 0x3_0003 == 0;
        if first && [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].into_iter().all(passes) {
            Ok(if source == 0 { Self::VertexColour } else { Self::Texture(3) })
        } else {
            Err(CompileError::UnknownState { what: "combiners" })
        }
    }

    /// Whether the primary and the secondary colour of lighting are read.
    pub(crate) const fn reads_lighting(&self) -> [bool; 2] {
        [false; 2]
    }

    /// Whether the colour of a texture unit matters.
    pub(crate) fn reads_texture(&self, unit: usize) -> bool {
        *self == Self::Texture(unit as u8)
    }

    pub(crate) const fn reads_vertex_colour(&self) -> bool {
        matches!(self, Self::VertexColour)
    }
}

impl std::fmt::Display for CombinerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::VertexColour => f.write_str("v"),
            Self::Texture(unit) => write!(f, "t{unit}"),
        }
    }
}
