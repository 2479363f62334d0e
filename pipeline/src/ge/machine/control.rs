//! Control flow: commands that determine the next word to execute.
//!
//! Source: psp-ge.md 1.2, 2.3, 2.4.

use super::processor::{Host, ListReader, Stop};
use crate::ge::Ge;
use crate::ge::display_list::{ADDRESS, DisplayList, Pending};
use crate::ge::prices;
use crate::ge::regs::op;

/// Continuation after a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Next word; the current one has had its full effect.
    Next,
    /// Next word; the current one may have an effect outside control flow.
    Act,
    Stop(Stop),
}

/// Commands that only store their word.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let others = [
        op::VADDR,
        op::IADDR,
        op::PRIM,
        op::BEZIER,
        op::SPLINE,
        op::BBOX,
        op::JUMP,
        op::BJUMP,
        op::CALL,
        op::RET,
        op::END,
        op::OFFSET,
        op::ORIGIN,
        op::CLOAD,
        op::TRXKICK,
        op::VAP,
    ];
    let mut n = 0;
    while n < others.len() {
        plain[others[n] as usize] = false;
        n += 1;
    }
    let mut matrix = op::BOFS;
    while matrix <= op::TMATRIX {
        plain[matrix as usize] = false;
        matrix += 1;
    }
    plain
};

/// True if a word has no effect beyond its register: neither [`flow`](Ge::flow) nor [`act`](Ge::act) does anything then.
#[inline]
pub(super) const fn is_plain(word: u32) -> bool {
    PLAIN[(word >> 24) as usize]
}

/// Behaviours of signals.
mod behaviour {
    pub(crate) const PAUSE: u8 = 0x03;
    pub(crate) const SYNC: u8 = 0x08;
    pub(crate) const JUMP: u8 = 0x10;
    pub(crate) const CALL: u8 = 0x11;
    pub(crate) const RET: u8 = 0x12;
    pub(crate) const JUMP_RELATIVE: u8 = 0x13;
    pub(crate) const CALL_RELATIVE: u8 = 0x14;
    pub(crate) const JUMP_ORIGIN: u8 = 0x15;
    pub(crate) const CALL_ORIGIN: u8 = 0x16;
    pub(crate) const TEXTURE_RELATIVE: u8 = 0x20;
    pub(crate) const TEXTURE_ORIGIN: u8 = 0x28;
    pub(crate) const CLUT_RELATIVE: u8 = 0x30;
    pub(crate) const CLUT_ORIGIN: u8 = 0x38;
}

/// A `SIGNAL` with its `END`.
struct Signal {
    behaviour: u8,
    token: u16,
    /// Payload of both words, as an address.
    payload: u32,
    /// Address of the `SIGNAL`.
    at: u32,
}

impl Ge {
    /// Performs the control flow of the word at `at`. Its register holds the word already, and the list points behind
    /// it.
    pub(crate) fn flow(
        &mut self,
        host: &mut Host<'_>,
        reader: &mut ListReader<'_>,
        list: &mut DisplayList,
        word: u32,
        at: u32,
    ) -> Flow {
        let target = || self.relative(word & 0xff_fffc);
        match word.to_le_bytes()[3] {
            op::JUMP => list.jump(target()),
            op::BJUMP if list.is_outside => list.jump(target()),
            op::CALL => list.call(target(), self.state.offset, self.state.registers.word(op::BASE)),
            op::RET => self.ret(list),
            op::ORIGIN => self.state.offset = at,
            op::BBOX => list.is_outside = self.bounding_box(host),
            op::END => return self.end(list, reader.read_before(host.queue, at), at),
            _ => return Flow::Act,
        }
        Flow::Next
    }

    /// Address that an argument denotes (1.2).
    pub(crate) const fn relative(&self, argument: u32) -> u32 {
        let base = (self.state.registers.arg(op::BASE) & 0x0f_0000) << 8;
        self.state.offset.wrapping_add(base | argument) & ADDRESS
    }

    fn ret(&mut self, list: &mut DisplayList) {
        if let Some(frame) = list.ret() {
            self.state.offset = frame.offset;
        }
    }

    /// `END` acts on the word before it; after any other word it has no effect (15, 1).
    fn end(&mut self, list: &mut DisplayList, before: u32, at: u32) -> Flow {
        let token = before as u16;
        match before.to_le_bytes()[3] {
            op::SIGNAL => {
                let end = self.state.registers.arg(op::END);
                let payload = (u32::from(token) << 16 | end & 0xffff) & !3;
                let behaviour = before.to_le_bytes()[2];
                self.signal(list, &Signal { behaviour, token, payload, at: at.wrapping_sub(4) })
            }
            op::FINISH => match std::mem::take(&mut list.pending) {
                Pending::Nothing => Flow::Stop(Stop::Finished { token }),
                Pending::Sync => Flow::Next,
                Pending::Pause { token } => Flow::Stop(Stop::Paused { token }),
            },
            _ => Flow::Next,
        }
    }

    fn signal(&mut self, list: &mut DisplayList, signal: &Signal) -> Flow {
        use behaviour as is;
        let &Signal { behaviour, token, payload, at } = signal;
        let relative = at.wrapping_add(payload) & ADDRESS;
        let origin = self.relative(payload);
        match behaviour {
            is::PAUSE => list.pending = Pending::Pause { token },
            is::SYNC => list.pending = Pending::Sync,
            is::JUMP => list.jump(payload),
            is::JUMP_RELATIVE => list.jump(relative),
            is::JUMP_ORIGIN => list.jump(origin),
            is::CALL => self.signal_call(list, payload),
            is::CALL_RELATIVE => self.signal_call(list, relative),
            is::CALL_ORIGIN => self.signal_call(list, origin),
            is::RET => self.signal_ret(list),
            is::TEXTURE_RELATIVE..is::TEXTURE_ORIGIN => self.point(texture(behaviour), relative),
            is::TEXTURE_ORIGIN..is::CLUT_RELATIVE => self.point(texture(behaviour), origin),
            is::CLUT_RELATIVE => self.point([op::CBP, op::CBPH], relative),
            is::CLUT_ORIGIN => self.point([op::CBP, op::CBPH], origin),
            _ => {
                self.account.pay(prices::SIGNAL);
                return Flow::Stop(Stop::Signal { behaviour, token });
            }
        }
        Flow::Next
    }

    fn signal_call(&self, list: &mut DisplayList, target: u32) {
        list.call(target, self.state.offset, self.state.registers.word(op::BASE));
    }

    /// `RET` that restores `BASE` too.
    fn signal_ret(&mut self, list: &mut DisplayList) {
        if let Some(frame) = list.ret() {
            self.state.offset = frame.offset;
            self.state.registers.write(u32::from(op::BASE) << 24 | frame.base & 0xff_ffff);
        }
    }

    /// Sets a pointer and the upper bits in its second register, whose width stays (assumed; 15, 15).
    const fn point(&mut self, [low, high]: [u8; 2], address: u32) {
        let registers = &mut self.state.registers;
        let width = registers.arg(high) & 0xffff;
        registers.write((low as u32) << 24 | address & 0xff_ffff);
        registers.write((high as u32) << 24 | (address >> 24 & 15) << 16 | width);
    }
}

/// Pointer register and width register of the texture level that a signal names.
const fn texture(behaviour: u8) -> [u8; 2] {
    [op::TBP0 + behaviour % 8, op::TBW0 + behaviour % 8]
}
