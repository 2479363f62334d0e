//! Tests of [`super`]: what is loaded, what is ignored, what happens when the system refuses.

use super::*;
use crate::code::compile::{Compiler, host_isa};
use crate::code::memory::{Arena, MappingScheme};
#[cfg(target_os = "linux")]
use crate::code::unprivileged::become_nobody;
use crate::cpu_level::CpuLevel;
use crate::effort::Effort;
use crate::emit::pica::layout::{InputKey, RunInputs};
use crate::emit::pica::number::Arithmetic;
use crate::ge::key::TransformKey;
use crate::kind::RoutineKind;
use crate::pica::key::fragment::FragmentKey;
use crate::pica::key::programs::{KnownProgram, Programs};
use crate::pica::key::shader::{GeometryKey, VertexKey};
use crate::profile::Profile;
use crate::routines::{Routines, Settings};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble};
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::vertex::OutputForm;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, LazyLock, Mutex};

/// Room for everything.
pub(super) const BUDGET: u64 = 1 << 30;

/// A folder that goes away with the test.
pub(super) struct Place(pub(super) PathBuf);

impl Place {
    pub(super) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        Self(std::env::temp_dir().join(format!("picaflor-disk-cache-{}-{number}", std::process::id())))
    }

    /// All files in it, at any depth.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut left = vec![self.0.clone()];
        let mut files = Vec::new();
        while let Some(folder) = left.pop() {
            for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
                if path.is_dir() { left.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }

    pub(super) fn cache(&self) -> DiskCache {
        DiskCache::new(&self.0, BUDGET, &*host_isa(CpuLevel::Host).unwrap())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The part of an engine that makes routines, when they are asked for.
struct Maker {
    routines: Routines,
    profile: Arc<Profile>,
}

impl Maker {
    fn new(disk: DiskCache) -> Self {
        Self::with_threads(0, disk)
    }

    fn with_threads(threads: usize, disk: DiskCache) -> Self {
        let (arena, profile) = (Arena::new(MappingScheme::default(), 4 << 20), Arc::<Profile>::default());
        let compiler = || {
            Compiler::new(host_isa(CpuLevel::Host).unwrap(), Arc::clone(&arena))
                .profiled(Arc::clone(&profile))
        };
        let background = (0..threads).map(|_| compiler()).collect();
        let settings = Settings { budget: 4 << 20, effort: Effort::Careful };
        let routines = Routines::new(compiler(), background, settings, Arc::clone(&profile), Some(disk));
        let routines = routines.unwrap();
        Self { routines, profile }
    }

    fn make<K: RoutineKind>(&mut self, (key, source): &Known<K>) -> Arc<K::Routine> {
        self.routines.find(key, source, || 0).unwrap().unwrap()
    }

    /// Makes a routine; its facts and its code.
    fn parts<K: RoutineKind>(&mut self, known: &Known<K>) -> [Vec<u8>; 2] {
        let routine = self.make(known);
        [K::store(&routine), K::code(&routine).bytes().to_vec()]
    }

    /// Makes a routine of each kind, and one more; their parts.
    fn all(&mut self) -> [[Vec<u8>; 2]; 5] {
        [
            self.parts(&vertex(1)),
            self.parts(&vertex(2)),
            self.parts(&geometry()),
            self.parts(&fragment()),
            self.parts(&transform()),
        ]
    }

    fn disk(&self) -> DiskStats {
        self.routines.disk_stats()
    }

    fn compiles(&self) -> u64 {
        self.profile.stats().compiles
    }
}

/// A key and what it was made of.
type Known<K> = (K, <K as RoutineKind>::Source);

fn program(kind: UnitKind, lines: &str) -> Arc<KnownProgram> {
    let text = format!(".raw\n.proc main\n{lines}\n.end\n");
    let shbin = assemble(&[SourceFile::new("test.pica", text)], Options::default()).unwrap();
    let descriptors: Vec<u32> = shbin.program.descriptors.iter().map(|&[word, _]| word).collect();
    static PROGRAMS: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);
    PROGRAMS.lock().unwrap().intern(&Program::from_words(kind, &shbin.program.code, &descriptors))
}

fn vertex(constant: usize) -> Known<VertexKey> {
    let program = program(UnitKind::Vertex, &format!("mul r0, c{constant}, v0\nmov o0, r0\nend"));
    let mut inputs = [InputKey::Absent; 16];
    inputs[0] = InputKey::Fixed;
    let key = VertexKey {
        program: program.id,
        entry: 0,
        bools: 0,
        ints: [[0; 4]; 4],
        inputs,
        output: OutputForm::Records { mask: 1, slots: 1 },
        arithmetic: Arithmetic::ConsoleFast,
    };
    (key, program)
}

fn geometry() -> Known<GeometryKey> {
    let program = program(UnitKind::Geometry, "setemit 0, prim\nmov o0, c3\nemit\nend");
    let arithmetic = Arithmetic::ConsoleExact;
    let (output_mask, inputs) = (7, RunInputs::Unit);
    let key = GeometryKey {
        program: program.id,
        entry: 0,
        bools: 0,
        ints: [[0; 4]; 4],
        output_mask,
        inputs,
        arithmetic,
    };
    (key, program)
}

fn fragment() -> Known<FragmentKey> {
    (FragmentKey::of(&Registers::default()).unwrap(), ())
}

fn transform() -> Known<TransformKey> {
    (TransformKey::of(&picaflor_pipeline::ge::regs::Registers::default()).unwrap(), ())
}

#[test]
fn every_kind_of_routine_is_loaded_as_it_was_stored() {
    let place = Place::new();
    let mut first = Maker::new(place.cache());
    let made = first.all();
    assert_eq!((first.compiles(), first.disk().stored, first.disk().loaded), (5, 5, 0));
    assert_eq!(place.files().len(), 5);
    let mut second = Maker::new(place.cache());
    assert_eq!(second.all(), made);
    let (stats, before) = (second.disk(), first.disk());
    assert_eq!((second.compiles(), stats.loaded, stats.stored), (0, 5, 0));
    assert_eq!(stats.loaded_bytes, before.stored_bytes);
    assert_eq!(stats.loaded_bytes, place.files().iter().map(|file| file.metadata().unwrap().len()).sum());
    assert!(stats.load_time > Duration::ZERO);
}

/// Two arenas live at different addresses; the entries are made of what was published there.
#[test]
fn code_does_not_know_its_address() {
    let places = [Place::new(), Place::new()];
    let mut makers = places.each_ref().map(|place| Maker::new(place.cache()));
    // Something else comes first in one of them.
    makers[1].make(&vertex(50));
    makers.iter_mut().for_each(|maker| drop(maker.all()));
    let [first, second] = places.each_ref().map(Place::files);
    assert_eq!((first.len(), second.len()), (5, 6));
    for file in first {
        let same = second.iter().find(|other| other.file_name() == file.file_name()).unwrap();
        assert_eq!(fs::read(&file).unwrap(), fs::read(same).unwrap());
    }
}

#[test]
fn in_the_background_compile_threads_write() {
    let place = Place::new();
    let mut cache = place.cache();
    cache.folder.write = |file, bytes| {
        assert!(std::thread::current().name().is_some_and(|name| name.starts_with("picaflor-compile")));
        io::Write::write_all(file, bytes)
    };
    let mut maker = Maker::with_threads(2, cache);
    for (key, program) in (1..9).map(vertex) {
        assert!(maker.routines.find(&key, &program, || 0).unwrap().is_none());
    }
    maker.routines.wait();
    assert_eq!((maker.disk().stored, maker.disk().errors), (8, 0));
}

/// The key and the only file after a routine was stored.
fn stored(place: &Place) -> (Known<VertexKey>, PathBuf) {
    let known = vertex(1);
    Maker::new(place.cache()).make(&known);
    let [file] = &place.files()[..] else { panic!("{:?}", place.files()) };
    (known, file.clone())
}

fn key_bytes((key, program): &Known<VertexKey>) -> Vec<u8> {
    key.stored_key(program).unwrap()
}

#[test]
fn no_damage_is_overlooked() {
    let place = Place::new();
    let (known, file) = stored(&place);
    let (key, bytes) = (key_bytes(&known), fs::read(&file).unwrap());
    let cache = place.cache();
    assert!(cache.load(&key, |_| Ok(())).is_some());
    let mut tried = 0;
    let mut ignored = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        assert!(cache.load(&key, |_| Ok(())).is_none());
        tried += 1;
    };
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        ignored(&flipped);
        ignored(&bytes[..at]);
    }
    ignored(&[&bytes[..], b"more"].concat());
    ignored(&vec![0; MAX_BYTES + 1]);
    let stats = cache.stats();
    // The four bytes of the layout's number.
    assert_eq!((stats.foreign, stats.damaged), (4, tried - 4));
}

#[test]
fn what_is_damaged_is_compiled_and_written_anew() {
    let place = Place::new();
    let (known, file) = stored(&place);
    let bytes = fs::read(&file).unwrap();
    for at in (0..bytes.len()).step_by(bytes.len() / 8) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        fs::write(&file, [&flipped[..], &bytes[..at]].concat()).unwrap();
        let mut maker = Maker::new(place.cache());
        let warnings = warnings(|| drop(maker.make(&known)));
        let stats = maker.disk();
        assert_eq!((maker.compiles(), stats.loaded, stats.stored), (1, 0, 1));
        assert_eq!(stats.damaged + stats.foreign, 1);
        assert!(matches!(&warnings[..], [one] if one.contains(file.to_str().unwrap())), "{warnings:?}");
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
}

#[test]
fn facts_without_sense_are_damage() {
    let place = Place::new();
    let (known, _) = stored(&place);
    let cache = place.cache();
    cache.store(&Entry { key: &key_bytes(&known), facts: b"?", code: &[0xc3; 8], is_draft: false });
    let mut maker = Maker::new(cache);
    maker.make(&known);
    assert_eq!((maker.compiles(), maker.disk().damaged), (1, 1));
}

#[test]
fn other_versions_and_machines_have_other_files() {
    let place = Place::new();
    let (known, file) = stored(&place);
    let other = || DiskCache::with_identity(&place.0, BUDGET, place.cache().identity.other());
    let mut maker = Maker::new(other());
    maker.make(&known);
    assert_eq!((maker.compiles(), maker.disk().stored, maker.disk().foreign), (1, 1, 0));
    assert_eq!(place.files().len(), 2);
    // As if the folder of the one had been copied over that of the other.
    let theirs = place.files().into_iter().find(|path| *path != file).unwrap();
    fs::copy(&file, &theirs).unwrap();
    let mut maker = Maker::new(other());
    let warnings = warnings(|| drop(maker.make(&known)));
    assert_eq!((maker.compiles(), maker.disk().loaded, maker.disk().foreign), (1, 0, 1));
    assert!(matches!(&warnings[..], [one] if one.contains(theirs.to_str().unwrap())), "{warnings:?}");
}

#[test]
fn a_file_of_another_key_is_foreign() {
    let place = Place::new();
    let (_, file) = stored(&place);
    Maker::new(place.cache()).make(&vertex(2));
    let other = place.files().into_iter().find(|path| *path != file).unwrap();
    fs::copy(&file, &other).unwrap();
    let mut maker = Maker::new(place.cache());
    maker.make(&vertex(2));
    assert_eq!((maker.compiles(), maker.disk().foreign, maker.disk().stored), (1, 1, 1));
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let place = Place::new();
    let mut cache = place.cache();
    cache.folder.write = |file, bytes| {
        io::Write::write_all(file, &bytes[..bytes.len() / 2])?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    };
    let mut maker = Maker::new(cache);
    let warnings = warnings(|| (1..4).for_each(|constant| drop(maker.make(&vertex(constant)))));
    assert_eq!((maker.compiles(), maker.disk().stored, maker.disk().errors), (3, 0, 3));
    assert!(matches!(&warnings[..], [one] if one.contains(place.0.to_str().unwrap())), "{warnings:?}");
    assert_eq!(place.files(), Vec::<PathBuf>::new());
}

#[test]
fn a_failed_write_keeps_the_old_file() {
    let place = Place::new();
    let (known, file) = stored(&place);
    let before = fs::read(&file).unwrap();
    let mut cache = place.cache();
    cache.folder.write = |_, _| Err(io::Error::from(io::ErrorKind::StorageFull));
    cache.store(&Entry { key: &key_bytes(&known), facts: b"", code: b"other", is_draft: false });
    assert_eq!((fs::read(&file).unwrap(), cache.stats().errors), (before, 1));
}

#[test]
fn a_folder_that_cannot_be_is_no_harm() {
    let place = Place::new();
    fs::write(&place.0, b"a file").unwrap();
    let mut maker = Maker::new(place.cache());
    let warnings = warnings(|| (1..3).for_each(|constant| drop(maker.make(&vertex(constant)))));
    assert_eq!((maker.compiles(), maker.disk().stored), (2, 0));
    assert!(maker.disk().errors >= 2);
    assert!(matches!(&warnings[..], [one] if one.contains(place.0.to_str().unwrap())), "{warnings:?}");
    assert_eq!(fs::read(&place.0).unwrap(), b"a file");
    fs::remove_file(&place.0).unwrap();
}

#[test]
fn an_empty_folder_under_the_name_of_a_routine_is_replaced() {
    let place = Place::new();
    let (known, file) = stored(&place);
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let mut maker = Maker::new(place.cache());
    maker.make(&known);
    assert_eq!((maker.compiles(), maker.disk().loaded, maker.disk().stored), (1, 0, 1));
    assert_eq!((place.files(), fs::read(&file).unwrap()), (vec![file], bytes));
    let mut maker = Maker::new(place.cache());
    maker.make(&known);
    assert_eq!((maker.compiles(), maker.disk().loaded), (0, 1));
}

#[test]
fn a_folder_with_contents_under_the_name_of_a_routine_stays() {
    let place = Place::new();
    let (known, file) = stored(&place);
    let kept = file.join("kept");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    fs::write(&kept, b"of somebody").unwrap();
    let mut maker = Maker::new(place.cache());
    let warnings = warnings(|| drop(maker.make(&known)));
    assert_eq!((maker.compiles(), maker.disk().loaded, maker.disk().stored), (1, 0, 0));
    assert!(maker.disk().errors > 0);
    let warned = warnings.iter().filter(|text| text.contains("the cache of routines does not work"));
    assert_eq!(warned.count(), 1, "{warnings:?}");
    assert_eq!((fs::read(&kept).unwrap(), place.files()), (b"of somebody".to_vec(), vec![kept]));
}

/// Nobody ever writes to the pipe; opening it must not wait for that.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let place = Place::new();
    let (known, file) = stored(&place);
    fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    let mut maker = Maker::new(place.cache());
    maker.make(&known);
    assert_eq!((maker.compiles(), maker.disk().damaged), (1, 1));
}

/// Windows does not replace a file that somebody has open, nor opens one that is being replaced.
#[test]
fn a_routine_is_written_while_it_is_read() {
    let place = Place::new();
    let entry = Entry { key: b"a key", facts: b"facts", code: &[0xc3; 64], is_draft: false };
    place.cache().store(&entry);
    let [file] = &place.files()[..] else { panic!("{:?}", place.files()) };
    let (cache, open) = (place.cache(), fs::File::open(file).unwrap());
    let warned = warnings(|| cache.store(&entry));
    assert_eq!((cache.stats().stored, cache.stats().errors), (1, 0), "{warned:?}");
    drop(open);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let cache = place.cache();
                let warned = warnings(|| {
                    for _ in 0..200 {
                        cache.store(&entry);
                        assert_eq!(cache.load(entry.key, |there| Ok(there.code == entry.code)), Some(true));
                    }
                });
                let stats = cache.stats();
                assert_eq!((stats.stored, stats.errors, stats.damaged), (200, 0, 0), "{warned:?}");
            });
        }
    });
    assert_eq!(place.files().len(), 1);
}

#[test]
fn a_folder_that_vanishes_is_made_again() {
    let place = Place::new();
    let mut maker = Maker::new(place.cache());
    maker.make(&vertex(1));
    fs::remove_dir_all(&place.0).unwrap();
    maker.make(&vertex(2));
    assert_eq!((maker.disk().stored, maker.disk().errors, place.files().len()), (2, 0, 1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let (known, file) = stored(&place);
    let folder = file.parent().unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&place.0, 0o555);
    mode(folder, 0o555);
    mode(&file, 0o444);
    let cache = place.cache();
    let stats = std::thread::spawn(move || {
        // Permissions do not apply to the superuser.
        become_nobody();
        let mut maker = Maker::new(cache);
        maker.make(&known);
        maker.make(&vertex(2));
        assert_eq!(maker.compiles(), 1);
        maker.disk()
    });
    let stats = stats.join().unwrap();
    assert_eq!((stats.loaded, stats.stored, stats.errors), (1, 0, 1));
    mode(&place.0, 0o700);
    mode(folder, 0o700);
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let (_, file) = stored(&place);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!([&file, file.parent().unwrap(), &place.0].map(mode), [0o600, 0o700, 0o700]);
}

/// What warnings say while `work` runs on this thread.
fn warnings(work: impl FnOnce()) -> Vec<String> {
    let texts = Arc::<Mutex<Vec<String>>>::default();
    tracing::subscriber::with_default(Warnings(Arc::clone(&texts)), work);
    let texts = texts.lock().unwrap();
    texts.clone()
}

struct Warnings(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Text(String);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0 += &format!("{field}={value:?} ");
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
