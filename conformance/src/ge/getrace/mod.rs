//! Recordings of the display lists that system software gave to the GE, list by list: `.getrace`.
//!
//! Format: one Zstandard stream. Unpacked: the eight bytes `H7GE0001`, then records of two words (kind, size) and the
//! payload.
//!
//! * [`replay`] runs the lists and compares the results with the recording.

pub mod replay;

use picaflor_pipeline::capture::Rate;
use picaflor_pipeline::ge::display_list::Frame;
use std::io::Read;

/// The first bytes of an unpacked recording.
const MAGIC: &[u8; 8] = b"H7GE0001";
/// Limit of the unpacked size of a recording, in bytes.
const LIMIT: u64 = 1 << 28;
/// Words of a run before its calls.
const RUN_WORDS: usize = 12;

/// Errors of reading a recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// No Zstandard stream, or one that is too large.
    #[error("the compressed bytes are damaged or unpack to more than {LIMIT} bytes")]
    Compression,
    /// More records than a file of its size may have.
    #[error("the records take more than {0} bytes")]
    Records(u64),
    /// Other first bytes.
    #[error("not a recording of GE lists")]
    NotATrace,
    /// A record that is too short, or reaches past the end.
    #[error("the record at byte {0} is cut off")]
    Truncated(usize),
}

/// A list as it was when it began to run, or to run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its number.
    pub list: u32,
    /// Address of the next word.
    pub pc: u32,
    /// The stall address; 0 for none.
    pub stall: u32,
    /// Address of its first word.
    pub start: u32,
    /// OFFSET.
    pub offset: u32,
    /// The vertex pointer.
    pub vertex_pointer: u32,
    /// The index pointer.
    pub index_pointer: u32,
    /// The address translation value.
    pub translation: u32,
    /// The signal that it was left with.
    pub signal: u32,
    /// True if the last bounding box was outside.
    pub is_outside: bool,
    /// Address of the context that is saved while the list runs; 0 for none.
    pub context: u32,
    /// Calls, the last one at the end.
    pub stack: Vec<Frame>,
}

/// The state of a list at a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Address of the next word.
    pub pc: u32,
    /// 0 running, 1 done, 2 stalled, 3 interrupted, 4 error.
    pub state: u32,
    /// State of the list object.
    pub list_state: u32,
    /// The signal that it is left with.
    pub signal: u32,
    /// Calls that it is in.
    pub depth: u32,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// The CPU wrote memory.
    Memory(u32, Vec<u8>),
    /// The state of the machine: a context block.
    Context(Vec<u32>),
    /// A list ran.
    Run(Run),
    /// It stopped.
    Stopped(Stopped),
    /// The CPU read the register of a command.
    Register(u8, u32),
}

/// Reads a recording. Records that do not concern lists are left out.
///
/// # Errors
/// [`TraceError`].
pub fn read(file: &[u8]) -> Result<Vec<Record>, TraceError> {
    let mut allowance = Rate::TRACE.of(file.len() as u64).at_most(LIMIT);
    let limit = allowance.limit();
    let bytes = unpack(file, limit).ok_or(TraceError::Compression)?;
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else { return Err(TraceError::NotATrace) };
    let mut records = Vec::new();
    while !rest.is_empty() {
        let cut = TraceError::Truncated(bytes.len() - rest.len());
        let (payload, behind) = split(rest).ok_or_else(|| cut.clone())?;
        allowance.charge(size_of::<Record>() as u64).map_err(|_| TraceError::Records(limit))?;
        records.extend(record(word(rest, 0), payload).ok_or(cut)?);
        rest = behind;
    }
    Ok(records)
}

fn unpack(file: &[u8], limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let decoder = ruzstd::decoding::StreamingDecoder::new(file).ok()?;
    let read = decoder.take(limit).read_to_end(&mut bytes).ok()?;
    ((read as u64) < limit).then_some(bytes)
}

/// Payload of the first record, and the remaining bytes.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (header, rest) = bytes.split_at_checked(8)?;
    rest.split_at_checked(word(header, 1) as usize)
}

fn word(bytes: &[u8], number: usize) -> u32 {
    bytes.as_chunks().0.get(number).map_or(0, |&word| u32::from_le_bytes(word))
}

/// `None` if it is cut off.
fn record(kind: u32, payload: &[u8]) -> Option<Option<Record>> {
    let words: Vec<u32> = payload.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    Some(Some(match kind {
        1 => Record::Memory(*words.first()?, payload[4..].to_vec()),
        3 => Record::Context(words),
        4 => Record::Run(run(&words)?),
        5 => {
            let &[pc, state, list_state, signal, depth] = words.first_chunk()?;
            Record::Stopped(Stopped { pc, state, list_state, signal, depth })
        }
        12 => Record::Register(*words.first()? as u8, *words.get(1)?),
        _ => return Some(None),
    }))
}

fn run(words: &[u32]) -> Option<Run> {
    let (
        &[
            list,
            pc,
            stall,
            start,
            offset,
            vertex_pointer,
            index_pointer,
            translation,
            signal,
            bounding_box,
            context,
            depth,
        ],
        calls,
    ) = words.split_first_chunk::<RUN_WORDS>()?;
    let calls = calls.as_chunks().0.get(..depth as usize)?;
    let stack = calls.iter().map(|&[pc, offset, base]| Frame { pc, offset, base }).collect();
    // The recording emulator has 0 before the first test, as for a box that is outside.
    let is_outside = bounding_box == 0;
    Some(Run {
        list,
        pc,
        stall,
        start,
        offset,
        vertex_pointer,
        index_pointer,
        translation,
        signal,
        is_outside,
        context,
        stack,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn file(records: &[(u32, &[u32])]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (kind, words) in records {
            bytes.extend([*kind, words.len() as u32 * 4].into_iter().flat_map(u32::to_le_bytes));
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        compress_to_vec(&bytes[..], CompressionLevel::Fastest)
    }

    #[test]
    fn records_have_fields() {
        let run = [1, 2, 3, 4, 5, 6, 7, 0x400, 8, 1, 0, 1, 10, 11, 12];
        let records =
            read(&file(&[(1, &[16, 7]), (4, &run), (5, &[1, 2, 3, 4, 5]), (9, &[]), (12, &[0x5c, 9, 0])]))
                .unwrap();
        assert_eq!(records[0], Record::Memory(16, vec![7, 0, 0, 0]));
        let Record::Run(run) = &records[1] else { panic!("{:?}", records[1]) };
        assert_eq!((run.pc, run.offset, run.translation, run.is_outside), (2, 5, 0x400, false));
        assert_eq!(run.stack, [Frame { pc: 10, offset: 11, base: 12 }]);
        assert!(matches!(records[2], Record::Stopped(Stopped { list_state: 3, depth: 5, .. })));
        assert_eq!((records.len(), &records[3]), (4, &Record::Register(0x5c, 9)));
    }

    #[test]
    fn damage_is_an_error() {
        assert_eq!(read(b"no stream"), Err(TraceError::Compression));
        assert_eq!(
            read(&compress_to_vec(&b"H7GE0002"[..], CompressionLevel::Fastest)),
            Err(TraceError::NotATrace)
        );
        assert_eq!(read(&file(&[(9, &[]), (5, &[1, 2])])), Err(TraceError::Truncated(16)));
        assert_eq!(read(&file(&[(4, &[u32::MAX; RUN_WORDS])])), Err(TraceError::Truncated(8)));
        let short = [MAGIC.as_slice(), &[1, 0, 0, 0, 4, 0, 0, 0, 1]].concat();
        assert_eq!(
            read(&compress_to_vec(&short[..], CompressionLevel::Fastest)),
            Err(TraceError::Truncated(8))
        );
    }
}
