//! The state of the machine, field by field. [`Field`] documents the words of each.

use crate::fields::{self, Layout, StateError};
use crate::persist::Words;
use crate::pica::Pica;
use crate::pica::capture::Event;
use crate::pica::lut::Luts;
use crate::pica::machine::State;
use crate::pica::ports::ShaderBank;
use crate::pica::regs::Registers;

macro_rules! fields {
    ($($(#[$doc:meta])* $code:literal $name:ident $text:literal,)*) => {
        /// A part of the machine's state: an array of words. Floats are the bits of a binary32, counters of 64 bits are
        /// low half first.
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
    /// 1024 words: the registers 0x000-0x3FF as stored. A write has none of the effects of a write by the guest; only
    /// the configuration, booleans and integers of the shader units (0x280-0x28D, 0x2B0-0x2BD) go to these units too. Words
    /// of ports and triggers are those written last. Bits that the hardware does not store are dropped.
    0 Registers "registers",
    /// 24 x 256 words, by the number of 0x1C5 bits 12:8: bits 11:0 value, 22:12 and 23 difference.
    1 LightingTables "lighting_tables",
    /// 128 words: bits 12:0 difference, 23:13 value.
    2 FogTable "fog_table",
    /// 128 words of the procedural texture: bits 11:0 value, 23:12 difference.
    3 NoiseTable "noise_table",
    /// 128 words as of [`Self::NoiseTable`].
    4 ColourMap "colour_map",
    /// 128 words as of [`Self::NoiseTable`].
    5 AlphaMap "alpha_map",
    /// 256 colours, red lowest.
    6 Colours "colours",
    /// 256 words: half the difference to the next colour, four signed bytes.
    7 ColourDifferences "colour_differences",
    /// 16 words: 8 differences, 8 colours.
    8 GasTable "gas_table",
    /// 48 words: the registers of the vertex units, from 0x2B0 on. Booleans (0) and integers (1-4) go to the uniforms too.
    16 VertexRegisters "vertex_registers",
    /// 512 words.
    17 VertexCode "vertex_code",
    /// 128 words.
    18 VertexDescriptors "vertex_descriptors",
    /// 96 x 4 words, x first, in the form that [`Self::VertexFloatForms`] has for each uniform.
    19 VertexFloats "vertex_floats",
    /// 96 words: 0: floats of 24 bits; 1: binary32, narrowed to the precision of the machine at their use; 2: binary32,
    /// used as they are.
    20 VertexFloatForms "vertex_float_forms",
    /// 9 words, the progress of uploads: next float uniform, 1 for uploads in binary32, four words of an incomplete
    /// vector, their number, next code word, next descriptor.
    21 VertexPorts "vertex_ports",
    /// 1 word: the boolean uniforms, b0 in bit 0. A geometry program may have set b15 since the register was written.
    22 VertexBools "vertex_bools",
    /// 48 words: the registers of the geometry unit, from 0x280 on.
    32 GeometryRegisters "geometry_registers",
    /// 4096 words.
    33 GeometryCode "geometry_code",
    /// 128 words.
    34 GeometryDescriptors "geometry_descriptors",
    /// As [`Self::VertexFloats`].
    35 GeometryFloats "geometry_floats",
    /// As [`Self::VertexFloatForms`].
    36 GeometryFloatForms "geometry_float_forms",
    /// As [`Self::VertexPorts`].
    37 GeometryPorts "geometry_ports",
    /// As [`Self::VertexBools`].
    38 GeometryBools "geometry_bools",
    /// 16 x 4 floats: the fixed attributes.
    48 FixedAttributes "fixed_attributes",
    /// 16 x 4 floats: the attributes of the last vertex, which attributes without a source repeat.
    49 LastAttributes "last_attributes",
    /// 5 words, the progress of 0x232-0x235: target, three words of an incomplete vector, their number.
    50 AttributeWords "attribute_words",
    /// Variable: 16 x 4 floats of the incomplete immediate vertex; its attributes so far; number of complete vertices
    /// that are not drawn yet, at most 256; 16 x 4 floats for each; 1 if the first is the first since 0x232 was written.
    51 ImmediateVertices "immediate_vertices",
    /// 51 words, the primitive under assembly: two vertices of 24 semantics; lists: vertices in use, strips and fans: place
    /// of the next one; 1 if both are in use; 1 if the next triangle is reversed.
    52 IncompletePrimitive "incomplete_primitive",
    /// 265 words, the registers of the geometry unit: v, r, o, and the other bank of o, 16 x 4 floats each; bank written
    /// now; a0.x, a0.y, aL; cmp.x, cmp.y; the emit latch: vertex, primitive, winding.
    53 GeometryUnit "geometry_unit",
    /// 133 words, the incomplete input of a geometry program: 32 x 4 floats of collected registers and their number
    /// (point mode); vertices to come, vertices received, next uniform (variable mode); vertices received (fixed mode).
    54 GeometryInput "geometry_input",
    /// 4 x 16 x 4 floats: the emit buffer.
    55 EmitBuffer "emit_buffer",
    /// 1024 words: 0x10400000-0x10400FFF as stored. A write starts nothing.
    64 External "external",
    /// 1024 words: 0x10202000-0x10202FFF.
    65 Lcd "lcd",
    /// Variable, for the upper and then the lower screen: 1 once a vertical blank was announced; number of gamma
    /// elements, 0 for the identity or 256; the elements, 0x00BBGGRR.
    66 Display "display",
    /// 1 word: pending interrupts, bit n is `Interrupt::ALL[n]`.
    67 Interrupts "interrupts",
    /// 12 counters of 64 bits: vertices, triangles, displayed triangles, draws, fragments, pixels in bounds, shaded
    /// vertices, positions in streams, lists, commands, fills, transfers.
    68 Counters "counters",
    /// 1 word: 1 once a list has run.
    69 Started "started",
}

/// Registers of the two shader units.
const GEOMETRY_BANK: std::ops::Range<u16> = 0x280..0x2b0;
const VERTEX_BANK: std::ops::Range<u16> = 0x2b0..0x2e0;

/// True for the registers of a bank that hold settings and not the progress of an upload.
const fn is_setting(offset: u16) -> bool {
    matches!(offset, 0x00..=0x04 | 0x09..=0x0d)
}

impl State {
    const fn bank(&self, field: Field) -> &ShaderBank {
        if (field as u32) < Field::GeometryRegisters as u32 { &self.vertex } else { &self.geometry }
    }

    const fn bank_mut(&mut self, field: Field) -> &mut ShaderBank {
        if (field as u32) < Field::GeometryRegisters as u32 { &mut self.vertex } else { &mut self.geometry }
    }

    fn set_registers_as_stored(&mut self, first: usize, words: &[u32]) {
        for (id, &word) in (first as u16..).zip(words) {
            self.registers.write(id, word, 15);
            if GEOMETRY_BANK.contains(&id) && is_setting(id - GEOMETRY_BANK.start) {
                self.geometry.set_register((id - GEOMETRY_BANK.start) as u8, word);
            } else if VERTEX_BANK.contains(&id) && is_setting(id - VERTEX_BANK.start) {
                self.vertex.set_register((id - VERTEX_BANK.start) as u8, word);
            }
        }
    }
}

/// A table of the fragment units.
fn table(luts: &Luts, field: Field) -> Option<&[u32]> {
    Some(match field {
        Field::LightingTables => luts.lighting.as_flattened(),
        Field::FogTable => &luts.fog[..],
        Field::NoiseTable => &luts.noise[..],
        Field::ColourMap => &luts.colour_map[..],
        Field::AlphaMap => &luts.alpha_map[..],
        Field::Colours => &luts.colours[..],
        Field::ColourDifferences => &luts.colour_differences[..],
        Field::GasTable => &luts.gas[..],
        _ => return None,
    })
}

fn table_mut(luts: &mut Luts, field: Field) -> Option<&mut [u32]> {
    Some(match field {
        Field::LightingTables => luts.lighting.as_flattened_mut(),
        Field::FogTable => &mut luts.fog[..],
        Field::NoiseTable => &mut luts.noise[..],
        Field::ColourMap => &mut luts.colour_map[..],
        Field::AlphaMap => &mut luts.alpha_map[..],
        Field::Colours => &mut luts.colours[..],
        Field::ColourDifferences => &mut luts.colour_differences[..],
        Field::GasTable => &mut luts.gas[..],
        _ => return None,
    })
}

impl Layout for State {
    type Field = Field;
    const MAGIC: u32 = u32::from_le_bytes(*b"PICA");
    const FIELDS: &'static [Field] = &Field::ALL;

    fn number(field: Field) -> u32 {
        field as u32
    }

    fn is_fixed(field: Field) -> bool {
        !matches!(field, Field::ImmediateVertices | Field::Display)
    }

    fn blank() -> Self {
        Self::new()
    }

    fn array(&self, field: Field) -> Option<&[u32]> {
        Some(match field {
            Field::Registers => &self.registers.words()[..],
            Field::VertexRegisters | Field::GeometryRegisters => &self.bank(field).registers()[..],
            Field::VertexCode | Field::GeometryCode => self.bank(field).program().code(),
            Field::VertexDescriptors | Field::GeometryDescriptors => {
                &self.bank(field).program().descriptors()[..]
            }
            Field::VertexFloats | Field::GeometryFloats => self.bank(field).uniforms().words(),
            Field::External => &self.external.all(false)[..],
            Field::Lcd => &self.external.all(true)[..],
            _ => return table(self.luts.get(), field),
        })
    }

    fn set_array(&mut self, field: Field, first: usize, words: &[u32]) -> bool {
        let numbered = (first as u32..).zip(words.iter().copied());
        match field {
            Field::Registers => self.set_registers_as_stored(first, words),
            Field::VertexRegisters | Field::GeometryRegisters => {
                numbered.for_each(|(n, word)| self.bank_mut(field).set_register(n as u8, word));
            }
            Field::VertexCode | Field::GeometryCode => {
                numbered.for_each(|(n, word)| self.bank_mut(field).program_mut().write_code(n, word));
            }
            Field::VertexDescriptors | Field::GeometryDescriptors => {
                numbered.for_each(|(n, word)| self.bank_mut(field).program_mut().write_descriptor(n, word));
            }
            Field::VertexFloats | Field::GeometryFloats => {
                self.bank_mut(field).uniforms_mut().set_words(first, words);
            }
            Field::External | Field::Lcd => {
                let all = self.external.all_mut(field == Field::Lcd);
                all[first..first + words.len()].copy_from_slice(words);
            }
            _ => return self.set_table(field, first, words),
        }
        true
    }

    fn persist_field(&mut self, field: Field, words: &mut Words) {
        match field {
            Field::VertexFloatForms | Field::GeometryFloatForms => {
                self.bank_mut(field).uniforms_mut().persist_forms(words);
            }
            Field::VertexPorts | Field::GeometryPorts => self.bank_mut(field).persist_ports(words),
            Field::VertexBools | Field::GeometryBools => {
                let uniforms = self.bank_mut(field).uniforms_mut();
                let mut bools = uniforms.bools();
                words.half(&mut bools);
                uniforms.set_bools(bools);
            }
            Field::FixedAttributes => self.front_end.port_mut().persist_fixed(words),
            Field::LastAttributes => self.front_end.port_mut().persist_latch(words),
            Field::AttributeWords => self.front_end.port_mut().persist_words(words),
            Field::ImmediateVertices => self.front_end.port_mut().persist_vertices(words),
            Field::IncompletePrimitive => self.front_end.pending_mut().persist(words),
            Field::GeometryUnit => self.front_end.geometry_mut().persist_unit(words),
            Field::GeometryInput => self.front_end.geometry_mut().persist_inputs(words),
            Field::EmitBuffer => self.front_end.geometry_mut().persist_emitted(words),
            Field::Display => self.external.persist_controllers(words),
            Field::Interrupts => self.interrupts.persist(words),
            Field::Counters => self.stats.persist(words),
            Field::Started => words.flag(&mut self.started),
            _ => self.persist_array(field, words),
        }
    }
}

impl State {
    /// Replaces words of a table, and of nothing that is equal: draws that are still pending share the tables.
    fn set_table(&mut self, field: Field, first: usize, words: &[u32]) -> bool {
        let places = first..first + words.len();
        match table(self.luts.get(), field) {
            None => return false,
            Some(table) if table[places.clone()] == *words => return true,
            Some(_) => {}
        }
        if let Some(table) = table_mut(self.luts.change(), field) {
            table[places].copy_from_slice(words);
        }
        true
    }

    /// Saves or restores a field that is an array.
    fn persist_array(&mut self, field: Field, words: &mut Words) {
        let mut content = self.array(field).unwrap_or_default().to_vec();
        words.words(&mut content);
        if words.is_loading() {
            self.set_array(field, 0, &content);
        }
    }
}

impl Pica {
    /// Number of words of a field, now: some hold lists.
    #[must_use]
    pub fn field_words(&mut self, field: Field) -> usize {
        fields::length(&mut self.state, field)
    }

    /// Reads words of a field of the state, from `first` on, without any effect.
    ///
    /// ```
    /// use picaflor_pipeline::pica::{Field, Pica, float::Precision};
    ///
    /// let mut pica = Pica::new(Precision::Console);
    /// pica.write_field(Field::Registers, 0x040, &[2, 0x46_0000])?; // culling, half the width of the viewport
    /// let mut words = [0; 2];
    /// pica.read_field(Field::Registers, 0x040, &mut words)?;
    /// assert_eq!(words, [2, 0x46_0000]);
    /// # Ok::<(), picaflor_pipeline::fields::StateError>(())
    /// ```
    ///
    /// # Errors
    /// If the field has fewer words; `words` is unchanged then.
    pub fn read_field(&mut self, field: Field, first: usize, words: &mut [u32]) -> Result<(), StateError> {
        fields::read(&mut self.state, field, first, words)
    }

    /// Replaces words of a field of the state, from `first` on, without starting anything. A field of variable length is
    /// replaced as a whole. A recording has the change.
    ///
    /// # Errors
    /// If the field has fewer words, or does not hold these; the state is unchanged then.
    pub fn write_field(&mut self, field: Field, first: usize, words: &[u32]) -> Result<(), StateError> {
        fields::write(&mut self.state, field, first, words)?;
        if let Some(recorder) = &mut self.recorder {
            recorder.note(Event::Field { field, first: first as u32, words: words.into() });
        }
        Ok(())
    }

    /// The whole state in the [documented layout](crate::fields), for other programs and for later versions. What belongs
    /// to the host is not included: see [`save`](Self::save).
    #[must_use]
    pub fn export(&mut self) -> Vec<u32> {
        fields::export(&mut self.state)
    }

    /// Replaces the state by an [exported](Self::export) one. Fields that it lacks have their values after reset. Drops a
    /// recording in progress.
    ///
    /// # Errors
    /// The reason why the words are no state of this machine; the state is unchanged then.
    pub fn import(&mut self, words: &[u32]) -> Result<(), StateError> {
        self.state = fields::import(words)?;
        self.recorder = None;
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

const _: () = assert!(Registers::COUNT == 1024 && ShaderBank::REGISTERS == 48);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::ports::immediate::BATCH;
    use crate::pica::testing::Bench;

    /// A machine whose every field differs from reset: each word is a number of its own, as far as the field holds it.
    fn wild() -> Bench {
        let mut bench = Bench::new();
        let mut number = 0x0101_0101_u32;
        for field in Field::ALL.into_iter().filter(|&field| State::is_fixed(field)) {
            let count = bench.pica.field_words(field);
            let words: Vec<u32> = (0..count)
                .map(|_| {
                    number = number.wrapping_mul(0x9e37_79b1).wrapping_add(1);
                    number >> 8
                })
                .collect();
            assert_eq!(bench.pica.write_field(field, 0, &words), Ok(()), "{field:?}");
        }
        let display = [&[1, 256][..], &[0x01_0203; 256], &[0, 0]].concat();
        assert_eq!(bench.pica.write_field(Field::Display, 0, &display), Ok(()));
        let immediate = [&[7; 64][..], &[3, 1], &[9; 64], &[1]].concat();
        assert_eq!(bench.pica.write_field(Field::ImmediateVertices, 0, &immediate), Ok(()));
        bench
    }

    /// A full batch is drawn when its last vertex is complete, so that no machine keeps one.
    #[test]
    fn fewer_immediate_vertices_than_a_batch() {
        let vertices = |count: usize| [&[7; 64][..], &[3, count as u32], &vec![9; 64 * count], &[1]].concat();
        let mut bench = Bench::new();
        for (count, fits) in [(0, true), (BATCH - 1, true), (BATCH, false)] {
            let written = bench.pica.write_field(Field::ImmediateVertices, 0, &vertices(count));
            assert_eq!(written.is_ok(), fits, "{count}");
        }
    }

    #[test]
    fn every_field_is_in_the_snapshot_and_in_the_export() {
        let (blank, mut wild) = (Bench::new().pica.save(), wild());
        for field in Field::ALL {
            let words = fields::whole(&mut wild.pica.state, field);
            let mut other = Bench::new();
            assert_eq!(other.pica.write_field(field, 0, &words), Ok(()), "{field:?}");
            assert_ne!(other.pica.save(), blank, "{field:?} is not part of the state");
            assert_eq!(fields::whole(&mut other.pica.state, field), words, "{field:?}");
        }
        let mut other = Bench::new();
        assert_eq!(other.pica.import(&wild.pica.export()), Ok(()));
        assert_eq!(other.pica.save(), wild.pica.save());
    }

    #[test]
    fn numbers_and_names_are_different() {
        for (n, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(Field::of(field as u32), Some(field));
            assert!(Field::ALL[..n].iter().all(|other| other.name() != field.name()));
        }
        assert_eq!(Field::of(1000), None);
    }

    #[test]
    fn states_that_are_refused_say_why() {
        let mut bench = wild();
        let (words, before) = (bench.pica.export(), bench.pica.save());
        let refused = |bench: &mut Bench, words: &[u32]| bench.pica.import(words).unwrap_err();
        assert_eq!(refused(&mut bench, &[]), StateError::Kind { found: 0 });
        assert_eq!(refused(&mut bench, &[7, 1, 0]), StateError::Kind { found: 7 });
        assert_eq!(refused(&mut bench, &[State::MAGIC, 2, 0]), StateError::Version { found: 2 });
        assert_eq!(refused(&mut bench, &words[..words.len() - 1]), StateError::CutOff);
        assert_eq!(
            refused(&mut bench, &[State::MAGIC, 1, 1, 999, 0]),
            StateError::UnknownField { field: 999 }
        );
        let short = StateError::Length { field: 0, found: 3 };
        assert_eq!(refused(&mut bench, &[State::MAGIC, 1, 1, 0, 3, 1, 2, 3]), short);
        let past = StateError::OutOfRange { field: 0, first: 1023, end: 1025, words: 1024 };
        assert_eq!(bench.pica.write_field(Field::Registers, 1023, &[1, 2]), Err(past));
        assert_eq!(bench.pica.read_field(Field::Registers, 1023, &mut [0; 2]), Err(past));
        assert!(bench.pica.write_field(Field::Display, 0, &[1]).is_err());
        assert!(bench.pica.write_field(Field::Display, 1, &[1]).is_err());
        assert_eq!(bench.pica.save(), before, "nothing has changed");
    }

    /// A state of an earlier version lacks fields: they have their values after reset.
    #[test]
    fn missing_fields_are_reset() {
        let mut bench = wild();
        let words = [State::MAGIC, 1, 1, Field::Started as u32, 1, 1];
        assert_eq!(bench.pica.import(&words), Ok(()));
        let mut started = Bench::new();
        assert_eq!(started.pica.write_field(Field::Started, 0, &[1]), Ok(()));
        assert_eq!(bench.pica.save(), started.pica.save());
    }

    /// Settings of the shader units that arrive with the registers are in use, and equal words keep what is compiled.
    #[test]
    fn registers_reach_the_units() {
        let mut bench = Bench::new();
        assert_eq!(bench.pica.write_field(Field::Registers, 0x2b0, &[0x55, 0x0102_0304]), Ok(()));
        assert_eq!(bench.pica.vertex_bank().uniforms().bools(), 0x55);
        assert_eq!(bench.pica.vertex_bank().uniforms().int(0), [4, 3, 2, 1]);
        assert_eq!(bench.pica.geometry_bank().uniforms().bools(), 0, "not shared");
        let code: Vec<u32> = (0..512).collect();
        assert_eq!(bench.pica.write_field(Field::VertexCode, 0, &code), Ok(()));
        let generation = bench.pica.vertex_bank().program().generation();
        assert_eq!(bench.pica.write_field(Field::VertexCode, 8, &code[8..20]), Ok(()));
        assert_eq!(bench.pica.vertex_bank().program().generation(), generation);
    }
}
