//! Keys of shader routines.

use super::programs::KnownProgram;
use crate::emit::pica::layout::{InputKey, RunInputs};
use crate::emit::pica::number::Arithmetic;
use crate::key::bytes::{Stored, listed};
use crate::key::forms::{After, Decimal, Each, Form, Hex, Own, Spelled};
use crate::key::key;
use crate::key::text::Reader;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::stage::{GeometryInputs, GeometryRun, VertexBatch};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, OutputMap, VertexInputs};
use std::fmt::{Formatter, Result};

listed! { enum Arithmetic { Binary32Fast, Binary32Exact, ConsoleFast, ConsoleExact } }

/// Arithmetic by name.
const ARITHMETIC: Spelled<Arithmetic> = Spelled(&[
    ("binary32", Arithmetic::Binary32Fast),
    ("binary32-exact", Arithmetic::Binary32Exact),
    ("console", Arithmetic::ConsoleFast),
    ("console-exact", Arithmetic::ConsoleExact),
]);

key! {
    /// Key of a vertex routine.
    pub(crate) struct VertexKey {
        /// Stands for the words of the program.
        pub(crate) program: u32 = After("vs", Decimal),
        pub(crate) entry: u16 = After("@", Hex(1)),
        /// Boolean uniforms, those that the program names.
        pub(crate) bools: u16 = After(":b", Hex(4)),
        /// Integer uniforms, those that the program names.
        pub(crate) ints: [[u8; 4]; 4] = Ints,
        pub(crate) inputs: [InputKey; 16] = After(":", Each("", Own)),
        /// Without words of the map that are not consumed.
        pub(crate) output: OutputForm = Output,
        pub(crate) arithmetic: Arithmetic = After(":", ARITHMETIC),
    }
}

impl VertexKey {
    pub(crate) fn of(batch: &VertexBatch<'_>, program: &KnownProgram, arithmetic: Arithmetic) -> Self {
        Self {
            program: program.id,
            entry: batch.entry,
            bools: batch.uniforms.bools() & program.bools,
            ints: named_ints(batch.uniforms, program),
            inputs: input_keys(batch.inputs),
            output: consumed(*batch.output),
            arithmetic,
        }
    }
}

key! {
    /// Key of a geometry routine.
    pub(crate) struct GeometryKey {
        /// Stands for the words of the program.
        pub(crate) program: u32 = After("gs", Decimal),
        pub(crate) entry: u16 = After("@", Hex(1)),
        /// Boolean uniforms, those that the program names; `b15` is data.
        pub(crate) bools: u16 = After(":b", Hex(4)),
        /// Integer uniforms, those that the program names.
        pub(crate) ints: [[u8; 4]; 4] = Ints,
        /// The registers that `EMIT` packs.
        pub(crate) output_mask: u16 = After(":m", Hex(4)),
        pub(crate) inputs: RunInputs = After(":", Own),
        pub(crate) arithmetic: Arithmetic = After(":", ARITHMETIC),
    }
}

impl GeometryKey {
    pub(crate) fn of(
        run: &GeometryRun<'_>,
        inputs: RunInputs,
        program: &KnownProgram,
        arithmetic: Arithmetic,
    ) -> Self {
        Self {
            program: program.id,
            entry: run.entry,
            bools: run.uniforms.bools() & program.bools & 0x7fff,
            ints: named_ints(run.uniforms, program),
            output_mask: run.output_mask,
            inputs,
            arithmetic,
        }
    }
}

/// The inputs of the runs of a batch, `each` for a run.
pub(crate) fn run_inputs(destination: GeometryInputs, each: usize) -> RunInputs {
    match destination {
        GeometryInputs::Registers(permutation) => {
            let inputs = 0..each.min(16);
            RunInputs::Registers {
                loaded: inputs.fold(0, |bits, k| bits | 1 << (permutation >> (4 * k) & 15)),
            }
        }
        GeometryInputs::Uniforms(first) => {
            let first = usize::from(first).min(Uniforms::FLOATS);
            let count = each.min(Uniforms::FLOATS - first);
            RunInputs::Uniforms { first: first as u8, count: count as u8 }
        }
    }
}

/// The exact arithmetic of a precision.
pub(crate) const fn exact(precision: Precision) -> Arithmetic {
    match precision {
        Precision::Console => Arithmetic::ConsoleExact,
        Precision::Binary32 => Arithmetic::Binary32Exact,
    }
}

/// The fast arithmetic of a precision. `flushes`: whether the host can flush as the scaled form needs it.
pub(crate) const fn fast(precision: Precision, flushes: bool) -> Arithmetic {
    match precision {
        Precision::Console if flushes => Arithmetic::ConsoleFast,
        Precision::Console => Arithmetic::ConsoleExact,
        Precision::Binary32 => Arithmetic::Binary32Fast,
    }
}

fn named_ints(uniforms: &Uniforms, program: &KnownProgram) -> [[u8; 4]; 4] {
    [0, 1, 2, 3].map(|id: u8| {
        let [x, y, z, _] = uniforms.int(id);
        if program.ints[usize::from(id)] { [x, y, z, 0] } else { [0; 4] }
    })
}

fn input_keys(inputs: &VertexInputs) -> [InputKey; 16] {
    let sources = inputs.by_register();
    let mut keys = [InputKey::Absent; 16];
    for (register, source) in sources.iter().enumerate() {
        keys[register] = match source {
            None => InputKey::Absent,
            Some(AttributeSource::Fixed(_)) => InputKey::Fixed,
            Some(AttributeSource::Array { stride_bytes, element, components, .. }) => InputKey::Array {
                element: *element,
                components: (*components).clamp(1, 4),
                stride_of: first_with_stride(&sources, *stride_bytes) as u8,
            },
        };
    }
    keys
}

fn first_with_stride(sources: &[Option<&AttributeSource>; 16], stride: u32) -> usize {
    let same = |source: &Option<&AttributeSource>| matches!(source, Some(AttributeSource::Array { stride_bytes, .. }) if *stride_bytes == stride);
    sources.iter().position(same).unwrap_or(0)
}

/// Without words of the map that are not consumed.
fn consumed(mut output: OutputForm) -> OutputForm {
    if let OutputForm::Mapped(map) = &mut output {
        map.total &= 7;
        map.slots[usize::from(map.total)..].fill(0);
    }
    output
}

/// Those that are not 0, by number: three bytes, the last is 0.
struct Ints;

impl Form<[[u8; 4]; 4]> for Ints {
    fn write(&self, ints: &[[u8; 4]; 4], f: &mut Formatter<'_>) -> Result {
        let mut named = ints.iter().enumerate().filter(|(_, int)| **int != [0; 4]);
        named.try_for_each(|(id, [x, y, z, _])| write!(f, ":i{id}={x},{y},{z}"))
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<[[u8; 4]; 4]> {
        let mut ints = [[0; 4]; 4];
        while text.takes(":i") {
            let id = text.digit(4)?;
            let [x, y, z]: [u8; 3] = After("=", Each(",", Decimal)).read(text)?;
            ints[usize::from(id)] = [x, y, z, 0];
        }
        Some(ints)
    }
}

/// The mask, then the words of the map or the number of slots.
struct Output;

impl Form<OutputForm> for Output {
    fn write(&self, output: &OutputForm, f: &mut Formatter<'_>) -> Result {
        match output {
            OutputForm::Mapped(OutputMap { mask, total, slots }) => {
                write!(f, ":m{mask:04x}")?;
                slots.iter().take(usize::from(*total)).try_for_each(|slot| write!(f, ".{slot:08x}"))
            }
            OutputForm::Records { mask, slots } => write!(f, ":r{mask:04x}.{slots}"),
        }
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<OutputForm> {
        if text.takes(":r") {
            let mask = Hex(4).read(text)?;
            return Some(OutputForm::Records { mask, slots: After(".", Decimal).read(text)? });
        }
        let mut map = OutputMap { mask: After(":m", Hex(4)).read(text)?, ..OutputMap::default() };
        while text.takes(".") {
            *map.slots.get_mut(usize::from(map.total))? = Hex(8).read(text)?;
            map.total += 1;
        }
        Some(OutputForm::Mapped(map))
    }
}

impl Stored for OutputForm {
    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Mapped(OutputMap { mask, total, slots }) => {
                false.put(bytes);
                mask.put(bytes);
                total.put(bytes);
                slots.put(bytes);
            }
            Self::Records { mask, slots } => {
                true.put(bytes);
                mask.put(bytes);
                slots.put(bytes);
            }
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let are_records = bool::take(bytes)?;
        let mask = Stored::take(bytes)?;
        Some(if are_records {
            Self::Records { mask, slots: Stored::take(bytes)? }
        } else {
            Self::Mapped(OutputMap { mask, total: Stored::take(bytes)?, slots: Stored::take(bytes)? })
        })
    }

    #[cfg(test)]
    fn neighbours(&self) -> Vec<Self> {
        match *self {
            Self::Mapped(map) => {
                let masks = map.mask.neighbours().into_iter().map(|mask| OutputMap { mask, ..map });
                let slots = map.slots.neighbours().into_iter().map(|slots| OutputMap { slots, ..map });
                let total = OutputMap { total: map.total ^ 1, ..map };
                masks.chain(slots).chain([total]).map(Self::Mapped).collect()
            }
            Self::Records { mask, slots } => {
                let masks = mask.neighbours().into_iter().map(|mask| Self::Records { mask, slots });
                let map = OutputMap { mask, total: slots, ..OutputMap::default() };
                masks.chain([Self::Records { mask, slots: slots ^ 1 }, Self::Mapped(map)]).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::bytes::laws::Seen;
    use crate::key::bytes::{Listed, to_bytes};
    use picaflor_pipeline::pica::regs::geometry::ElementType;
    use std::collections::HashSet;

    fn key() -> VertexKey {
        let mut inputs = [InputKey::Absent; 16];
        inputs[1] = InputKey::Fixed;
        inputs[4] = InputKey::Array { element: ElementType::F32, components: 3, stride_of: 4 };
        inputs[15] = InputKey::Array { element: ElementType::I8, components: 1, stride_of: 15 };
        VertexKey {
            program: 12,
            entry: 0x2a,
            bools: 3,
            ints: [[0; 4], [1, 2, 255, 0], [0; 4], [0, 0, 1, 0]],
            inputs,
            output: OutputForm::Records { mask: 3, slots: 2 },
            arithmetic: Arithmetic::ConsoleFast,
        }
    }

    fn mapped() -> OutputForm {
        OutputForm::Mapped(OutputMap { mask: 5, total: 2, slots: [0x1f02_0100, 8, 0, 0, 0, 0, 0] })
    }

    #[test]
    fn texts() {
        let text = "vs12@2a:b0003:i1=1,2,255:i3=0,0,1:-c--f34----------s1f:r0003.2:console";
        assert_eq!(key().to_string(), text);
        let mut seen = Seen::default();
        for arithmetic in Arithmetic::VALUES {
            for output in [key().output, mapped()] {
                seen.check(VertexKey { arithmetic: *arithmetic, output, ..key() });
            }
        }
        assert_eq!(seen.count(), 8);
        let VertexKey { program, entry, bools, ints, arithmetic, .. } = key();
        let inputs = RunInputs::Unit;
        let key = GeometryKey { program, entry, bools, ints, output_mask: 7, inputs, arithmetic };
        assert_eq!(key.to_string(), "gs12@2a:b0003:i1=1,2,255:i3=0,0,1:m0007:u:console");
        let mut seen = Seen::default();
        for inputs in
            [inputs, RunInputs::Registers { loaded: 0x8001 }, RunInputs::Uniforms { first: 8, count: 20 }]
        {
            seen.check(GeometryKey { inputs, ..key });
        }
        assert_eq!(seen.count(), 3);
    }

    #[test]
    fn inputs_of_runs() {
        let registers = |permutation, each| run_inputs(GeometryInputs::Registers(permutation), each);
        assert_eq!(registers(0x321, 3), RunInputs::Registers { loaded: 0b1110 });
        assert_eq!(registers(0x11f, 3), RunInputs::Registers { loaded: 0x8002 });
        assert_eq!(registers(0xfedc_ba98_7654_3210, 99), RunInputs::Registers { loaded: 0xffff });
        let uniforms = |first, each| run_inputs(GeometryInputs::Uniforms(first), each);
        assert_eq!(uniforms(3, 20), RunInputs::Uniforms { first: 3, count: 20 });
        assert_eq!(uniforms(90, 20), RunInputs::Uniforms { first: 90, count: 6 });
        assert_eq!(uniforms(127, 20), RunInputs::Uniforms { first: 96, count: 0 });
    }

    #[test]
    fn words_of_the_map_that_are_not_consumed_are_left_out() {
        let OutputForm::Mapped(map) = mapped() else { unreachable!("it is a map") };
        let rest = OutputMap { slots: [0x1f02_0100, 8, 1, 2, 3, 4, 5], ..map };
        assert_eq!(consumed(OutputForm::Mapped(rest)), mapped());
    }

    /// What differs from a key in one place has other bytes, which lead back to it.
    #[test]
    fn bytes_tell_keys_apart() {
        for key in [key(), VertexKey { output: mapped(), ..key() }] {
            let mut keys = key.neighbours();
            keys.push(key);
            let bytes: HashSet<_> =
                keys.iter().map(|key| to_bytes("", key).expect("they lead back")).collect();
            assert_eq!(bytes.len(), keys.len());
        }
    }
}
