//! `Tape`: the events of a machine, each preceded by the memory that it read.
//!
//! During a recorded operation, the machine accesses guest memory through a tracking wrapper. The tape keeps a
//! shadow: the memory contents of a replay at the same point. Before the machine gets a page, the page is compared
//! with its shadow, once in each operation; if the host has changed it, its bytes become a [`Change`] before the
//! operation. Writes of the machine are copied to the shadow after the operation, so its own output is not recorded.
//!
//! Completeness: the machine accesses memory only through [`Memory::region`], a page is compared before its first
//! slice is returned, and the shadow changes only in ways that a replay repeats. A write that the machine did not
//! report makes a recording larger, never wrong. What a host writes during an operation, from an observer, into bytes that
//! the machine reports as written is taken for the machine's: comparing after each draw would cost a look at its target.

use crate::capture::format::regions_are_sound;
use crate::capture::{CaptureError, Problem};
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;
use crate::texture::Texture;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Size of a page in bytes; pages are aligned to the start of their block.
const PAGE: u32 = 4096;
/// Ranges of writes that are kept without a look at what they have in common.
const FEW: usize = 1024;

/// A change of memory from outside of the machine.
pub(crate) struct Change {
    /// Address of the first byte.
    pub(crate) address: u32,
    pub(crate) bytes: Arc<[u8]>,
}

/// Recorded events of a machine.
#[derive(Debug)]
pub(crate) struct Tape<E> {
    events: Vec<E>,
    blocks: Vec<Block>,
    shadow: Shadow,
}

impl<E: From<Change>> Tape<E> {
    /// An empty tape. `regions` are the memory blocks that the machine can access.
    pub(crate) fn new(regions: &[(u32, u32)]) -> Result<Self, CaptureError> {
        if !regions_are_sound(regions) {
            return Err(Problem::BadRegions.at(0));
        }
        let blocks = regions.iter().map(|&(base, length)| Block::new(base, length)).collect();
        Ok(Self { events: Vec::new(), blocks, shadow: Shadow::default() })
    }

    /// Records an operation of the machine, which accesses memory only through its argument.
    pub(crate) fn operation<R>(
        &mut self,
        memory: &dyn Memory,
        event: E,
        operation: impl FnOnce(&dyn Memory) -> R,
    ) -> R {
        let result = self.watch(memory, |memory| operation(memory));
        self.events.push(event);
        result
    }

    /// Records the content of the mapped part of a range, if it has changed. Not an operation of the machine.
    pub(crate) fn look_at(&mut self, memory: &dyn Memory, address: u32, length: u32) {
        self.watch(memory, |memory| memory.look_at(address, length));
    }

    /// Records an event without memory.
    pub(crate) fn note(&mut self, event: E) {
        self.events.push(event);
    }

    /// Returns the memory blocks and all events.
    pub(crate) fn finish(self) -> (Vec<(u32, u32)>, Vec<E>) {
        (self.blocks.iter().map(|block| (block.base, block.length)).collect(), self.events)
    }

    fn watch<R>(&mut self, memory: &dyn Memory, operation: impl FnOnce(&RecordingMemory<'_>) -> R) -> R {
        let watched = RecordingMemory {
            inner: memory,
            blocks: &self.blocks,
            watch: Mutex::new(Watch::new(&mut self.shadow)),
        };
        let result = operation(&watched);
        let watch = watched.watch.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.events.extend(watch.close(memory, &self.blocks).into_iter().map(E::from));
        result
    }
}

/// A memory block, with the set of pages touched by the current operation.
#[derive(Debug)]
struct Block {
    base: u32,
    length: u32,
    touched: Box<[AtomicBool]>,
}

impl Block {
    fn new(base: u32, length: u32) -> Self {
        let touched = (0..length.div_ceil(PAGE)).map(|_| AtomicBool::new(false)).collect();
        Self { base, length, touched }
    }

    /// Offset of an address, if the block contains `length` bytes from there on.
    fn offset(&self, address: u32, length: u32) -> Option<u32> {
        let offset = address.checked_sub(self.base)?;
        (u64::from(offset) + u64::from(length) <= u64::from(self.length)).then_some(offset)
    }

    /// The part of a range of addresses that lies in the block, as offsets.
    fn overlap(&self, start: u64, end: u64) -> Range<u32> {
        let offset = |address: u64| address.saturating_sub(self.base.into()).min(self.length.into()) as u32;
        offset(start)..offset(end)
    }

    /// Bytes of the host at these offsets; zeros if unmapped.
    fn read(&self, memory: &dyn Memory, offsets: Range<u32>) -> Box<[u8]> {
        let start = self.base.wrapping_add(offsets.start);
        match memory.region(start, offsets.len() as u32) {
            Some(slice) => slice.to_vec().into(),
            None => (0..offsets.len() as u32).map(|i| memory.byte(start.wrapping_add(i))).collect(),
        }
    }

    /// Range of offsets of a page.
    fn page(&self, page: u32) -> Range<u32> {
        let start = page * PAGE;
        start..self.length.min(start.saturating_add(PAGE))
    }
}

/// Range of pages that a range of offsets touches.
fn pages(range: &Range<u32>) -> Range<u32> {
    if range.is_empty() { 0..0 } else { range.start / PAGE..(range.end - 1) / PAGE + 1 }
}

/// Memory contents of a replay, by block and page; pages without an entry are zero.
#[derive(Debug, Default)]
struct Shadow {
    pages: HashMap<(usize, u32), Box<[u8]>>,
}

impl Shadow {
    fn page(&mut self, block: usize, page: u32, length: usize) -> &mut [u8] {
        self.pages.entry((block, page)).or_insert_with(|| vec![0; length].into_boxed_slice())
    }
}

/// Memory accesses of one operation.
struct Watch<'a> {
    shadow: &'a mut Shadow,
    /// Touched pages, as (block, page).
    touched: Vec<(usize, u32)>,
    /// Pages changed by the host.
    changed: Vec<(usize, u32)>,
    written: Written,
}

impl<'a> Watch<'a> {
    const fn new(shadow: &'a mut Shadow) -> Self {
        let written = Written { ranges: Vec::new(), apart: 0 };
        Self { shadow, touched: Vec::new(), changed: Vec::new(), written }
    }

    /// Returns the changes by the host, and then copies the machine's writes to the shadow.
    fn close(mut self, memory: &dyn Memory, blocks: &[Block]) -> Vec<Change> {
        let events = self.changes(blocks);
        self.refresh(memory, blocks);
        for &(block, page) in &self.touched {
            blocks[block].touched[page as usize].store(false, Ordering::Relaxed);
        }
        events
    }

    /// The changed pages, sorted by address so that the result is independent of threads; adjacent pages are merged.
    fn changes(&mut self, blocks: &[Block]) -> Vec<Change> {
        self.changed.sort_unstable();
        let neighbours = |a: &(usize, u32), b: &(usize, u32)| (a.0, a.1 + 1) == *b;
        let change = |run: &[(usize, u32)]| {
            let (block, first) = run[0];
            let address = blocks[block].base + first * PAGE;
            let pages: Vec<&[u8]> = run.iter().map(|page| &*self.shadow.pages[page]).collect();
            Change { address, bytes: pages.concat().into() }
        };
        self.changed.chunk_by(neighbours).map(change).collect()
    }

    /// Copies the machine's writes to the shadow: only in compared pages and only the reported ranges, so that an
    /// adjacent change by the host is still found later.
    fn refresh(&mut self, memory: &dyn Memory, blocks: &[Block]) {
        for (start, end) in merged(std::mem::take(&mut self.written.ranges)) {
            for (i, block) in blocks.iter().enumerate() {
                let written = block.overlap(start, end);
                for page in pages(&written) {
                    if block.touched[page as usize].load(Ordering::Relaxed) {
                        self.refresh_page(memory, (i, block), page, &written);
                    }
                }
            }
        }
    }

    fn refresh_page(
        &mut self,
        memory: &dyn Memory,
        (index, block): (usize, &Block),
        page: u32,
        written: &Range<u32>,
    ) {
        let whole = block.page(page);
        let part = whole.start.max(written.start)..whole.end.min(written.end);
        let now = block.read(memory, part.clone());
        let shadow = self.shadow.page(index, page, whole.len());
        shadow[(part.start - whole.start) as usize..][..now.len()].copy_from_slice(&now);
    }
}

/// Ranges of addresses written by the machine.
struct Written {
    ranges: Vec<(u64, u64)>,
    /// Number of them after the last merge.
    apart: usize,
}

impl Written {
    /// Adds a range. Draws repeat a few, in any order: the list is merged whenever it is twice as long as after the last
    /// merge. Gaps stay gaps, however many there are, because a change by the host may lie in one.
    fn add(&mut self, range: (u64, u64)) {
        if self.ranges.last() == Some(&range) {
            return;
        }
        self.ranges.push(range);
        if self.ranges.len() > FEW.max(2 * self.apart) {
            self.ranges = merged(std::mem::take(&mut self.ranges));
            self.apart = self.ranges.len();
        }
    }
}

/// The union of ranges, in order.
fn merged(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// Guest memory for a machine that is being recorded.
struct RecordingMemory<'a> {
    inner: &'a dyn Memory,
    blocks: &'a [Block],
    watch: Mutex<Watch<'a>>,
}

impl Memory for RecordingMemory<'_> {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        if length == 0 {
            return self.inner.region(address, length);
        }
        let inside = |block: &Block| block.offset(address, length);
        let (block, offset) = self.blocks.iter().enumerate().find_map(|(i, b)| Some((i, inside(b)?)))?;
        let slice = self.inner.region(address, length)?;
        self.touch(block, &(offset..offset + length));
        Some(slice)
    }

    fn written(&self, address: u32, length: u32) {
        self.inner.written(address, length);
        let range = (u64::from(address), u64::from(address) + u64::from(length));
        self.watch().written.add(range);
    }

    fn replacements(&self) -> Option<u64> {
        self.inner.replacements()
    }

    fn replace(&self, texture: &Texture, texels: &mut [u32]) {
        self.inner.replace(texture, texels);
    }
}

impl<'a> RecordingMemory<'a> {
    fn watch(&self) -> MutexGuard<'_, Watch<'a>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_at(&self, address: u32, length: u32) {
        let (start, end) = (u64::from(address), u64::from(address) + u64::from(length));
        for (i, block) in self.blocks.iter().enumerate() {
            self.touch(i, &block.overlap(start, end));
        }
    }

    /// Compares the pages of a range that the operation has not touched yet.
    fn touch(&self, block: usize, range: &Range<u32>) {
        let flags = &self.blocks[block].touched;
        for page in pages(range) {
            // Set after the page was compared: whoever sees it may hand the page out.
            if !flags[page as usize].load(Ordering::Acquire) {
                self.compare(block, page);
            }
        }
    }

    fn compare(&self, block: usize, page: u32) {
        let mut watch = self.watch();
        let flag = &self.blocks[block].touched[page as usize];
        if flag.load(Ordering::Relaxed) {
            return;
        }
        let now = self.blocks[block].read(self.inner, self.blocks[block].page(page));
        watch.touched.push((block, page));
        let shadow = watch.shadow.pages.get(&(block, page));
        let changed = shadow.map_or_else(|| now.iter().any(|&byte| byte != 0), |then| **then != *now);
        if changed {
            watch.shadow.pages.insert((block, page), now);
            watch.changed.push((block, page));
        }
        flag.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
