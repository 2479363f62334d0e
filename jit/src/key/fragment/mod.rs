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

use crate::emit::block::Interpolants;
use crate::error::CompileError;
use combiner::CombinerKey;
use output::OutputKey;
use picaflor_pipeline::pica::regs::Registers;

/// A state of the fragment pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FragmentKey {
    pub(crate) raster: RasterKey,
    pub(crate) combiners: CombinerKey,
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
        let raster = RasterKey {
            w_buffer: !registers.depth_map().z_buffer() && output.reads_depth(),
            flat_colour: registers.flat_colour().enable() && combiners.reads_vertex_colour(),
        };
        Ok(Self { raster, combiners, output })
    }

    /// Whether the result of the combiners matters.
    pub(crate) fn needs_colour(&self) -> bool {
        self.output.needs_colour() || self.output.tests_alpha()
    }

    /// The attributes that its code interpolates.
    pub(crate) fn interpolants(&self) -> Interpolants {
        let colour = self.combiners.reads_vertex_colour() && !self.raster.flat_colour;
        if colour && self.needs_colour() {
            Interpolants::values(&[8, 9, 10, 11])
        } else {
            Interpolants::default()
        }
    }
}

impl std::fmt::Display for FragmentKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { raster, combiners, output } = self;
        write!(
            f,
            "fs{}{}:{combiners}:{output}",
            if raster.w_buffer { "w" } else { "" },
            if raster.flat_colour { "f" } else { "" }
        )
    }
}
