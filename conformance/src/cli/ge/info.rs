//! `picaflor info` of a capture of the GE: its events, and its lists in plain words.

use crate::cli::CliError;
use crate::cli::capture::Named;
use crate::cli::info::Args;
use crate::cli::info::stream::Stream;
use crate::inspect::{Action, Inspector, Session};
use crate::machine::Machine as _;
use crate::replay::frames;
use crate::setup::Setup;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::replay::{Outcome, Player};
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::names::{command, describe};
use picaflor_pipeline::ge::stage::NoEngines;
use picaflor_pipeline::ge::stats::Stats;
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
    let before = *player.ge().stats();
    let mut stream = Stream::new(args.json, capture.events.iter().map(length).sum());
    stream.begin(&heading(name, capture), &members(name));
    for (index, event) in capture.events.iter().enumerate() {
        show(&mut stream, index, event, player.memory());
        if let Some(Outcome::GaveUp(why)) = player.step(&mut NoEngines).map(|step| step.outcome) {
            stream.remark(&format!("given up: {why}"));
        }
        if stream.is_closed() {
            break;
        }
    }
    let totals = totals(player.ge(), before);
    stream.end(Some((&totals, &json!(totals))))
}

/// The first members of a document.
fn members(name: &str) -> [(&'static str, Value); 2] {
    [("capture", name.into()), ("machine", "GE".into())]
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

/// Shows the draws with their counts and the registers that changed since the action before.
fn draws(named: &Named<crate::ge::Ge>, args: &Args) -> Result<(), CliError> {
    let Named { name, capture } = named;
    let engine = crate::ge::Ge::engine("jit-default", Setup::default()).map_err(CliError::new)?;
    let mut session = Session::<crate::ge::Ge>::new(capture.clone(), engine);
    let actions = session.actions().map_err(CliError::new)?;
    let mut stream = Stream::new(args.json, 0);
    stream.begin(&heading(name, capture), &members(name));
    actions.iter().for_each(|action| stream.item(|| action_as_text(action), || action_as_value(action)));
    stream.end(None)
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
fn words(event: &Event, memory: &dyn Memory) -> impl Iterator<Item = (u32, u32)> {
    let list = if let Event::Run(list) = event { Some(list) } else { None };
    let places = list.into_iter().flat_map(|list| (0..MOST_WORDS).map(move |n| (list, n * 4)));
    let mut is_end = false;
    places.map_while(move |(list, offset)| {
        let at = list.pc.wrapping_add(offset);
        if is_end || at == list.stall || memory.region(at, 4).is_none() {
            return None;
        }
        let word = read_word(memory, at);
        is_end = list.stall == 0 && command((word >> 24) as u8).name == "END";
        Some((at, word))
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

fn word_as_text(&(address, word): &(u32, u32)) -> String {
    format!("  {address:08x}  {word:08x}  {}", describe(word))
}

fn word_as_value(&(address, word): &(u32, u32)) -> Value {
    json!({
        "address": format!("{address:#010x}"),
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

/// Counters of the replay, and the faults. `before`: what the recorded machine had counted.
fn totals(ge: &Ge, before: Stats) -> String {
    let stats = ge.stats().since(before);
    let mut text = format!(
        "{} runs, {} commands, {} draws, {} transfers",
        stats.runs, stats.commands, stats.draws, stats.transfers
    );
    ge.faults().as_slice().iter().for_each(|fault| text += &format!("\nfault: {fault}"));
    text
}
