//! Frames, events, lists and actions of the PICA200 in the output of `info`, written by the machine's observer.

use crate::cli::info::stream::Stream;
use crate::pica::listing::state::{self, Item};
use crate::pica::listing::{Ending, Line, Lines};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::external::{Engine, FillSettings};
use picaflor_pipeline::pica::observer::{Observer, View};
use picaflor_pipeline::pica::stats::Stats;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Words of the allowance that a list or an action takes without its commands: it is a few lines.
const HEADING: u64 = 8;

/// The output, as text or as JSON.
pub(in crate::cli) struct Log {
    stream: Stream,
    draws: bool,
    /// Draws so far.
    number: u64,
    /// Counters at the draw before.
    before: Stats,
    /// Items shown for the draw before.
    told: Vec<Item>,
    /// The lists of this event, each with the number of times that it ran again.
    listed: BTreeMap<(u32, u32), u64>,
}

impl Log {
    /// `before` are the counters of the machine at the start.
    pub(in crate::cli) fn new(stream: Stream, draws: bool, before: Stats) -> Self {
        Self { stream, draws, number: 0, before, told: Vec::new(), listed: BTreeMap::new() }
    }

    /// The output, for all that is no list and no action.
    pub(in crate::cli) const fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    pub(in crate::cli) fn frame(&mut self, number: usize) {
        self.stream.item(|| format!("\nframe {number}"), || json!({ "kind": "frame", "number": number }));
    }

    pub(in crate::cli) fn event(&mut self, index: usize, text: &str, json: &Value) {
        if self.draws {
            return;
        }
        let numbered = || {
            let mut json = json.clone();
            json["event"] = index.into();
            json
        };
        self.stream.item(|| format!("  event {index}: {text}"), numbered);
    }

    /// The end of an event: a line for each list that ran several times.
    pub(in crate::cli) fn end_event(&mut self) {
        for ((address, size_bytes), again) in std::mem::take(&mut self.listed) {
            if again > 0 {
                self.stream.item(
                    || format!("    list {address:#010x}, {size_bytes} bytes, {again} times again"),
                    || json!({ "kind": "list", "address": hex(address), "bytes": size_bytes, "again": again }),
                );
            }
        }
    }

    /// True if a list or an action may be shown.
    fn affords_heading(&mut self) -> bool {
        let affords = self.stream.affords(HEADING);
        if !affords {
            self.stream.leave_out();
        }
        affords
    }

    fn list(&mut self, view: View<'_>, list: CommandList) {
        let CommandList { address, size_bytes } = list;
        if let Some(again) = self.listed.get_mut(&(address, size_bytes)) {
            *again += 1;
            return;
        }
        if !self.affords_heading() {
            return;
        }
        self.listed.insert((address, size_bytes), 0);
        self.stream.item(
            || format!("    list {address:#010x}, {size_bytes} bytes"),
            || json!({ "kind": "list", "address": hex(address), "bytes": size_bytes }),
        );
        self.commands(Lines::new(view.memory, view.registers, list));
    }

    fn commands(&mut self, mut lines: Lines<'_>) {
        for line in lines.by_ref() {
            if !self.stream.affords(1 + line.words.len() as u64) {
                return self.stream.leave_out();
            }
            self.stream.item(|| format!("      {line}"), || line_as_json(&line));
        }
        let ending = lines.ending().unwrap_or(Ending::End);
        self.stream.item(
            || format!("      {ending}"),
            || json!({ "kind": "end_of_list", "why": ending.to_string() }),
        );
    }

    fn draw(&mut self, view: View<'_>) {
        if !self.affords_heading() {
            return;
        }
        let counts = self.counts(view.stats);
        let number = self.number;
        self.number += 1;
        let summary = state::summary(view.registers);
        let changed: Vec<Item> =
            summary.iter().filter(|item| self.draws && !self.told.contains(item)).cloned().collect();
        self.stream
            .item(|| draw_as_text(number, &counts, &changed), || draw_as_json(number, &counts, &summary));
        self.told = summary;
    }

    /// Counters since the draw before. Without an engine only those of vertices have a meaning.
    fn counts(&mut self, stats: &Stats) -> Vec<(&'static str, u64)> {
        let stats = stats.since(std::mem::replace(&mut self.before, *stats));
        let vertices = ("vertices", stats.vertices);
        let drawn = [
            ("triangles", stats.triangles),
            ("displayed", stats.triangles_displayed),
            ("fragments", stats.fragments),
        ];
        let drawn = drawn.into_iter().filter(|_| self.draws);
        [vertices].into_iter().chain(drawn).collect()
    }

    fn fill(&mut self, fill: FillSettings) {
        if !self.affords_heading() {
            return;
        }
        let FillSettings { start, end, value, .. } = fill;
        self.stream.item(
            || format!("    fill {start:#010x}-{end:#010x} with {value:08x}"),
            || json!({ "kind": "fill", "start": hex(start), "end": hex(end), "value": hex(value) }),
        );
    }

    fn transfer(&mut self, [input, output, size, _, flags, ..]: [u32; 12]) {
        if !self.affords_heading() {
            return;
        }
        let (input, output) = (input << 3, output << 3);
        let (width, height) = (size & 0xffff, size >> 16);
        let (kind, extent) = match flags & 8 {
            0 => ("transfer", format!("{width}x{height}, ")),
            _ => ("copy", String::new()),
        };
        self.stream.item(
            || format!("    {kind} {input:#010x} to {output:#010x}, {extent}flags {flags:08x}"),
            || json!({ "kind": kind, "input": hex(input), "output": hex(output), "flags": hex(flags) }),
        );
    }
}

pub(in crate::cli) fn hex(word: u32) -> String {
    format!("{word:#010x}")
}

fn draw_as_text(number: u64, counts: &[(&str, u64)], changed: &[Item]) -> String {
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let mut text = format!("    draw {number}: {}", counts.join(", "));
    for (name, value) in changed {
        text += &format!("\n      {name:<11} {value}");
    }
    text
}

fn draw_as_json(number: u64, counts: &[(&str, u64)], summary: &[Item]) -> Value {
    let mut draw = json!({ "kind": "draw", "number": number });
    for &(name, count) in counts {
        draw[name] = count.into();
    }
    let state: Map<String, Value> =
        summary.iter().map(|(name, text)| (name.clone(), text.clone().into())).collect();
    draw["state"] = state.into();
    draw
}

/// A write to a register.
pub(in crate::cli) fn line_as_json(line: &Line) -> Value {
    let words: Vec<String> = line.words.iter().map(|&word| hex(word)).collect();
    let fields: Map<String, Value> =
        line.fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect();
    json!({
        "kind": "command",
        "address": hex(line.address),
        "id": format!("{:#05x}", line.id),
        "name": line.name,
        "mask": line.mask,
        "words": words,
        "fields": fields,
    })
}

/// The log, shared by the machine's observer and the loop over events.
#[derive(Clone)]
pub(in crate::cli) struct Shared(Arc<Mutex<Log>>);

impl Shared {
    pub(in crate::cli) fn new(log: Log) -> Self {
        Self(Arc::new(Mutex::new(log)))
    }

    pub(in crate::cli) fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Shared {
    fn list_started(&mut self, view: View<'_>, list: CommandList) {
        let mut log = self.lock();
        if !log.draws && !log.stream.is_closed() {
            log.list(view, list);
        }
    }

    fn draw_done(&mut self, view: View<'_>) {
        self.lock().draw(view);
    }

    fn engine_done(&mut self, view: View<'_>, engine: Engine) {
        match engine {
            Engine::Fill(unit) => self.lock().fill(view.external.fill(unit)),
            Engine::Transfer => self.lock().transfer(view.external.transfer_words()),
        }
    }
}
