//! Captures in other formats and shorter ones: what they show is what the capture shows.

use crate::data_folder::data_folder;
use crate::process::{folder, picaflor, text};
use picaflor_conformance::ge::Ge;
use picaflor_conformance::image::Image;
use picaflor_conformance::inspect::{Action, Inspect, Inspector as _, Session};
use picaflor_conformance::machine::{Machine, Plays, Reading};
use picaflor_conformance::pica::Pica;
use picaflor_conformance::setup::Setup;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Pictures at the ends of frames, and memory at the end: address and bytes of each block.
type Shown = (Vec<Option<Image>>, Vec<(u32, Vec<u8>)>);

fn shown<M: Machine>(capture: &M::Capture) -> Shown {
    let mut engine = M::engine("jit", Setup::default()).expect("an engine");
    let mut player = M::player(capture).expect("sound");
    let mut pictures = Vec::new();
    while let Some(step) = M::step(&mut player, M::stages(&mut engine)) {
        if M::ends_frame(step.event) {
            pictures.push(M::picture(&player, M::stages(&mut engine)));
        }
    }
    let blocks = M::memory(&player).blocks().iter();
    (pictures, blocks.map(|block| (block.base(), block.as_slice().to_vec())).collect())
}

/// Bytes of the first that the second has as well, and that differ.
fn differing(first: &Shown, second: &Shown, until: u32) -> usize {
    let mut count = 0;
    for (base, bytes) in &first.1 {
        for (other, theirs) in &second.1 {
            let (start, end) =
                (base.max(other), (base + bytes.len() as u32).min(other + theirs.len() as u32));
            let common = (*start..end.min(until))
                .filter(|at| bytes[(at - base) as usize] != theirs[(at - other) as usize]);
            count += common.count();
        }
    }
    count
}

fn read<M: Machine>(path: &Path) -> M::Capture {
    M::read(&std::fs::read(path).expect("a file"), Reading::default()).expect("a capture")
}

/// Converts a source, and returns the file and what was lost.
fn converted(source: &str, folder: &Path, name: &str) -> (PathBuf, Value) {
    let path = folder.join(name);
    let output = picaflor(folder, &["convert", source, path.to_str().expect("UTF-8"), "--json"]);
    assert!(output.status.success(), "{source}: {}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    (path, serde_json::from_slice(&output.stdout).expect("JSON"))
}

fn data(folder: &str, end: &str) -> Vec<PathBuf> {
    let Some(data) = data_folder() else { return Vec::new() };
    let entries = std::fs::read_dir(data.join(folder)).expect("the folder").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|of| of == end));
    files.sort();
    files
}

fn losses(report: &Value) -> String {
    report["lost"].as_array().expect("losses").iter().map(|of| format!("{}\n", of["what"])).collect()
}

#[test]
fn scenes_of_the_ge_as_dumps() {
    let folder = folder("convert-ge");
    for scene in Ge::scenes() {
        let source = format!("ge:{}", scene.name);
        let (path, report) = converted(&source, &folder, "scene.ppdmp");
        let before = shown::<Ge>(&Ge::scene(scene.name, Reading::default()).expect("a scene"));
        let after = shown::<Ge>(&read::<Ge>(&path));
        assert!(!before.0.is_empty() && before.0 == after.0, "{source}: {}", losses(&report));
        assert!(losses(&report).contains("jumps"), "{report}");
    }
}

/// Dumps see VRAM flat, so all of it is the same.
#[test]
fn dumps_there_and_back() {
    let folder = folder("convert-dumps");
    for path in data("ge/frames", "ppdmp").iter().chain(&data("ge", "ppdmp")) {
        let source = path.to_str().expect("UTF-8");
        let (own, report) = converted(source, &folder, "own.pcap");
        assert!(losses(&report).contains("records"), "{report}");
        let (again, _) = converted(own.to_str().expect("UTF-8"), &folder, "again.ppdmp");
        let (before, after) = (shown::<Ge>(&read::<Ge>(&own)), shown::<Ge>(&read::<Ge>(&again)));
        assert!(before.0 == after.0, "{source}: pictures");
        assert_eq!(differing(&before, &after, 0x0420_0000), 0, "{source}: bytes of VRAM");
    }
}

fn through_citrace(source: &str, capture: &<Pica as Plays>::Capture, folder: &Path) {
    let (path, report) = converted(source, folder, "recording.ctf");
    let (own, back) = converted(path.to_str().expect("UTF-8"), folder, "back.pcap");
    assert_eq!(back["lost"], serde_json::json!([]));
    let (before, after) = (shown::<Pica>(capture), shown::<Pica>(&read::<Pica>(&path)));
    assert!(before.0 == after.0, "{source}: {}", losses(&report));
    assert_eq!(differing(&before, &after, u32::MAX), 0, "{source}: {}", losses(&report));
    assert_eq!(read::<Pica>(&own), read::<Pica>(&path), "{source}: the own format holds all of a CiTrace");
}

#[test]
fn scenes_of_the_pica_as_citrace() {
    let folder = folder("convert-pica");
    for scene in Pica::scenes() {
        let capture = Pica::scene(scene.name, Reading::default()).expect("a scene");
        through_citrace(&format!("scene:{}", scene.name), &capture, &folder);
    }
}

#[test]
fn recordings_as_citrace() {
    let folder = folder("convert-recordings");
    for path in data("pica", "cap") {
        through_citrace(path.to_str().expect("UTF-8"), &read::<Pica>(&path), &folder);
    }
}

#[test]
fn what_cannot_be_converted_leaves_nothing() {
    let folder = folder("convert-refused");
    for (source, name, why) in [
        ("ge:game", "game.ctf", "CiTrace cannot hold it"),
        ("scene:transforms", "scene.ppdmp", "frame dumps cannot hold it"),
        ("nothing.pcap", "other.ctf", "cannot read"),
    ] {
        let output = picaflor(&folder, &["convert", source, name]);
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), told.lines().count()), (Some(1), 1), "{told}");
        assert!(told.contains(why), "{told}");
        assert!(!folder.join(name).exists());
    }
    let output = picaflor(&folder, &["convert", "ge:game", "game.ppdmp"]);
    assert!(text(&output.stderr).lines().all(|line| line.starts_with("picaflor: lost: ")));
    assert_eq!(output.status.code(), Some(0));
}

/// Checksums of the colour buffers after draws; primitives, pixels, and the number of textures.
fn drawn<M: Inspect + Machine>(capture: M::Capture) -> Vec<(Option<u32>, [u64; 2], usize)> {
    let engine = M::engine("jit", Setup::default()).expect("an engine");
    let mut session = Session::<M>::new(capture, engine);
    let actions = session.with_checksums().expect("it plays");
    let draw = |action: Action| {
        let [_, primitives, pixels] = action.counts;
        action.draw.map(|_| (action.checksum, [primitives, pixels], action.textures.len()))
    };
    actions.into_iter().filter_map(draw).collect()
}

/// The draws of a cut, inside of lists, make the same pictures as in the whole.
fn cut_inside(name: &str, capture: &<Ge as Plays>::Capture, pieces: u64) {
    let all = drawn::<Ge>(capture.clone());
    let count = all.len() as u64;
    for piece in 0..pieces.min(count) {
        let (start, end) = (count * piece / pieces, (count * piece / pieces + 5).min(count));
        let engine = Ge::engine("jit", Setup::default()).expect("an engine");
        let mut session = Session::<Ge>::new(capture.clone(), engine);
        let file = session.cut(start..end).unwrap_or_else(|why| panic!("{name} {start}..{end}: {why}"));
        let small = Ge::read(&file, Reading::default()).expect("a capture");
        assert!(drawn::<Ge>(small) == all[start as usize..end as usize], "{name}: draws {start}..{end}");
    }
}

#[test]
fn cuts_inside_lists_of_scenes() {
    for scene in Ge::scenes() {
        let capture = Ge::scene(scene.name, Reading::default()).expect("a scene");
        cut_inside(scene.name, &capture, 4);
    }
}

#[test]
fn cuts_inside_frames() {
    for path in data("ge/frames", "ppdmp").iter().step_by(4) {
        cut_inside(&path.display().to_string(), &read::<Ge>(path), 3);
    }
}
