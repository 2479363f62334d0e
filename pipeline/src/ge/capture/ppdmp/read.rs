//! Reading a file; every field is validated before use.

use super::unpack::unpack;
use super::{CONTEXT_WORDS, Dump, GAME_SINCE, MAGIC, RECORD_BYTES, Record, Span, VERSIONS, VramFlags};
use crate::capture::format::DEFAULT_LIMIT;
use crate::capture::{CaptureError, Problem, Rate};
use crate::ge::capture::Display;

type Result<T> = std::result::Result<T, CaptureError>;

/// Bytes of the name of a game; padding follows to [`GAME_FIELD`].
const GAME_BYTES: usize = 9;
const GAME_FIELD: usize = 12;

/// Reads a file.
///
/// # Errors
/// [`CaptureError`] with the offset of the unreadable part; for records, that of their block.
pub fn read(bytes: &[u8]) -> Result<Dump> {
    read_limited(bytes, DEFAULT_LIMIT)
}

/// Reads a file that unpacks to at most `limit` bytes of data and records, and at most to those that [`Rate::DUMP`] allows.
///
/// # Errors
/// As [`read`].
pub fn read_limited(bytes: &[u8], limit: u64) -> Result<Dump> {
    let mut file = File { bytes, at: 0 };
    let (version, game) = header(&mut file)?;
    let (count, data_bytes) = (file.word()?, file.word()?);
    let mut allowance = Rate::DUMP.of(bytes.len() as u64).at_most(limit);
    allowance.charge(unpacked(count, data_bytes)).map_err(|problem| problem.at(file.at))?;
    let at = file.at;
    let table = file.block(version, count as usize * RECORD_BYTES)?;
    let data = file.block(version, data_bytes as usize)?;
    let records: std::result::Result<_, Problem> =
        table.as_chunks().0.iter().map(|entry| record(entry, &data)).collect();
    Ok(Dump {
        version,
        game,
        records: records.map_err(|problem| problem.at(at))?,
        data: data.into(),
        packed: bytes.len() as u64,
    })
}

fn header(file: &mut File<'_>) -> Result<(u32, String)> {
    if file.take(MAGIC.len()).ok() != Some(MAGIC) {
        return Err(Problem::NotACapture.at(0));
    }
    let version = file.word()?;
    if !VERSIONS.contains(&version) {
        return Err(Problem::Version(version).at(MAGIC.len()));
    }
    let game = if version >= GAME_SINCE { file.take(GAME_FIELD)? } else { &[] };
    let letters = game.iter().take(GAME_BYTES).filter(|letter| letter.is_ascii_graphic());
    Ok((version, letters.map(|&letter| char::from(letter)).collect()))
}

/// Bytes of unpacked data and records.
fn unpacked(count: u32, data_bytes: u32) -> u64 {
    let of_one = (RECORD_BYTES + size_of::<Record>()) as u64;
    u64::from(count) * of_one + u64::from(data_bytes)
}

/// One entry of the table of records.
fn record(entry: &[u8; RECORD_BYTES], data: &[u8]) -> std::result::Result<Record, Problem> {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| entry[at + i]));
    let span = Span { offset: word(5), size: word(1) };
    let end = u64::from(span.offset) + u64::from(span.size);
    if end > data.len() as u64 {
        return Err(Problem::BadRange { start: span.offset, bytes: span.size.into() });
    }
    let fields = Fields { bytes: &data[span.offset as usize..end as usize], span };
    Ok(match entry[0] {
        0 => Record::Init(fields.span_of(CONTEXT_WORDS * 4)?),
        1 => Record::Registers(span),
        2 => Record::Vertices(span),
        3 => Record::Indices(span),
        4 => Record::Clut(span),
        5 => Record::TransferSource(span),
        6 => Record::Fill { address: fields.word(0)?, value: fields.word(1)? as u8, size: fields.word(2)? },
        7 => Record::CopyTo(fields.word(0)?),
        8 => Record::Copy(span),
        9 => Record::Display(Display {
            address: fields.word(0)?,
            stride: fields.word(1)?,
            // Only the low byte means something, and formats are 0 to 3.
            format: fields.word(2)? as u8 & 3,
        }),
        10 => Record::ClutAddress { address: fields.word(0)?, flags: VramFlags(fields.word(1)?) },
        11 => Record::Translation(fields.word(0)?),
        kind @ 0x10..0x18 => Record::Texture { level: kind - 0x10, span },
        kind @ 0x18..0x20 => Record::FrameBuffer {
            level: kind - 0x18,
            address: fields.word(0)?,
            stride: fields.word(1)?.cast_signed(),
            flags: VramFlags(fields.word(2)?),
            span: fields.behind(4)?,
        },
        kind => return Err(Problem::UnknownEvent(kind.into())),
    })
}

/// The bytes of one record.
struct Fields<'a> {
    bytes: &'a [u8],
    span: Span,
}

impl Fields<'_> {
    fn word(&self, number: usize) -> std::result::Result<u32, Problem> {
        let word = self.bytes.as_chunks().0.get(number);
        word.map(|&word| u32::from_le_bytes(word)).ok_or(Problem::Truncated)
    }

    /// Span of the first `size` bytes, which must exist.
    const fn span_of(&self, size: usize) -> std::result::Result<Span, Problem> {
        if self.bytes.len() < size {
            return Err(Problem::Truncated);
        }
        Ok(Span { offset: self.span.offset, size: size as u32 })
    }

    /// Span of the bytes after `words` words.
    fn behind(&self, words: u32) -> std::result::Result<Span, Problem> {
        let size = self.span.size.checked_sub(words * 4).ok_or(Problem::Truncated)?;
        Ok(Span { offset: self.span.offset + words * 4, size })
    }
}

struct File<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> File<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let taken = self.bytes[self.at..].get(..count).ok_or(Problem::Truncated.at(self.at))?;
        self.at += count;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(std::array::from_fn(|i| bytes[i])))
    }

    fn block(&mut self, version: u32, size: usize) -> Result<Vec<u8>> {
        let at = self.at;
        let packed = self.word()?;
        let block = self.take(packed as usize)?;
        unpack(version, block, size).ok_or(Problem::Compression.at(at))
    }
}
