//! The system software's calls about display lists, and the host's part: runs and interrupts.

use super::session::{Joint, either, with_lists};
use super::{Console, GeHandle};
use crate::handle::Handle;
use crate::later::DoneFn;
use crate::machine::{self, Hosted, failure, with};
use crate::raw::{In, Out, User, c_struct};
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::ge::lists::{
    Arguments, Interrupt, InterruptKind, ListError, ListId, Lists, Progress, Request,
};

c_struct! {
    growing
    /// `picaflor_ge_list`.
    List {
        /// First address.
        address: u32,
        /// Stall address; 0 for none.
        stall: u32,
        /// Number of the handlers to call; below 0 for none.
        callback: i32,
        /// Nonzero: at the head of the queue.
        at_head: u32,
        /// Size of the arguments, in bytes.
        arguments_size: u32,
        /// Address of the saved state; 0 for none.
        context: u32,
        /// Depth of the call stack.
        stack_depth: u32,
        /// Address of the call stack.
        stack: u32,
    }
}

c_struct! {
    fixed
    /// `picaflor_ge_interrupt`.
    InterruptInfo {
        /// `PICAFLOR_GE_INTERRUPT_...`.
        kind: u32,
        /// The list.
        list: u32,
        /// Number of the handler.
        callback: u32,
        /// Argument of the signal or of the end.
        token: u32,
        /// Current address of the list.
        pc: u32,
    }
}

impl List {
    fn request(&self) -> Request {
        let arguments = Arguments {
            size: self.arguments_size,
            context: self.context,
            stack_depth: self.stack_depth,
            stack: self.stack,
        };
        let callback = u32::try_from(self.callback).ok();
        Request { list: self.address, stall: self.stall, callback, arguments: Some(arguments) }
    }
}

/// Answers a system call; an error code of the console is an answer too.
fn answer_to(
    answer: &Out<u32>,
    call: impl FnOnce() -> Result<Result<u32, ListError>, Failure>,
) -> Result<(), Failure> {
    answer.put(0, "answer")?;
    answer.put(call()?.unwrap_or_else(ListError::code), "answer")
}

/// Runs a system call.
fn call(
    ge: &Handle<GeHandle>,
    answer: &Out<u32>,
    call: impl FnOnce(&mut Hosted<Console>) -> Result<u32, ListError>,
) -> Result<(), Failure> {
    answer_to(answer, || with(ge, |hosted| Ok(call(hosted))))
}

/// Runs a system call that concerns only the lists, in a session too.
fn call_lists(
    ge: &Handle<GeHandle>,
    answer: &Out<u32>,
    work: impl Fn(&mut Lists) -> Result<u32, ListError>,
) -> Status {
    guard(|| answer_to(answer, || with_lists(ge, work)))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_sdk(ge: Handle<GeHandle>, sdk: u32) -> Status {
    guard(|| {
        with(&ge, |hosted| {
            hosted.machine.lists.set_sdk(sdk);
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_enqueue(ge: Handle<GeHandle>, list: In<List>, answer: Out<u32>) -> Status {
    guard(|| {
        let list = list.read("picaflor_ge_list")?;
        let enqueue = |lists: &mut Lists| {
            let request = list.request();
            let id = if list.at_head == 0 { lists.enqueue(&request) } else { lists.enqueue_head(&request) };
            id.map(ListId::number)
        };
        answer_to(&answer, || with_lists(&ge, enqueue))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_update_stall(
    ge: Handle<GeHandle>,
    list: u32,
    stall: u32,
    answer: Out<u32>,
) -> Status {
    call_lists(&ge, &answer, |lists| lists.update_stall(ListId::new(list), stall).map(|()| 0))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_list_sync(ge: Handle<GeHandle>, list: u32, answer: Out<u32>) -> Status {
    call_lists(&ge, &answer, |lists| lists.list_sync(ListId::new(list)).map(|state| state as u32))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_draw_sync(ge: Handle<GeHandle>, answer: Out<u32>) -> Status {
    call_lists(&ge, &answer, |lists| Ok(lists.draw_sync() as u32))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_forget_completed(ge: Handle<GeHandle>) -> Status {
    guard(|| with_lists(&ge, Lists::forget_completed))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_dequeue(ge: Handle<GeHandle>, list: u32, answer: Out<u32>) -> Status {
    call_lists(&ge, &answer, |lists| lists.dequeue(ListId::new(list)).map(|()| 0))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_break(ge: Handle<GeHandle>, mode: u32, answer: Out<u32>) -> Status {
    call_lists(&ge, &answer, |lists| lists.break_lists(mode))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_continue(ge: Handle<GeHandle>, answer: Out<u32>) -> Status {
    call_lists(&ge, &answer, |lists| lists.continue_lists().map(|()| 0))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_save_context(ge: Handle<GeHandle>, address: u32, answer: Out<u32>) -> Status {
    guard(|| {
        call(&ge, &answer, |Hosted { machine, memory, .. }| {
            machine.lists.save_context(&mut machine.ge, memory, address).map(|()| 0)
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_restore_context(ge: Handle<GeHandle>, address: u32, answer: Out<u32>) -> Status {
    guard(|| {
        call(&ge, &answer, |Hosted { machine, memory, .. }| {
            machine.lists.restore_context(&mut machine.ge, memory, address).map(|()| 0)
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_translation(ge: Handle<GeHandle>, value: u32, answer: Out<u32>) -> Status {
    guard(|| call(&ge, &answer, |hosted| Lists::set_translation(&mut hosted.machine.ge, value)))
}

/// `PICAFLOR_GE_...`, and the list.
const fn numbers(progress: Progress) -> (u32, u32) {
    match progress {
        Progress::Idle => (0, 0),
        Progress::Stalled(list) => (1, list.number()),
        Progress::Paused(list) => (2, list.number()),
        Progress::Interrupt(list) => (3, list.number()),
        Progress::Stuck(list) => (4, list.number()),
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_run(ge: Handle<GeHandle>, progress: Out<u32>, list: Out<u32>) -> Status {
    guard(|| {
        let joint = |joint: &mut Joint<'_, '_>| joint.lists.run_in(joint.session).map_err(failure);
        let alone = |hosted: &mut Hosted<Console>| {
            hosted.work(|console, engine, memory| console.lists.run(&mut console.ge, engine, memory))
        };
        let (code, number) = numbers(either(&ge, joint, alone)?);
        progress.put_if_wanted(code);
        list.put_if_wanted(number);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_submit_run(
    ge: Handle<GeHandle>,
    done: Option<DoneFn>,
    user: User,
    fence: Out<u64>,
) -> Status {
    let run = |hosted: &mut Hosted<Console>| {
        hosted.work(|console, engine, memory| console.lists.run(&mut console.ge, engine, memory)).map(|_| ())
    };
    machine::submit(&ge, run, (done, user), &fence)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_wait(ge: Handle<GeHandle>, fence: u64) -> Status {
    machine::wait(&ge, fence)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_complete(ge: Handle<GeHandle>, fence: Out<u64>) -> Status {
    machine::complete(&ge, &fence)
}

/// `PICAFLOR_GE_INTERRUPT_...`.
const SIGNAL: u32 = 1;
const FINISH: u32 = 2;

impl InterruptInfo {
    const NONE: Self = Self { kind: 0, list: 0, callback: 0, token: 0, pc: 0 };

    fn of(interrupt: &Interrupt) -> Self {
        Self {
            kind: match interrupt.kind {
                InterruptKind::Signal => SIGNAL,
                InterruptKind::Finish => FINISH,
            },
            list: interrupt.list.number(),
            callback: interrupt.callback,
            token: interrupt.token.into(),
            pc: interrupt.pc,
        }
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_next_interrupt(ge: Handle<GeHandle>, interrupt: Out<InterruptInfo>) -> Status {
    guard(|| {
        interrupt.put(InterruptInfo::NONE, "interrupt")?;
        match with_lists(&ge, Lists::next_interrupt)? {
            Some(next) => interrupt.put(InterruptInfo::of(&next), "interrupt"),
            None => Ok(()),
        }
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_acknowledge(ge: Handle<GeHandle>, kind: u32, list: u32) -> Status {
    guard(|| {
        let kind = match kind {
            SIGNAL => InterruptKind::Signal,
            FINISH => InterruptKind::Finish,
            _ => return Err(Failure::argument(format!("interrupt {kind}"))),
        };
        let interrupt = Interrupt { kind, list: ListId::new(list), ..Interrupt::default() };
        with_lists(&ge, |lists| lists.acknowledge(&interrupt))
    })
}
