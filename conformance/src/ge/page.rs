//! States of the GE, as a page shows them.

use crate::inspect::{Register, State};
use picaflor_pipeline::ge::names::{Class, command, describe};
use picaflor_pipeline::ge::regs::Registers;

/// The state of a draw.
pub(super) fn described(registers: &Registers, key: String) -> State {
    let reset = Registers::default();
    let changed = (0..=u8::MAX).filter(|&number| registers.arg(number) != reset.arg(number));
    let changed = changed.map(|number| u32::from(number) << 24 | registers.arg(number));
    let (state, others): (Vec<u32>, Vec<u32>) =
        changed.partition(|word| command((word >> 24) as u8).class == Class::State);
    State {
        key,
        summary: state.iter().filter_map(|&word| summary(word)).collect(),
        registers: state.into_iter().chain(others).map(register).collect(),
    }
}

/// Meaning and fields of a word that is not 0.
fn summary(word: u32) -> Option<(String, String)> {
    let (_, fields) = told(word);
    let meaning = command((word >> 24) as u8).meaning.into_owned();
    (word & 0xff_ffff != 0 && !meaning.is_empty()).then_some((meaning, fields))
}

/// Name, and fields in words.
fn told(word: u32) -> (String, String) {
    let text = describe(word);
    let (name, fields) = text.split_once(": ").unwrap_or((&text, ""));
    (name.to_owned(), fields.to_owned())
}

fn register(word: u32) -> Register {
    let (name, meaning) = told(word);
    Register { number: format!("{:02x}", word >> 24), name, word: format!("{word:08x}"), meaning }
}
