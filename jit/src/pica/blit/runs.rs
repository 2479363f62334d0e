//! Guest memory as a sequence of parts that are contiguous in host memory.

use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;

/// Cursor over memory with ascending addresses.
pub(super) struct Runs<'a> {
    memory: &'a dyn Memory,
    address: u32,
    /// Address and bytes of the cached part.
    known: (u32, GuestSlice<'a>),
}

impl<'a> Runs<'a> {
    pub(super) fn new(memory: &'a dyn Memory, address: u32) -> Self {
        Self { memory, address, known: (address, GuestSlice::from_slice(&[])) }
    }

    pub(super) const fn address(&self) -> u32 {
        self.address
    }

    /// Returns the next bytes, at least one and at most `want`, and advances over them; `None` if nothing is mapped
    /// or `want` is 0.
    pub(super) fn next(&mut self, want: u32) -> Option<GuestSlice<'a>> {
        let available = self.available(want)?;
        let length = available.len().min(want as usize);
        self.address = self.address.wrapping_add(length as u32);
        Some(available.slice(0, length))
    }

    /// Advances over `count` bytes without access.
    pub(super) const fn skip(&mut self, count: u32) {
        self.address = self.address.wrapping_add(count);
    }

    /// The next bytes, at least one, without advancing.
    pub(super) fn available(&mut self, want: u32) -> Option<GuestSlice<'a>> {
        let (start, slice) = self.known;
        let into = self.address.wrapping_sub(start) as usize;
        if into < slice.len() {
            return Some(slice.slice(into, slice.len() - into));
        }
        let slice = longest(self.memory, self.address, want)?;
        self.known = (self.address, slice);
        Some(slice)
    }
}

/// The longest contiguous part at `address`, at least one and at most `want` bytes.
fn longest(memory: &dyn Memory, address: u32, want: u32) -> Option<GuestSlice<'_>> {
    // A piece never reaches around the end of the address space.
    let want = want.min((u32::MAX - address).saturating_add(1));
    if let Some(all) = memory.region(address, want) {
        return (want > 0).then_some(all);
    }
    let (mut mapped, mut unmapped) = (0, want);
    while unmapped - mapped > 1 {
        let middle = mapped + (unmapped - mapped) / 2;
        if memory.region(address, middle).is_some() { mapped = middle } else { unmapped = middle }
    }
    if mapped == 0 { None } else { memory.region(address, mapped) }
}

/// The first unmapped address among `length` bytes.
pub(super) fn first_unmapped(memory: &dyn Memory, address: u32, length: u64) -> Option<u32> {
    let mut runs = Runs::new(memory, address);
    let mut left = length;
    while left > 0 {
        let want = u32::try_from(left).unwrap_or(u32::MAX);
        match runs.next(want) {
            Some(run) => left -= run.len() as u64,
            None => return Some(runs.address()),
        }
    }
    None
}
