//! Keys as bytes that mean the same in every process: where a key names a program by a number of this process,
//! the bytes have its words.

use super::fragment::FragmentKey;
use super::programs::KnownProgram;
use super::shader::{GeometryKey, VertexKey};
use crate::emit::pica::layout::InputKey;
use crate::emit::pica::number::Arithmetic;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::vertex::{OutputForm, OutputMap};

/// The bytes of a vertex key. Equal bytes come from equal keys and equal programs only.
pub(crate) fn vertex(key: &VertexKey, program: &KnownProgram) -> Vec<u8> {
    let VertexKey { program: _, entry, bools, ints, inputs, output, arithmetic } = key;
    let mut bytes = b"vertex ".to_vec();
    bytes.push(arithmetic_code(*arithmetic));
    bytes.extend(entry.to_le_bytes());
    bytes.extend(bools.to_le_bytes());
    bytes.extend(ints.as_flattened());
    bytes.extend(inputs.iter().flat_map(input_bytes));
    write_output(&mut bytes, output);
    write_program(&mut bytes, program);
    bytes
}

/// The bytes of a geometry key, likewise.
pub(crate) fn geometry(key: &GeometryKey, program: &KnownProgram) -> Vec<u8> {
    let GeometryKey { program: _, entry, bools, ints, arithmetic } = key;
    let mut bytes = b"geometry ".to_vec();
    bytes.push(arithmetic_code(*arithmetic));
    bytes.extend(entry.to_le_bytes());
    bytes.extend(bools.to_le_bytes());
    bytes.extend(ints.as_flattened());
    write_program(&mut bytes, program);
    bytes
}

/// The text of a fragment key; `None` for a key that its text does not lead back to, which the laws of keys
/// exclude.
pub(crate) fn fragment(key: &FragmentKey) -> Option<Vec<u8>> {
    let text = key.to_string();
    (text.parse().as_ref() == Ok(key)).then(|| text.into_bytes())
}

const fn arithmetic_code(arithmetic: Arithmetic) -> u8 {
    match arithmetic {
        Arithmetic::Binary32Fast => 0,
        Arithmetic::Binary32Exact => 1,
        Arithmetic::ConsoleFast => 2,
        Arithmetic::ConsoleExact => 3,
    }
}

const fn input_bytes(key: &InputKey) -> [u8; 3] {
    match *key {
        InputKey::Absent => [0; 3],
        InputKey::Fixed => [1, 0, 0],
        InputKey::Array { element, components, stride_of } => {
            let element = match element {
                ElementType::I8 => 2,
                ElementType::U8 => 3,
                ElementType::I16 => 4,
                ElementType::F32 => 5,
            };
            [element, components, stride_of]
        }
    }
}

fn write_output(bytes: &mut Vec<u8>, output: &OutputForm) {
    match *output {
        OutputForm::Mapped(OutputMap { mask, total, slots }) => {
            bytes.push(0);
            bytes.extend(mask.to_le_bytes());
            bytes.push(total);
            bytes.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
        }
        OutputForm::Records { mask, slots } => {
            bytes.push(1);
            bytes.extend(mask.to_le_bytes());
            bytes.push(slots);
        }
    }
}

/// Comes last: as many words as there are bytes. The first of them tells descriptors from code.
fn write_program(bytes: &mut Vec<u8>, program: &KnownProgram) {
    bytes.extend(program.content().iter().flat_map(|word| word.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::key::programs::Programs;
    use picaflor_pipeline::pica::regs::Registers;
    use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
    use std::sync::Arc;

    fn known(kind: UnitKind, words: &[u32], descriptors: &[u32]) -> Arc<KnownProgram> {
        Programs::default().intern(&Program::from_words(kind, words, descriptors))
    }

    fn key() -> VertexKey {
        VertexKey {
            program: 1,
            entry: 2,
            bools: 3,
            ints: [[0; 4], [1, 2, 3, 0], [0; 4], [0; 4]],
            inputs: [InputKey::Absent; 16],
            output: OutputForm::Records { mask: 3, slots: 2 },
            arithmetic: Arithmetic::ConsoleFast,
        }
    }

    fn array(element: ElementType, components: u8, stride_of: u8) -> InputKey {
        InputKey::Array { element, components, stride_of }
    }

    #[test]
    fn every_part_of_a_vertex_key_counts() {
        let program = known(UnitKind::Vertex, &[1, 2], &[3]);
        let mut all = vec![vertex(&key(), &program)];
        let mut add = |change: &dyn Fn(&mut VertexKey)| {
            let mut key = key();
            change(&mut key);
            all.push(vertex(&key, &program));
        };
        add(&|key| key.entry = 3);
        add(&|key| key.bools = 0x103);
        add(&|key| key.ints = [[1, 2, 3, 0], [0; 4], [0; 4], [0; 4]]);
        add(&|key| key.inputs[1] = InputKey::Fixed);
        for element in [ElementType::I8, ElementType::U8, ElementType::I16, ElementType::F32] {
            add(&|key| key.inputs[1] = array(element, 2, 1));
        }
        add(&|key| key.inputs[1] = array(ElementType::F32, 3, 1));
        add(&|key| key.inputs[1] = array(ElementType::F32, 2, 0));
        add(&|key| key.inputs[2] = InputKey::Fixed);
        add(&|key| key.output = OutputForm::Records { mask: 3, slots: 3 });
        add(&|key| key.output = OutputForm::Records { mask: 5, slots: 2 });
        let map = OutputMap { mask: 3, total: 2, slots: [1, 2, 0, 0, 0, 0, 0] };
        add(&|key| key.output = OutputForm::Mapped(map));
        add(&|key| key.output = OutputForm::Mapped(OutputMap { total: 3, ..map }));
        add(&|key| key.output = OutputForm::Mapped(OutputMap { mask: 7, ..map }));
        add(&|key| key.output = OutputForm::Mapped(OutputMap { slots: [2, 1, 0, 0, 0, 0, 0], ..map }));
        for arithmetic in [Arithmetic::Binary32Fast, Arithmetic::Binary32Exact, Arithmetic::ConsoleExact] {
            add(&|key| key.arithmetic = arithmetic);
        }
        for (words, descriptors) in
            [(&[1, 2][..], &[4][..]), (&[1, 2, 3], &[]), (&[1], &[2, 3]), (&[2, 2], &[3])]
        {
            all.push(vertex(&key(), &known(UnitKind::Vertex, words, descriptors)));
        }
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{at}");
        }
    }

    #[test]
    fn the_number_of_a_program_does_not_count() {
        let program = known(UnitKind::Vertex, &[1, 2], &[3]);
        let renamed = VertexKey { program: 99, ..key() };
        assert_eq!(vertex(&key(), &program), vertex(&renamed, &program));
    }

    #[test]
    fn every_part_of_a_geometry_key_counts() {
        let program = known(UnitKind::Geometry, &[1, 2], &[3]);
        let key = GeometryKey {
            program: 1,
            entry: 2,
            bools: 3,
            ints: [[0; 4]; 4],
            arithmetic: Arithmetic::ConsoleExact,
        };
        let ints = [[0, 0, 1, 0], [0; 4], [0; 4], [0; 4]];
        let all = [
            geometry(&key, &program),
            geometry(&GeometryKey { entry: 0x102, ..key.clone() }, &program),
            geometry(&GeometryKey { bools: 0x103, ..key.clone() }, &program),
            geometry(&GeometryKey { ints, ..key.clone() }, &program),
            geometry(&GeometryKey { arithmetic: Arithmetic::Binary32Exact, ..key.clone() }, &program),
            geometry(&key, &known(UnitKind::Geometry, &[1, 2], &[4])),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{at}");
        }
        assert_eq!(all[0], geometry(&GeometryKey { program: 7, ..key }, &program));
    }

    #[test]
    fn fragment_keys_are_their_text() {
        let key = FragmentKey::of(&Registers::default()).unwrap();
        assert_eq!(fragment(&key), Some(key.to_string().into_bytes()));
    }
}
