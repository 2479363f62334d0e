//! Cases of the primitive seam: registers, vertices, what is pending, and a stream in batches.

mod generate;
mod outcome;

use super::Case;
use crate::pica::notation::{Row, Word};
use crate::random::Random;
use crate::reducer::Reducer;
pub use outcome::Assembled;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::primitive::{PendingVertices, PrimitiveBatch, Primitives, StreamVertex};
use picaflor_pipeline::pica::stage::{ShadedVertices, Stages};
use picaflor_pipeline::pica::vertex::{SEMANTICS, Vertex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A case.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimitiveCase {
    /// The registers.
    pub registers: Registers,
    /// The vertices of all batches.
    pub vertices: Vec<Vertex>,
    /// The incomplete primitive before the first batch.
    pub pending: PendingVertices,
    /// The streams, batch by batch.
    pub batches: Vec<Vec<StreamVertex>>,
}

impl PrimitiveCase {
    fn rows(&self) -> ShadedVertices {
        let mut rows = ShadedVertices::new();
        rows.reset(self.vertices.len(), SEMANTICS);
        for k in 0..SEMANTICS {
            let row = rows.component_mut(k).iter_mut();
            row.zip(&self.vertices).for_each(|(value, vertex)| *value = vertex[k]);
        }
        rows
    }
}

impl Case for PrimitiveCase {
    const KIND: &'static str = "primitive";
    const ABOUT: &'static str = "Streams of vertices in random states of clipping and set-up";

    type Outcome = Assembled;

    fn random(random: &mut Random) -> Self {
        generate::case(random)
    }

    fn run(&self, engine: &mut dyn Stages) -> Assembled {
        let (registers, vertices) = (&self.registers, &self.rows());
        let (mut out, mut pending) = (Primitives::default(), self.pending.clone());
        let mut left = Vec::new();
        for stream in &self.batches {
            engine.primitives(
                &PrimitiveBatch { registers, vertices, stream, is_drawn: false },
                &mut pending,
                &mut out,
            );
            left.push(pending.clone());
        }
        Assembled { out, pending: left }
    }

    #[allow(private_interfaces)]
    fn reduce(reducer: &mut Reducer<'_, Self>) {
        reducer.pieces(reducer.best.batches.len(), 1, |case, range| _ = case.batches.drain(range));
        for n in 0..reducer.best.batches.len() {
            let length = reducer.best.batches[n].len();
            reducer.pieces(length, 1, |case, range| _ = case.batches[n].drain(range));
        }
        reducer.attempt(|case| case.pending = PendingVertices::default());
        reducer.attempt(Self::compact);
        let reset = Registers::new();
        for id in 0..Registers::COUNT as u16 {
            reducer.attempt(|case| case.registers.set_raw(id, reset.raw(id)));
        }
        for n in 0..reducer.best.vertices.len() {
            for k in 0..SEMANTICS {
                let plain = if k == 3 { 1.0 } else { 0.0 };
                reducer.attempt(|case| case.vertices[n][k] = plain);
            }
        }
    }

    fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&File::of(self)).expect("a file can be written");
        text.push('\n');
        text
    }

    fn from_json(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        file.case()
    }
}

impl PrimitiveCase {
    /// Leaves out the vertices that no stream uses.
    fn compact(&mut self) {
        let mut places = BTreeMap::new();
        let mut kept = Vec::new();
        for vertex in self.batches.iter_mut().flatten() {
            let place = *places.entry(vertex.position()).or_insert_with(|| {
                kept.push(self.vertices[vertex.position()]);
                kept.len() as u32 - 1
            });
            let moved = StreamVertex::new(place);
            *vertex = if vertex.reverses() { moved.reversing() } else { moved };
        }
        self.vertices = kept;
    }
}

/// The file of a case: differences from a machine after reset.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// By number, three hexadecimal digits.
    registers: BTreeMap<String, Word>,
    /// Six rows for the semantics of each vertex.
    vertices: Vec<[Row; 6]>,
    /// The two places, in the same form.
    places: [[Row; 6]; 2],
    filled: u8,
    is_ready: bool,
    is_reversed: bool,
    /// Positions; those with the winding flag are negative, less one.
    batches: Vec<Vec<i64>>,
}

fn rows(vertex: &Vertex) -> [Row; 6] {
    std::array::from_fn(|n| Row(std::array::from_fn(|k| vertex[4 * n + k].to_bits())))
}

fn vertex(rows: &[Row; 6]) -> Vertex {
    std::array::from_fn(|k| f32::from_bits(rows[k / 4].0[k % 4]))
}

impl File {
    fn of(case: &PrimitiveCase) -> Self {
        let reset = Registers::new();
        let words = case.registers.words().iter().zip(reset.words()).enumerate();
        let registers = words.filter(|(_, (word, reset))| word != reset);
        let number = |at: &StreamVertex| {
            let position = at.position() as i64;
            if at.reverses() { -1 - position } else { position }
        };
        Self {
            registers: registers.map(|(id, (&word, _))| (format!("{id:03x}"), Word(word))).collect(),
            vertices: case.vertices.iter().map(rows).collect(),
            places: case.pending.places.each_ref().map(rows),
            filled: case.pending.filled,
            is_ready: case.pending.is_ready,
            is_reversed: case.pending.is_reversed,
            batches: case.batches.iter().map(|stream| stream.iter().map(number).collect()).collect(),
        }
    }

    fn case(&self) -> Result<PrimitiveCase, String> {
        let mut registers = Registers::new();
        for (id, word) in &self.registers {
            let number = u16::from_str_radix(id, 16).ok().filter(|&id| usize::from(id) < Registers::COUNT);
            registers.set_raw(number.ok_or_else(|| format!("`{id}` is no register"))?, word.0);
        }
        let at = |&number: &i64| {
            let position = if number < 0 { -1 - number } else { number } as usize;
            let at = StreamVertex::new(position as u32);
            match position < self.vertices.len() {
                true => Ok(if number < 0 { at.reversing() } else { at }),
                false => Err(format!("there is no vertex {position}")),
            }
        };
        let stream = |numbers: &Vec<i64>| numbers.iter().map(at).collect::<Result<_, _>>();
        let places = self.places.each_ref().map(vertex);
        let (is_ready, is_reversed) = (self.is_ready, self.is_reversed);
        Ok(PrimitiveCase {
            registers,
            vertices: self.vertices.iter().map(vertex).collect(),
            pending: PendingVertices { places, filled: self.filled.min(2), is_ready, is_reversed },
            batches: self.batches.iter().map(stream).collect::<Result<_, _>>()?,
        })
    }
}
