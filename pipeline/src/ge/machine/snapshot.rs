//! Snapshots of a machine.

use super::State;
use crate::ge::Ge;
use crate::ge::display_list::ADDRESS;
use crate::ge::number::t16;
use crate::ge::stage::Remembered;
use crate::ge::vram::AddressMaps;
use crate::persist::Words;
use crate::snapshot::{Saved, Snapshot, SnapshotError};

impl Saved for State {
    const VERSION: u32 = 0x4765_0001;

    fn blank() -> Self {
        Self::default()
    }

    fn persist(&mut self, words: &mut Words) {
        self.registers.persist(words);
        self.matrices.persist(words);
        self.persist_clut(words);
        self.persist_pointers(words);
        persist_remembered(&mut self.remembered, words);
        self.front_end.persist(words);
        persist_maps(&mut self.maps, words);
        self.stats.persist(words);
    }
}

impl State {
    /// The colour table, 256 words.
    pub(crate) fn persist_clut(&mut self, words: &mut Words) {
        let mut content = *self.clut.bytes();
        for bytes in content.as_chunks_mut::<4>().0 {
            let mut word = u32::from_le_bytes(*bytes);
            words.word(&mut word);
            *bytes = word.to_le_bytes();
        }
        if content != *self.clut.bytes() {
            *self.clut.change() = content;
        }
    }

    /// Vertex pointer, index pointer, OFFSET.
    pub(crate) fn persist_pointers(&mut self, words: &mut Words) {
        for address in [&mut self.vertex_pointer, &mut self.index_pointer, &mut self.offset] {
            words.word(address);
            *address &= ADDRESS;
        }
    }
}

pub(crate) fn persist_remembered(remembered: &mut Remembered, words: &mut Words) {
    for number in remembered.texture.iter_mut().chain(&mut remembered.normal) {
        words.doubles([&mut *number]);
        // A vertex that is read has no more bits.
        *number = t16(*number);
    }
}

/// The maps as the value of the system call; 1: all mirrors are alike.
pub(crate) fn persist_maps(maps: &mut AddressMaps, words: &mut Words) {
    let mut value = if *maps == AddressMaps::Flat { 1 } else { maps.value() };
    words.word(&mut value);
    *maps = AddressMaps::of(value).unwrap_or(AddressMaps::Flat);
}

impl Ge {
    /// Snapshot of the state. Limits, faults and the observer belong to the host and are not included; lists have
    /// [their own](crate::ge::lists::Lists::save).
    #[must_use]
    pub fn save(&self) -> Snapshot {
        Snapshot::of(&self.state)
    }

    /// The same as [`save`](Self::save), which without memory for the snapshot ends the process.
    ///
    /// # Errors
    /// [`SnapshotError::NoMemory`]; the state is as before.
    pub fn try_save(&self) -> Result<Snapshot, SnapshotError> {
        Snapshot::try_of(&self.state)
    }

    /// Restores the state from a snapshot.
    ///
    /// # Errors
    /// If the words are no snapshot; the state is then unchanged.
    pub fn load(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.state = snapshot.state()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::testing::Bench;

    /// A machine with non-default content in every part of its state.
    fn busy() -> Bench {
        let mut bench = Bench::new();
        bench.put(0x0880_1000, &[0x0403_0201; 16]);
        bench.execute(&[0x1308_8000, 0x0100_0004, 0x0200_0008, 0x2a00_0003, 0x2b3f_8000, 0x3b40_0000]);
        bench.execute(&[0xb080_1000, 0xb108_0000, 0xc400_0002]);
        bench.ge.set_address_maps(AddressMaps::Flat);
        bench.ge.state.remembered.normal = [1.0, -0.0, 0.5];
        bench
    }

    #[test]
    fn round_trip() {
        let bench = busy();
        let snapshot = bench.ge.save();
        let mut other = Bench::new();
        assert_ne!(other.ge.save(), snapshot);
        assert_eq!(other.ge.load(&snapshot), Ok(()));
        assert_eq!(other.ge.save(), snapshot);
        assert_eq!(other.ge.registers(), bench.ge.registers());
        assert_eq!((other.ge.matrices(), other.ge.clut()), (bench.ge.matrices(), bench.ge.clut()));
        assert_eq!(other.ge.address_maps(), AddressMaps::Flat);
        other.execute(&[0x2b40_4000, 0x0100_0010]);
        assert_eq!(other.ge.matrices().bones[3..5], [1.0, 3.0]);
        assert_eq!(other.ge.vertex_pointer(), 0x0880_0010);
    }

    #[test]
    fn words_that_are_no_snapshot() {
        let mut bench = busy();
        let before = bench.ge.save();
        let words = before.words().to_vec();
        let bad = [vec![], words[..words.len() - 1].to_vec(), [&[7], &words[1..]].concat()];
        for words in bad {
            assert!(bench.ge.load(&Snapshot::from_words(words)).is_err());
        }
        assert_eq!(bench.ge.save(), before);
    }

    /// Whatever the words say, a machine that takes them works.
    #[test]
    fn wild_snapshots() {
        let words = busy().ge.save().words().to_vec();
        for step in [1, 3, 7] {
            let mut wild = words.clone();
            wild[1..].iter_mut().step_by(step).for_each(|word| *word = u32::MAX);
            let mut bench = Bench::new();
            let _ = bench.ge.load(&Snapshot::from_words(wild));
            bench.execute(&[0x2b00_0001, 0x0400_0003, 0xf700_00ff, 0x0100_0000]);
        }
    }
}
