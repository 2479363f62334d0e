//! Capture format of the PICA200: [chunks](crate::capture::format) with the head and the events below.
//!
//! | chunk | contents |
//! |---|---|
//! | `HEAD` | words: origin (0 recorder, 1 CiTrace), precision (0 console, 1 binary32), number of blocks of memory, address and bytes of each |
//!
//! | event | kind and words |
//! |---|---|
//! | memory | 1, address, number of the blob, which comes earlier in the file |
//! | register | 2, id, value, mask |
//! | MMIO | 3, address, value |
//! | list | 4, address, size in bytes |
//! | frame | 5 |
//! | vertical blank | 6, screen (0 upper, 1 lower) |
//! | field | 7, number of the field of the state, first word, number of words, the words |
//!
//! Kinds of events are added without a new version of the format; a reader refuses kinds that it does not know.

pub use crate::capture::format::{DEFAULT_LIMIT, MAGIC, VERSION};

use super::{Capture, Event, Origin};
use crate::capture::format::read::{Blobs, Chunk, Fields, Reader, events, regions};
use crate::capture::format::write::{EventWriter, bytes_of};
use crate::capture::format::{EVENT_COST, MEMORY};
use crate::capture::{CaptureError, Problem};
use crate::pica::display::Screen;
use crate::pica::float::Precision;
use crate::pica::{Field, Snapshot};

const HEAD: [u8; 4] = *b"HEAD";

const REGISTER: u8 = 2;
const MMIO: u8 = 3;
const LIST: u8 = 4;
const FRAME: u8 = 5;
const VBLANK: u8 = 6;
const FIELD: u8 = 7;

const _: () = assert!(size_of::<Event>() as u64 <= EVENT_COST);

const ORIGINS: [Origin; 2] = [Origin::Recorder, Origin::CiTrace];
const SCREENS: [Screen; 2] = [Screen::Top, Screen::Bottom];
const PRECISIONS: [Precision; 2] = [Precision::Console, Precision::Binary32];

type Result<T> = std::result::Result<T, CaptureError>;

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
    let mut capture = head(&file.chunk_of(HEAD)?)?;
    capture.initial = file.state()?;
    capture.events = events(&mut file, event)?;
    Ok(capture)
}

fn head(chunk: &Chunk) -> Result<Capture> {
    let mut fields = Fields::new(chunk);
    let origin = *fields.choice(&ORIGINS)?;
    let precision = *fields.choice(&PRECISIONS)?;
    let regions = regions(fields)?;
    Ok(Capture { origin, precision, regions, initial: Snapshot::from_words(Vec::new()), events: Vec::new() })
}

fn event(fields: &mut Fields<'_>, blobs: &mut Blobs) -> Result<Event> {
    Ok(match fields.byte()? {
        MEMORY => {
            let (address, bytes) = fields.memory(blobs)?;
            Event::Memory { address, bytes }
        }
        REGISTER => Event::Register {
            id: fields.small(u16::MAX.into())? as u16,
            value: fields.word()?,
            mask: fields.small(15)? as u8,
        },
        MMIO => Event::Mmio { address: fields.word()?, value: fields.word()? },
        LIST => Event::List { address: fields.word()?, size_bytes: fields.word()? },
        FRAME => Event::Frame,
        VBLANK => Event::VBlank { screen: *fields.choice(&SCREENS)? },
        FIELD => field(fields)?,
        kind => return Err(fields.error(Problem::UnknownEvent(kind.into()))),
    })
}

fn field(fields: &mut Fields<'_>) -> Result<Event> {
    let (number, first, count) = (fields.word()?, fields.word()?, fields.word()?);
    let field = Field::of(number).ok_or(fields.error(Problem::BadValue(number)))?;
    // Not allocated before the words are there.
    let words: Result<Vec<u32>> = (0..count).map(|_| fields.word()).collect();
    Ok(Event::Field { field, first, words: words?.into() })
}

/// The file of a capture.
#[must_use]
pub fn write(capture: &Capture) -> Vec<u8> {
    let mut writer = EventWriter::new(HEAD, &head_of(capture), capture.initial.words());
    capture.events.iter().for_each(|event| write_event(&mut writer, event));
    writer.finish(capture.events.len())
}

fn head_of(capture: &Capture) -> Vec<u8> {
    let origin = ORIGINS.iter().position(|&origin| origin == capture.origin);
    let precision = PRECISIONS.iter().position(|&precision| precision == capture.precision);
    let first = [origin.unwrap_or(0), precision.unwrap_or(0), capture.regions.len()];
    let regions = capture.regions.iter().flat_map(|&(base, length)| [base, length]);
    bytes_of(first.into_iter().map(|word| word as u32).chain(regions))
}

fn write_event<'a>(writer: &mut EventWriter<'a>, event: &'a Event) {
    match event {
        Event::Memory { address, bytes } => writer.memory(*address, bytes),
        Event::Register { id, value, mask } => {
            writer.put(REGISTER, &[u32::from(*id), *value, u32::from(*mask & 15)]);
        }
        Event::Mmio { address, value } => writer.put(MMIO, &[*address, *value]),
        Event::List { address, size_bytes } => writer.put(LIST, &[*address, *size_bytes]),
        Event::Frame => writer.put(FRAME, &[]),
        Event::VBlank { screen } => writer.put(VBLANK, &[u32::from(*screen == Screen::Bottom)]),
        Event::Field { field, first, words } => {
            let head = [*field as u32, *first, words.len() as u32];
            writer.put(FIELD, &[&head, &words[..]].concat());
        }
    }
}

#[cfg(test)]
mod tests;
