//! Key of the texture units 0 to 2.
//!
//! Formats and sizes are not part of it: images are decoded before they are sampled, see
//! [`crate::texture_cache`].
//!
//! Source: pica-fragment.md 2.2-2.6 and 8.4 (C16-C20).

use crate::emit::pica::block::Interpolants;
use crate::key::forms::{Digit, Each, Either, Flag, Own};
use crate::key::key;
use crate::pica::texel::last_usable_level;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::texture::{TextureLod, TextureParam, TextureType, TextureWrap};

/// Semantics of u and v of the three coordinate sets.
const SETS: [[usize; 2]; 3] = [[12, 13], [14, 15], [22, 23]];
/// Semantic of texture coordinate 0 w.
pub(crate) const W: usize = 16;

key! {
    /// A texture unit.
    pub(crate) enum TextureKey {
        /// Not read.
        Dead = "-",
        /// Disabled: all channels 0.
        Nothing = "0",
        /// Without address or size: opaque black.
        Null = "n",
        /// An image whose colours are found before the code runs.
        Found = "+",
        /// An image.
        Sampled(sampler: Sampler = Own) = "",
    }
}

key! {
    /// Sampling of an image.
    pub(crate) struct Sampler {
        pub(crate) coordinates: Coordinates = Own,
        pub(crate) kind: Kind = Own,
    }
}

key! {
    /// Source of the coordinates.
    pub(crate) enum Coordinates {
        /// u and v of a set.
        Plain(set: u8 = Digit(3)) = "",
        /// u / w and v / w of set 0.
        Divided = "p",
        /// The face of a cube in the direction u, v, w.
        Direction = "c",
    }
}

key! {
    /// Conversion of texels.
    pub(crate) enum Kind {
        /// Colours.
        Colour(filter: Filter = Own) = "",
        /// Depths, which are compared.
        Shadow = "s",
    }
}

key! {
    /// Filters and wrapping.
    pub(crate) struct Filter {
        /// Of s and of t.
        pub(crate) wrap: [Wrap; 2] = Each("", Own),
        /// Linear where magnified.
        pub(crate) magnified: bool = Either("n", "l"),
        /// Linear where minified.
        pub(crate) minified: bool = Either("n", "l"),
        pub(crate) mip: Mip = Own,
        /// The image repeats along an axis on which its size is no power of two.
        pub(crate) odd: bool = Flag("o"),
    }
}

key! {
    /// Levels that are read.
    pub(crate) enum Mip {
        /// Always the same one.
        One = "",
        /// The closest one.
        Nearest = "n",
        /// Two, weighted.
        Linear = "l",
    }
}

key! {
    /// Treatment of an index outside the image.
    pub(crate) enum Wrap {
        Edge = "e",
        Border = "b",
        Repeat = "r",
        Mirror = "m",
        EdgeRepeat = "f",
        BorderRepeat = "c",
    }
}

impl Wrap {
    const fn of(wrap: TextureWrap) -> Self {
        match wrap {
            TextureWrap::Edge => Self::Edge,
            TextureWrap::Border => Self::Border,
            TextureWrap::Repeat | TextureWrap::Repeat6 | TextureWrap::Repeat7 => Self::Repeat,
            TextureWrap::Mirror => Self::Mirror,
            TextureWrap::EdgeRepeat => Self::EdgeRepeat,
            TextureWrap::BorderRepeat => Self::BorderRepeat,
        }
    }

    const fn repeats(self) -> bool {
        !matches!(self, Self::Edge | Self::Border)
    }
}

/// The levels that a unit may read, first and last.
pub(crate) fn levels(param: TextureParam, lod: TextureLod, size: [u32; 2]) -> [u32; 2] {
    let top = u32::from(lod.max_level()).min(last_usable_level(size[0], size[1]));
    let is_shadow = matches!(param.kind(), TextureType::Shadow2D | TextureType::ShadowCube);
    if is_shadow { [0; 2] } else { [if is_fixed(lod, top) { top } else { 0 }, top] }
}

/// True if the last level is the only one that can be chosen, minified.
fn is_fixed(lod: TextureLod, top: u32) -> bool {
    let least = u32::from(lod.min_level());
    least > 0 && least >= top
}

/// Width and height.
pub(crate) fn size(registers: &Registers, unit: usize) -> [u32; 2] {
    let dim = registers.texture_dim(unit);
    [dim.width(), dim.height()].map(u32::from)
}

/// Parameters of a unit; only unit 0 has a type.
pub(crate) fn param(registers: &Registers, unit: usize) -> TextureParam {
    let param = registers.texture_param(unit);
    if unit == 0 { param } else { param.with_kind(TextureType::TwoD) }
}

impl Sampler {
    /// True if it takes one texel of one level at interpolated coordinates.
    pub(crate) fn is_closest(&self) -> bool {
        match (self.coordinates, self.kind) {
            (Coordinates::Plain(_), Kind::Colour(filter)) => !filter.needs_lod() && !filter.minified,
            _ => false,
        }
    }
}

impl TextureKey {
    /// True if the changes of coordinates matter, which choose levels.
    pub(crate) const fn reads_changes(&self) -> bool {
        matches!(self, Self::Sampled(sampler) if sampler.reads_changes())
    }

    /// The key of a unit that is read.
    pub(crate) fn of(registers: &Registers, unit: usize) -> Self {
        let kind = param(registers, unit).kind();
        if !registers.texunit_config().enable(unit) || kind == TextureType::Disabled {
            return Self::Nothing;
        }
        if registers.texture_address(unit).bytes() == 0 || size(registers, unit).contains(&0) {
            return Self::Null;
        }
        let set = if unit == 2 && registers.texunit_config().unit2_set1() { 1 } else { unit as u8 };
        let coordinates = match kind {
            TextureType::TwoD | TextureType::Disabled => Coordinates::Plain(set),
            TextureType::Projection => Coordinates::Divided,
            TextureType::Cube | TextureType::ShadowCube => Coordinates::Direction,
            TextureType::Shadow2D if registers.texture_shadow().orthographic() => Coordinates::Plain(0),
            TextureType::Shadow2D => Coordinates::Divided,
        };
        let kind = match kind {
            TextureType::Shadow2D | TextureType::ShadowCube => Kind::Shadow,
            _ => Kind::Colour(Filter::of(registers, unit, coordinates)),
        };
        Self::Sampled(Sampler { coordinates, kind })
    }

    /// The sampler of a unit with an image.
    pub(crate) const fn sampler(&self) -> Option<&Sampler> {
        match self {
            Self::Sampled(sampler) => Some(sampler),
            Self::Dead | Self::Nothing | Self::Null | Self::Found => None,
        }
    }

    /// The colour of a unit without an image, as a pixel.
    pub(crate) fn without_image(&self) -> u32 {
        // Alpha is the lowest byte.
        if *self == Self::Null { 0xff } else { 0 }
    }

    /// True if more is to be done than to take one texel of one level at interpolated coordinates.
    pub(crate) fn takes_long(&self) -> bool {
        self.sampler().is_some_and(|sampler| !sampler.is_closest())
    }

    /// The attributes that its code reads.
    pub(crate) fn interpolants(&self) -> Interpolants {
        self.sampler().map_or_else(Interpolants::default, Sampler::interpolants)
    }
}

impl Sampler {
    /// Semantics of u and v.
    pub(crate) const fn set(&self) -> [usize; 2] {
        match self.coordinates {
            Coordinates::Plain(set) => SETS[set as usize],
            Coordinates::Divided | Coordinates::Direction => SETS[0],
        }
    }

    /// The attributes from which texels are found.
    pub(crate) fn interpolants(&self) -> Interpolants {
        let mut semantics = self.set().to_vec();
        if self.reads_w() {
            semantics.push(W);
        }
        if self.reads_changes() {
            Interpolants::changes(&semantics)
        } else {
            Interpolants::values(&semantics)
        }
    }

    fn reads_w(&self) -> bool {
        !matches!(self.coordinates, Coordinates::Plain(_)) || self.kind == Kind::Shadow
    }

    /// True if the change of coordinates from pixel to pixel matters.
    pub(crate) const fn reads_changes(&self) -> bool {
        match self.kind {
            Kind::Colour(filter) => filter.needs_lod(),
            Kind::Shadow => false,
        }
    }
}

impl Filter {
    fn of(registers: &Registers, unit: usize, coordinates: Coordinates) -> Self {
        let (param, lod) = (param(registers, unit), registers.texture_lod(unit));
        let size = size(registers, unit);
        let [first, last] = levels(param, lod, size);
        let wrap = if coordinates == Coordinates::Direction {
            // Faces end at their edges, whatever the wrap modes are (assumed).
            [Wrap::Edge; 2]
        } else {
            [param.wrap_s(), param.wrap_t()].map(Wrap::of)
        };
        let is_odd = |axis: usize| wrap[axis].repeats() && !size[axis].is_power_of_two();
        Self {
            wrap,
            magnified: if lod.min_level() > 0 { param.min_linear() } else { param.mag_linear() },
            minified: param.min_linear(),
            mip: match (first == last, param.mip_linear()) {
                (true, _) => Mip::One,
                (false, false) => Mip::Nearest,
                (false, true) => Mip::Linear,
            },
            odd: is_odd(0) || is_odd(1),
        }
    }

    /// True if a texel may be the border colour.
    pub(crate) fn has_border(&self) -> bool {
        self.wrap.iter().any(|wrap| matches!(wrap, Wrap::Border | Wrap::BorderRepeat))
    }

    /// True if the level of detail decides anything.
    pub(crate) const fn needs_lod(&self) -> bool {
        !matches!(self.mip, Mip::One) || self.magnified != self.minified
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of unit 0: parameters, level of detail and size given, the rest plain.
    fn key(words: &[(u16, u32)]) -> String {
        let mut registers = Registers::new();
        let plain = [(0x080, 1), (0x082, 0x0040_0040), (0x085, 0x1000)];
        plain.iter().chain(words).for_each(|&(id, word)| registers.set_raw(id, word));
        TextureKey::of(&registers, 0).to_string()
    }

    #[test]
    fn units_without_an_image() {
        let nothing = [(0x080, 6), (0x083, 5 << 28), (0x083, 6 << 28), (0x083, 7 << 28)];
        assert_eq!(nothing.map(|word| key(&[word])), ["0"; 4]);
        assert_eq!(key(&[(0x085, 0), (0x086, 0x2000), (0x083, 1 << 28)]), "n", "the first face counts");
        assert_eq!([(0x082, 8), (0x082, 8 << 16)].map(|word| key(&[word])), ["n"; 2]);
        assert_eq!(key(&[(0x083, 5 << 28), (0x085, 0)]), "0", "disabled comes first");
    }

    /// C17: what the only level that is read leaves of filters.
    #[test]
    fn levels_and_filters() {
        const MIP: u32 = 1 << 24;
        let of = |param, lod| key(&[(0x083, param), (0x084, lod)]);
        assert_eq!([of(2, 0), of(2 | MIP, 0), of(4, 0)], ["0eeln", "0eeln", "0eenl"]);
        assert_eq!([of(2, 3 << 16), of(2 | MIP, 3 << 16)], ["0eelnn", "0eelnl"]);
        assert_eq!(of(2 | MIP, 1 << 24 | 3 << 16), "0eennl", "always minified");
        assert_eq!(of(4 | MIP, 3 << 24 | 3 << 16), "0eell", "always the last level");
        assert_eq!(of(4 | MIP, 5 << 24), "0eell", "also if it is the only one");
        assert_eq!(key(&[(0x083, MIP), (0x084, 9 << 16), (0x082, 0x0008_0400)]), "0eenn", "no more levels");
    }

    #[test]
    fn wrap_modes_and_sizes() {
        let of = |wrap: u32, size| key(&[(0x083, wrap << 8), (0x082, size)]);
        let even = [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77].map(|wrap| of(wrap, 0x0010_0040));
        assert_eq!(even, ["0eenn", "0bbnn", "0rrnn", "0mmnn", "0ffnn", "0ccnn", "0rrnn", "0rrnn"]);
        assert_eq!([of(0x20, 0x0018_0040), of(0x02, 0x0018_0040)], ["0renno", "0ernn"]);
        assert_eq!(of(0x11, 0x0018_0018), "0bbnn", "nothing repeats");
    }

    /// C18-C20: what other types leave of the same registers.
    #[test]
    fn types() {
        let of = |kind: u32, shadow| key(&[(0x083, kind << 28 | 0x2206), (0x08b, shadow)]);
        assert_eq!([of(0, 1), of(3, 0), of(3, 1)], ["0rrll", "prrll", "prrll"]);
        assert_eq!([of(1, 0), of(1, 1), of(4, 1)], ["ceell", "ceell", "cs"]);
        assert_eq!([of(2, 0), of(2, 1), of(2, 0x1001)], ["ps", "0s", "0s"]);
    }

    #[test]
    fn units_1_and_2() {
        let mut registers = Registers::new();
        for (id, word) in
            [(0x092, 0x0040_0040), (0x093, 7 << 28), (0x095, 1), (0x09a, 0x0040_0040), (0x09d, 1)]
        {
            registers.set_raw(id, word);
        }
        for (config, keys) in [(6, ["1eenn", "2eenn"]), (0x2006, ["1eenn", "1eenn"]), (2, ["1eenn", "0"])] {
            registers.set_raw(0x080, config);
            assert_eq!([1, 2].map(|unit| TextureKey::of(&registers, unit).to_string()), keys);
        }
    }

    /// Changes from pixel to pixel are wanted only where the level of detail is.
    #[test]
    fn interpolants() {
        let of = |words: &[(u16, u32)]| {
            let mut registers = Registers::new();
            let plain = [(0x080, 1), (0x082, 0x0040_0040), (0x085, 0x1000)];
            plain.iter().chain(words).for_each(|&(id, word)| registers.set_raw(id, word));
            TextureKey::of(&registers, 0).interpolants()
        };
        assert_eq!(of(&[]), Interpolants::values(&[12, 13]));
        assert_eq!(of(&[(0x083, 2)]), Interpolants::changes(&[12, 13]));
        assert_eq!(of(&[(0x083, 3 << 28)]), Interpolants::values(&[12, 13, 16]));
        assert_eq!(of(&[(0x083, 1 << 28 | 2)]), Interpolants::changes(&[12, 13, 16]));
        assert_eq!(of(&[(0x083, 2 << 28 | 2), (0x08b, 1)]), Interpolants::values(&[12, 13, 16]));
        assert_eq!(of(&[(0x080, 0)]), Interpolants::default());
    }
}
