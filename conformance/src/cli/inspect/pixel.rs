//! `picaflor pixel`: the history of a pixel, and how each draw made its value.

use super::{How, print_json, wrapped};
use crate::cli::source::Source;
use crate::cli::{CliError, print};
use crate::inspect::{Entry, History, Inspector, Kind, Spot};
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
    capture: Source,
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

fn history(inspector: &mut dyn Inspector, args: &Args) -> Result<(Spot, History), CliError> {
    let (spot, until) = match args.draw {
        Some(draw) => (inspector.spot_of_draw(draw, args.x, args.y).map_err(CliError::new)?, usize::MAX),
        None => inspector.spot_of_screen(args.frame, args.x, args.y).map_err(CliError::new)?,
    };
    let history = inspector.history(spot).map_err(CliError::new)?;
    let is_in_time = |entry: &Entry| match args.draw {
        Some(last) => entry.action.draw.map_or(entry.draws_before <= last, |draw| draw <= last),
        None => entry.action.index < until,
    };
    Ok((spot, history.up_to(is_in_time)))
}

fn as_json(args: &Args, spot: Spot, history: &History) -> Result<(), CliError> {
    let mut answer = json!({
        "capture": args.capture,
        "x": args.x,
        "y": args.y,
        "address": format!("{:#010x}", spot.address),
    });
    history.put_into(&mut answer);
    print_json(&answer)
}

fn as_text(args: &Args, spot: Spot, history: &History) -> String {
    let place =
        args.draw.map_or_else(|| "of the picture".into(), |draw| format!("of the buffer of draw {draw}"));
    let mut text = format!("pixel ({}, {}) {place}: bytes at {:#010x}\n", args.x, args.y, spot.address);
    let entries = &history.entries;
    if entries.is_empty() {
        text += "nothing touched it\n";
    }
    entries.iter().for_each(|entry| text += &line(entry));
    if history.left_out > 0 {
        text += &format!("  {} later entries are left out\n", history.left_out);
    }
    let shown = shown(entries, args.draw, args.all_traces);
    shown.into_iter().for_each(|entry| text += &traces_as_text(entry));
    text
}

/// The entries whose traces are shown: all of them, or that of the draw that was asked for, or of the last that wrote.
fn shown(entries: &[Entry], draw: Option<u64>, all: bool) -> Vec<&Entry> {
    let mut covering = entries.iter().filter(|entry| entry.fragments() > 0);
    if all {
        return covering.collect();
    }
    let asked = |entry: &&Entry| draw.is_some() && entry.action.draw == draw;
    let made = |entry: &&Entry| entry.rejected_by.is_none();
    entries.iter().rfind(asked).or_else(|| covering.rfind(made)).into_iter().collect()
}

/// The traces of a draw, and how many are left out.
fn traces_as_text(entry: &Entry) -> String {
    let draw = entry.action.draw.unwrap_or_default();
    let traces = entry.traces.iter().map(|trace| format!("\ndraw {draw}, {}", trace_as_text(trace)));
    let mut text: String = traces.collect();
    if entry.fragments_left_out > 0 {
        text += &format!("\ndraw {draw}: traces of {} fragments are left out\n", entry.fragments_left_out);
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
    let mut outcome = entry.outcome();
    if entry.action.kind == Kind::Draw && entry.fragments() > 1 {
        outcome += &format!(", {} fragments", entry.fragments());
    }
    if entry.fragments_left_out > 0 {
        outcome += &format!(", {} without a trace", entry.fragments_left_out);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "\
draw 7, primitive 0: stored

draw 7, primitive 1: stored
";
    const CUT: &str = "\
draw 7, primitive 0: stored

draw 7: traces of 5 fragments are left out
";

    #[test]
    fn traces_that_are_left_out() {
        let text = |traces, left_out| traces_as_text(&Entry::of_fragments(traces, left_out));
        assert_eq!(text(2, 0), format!("\n{WHOLE}"));
        assert_eq!(text(1, 5), format!("\n{CUT}"));
        assert_eq!(text(0, 5), "\ndraw 7: traces of 5 fragments are left out\n");
    }

    #[test]
    fn fragments_in_a_line() {
        let has = |traces, left_out, end: &str| {
            let line = line(&Entry::of_fragments(traces, left_out));
            assert!(line.ends_with(end) && line.lines().all(|line| line.len() <= COLUMNS), "{line}");
        };
        has(1, 0, "00000000 01010101  written\n");
        has(2, 0, "  written, 2 fragments\n");
        has(
            2,
            5,
            "  written, 7 fragments, 5 without a\n                                              trace\n",
        );
        has(0, 1, "  written, 1 without a trace\n");
    }

    /// The trace of an older draw is not shown as that of the last one that wrote.
    #[test]
    fn the_last_draw_that_wrote_has_no_trace() {
        let mut entries =
            [(2, 0), (1, 8), (0, 6), (1, 9)].map(|(traces, out)| Entry::of_fragments(traces, out));
        entries[3].rejected_by = Some("depth test".into());
        entries[1].action.draw = Some(5);
        let left_out = |draw, all| {
            shown(&entries, draw, all).iter().map(|entry| entry.fragments_left_out).collect::<Vec<_>>()
        };
        assert_eq!(left_out(None, false), [6]);
        assert_eq!(left_out(Some(5), false), [8]);
        assert_eq!(left_out(None, true), [0, 8, 6, 9]);
    }
}
