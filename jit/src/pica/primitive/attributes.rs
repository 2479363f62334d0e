//! Attributes that are carried from vertices to triangles: all, or only what pixels of the triangles may read.

use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::texture::TextureType;
use picaflor_pipeline::pica::vertex::{SEMANTICS, Vertex};
use std::ops::Range;

/// Groups of four semantics: the position, the quaternion, the colour, texture coordinates 0 and 1, and two that hold the view,
/// texture coordinate 0 w and texture coordinates 2.
pub(super) const GROUPS: usize = SEMANTICS / 4;
/// The group of the position.
const POSITION: usize = 0;
/// The group of the quaternion.
pub(super) const QUATERNION: usize = 1;

/// Which groups of semantics are carried. The others of a vertex are 0, but for the position, which clipping reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attributes {
    /// All.
    All,
    /// All but the position, which set-up has read: for lights.
    Lit,
    /// Of these all but the quaternion.
    Unlit,
    /// The colour and texture coordinates 0 and 1.
    Plain,
}

impl Attributes {
    /// Those that some pixel may read in the state of the registers.
    pub(super) fn of_pixels(registers: &Registers) -> Self {
        let units = registers.texunit_config();
        let has_w = units.enable0() && registers.texture_param(0).kind() != TextureType::TwoD;
        match () {
            () if !registers.lighting_disable().disabled() => Self::Lit,
            () if has_w || units.enable2() || units.enable3() => Self::Unlit,
            () => Self::Plain,
        }
    }

    /// The groups of triangles.
    pub(super) const fn groups(self) -> Range<usize> {
        match self {
            Self::All => 0..GROUPS,
            Self::Lit => 1..GROUPS,
            Self::Unlit => 2..GROUPS,
            Self::Plain => 2..4,
        }
    }

    /// The groups of vertices: the position, which set-up reads, and these.
    pub(super) fn of_vertices(self) -> impl Iterator<Item = usize> {
        std::iter::once(POSITION).chain(self.groups().skip_while(|&group| group == POSITION))
    }

    /// Fills a vertex: with the values of some semantics where they are carried, otherwise with 0.
    #[inline(always)]
    pub(super) fn fill(self, to: &mut Vertex, value: impl Fn(usize) -> f32) {
        // Known ranges: stores of vectors, without loops.
        let mut fill = |groups: Range<usize>| {
            (0..4 * groups.start).for_each(|k| to[k] = 0.0);
            (4 * groups.start..4 * groups.end).for_each(|k| to[k] = value(k));
            (4 * groups.end..SEMANTICS).for_each(|k| to[k] = 0.0);
        };
        match self {
            Self::All => fill(const { Self::All.groups() }),
            Self::Lit => fill(const { Self::Lit.groups() }),
            Self::Unlit => fill(const { Self::Unlit.groups() }),
            Self::Plain => fill(const { Self::Plain.groups() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::key::fragment::FragmentKey;
    use picaflor_pipeline::random::bits;

    /// Any state of textures, combiners, lights and output: code reads nothing that is not carried, and everything that is in some
    /// state.
    #[test]
    fn pixels_read_what_is_carried() {
        let (mut seed, mut read_with) = (3, [0_u32; 3]);
        for case in 0..30_000 {
            let mut registers = Registers::new();
            for id in (0x080..0x118).chain(0x140..0x1c8) {
                let word =
                    bits(&mut seed) as u32 & if case & 1 == 0 { u32::MAX } else { bits(&mut seed) as u32 };
                registers.set_raw(id, word);
            }
            // Half of the states have no light, and few units.
            let lights_off = (bits(&mut seed) >> 40) as u32 & 1;
            registers.set_raw(0x1c6, lights_off);
            registers.set_raw(0x080, (bits(&mut seed) & bits(&mut seed)) as u32 & 0xffff);
            let Ok(key) = FragmentKey::of(&registers) else { continue };
            let attributes = Attributes::of_pixels(&registers);
            let carried = attributes.groups().fold(0, |carried, group| carried | 15 << (4 * group));
            let read = key.interpolants().values;
            assert_eq!(read & !carried, 0, "{key}: {attributes:?}");
            let kinds = [Attributes::Lit, Attributes::Unlit, Attributes::Plain];
            let kind = kinds.iter().position(|kind| *kind == attributes).expect("never all");
            read_with[kind] |= read;
        }
        // All but semantics 17 and 21, which nobody reads.
        assert_eq!(read_with, [0xdd_fff0, 0xc1_ff00, 0xff00]);
    }

    /// What is carried has its value, everything else is 0.
    #[test]
    fn vertices_have_what_is_carried() {
        for (attributes, first, end) in [
            (Attributes::All, 0, 24),
            (Attributes::Lit, 4, 24),
            (Attributes::Unlit, 8, 24),
            (Attributes::Plain, 8, 16),
        ] {
            let mut vertex = [9.0; SEMANTICS];
            attributes.fill(&mut vertex, |k| k as f32 + 1.0);
            let expected =
                std::array::from_fn(|k| if (first..end).contains(&k) { k as f32 + 1.0 } else { 0.0 });
            assert_eq!(vertex, expected, "{attributes:?}");
        }
    }
}
