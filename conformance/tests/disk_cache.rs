//! Scenes on compiled code from the disk: nothing is compiled, and every byte is the interpreter's.

use picaflor_conformance::pica::lockstep::{Comparison, compare_cached};
use picaflor_jit::DiskStats;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Geometry programs, every texture unit, lighting, shadows, stencil, small triangles.
const SCENES: [&str; 8] = [
    "game_frame",
    "skinned_character",
    "subdivision",
    "stencil_shadows",
    "marble",
    "point_shadow",
    "combiner_card",
    "wrap_modes",
];

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("picaflor-scene-cache-{test}-{}", std::process::id())))
    }

    /// All routines in it.
    fn files(&self) -> Vec<PathBuf> {
        let entries =
            |path: &Path| std::fs::read_dir(path).expect("a folder").map(|entry| entry.unwrap().path());
        entries(&self.0).flat_map(|identity| entries(&identity).collect::<Vec<_>>()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn rendered(name: &str, engine: &str, folder: &Folder) -> Comparison {
    let scene = Scene::by_name(name).unwrap_or_else(|| panic!("no scene {name}"));
    let capture = scene.capture(Precision::Console);
    let comparison = compare_cached(&capture, ["interp", engine], Some(&folder.0), 2, &|| ());
    let comparison = comparison.unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(comparison.is_same(), "{name}: {:?}", comparison.findings.differences);
    comparison
}

fn disk(comparison: &Comparison) -> DiskStats {
    comparison.candidate.disk
}

#[test]
fn scenes_run_on_code_of_an_earlier_start() {
    let folder = Folder::new("scenes");
    for name in SCENES {
        let cold = disk(&rendered(name, "jit-no-fallback", &folder));
        assert!(cold.loaded + cold.stored > 0, "{name}: {cold:?}");
        let warm = rendered(name, "jit-no-fallback", &folder);
        assert_eq!(warm.candidate.work.interpreted_tiles, 0, "{name}");
        let warm = disk(&warm);
        assert_eq!((warm.loaded, warm.stored), (cold.loaded + cold.stored, 0), "{name}");
        assert_eq!((warm.damaged, warm.foreign, warm.errors), (0, 0, 0), "{name}");
    }
}

#[test]
fn scenes_share_routines_in_the_background() {
    let folder = Folder::new("background");
    let cold = disk(&rendered("game_frame", "jit", &folder));
    let warm = disk(&rendered("game_frame", "jit-default", &folder));
    assert!(warm.loaded > 0 && warm.loaded <= cold.stored, "{cold:?} {warm:?}");
    assert_eq!((warm.stored, warm.damaged, warm.foreign, warm.errors), (0, 0, 0, 0));
}

fn diff(folder: &Folder) -> (Output, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_picaflor"))
        .args(["diff", "scene:combiner_card", "--json", "--cache", folder.0.to_str().expect("UTF-8")])
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let cache = document["captures"][0]["engines"][1]["cache"].clone();
    (output, cache)
}

#[test]
fn the_command_line_warns_of_damage_and_goes_on() {
    let folder = Folder::new("command");
    let (cold, stats) = diff(&folder);
    assert!(cold.stderr.is_empty());
    let files = folder.files();
    assert_eq!((stats["loaded"].as_u64(), stats["stored"].as_u64()), (Some(0), Some(files.len() as u64)));
    for file in &files[..2] {
        let mut bytes = std::fs::read(file).expect("readable");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        std::fs::write(file, bytes).expect("writable");
    }
    let (warm, stats) = diff(&folder);
    let text = String::from_utf8_lossy(&warm.stderr).into_owned();
    assert!(text.starts_with("picaflor: warning: cache ") && text.contains("2 damaged files"), "{text}");
    assert_eq!((stats["stored"].as_u64(), stats["ignored"].as_u64()), (Some(2), Some(2)));
    assert_eq!(stats["loaded"].as_u64(), Some(files.len() as u64 - 2));
}
