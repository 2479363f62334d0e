//! Answers as JSON.

use super::action::{Action, Buffer, TextureUse};
use super::answer::{Cost, Entry, Mesh, Program, Register, State};
use super::history::History;
use super::maps::{self, Rejections};
use picaflor_interp::trace::{FragmentTrace, Value as Number};
use serde_json::{Map, Value, json};

/// A trace: its notes by stage, in order.
#[must_use]
pub fn trace_as_json(trace: &FragmentTrace) -> Value {
    let mut stages: Vec<Value> = Vec::new();
    for note in &trace.notes {
        let stage = note.stage.to_string();
        let value =
            json!({ "name": note.name, "value": number(&note.value), "text": note.value.to_string() });
        match stages.last_mut().filter(|last| last["stage"] == *stage) {
            Some(last) => {
                last["notes"].as_array_mut().into_iter().for_each(|notes| notes.push(value.clone()))
            }
            None => stages.push(json!({ "stage": stage, "notes": [value] })),
        }
    }
    json!({ "primitive": trace.primitive, "rejected_by": trace.rejected_by(), "stages": stages })
}

/// A number; what JSON has none for is "nan", "inf" or "-inf", as in `shader run`.
fn float(value: impl Into<f64>) -> Value {
    let value = value.into();
    match value {
        _ if value.is_nan() => json!("nan"),
        f64::INFINITY => json!("inf"),
        f64::NEG_INFINITY => json!("-inf"),
        _ => json!(value),
    }
}

/// The components of a vector.
fn floats<T: Copy + Into<f64>>(values: &[T]) -> Value {
    values.iter().map(|&value| float(value)).collect()
}

fn number(value: &Number) -> Value {
    match value {
        Number::Flag(flag) => json!(flag),
        Number::Integer(value) => json!(value),
        Number::Integers(values) => json!(values),
        Number::Colour(channels) => json!(channels),
        Number::Float(value) => float(*value),
        Number::Floats(values) => floats(values),
        Number::Doubles(values) => floats(values),
        Number::Name(name) => json!(name),
        Number::Texel { level, place, colour } => json!({ "level": level, "place": place, "colour": colour }),
    }
}

fn hex(word: u32) -> String {
    format!("{word:#010x}")
}

fn buffer(of: &Buffer) -> Value {
    json!({
        "address": hex(of.address),
        "width": of.width,
        "height": of.height,
        "format": of.format,
        "depth_address": hex(of.depth_address),
        "rows": if of.is_upward { "upward" } else { "downward" },
    })
}

fn texture(of: &TextureUse) -> Value {
    json!({ "unit": of.unit, "address": hex(of.address), "size": of.size, "format": of.format })
}

impl Action {
    /// The action as JSON.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let [vertices, primitives, fragments] = self.counts;
        json!({
            "index": self.index,
            "kind": self.kind.name(),
            "draw": self.draw,
            "frame": self.frame,
            "event": self.event,
            "what": self.what,
            "vertices": vertices,
            "primitives": primitives,
            "fragments": fragments,
            "bounds": self.bounds.map(|of| [of.x0, of.y0, of.x1, of.y1]),
            "nanoseconds": self.nanoseconds,
            "buffer": self.buffer.as_ref().map(buffer),
            "key": self.key,
            "program": self.program.map(|sum| format!("{sum:08x}")),
            "textures": self.textures.iter().map(texture).collect::<Vec<_>>(),
            "changed_registers": self.changed.len(),
        })
    }
}

impl Entry {
    /// The entry as JSON; `fragments_left_out` only if there are any.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let mut entry = json!({
            "action": self.action.as_json(),
            "outcome": self.outcome(),
            "pixel": self.pixel,
            "before": self.before,
            "after": self.after,
            "traces": self.traces.iter().map(trace_as_json).collect::<Vec<_>>(),
        });
        if self.fragments_left_out > 0 {
            entry["fragments_left_out"] = json!(self.fragments_left_out);
        }
        entry
    }
}

impl History {
    /// Adds the entries to an answer, an object, and the number of those that are left out if there are any.
    pub fn put_into(&self, answer: &mut Value) {
        answer["history"] = self.entries.iter().map(Entry::as_json).collect();
        if self.left_out > 0 {
            answer["entries_left_out"] = json!(self.left_out);
        }
    }
}

/// Named vectors as an object.
fn named(values: &[(String, Vec<f64>)]) -> Value {
    values.iter().map(|(name, value)| (name.clone(), floats(value))).collect::<Map<_, _>>().into()
}

impl Mesh {
    /// The mesh as JSON.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let vertex = |of: &super::MeshVertex| {
            let bytes: String = of.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "index": of.index, "bytes": bytes, "inputs": named(&of.inputs), "outputs": named(&of.outputs) })
        };
        let corners = |of: &Vec<[f64; 3]>| of.iter().map(|corner| floats(corner)).collect::<Value>();
        json!({
            "vertices": self.vertices.iter().map(vertex).collect::<Vec<_>>(),
            "omitted": self.omitted,
            "primitives": self.primitives.iter().map(corners).collect::<Vec<_>>(),
        })
    }
}

impl Program {
    /// The program as JSON.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let step = |of: &super::ProgramStep| {
            let written = of.written.as_ref().map(|(name, before, after)| {
                json!({ "register": name, "before": floats(before), "after": floats(after) })
            });
            json!({ "address": of.address, "text": of.text, "written": written, "flags": of.flags })
        };
        let line = |(address, text): &(u32, String)| json!({ "address": address, "text": text });
        json!({
            "vertex": self.vertex,
            "entry": self.entry,
            "source": self.source,
            "listing": self.listing.iter().map(line).collect::<Vec<_>>(),
            "uniforms": named(&self.uniforms),
            "inputs": named(&self.inputs),
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
            "outputs": named(&self.outputs),
        })
    }
}

impl Rejections {
    /// The fates as JSON.
    #[must_use]
    pub fn as_json(&self) -> Value {
        json!({ "fragments": self.fragments, "stored": self.stored, "rejected": self.by })
    }
}

impl Cost {
    /// The times as JSON, in nanoseconds.
    #[must_use]
    pub fn as_json(self) -> Value {
        json!({ "compiled": self.compiled, "interpreted": self.interpreted })
    }
}

impl maps::Map {
    /// The map as JSON without its pixels: buffer, and numbers of pixels by fate.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let fates: Map<String, Value> =
            self.fates().into_iter().map(|(fate, count)| (fate.name().to_owned(), json!(count))).collect();
        let pixels = || self.pixels.iter();
        json!({
            "address": hex(self.address),
            "width": self.width,
            "height": self.height,
            "draws": self.draws,
            "fragments": self.fragments(),
            "most_fragments": pixels().map(|pixel| pixel.covered).max(),
            "most_nanoseconds": pixels().map(|pixel| pixel.nanoseconds).fold(0.0, f32::max),
            "pixels": fates,
        })
    }
}

/// A state as JSON.
pub(super) fn state(of: &State) -> Value {
    let summary: Map<String, Value> =
        of.summary.iter().map(|(name, text)| (name.clone(), json!(text))).collect();
    let register = |of: &Register| json!({ "number": of.number, "name": of.name, "word": of.word, "meaning": of.meaning });
    json!({
        "key": of.key,
        "summary": summary,
        "registers": of.registers.iter().map(register).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::{MeshVertex, ProgramStep};
    use picaflor_interp::trace::{Note, Stage};

    /// Numbers that JSON lacks are text: `null` once read as 0 in the page.
    #[test]
    fn numbers_that_are_not_finite() {
        let single = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.5];
        let double = single.map(f64::from);
        let told = json!(["nan", "inf", "-inf", -0.5]);
        let named = || vec![("v0".to_owned(), double.to_vec())];
        let vertex = MeshVertex { index: 0, inputs: named(), outputs: named(), bytes: Vec::new() };
        let primitives = vec![vec![[f64::NAN, f64::INFINITY, 2.0]]];
        let mesh = Mesh { vertices: vec![vertex], omitted: 0, primitives }.as_json();
        assert_eq!([&mesh["vertices"][0]["inputs"]["v0"], &mesh["vertices"][0]["outputs"]["v0"]], [&told; 2]);
        assert_eq!(mesh["primitives"], json!([[["nan", "inf", 2.0]]]));
        let step = ProgramStep {
            address: 0,
            text: String::new(),
            written: Some(("r0".into(), single, single)),
            flags: String::new(),
        };
        let program = Program { steps: vec![step], uniforms: named(), ..Program::default() }.as_json();
        let written = &program["steps"][0]["written"];
        assert_eq!([&written["before"], &written["after"], &program["uniforms"]["v0"]], [&told; 3]);
        let note = |value| Note { stage: Stage::one("light"), name: "distance", value };
        let notes =
            [Number::Float(f32::INFINITY), Number::Floats(single.to_vec()), Number::Doubles(double.to_vec())];
        let trace = FragmentTrace { primitive: 0, notes: notes.into_iter().map(note).collect() };
        let trace = trace_as_json(&trace);
        let values: Vec<&Value> = (0..3).map(|n| &trace["stages"][0]["notes"][n]["value"]).collect();
        assert_eq!(values, [&json!("inf"), &told, &told]);
    }

    #[test]
    fn what_a_history_leaves_out() {
        let answer = |history: &History| {
            let mut answer = json!({ "address": "0x04000000" });
            history.put_into(&mut answer);
            answer
        };
        let mut history = History::default();
        history.push(Entry::of_fragments(2, 0));
        let whole = answer(&history);
        assert!(
            whole["address"].is_string()
                && whole["history"][0]["traces"].as_array().is_some_and(|all| all.len() == 2)
        );
        assert!(
            whole.get("entries_left_out").is_none()
                && whole["history"][0].get("fragments_left_out").is_none()
        );
        history.push(Entry::of_fragments(1, 5));
        history.left_out = 3;
        let cut = answer(&history);
        assert_eq!(
            (&cut["history"][1]["fragments_left_out"], &cut["entries_left_out"]),
            (&json!(5), &json!(3))
        );
    }
}
