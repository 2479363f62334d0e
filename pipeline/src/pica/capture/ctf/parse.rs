//! Parsing the bytes of a file to its tables and elements.

use super::{CiTrace, ELEMENT_BYTES, Element, FRAME, HEADER_BYTES, LOAD, MAGIC, Tables, WIDTHS, WRITE};
use crate::capture::format::DEFAULT_LIMIT;
use crate::capture::{Allowance, CaptureError, Problem, Rate, Writes};
use std::collections::HashMap;
use std::sync::Arc;

type Result<T> = std::result::Result<T, CaptureError>;

/// Reads a file with at most [`DEFAULT_LIMIT`] bytes of memory contents.
///
/// # Errors
/// [`CaptureError`] with the offset of the unreadable part.
pub fn parse(bytes: &[u8]) -> Result<CiTrace> {
    parse_limited(bytes, DEFAULT_LIMIT)
}

/// Reads a file with at most `limit` bytes of memory contents, and at most those that [`Rate::CITRACE`] allows; shared
/// contents count once, and for each load against [`Rate::WRITES`]. All other allocations are bounded by a small multiple
/// of the file size.
///
/// # Errors
/// [`CaptureError`] with the offset of the unreadable part.
pub fn parse_limited(bytes: &[u8], limit: u64) -> Result<CiTrace> {
    let file = File { bytes };
    let header = file.header()?;
    let tables = file.tables(&header)?;
    let allowance = Rate::CITRACE.of(bytes.len() as u64).at_most(limit);
    let writes = Writes::of(bytes.len() as u64);
    let mut blobs = Blobs { shared: HashMap::new(), allowance, writes };
    let stream = file.range(header.stream_field, header.stream_start, header.stream_bytes, &header)?;
    let elements = stream.chunks_exact(ELEMENT_BYTES).enumerate();
    let at = |i| header.stream_start as usize + i * ELEMENT_BYTES;
    let elements: Result<_> = elements.map(|(i, _)| file.element(at(i), &header, &mut blobs)).collect();
    Ok(CiTrace { tables, elements: elements? })
}

/// The parsed header.
struct Header {
    bytes: u32,
    /// Offset in the header, start in the file and words of each table.
    tables: Vec<(usize, u32, u32)>,
    stream_field: usize,
    stream_start: u32,
    stream_bytes: u64,
}

struct File<'a> {
    bytes: &'a [u8],
}

impl<'a> File<'a> {
    fn word(&self, at: usize) -> Result<u32> {
        let word = self.bytes.get(at..).and_then(|rest| rest.first_chunk());
        word.map(|&word| u32::from_le_bytes(word)).ok_or(Problem::Truncated.at(at.min(self.bytes.len())))
    }

    fn header(&self) -> Result<Header> {
        if !self.bytes.starts_with(MAGIC) {
            return Err(Problem::NotACapture.at(0));
        }
        match self.word(4)? {
            1 => {}
            version => return Err(Problem::Version(version).at(4)),
        }
        let bytes = self.word(8)?;
        if !HEADER_BYTES.contains(&bytes) {
            return Err(Problem::BadValue(bytes).at(8));
        }
        let stream_field = bytes as usize - 8;
        let fields = (12..stream_field).step_by(8);
        let tables: Result<_> = fields.map(|at| Ok((at, self.word(at)?, self.word(at + 4)?))).collect();
        let stream_start = self.word(stream_field)?;
        let stream_bytes = u64::from(self.word(stream_field + 4)?) * ELEMENT_BYTES as u64;
        Ok(Header { bytes, tables: tables?, stream_field, stream_start, stream_bytes })
    }

    /// A range declared by the field at `field`. No range lies inside the header; the position of an empty range is
    /// not checked.
    fn range(&self, field: usize, start: u32, bytes: u64, header: &Header) -> Result<&'a [u8]> {
        if bytes == 0 {
            return Ok(&[]);
        }
        let end = u64::from(start) + bytes;
        if start < header.bytes || end > self.bytes.len() as u64 {
            return Err(Problem::BadRange { start, bytes }.at(field));
        }
        Ok(&self.bytes[start as usize..end as usize])
    }

    fn tables(&self, header: &Header) -> Result<Tables> {
        let mut tables: [Vec<u32>; Tables::COUNT] = Default::default();
        let has_default_attributes = header.tables.len() == Tables::COUNT;
        let places =
            (0..Tables::COUNT).filter(|&i| has_default_attributes || i != Tables::DEFAULT_ATTRIBUTES);
        for (place, &(field, start, words)) in places.zip(&header.tables) {
            let bytes = self.range(field, start, u64::from(words) * 4, header)?;
            let words = bytes.as_chunks().0.iter().take(Tables::WORDS[place]);
            tables[place] = words.map(|&word| u32::from_le_bytes(word)).collect();
        }
        no_overlap(header)?;
        Ok(Tables::from_all(tables))
    }

    fn element(&self, at: usize, header: &Header, blobs: &mut Blobs) -> Result<Element> {
        let [first, second, third] = [self.word(at + 4)?, self.word(at + 8)?, self.word(at + 12)?];
        match self.word(at)? {
            FRAME => Ok(Element::Frame),
            LOAD => {
                let bytes = self.range(at + 4, first, second.into(), header)?;
                Ok(Element::Load { address: third, bytes: blobs.get(first, bytes, at)? })
            }
            // The code of a width tells the classic layout from the late one, whose value is there.
            WRITE if WIDTHS.contains(&second) => {
                let width_bytes = 1_u8 << (second - WIDTHS.start());
                let value = u64::from(self.word(at + 16)?) << 32 | u64::from(third);
                let used = u64::MAX >> (64 - 8 * u32::from(width_bytes));
                Ok(Element::Write { address: first, width_bytes, value: value & used })
            }
            WRITE => Ok(Element::Write { address: first, width_bytes: 4, value: second.into() }),
            code => Err(Problem::UnknownEvent(code).at(at)),
        }
    }
}

/// Checks that tables do not overlap: late recorders counted bytes as words, so theirs do.
fn no_overlap(header: &Header) -> Result<()> {
    let used = header.tables.iter().filter(|table| table.2 != 0);
    let mut sorted: Vec<_> =
        used.map(|&(field, start, words)| (start, field, u64::from(words) * 4)).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| u64::from(pair[0].0) + pair[0].2 > u64::from(pair[1].0)) {
        Some(pair) => Err(Problem::BadRange { start: pair[0].0, bytes: pair[0].2 }.at(pair[0].1)),
        None => Ok(()),
    }
}

/// Memory contents, by offset and size in the file.
struct Blobs {
    shared: HashMap<(u32, usize), Arc<[u8]>>,
    allowance: Allowance,
    writes: Writes,
}

impl Blobs {
    /// The contents that an element loads.
    fn get(&mut self, start: u32, bytes: &[u8], at: usize) -> Result<Arc<[u8]>> {
        self.writes.charge(bytes.len()).map_err(|problem| problem.at(at))?;
        if let Some(shared) = self.shared.get(&(start, bytes.len())) {
            return Ok(Arc::clone(shared));
        }
        self.allowance.charge(bytes.len() as u64).map_err(|problem| problem.at(at))?;
        let shared = Arc::from(bytes);
        self.shared.insert((start, bytes.len()), Arc::clone(&shared));
        Ok(shared)
    }
}
