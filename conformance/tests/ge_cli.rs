//! The command line with a frame dump of the PSP, and with the same in the own format.

use picaflor_conformance::image::Image;
use picaflor_pipeline::ge::capture::format;
use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A green screen in clear mode.
fn dump() -> Vec<u8> {
    let corner = |x: u16, y: u16| {
        let mut bytes = 0xff00_ff00_u32.to_le_bytes().to_vec();
        bytes.extend([x, y, 0, 0].into_iter().flat_map(u16::to_le_bytes));
        bytes
    };
    let mut writer = Writer::default();
    writer
        .words(0, &[0; ppdmp::CONTEXT_WORDS])
        .words(1, &[0x9c00_0000, 0x9d00_0200, 0xd200_0003, 0xd300_0301, 0x16ff_ffff])
        .words(1, &[0xd504_3ddf, 0x1280_011c])
        .record(2, &[corner(0, 0), corner(480, 272)].concat())
        .words(1, &[0x0406_0002])
        .words(9, &[0x0400_0000, 512, 3]);
    writer.file(6)
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("picaflor-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn with(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn picaflor(arguments: &[&str], file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_picaflor")).args(arguments).arg(file).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_dump_and_its_capture() {
    let folder = Folder::new("ge-cli");
    let (capture, _) = ppdmp::translate(&ppdmp::read(&dump()).unwrap(), Lists::Long).unwrap();
    for (name, bytes) in [("green.ppdmp", dump()), ("green.picacap", format::write(&capture))] {
        let file = folder.with(name, &bytes);
        let picture = folder.0.join("green.png");
        let rendered = picaflor(&["render", "-o", picture.to_str().unwrap()], &file);
        assert!(rendered.status.success(), "{}", String::from_utf8_lossy(&rendered.stderr));
        let image = Image::from_png(&fs::read(&picture).unwrap()).unwrap();
        assert_eq!(image, Image::new(480, 272, [0, 255, 0]), "{name}");
        let info = text(&picaflor(&["info"], &file));
        assert!(info.contains("PRIM (draw): count 2") && info.contains("1 draws"), "{info}");
        let bench = text(&picaflor(&["bench", "--seconds", "0", "--engine", "interp"], &file));
        assert!(bench.contains("1 frame, 1 draws, 2 vertices, 1 primitives, 130 560 pixels"), "{bench}");
    }
    let damaged = folder.with("damaged.ppdmp", &dump()[..40]);
    let output = picaflor(&["info"], &damaged);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the file ends too early"));
}

#[test]
fn values_of_a_console() {
    let folder = Folder::new("ge-hardware");
    folder.with("green.ppdmp", &dump());
    folder.with("green.expected.png", &Image::new(480, 272, [0, 255, 0]).to_png());
    let table = "D 5 04000000 4 0 ff00ff00 exact 1 | green\nD 4 04000000 4 0 ??000000 hwdiff 2 | before\n";
    folder.with("green.hw", table.as_bytes());
    let output = text(&picaflor(&["hardware", "--data"], &folder.0));
    let rows: Vec<Vec<&str>> = output.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["green", "1", "of", "1", "1", "of", "1", "-", "equal"], "{output}");
    folder.with("green.hw", table.replace("ff00ff00", "ff00ff01").as_bytes());
    let output = picaflor(&["hardware", "--verbose", "--data"], &folder.0);
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("at 04000000 after 5 records: ff00ff00 instead of ff00ff01"), "{printed}");
}

/// Exit code 0 and nothing on standard error; the document on standard output.
fn document(args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_picaflor")).args(args).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// With several numbers of threads there is a comparison for each, and small draws are shared out, too.
#[test]
fn diff_on_several_threads() {
    let folder = Folder::new("ge-threads");
    let file = folder.with("green.ppdmp", &dump()).to_string_lossy().into_owned();
    let json = document(&["diff", &file, "ge:television", "--threads", "1,2,3", "--json"]);
    let rows = json["captures"].as_array().unwrap();
    let threads: Vec<_> = rows.iter().map(|row| row["threads"].as_u64().unwrap()).collect();
    assert_eq!((&json["same"], threads), (&true.into(), vec![1, 2, 3, 1, 2, 3]));
    for row in rows {
        assert!(row["machine"] == "GE" && row["surfaces"].as_u64() > row["points"].as_u64(), "{row}");
        assert!(row["engines"][1]["compiled"].as_u64() > Some(0), "{row}");
        assert!(row["draws"].as_u64() > Some(0) && row["notes"] == Value::Array(Vec::new()), "{row}");
    }
    assert_eq!(rows[4]["capture"], "ge:television, threads: 2");
}

/// Both machines in one table, in shards, put together again.
#[test]
fn captures_of_both_machines_in_shards() {
    let folder = Folder::new("ge-shards");
    let path = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    let results = [0, 1].map(|shard| path(&format!("{shard}.jsonl")));
    for (shard, results) in results.iter().enumerate() {
        let shard = format!("{shard}/2");
        let args = ["diff", "scene:primitives", "ge:lists", "--threads", "1", "--json"];
        let json = document(&[&args[..], &["--shard", &shard, "--results", results]].concat());
        assert_eq!(json["captures"].as_array().map(Vec::len), Some(1));
    }
    let junit = path("all.xml");
    let merged = document(&["merge", &results[0], &results[1], "--json", "--junit", &junit]);
    let kinds: Vec<_> = merged["captures"].as_array().unwrap().iter().map(|row| &row["machine"]).collect();
    assert_eq!(kinds, [&Value::Null, &"GE".into()]);
    let junit = fs::read_to_string(junit).unwrap();
    assert!(junit.contains("classname=\"picaflor.jit.GE\" name=\"ge:lists\""), "{junit}");
    // What is done is not done again.
    let again = document(&["diff", "scene:primitives", "ge:lists", "--json", "--results", &results[1]]);
    assert_eq!(again["captures"].as_array().map(Vec::len), Some(2));
}

#[test]
fn captures_from_standard_input() {
    for args in [&["diff", "-", "--threads", "1"][..], &["info", "-"], &["bench", "-", "--seconds", "0"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_picaflor"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&dump()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("GE"), "{args:?}: {text}");
    }
}

/// A wrong file is one line and exit code 1, a wrong option exit code 2.
#[test]
fn what_cannot_be_done() {
    let folder = Folder::new("ge-wrong");
    let file = |name: &str, bytes: &[u8]| folder.with(name, bytes).to_string_lossy().into_owned();
    let (green, cut) = (file("green.ppdmp", &dump()), file("cut.ppdmp", &dump()[..dump().len() - 9]));
    let (capture, _) = ppdmp::translate(&ppdmp::read(&dump()).unwrap(), Lists::Long).unwrap();
    let own = format::write(&capture);
    let own = file("cut.picacap", &own[..own.len() - 3]);
    let fails = |args: &[&str], code: i32, part: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_picaflor")).args(args).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {errors}");
        assert!(output.stdout.is_empty() && errors.contains(part), "{args:?}: {errors}");
        assert!(code != 1 || errors.lines().count() == 1, "{args:?}: {errors}");
    };
    for subcommand in ["diff", "info", "bench"] {
        fails(&[subcommand, &cut], 1, "cannot use");
        fails(&[subcommand, &own], 1, "cannot use");
        fails(&[subcommand, "scene:ge:atlantis"], 1, "there is no scene `atlantis` of the GE");
    }
    fails(&["info", "--keys", &cut], 1, "cannot use");
    fails(&["bench", "--first-frames", &cut], 1, "cannot use");
    fails(&["diff", &green, "--engine", "jit-exact"], 1, "the engine `jit-exact` does not draw");
    // At once, not when the first difference is written.
    fails(&["diff", &green, "--report", &green], 1, "is no folder");
    fails(&["diff", &green, "-o", &green], 1, "is no folder");
    fails(&["hardware", "--data", "x", "-o", &green], 1, "is no folder");
    fails(&["fuzz", "--cases", "1", "--out", &green], 1, "is no folder");
    fails(&["diff", &green, "--results", &green], 1, "");
    fails(&["diff", &green, "--threads", "0"], 2, "a number of threads is 1 to 256");
    fails(&["render", &green, "-o", "x.png", "--frame", "1"], 1, "there is no frame 1; the capture has 1");
    fails(&["render", &green, "-o", "/nowhere/at/all.png"], 1, "cannot write");
    fails(&["render", &green, "-o", "x.png", "--engine", "gpu"], 2, "gpu");
}
