//! Capture format of the GE: [chunks](crate::capture::format) with the head and the events below.
//!
//! | chunk | contents |
//! |---|---|
//! | `GEHD` | words: version of this part, number of blocks of memory, address and bytes of each |
//!
//! | event | kind and words |
//! |---|---|
//! | memory | 1, address, number of the blob, which comes earlier in the file |
//! | run | 2, pc, stall, OFFSET, flags, number of calls, three words of each |
//! | display | 3, address, stride, format |
//! | execute | 4, number of words, the words |
//! | state | 5, number of words, those of a [`Snapshot`] |
//!
//! Flags: bit 0: the last bounding box was outside; bits 1-2: effect of the next `FINISH` (0 end, 1 continue, 2
//! pause); bits 16-31: argument of the signal that requested the pause.

use super::{Capture, Display, Event};
use crate::capture::format::read::{Blobs, Fields, Reader, events, regions};
use crate::capture::format::write::{EventWriter, bytes_of};
use crate::capture::format::{DEFAULT_LIMIT, MAGIC, MEMORY};
use crate::capture::{CaptureError, Problem};
use crate::ge::Snapshot;
use crate::ge::display_list::{CALL_DEPTH, DisplayList, Frame, Pending};

/// Version for reading and writing.
pub const VERSION: u32 = 1;

const HEAD: [u8; 4] = *b"GEHD";
/// Offset of the first chunk.
const FIRST_CHUNK: usize = 12;

const RUN: u8 = 2;
const DISPLAY: u8 = 3;
const EXECUTE: u8 = 4;
const STATE: u8 = 5;

type Result<T> = std::result::Result<T, CaptureError>;

/// True if the first bytes of a file are those of a GE capture.
#[must_use]
pub fn is_ge(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) && bytes.get(FIRST_CHUNK..).is_some_and(|rest| rest.starts_with(&HEAD))
}

/// Reads a capture that unpacks to at most [`DEFAULT_LIMIT`] bytes.
///
/// # Errors
/// [`CaptureError`] with the offset of the unreadable part.
pub fn read(bytes: &[u8]) -> Result<Capture> {
    read_limited(bytes, DEFAULT_LIMIT)
}

/// Reads a capture that unpacks to at most `limit` bytes; allocations stay below that.
///
/// # Errors
/// [`CaptureError`] with the offset of the unreadable part.
pub fn read_limited(bytes: &[u8], limit: u64) -> Result<Capture> {
    let mut file = Reader::open(bytes, limit)?;
    let head = file.chunk_of(HEAD)?;
    let mut fields = Fields::new(&head);
    match fields.word()? {
        VERSION => {}
        version => return Err(fields.error(Problem::Version(version))),
    }
    let regions = regions(fields)?;
    let initial = file.state()?;
    Ok(Capture { regions, initial, events: events(&mut file, event)? })
}

fn event(fields: &mut Fields<'_>, blobs: &mut Blobs) -> Result<Event> {
    Ok(match fields.byte()? {
        MEMORY => {
            let (address, bytes) = fields.memory(blobs)?;
            Event::Memory { address, bytes }
        }
        RUN => Event::Run(list(fields)?),
        DISPLAY => Event::Display(Display {
            address: fields.word()?,
            stride: fields.word()?,
            format: fields.small(3)? as u8,
        }),
        EXECUTE => Event::Execute(counted(fields)?.into()),
        STATE => Event::State(Snapshot::from_words(counted(fields)?)),
        kind => return Err(fields.error(Problem::UnknownEvent(kind.into()))),
    })
}

/// Words, preceded by their number.
fn counted(fields: &mut Fields<'_>) -> Result<Vec<u32>> {
    let count = fields.word()?;
    // Ends where the chunk does, whatever the number.
    (0..count).map(|_| fields.word()).collect()
}

fn list(fields: &mut Fields<'_>) -> Result<DisplayList> {
    let [pc, stall, offset, flags] = [fields.word()?, fields.word()?, fields.word()?, fields.word()?];
    let pending = match flags & 0xfffe {
        0 => Pending::Nothing,
        2 => Pending::Sync,
        4 => Pending::Pause { token: (flags >> 16) as u16 },
        _ => return Err(fields.error(Problem::BadValue(flags))),
    };
    let depth = fields.small(CALL_DEPTH as u32)?;
    let frame = |_| Ok(Frame { pc: fields.word()?, offset: fields.word()?, base: fields.word()? });
    let stack = (0..depth).map(frame).collect::<Result<_>>()?;
    let list = DisplayList::new(pc, stall);
    Ok(DisplayList { offset: offset & 0x0fff_ffff, is_outside: flags & 1 != 0, pending, stack, ..list })
}

/// The file of a capture.
#[must_use]
pub fn write(capture: &Capture) -> Vec<u8> {
    let regions = capture.regions.iter().flat_map(|&(base, length)| [base, length]);
    let head = bytes_of([VERSION, capture.regions.len() as u32].into_iter().chain(regions));
    let mut writer = EventWriter::new(HEAD, &head, capture.initial.words());
    capture.events.iter().for_each(|event| write_event(&mut writer, event));
    writer.finish(capture.events.len())
}

fn write_event<'a>(writer: &mut EventWriter<'a>, event: &'a Event) {
    match event {
        Event::Memory { address, bytes } => writer.memory(*address, bytes),
        Event::Run(list) => {
            let calls = list.stack.iter().flat_map(|frame| [frame.pc, frame.offset, frame.base]);
            let words = [list.pc, list.stall, list.offset, flags(list), list.stack.len() as u32];
            writer.put(RUN, &words.into_iter().chain(calls).collect::<Vec<_>>());
        }
        Event::Display(display) => {
            writer.put(DISPLAY, &[display.address, display.stride, u32::from(display.format & 3)]);
        }
        Event::Execute(words) => put_counted(writer, EXECUTE, words),
        Event::State(state) => put_counted(writer, STATE, state.words()),
    }
}

fn put_counted(writer: &mut EventWriter<'_>, kind: u8, words: &[u32]) {
    writer.put(kind, &[&[words.len() as u32], words].concat());
}

fn flags(list: &DisplayList) -> u32 {
    let pending = match list.pending {
        Pending::Nothing => 0,
        Pending::Sync => 2,
        Pending::Pause { token } => 4 | u32::from(token) << 16,
    };
    pending | u32::from(list.is_outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::Ge;
    use std::sync::Arc;

    fn sample() -> Capture {
        let frame = Frame { pc: 0x0880_0004, offset: 0x100, base: 0x1008_0000 };
        let paused = DisplayList {
            offset: 0x0800_0000,
            is_outside: false,
            pending: Pending::Pause { token: 0xbeef },
            stack: vec![frame; 2],
            ..DisplayList::new(0x0880_0010, 0x0880_0020)
        };
        Capture {
            regions: vec![(0x0400_0000, 2 << 20), (0x0880_0000, 4096)],
            initial: Ge::new().save(),
            events: vec![
                Event::Memory { address: 0x0880_0000, bytes: Arc::from([1, 2, 3]) },
                Event::Run(DisplayList::new(0x0880_0000, 0)),
                Event::Run(DisplayList { pending: Pending::Sync, ..paused.clone() }),
                Event::Run(paused),
                Event::Execute(Arc::from([0xcf00_1234])),
                Event::State(Ge::new().save()),
                Event::Display(Display { address: 0x0408_8000, stride: 512, format: 3 }),
            ],
        }
    }

    #[test]
    fn there_and_back() {
        let file = write(&sample());
        assert_eq!(read(&file), Ok(sample()));
        assert!(is_ge(&file) && !is_ge(&file[..14]));
    }

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn a_file_cut_or_changed_anywhere_is_an_error() {
        let mut file = write(&sample());
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length}");
        }
        for at in 0..file.len() {
            file[at] ^= 4;
            assert!(read(&file).is_err(), "byte {at}");
            file[at] ^= 4;
        }
    }

    #[test]
    fn events_without_meaning() {
        let with = |kind, words: &[u32]| {
            let mut writer = EventWriter::new(HEAD, &bytes_of([VERSION, 0].into_iter()), &[]);
            writer.put(kind, words);
            read(&writer.finish(1)).map(|capture| capture.events.len()).map_err(|error| error.problem)
        };
        assert_eq!(with(DISPLAY, &[0, 512, 3]), Ok(1));
        assert_eq!(with(DISPLAY, &[0, 512, 4]), Err(Problem::BadValue(4)));
        assert_eq!(with(RUN, &[0, 0, 0, 6, 0]), Err(Problem::BadValue(6)));
        assert_eq!(with(RUN, &[0, 0, 0, 0, 33]), Err(Problem::BadValue(33)));
        assert_eq!(with(RUN, &[0, 0, 0, 0, 1, 0]), Err(Problem::Truncated));
        assert_eq!(with(EXECUTE, &[2, 7]), Err(Problem::Truncated));
        assert_eq!(with(STATE, &[u32::MAX]), Err(Problem::Truncated));
        assert_eq!(with(6, &[]), Err(Problem::UnknownEvent(6)));
        assert_eq!(with(MEMORY, &[0, 0]), Err(Problem::NoSuchBlob(0)));
        let mut later = EventWriter::new(HEAD, &bytes_of([VERSION + 1, 0].into_iter()), &[]);
        later.put(DISPLAY, &[0, 0, 0]);
        assert_eq!(read(&later.finish(1)).unwrap_err().problem, Problem::Version(VERSION + 1));
    }
}
