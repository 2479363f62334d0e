//! The machine: creation and destruction, lists, registers, interrupts.

use crate::buffer::Buffer;
use crate::engine::EngineHandle;
use crate::handle::{Handle, Owned};
use crate::hooks::{Hooks, HooksConfig, kind};
use crate::later::DoneFn;
use crate::machine::{self, Hosted, Machine, MachineHandle, set};
use crate::memory::{HostMemory, MemoryConfig};
use crate::pica::precision;
use crate::raw::{Fill, In, Out, User, c_struct, check_reserved};
use crate::status::{Failure, Status, guard};
use crate::textures::TexturesConfig;
use crate::trace::{NoteFn, TraceConfig};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::fields::StateError;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::external::Engine as Unit;
use picaflor_pipeline::pica::external::interrupts::Interrupt;
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::observer::{Observer, View};
use picaflor_pipeline::pica::{Field, Finished, Pica, Snapshot};
use picaflor_pipeline::snapshot::SnapshotError;
use picaflor_pipeline::stop::Stopper;
use std::time::Duration;

/// `picaflor_gpu`.
pub(crate) type GpuHandle = MachineHandle<Pica>;
/// A PICA200 with borrowed engine and memory.
pub(crate) type Gpu = Hosted<Pica>;

impl Machine for Pica {
    const NAME: &'static str = "gpu";

    fn set_threads(&mut self, count: usize) {
        self.set_threads(count);
    }

    fn stopper(&self) -> Stopper {
        self.stopper()
    }

    fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.set_time_limit(limit);
    }

    fn take_faults(&mut self) -> FaultList {
        self.take_faults()
    }

    fn set_hooks(&mut self, hooks: Option<Hooks>) {
        self.set_observer(hooks.map(|hooks| Box::new(hooks) as Box<dyn Observer>));
    }

    fn save(&self) -> Result<Buffer, Failure> {
        Buffer::of_words(&[self.try_save()?.words()])
    }

    fn load(&mut self, words: &[u32]) -> Result<(), SnapshotError> {
        self.load(&Snapshot::from_words(words.to_vec()))
    }

    fn field_words(&mut self, field: u32) -> Result<usize, StateError> {
        Ok(self.field_words(named(field)?))
    }

    fn read_field(&mut self, field: u32, first: usize, words: &mut [u32]) -> Result<(), StateError> {
        self.read_field(named(field)?, first, words)
    }

    fn write_field(&mut self, field: u32, first: usize, words: &[u32]) -> Result<(), StateError> {
        self.write_field(named(field)?, first, words)
    }

    fn export(&mut self) -> Vec<u32> {
        self.export()
    }

    fn import(&mut self, words: &[u32]) -> Result<(), StateError> {
        self.import(words)
    }

    fn start_recording(&mut self, memory: &HostMemory, ranges: &[(u32, u32)]) -> Result<(), CaptureError> {
        self.start_recording(memory, ranges)
    }

    fn stop_recording(&mut self) -> Option<Vec<u8>> {
        self.stop_recording().map(|capture| capture.to_bytes())
    }
}

fn named(field: u32) -> Result<Field, StateError> {
    Field::of(field).ok_or(StateError::UnknownField { field })
}

impl Hooks {
    fn pica(&mut self, view: &View<'_>, kind: u32, numbers: [u32; 4]) {
        self.tell(kind, numbers, view.registers.words(), view.stats.draws);
    }
}

/// Number of a fill unit or, 2, of the transfer engine.
const fn number(unit: Unit) -> u32 {
    match unit {
        Unit::Fill(unit) => unit as u32,
        Unit::Transfer => 2,
    }
}

impl Observer for Hooks {
    fn list_started(&mut self, view: View<'_>, list: CommandList) {
        self.pica(&view, kind::LIST, [list.address, 0, list.size_bytes, 0]);
    }

    fn command(&mut self, view: View<'_>, address: u32, register: u32, value: u32) {
        self.pica(&view, kind::COMMAND, [address, register, value, 0]);
    }

    fn register_written(&mut self, view: View<'_>, register: u32, value: u32, mask: u8) {
        self.pica(&view, kind::REGISTER, [0, register, value, mask.into()]);
    }

    fn draw_started(&mut self, view: View<'_>) {
        self.pica(&view, kind::DRAW_BEGIN, [0; 4]);
    }

    fn draw_done(&mut self, view: View<'_>) {
        self.pica(&view, kind::DRAW_END, [0; 4]);
    }

    fn engine_started(&mut self, view: View<'_>, unit: Unit) {
        self.pica(&view, kind::TRANSFER_BEGIN, [0, number(unit), 0, 0]);
    }

    fn engine_done(&mut self, view: View<'_>, unit: Unit) {
        self.pica(&view, kind::TRANSFER_END, [0, number(unit), 0, 0]);
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_hooks(gpu: Handle<GpuHandle>, hooks: In<HooksConfig>) -> Status {
    machine::set_hooks(&gpu, &hooks)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_textures(gpu: Handle<GpuHandle>, textures: In<TexturesConfig>) -> Status {
    machine::set_textures(&gpu, &textures)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_trace(gpu: Handle<GpuHandle>, trace: In<TraceConfig>) -> Status {
    machine::trace(&gpu, &trace)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_take_trace(
    gpu: Handle<GpuHandle>,
    callback: Option<NoteFn>,
    user: User,
    count: Out<usize>,
) -> Status {
    machine::take_trace(&gpu, (callback, user), &count)
}

/// Handles may be used on any thread, so their objects must be `Send`.
const _: () = {
    const fn send<T: Send>() {}
    send::<Gpu>();
    send::<crate::engine::Bench>();
};

c_struct! {
    growing
    /// `picaflor_limits`; 0 is the default everywhere.
    LimitsConfig {
        /// Instructions of one shader invocation.
        instructions: u32,
        /// Vertices of one draw.
        vertices: u32,
        /// Triangles of one draw.
        triangles: u32,
        /// Commands of one run.
        commands: u32,
        /// Jumps of one run.
        jumps: u32,
        /// Zero.
        reserved: u32,
        /// Pixels of one draw.
        pixels: u64,
        /// Vertices of one run.
        run_vertices: u64,
        /// Pixels of one run.
        run_pixels: u64,
        /// Instructions of one run.
        run_instructions: u64,
        /// Units of work of one run.
        work: u64,
    }
}

c_struct! {
    growing
    /// `picaflor_gpu_config`.
    GpuConfig {
        /// Guest memory.
        memory: In<MemoryConfig>,
        /// Budgets, or NULL.
        limits: In<LimitsConfig>,
        /// `picaflor_precision`.
        precision: u32,
        /// Threads that draw; 0 is 1.
        threads: u32,
    }
}

c_struct! {
    growing
    /// `picaflor_gpu_stats`.
    GpuStats {
        /// Vertices that entered primitive assembly.
        vertices: u64,
        /// Triangles assembled.
        triangles: u64,
        /// Triangles not culled.
        triangles_displayed: u64,
        /// Draws.
        draws: u64,
        /// Fragments.
        fragments: u64,
        /// Vertices shaded, and runs of geometry programs.
        shaded: u64,
        /// Command lists.
        lists: u64,
        /// Commands.
        commands: u64,
        /// Memory fills.
        fills: u64,
        /// Transfers.
        transfers: u64,
    }
}

impl LimitsConfig {
    fn limits(&self) -> Result<Limits, Failure> {
        check_reserved(self.reserved, "picaflor_limits")?;
        let mut limits = Limits::default();
        set(&mut limits.instructions, self.instructions);
        set(&mut limits.vertices, self.vertices);
        set(&mut limits.triangles, self.triangles);
        set(&mut limits.commands, self.commands);
        set(&mut limits.jumps, self.jumps);
        set(&mut limits.pixels, self.pixels);
        set(&mut limits.run_vertices, self.run_vertices);
        set(&mut limits.run_pixels, self.run_pixels);
        set(&mut limits.run_instructions, self.run_instructions);
        set(&mut limits.work, self.work);
        Ok(limits)
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_create(
    engine: Handle<EngineHandle>,
    config: In<GpuConfig>,
    gpu: Out<*mut GpuHandle>,
) -> Status {
    guard(|| {
        gpu.give("gpu", || {
            let config = config.read("picaflor_gpu_config")?;
            let limits = config.limits.read_or_default("picaflor_limits")?.limits()?;
            let pica = Pica::new(precision(config.precision)?).with_limits(limits);
            MachineHandle::new(pica, &*engine.get("engine")?, &config.memory, config.threads)
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_destroy(gpu: Owned<GpuHandle>) -> Status {
    machine::destroy(&gpu)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_engine(gpu: Handle<GpuHandle>, engine: Handle<EngineHandle>) -> Status {
    machine::set_engine(&gpu, &engine)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_memory(gpu: Handle<GpuHandle>, memory: In<MemoryConfig>) -> Status {
    machine::set_memory(&gpu, &memory)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_threads(gpu: Handle<GpuHandle>, count: u32) -> Status {
    machine::set_threads(&gpu, count)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_attribute_clocks(gpu: Handle<GpuHandle>, obeys: u32) -> Status {
    guard(|| {
        if obeys > 1 {
            return Err(Failure::argument(format!("obeys {obeys}")));
        }
        gpu.get("gpu")?.0.with(|gpu: &mut Gpu| {
            gpu.machine.set_attribute_clocks(obeys == 1);
            Ok(())
        })
    })
}

/// Checks the place of a list.
fn check_list(address: u32, size_bytes: u32) -> Result<(), Failure> {
    if !(address | size_bytes).is_multiple_of(16) {
        return Err(Failure::argument(format!("list of {size_bytes:#x} bytes at {address:#x}")));
    }
    Ok(())
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_run_list(
    gpu: Handle<GpuHandle>,
    address: u32,
    size_bytes: u32,
    finished: Out<u32>,
) -> Status {
    guard(|| {
        check_list(address, size_bytes)?;
        let list = CommandList { address, size_bytes };
        let run = |gpu: &mut Gpu| gpu.work(|pica, engine, memory| pica.run(engine, memory, list));
        let how = match gpu.get("gpu")?.0.with(run)? {
            Finished::Interrupt => 0,
            Finished::EndOfList => 1,
        };
        finished.put_if_wanted(how);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_submit_list(
    gpu: Handle<GpuHandle>,
    address: u32,
    size_bytes: u32,
    done: Option<DoneFn>,
    user: User,
    fence: Out<u64>,
) -> Status {
    let list = CommandList { address, size_bytes };
    let run =
        move |gpu: &mut Gpu| gpu.work(|pica, engine, memory| pica.run(engine, memory, list)).map(|_| ());
    match check_list(address, size_bytes) {
        Ok(()) => machine::submit(&gpu, run, (done, user), &fence),
        Err(failure) => guard(|| Err(failure)),
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_wait(gpu: Handle<GpuHandle>, fence: u64) -> Status {
    machine::wait(&gpu, fence)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_complete(gpu: Handle<GpuHandle>, fence: Out<u64>) -> Status {
    machine::complete(&gpu, &fence)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_write(gpu: Handle<GpuHandle>, address: u32, value: u32) -> Status {
    guard(|| {
        gpu.get("gpu")?
            .0
            .with(|gpu| gpu.work(|pica, engine, memory| pica.write_mmio(engine, memory, address, value)))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_read(gpu: Handle<GpuHandle>, address: u32, value: Out<u32>) -> Status {
    guard(|| {
        value.put(0, "value")?;
        value.put(gpu.get("gpu")?.0.with(|gpu| Ok(gpu.machine.read_mmio(address)))?, "value")
    })
}

/// Checks a register number and a byte mask.
fn register(id: u32, mask: u32) -> Result<(u16, u8), Failure> {
    match (u16::try_from(id), u8::try_from(mask)) {
        (Ok(id @ 0..0x400), Ok(mask @ 0..16)) => Ok((id, mask)),
        _ => Err(Failure::argument(format!("register {id:#x}, bytes {mask:#x}"))),
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_write_register(gpu: Handle<GpuHandle>, id: u32, value: u32, mask: u32) -> Status {
    guard(|| {
        let (id, mask) = register(id, mask)?;
        gpu.get("gpu")?
            .0
            .with(|gpu| gpu.work(|pica, engine, memory| pica.write_register(engine, memory, id, value, mask)))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_read_register(gpu: Handle<GpuHandle>, id: u32, value: Out<u32>) -> Status {
    guard(|| {
        value.put(0, "value")?;
        let (id, _) = register(id, 15)?;
        value.put(gpu.get("gpu")?.0.with(|gpu| Ok(gpu.machine.read_register(id)))?, "value")
    })
}

/// Bit `n` is `Interrupt::ALL[n]`.
fn bits(pica: &Pica) -> u32 {
    pica.interrupts().iter().fold(0, |bits, interrupt| bits | 1 << interrupt as u32)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_interrupts(gpu: Handle<GpuHandle>, interrupts: Out<u32>) -> Status {
    guard(|| {
        interrupts.put(0, "interrupts")?;
        interrupts.put(gpu.get("gpu")?.0.with(|gpu| Ok(bits(&gpu.machine)))?, "interrupts")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_acknowledge(gpu: Handle<GpuHandle>, interrupts: u32) -> Status {
    guard(|| {
        gpu.get("gpu")?.0.with(|gpu| {
            let named = |interrupt: &Interrupt| interrupts >> *interrupt as u32 & 1 != 0;
            Interrupt::ALL.into_iter().filter(named).for_each(|i| gpu.machine.acknowledge(i));
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_get_stats(gpu: Handle<GpuHandle>, stats: Fill<GpuStats>) -> Status {
    guard(|| {
        let counted = gpu.get("gpu")?.0.with(|gpu| Ok(count(&gpu.machine)))?;
        stats.write(&counted, "picaflor_gpu_stats")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_work(gpu: Handle<GpuHandle>, units: Out<u64>) -> Status {
    guard(|| {
        units.put(0, "units")?;
        units.put(gpu.get("gpu")?.0.with(|gpu| Ok(gpu.machine.work()))?, "units")
    })
}

fn count(pica: &Pica) -> GpuStats {
    let stats = pica.stats();
    GpuStats {
        size: size_of::<GpuStats>(),
        vertices: stats.vertices,
        triangles: stats.triangles,
        triangles_displayed: stats.triangles_displayed,
        draws: stats.draws,
        fragments: stats.fragments,
        shaded: stats.shaded,
        lists: stats.lists,
        commands: stats.commands,
        fills: stats.fills,
        transfers: stats.transfers,
    }
}
