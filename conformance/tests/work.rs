//! The account of work on recorded frames: the default is twenty times what their most expensive list costs.

use crate::data_folder::data_folder;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::limits::Limits;
use picaflor_pipeline::pica;
use std::path::Path;

/// Units of the most expensive list of a dump.
fn most(dump: &Path, engine: &mut Engine) -> u64 {
    let bytes = std::fs::read(dump).expect("a dump");
    let dump = ppdmp::read(&bytes).expect("a sound dump");
    let (capture, _) = ppdmp::translate(&dump, Lists::Long).expect("a sound dump");
    let mut player = Player::new(&capture).expect("a sound capture");
    let mut most = 0;
    while player.step(engine).is_some() {
        most = most.max(player.ge().work());
    }
    most
}

#[test]
fn frames_of_shipped_software_cost_a_twentieth() {
    let Some(data) = data_folder() else { return };
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
    let entries = std::fs::read_dir(data.join("ge/frames")).expect("the folder of frames").flatten();
    let mut frames = 0;
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|end| end == "ppdmp") {
            let units = most(&path, &mut engine);
            println!("{}: {units} units", path.display());
            assert!(units > 0 && units * 20 <= Limits::DEFAULT.work, "{}: {units} units", path.display());
            frames += 1;
        }
    }
    assert!(frames > 0);
}

/// Units of the most expensive list of a recording.
fn most_of_recording(recording: &Path, engine: &mut Engine) -> u64 {
    let bytes = std::fs::read(recording).expect("a recording");
    let capture = pica::capture::Capture::read(&bytes).expect("a sound recording");
    let mut player = pica::capture::replay::Player::new(&capture).expect("a sound recording");
    let mut most = 0;
    while player.step(engine).is_some() {
        most = most.max(player.pica().work());
    }
    most
}

#[test]
fn recordings_of_homebrew_cost_a_twentieth() {
    let Some(data) = data_folder() else { return };
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
    let entries = std::fs::read_dir(data.join("pica")).expect("the folder of recordings").flatten();
    let mut recordings = 0;
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|end| end == "cap") {
            let units = most_of_recording(&path, &mut engine);
            println!("{}: {units} units", path.display());
            let limit = pica::limits::Limits::DEFAULT.work;
            assert!(units > 0 && units * 20 <= limit, "{}: {units} units", path.display());
            recordings += 1;
        }
    }
    assert!(recordings > 0);
}
