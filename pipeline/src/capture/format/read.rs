//! Reading the project's format from untrusted bytes.

use super::{
    BLOB, CHUNK_HEADER, END, EVENT_COST, EVTS, MAGIC, MAX_REGIONS, STAT, VERSION, checksum, regions_are_sound,
};
use crate::capture::{Allowance, CaptureError, Problem, Rate, Writes};
use crate::snapshot::Snapshot;
use std::sync::Arc;

type Result<T> = std::result::Result<T, CaptureError>;

/// Memory blocks; they are the last field of their chunk.
pub(crate) fn regions(mut fields: Fields<'_>) -> Result<Vec<(u32, u32)>> {
    let count = fields.word()? as usize;
    if count > MAX_REGIONS {
        return Err(fields.error(Problem::BadRegions));
    }
    let regions: Result<Vec<_>> = (0..count).map(|_| Ok((fields.word()?, fields.word()?))).collect();
    let regions = regions?;
    fields.finish()?;
    if regions_are_sound(&regions) { Ok(regions) } else { Err(fields.error(Problem::BadRegions)) }
}

/// The words of a machine's state.
fn words(chunk: &Chunk) -> Result<Vec<u32>> {
    let (words, rest) = chunk.contents.as_chunks();
    if !rest.is_empty() {
        return Err(Problem::BadState.at(chunk.offset));
    }
    let mut state = Vec::new();
    let problem = Problem::NoMemory { bytes: chunk.contents.len() as u64 };
    state.try_reserve_exact(words.len()).map_err(|_| problem.at(chunk.offset))?;
    state.extend(words.iter().map(|&word| u32::from_le_bytes(word)));
    Ok(state)
}

/// Reader of one event; memory is referred to by blob number.
type ReadEvent<E> = fn(&mut Fields<'_>, &mut Blobs) -> Result<E>;

/// Memory blobs so far, and the bytes that events may still write.
pub(crate) struct Blobs {
    all: Vec<Arc<[u8]>>,
    writes: Writes,
}

/// Reads everything after the first two chunks.
pub(crate) fn events<E>(file: &mut Reader<'_>, event: ReadEvent<E>) -> Result<Vec<E>> {
    let mut events = Vec::new();
    let mut blobs = Blobs { all: Vec::new(), writes: Writes::of(file.bytes.len() as u64) };
    loop {
        let chunk = file.chunk()?;
        match chunk.kind {
            BLOB => blobs.all.push(Arc::from(chunk.contents)),
            EVTS => {
                let mut fields = Fields::new(&chunk);
                while !fields.rest.is_empty() {
                    file.charge(EVENT_COST, chunk.offset)?;
                    events.push(event(&mut fields, &mut blobs)?);
                }
            }
            END => return end(file, &chunk, events.len()).map(|()| events),
            kind => return Err(Problem::UnexpectedChunk(kind).at(chunk.offset)),
        }
    }
}

fn end(file: &Reader<'_>, chunk: &Chunk, count: usize) -> Result<()> {
    if chunk.contents != (count as u64).to_le_bytes() {
        return Err(Problem::Truncated.at(chunk.offset));
    }
    if file.at < file.bytes.len() {
        return Err(Problem::TrailingBytes.at(file.at));
    }
    Ok(())
}

/// An unpacked chunk.
pub(crate) struct Chunk {
    kind: [u8; 4],
    /// Offset in the file.
    offset: usize,
    contents: Vec<u8>,
}

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    allowance: Allowance,
}

impl<'a> Reader<'a> {
    /// Opens a file, which may cost its allowance and no more than a limit; the next chunk to read is the first.
    pub(crate) fn open(bytes: &'a [u8], limit: u64) -> Result<Self> {
        let allowance = Rate::CAPTURE.of(bytes.len() as u64).at_most(limit);
        let mut file = Self { bytes, at: 0, allowance };
        if file.take(MAGIC.len()).ok() != Some(MAGIC.as_slice()) {
            return Err(Problem::NotACapture.at(0));
        }
        let at = file.at;
        match file.word()? {
            VERSION => Ok(file),
            version => Err(Problem::Version(version).at(at)),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or(Problem::Truncated.at(self.at))?;
        self.at += count;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(std::array::from_fn(|i| bytes[i])))
    }

    /// Checks an allocation against the limit before it is made.
    fn charge(&mut self, bytes: u64, offset: usize) -> Result<()> {
        self.allowance.charge(bytes).map_err(|problem| problem.at(offset))
    }

    /// The state of the machine, in the chunk after the head.
    pub(crate) fn state(&mut self) -> Result<Snapshot> {
        Ok(Snapshot::from_words(words(&self.chunk_of(STAT)?)?))
    }

    pub(crate) fn chunk_of(&mut self, kind: [u8; 4]) -> Result<Chunk> {
        let chunk = self.chunk()?;
        if chunk.kind == kind {
            Ok(chunk)
        } else {
            Err(Problem::UnexpectedChunk(chunk.kind).at(chunk.offset))
        }
    }

    fn chunk(&mut self) -> Result<Chunk> {
        let offset = self.at;
        let header = self.take(CHUNK_HEADER - 4)?;
        let kind = std::array::from_fn(|i| header[i]);
        let size = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let (stored, unpacked) = (size(4) as usize, size(8) as usize);
        let sum = self.word()?;
        let payload = self.take(stored)?;
        if checksum(header, payload) != sum {
            return Err(Problem::Checksum.at(offset));
        }
        self.charge(unpacked as u64, offset)?;
        let contents = unpack(payload, unpacked).map_err(|problem| problem.at(offset))?;
        Ok(Chunk { kind, offset, contents })
    }
}

/// The unpacked payload, unless it has not the declared size, or there is no memory for it.
fn unpack(payload: &[u8], size: usize) -> std::result::Result<Vec<u8>, Problem> {
    let mut contents = Vec::new();
    let reserved = |contents: &mut Vec<u8>| {
        contents.try_reserve_exact(size).map_err(|_| Problem::NoMemory { bytes: size as u64 })
    };
    if payload.len() == size {
        reserved(&mut contents)?;
        contents.extend_from_slice(payload);
        return Ok(contents);
    }
    // A byte of LZ4 stands for at most 255 bytes of contents, so more need not be allocated to find out.
    if size > payload.len().saturating_mul(255) {
        return Err(Problem::Compression);
    }
    reserved(&mut contents)?;
    contents.resize(size, 0);
    match lz4_flex::block::decompress_into(payload, &mut contents) {
        Ok(written) if written == size => Ok(contents),
        _ => Err(Problem::Compression),
    }
}

/// Reader of the fields of a chunk, in order.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(chunk: &'a Chunk) -> Self {
        Self { rest: &chunk.contents, offset: chunk.offset }
    }

    pub(crate) const fn error(&self, problem: Problem) -> CaptureError {
        problem.at(self.offset)
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        let (&byte, rest) = self.rest.split_first().ok_or(self.error(Problem::Truncated))?;
        self.rest = rest;
        Ok(byte)
    }

    pub(crate) fn word(&mut self) -> Result<u32> {
        let (&word, rest) = self.rest.split_first_chunk().ok_or(self.error(Problem::Truncated))?;
        self.rest = rest;
        Ok(u32::from_le_bytes(word))
    }

    /// A word; error if it is above `most`.
    pub(crate) fn small(&mut self, most: u32) -> Result<u32> {
        let word = self.word()?;
        if word <= most { Ok(word) } else { Err(self.error(Problem::BadValue(word))) }
    }

    pub(crate) fn choice<'c, T>(&mut self, choices: &'c [T]) -> Result<&'c T> {
        let word = self.word()?;
        choices.get(word as usize).ok_or(self.error(Problem::BadValue(word)))
    }

    /// An address, and the memory blob whose number follows: a write, which is charged.
    pub(crate) fn memory(&mut self, blobs: &mut Blobs) -> Result<(u32, Arc<[u8]>)> {
        let (address, blob) = (self.word()?, self.word()?);
        let bytes = blobs.all.get(blob as usize).ok_or(self.error(Problem::NoSuchBlob(blob)))?;
        blobs.writes.charge(bytes.len()).map_err(|problem| self.error(problem))?;
        Ok((address, Arc::clone(bytes)))
    }

    const fn finish(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.error(Problem::TrailingBytes)) }
    }
}
