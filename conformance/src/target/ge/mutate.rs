//! Mutations of frame dumps of the PSP and of captures of the GE.

use crate::random::Random;
use crate::target::mutate::{any, rearranged, value};
use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
use picaflor_pipeline::ge::capture::ppdmp::{self, Dump, Record};
use picaflor_pipeline::ge::capture::{Capture, Event, format};
use std::sync::Arc;

/// Unpacked bytes of a file that is changed; larger ones are left alone.
const UNPACKED: u64 = 1 << 22;

/// A frame dump of the PSP: its records, and the words and bytes in them.
pub fn mutated_dump(random: &mut Random, bytes: &[u8]) -> Option<Vec<u8>> {
    let dump = ppdmp::read_limited(bytes, UNPACKED).ok()?;
    let mut records: Vec<(u8, Vec<u8>)> = dump.records.iter().map(|record| contents(&dump, record)).collect();
    rearranged(random, &mut records, |random| (random.pick(&[1, 1, 2, 4, 9]), vec![0; 12]));
    if let Some((kind, bytes)) = any(random, &mut records) {
        if random.chance(10) {
            *kind = random.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x10, 0x18]);
        }
        changed_words(random, bytes);
    }
    let mut writer = Writer::default();
    for (kind, bytes) in &records {
        writer.record(*kind, bytes);
    }
    Some(writer.file(dump.version))
}

/// A capture of the GE: its events, and the words that they execute or put into memory.
pub fn mutated_ge_capture(random: &mut Random, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut capture: Capture = format::read_limited(bytes, UNPACKED).ok()?;
    rearranged(random, &mut capture.events, |random| {
        let words: Vec<u32> = (0..random.between(1, 4)).map(|_| command(random, 0)).collect();
        Event::Execute(words.into())
    });
    match any(random, &mut capture.events) {
        Some(Event::Memory { bytes, .. }) => {
            let mut now = bytes.to_vec();
            changed_words(random, &mut now);
            *bytes = Arc::from(now);
        }
        Some(Event::Execute(words)) => {
            let mut now = words.to_vec();
            rearranged(random, &mut now, |random| command(random, 0));
            *words = Arc::from(now);
        }
        Some(Event::Run(list)) => list.stall = list.pc.wrapping_add(4 * random.below(64)),
        _ => {}
    }
    Some(format::write(&capture))
}

/// Kind and bytes of a record.
fn contents(dump: &Dump, record: &Record) -> (u8, Vec<u8>) {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    match *record {
        Record::Init(span) => (0, dump.bytes(span).to_vec()),
        Record::Registers(span) => (1, dump.bytes(span).to_vec()),
        Record::Vertices(span) => (2, dump.bytes(span).to_vec()),
        Record::Indices(span) => (3, dump.bytes(span).to_vec()),
        Record::Clut(span) => (4, dump.bytes(span).to_vec()),
        Record::TransferSource(span) => (5, dump.bytes(span).to_vec()),
        Record::Fill { address, value, size } => (6, words(&[address, value.into(), size])),
        Record::CopyTo(address) => (7, words(&[address])),
        Record::Copy(span) => (8, dump.bytes(span).to_vec()),
        Record::Display(display) => (9, words(&[display.address, display.stride, display.format.into()])),
        Record::ClutAddress { address, flags } => (10, words(&[address, flags.0])),
        Record::Translation(value) => (11, words(&[value])),
        Record::Texture { level, span } => (0x10 + level, dump.bytes(span).to_vec()),
        Record::FrameBuffer { level, address, stride, flags, span } => {
            let head = words(&[address, stride.cast_unsigned(), flags.0, 0]);
            (0x18 + level, [&head, dump.bytes(span)].concat())
        }
    }
}

/// Changes one word of some bytes, as a command or as a value.
fn changed_words(random: &mut Random, bytes: &mut [u8]) {
    let words = bytes.as_chunks_mut::<4>().0;
    if let Some(word) = any(random, words) {
        let now = u32::from_le_bytes(*word);
        let now = if random.chance(50) { command(random, now) } else { value(random, now) };
        *word = now.to_le_bytes();
    }
}

/// A command of the GE like another one: its number or its argument is different.
fn command(random: &mut Random, now: u32) -> u32 {
    if random.chance(30) {
        return random.below(0x100) << 24 | now & 0xff_ffff;
    }
    now & 0xff00_0000 | value(random, now & 0xff_ffff) & 0xff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::mutate::tests::chains;

    #[test]
    fn records_and_events_stay_whole() {
        let mut writer = Writer::default();
        writer.words(1, &[0xd200_0003, 0x0406_0002]).words(9, &[0x0400_0000, 512, 3]).record(0x10, &[7; 64]);
        let file = writer.file(6);
        // A record of another kind may lack words, and a dump may ask for too much; most are read.
        let mut read = 0;
        for n in 0..400 {
            let next = mutated_dump(&mut Random::of_item(9, n), &file).expect("a sound dump");
            read += u32::from(ppdmp::read(&next).is_ok());
        }
        assert!(read > 360, "{read} of 400");
        let (captured, _) =
            ppdmp::translate(&ppdmp::read(&file).expect("a dump"), ppdmp::Lists::Long).expect("it is small");
        chains(mutated_ge_capture, &format::write(&captured), |bytes| format::read(bytes).is_ok());
        assert_eq!(mutated_dump(&mut Random::new(1), &[0; 61]), None, "no dump");
    }
}
