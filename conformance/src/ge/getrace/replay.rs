//! Recorded lists on the machine.

use super::{Record, Run, Stopped};
use picaflor_pipeline::ge::display_list::{DisplayList, Pending};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::ge::{CONTEXT_WORDS, Ge, RunError, Stop};
use picaflor_pipeline::memory::{BlockMemory, read_word, write_bytes};

/// Main memory of the console: address and bytes.
const RAM: (u32, u32) = (0x0800_0000, 64 << 20);
/// Bits of an address inside the GE.
const ADDRESS: u32 = 0x0fff_ffff;
/// The signals that lists are left with, as the recording has them.
mod signal {
    pub(super) const PAUSE: u32 = 3;
    pub(super) const SYNC: u32 = 8;
    /// Upper halves of the words of break signals.
    pub(super) const BREAKS: [u32; 2] = [0x0ef0, 0x0eff];
}

/// The result of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Runs that were compared.
    pub runs: usize,
    /// Runs that the recording emulator interrupted at a break signal, where the console goes on.
    pub breaks: usize,
    /// Registers that were compared.
    pub registers: usize,
    /// Differences from the recording.
    pub differences: Vec<String>,
}

/// Runs every list as recorded; compares the state at each stop, and the registers that the program read.
pub fn replay(records: &[Record], stages: &mut dyn Stages) -> Report {
    let mut machine =
        Machine { ge: Ge::new(), memory: BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), RAM]), stopped: None };
    let mut report = Report::default();
    for record in records {
        match record {
            Record::Memory(address, bytes) => write_bytes(&machine.memory, address & ADDRESS, bytes),
            Record::Context(words) => {
                let mut block = [0; CONTEXT_WORDS];
                block.iter_mut().zip(words).for_each(|(to, &from)| *to = from);
                machine.ge.load_context(&block);
            }
            Record::Run(run) => machine.run(run, stages),
            Record::Stopped(expected) => {
                let actual = machine.stopped.take();
                if machine.is_at_break(expected) {
                    report.breaks += 1;
                    continue;
                }
                report.runs += 1;
                report.differences.extend(actual.and_then(|actual| actual.differs(expected)));
            }
            &Record::Register(command, expected) => {
                report.registers += 1;
                let actual = machine.ge.registers().word(command);
                if actual != expected {
                    let difference =
                        format!("register {command:02x}: {actual:08x} instead of {expected:08x}");
                    report.differences.push(difference);
                }
            }
        }
    }
    report
}

struct Machine {
    ge: Ge,
    memory: BlockMemory,
    stopped: Option<Actual>,
}

impl Machine {
    fn run(&mut self, run: &Run, stages: &mut dyn Stages) {
        if let Some(maps) = AddressMaps::of(run.translation) {
            self.ge.set_address_maps(maps);
        }
        self.ge.set_vertex_pointer(run.vertex_pointer);
        self.ge.set_index_pointer(run.index_pointer);
        // System software keeps the state of a list with a context from its first word to its end.
        let context = run.context & ADDRESS;
        if context != 0 && run.pc == run.start {
            self.ge.save_context(&self.memory, context);
        }
        let mut list = list_of(run);
        let stop = self.ge.run(stages, &self.memory, &mut list);
        if context != 0 && matches!(stop, Ok(Stop::Finished { .. })) {
            self.ge.restore_context(&self.memory, context);
        }
        self.stopped = Some(Actual { number: run.list, list, stop });
    }

    /// True if a break signal and its END come before. The console calls no handler of a program for these (measured
    /// on a console: signals/simple).
    fn is_at_break(&self, stopped: &Stopped) -> bool {
        let word = read_word(&self.memory, stopped.pc.wrapping_sub(8) & ADDRESS);
        stopped.state == 3 && signal::BREAKS.contains(&(word >> 16))
    }
}

fn list_of(run: &Run) -> DisplayList {
    let pending = match run.signal {
        signal::SYNC => Pending::Sync,
        _ => Pending::Nothing,
    };
    let list = DisplayList::new(run.pc, run.stall);
    let (offset, stack, is_outside) = (run.offset & ADDRESS, run.stack.clone(), run.is_outside);
    DisplayList { offset, stack, is_outside, pending, ..list }
}

/// The state of a list after a run.
struct Actual {
    number: u32,
    list: DisplayList,
    stop: Result<Stop, RunError>,
}

impl Actual {
    fn differs(&self, expected: &Stopped) -> Option<String> {
        let state = match self.stop {
            Ok(Stop::Finished { .. }) => 1,
            Ok(Stop::Stalled) => 2,
            Ok(Stop::Signal { .. } | Stop::Paused { .. }) => 3,
            Err(_) => 4,
        };
        let (pc, depth) = (self.list.pc, self.list.stack.len() as u32);
        let is_pause = matches!(self.stop, Ok(Stop::Paused { .. }));
        let same = (pc, state, depth) == (expected.pc & ADDRESS, expected.state, expected.depth)
            && (!is_pause || expected.signal == signal::PAUSE);
        let stop = &self.stop;
        (!same).then(|| format!("list {}: {stop:?} at {pc:#010x}, depth {depth}: {expected:x?}", self.number))
    }
}
