//! What fog is specialised on.

use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::fog::FogMode;
use std::fmt;

/// What happens to the colour between the alpha test and the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum FogKey {
    /// Nothing.
    #[default]
    Off,
    /// Fog. With `flip` the table is read from the other end.
    Fog { flip: bool },
    /// Gas shading: transparent black.
    Gas,
}

impl FogKey {
    /// Fog of a draw of which the colour's red, green and blue matter or not, and its alpha.
    pub(crate) fn of(registers: &Registers, rgb_matters: bool, alpha_matters: bool) -> Self {
        let register = registers.texenv_update_buffer();
        match register.fog_mode() {
            FogMode::Fog if rgb_matters => Self::Fog { flip: register.z_flip() },
            FogMode::Gas if rgb_matters || alpha_matters => Self::Gas,
            _ => Self::Off,
        }
    }
}

impl fmt::Display for FogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "",
            Self::Fog { flip: false } => "f",
            Self::Fog { flip: true } => "F",
            Self::Gas => "g",
        })
    }
}
