//! Every scene of the GE on both engines, and against what it was before.
//!
//! `scenes/ge-golden.txt` holds a hash for each point of each scene: of all VRAM after a draw and after a display list. The
//! first line that changed names the draw. Where a change is meant, look at the pictures (`picaflor demo`), then run this test with `PICAFLOR_UPDATE=1` to write the file
//! anew.

use crate::golden;

use picaflor_conformance::ge;
use picaflor_conformance::ge::lockstep::{Comparison, notes};
use picaflor_conformance::lockstep::{Options, compare};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event, format};
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use picaflor_pipeline::ge::{Ge, Snapshot};
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::tile::Tiling;
use picaflor_scenes::ge::Scene;
use std::fmt::Write;
use std::process::Command;

/// What is wrong with a scene whatever it shows.
fn complaints(name: &str, Comparison { candidate, findings, .. }: &Comparison) -> Vec<String> {
    let differs = findings.differences.iter().map(|difference| {
        format!("{name}: {}: {} {}", difference.place, difference.surface, difference.what)
    });
    let mut found: Vec<String> = differs.collect();
    let notes = notes(&candidate.given_up, &candidate.faults);
    found.extend(notes.iter().map(|note| format!("{name}: {note}")));
    if candidate.picture.is_none() {
        found.push(format!("{name}: nothing is shown"));
    }
    if candidate.work.compiled == 0 {
        found.push(format!("{name}: nothing was compiled"));
    }
    // Their buffers lie right behind each other, as those of games.
    let work = &candidate.work;
    if work.interpreted_tiles > work.refusals.values().sum() {
        found.push(format!("{name}: {} tiles were interpreted", work.interpreted_tiles));
    }
    found
}

#[test]
fn scenes_are_what_they_were() {
    let mut actual = String::new();
    let mut found = Vec::new();
    for scene in Scene::all() {
        let options = Options { threads: 1, steps: true, hashes: true, ..Options::default() };
        let comparison = compare::<ge::Ge>(&scene.capture(), ["interp", "jit"], options, &|| ());
        let comparison = comparison.expect("a sound capture, and a host that runs compiled code");
        found.extend(complaints(scene.name, &comparison));
        for (place, hash) in &comparison.findings.made {
            writeln!(actual, "{} {:016x} {place}", scene.name, hash.0).expect("text");
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    golden::against("ge-golden.txt", &actual);
}

/// Scenes are captures like any others: files of them hold the same.
#[test]
fn scenes_are_written_and_read() {
    for name in ["cubes", "game"] {
        let capture = Scene::by_name(name).expect("a scene").capture();
        let written = format::write(&capture);
        assert!(format::read(&written).is_ok_and(|read| read == capture), "{name}");
    }
}

/// Does by hand what a host does, with the recorder switched on.
fn recorded(scene: &Capture, threads: usize) -> Capture {
    let memory = BlockMemory::zeroed(&scene.regions);
    let (mut ge, mut engine) = (Ge::new(), Interpreter::new());
    ge.load(&scene.initial).expect("a state");
    ge.set_tiling(Tiling::new(threads));
    ge.start_recording(&memory, &scene.regions).expect("sound blocks");
    for event in &scene.events {
        match event {
            Event::Memory { address, bytes } => write_bytes(&memory, *address, bytes),
            Event::Run(list) => {
                ge.run(&mut engine, &memory, &mut list.clone()).expect("a list that ends");
            }
            Event::Execute(words) => ge.execute(&mut engine, &memory, words).expect("words that end"),
            Event::State(state) => ge.load(state).expect("a state"),
            Event::Display(display) => ge.frame_end(&memory, *display),
        }
    }
    ge.stop_recording().expect("a recording")
}

/// State and VRAM after a capture, and what is shown.
fn after(capture: &Capture) -> (Snapshot, Vec<u8>, Option<Picture>) {
    let mut player = Player::new(capture).expect("a sound capture");
    while let Some(frame) = player.run_frame(&mut Interpreter::new()) {
        assert_eq!(frame.errors, []);
    }
    let vram = player.memory().region(VRAM, VRAM_BYTES).expect("VRAM is mapped").to_vec();
    (
        player.ge().save(),
        vram,
        player.display().map(|display| player.picture(&mut Interpreter::new(), display)),
    )
}

#[test]
fn a_recorded_scene_is_the_scene() {
    for scene in Scene::all() {
        let capture = scene.capture();
        let recording = recorded(&capture, 1);
        let file = format::write(&recording);
        assert!(format::read(&file).is_ok_and(|read| read == recording), "{}", scene.name);
        assert!(recorded(&capture, 3) == recording, "{}: on three threads", scene.name);
        assert!(after(&recording) == after(&capture), "{}", scene.name);
    }
}

fn picaflor(args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_picaflor")).args(args).output().expect("the program runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn the_command_line_knows_them() {
    let folder = std::env::temp_dir().join(format!("picaflor-ge-scenes-{}", std::process::id()));
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (code, table) = picaflor(&["demo", "--only", "ge:lists", "-o", &path("")]);
    assert!(
        code == Some(0) && table.lines().any(|row| row.starts_with("ge:lists") && row.ends_with("same")),
        "{table}"
    );
    let (code, text) = picaflor(&["render", "ge:lists", "-o", &path("jit.png"), "--engine", "jit"]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
    let [demo, render] =
        ["ge-lists.png", "jit.png"].map(|name| std::fs::read(path(name)).expect("a picture"));
    assert!(demo == render && demo.starts_with(b"\x89PNG"));
    let (code, table) = picaflor(&["diff", "ge:lists"]);
    assert!(code == Some(0) && table.contains("same"), "{table}");
    let (code, text) = picaflor(&["info", "ge:lists"]);
    assert!(code == Some(0) && text.contains("CALL"), "{text}");
    // A recording of it is as good.
    let recording = format::write(&recorded(&Scene::by_name("lists").expect("a scene").capture(), 1));
    std::fs::write(path("lists.cap"), recording).expect("a file");
    let (code, text) = picaflor(&["render", &path("lists.cap"), "-o", &path("recorded.png")]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
    assert!(std::fs::read(path("recorded.png")).expect("a picture") == render);
    let (code, table) = picaflor(&["diff", &path("lists.cap")]);
    assert!(code == Some(0) && table.contains("same"), "{table}");
    let (code, text) = picaflor(&["info", &path("lists.cap")]);
    assert!(code == Some(0) && text.contains("CALL"), "{text}");
    let (code, text) = picaflor(&["render", "ge:atlantis", "-o", &path("x.png")]);
    assert!(code == Some(1) && text.contains("there is no scene `atlantis` of the GE"), "{text}");
    std::fs::remove_dir_all(&folder).expect("a folder");
}
