//! Callbacks for the events of a machine, for debuggers.

use crate::raw::{Array, In, User, c_struct};
use crate::status::Failure;

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

/// A host's callback.
pub(crate) struct Hooks {
    user: User,
    event: EventFn,
    events: u32,
}

impl Hooks {
    /// Calls the host, if it asked for this kind of event: address, number, value and mask.
    pub(crate) fn tell(&self, kind: u32, numbers: [u32; 4], registers: &[u32], draws: u64) {
        if self.events & kind == 0 {
            return;
        }
        let [address, number, value, mask] = numbers;
        let (draw, register_count) = (draws as u32, registers.len());
        let registers = Array::lent(registers.as_ptr());
        let event = EventInfo { kind, address, number, value, mask, draw, registers, register_count };
        (self.event)(self.user, &raw const event);
    }
}

/// The callback of a configuration; none for NULL.
pub(crate) fn read(hooks: &In<HooksConfig>) -> Result<Option<Hooks>, Failure> {
    let config = hooks.read_or_default("picaflor_hooks")?;
    match (config.event, config.events) {
        (None, 0) => Ok(None),
        (None, _) => Err(Failure::null("picaflor_hooks.event")),
        (Some(_), events) if events & !kind::ALL != 0 || config.reserved != 0 => {
            Err(Failure::argument(format!("events {events:#x}")))
        }
        (Some(event), events) => Ok(Some(Hooks { user: config.user, event, events })),
    }
}
