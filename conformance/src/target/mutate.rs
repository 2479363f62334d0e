//! Mutations that know what lists and dumps are made of: commands, words and records are added, removed, repeated, put
//! elsewhere and changed as wholes, so that what a fuzzer tries is as sound as what it began with.

use crate::random::Random;
use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
use picaflor_pipeline::ge::capture::ppdmp::{self, Dump, Record};
use picaflor_pipeline::ge::capture::{Capture, Event, format};
use std::sync::Arc;

/// Unpacked bytes of a file that is changed; larger ones are left alone.
const UNPACKED: u64 = 1 << 22;
/// Bytes of a command of the target that runs lists, after the byte that selects the way to run.
const COMMAND: usize = 6;
/// Words that mean much: limits of fields, enables, floats.
const WORDS: [u32; 12] =
    [0, 1, 2, 3, 0xff, 0x100, 0xffff, 0x3f_8000, 0xff_ffff, 0x8000_0000, 0x3f80_0000, u32::MAX];

/// A change of the bytes of a target's input; `None` if they have not the structure for it.
pub type Mutation = fn(&mut Random, &[u8]) -> Option<Vec<u8>>;

/// Applies a mutation to the first `size` bytes of a fuzzer's buffer, three times of four; returns their new number. `None`
/// if the fuzzer is to change them in its own way.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32, mutation: Mutation) -> Option<usize> {
    let mut random = Random::new(seed.into());
    if random.chance(25) {
        return None;
    }
    let changed = mutation(&mut random, data.get(..size)?)?;
    if changed.len() > most || changed == data[..size] {
        return None;
    }
    data.get_mut(..changed.len())?.copy_from_slice(&changed);
    Some(changed.len())
}

/// Commands of the PICA200, as the target `command_list` takes them.
pub fn commands(random: &mut Random, bytes: &[u8]) -> Option<Vec<u8>> {
    let (&way, rest) = bytes.split_first()?;
    let mut commands = rest.as_chunks::<COMMAND>().0.to_vec();
    rearranged(random, &mut commands, |random| {
        let mut command = [0; COMMAND];
        let id = (0x040 + random.below(0x2c0)) as u16;
        command[..2].copy_from_slice(&(id | (random.below(4) as u16) << 14).to_le_bytes());
        command[2..].copy_from_slice(&value(random, 0).to_le_bytes());
        command
    });
    if let Some(command) = any(random, &mut commands) {
        let [id_low, id_high, word @ ..] = *command;
        let word = value(random, u32::from_le_bytes(word)).to_le_bytes();
        *command = [id_low, id_high, word[0], word[1], word[2], word[3]];
    }
    Some([&[way][..], commands.as_flattened()].concat())
}

/// A frame dump of the PSP: its records, and the words and bytes in them.
pub fn dump(random: &mut Random, bytes: &[u8]) -> Option<Vec<u8>> {
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
pub fn capture(random: &mut Random, bytes: &[u8]) -> Option<Vec<u8>> {
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

fn any<'a, T>(random: &mut Random, items: &'a mut [T]) -> Option<&'a mut T> {
    if items.is_empty() { None } else { items.get_mut(random.below(items.len() as u32) as usize) }
}

/// Adds, repeats, removes or moves an item, or none.
fn rearranged<T: Clone>(random: &mut Random, items: &mut Vec<T>, new: impl FnOnce(&mut Random) -> T) {
    let count = items.len() as u32;
    let place = |random: &mut Random| random.below(count) as usize;
    match random.below(6) {
        0 => {
            let at = random.below(count + 1) as usize;
            items.insert(at, new(random));
        }
        1 if count > 0 => {
            let (from, to) = (place(random), place(random));
            items.insert(to, items[from].clone());
        }
        2 if count > 1 => drop(items.remove(place(random))),
        3 if count > 1 => {
            let (a, b) = (place(random), place(random));
            items.swap(a, b);
        }
        _ => {}
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

/// A value near another one, or one that means much.
fn value(random: &mut Random, now: u32) -> u32 {
    match random.below(4) {
        0 => random.pick(&WORDS),
        1 => now ^ 1 << random.below(32),
        2 => now.wrapping_add(random.below(33)).wrapping_sub(16),
        _ => now ^ random.word() >> random.below(32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chains of mutations stay what they were: sound inputs, of which most differ from the one before.
    fn chains(mutation: Mutation, first: &[u8], is_sound: impl Fn(&[u8]) -> bool) {
        let (mut bytes, mut changed) = (first.to_vec(), 0);
        for n in 0..400 {
            let next = mutation(&mut Random::of_item(8, n), &bytes).expect("a sound input");
            assert!(is_sound(&next), "mutation {n}");
            changed += u32::from(next != bytes);
            bytes = if next.len() > 20_000 { first.to_vec() } else { next };
        }
        assert!(changed > 250, "{changed} of 400");
    }

    #[test]
    fn mutations_keep_the_structure() {
        chains(commands, &[0; 61], |bytes| bytes.len() % COMMAND == 1);
        let mut writer = Writer::default();
        writer.words(1, &[0xd200_0003, 0x0406_0002]).words(9, &[0x0400_0000, 512, 3]).record(0x10, &[7; 64]);
        // A record of another kind may lack words, and a dump may ask for too much; most are read.
        let read = std::cell::Cell::new(0);
        let file = writer.file(6);
        for n in 0..400 {
            let next = dump(&mut Random::of_item(9, n), &file).expect("a sound dump");
            read.set(read.get() + u32::from(ppdmp::read(&next).is_ok()));
        }
        assert!(read.get() > 360, "{} of 400", read.get());
        let (captured, _) =
            ppdmp::translate(&ppdmp::read(&file).expect("a dump"), ppdmp::Lists::Long).expect("it is small");
        chains(capture, &format::write(&captured), |bytes| format::read(bytes).is_ok());
    }

    #[test]
    fn buffers_of_a_fuzzer() {
        let mut changed = 0;
        for seed in 0..200 {
            let mut data = [0; 200];
            if let Some(size) = mutate(&mut data, 61, 67, seed, commands) {
                assert!(size <= 67 && data[67..] == [0; 133] && data[..size] != [0; 61][..]);
                changed += 1;
            }
            assert_eq!(mutate(&mut data, 61, 67, seed, dump), None, "no dump");
        }
        assert!((60..180).contains(&changed), "{changed}");
    }
}
