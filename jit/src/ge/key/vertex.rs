//! `TransformKey`: the part of the state that selects the code of the GE's vertex path.

use crate::error::CompileError;
use crate::key::bytes::{Stored, listed};
use crate::key::forms::{After, Each, Either, Flag, Form, Hex, Maybe, Name, Named, Own};
use crate::key::key;
use crate::key::text::Reader;
use picaflor_pipeline::ge::regs::light::{Light, LightComponents, LightKind};
use picaflor_pipeline::ge::regs::transform::{MapSource, TextureMapping};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vertex_type::VertexType;
use std::fmt::Formatter;

listed! {
    enum LightKind { Directional, Point, Spot }
    enum LightComponents { Diffuse, DiffuseSpecular, PoweredDiffuse }
}

key! {
    /// One routine for each.
    pub(crate) struct TransformKey {
        /// Type of the vertex, without bits that do not affect the record.
        pub(crate) vertex_type: VertexType = After("ge-vertex/", Code),
        pub(crate) texture: Mapping = After("/tex=", Own),
        /// Normals are reversed.
        pub(crate) reversed: bool = Flag("/reversed"),
        /// Normals are read. [Of code](TransformKey::of_code) alone.
        pub(crate) normal: bool = Flag("/normal"),
        pub(crate) lighting: Option<LightingKey> = Maybe(Own),
    }
}

key! {
    /// Source of texture coordinates.
    pub(crate) enum Mapping {
        /// There are none.
        Off = "Off",
        /// The vertex's own, as they are.
        Through = "Through",
        /// The vertex's own, scaled and moved.
        Coordinates = "Coordinates",
        Position = "Position",
        MatrixCoordinates = "MatrixCoordinates",
        NormalisedNormal = "NormalisedNormal",
        Normal = "Normal",
        Environment = "Environment",
    }
}

key! {
    /// Lighting.
    pub(crate) struct LightingKey {
        /// True if the vertex gives the ambient, diffuse and specular colour of the surface.
        pub(crate) from_vertex: [bool; 3] = After("/lit=", Each("", Either("m", "v"))),
        /// The specular power.
        pub(crate) power: Power = After("/power=", Own),
        /// Specular colour is kept apart.
        pub(crate) separate: bool = Flag("/separate"),
        pub(crate) lights: [Option<LightKey>; 4] = Named(["/0=", "/1=", "/2=", "/3="]),
    }
}

key! {
    /// A light.
    pub(crate) struct LightKey {
        pub(crate) kind: LightKind = Name,
        pub(crate) components: LightComponents = After("-", Name),
        /// Of spots.
        pub(crate) spot: Power = After("-", Own),
    }
}

key! {
    /// Special cases of the exponent of the power function.
    pub(crate) enum Power {
        /// Everything to 1.
        One = "One",
        /// Step: positive values become 0 below 1, and 1 from 1 on.
        Step = "Step",
        Curve = "Curve",
    }
}

/// The form of vertex types: six hexadecimal digits.
struct Code;

impl Form<VertexType> for Code {
    fn write(&self, value: &VertexType, f: &mut Formatter<'_>) -> std::fmt::Result {
        Hex(6).write(&value.0, f)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<VertexType> {
        Hex(6).read(text).map(VertexType)
    }
}

impl Stored for VertexType {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Stored::take(bytes).map(Self)
    }

    #[cfg(test)]
    fn neighbours(&self) -> Vec<Self> {
        (0..24).map(|bit| Self(self.0 ^ 1 << bit)).collect()
    }
}

impl TransformKey {
    /// That of a state.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state without a compiled path.
    pub(crate) fn of(registers: &Registers) -> Result<Self, CompileError> {
        let vertex_type = canonical(registers.vertex_type());
        let textured = registers.is_on(op::TME);
        if vertex_type.is_through() {
            let texture = if textured { Mapping::Through } else { Mapping::Off };
            return Ok(Self { vertex_type, texture, reversed: false, normal: false, lighting: None });
        }
        let texture = if textured { Mapping::of(registers.texture_mapping()) } else { Mapping::Off };
        let lighting = if registers.is_on(op::LTE) { Some(LightingKey::of(registers)?) } else { None };
        let reversed = registers.is_on(op::RNORM);
        let key = Self { vertex_type, texture, reversed, normal: false, lighting };
        Ok(Self { reversed: key.reversed && key.reads_normal(), ..key })
    }

    /// The key of the code, which those share that read the same of records.
    pub(crate) fn of_code(&self) -> Self {
        let texture = match self.texture {
            Mapping::Through => Mapping::Through,
            texture if texture.reads_coordinates() => Mapping::Coordinates,
            _ => Mapping::Off,
        };
        let normal = self.reads_normal();
        Self { vertex_type: self.vertex_type, texture, reversed: false, normal, lighting: None }
    }

    /// True if positions can be so small that sums on their way to the screen cannot be aligned by powers of two that are numbers.
    ///
    /// Nonzero numbers of records, weights of records and elements of matrices are 2^-149 at least; a sum takes 17 places off. A position
    /// is 2^-149 at least, or 2^-298 if records are morphed; through bones it is multiplied by sums of 2^-315. What is 2^-524 at
    /// least stays above 2^-1005 through three matrices.
    pub(crate) fn may_be_small(&self) -> bool {
        self.vertex_type.weight_count() > 0 && self.vertex_type.morph_count() > 1
    }

    /// True if the normal can be seen.
    pub(crate) fn reads_normal(&self) -> bool {
        self.texture.reads_normal() || self.reads_world_normal()
    }

    /// True if the normal in world space can be seen. That is not the code's.
    pub(crate) fn reads_world_normal(&self) -> bool {
        self.texture == Mapping::Environment
            || self.lighting.is_some_and(|lighting| lighting.lights.iter().any(Option::is_some))
    }
}

/// The bits that define content and layout of a record.
fn canonical(vertex_type: VertexType) -> VertexType {
    let mut bits = vertex_type.0 & 0x9d_c7ff;
    if vertex_type.colour().is_none() {
        bits &= !(7 << 2);
    }
    if vertex_type.weight_count() == 0 {
        bits &= !(7 << 14);
    }
    VertexType(bits)
}

impl Mapping {
    const fn of(mapping: TextureMapping) -> Self {
        match mapping {
            TextureMapping::Coordinates => Self::Coordinates,
            TextureMapping::Matrix(MapSource::Position) => Self::Position,
            TextureMapping::Matrix(MapSource::Coordinates) => Self::MatrixCoordinates,
            TextureMapping::Matrix(MapSource::NormalisedNormal) => Self::NormalisedNormal,
            TextureMapping::Matrix(MapSource::Normal) => Self::Normal,
            TextureMapping::Environment => Self::Environment,
        }
    }

    /// True if the normal is seen as it is in the model.
    pub(crate) const fn reads_normal(self) -> bool {
        matches!(self, Self::NormalisedNormal | Self::Normal)
    }

    /// True if a matrix makes the coordinates.
    pub(crate) const fn takes_matrix(self) -> bool {
        matches!(self, Self::Position | Self::MatrixCoordinates) || self.reads_normal()
    }

    /// True if the vertex's own coordinates are seen.
    pub(crate) const fn reads_coordinates(self) -> bool {
        matches!(self, Self::Through | Self::Coordinates | Self::MatrixCoordinates)
    }
}

impl LightingKey {
    fn of(registers: &Registers) -> Result<Self, CompileError> {
        let mut lights = [None; 4];
        for n in (0..4).filter(|&n| registers.is_on(op::LTE0 + n)) {
            lights[usize::from(n)] = Some(LightKey::of(&registers.light(n))?);
        }
        let has_colour = registers.vertex_type().colour().is_some();
        let any = |used: fn(&LightKey) -> bool| lights.iter().flatten().any(used);
        let specular = any(LightKey::shines);
        let used = [true, any(|_| true), specular];
        let from_vertex =
            [0, 1, 2].map(|n| has_colour && used[n] && registers.bits(op::CMAT, n as u32, 1) != 0);
        let powered = any(|light| light.components != LightComponents::Diffuse);
        let power = if powered { Power::of(registers.float(op::SPOW)) } else { Power::One };
        Ok(Self { from_vertex, separate: specular && registers.is_on(op::LMODE), power, lights })
    }

    /// True if a light has a specular part.
    pub(crate) fn shines(&self) -> bool {
        self.lights.iter().flatten().any(LightKey::shines)
    }
}

impl LightKey {
    fn of(light: &Light) -> Result<Self, CompileError> {
        let is_spot = light.kind == LightKind::Spot;
        if is_spot && (!light.cutoff.is_finite() || !points_somewhere(light.direction)) {
            return Err(CompileError::UnknownState { what: "a spot without cutoff or direction" });
        }
        let spot = if is_spot { Power::of(light.exponent) } else { Power::One };
        Ok(Self { kind: light.kind, components: light.components, spot })
    }

    /// True if it has a specular part.
    pub(crate) fn shines(&self) -> bool {
        self.components == LightComponents::DiffuseSpecular
    }
}

fn points_somewhere(direction: [f32; 3]) -> bool {
    direction.iter().all(|component| component.is_finite())
        && direction.iter().any(|&component| component != 0.0)
}

impl Power {
    /// As `gepow` has it.
    fn of(exponent: f32) -> Self {
        let is_negative_nan = exponent.is_nan() && exponent.is_sign_negative();
        if exponent <= 0.0 || is_negative_nan {
            Self::One
        } else if exponent.is_finite() {
            Self::Curve
        } else {
            Self::Step
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(words: &[u32]) -> Result<TransformKey, CompileError> {
        let mut registers = Registers::default();
        words.iter().for_each(|&word| registers.write(word));
        TransformKey::of(&registers)
    }

    fn word(command: u8, argument: u32) -> u32 {
        u32::from(command) << 24 | argument
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        let plain = key(&[word(op::VTYPE, 3 << 7)]).unwrap();
        // Indices, a number of weights without weights, a colour code that is none, an unused bit.
        let strange = [2 << 11, 5 << 14, 3 << 2, 1 << 17];
        for bits in strange {
            assert_eq!(key(&[word(op::VTYPE, 3 << 7 | bits)]).unwrap(), plain, "{bits:#x}");
        }
        // Nobody sees the normal.
        assert_eq!(key(&[word(op::VTYPE, 3 << 7), word(op::RNORM, 1)]).unwrap(), plain);
        assert_eq!(plain.to_string(), "ge-vertex/000180/tex=Off");
        // Fog is not the code's.
        assert_eq!(key(&[word(op::VTYPE, 3 << 7), word(op::FGE, 1)]).unwrap(), plain);
        // No light has a specular part.
        let lit = [word(op::VTYPE, 3 << 7), word(op::LTE, 1), word(op::LTE0 + 1, 1)];
        assert_eq!(key(&[&lit[..], &[word(op::LMODE, 1)]].concat()), key(&lit));
    }

    #[test]
    fn names_tell_keys_apart() {
        let lit =
            [word(op::VTYPE, 7 << 2 | 3 << 7), word(op::LTE, 1), word(op::LTE0 + 1, 1), word(op::LT0 + 1, 1)];
        let more = [
            word(op::CMAT, 1),
            word(op::CMAT, 2),
            word(op::LMODE, 1),
            word(op::RNORM, 1),
            word(op::LTE0, 1),
            word(op::LT0 + 1, 0),
            word(op::LT0 + 1, 1 << 8 | 1),
            word(op::TME, 1),
        ];
        let mut names = vec![key(&lit).unwrap().to_string()];
        names.extend(more.iter().map(|&word| key(&[&lit[..], &[word]].concat()).unwrap().to_string()));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{names:#?}");
    }

    #[test]
    fn spots_without_direction_are_refused() {
        let spot = [word(op::LTE, 1), word(op::LTE0, 1), word(op::LT0, 2 << 8)];
        assert!(key(&spot).is_err());
        let direction = word(op::LXD0, 1.0_f32.to_bits() >> 8);
        assert!(key(&[&spot[..], &[direction]].concat()).is_ok());
        let cutoff = word(op::LSC0, f32::INFINITY.to_bits() >> 8);
        assert!(key(&[&spot[..], &[direction, cutoff]].concat()).is_err());
        // In through mode nobody asks.
        assert!(key(&[&spot[..], &[word(op::VTYPE, 1 << 23)]].concat()).is_ok());
    }
}
