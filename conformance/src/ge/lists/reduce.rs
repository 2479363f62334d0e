//! Shrinks a failing case while it keeps failing: steps are left out, then words become zeros, which do nothing in a
//! list.

use super::program::{Program, Step};
use crate::reducer::Reducer;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The smallest case found in `time` for which `fails` still holds. It is expected to hold for `program`.
pub fn reduce(program: &Program, time: Duration, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut reducer = Reducer { best: program.clone(), end: Instant::now() + time, fails };
    loop {
        let before = reducer.best.clone();
        reducer.steps();
        (0..reducer.best.steps.len()).for_each(|step| reducer.words(step));
        if reducer.best == before || Instant::now() >= reducer.end {
            return reducer.best;
        }
    }
}

impl Reducer<'_, Program> {
    fn steps(&mut self) {
        let mut size = self.best.steps.len().next_power_of_two();
        while size > 0 {
            let mut end = self.best.steps.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                self.attempt(|program| drop(program.steps.drain(start..end)));
                end = start;
            }
            size /= 2;
        }
    }

    /// The words that step `at` writes, in ever smaller pieces.
    fn words(&mut self, at: usize) {
        let Some(Step::Memory(_, bytes)) = self.best.steps.get(at) else { return };
        let count = bytes.len() / 4;
        let mut size = count.next_power_of_two();
        while size > 0 {
            for start in (0..count).step_by(size) {
                self.attempt(|program| clear(&mut program.steps[at], start..(start + size).min(count)));
            }
            size /= 2;
        }
    }
}

/// Clears some words of what a step writes.
fn clear(step: &mut Step, words: Range<usize>) {
    if let Step::Memory(_, bytes) = step {
        let mut changed = bytes.to_vec();
        changed[4 * words.start..4 * words.end].fill(0);
        *bytes = changed.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::lists::generate::{ListKind, case};

    /// What is left of a case that "fails" when some list has a word is that word.
    #[test]
    fn only_what_fails_is_left() {
        let has = |program: &Program, word: u32| {
            let writes = |step: &Step| match step {
                Step::Memory(_, bytes) => bytes.as_chunks().0.contains(&word.to_le_bytes()),
                _ => false,
            };
            program.steps.iter().any(writes)
        };
        let case = (0..).map(|number| case(5, number, &[])).find(|case| case.kind == ListKind::Structured);
        let program = case.expect("many are").program;
        let end = 0x0c00_0000;
        assert!(has(&program, end));
        let reduced = reduce(&program, Duration::from_secs(30), &mut |program| has(program, end));
        let [Step::Memory(_, bytes)] = &reduced.steps[..] else { panic!("{reduced:?}") };
        assert_eq!(bytes.iter().filter(|&&byte| byte != 0).count(), 1);
    }
}
