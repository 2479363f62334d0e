//! `Limits`: bounds of the work that a guest can request.

use crate::pica::prices;
use crate::pica::shader::program::Program;
use crate::pica::shader::steps::{Bound, Steps};
use crate::pica::stage::DEFAULT_INSTRUCTION_BUDGET;
use crate::setters::setters;
use crate::work::{Account, DEFAULT_WORK};

/// Budgets that bound the work of a machine on guest input. Real software stays far below.
///
/// ```
/// use picaflor_pipeline::pica::limits::Limits;
///
/// assert_eq!(Limits::default().with_commands(1000).commands, 1000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Units of work of one run, or of one write by the CPU: about nanoseconds of compiled code on one core. Commands,
    /// draws, vertices, instructions, triangles, pixels, and bytes that are fetched, decoded, compared, copied or filled are
    /// paid from this account before they are worked on. The other limits bound single kinds of work below that.
    ///
    /// A fill, transfer or texture copy has an account of its own, with the immediate vertices that it draws first. It is
    /// paid as a whole, by its bytes or pixels, mapped or not. Where too little is left it has no effect on memory and is
    /// not counted, but completes for the guest: the engine is done, and its interrupt is raised. The write that started it
    /// gives [`RunError::Budget`](crate::pica::RunError::Budget).
    pub work: u64,
    /// Instructions of one shader invocation.
    pub instructions: u32,
    /// Vertices of one draw.
    pub vertices: u32,
    /// Triangles of one draw, clipped ones included.
    pub triangles: u32,
    /// Pixels in the bounding boxes of the triangles of one draw.
    pub pixels: u64,
    /// Commands of one [`Pica::run`](crate::pica::Pica::run), jumps to other lists included.
    pub commands: u32,
    /// Jumps of one run.
    pub jumps: u32,
    /// Vertices of one run; checked after each draw.
    pub run_vertices: u64,
    /// Pixels in the bounding boxes of the triangles of one run; checked after each draw.
    pub run_pixels: u64,
    /// Instructions of all shader invocations of one run, or of one write by the CPU. An invocation is charged with
    /// its upper bound: the words that its program can reach, those of loops and procedures as often as the integer
    /// uniforms say, or, for control flow that is not structured, the whole of [`instructions`](Self::instructions).
    /// Checked before vertices are shaded, so that the limit is never exceeded.
    pub run_instructions: u64,
}

/// Instructions that an invocation of a program from `entry` is charged with: no invocation with these integer uniforms executes
/// more, whatever its inputs and boolean uniforms are. `None` where control flow is not structured (pica-shader.md 4.4): such
/// an invocation is charged with the whole of [`Limits::instructions`].
#[must_use]
pub fn longest_invocation(program: &Program, entry: u16, ints: [[u8; 4]; 4]) -> Option<u64> {
    Bound::of(program, entry).most(ints)
}

/// Remainder of [`Limits::work`] and of [`Limits::run_instructions`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunAccount {
    work: Account,
    instructions: Account,
    /// Program of the last draw of each kind of unit, by its generation, and its entry.
    programs: [(u64, u16); 2],
}

impl RunAccount {
    /// An account with the full budgets.
    pub(crate) const fn new(limits: &Limits) -> Self {
        let (work, instructions) = (Account::new(limits.work), Account::new(limits.run_instructions));
        Self { work, instructions, programs: [(u64::MAX, 0); 2] }
    }

    /// Pays for work that is about to be done; false if there is not enough left, then and in all later calls.
    pub(crate) const fn pay(&mut self, units: u64) -> bool {
        self.work.pay(units) && !self.instructions.is_overdrawn()
    }

    /// True if that much can be paid.
    pub(crate) const fn has(&self, units: u64) -> bool {
        !self.is_overdrawn() && units <= self.work.left()
    }

    /// Pays for looking at the program and entry of a draw if the last draw had others, as [`pay`](Self::pay).
    pub(crate) fn pay_program(&mut self, program: &Program, entry: u16, steps: Steps) -> bool {
        let last = &mut self.programs[program.kind() as usize];
        let before = std::mem::replace(last, (program.generation(), entry));
        self.pay(match (before.0 == program.generation(), before.1 == entry) {
            (false, _) => prices::PROGRAM,
            (true, false) => prices::ENTRY + prices::SCANNED_WORD * u64::from(steps.words),
            (true, true) => 0,
        })
    }

    /// Pays for invocations of a program with `each` instructions, as [`pay`](Self::pay). Code takes `at_once` of them in the
    /// time of one.
    pub(crate) fn pay_invocations(&mut self, invocations: u64, at_once: u64, each: Steps) -> bool {
        let price = if each.is_slow { prices::SLOW_INSTRUCTION } else { prices::INSTRUCTION };
        let one = u64::from(each.most) * price + u64::from(each.dear) * prices::DEAR_INSTRUCTION;
        let paid = invocations.div_ceil(at_once).saturating_mul(at_once);
        self.instructions.pay(invocations.saturating_mul(each.most.into()))
            && self.work.pay(paid.saturating_mul(one))
    }

    /// True if something could not be paid.
    pub(crate) const fn is_overdrawn(&self) -> bool {
        self.work.is_overdrawn() || self.instructions.is_overdrawn()
    }

    /// True if instructions could not be paid.
    pub(crate) const fn lacks_instructions(&self) -> bool {
        self.instructions.is_overdrawn()
    }

    /// True if somebody should look whether the run is to end.
    pub(crate) const fn is_due(&mut self) -> bool {
        self.work.is_due()
    }

    /// Units of work spent.
    pub(crate) const fn spent(&self) -> u64 {
        self.work.spent()
    }
}

impl Limits {
    /// A list has at most 16 MiB, which is two million commands. A draw may cover both screens some hundreds of times
    /// and a run some thousands of times, which takes minutes in the reference path. A run may shade a million
    /// vertices with looping programs: twice the capacity of the console in a thirtieth of a second, at the
    /// manufacturer's figure of 15.3 million vertices per second.
    pub const DEFAULT: Self = Self {
        work: DEFAULT_WORK,
        instructions: DEFAULT_INSTRUCTION_BUDGET,
        vertices: 1 << 22,
        triangles: 1 << 22,
        pixels: 1 << 27,
        commands: 1 << 25,
        jumps: 100_000,
        run_vertices: 1 << 26,
        run_pixels: 1 << 30,
        run_instructions: 1 << 36,
    };

    setters! {
        with_work: work, u64;
        with_instructions: instructions, u32;
        with_vertices: vertices, u32;
        with_triangles: triangles, u32;
        with_pixels: pixels, u64;
        with_commands: commands, u32;
        with_jumps: jumps, u32;
        with_run_vertices: run_vertices, u64;
        with_run_pixels: run_pixels, u64;
        with_run_instructions: run_instructions, u64;
    }
}

impl Default for Limits {
    /// [`DEFAULT`](Self::DEFAULT).
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::shader::program::UnitKind;

    const STEPS: Steps = Steps { most: 6, is_slow: false, dear: 0, words: 3 };
    const SLOW: Steps = Steps { is_slow: true, ..STEPS };

    fn account(work: u64, instructions: u64) -> RunAccount {
        RunAccount::new(&Limits::DEFAULT.with_work(work).with_run_instructions(instructions))
    }

    #[test]
    fn programs_are_paid_where_they_change() {
        let [one, other] = [(); 2].map(|()| Program::new(UnitKind::Vertex));
        let geometry = Program::new(UnitKind::Geometry);
        let mut account = account(u64::MAX, 0);
        let entry = prices::ENTRY + 3 * prices::SCANNED_WORD;
        for (program, at, price) in [
            (&one, 0, prices::PROGRAM),
            (&one, 0, 0),
            (&geometry, 5, prices::PROGRAM),
            (&one, 7, entry),
            (&one, 7, 0),
            (&geometry, 5, 0),
            (&other, 7, prices::PROGRAM),
            (&one, 7, prices::PROGRAM),
            (&geometry, 6, entry),
        ] {
            let before = account.spent();
            assert!(account.pay_program(program, at, STEPS));
            assert_eq!(account.spent() - before, price, "{at}");
        }
    }

    #[test]
    fn invocations_have_two_accounts() {
        let mut fast = account(10_000, 60);
        assert!(fast.pay_invocations(4, 1, STEPS));
        assert_eq!(fast.spent(), 24 * prices::INSTRUCTION);
        assert!(fast.pay_invocations(6, 1, STEPS) && !fast.is_overdrawn() && !fast.lacks_instructions());
        assert!(!fast.pay_invocations(1, 1, STEPS));
        assert!(fast.is_overdrawn() && fast.lacks_instructions());
        assert!(!fast.pay(0), "nothing is paid any more");

        let mut slow = account(24 * prices::SLOW_INSTRUCTION, u64::MAX);
        assert!(slow.pay_invocations(4, 1, SLOW) && !slow.is_overdrawn());
        assert!(!slow.pay_invocations(1, 1, SLOW));
        assert!(slow.is_overdrawn() && !slow.lacks_instructions(), "it lacks work");
        assert!(
            !account(u64::MAX, u64::MAX - 1).pay_invocations(u64::MAX, 1, STEPS),
            "the product is the largest number"
        );
    }
}
