//! Key of the procedural texture: clamp modes, functions, noise, shifts, filter.
//!
//! Tables, their width, where levels start, the bounds and the bias of the level of detail, amplitudes,
//! phases and frequencies are data. Bounds and bias still decide one thing: where all pixels of a draw have
//! the same level, no level is computed (C21 of pica-fragment.md 8.4).

use super::combiner::Needs;
use crate::emit::pica::block::Interpolants;
use crate::key::bytes::listed;
use crate::key::forms::{Digit, Each, Either, Or, Own, Place};
use crate::key::key;
use crate::pica::key::fragment::texture::Mip;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::texture::{ProctexClamp, ProctexFilter, ProctexFunction, ProctexShift};

listed! { ProctexClamp, ProctexFilter, ProctexFunction, ProctexShift }

key! {
    /// Where the colour of the procedural texture comes from, when something reads it and it is enabled.
    pub(crate) enum ProceduralKey {
        /// It is found before the code runs.
        Found = "+",
        /// Code computes it.
        By(proctex: ProctexKey = Own) = "",
    }
}

key! {
    /// The procedural texture.
    pub(crate) struct ProctexKey {
        /// The set of coordinates, 0 to 2.
        pub(crate) set: u8 = Digit(3),
        /// Treatment of u and v; `None` for an unread coordinate.
        pub(crate) axes: [Option<AxisKey>; 2] = Each("", Or(Own, "--")),
        pub(crate) noise: bool = Either("-", "n"),
        /// The function that selects the colour; `Unknown` where the table is not looked at.
        pub(crate) colour: ProctexFunction = Place,
        /// The function that selects alpha, where that is separate and matters.
        pub(crate) alpha: Option<ProctexFunction> = Or(Place, "-"),
        /// With mip mapping only where levels differ from pixel to pixel.
        pub(crate) filter: ProctexFilter = Place,
    }
}

key! {
    /// Treatment of u or v.
    pub(crate) struct AxisKey {
        pub(crate) clamp: ProctexClamp = Place,
        /// By the other coordinate.
        pub(crate) shift: ProctexShift = Place,
    }
}

impl ProceduralKey {
    /// The texture that code computes.
    pub(crate) const fn by_code(&self) -> Option<&ProctexKey> {
        match self {
            Self::Found => None,
            Self::By(proctex) => Some(proctex),
        }
    }
}

impl ProctexKey {
    /// The unit where these channels of it matter, `None` when it is disabled.
    pub(crate) fn of(registers: &Registers, needs: Needs) -> Option<Self> {
        let (config, unit) = (registers.texunit_config(), registers.proctex0());
        if !config.enable3() {
            return None;
        }
        let alpha = (unit.separate_alpha() && needs.alpha).then_some(unit.alpha_function());
        let looks_up = Self::looks_up(needs, alpha);
        let colour = if looks_up { unit.colour_function() } else { ProctexFunction::Unknown };
        let reads = |axis: usize| reads(colour, axis) || alpha.is_some_and(|alpha| reads(alpha, axis));
        let u = AxisKey { clamp: unit.u_clamp(), shift: unit.u_shift() };
        let v = AxisKey { clamp: unit.v_clamp(), shift: unit.v_shift() };
        let axes = [reads(0).then_some(u), reads(1).then_some(v)];
        Some(Self {
            // Set 3 does not exist; set 0 is assumed.
            set: if config.set3() == 3 { 0 } else { config.set3() },
            axes,
            noise: unit.noise() && axes != [None; 2],
            colour,
            alpha,
            filter: if looks_up { filter(registers) } else { ProctexFilter::Nearest },
        })
    }

    /// True if the colour table matters, for these channels and this function of a separate alpha.
    pub(crate) const fn looks_up(needs: Needs, alpha: Option<ProctexFunction>) -> bool {
        needs.rgb || alpha.is_none()
    }

    /// True if the texture is a constant of the draw where all coordinates that it reads are 0.
    pub(crate) fn is_constant_at_origin(&self) -> bool {
        !self.noise && !self.has_levels()
    }

    /// True if the level of detail differs from pixel to pixel.
    pub(crate) fn has_levels(&self) -> bool {
        self.mip() != Mip::One
    }

    /// The levels that pixels read.
    pub(crate) const fn mip(&self) -> Mip {
        match self.filter {
            ProctexFilter::Nearest | ProctexFilter::Linear => Mip::One,
            ProctexFilter::NearestMipNearest | ProctexFilter::LinearMipNearest => Mip::Nearest,
            ProctexFilter::NearestMipLinear | ProctexFilter::LinearMipLinear => Mip::Linear,
        }
    }

    /// True if neighbouring colours are weighted.
    pub(crate) const fn is_linear(&self) -> bool {
        use ProctexFilter::{Linear, LinearMipLinear, LinearMipNearest};
        matches!(self.filter, Linear | LinearMipNearest | LinearMipLinear)
    }

    /// Semantics of its u and v.
    pub(crate) const fn semantics(&self) -> [usize; 2] {
        match self.set {
            0 => [12, 13],
            1 => [14, 15],
            _ => [22, 23],
        }
    }

    /// True if the value of u (0) or v (1) matters.
    pub(crate) fn reads(&self, axis: usize) -> bool {
        let shifts = self.axes[1 - axis].is_some_and(|other| other.shift != ProctexShift::None);
        self.noise || self.axes[axis].is_some() || shifts
    }

    /// The attributes that it reads.
    pub(crate) fn interpolants(&self) -> Interpolants {
        let semantics = self.semantics();
        if self.has_levels() {
            return Interpolants::changes(&semantics);
        }
        let read = (0..2).filter(|&axis| self.reads(axis)).map(|axis| semantics[axis]);
        Interpolants::values(&read.collect::<Vec<_>>())
    }
}

/// The level that all pixels have, `None` where they differ.
pub(crate) fn common_level(registers: &Registers) -> Option<u8> {
    let unit = registers.proctex4();
    if matches!(unit.filter(), ProctexFilter::Nearest | ProctexFilter::Linear) {
        return Some(0);
    }
    // The upper bound wins.
    let (low, high) = (unit.lod_min(), unit.lod_max().min(7));
    let is_common = registers.proctex_bias().to_f32() == 0.0 || low >= high;
    is_common.then_some(low.min(high))
}

/// The filter, simplified if all pixels have the same integer level.
fn filter(registers: &Registers) -> ProctexFilter {
    use ProctexFilter::{
        Linear, LinearMipLinear, LinearMipNearest, Nearest, NearestMipLinear, NearestMipNearest,
    };
    match registers.proctex4().filter() {
        filter if common_level(registers).is_none() => filter,
        Nearest | NearestMipNearest | NearestMipLinear => Nearest,
        Linear | LinearMipNearest | LinearMipLinear => Linear,
    }
}

/// True if a function reads u (0) or v (1).
const fn reads(function: ProctexFunction, axis: usize) -> bool {
    match function {
        ProctexFunction::U | ProctexFunction::USquared => axis == 0,
        ProctexFunction::V | ProctexFunction::VSquared => axis == 1,
        ProctexFunction::Unknown => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENABLE: (u16, u32) = (0x080, 1 << 10);
    /// A bias of 1, in its two halves.
    const BIAS: u32 = 0x3c << 19;

    fn key(words: &[(u16, u32)]) -> Option<ProctexKey> {
        let mut registers = Registers::new();
        words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        ProctexKey::of(&registers, Needs { rgb: true, alpha: true })
    }

    fn name(words: &[(u16, u32)]) -> String {
        key(&[&[ENABLE], words].concat()).expect("it is enabled").to_string()
    }

    #[test]
    fn disabled_unit() {
        assert_eq!(key(&[(0x080, !(1 << 10)), (0x0a8, u32::MAX)]), None);
    }

    #[test]
    fn what_no_function_reads_is_left_out() {
        // The colour is by u; everything about v is unknown, its map of alpha too.
        assert_eq!(name(&[(0x0a8, 3 | 5 << 3 | 9 << 10 | 1 << 16 | 2 << 18)]), "031---0-0");
        assert_eq!(name(&[(0x0a8, 3 | 4 << 3 | 2 << 10 | 1 << 14 | 2 << 18)]), "03042-020");
        assert_eq!(name(&[(0x0a8, 15 << 6 | 1 << 15)]), "0-----a-0", "nothing for noise to move");
        assert_eq!(name(&[(0x080, 3 << 8 | 1 << 10)]), name(&[]));
    }

    /// The colour is by u, alpha by v.
    #[test]
    fn channels_that_nothing_reads_are_left_out() {
        let mut registers = Registers::new();
        let levels = (0x0ac, 4 | 6 << 7 | BIAS);
        for (id, word) in [ENABLE, (0x0a8, 2 << 10 | 1 << 14), levels] {
            registers.set_raw(id, word);
        }
        let name = |registers: &Registers, rgb, alpha| {
            ProctexKey::of(registers, Needs { rgb, alpha }).expect("it is enabled").to_string()
        };
        assert_eq!(name(&registers, true, true), "00000-024");
        assert_eq!(name(&registers, true, false), "000---0-4");
        assert_eq!(name(&registers, false, true), "0--00-a20");
        registers.set_raw(0x0a8, 0);
        assert_eq!(name(&registers, false, true), "000---0-4", "alpha of the table");
    }

    #[test]
    fn shifts_read_the_other_coordinate() {
        let unit = key(&[ENABLE, (0x0a8, 1 << 16)]).expect("it is enabled");
        assert_eq!(unit.interpolants(), Interpolants::values(&[12, 13]));
        let unit = key(&[ENABLE, (0x0a8, 1 << 18)]).expect("it is enabled");
        assert_eq!(unit.interpolants(), Interpolants::values(&[12]));
    }

    /// The rule of C21, and the same for other levels.
    #[test]
    fn filters_without_levels() {
        for (filter, plain) in [(2, 0), (4, 0), (3, 1), (5, 1), (7, 1)] {
            let filter_of = |word: u32| name(&[(0x0ac, filter | word)]).pop();
            let plain = char::from_digit(plain, 10);
            assert_eq!(filter_of(6 << 7), plain, "bias 0");
            assert_eq!(filter_of(2 << 3 | 6 << 7), plain, "bias 0");
            assert_eq!(filter_of(3 << 3 | BIAS), plain, "last level 0");
            assert_eq!(filter_of(9 << 3 | 15 << 7 | BIAS), plain, "no level above 7");
            let kept = if filter == 7 { plain } else { char::from_digit(filter, 10) };
            assert_eq!(filter_of(2 << 3 | 6 << 7 | BIAS), kept);
        }
    }
}
