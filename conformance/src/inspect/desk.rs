//! `Desk`: where a machine that plays a capture, and its engine, put what is asked for.

use super::action::{Action, Buffer, Kind, TextureUse};
use super::answer::{BufferView, Draw, Entry, rejected_by};
use super::clock;
use super::history::History;
use super::maps::Maps;
use super::thumbnails::Thumbnails;
use picaflor_interp::trace::{Found, Subject};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::rect::Rect;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pixel by the address of its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The address.
    pub address: u32,
    /// Its bytes, 2 to 4.
    pub bytes: u32,
}

impl Spot {
    /// True if a range of memory has a byte of the pixel.
    #[must_use]
    pub fn meets(self, address: u32, bytes: u64) -> bool {
        let end = |start: u32, length: u64| u64::from(start) + length;
        u64::from(address) < end(self.address, self.bytes.into())
            && u64::from(self.address) < end(address, bytes)
    }
}

/// What a replay shall record beside its actions.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The history of a pixel.
    pub spot: Option<Spot>,
    /// A draw with everything.
    pub draw: Option<u64>,
    /// Position of the vertex whose steps are recorded.
    pub vertex: usize,
    /// The run of the geometry program whose steps are recorded, instead of those of a vertex.
    pub geometry: Option<usize>,
    /// Draws whose covered pixels are counted.
    pub coverage: Option<Range<u64>>,
    /// Nanoseconds of each draw from the first on, which are spread over the pixels that it covers.
    pub costs: Vec<u64>,
    /// The times of draws, and nothing else.
    pub times: bool,
    /// A rectangle: only the draws that cover a pixel of it are recorded, not the counts.
    pub rectangle: Option<Rect>,
    /// Checksums of the colour buffers after every draw.
    pub checksums: bool,
    /// Small pictures of the buffers.
    pub thumbnails: bool,
    /// A box around the pixels of each draw.
    pub bounds: bool,
    /// Stop after the event of this draw.
    pub until: Option<u64>,
}

/// What a replay has recorded.
#[derive(Debug, Default)]
pub struct Log {
    /// What is asked.
    pub question: Question,
    /// The actions so far.
    pub actions: Vec<Action>,
    /// Frame of the current event.
    pub frame: usize,
    /// Number of the current event.
    pub event: usize,
    /// Draws so far.
    pub draws: u64,
    /// Actions that were passed over.
    pub passed: usize,
    /// A box around the pixels of the draw that is under way.
    pub bounds: Option<Rect>,
    /// Registers at the action before.
    pub words: Vec<u32>,
    /// Registers before the first action.
    pub first: Vec<u32>,
    /// Counters at the action before.
    pub counts: [u64; 3],
    /// Keys of the draw that is under way.
    pub key: String,
    /// Checksum of its program.
    pub program: Option<u32>,
    /// Places of the spot in buffers that the machine has looked at: what says where pixels lie, column and row.
    pub places: Vec<([u32; 4], Option<[i32; 2]>)>,
    /// Its pixel under the spot.
    pub pixel: Option<[i32; 2]>,
    /// What the oracle finds.
    pub found: Found,
    /// Bytes under the spot at the action before.
    pub bytes: Vec<u8>,
    /// The history of the spot.
    pub history: History,
    /// The draw that was asked for.
    pub answer: Option<Draw>,
    /// The draw that is under way, if it is that one.
    pub current: Draw,
    /// Covered pixels.
    pub maps: Maps,
    /// Nanoseconds of each draw, from the end of the action or event before it on.
    pub times: Vec<u64>,
    /// Draws that cover a pixel of the rectangle.
    pub touching: Vec<u64>,
    /// Small pictures of the buffers.
    pub thumbnails: Thumbnails,
    /// Time of the action before, in nanoseconds.
    pub since: Option<u64>,
}

/// What a machine says about an action when it is complete.
pub struct Seen<'a> {
    /// Kind.
    pub kind: Kind,
    /// In words.
    pub what: String,
    /// Registers, as words.
    pub words: &'a [u32],
    /// The machine's counters: vertices, primitives, covered pixels.
    pub counts: [u64; 3],
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// The buffers of a draw.
    pub buffer: Option<Buffer>,
    /// Its textures.
    pub textures: Vec<TextureUse>,
    /// Words of a transfer.
    pub transfer: Vec<u32>,
    /// True if it writes a byte of a pixel, the one that was there included. Draws have traces instead.
    pub writes: &'a dyn Fn(Spot) -> bool,
}

impl Log {
    /// What the oracle shall record of the draw that is under way.
    #[must_use]
    pub fn subject(&self, pixel: impl FnOnce(u32) -> Option<[i32; 2]>) -> Option<Subject> {
        if let Some(spot) = self.question.spot {
            return pixel(spot.address).map(Subject::Pixel);
        }
        let wanted = self.question.coverage.as_ref()?;
        wanted.contains(&self.draws).then_some(Subject::Coverage)
    }

    /// True if the draw that is under way is the one that was asked for.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.question.draw == Some(self.draws)
    }

    /// True if the actions do not matter: the question is for a draw alone, or for times.
    #[must_use]
    pub const fn is_brief(&self) -> bool {
        self.question.draw.is_some() || self.question.times
    }

    /// Extends the box of the draw that is under way.
    pub fn extend_bounds(&mut self, by: Rect) {
        let join = |a: Rect| Rect {
            x0: a.x0.min(by.x0),
            y0: a.y0.min(by.y0),
            x1: a.x1.max(by.x1),
            y1: a.y1.max(by.y1),
        };
        if !by.is_empty() {
            self.bounds = Some(self.bounds.map_or(by, join));
        }
    }

    /// Counts an action that does not matter.
    pub fn pass_over(&mut self, kind: Kind) {
        let is_draw = kind == Kind::Draw;
        self.draws += u64::from(is_draw);
        self.passed += 1;
        if self.question.times {
            let now = clock::now();
            let since = self.since.replace(now).unwrap_or(now);
            self.times.extend(is_draw.then_some(now.saturating_sub(since)));
        }
    }

    /// Keeps a small picture of the buffer of the draw that ends, if it is its turn.
    pub fn note_thumbnail(&mut self, picture: impl FnOnce() -> BufferView) {
        if self.question.thumbnails {
            self.thumbnails.note(self.draws, picture);
        }
    }

    /// Records an action.
    pub fn done(&mut self, seen: Seen<'_>) {
        let is_draw = seen.kind == Kind::Draw;
        let now = clock::now();
        let since = self.since.unwrap_or(now);
        let mut action = Action {
            index: self.actions.len(),
            kind: seen.kind,
            draw: is_draw.then_some(self.draws),
            frame: self.frame,
            event: self.event,
            what: seen.what,
            counts: if is_draw { counted(self.counts, seen.counts) } else { [0; 3] },
            bounds: self.bounds.take(),
            nanoseconds: now.saturating_sub(since),
            buffer: seen.buffer,
            key: std::mem::take(&mut self.key),
            program: self.program.take().filter(|_| is_draw),
            textures: seen.textures,
            changed: changed(&self.words, seen.words),
            transfer: seen.transfer,
            checksum: None,
        };
        if self.question.checksums {
            action.checksum = action.buffer.as_ref().and_then(|buffer| checksum(seen.memory, buffer));
        }
        self.words.clear();
        self.words.extend_from_slice(seen.words);
        self.counts = seen.counts;
        self.note_pixel(&action, seen.memory, seen.writes);
        if is_draw {
            self.note_coverage(&action);
            self.draws += 1;
        }
        if self.question.spot.is_none() || seen.kind != Kind::Load {
            self.actions.push(action);
        }
        // The next one begins here: what was recorded is no time of it.
        self.since = Some(clock::now());
    }

    /// Adds to the history of the spot.
    fn note_pixel(&mut self, action: &Action, memory: &dyn Memory, writes: &dyn Fn(Spot) -> bool) {
        let Some(spot) = self.question.spot else { return };
        let (traces, fragments_left_out) = self.found.take_traces();
        let pixel = self.pixel.take();
        let after = bytes(memory, spot);
        if after == self.bytes && traces.is_empty() && !writes(spot) {
            return;
        }
        let rejected_by = rejected_by(&traces, fragments_left_out, after != self.bytes);
        let before = std::mem::replace(&mut self.bytes, after.clone());
        let (action, draws_before) = (action.clone(), self.draws);
        self.history.push(Entry {
            action,
            draws_before,
            pixel,
            before,
            after,
            traces,
            fragments_left_out,
            rejected_by,
        });
    }

    /// Adds the covered pixels of a draw.
    fn note_coverage(&mut self, action: &Action) {
        let Some(draw) = action.draw else { return };
        if !self.question.coverage.as_ref().is_some_and(|wanted| wanted.contains(&draw)) {
            return;
        }
        let (_, covered) = self.found.take();
        if let Some(rectangle) = self.question.rectangle {
            self.touching.extend(covered.iter().any(|at| rectangle.contains(at.x, at.y)).then_some(draw));
            return;
        }
        let cost = self.question.costs.get(draw as usize).copied().unwrap_or(0);
        let Some(buffer) = &action.buffer else { return };
        self.maps.add(draw, buffer, &covered, cost);
    }
}

/// Checksum of a colour buffer; `None` if it is not mapped.
fn checksum(memory: &dyn Memory, buffer: &Buffer) -> Option<u32> {
    let bytes = memory.region(buffer.address, buffer.bytes)?.to_vec();
    Some(crc32fast::hash(&bytes))
}

/// The bytes of a pixel.
pub(super) fn bytes(memory: &dyn Memory, spot: Spot) -> Vec<u8> {
    (0..spot.bytes).map(|n| memory.byte(spot.address.wrapping_add(n))).collect()
}

/// What was counted between two moments.
fn counted(before: [u64; 3], after: [u64; 3]) -> [u64; 3] {
    [0, 1, 2].map(|n| after[n].saturating_sub(before[n]))
}

fn changed(before: &[u32], after: &[u32]) -> Vec<[u32; 3]> {
    let pairs = before.iter().zip(after).enumerate();
    pairs.filter(|(_, (a, b))| a != b).map(|(n, (&a, &b))| [n as u32, a, b]).collect()
}

/// A log that the machine, its engine and the session share.
#[derive(Debug, Clone, Default)]
pub struct Desk(Arc<Mutex<Log>>);

impl Desk {
    /// An empty one.
    #[must_use]
    pub fn new(question: Question) -> Self {
        Self(Arc::new(Mutex::new(Log { question, ..Log::default() })))
    }

    /// The log.
    pub fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The parts of a tile around a pixel of it.
pub(crate) fn around(pixel: Rect, tile: Rect) -> Vec<Rect> {
    let parts = [
        Rect { y1: pixel.y0, ..tile },
        Rect { y0: pixel.y0, y1: pixel.y1, x1: pixel.x0, ..tile },
        Rect { y0: pixel.y0, y1: pixel.y1, x0: pixel.x1, ..tile },
        Rect { y0: pixel.y1, ..tile },
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_pixel() {
        let spot = Spot { address: 100, bytes: 4 };
        for (address, bytes, expected) in
            [(90, 10, false), (90, 11, true), (103, 1, true), (104, 9, false), (0, 0, false)]
        {
            assert_eq!(spot.meets(address, bytes), expected, "{address}, {bytes}");
        }
    }

    #[test]
    fn a_tile_without_a_pixel() {
        let tile = Rect { x0: 0, y0: 0, x1: 8, y1: 8 };
        for (x, y) in [(0, 0), (3, 4), (7, 7), (0, 7)] {
            let pixel = Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 };
            let parts = around(pixel, tile);
            assert_eq!(parts.iter().map(|part| part.pixels()).sum::<u64>(), 63);
            assert!(parts.iter().all(|part| !part.contains(x, y)));
        }
        assert!(around(tile, tile).is_empty());
    }
}
