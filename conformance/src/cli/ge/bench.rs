//! `picaflor bench` of a capture of the GE.

use super::{Named, load};
use crate::cli::CliError;
use crate::cli::bench::Subject;
use crate::ge::replay::frames;
use crate::pica::replay::ReplayError;
use crate::timing::{FirstFrames, Timing, ge};
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::capture::ppdmp::Lists;
use picaflor_pipeline::ge::stats::Stats;

/// A capture that is measured.
pub(in crate::cli) struct Measured(Named);

impl Measured {
    /// The capture of a file or scene.
    pub(in crate::cli) fn load(source: &str) -> Result<Self, CliError> {
        load(source, Lists::Long).map(Self)
    }
}

impl Subject for Measured {
    type Stats = Stats;

    fn name(&self) -> &str {
        &self.0.name
    }

    fn kind(&self) -> (&'static str, &'static str) {
        ("machine", "GE")
    }

    fn nouns(&self) -> [&'static str; 2] {
        ["primitives", "pixels"]
    }

    fn frames(&self) -> usize {
        frames(&self.0.capture)
    }

    fn replay(&self, engine: Option<&mut Engine>, threads: usize) -> Result<Timing<Stats>, ReplayError> {
        Ok(match engine {
            Some(engine) => ge::replay(&self.0.capture, engine, threads)?,
            None => ge::replay(&self.0.capture, &mut Interpreter::new(), threads)?,
        })
    }

    fn first_frames(&self, threads: usize) -> Result<FirstFrames, ReplayError> {
        ge::first_frames(&self.0.capture, threads)
    }
}
