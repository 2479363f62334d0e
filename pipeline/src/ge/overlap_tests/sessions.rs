//! What a host sees of draws between its runs.

use super::*;
use crate::ge::capture::Event;
use crate::ge::lists::{Arguments, InterruptKind, ListState, Lists, Progress, Request};
use crate::ge::stage::primitive::Kind;
use crate::ge::{Field, Session, Transfer};
use crate::memory::Tracked;
use crate::stop::StopCause;

const MIRROR: u32 = 0x0040_0000;
const OTHER_LIST: u32 = LIST + 0x8000;

/// A machine with a list that draws once, from the [`SOURCE`] as a texture, and its memory.
struct Host {
    ge: Ge,
    engine: Engine,
    memory: BlockMemory,
}

impl Host {
    fn new(tiling: Tiling) -> Self {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (LIST, 0x1_0000), (RAM, RAM_BYTES)]);
        let mut list = list(APART);
        list.write(op::TME, 1).wide_pointer(op::TBP0, op::TBW0, SOURCE, 64).write(op::TSIZE0, 0x0606);
        draw(list.write(op::TPSM, 3));
        write_bytes(&memory, LIST, &list.finish(0));
        write_bytes(&memory, SOURCE, &[7; BYTES as usize]);
        let (mut ge, engine) = (Ge::new(), Engine::default());
        ge.set_tiling(tiling);
        Self { ge, engine, memory }
    }

    fn session<R>(&mut self, work: impl FnOnce(&mut Session<'_>, &BlockMemory) -> R) -> Result<R, RunError> {
        let memory = &self.memory;
        self.ge.session(&mut self.engine, memory, |session| work(session, memory))
    }

    /// What several threads give; one gives the same. In both cases the work is told whether draws are pending.
    fn both<R: PartialEq + std::fmt::Debug>(
        work: impl Fn(&mut Session<'_>, &BlockMemory, bool) -> R,
    ) -> (R, Self) {
        let [(one, _), (three, host)] = [(Tiling::new(1), false), (EAGER, true)].map(|(tiling, is_late)| {
            let mut host = Self::new(tiling);
            (host.session(|session, memory| work(session, memory, is_late)).expect("nobody stops it"), host)
        });
        assert_eq!(one, three);
        (one, host)
    }
}

fn run(session: &mut Session<'_>) {
    assert_eq!(session.run(&mut DisplayList::new(LIST, 0)), Ok(Stop::Finished { token: 0 }));
}

/// The result of a call, which had to wait for draws or had not.
fn waits(session: &Session<'_>, done: Result<(), RunError>, expected: bool) {
    assert_eq!((done, session.has_waited()), (Ok(()), expected));
}

#[test]
fn reads_wait_for_draws_there() {
    let (seen, host) = Host::both(|session, memory, is_late| {
        (0..3).for_each(|_| run(session));
        let apart = session.before_read(APART, 0x1000);
        waits(session, apart, false);
        let read = session.before_read(TARGET + MIRROR + 5, 1);
        waits(session, read, is_late);
        let again = session.before_read(TARGET, BYTES);
        waits(session, again, false);
        run(session);
        let all = session.before_read(TARGET + 1, u32::MAX);
        waits(session, all, is_late);
        memory.byte(TARGET + 5)
    });
    assert_eq!((seen, host.ge.stats().runs, host.ge.stats().covered), (7, 4, 4 * 64 * 64));
    assert_eq!(host.engine.told, [Told::Begin, Told::End]);
}

#[test]
fn writes_wait_for_draws_from_there() {
    let (seen, host) = Host::both(|session, memory, is_late| {
        run(session);
        let elsewhere = session.write(SOURCE + BYTES, &[1; 16]);
        waits(session, elsewhere, false);
        let same = session.write(SOURCE, &[7; 16]);
        waits(session, same, false);
        let other = session.write(SOURCE, &[1; BYTES as usize]);
        waits(session, other, is_late);
        let first = memory.byte(TARGET);
        run(session);
        first
    });
    assert_eq!((seen, host.memory.byte(TARGET)), (7, 1));
    let changed = [(SOURCE + BYTES, 16), (SOURCE, BYTES)].map(|(at, length)| Told::Changed(at, length));
    let told: Vec<_> = [Told::Begin].into_iter().chain(changed).chain([Told::End]).collect();
    assert_eq!(host.engine.told, told);
}

/// The same bytes are not the same once draws are complete.
#[test]
fn writes_to_a_target_come_after_its_draws() {
    let (_, host) = Host::both(|session, _, is_late| {
        run(session);
        let zeros = session.write(TARGET, &[0; 16]);
        waits(session, zeros, is_late);
    });
    assert_eq!([TARGET, TARGET + 15, TARGET + 16].map(|at| host.memory.byte(at)), [0, 0, 7]);
}

#[test]
fn runs_are_counted_as_ever() {
    let mut alone = Host::new(Tiling::new(1));
    let mut spent = Vec::new();
    for _ in 0..2 {
        alone.ge.run(&mut alone.engine, &alone.memory, &mut DisplayList::new(LIST, 0)).expect("a list");
        spent.push(alone.ge.work());
    }
    let (work, host) = Host::both(|session, _, _| {
        [(); 2].map(|()| {
            run(session);
            session.ge().work()
        })
    });
    assert_eq!(work[..], spent);
    assert_eq!((host.ge.stats(), host.ge.save()), (alone.ge.stats(), alone.ge.save()));
    assert!(
        host.memory
            .blocks()
            .iter()
            .zip(alone.memory.blocks())
            .all(|(a, b)| a.as_slice().to_vec() == b.as_slice().to_vec())
    );
}

/// What a session writes has another version then; what is there already has not.
#[test]
fn versions_of_written_memory() {
    let memory = Tracked::new(BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (RAM, RAM_BYTES)]));
    let versions = Ge::new().session(&mut Engine::default(), &memory, |session| {
        [1_u8, 1, 2].map(|byte| {
            session.write(RAM, &[byte; 16]).expect("nobody stops it");
            memory.version(RAM, 16)
        })
    });
    let [first, second, third] = versions.expect("nobody stops it");
    assert!(first == second && second != third, "{first:?} {second:?} {third:?}");
}

/// Whoever waits for draws that were stopped hears of it, once.
#[test]
fn stopped_draws() {
    let stopped = Err(RunError::Stopped { address: 0, cause: StopCause::Requested });
    for tiling in [Tiling::new(1), EAGER] {
        let mut host = Host::new(tiling);
        let stopper = host.ge.stopper();
        let is_late = tiling == EAGER;
        let ended = host.session(|session, _| {
            run(session);
            stopper.stop();
            let waited = session.finish();
            assert_eq!(waited, if is_late { stopped } else { Ok(()) }, "{tiling:?}");
            stopper.resume();
            assert_eq!(session.finish(), Ok(()));
            run(session);
            stopper.stop();
            assert!(session.run(&mut DisplayList::new(LIST, 0)).is_err());
            let again = session.before_read(TARGET, 1);
            waits(session, again, false);
            stopper.resume();
            run(session);
            assert_eq!(session.finish(), Ok(()));
            run(session);
            stopper.stop();
        });
        assert_eq!(ended, if is_late { stopped } else { Ok(()) }, "{tiling:?}");
        stopper.resume();
        assert_eq!(host.memory.byte(TARGET), 7);
    }
}

/// The time of the host between runs is its own; waiting has the time of a run.
#[test]
fn time_limits() {
    let mut host = Host::new(EAGER);
    host.ge.set_time_limit(Some(Duration::from_millis(300)));
    let ended = host.session(|session, _| {
        // These take twice as long, on two threads.
        (0..30).for_each(|_| run(session));
        thread::sleep(Duration::from_millis(500));
        session.finish()
    });
    assert_eq!(ended, Ok(Ok(())));
    host.ge.set_time_limit(Some(Duration::from_millis(15)));
    let late = Err(RunError::Stopped { address: 0, cause: StopCause::TimeLimit });
    let many = |session: &mut Session<'_>| {
        (0..8).find_map(|_| session.run(&mut DisplayList::new(LIST, 0)).err());
        session.finish()
    };
    assert_eq!(host.session(|session, _| many(session)), Ok(late));
}

/// A list that draws nothing, or jumps to itself.
fn other_list(memory: &BlockMemory, is_endless: bool) -> Request {
    let mut list = ListBuilder::new();
    if is_endless {
        list.address(op::JUMP, OTHER_LIST);
    }
    write_bytes(memory, OTHER_LIST, &list.finish(0));
    Request { list: OTHER_LIST, stall: 0, callback: None, arguments: None }
}

/// Runs a list through the queue of the system software, with its context at an address.
fn run_queued(session: &mut Session<'_>, request: Request, context: u32) -> Result<Progress, RunError> {
    let mut lists = Lists::new(0);
    let arguments = Arguments { size: 8, context, stack_depth: 0, stack: 0 };
    lists.enqueue(&Request { arguments: Some(arguments), ..request }).expect("a slot");
    lists.run_in(session)
}

/// The context of a list is memory that the host writes: here it is the texture of the draw before.
#[test]
fn contexts_in_a_texture() {
    let (progress, host) = Host::both(|session, memory, _| {
        run(session);
        run_queued(session, other_list(memory, false), SOURCE)
    });
    let words = [17, 30].map(|word| 4 * word + 3);
    assert_eq!(progress, Ok(Progress::Idle));
    assert_eq!(words.map(|at| host.memory.byte(TARGET + at)), [7, 7]);
    assert!(words.iter().all(|at| host.memory.byte(SOURCE + at) != 7));
}

/// And memory that it reads: here the list draws over its own.
#[test]
fn contexts_in_a_target() {
    let (word, _) = Host::both(|session, _, _| {
        let request = Request { list: LIST, stall: 0, callback: None, arguments: None };
        assert_eq!(run_queued(session, request, TARGET), Ok(Progress::Idle));
        session.ge().registers().word(7)
    });
    assert_eq!(word, 0x0707_0707);
}

/// A list whose draws are stopped while it waits for them is complete all the same, and one that waits for those of others
/// begins later.
#[test]
fn stopped_draws_in_a_context() {
    let stopped = Err(RunError::Stopped { address: 0, cause: StopCause::Requested });
    // The caller draws, and not before it waits.
    let mut host = Host::new(Tiling { least_work: 1 << 17, ..EAGER });
    let stopper = host.ge.stopper();
    host.engine.stops = Some(stopper.clone());
    let next = other_list(&host.memory, false);
    let with_context = |request: Request, context| {
        let arguments = Arguments { size: 8, context, stack_depth: 0, stack: 0 };
        Request { arguments: Some(arguments), ..request }
    };
    let drawing = Request { list: LIST, callback: Some(3), ..next };
    let ended = host.session(|session, _| {
        let mut lists = Lists::new(0);
        let first = lists.enqueue(&with_context(drawing, TARGET)).expect("a slot");
        let second = lists.enqueue(&next).expect("a slot");
        assert_eq!(lists.run_in(session), stopped);
        assert_eq!(session.ge().registers().word(7), 0x0707_0707, "what is drawn is restored");
        stopper.resume();
        assert_eq!(lists.list_sync(first), Ok(ListState::Completed));
        assert_eq!(lists.list_sync(second), Ok(ListState::Drawing));
        assert_eq!(lists.run_in(session), Ok(Progress::Idle));
        // Its handler has not returned.
        lists.forget_completed();
        assert_eq!(lists.list_sync(first), Ok(ListState::Completed));
        let finish = lists.next_interrupt().expect("that of its end");
        assert_eq!((finish.kind, finish.list), (InterruptKind::Finish, first));
        lists.acknowledge(&finish);
        lists.forget_completed();
        assert!(lists.list_sync(first).is_err());
    });
    assert_eq!(ended, Ok(()));
    let ended = host.session(|session, _| {
        run(session);
        let mut lists = Lists::new(0);
        let list = lists.enqueue(&with_context(next, SOURCE)).expect("a slot");
        assert_eq!(lists.run_in(session), stopped);
        stopper.resume();
        assert_eq!(lists.list_sync(list), Ok(ListState::Drawing));
        assert_eq!(lists.run_in(session), Ok(Progress::Idle));
    });
    assert_eq!(ended, Ok(()));
}

/// A call of the queue has the time of one run, whatever it waits for in between.
#[test]
fn time_of_the_queue() {
    for tiling in [Tiling::new(1), EAGER] {
        let mut host = Host::new(tiling);
        let request = other_list(&host.memory, true);
        host.ge.set_time_limit(Some(Duration::from_millis(5)));
        let ended = host.session(|session, _| run_queued(session, request, SOURCE));
        let is_late = matches!(ended, Ok(Err(RunError::Stopped { cause: StopCause::TimeLimit, .. })));
        assert!(is_late, "{ended:?}");
    }
}

/// A host with a processor of its own: commands, vertices, primitives and transfers, and the state that they leave.
#[test]
fn runs_without_lists() {
    let words = draw(&mut list(APART)).words().to_vec();
    let corner = |at| Vertex { x: at, y: at, ..Vertex::EMPTY };
    let vertices = [corner(0), corner(1024)];
    let set_up = Ge::new().set_up(&mut Engine::default(), Kind::Rectangles, &vertices);
    let transfer = Transfer {
        source: TARGET,
        source_stride: 64,
        destination: RAM + 0x1_0000,
        destination_stride: 64,
        size: [16, 1],
        is_wide: true,
        ..Transfer::default()
    };
    let ((pointers, before), host) = Host::both(|session, memory, is_late| {
        assert_eq!(session.write_field(Field::Pointers, 0, &[APART, APART, 0]), Ok(()));
        assert_eq!(session.execute(&words), Ok(()));
        let executed = session.before_read(TARGET, BYTES);
        waits(session, executed, is_late);
        assert_eq!(session.write(SOURCE, &[5; BYTES as usize]), Ok(()));
        assert_eq!(session.draw_vertices(Kind::Rectangles, &vertices), Ok(()));
        let drawn = session.before_read(TARGET, BYTES);
        waits(session, drawn, is_late);
        let before = memory.byte(TARGET);
        assert_eq!(session.write(SOURCE, &[3; BYTES as usize]), Ok(()));
        assert_eq!(session.draw_primitives(&set_up), Ok(()));
        // It reads what the draw before it draws.
        assert_eq!(session.transfer_with(&transfer), Ok(()));
        let mut pointers = [0; 3];
        assert_eq!(session.read_field(Field::Pointers, 0, &mut pointers), Ok(()));
        (pointers, before)
    });
    assert_eq!((pointers, before), ([APART + 6, APART, 0], 5));
    assert_eq!((host.memory.byte(RAM + 0x1_0000 + 63), host.memory.byte(RAM + 0x1_0000 + 64)), (3, 0));
}

/// A recording in progress has the runs of a session, and an observer sees each draw done.
#[test]
fn recordings_and_observers() {
    let regions = [(VRAM, VRAM_BYTES), (LIST, 0x1_0000), (RAM, RAM_BYTES)];
    for tiling in [Tiling::new(1), EAGER] {
        let mut host = Host::new(tiling);
        host.ge.start_recording(&host.memory, &regions).expect("regions");
        let byte = host.session(|session, memory| {
            run(session);
            session.write(SOURCE, &[3; BYTES as usize]).expect("nothing to wait for");
            run(session);
            memory.byte(TARGET)
        });
        let capture = host.ge.stop_recording().expect("a recording");
        let runs = capture.events.iter().filter(|event| matches!(event, Event::Run(_))).count();
        assert_eq!((byte, runs), (Ok(3), 2));
        let seen = Arc::new(Mutex::new(Vec::new()));
        host.ge.set_observer(Some(Box::new(Watcher(Arc::clone(&seen)))));
        host.session(|session, _| run(session)).expect("nobody stops it");
        assert_eq!(*seen.lock().expect("nobody panics"), [3]);
    }
}
