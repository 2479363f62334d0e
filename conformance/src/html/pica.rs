//! Comparisons of the PICA200, as a page shows them.

use super::entry::{Difference, Found, Register, State};
use crate::pica::listing::{Line, state};
use crate::pica::lockstep;
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::pica::regs::Registers;

impl From<&lockstep::Findings> for Found {
    fn from(findings: &lockstep::Findings) -> Self {
        let difference = |difference: &lockstep::Difference| Difference {
            place: difference.place.to_string(),
            surface: difference.surface.clone(),
            bytes: difference.bytes,
            what: difference.what.clone(),
            picture: difference.picture.clone(),
        };
        Self {
            differences: findings.differences.iter().map(difference).collect(),
            more: findings.more,
            state: findings.registers.as_deref().map(State::from),
        }
    }
}

impl From<&Registers> for State {
    fn from(registers: &Registers) -> Self {
        let key = FragmentStateKey::of(registers);
        let reset = Registers::new();
        let words = registers.words().iter().zip(reset.words()).enumerate();
        let changed = words.filter(|(_, (word, reset))| word != reset);
        Self {
            key: key.map_or_else(|refusal| refusal.to_string(), |key| key.to_string()),
            summary: state::summary(registers),
            registers: changed.map(|(id, (&word, _))| register(id as u16, word)).collect(),
        }
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
