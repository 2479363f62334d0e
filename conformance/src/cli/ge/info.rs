//! `picaflor info` of a capture of the GE: its events, and its lists in plain words.

use crate::cli::capture::Named;
use crate::cli::info::Args;
use crate::cli::{CliError, print};
use crate::inspect::{Action, Inspector, Session};
use crate::machine::Machine as _;
use crate::replay::frames;
use crate::setup::Setup;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::replay::{Outcome, Player};
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::names::{command, describe};
use picaflor_pipeline::ge::stage::NoEngines;
use picaflor_pipeline::memory::{Memory, read_word};
use serde_json::{Value, json};

/// Words of a list that are shown; those behind a jump are not.
const MOST_WORDS: u32 = 1 << 20;

/// Shows the content of a capture, without drawing; or its draws.
pub(super) fn info(named: &Named<crate::ge::Ge>, args: &Args) -> Result<(), CliError> {
    let Named { name, capture } = named;
    if args.draws {
        return draws(named, args);
    }
    let mut player = Player::new(capture).map_err(|why| named.refused(why))?;
    let mut items = Vec::new();
    if !args.json {
        print(&format!("{}\n", heading(name, capture)))?;
    }
    for (index, event) in capture.events.iter().enumerate() {
        let words = words(event, player.memory());
        let outcome = player.step(&mut NoEngines).map(|step| step.outcome);
        if args.json {
            items.push(as_value(index, event, &words));
        } else {
            print(&as_text(index, event, &words, outcome))?;
        }
    }
    let totals = totals(player.ge());
    if !args.json {
        return print(&format!("{totals}\n"));
    }
    let document = json!({ "capture": name, "machine": "GE", "items": items, "totals": totals });
    print(&format!("{document:#}\n"))
}

/// Shows the draws with their counts and the registers that changed since the action before.
fn draws(named: &Named<crate::ge::Ge>, args: &Args) -> Result<(), CliError> {
    let Named { name, capture } = named;
    let engine = crate::ge::Ge::engine("jit-default", Setup::default()).map_err(CliError::new)?;
    let mut session = Session::<crate::ge::Ge>::new(capture.clone(), engine);
    let actions = session.actions().map_err(CliError::new)?;
    if args.json {
        let items: Vec<Value> = actions.iter().map(action_as_value).collect();
        let document = json!({ "capture": name, "machine": "GE", "items": items });
        return print(&format!("{document:#}\n"));
    }
    let text: String = actions.iter().map(action_as_text).collect();
    print(&format!("{}\n{text}", heading(name, capture)))
}

/// Registers that changed, in words.
fn changed(action: &Action) -> Vec<String> {
    action.changed.iter().map(|&[number, _, new]| describe(number << 24 | new & 0xff_ffff)).collect()
}

fn action_as_text(action: &Action) -> String {
    let [vertices, primitives, pixels] = action.counts;
    let mut text = match action.draw {
        Some(draw) => {
            format!("  draw {draw}: {vertices} vertices, {primitives} primitives, {pixels} pixels\n")
        }
        None => format!("  {} {}\n", action.kind.name(), action.what),
    };
    changed(action).iter().for_each(|line| text += &format!("    {line}\n"));
    text
}

fn action_as_value(action: &Action) -> Value {
    let mut value = action.as_json();
    value["number"] = action.draw.into();
    value["changed"] = changed(action).into();
    value
}

fn heading(name: &str, capture: &Capture) -> String {
    let memory: Vec<String> =
        capture.regions.iter().map(|(base, bytes)| format!("{bytes:#x} bytes at {base:#010x}")).collect();
    format!(
        "{name}: GE, {} events in {} frames; memory: {}",
        capture.events.len(),
        frames::<crate::ge::Ge>(capture),
        memory.join(", ")
    )
}

/// The words of a list in order of their addresses, up to its stall address or its end.
fn words(event: &Event, memory: &dyn Memory) -> Vec<(u32, u32)> {
    let Event::Run(DisplayList { pc, stall, .. }) = event else { return Vec::new() };
    let mut words = Vec::new();
    for at in (0..MOST_WORDS).map(|n| pc.wrapping_add(n * 4)) {
        if at == *stall || memory.region(at, 4).is_none() {
            break;
        }
        let word = read_word(memory, at);
        words.push((at, word));
        let is_end = *stall == 0 && command((word >> 24) as u8).name == "END";
        if is_end {
            break;
        }
    }
    words
}

fn title(event: &Event) -> String {
    match event {
        Event::Memory { address, bytes } => format!("memory {address:#010x}, {} bytes", bytes.len()),
        Event::Run(list) if list.stall == 0 => format!("run {:#010x}", list.pc),
        Event::Run(list) => format!("run {:#010x} to {:#010x}", list.pc, list.stall),
        Event::Execute(words) => format!("{} words that are in no list", words.len()),
        Event::State(_) => "another state".into(),
        Event::Display(display) => format!(
            "frame: {:#010x}, {} pixels from row to row, format {}",
            display.address, display.stride, display.format
        ),
    }
}

fn as_text(index: usize, event: &Event, words: &[(u32, u32)], outcome: Option<Outcome>) -> String {
    let mut text = format!("{index}: {}\n", title(event));
    for (address, word) in words {
        text += &format!("  {address:08x}  {word:08x}  {}\n", describe(*word));
    }
    if let Some(Outcome::GaveUp(why)) = outcome {
        text += &format!("  given up: {why}\n");
    }
    text
}

fn as_value(index: usize, event: &Event, words: &[(u32, u32)]) -> Value {
    let word = |&(address, word): &(u32, u32)| {
        json!({
            "address": format!("{address:#010x}"),
            "word": format!("{word:08x}"),
            "name": command((word >> 24) as u8).name,
            "what": describe(word),
        })
    };
    let mut value = json!({ "event": index, "what": title(event) });
    value["kind"] = match event {
        Event::Memory { .. } => "memory",
        Event::Run(_) => "run",
        Event::Execute(_) => "execute",
        Event::State(_) => "state",
        Event::Display(_) => "frame",
    }
    .into();
    if !words.is_empty() {
        value["words"] = words.iter().map(word).collect();
    }
    value
}

fn totals(ge: &Ge) -> String {
    let stats = ge.stats();
    let mut text = format!(
        "{} runs, {} commands, {} draws, {} transfers",
        stats.runs, stats.commands, stats.draws, stats.transfers
    );
    ge.faults().as_slice().iter().for_each(|fault| text += &format!("\nfault: {fault}"));
    text
}
