//! `picaflor demo`: the project's scenes on both engines, as pictures.

use super::cache::Cache;
use super::capture::{self, SCENE, host_threads, parse_threads};
use super::diff::{self, compared};
use super::machine::{AnyMachine, Commands};
use super::table::{Table, thousands};
use super::{CliError, plain_name, print};
use crate::image::{Image, Panels, contact_sheet};
use crate::lockstep::{Comparison, Options, compare_two};
use crate::machine::{Counters as _, Machine, Reading, SceneName};
use crate::machines::MACHINES;
use crate::replay::ReplayError;
use crate::setup::Setup;
use indicatif::ProgressBar;
use picaflor_jit::DiskStats;
use picaflor_pipeline::capture::CaptureError;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Render the project's scenes on both engines, compare the engines, and write the pictures.
///
/// Scenes of the PSP have names that begin with ge:; in these, all of VRAM is compared after every list. The
/// interpreter and compiled code run in lock step: registers, colour and depth buffers are compared after every draw,
/// fill and transfer, the screens after every frame, all memory at the end. Work that compiled code left to the
/// interpreter is listed. Times are those in the machine: `jit` of compiled
/// code that is there already, `first` with the time of the compiler.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: picaflor demo -o pictures")]
pub struct Args {
    /// Folder for the pictures, NAME.png or ge-NAME.png for each scene and contact-sheet.png
    #[arg(short, long, value_name = "DIR", default_value = "picaflor-demo")]
    pub(super) out: PathBuf,
    /// Threads to draw on; default: the number of processors
    #[arg(long, value_parser = parse_threads)]
    pub(super) threads: Option<usize>,
    /// Only this scene, without the contact sheet; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    #[command(flatten)]
    pub(super) cache: Cache,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Thumbnails on the contact sheet.
const COLUMNS: u32 = 6;
const CELL: (u32, u32) = (200, 120);

/// A scene that was rendered, of whichever machine.
pub(crate) trait Shown {
    /// True if both engines agree.
    fn is_same(&self) -> bool;

    /// Times in the machine: of compiled code, of the interpreter, and of compiled code the first time, compilation
    /// included.
    fn times(&self) -> [Duration; 3];

    /// The picture on the screens at the end.
    fn picture(&self) -> Option<&Image>;

    /// Pictures of differences.
    fn differences(&self) -> Vec<&Panels>;

    /// The candidate's counters of the disk cache.
    fn disk(&self) -> DiskStats;

    /// Its row of times, behind its name.
    fn time_cells(&self) -> Vec<String>;

    /// Its row of counts, behind its name.
    fn count_cells(&self) -> Vec<String>;

    /// Differences and notes, line by line.
    fn lines(&self) -> Vec<String>;

    /// The JSON object of `--json`; it begins with the name and the picture.
    fn as_json(&self, picture: &str) -> Value;
}

/// A rendered scene of one machine.
struct Drawn<M: Machine> {
    comparison: Comparison<M>,
    /// Time of compiled code in the machine once it is compiled.
    warm: Duration,
}

/// Draws a scene on both engines.
pub(super) fn draw<M: Commands>(
    args: &Args,
    scene: SceneName,
    bar: &ProgressBar,
) -> Result<Box<dyn Shown>, CliError> {
    let capture = M::scene(scene.name, Reading::default());
    let capture = capture.ok_or_else(|| CliError::new(M::no_scene(scene.name)))?;
    let setup = Setup { cache: args.cache.folder.as_deref(), ..Setup::default() };
    let options = Options { setup, threads: args.threads(), ..Options::default() };
    let fail = |why: ReplayError| CliError::new(format!("scene `{}{}`: {why}", M::PREFIX, scene.name));
    let sound = Setup { cache: setup.cache, ..Setup::default() };
    let mut reference = M::engine("interp", sound).map_err(fail)?;
    let mut candidate = M::engine("jit", options.setup).map_err(fail)?;
    let comparison =
        compare_two::<M>([&capture; 2], [&mut reference, &mut candidate], options, &|| bar.tick());
    let comparison = comparison.map_err(fail)?;
    let warm = warm::<M>(&capture, &mut candidate, options.threads).map_err(|why| fail(why.into()))?;
    Ok(Box::new(Drawn { comparison, warm }))
}

/// Time in the machine of a replay with an engine that has played the capture before.
fn warm<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Engine,
    threads: usize,
) -> Result<Duration, CaptureError> {
    let mut player = M::player(capture)?;
    M::set_threads(&mut player, threads);
    let start = Instant::now();
    while M::step(&mut player, M::stages(engine)).is_some() {}
    Ok(start.elapsed())
}

impl<M: Commands> Shown for Drawn<M> {
    fn is_same(&self) -> bool {
        self.comparison.is_same()
    }

    fn times(&self) -> [Duration; 3] {
        [self.warm, self.comparison.reference.time, self.comparison.candidate.time]
    }

    fn picture(&self) -> Option<&Image> {
        self.comparison.candidate.picture.as_ref()
    }

    fn differences(&self) -> Vec<&Panels> {
        compared::pictures(&self.comparison)
    }

    fn disk(&self) -> DiskStats {
        self.comparison.candidate.disk
    }

    fn time_cells(&self) -> Vec<String> {
        let times = self.times().map(milliseconds);
        let compiled = M::compiled_in_demo(&self.comparison.candidate.work);
        let verdict = compared::verdict(compared::differing(&self.comparison), 0);
        [times.into(), vec![compiled, verdict]].concat()
    }

    fn count_cells(&self) -> Vec<String> {
        self.comparison.candidate.stats.counts().map(thousands).into()
    }

    fn lines(&self) -> Vec<String> {
        M::lines_in_demo(&self.comparison)
    }

    fn as_json(&self, picture: &str) -> Value {
        let mut value = M::demo_as_json(&self.comparison, picture);
        value["warm_seconds"] = self.warm.as_secs_f64().into();
        value
    }
}

/// The scenes of a machine that were rendered.
struct Gallery {
    machine: &'static dyn AnyMachine,
    scenes: Vec<(SceneName, Box<dyn Shown>)>,
}

/// Runs the subcommand; the exit code is 1 if there was a difference.
///
/// # Errors
/// There is no such scene, compiled code cannot run on this host, a scene shows nothing, or a file cannot be
/// written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let chosen = MACHINES.map(|machine| Ok((machine, chosen(machine, &args.only)?)));
    let chosen = chosen.into_iter().collect::<Result<Vec<_>, CliError>>()?;
    capture::make_folder(&args.out)?;
    let count: usize = chosen.iter().map(|(_, scenes)| scenes.len()).sum();
    let bar = diff::progress_bar(count as u64, "");
    let galleries = chosen.into_iter().map(|(machine, scenes)| gallery(args, machine, scenes, &bar));
    let galleries = galleries.collect::<Result<Vec<_>, _>>()?;
    bar.finish_and_clear();
    if args.only.is_empty() {
        write_sheet(&args.out, &galleries)?;
    }
    let all = || galleries.iter().flat_map(|gallery| &gallery.scenes).map(|(_, shown)| shown);
    let cache = args.cache.report(all().map(|shown| shown.disk()));
    let is_same = all().all(|shown| shown.is_same());
    print(&match args.json {
        true => format!("{:#}\n", as_json(is_same, &galleries)),
        false => as_text(&galleries, &args.out) + &cache,
    })?;
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The requested scenes of a machine; all if none is requested.
fn chosen(machine: &dyn AnyMachine, only: &[String]) -> Result<Vec<SceneName>, CliError> {
    let scenes = machine.scenes();
    if only.is_empty() {
        return Ok(scenes);
    }
    let scene = |name| scenes.iter().find(|scene| scene.name == name).copied();
    let found = |name| scene(name).ok_or_else(|| CliError::new(machine.no_scene(name)));
    only.iter().filter_map(|name| name_within(machine, name)).map(found).collect()
}

/// The name of a scene without the machine's prefix; `None` if it is not one of this machine.
fn name_within<'n>(machine: &dyn AnyMachine, name: &'n str) -> Option<&'n str> {
    if !machine.prefix().is_empty() {
        return name.strip_prefix(machine.prefix());
    }
    let is_other = |other: &&dyn AnyMachine| !other.prefix().is_empty() && name.starts_with(other.prefix());
    (!MACHINES.iter().any(is_other)).then(|| name.strip_prefix(SCENE).unwrap_or(name))
}

fn gallery(
    args: &Args,
    machine: &'static dyn AnyMachine,
    scenes: Vec<SceneName>,
    bar: &ProgressBar,
) -> Result<Gallery, CliError> {
    let shown = |scene| Ok((scene, show(args, machine, scene, bar)?));
    Ok(Gallery { machine, scenes: scenes.into_iter().map(shown).collect::<Result<_, CliError>>()? })
}

/// Renders a scene and writes its picture.
fn show(
    args: &Args,
    machine: &dyn AnyMachine,
    scene: SceneName,
    bar: &ProgressBar,
) -> Result<Box<dyn Shown>, CliError> {
    bar.set_message(scene.name);
    let shown = machine.shown(args, scene, bar)?;
    let name = full_name(machine, scene);
    let nothing = || CliError::new(format!("scene `{name}` {}", machine.nothing()));
    let picture = shown.picture().ok_or_else(nothing)?;
    let stem = stem(machine, scene);
    capture::write_into(&args.out, &format!("{stem}.png"), &picture.to_png())?;
    diff::write_differences(&args.out, &stem, shown.differences())?;
    bar.inc(1);
    Ok(shown)
}

/// The name of a scene with the machine's prefix.
fn full_name(machine: &dyn AnyMachine, scene: SceneName) -> String {
    format!("{}{}", machine.prefix(), scene.name)
}

/// The prefix in a file name.
fn stem(machine: &dyn AnyMachine, scene: SceneName) -> String {
    full_name(machine, scene).replace(':', "-")
}

fn write_sheet(folder: &Path, galleries: &[Gallery]) -> Result<(), CliError> {
    let mut pictures: Vec<(String, &Image)> = Vec::new();
    for Gallery { machine, scenes } in galleries {
        let named =
            scenes.iter().filter_map(|(scene, shown)| Some((full_name(*machine, *scene), shown.picture()?)));
        pictures.extend(named);
    }
    let pictures: Vec<(&str, &Image)> =
        pictures.iter().map(|(name, picture)| (name.as_str(), *picture)).collect();
    capture::write_into(folder, "contact-sheet.png", &contact_sheet(&pictures, COLUMNS, CELL).to_png())
}

fn as_text(galleries: &[Gallery], folder: &Path) -> String {
    let shown = galleries.iter().filter(|gallery| !gallery.scenes.is_empty());
    let text: Vec<String> = shown.map(Gallery::as_text).collect();
    format!("{}pictures in {}\n", text.join("\n"), plain_name(folder))
}

impl Gallery {
    /// The scenes' times and, as one table is too wide for 80 columns, their counts; then differences and work that was
    /// not compiled.
    fn as_text(&self) -> String {
        let [primitives, fragments] = self.machine.nouns();
        let mut counts = Table::new(&["scene", "draws", "vertices", primitives, fragments]);
        let mut times = Table::new(&["scene", "jit", "interp", "first", "compiled", "verdict"]);
        let mut details = String::new();
        for (scene, shown) in &self.scenes {
            let name = full_name(self.machine, *scene);
            details += &shown.lines().iter().map(|line| format!("{name}: {line}\n")).collect::<String>();
            times.row([vec![name.clone()], shown.time_cells()].concat());
            counts.row([vec![name], shown.count_cells()].concat());
        }
        format!("{}{}\n{}{details}", times.text(1), self.total(), counts.text(1))
    }

    /// The times of all scenes in a line.
    fn total(&self) -> String {
        let sum = |n: usize| self.scenes.iter().map(|(_, shown)| shown.times()[n]).sum::<Duration>();
        let [warm, interpreted, first] = [0, 1, 2].map(sum);
        let factor = interpreted.as_secs_f64() / warm.as_secs_f64().max(f64::MIN_POSITIVE);
        let title = self.machine.title();
        let [warm, interpreted, first] = [warm, interpreted, first].map(milliseconds);
        format!(
            "{title}: compiled {warm}, interpreted {interpreted}: {factor:.1} times as long;\n\
             {}compiled the first time, with the time of the compiler, {first}\n",
            " ".repeat(title.len() + 2),
        )
    }
}

fn as_json(is_same: bool, galleries: &[Gallery]) -> Value {
    let of_scene = |machine: &dyn AnyMachine, scene: SceneName, shown: &dyn Shown| {
        let mut value = json!({ "scene": full_name(machine, scene), "about": scene.about });
        let rest = shown.as_json(&format!("{}.png", stem(machine, scene)));
        if let (Some(all), Value::Object(rest)) = (value.as_object_mut(), rest) {
            all.extend(rest);
        }
        value
    };
    let of_machine = |gallery: &Gallery| {
        let scenes = gallery.scenes.iter();
        scenes.map(|(scene, shown)| of_scene(gallery.machine, *scene, shown.as_ref())).collect::<Vec<_>>()
    };
    json!({ "same": is_same, "scenes": galleries.iter().flat_map(of_machine).collect::<Vec<_>>() })
}

/// A time, in milliseconds.
fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

impl Args {
    /// Threads to draw on.
    pub(super) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(host_threads)
    }
}
