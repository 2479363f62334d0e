//! `picaflor info` of a capture of the PICA200: its events, and its lists as named registers.

use super::log::{self, Log, Shared, hex};
use crate::cli::CliError;
use crate::cli::capture::Named;
use crate::cli::info::Args;
use crate::cli::info::stream::Stream;
use crate::cli::info::totals;
use crate::cli::source::Source;
use crate::pica::listing::{Line, external};
use crate::pica::{Pica, precision_name};
use crate::replay::frames;
use picaflor_interp::Interpreter;
use picaflor_pipeline::pica::capture::replay::{Outcome, Player};
use picaflor_pipeline::pica::capture::{Capture, Event, Origin};
use picaflor_pipeline::pica::display::Screen;
use picaflor_pipeline::pica::stage::{NoEngines, Stages};
use picaflor_pipeline::pica::stats::Stats;
use serde_json::{Value, json};

/// Shows the content of a capture.
pub(super) fn info(named: &Named<Pica>, args: &Args) -> Result<(), CliError> {
    let Named { name, capture } = named;
    let mut player = Player::new(capture).map_err(|why| named.refused(why))?;
    let before = *player.pica().stats();
    let stream = Stream::new(args.json, capture.events.iter().map(words).sum());
    let log = Shared::new(Log::new(stream, args.draws, before));
    player.pica_mut().set_observer(Some(Box::new(log.clone())));
    log.lock().stream().begin(&heading(name, capture), &[("about", heading_as_json(name, capture))]);
    let mut interpreter = Interpreter::new();
    let stages: &mut dyn Stages = if args.draws { &mut interpreter } else { &mut NoEngines };
    play(capture, &mut player, stages, &log);
    let counts = counts(player.stats());
    let faults = player.pica().faults();
    let text = format!("\n{}", totals::as_text(&counts, faults));
    log.lock().stream().end(&text, &totals::as_json(&counts, faults))
}

/// The length of an event in words, at least.
fn words(event: &Event) -> u64 {
    match event {
        Event::Memory { bytes, .. } => 1 + bytes.len() as u64 / 4,
        Event::Field { words, .. } => 1 + words.len() as u64,
        _ => 1,
    }
}

/// Plays everything; an event is shown before its effects.
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
        let outcome = player.step(stages).map(|step| step.outcome);
        let mut log = log.lock();
        log.end_event();
        match outcome {
            Some(Outcome::GaveUp(why)) => log.stream().remark(&format!("given up: {why}")),
            Some(Outcome::StaleLoad) => {
                log.stream().remark("left out: the buffer was rendered in this frame")
            }
            _ => {}
        }
        if log.stream().is_closed() {
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
        Event::VBlank { screen } => format!("vertical blank of the {}", screen_name(*screen)),
        Event::Field { field, first, words } => {
            format!("state {} from word {first} on, {} words", field.name(), words.len())
        }
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
        Event::VBlank { screen } => json!({ "kind": "vblank", "screen": screen_name(*screen) }),
        Event::Field { field, first, words } => {
            json!({ "kind": "state", "field": field.name(), "first": first, "words": words.len() })
        }
        Event::Frame => json!({ "kind": "frame" }),
    }
}

const fn screen_name(screen: Screen) -> &'static str {
    match screen {
        Screen::Top | Screen::TopRight => "upper screen",
        Screen::Bottom => "lower screen",
    }
}

const fn origin(capture: &Capture) -> &'static str {
    match capture.origin {
        Origin::Recorder => "own recording",
        Origin::CiTrace => "CiTrace",
    }
}

fn heading(name: &Source, capture: &Capture) -> String {
    let memory: Vec<String> =
        capture.regions.iter().map(|(base, bytes)| format!("{bytes:#x} bytes at {base:#010x}")).collect();
    format!(
        "{name}: {}, {} precision, {} events in {} frames; memory: {}",
        origin(capture),
        precision_name(capture.precision),
        capture.events.len(),
        frames::<Pica>(capture),
        memory.join(", "),
    )
}

fn heading_as_json(name: &Source, capture: &Capture) -> Value {
    let region = |&(base, bytes): &(u32, u32)| json!({ "address": hex(base), "bytes": bytes });
    json!({
        "capture": name,
        "origin": origin(capture),
        "precision": precision_name(capture.precision),
        "events": capture.events.len(),
        "frames": frames::<Pica>(capture),
        "memory": capture.regions.iter().map(region).collect::<Vec<_>>(),
    })
}

/// Counters of the replay.
const fn counts(stats: &Stats) -> [(&'static str, u64); 5] {
    [
        ("lists", stats.lists),
        ("commands", stats.commands),
        ("draws", stats.draws),
        ("fills", stats.fills),
        ("transfers", stats.transfers),
    ]
}
