//! States of the PICA200, as a page shows them.

use super::key::key;
use crate::inspect::{Register, State};
use crate::pica::listing::{Line, state};
use picaflor_pipeline::pica::regs::Registers;

/// The state of a draw.
pub(super) fn described(registers: &Registers) -> State {
    let reset = Registers::new();
    let words = registers.words().iter().zip(reset.words()).enumerate();
    let changed = words.filter(|(_, (word, reset))| word != reset);
    State {
        key: key(registers),
        summary: state::summary(registers),
        registers: changed.map(|(id, (&word, _))| register(id as u16, word)).collect(),
    }
}

fn register(id: u16, word: u32) -> Register {
    let line = Line::of_cpu(id, word, 0xf);
    let fields = line.fields.iter().map(|(name, value)| format!("{name}={value}"));
    Register {
        number: format!("{id:#05x}"),
        meaning: fields.collect::<Vec<_>>().join(" "),
        name: line.name.to_string(),
        word: format!("{word:#010x}"),
    }
}
