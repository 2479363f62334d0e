//! `Limits`: bounds of the work that a guest can request.

use crate::pica::stage::DEFAULT_INSTRUCTION_BUDGET;
use crate::setters::setters;

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
    /// its upper bound: the words that its program can reach, or, if words can repeat (loops, calls, backward jumps),
    /// the whole of [`instructions`](Self::instructions). Checked before vertices are shaded, so that the limit is
    /// never exceeded.
    pub run_instructions: u64,
}

/// Remainder of [`Limits::run_instructions`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InstructionAccount {
    left: u64,
    overdrawn: bool,
}

impl InstructionAccount {
    /// An account with the full budget.
    pub(crate) const fn new(limits: &Limits) -> Self {
        Self { left: limits.run_instructions, overdrawn: false }
    }

    /// Charges `invocations`; false if the budget is exceeded, then and in all later calls.
    pub(crate) const fn pay(&mut self, invocations: u64, each: u32) -> bool {
        let rest = self.left.checked_sub(invocations.saturating_mul(each as u64));
        match rest {
            Some(rest) if !self.overdrawn => self.left = rest,
            _ => self.overdrawn = true,
        }
        !self.overdrawn
    }

    /// True if a charge exceeded the budget.
    pub(crate) const fn is_overdrawn(&self) -> bool {
        self.overdrawn
    }
}

impl Limits {
    /// A list has at most 16 MiB, which is two million commands. A draw may cover both screens some hundreds of times
    /// and a run some thousands of times, which takes minutes in the reference path. A run may shade a million
    /// vertices with looping programs: twice the capacity of the console in a thirtieth of a second, at the
    /// manufacturer's figure of 15.3 million vertices per second.
    pub const DEFAULT: Self = Self {
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
