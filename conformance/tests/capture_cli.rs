//! `demo`, `render`, `diff` and `info`: good and bad captures, exit codes, one-line errors, nothing
//! half-written.

use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::describe;
use picaflor_scenes::pica::Scene;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("picaflor-capture-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("a temporary file");
        path
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }

    fn names(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder");
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
    command.args(args).stdin(Stdio::null());
    command
}

fn picaflor(args: &[&str]) -> Output {
    command(args).output().expect("the binary runs")
}

/// Exit code 0 and nothing on standard error; what is on standard output.
fn text(args: &[&str]) -> String {
    let output = picaflor(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn document(args: &[&str]) -> Value {
    serde_json::from_str(&text(args)).expect("JSON")
}

/// Exit code 1, nothing on standard output, exactly one line which says this.
fn assert_fails(args: &[&str], part: &str) {
    let output = picaflor(args);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {text}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    assert!(text.starts_with("picaflor: error: ") && text.contains(part), "{args:?}: {text}");
}

/// A scene that does not take long.
fn scene() -> Scene {
    Scene::all()[0]
}

fn capture() -> Vec<u8> {
    scene().capture(Precision::Console).to_bytes()
}

/// Size and bytes of a picture.
fn decoded(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = std::fs::File::open(path).expect("the picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    (info.width, info.height, bytes)
}

/// Runs every subcommand that takes a capture.
fn assert_refused(source: &str, folder: &Folder, part: &str) {
    let out = folder.path("out.png");
    assert_fails(&["render", source, "-o", &out], part);
    assert_fails(&["diff", source], part);
    assert_fails(&["info", source], part);
    assert!(!folder.names().contains("out.png"));
}

#[test]
fn files_that_are_no_captures() {
    let folder = Folder::new("wrong");
    for (name, bytes) in [("empty", &b""[..]), ("text", b"[package]\nname = 1\n"), ("short", b"PicaCap")] {
        assert_refused(&folder.write(name, bytes), &folder, "at byte 0 of the capture");
    }
    assert_refused(&folder.path("missing"), &folder, "cannot read");
    assert_refused(&folder.0.to_string_lossy(), &folder, "cannot read");
}

#[test]
fn captures_that_are_cut_off() {
    let folder = Folder::new("truncated");
    let whole = capture();
    for length in [8, 12, 40, whole.len() / 2, whole.len() - 1] {
        let file = folder.write("cut.picacap", &whole[..length]);
        assert_fails(&["info", &file], "of the capture: ");
    }
    assert_refused(&folder.path("cut.picacap"), &folder, "of the capture: ");
    let mut ctf = b"CiTr".to_vec();
    ctf.extend([0; 30]);
    assert_refused(&folder.write("cut.ctf", &ctf), &folder, "of the capture: ");
}

#[test]
fn scenes_and_frames_that_do_not_exist() {
    let folder = Folder::new("unknown");
    assert_refused("scene:atlantis", &folder, "there is no scene `atlantis`; the scenes are ");
    assert_fails(&["demo", "--only", "atlantis", "-o", &folder.path("demo")], "there is no scene `atlantis`");
    assert!(folder.names().is_empty());
    let source = format!("scene:{}", scene().name);
    let out = folder.path("out.png");
    assert_fails(&["render", &source, "-o", &out, "--frame", "99"], "there is no frame 99");
    assert!(folder.names().is_empty());
}

#[test]
fn usage_errors() {
    let all: [&[&str]; 17] = [
        &["render", "ge:tests", "-o", "y", "--precision", "console"],
        &["render", "ge:tests", "-o", "y", "--eye", "both"],
        &["video", "ge:tests", "-o", "y", "--screen", "top"],
        &["render", "scene:x", "-o", "y", "--engine", "interp", "--cache", "folder"],
        &["info", "ge:tests", "--precision", "console"],
        &["bench", "ge:tests", "ge:game", "--precision", "console"],
        &["diff", "ge:tests", "--precision", "both"],
        &["diff", "ge:tests", "--reduce", "5"],
        &["draws", "ge:tests", "--precision", "console"],
        &["render", "scene:x"],
        &["diff"],
        &["info"],
        &["demo", "--threads", "0"],
        &["diff", "x", "--threads", "many"],
        &["render", "x", "-o", "y", "--engine", "gpu"],
        &["diff", "x", "--engine", "interp"],
        &["info", "x", "y"],
    ];
    for args in all {
        let output = picaflor(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn every_help_has_an_example() {
    for name in ["demo", "render", "diff", "info"] {
        let help = text(&[name, "--help"]);
        assert!(help.contains("Example"), "{name}");
        assert!(help.contains(&format!("picaflor {name} ")), "{name}");
    }
}

#[test]
fn demo_writes_the_picture_and_nothing_else() {
    let folder = Folder::new("demo");
    let out = folder.path("pictures");
    let name = scene().name;
    let table = text(&["demo", "--only", name, "-o", &out]);
    let row = table.lines().nth(1).expect("a row");
    assert!(table.starts_with("scene") && row.starts_with(name) && row.ends_with("same"), "{table}");
    assert!(table.lines().filter(|line| line.starts_with(name)).count() == 2, "times and counts: {table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "too wide: {table}");
    let pictures = Folder(out.clone().into());
    assert_eq!(pictures.names(), BTreeSet::from([format!("{name}.png")]));
    let (width, height, _) = decoded(&pictures.0.join(format!("{name}.png")));
    assert!([(400, 240), (400, 480), (320, 240)].contains(&(width, height)), "{width}x{height}");

    // A second time, over the first.
    let json = document(&["demo", "--only", name, "-o", &out, "--json", "--threads", "1"]);
    assert_eq!((&json["same"], &json["scenes"][0]["scene"]), (&true.into(), &name.into()));
    assert!(json["scenes"][0]["fragments"].as_u64() > Some(0));
    assert_eq!(pictures.names().len(), 1);
}

#[test]
fn a_picture_that_cannot_be_written() {
    let folder = Folder::new("unwritable");
    let taken = folder.write("taken", b"a file, not a folder");
    assert_fails(&["demo", "--only", scene().name, "-o", &taken], "cannot make the folder");
    let source = format!("scene:{}", scene().name);
    let out = folder.path("nowhere/out.png");
    let output = picaflor(&["render", &source, "-o", &out]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write"));
    assert_eq!(folder.names().len(), 1);
}

/// A file and its scene, both engines and any number of threads: the same picture.
#[test]
fn render_does_not_depend_on_how() {
    let folder = Folder::new("render");
    let file = folder.write("scene.picacap", &capture());
    let named = format!("scene:{}", scene().name);
    let ways: [&[&str]; 3] =
        [&[&file, "--engine", "interp"], &[&file, "--threads", "3"], &[&named, "--threads", "1"]];
    let pictures = ways.map(|way| {
        let out = folder.path("out.png");
        let output = picaflor(&[&["render"], way, &["-o", &out]].concat());
        assert_eq!(output.status.code(), Some(0), "{way:?}");
        decoded(Path::new(&out))
    });
    assert!(pictures[0].2.iter().any(|&byte| byte != pictures[0].2[0]), "something is to be seen");
    assert!(pictures.iter().all(|picture| *picture == pictures[0]));
    let depth = folder.path("depth.png");
    assert_eq!(picaflor(&["render", &named, "--depth", "-o", &depth]).status.code(), Some(0));
    let (width, height, bytes) = decoded(Path::new(&depth));
    assert_eq!(bytes.len(), (width * height * 2) as usize);
    assert_eq!(folder.names(), ["depth.png", "out.png", "scene.picacap"].map(String::from).into());
}

#[test]
fn diff_of_a_file_in_both_precisions() {
    let folder = Folder::new("diff");
    let file = folder.write("scene.picacap", &capture());
    let json = document(&["diff", &file, "--precision", "both", "--json", "-o", &folder.path("differences")]);
    assert_eq!(json["same"], true);
    let rows = json["captures"].as_array().expect("rows");
    let precisions: Vec<&Value> = rows.iter().map(|row| &row["precision"]).collect();
    assert_eq!(precisions, ["console", "binary32"]);
    for row in rows {
        assert!(row["surfaces"].as_u64() > row["points"].as_u64(), "{row}");
        assert!(row["engines"][1]["compiled"].as_u64() > Some(0), "{row}");
        assert_eq!(row["differences"], Value::Array(Vec::new()));
    }
    assert_eq!(folder.names().len(), 1, "no folder without a difference");
    let table = text(&["diff", &file]);
    assert!(table.starts_with("capture") && table.lines().nth(1).is_some_and(|row| row.ends_with("same")));
}

#[test]
fn info_names_every_register_and_draw() {
    let folder = Folder::new("info");
    let file = folder.write("scene.picacap", &capture());
    let json = document(&["info", &file, "--json"]);
    assert_eq!((&json["about"]["origin"], &json["about"]["frames"]), (&"own recording".into(), &1.into()));
    let items = json["items"].as_array().expect("items");
    let kind = |kind: &'static str| items.iter().filter(move |item| item["kind"] == kind);
    for command in kind("command") {
        let id = command["id"].as_str().and_then(|id| u16::from_str_radix(&id[2..], 16).ok()).expect("an id");
        assert_eq!(command["name"], describe(id).name.as_ref());
    }
    assert!(
        kind("command").any(|item| item["fields"]["depth_func"] == "Greater" || item["name"] == "FINALIZE")
    );
    assert_eq!(kind("draw").count() as u64, json["totals"]["draws"].as_u64().expect("a count"));
    assert!(
        kind("draw").all(|draw| draw["vertices"].as_u64() > Some(0) && draw["state"]["target"].is_string())
    );

    let lists = text(&["info", &file]);
    assert!(lists.contains("DEPTH_COLOR_MASK") && lists.contains("depth_func="));
    let draws = text(&["info", &file, "--draws"]);
    assert!(
        draws.contains(" fragments") && draws.contains("combiner 0") && !draws.contains("DEPTH_COLOR_MASK")
    );
}

#[test]
fn info_counts_the_keys_of_captures() {
    let folder = Folder::new("keys");
    let file = folder.write("scene.picacap", &capture());
    let json = document(&["info", &file, "--keys", "--json"]);
    let keys = json["captures"][0]["keys"].as_object().expect("keys");
    assert_eq!(json["distinct_keys"], keys.len());
    assert!(keys.iter().all(|(key, draws)| key.starts_with("fs") && draws.as_u64() > Some(0)), "{json}");
    let twice = text(&["info", &file, &format!("scene:{}", scene().name), "--keys"]);
    assert!(twice.ends_with(&format!("\n{} distinct keys\n", keys.len())), "{twice}");
    let output = picaflor(&["info", &file, &file]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "picaflor: error: several captures are for --keys\n");
}

/// As in `picaflor info FILE | head`.
#[test]
fn a_reader_may_go_away() {
    let source = format!("scene:{}", scene().name);
    let mut child = command(&["info", &source])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut errors).expect("UTF-8");
    assert_eq!((child.wait().expect("it ends").code(), errors.as_str()), (Some(0), ""));
}
