//! Procedural texture keys from text, and registers from keys.

use super::proctex::{AxisKey, ProctexKey};
use super::text::Reader;
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::texture::{
    Proctex0, Proctex4, ProctexClamp, ProctexFilter, ProctexFunction, ProctexShift,
};
use std::str::FromStr;

impl FromStr for ProctexKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        parse(Reader::new(text)).ok_or(())
    }
}

fn parse(mut text: Reader<'_>) -> Option<ProctexKey> {
    let set = text.digit(3)?;
    let axes = [axis(&mut text)?, axis(&mut text)?];
    let noise = text.one_of("-n")? == 1;
    let colour = function(&mut text)?;
    let alpha = if text.takes("-") { None } else { Some(function(&mut text)?) };
    let filter = ProctexFilter::from_bits(text.digit(6)?.into());
    text.end()?;
    Some(ProctexKey { set, axes, noise, colour, alpha, filter })
}

fn function(text: &mut Reader<'_>) -> Option<ProctexFunction> {
    Some(ProctexFunction::from_bits(text.digit(11)?.into()))
}

/// A coordinate, or the sign that nothing reads it.
fn axis(text: &mut Reader<'_>) -> Option<Option<AxisKey>> {
    if text.takes("--") {
        return Some(None);
    }
    let clamp = ProctexClamp::from_bits(text.digit(5)?.into());
    let shift = ProctexShift::from_bits(text.digit(3)?.into());
    Some(Some(AxisKey { clamp, shift }))
}

impl ProctexKey {
    /// Sets the registers so that this is their key, when somebody reads unit 3.
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
