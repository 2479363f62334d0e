//! `picaflor info`: what is in a capture.

pub(super) mod keys;

use super::capture::{self, Named, PrecisionName};
use super::pica::log::{self, Log, Shared, hex};
use super::{CliError, ge};
use crate::cli::pica::diff::precision_name;
use crate::pica::listing::{Line, external};
use crate::pica::replay;
use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::capture::replay::{Outcome, Player};
use picaflor_pipeline::pica::capture::{Capture, Event, Origin};
use picaflor_pipeline::pica::stage::NoEngines;
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::stats::Stats;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Show what is in a capture: its events, and every command list as named registers with decoded fields.
///
/// Lists are followed as the machine follows them, through jumps, to their interrupt. Nothing is shaded or
/// drawn for that. With --draws the interpreter draws, lists are left out, and every draw is shown with its
/// counts and with what of its state has changed since the draw before. With --keys it is shown which routines
/// for fragments the draws need, and how many draws need each; of captures of the PSP also what of that belongs to
/// textures, and which routines for vertices.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor info scene:transforms
  picaflor info game.ctf --draws
  picaflor info scene:all ge:all --keys
  picaflor info game.ctf --json | jq '.items[] | select(.kind == \"draw\")'")]
pub struct Args {
    /// A capture in the own format, CiTrace (.ctf) or a frame dump of the PSP (.ppdmp), or scene:NAME or ge:NAME; with --keys several, or scene:all or ge:all; - for standard input
    #[arg(required = true)]
    captures: Vec<String>,
    /// Show draws with all their counts and their state instead of lists
    #[arg(long)]
    draws: bool,
    /// Show the distinct keys, which routines are made for, instead of lists
    #[arg(long, conflicts_with = "draws")]
    keys: bool,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// Print JSON: an object with the capture, its items in order, and totals
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or replayed, or the text cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    if args.keys {
        return keys::run(&args.captures, args.precision, args.json);
    }
    let [source] = &args.captures[..] else {
        return Err(CliError::new("several captures are for --keys"));
    };
    if ge::is_ge(source) {
        return ge::info(source, args.json);
    }
    let Named { name, capture } = capture::load(source, args.precision.map(Into::into))?;
    let mut player =
        Player::new(&capture).map_err(|why| CliError::new(format!("cannot use `{name}`: {why}")))?;
    let before = *player.pica().stats();
    let log = Shared::new(Log::new(args.json, args.draws, before));
    player.pica_mut().set_observer(Some(Box::new(log.clone())));
    log.lock().begin(&heading(&name, &capture), &heading_as_json(&name, &capture));
    let mut interpreter = Interpreter::new();
    let stages: &mut dyn Stages = if args.draws { &mut interpreter } else { &mut NoEngines };
    play(&capture, &mut player, stages, &log);
    let counts = counts(&before, player.pica().stats());
    let faults = player.pica().faults();
    log.lock().end(&totals(&counts, faults), &totals_as_json(&counts, faults));
    log.lock().finish().map_err(|why| CliError::new(format!("cannot write standard output: {why}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Plays everything; an event is shown before what the machine does with it.
fn play(capture: &Capture, player: &mut Player<'_>, stages: &mut dyn Stages, log: &Shared) {
    let mut frame = 0;
    for (index, event) in capture.events.iter().enumerate() {
        let is_first = index == 0 || capture.events[index - 1] == Event::Frame;
        if is_first {
            log.lock().frame(frame);
            frame += 1;
        }
        if *event != Event::Frame {
            log.lock().event(index, &describe(event), &describe_as_json(event));
        }
        match player.step(stages).map(|step| step.outcome) {
            Some(Outcome::GaveUp(why)) => log.lock().remark(&format!("given up: {why}")),
            Some(Outcome::StaleLoad) => log.lock().remark("left out: the buffer was rendered in this frame"),
            _ => {}
        }
        if log.lock().is_closed() {
            return;
        }
    }
}

fn describe(event: &Event) -> String {
    match event {
        Event::Memory { address, bytes } => format!("memory {address:#010x}, {} bytes", bytes.len()),
        Event::Register { id, value, mask } => {
            format!("register {}", Line::of_cpu(*id, *value, *mask))
        }
        Event::Mmio { address, value } => {
            format!("write {address:#010x} {} {value:08x}", external::name(*address))
        }
        Event::List { .. } => "run".into(),
        Event::Frame => "frame".into(),
    }
}

fn describe_as_json(event: &Event) -> Value {
    match event {
        Event::Memory { address, bytes } => {
            json!({ "kind": "memory", "address": hex(*address), "bytes": bytes.len() })
        }
        Event::Register { id, value, mask } => {
            let mut line = log::line_as_json(&Line::of_cpu(*id, *value, *mask));
            line["kind"] = "register".into();
            line
        }
        Event::Mmio { address, value } => json!({
            "kind": "write",
            "address": hex(*address),
            "name": external::name(*address),
            "value": hex(*value),
        }),
        Event::List { address, size_bytes } => {
            json!({ "kind": "run", "address": hex(*address), "bytes": size_bytes })
        }
        Event::Frame => json!({ "kind": "frame" }),
    }
}

const fn origin(capture: &Capture) -> &'static str {
    match capture.origin {
        Origin::Recorder => "own recording",
        Origin::CiTrace => "CiTrace",
    }
}

fn heading(name: &str, capture: &Capture) -> String {
    let memory: Vec<String> =
        capture.regions.iter().map(|(base, bytes)| format!("{bytes:#x} bytes at {base:#010x}")).collect();
    format!(
        "{name}: {}, {} precision, {} events in {} frames; memory: {}",
        origin(capture),
        precision_name(capture.precision),
        capture.events.len(),
        replay::frames(capture),
        memory.join(", "),
    )
}

fn heading_as_json(name: &str, capture: &Capture) -> Value {
    let region = |&(base, bytes): &(u32, u32)| json!({ "address": hex(base), "bytes": bytes });
    json!({
        "capture": name,
        "origin": origin(capture),
        "precision": precision_name(capture.precision),
        "events": capture.events.len(),
        "frames": replay::frames(capture),
        "memory": capture.regions.iter().map(region).collect::<Vec<_>>(),
    })
}

/// What was counted while the capture was played; a recording may begin in the middle of something.
fn counts(before: &Stats, after: &Stats) -> [(&'static str, u64); 5] {
    [
        ("lists", after.lists.wrapping_sub(before.lists)),
        ("commands", after.commands.wrapping_sub(before.commands)),
        ("draws", after.draws.wrapping_sub(before.draws)),
        ("fills", after.fills.wrapping_sub(before.fills)),
        ("transfers", after.transfers.wrapping_sub(before.transfers)),
    ]
}

fn totals(counts: &[(&str, u64)], faults: &FaultList) -> String {
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let mut text = counts.join(", ");
    for fault in faults.as_slice() {
        text += &format!("\nfault: {fault}");
    }
    if faults.dropped() > 0 {
        text += &format!("\n{} more faults", faults.dropped());
    }
    text
}

fn totals_as_json(counts: &[(&str, u64)], faults: &FaultList) -> Value {
    let mut totals = json!({
        "faults": faults.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "more_faults": faults.dropped(),
    });
    for &(name, count) in counts {
        totals[name] = count.into();
    }
    totals
}
