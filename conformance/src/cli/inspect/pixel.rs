//! `picaflor pixel`: the history of a pixel, and how each draw made its value.

use super::{How, print_json, wrapped};
use crate::cli::{CliError, print};
use crate::inspect::{Entry, Inspector, Kind, Spot};
use picaflor_interp::trace::FragmentTrace;
use serde_json::json;
use std::process::ExitCode;

/// Columns of the text.
const COLUMNS: usize = 80;

/// Show why a pixel has its colour: every draw, fill and transfer that touched it, and the trace of the fragment.
///
/// X and Y count from the left and the top of the picture that `picaflor render` writes. With --draw they are
/// coordinates of that draw's colour buffer, as the machine counts them, and the history ends with that draw. Fragments
/// that a test rejected are listed with the test. The trace of the last draw that wrote is shown, or with --draw that
/// draw's; with --all-traces every one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor pixel scene:transforms 200 120
  picaflor pixel game.ppdmp 240 136 --frame 1
  picaflor pixel game.ctf 120 200 --draw 586 --json")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME; - for standard input
    capture: String,
    /// Column
    x: u32,
    /// Row
    y: u32,
    /// Frame at whose end the picture is looked at; the last one unless given
    #[arg(long, conflicts_with = "draw")]
    frame: Option<usize>,
    /// Draw in whose buffer the pixel lies, and with which the history ends
    #[arg(long)]
    draw: Option<u64>,
    /// Show the trace of every fragment
    #[arg(long)]
    all_traces: bool,
    #[command(flatten)]
    how: How,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or played, or has no such pixel.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let mut inspector = args.how.open(&args.capture)?;
    let (spot, history) = history(inspector.as_mut(), args)?;
    let text = match args.how.json {
        true => return as_json(args, spot, &history).map(|()| ExitCode::SUCCESS),
        false => as_text(args, spot, &history),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn history(inspector: &mut dyn Inspector, args: &Args) -> Result<(Spot, Vec<Entry>), CliError> {
    let (spot, until) = match args.draw {
        Some(draw) => (inspector.spot_of_draw(draw, args.x, args.y).map_err(CliError::new)?, usize::MAX),
        None => inspector.spot_of_screen(args.frame, args.x, args.y).map_err(CliError::new)?,
    };
    let mut history = inspector.history(spot).map_err(CliError::new)?;
    let is_in_time = |entry: &Entry| match args.draw {
        Some(last) => entry.action.draw.map_or(entry.draws_before <= last, |draw| draw <= last),
        None => entry.action.index < until,
    };
    history.retain(is_in_time);
    Ok((spot, history))
}

fn as_json(args: &Args, spot: Spot, history: &[Entry]) -> Result<(), CliError> {
    print_json(&json!({
        "capture": args.capture,
        "x": args.x,
        "y": args.y,
        "address": format!("{:#010x}", spot.address),
        "history": history.iter().map(Entry::as_json).collect::<Vec<_>>(),
    }))
}

fn as_text(args: &Args, spot: Spot, history: &[Entry]) -> String {
    let place =
        args.draw.map_or_else(|| "of the picture".into(), |draw| format!("of the buffer of draw {draw}"));
    let mut text = format!("pixel ({}, {}) {place}: bytes at {:#010x}\n", args.x, args.y, spot.address);
    if history.is_empty() {
        text += "nothing touched it\n";
    }
    history.iter().for_each(|entry| text += &line(entry));
    let made = |entry: &&Entry| entry.traces.iter().any(|trace| trace.rejected_by().is_none());
    let asked = |entry: &&Entry| args.draw.is_some() && entry.action.draw == args.draw;
    let shown: Vec<&Entry> =
        match history.iter().rev().find(asked).or_else(|| history.iter().rev().find(made)) {
            _ if args.all_traces => history.iter().filter(|entry| !entry.traces.is_empty()).collect(),
            Some(entry) => vec![entry],
            None => Vec::new(),
        };
    for entry in shown {
        let draw = entry.action.draw.unwrap_or_default();
        entry.traces.iter().for_each(|trace| text += &format!("\ndraw {draw}, {}", trace_as_text(trace)));
    }
    text
}

/// An entry in lines of 80 columns.
fn line(entry: &Entry) -> String {
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let name = match entry.action.draw {
        Some(draw) => format!("draw {draw}"),
        None => entry.action.kind.name().into(),
    };
    let outcome = match entry.action.kind {
        Kind::Draw if entry.traces.len() > 1 => {
            format!("{}, {} fragments", entry.outcome(), entry.traces.len())
        }
        _ => entry.outcome(),
    };
    let place = entry.pixel.map_or_else(String::new, |[x, y]| format!("({x}, {y})"));
    let outcome = wrapped(&outcome, 46, COLUMNS);
    format!("  {name:<12} {place:<12} {} {}  {outcome}\n", bytes(&entry.before), bytes(&entry.after))
}

/// A trace, one line for each number.
fn trace_as_text(trace: &FragmentTrace) -> String {
    let fate = trace.rejected_by().map_or_else(|| "stored".into(), |test| format!("rejected by {test}"));
    let mut text = format!("primitive {}: {fate}\n", trace.primitive);
    let mut before = None;
    for note in &trace.notes {
        let stage = if before == Some(note.stage) { String::new() } else { note.stage.to_string() };
        before = Some(note.stage);
        let value = wrapped(&note.value.to_string(), 44, COLUMNS);
        text += &format!("  {stage:<16} {:<24} {value}\n", note.name);
    }
    text
}
