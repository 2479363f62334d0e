//! Calls and handlers, as the captures have them.

use super::control::DrawState;
use super::*;
use crate::ge::limits::Limits;
use crate::ge::regs::op;
use crate::ge::stage::NoEngines;
use crate::ge::testing::{Bench, LIST};
use crate::ge::{Ge, RunError};
use crate::memory::read_word;

const OLD: u32 = 0;
const NEW: u32 = 0x0606_0010;
const MARK: u8 = 0x5c;

struct Console {
    bench: Bench,
    lists: Lists,
}

impl Console {
    fn new(sdk: u32) -> Self {
        Self { bench: Bench::new(), lists: Lists::new(sdk) }
    }

    fn run(&mut self) -> Progress {
        self.lists.run(&mut self.bench.ge, &mut NoEngines, &self.bench.memory).expect("lists run")
    }

    /// Enqueues the list at the usual place.
    fn enqueue(&mut self, stall: u32) -> ListId {
        self.lists.enqueue(&request(LIST, stall)).expect("enqueued")
    }

    /// Runs, and answers what handlers would see: state of the list, of all, and the mark.
    fn handlers(&mut self) -> Vec<(InterruptKind, u32, u32, u32)> {
        let mut seen = Vec::new();
        self.run();
        while let Some(interrupt) = self.lists.next_interrupt() {
            let list = code(self.lists.list_sync(interrupt.list));
            let mark = self.bench.word(MARK) & 0xff_ffff;
            seen.push((interrupt.kind, list, self.lists.draw_sync() as u32, mark));
            self.lists.acknowledge(&interrupt);
            self.run();
        }
        seen
    }

    fn go_on(&mut self) -> u32 {
        let answer = self.lists.continue_lists();
        answer.map_or_else(ListError::code, |()| 0)
    }
}

/// Handlers are not told of lists that are not there any more.
#[test]
fn interrupts_of_dropped_lists_are_dropped() {
    let mut console = Console::new(NEW);
    let signals = [0x0e02_0001, 0x0c00_0000, 0x0e02_0002, 0x0c00_0000];
    console.bench.put(LIST, &signals);
    console.enqueue(LIST + 16);
    console.run();
    assert!(console.lists.next_interrupt().is_some());
    assert_eq!(console.lists.break_lists(1), Ok(0));
    assert_eq!(console.lists.next_interrupt(), None);
}

/// Signals for debuggers, which nobody hears: the list goes on at once, in a run of its own each time.
#[test]
fn signals_are_paid() {
    let mut console = Console::new(NEW);
    // The base, signals, and a jump to the first word.
    let mut words = vec![0x1000_0000 | LIST >> 8 & 0x0f_0000];
    words.extend([0x0ef0_0000, 0x0c00_0000].repeat(8));
    words.push(0x0800_0000 | LIST & 0xff_ffff);
    console.bench.put(LIST, &words);
    let limits = Limits::DEFAULT.with_work(1_000_000);
    console.bench.ge = Ge::new().with_limits(limits);
    console.lists.enqueue(&request(LIST, 0)).expect("enqueued");
    let end = console.lists.run(&mut console.bench.ge, &mut NoEngines, &console.bench.memory);
    assert_eq!(end, Err(RunError::Budget { limit: limits.work }));
    assert!(console.bench.ge.stats().runs < 1_000_000 / 500);
}

fn request(list: u32, stall: u32) -> Request {
    Request { list, stall, callback: Some(3), arguments: None }
}

fn code(state: Result<ListState, ListError>) -> u32 {
    state.map_or_else(ListError::code, |state| state as u32)
}

/// The list of the captures: a signal, and three places to see how far it came.
fn signalling(behaviour: u32) -> [u32; 10] {
    let signal = 0x0e00_0000 | behaviour << 16;
    let [one, two, three] = [1, 2, 3].map(|n| u32::from(MARK) << 24 | n);
    [0, one, signal, 0x0c00_0000, two, 0x0f00_0000, 0x0c00_0000, three, 0x0f00_0000, 0x0c00_0000]
}

/// Measured (signals/suspend, continue, pause, sync).
#[test]
fn what_handlers_see() {
    use InterruptKind::{Finish, Signal};
    for (sdk, suspended) in [(OLD, 4), (NEW, 2)] {
        let mut console = Console::new(sdk);
        let mut handlers = |behaviour| {
            console.bench.put(LIST, &signalling(behaviour));
            console.enqueue(0);
            let first = console.handlers();
            let answer = console.go_on();
            (first, answer, console.handlers())
        };
        let done = |mark| (Finish, 0, 0, mark);
        assert_eq!(handlers(1), (vec![(Signal, suspended, 2, 1), done(2)], 0, vec![]));
        assert_eq!(handlers(3), (vec![(Signal, 4, 2, 2)], 0, vec![done(3)]));
        assert_eq!(handlers(8), (vec![done(3)], 0, vec![]));
        // The list does not wait, so it is where its next handler sees it.
        assert_eq!(handlers(2), (vec![(Signal, 0, 0, 2), done(2)], 0, vec![]));
        assert_eq!(handlers(0xf0), (vec![done(2)], 0, vec![]));
    }
}

/// A list waits for the handler of its last signal, not for that of one before, which returns first.
#[test]
fn handlers_return_in_order() {
    let mut console = Console::new(0);
    // Continue, then suspend.
    console.bench.put(LIST, &[0x0e02_0001, 0x0c00_0000]);
    console.bench.put(LIST + 8, &signalling(1));
    let list = console.enqueue(0);
    assert_eq!(console.run(), Progress::Interrupt(list));
    for (token, progress) in [(1, Progress::Interrupt(list)), (0, Progress::Idle)] {
        let interrupt = console.lists.next_interrupt().expect("a handler");
        assert_eq!(interrupt.token, token);
        console.lists.acknowledge(&interrupt);
        assert_eq!(console.run(), progress, "{token}");
    }
}

/// Measured (signals/simple): the list draws on, and only a break helps.
#[test]
fn unknown_signals_hang_the_list() {
    for (sdk, answer) in [(OLD, 0xffff_ffff), (NEW, 0x8000_0020)] {
        let mut console = Console::new(sdk);
        console.bench.put(LIST, &signalling(0xee));
        let first = console.enqueue(0);
        assert_eq!(console.run(), Progress::Stuck(first));
        assert_eq!(code(console.lists.list_sync(first)), 2);
        assert_eq!(console.go_on(), answer);
        match console.lists.enqueue(&request(LIST, LIST + 8)) {
            Ok(second) => assert_eq!((sdk, code(console.lists.list_sync(second))), (OLD, 1)),
            Err(error) => assert_eq!((sdk, error.code()), (NEW, 0x8000_0021)),
        }
        assert_eq!(console.lists.break_lists(1), Ok(0));
        assert_eq!(code(console.lists.list_sync(first)), 0x8000_0100);
        assert_eq!(console.run(), Progress::Idle);
    }
}

/// Measured (signals/simple, ge/queue, ge/context).
#[test]
fn stalls() {
    let mut console = Console::new(NEW);
    console.bench.put(LIST, &signalling(8));
    let list = console.enqueue(LIST);
    assert_eq!((code(console.lists.list_sync(list)), console.lists.draw_sync()), (3, DrawState::Stalled));
    assert_eq!(console.run(), Progress::Stalled(list));
    assert_eq!(console.go_on(), 0x8000_0020);
    let second = console.lists.enqueue(&request(LIST + 0x100, 0)).expect("another one");
    assert_eq!(code(console.lists.list_sync(second)), 1);
    assert_eq!(console.lists.update_stall(second, 0), Ok(()));
    assert_eq!(code(console.lists.list_sync(second)), 1, "it waits for its turn");
    assert_eq!(console.lists.update_stall(list, LIST + 8), Ok(()));
    assert_eq!(code(console.lists.list_sync(list)), 2, "it draws until it stalls again");
    assert_eq!(console.run(), Progress::Stalled(list));
    assert_eq!(console.lists.update_stall(list, 0), Ok(()));
    console.bench.put(LIST + 0x100, &[0x0f00_0009, 0x0c00_0000]);
    assert_eq!(console.run(), Progress::Idle);
    assert_eq!(console.lists.draw_sync(), DrawState::Done);
    let tokens: Vec<_> = std::iter::from_fn(|| console.lists.next_interrupt()).collect();
    assert_eq!(tokens.iter().map(|i| (i.list, i.token)).collect::<Vec<_>>(), [(list, 0), (second, 9)]);
    assert_eq!(tokens[1].pc, LIST + 0x108);
    assert_eq!(console.lists.update_stall(list, 0).map_err(ListError::code), Err(0x8000_0020));
    assert_eq!(console.lists.update_stall(ListId::new(77), 0).map_err(ListError::code), Err(0x8000_0100));
    // Completed lists can be asked for until somebody waited for all.
    tokens.iter().for_each(|interrupt| console.lists.acknowledge(interrupt));
    assert_eq!(code(console.lists.list_sync(list)), 0);
    console.lists.forget_completed();
    assert_eq!(code(console.lists.list_sync(list)), 0x8000_0100);
}

/// Measured (ge/break).
#[test]
fn breaks() {
    let mut console = Console::new(NEW);
    let stop = |console: &mut Console, mode| console.lists.break_lists(mode).map_err(ListError::code);
    assert_eq!([0, 1].map(|mode| stop(&mut console, mode)), [Err(0x8000_0020); 2]);
    assert_eq!([2, u32::MAX].map(|mode| stop(&mut console, mode)), [Err(0x8000_0107); 2]);
    assert_eq!(console.go_on(), 0);
    // A stalled list.
    console.bench.put(LIST, &signalling(3));
    let list = console.enqueue(LIST);
    console.run();
    assert_eq!(stop(&mut console, 0), Ok(list.number()));
    assert_eq!((console.run(), code(console.lists.list_sync(list))), (Progress::Paused(list), 4));
    assert_eq!(stop(&mut console, 0), Err(0x8000_0021));
    assert_eq!((console.go_on(), console.run()), (0, Progress::Stalled(list)));
    assert_eq!(stop(&mut console, 1), Ok(0));
    // One that paused itself.
    let list = console.enqueue(0);
    assert_eq!(console.run(), Progress::Paused(list));
    assert_eq!(stop(&mut console, 0), Err(0x8000_0021));
    assert_eq!((console.go_on(), console.run()), (0, Progress::Idle));
    assert_eq!((stop(&mut console, 0), stop(&mut console, 1)), (Err(0x8000_0020), Err(0x8000_0020)));
}

/// Measured (displaylist/alignment, ge/enqueueparam, ge/queue).
#[test]
fn refusals() {
    for sdk in [OLD, NEW] {
        let mut console = Console::new(sdk);
        let mut enqueue = |list, stall, size, stack_depth, stack| {
            let arguments = Some(Arguments { size, context: 0, stack_depth, stack });
            let request = Request { arguments, ..request(list, stall) };
            let answer = console.lists.enqueue(&request).map(|_| ()).map_err(ListError::code);
            let head = console.lists.enqueue_head(&request).map(|_| ()).map_err(ListError::code);
            console.lists = Lists::new(sdk);
            (answer, head)
        };
        for offset in 1..4 {
            assert_eq!(enqueue(LIST + offset, 0, 0, 0, 0).0, Err(0x8000_0103));
            assert_eq!(enqueue(LIST, LIST + offset, 0, 0, 0).0, Err(0x8000_0103));
        }
        for (size, depth) in [(u32::MAX, 256), (16, 256), (17, 1024), (16, u32::MAX)] {
            assert_eq!(enqueue(LIST, LIST, size, depth, 0), (Err(0x8000_0104), Err(0x8000_0104)));
        }
        for (size, depth) in [(15, 256), (0, 1024), (16, 255), (u32::MAX, 0)] {
            // The first list is not paused, so none may be put before it.
            assert_eq!(enqueue(LIST, LIST, size, depth, 0), (Ok(()), Err(0x8000_01fe)));
        }
        let lists = &mut console.lists;
        let stack = |list| {
            let arguments = Some(Arguments { size: 16, context: 0, stack_depth: 4, stack: LIST + 0x800 });
            Request { arguments, ..request(list, list) }
        };
        assert!(lists.enqueue(&stack(LIST)).is_ok());
        let expected = if sdk == NEW { Err(0x8000_0021) } else { Ok(()) };
        assert_eq!(lists.enqueue(&stack(LIST + 0x100)).map(|_| ()).map_err(ListError::code), expected);
        *lists = Lists::new(sdk);
        for n in 0..64 {
            assert!(lists.enqueue(&request(LIST + 4 * n, LIST)).is_ok());
        }
        assert_eq!(lists.enqueue(&request(LIST + 0x400, LIST)).map_err(ListError::code), Err(0x8000_0022));
        let expected = if sdk == NEW { 0x8000_0021 } else { 0x8000_0022 };
        assert_eq!(lists.enqueue(&request(LIST, LIST)).map_err(ListError::code), Err(expected));
    }
}

#[test]
fn numbers_are_reused_in_turn() {
    let mut console = Console::new(NEW);
    console.bench.put(LIST, &[0x0f00_0000, 0x0c00_0000]);
    let numbers: Vec<_> = (0..66)
        .map(|_| {
            let list = console.enqueue(0);
            console.handlers();
            list.number()
        })
        .collect();
    assert_eq!(numbers, (0..64).chain(0..2).collect::<Vec<_>>());
}

#[test]
fn a_list_before_the_others() {
    let mut console = Console::new(NEW);
    console.bench.put(LIST, &signalling(8));
    console.bench.put(LIST + 0x100, &[0x5e00_0001, 0x0f00_0000, 0x0c00_0000]);
    let first = console.enqueue(LIST + 4);
    console.run();
    let head = request(LIST + 0x100, 0);
    assert_eq!(console.lists.enqueue_head(&head).map_err(ListError::code), Err(0x8000_01fe));
    assert_eq!(console.lists.break_lists(0), Ok(first.number()));
    let second = console.lists.enqueue_head(&head).expect("the first is paused");
    let states = [first, second].map(|list| code(console.lists.list_sync(list)));
    assert_eq!((states, console.run()), ([1, 4], Progress::Paused(second)));
    assert_eq!((console.go_on(), console.run()), (0, Progress::Stalled(first)));
    assert_eq!(console.bench.word(op::LMODE), 0x5e00_0001);
}

/// Measured (ge/queue).
#[test]
fn lists_are_taken_away() {
    let mut console = Console::new(NEW);
    let mut dequeue = |id| console.lists.dequeue(id).map_err(ListError::code);
    assert_eq!(dequeue(ListId::new(64)), Err(0x8000_0100));
    console.bench.put(LIST, &[0x0f00_0000, 0x0c00_0000]);
    let list = console.enqueue(LIST);
    let arguments = Some(Arguments { size: 8, context: LIST + 0x1000, stack_depth: 0, stack: 0 });
    let second = console.lists.enqueue(&Request { arguments, ..request(LIST + 4, 0) }).expect("another");
    assert_eq!(console.lists.dequeue(second).map_err(ListError::code), Err(0x8000_0100));
    assert_eq!(console.lists.dequeue(list), Ok(()));
    assert_eq!(code(console.lists.list_sync(list)), 0x8000_0100);
    let list = console.enqueue(0);
    assert_eq!(console.lists.break_lists(1), Ok(0));
    assert_eq!(console.lists.dequeue(list).map_err(ListError::code), Err(0x8000_0100));
    let list = console.enqueue(0);
    console.handlers();
    assert_eq!(console.lists.dequeue(list).map_err(ListError::code), Err(0x8000_0021));
}

/// Measured (ge/context).
#[test]
fn contexts() {
    let mut console = Console::new(NEW);
    let context = LIST + 0x1000;
    console.bench.put(LIST, &[0x1700_0001, 0, 0x0f00_0000, 0x0c00_0000]);
    let arguments = Some(Arguments { size: 0, context, stack_depth: 0, stack: 0 });
    let list = console.lists.enqueue(&Request { arguments, ..request(LIST, LIST + 4) }).expect("enqueued");
    assert_eq!(console.run(), Progress::Stalled(list));
    let (lists, ge, memory) = (&console.lists, &mut console.bench.ge, &console.bench.memory);
    assert_eq!(lists.save_context(ge, memory, context).map_err(ListError::code), Err(0xffff_ffff));
    assert_eq!(lists.restore_context(ge, memory, context).map_err(ListError::code), Err(0x8000_0021));
    assert_eq!((ge.read_command(0x17), read_word(memory, context + 4 * 26)), (0x1700_0001, 0x1700_0000));
    assert_eq!(console.lists.update_stall(list, 0), Ok(()));
    assert_eq!(console.run(), Progress::Idle);
    let (lists, ge, memory) = (&console.lists, &mut console.bench.ge, &console.bench.memory);
    assert_eq!((ge.read_command(0x17), read_word(memory, context + 4 * 26)), (0x1700_0000, 0x1700_0000));
    assert_eq!(lists.save_context(ge, memory, context), Ok(()));
    assert_eq!(lists.restore_context(ge, memory, context), Ok(()));
}

/// Measured (ge/edram).
#[test]
fn translation_values() {
    let mut ge = Ge::new();
    let values = [0, 0, 0xffff_ffff, 0x1ff, 0x100, 0x200, 0x400, 0x800, 0xc00, 0x1000, 0x2000];
    let bad = 0x8000_01fe;
    let answers = values.map(|value| Lists::set_translation(&mut ge, value).unwrap_or_else(ListError::code));
    assert_eq!(answers, [0x400, 0, bad, bad, bad, 0, 0x200, 0x400, bad, 0x800, bad]);
}

/// Neither a list that signals forever nor one that cannot be read keeps the host.
#[test]
fn lists_that_do_not_end() {
    let forever = [0x1400_0000, 0x0e02_0000, 0x0c00_0000, 0x0800_0000];
    let mut console = Console::new(OLD);
    console.bench.put(LIST, &forever);
    let list = console.enqueue(0);
    assert_eq!(console.run(), Progress::Interrupt(list));
    assert_eq!(std::iter::from_fn(|| console.lists.next_interrupt()).count(), MOST_INTERRUPTS);
    // Without handlers.
    let limits = crate::ge::limits::Limits { commands: 1000, ..Default::default() };
    console.bench.ge = Ge::new().with_limits(limits);
    console.lists = Lists::new(OLD);
    let list = console.lists.enqueue(&Request { callback: None, ..request(LIST, 0) }).expect("enqueued");
    let mut run = || console.lists.run(&mut console.bench.ge, &mut NoEngines, &console.bench.memory);
    assert_eq!(run(), Err(RunError::Commands { limit: 1000 }));
    assert_eq!(run(), Ok(Progress::Stuck(list)));
}

#[test]
fn snapshots() {
    let mut console = Console::new(NEW);
    console.bench.put(LIST, &signalling(1));
    console.enqueue(0);
    console.lists.enqueue(&request(LIST + 4, LIST + 4)).expect("another");
    console.run();
    let saved = console.lists.save();
    let mut other = Lists::new(OLD);
    assert_eq!(other.load(&saved), Ok(()));
    assert_eq!(other.save(), saved);
    console.lists = other;
    let seen = console.handlers();
    assert_eq!(seen.iter().map(|seen| seen.0).collect::<Vec<_>>().len(), 2);
    let words = saved.words();
    let mut bad = vec![vec![], words[..words.len() - 1].to_vec(), [&[7], &words[1..]].concat()];
    for words in bad.drain(..) {
        assert!(console.lists.load(&Snapshot::from_words(words)).is_err());
    }
    // Whatever the words say, the lists work.
    let mut wild = words.to_vec();
    wild[1..].iter_mut().for_each(|word| *word = 2);
    let _ = console.lists.load(&Snapshot::from_words(wild));
    let _ = console.lists.run(&mut console.bench.ge, &mut NoEngines, &console.bench.memory);
}

/// Addresses of words are multiples of four, that of the list and that of the stall.
#[test]
fn addresses_between_words() {
    for (list, stall) in [(LIST + 1, 0), (LIST, LIST + 2), (LIST + 1, LIST + 1), (LIST + 3, LIST + 7)] {
        assert_eq!(check(&request(list, stall)), Err(ListError::InvalidPointer), "{list:x} {stall:x}");
    }
    assert_eq!(check(&request(LIST, LIST + 4)), Ok(()));
}

/// The lists before and behind one that is removed are executed as ever.
#[test]
fn a_list_in_the_middle_is_removed() {
    let mut console = Console::new(NEW);
    let lists = [0, 1, 2].map(|n| {
        let address = LIST + 0x100 * n;
        console.bench.put(address, &[u32::from(MARK) << 24 | 1 << n | 8, 0x0f00_0000, 0x0c00_0000]);
        console.lists.enqueue(&Request { callback: None, ..request(address, 0) }).expect("enqueued")
    });
    assert_eq!(console.lists.dequeue(lists[1]), Ok(()));
    let states = lists.map(|list| console.lists.list_sync(list).map(|state| state as u32));
    assert_eq!(states, [Ok(2), Err(ListError::InvalidId), Ok(1)]);
    assert_eq!(console.run(), Progress::Idle);
    assert_eq!((console.bench.word(MARK) & 15, console.bench.ge.stats().commands), (8 | 4, 6));
}
