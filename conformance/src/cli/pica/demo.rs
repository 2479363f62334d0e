//! The PICA200's scenes in `picaflor demo`.

use super::diff as pica;
use crate::cli::CliError;
use crate::cli::demo::{Args, Shown, milliseconds};
use crate::cli::table::thousands;
use crate::image::{Image, Panels};
use crate::machine::{Machine as _, Reading, SceneName};
use crate::pica::Pica;
use crate::pica::lockstep::{self, Comparison};
use indicatif::ProgressBar;
use picaflor_jit::DiskStats;
use serde_json::{Value, json};

/// Draws a scene on both engines.
pub(super) fn shown(args: &Args, scene: SceneName, bar: &ProgressBar) -> Result<Box<dyn Shown>, CliError> {
    let capture = Pica::scene(scene.name, Reading::default());
    let capture = capture.ok_or_else(|| CliError::new(Pica::no_scene(scene.name)))?;
    let (engines, cache) = (["interp", "jit"], args.cache.folder.as_deref());
    let comparison = lockstep::compare_cached(&capture, engines, cache, args.threads(), &|| bar.tick());
    let fail = |why| CliError::new(format!("scene `{}`: {why}", scene.name));
    Ok(Box::new(comparison.map_err(fail)?))
}

impl Shown for Comparison {
    fn is_same(&self) -> bool {
        self.is_same()
    }

    fn picture(&self) -> Option<&Image> {
        self.candidate.picture.as_ref()
    }

    fn differences(&self) -> Vec<&Panels> {
        self.findings.differences.iter().filter_map(|difference| difference.picture.as_ref()).collect()
    }

    fn disk(&self) -> DiskStats {
        self.candidate.disk
    }

    fn cells(&self) -> Vec<String> {
        let Comparison { reference, candidate, .. } = self;
        let stats = &candidate.stats;
        let counts = [stats.draws, stats.vertices, stats.triangles, stats.fragments].map(thousands);
        let times = [reference, candidate].map(|side| milliseconds(side.time));
        [counts.to_vec(), times.into(), vec![pica::compiled(candidate), pica::verdict_on(self)]].concat()
    }

    fn lines(&self) -> Vec<String> {
        pica::lines(self)
    }

    fn as_json(&self, picture: &str) -> Value {
        let stats = &self.candidate.stats;
        json!({
            "picture": picture,
            "draws": stats.draws,
            "vertices": stats.vertices,
            "triangles": stats.triangles,
            "fragments": stats.fragments,
            "surfaces_compared": self.findings.surfaces,
            "bytes_compared": self.findings.bytes,
            "engines": [pica::side_as_json(&self.reference), pica::side_as_json(&self.candidate)],
            "same": self.is_same(),
            "differences": pica::differences_as_json(self),
        })
    }
}
