//! Registers from keys of the procedural texture.

use super::proctex::{AxisKey, ProceduralKey, ProctexKey};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::texture::{
    Proctex0, Proctex4, ProctexClamp, ProctexFilter, ProctexFunction, ProctexShift,
};

impl ProceduralKey {
    /// Sets the registers so that this is their key, provided unit 3 is read.
    pub(crate) fn to_registers(self, registers: &mut Registers) {
        // Any one would do that is found.
        let any = ProctexKey {
            set: 0,
            axes: [None; 2],
            noise: false,
            colour: ProctexFunction::U,
            alpha: None,
            filter: ProctexFilter::Nearest,
        };
        self.by_code().copied().unwrap_or(any).to_registers(registers);
    }
}

impl ProctexKey {
    /// Sets the registers to a state with this key, provided unit 3 is read.
    pub(crate) fn to_registers(self, registers: &mut Registers) {
        registers.set_raw(0x080, registers.raw(0x080) | 1 << 10 | u32::from(self.set) << 8);
        let plain = AxisKey { clamp: ProctexClamp::ToZero, shift: ProctexShift::None };
        let [u, v] = self.axes.map(|axis| axis.unwrap_or(plain));
        let unit = Proctex0::default()
            .with_u_clamp(u.clamp)
            .with_v_clamp(v.clamp)
            .with_u_shift(u.shift)
            .with_v_shift(v.shift)
            .with_noise(self.noise)
            .with_colour_function(self.colour)
            .with_separate_alpha(self.alpha.is_some())
            .with_alpha_function(self.alpha.unwrap_or(ProctexFunction::U));
        registers.set_raw(0x0a8, unit.0);
        // Levels that differ: a bias of 1, and more than one of them.
        let levels = Proctex4::default().with_lod_max(6).with_bias_high(0x3c);
        registers.set_raw(0x0ac, levels.with_filter(self.filter).0);
    }
}
