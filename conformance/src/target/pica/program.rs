//! Programs with words from a fuzzer.

use crate::pica::notation::{Bytes, Row, Word};
use crate::pica::programs::case::{
    Attribute, Case, FloatUniform, GeometryWork, Output, Run, Source, UniformSet, UnitState, VertexWork, Work,
};
use crate::pica::programs::compare::{self, Verdict};
use crate::pica::programs::outcome::{Candidate, Loaded};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::geometry::ElementType;

/// Most words of code and of descriptors.
const MOST: [usize; 2] = [16, 8];
/// Instructions of an invocation.
const BUDGET: u32 = 1000;
/// Vertices, and bytes of each: four floats, four 16-bit integers.
const VERTICES: usize = 4;
const STRIDE: usize = 24;
/// Float uniforms that have a value.
const FLOATS: usize = 4;
/// Address of the vertices.
const BASE: u32 = 0x1800_0000;

/// A program on an engine and on the interpreter. Format: one byte for precision and unit, two for the numbers of
/// code words and descriptors, two for uniforms; then the words, `c0` to `c3` and the vertices. Missing bytes are
/// zeros.
///
/// # Panics
/// If the engines differ.
pub fn shader(bytes: &[u8], engine: &mut dyn Candidate) {
    let Some(case) = case(bytes) else { return };
    let program = case.program();
    let loaded = Loaded::new(&case, &program);
    let (verdict, _) = compare::compare(&loaded, &compare::reference(&loaded), engine);
    assert!(!matches!(verdict, Verdict::Differs(_)), "{verdict:?}\n{}", case.to_json());
}

/// The case that the bytes encode.
pub(super) fn case(bytes: &[u8]) -> Option<Case> {
    let (&[kind, code, descriptors, bools, ints], rest) = bytes.split_first_chunk::<5>()?;
    let (code, rest) = words(rest, usize::from(code) % (MOST[0] + 1));
    let (descriptors, rest) = words(rest, usize::from(descriptors) % (MOST[1] + 1));
    let precision = if kind & 1 == 0 { Precision::Console } else { Precision::Binary32 };
    let (floats, data) = rest.split_at(rest.len().min(FLOATS * 16));
    let ints = [ints & 3, ints >> 2 & 3, ints >> 4 & 3, ints >> 6];
    Some(
        Case {
            precision,
            entry: 0,
            budget: BUDGET,
            code,
            descriptors,
            uniforms: UniformSet {
                floats: rows(floats)
                    .map(FloatUniform::F32)
                    .enumerate()
                    .map(|(n, row)| (n as u8, row))
                    .collect(),
                bools: u16::from(bools) * 0x101,
                ints: [ints, [ints[1], ints[0], ints[3], 0], [1, 0, 1, 0], [0; 4]],
            },
            work: if kind & 2 == 0 { vertices(data) } else { runs(data, kind & 4 != 0) },
        }
        .with_precision(precision),
    )
}

fn words(bytes: &[u8], count: usize) -> (Vec<Word>, &[u8]) {
    let (words, rest) = bytes.split_at(bytes.len().min(count * 4));
    (words.as_chunks().0.iter().map(|&word| Word(u32::from_le_bytes(word))).collect(), rest)
}

fn rows(bytes: &[u8]) -> impl Iterator<Item = Row> + '_ {
    let word = |row: &[u8; 16], at: usize| u32::from_le_bytes(std::array::from_fn(|byte| row[at * 4 + byte]));
    bytes.as_chunks::<16>().0.iter().map(move |row| Row(std::array::from_fn(|at| word(row, at))))
}

fn vertices(data: &[u8]) -> Work {
    let mut memory = data[..data.len().min(VERTICES * STRIDE)].to_vec();
    memory.resize(VERTICES * STRIDE, 0);
    let array = |offset, element| Source::Array {
        address: Word(BASE + offset),
        stride: STRIDE as u32,
        element,
        components: 4,
    };
    let attributes = [(0, ElementType::F32), (16, ElementType::I16)].map(|(at, element)| array(at, element));
    Work::Vertex(VertexWork {
        indices: (0..VERTICES as u32).collect(),
        base: Word(BASE),
        memory: Bytes(memory),
        attributes: attributes
            .into_iter()
            .zip(0..)
            .map(|(source, register)| Attribute { register, source })
            .collect(),
        output: Output::Records { mask: 0xff, slots: 8 },
    })
}

/// `together`: a batch of up to five runs; else three runs, the first of them without inputs.
fn runs(data: &[u8], together: bool) -> Work {
    let runs = data.chunks(32).map(|run| Run {
        v: rows(run).zip(0..).map(|(row, register)| (register, row)).collect(),
        ..Run::default()
    });
    let runs = match together {
        true => runs.take(5).collect(),
        false => std::iter::once(Run::default()).chain(runs.take(2)).collect(),
    };
    let output_mask = if together { 1 } else { 0x7f };
    Work::Geometry(GeometryWork { output_mask, start: UnitState::default(), runs, together })
}

/// A case as the bytes that stand for it, as far as they can: long programs are cut.
#[must_use]
pub fn shader_bytes(case: &Case) -> Vec<u8> {
    let [code, descriptors] = [(&case.code, MOST[0]), (&case.descriptors, MOST[1])]
        .map(|(words, most)| &words[..words.len().min(most)]);
    let kind = u8::from(case.precision == Precision::Binary32)
        | u8::from(matches!(case.work, Work::Geometry(_))) << 1
        | u8::from(matches!(&case.work, Work::Geometry(work) if work.together)) << 2;
    let mut bytes = vec![kind, code.len() as u8, descriptors.len() as u8, case.uniforms.bools as u8, 0x15];
    bytes.extend(code.iter().chain(descriptors).flat_map(|word| word.0.to_le_bytes()));
    bytes.extend([0.5_f32, 1.0, -2.0, 3.0].repeat(FLOATS).into_iter().flat_map(f32::to_le_bytes));
    if let Work::Vertex(work) = &case.work {
        bytes.extend(work.memory.0.iter().take(VERTICES * STRIDE));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::programs::generate;

    #[test]
    fn words_of_a_program_are_its_bytes() {
        for made in (0..40).map(|number| generate::cases(3, number).swap_remove(0)) {
            let bytes = shader_bytes(&made);
            let read = case(&bytes).expect("a case");
            let most = |words: &[Word], most| words[..words.len().min(most)].to_vec();
            assert_eq!(read.code, most(&made.code, MOST[0]));
            assert_eq!(read.descriptors, most(&made.descriptors, MOST[1]));
            assert_eq!(shader_bytes(&read)[..5], bytes[..5]);
        }
    }
}
