//! Small files that ask for much: every reader refuses them soon, with one line.

use crate::process::{folder, picaflor, text};
use picaflor_conformance::ge::getrace::{self, TraceError};
use picaflor_conformance::pica::fragments::case::FragmentCase;
use picaflor_conformance::pica::programs::case::Case;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture as ge;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::pica::capture as pica;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::shbin::Shbin;
use picaflor_scenes::pica::Scene;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Far more than any of these files takes on a busy host, and far less than what they ask for would.
const SOON: Duration = Duration::from_secs(20);

/// Runs a command on a file; it must fail soon, with one line of reasonable length.
fn refused(folder: &Path, name: &str, bytes: &[u8], before: &[&str]) -> String {
    std::fs::write(folder.join(name), bytes).expect("a file");
    let began = Instant::now();
    let done = picaflor(folder, &[before, &[name]].concat());
    let (took, said) = (began.elapsed(), text(&done.stderr));
    assert_eq!(done.status.code(), Some(1), "{name}: {said}");
    assert!(said.lines().count() == 1 && said.len() < 400, "{name}: {said}");
    assert!(took < SOON, "{name}: {took:?}");
    said
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    file.write_all(bytes).expect("memory");
    file.finish().expect("memory")
}

#[test]
fn archives() {
    let folder = folder("hostile-archives");
    let bomb = gzip(&vec![0; 256 << 20]);
    assert!(bomb.len() < 300_000);
    assert!(refused(&folder, "bomb.gz", &bomb, &["info"]).contains("unpacks to more than"));
    // An archive in an archive is no capture.
    refused(&folder, "twice.gz", &gzip(&bomb), &["info"]);
}

/// Recordings of lists, which no command reads: one record of zeros, of a kind that does not concern lists.
#[test]
fn recordings_of_lists() {
    let recording = |zeros: u32| {
        let mut bytes = b"H7GE0001".to_vec();
        bytes.extend([9, zeros].into_iter().flat_map(u32::to_le_bytes));
        bytes.resize(bytes.len() + zeros as usize, 0);
        compress_to_vec(&bytes[..], CompressionLevel::Fastest)
    };
    assert_eq!(getrace::read(&recording(32 << 20)), Ok(Vec::new()));
    let bomb = recording(128 << 20);
    assert!(bomb.len() < 100_000, "{} bytes", bomb.len());
    let began = Instant::now();
    let refused = getrace::read(&bomb);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    assert_eq!(refused, Err(TraceError::Compression));
    let said = TraceError::Compression.to_string();
    assert!(said.lines().count() == 1 && said.contains("unpack to more than"), "{said}");
    // Records without contents, which take more memory than their bytes in the file.
    let empty = [3_u32, 0].map(u32::to_le_bytes).concat().repeat(6 << 20);
    let bomb = compress_to_vec(&[b"H7GE0001", &empty[..]].concat()[..], CompressionLevel::Fastest);
    let began = Instant::now();
    let refused = getrace::read(&bomb);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    assert!(matches!(refused, Err(TraceError::Records(_))), "{:?}", refused.map(|records| records.len()));
}

#[test]
fn nested_documents() {
    let folder = folder("hostile-documents");
    let deep = ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18)];
    for (n, json) in deep.iter().enumerate() {
        assert!(FragmentCase::from_json(json).is_err());
        let path = folder.join(format!("{n}.json"));
        std::fs::write(&path, json).expect("a file");
        assert!(Case::load(&path).is_err());
        refused(&folder, &format!("{n}.json"), json.as_bytes(), &["check"]);
    }
    refused(&folder, "deep.toml", format!("a = {}", "[".repeat(1 << 20)).as_bytes(), &["check"]);
}

/// A file of 60 bytes that plans any number of parts.
#[test]
fn plans() {
    let folder = folder("hostile-plans");
    let plan = |parts: u64| {
        let version = env!("CARGO_PKG_VERSION");
        format!("{{\"picaflor\":\"{version}\",\"plan\":{{\"parts\":{parts}}}}}\n").into_bytes()
    };
    std::fs::write(folder.join("large"), plan(1_000_000_000_000)).expect("a file");
    let began = Instant::now();
    let done = picaflor(&folder, &["merge", "large", "--json"]);
    assert!(done.status.code() == Some(1) && began.elapsed() < SOON, "{}", text(&done.stderr));
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(
        (&report["missing"], &report["missing_parts"][19]),
        (&1_000_000_000_000_u64.into(), &19.into())
    );
    assert_eq!(report["missing_parts"].as_array().map(Vec::len), Some(20));
    refused(&folder, "vast", &plan(u64::MAX), &["merge"]);
    let mut beyond = plan(2);
    beyond.extend(b"{\"part\":2,\"result\":{}}\n");
    refused(&folder, "beyond", &beyond, &["merge"]);
}

/// Names and values in files, which errors quote: one line of a few hundred letters, without control characters.
#[test]
fn quoted_content() {
    let folder = folder("hostile-quotes");
    let shown = |name: &str, bytes: &[u8], before: &[&str]| {
        std::fs::write(folder.join(name), bytes).expect("a file");
        let done = picaflor(&folder, &[before, &[name]].concat());
        let said = text(&done.stderr);
        assert!(done.status.code() == Some(1) && done.stdout.is_empty(), "{name}: {said}");
        assert!(said.lines().count() == 1 && said.chars().count() < 800, "{name}: {said}");
        assert!(
            said.starts_with("picaflor: error: ") && !said.trim_end().contains(char::is_control),
            "{said:?}"
        );
    };
    let program = [SourceFile::new("a", ".out p position\n.proc main\nmov p, v0\nend\n.end")];
    let program = assemble(&program, Options::default()).expect("a program").write();
    std::fs::write(folder.join("a.shbin"), program).expect("a file");
    let long = "x".repeat(5 << 20);
    for name in ["x\\ny\\u001b[2J", long.as_str()] {
        let shader = ["shader", "run", "a.shbin"];
        shown("int.json", format!("{{\"int\":{{\"{name}\":[0,0,0,0]}}}}").as_bytes(), &shader);
        shown("key.json", format!("{{\"{name}\":0}}").as_bytes(), &shader);
        let component = format!("{{\"inputs\":[{{\"v0\":[\"{name}\",0,0,0]}}]}}");
        shown("component.json", component.as_bytes(), &shader);
        let case = format!("{{\"code\":[\"{name}\"]}}");
        shown("case.json", case.as_bytes(), &["fuzz", "--replay"]);
        shown("scene.json", format!("[{{\"dump\":\"{name}\",\"tolerance\":2}}]").as_bytes(), &["check"]);
    }
    for name in ["x\ny\u{1b}[2J", &long[..60_000]] {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for number in 0..2 {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("{number}{name}"), options).expect("memory");
            zip.write_all(b"PPSSPPGE and more").expect("memory");
        }
        shown("two.zip", &zip.finish().expect("memory").into_inner(), &["info"]);
    }
}

/// Standard output of `info`, whose length goes with that of the file.
fn info(folder: &Path, args: &[&str]) -> String {
    let began = Instant::now();
    let done = picaflor(folder, &[&["info"], args].concat());
    let shown = text(&done.stdout);
    assert_eq!(done.status.code(), Some(0), "{args:?}: {}", text(&done.stderr));
    assert!(shown.len() < 32 << 20, "{args:?}: {} bytes", shown.len());
    assert!(began.elapsed() < 3 * SOON, "{args:?}: {:?}", began.elapsed());
    shown
}

/// Runs over memory of zeros, which are no end: each once was a million lines.
#[test]
fn runs_over_the_same_words() {
    let folder = folder("hostile-runs");
    let run = || ge::Event::Run(DisplayList::new(0x0880_0000, 0));
    let capture = ge::Capture {
        regions: vec![(0x0880_0000, 4 << 20)],
        initial: Ge::new().save(),
        events: (0..12).map(|_| run()).collect(),
    };
    let file = ge::format::write(&capture);
    assert!(file.len() < 4000, "{} bytes", file.len());
    std::fs::write(folder.join("runs.cap"), file).expect("a file");
    let shown = info(&folder, &["runs.cap"]);
    assert!(
        shown.contains("\n  08800000  00000000  NOP") && shown.contains("\n11: run 0x08800000"),
        "{}",
        shown.len()
    );
    assert!(shown.contains("12 more lists and actions are not shown whole"));
    let json: Value = serde_json::from_str(&info(&folder, &["runs.cap", "--json"])).expect("JSON");
    let items = json["items"].as_array().expect("items");
    assert_eq!(items[0]["words"][0]["word"], "00000000");
    assert!(items.iter().any(|item| item["event"] == 11), "every event is an item");
    assert!(items.last().is_some_and(|item| item["kind"] == "remark") && json["totals"]["runs"] == 12);
}

/// A list that jumps to itself until the machine gives it up once was shown a hundred thousand times.
#[test]
fn a_list_that_runs_again_and_again() {
    let folder = folder("hostile-jumps");
    let at = 0x2000_0000;
    let mut list = ListBuilder::new();
    (0..20).for_each(|n| {
        list.write(0x104, n);
    });
    let size = list.bytes().len() as u32 + 32;
    list.write(0x23a, at >> 3).write(0x238, size >> 3).write(0x23c, 1).write(0x040, 0);
    let bytes = list.finish();
    let memory = pica::Event::Memory { address: at, bytes: bytes[..size as usize].into() };
    let capture = pica::Capture {
        regions: vec![(at, 0x1000)],
        events: vec![memory, pica::Event::List { address: at, size_bytes: size }, pica::Event::Frame],
        ..Scene::all()[0].capture(Precision::Console)
    };
    std::fs::write(folder.join("jumps.cap"), capture.to_bytes()).expect("a file");
    let shown = info(&folder, &["jumps.cap"]);
    assert_eq!(shown.matches("FRAGOP_ALPHA_TEST").count(), 20, "{} bytes", shown.len());
    let again = format!("    list {at:#010x}, {size} bytes, 100000 times again\n");
    assert!(shown.contains(&again) && shown.contains("given up: "), "{shown}");
    let json: Value = serde_json::from_str(&info(&folder, &["jumps.cap", "--json"])).expect("JSON");
    let items = json["items"].as_array().expect("items");
    assert!(items.iter().any(|item| item["kind"] == "list" && item["again"] == 100_000));
}

/// An event of a few bytes is a list that is given up; each once was a line.
#[test]
fn lists_that_are_given_up() {
    let folder = folder("hostile-given-up");
    let list = pica::Event::List { address: 0x3000_0000, size_bytes: 16 };
    let capture = pica::Capture { events: vec![list; 5000], ..Scene::all()[0].capture(Precision::Console) };
    std::fs::write(folder.join("lists.cap"), capture.to_bytes()).expect("a file");
    let done = picaflor(&folder, &["render", "lists.cap", "-o", "out.png"]);
    let said = text(&done.stderr);
    let warnings =
        said.lines().filter(|line| line.starts_with("picaflor: warning: the list of event")).count();
    assert_eq!(warnings, 20, "{said}");
    assert!(said.contains("picaflor: warning: 4980 more lists given up\n"), "{said}");
    let done = picaflor(&folder, &["diff", "lists.cap", "--threads", "1"]);
    let shown = text(&done.stdout);
    assert!(shown.lines().count() < 100 && shown.contains("4980 more lists given up"), "{shown}");
}

/// Two bytes of assembly make an error each; the text of all errors stays small.
#[test]
fn assembly() {
    for source in ["?\n".repeat(1 << 20), "a".repeat(4 << 20), format!(".alias {}", "x".repeat(4 << 20))] {
        let began = Instant::now();
        let errors = assemble(&[SourceFile::new("a", source.as_str())], Options::default());
        let said = errors.map(|_| ()).expect_err("it is no program").to_string();
        assert!(said.len() < 20_000 && began.elapsed() < SOON, "{} bytes", said.len());
    }
}

/// A container whose tables all say that they are as long as can be.
#[test]
fn containers() {
    let shbin = assemble(
        &[SourceFile::new("a", ".out p position\n.proc main\nmov p, v0\nend\n.end")],
        Options::default(),
    );
    let bytes = shbin.expect("a program").write();
    assert!(Shbin::read(&bytes).is_ok());
    for at in (0..bytes.len() - 4).step_by(4) {
        let mut damaged = bytes.clone();
        damaged[at..at + 4].copy_from_slice(&0x0fff_ffff_u32.to_le_bytes());
        let began = Instant::now();
        let _ = Shbin::read(&damaged);
        assert!(began.elapsed() < SOON, "{at:#x}");
    }
}
