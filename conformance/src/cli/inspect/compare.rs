//! `picaflor compare`: two captures draw by draw.

use super::{How, print_json, wrapped};
use crate::cli::source::Source;
use crate::cli::{CliError, print};
use crate::inspect::{Action, Inspector};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Columns of the text.
const COLUMNS: usize = 80;
/// Registers of a draw that are shown; more are counted.
const SHOWN: usize = 8;

/// Compare two captures draw by draw: state, program, counts, and the colour buffer after each draw.
///
/// Draws of the same number are compared, by the registers on which their pixels depend: addresses of lists and
/// vertices, interrupts, and what a switch turns off may differ. Then come the number of frames and the screens at the
/// end. The exit code is 1 if the captures differ.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor compare before.pcap after.pcap
  picaflor compare scene:transforms scene:alpha_test --json")]
pub struct Args {
    /// A capture
    a: Source,
    /// Another one
    b: Source,
    /// Show at most this many draws that differ
    #[arg(long, default_value_t = 20)]
    most: usize,
    #[command(flatten)]
    how: How,
}

/// A draw that differs.
struct Different {
    draw: u64,
    reasons: Vec<String>,
}

/// Runs the subcommand.
///
/// # Errors
/// A capture cannot be read or played, or they are of different machines.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let [mut a, mut b] = [args.how.open(&args.a)?, args.how.open(&args.b)?];
    if a.title() != b.title() {
        return Err(CliError::new(format!("the captures are of {} and of {}", a.title(), b.title())));
    }
    let (different, counts) = compare(a.as_mut(), b.as_mut())?;
    let frames = [a.frames(), b.frames()];
    // A capture that shows nothing has no picture.
    let has_same_screens = a.screen(None).ok() == b.screen(None).ok();
    let is_same =
        different.is_empty() && counts[0] == counts[1] && frames[0] == frames[1] && has_same_screens;
    if args.how.json {
        let one = |of: &Different| json!({ "draw": of.draw, "reasons": of.reasons });
        let all: Vec<Value> = different.iter().map(one).collect();
        print_json(&json!({
            "a": args.a,
            "b": args.b,
            "draws": counts,
            "frames": frames,
            "same_screens": has_same_screens,
            "same": is_same,
            "different": all,
        }))?;
    } else {
        print(&(as_text(args, &different, counts) + &ends_as_text(frames, has_same_screens)))?;
    }
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare(a: &mut dyn Inspector, b: &mut dyn Inspector) -> Result<(Vec<Different>, [usize; 2]), CliError> {
    let draws = |inspector: &mut dyn Inspector| -> Result<Vec<Action>, CliError> {
        let all = inspector.with_checksums().map_err(CliError::new)?;
        Ok(all.into_iter().filter(|action| action.draw.is_some()).collect())
    };
    let (first, second) = (draws(a)?, draws(b)?);
    let mut words = [registers(a)?, registers(b)?];
    let names = |number| a.register(number);
    let mut different = Vec::new();
    for (one, other) in first.iter().zip(&second) {
        for (words, action) in words.iter_mut().zip([one, other]) {
            follow(words, action);
        }
        let essences = words.each_ref().map(|words| a.essence(words));
        let reasons = reasons(one, other, &essences, &names);
        if !reasons.is_empty() {
            different.push(Different { draw: one.draw.unwrap_or_default(), reasons });
        }
    }
    Ok((different, [first.len(), second.len()]))
}

/// The registers before the first action: a capture may begin with a state.
fn registers(inspector: &mut dyn Inspector) -> Result<Vec<u32>, CliError> {
    inspector.first_registers().map(<[u32]>::to_vec).map_err(CliError::new)
}

/// Takes over the registers that changed until an action.
fn follow(words: &mut Vec<u32>, action: &Action) {
    for &[number, _, new] in &action.changed {
        let number = number as usize;
        if words.len() <= number {
            words.resize(number + 1, 0);
        }
        words[number] = new;
    }
}

/// Differences between two draws, in words.
fn reasons(a: &Action, b: &Action, words: &[Vec<u32>; 2], name: &dyn Fn(u32) -> String) -> Vec<String> {
    let mut reasons = Vec::new();
    if a.checksum != b.checksum {
        reasons.push("colour buffer".to_owned());
    }
    if a.counts != b.counts {
        reasons.push(format!("counts {:?} and {:?}", a.counts, b.counts));
    }
    if a.program != b.program {
        reasons.push("program".into());
    }
    if a.key != b.key {
        reasons.push("key".into());
    }
    let count = words[0].len().max(words[1].len());
    let word = |side: usize, n: usize| words[side].get(n).copied().unwrap_or(0);
    let differing: Vec<usize> = (0..count).filter(|&n| word(0, n) != word(1, n)).collect();
    let told = |&n: &usize| format!("{} {:08x} and {:08x}", name(n as u32), word(0, n), word(1, n));
    reasons.extend(differing.iter().take(SHOWN).map(told));
    if differing.len() > SHOWN {
        reasons.push(format!("{} more registers", differing.len() - SHOWN));
    }
    reasons
}

fn as_text(args: &Args, different: &[Different], [first, second]: [usize; 2]) -> String {
    let mut text = format!("{}: {first} draws\n{}: {second} draws\n", args.a, args.b);
    for Different { draw, reasons } in different.iter().take(args.most) {
        text += &format!("draw {draw}: {}\n", wrapped(&reasons.join("; "), 10, COLUMNS));
    }
    let more = different.len().saturating_sub(args.most);
    if more > 0 {
        text += &format!("{more} more draws differ\n");
    }
    text + &format!("{} of {} draws differ\n", different.len(), first.min(second))
}

/// What differs beside draws; empty if nothing does.
fn ends_as_text([first, second]: [usize; 2], has_same_screens: bool) -> String {
    let mut text = String::new();
    if first != second {
        text += &format!("frames: {first} and {second}\n");
    }
    if !has_same_screens {
        text += "the screens at the end differ\n";
    }
    text
}
