//! Snapshots of a machine.

use crate::persist::Words;
use crate::pica::Pica;
use crate::pica::machine::State;
use crate::snapshot::{Saved, Snapshot, SnapshotError};

/// The version without the state of the display controllers.
const FIRST: u32 = 0x5069_0001;

impl Saved for State {
    const VERSION: u32 = 0x5069_0002;

    fn blank() -> Self {
        Self::new()
    }

    fn persist(&mut self, words: &mut Words) {
        self.persist_first(words);
        self.external.persist_controllers(words);
    }

    fn load_older(version: u32, words: &mut Words) -> Option<Self> {
        (version == FIRST).then(|| {
            let mut state = Self::blank();
            state.persist_first(words);
            state.external.show_selected();
            state
        })
    }
}

impl State {
    /// The layout of the first version.
    fn persist_first(&mut self, words: &mut Words) {
        self.registers.persist(words);
        self.luts.change().persist(words);
        self.vertex.persist(words);
        self.geometry.persist(words);
        self.front_end.persist(words);
        self.external.persist(words);
        self.interrupts.persist(words);
        self.stats.persist(words);
        words.flag(&mut self.started);
    }
}

impl Pica {
    /// Snapshot of the state. Precision, limits, threads, the use of attribute clocks, faults and the observer belong to the host and are not
    /// included.
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

    /// Restores the state from a snapshot. Drops a recording in progress, because it could not represent the change.
    ///
    /// # Errors
    /// If the words are no snapshot; the state is then unchanged.
    pub fn load(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.state = snapshot.state()?;
        self.recorder = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::testing::{Bench, header};

    /// A machine with non-default content in every part of its state.
    fn busy() -> Bench {
        let mut bench = Bench::new();
        let list = [
            [0x03fe, header(0x1c5, 15)],
            [7, header(0x1c8, 15)],
            [0x8000_0003, header(0x2c0, 15)],
            [0x3f80_0000, header(0x2c1, 15) | 3 << 20],
            [0x4000_0000, 0x4040_0000],
            [0x4080_0000, 0],
            [2, header(0x2c0, 15)],
            [0x4080_00bf, header(0x2c1, 15)],
            [5, header(0x2cb, 15)],
            [0x1111, header(0x2cc, 15)],
            [4, header(0x232, 15)],
            [0x1234, header(0x233, 15)],
            [3, header(0x228, 15)],
            [1, header(0x22e, 15)],
            [0x1234_5678, header(0x010, 15)],
        ];
        assert!(bench.run(list.as_flattened()).is_ok());
        for (address, value) in [(0x1040_0010, 0x0300_0000), (0x1040_001c, 1), (0x1020_2204, 9)] {
            assert!(bench.mmio(address, value).is_ok());
        }
        bench
    }

    #[test]
    fn round_trip() {
        let bench = busy();
        let snapshot = bench.pica.save();
        let mut other = Bench::new();
        assert_ne!(other.pica.save(), snapshot);
        assert_eq!(other.pica.load(&snapshot), Ok(()));
        assert_eq!(other.pica.save(), snapshot);
        assert_eq!(other.pica.registers(), bench.pica.registers());
        assert_eq!((other.pica.luts(), other.pica.stats()), (bench.pica.luts(), bench.pica.stats()));
        assert_eq!(
            (other.pica.external(), other.pica.interrupts()),
            (bench.pica.external(), bench.pica.interrupts())
        );
    }

    /// What was begun before a snapshot is finished after it: a uniform, a program, a table.
    #[test]
    fn ports_go_on_where_they_were() {
        let mut other = Bench::new();
        assert_eq!(other.pica.load(&busy().pica.save()), Ok(()));
        let list = [
            [0x3e00, header(0x2c1, 15) | 1 << 20],
            [0x003f_0000, 0],
            [0x2222, header(0x2cc, 15)],
            [8, header(0x1c8, 15)],
        ];
        assert!(other.run(list.as_flattened()).is_ok());
        let precision = other.pica.precision();
        let uniform = |n| other.pica.vertex_bank().uniforms().float(n, precision);
        assert_eq!((uniform(2), uniform(3)), ([1.0, 0.5, -1.0, 3.0], [4.0, 3.0, 2.0, 1.0]));
        assert_eq!(other.pica.vertex_bank().program().code()[5..7], [0x1111, 0x2222]);
        assert_eq!(other.pica.luts().lighting[3][254..], [7, 8]);
    }

    #[test]
    fn words_that_are_no_snapshot() {
        let mut bench = busy();
        let before = bench.pica.save();
        let words = before.words().to_vec();
        let mut bad = vec![vec![], words[..words.len() - 1].to_vec(), [&words[..], &[0]].concat()];
        bad.push([&[7], &words[1..]].concat());
        for words in bad {
            assert!(bench.pica.load(&Snapshot::from_words(words)).is_err());
        }
        assert_eq!(bench.pica.save(), before);
        assert_eq!(bench.word(0x010), 0x1234_5678);
    }

    /// Whatever the words say, a machine that takes them works.
    #[test]
    fn wild_snapshots() {
        let words = busy().pica.save().words().to_vec();
        for step in [1, 3, 7] {
            let mut wild = words.clone();
            wild[1..].iter_mut().step_by(step).for_each(|word| *word = u32::MAX);
            let mut bench = Bench::new();
            let _ = bench.pica.load(&Snapshot::from_words(wild));
            let _ = bench.run(&[3, header(0x228, 15), 1, header(0x22e, 15), 1, header(0x233, 15), 0, 0]);
        }
    }
}
