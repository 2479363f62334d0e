//! Registers from output keys.

use super::output::{BlendKey, ColourKey, MergerKey, Mix, OutputKey, StencilKey};
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::fragop::{BlendFunc, StencilOp};
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;
use picaflor_pipeline::pica::regs::{CompareFunc, Registers};

impl OutputKey {
    /// Sets the registers so that this is their key.
    pub(crate) fn to_registers(self, registers: &mut Registers) {
        for id in [0x112, 0x113] {
            registers.set_raw(id, 15);
        }
        match self {
            Self::Nothing => registers.set_raw(0x100, 1 << 25),
            Self::Shadow => registers.set_raw(0x100, 3),
            Self::Normal(merger) => merger.to_registers(registers),
        }
    }
}

impl MergerKey {
    fn to_registers(self, registers: &mut Registers) {
        let Self { alpha_func, stencil, depth, colour } = self;
        if self.tests_alpha() {
            registers.set_raw(0x104, 1 | alpha_func.to_bits() << 4);
        }
        let reads = depth.reads || stencil.is_some_and(|stencil| stencil.reads);
        let writes = depth.writes || stencil.is_some_and(|stencil| stencil.writes());
        registers.set_raw(0x114, u32::from(reads));
        registers.set_raw(0x115, u32::from(writes));
        let format = if stencil.is_some() { DepthFormat::D24S8 } else { depth.format };
        registers.set_raw(0x116, format.to_bits());
        if let Some(stencil) = stencil {
            stencil.to_registers(registers);
        }
        let mask = colour.map_or(0, |colour| u32::from(colour.mask));
        let test = u32::from(depth.func != CompareFunc::Always) | depth.func.to_bits() << 4;
        registers.set_raw(0x107, test | mask << 8 | u32::from(depth.writes) << 12);
        if let Some(colour) = colour {
            colour.to_registers(registers);
        }
    }
}

impl StencilKey {
    fn to_registers(self, registers: &mut Registers) {
        let mask = if self.writes() { 0xff00 } else { 0 };
        registers.set_raw(0x105, 1 | self.func.to_bits() << 4 | mask);
        let [fail, depth, pass] = self.ops.map(StencilOp::to_bits);
        registers.set_raw(0x106, fail | depth << 4 | pass << 8);
    }
}

impl ColourKey {
    fn to_registers(self, registers: &mut Registers) {
        registers.set_raw(0x117, self.format.to_bits() << 16);
        match self.mix {
            Mix::Logic(op) => registers.set_raw(0x102, op.to_bits()),
            Mix::Blend(BlendKey { rgb, alpha }) => {
                registers.set_raw(0x100, 1 << 8);
                let mut func = BlendFunc::default();
                if let Some(rgb) = rgb {
                    func = func.with_rgb_equation(rgb.equation);
                    func = func.with_rgb_source(rgb.source).with_rgb_destination(rgb.destination);
                }
                if let Some(alpha) = alpha {
                    func = func.with_alpha_equation(alpha.equation);
                    func = func.with_alpha_source(alpha.source).with_alpha_destination(alpha.destination);
                }
                registers.set_raw(0x101, func.0);
            }
        }
    }
}
