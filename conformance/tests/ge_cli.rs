//! The command line with a frame dump of the PSP, and with the same in the own format.

use picaflor_conformance::image::Image;
use picaflor_pipeline::capture::ge::format;
use picaflor_pipeline::capture::ppdmp::write::Writer;
use picaflor_pipeline::capture::ppdmp::{self, Lists};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
