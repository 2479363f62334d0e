//! The command processor: runs a list, and the lists that it jumps to, within budgets.
//!
//! Source: pica-geometry.md 1.3-1.6, 1.8.

use super::budget::{Budget, RunError};
use crate::fault::Fault;
use crate::memory::{Memory, Stoppable};
use crate::pica::Pica;
use crate::pica::capture::Event;
use crate::pica::command::{Command, CommandList, ListReader};
use crate::pica::machine::Host;
use crate::pica::prices;
use crate::pica::queue::{self, InPlace};
use crate::pica::stage::Stages;
use crate::stop::Stopper;
use crate::tile::Workers;

/// How a list ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// By the interrupt that it requested.
    Interrupt,
    /// At its end, without an interrupt. A console goes idle, and software that waits for the interrupt hangs.
    EndOfList,
}

/// Continuation after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Stop,
    Jump(u8),
}

/// The engines of a run, to which its list ends also where a callback of the host panics.
struct Announced<'s>(&'s mut dyn Stages);

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        self.0.list_ends();
    }
}

impl Pica {
    /// Runs a command list to its end: the interrupt that it requests, or its last command.
    ///
    /// ```
    /// use picaflor_pipeline::memory::FlatMemory;
    /// use picaflor_pipeline::pica::command::CommandList;
    /// use picaflor_pipeline::pica::float::Precision;
    /// use picaflor_pipeline::pica::external::interrupts::Interrupt;
    /// use picaflor_pipeline::pica::{Finished, Pica};
    /// use picaflor_pipeline::pica::stage::NoEngines;
    ///
    /// // Two commands: no culling, and the end.
    /// let words = [0_u32, 0x000f_0040, 0x1234_5678, 0x000f_0010];
    /// let memory = FlatMemory::new(0x2000_0000, words.into_iter().flat_map(u32::to_le_bytes).collect());
    /// let list = CommandList { address: 0x2000_0000, size_bytes: 16 };
    ///
    /// let mut engine = NoEngines; // an emulator has picaflor_jit::Engine
    /// let mut pica = Pica::new(Precision::Console);
    /// assert_eq!(pica.run(&mut engine, &memory, list)?, Finished::Interrupt);
    /// assert!(pica.interrupts().contains(Interrupt::P3d));
    /// assert!(pica.faults().as_slice().is_empty());
    /// # Ok::<(), picaflor_pipeline::pica::RunError>(())
    /// ```
    ///
    /// # Errors
    /// If the list cannot be read, or exceeds the [`Limits`](crate::pica::limits::Limits): the effects up to that
    /// point remain. [`RunError::Stopped`] if it was [stopped](crate::stop::Stopper), or its time has passed.
    pub fn run(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        list: CommandList,
    ) -> Result<Finished, RunError> {
        let CommandList { address, size_bytes } = list;
        self.check_list(list);
        self.recorded(memory, Event::List { address, size_bytes }, |pica, memory| {
            // The list has a queue of its own.
            let stopper = Stopper::default();
            let queue = &mut InPlace::new(memory, &stopper);
            pica.run_list(&mut Host { stages, memory, queue }, list)
        })
    }

    /// Runs a list with a queue of its own.
    pub(crate) fn run_list(&mut self, host: &mut Host<'_>, list: CommandList) -> Result<Finished, RunError> {
        let finished = self.queued(host.stages, host.memory, |pica, host| pica.run_queued(host, list))?;
        self.check_stop(self.last_command).map(|()| finished)
    }

    /// Runs work with a queue of its own, on the threads of the machine.
    pub(crate) fn queued<R>(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        work: impl FnOnce(&mut Self, &mut Host<'_>) -> R,
    ) -> R {
        let announced = Announced(stages);
        // An observer may do to memory what it likes between two draws.
        if self.observer.is_none() {
            announced.0.list_begins();
        }
        let stages = &mut *announced.0;
        let stopper = self.stopper.clone();
        let stoppable = Stoppable::new(memory, &stopper);
        let memory = stoppable.of_run(self.is_watched());
        let mut workers = Workers::take(stages.workers(), &mut self.workers);
        let (run, before) = (workers.begin(self.tiling), self.state.stats.pixels);
        let result = queue::with_queue(run.tiling, &mut workers, memory, &stopper, |queue| {
            let result = work(self, &mut Host { stages: &mut *stages, memory, queue: &mut *queue });
            queue.finish();
            self.state.stats.fragments += queue.take_fragments();
            result
        });
        workers.ran(run, self.state.stats.pixels.saturating_sub(before));
        workers.give_back(stages.workers(), &mut self.workers);
        result
    }

    fn run_queued(&mut self, host: &mut Host<'_>, list: CommandList) -> Result<Finished, RunError> {
        self.open_account();
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
        let mut budget = Budget::new(&self.state.stats);
        let mut reader = self.open(host, list);
        while let Some(command) = reader.next_command()? {
            budget.count_command(&self.limits)?;
            self.account.pay(prices::COMMAND);
            self.last_command = command.address;
            self.state.stats.commands += 1;
            match self.execute(host, &reader, &command, &budget)? {
                Flow::Next => {}
                Flow::Stop => return Ok(Finished::Interrupt),
                Flow::Jump(channel) => {
                    budget.count_jump(&self.limits)?;
                    self.account.pay(prices::JUMP);
                    self.check_account()?;
                    self.look(command.address)?;
                    reader = self.open(host, self.channel(channel));
                }
            }
        }
        Ok(Finished::EndOfList)
    }

    fn open<'m>(&mut self, host: &mut Host<'m>, list: CommandList) -> ListReader<'m> {
        self.state.stats.lists += 1;
        host.queue.start_list((list.address & !15, list.size_bytes & !15));
        self.tell(host.memory, |observer, view| observer.list_started(view, list));
        ListReader::new(host.memory, list)
    }

    fn execute(
        &mut self,
        host: &mut Host<'_>,
        reader: &ListReader<'_>,
        command: &Command,
        budget: &Budget,
    ) -> Result<Flow, RunError> {
        let mask = command.header.mask();
        for k in 0..command.parameters {
            let value = reader.parameter(command, k)?;
            self.account.pay(prices::PARAMETER);
            if k == 0 {
                let (address, register) = (command.address, command.register(0));
                self.tell(host.memory, |observer, view| observer.command(view, address, register, value));
            }
            match self.write_from_list(host, command.register(k), value, mask) {
                // One command can start 256 draws.
                Flow::Next => {
                    budget.check_work(&self.limits, &self.state.stats)?;
                    self.check_account()?;
                    self.look(command.address)?;
                }
                flow => return Ok(flow),
            }
        }
        if command.is_truncated() {
            self.faults.push(Fault::TruncatedCommand { address: command.address });
        }
        Ok(Flow::Next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::external::interrupts::Interrupt;
    use crate::pica::limits::Limits;
    use crate::pica::observer::{Observer, View};
    use crate::pica::testing::{Bench, LIST, header};
    use std::sync::{Arc, Mutex};

    /// Notes the commands of lists.
    struct Commands(Arc<Mutex<Vec<[u32; 3]>>>);

    impl Observer for Commands {
        fn command(&mut self, _: View<'_>, address: u32, register: u32, value: u32) {
            self.0.lock().expect("one thread").push([address, register, value]);
        }
    }

    #[test]
    fn observers_see_each_command_once() {
        let mut bench = Bench::new();
        let seen = Arc::<Mutex<Vec<_>>>::default();
        bench.pica.set_observer(Some(Box::new(Commands(Arc::clone(&seen)))));
        let list = [[1, header(0x041, 15) | 2 << 20 | 1 << 31], [2, 3], [7, header(0x045, 15)]];
        assert!(bench.run(list.as_flattened()).is_ok());
        assert_eq!(seen.lock().expect("one thread")[..2], [[LIST, 0x041, 1], [LIST + 16, 0x045, 7]]);
    }

    const FINALIZE: [u32; 2] = [0x1234_5678, header(0x010, 15)];

    #[test]
    fn masks_bursts_and_fillers() {
        let mut bench = Bench::new();
        let list = [
            [0x1122_3344, header(0x0c3, 15)],
            [0xaabb_ccdd, header(0x0c3, 0b1001)],
            [0x9999_9999, header(0x0c3, 0)],
            [0, 0],
            [1, header(0x041, 15) | 2 << 20 | 1 << 31],
            [2, 3],
            [7, header(0x045, 15) | 1 << 20],
            [8, 0xffff_ffff],
        ];
        assert_eq!(bench.run(list.as_flattened()), Ok(Finished::EndOfList));
        assert_eq!(bench.word(0x0c3), 0xaa22_33dd);
        assert_eq!([0x041, 0x042, 0x043, 0x044, 0x045].map(|id| bench.word(id)), [1, 2, 3, 0, 8]);
        assert_eq!((bench.pica.stats().commands, bench.pica.stats().lists), (6, 1));
        assert!(bench.pica.interrupts().is_empty() && bench.pica.faults().as_slice().is_empty());
    }

    #[test]
    fn finalize_ends_the_list() {
        let mut bench = Bench::new();
        let list = [[1, header(0x041, 15)], FINALIZE, [2, header(0x041, 15)], [0, 0]];
        assert_eq!(bench.run(list.as_flattened()), Ok(Finished::Interrupt));
        assert!(bench.pica.interrupts().contains(Interrupt::P3d));
        assert_eq!(bench.word(0x041), 1);
        bench.pica.acknowledge(Interrupt::P3d);
        assert_eq!(bench.run(list.as_flattened()), Ok(Finished::Interrupt), "it matches again");
    }

    #[test]
    fn finalize_compares_bytes() {
        let mut bench = Bench::new();
        let list = [[0x1122_3344, header(0x010, 15)], [1, header(0x041, 15)]];
        assert_eq!(bench.run(list.as_flattened()), Ok(Finished::EndOfList));
        let one_byte = [[0xffff_56ff, header(0x010, 0b0010)], [2, header(0x041, 15)]];
        assert_eq!(bench.run(one_byte.as_flattened()), Ok(Finished::Interrupt));
        let masked = [[0, header(0x011, 15)], [3, header(0x041, 15)]];
        assert_eq!(bench.run(masked.as_flattened()), Ok(Finished::EndOfList));
        assert_eq!(bench.word(0x041), 3);
    }

    #[test]
    fn without_autostop_the_list_goes_on() {
        let mut bench = Bench::new();
        assert_eq!(bench.cpu(0x034, 0), Ok(()));
        let list = [FINALIZE, [5, header(0x041, 15)]];
        assert_eq!(bench.run(list.as_flattened()), Ok(Finished::EndOfList));
        assert!(bench.pica.interrupts().contains(Interrupt::P3d));
        assert_eq!(bench.word(0x041), 5);
    }

    /// The last eight bytes of a list whose size is no multiple of sixteen are never fetched.
    #[test]
    fn finalize_in_the_last_eight_bytes() {
        let mut bench = Bench::new();
        bench.put(LIST, [[1, header(0x041, 15)], [2, header(0x042, 15)], FINALIZE].as_flattened());
        let list = |size_bytes| CommandList { address: LIST, size_bytes };
        assert_eq!(bench.run_at(list(24)), Ok(Finished::EndOfList));
        assert_eq!((bench.word(0x041), bench.word(0x042)), (1, 2));
        assert_eq!(bench.run_at(list(32)), Ok(Finished::Interrupt));
    }

    #[test]
    fn truncated_commands_are_reported() {
        let mut bench = Bench::new();
        assert_eq!(bench.run(&[1, header(0x041, 15) | 9 << 20 | 1 << 31, 2, 3]), Ok(Finished::EndOfList));
        assert_eq!([0x041, 0x042, 0x043, 0x044].map(|id| bench.word(id)), [1, 2, 3, 0]);
        assert_eq!(bench.pica.faults().as_slice(), [Fault::TruncatedCommand { address: LIST }]);
    }

    /// A call through channel 0 that returns through channel 1.
    #[test]
    fn jumps_through_both_channels() {
        let mut bench = Bench::new();
        let caller = [
            [(LIST + 0x100) >> 3, header(0x23a, 15)],
            [16 >> 3, header(0x238, 15)],
            [(LIST + 0x30) >> 3, header(0x23b, 15)],
            [16 >> 3, header(0x239, 15)],
            // The rest of the command that jumps is dropped, and what follows it.
            [1, header(0x23c, 15) | 1 << 20],
            [0, 0],
            [7, header(0x042, 15)],
            FINALIZE,
        ];
        bench.put(LIST + 0x100, &[5, header(0x041, 15), 0, header(0x23d, 1)]);
        assert_eq!(bench.run(caller.as_flattened()), Ok(Finished::Interrupt));
        assert_eq!((bench.word(0x041), bench.word(0x042)), (5, 7));
        assert_eq!((bench.pica.stats().lists, bench.pica.stats().commands), (3, 9));
    }

    #[test]
    fn lists_that_are_not_there() {
        let mut bench = Bench::new();
        let list = |address, size_bytes| CommandList { address, size_bytes };
        assert_eq!(bench.run_at(list(0x100, 16)), Err(RunError::Unmapped { address: 0x100 }));
        assert_eq!(bench.run_at(list(0x100, 15)), Ok(Finished::EndOfList));
        let end = LIST + 0x1_0000;
        assert_eq!(bench.run_at(list(end - 16, 64)), Err(RunError::Unmapped { address: end }));
    }

    #[test]
    fn the_first_list_must_find_0x245_set() {
        let fault = Fault::Hangs { id: 0x245, value: 0 };
        let mut bench = Bench::new();
        assert_eq!(bench.cpu(0x245, 0), Ok(()));
        assert_eq!(bench.run(&[]), Ok(Finished::EndOfList));
        assert_eq!(bench.pica.take_faults().as_slice(), [fault]);
        assert_eq!(bench.run(&[]), Ok(Finished::EndOfList));
        assert!(bench.pica.faults().as_slice().is_empty());
    }

    /// Lists of random words, wild and tame, end in bounded time without a panic, and so do reads.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn random_lists() {
        let mut seed = 0x1234_5678_u64;
        let mut random = move || crate::random::word(&mut seed);
        let limits = Limits {
            work: u64::MAX,
            instructions: 100,
            vertices: 64,
            triangles: 64,
            commands: 2000,
            jumps: 10,
            run_vertices: 2000,
            pixels: 1 << 16,
            run_pixels: 1 << 18,
            run_instructions: 1 << 16,
        };
        for _ in 0..300 {
            let mut bench = Bench::new();
            bench.pica = bench.pica.with_limits(limits);
            let words: Vec<u32> = (0..256)
                .map(|i| match (i % 2, random() % 4) {
                    (1, 0) => random(),
                    (1, _) => header((random() % 0x408) as u16, 15) | random() & 0x8030_0000,
                    (_, 0) => LIST >> 3,
                    _ => random() >> (random() % 32),
                })
                .collect();
            let finished = bench.run(&words);
            assert!(!matches!(finished, Err(RunError::Unmapped { address: LIST })), "{finished:?}");
            assert!(bench.pica.stats().commands <= 2001);
            for _ in 0..64 {
                let _ = bench.mmio(0x1040_0000 | random() & 0x1ffc, random() >> (random() % 32));
                bench.pica.read_mmio(0x1040_0000 | random() & 0x1ffc);
            }
            let snapshot = bench.pica.save();
            assert_eq!(bench.pica.load(&snapshot), Ok(()));
            assert_eq!(bench.pica.save(), snapshot);
        }
    }
}
