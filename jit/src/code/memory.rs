//! The memory provider: reserve, publish, free.
//!
//! Invariants:
//! * **W^X.** No mapping is ever writable and executable at once, for any thread. Where two views of the same pages
//!   exist, the writable one is mapped by [`Arena::reserve`] and unmapped by [`Draft::publish`] (or by dropping the
//!   draft); outside that window none exists. On Linux the child of a fork inside that window does not inherit it.
//! * A [`Region`] owns its bytes until it is dropped, and keeps its arena alive. Published bytes do not change
//!   while their region lives.
//! * The byte budget counts allocations rounded up to the granule of the arena.
//!
//! cranelift-jit writes a function through the pointer that its provider's `allocate` returned and reports the same
//! pointer as the address of the function. With two views that address is invalid after the publication, so the
//! module must not be asked for it: the [`Provider`] returns the published [`Region`] instead.

use super::free_list::FreeList;
use super::own_pages::{Executable, Writable};
use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider};
use cranelift_module::{ModuleError, ModuleResult};
#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::{Mmap, MmapOptions, MmapRaw};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error;
use wasmtime_internal_jit_icache_coherence as icache;

/// Granule of [`MappingScheme::DualView`]: a cache line, so that two routines never share one.
const LINE: usize = 64;
/// Granule of [`MappingScheme::Protect`]: at least a page on every known host (16 KiB on some aarch64).
const PAGE: usize = if cfg!(target_arch = "x86_64") { 4096 } else { 16384 };

/// Mapping scheme of code pages, which are never writable and executable at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingScheme {
    /// One memory file, mapped readable and executable for good; a second, writable view of just the pages concerned
    /// exists while a routine is being published. Routines are packed at 64-byte granularity and share pages. Linux
    /// only; elsewhere, and where the system refuses such mappings, [`Self::Protect`] is used. The child of a fork never
    /// writes the file that it shares: its routines get pages of their own, and on Linux it does not inherit the writable
    /// view of a routine that its parent is publishing. But routines from before the fork stay in the file, where the
    /// parent may put others once it has evicted them: a process that keeps using its engine in a child must choose
    /// `Protect`.
    /// `perf` uses its map of names for anonymous memory only, so a perf map needs `Protect`; a jitdump works with
    /// both.
    DualView,
    /// Every routine has pages of its own, written first and then switched to readable and executable. Pages
    /// that another thread may be executing are never switched. On Apple's processors the pages are
    /// `MAP_JIT`. Costs at least a page a routine. Works everywhere, and under user-mode emulation, where writes
    /// through a second view go unnoticed.
    Protect,
}

impl Default for MappingScheme {
    /// `DualView` on x86-64 Linux, `Protect` elsewhere.
    fn default() -> Self {
        if cfg!(all(target_os = "linux", target_arch = "x86_64")) { Self::DualView } else { Self::Protect }
    }
}

/// The arena's byte budget does not allow this allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the code budget of {budget} bytes is used up")]
pub(crate) struct OutOfBudget {
    /// The budget of the arena.
    pub(crate) budget: usize,
}

impl From<OutOfBudget> for io::Error {
    fn from(error: OutOfBudget) -> Self {
        io::Error::other(error)
    }
}

/// Executable memory of one engine, within a byte budget. Shared by all its compilers.
#[derive(Debug)]
pub(crate) struct Arena {
    pages: Pages,
    budget: usize,
    used: AtomicUsize,
    regions: AtomicUsize,
    #[cfg(test)]
    pub(crate) faults: super::fault_injection::FaultInjection,
}

/// Source of an arena's pages.
#[derive(Debug)]
enum Pages {
    /// The file, its executable view, its free list, and the process that may write it.
    Dual { file: File, executable: ExecutableView, free: Mutex<FreeList>, process: u32 },
    /// No shared pages: each region has its own mapping.
    Protect,
}

impl Arena {
    /// An arena of `budget` bytes, rounded up to whole pages. Falls back to [`MappingScheme::Protect`] if the system
    /// refuses two views.
    pub(crate) fn new(scheme: MappingScheme, budget: usize) -> Arc<Self> {
        let budget = budget.max(1).saturating_add(PAGE - 1) / PAGE * PAGE;
        let pages = match scheme {
            MappingScheme::DualView => Pages::dual(budget).unwrap_or_else(|error| {
                tracing::debug!(%error, "no second view of code pages; switching protections instead");
                Pages::Protect
            }),
            MappingScheme::Protect => Pages::Protect,
        };
        Arc::new(Self {
            pages,
            budget,
            used: AtomicUsize::new(0),
            regions: AtomicUsize::new(0),
            #[cfg(test)]
            faults: super::fault_injection::FaultInjection::default(),
        })
    }

    /// The scheme in use.
    #[cfg(test)]
    pub(crate) fn scheme(&self) -> MappingScheme {
        match self.pages {
            Pages::Dual { .. } => MappingScheme::DualView,
            Pages::Protect => MappingScheme::Protect,
        }
    }

    /// The budget in bytes.
    pub(crate) fn budget(&self) -> usize {
        self.budget
    }

    /// Bytes allocated, rounded up to granules.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Number of live regions, drafts included.
    pub(crate) fn regions(&self) -> usize {
        self.regions.load(Ordering::Relaxed)
    }

    /// Room for `size` bytes, writable until published.
    ///
    /// # Errors
    /// [`OutOfBudget`], wrapped, or the system's mapping error.
    pub(crate) fn reserve(self: &Arc<Self>, size: usize, align: usize) -> io::Result<Draft> {
        let granule = self.granule();
        if align > granule || size == 0 {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let out_of_budget = OutOfBudget { budget: self.budget };
        let length = size.checked_next_multiple_of(granule).ok_or(out_of_budget)?;
        self.charge(length)?;
        self.regions.fetch_add(1, Ordering::Relaxed);
        let refund = Refund { arena: Arc::clone(self), length };
        #[cfg(test)]
        self.faults.map()?;
        match &self.pages {
            Pages::Dual { file, free, process, .. } if *process == std::process::id() => {
                let offset = lock(free).take(length).ok_or(out_of_budget)?;
                let slice = Slice { refund, offset };
                let (first, last) = (offset / PAGE * PAGE, (offset + length).next_multiple_of(PAGE));
                let view = writable_view(file, first, last - first)?;
                Ok(Draft { size, place: Place::Slice { slice, view, start: offset - first } })
            }
            _ => Ok(Draft { size, place: Place::Own { refund, view: Writable::map(length)? } }),
        }
    }

    /// Publishes a copy of `code`, which must run at every address that is a multiple of a cache line.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve) and [`Draft::publish`].
    pub(crate) fn load(self: &Arc<Self>, code: &[u8]) -> io::Result<Region> {
        let mut draft = self.reserve(code.len(), LINE)?;
        draft.bytes().copy_from_slice(code);
        draft.publish()
    }

    fn granule(&self) -> usize {
        match self.pages {
            Pages::Dual { process, .. } if process == std::process::id() => LINE,
            _ => PAGE,
        }
    }

    fn charge(&self, length: usize) -> Result<(), OutOfBudget> {
        self.used
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(length).filter(|used| *used <= self.budget)
            })
            .map(|_| ())
            .map_err(|_| OutOfBudget { budget: self.budget })
    }
}

/// The executable view. Only its base address is used: a reference to all of its bytes would cover those that
/// a draft is writing through its own view.
#[derive(Debug)]
struct ExecutableView {
    base: *const u8,
    _map: Mmap,
}

// SAFETY: the address is that of the mapping beside it, which may be moved to and used from any thread.
unsafe impl Send for ExecutableView {}
// SAFETY: as above; nothing is written through the address.
unsafe impl Sync for ExecutableView {}

impl Pages {
    /// The memory file and its executable view.
    fn dual(capacity: usize) -> io::Result<Self> {
        let file = memory_file()?;
        file.set_len(capacity as u64)?;
        // SAFETY: the file was just made, is ours alone, and never shrinks.
        let map = unsafe { MmapOptions::new().len(capacity).map_exec(&file)? };
        let executable = ExecutableView { base: map.as_ptr(), _map: map };
        // What the system refuses is better known now than at the first routine.
        drop(writable_view(&file, 0, PAGE)?);
        let (free, process) = (Mutex::new(FreeList::new(capacity)), std::process::id());
        Ok(Self::Dual { file, executable, free, process })
    }
}

/// A writable view of some pages of the memory file. The child of a fork would keep it for good: no thread of the parent
/// that unmaps its own is there.
#[cfg(target_os = "linux")]
fn writable_view(file: &File, first: usize, length: usize) -> io::Result<MmapRaw> {
    // SAFETY: the file is ours alone, and never shrinks. Others write it, but nothing refers to the bytes of this `Mmap`.
    let view = unsafe { MmapOptions::new().offset(first as u64).len(length).map(file)? };
    // Before it can be written: another thread may fork at any moment.
    view.advise(Advice::DontFork)?;
    view.make_mut().map(MmapRaw::from)
}

#[cfg(not(target_os = "linux"))]
fn writable_view(file: &File, first: usize, length: usize) -> io::Result<MmapRaw> {
    MmapOptions::new().offset(first as u64).len(length).map_raw(file)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn memory_file() -> io::Result<File> {
    use std::os::fd::{FromRawFd, OwnedFd};
    // SAFETY: the name is a C string; the call has no other requirement.
    let descriptor = unsafe { libc::memfd_create(c"picaflor-code".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and nobody else owns it.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn memory_file() -> io::Result<File> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Drop guard: returns its bytes to the budget.
#[derive(Debug)]
struct Refund {
    arena: Arc<Arena>,
    length: usize,
}

impl Drop for Refund {
    fn drop(&mut self) {
        self.arena.used.fetch_sub(self.length, Ordering::Relaxed);
        self.arena.regions.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A range of the executable view. When dropped it returns to the free list, before its bytes return to the budget.
#[derive(Debug)]
struct Slice {
    refund: Refund,
    offset: usize,
}

impl Drop for Slice {
    fn drop(&mut self) {
        if let Pages::Dual { free, .. } = &self.refund.arena.pages {
            lock(free).give(self.offset, self.refund.length);
        }
    }
}

/// Location of a draft. Field order: the view is dropped before the range becomes free for others.
#[derive(Debug)]
enum Place {
    /// At `start` in a temporary view of the pages around the slice; the rest of those pages belongs to other
    /// regions.
    Slice {
        view: MmapRaw,
        start: usize,
        slice: Slice,
    },
    Own {
        view: Writable,
        refund: Refund,
    },
}

#[cfg(test)]
impl Place {
    fn arena(&self) -> &Arena {
        match self {
            Self::Slice { slice, .. } => &slice.refund.arena,
            Self::Own { refund, .. } => &refund.arena,
        }
    }
}

/// Reserved bytes that are still writable and not yet executable.
#[derive(Debug)]
pub(crate) struct Draft {
    size: usize,
    place: Place,
}

impl Draft {
    /// The bytes, to be filled.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        match &mut self.place {
            Place::Own { view, .. } => &mut view.bytes()[..self.size],
            Place::Slice { view, start, .. } => {
                // SAFETY: `reserve` mapped the whole slice, `size` is at most its length, and the free list
                // gave it to nobody else; `self` is borrowed as long as the bytes are.
                unsafe { std::slice::from_raw_parts_mut(view.as_mut_ptr().add(*start), self.size) }
            }
        }
    }

    /// Makes the bytes executable and unwritable.
    ///
    /// # Errors
    /// The system's refusal.
    pub(crate) fn publish(self) -> io::Result<Region> {
        let size = self.size;
        #[cfg(test)]
        self.place.arena().faults.publish()?;
        let hold = match self.place {
            Place::Slice { slice, view, .. } => {
                drop(view);
                Hold::Slice(slice)
            }
            Place::Own { refund, view } => Hold::Own { code: view.make_executable()?, refund },
        };
        let region = Region { hold, size };
        flush_instruction_cache(region.start(), size)?;
        Ok(region)
    }
}

/// Owner of a region's mapping. Field order: the mapping is dropped before its refund.
#[derive(Debug)]
enum Hold {
    Slice(Slice),
    Own { code: Executable, refund: Refund },
}

/// Published, executable bytes. They are unmapped or reused once this is dropped.
#[derive(Debug)]
pub(crate) struct Region {
    hold: Hold,
    size: usize,
}

impl Region {
    /// Address of the first byte.
    pub(crate) fn start(&self) -> *const u8 {
        match &self.hold {
            Hold::Own { code, .. } => code.as_ptr(),
            Hold::Slice(slice) => match &slice.refund.arena.pages {
                Pages::Dual { executable, .. } => executable.base.wrapping_add(slice.offset),
                Pages::Protect => unreachable!("a slice comes from an arena with two views"),
            },
        }
    }

    /// The published bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the region's bytes are mapped readable while it lives (the arena is kept by the slice), and
        // nobody writes them before it is dropped.
        unsafe { std::slice::from_raw_parts(self.start(), self.size) }
    }

    /// Bytes charged to the budget.
    pub(crate) fn charged(&self) -> usize {
        match &self.hold {
            Hold::Slice(slice) => slice.refund.length,
            Hold::Own { refund, .. } => refund.length,
        }
    }
}

/// Makes freshly written code visible to instruction fetch, on every core.
fn flush_instruction_cache(start: *const u8, size: usize) -> io::Result<()> {
    clean_data_cache(start, size);
    let failed = |error: &dyn std::fmt::Display| io::Error::other(error.to_string());
    // SAFETY: the range is mapped and readable; the call changes no memory.
    unsafe { icache::clear_cache(start.cast(), size) }.map_err(|error| failed(&error))?;
    icache::pipeline_flush_mt().map_err(|error| failed(&error))
}

/// Writes the data cache back to the point of unification with instruction fetch. The crate used above invalidates
/// the instruction cache only.
#[cfg(target_arch = "aarch64")]
fn clean_data_cache(start: *const u8, size: usize) {
    // The shortest data-cache line the architecture allows is 16 bytes.
    for offset in (0..size.next_multiple_of(16)).step_by(16) {
        let line = start.wrapping_add(offset);
        // SAFETY: cleaning a line of a readable mapping changes no memory; granules are longer than 16 bytes.
        unsafe { std::arch::asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: a barrier.
    unsafe { std::arch::asm!("dsb ish", options(nostack, preserves_flags)) };
}

#[cfg(not(target_arch = "aarch64"))]
fn clean_data_cache(_start: *const u8, _size: usize) {}

/// Publication state of a [`Provider`].
#[derive(Debug, Default)]
enum Progress {
    #[default]
    Empty,
    Draft(Draft),
    Published(Region),
}

/// The arena as cranelift-jit sees it: memory for exactly one function. Clones share one state, so that the
/// module can own one and the compiler can fetch the region from the other.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    arena: Arc<Arena>,
    progress: Arc<Mutex<Progress>>,
}

impl Provider {
    pub(crate) fn new(arena: &Arc<Arena>) -> Self {
        Self { arena: Arc::clone(arena), progress: Arc::default() }
    }

    /// The region published by `finalize`.
    pub(crate) fn take(&self) -> Option<Region> {
        match std::mem::take(&mut *lock(&self.progress)) {
            Progress::Published(region) => Some(region),
            Progress::Empty | Progress::Draft(_) => None,
        }
    }
}

impl JITMemoryProvider for Provider {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        let mut progress = lock(&self.progress);
        match (&*progress, kind) {
            (Progress::Empty, JITMemoryKind::Executable) => {}
            _ => return Err(io::Error::other("a routine is one function and has no data")),
        }
        let align = usize::try_from(align).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut draft = self.arena.reserve(size, align)?;
        let start = draft.bytes().as_mut_ptr();
        *progress = Progress::Draft(draft);
        Ok(start)
    }

    unsafe fn free_memory(&mut self) {
        *lock(&self.progress) = Progress::Empty;
    }

    fn finalize(&mut self, _branch_protection: BranchProtection) -> ModuleResult<()> {
        let mut progress = lock(&self.progress);
        if let Progress::Draft(draft) = std::mem::take(&mut *progress) {
            *progress = Progress::Published(draft.publish().map_err(|err| ModuleError::Allocation { err })?);
        }
        Ok(())
    }
}

/// Ignores poisoning: only plain bookkeeping happens under the lock, so the data is consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
