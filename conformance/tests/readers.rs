//! Small files that ask for much: every reader refuses them soon, with one line.

use crate::process::{folder, picaflor, text};
use picaflor_conformance::pica::fragments::case::FragmentCase;
use picaflor_conformance::pica::programs::case::Case;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::shbin::Shbin;
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
    use std::io::Write;
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
