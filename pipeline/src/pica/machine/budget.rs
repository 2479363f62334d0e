//! The use of [`Limits`] in a run, and the errors when they are exceeded.

use crate::pica::Pica;
use crate::pica::command::Unreadable;
use crate::pica::limits::{Limits, RunAccount};
use crate::pica::stats::Stats;
use crate::stop::StopCause;

/// Reason why a list was aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The list reaches memory that is not mapped.
    #[error("the command list is not mapped at {address:#010x}")]
    Unmapped {
        /// The first address that cannot be read.
        address: u32,
    },
    /// The list has more commands than the limits allow.
    #[error("more than {limit} commands")]
    Commands {
        /// The limit.
        limit: u32,
    },
    /// The list has more jumps than the limits allow.
    #[error("more than {limit} jumps from list to list")]
    Jumps {
        /// The limit.
        limit: u32,
    },
    /// The list has more instructions than the limits allow; see
    /// [`Limits::run_instructions`](crate::pica::limits::Limits::run_instructions).
    #[error("more than {limit} instructions of shader programs")]
    Instructions {
        /// The limit.
        limit: u64,
    },
    /// The run was [stopped](crate::stop::Stopper).
    #[error("the run was stopped {cause} at {address:#010x}")]
    Stopped {
        /// Address of the last command; its effects on pixels may be missing. 0 for a write by the CPU.
        address: u32,
        /// Reason.
        cause: StopCause,
    },
    /// The list, or the write by the CPU, has more work than the limits allow, counted in units; see
    /// [`Limits::work`](crate::pica::limits::Limits::work).
    #[error("more than {limit} units of work")]
    Budget {
        /// The limit.
        limit: u64,
    },
    /// The list has more vertices or pixels than the limits allow.
    #[error("more work than a run may do: {vertices} vertices, {pixels} pixels")]
    Work {
        /// Vertices of the run.
        vertices: u64,
        /// Pixels of the run, in the bounding boxes of triangles.
        pixels: u64,
    },
}

impl From<Unreadable> for RunError {
    fn from(Unreadable { address }: Unreadable) -> Self {
        Self::Unmapped { address }
    }
}

/// Work of a run so far.
pub(crate) struct Budget {
    commands: u32,
    jumps: u32,
    /// Counters before the run.
    before: Stats,
}

impl Budget {
    /// A budget of which nothing is used; `before` holds the machine's counters.
    pub(crate) const fn new(before: &Stats) -> Self {
        Self { commands: 0, jumps: 0, before: *before }
    }

    pub(crate) const fn count_command(&mut self, limits: &Limits) -> Result<(), RunError> {
        let limit = limits.commands;
        if self.commands >= limit {
            return Err(RunError::Commands { limit });
        }
        self.commands += 1;
        Ok(())
    }

    pub(crate) const fn count_jump(&mut self, limits: &Limits) -> Result<(), RunError> {
        let limit = limits.jumps;
        if self.jumps >= limit {
            return Err(RunError::Jumps { limit });
        }
        self.jumps += 1;
        Ok(())
    }

    /// Checks the drawing work so far.
    pub(crate) fn check_work(&self, limits: &Limits, now: &Stats) -> Result<(), RunError> {
        let before = &self.before;
        // A geometry program may swallow all vertices, so those that come out do not suffice.
        let out = now.vertices.wrapping_sub(before.vertices);
        let shaded = now.shaded.wrapping_sub(before.shaded);
        // Nor do those that are shaded: a stream may hold nothing but counts.
        let walked = now.positions.wrapping_sub(before.positions);
        let vertices = out.max(shaded).max(walked);
        let pixels = now.pixels.wrapping_sub(before.pixels);
        if vertices > limits.run_vertices || pixels > limits.run_pixels {
            return Err(RunError::Work { vertices, pixels });
        }
        Ok(())
    }
}

impl Pica {
    /// Looks, after about every thousandth of a millisecond of work, whether the run is to end.
    pub(crate) fn look(&mut self, at: u32) -> Result<(), RunError> {
        if self.account.is_due() && self.stopper.asks() {
            return self.check_stop(at);
        }
        Ok(())
    }

    /// The error of a run that was stopped at a command.
    pub(crate) fn check_stop(&self, address: u32) -> Result<(), RunError> {
        self.stopper.cause().map_or(Ok(()), |cause| Err(RunError::Stopped { address, cause }))
    }

    /// True if somebody may stop the run that begins.
    pub(crate) fn is_watched(&self) -> bool {
        self.time_limit.is_some() || self.stopper.is_watched()
    }

    /// Begins new accounts, of the whole budgets, and the time of the run.
    pub(crate) fn open_account(&mut self) {
        self.account = RunAccount::new(&self.limits);
        self.texels.clear();
        if let Some(timing) = &mut self.timing {
            timing.begin(&self.state.stats);
        }
        self.stopper.begin(self.time_limit);
    }

    /// Checks that all work could be paid.
    pub(crate) const fn check_account(&self) -> Result<(), RunError> {
        match (self.account.is_overdrawn(), self.account.lacks_instructions()) {
            (false, _) => Ok(()),
            (true, true) => Err(RunError::Instructions { limit: self.limits.run_instructions }),
            (true, false) => Err(RunError::Budget { limit: self.limits.work }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::command::CommandList;
    use crate::pica::testing::{Bench, LIST, header};

    #[test]
    fn budgets_end_endless_lists() {
        let limits = Limits { commands: 1000, jumps: 20, ..Limits::default() };
        let mut bench = Bench::new();
        bench.pica = bench.pica.with_limits(limits);
        let jump = [LIST >> 3, header(0x23a, 15), 4, header(0x238, 15), 1, header(0x23c, 15), 0, 0];
        assert_eq!(bench.run(&jump), Err(RunError::Jumps { limit: 20 }));
        assert_eq!(bench.pica.stats().lists, 21);
        bench.memory = crate::memory::BlockMemory::zeroed(&[(LIST, 0x1_0000)]);
        let long = CommandList { address: LIST, size_bytes: 0x1_0000 };
        assert_eq!(bench.run_at(long), Err(RunError::Commands { limit: 1000 }));
    }

    #[test]
    fn budgets_count_vertices_that_no_triangle_gets() {
        let modes: [&[[u32; 2]]; 3] =
            [&[], &[[2, header(0x229, 15)]], &[[2, header(0x229, 15)], [1, header(0x252, 15)]]];
        for mode in modes {
            let limits = Limits { run_vertices: 50, ..Limits::default() };
            let mut bench = Bench::new();
            bench.pica = bench.pica.with_limits(limits);
            let draws = [[3, header(0x228, 15)]].into_iter().chain([[1, header(0x22e, 15)]; 40]);
            let list: Vec<u32> = mode.iter().copied().chain(draws).chain([[0; 2]]).flatten().collect();
            let ended = bench.run(&list);
            assert!(matches!(ended, Err(RunError::Work { vertices: 51.., .. })), "{ended:?} {mode:?}");
        }
    }
}
