//! Keys of shaders as bytes that mean the same in every process: a key names its program by a number of this process,
//! the bytes have its words.

use super::programs::KnownProgram;
use super::shader::{GeometryKey, VertexKey};
use crate::key::bytes::to_bytes;

/// The bytes of a vertex key. Equal bytes come from equal keys and equal programs only.
pub(crate) fn vertex(key: &VertexKey, program: &KnownProgram) -> Option<Vec<u8>> {
    let mut bytes = to_bytes("vertex ", &VertexKey { program: 0, ..*key })?;
    write_program(&mut bytes, program);
    Some(bytes)
}

/// The bytes of a geometry key, likewise.
pub(crate) fn geometry(key: &GeometryKey, program: &KnownProgram) -> Option<Vec<u8>> {
    let mut bytes = to_bytes("geometry ", &GeometryKey { program: 0, ..*key })?;
    write_program(&mut bytes, program);
    Some(bytes)
}

/// Comes last: as many words as there are bytes. The first of them tells descriptors from code.
fn write_program(bytes: &mut Vec<u8>, program: &KnownProgram) {
    bytes.extend(program.content().iter().flat_map(|word| word.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::pica::layout::{InputKey, RunInputs};
    use crate::emit::pica::number::Arithmetic;
    use crate::pica::key::programs::Programs;
    use picaflor_pipeline::pica::regs::geometry::ElementType;
    use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
    use picaflor_pipeline::pica::vertex::{OutputForm, OutputMap};
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
            output_mask: 7,
            inputs: RunInputs::Unit,
            arithmetic: Arithmetic::ConsoleExact,
        };
        let ints = [[0, 0, 1, 0], [0; 4], [0; 4], [0; 4]];
        let all = [
            geometry(&key, &program),
            geometry(&GeometryKey { entry: 0x102, ..key }, &program),
            geometry(&GeometryKey { bools: 0x103, ..key }, &program),
            geometry(&GeometryKey { ints, ..key }, &program),
            geometry(&GeometryKey { output_mask: 5, ..key }, &program),
            geometry(&GeometryKey { inputs: RunInputs::Registers { loaded: 0 }, ..key }, &program),
            geometry(&GeometryKey { inputs: RunInputs::Registers { loaded: 1 }, ..key }, &program),
            geometry(&GeometryKey { inputs: RunInputs::Uniforms { first: 0, count: 1 }, ..key }, &program),
            geometry(&GeometryKey { inputs: RunInputs::Uniforms { first: 1, count: 0 }, ..key }, &program),
            geometry(&GeometryKey { arithmetic: Arithmetic::Binary32Exact, ..key }, &program),
            geometry(&key, &known(UnitKind::Geometry, &[1, 2], &[4])),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{at}");
        }
        assert_eq!(all[0], geometry(&GeometryKey { program: 7, ..key }, &program));
    }
}
