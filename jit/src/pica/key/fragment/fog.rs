//! Key of fog.

use crate::key::forms::Either;
use crate::key::key;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::fog::FogMode;

key! {
    /// Operation on the colour between the alpha test and the output.
    #[derive(Default)]
    pub(crate) enum FogKey {
        /// Nothing.
        #[default]
        Off = "",
        /// Fog. With `flip` the table is read from the other end.
        Fog { flip: bool = Either("f", "F") } = "",
        /// Gas shading: transparent black.
        Gas = "g",
    }
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
