use super::*;
use crate::code::compile::host_isa;
use crate::code::ge::transforms::TransformRoutine;
use crate::code::memory::{Arena, MappingScheme};
use crate::code::routine::CodeBlock;
use crate::cpu_level::CpuLevel;
use crate::ge::key::TransformKey;
use picaflor_pipeline::ge::regs::Registers;

fn routines(threads: usize, effort: Effort) -> (Routines, Arc<Profile>) {
    let (arena, profile) = (Arena::new(MappingScheme::default(), 4 << 20), Arc::<Profile>::default());
    let compiler = || {
        Compiler::new(host_isa(CpuLevel::Host).unwrap(), Arc::clone(&arena)).profiled(Arc::clone(&profile))
    };
    let background = (0..threads).map(|_| compiler()).collect();
    let settings = Settings { budget: 4 << 20, effort };
    (Routines::new(compiler(), background, settings, Arc::clone(&profile), None).unwrap(), profile)
}

/// A key with a draft; `more` makes it another.
fn key(more: u32) -> TransformKey {
    let mut registers = Registers::default();
    registers.write(0x1200_0180 | more);
    let key = TransformKey::of(&registers).unwrap();
    assert!(key.has_draft());
    key
}

/// A key of another kind, whose routines are not short.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Long(TransformKey);

impl fmt::Display for Long {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "long {}", self.0)
    }
}

impl RoutineKind for Long {
    type Routine = TransformRoutine;
    type Source = ();

    fn compile(&self, (): &(), compiler: &mut Compiler) -> Result<TransformRoutine, CompileError> {
        self.0.compile(&(), compiler)
    }

    fn code(routine: &TransformRoutine) -> &Arc<CodeBlock> {
        TransformKey::code(routine)
    }

    fn stored_key(&self, (): &()) -> Option<Vec<u8>> {
        None
    }

    fn store(_: &TransformRoutine) -> Vec<u8> {
        Vec::new()
    }

    fn load(
        &self,
        _: &[u8],
        _: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<TransformRoutine>, CompileError> {
        Ok(None)
    }
}

/// Nanoseconds that the interpreter may work before a routine is awaited, and somewhat more.
const ENOUGH: u64 = 3_000_000;

fn long_key(more: u32) -> Long {
    Long(key(more))
}

fn code<K: RoutineKind<Source = ()>>(routines: &mut Routines, key: &K) -> Option<Vec<u8>> {
    routines.find(key, &(), || 0).unwrap().map(|routine| K::code(&routine).bytes().to_vec())
}

/// The code of either effort.
fn both<K: RoutineKind<Source = ()>>(key: &K) -> [Vec<u8>; 2] {
    [Effort::Quick, Effort::Careful].map(|effort| code(&mut routines(0, effort).0, key).unwrap())
}

#[test]
fn the_second_version_takes_the_place_of_the_first() {
    let (mut routines, profile) = routines(1, Effort::Adaptive);
    let [quick, careful] = both(&key(0));
    assert_ne!(quick, careful);
    // The compile thread is busy, so that another one makes the first version when enough was interpreted.
    let held = routines.hold(key(1));
    assert_eq!(code(&mut routines, &key(0)), None);
    let first = routines.weigh(&key(0), &(), ENOUGH, &|| false).unwrap().unwrap();
    assert!(TransformKey::code(&first).bytes() == quick);
    assert!(code(&mut routines, &key(0)) == Some(quick));
    assert_eq!((routines.generation(), profile.stats().refined), (0, 0));
    drop(held);
    routines.wait();
    assert!(code(&mut routines, &key(0)) == Some(careful));
    assert_eq!((routines.generation(), profile.stats().refined, profile.stats().compiles), (1, 1, 2));
}

/// The first version is careful where a hundred times as much is to be done as compiling takes, whichever thread makes it.
#[test]
fn much_work_is_worth_care_at_once() {
    let careful = both(&key(0))[1].clone();
    for is_held in [false, true] {
        let (mut routines, profile) = routines(1, Effort::Adaptive);
        let held = is_held.then(|| routines.hold(key(1)));
        assert!(routines.find(&key(0), &(), || 100 * ENOUGH).unwrap().is_none());
        let first = routines.weigh(&key(0), &(), 100 * ENOUGH, &|| false).unwrap().unwrap();
        assert!(TransformKey::code(&first).bytes() == careful, "{is_held}");
        drop(held);
        routines.wait();
        assert_eq!(
            (routines.generation(), profile.stats().refined, profile.stats().compiles),
            (0, 0, 1),
            "{is_held}"
        );
    }
}

#[test]
fn a_wait_for_a_routine_can_be_stopped() {
    let (mut routines, _) = routines(1, Effort::Careful);
    let held = routines.hold(key(0));
    // Until the thread has begun the job it could be taken from the queue.
    while routines.queue.as_ref().unwrap().waits() > 0 {
        std::thread::yield_now();
    }
    let asked = std::cell::Cell::new(0);
    let stops_when_asked_again = || asked.replace(asked.get() + 1) > 0;
    assert!(routines.weigh(&key(0), &(), u64::MAX, &stops_when_asked_again).unwrap().is_none());
    assert_eq!(asked.get(), 2);
    drop(held);
}

/// The routine of a stopped run is there for the next one.
#[test]
fn a_wait_for_a_routine_that_no_thread_had_begun_can_be_stopped() {
    let (mut routines, _) = routines(1, Effort::Careful);
    let held = routines.hold(key(1));
    assert!(routines.weigh(&long_key(2), &(), u64::MAX, &|| false).unwrap().is_some());
    let (sender, also_held) = std::sync::mpsc::channel::<()>();
    let job = Box::new(move |_: &mut Compiler| _ = also_held.recv_timeout(Duration::from_secs(60)));
    assert_eq!(routines.awaited.as_ref().unwrap().submit(Arc::new(key(3)), job), Submitted::Queued);
    assert_eq!(code(&mut routines, &long_key(0)), None);
    for _ in 0..2 {
        let asked = std::cell::Cell::new(0);
        let stops_when_asked_again = || asked.replace(asked.get() + 1) > 0;
        assert!(routines.weigh(&long_key(0), &(), u64::MAX, &stops_when_asked_again).unwrap().is_none());
        assert_eq!(asked.get(), 2);
    }
    drop((held, sender));
    routines.wait();
    assert!(code(&mut routines, &long_key(0)) == Some(both(&long_key(0))[1].clone()));
}

/// That of a run that is to end is not begun.
#[test]
fn short_routines_are_made_where_they_are_awaited() {
    let (mut routines, _) = routines(1, Effort::Careful);
    let held = routines.hold(long_key(1));
    assert!(key(0).is_short());
    assert_eq!(code(&mut routines, &key(0)), None, "it is ordered");
    assert!(routines.weigh(&key(0), &(), u64::MAX, &|| true).unwrap().is_none());
    assert!(routines.weigh(&key(0), &(), u64::MAX, &|| false).unwrap().is_some());
    assert!(routines.awaited.is_none(), "no other thread was asked");
    assert_eq!(code(&mut routines, &key(0)), Some(both(&key(0))[1].clone()));
    drop(held);
}

#[test]
fn compile_threads_make_both() {
    let (mut routines, profile) = routines(2, Effort::Adaptive);
    let keys = [key(0), key(1), key(2)];
    keys.iter().for_each(|key| assert_eq!(code(&mut routines, key), None));
    routines.wait();
    for key in &keys {
        assert!(code(&mut routines, key) == Some(both(key)[1].clone()));
    }
    assert_eq!((profile.stats().refined, profile.stats().compiles), (3, 6));
}

#[test]
fn other_efforts_make_one() {
    for (threads, effort, n) in
        [(1, Effort::Quick, 0), (1, Effort::Careful, 1), (0, Effort::Adaptive, 1), (0, Effort::Quick, 0)]
    {
        let (mut routines, profile) = routines(threads, effort);
        let _ = code(&mut routines, &key(0));
        routines.wait();
        assert!(code(&mut routines, &key(0)) == Some(both(&key(0))[n].clone()), "{threads} {effort:?}");
        assert_eq!((profile.stats().refined, profile.stats().compiles), (0, 1));
    }
}

/// A routine of so many bytes, which are no code; the first number makes it another.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Bulk(u32, usize);

impl fmt::Display for Bulk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bulk {}", self.0)
    }
}

impl RoutineKind for Bulk {
    type Routine = Arc<CodeBlock>;
    type Source = ();

    fn compile(&self, (): &(), compiler: &mut Compiler) -> Result<Arc<CodeBlock>, CompileError> {
        compiler.load("bulk", &vec![0; self.1])
    }

    fn code(routine: &Arc<CodeBlock>) -> &Arc<CodeBlock> {
        routine
    }

    fn stored_key(&self, (): &()) -> Option<Vec<u8>> {
        None
    }

    fn store(_: &Arc<CodeBlock>) -> Vec<u8> {
        Vec::new()
    }

    fn load(
        &self,
        _: &[u8],
        _: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<Arc<CodeBlock>>, CompileError> {
        Ok(None)
    }
}

/// The routines that were not used for longest lie between others, so that what they leave is too small.
#[test]
fn pieces_of_free_memory_refuse_no_routine() {
    let (mut routines, _) = routines(0, Effort::Adaptive);
    let size = (4 << 20) / 64;
    let mut is_made = |n, size| routines.find(&Bulk(n, size), &(), || 0).map(|routine| routine.is_some());
    assert!((0..64).all(|n| is_made(n, size) == Ok(true)), "all of the memory");
    assert!((1..64).step_by(2).all(|n| is_made(n, size) == Ok(true)), "used again");
    assert_eq!(is_made(64, size + 64), Ok(true));
    assert!(is_made(65, 5 << 20).is_err(), "larger than all of it");
}

#[test]
fn an_evicted_routine_has_no_second_version() {
    let (mut routines, profile) = routines(1, Effort::Adaptive);
    let held = routines.hold(key(1));
    assert_eq!(code(&mut routines, &key(0)), None);
    assert!(routines.weigh(&key(0), &(), u64::MAX, &|| false).unwrap().is_some());
    routines.shared.cache().evict_bytes(usize::MAX);
    drop(held);
    routines.wait();
    assert_eq!((profile.stats().refined, profile.stats().compiles), (0, 1));
}

/// What the code cache does for a new routine, apart from compiling it, with as many entries as it may have.
#[test]
#[ignore = "measures"]
fn a_hundred_thousand_keys() {
    let mut cache = Cache::<u32, u32>::new(16 << 20, MAX_ENTRIES);
    let began = std::time::Instant::now();
    for key in 0..100_000 {
        assert!(cache.begin(&key));
        cache.insert(key, Arc::new(key), 1000);
    }
    let each = began.elapsed().as_secs_f64() * 1e9 / 100_000.0;
    println!("{each:.0} ns for each routine, {} evicted", cache.evictions());
    assert!(cache.len() <= MAX_ENTRIES && cache.bytes() <= 16 << 20);
}
