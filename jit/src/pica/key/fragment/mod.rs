//! Key of fragment code: all register state that selects a computation.
//!
//! One type for each room; each has `of(&Registers)`, which leaves out irrelevant state, so that states with equal
//! behaviour give equal keys. Constants, references, tables, addresses and sizes are data.
//!
//! Source: pica-fragment.md section 8.

pub(crate) mod combiner;
pub(crate) mod fog;
#[cfg(test)]
mod laws;
pub(crate) mod lighting;
mod lighting_registers;
pub(crate) mod output;
mod output_registers;
pub(crate) mod proctex;
mod proctex_registers;
mod registers;
pub(crate) mod texture;
mod texture_registers;
pub(crate) mod words;

use crate::emit::pica::block::Interpolants;
use crate::error::CompileError;
use crate::key::forms::{After, Each, Flag, Maybe, Own};
use crate::key::key;
use combiner::{CombinerKey, Needs};
use fog::FogKey;
use lighting::{LightingKey, LitKey};
use output::OutputKey;
use picaflor_pipeline::pica::regs::Registers;
use proctex::{ProceduralKey, ProctexKey};
use texture::{Sampler, TextureKey};

key! {
    /// A state of the fragment pipeline.
    pub(crate) struct FragmentKey {
        pub(crate) raster: RasterKey = After("fs", Own),
        pub(crate) textures: [TextureKey; 3] = After(":", Each(".", Own)),
        pub(crate) combiners: CombinerKey = After(":", Own),
        /// `None` when nothing reads it, or it is disabled.
        pub(crate) procedural: Option<ProceduralKey> = Maybe(After(":p", Own)),
        /// `None` when nothing reads it, or it is disabled.
        pub(crate) lighting: Option<LitKey> = Maybe(After(":l", Own)),
        pub(crate) fog: FogKey = After(":", Own),
        pub(crate) output: OutputKey = After(":", Own),
    }
}

key! {
    /// Key of interpolation.
    #[derive(Default)]
    pub(crate) struct RasterKey {
        /// Depth is multiplied by w.
        pub(crate) w_buffer: bool = Flag("w"),
        /// The colour is the triangle's.
        pub(crate) flat_colour: bool = Flag("f"),
    }
}

impl FragmentKey {
    /// The key of a state.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state that compiled code does not know.
    pub(crate) fn of(registers: &Registers) -> Result<Self, CompileError> {
        let output = OutputKey::of(registers);
        let written = output.written();
        let fog = FogKey::of(registers, written.rgb, written.alpha);
        let combiners = CombinerKey::of(registers, needs(&output, fog));
        let lighting = LightingKey::of(registers, [0, 1].map(|colour| combiners.reads_lighting(colour)));
        let reads_texture = |unit| reads_texture(&combiners, lighting.as_ref(), unit);
        let texture = |unit| match reads_texture(unit) {
            true => TextureKey::of(registers, unit),
            false => TextureKey::Dead,
        };
        let textures = [0, 1, 2].map(texture);
        let proctex_needs = proctex_needs(&combiners, lighting.as_ref(), &output, fog);
        let proctex = if reads_texture(3) { ProctexKey::of(registers, proctex_needs) } else { None };
        let (procedural, lighting) = (proctex.map(ProceduralKey::By), lighting.map(LitKey::By));
        let reads_depth = output.reads_depth() || matches!(fog, FogKey::Fog { .. });
        let raster = RasterKey {
            w_buffer: !registers.depth_map().z_buffer() && reads_depth,
            flat_colour: registers.flat_colour().enable() && combiners.reads_vertex_colour(),
        };
        Ok(Self { raster, textures, combiners, procedural, lighting, fog, output })
    }

    /// The key of code for which all colours of textures and of lights are found. States with nothing but closest texels, which are
    /// at hand as soon in code, stay as they are.
    pub(crate) fn of_code(self) -> Self {
        let takes_long = self.textures.iter().any(TextureKey::takes_long);
        if !takes_long && self.procedural.is_none() && self.lighting.is_none() {
            return self;
        }
        let texture = |unit: usize| match self.textures[unit] {
            _ if !self.combiners.reads_texture(unit as u8) => TextureKey::Dead,
            TextureKey::Sampled(_) => TextureKey::Found,
            of_unit => of_unit,
        };
        let procedural = self.procedural.filter(|_| self.combiners.reads_texture(3));
        Self {
            textures: [0, 1, 2].map(texture),
            procedural: procedural.map(|_| ProceduralKey::Found),
            lighting: self.lighting.map(|_| LitKey::Found),
            ..self
        }
    }

    /// The lighting that its code does.
    pub(crate) fn lighting(&self) -> Option<&LightingKey> {
        self.lighting.as_ref().and_then(LitKey::by_code)
    }

    /// The lighting that is found for the code of another key.
    pub(crate) fn lighting_found_for(&self, of_code: &Self) -> Option<&LightingKey> {
        self.lighting().filter(|_| of_code.lighting == Some(LitKey::Found))
    }

    /// The sampler of a unit whose colours are found for the code of another key, or for its lights.
    pub(crate) fn sampler_found_for(&self, of_code: &Self, unit: usize) -> Option<Sampler> {
        let for_lights = || self.lighting_found_for(of_code).is_some_and(|lights| lights.reads_texture(unit));
        let is_found = of_code.textures[unit] == TextureKey::Found || for_lights();
        self.textures[unit].sampler().copied().filter(|_| is_found)
    }

    /// The procedural texture that is found for the code of another key, or for its lights.
    pub(crate) fn proctex_found_for(&self, of_code: &Self) -> Option<&ProctexKey> {
        let for_lights = || self.lighting_found_for(of_code).is_some_and(|lights| lights.reads_texture(3));
        self.proctex().filter(|_| of_code.finds_procedural() || for_lights())
    }

    /// The procedural texture that its code computes.
    pub(crate) fn proctex(&self) -> Option<&ProctexKey> {
        self.procedural.as_ref().and_then(ProceduralKey::by_code)
    }

    /// True if its code finds the colour of the procedural texture.
    pub(crate) fn finds_procedural(&self) -> bool {
        self.procedural == Some(ProceduralKey::Found)
    }

    /// Texture units with an image whose colours its code finds.
    pub(crate) fn units_found(&self) -> usize {
        self.textures.iter().filter(|&&unit| unit == TextureKey::Found).count()
    }

    /// Colours of a quad that its code finds: of texture units, of the procedural one, of lights.
    pub(crate) fn colours_found(&self) -> usize {
        let lights = self.lights_found().iter().filter(|&&live| live).count();
        self.units_found() + usize::from(self.finds_procedural()) + lights
    }

    /// The colours of lights that its code finds, primary and secondary.
    pub(crate) fn lights_found(&self) -> [bool; 2] {
        let found = self.lighting == Some(LitKey::Found);
        [0, 1].map(|colour| found && self.combiners.reads_lighting(colour))
    }

    /// Channels of the combiners' result that matter.
    pub(crate) fn needs(&self) -> Needs {
        needs(&self.output, self.fog)
    }

    /// True if the colour of a texture unit matters.
    pub(crate) fn reads_texture(&self, unit: usize) -> bool {
        reads_texture(&self.combiners, self.lighting(), unit)
    }

    /// Channels of the vertex colour that its code interpolates, red lowest; the others can have any value that
    /// is one. None where the colour is the triangle's.
    pub(crate) fn vertex_colour_channels(&self) -> u8 {
        let channels = self.combiners.vertex_channels(channels(&self.output, self.fog));
        if self.raster.flat_colour { 0 } else { channels }
    }

    /// Parts of the procedural texture that matter.
    pub(crate) fn proctex_needs(&self) -> Needs {
        proctex_needs(&self.combiners, self.lighting(), &self.output, self.fog)
    }

    /// The attributes that its code interpolates.
    pub(crate) fn interpolants(&self) -> Interpolants {
        let colour = Interpolants { values: u32::from(self.vertex_colour_channels()) << 8, changes: 0 };
        let colour = self.textures.iter().map(TextureKey::interpolants).fold(colour, Interpolants::union);
        let proctex = self.proctex().map(ProctexKey::interpolants);
        let lighting = self.lighting().map(LightingKey::interpolants);
        proctex.into_iter().chain(lighting).fold(colour, Interpolants::union)
    }
}

fn reads_texture(combiners: &CombinerKey, lighting: Option<&LightingKey>, unit: usize) -> bool {
    combiners.reads_texture(unit as u8) || lighting.is_some_and(|lighting| lighting.reads_texture(unit))
}

/// Parts of the procedural texture that matter; all of it for the lighting unit.
fn proctex_needs(
    combiners: &CombinerKey,
    lighting: Option<&LightingKey>,
    output: &OutputKey,
    fog: FogKey,
) -> Needs {
    let all = lighting.is_some_and(|lighting| lighting.reads_texture(3));
    let channels = combiners.proctex_channels(channels(output, fog));
    Needs { rgb: all || channels & 7 != 0, alpha: all || channels & 8 != 0 }
}

/// Channels of the combiners' result that matter, red lowest.
fn channels(output: &OutputKey, fog: FogKey) -> u8 {
    let needs = needs(output, fog);
    output.channels() & (if needs.rgb { 7 } else { 0 } | if needs.alpha { 8 } else { 0 })
}

/// Parts of the combiners' result that matter. Behind gas shading only the alpha test sees it.
fn needs(output: &OutputKey, fog: FogKey) -> Needs {
    let written = if fog == FogKey::Gas { Needs::default() } else { output.written() };
    written.union(output.needs())
}
