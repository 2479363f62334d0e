//! Reduction of failing cases of the GE's seams, and their text.

use crate::ge::campaign::Verdict;
use crate::reducer::Reducer;
use picaflor_pipeline::ge::names::describe;
use picaflor_pipeline::ge::regs::Registers;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A case that can be made smaller.
pub(super) trait Reducible: Clone + PartialEq {
    /// Tries smaller cases.
    fn reduce(reducer: &mut Reducer<'_, Self>);

    /// The case in words.
    fn text(&self) -> String;
}

/// The smallest case found in this time that fails in the same manner as `case`, which fails: with a panic or with a
/// difference.
pub(super) fn reduce<C: Reducible>(case: &C, time: Duration, check: &mut dyn FnMut(&C) -> Verdict) -> C {
    let mut failure = |case: &C| match catch_unwind(AssertUnwindSafe(|| check(case))) {
        Ok(Verdict::Differs(_)) => Some("a difference"),
        Ok(_) => None,
        Err(_) => Some("a panic"),
    };
    let original = failure(case);
    let mut fails = |case: &C| original.is_some() && failure(case) == original;
    let mut reducer = Reducer { best: case.clone(), end: Instant::now() + time, fails: &mut fails };
    C::reduce(&mut reducer);
    reducer.best
}

/// Gives registers their values after reset, as many as possible, then clears single bits. `kept` stays as it is.
pub(super) fn registers<C: Clone + PartialEq>(
    reducer: &mut Reducer<'_, C>,
    kept: Option<u8>,
    of: fn(&mut C) -> Option<&mut Registers>,
) {
    let change = |case: &mut C, change: &dyn Fn(&mut Registers)| {
        if let Some(registers) = of(case) {
            change(registers);
        }
    };
    let reset = Registers::default();
    reducer.zero(0, 256, 1, &|case, from, to| {
        let commands = (from..to).map(|command| command as u8).filter(|&command| Some(command) != kept);
        change(case, &|registers| commands.clone().for_each(|command| registers.write(reset.word(command))));
    });
    let words = of(&mut reducer.best.clone()).map_or(*reset.words(), |registers| *registers.words());
    for word in words {
        let bits = (0..24).filter(|bit| word >> bit & 1 != 0);
        for bit in bits.filter(|_| kept != Some((word >> 24) as u8)) {
            reducer.attempt(|case| {
                change(case, &|registers| {
                    registers.write(registers.word((word >> 24) as u8) & !(1 << bit));
                });
            });
        }
    }
}

/// The registers that differ from those after reset, a line each.
pub(super) fn text(registers: &Registers) -> String {
    let reset = Registers::default();
    let words = registers.words().iter().zip(reset.words()).filter(|(word, reset)| word != reset);
    words.map(|(&word, _)| format!("{word:08x}  {}\n", describe(word))).collect()
}
