//! A state for each key: the plainest registers that have it.

use super::{FogKey, FragmentKey};
use picaflor_pipeline::pica::regs::Registers;

impl FragmentKey {
    /// Registers of which this is the key.
    pub(crate) fn to_registers(self) -> Registers {
        let mut registers = Registers::new();
        let r = &mut registers;
        r.set_raw(0x06d, u32::from(!self.raster.w_buffer));
        r.set_raw(0x058, u32::from(self.raster.flat_colour));
        // Lighting is on where it is named: without a key, a combiner that names it reads zeros.
        r.set_raw(0x1c6, 1);
        self.combiners.to_registers(r);
        for (unit, texture) in self.textures.iter().enumerate() {
            texture.to_registers(unit, r);
        }
        if let Some(procedural) = self.procedural {
            procedural.to_registers(r);
        }
        if let Some(lighting) = self.lighting {
            lighting.to_registers(r);
        }
        let fog = match self.fog {
            FogKey::Off => 0,
            FogKey::Fog { flip } => 5 | u32::from(flip) << 16,
            FogKey::Gas => 7,
        };
        r.set_raw(0x0e0, r.raw(0x0e0) | fog);
        self.output.to_registers(r);
        registers
    }
}
