//! The GE's scenes in `picaflor demo`.

use super::diff::describe;
use super::{SCENE, scene_by_name};
use crate::cli::CliError;
use crate::cli::capture::write_into;
use crate::cli::table::{Table, thousands};
use crate::ge::engine;
use crate::ge::lockstep::{Findings, compare};
use crate::image::Image;
use indicatif::ProgressBar;
use picaflor_interp::Interpreter;
use picaflor_jit::Stats;
use picaflor_scenes::ge::Scene;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// A scene that was rendered.
pub(in crate::cli) struct Shown {
    scene: Scene,
    findings: Findings,
    /// What the engine did.
    work: Stats,
    picture: Image,
}

/// Those scenes of the GE that are asked for; all when nothing is.
pub(in crate::cli) fn chosen(only: &[String]) -> Result<Vec<Scene>, CliError> {
    if only.is_empty() {
        return Ok(Scene::all());
    }
    only.iter().filter_map(|name| name.strip_prefix(SCENE)).map(scene_by_name).collect()
}

/// Renders a scene on both engines and writes its picture.
pub(in crate::cli) fn show(folder: &Path, scene: Scene, bar: &ProgressBar) -> Result<Shown, CliError> {
    bar.set_message(scene.name);
    let fail = |why: String| CliError::new(format!("scene `{SCENE}{}`: {why}", scene.name));
    let mut engine = engine::compiled().map_err(CliError::new)?;
    let engines = [&mut Interpreter::new() as _, &mut engine as _];
    let findings = compare(&scene.capture(), engines, &|| bar.tick()).map_err(|why| fail(why.to_string()))?;
    let picture = findings.picture().cloned().ok_or_else(|| fail("nothing is shown".into()))?;
    write_into(folder, &file(scene), &picture.to_png())?;
    for (number, difference) in findings.differences.iter().enumerate() {
        if let Some(picture) = &difference.picture {
            let name = format!("ge-{}-difference-{number}.png", scene.name);
            write_into(folder, &name, &picture.side_by_side().to_png())?;
        }
    }
    bar.inc(1);
    Ok(Shown { scene, findings, work: engine.stats(), picture })
}

fn file(scene: Scene) -> String {
    format!("ge-{}.png", scene.name)
}

impl Shown {
    /// Its name and its picture.
    pub(in crate::cli) fn picture(&self) -> (String, &Image) {
        (format!("{SCENE}{}", self.scene.name), &self.picture)
    }

    /// Whether both engines agree.
    pub(in crate::cli) const fn is_same(&self) -> bool {
        self.findings.is_same()
    }

    pub(in crate::cli) fn as_json(&self) -> Value {
        let Findings { stats, bytes, times, differences, .. } = &self.findings;
        let seconds = times.map(|time| time.as_secs_f64());
        json!({
            "scene": format!("{SCENE}{}", self.scene.name),
            "about": self.scene.about,
            "machine": "GE",
            "picture": file(self.scene),
            "draws": stats.draws,
            "vertices": stats.vertices,
            "primitives": stats.primitives,
            "pixels": stats.covered,
            "bytes_compared": bytes,
            "engines": [
                { "engine": "interp", "seconds": seconds[0] },
                { "engine": "jit", "seconds": seconds[1], "compiled_draws": self.work.fragment_draws,
                  "refused": self.work.refusals },
            ],
            "same": self.is_same(),
            "differences": differences.iter().map(describe).collect::<Vec<_>>(),
        })
    }
}

/// A table of scenes, and under it what differs and what was not compiled.
pub(in crate::cli) fn as_text(shown: &[Shown]) -> String {
    let heading =
        ["scene", "draws", "vertices", "primitives", "pixels", "interp", "jit", "compiled", "verdict"];
    let mut table = Table::new(&heading);
    let mut details = String::new();
    for one @ Shown { scene, findings, work, .. } in shown {
        let name = format!("{SCENE}{}", scene.name);
        let stats = &findings.stats;
        let counts = [stats.draws, stats.vertices, stats.primitives, stats.covered].map(thousands);
        let times = findings.times.map(milliseconds);
        let verdict = if one.is_same() { "same" } else { "DIFFERS" };
        let compiled = work.fragment_draws.to_string();
        table.row([vec![name.clone()], counts.into(), times.into(), vec![compiled, verdict.into()]].concat());
        let refused = work.refusals.iter().map(|(why, count)| format!("not compiled {count} times: {why}"));
        let lines =
            findings.differences.iter().map(describe).chain(findings.notes.iter().cloned()).chain(refused);
        lines.for_each(|line| details += &format!("{name}: {line}\n"));
    }
    table.text(1) + &details
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
