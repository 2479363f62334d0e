//! `picaflor draws`: the draws, fills and transfers of a capture.

use super::maps::{self, MapKind};
use super::{How, draws, number, print_json, wrapped};
use crate::cli::source::Source;
use crate::cli::{CliError, print, write_atomic};
use crate::inspect::page::{checksum, rectangle};
use crate::inspect::{Action, Cost, Inspector, Kind, Rejections};
use crate::suggest::did_you_mean;
use clap::ArgGroup;
use picaflor_pipeline::rect::Rect;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

/// Numbers of registers whose names are looked at for a suggestion.
const REGISTERS: u32 = 1024;
/// Columns of the text.
const COLUMNS: usize = 80;

/// List the draws, fills and transfers of a capture, or those that a question asks for.
///
/// Draws are numbered from 0. Counts are vertices, primitives that are drawn, and covered pixels. With --changes the
/// registers that changed since the action before are shown by name. --empty shows the draws that stored nothing, and
/// why: how many vertices, primitives and fragments there were, and the tests that rejected them.
///
/// --cost and --slowest show the time of each draw in compiled code and in the interpreter. The capture is played again
/// for that: three times with compiled code that is warm, of which the shortest time counts, and once with the
/// interpreter, which takes seconds for a large frame. A time begins where the action or the list before ends.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("filters").multiple(true), group = ArgGroup::new("told").multiple(true))]
#[command(after_help = "Examples:
  picaflor draws scene:transforms
  picaflor draws game.ctf --changes --only 586..588
  picaflor draws game.ppdmp --texture 0x08a00000
  picaflor draws game.ctf --register texunit0_addr1=0x3000
  picaflor draws game.ctf --touching 100,20,108,28
  picaflor draws game.ctf --empty
  picaflor draws game.ctf --differ 586 587
  picaflor draws game.ctf --slowest 10
  picaflor draws game.ctf --same-state 586
  picaflor draws game.ctf --map coverage map.png")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME; - for standard input
    capture: Source,
    /// Only these draws, and no fills and transfers: A..B
    #[arg(long, value_name = "DRAWS", value_parser = draws)]
    only: Option<Range<u64>>,
    /// Show the registers that changed since the action before
    #[arg(long, group = "told")]
    changes: bool,
    /// Only draws with a texture at this address
    #[arg(long, value_name = "ADDRESS", value_parser = number, group = "filters")]
    texture: Option<u32>,
    /// Only draws with the program of this checksum
    #[arg(long, value_name = "SUM", value_parser = checksum, group = "filters")]
    program: Option<u32>,
    /// Only draws in whose state the register has this value
    #[arg(long, value_name = "NAME=VALUE", value_parser = register, group = "filters")]
    register: Option<(String, u32)>,
    /// Only draws that cover a pixel of this rectangle of their buffer: columns x0 to x1, rows y0 to y1, ends excluded
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = rectangle, group = "filters")]
    touching: Option<Rect>,
    /// Only draws that stored nothing, and why
    #[arg(long, group = "filters")]
    empty: bool,
    /// Only draws in the state of this one: their registers that have an effect, and their program, are equal
    #[arg(long, value_name = "DRAW", group = "filters")]
    same_state: Option<u64>,
    /// Show the time of each draw in compiled code and in the interpreter
    #[arg(long, group = "told")]
    cost: bool,
    /// Only this many draws, those that take the most time, and their times
    #[arg(long, value_name = "N", group = "filters")]
    slowest: Option<usize>,
    /// The registers that differ between two draws
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["only", "map", "filters", "told"])]
    differ: Option<Vec<u64>>,
    /// Write a map of a buffer: overdraw (how often a pixel was covered), cost (the time of draws, spread over the pixels
    /// that they covered) or coverage (never covered, covered but never stored, partly or always stored); of all draws, or
    /// those of --only
    #[arg(long, num_args = 2, value_names = ["KIND", "OUT.png"], conflicts_with_all = ["filters", "told"])]
    map: Option<Vec<String>>,
    /// The buffer of the map; that with the most fragments unless given
    #[arg(long, value_name = "ADDRESS", value_parser = number, requires = "map")]
    buffer: Option<u32>,
    #[command(flatten)]
    how: How,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or played, or has no such draw.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let map = args.map.as_deref().map(|words| kind_and_file(words, args.how.json)).transpose()?;
    let mut inspector = args.how.open(&args.capture)?;
    let inspector = inspector.as_mut();
    if let Some([a, b]) = args.differ.as_deref() {
        differ(inspector, [*a, *b], args.how.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((kind, path)) = map {
        write_map(inspector, args, kind, path)?;
        return Ok(ExitCode::SUCCESS);
    }
    let fates = if args.empty { Some(empty(inspector)?) } else { None };
    let mut wanted = wanted(inspector, args)?;
    if let Some((empty, _)) = &fates {
        wanted.get_or_insert_with(|| empty.clone()).retain(|draw| empty.contains(draw));
    }
    let mut actions = inspector.actions().map_err(CliError::new)?.to_vec();
    if let Some(wanted) = &wanted {
        actions.retain(|action| action.draw.is_some_and(|draw| wanted.contains(&draw)));
    }
    let mut told = Told { fates: fates.map(|(_, fates)| fates), ..Told::default() };
    if args.cost || args.slowest.is_some() {
        let end = actions.iter().filter_map(|action| action.draw).max().map_or(0, |last| last + 1);
        told.costs = Some(inspector.costs(end).map_err(CliError::new)?.to_vec());
    }
    if let Some(count) = args.slowest {
        actions.retain(|action| action.draw.is_some());
        actions.sort_by_key(|action| std::cmp::Reverse(told.cost(action).map(Cost::nanoseconds)));
        actions.truncate(count);
    }
    if args.how.json || args.same_state.is_some() {
        told.states = Some(inspector.same_states().map_err(CliError::new)?);
    }
    show(inspector, args, &actions, &told)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses draws that begin behind the last one.
fn exist(inspector: &mut dyn Inspector, draws: &Range<u64>) -> Result<(), CliError> {
    let actions = inspector.actions().map_err(CliError::new)?;
    if actions.iter().any(|action| action.draw == Some(draws.start)) {
        return Ok(());
    }
    is_there(inspector, draws.start)
}

fn is_there(inspector: &mut dyn Inspector, draw: u64) -> Result<(), CliError> {
    // It says that there is no such draw.
    inspector.state(draw).map(|_| ()).map_err(CliError::new)
}

/// The draws that every filter keeps; `None` without a filter.
fn wanted(inspector: &mut dyn Inspector, args: &Args) -> Result<Option<BTreeSet<u64>>, CliError> {
    let mut kept: Option<BTreeSet<u64>> = None;
    let mut keep = |draws: BTreeSet<u64>| match &mut kept {
        Some(kept) => kept.retain(|draw| draws.contains(draw)),
        None => kept = Some(draws),
    };
    if let Some(rectangle) = args.touching {
        keep(inspector.touching(rectangle).map_err(CliError::new)?.into_iter().collect());
    }
    if let Some((name, value)) = &args.register {
        let number = register_number(inspector, name)?;
        keep(inspector.with_register(number, *value).map_err(CliError::new)?.into_iter().collect());
    }
    if let Some(draw) = args.same_state {
        keep(same_state(inspector, draw)?);
    }
    if let Some(only) = &args.only {
        exist(inspector, only)?;
    }
    let actions = inspector.actions().map_err(CliError::new)?;
    let mut filter = |is_kept: &dyn Fn(&Action) -> bool| {
        keep(actions.iter().filter(|action| is_kept(action)).filter_map(|action| action.draw).collect());
    };
    if let Some(only) = &args.only {
        filter(&|action| action.draw.is_some_and(|draw| only.contains(&draw)));
    }
    if let Some(address) = args.texture {
        filter(&|action| action.textures.iter().any(|texture| texture.address == address));
    }
    if let Some(sum) = args.program {
        filter(&|action| action.program == Some(sum));
    }
    Ok(kept)
}

/// `NAME=VALUE`.
fn register(text: &str) -> Result<(String, u32), String> {
    let (name, value) = text.split_once('=').ok_or("a register and its value are NAME=VALUE")?;
    Ok((name.into(), number(value)?))
}

fn register_number(inspector: &dyn Inspector, name: &str) -> Result<u32, CliError> {
    let missing = || {
        let names: Vec<String> = (0..REGISTERS).map(|number| inspector.register(number)).collect();
        let near = did_you_mean(name, names.iter().map(String::as_str));
        CliError::new(format!("there is no register `{name}`{near}"))
    };
    inspector.register_number(name).ok_or_else(missing)
}

/// Draws that stored nothing, and the fates of all.
type Empty = (BTreeSet<u64>, BTreeMap<u64, Rejections>);

fn empty(inspector: &mut dyn Inspector) -> Result<Empty, CliError> {
    let maps = inspector.maps(0..u64::MAX, false).map_err(CliError::new)?;
    let all = inspector.actions().map_err(CliError::new)?.iter().filter_map(|action| action.draw);
    Ok((all.filter(|&draw| maps.is_empty(draw)).collect(), maps.draws))
}

/// The draws in the state of a draw.
fn same_state(inspector: &mut dyn Inspector, draw: u64) -> Result<BTreeSet<u64>, CliError> {
    is_there(inspector, draw)?;
    let firsts = inspector.same_states().map_err(CliError::new)?;
    let wanted = firsts.get(draw as usize).copied();
    Ok((0..).zip(firsts).filter(|&(_, first)| Some(first) == wanted).map(|(draw, _)| draw).collect())
}

/// Kind and file of a map.
fn kind_and_file(words: &[String], json: bool) -> Result<(MapKind, &Path), CliError> {
    let [kind, path] = words else { return Err(CliError::usage("a map is KIND OUT.png")) };
    if json && path == "-" {
        return Err(CliError::usage("a map to standard output leaves no place for --json"));
    }
    Ok((MapKind::of(kind)?, Path::new(path)))
}

fn write_map(inspector: &mut dyn Inspector, args: &Args, kind: MapKind, path: &Path) -> Result<(), CliError> {
    args.only.as_ref().map_or(Ok(()), |only| exist(inspector, only))?;
    let draws = args.only.clone().unwrap_or(0..u64::MAX);
    let maps = inspector.maps(draws, kind == MapKind::Cost).map_err(CliError::new)?;
    let map =
        maps.of(args.buffer).ok_or_else(|| CliError::new("no draw has covered a pixel of such a buffer"))?;
    write_atomic(path, &maps::picture(map, kind).to_png())?;
    if args.how.json {
        return print_json(&map.as_json());
    }
    // Standard output is the picture.
    if path.as_os_str() == "-" { Ok(()) } else { print(&maps::legend(map, kind)) }
}

/// What is told of draws beside their actions.
#[derive(Default)]
struct Told {
    fates: Option<BTreeMap<u64, Rejections>>,
    costs: Option<Vec<Cost>>,
    states: Option<Vec<u64>>,
}

impl Told {
    fn fates(&self, action: &Action) -> Option<Rejections> {
        Some(self.fates.as_ref()?.get(&action.draw?).cloned().unwrap_or_default())
    }

    fn cost(&self, action: &Action) -> Option<Cost> {
        self.costs.as_ref()?.get(action.draw? as usize).copied()
    }

    /// The first draw in the state of this one.
    fn first(&self, action: &Action) -> Option<u64> {
        self.states.as_ref()?.get(action.draw? as usize).copied()
    }
}

fn show(inspector: &mut dyn Inspector, args: &Args, actions: &[Action], told: &Told) -> Result<(), CliError> {
    let (title, frames) = (inspector.title(), inspector.frames());
    let names = |number: u32| inspector.register(number);
    if args.how.json {
        let item = |action: &Action| {
            let mut item = action.as_json();
            item["changed"] = changes(action, &names).into_iter().map(|text| json!(text)).collect();
            if let Some(fates) = told.fates(action) {
                item["fates"] = fates.as_json();
            }
            if let Some(cost) = told.cost(action) {
                item["cost"] = cost.as_json();
            }
            if let Some(first) = told.first(action) {
                item["first_in_state"] = json!(first);
            }
            item
        };
        let items: Vec<Value> = actions.iter().map(item).collect();
        let notes = inspector.notes().map_err(CliError::new)?.to_vec();
        return print_json(&json!({
            "capture": args.capture,
            "machine": title,
            "frames": frames,
            "actions": items,
            "notes": notes,
        }));
    }
    let plural = if frames == 1 { "" } else { "s" };
    let mut text = format!("{}: {title}, {frames} frame{plural}\n", args.capture);
    text += if told.costs.is_some() { COST_HEAD } else { "    draw vertices  drawn    pixels  what\n" };
    for action in actions {
        text += &line(action, told.cost(action));
        if let Some(fates) = told.fates(action) {
            text += &format!("{:38}{}\n", "", wrapped(&why_empty(action, &fates), 38, COLUMNS));
        }
        if args.changes {
            for change in changes(action, &names) {
                text += &format!("          {}\n", wrapped(&change, 12, COLUMNS));
            }
        }
    }
    if let Some(costs) = &told.costs {
        text += &sums(costs);
    }
    for note in inspector.notes().map_err(CliError::new)? {
        text += &format!("{}\n", wrapped(note, 2, COLUMNS));
    }
    print(&text)
}

/// The columns of draws with times.
const COST_HEAD: &str = "  draw  compiled interp'ed    pixels  what\n";

/// A time in four digits at most.
fn time(nanoseconds: Option<u64>) -> String {
    let Some(nanoseconds) = nanoseconds else { return "-".into() };
    match nanoseconds {
        0..10_000 => format!("{:.1} µs", nanoseconds as f64 / 1e3),
        10_000..1_000_000 => format!("{} µs", nanoseconds / 1000),
        _ => format!("{:.1} ms", nanoseconds as f64 / 1e6),
    }
}

/// The times of all draws together.
fn sums(costs: &[Cost]) -> String {
    let compiled: Option<u64> = costs.iter().map(|cost| cost.compiled).sum();
    let interpreted = costs.iter().map(|cost| cost.interpreted).sum();
    let Some(last) = costs.len().checked_sub(1) else { return String::new() };
    let text = format!(
        "draws 0 to {last} together: {} in compiled code, {} in the interpreter",
        time(compiled),
        time(Some(interpreted))
    );
    format!("{}\n", wrapped(&text, 2, COLUMNS))
}

/// An action in lines of 80 columns.
fn line(action: &Action, cost: Option<Cost>) -> String {
    let [vertices, primitives, fragments] = action.counts;
    let Some(draw) = action.draw else {
        let what = format!("{} {}", action.kind.name(), action.what);
        let what = if action.kind == Kind::Frame { format!("-- {}", action.what) } else { what };
        return format!("{:36}  {}\n", "", wrapped(&what, 38, COLUMNS));
    };
    let target = action.buffer.as_ref().map_or_else(String::new, |buffer| {
        format!("{}x{} {} at {:#010x}", buffer.width, buffer.height, buffer.format, buffer.address)
    });
    let textures: String =
        action.textures.iter().map(|texture| format!(", texture {:#010x}", texture.address)).collect();
    let what = wrapped(&format!("{}: {target}{textures}", action.what), 38, COLUMNS);
    match cost {
        Some(Cost { compiled, interpreted }) => {
            let [compiled, interpreted] = [compiled, Some(interpreted)].map(time);
            format!("{draw:>6} {compiled:>9} {interpreted:>9} {fragments:>9}  {what}\n")
        }
        None => format!("{draw:>8} {vertices:>8} {primitives:>6} {fragments:>9}  {what}\n"),
    }
}

/// Changed registers by name.
fn changes(action: &Action, name: &dyn Fn(u32) -> String) -> Vec<String> {
    let told = |&[number, old, new]: &[u32; 3]| format!("{}: {old:08x} -> {new:08x}", name(number));
    action.changed.iter().map(told).collect()
}

/// The reason for which a draw stored nothing.
fn why_empty(action: &Action, fates: &Rejections) -> String {
    let [vertices, primitives, _] = action.counts;
    if vertices == 0 {
        return "no vertices".into();
    }
    if primitives == 0 {
        return "every primitive is culled, clipped away or degenerate".into();
    }
    if fates.fragments == 0 {
        return "no pixel is covered: outside of the buffer or the scissor, or between pixel centres".into();
    }
    let by: Vec<String> = fates.by.iter().map(|(test, count)| format!("{count} by {test}")).collect();
    format!("rejected: {}", by.join(", "))
}

fn differ(inspector: &mut dyn Inspector, draws: [u64; 2], json: bool) -> Result<(), CliError> {
    let changes = inspector.state_changes(draws).map_err(CliError::new)?;
    if json {
        let change =
            |[name, before, after]: &[String; 3]| json!({ "register": name, "a": before, "b": after });
        return print_json(
            &json!({ "draws": draws, "registers": changes.iter().map(change).collect::<Vec<_>>() }),
        );
    }
    let mut text = format!("draws {} and {}: {} registers differ\n", draws[0], draws[1], changes.len());
    for [name, before, after] in &changes {
        text += &format!("{name}\n  {}\n  {}\n", wrapped(before, 4, COLUMNS), wrapped(after, 4, COLUMNS));
    }
    print(&text)
}
