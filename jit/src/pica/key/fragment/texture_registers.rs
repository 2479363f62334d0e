//! Registers from texture keys.

use super::texture::{Coordinates, Filter, Kind, Mip, Sampler, TextureKey, Wrap};
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::texture::{TextureLod, TextureParam, TextureType, TextureWrap};

/// An arbitrary address; its content is data.
const ADDRESS: u32 = 0x1800_0000 >> 3;

impl TextureKey {
    /// Sets the registers of a unit to a state with this key, provided the unit is read.
    pub(crate) fn to_registers(self, unit: usize, registers: &mut Registers) {
        let first = [0x081, 0x091, 0x099][unit];
        let enable = |registers: &mut Registers| {
            registers.set_raw(0x080, registers.raw(0x080) | 1 << unit);
        };
        match self {
            Self::Dead => {}
            // A combiner that names a unit reads it only where it is enabled.
            Self::Nothing if unit == 0 => {
                enable(registers);
                registers.set_raw(first + 2, TextureParam::default().with_kind(TextureType::Disabled).0);
            }
            Self::Nothing => {}
            Self::Null => enable(registers),
            // Any sampler would do whose colours can be found.
            Self::Found => Self::Sampled(Sampler {
                coordinates: Coordinates::Plain(unit as u8),
                kind: Kind::Colour(Filter {
                    wrap: [Wrap::Edge; 2],
                    magnified: true,
                    minified: true,
                    mip: Mip::One,
                    odd: false,
                }),
            })
            .to_registers(unit, registers),
            Self::Sampled(sampler) => {
                enable(registers);
                registers.set_raw(first + 4, ADDRESS);
                sampler.to_registers(unit, first, registers);
            }
        }
    }
}

impl Sampler {
    fn to_registers(self, unit: usize, first: u16, registers: &mut Registers) {
        let shadow = self.kind == Kind::Shadow;
        let kind = match self.coordinates {
            Coordinates::Plain(_) if shadow => {
                registers.set_raw(0x08b, 1);
                TextureType::Shadow2D
            }
            Coordinates::Plain(set) => {
                let moved = u32::from(unit == 2 && set == 1) << 13;
                registers.set_raw(0x080, registers.raw(0x080) | moved);
                TextureType::TwoD
            }
            Coordinates::Divided if shadow => TextureType::Shadow2D,
            Coordinates::Divided => TextureType::Projection,
            Coordinates::Direction if shadow => TextureType::ShadowCube,
            Coordinates::Direction => TextureType::Cube,
        };
        let (param, odd) = match self.kind {
            Kind::Colour(filter) => (filter.to_param(first, registers), filter.odd),
            Kind::Shadow => (TextureParam::default(), false),
        };
        registers.set_raw(first + 1, if odd { 0x0018_0018 } else { 0x0010_0010 });
        registers.set_raw(first + 2, param.with_kind(kind).0);
    }
}

impl Filter {
    /// The parameters; the levels go to their register.
    fn to_param(self, first: u16, registers: &mut Registers) -> TextureParam {
        let last = u8::from(self.mip != Mip::One);
        registers.set_raw(first + 3, TextureLod::default().with_max_level(last).0);
        let [s, t] = self.wrap.map(|wrap| TextureWrap::from_bits(wrap as u32));
        TextureParam::default()
            .with_wrap_s(s)
            .with_wrap_t(t)
            .with_mag_linear(self.magnified)
            .with_min_linear(self.minified)
            .with_mip_linear(self.mip == Mip::Linear)
    }
}
