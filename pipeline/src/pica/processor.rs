//! The command processor: runs a list, and those that it jumps to, within budgets.
//!
//! Source: pica-geometry.md 1.3-1.6, 1.8.

use super::Pica;
use super::command::{Command, CommandList, ListReader, Unreadable};
use super::machine::Host;
use crate::fault::Fault;
use crate::memory::Memory;
use crate::stage::Stages;

/// How a list ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// By the interrupt that it asked for.
    Interrupt,
    /// At its end, without one. A console goes idle, and software that waits for the interrupt hangs.
    EndOfList,
}

/// Why a list was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The list reaches memory that is not mapped.
    #[error("the command list is not mapped at {address:#010x}")]
    Unmapped {
        /// The first address that cannot be read.
        address: u32,
    },
    /// More commands than the limits allow.
    #[error("more than {limit} commands")]
    Commands {
        /// The limit.
        limit: u32,
    },
    /// More jumps than the limits allow.
    #[error("more than {limit} jumps from list to list")]
    Jumps {
        /// The limit.
        limit: u32,
    },
    /// More vertices or fragments than the limits allow.
    #[error("more work than a run may do: {vertices} vertices, {fragments} fragments")]
    Work {
        /// Vertices so far.
        vertices: u64,
        /// Fragments so far.
        fragments: u64,
    },
}

impl From<Unreadable> for RunError {
    fn from(Unreadable { address }: Unreadable) -> Self {
        Self::Unmapped { address }
    }
}

/// Where the processor goes after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Stop,
    Jump(u8),
}

/// What a run has used.
struct Budget {
    commands: u32,
    jumps: u32,
    /// Vertices and fragments at the beginning.
    before: (u64, u64),
}

impl Pica {
    /// Runs a command list to its end: to the interrupt that it asks for, or to its last command.
    ///
    /// ```
    /// use picaflor_pipeline::memory::FlatMemory;
    /// use picaflor_pipeline::pica::command::CommandList;
    /// use picaflor_pipeline::pica::float::Precision;
    /// use picaflor_pipeline::pica::interrupts::Interrupt;
    /// use picaflor_pipeline::pica::{Finished, Pica};
    /// # use picaflor_pipeline::fault::FaultList;
    /// # use picaflor_pipeline::stage::*;
    /// # struct Engine;
    /// # impl ShaderStage for Engine {
    /// #     fn shade(&mut self, _: &VertexBatch<'_>, _: &mut ShadedVertices, _: &mut FaultList) {}
    /// #     fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {}
    /// # }
    /// # impl FragmentStage for Engine {
    /// #     fn fragment_routine(&mut self, _: &FragmentState<'_>) -> std::sync::Arc<dyn TileRoutine> {
    /// #         unimplemented!()
    /// #     }
    /// # }
    /// // Two commands: no culling, and the end.
    /// let words = [0_u32, 0x000f_0040, 0x1234_5678, 0x000f_0010];
    /// let memory = FlatMemory::new(0x2000_0000, words.into_iter().flat_map(u32::to_le_bytes).collect());
    /// let list = CommandList { address: 0x2000_0000, size_bytes: 16 };
    ///
    /// let mut engine = Engine; // picaflor's `interp` or `jit`
    /// let mut pica = Pica::new(Precision::Console);
    /// assert_eq!(pica.run(&mut engine, &memory, list)?, Finished::Interrupt);
    /// assert!(pica.interrupts().contains(Interrupt::P3d));
    /// assert!(pica.faults().as_slice().is_empty());
    /// # Ok::<(), picaflor_pipeline::pica::RunError>(())
    /// ```
    ///
    /// # Errors
    /// If the list cannot be read, or does more than the [`Limits`](super::limits::Limits) allow. What it did
    /// until then stays done.
    pub fn run(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        list: CommandList,
    ) -> Result<Finished, RunError> {
        self.run_list(&mut Host { stages, memory }, list)
    }

    pub(super) fn run_list(&mut self, host: &mut Host<'_>, list: CommandList) -> Result<Finished, RunError> {
        self.flush(host);
        self.drawn = false;
        if !self.state.started && self.state.registers.raw(0x245) & 1 == 0 {
            let value = self.state.registers.raw(0x245);
            self.faults.push_once(Fault::Hangs { id: 0x245, value });
        }
        self.state.started = true;
        let finished = self.process(host, list);
        self.flush(host);
        finished
    }

    fn process(&mut self, host: &mut Host<'_>, list: CommandList) -> Result<Finished, RunError> {
        let mut budget = Budget { commands: 0, jumps: 0, before: self.work() };
        let mut reader = self.open(host.memory, list);
        while let Some(command) = reader.next_command()? {
            self.count_command(&mut budget)?;
            match self.execute(host, &reader, &command)? {
                Flow::Next => {}
                Flow::Stop => return Ok(Finished::Interrupt),
                Flow::Jump(channel) => {
                    self.count_jump(&mut budget)?;
                    reader = self.open(host.memory, self.channel(channel));
                }
            }
        }
        Ok(Finished::EndOfList)
    }

    fn open<'m>(&mut self, memory: &'m dyn Memory, list: CommandList) -> ListReader<'m> {
        self.state.stats.lists += 1;
        self.tell(memory, |observer, view| observer.list_started(view, list));
        ListReader::new(memory, list)
    }

    fn execute(
        &mut self,
        host: &mut Host<'_>,
        reader: &ListReader<'_>,
        command: &Command,
    ) -> Result<Flow, Unreadable> {
        let mask = command.header.mask();
        for k in 0..command.parameters {
            let value = reader.parameter(command, k)?;
            match self.write_from_list(host, command.register(k), value, mask) {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        if command.is_truncated() {
            self.faults.push(Fault::TruncatedCommand { address: command.address });
        }
        Ok(Flow::Next)
    }

    const fn work(&self) -> (u64, u64) {
        (self.state.stats.vertices, self.state.stats.fragments)
    }

    fn count_command(&mut self, budget: &mut Budget) -> Result<(), RunError> {
        let limit = self.limits.commands;
        if budget.commands >= limit {
            return Err(RunError::Commands { limit });
        }
        budget.commands += 1;
        self.state.stats.commands += 1;
        let (vertices, fragments) = self.work();
        let vertices = vertices.wrapping_sub(budget.before.0);
        let fragments = fragments.wrapping_sub(budget.before.1);
        if vertices > self.limits.run_vertices || fragments > self.limits.run_fragments {
            return Err(RunError::Work { vertices, fragments });
        }
        Ok(())
    }

    const fn count_jump(&self, budget: &mut Budget) -> Result<(), RunError> {
        let limit = self.limits.jumps;
        if budget.jumps >= limit {
            return Err(RunError::Jumps { limit });
        }
        budget.jumps += 1;
        Ok(())
    }
}
