//! Allocations at the edge of memory, for campaigns: what compiled code, or a loop of vectors, reads or writes beyond one is a fault in its
//! place. The address sanitiser sees no access of compiled code.
//!
//! An allocation of at least [`LEAST`] bytes has pages of its own and ends with them, but for its alignment; it begins with them where the
//! environment has [`BEFORE`]. There is no memory for [`GAP`] bytes on either side, nor where an allocation was that is free.
//! Fresh memory of up to [`FILLED`] bytes is full of [`PATTERN`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Environment variable: set, accesses in front of allocations are faults, in place of those behind them.
const BEFORE: &CStr = c"PICAFLOR_GUARD_BEFORE";
const LEAST: usize = 512;
/// Larger ones, and those of vectors beyond the largest alignment, are the system's.
const MOST: usize = 1 << 30;
const MOST_ALIGNED: usize = 64;
const PAGE: usize = 4096;
/// As far as a wrong index of a texel may lead.
const GAP: usize = 32 << 20;
const FILLED: usize = 1 << 16;
/// As a number it is large and negative, as a float small.
const PATTERN: u8 = 0xa5;
/// The system has a limit for mappings of a process.
const MOST_AT_ONCE: usize = 50_000;
/// Addresses that a 64-bit Linux gives to nobody by itself.
const PLACES: std::ops::Range<usize> = 0x1000_0000_0000..0x4000_0000_0000;

/// The allocator of the program.
#[global_allocator]
static GUARD: Guard = Guard {
    next: AtomicUsize::new(PLACES.start),
    count: AtomicUsize::new(0),
    at_start: LazyLock::new(is_at_start),
};

struct Guard {
    /// Where the next allocation goes.
    next: AtomicUsize,
    count: AtomicUsize,
    at_start: LazyLock<bool>,
}

fn is_at_start() -> bool {
    // SAFETY: the name ends with a zero, and nobody changes the environment before the first allocation.
    !unsafe { libc::getenv(BEFORE.as_ptr()) }.is_null()
}

impl Guard {
    /// Zeros at the edge of memory; `None` for what the system allocates.
    fn at_edge(&self, layout: Layout) -> Option<*mut u8> {
        let is_guarded = (LEAST..MOST).contains(&layout.size()) && layout.align() <= MOST_ALIGNED;
        if !is_guarded || self.count.load(Relaxed) > MOST_AT_ONCE {
            return None;
        }
        let bytes = layout.size().next_multiple_of(PAGE);
        let place = self.next.fetch_add(bytes + GAP, Relaxed);
        if place + bytes + GAP > PLACES.end {
            // From the first place on again, where most is free by now.
            self.next.store(PLACES.start, Relaxed);
            return None;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: new pages, which replace none.
        let pages = unsafe { libc::mmap(ptr::without_provenance_mut(place), bytes, access, flags, -1, 0) };
        if pages == libc::MAP_FAILED {
            return None;
        }
        self.count.fetch_add(1, Relaxed);
        let left = bytes - layout.size();
        let skipped = if *self.at_start { 0 } else { left / layout.align() * layout.align() };
        Some(pages.cast::<u8>().wrapping_add(skipped))
    }
}

// SAFETY: an allocation is pages of its own, with room for the layout behind its start, which is a multiple of the alignment; it is freed by
// the address of its pages, or by the system that allocated it.
unsafe impl GlobalAlloc for Guard {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.at_edge(layout) {
            Some(memory) => {
                if layout.size() <= FILLED {
                    // SAFETY: so many bytes are there.
                    unsafe { memory.write_bytes(PATTERN, layout.size()) };
                }
                memory
            }
            // SAFETY: as the caller promises.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        self.at_edge(layout).unwrap_or_else(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !PLACES.contains(&memory.addr()) {
            // SAFETY: it is of the system, which has no such addresses.
            return unsafe { System.dealloc(memory, layout) };
        }
        self.count.fetch_sub(1, Relaxed);
        let pages = memory.map_addr(|address| address / PAGE * PAGE);
        // SAFETY: the pages of this allocation, which begins in the first of them: what was skipped is less than a page.
        unsafe { libc::munmap(pages.cast(), layout.size().next_multiple_of(PAGE)) };
    }
}
