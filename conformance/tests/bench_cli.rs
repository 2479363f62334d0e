//! `picaflor bench` as somebody at a terminal sees it.

use picaflor_scenes::pica::Scene;
use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn picaflor(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
    command.args(args).stdin(Stdio::null()).output().expect("the binary runs")
}

/// Exit code 0 and nothing on standard error; what is on standard output.
fn text(args: &[&str]) -> String {
    let output = picaflor(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn document(args: &[&str]) -> Value {
    serde_json::from_str(&text(args)).expect("JSON")
}

/// A scene that does not take long.
fn source() -> String {
    format!("scene:{}", Scene::all()[0].name)
}

#[test]
fn a_row_for_each_engine_and_number_of_threads() {
    let json = document(&["bench", &source(), "--seconds", "0", "--threads", "1,3", "--json"]);
    let capture = &json["captures"][0];
    assert_eq!((&capture["capture"], &capture["precision"]), (&source().into(), &"console".into()));
    assert!(capture["draws"].as_u64() > Some(0) && capture["fragments"].as_u64() > Some(0));
    assert!(capture["decode_ms"].as_f64() > Some(0.0), "{capture}");
    let rows = capture["rows"].as_array().expect("rows");
    let named: Vec<_> = rows.iter().map(|row| (&row["engine"], &row["cold"], &row["threads"])).collect();
    let expected = [1, 3].map(|threads| {
        [("interp", false), ("jit", true), ("jit", false)].map(|(name, cold)| (name, cold, threads))
    });
    let expected: Vec<(Value, Value, Value)> = expected
        .iter()
        .flatten()
        .map(|&(name, cold, threads)| (name.into(), cold.into(), threads.into()))
        .collect();
    assert!(named.iter().copied().eq(expected.iter().map(|(name, cold, threads)| (name, cold, threads))));
    for row in rows {
        let ms = &row["ms_per_frame"];
        for stage in ["frame", "median", "commands", "vertices", "fragments", "transfers", "player"] {
            assert!(ms[stage].as_f64() > Some(0.0), "{stage}: {row}");
        }
        assert!(ms["frame"].as_f64() <= ms["median"].as_f64(), "{row}");
        assert!(row["frames_per_second"].as_f64() > Some(0.0) && row["ns_per_fragment"].as_f64() > Some(0.0));
        assert_eq!(
            row["routines"].as_u64().is_some_and(|routines| routines > 0),
            row["cold"] == true,
            "{row}"
        );
    }
}

#[test]
fn the_table_has_the_same_rows() {
    let table = text(&["bench", &source(), "--seconds", "0.01", "--threads", "1", "--precision", "binary32"]);
    let lines: Vec<_> = table.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines[0].starts_with(&source()) && lines[0].ends_with("binary32"), "{table}");
    let names = ["engine", "interp", "jit, cold", "jit"];
    assert_eq!(lines.len(), 1 + names.len(), "{table}");
    assert!(lines[1..].iter().zip(names).all(|(line, name)| line.starts_with(name)), "{table}");
    let one = text(&["bench", &source(), "--seconds", "0", "--threads", "1", "--engine", "interp"]);
    assert!(!one.contains("jit"), "{one}");
}

#[test]
fn first_frames_of_several_captures() {
    let source = source();
    let args = ["bench", &source, &source, "--first-frames", "--threads", "1,2"];
    let json = document(&[&args[..], &["--json"]].concat());
    assert_eq!(json["captures"].as_array().map(Vec::len), Some(2));
    for row in json["captures"].as_array().into_iter().flatten().flat_map(|capture| {
        capture["first_frames"].as_array().expect("a row for each number of threads").iter()
    }) {
        let frames = row["frames"].as_array().expect("frames");
        assert!(row["frames_until_steady"].as_u64() < Some(frames.len() as u64), "{row}");
        let interpreted = |what| frames[0][what].as_u64().expect("a count");
        assert!(interpreted("interpreted_tiles") + interpreted("interpreted_batches") > 0, "{row}");
        assert!(row["longest_wait_us"].as_f64() >= row["longest_wait_of_first_frame_us"].as_f64());
        assert!(row["routines"].as_u64() > Some(0) && row["compile_ms"].as_f64() > Some(0.0), "{row}");
    }
    let table = text(&args);
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(table.starts_with("capture") && table.lines().skip(1).all(|line| line.starts_with(&source)));
}

#[test]
fn what_cannot_be_measured() {
    let fails = |args: &[&str], code: i32, part: &str| {
        let output = picaflor(args);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(output.stdout.is_empty() && text.contains(part), "{args:?}: {text}");
    };
    fails(&["bench", "scene:atlantis"], 1, "there is no scene `atlantis`");
    fails(&["bench", "/nowhere/at.all"], 1, "cannot read");
    fails(&["bench"], 2, "CAPTURE");
    fails(&["bench", "x", "--threads", "1,0"], 2, "a number of threads is 1 to 256");
    fails(&["bench", "x", "--seconds", "-1"], 2, "");
    fails(&["bench", "x", "--seconds", "NaN"], 2, "a number of seconds is 0 to 3600");
    fails(&["bench", "x", "--engine", "gpu"], 2, "gpu");
    fails(&["bench", "x", "--first-frames", "--engine", "jit"], 2, "--first-frames");
    assert!(text(&["bench", "--help"]).contains("picaflor bench "));
}
