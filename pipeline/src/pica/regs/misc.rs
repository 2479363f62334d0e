//! Registers 0x000-0x03F: the interrupt request and compare block. Its behaviour is in
//! [`interrupts`](crate::pica::external::interrupts).
//!
//! Source: pica-geometry.md 1.6, 2.1; gbatek, 3DS GPU.

use super::{Class, Description, Registers};

crate::bits! {
    /// Four request or compare bytes, `FINALIZE` among them.
    pub struct RequestBytes(u32) {
        /// The first.
        byte0: u8 = 0..8;
        /// The second.
        byte1: u8 = 8..16;
        /// The third.
        byte2: u8 = 16..24;
        /// The fourth.
        byte3: u8 = 24..32;
    }
}

crate::bits! {
    /// `IRQ_AUTOSTOP`.
    pub struct Autostop(u32) {
        /// A running list ends when an enabled byte matches.
        stop_on_match: bool = 0..1;
    }
}

impl Registers {
    /// Request bytes `4 * word` to `4 * word + 3`; `word` below 16.
    #[must_use]
    pub fn request_bytes(&self, word: u16) -> RequestBytes {
        RequestBytes(self.raw(0x010 + (word & 15)))
    }

    /// Compare bytes `4 * word` to `4 * word + 3`; `word` below 16.
    #[must_use]
    pub fn compare_bytes(&self, word: u16) -> RequestBytes {
        RequestBytes(self.raw(0x020 + (word & 15)))
    }

    /// `IRQ_MASK`: bit `i` disables byte `i`.
    #[must_use]
    pub fn irq_mask(&self) -> u64 {
        u64::from(self.raw(0x031)) << 32 | u64::from(self.raw(0x030))
    }

    /// `IRQ_AUTOSTOP`.
    #[must_use]
    pub fn autostop(&self) -> Autostop {
        Autostop(self.raw(0x034))
    }
}

pub(super) fn describe(id: u16) -> Description {
    let named = |name: &'static str| Description::new(name, &[]);
    let bytes = |class| Description { fields: RequestBytes::FIELDS, ..Description::unnamed(id, class) };
    match id {
        0x000..=0x00f => bytes(Class::Configuration),
        0x010 => Description { fields: RequestBytes::FIELDS, ..named("FINALIZE").class(Class::Trigger) },
        0x011..=0x01f => bytes(Class::Trigger),
        0x020 => bytes(Class::Configuration).reset(0x1234_5678),
        0x021..=0x02f => bytes(Class::Configuration),
        0x030 => Description::unnamed(id, Class::Configuration).reset(0xffff_fff0),
        0x031 => Description::unnamed(id, Class::Configuration).reset(0xffff_ffff),
        0x032 | 0x033 => Description::unnamed(id, Class::Status),
        0x034 => autostop(id),
        0x035 => Description::unnamed(id, Class::Status).reset(0x0001_0002),
        _ => Description::unnamed(id, Class::Zero),
    }
}

fn autostop(id: u16) -> Description {
    let description = Description::unnamed(id, Class::Configuration).implemented(1).reset(1);
    Description { fields: Autostop::FIELDS, ..description }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reset_state_is_what_the_system_module_programs() {
        let regs = Registers::new();
        assert_eq!(regs.compare_bytes(0), RequestBytes(0x1234_5678));
        assert_eq!((regs.irq_mask(), regs.autostop().stop_on_match()), (!15, true));
        assert_eq!(regs.raw(0x035), 0x0001_0002);
    }

    #[test]
    fn words_of_request_and_compare_bytes() {
        let mut regs = Registers::new();
        for word in 0..16 {
            regs.set_raw(0x010 + word, 0x100 + u32::from(word));
            regs.set_raw(0x020 + word, 0x200 + u32::from(word));
        }
        for word in 0..16 {
            let bytes = [regs.request_bytes(word), regs.compare_bytes(word), regs.request_bytes(word + 16)];
            assert_eq!(bytes, [0x100, 0x200, 0x100].map(|of| RequestBytes(of + u32::from(word))));
        }
    }
}
