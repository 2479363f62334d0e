//! `Tracked`: memory with versions, for hosts that announce their writes instead of answering for every read; and the
//! ranges that a machine wrote.

use super::Memory;
use crate::guest_slice::GuestSlice;
use crate::texture::Texture;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Bytes of a page, the unit in which changes are known.
const PAGE: u64 = 4096;
/// Pages of a group, which is looked at as one where a range covers it.
const PAGES: u64 = 256;
const GROUP: u64 = PAGE * PAGES;
/// Groups of the address space.
const GROUPS: usize = ((1 << 32) / GROUP) as usize;
/// Ranges of writes that are kept apart.
const RANGES: usize = 1024;

/// Number of the last change, in all memories of the process: equal versions mean equal bytes across them. In the upper half of all
/// numbers, which hosts that count versions themselves do not reach.
static LAST: AtomicU64 = AtomicU64::new(1 << 63);

/// Versions of pages of 4096 bytes, over the whole address space. Any thread may use it at any time.
#[derive(Debug)]
pub struct Versions {
    groups: Box<[Group]>,
    /// Version of what was never announced.
    first: u64,
}

#[derive(Debug, Default)]
struct Group {
    /// Last change of all pages.
    whole: AtomicU64,
    /// Last change of any page.
    any: AtomicU64,
    pages: OnceLock<Box<[AtomicU64]>>,
}

/// A part of a group: number of the group and its pages.
struct Part {
    group: usize,
    pages: std::ops::Range<usize>,
}

impl Default for Versions {
    fn default() -> Self {
        Self::new()
    }
}

impl Versions {
    /// Versions of memory that no machine has seen.
    #[must_use]
    pub fn new() -> Self {
        Self { groups: (0..GROUPS).map(|_| Group::default()).collect(), first: next() }
    }

    /// Announces that some of the bytes `address .. address + length` changed. Called after the write.
    pub fn invalidate(&self, address: u32, length: u32) {
        let now = next();
        for Part { group, pages } in parts(address, length) {
            let group = &self.groups[group];
            if pages.len() as u64 == PAGES {
                group.whole.fetch_max(now, Ordering::AcqRel);
            } else {
                let all = group.pages.get_or_init(|| (0..PAGES).map(|_| AtomicU64::new(0)).collect());
                all[pages].iter().for_each(|page| _ = page.fetch_max(now, Ordering::AcqRel));
            }
            group.any.fetch_max(now, Ordering::AcqRel);
        }
    }

    /// Version of the bytes `address .. address + length`: as [`Memory::version`].
    #[must_use]
    pub fn version(&self, address: u32, length: u32) -> u64 {
        parts(address, length).map(|part| self.of(part)).fold(self.first, u64::max)
    }

    fn of(&self, Part { group, pages }: Part) -> u64 {
        let group = &self.groups[group];
        let any = group.any.load(Ordering::Acquire);
        if pages.len() as u64 == PAGES || any == 0 {
            return any;
        }
        let whole = group.whole.load(Ordering::Acquire);
        let all = group.pages.get().map_or(&[][..], |all| &all[pages]);
        all.iter().map(|page| page.load(Ordering::Acquire)).fold(whole, u64::max)
    }
}

/// A number not used before.
fn next() -> u64 {
    LAST.fetch_add(1, Ordering::AcqRel) + 1
}

/// The pages of a range, group by group.
fn parts(address: u32, length: u32) -> impl Iterator<Item = Part> {
    let start = u64::from(address);
    let end = (start + u64::from(length)).min(1 << 32);
    let groups = if length == 0 { 0..0 } else { start / GROUP..end.div_ceil(GROUP) };
    groups.map(move |group| {
        let from = start.max(group * GROUP) / PAGE - group * PAGES;
        let to = end.min((group + 1) * GROUP).div_ceil(PAGE) - group * PAGES;
        Part { group: group as usize, pages: from as usize..to as usize }
    })
}

/// Ranges of addresses, merged where they touch.
#[derive(Debug, Default)]
pub struct Ranges {
    /// Start and end.
    ranges: Vec<(u64, u64)>,
}

impl Ranges {
    /// Adds the bytes `address .. address + length`.
    pub fn add(&mut self, address: u32, length: u32) {
        let (start, end) = (u64::from(address), u64::from(address) + u64::from(length));
        if length == 0 {
            return;
        }
        match self.ranges.last_mut() {
            Some(last) if start <= last.1 && last.0 <= end => *last = (last.0.min(start), last.1.max(end)),
            _ => self.ranges.push((start, end)),
        }
        if self.ranges.len() > RANGES {
            self.merge();
            self.halve();
        }
    }

    /// Joins neighbours with gaps between them, as long as there are many.
    fn halve(&mut self) {
        while self.ranges.len() > RANGES / 2 {
            self.ranges = self.ranges.chunks(2).map(|pair| (pair[0].0, pair[pair.len() - 1].1)).collect();
        }
    }

    fn merge(&mut self) {
        self.ranges.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(self.ranges.len());
        for &(start, end) in &self.ranges {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        self.ranges = merged;
    }

    /// Removes all ranges: address and length, in ascending order, none of which touch. Where there were more than 1024,
    /// they contain gaps.
    pub fn take(&mut self) -> Vec<(u32, u32)> {
        self.merge();
        let ranges = std::mem::take(&mut self.ranges);
        ranges
            .into_iter()
            .map(|(start, end)| (start as u32, (end - start).min(u64::from(u32::MAX)) as u32))
            .collect()
    }
}

/// Memory of a host that announces its writes with [`invalidate`](Self::invalidate). Engines then know without looking
/// which textures are unchanged. Writes of machines are announced by them, and kept for
/// [`take_written`](Self::take_written).
///
/// ```
/// use picaflor_pipeline::memory::{BlockMemory, Memory, Tracked, write_bytes};
///
/// let memory = Tracked::new(BlockMemory::console());
/// let before = memory.version(0x1800_0000, 64);
/// write_bytes(memory.memory(), 0x1800_0010, &[1, 2, 3]); // the guest's CPU
/// memory.invalidate(0x1800_0010, 3);
/// assert_ne!(memory.version(0x1800_0000, 64), before);
/// memory.written(0x1800_2000, 256); // a machine
/// assert_eq!(memory.take_written(), [(0x1800_2000, 256)]);
/// ```
#[derive(Debug, Default)]
pub struct Tracked<M> {
    memory: M,
    versions: Versions,
    written: Mutex<Ranges>,
}

impl<M: Memory> Tracked<M> {
    /// Memory that no machine has seen.
    #[must_use]
    pub fn new(memory: M) -> Self {
        Self { memory, versions: Versions::new(), written: Mutex::default() }
    }

    /// The memory of the host.
    #[must_use]
    pub const fn memory(&self) -> &M {
        &self.memory
    }

    /// Announces that the host wrote some of the bytes `address .. address + length`, after the write and before the next
    /// call of a machine that may use them. Any thread.
    ///
    /// The addresses are those by which machines ask. The GE asks with mirrors resolved
    /// ([`AddressMaps::resolve`](crate::ge::vram::AddressMaps::resolve)): a host resolves those that its CPU used, uncached
    /// ones and mirrors of VRAM.
    pub fn invalidate(&self, address: u32, length: u32) {
        self.versions.invalidate(address, length);
    }

    /// Takes the ranges that machines wrote since the last call: address and length, ascending.
    pub fn take_written(&self) -> Vec<(u32, u32)> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<M: Memory> Memory for Tracked<M> {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.versions.invalidate(address, length);
        self.written.lock().unwrap_or_else(PoisonError::into_inner).add(address, length);
        self.memory.written(address, length);
    }

    fn version(&self, address: u32, length: u32) -> Option<u64> {
        Some(self.versions.version(address, length))
    }

    fn replacements(&self) -> Option<u64> {
        self.memory.replacements()
    }

    fn replace(&self, texture: &Texture, texels: &mut [u32]) {
        self.memory.replace(texture, texels);
    }

    fn set_bytes(&self, address: u32, bytes: &[u8]) {
        self.memory.set_bytes(address, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{FlatMemory, write_bytes};

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn every_change_gives_a_new_version_of_what_it_touches_and_of_nothing_else() {
        let versions = Versions::new();
        let ranges = [(0, 1), (0xfff, 2), (0x10_0000 - 1, 2), (0x10_0000, 0x10_0000), (0x7_f000, 0x40_0000)];
        let ranges = ranges.into_iter().chain([(0xffff_f000, 0x1000), (0xffff_ffff, 1), (0, u32::MAX)]);
        let ranges: Vec<(u32, u32)> = ranges.collect();
        let touch = |a: (u32, u32), b: (u32, u32)| {
            let page = |at: u64| at / PAGE;
            let last = |(start, length): (u32, u32)| page(u64::from(start) + u64::from(length) - 1);
            page(a.0.into()) <= last(b) && page(b.0.into()) <= last(a)
        };
        for &changed in ranges.iter().chain(&ranges) {
            let before: Vec<_> = ranges.iter().map(|&(at, length)| versions.version(at, length)).collect();
            versions.invalidate(changed.0, changed.1);
            for (&range, before) in ranges.iter().zip(before) {
                let now = versions.version(range.0, range.1);
                assert_eq!(now != before, touch(range, changed), "{range:x?} after {changed:x?}");
            }
        }
        assert_ne!(Versions::new().version(0, 1), Versions::new().version(0, 1), "other memories");
        assert_eq!(versions.version(5, 0), versions.version(9, 0));
    }

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn ranges_are_merged_and_bounded() {
        let mut ranges = Ranges::default();
        for (address, length) in [(64, 16), (80, 16), (0, 8), (4, 8), (96, 0), (0xffff_fff0, 16)] {
            ranges.add(address, length);
        }
        assert_eq!(ranges.take(), [(0, 12), (64, 32), (0xffff_fff0, 16)]);
        assert_eq!(ranges.take(), []);
        let all: Vec<u32> = (0..10_000).map(|n| n * 77_777 % 10_000 * 32).collect();
        all.iter().for_each(|&at| ranges.add(at, 8));
        let taken = ranges.take();
        assert!(taken.len() <= RANGES);
        let is_in =
            |&at: &u32| taken.iter().any(|&(start, length)| (start..start + length).contains(&(at + 7)));
        assert!(all.iter().all(is_in));
    }

    /// What machines write is told once, and both they and the host change versions.
    #[test]
    fn writes_of_machines_are_taken() {
        let memory = Tracked::new(FlatMemory::new(0x1000, vec![0; 0x3000]));
        let versions = || [0x1000, 0x2000, 0x3000].map(|at| memory.version(at, 4).unwrap());
        let before = versions();
        write_bytes(&memory, 0x2004, &[1, 2, 3]);
        memory.written(0x2004, 3);
        memory.invalidate(0x3000, 1);
        let after = versions();
        assert_eq!([0, 1, 2].map(|n| before[n] != after[n]), [false, true, true]);
        assert_eq!((memory.take_written(), memory.take_written()), (vec![(0x2004, 3)], vec![]));
    }

    /// Ranges are exact as long as they are few.
    #[test]
    fn many_ranges_stay_apart() {
        let mut ranges = Ranges::default();
        (0..RANGES as u32).for_each(|n| ranges.add(64 * n, 8));
        assert_eq!(ranges.take(), (0..RANGES as u32).map(|n| (64 * n, 8)).collect::<Vec<_>>());
    }
}
