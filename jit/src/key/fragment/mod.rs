//! What fragment code is specialised on: everything in the registers that selects a computation.
//!
//! One type for each room; each has `of(&Registers)`, which leaves out what cannot matter, so that states
//! which behave alike give equal keys. Constants, references, tables, addresses and sizes are data.
//!
//! Source: pica-fragment.md section 8.

pub(crate) mod combiner;
pub(crate) mod fog;
pub(crate) mod lighting;
pub(crate) mod output;
pub(crate) mod proctex;

use crate::emit::block::Interpolants;
use crate::error::CompileError;
use combiner::CombinerKey;
use fog::FogKey;
use lighting::LightingKey;
use output::OutputKey;
use picaflor_pipeline::pica::regs::Registers;
use proctex::ProctexKey;

/// A state of the fragment pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FragmentKey {
    pub(crate) raster: RasterKey,
    pub(crate) combiners: CombinerKey,
    /// `None` when nothing reads it, or it is disabled and transparent black.
    pub(crate) proctex: Option<ProctexKey>,
    /// `None` when nothing reads it, or it is disabled.
    pub(crate) lighting: Option<LightingKey>,
    pub(crate) fog: FogKey,
    pub(crate) output: OutputKey,
}

/// What interpolation is specialised on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct RasterKey {
    /// Depth is multiplied by w.
    pub(crate) w_buffer: bool,
    /// The colour is the triangle's.
    pub(crate) flat_colour: bool,
}

impl FragmentKey {
    /// The key of a state.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state that compiled code does not know.
    pub(crate) fn of(registers: &Registers) -> Result<Self, CompileError> {
        let output = OutputKey::of(registers)?;
        let combiners = CombinerKey::of(registers)?;
        let lighting = LightingKey::of(registers, combiners.reads_lighting());
        let fog = FogKey::of(registers, output.needs_colour(), output.needs_colour());
        let reads_depth = output.reads_depth() || matches!(fog, FogKey::Fog { .. });
        let raster = RasterKey {
            w_buffer: !registers.depth_map().z_buffer() && reads_depth,
            flat_colour: registers.flat_colour().enable() && combiners.reads_vertex_colour(),
        };
        let mut key = Self { raster, combiners, proctex: None, lighting, fog, output };
        if key.reads_texture(3) {
            key.proctex = ProctexKey::of(registers);
        }
        Ok(key)
    }

    /// Whether the colour of a texture unit matters.
    pub(crate) fn reads_texture(&self, unit: usize) -> bool {
        self.combiners.reads_texture(unit)
            || self.lighting.is_some_and(|lighting| lighting.reads_texture(unit))
    }

    /// Whether the result of the combiners matters.
    pub(crate) fn needs_colour(&self) -> bool {
        self.output.needs_colour() || self.output.tests_alpha()
    }

    /// The attributes that its code interpolates.
    pub(crate) fn interpolants(&self) -> Interpolants {
        if !self.needs_colour() {
            return Interpolants::default();
        }
        let colour = self.combiners.reads_vertex_colour() && !self.raster.flat_colour;
        let colour = if colour { Interpolants::values(&[8, 9, 10, 11]) } else { Interpolants::default() };
        let proctex = self.proctex.map(|proctex| proctex.interpolants());
        let lighting = self.lighting.map(|lighting| lighting.interpolants());
        proctex.into_iter().chain(lighting).fold(colour, Interpolants::union)
    }
}

impl std::fmt::Display for FragmentKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { raster, combiners, proctex, lighting, fog, output } = self;
        let flag = |on: bool, letter: &'static str| if on { letter } else { "" };
        write!(f, "fs{}{}:{combiners}", flag(raster.w_buffer, "w"), flag(raster.flat_colour, "f"))?;
        if let Some(proctex) = proctex {
            write!(f, ":p{proctex}")?;
        }
        if let Some(lighting) = lighting {
            write!(f, ":l{lighting}")?;
        }
        write!(f, ":{fog}:{output}")
    }
}
