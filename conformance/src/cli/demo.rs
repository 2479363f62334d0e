//! `picaflor demo`: the project's scenes on both engines, as pictures.

use super::cache::Cache;
use super::capture::{self, host_threads, parse_threads};
use super::diff;
use super::ge::demo::Shown as GeShown;
use super::pica::diff as pica;
use super::table::{Table, thousands};
use super::{CliError, ge, print};
use crate::image::{Image, contact_sheet};
use crate::pica::lockstep::{self, Comparison, Side};
use indicatif::ProgressBar;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Render the project's scenes on both engines, prove that they agree, and write the pictures.
///
/// Scenes of the PSP are those whose names begin with ge:; of them all VRAM is compared after every list.
/// The interpreter and compiled code run in lock step: registers, colour and depth buffers are compared after
/// every draw, fill and transfer, the screens after every frame, all memory at the end. What compiled code
/// left to the interpreter is listed. Times are those in the machine, compilation included.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: picaflor demo -o pictures")]
pub struct Args {
    /// Folder for the pictures, NAME.png or ge-NAME.png for each scene and contact-sheet.png
    #[arg(short, long, value_name = "DIR", default_value = "picaflor-demo")]
    out: PathBuf,
    /// Threads to draw on; as many as the host has processors unless given
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Only this scene, without the contact sheet; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    #[command(flatten)]
    cache: Cache,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Thumbnails on the contact sheet.
const COLUMNS: u32 = 6;
const CELL: (u32, u32) = (200, 120);

/// A scene that was rendered.
struct Shown {
    scene: Scene,
    comparison: Comparison,
    picture: Image,
}

/// Runs the subcommand; the exit code tells whether there was a difference.
///
/// # Errors
/// There is no such scene, compiled code cannot run on this host, a scene shows nothing, or a file cannot be
/// written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let (scenes, ge_scenes) = (chosen(&args.only)?, ge::demo::chosen(&args.only)?);
    capture::make_folder(&args.out)?;
    let bar = diff::progress_bar((scenes.len() + ge_scenes.len()) as u64, "");
    let shown = scenes.into_iter().map(|scene| show(args, scene, &bar)).collect::<Result<Vec<_>, _>>()?;
    let ge_scenes = ge_scenes.into_iter().map(|scene| ge::demo::show(&args.out, scene, &bar));
    let ge_shown = ge_scenes.collect::<Result<Vec<_>, _>>()?;
    bar.finish_and_clear();
    if args.only.is_empty() {
        write_sheet(&args.out, &shown, &ge_shown)?;
    }
    let cache = args.cache.report(shown.iter().map(|shown| shown.comparison.candidate.disk));
    let is_same =
        shown.iter().all(|shown| shown.comparison.is_same()) && ge_shown.iter().all(GeShown::is_same);
    print(&match args.json {
        true => format!("{:#}\n", as_json(is_same, &shown, &ge_shown)),
        false => as_text(&shown, &ge_shown, &args.out) + &cache,
    })?;
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(only: &[String]) -> Result<Vec<Scene>, CliError> {
    if only.is_empty() {
        return Ok(Scene::all());
    }
    only.iter().filter(|name| !ge::is_ge(name)).map(|name| capture::scene_by_name(name)).collect()
}

/// Renders a scene and writes its picture.
fn show(args: &Args, scene: Scene, bar: &ProgressBar) -> Result<Shown, CliError> {
    bar.set_message(scene.name);
    let threads = args.threads.unwrap_or_else(host_threads);
    let recording = scene.capture(Precision::Console);
    let fail = |why: String| CliError::new(format!("scene `{}`: {why}", scene.name));
    let (engines, cache) = (["interp", "jit"], args.cache.folder.as_deref());
    let comparison = lockstep::compare_cached(&recording, engines, cache, threads, &|| bar.tick())
        .map_err(|why| fail(why.to_string()))?;
    let picture = comparison.candidate.picture.clone();
    let picture = picture.ok_or_else(|| fail("no screen is in use".into()))?;
    capture::write_into(&args.out, &format!("{}.png", scene.name), &picture.to_png())?;
    let differences = comparison.findings.differences.iter();
    let pictures = differences.filter_map(|difference| difference.picture.as_ref()).collect();
    diff::write_differences(&args.out, scene.name, pictures)?;
    bar.inc(1);
    Ok(Shown { scene, comparison, picture })
}

fn write_sheet(folder: &Path, shown: &[Shown], ge_shown: &[GeShown]) -> Result<(), CliError> {
    let pictures: Vec<(String, &Image)> = shown
        .iter()
        .map(|shown| (shown.scene.name.to_owned(), &shown.picture))
        .chain(ge_shown.iter().map(GeShown::picture))
        .collect();
    let pictures: Vec<(&str, &Image)> =
        pictures.iter().map(|(name, picture)| (name.as_str(), *picture)).collect();
    capture::write_into(folder, "contact-sheet.png", &contact_sheet(&pictures, COLUMNS, CELL).to_png())
}

fn as_text(shown: &[Shown], ge_shown: &[GeShown], folder: &Path) -> String {
    let tables = [(shown.is_empty(), table(shown)), (ge_shown.is_empty(), ge::demo::as_text(ge_shown))];
    let text: Vec<String> =
        tables.into_iter().filter(|(is_empty, _)| !is_empty).map(|(_, text)| text).collect();
    format!("{}pictures in {}\n", text.join("\n"), folder.display())
}

fn table(shown: &[Shown]) -> String {
    let heading =
        ["scene", "draws", "vertices", "triangles", "fragments", "interp", "jit", "compiled", "verdict"];
    let mut table = Table::new(&heading);
    let mut details = String::new();
    for Shown { scene, comparison, .. } in shown {
        let Comparison { reference, candidate, .. } = comparison;
        let stats = &candidate.stats;
        let counts = [stats.draws, stats.vertices, stats.triangles, stats.fragments].map(thousands);
        let mut row = vec![scene.name.to_owned()];
        row.extend(counts);
        row.extend([milliseconds(reference), milliseconds(candidate), pica::compiled(candidate)]);
        row.push(pica::verdict_on(comparison));
        table.row(row);
        let lines = pica::lines(comparison);
        details += &lines.iter().map(|line| format!("{}: {line}\n", scene.name)).collect::<String>();
    }
    table.text(1) + &details
}

fn milliseconds(side: &Side) -> String {
    format!("{:.1} ms", side.time.as_secs_f64() * 1e3)
}

fn as_json(is_same: bool, shown: &[Shown], ge_shown: &[GeShown]) -> Value {
    let scene = |Shown { scene, comparison, .. }: &Shown| {
        let stats = &comparison.candidate.stats;
        json!({
            "scene": scene.name,
            "about": scene.about,
            "picture": format!("{}.png", scene.name),
            "draws": stats.draws,
            "vertices": stats.vertices,
            "triangles": stats.triangles,
            "fragments": stats.fragments,
            "surfaces_compared": comparison.findings.surfaces,
            "bytes_compared": comparison.findings.bytes,
            "engines": [pica::side_as_json(&comparison.reference), pica::side_as_json(&comparison.candidate)],
            "same": comparison.is_same(),
            "differences": pica::differences_as_json(comparison),
        })
    };
    let scenes: Vec<Value> = shown.iter().map(scene).chain(ge_shown.iter().map(GeShown::as_json)).collect();
    json!({ "same": is_same, "scenes": scenes })
}
