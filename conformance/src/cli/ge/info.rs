//! `picaflor info` of a capture of the GE: its events, and its lists in plain words.

use crate::cli::CliError;
use crate::cli::capture::Named;
use crate::cli::info::Args;
use crate::cli::info::stream::Stream;
use crate::cli::info::totals;
use crate::cli::source::Source;
use crate::inspect::{Action, Inspector, Session};
use crate::machine::Machine as _;
use crate::replay::frames;
use crate::setup::Setup;
use picaflor_pipeline::ge::capture::replay::{Outcome, Player};
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::names::{command, describe};
use picaflor_pipeline::ge::stage::NoEngines;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::memory::{Memory, read_word};
use serde_json::{Value, json};

/// Words of a list that are shown; those behind a jump are not.
const MOST_WORDS: u32 = 1 << 20;

/// A word, and its address unless it lies in no list.
type Word = (Option<u32>, u32);

/// Shows the content of a capture, without drawing; or its draws.
pub(super) fn info(named: &Named<crate::ge::Ge>, args: &Args) -> Result<(), CliError> {
    let Named { name, capture } = named;
    let mut player = Player::new(capture).map_err(|why| named.refused(why))?;
    let actions = if args.draws { actions(capture)? } else { Vec::new() };
    let mut stream = Stream::new(args.json, capture.events.iter().map(length).sum());
    stream.begin(&heading(name, capture), &members(name));
    actions.iter().for_each(|action| stream.item(|| action_as_text(action), || action_as_value(action)));
    play(capture, &mut player, &mut stream, !args.draws);
    let (counts, faults) = (counts(player.stats()), player.ge().faults());
    stream.end(&totals::as_text(&counts, faults), &totals::as_json(&counts, faults))
}

/// Plays everything without drawing, and shows the lists that are given up; with `has_events` every event.
fn play(capture: &Capture, player: &mut Player<'_>, stream: &mut Stream, has_events: bool) {
    for (index, event) in capture.events.iter().enumerate() {
        if has_events {
            show(stream, index, event, player.memory());
        }
        if let Some(Outcome::GaveUp(why)) = player.step(&mut NoEngines).map(|step| step.outcome) {
            let place = if has_events { String::new() } else { format!("event {index}: ") };
            stream.remark(&format!("{place}given up: {why}"));
        }
        if stream.is_closed() {
            break;
        }
    }
}

/// The first members of a document.
fn members(name: &Source) -> [(&'static str, Value); 2] {
    [("capture", json!(name)), ("machine", "GE".into())]
}

/// The length of an event in words, at least.
fn length(event: &Event) -> u64 {
    match event {
        Event::Memory { bytes, .. } => 1 + bytes.len() as u64 / 4,
        Event::Execute(words) => 1 + words.len() as u64,
        _ => 1,
    }
}

/// Shows an event before its effects.
fn show(stream: &mut Stream, index: usize, event: &Event, memory: &dyn Memory) {
    let head = (format!("{index}: {}", title(event)), as_value(index, event));
    let mut words = words(event, memory).peekable();
    match words.peek() {
        Some(_) => stream.item_with_words(head, words, word_as_text, word_as_value),
        None => stream.item(|| head.0, || head.1),
    }
}

/// The draws with their counts and the registers that changed since the action before, and all other actions.
fn actions(capture: &Capture) -> Result<Vec<Action>, CliError> {
    let engine = crate::ge::Ge::engine("jit-default", Setup::default()).map_err(CliError::new)?;
    let mut session = Session::<crate::ge::Ge>::new(capture.clone(), engine);
    Ok(session.actions().map_err(CliError::new)?.to_vec())
}

/// Registers that changed, in words.
fn changed(action: &Action) -> Vec<String> {
    action.changed.iter().map(|&[number, _, new]| describe(number << 24 | new & 0xff_ffff)).collect()
}

fn action_as_text(action: &Action) -> String {
    let [vertices, primitives, pixels] = action.counts;
    let mut text = match action.draw {
        Some(draw) => {
            format!("  draw {draw}: {vertices} vertices, {primitives} primitives, {pixels} pixels")
        }
        None => format!("  {} {}", action.kind.name(), action.what),
    };
    changed(action).iter().for_each(|line| text += &format!("\n    {line}"));
    text
}

fn action_as_value(action: &Action) -> Value {
    let mut value = action.as_json();
    value["number"] = action.draw.into();
    value["changed"] = changed(action).into();
    value
}

fn heading(name: &Source, capture: &Capture) -> String {
    let memory: Vec<String> =
        capture.regions.iter().map(|(base, bytes)| format!("{bytes:#x} bytes at {base:#010x}")).collect();
    format!(
        "{name}: GE, {} events in {} frames; memory: {}",
        capture.events.len(),
        frames::<crate::ge::Ge>(capture),
        memory.join(", ")
    )
}

/// The words of an event: those of its list as it lies in memory, or its own.
fn words<'a>(event: &'a Event, memory: &'a dyn Memory) -> Box<dyn Iterator<Item = Word> + 'a> {
    match event {
        Event::Run(list) => Box::new(words_of_list(list, memory)),
        Event::Execute(words) => Box::new(words.iter().map(|&word| (None, word))),
        _ => Box::new(std::iter::empty()),
    }
}

/// The words of a list in order of their addresses, up to its stall address or its end.
fn words_of_list<'a>(list: &'a DisplayList, memory: &'a dyn Memory) -> impl Iterator<Item = Word> + 'a {
    let mut is_end = false;
    (0..MOST_WORDS).map_while(move |number| {
        let at = list.pc.wrapping_add(number * 4);
        if is_end || at == list.stall || memory.region(at, 4).is_none() {
            return None;
        }
        let word = read_word(memory, at);
        is_end = list.stall == 0 && command((word >> 24) as u8).name == "END";
        Some((Some(at), word))
    })
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

fn word_as_text(&(address, word): &Word) -> String {
    let address = address.map_or_else(String::new, |address| format!("{address:08x}"));
    format!("  {address:8}  {word:08x}  {}", describe(word))
}

fn word_as_value(&(address, word): &Word) -> Value {
    json!({
        "address": address.map(|address| format!("{address:#010x}")),
        "word": format!("{word:08x}"),
        "name": command((word >> 24) as u8).name,
        "what": describe(word),
    })
}

fn as_value(index: usize, event: &Event) -> Value {
    let mut value = json!({ "event": index, "what": title(event) });
    value["kind"] = match event {
        Event::Memory { .. } => "memory",
        Event::Run(_) => "run",
        Event::Execute(_) => "execute",
        Event::State(_) => "state",
        Event::Display(_) => "frame",
    }
    .into();
    value
}

/// Counters of the replay.
const fn counts(stats: &Stats) -> [(&'static str, u64); 4] {
    [
        ("runs", stats.runs),
        ("commands", stats.commands),
        ("draws", stats.draws),
        ("transfers", stats.transfers),
    ]
}
