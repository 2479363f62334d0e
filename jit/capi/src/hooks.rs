//! Callbacks for the events of a machine, for debuggers.

use crate::raw::{Array, In, User, c_struct};
use crate::status::Failure;
use crate::trace::{self, Requested};
use picaflor_jit::{Tracer, Watch};
use std::ffi::{CString, c_char};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `PICAFLOR_EVENT_...`.
pub(crate) mod kind {
    pub(crate) const COMMAND: u32 = 1;
    pub(crate) const REGISTER: u32 = 2;
    pub(crate) const DRAW_BEGIN: u32 = 4;
    pub(crate) const DRAW_END: u32 = 8;
    pub(crate) const TRANSFER_BEGIN: u32 = 16;
    pub(crate) const TRANSFER_END: u32 = 32;
    pub(crate) const LIST: u32 = 64;
    pub(super) const ALL: u32 = 127;
}

c_struct! {
    fixed
    /// `picaflor_event`.
    EventInfo {
        /// `PICAFLOR_EVENT_...`.
        kind: u32,
        /// Address of the command or list.
        address: u32,
        /// Register, command or unit.
        number: u32,
        /// Word written, or bytes of the list.
        value: u32,
        /// Bytes written.
        mask: u32,
        /// Draws that are complete.
        draw: u32,
        /// The registers now.
        registers: Array<u32>,
        /// Number of registers.
        register_count: usize,
        /// The last reason, or NULL.
        reason: Array<c_char>,
        /// Batches and tiles that the interpreter served in the draw.
        interpreted: u32,
        /// Refusals in the draw.
        refusals: u32,
    }
}

/// `picaflor_hooks.event`.
type EventFn = extern "C" fn(User, *const EventInfo);

c_struct! {
    growing
    /// `picaflor_hooks`.
    HooksConfig {
        /// Argument of the callback.
        user: User,
        /// The callback.
        event: Option<EventFn>,
        /// Kinds of events, as bits.
        events: u32,
        /// Zero.
        reserved: u32,
    }
}

/// What an engine leaves to the interpreter, and its tracer; the machine says which engine it is before each run.
pub(crate) type Watched = Arc<Mutex<Option<(Watch, Tracer)>>>;

/// A host's callback, and the kinds of events that it wants.
#[derive(Clone, Copy)]
pub(crate) struct Callback {
    user: User,
    event: EventFn,
    events: u32,
}

/// What observes a machine: a callback, if there is one, and the start of draws that are to be traced.
pub(crate) struct Hooks {
    callback: Option<Callback>,
    requested: Requested,
    watched: Watched,
    /// Work of the interpreter, and refusals, before the draw.
    before: (u64, u64),
    reason: CString,
}

impl Hooks {
    /// Calls the host, if it asked for this kind of event: address, number, value and mask.
    pub(crate) fn tell(&mut self, kind: u32, numbers: [u32; 4], registers: &[u32], draws: u64) {
        match kind {
            kind::DRAW_BEGIN => {
                self.before = self.left().map_or((0, 0), |(work, refusals, _)| (work, refusals));
                self.arm(draws);
            }
            kind::DRAW_END => self.disarm(),
            _ => {}
        }
        let Some(Callback { user, event: callback, events }) = self.callback else { return };
        if events & kind == 0 {
            return;
        }
        let (interpreted, refusals) = if kind == kind::DRAW_END { self.since() } else { (0, 0) };
        let reason = if refusals == 0 { std::ptr::null() } else { self.reason.as_ptr() };
        let [address, number, value, mask] = numbers;
        let (draw, register_count) = (draws as u32, registers.len());
        let registers = Array::lent(registers.as_ptr());
        let event = EventInfo {
            kind,
            address,
            number,
            value,
            mask,
            draw,
            registers,
            register_count,
            reason: Array::lent(reason),
            interpreted,
            refusals,
        };
        callback(user, &raw const event);
    }

    /// Begins the trace of a draw, if it is the one.
    fn arm(&self, draws: u64) {
        self.disarm();
        let request = trace::lock(&self.requested)
            .as_ref()
            .filter(|wanted| wanted.draw == draws)
            .map(|w| w.request.clone());
        if let (Some(request), Some((_, tracer))) = (request, &*self.watched()) {
            tracer.arm(request);
        }
    }

    /// Ends the trace of a draw, and keeps what was found.
    fn disarm(&self) {
        if let (Some(wanted), Some((_, tracer))) = (&mut *trace::lock(&self.requested), &*self.watched()) {
            tracer.disarm();
            wanted.add(tracer.take());
        }
    }

    fn watched(&self) -> MutexGuard<'_, Option<(Watch, Tracer)>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work of the interpreter, refusals, and the last reason, since the engine was built.
    fn left(&self) -> Option<(u64, u64, String)> {
        let watched = self.watched();
        let (watch, _) = watched.as_ref()?;
        let (refusals, reason) = watch.last_refusal();
        Some((watch.interpreted(), refusals, reason))
    }

    /// The same since the draw began; keeps the reason.
    fn since(&mut self) -> (u32, u32) {
        let Some((work, refusals, reason)) = self.left() else { return (0, 0) };
        let refused = refusals.saturating_sub(self.before.1) as u32;
        if refused > 0 {
            self.reason = CString::new(reason.replace('\0', " ")).unwrap_or_default();
        }
        (work.saturating_sub(self.before.0) as u32, refused)
    }

    /// An observer, if there is anything to observe, and where the machine says which engine runs.
    pub(crate) fn new(callback: Option<Callback>, requested: &Requested) -> Option<(Self, Watched)> {
        if callback.is_none() && trace::lock(requested).is_none() {
            return None;
        }
        let watched = Watched::default();
        let hooks = Self {
            callback,
            requested: Arc::clone(requested),
            watched: Arc::clone(&watched),
            before: (0, 0),
            reason: CString::default(),
        };
        Some((hooks, watched))
    }
}

/// The callback of a configuration; none for NULL.
pub(crate) fn read(hooks: &In<HooksConfig>) -> Result<Option<Callback>, Failure> {
    let config = hooks.read_or_default("picaflor_hooks")?;
    match (config.event, config.events) {
        (None, 0) => Ok(None),
        (None, _) => Err(Failure::null("picaflor_hooks.event")),
        (Some(_), events) if events & !kind::ALL != 0 || config.reserved != 0 => {
            Err(Failure::argument(format!("events {events:#x}")))
        }
        (Some(event), events) => Ok(Some(Callback { user: config.user, event, events })),
    }
}
