//! Questions about captures, by command line: each is asked of a bundled scene.

use picaflor_pipeline::ge::capture::{Event, format};
use picaflor_scenes::ge::Scene;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

fn picaflor(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_picaflor")).args(args).output().expect("the command line runs")
}

fn text(args: &[&str]) -> String {
    let output = picaflor(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{args:?}: {line}");
    }
    text
}

fn json(args: &[&str]) -> Value {
    let output = picaflor(&[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The one line of an error.
fn refused(args: &[&str]) -> String {
    let output = picaflor(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    text
}

/// What is said of a wrong use.
fn misused(args: &[&str]) -> String {
    let output = picaflor(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("picaflor-inspect-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn draws(actions: &Value) -> Vec<u64> {
    actions["actions"]
        .as_array()
        .expect("actions")
        .iter()
        .filter_map(|action| action["draw"].as_u64())
        .collect()
}

/// The notes of a stage in a trace, by name.
fn notes<'a>(trace: &'a Value, stage: &str, name: &str) -> Vec<&'a Value> {
    let stages = trace["stages"].as_array().expect("stages").iter();
    let notes =
        stages.filter(|at| at["stage"] == stage).flat_map(|at| at["notes"].as_array().expect("notes"));
    notes.filter(|note| note["name"] == name).map(|note| &note["value"]).collect()
}

/// Question 1: which draw made this pixel. The picture has the bytes that the last trace ends with.
#[test]
fn which_draw_made_this_pixel() {
    for (scene, x, y) in [("scene:transforms", "200", "120"), ("ge:game", "240", "136")] {
        let answer = json(&["pixel", scene, x, y]);
        let history = answer["history"].as_array().expect("a history");
        let last = history.iter().rev().find(|entry| entry["outcome"] == "written").expect("a draw");
        let trace = last["traces"].as_array().expect("traces").last().expect("a trace");
        let stored = notes(trace, "store", "bytes")[0].as_array().expect("bytes");
        assert_eq!(
            Value::from(stored.clone()),
            Value::from(last["after"].as_array().expect("bytes")[..stored.len()].to_vec())
        );
        let rendered = folder("pixel").join("picture.png");
        text(&["render", scene, "-o", rendered.to_str().expect("UTF-8")]);
        let file = std::fs::read(&rendered).expect("a picture");
        let picture = picaflor_conformance::image::Image::from_png(&file).expect("a picture");
        let [r, g, b] = picture.pixel(x.parse().expect("a number"), y.parse().expect("a number"));
        let colour = notes(trace, "store", "colour")[0];
        assert_eq!([&colour[0], &colour[1], &colour[2]], [r, g, b], "{scene}");
        assert!(text(&["pixel", scene, x, y]).contains("stored"));
    }
}

/// Question 2: why was this draw rejected here.
#[test]
fn why_was_this_draw_rejected() {
    let answer = json(&["pixel", "scene:transforms", "200", "120"]);
    let rejected =
        answer["history"].as_array().expect("a history").iter().find(|entry| entry["action"]["draw"] == 9);
    let entry = rejected.expect("draw 9 covers the pixel");
    assert_eq!(entry["outcome"], "rejected by depth test");
    let trace = &entry["traces"][0];
    let [depth, stored] =
        ["depth", "stored"].map(|name| notes(trace, "depth test", name)[0].as_u64().expect("a depth"));
    assert!(depth > 0 && stored > 0 && depth != stored, "{trace}");
    assert_eq!(entry["before"], entry["after"]);
}

/// Question 3: what did combiner stage 3 of this fragment see.
#[test]
fn what_did_a_combiner_stage_see() {
    let answer = json(&["pixel", "scene:combiner_card", "100", "60"]);
    let history = answer["history"].as_array().expect("a history");
    let traces = history.iter().filter_map(|entry| entry["traces"].as_array()).flatten();
    let mut seen = 0;
    for trace in traces {
        assert_eq!(notes(trace, "combiner 3", "previous"), notes(trace, "combiner 2", "result"));
        assert_eq!(notes(trace, "combiner 3", "a")[0].as_array().expect("four bytes").len(), 4);
        seen += 1;
    }
    assert!(seen > 0, "{answer}");
}

/// Question 4: which palette entry.
#[test]
fn which_palette_entry() {
    let palettes = json(&["draws", "ge:formats"]);
    let indexed = palettes["actions"].as_array().expect("actions").iter().find(|action| {
        action["textures"].as_array().is_some_and(|all| {
            all.iter().any(|of| of["format"].as_str().is_some_and(|format| format.starts_with("Indexed")))
        })
    });
    let number = indexed.expect("a draw with a palette")["draw"].as_u64().expect("a number");
    let draw = number.to_string();
    let folder = folder("palette");
    text(&["dump", "ge:formats", "--draw", &draw, "-o", folder.to_str().expect("UTF-8")]);
    let mesh = std::fs::read(folder.join("mesh.json")).expect("a mesh");
    let mesh: Value = serde_json::from_slice(&mesh).expect("JSON");
    std::fs::remove_dir_all(&folder).expect("the folder");
    let corners = mesh["primitives"][0].as_array().expect("corners").clone();
    let middle = |k: usize| {
        let sum: f64 = corners.iter().map(|corner| corner[k].as_f64().expect("a number")).sum();
        ((sum / corners.len() as f64) as u32).to_string()
    };
    let answer = json(&["pixel", "ge:formats", &middle(0), &middle(1), "--draw", &draw]);
    let history = answer["history"].as_array().expect("a history");
    let entry = history.iter().find(|entry| entry["action"]["draw"] == number).expect("it covers its middle");
    let [index, entry] =
        ["index", "palette entry"].map(|name| notes(&entry["traces"][0], "texture", name)[0].clone());
    assert!(index.is_u64() && entry.as_u64().is_some_and(|entry| entry < 512), "{answer}");
}

/// Questions 5 and 10: which vertex is wrong, what did the program do at a step.
#[test]
fn vertices_and_steps() {
    let folder = folder("dump");
    let path = folder.to_str().expect("UTF-8");
    text(&["dump", "scene:transforms", "--draw", "1", "--vertex", "2", "-o", path]);
    let read = |name: &str| std::fs::read(folder.join(name)).expect(name);
    let mesh: Value = serde_json::from_slice(&read("mesh.json")).expect("JSON");
    let vertex = &mesh["vertices"][2];
    assert!(vertex["inputs"]["v0"].is_array() && vertex["outputs"]["position"].is_array(), "{vertex}");
    let program: Value = serde_json::from_slice(&read("program.json")).expect("JSON");
    let steps = program["steps"].as_array().expect("steps");
    assert!(steps.len() > 4, "{steps:?}");
    assert!(steps.iter().any(|step| step["written"]["before"] != step["written"]["after"]));
    assert!(String::from_utf8(read("mesh.obj")).expect("UTF-8").contains("\nf 1 2 3"));
    let source = String::from_utf8(read("program.v.pica")).expect("UTF-8");
    assert!(source.contains("dp4") || source.contains("mul") || source.contains("mov"), "{source}");
    for name in ["before-colour.png", "after-colour.png", "after-depth.png", "state.json", "program.shbin"] {
        assert!(!read(name).is_empty());
    }
    text(&["dump", "ge:game", "--draw", "2", "-o", path]);
    let mesh: Value = serde_json::from_slice(&read("mesh.json")).expect("JSON");
    assert!(
        mesh["vertices"][0]["bytes"].as_str().is_some_and(|bytes| bytes.len() >= 8),
        "{}",
        mesh["vertices"][0]
    );
    assert!(!read("texture-0-level-0.png").is_empty());
    // Palette and tables of draws that have them.
    let palette =
        |of: &Value| of["textures"][0]["format"].as_str().is_some_and(|format| format.starts_with("Indexed"));
    let formats = json(&["draws", "ge:formats"]);
    let indexed =
        formats["actions"].as_array().expect("actions").iter().find(|of| palette(of)).expect("a palette");
    text(&["dump", "ge:formats", "--draw", &indexed["draw"].to_string(), "-o", path]);
    let palette: Value = serde_json::from_slice(&read("palette.json")).expect("JSON");
    assert!(palette[0].as_array().is_some_and(|entry| entry.len() == 4) && !read("palette.png").is_empty());
    text(&["dump", "scene:spot_light", "--draw", "1", "-o", path]);
    let tables: Value = serde_json::from_slice(&read("tables.json")).expect("JSON");
    assert_eq!(tables["D0"].as_array().map(Vec::len), Some(256));
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// A vertex that a draw lacks is refused, and no folder is made: the files of the program once were left out.
#[test]
fn vertices_that_do_not_exist() {
    let folder = folder("no-vertex");
    let made = folder.join("draw");
    for scene in ["scene:transforms", "ge:game"] {
        let path = made.to_str().expect("UTF-8");
        let why = refused(&["dump", scene, "--draw", "1", "--vertex", "99999", "-o", path]);
        assert!(why.contains("draw 1 has no vertex 99999; it has ") && !made.exists(), "{why}");
    }
    let why = refused(&["shader", "show", "scene:transforms", "--draw", "1", "--vertex", "99999"]);
    assert!(why.contains("draw 1 has no vertex 99999; it has "), "{why}");
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// Question 10: what did the program do at step 5.
#[test]
fn what_did_the_program_do() {
    let steps = text(&["shader", "show", "scene:transforms", "--draw", "1", "--vertex", "2"]);
    assert!(steps.contains("inputs\n  v0") && steps.contains("outputs\n  o0"), "{steps}");
    let step = text(&["shader", "show", "scene:transforms", "--draw", "1", "--vertex", "2", "--step", "5"]);
    assert!(step.lines().nth(1).is_some_and(|line| line.starts_with("   5  ")), "{step}");
    let why = refused(&["shader", "show", "scene:transforms", "--draw", "1", "--step", "9999"]);
    assert!(why.contains("there is no step 9999"), "{why}");
    assert!(refused(&["shader", "show", "ge:game", "--draw", "1"]).contains("program"));
    // The source assembles to the program of the draw.
    let source = text(&["shader", "show", "scene:transforms", "--draw", "1", "--source"]);
    assert!(source.contains("end"), "{source}");
}

/// The words of a capture that was cut lie in no list.
#[test]
fn words_that_are_in_no_list() {
    let folder = folder("no-list");
    let path = folder.join("cut.pcap");
    let cut = path.to_str().expect("UTF-8");
    text(&["cut", "ge:game", "--draws", "3..5", "-o", cut]);
    let info = json(&["info", cut]);
    let mut items = info["items"].as_array().expect("items").iter();
    let words = &items.find(|item| item["kind"] == "execute").expect("words")["words"];
    let words = words.as_array().expect("words");
    assert_eq!(words.len(), info["totals"]["commands"], "{info}");
    assert!(words.iter().all(|word| word["address"].is_null() && word["word"].is_string()));
    assert!(words.iter().any(|word| word["name"] == "PRIM"), "{words:?}");
    let text = String::from_utf8(picaflor(&["info", cut]).stdout).expect("UTF-8");
    let line = format!("  {:8}  {}  {}", "", words[0]["word"].as_str().expect("a word"), "");
    assert!(text.lines().any(|one| one.starts_with(line.trim_end())), "{text}");
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// Counters at the end, as an object, of both machines and with `--draws` too.
#[test]
fn totals_in_info() {
    for (scene, counters) in
        [("ge:game", ["runs", "draws", "transfers"]), ("scene:transforms", ["lists", "draws", "transfers"])]
    {
        let [whole, draws] = [&["info", scene][..], &["info", scene, "--draws"]].map(json);
        assert_eq!(whole["totals"], draws["totals"], "{scene}");
        for counter in counters.into_iter().chain(["commands", "more_faults"]) {
            assert!(whole["totals"][counter].is_u64(), "{scene}: {counter}");
        }
        assert!(whole["totals"]["faults"].is_array(), "{scene}");
        let is_draw = |item: &&Value| item["kind"] == "draw";
        let items = draws["items"].as_array().expect("items");
        assert_eq!(items.iter().filter(is_draw).count(), whole["totals"]["draws"], "{scene}");
        let text = String::from_utf8(picaflor(&["info", scene, "--draws"]).stdout).expect("UTF-8");
        let last = text.lines().last().expect("a line");
        assert!(last.contains(&format!("{} draws", whole["totals"]["draws"])), "{scene}: {last}");
    }
}

/// Every draw of the GE with its counts and changes.
#[test]
fn draws_in_info() {
    let info = picaflor(&["info", "ge:game", "--draws"]);
    let text = String::from_utf8(info.stdout).expect("UTF-8");
    assert!(text.contains("  draw 31: 4 vertices, 3 primitives, 10 pixels\n"), "{text}");
    assert!(text.contains("    TBP0 (texture address, level 0)") || text.contains("    TBP0"), "{text}");
    let items = json(&["info", "ge:game", "--draws"]);
    assert!(items["items"].as_array().expect("items").iter().any(|item| item["kind"] == "draw"));
}

/// Question 6: why is this draw empty.
#[test]
fn why_is_a_draw_empty() {
    let scenes = [
        ("scene:immediate_mode", "by alpha test"),
        ("scene:alpha_test", "every primitive is culled"),
        ("ge:clipping", "by depth range"),
        ("ge:tests", "by alpha test"),
    ];
    for (scene, why) in scenes {
        let answer = json(&["draws", scene, "--empty"]);
        let empty = answer["actions"].as_array().expect("actions");
        assert!(!empty.is_empty() && empty.iter().all(|action| action["fates"]["stored"] == 0), "{answer}");
        assert!(text(&["draws", scene, "--empty"]).contains(why), "{scene}");
    }
}

/// Question 7: what changed between two draws.
#[test]
fn what_changed_between_draws() {
    let answer = json(&["draws", "ge:game", "--differ", "1", "2"]);
    let registers = answer["registers"].as_array().expect("registers");
    assert!(!registers.is_empty());
    assert!(registers.iter().all(|register| register["a"] != register["b"]));
    assert!(refused(&["draws", "ge:game", "--differ", "1", "999"]).contains("there is no draw 999"));
}

/// Vertices of a draw are its own, not those of a box that was tested before it.
#[test]
fn boxes_are_not_counted_as_vertices_of_draws() {
    let answer = json(&["draws", "ge:lists", "--only", "1..3"]);
    let vertices = answer["actions"].as_array().expect("actions").iter().map(|action| &action["vertices"]);
    assert!(vertices.eq(&[Value::from(240), Value::from(1440)]), "{answer}");
}

#[test]
fn draws_behind_the_last_one_are_refused() {
    for range in ["57..99", "500..501"] {
        let first = range.split_once('.').expect("a range").0;
        let why = refused(&["draws", "ge:lists", "--only", range]);
        assert!(why.contains(&format!("there is no draw {first}; the capture has 57")), "{why}");
    }
}

/// Question 8: where is the frame's time, in both engines.
#[test]
fn where_is_the_time() {
    for scene in ["ge:game", "scene:transforms"] {
        let answer = json(&["draws", scene, "--slowest", "3"]);
        let actions = answer["actions"].as_array().expect("actions");
        let times = |engine: &str| -> Vec<u64> {
            actions.iter().filter_map(|of| of["cost"][engine].as_u64()).collect()
        };
        let compiled = times("compiled");
        assert_eq!(compiled.len(), 3);
        assert!(compiled.is_sorted_by(|a, b| a >= b) && compiled[2] > 0, "{compiled:?}");
        assert!(times("interpreted").iter().all(|&time| time > 0), "{answer}");
        let text = text(&["draws", scene, "--cost"]);
        assert!(text.contains("interp'ed") && text.contains("together:"), "{text}");
        // Without compiled code there is one time.
        let answer = json(&["draws", scene, "--slowest", "1", "--engine", "interp"]);
        let cost = &answer["actions"][0]["cost"];
        assert!(cost["compiled"].is_null() && cost["interpreted"].as_u64().is_some_and(|time| time > 0));
    }
}

/// Maps of a buffer: as many pixels of each colour as the numbers say, and as many fragments as draws have.
#[test]
fn maps_of_a_buffer() {
    let folder = folder("maps");
    for scene in ["ge:tests", "scene:alpha_test"] {
        let path = folder.join("map.png");
        let file = path.to_str().expect("UTF-8");
        // Without the first draw, which covers everything.
        let answer = json(&["draws", scene, "--map", "coverage", file, "--only", "1..1000"]);
        let read = || {
            let file = std::fs::read(&path).expect("a picture");
            picaflor_conformance::image::Image::from_png(&file).expect("a picture")
        };
        let picture = read();
        let count = |colour: [u8; 3]| {
            let places = (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (x, y)));
            places.filter(|&(x, y)| picture.pixel(x, y) == colour).count()
        };
        let colours = [
            ("never covered", [0, 0, 0]),
            ("covered, never stored", [214, 60, 50]),
            ("stored, some rejected", [222, 170, 50]),
            ("stored, none rejected", [40, 120, 170]),
        ];
        for (name, colour) in colours {
            assert_eq!(answer["pixels"][name], count(colour), "{scene}: {name}");
        }
        assert!(count(colours[1].1) > 0 && count(colours[3].1) > 0, "{scene}: {answer}");
        let all = json(&["draws", scene]);
        let address = answer["address"].as_str().expect("an address");
        let actions = all["actions"].as_array().expect("actions").iter();
        let of_buffer = actions.filter(|of| of["buffer"]["address"] == address && of["draw"] != 0);
        let fragments: u64 = of_buffer.filter_map(|of| of["fragments"].as_u64()).sum();
        assert_eq!(answer["fragments"], fragments, "{scene}");
        let costs = json(&["draws", scene, "--map", "cost", file, "--buffer", address]);
        assert!(costs["most_nanoseconds"].as_f64().is_some_and(|most| most > 0.0), "{costs}");
        assert_ne!(read().to_png(), picture.to_png());
        assert!(text(&["draws", scene, "--map", "overdraw", file]).contains("never covered"));
    }
    assert!(misused(&["draws", "ge:game", "--map", "coveragee", "-"]).contains("did you mean `coverage`?"));
    assert!(misused(&["draws", "ge:game", "--map", "cost", "-", "--json"]).contains("no place for --json"));
    assert!(refused(&["draws", "ge:game", "--map", "cost", "-", "--only", "999"]).contains("no draw 999"));
    assert!(
        refused(&["draws", "ge:game", "--map", "cost", "-", "--buffer", "1"]).contains("no draw has covered")
    );
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// Draws in the same state, and how they differ from another one.
#[test]
fn draws_in_the_same_state() {
    for scene in ["ge:game", "scene:game_frame"] {
        let all = json(&["draws", scene]);
        let actions = all["actions"].as_array().expect("actions").iter();
        let firsts: Vec<u64> = actions.filter_map(|of| of["first_in_state"].as_u64()).collect();
        let draw = (0..firsts.len()).rev().find(|&draw| firsts[draw] != draw as u64).expect("a group");
        let found = draws(&json(&["draws", scene, "--same-state", &draw.to_string()]));
        let expected: Vec<u64> =
            (0..).zip(&firsts).filter(|(_, first)| **first == firsts[draw]).map(|(n, _)| n).collect();
        assert!(found == expected && found.len() > 1 && found.len() < firsts.len(), "{scene}: {found:?}");
        assert!(text(&["draws", scene, "--same-state", &draw.to_string()]).contains(&format!("{draw:>8} ")));
    }
    assert!(refused(&["draws", "ge:game", "--same-state", "999"]).contains("there is no draw 999"));
}

/// Question 9: which draws read this texture, touch this rectangle, have this register value.
#[test]
fn search() {
    let all = json(&["draws", "ge:game"]);
    let texture = all["actions"]
        .as_array()
        .expect("actions")
        .iter()
        .find_map(|action| action["textures"][0]["address"].as_str());
    let texture = texture.expect("a texture");
    let found = draws(&json(&["draws", "ge:game", "--texture", texture]));
    assert!(!found.is_empty() && found.len() < draws(&all).len());
    let touching = draws(&json(&["draws", "ge:game", "--touching", "240,136,241,137"]));
    let whole = draws(&json(&["draws", "ge:game", "--touching", "0,0,480,272"]));
    assert!(!touching.is_empty() && touching.len() < whole.len());
    let history = json(&["pixel", "ge:game", "240", "136"]);
    let last = history["history"].as_array().expect("a history").last().expect("an entry")["action"]["draw"]
        .as_u64();
    assert!(last.is_none_or(|draw| touching.contains(&draw)));
    let on = draws(&json(&["draws", "ge:game", "--register", "TME=1"]));
    assert!(on.len() > 1 && on.len() < draws(&all).len());
    let program = |of: &Value| of["program"].as_str().map(str::to_uppercase);
    let all = json(&["draws", "scene:transforms"]);
    let sum = all["actions"].as_array().expect("actions").iter().find_map(program).expect("a program");
    for text in [sum.to_lowercase(), sum.clone(), format!("0x{sum}")] {
        assert!(!draws(&json(&["draws", "scene:transforms", "--program", &text])).is_empty(), "{text}");
    }
    for [option, value] in [["--program", "xyz"], ["--touching", "100,x,20,108,28"]] {
        assert_eq!(picaflor(&["draws", "ge:game", option, value]).status.code(), Some(2), "{option}");
    }
    assert!(refused(&["draws", "ge:game", "--register", "NOPE=1"]).contains("there is no register `NOPE`"));
}

/// Question 11: what differs between two captures.
#[test]
fn what_differs_between_captures() {
    let same = picaflor(&["compare", "scene:transforms", "scene:transforms"]);
    assert_eq!(same.status.code(), Some(0));
    let other = picaflor(&["compare", "scene:transforms", "scene:alpha_test", "--json"]);
    assert_eq!(other.status.code(), Some(1));
    let other: Value = serde_json::from_slice(&other.stdout).expect("JSON");
    assert_eq!(other["different"][0]["draw"], 0);
    assert!(refused(&["compare", "scene:transforms", "ge:game"]).contains("the captures are of"));
}

/// Captures once were the same if their draws were, whatever the screens showed.
#[test]
fn captures_that_differ_behind_their_draws() {
    let folder = folder("behind");
    let capture = Scene::by_name("sprites").expect("a scene").capture();
    let end = capture.events.iter().rposition(|event| matches!(event, Event::Display(_))).expect("a frame");
    let written = |name: &str, event: Event| {
        let mut capture = capture.clone();
        capture.events.insert(end, event);
        let path = folder.join(name);
        std::fs::write(&path, format::write(&capture)).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let longer = written("longer", capture.events[end].clone());
    let painted = written("painted", Event::Memory { address: 0x0400_0000, bytes: [0x55; 4096].into() });
    for (other, frames, has_same_screens) in [(longer, [1, 2], true), (painted, [1, 1], false)] {
        let output = picaflor(&["compare", "ge:sprites", &other, "--json"]);
        assert_eq!(output.status.code(), Some(1));
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&json["frames"], &json["same_screens"]), (&json!(frames), &json!(has_same_screens)));
        assert_eq!((&json["different"], &json["same"]), (&json!([]), &json!(false)));
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// Options that once were accepted and had no effect.
#[test]
fn questions_that_exclude_each_other() {
    for more in [&["--texture", "0"][..], &["--empty"], &["--cost"], &["--changes"], &["--same-state", "1"]] {
        misused(&[&["draws", "ge:game", "--map", "coverage", "-"], more].concat());
        misused(&[&["draws", "ge:game", "--differ", "0", "1"], more].concat());
    }
    misused(&["draws", "ge:game", "--differ", "0", "1", "--map", "coverage", "-"]);
    misused(&["draws", "ge:game", "--differ", "0", "1", "--only", "1"]);
    misused(&["draws", "ge:game", "--register", "foo"]);
    misused(&["draws", "ge:game", "--register", "TME=zz"]);
    misused(&["draws", "ge:game", "--engine", "nope"]);
}

/// Files of a dump are those of its draw.
#[test]
fn a_dump_into_a_used_folder() {
    let folder = folder("used");
    let path = folder.to_str().expect("UTF-8");
    std::fs::write(folder.join("notes.txt"), "mine").expect("a file");
    let first = json(&["dump", "scene:transforms", "--draw", "1", "-o", path]);
    assert!(first["files"].as_array().expect("files").contains(&json!("program.shbin")));
    let second = json(&["dump", "ge:game", "--draw", "1", "-o", path]);
    let mut expected: Vec<_> =
        second["files"].as_array().expect("files").iter().filter_map(Value::as_str).collect();
    expected.push("notes.txt");
    expected.sort_unstable();
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort_unstable();
    assert_eq!(names, expected);
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// Question 12: a capture cut to the draws that matter still draws them.
#[test]
fn cut_to_the_draws_that_matter() {
    let folder = folder("cut");
    for (scene, x, y, keep) in
        [("scene:transforms", "200", "120", "0..1"), ("ge:game", "240", "136", "16..32")]
    {
        let file = folder.join("small.pcap");
        let path = file.to_str().expect("UTF-8");
        let all = draws(&json(&["draws", scene])).len();
        text(&["cut", scene, "--draws", keep, "-o", path]);
        let left = draws(&json(&["draws", path])).len();
        assert!(left < all, "{scene}: {left} of {all}");
        let last = |source: &str| {
            let history = json(&["pixel", source, x, y]);
            let written = history["history"]
                .as_array()
                .expect("a history")
                .iter()
                .rev()
                .find(|of| of["outcome"] == "written")
                .cloned();
            written.expect("a draw")["after"].clone()
        };
        assert_eq!(last(scene), last(path), "{scene}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// What begins with a state begins with its registers.
#[test]
fn a_whole_cut_is_the_same() {
    let folder = folder("whole-cut");
    for scene in ["scene:fog", "ge:lights", "ge:game"] {
        let file = folder.join("all.pcap");
        let path = file.to_str().expect("UTF-8");
        let all = format!("0..{}", draws(&json(&["draws", scene])).len());
        text(&["cut", scene, "--draws", &all, "-o", path]);
        let compared = picaflor(&["compare", scene, path]);
        assert!(compared.status.success(), "{}", String::from_utf8_lossy(&compared.stdout));
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn bad_input_is_one_line() {
    for [x, y] in [["512", "0"], ["9999", "0"], ["0", "272"], ["0", "9999"]] {
        let why = refused(&["pixel", "ge:game", x, y, "--draw", "0"]);
        assert!(why.contains(&format!("the colour buffer of draw 0 has no pixel ({x}, {y})")), "{why}");
    }
    assert!(refused(&["pixel", "scene:transforms", "4000", "120"]).contains("has no pixel (4000, 120)"));
    assert!(
        refused(&["pixel", "scene:transforms", "1", "1", "--draw", "99"]).contains("there is no draw 99")
    );
    assert!(
        refused(&["dump", "scene:transforms", "--draw", "99", "-o", "/tmp"]).contains("there is no draw 99")
    );
    assert!(
        refused(&["cut", "scene:transforms", "--draws", "0..999", "-o", "-"]).contains("there is no draw")
    );
    assert!(refused(&["draws", "/does/not/exist"]).contains("cannot read"));
    assert_eq!(picaflor(&["cut", "scene:transforms", "--draws", "5..2", "-o", "-"]).status.code(), Some(2));
}
