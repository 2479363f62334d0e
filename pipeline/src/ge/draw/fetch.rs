//! Vertex fetch: indices and records of a drawing command.
//!
//! Source: psp-ge.md 2.5, 4.2, 4.4.

use super::CHUNK;
use super::bounding_box::tested;
use super::context::DrawContext;
use crate::fault::Fault;
use crate::ge::extents;
use crate::ge::regs::op;
use crate::ge::vertex_type::{Element, VertexType};
use crate::ge::vram::{gather, is_vram, read, region};
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;
use crate::work;
use std::ops::Range;

/// Bytes that are copied between two questions whether the run ends. They are looked up one by one where nothing is mapped:
/// some hundred microseconds.
const PART: usize = 1 << 14;

/// Indices of a draw, and the records that they name.
#[derive(Debug)]
pub(crate) struct Fetched<'m> {
    records: Records<'m>,
    /// Number of the record of each vertex.
    pub indices: Vec<u32>,
    /// These are the numbers from 0 on.
    pub is_in_order: bool,
}

/// Records in place in memory, or a copy: at most 65535 of 544 bytes.
#[derive(Debug)]
enum Records<'m> {
    Shared(GuestSlice<'m>),
    Copied(Vec<u8>),
}

impl Fetched<'_> {
    /// Records, contiguous from record 0 on.
    #[must_use]
    pub(crate) fn records(&self) -> GuestSlice<'_> {
        match &self.records {
            Records::Shared(slice) => *slice,
            Records::Copied(bytes) => GuestSlice::from_slice(bytes),
        }
    }
}

impl<'a> DrawContext<'a> {
    /// Fetches the `count` vertices of a drawing command, at most 65535; `indices` is a vector to use. Advances the vertex or the
    /// index pointer. `None` if the account does not pay for them, or without memory.
    ///
    /// Where the run ends meanwhile, the first vertex and the last two are what they are, and others may be any of these: nothing
    /// more is drawn.
    pub(crate) fn fetch(&mut self, count: u32, indices: Vec<u32>) -> Option<Fetched<'a>> {
        self.fetch_range(count, 0..count, indices, true)
    }

    /// [`fetch`](Self::fetch) for a bounding box of `count` vertices: those that are tested, which are 256 at most. They decide how
    /// a list goes on, so all are fetched, also where the run ends.
    pub(crate) fn fetch_box(&mut self, count: u32) -> Option<Fetched<'a>> {
        self.fetch_range(count, tested(count), Vec::new(), false)
    }

    fn fetch_range(
        &mut self,
        count: u32,
        used: Range<u32>,
        mut indices: Vec<u32>,
        may_end: bool,
    ) -> Option<Fetched<'a>> {
        let vertex_type = self.registers.vertex_type();
        let used_from_first = used.start == 0;
        self.fetch_indices(vertex_type, count, used, &mut indices)?;
        let (start, stride) = (*self.vertex_pointer, vertex_type.stride());
        let length = (indices.iter().max().map_or(0, |most| most + 1)) * stride;
        self.before_read(start, length);
        if self.memory.region(self.maps.resolve(start), stride.min(1)).is_none() {
            self.faults.push_once(Fault::Unmapped { id: op::VADDR.into(), address: start });
        }
        if vertex_type.index() == Element::None {
            *self.vertex_pointer = advance(start, count * stride);
        }
        let memory: &'a dyn Memory = self.memory;
        let slice = region(memory, self.maps, start, length);
        // What is drawn of the first vertices changes none of the others.
        let is_copied = indices.len() > CHUNK && is_vram(self.maps.resolve(start));
        let copied = match slice {
            Some(_) if is_copied => length,
            Some(_) => 0,
            None => indices.len() as u32 * stride,
        };
        if !self.account.pay(work::bytes(copied.into(), slice.is_some())) {
            return None;
        }
        if let Some(slice) = slice {
            let records =
                if is_copied { Records::Copied(self.copied(slice)?) } else { Records::Shared(slice) };
            let is_in_order = vertex_type.index() == Element::None && used_from_first;
            return Some(Fetched { records, indices, is_in_order });
        }
        let records = self.gathered((start, stride), &indices, may_end)?;
        let is_whole = records.len() == indices.len() * stride as usize;
        let numbers = 0..indices.len() as u32;
        let indices =
            if is_whole { numbers.collect() } else { numbers.map(of_ends(indices.len())).collect() };
        Some(Fetched { records: Records::Copied(records), indices, is_in_order: is_whole })
    }

    /// Records that are not mapped in one piece: of all vertices, or of the [ends](of_ends) if the run ends meanwhile and they
    /// `may_end` there. `None` without memory.
    fn gathered(&self, (start, stride): (u32, u32), indices: &[u32], may_end: bool) -> Option<Vec<u8>> {
        let mut records = Vec::new();
        if !self.stopper.makes_room(&mut records, indices.len() * stride as usize) {
            return None;
        }
        let record =
            |&index: &u32| gather(self.memory, self.maps, start.wrapping_add(index * stride), stride);
        for part in indices.chunks((PART / stride.max(1) as usize).max(1)) {
            if may_end
                && self.stopper.asks()
                && let [first, .., one, last] = indices
            {
                return Some([first, one, last].into_iter().flat_map(record).collect());
            }
            part.iter().for_each(|index| records.extend(record(index)));
        }
        Some(records)
    }

    /// A list of indices that is not mapped in one piece. Where the run ends meanwhile, indices between the first and the last
    /// parts are zero.
    fn scattered(&self, start: u32, length: u32) -> Vec<u8> {
        let mut list = vec![0; length as usize];
        let parts = list.len().div_ceil(PART);
        for (n, part) in list.chunks_mut(PART).enumerate() {
            // The last part may be shorter than two indices.
            let is_end = n == 0 || n + 2 >= parts;
            if is_end || !self.stopper.asks() {
                read(self.memory, self.maps, start.wrapping_add((n * PART) as u32), part);
            }
        }
        list
    }

    /// Advances the vertex or the index pointer over a drawing command that draws nothing.
    pub(crate) fn skip(&mut self, count: u32) {
        let vertex_type = self.registers.vertex_type();
        match vertex_type.index() {
            Element::None => {
                *self.vertex_pointer = advance(*self.vertex_pointer, count * vertex_type.stride())
            }
            index => *self.index_pointer = advance(*self.index_pointer, count * index.bytes()),
        }
    }

    fn fetch_indices(
        &mut self,
        vertex_type: VertexType,
        count: u32,
        used: Range<u32>,
        indices: &mut Vec<u32>,
    ) -> Option<()> {
        indices.clear();
        let bytes = vertex_type.index().bytes();
        if bytes == 0 {
            indices.extend(used);
            return Some(());
        }
        let start = self.index_pointer.wrapping_add(used.start * bytes);
        let length = (used.end - used.start) * bytes;
        *self.index_pointer = advance(*self.index_pointer, count * bytes);
        self.before_read(start, length);
        if self.memory.region(self.maps.resolve(start), 1).is_none() {
            self.faults.push_once(Fault::Unmapped { id: op::IADDR.into(), address: start });
        }
        let in_place = region(self.memory, self.maps, start, length).is_some();
        if !self.account.pay(work::bytes(length.into(), in_place)) {
            return None;
        }
        let list = match region(self.memory, self.maps, start, length) {
            Some(slice) => self.copied(slice)?,
            None => self.scattered(start, length),
        };
        indices.extend(list.chunks_exact(bytes as usize).map(index));
        Some(())
    }

    /// The bytes, unless there is no memory for them.
    fn copied(&self, slice: GuestSlice<'_>) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.stopper.makes_room(&mut bytes, slice.len()).then(|| slice.append_to(&mut bytes))?;
        Some(bytes)
    }

    /// Pending draws may write the memory of vertices; they complete first.
    fn before_read(&mut self, address: u32, length: u32) {
        self.queue.before_read(extents::extent(self.maps, address, length));
    }
}

/// For each of so many vertices its record among those of the first vertex and the last two: the first one, where it is none
/// of them.
fn of_ends(count: usize) -> impl Fn(u32) -> u32 {
    move |vertex| (vertex + 3).saturating_sub(count as u32)
}

/// One index: its low 16 bits.
fn index(bytes: &[u8]) -> u32 {
    u32::from(bytes[0]) | u32::from(bytes.get(1).copied().unwrap_or(0)) << 8
}

/// Pointers have 28 bits.
const fn advance(pointer: u32, length: u32) -> u32 {
    pointer.wrapping_add(length) & 0x0fff_ffff
}
