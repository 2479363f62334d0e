//! Registers from lighting keys.

use super::lighting::{BumpKey, LightKey, LightingKey, Lights, LitKey, TableKey};
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::lighting::{
    BumpMode, LightConfig, LightingConfig0, LightingConfig1, LightingTable,
};

impl LitKey {
    /// Sets the registers so that this is their key, when the combiners read colours.
    pub(crate) fn to_registers(self, registers: &mut Registers) {
        match self {
            Self::By(lighting) => lighting.to_registers(registers),
            // Any lighting would do that can be found.
            Self::Found => LightingKey {
                live: [true; 2],
                clamp_highlights: false,
                fresnel: [false; 2],
                bump: BumpKey::None,
                shadow: None,
                tables: [None; 7],
                lights: Lights { count: 1, slots: [LightKey::default(); 8] },
            }
            .to_registers(registers),
        }
    }
}

impl LightingKey {
    /// Sets the registers so that this is their key, when the combiners read the colours that are live.
    pub(crate) fn to_registers(self, registers: &mut Registers) {
        let r = registers;
        r.set_raw(0x1c6, 0);
        r.set_raw(0x1c2, u32::from(self.lights.count) - 1);
        r.set_raw(0x1c3, self.config0().0);
        r.set_raw(0x1c4, self.config1().0);
        r.set_raw(0x1d9, 0x7654_3210);
        for (slot, light) in (0..).zip(self.slots()) {
            let config = LightConfig::default()
                .with_directional(light.directional)
                .with_two_sided(light.two_sided)
                .with_geometric_factor0(light.geometric[0])
                .with_geometric_factor1(light.geometric[1]);
            r.set_raw(0x149 + 0x10 * slot, config.0);
        }
        for (n, table) in self.tables.iter().enumerate() {
            let Some(TableKey { input, signed }) = *table else { continue };
            r.set_raw(0x1d0, r.raw(0x1d0) | u32::from(signed) << (4 * n + 1));
            r.set_raw(0x1d1, r.raw(0x1d1) | input.to_bits() << (4 * n));
        }
    }

    fn config0(&self) -> LightingConfig0 {
        // The environment that has all tables and all inputs.
        let config = LightingConfig0::default().with_environment(8);
        let alpha = self.shadow.map_or([false; 2], |shadow| shadow.alpha);
        let config = config
            .with_primary_alpha(self.fresnel[0] || alpha[0])
            .with_secondary_alpha(self.fresnel[1] || alpha[1])
            .with_clamp_highlights(self.clamp_highlights);
        let config = match self.bump {
            BumpKey::None => config,
            BumpKey::Normal { unit, keep_z } => {
                config.with_bump_mode(BumpMode::NormalMap).with_bump_unit(unit).with_keep_bump_z(keep_z)
            }
            BumpKey::Tangent { unit } => config.with_bump_mode(BumpMode::TangentMap).with_bump_unit(unit),
        };
        let Some(shadow) = self.shadow else { return config };
        config
            .with_shadow(true)
            .with_shadow_unit(shadow.unit)
            .with_shadow_invert(shadow.invert)
            .with_shadow_primary(shadow.acts[0])
            .with_shadow_secondary(shadow.acts[1])
            .with_shadow_alpha(alpha != [false; 2])
    }

    fn config1(&self) -> LightingConfig1 {
        let without = |has: fn(&LightKey) -> bool| {
            (0..8).filter(|&slot| !has(&self.lights.slots[slot])).fold(0, |bits, slot| bits | 1 << slot)
        };
        let lacks = |table: LightingTable| self.get(table).is_none();
        LightingConfig1::default()
            .with_shadow_disabled(without(|light| light.shadow))
            .with_spot_disabled(without(|light| light.spot))
            .with_distance_disabled(without(|light| light.distance))
            .with_d0_disabled(lacks(LightingTable::D0))
            .with_d1_disabled(lacks(LightingTable::D1))
            .with_fresnel_disabled(lacks(LightingTable::Fresnel))
            .with_rb_disabled(lacks(LightingTable::ReflectionB))
            .with_rg_disabled(lacks(LightingTable::ReflectionG))
            .with_rr_disabled(lacks(LightingTable::ReflectionR))
    }
}
