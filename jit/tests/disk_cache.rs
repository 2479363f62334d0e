//! The cache on disk as hosts see it: engines and processes that share a folder.

#[cfg(unix)]
use crate::common::perf_map;
use crate::common::{FORMS, SCHEMES, Scene};
use picaflor_jit::{Effort, Engine, EngineBuilder, EngineMode, Served};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("picaflor-cache-{test}-{}", std::process::id())))
    }

    fn builder(&self, mode: EngineMode) -> EngineBuilder {
        Engine::builder().mode(mode).disk_cache(&self.0)
    }

    fn engine(&self, mode: EngineMode) -> Engine {
        self.builder(mode).build().expect("this host runs compiled code")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Contents of all files by name, identities aside.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let identities =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    let files = identities.flat_map(|path| std::fs::read_dir(path).expect("a folder"));
    files
        .map(|entry| entry.expect("readable"))
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

/// A program of its own for each number, with rows, a loop and a replay in it.
fn scene(constant: usize) -> Scene {
    let lines = format!(
        "dp4 r0, c0, v0\nmad o0, v1, c{constant}, r0\nmova a0.x, v1\nadd r2, c4[a0.x], r0\n\
         for i1, 5\nadd r2, c7[aL], r2\nrcp r1, v0.y\nmov o1, r2\nmov o2, r1\nend"
    );
    let mut scene = Scene::new(&lines);
    let vertices: Vec<_> =
        (0..7).map(|n| [[0.5, n as f32, -0.25, 2.0], [n as f32, 3.0, 1.5, -1.0]]).collect();
    scene.floats(&vertices);
    scene.uniforms.set_int(1, [3, 1, 2, 0]);
    for n in 0..96 {
        scene.uniform(n, [0.25, -1.0, 2.0, n as f32]);
    }
    scene
}

fn check(engine: &mut Engine, constants: std::ops::Range<usize>) {
    for constant in constants {
        scene(constant).check(engine, &format!("constant {constant}"));
    }
}

#[test]
fn the_second_engine_compiles_nothing() {
    let folder = Folder::new("second");
    let mut first = folder.engine(EngineMode::Blocking);
    check(&mut first, 20..30);
    let made = first.stats();
    // The fast form of each, and the exact one for the group that divides by zero.
    assert_eq!((made.compiles, made.disk.stored, made.disk.loaded), (10 * FORMS, 10 * FORMS, 0));
    let mut second = folder.engine(EngineMode::Blocking);
    check(&mut second, 20..30);
    let stats = second.stats();
    assert_eq!((stats.compiles, stats.disk.loaded, stats.disk.stored), (0, 10 * FORMS, 0));
    assert_eq!(stats.disk.loaded_bytes, made.disk.stored_bytes);
    assert_eq!((stats.live_routines, stats.code_bytes), (made.live_routines, made.code_bytes));
    assert_eq!((stats.groups, stats.replayed_groups), (made.groups, made.replayed_groups));
    check(&mut second, 29..31);
    assert_eq!((second.stats().compiles, second.stats().disk.stored), (FORMS, FORMS));
}

#[test]
fn code_of_one_mapping_runs_in_the_other() {
    let folder = Folder::new("mappings");
    for (number, &scheme) in SCHEMES.iter().chain(SCHEMES).enumerate() {
        let mut engine = folder.builder(EngineMode::Blocking).mapping(scheme).build().unwrap();
        check(&mut engine, 20..22);
        assert_eq!(engine.stats().compiles, if number == 0 { 2 * FORMS } else { 0 });
    }
}

#[test]
fn in_the_background_workers_load() {
    let folder = Folder::new("background");
    check(&mut folder.engine(EngineMode::Blocking), 20..25);
    let mut engine = folder.engine(EngineMode::Background);
    // The first batch asks for the fast form, the second for the exact one as well.
    for _ in 0..3 {
        check(&mut engine, 20..25);
        engine.wait_for_compiles();
    }
    assert_eq!(engine.last_run().served, Served::Compiled);
    assert_eq!((engine.stats().compiles, engine.stats().disk.loaded), (0, 5 * FORMS));
}

/// A program so long that the blocking mode makes it in a single pass.
fn long_scene() -> Scene {
    let lines: String =
        (0..140).map(|n| format!("mad r{}, v0, c{}, r{}\n", n % 7, n % 96, (n + 1) % 7)).collect();
    let mut long = scene(20);
    long.program = Scene::new(&format!("{lines}mov o0, r0\nmov o1, r3\nend")).program;
    long
}

/// What was made in a hurry is made with care where an engine has the time, and takes the place of the first version
/// on disk.
#[test]
fn drafts_are_loaded_as_drafts() {
    let folder = Folder::new("drafts");
    let shade = |engine: &mut Engine| {
        long_scene().check(engine, "a long program");
        engine.wait_for_compiles();
    };
    let mut hurried = folder.engine(EngineMode::Blocking);
    shade(&mut hurried);
    let files = contents(&folder.0);
    assert_eq!(hurried.stats().disk.stored, files.len() as u64);

    let mut patient = folder.engine(EngineMode::Background);
    (0..2).for_each(|_| shade(&mut patient));
    let stats = patient.stats();
    assert_eq!((stats.disk.loaded, stats.refined, stats.disk.stored), (1, 1, 1));
    let refined = contents(&folder.0);
    assert_eq!(files.keys().collect::<Vec<_>>(), refined.keys().collect::<Vec<_>>());
    assert_ne!(files, refined);

    let mut next = folder.engine(EngineMode::Background);
    (0..2).for_each(|_| shade(&mut next));
    assert_eq!((next.stats().disk.loaded, next.stats().refined, next.stats().disk.stored), (1, 0, 0));
}

#[test]
fn a_careful_engine_takes_no_drafts() {
    let folder = Folder::new("careful");
    let careful = || folder.builder(EngineMode::Blocking).effort(Effort::Careful).build().unwrap();
    long_scene().check(&mut folder.engine(EngineMode::Blocking), "a long program");
    let drafts = contents(&folder.0);
    let mut engine = careful();
    long_scene().check(&mut engine, "a long program");
    assert_eq!((engine.stats().disk.loaded, engine.stats().disk.stored), (0, drafts.len() as u64));
    assert_ne!(drafts, contents(&folder.0));
    let mut engine = careful();
    long_scene().check(&mut engine, "a long program");
    assert_eq!((engine.stats().disk.loaded, engine.stats().compiles), (drafts.len() as u64, 0));
}

#[test]
fn a_small_code_budget_loads_again_what_was_evicted() {
    let folder = Folder::new("evicted");
    let builder = || folder.builder(EngineMode::Blocking).code_budget(16 << 10);
    check(&mut builder().build().unwrap(), 20..40);
    let mut engine = builder().build().unwrap();
    (0..3).for_each(|_| check(&mut engine, 20..40));
    let stats = engine.stats();
    assert!(stats.evictions > 20 && stats.disk.loaded > 30 * FORMS, "{stats:?}");
    assert_eq!(stats.compiles, 0);
}

#[test]
fn dumps_are_made_of_all_routines() {
    let folder = Folder::new("dumps");
    check(&mut folder.engine(EngineMode::Blocking), 20..22);
    let dumps = folder.0.join("dumps");
    std::fs::create_dir(&dumps).unwrap();
    let mut engine = folder.builder(EngineMode::Blocking).dumps(&dumps).build().unwrap();
    check(&mut engine, 20..22);
    assert_eq!((engine.stats().compiles, engine.stats().disk.loaded), (2 * FORMS, 0));
    assert_eq!(std::fs::read_dir(&dumps).unwrap().count() as u64, 4 * FORMS);
}

// Elsewhere there are no jitdumps.
#[cfg(unix)]
#[test]
fn profilers_see_loaded_routines() {
    let folder = Folder::new("profilers");
    check(&mut folder.engine(EngineMode::Blocking), 20..23);
    let (path, _only) = perf_map();
    let mut engine = folder.builder(EngineMode::Blocking).perf_map(true).jitdump(&folder.0).build().unwrap();
    check(&mut engine, 20..23);
    assert_eq!((engine.stats().compiles, engine.stats().disk.loaded), (0, 3 * FORMS));
    let map = std::fs::read_to_string(&path).expect("a perf map");
    assert_eq!(map.lines().filter(|line| line.contains(" vs")).count() as u64, 3 * FORMS, "{map}");
    let dump = std::fs::read(folder.0.join(format!("jit-{}.dump", std::process::id()))).expect("a jitdump");
    for line in map.lines() {
        let name = line.splitn(3, ' ').last().unwrap().as_bytes();
        assert!(dump.windows(name.len()).any(|window| window == name), "{line}");
    }
}

#[test]
fn engines_of_one_process_share_a_folder() {
    let folder = Folder::new("threads");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let folder = &folder;
            scope.spawn(move || {
                let mode = [EngineMode::Blocking, EngineMode::Background][thread % 2];
                for _ in 0..3 {
                    let mut engine = folder.engine(mode);
                    for _ in 0..2 {
                        check(&mut engine, 20..32);
                        engine.wait_for_compiles();
                    }
                    let disk = engine.stats().disk;
                    assert_eq!((disk.damaged, disk.foreign, disk.errors), (0, 0, 0));
                }
            });
        }
    });
    let mut engine = folder.engine(EngineMode::Blocking);
    check(&mut engine, 20..32);
    assert_eq!((engine.stats().compiles, engine.stats().disk.loaded), (0, 12 * FORMS));
}

const CHILD_FOLDER: &str = "PICAFLOR_TEST_CACHE_FOLDER";

/// What another process does; alone it does nothing.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER) else { return };
    let folder = PathBuf::from(folder);
    for _ in 0..5 {
        let builder = Engine::builder().mode(EngineMode::Blocking).disk_cache(&folder);
        let mut engine = builder.build().expect("this host runs compiled code");
        check(&mut engine, 20..30);
        let stats = engine.stats();
        assert_eq!((stats.disk.damaged, stats.disk.foreign, stats.disk.errors), (0, 0, 0));
        assert_eq!(stats.compiles + stats.disk.loaded, 10 * FORMS);
    }
}

fn start_child(folder: &Path) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command
        .args(["--exact", "disk_cache::child"])
        .env(CHILD_FOLDER, folder)
        .stdout(std::process::Stdio::null());
    command.spawn().expect("a child")
}

#[test]
fn processes_share_a_folder() {
    let folder = Folder::new("processes");
    let children = [(); 3].map(|()| start_child(&folder.0));
    check(&mut folder.engine(EngineMode::Blocking), 20..30);
    for mut child in children {
        assert!(child.wait().expect("a child").success());
    }
    let mut engine = folder.engine(EngineMode::Blocking);
    check(&mut engine, 20..30);
    assert_eq!((engine.stats().compiles, engine.stats().disk.loaded), (0, 10 * FORMS));
    assert!(contents(&folder.0).keys().all(|name| name.ends_with(".routine")));
}

/// Addresses of code, data and heap are others in every process where the system spreads them: nothing of them
/// is in the files.
#[test]
fn every_process_writes_the_same_bytes() {
    let (ours, theirs) = (Folder::new("ours"), Folder::new("theirs"));
    assert!(start_child(&theirs.0).wait().expect("a child").success());
    let mut engine = ours.engine(EngineMode::Blocking);
    check(&mut engine, 10..15);
    check(&mut engine, 20..30);
    let (ours, theirs) = (contents(&ours.0), contents(&theirs.0));
    assert_eq!((ours.len() as u64, theirs.len() as u64), (15 * FORMS, 10 * FORMS));
    for (name, bytes) in theirs {
        assert!(ours[&name] == bytes, "{name}");
    }
}
