//! The state of the machine, field by field. [`Field`] documents the words of each.

use super::State;
use super::snapshot::{persist_maps, persist_remembered};
use crate::fields::{self, Layout, StateError};
use crate::ge::Ge;
use crate::persist::Words;

macro_rules! fields {
    ($($(#[$doc:meta])* $code:literal $name:ident $text:literal,)*) => {
        /// A part of the machine's state: an array of words. Floats are the bits of a binary32; doubles and counters of
        /// 64 bits are low half first. The queue of lists is no part of it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Field {
            $($(#[$doc])* $name = $code,)*
        }

        impl Field {
            /// All fields, in the order in which an exported state has them.
            pub const ALL: [Self; [$($code),*].len()] = [$(Self::$name),*];

            /// Name in texts and in the header of the C library.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

fields! {
    /// 256 words: the last word of each command. A write has no other effect than that; bits 31:24 are the number of the
    /// command, whatever is written.
    0 Commands "commands",
    /// 148 floats: eight bones of 4 x 3, world 4 x 3, view 4 x 3, projection 4 x 4, texture 4 x 3, as draws use them.
    1 Matrices "matrices",
    /// 5 words: the next element of bones, world, view, projection, texture.
    2 MatrixCounters "matrix_counters",
    /// 148 words of 24 bits: the copy of the matrices that the CPU reads back.
    3 MatrixCopy "matrix_copy",
    /// 256 words: the colour table.
    4 Clut "clut",
    /// 3 words: vertex pointer, index pointer, OFFSET; 28 bits each.
    5 Pointers "pointers",
    /// 5 doubles: texture coordinates s, t and normal of the last vertex, for formats without them.
    6 Remembered "remembered",
    /// Variable, the primitive under assembly by PRIM: kind 0-6, 7 for none; 1 if the next triangle of a strip is
    /// reversed; number of vertices, at most 2; 21 words for each: clip x, y, z, w and texture s, t, q as doubles; x, y in
    /// sixteenths, z; primary and secondary colour; fog; outside bits.
    7 IncompletePrimitive "incomplete_primitive",
    /// As [`Self::IncompletePrimitive`], for VAP.
    8 ImmediatePrimitive "immediate_primitive",
    /// 1 word: VAP of the first vertex of the latter.
    9 ImmediateFlags "immediate_flags",
    /// 1 word: wiring of the mirrors of VRAM, as of the system call; 1: all alike.
    10 AddressMap "address_map",
    /// 9 counters of 64 bits: runs, commands, draws, vertices, primitives, pixels in bounds, covered pixels, transfers,
    /// bytes transferred.
    11 Counters "counters",
}

impl Layout for State {
    type Field = Field;
    const MAGIC: u32 = u32::from_le_bytes(*b"GE  ");
    const FIELDS: &'static [Field] = &Field::ALL;

    fn number(field: Field) -> u32 {
        field as u32
    }

    fn is_fixed(field: Field) -> bool {
        !matches!(field, Field::IncompletePrimitive | Field::ImmediatePrimitive)
    }

    fn blank() -> Self {
        Self::default()
    }

    fn array(&self, field: Field) -> Option<&[u32]> {
        (field == Field::Commands).then(|| &self.registers.words()[..])
    }

    fn set_array(&mut self, field: Field, first: usize, words: &[u32]) -> bool {
        if field == Field::Commands {
            for (command, word) in (first as u32..).zip(words) {
                self.registers.write(command << 24 | word & 0xff_ffff);
            }
        }
        field == Field::Commands
    }

    fn persist_field(&mut self, field: Field, words: &mut Words) {
        match field {
            Field::Commands => self.registers.persist(words),
            Field::Matrices => self.matrices.persist_elements(words),
            Field::MatrixCounters => self.matrices.persist_counters(words),
            Field::MatrixCopy => self.matrices.persist_copy(words),
            Field::Clut => self.persist_clut(words),
            Field::Pointers => self.persist_pointers(words),
            Field::Remembered => persist_remembered(&mut self.remembered, words),
            Field::IncompletePrimitive => self.front_end.persist_assembly(words),
            Field::ImmediatePrimitive => self.front_end.persist_immediate(words),
            Field::ImmediateFlags => words.word(self.front_end.immediate_flags()),
            Field::AddressMap => persist_maps(&mut self.maps, words),
            Field::Counters => self.stats.persist(words),
        }
    }
}

impl Ge {
    /// Number of words of a field, now: some hold lists.
    #[must_use]
    pub fn field_words(&mut self, field: Field) -> usize {
        fields::length(&mut self.state, field)
    }

    /// Reads words of a field of the state, from `first` on, without any effect.
    ///
    /// # Errors
    /// If the field has fewer words; `words` is unchanged then.
    pub fn read_field(&mut self, field: Field, first: usize, words: &mut [u32]) -> Result<(), StateError> {
        fields::read(&mut self.state, field, first, words)
    }

    /// Replaces words of a field of the state, from `first` on, without drawing anything. A field of variable length is
    /// replaced as a whole.
    ///
    /// ```
    /// use picaflor_pipeline::ge::{Field, Ge};
    ///
    /// let mut ge = Ge::new();
    /// ge.write_field(Field::Matrices, 96, &[1.0_f32, 0.0, 0.0].map(f32::to_bits))?; // the x axis of the world
    /// assert_eq!(ge.matrices().world[0], 1.0);
    /// # Ok::<(), picaflor_pipeline::fields::StateError>(())
    /// ```
    ///
    /// # Errors
    /// If the field has fewer words, or does not hold these; the state is unchanged then.
    pub fn write_field(&mut self, field: Field, first: usize, words: &[u32]) -> Result<(), StateError> {
        fields::write(&mut self.state, field, first, words)
    }

    /// The whole state in the [documented layout](crate::fields), for other programs and for later versions.
    #[must_use]
    pub fn export(&mut self) -> Vec<u32> {
        fields::export(&mut self.state)
    }

    /// Replaces the state by an [exported](Self::export) one. Fields that it lacks have their values after reset.
    ///
    /// # Errors
    /// The reason why the words are no state of this machine; the state is unchanged then.
    pub fn import(&mut self, words: &[u32]) -> Result<(), StateError> {
        self.state = fields::import(words)?;
        Ok(())
    }
}

impl Field {
    /// The field of a number in the layout.
    #[must_use]
    pub fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&field| field as u32 == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::testing::Bench;

    fn wild() -> Bench {
        let mut bench = Bench::new();
        let mut number = 0x0101_0101_u32;
        for field in Field::ALL.into_iter().filter(|&field| State::is_fixed(field)) {
            let words: Vec<u32> = (0..bench.ge.field_words(field))
                .map(|_| {
                    number = number.wrapping_mul(0x9e37_79b1).wrapping_add(1);
                    number >> 9
                })
                .collect();
            assert_eq!(bench.ge.write_field(field, 0, &words), Ok(()), "{field:?}");
        }
        let words = [&[4, 1, 1][..], &[0, 0x3ff0_0000].repeat(7), &[16, 32, 48, 5, 6, 7, 0]].concat();
        for field in [Field::IncompletePrimitive, Field::ImmediatePrimitive] {
            assert_eq!(bench.ge.write_field(field, 0, &words), Ok(()));
        }
        assert_eq!(bench.ge.write_field(Field::AddressMap, 0, &[0x200]), Ok(()));
        bench
    }

    #[test]
    fn every_field_is_in_the_snapshot_and_in_the_export() {
        let (blank, mut wild) = (Bench::new().ge.save(), wild());
        for field in Field::ALL {
            let words = fields::whole(&mut wild.ge.state, field);
            let mut other = Bench::new();
            assert_eq!(other.ge.write_field(field, 0, &words), Ok(()), "{field:?}");
            assert_ne!(other.ge.save(), blank, "{field:?} is not part of the state");
            assert_eq!(fields::whole(&mut other.ge.state, field), words, "{field:?}");
        }
        let mut other = Bench::new();
        assert_eq!(other.ge.import(&wild.ge.export()), Ok(()));
        assert_eq!(other.ge.save(), wild.ge.save());
    }

    #[test]
    fn places_behind_the_last_word() {
        let mut bench = wild();
        let before = bench.ge.export();
        for field in Field::ALL {
            let words = if State::is_fixed(field) { bench.ge.field_words(field) } else { 0 };
            let past =
                StateError::OutOfRange { field: field as u32, first: usize::MAX, end: usize::MAX, words };
            assert_eq!(bench.ge.write_field(field, usize::MAX, &[1, 2]), Err(past), "{field:?}");
            assert!(bench.ge.read_field(field, usize::MAX, &mut [0; 2]).is_err(), "{field:?}");
        }
        assert_eq!(bench.ge.export(), before);
    }

    #[test]
    fn fields_of_others_travel_along() {
        let mut bench = wild();
        let mut words = bench.ge.export();
        // In front of the others or behind them.
        let mut first = words.clone();
        first.splice(3..3, [64, 3, 1, 2, 3]);
        first[2] += 1;
        fields::append(&mut words, 64, &[1, 2, 3]);
        for mut words in [first, words] {
            assert_eq!(bench.ge.import(&words), Err(StateError::UnknownField { field: 64 }));
            assert_eq!(fields::take(&mut words, 65), None);
            assert_eq!(fields::take(&mut words, 64), Some(vec![1, 2, 3]));
            assert_eq!(words, bench.ge.export());
        }
        assert_eq!(fields::take(&mut vec![0, 0, 0, 64, u32::MAX], 64), None);
    }

    /// Numbers of which no command would have all bits are cut to those of one.
    #[test]
    fn numbers_have_the_bits_of_commands() {
        let mut bench = Bench::new();
        assert_eq!(
            bench.ge.write_field(Field::Matrices, 96, &[0x3f80_00ff, 0xbf80_01ff, f32::NAN.to_bits()]),
            Ok(())
        );
        let mut words = [0; 3];
        assert_eq!(bench.ge.read_field(Field::Matrices, 96, &mut words), Ok(()));
        assert_eq!(words, [0x3f80_0000, 0xbf80_0100, f32::NAN.to_bits()]);
        let third = (1.0_f64 / 3.0).to_bits();
        assert_eq!(bench.ge.write_field(Field::Remembered, 2, &[third as u32, (third >> 32) as u32]), Ok(()));
        assert_eq!(bench.ge.read_field(Field::Remembered, 2, &mut words[..2]), Ok(()));
        let number = f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0]));
        assert_eq!(number, 43690.0 / 131_072.0);
    }
}
