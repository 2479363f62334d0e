//! Frame dumps of the GE, in the data folder that `PICAFLOR_DATA` names, on compiled code and several threads
//! against the interpreter on one. With `PICAFLOR_ALL_THREADS=1` on one, two and three threads; else on two.

use crate::data_folder::{data_folder, files};
use picaflor_conformance::ge::Ge;
use picaflor_conformance::lockstep::{Difference, Options, compare};
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::capture::Capture;
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::tile::Tiling;
use picaflor_scenes::ge::Scene;
use std::path::Path;

/// What differs on so many threads.
fn differences(name: &str, capture: &Capture, threads: usize) -> Vec<String> {
    let options = Options { threads, ..Options::default() };
    let found = compare::<Ge>(capture, ["interp", "jit"], options, &|| ());
    let found = found.unwrap_or_else(|why| panic!("{name}: {why}"));
    let tell = |difference: &Difference| {
        format!("{name} on {threads}: {}: {} {}", difference.place, difference.surface, difference.what)
    };
    found.findings.differences.iter().map(tell).collect()
}

#[test]
fn dumps_on_several_threads() {
    let Some(data) = std::env::var_os("PICAFLOR_DATA") else {
        println!("skipped: PICAFLOR_DATA is not set");
        return;
    };
    let all = std::env::var_os("PICAFLOR_ALL_THREADS").is_some_and(|value| value == "1");
    let threads: &[usize] = if all { &[1, 2, 3] } else { &[2] };
    let dumps = files(&Path::new(&data).join("ge"), "ppdmp");
    assert_eq!(dumps.len(), 52);
    let mut found = Vec::new();
    for path in dumps {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let dump = ppdmp::read(&std::fs::read(&path).expect("the file")).expect("a dump");
        for &threads in threads {
            // Draws overlap where lists are long; where they cannot, short ones are looked at more often.
            let lists = if threads > 1 { Lists::Long } else { Lists::OfRecords };
            let (capture, _) = ppdmp::translate(&dump, lists).expect("a capture");
            found.extend(differences(&name, &capture, threads));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What a capture leaves in memory, list by list on one thread, or frame by frame on three, where draws are pending while memory
/// is written between lists.
fn memory_after(capture: &Capture, engine: &mut Engine, in_sessions: bool) -> Vec<Vec<u8>> {
    let mut player = Player::new(capture).expect("a sound capture");
    if in_sessions {
        player.ge_mut().set_tiling(Tiling { least_work: 0, ..Tiling::new(3) });
        while player.run_frame(engine).is_some() {}
    } else {
        while player.step(engine).is_some() {}
    }
    player.memory().blocks().iter().map(|block| block.as_slice().snapshot()).collect()
}

#[test]
fn frames_in_sessions() {
    let Some(data) = data_folder() else { return };
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
    for path in files(&data.join("ge/frames"), "ppdmp").into_iter().chain(files(&data.join("ge"), "ppdmp")) {
        let dump = ppdmp::read(&std::fs::read(&path).expect("the file")).expect("a dump");
        let (capture, _) = ppdmp::translate(&dump, Lists::OfRecords).expect("a capture");
        let [alone, joint] = [false, true].map(|joint| memory_after(&capture, &mut engine, joint));
        assert!(alone == joint, "{}", path.display());
    }
}

/// A few scenes in which draws read what others drew, on more threads than they have tiles.
#[test]
fn scenes_on_several_threads() {
    for name in ["television", "shadows", "clearing", "transfers"] {
        let capture = Scene::by_name(name).expect("a scene").capture();
        for threads in [2, 7] {
            assert_eq!(differences(name, &capture, threads), Vec::<String>::new());
        }
    }
}
