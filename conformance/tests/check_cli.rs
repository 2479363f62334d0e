//! `picaflor check`: verdicts, tables, baselines, files and exit codes; and captures in archives.

use crate::process::{folder, names, picaflor_in, text};
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Standard output of a command that ends with this code and writes nothing to standard error.
fn ends(folder: &Path, args: &str, code: i32) -> String {
    let output = picaflor_in(folder, args);
    assert_eq!(output.status.code(), Some(code), "{args}: {}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.stderr.is_empty(), "{args}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// `expected.png` is the picture of a scene; `other.png` that of another one.
fn with_pictures(name: &str) -> PathBuf {
    let folder = folder(&format!("check-{name}"));
    ends(&folder, "render ge:sprites -o expected.png --engine interp --threads 1", 0);
    ends(&folder, "render ge:lists -o other.png --engine interp --threads 1", 0);
    folder
}

#[test]
fn one_capture() {
    let folder = with_pictures("one");
    let out = ends(&folder, "check ge:sprites --expect expected.png", 0);
    assert!(out.contains("0.000") && out.ends_with("pass\n"), "{out}");
    let out = ends(&folder, "check ge:sprites --expect other.png -o out --report report --junit out.xml", 1);
    assert!(out.contains("FAIL: ") && out.contains("pixels are off by more than 8"), "{out}");
    assert_eq!(names(&folder.join("out")), ["sprites-difference.png"]);
    let page = fs::read_to_string(folder.join("report/index.html")).expect("the page");
    assert!(page.contains("1 of 1 checks fail") && page.contains("data:image/png;base64,"));
    assert!(page.contains("default-src 'none'") && !page.contains("http://"));
    let junit = fs::read_to_string(folder.join("out.xml")).expect("the file");
    assert!(junit.contains("<testsuite name=\"picaflor check\" tests=\"1\" failures=\"1\""), "{junit}");
    assert!(junit.contains("<failure type=\"check\" message=\"FAIL: "), "{junit}");
    // A report shows what fails; the folder has every picture that is another.
    ends(&folder, "check ge:sprites --expect other.png --tolerance 1 -o near --report passing", 0);
    assert_eq!(names(&folder.join("near")), ["sprites-difference.png"]);
    let page = fs::read_to_string(folder.join("passing/index.html")).expect("the page");
    assert!(page.contains("All 1 checks pass") && !page.contains("data:image/png;base64,"));
}

#[test]
fn tables() {
    let folder = with_pictures("tables");
    let table = "[[check]]\ndump = \"ge:sprites\"\npicture = \"expected.png\"\n\
                 [[check]]\ndump = \"none.ppdmp\"\npicture = \"expected.png\"\n\
                 [[check]]\ndump = \"ge:lists\"\npicture = \"expected.png\"\nname = \"wrong\"\ntolerance = 0\n";
    fs::create_dir(folder.join("suite")).expect("a folder");
    fs::write(folder.join("suite/checks.toml"), table.replace("expected.png", "../expected.png"))
        .expect("a file");
    let out: Value = serde_json::from_str(&ends(&folder, "check suite/checks.toml --json", 1)).expect("JSON");
    assert_eq!(out["pass"], false);
    let verdict = |n: usize| (out["checks"][n]["name"].clone(), out["checks"][n]["pass"].clone());
    assert_eq!(
        [verdict(0), verdict(1), verdict(2)],
        [("sprites".into(), true.into()), ("none".into(), false.into()), ("wrong".into(), false.into())]
    );
    assert!(out["checks"][0]["share"] == 0.0 && out["checks"][0]["mean_squared_error"] == 0.0);
    assert!(
        out["checks"][1]["why"].as_str().is_some_and(|why| why.starts_with("cannot read `suite/none.ppdmp`"))
    );
    assert!(out["checks"][2]["share"].as_f64() > Some(0.0));
    fs::write(folder.join("frametests.json"), r#"{"ge:sprites": "expected.png"}"#).expect("a file");
    ends(&folder, "check frametests.json", 0);
}

#[test]
fn baselines() {
    let folder = with_pictures("baseline");
    assert!(ends(&folder, "check ge:sprites --baseline kept", 0).contains("new"));
    assert_eq!(names(&folder.join("kept")), ["sprites.json", "sprites.png"]);
    assert!(ends(&folder, "check ge:sprites --baseline kept --expect expected.png", 0).contains("unchanged"));
    // An earlier build drew something else.
    fs::copy(folder.join("other.png"), folder.join("kept/sprites.png")).expect("a picture");
    let out = ends(&folder, "check ge:sprites --baseline kept --expect expected.png -o out", 1);
    assert!(out.contains("FAIL: changed since baseline"), "{out}");
    assert_eq!(names(&folder.join("out")), ["sprites-changed.png"]);
    assert!(fs::read(folder.join("kept/sprites.png")).ok() == fs::read(folder.join("other.png")).ok());
    assert!(
        ends(&folder, "check ge:sprites --baseline kept --update", 0)
            .contains("changed since baseline  pass")
    );
    assert!(ends(&folder, "check ge:sprites --baseline kept", 0).contains("unchanged"));
}

#[test]
fn wrong_files() {
    let folder = with_pictures("wrong");
    fs::write(folder.join("bad.json"), "[").expect("a file");
    fs::write(folder.join("bad.png"), "no picture").expect("a file");
    let before = names(&folder);
    for (args, code, part) in [
        ("check none.ppdmp --expect expected.png", 1, "cannot read `none.ppdmp`"),
        ("check ge:sprites --expect none.png", 1, "cannot read `none.png`"),
        ("check ge:sprites --expect bad.png --baseline kept", 1, "cannot use `bad.png`"),
        ("check bad.json --report out", 1, "cannot use `bad.json`"),
        ("check none.toml", 1, "cannot read `none.toml`"),
        ("check ge:sprites --expect expected.png --frame 9", 1, "there is no frame 9"),
        ("check ge:sprites --expect expected.png --report bad.png", 1, "`bad.png` is no folder"),
        ("check ge:sprites", 2, "give --expect or --baseline"),
        ("check ge:sprites --expect expected.png --tolerance 2", 2, "a share from 0 to 1"),
    ] {
        let output = picaflor_in(&folder, args);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args}: {errors}");
        assert!(errors.contains(part) && output.stdout.is_empty(), "{args}: {errors}");
        assert!(code == 2 || errors.lines().count() == 1, "{args}: {errors}");
    }
    assert_eq!(names(&folder), before);
}

/// A capture and the same in archives give the same picture, from files and from standard input.
#[test]
fn captures_in_archives() {
    let folder = folder("check-archives");
    let capture = picaflor_scenes::ge::Scene::by_name("sprites").expect("a scene").capture();
    let file = picaflor_pipeline::ge::capture::format::write(&capture);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&file).expect("memory");
    fs::write(folder.join("a.picacap.gz"), gzip.finish().expect("memory")).expect("a file");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in [("readme.txt", &b"text"[..]), ("a/frame.picacap", &file)] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("memory");
        zip.write_all(content).expect("memory");
    }
    let archive = zip.finish().expect("memory").into_inner();
    fs::write(folder.join("b.zip"), &archive).expect("a file");
    fs::write(folder.join("cut.zip"), &archive[..archive.len() / 2]).expect("a file");
    ends(&folder, "render ge:sprites -o expected.png --threads 1", 0);
    for name in ["a.picacap.gz", "b.zip"] {
        ends(&folder, &format!("check {name} --expect expected.png"), 0);
        assert!(ends(&folder, &format!("info {name}"), 0).lines().count() > 3);
    }
    let output = picaflor_in(&folder, "check cut.zip --expect expected.png");
    let errors = text(&output.stderr);
    assert!(output.status.code() == Some(1) && errors.lines().count() == 1, "{errors}");
    assert!(errors.contains("cannot use `cut.zip`: the archive is damaged"), "{errors}");
}
