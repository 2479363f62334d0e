//! Scheduling: selection of the list to run, and the effects of each stop.
//!
//! Source: psp-ge.md 2.2-2.4, measured on a console (signals).

use super::{ListId, ListState, Lists, MOST_INTERRUPTS, Waits};
use crate::ge::stage::Stages;
use crate::ge::stats::Stats;
use crate::ge::{Ge, RunError, Session, Stop};
use crate::memory::Memory;
use crate::persist::Words;

/// Signal behaviours for which handlers are called.
const SUSPEND: u8 = 1;
const CONTINUE: u8 = 2;
/// Signal behaviours for debuggers.
const BREAK_1: u8 = 0xf0;
const BREAK_2: u8 = 0xff;

/// Kind of handler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InterruptKind {
    /// Handler of signals.
    #[default]
    Signal,
    /// Handler of the end of a list.
    Finish,
}

/// Call of a guest handler, to be made by the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupt {
    /// Kind of handler.
    pub kind: InterruptKind,
    /// The list that raised it.
    pub list: ListId,
    /// Number of the handlers, as given when the list was enqueued.
    pub callback: u32,
    /// Argument of the signal or of the end.
    pub token: u16,
    /// Program counter of the list: the address after the `END`.
    pub pc: u32,
}

impl Default for Interrupt {
    fn default() -> Self {
        Self { kind: InterruptKind::Signal, list: ListId(0), callback: 0, token: 0, pc: 0 }
    }
}

impl Interrupt {
    pub(super) fn persist(&mut self, words: &mut Words) {
        let mut is_finish = self.kind == InterruptKind::Finish;
        words.flag(&mut is_finish);
        self.kind = if is_finish { InterruptKind::Finish } else { InterruptKind::Signal };
        words.words([&mut self.list.0, &mut self.callback, &mut self.pc]);
        words.half(&mut self.token);
    }
}

/// State of the queue after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The queue is empty.
    Idle,
    /// The first one waits for its stall address to move.
    Stalled(ListId),
    /// The first list is paused.
    Paused(ListId),
    /// The first list waits for a handler to return, or the queue of pending interrupts is full.
    Interrupt(ListId),
    /// The first list can only be removed: it could not be read, exceeded the limits, or sent a signal that the
    /// system software does not know.
    Stuck(ListId),
}

impl Lists {
    /// Runs lists one after the other until the first one cannot continue.
    ///
    /// # Errors
    /// If a list cannot be read, or all lists of the call together exceed the limits; the first list is then
    /// [stuck](Progress::Stuck).
    pub fn run(
        &mut self,
        ge: &mut Ge,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
    ) -> Result<Progress, RunError> {
        self.run_in(&mut Session::single(ge, stages, memory))
    }

    /// [`run`](Self::run) in a session: draws of the lists may be pending afterwards.
    ///
    /// # Errors
    /// As [`run`](Self::run). If draws were [stopped](RunError::Stopped) whose list was complete, no list is stuck for it: neither
    /// that one, nor the next one, which begins with the next run.
    pub fn run_in(&mut self, session: &mut Session<'_>) -> Result<Progress, RunError> {
        let before = *session.ge().stats();
        session.begin_run();
        let progress = self.run_all(session, &before);
        session.rest(progress)
    }

    fn run_all(&mut self, session: &mut Session<'_>, before: &Stats) -> Result<Progress, RunError> {
        while let Some(&number) = self.queue.front() {
            if let Some(progress) = self.obstacle(number) {
                return Ok(progress);
            }
            self.run_first(number, session, before)?;
        }
        Ok(Progress::Idle)
    }

    /// Runs the first list until it stops. It is stuck if it cannot be run; not if the run ended before it began, or while its
    /// context was restored.
    fn run_first(
        &mut self,
        number: usize,
        session: &mut Session<'_>,
        before: &Stats,
    ) -> Result<(), RunError> {
        self.start(number, session)?;
        let stop = session.run_on(&mut self.slots[number].list);
        match stop.and_then(|stop| session.ge().check(before).map(|()| stop)) {
            Ok(stop) => self.stopped(number, stop, session),
            Err(error) => {
                self.slots[number].waits = Waits::Forever;
                Err(error)
            }
        }
    }

    /// Reason why the first list cannot continue.
    fn obstacle(&self, number: usize) -> Option<Progress> {
        let (slot, id) = (&self.slots[number], ListId(number as u32));
        match (slot.waits, slot.state) {
            (Waits::Forever, _) => Some(Progress::Stuck(id)),
            (Waits::Handler, _) => Some(Progress::Interrupt(id)),
            (_, ListState::Paused) => Some(Progress::Paused(id)),
            _ if slot.list.is_stalled() && slot.is_started => Some(Progress::Stalled(id)),
            _ if self.interrupts.len() >= MOST_INTERRUPTS => Some(Progress::Interrupt(id)),
            _ => None,
        }
    }

    fn start(&mut self, number: usize, session: &mut Session<'_>) -> Result<(), RunError> {
        let slot = &mut self.slots[number];
        slot.state = ListState::Drawing;
        if !slot.is_started && slot.context != 0 {
            session.save_context(slot.context)?;
        }
        slot.is_started = true;
        Ok(())
    }

    fn stopped(&mut self, number: usize, stop: Stop, session: &mut Session<'_>) -> Result<(), RunError> {
        let ge = session.ge();
        match stop {
            Stop::Stalled => self.slots[number].state = ListState::Stalling,
            Stop::Signal { behaviour: SUSPEND, token } => {
                if self.interrupt(number, InterruptKind::Signal, token, ge) {
                    self.slots[number].waits = Waits::Handler;
                }
            }
            Stop::Signal { behaviour: CONTINUE, token } => {
                self.interrupt(number, InterruptKind::Signal, token, ge);
            }
            // Measured (signals/simple): without a debugger the list goes on.
            Stop::Signal { behaviour: BREAK_1 | BREAK_2, .. } => {}
            // Measured (signals/simple): nobody has the machine go on, and the list is drawing forever.
            Stop::Signal { .. } => self.slots[number].waits = Waits::Forever,
            Stop::Paused { token } => {
                self.interrupt(number, InterruptKind::Signal, token, ge);
                self.slots[number].state = ListState::Paused;
            }
            Stop::Finished { token } => return self.finished(number, token, session),
        }
        Ok(())
    }

    fn finished(&mut self, number: usize, token: u16, session: &mut Session<'_>) -> Result<(), RunError> {
        if self.interrupt(number, InterruptKind::Finish, token, session.ge()) {
            self.slots[number].waits = Waits::Finish;
        }
        let slot = &mut self.slots[number];
        slot.state = ListState::Completed;
        let context = slot.context;
        // The list is complete, whether or not its context can be waited for.
        self.queue.retain(|&queued| queued != number);
        self.wake_first();
        if context == 0 { Ok(()) } else { session.restore_context(context) }
    }

    pub(super) fn wake_first(&mut self) {
        if let Some(&first) = self.queue.front() {
            let slot = &mut self.slots[first];
            if slot.state == ListState::Queued {
                slot.state = ListState::Drawing;
            }
        }
    }

    /// Queues a handler call, if the list has handlers; returns false if it has none.
    fn interrupt(&mut self, number: usize, kind: InterruptKind, token: u16, ge: &Ge) -> bool {
        let (slot, list) = (&self.slots[number], ListId(number as u32));
        let Some(callback) = slot.callback else { return false };
        self.interrupts.push_back(Interrupt { kind, list, callback, token, pc: slot.list.pc });
        self.stamps.push_back(Some(*ge.stats()));
        true
    }

    /// Next handler call, if any. When the handler has returned, the host [acknowledges](Self::acknowledge) it.
    pub fn next_interrupt(&mut self) -> Option<Interrupt> {
        self.last_stamp = self.stamps.pop_front().flatten();
        self.interrupts.pop_front()
    }

    /// Counters of the machine when the interrupt was raised that [`next_interrupt`](Self::next_interrupt) returned last,
    /// for [estimates of time](crate::ge::timing::Rates::cycles); `None` if it returned none, or a state was loaded since
    /// then.
    #[must_use]
    pub const fn interrupt_stats(&self) -> Option<&Stats> {
        self.last_stamp.as_ref()
    }

    /// Acknowledges a handler call that has returned; the list that waited for it continues. Handlers are called in the order
    /// of their interrupts, and a list waits for the last of its own: while others of this kind are to be called, it goes on
    /// waiting.
    pub fn acknowledge(&mut self, interrupt: &Interrupt) {
        let is_other = |other: &Interrupt| (other.kind, other.list) == (interrupt.kind, interrupt.list);
        if self.interrupts.iter().any(is_other) {
            return;
        }
        let awaited = match interrupt.kind {
            InterruptKind::Signal => Waits::Handler,
            InterruptKind::Finish => Waits::Finish,
        };
        if let Some(slot) = self.slots.get_mut(interrupt.list.0 as usize)
            && slot.waits == awaited
        {
            slot.waits = Waits::No;
        }
    }
}
