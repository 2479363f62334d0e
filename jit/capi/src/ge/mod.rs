//! The PSP's GE: creation and destruction, snapshots, recordings, counters. [`lists`] holds the calls of the system
//! software about lists, [`read`] its reads.

pub(crate) mod entry;
pub(crate) mod lists;
mod read;
mod replay;
mod session;
mod state;
mod stop;
pub(crate) mod timing;

use crate::buffer::Buffer;
use crate::engine::EngineHandle;
use crate::fault::{self, FaultInfo};
use crate::ge::session::{Joint, either};
use crate::handle::{Handle, Owned};
use crate::hooks::{Hooks, HooksConfig, kind};
use crate::machine::{self, Hosted, Machine, MachineHandle, set, with};
use crate::memory::{HostMemory, MemoryConfig};
use crate::raw::{Array, Fill, In, Out, Room, Text, User, c_struct};
use crate::record::{self, Range};
use crate::status::{Failure, Status, guard};
use crate::textures::TexturesConfig;
use crate::trace::{NoteFn, TraceConfig};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::fields::{self, StateError};
use picaflor_pipeline::ge::capture::format;
use picaflor_pipeline::ge::limits::Limits;
use picaflor_pipeline::ge::lists::Lists;
use picaflor_pipeline::ge::observer::{Observer, View};
use picaflor_pipeline::ge::timing::Rates;
use picaflor_pipeline::ge::{Field, Ge, Snapshot};
use picaflor_pipeline::snapshot::SnapshotError;
use picaflor_pipeline::stop::Stopper;
use std::time::Duration;

/// `picaflor_ge`.
pub(crate) type GeHandle = MachineHandle<Console>;

/// The machine and the queue of its lists.
pub(crate) struct Console {
    pub(crate) ge: Ge,
    lists: Lists,
    /// Estimates of time.
    rates: Rates,
}

impl Machine for Console {
    const NAME: &'static str = "ge";

    fn set_threads(&mut self, count: usize) {
        self.ge.set_threads(count);
    }

    fn stopper(&self) -> Stopper {
        self.ge.stopper()
    }

    fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.ge.set_time_limit(limit);
    }

    fn take_faults(&mut self) -> FaultList {
        self.ge.take_faults()
    }

    fn set_hooks(&mut self, hooks: Option<Hooks>) {
        self.ge.set_observer(hooks.map(|hooks| Box::new(hooks) as Box<dyn Observer>));
    }

    /// Layout: number of words of the machine, words of the machine, words of the lists.
    fn save(&self) -> Result<Buffer, Failure> {
        let (ge, lists) = (self.ge.try_save()?, self.lists.try_save()?);
        Buffer::of_words(&[&[ge.words().len() as u32], ge.words(), lists.words()])
    }

    fn load(&mut self, words: &[u32]) -> Result<(), SnapshotError> {
        let parts = words.split_first().and_then(|(&count, rest)| rest.split_at_checked(count as usize));
        let (ge, lists) = parts.ok_or(SnapshotError::Length { words: words.len() })?;
        let mut loaded = Lists::new(0);
        let [ge, lists] = [ge, lists].map(|words| Snapshot::from_words(words.to_vec()));
        loaded.load(&lists)?;
        self.ge.load(&ge)?;
        self.lists = loaded;
        Ok(())
    }

    fn field_words(&mut self, field: u32) -> Result<usize, StateError> {
        match field {
            LISTS => Ok(self.lists.save().words().len()),
            _ => Ok(self.ge.field_words(named(field)?)),
        }
    }

    fn read_field(&mut self, field: u32, first: usize, words: &mut [u32]) -> Result<(), StateError> {
        if field != LISTS {
            return self.ge.read_field(named(field)?, first, words);
        }
        let lists = self.lists.save();
        let end = first.saturating_add(words.len());
        let past = StateError::OutOfRange { field, first, end, words: lists.words().len() };
        words.copy_from_slice(lists.words().get(first..end).ok_or(past)?);
        Ok(())
    }

    fn write_field(&mut self, field: u32, first: usize, words: &[u32]) -> Result<(), StateError> {
        match (field, first) {
            (LISTS, 0) => lists(words).map(|lists| self.lists = lists),
            (LISTS, _) => Err(StateError::OutOfRange { field, first, end: first, words: 0 }),
            _ => self.ge.write_field(named(field)?, first, words),
        }
    }

    /// The fields of the machine, and the queue as one more.
    fn export(&mut self) -> Vec<u32> {
        let mut words = self.ge.export();
        fields::append(&mut words, LISTS, self.lists.save().words());
        words
    }

    fn import(&mut self, words: &[u32]) -> Result<(), StateError> {
        let mut words = words.to_vec();
        let lists = match fields::take(&mut words, LISTS).map(|words| lists(&words)).transpose() {
            Ok(lists) => lists,
            // A field of that number of another machine: what the whole is comes first.
            Err(why) => return Ge::new().import(&words).and(Err(why)),
        };
        self.ge.import(&words)?;
        // The version of the SDK is the program's, and not of a queue that the state does not have.
        self.lists = lists.unwrap_or_else(|| Lists::new(self.lists.sdk()));
        Ok(())
    }

    fn start_recording(&mut self, memory: &HostMemory, ranges: &[(u32, u32)]) -> Result<(), CaptureError> {
        self.ge.start_recording(memory, ranges)
    }

    fn stop_recording(&mut self) -> Option<Vec<u8>> {
        self.ge.stop_recording().map(|capture| format::write(&capture))
    }
}

impl Hooks {
    fn ge(&mut self, view: &View<'_>, kind: u32, numbers: [u32; 4]) {
        self.tell(kind, numbers, view.registers.words(), view.stats.draws);
    }
}

impl Observer for Hooks {
    fn command(&mut self, view: View<'_>, address: u32, word: u32) {
        self.ge(&view, kind::COMMAND, [address, word >> 24, word, 0]);
    }

    fn draw_started(&mut self, view: View<'_>) {
        self.ge(&view, kind::DRAW_BEGIN, [0; 4]);
    }

    fn draw_done(&mut self, view: View<'_>) {
        self.ge(&view, kind::DRAW_END, [0; 4]);
    }

    fn transfer_done(&mut self, view: View<'_>) {
        self.ge(&view, kind::TRANSFER_END, [0; 4]);
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_hooks(ge: Handle<GeHandle>, hooks: In<HooksConfig>) -> Status {
    machine::set_hooks(&ge, &hooks)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_textures(ge: Handle<GeHandle>, textures: In<TexturesConfig>) -> Status {
    machine::set_textures(&ge, &textures)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_trace(ge: Handle<GeHandle>, trace: In<TraceConfig>) -> Status {
    machine::trace(&ge, &trace)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_take_trace(
    ge: Handle<GeHandle>,
    callback: Option<NoteFn>,
    user: User,
    count: Out<usize>,
) -> Status {
    machine::take_trace(&ge, (callback, user), &count)
}

/// `PICAFLOR_GE_FIELD_LISTS`: the queue, which is no field of the machine.
const LISTS: u32 = 64;

fn named(field: u32) -> Result<Field, StateError> {
    Field::of(field).ok_or(StateError::UnknownField { field })
}

/// The queue from its words.
fn lists(words: &[u32]) -> Result<Lists, StateError> {
    let mut lists = Lists::new(0);
    let loaded = lists.load(&Snapshot::from_words(words.to_vec()));
    loaded.map(|()| lists).map_err(|_| StateError::Length { field: LISTS, found: words.len() })
}

c_struct! {
    growing
    /// `picaflor_ge_limits`; 0 is the default everywhere.
    LimitsConfig {
        /// Vertices of one draw.
        vertices: u32,
        /// Commands of one run.
        commands: u32,
        /// Pixels of one draw.
        pixels: u64,
        /// Vertices of one run.
        run_vertices: u64,
        /// Pixels of one run.
        run_pixels: u64,
        /// Bytes that transfers move in one run.
        run_bytes: u64,
        /// Units of work of one run.
        work: u64,
    }
}

c_struct! {
    growing
    /// `picaflor_ge_config`.
    GeConfig {
        /// Guest memory.
        memory: In<MemoryConfig>,
        /// Budgets, or NULL.
        limits: In<LimitsConfig>,
        /// Version of the SDK.
        sdk: u32,
        /// Threads that draw; 0 is 1.
        threads: u32,
    }
}

c_struct! {
    growing
    /// `picaflor_ge_stats`.
    GeStats {
        /// Runs of lists.
        runs: u64,
        /// Commands.
        commands: u64,
        /// Draws.
        draws: u64,
        /// Vertices.
        vertices: u64,
        /// Primitives.
        primitives: u64,
        /// Pixels in their bounds.
        pixels: u64,
        /// Pixels covered.
        covered: u64,
        /// Block transfers.
        transfers: u64,
        /// Bytes moved.
        transferred: u64,
    }
}

impl LimitsConfig {
    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        set(&mut limits.vertices, self.vertices);
        set(&mut limits.commands, self.commands);
        set(&mut limits.pixels, self.pixels);
        set(&mut limits.run_vertices, self.run_vertices);
        set(&mut limits.run_pixels, self.run_pixels);
        set(&mut limits.run_bytes, self.run_bytes);
        set(&mut limits.work, self.work);
        limits
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_create(
    engine: Handle<EngineHandle>,
    config: In<GeConfig>,
    ge: Out<*mut GeHandle>,
) -> Status {
    guard(|| {
        ge.give("ge", || {
            let config = config.read("picaflor_ge_config")?;
            let limits = config.limits.read_or_default("picaflor_ge_limits")?.limits();
            let console = Console {
                ge: Ge::new().with_limits(limits),
                lists: Lists::new(config.sdk),
                rates: Rates::default(),
            };
            MachineHandle::new(console, &*engine.get("engine")?, &config.memory, config.threads)
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_destroy(ge: Owned<GeHandle>) -> Status {
    machine::destroy(&ge)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_engine(ge: Handle<GeHandle>, engine: Handle<EngineHandle>) -> Status {
    machine::set_engine(&ge, &engine)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_memory(ge: Handle<GeHandle>, memory: In<MemoryConfig>) -> Status {
    machine::set_memory(&ge, &memory)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_threads(ge: Handle<GeHandle>, count: u32) -> Status {
    machine::set_threads(&ge, count)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_take_faults(
    ge: Handle<GeHandle>,
    faults: Room<FaultInfo>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    fault::take(&ge, &faults, capacity, &count)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_get_stats(ge: Handle<GeHandle>, stats: Fill<GeStats>) -> Status {
    guard(|| {
        let counted = with(&ge, |hosted| Ok(count(&hosted.machine.ge)))?;
        stats.write(&counted, "picaflor_ge_stats")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_work(ge: Handle<GeHandle>, units: Out<u64>) -> Status {
    guard(|| {
        units.put(0, "units")?;
        let joint = |joint: &mut Joint<'_, '_>| Ok(joint.session.ge().work());
        let alone = |hosted: &mut Hosted<Console>| Ok(hosted.machine.ge.work());
        units.put(either(&ge, joint, alone)?, "units")
    })
}

fn count(ge: &Ge) -> GeStats {
    let stats = ge.stats();
    GeStats {
        size: size_of::<GeStats>(),
        runs: stats.runs,
        commands: stats.commands,
        draws: stats.draws,
        vertices: stats.vertices,
        primitives: stats.primitives,
        pixels: stats.pixels,
        covered: stats.covered,
        transfers: stats.transfers,
        transferred: stats.transferred,
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_save(ge: Handle<GeHandle>, state: Out<*mut Buffer>) -> Status {
    record::save(&ge, &state)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_load(ge: Handle<GeHandle>, bytes: Array<u8>, length: usize) -> Status {
    record::load(&ge, &bytes, length)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_start_recording(
    ge: Handle<GeHandle>,
    ranges: Array<Range>,
    count: usize,
) -> Status {
    record::start(&ge, &ranges, count)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_stop_recording(ge: Handle<GeHandle>, capture: Out<*mut Buffer>) -> Status {
    record::stop(&ge, &capture)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_stop_recording_to(ge: Handle<GeHandle>, path: Text) -> Status {
    record::stop_to(&ge, &path)
}
