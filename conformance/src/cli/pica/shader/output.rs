//! The JSON that `shader run` writes.

use picaflor_interp::pica::shader::trace::Trace;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::shader::unit::EmitLatch;
use picaflor_pipeline::pica::vertex::SEMANTICS;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The semantics by name: the first component, and their number.
const NAMES: [(&str, usize, usize); 8] = [
    ("position", 0, 4),
    ("normalquat", 4, 4),
    ("color", 8, 4),
    ("texcoord0", 12, 2),
    ("texcoord1", 14, 2),
    ("texcoord0w", 16, 1),
    ("view", 18, 3),
    ("texcoord2", 22, 2),
];

/// The registers that the mask enables; they lie packed in `component`.
pub(super) fn registers(mask: u16, component: impl Fn(usize) -> f32) -> Map<String, Value> {
    let enabled = (0..16).filter(|n| mask >> n & 1 != 0).enumerate();
    enabled
        .map(|(slot, n)| {
            let values: Vec<f32> = (0..4).map(|i| component(slot * 4 + i)).collect();
            (format!("o{n}"), vector(&values))
        })
        .collect()
}

/// All semantics.
pub(super) fn semantics(values: &[f32; SEMANTICS]) -> Map<String, Value> {
    NAMES.iter().map(|&(name, first, count)| (name.into(), vector(&values[first..first + count]))).collect()
}

/// An emitted vertex: the run that emitted it, its flags, its values.
pub(super) fn emission(run: usize, latch: &EmitLatch, values: Map<String, Value>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("run".into(), json!(run));
    object.insert("id".into(), json!(latch.id));
    object.insert("primitive".into(), json!(latch.primitive));
    object.insert("winding".into(), json!(latch.winding));
    object.extend(values);
    object
}

fn vector(values: &[f32]) -> Value {
    let bits: Vec<String> = values.iter().map(|value| format!("{:#010x}", value.to_bits())).collect();
    let values: Vec<Value> = values.iter().map(|value| number(*value)).collect();
    json!({ "value": values, "bits": bits })
}

/// The shortest decimal with this value; a string for values without a JSON number.
fn number(value: f32) -> Value {
    let text = value.to_string();
    match text.parse::<f64>() {
        Ok(short) if value.is_finite() => json!(short),
        _ if value.is_nan() => json!("nan"),
        _ => json!(text),
    }
}

/// The document: one line for each vertex.
pub(super) fn document(
    name: &str,
    vertices: &[Map<String, Value>],
    faults: &FaultList,
    served: &str,
    traces: Option<&Vec<Trace>>,
) -> String {
    let mut text = String::from("{\n");
    list(&mut text, name, vertices.iter().map(|vertex| json!(vertex)));
    text.push_str(",\n");
    if let Some(traces) = traces {
        list(&mut text, "trace", traces.iter().map(steps));
        text.push_str(",\n");
    }
    list(&mut text, "faults", faults.as_slice().iter().map(|fault| json!(fault.to_string())));
    // Writing to a string cannot fail.
    let _ =
        writeln!(text, ",\n  \"faults_dropped\": {},\n  \"served\": {}\n}}", faults.dropped(), json!(served));
    text
}

fn steps(trace: &Trace) -> Value {
    let mut lines: Vec<String> = trace.steps().iter().map(ToString::to_string).collect();
    if trace.omitted() > 0 {
        lines.push(format!("and {} more", trace.omitted()));
    }
    json!(lines)
}

fn list(text: &mut String, name: &str, items: impl Iterator<Item = Value>) {
    let items: Vec<String> = items.map(|item| format!("\n    {item}")).collect();
    let close = if items.is_empty() { "" } else { "\n  " };
    let _ = write!(text, "  \"{name}\": [{}{close}]", items.join(","));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_what_is_none() {
        let values = [0.1, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e20];
        let text = json!(values.map(number)).to_string();
        assert_eq!(text, r#"[0.1,-0.0,"inf","-inf","nan",1e+20]"#);
    }

    #[test]
    fn a_document_is_json() {
        let vertex = registers(0b101, |k| k as f32);
        let text = document("outputs", &[vertex.clone(), vertex], &FaultList::new(), "x", None);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["outputs"][1]["o2"]["value"], json!([4.0, 5.0, 6.0, 7.0]));
        assert_eq!(value["outputs"][0]["o0"]["bits"][1], "0x3f800000");
        assert_eq!(value["faults"], json!([]));
    }
}
