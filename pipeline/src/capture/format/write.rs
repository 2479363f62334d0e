//! Writing the project's format.

use super::{BLOB, END, EVENT_COST, EVTS, MAGIC, MEMORY, STAT, VERSION, checksum};
use crate::capture::Rate;
use std::collections::HashMap;
use std::sync::Arc;

/// Size at which a chunk of events ends.
const EVENTS_BYTES: usize = 1 << 20;

pub(crate) fn bytes_of(words: impl Iterator<Item = u32>) -> Vec<u8> {
    words.flat_map(u32::to_le_bytes).collect()
}

/// Appends a chunk without events, compressed if that makes it smaller.
pub(crate) fn write_chunk(file: &mut Vec<u8>, kind: [u8; 4], contents: &[u8]) {
    write_events(file, kind, contents, 0);
}

/// Appends a chunk with so many events, compressed if that makes it smaller, but not so small that readers would not take the
/// time for it.
fn write_events(file: &mut Vec<u8>, kind: [u8; 4], contents: &[u8], events: u64) {
    let compressed = lz4_flex::block::compress(contents);
    let cost = contents.len() as u64 + EVENT_COST * events;
    let is_worth =
        compressed.len() < contents.len() && cost <= Rate::CAPTURE.factor * compressed.len() as u64;
    let payload = if is_worth { &compressed } else { contents };
    let sizes = [payload.len() as u32, contents.len() as u32];
    let start = file.len();
    file.extend(kind);
    file.extend(sizes.into_iter().flat_map(u32::to_le_bytes));
    let sum = checksum(&file[start..], payload);
    file.extend(sum.to_le_bytes());
    file.extend(payload);
}

/// A file under construction.
pub(crate) struct EventWriter<'a> {
    file: Vec<u8>,
    /// Numbers of the blobs by their contents, the latest of equal ones.
    blobs: HashMap<&'a [u8], u32>,
    blob_count: u32,
    /// Bytes of memory that the events write.
    written: u64,
    events: Vec<u8>,
    /// Number of those events.
    count: u64,
}

impl<'a> EventWriter<'a> {
    /// Starts a file with its first chunk and the state.
    pub(crate) fn new(kind: [u8; 4], head: &[u8], state: &[u32]) -> Self {
        let mut file = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        write_chunk(&mut file, kind, head);
        write_chunk(&mut file, STAT, &bytes_of(state.iter().copied()));
        Self { file, blobs: HashMap::new(), blob_count: 0, written: 0, events: Vec::new(), count: 0 }
    }

    /// Completes the file; `count` is the number of events.
    pub(crate) fn finish(mut self, count: usize) -> Vec<u8> {
        self.flush();
        write_chunk(&mut self.file, END, &(count as u64).to_le_bytes());
        self.file
    }

    pub(crate) fn put(&mut self, kind: u8, words: &[u32]) {
        self.count += 1;
        self.events.push(kind);
        self.events.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        if self.events.len() >= EVENTS_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.events.is_empty() {
            write_events(&mut self.file, EVTS, &self.events, self.count);
            self.events.clear();
            self.count = 0;
        }
    }

    /// Writes the event common to all machines: a change of memory.
    pub(crate) fn memory(&mut self, address: u32, bytes: &'a Arc<[u8]>) {
        let blob = self.blob(bytes);
        self.put(MEMORY, &[address, blob]);
    }

    /// The number of a blob; a new blob is written first. So is another copy of a known one where the file would else be
    /// refused, because it writes too much for its size: even compressed, a copy lets it write many times its contents.
    fn blob(&mut self, bytes: &'a Arc<[u8]>) -> u32 {
        self.written = self.written.saturating_add(bytes.len() as u64);
        let is_refused = self.written > Rate::WRITES.of(self.file.len() as u64).limit();
        if let Some(&blob) = self.blobs.get(&bytes[..]).filter(|_| !is_refused) {
            return blob;
        }
        let blob = self.blob_count;
        self.blob_count += 1;
        self.blobs.insert(bytes, blob);
        write_chunk(&mut self.file, BLOB, bytes);
        blob
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written can be read, also if the same bytes are written again and again.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn blobs_are_repeated_for_a_file_that_writes_much() {
        const LENGTH: u32 = 1 << 20;
        let (zeros, ones) = (Arc::from(vec![0; LENGTH as usize]), Arc::from(vec![1; LENGTH as usize]));
        let mut writer = EventWriter::new(*b"HEAD", &[], &[]);
        writer.written = Rate::WRITES.base - u64::from(LENGTH);
        let mut copies = 0;
        for n in 0..100 {
            writer.memory(0, if n % 2 == 0 { &zeros } else { &ones });
            let limit = Rate::WRITES.of(writer.file.len() as u64).limit();
            assert!(writer.written <= limit, "{n}: {} of {limit}", writer.written);
            copies = writer.blob_count;
        }
        assert!((4..12).contains(&copies), "{copies} copies");
    }
}
