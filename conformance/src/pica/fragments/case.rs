//! One case: a state, its memory, and triangles; as a file too.

use crate::pica::fragments::state::{BASE, SIZE, State};
use crate::pica::fragments::triangle;
use crate::pica::notation::{Bytes, Row, Word};
use crate::random::Random;
use picaflor_interp::Interpreter;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::raster::scissor::Scissor;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::ShadedVertices;
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage as _, Primitives, StreamVertex,
};
use picaflor_pipeline::pica::vertex::{SEMANTICS, Vertex};
use picaflor_pipeline::rect::Rect;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Pixels in bounding boxes that the triangles of a case may have.
const MOST_PIXELS: u64 = 5_000;
/// The same where the target is worth several threads.
const MOST_WIDE_PIXELS: u64 = 40_000;
/// Zeros in a row from which on memory is written as a new run.
const GAP: usize = 16;

/// A case: all inputs of the fragments.
#[derive(Debug, Clone, PartialEq)]
pub struct FragmentCase {
    /// The registers.
    pub registers: Registers,
    /// The tables.
    pub luts: Luts,
    /// Memory from [`BASE`] on, [`SIZE`] bytes.
    pub memory: Vec<u8>,
    /// Assembled triangles.
    pub triangles: Vec<[Vertex; 3]>,
    /// Seed of the cut into tiles, for ways that draw in tiles.
    pub tiles: u64,
}

impl FragmentCase {
    /// A case in a state, with random triangles.
    #[must_use]
    pub fn random(random: &mut Random, state: &State) -> Self {
        let most = if state.wide { MOST_WIDE_PIXELS } else { MOST_PIXELS };
        Self::within(random, state.clone(), most)
    }

    /// A case in a state, with random triangles of at most so many pixels in their bounding boxes.
    #[must_use]
    pub fn within(random: &mut Random, state: State, most: u64) -> Self {
        let mut case = Self {
            registers: state.registers,
            luts: state.luts,
            memory: state.memory,
            triangles: Vec::new(),
            tiles: random.bits(),
        };
        let count = random.weighted(&[(20, 1), (30, 3), (30, 6), (20, 10)]);
        let mut pixels = 0;
        for n in 0..count {
            let vertices = triangle::triangle(random, &case.registers, state.wide && n < 2);
            let more = case.pixels(&vertices);
            if pixels + more <= most {
                pixels += more;
                case.triangles.push(vertices);
            }
        }
        case
    }

    /// Pixels in bounding boxes, inside the target and the scissor.
    fn pixels(&self, vertices: &[Vertex; 3]) -> u64 {
        set_up(vertices, &self.registers)
            .iter()
            .map(|piece| piece.bounds().intersect(self.area()).pixels())
            .sum()
    }

    /// The pixels that can be drawn.
    #[must_use]
    pub fn area(&self) -> Rect {
        let dim = self.registers.framebuffer_dim();
        let [x1, y1] = [dim.width(), dim.height()].map(|side| side as i32);
        Scissor::of(&self.registers).clip(Rect { x0: 0, y0: 0, x1, y1 })
    }

    /// The triangles, clipped and set up.
    #[must_use]
    pub fn set_up(&self) -> Triangles {
        let mut all = Triangles::default();
        self.triangles.iter().for_each(|vertices| all.extend(set_up(vertices, &self.registers).iter()));
        all
    }

    /// The case as a file holds it.
    ///
    /// # Panics
    /// Never: everything in it can be written.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&File::of(self)).expect("a file can be written");
        text.push('\n');
        text
    }

    /// The case of a file's text.
    ///
    /// # Errors
    /// The first error in the text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        file.case()
    }

    /// The case of a file.
    ///
    /// # Errors
    /// The file cannot be read, or holds no case.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::from_json(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// A triangle, clipped and set up by the reference.
#[must_use]
pub fn set_up(vertices: &[Vertex; 3], registers: &Registers) -> Triangles {
    let stream = [0, 1, 2].map(StreamVertex::new);
    let mut shaded = ShadedVertices::new();
    shaded.reset(vertices.len(), SEMANTICS);
    for k in 0..SEMANTICS {
        shaded.component_mut(k).iter_mut().zip(vertices).for_each(|(value, vertex)| *value = vertex[k]);
    }
    // Three vertices are a triangle in every topology.
    let batch = PrimitiveBatch { registers, vertices: &shaded, stream: &stream, is_drawn: false };
    let mut out = Primitives::default();
    Interpreter::new().primitives(&batch, &mut PendingVertices::default(), &mut out);
    out.triangles
}

/// The tables of [`Luts`], by name.
pub fn tables(luts: &Luts) -> Vec<(String, &[u32])> {
    let lighting = luts.lighting.iter().enumerate();
    let mut tables: Vec<_> = lighting.map(|(n, table)| (format!("lighting{n}"), table.as_slice())).collect();
    let others: [(&str, &[u32]); 7] = [
        ("fog", &*luts.fog),
        ("noise", &*luts.noise),
        ("colour_map", &*luts.colour_map),
        ("alpha_map", &*luts.alpha_map),
        ("colours", &*luts.colours),
        ("colour_differences", &*luts.colour_differences),
        ("gas", &*luts.gas),
    ];
    tables.extend(others.map(|(name, table)| (name.to_owned(), table)));
    tables
}

/// The same tables, to change them.
pub fn tables_mut(luts: &mut Luts) -> Vec<(String, &mut [u32])> {
    let lighting = luts.lighting.iter_mut().enumerate();
    let mut tables: Vec<_> =
        lighting.map(|(n, table)| (format!("lighting{n}"), table.as_mut_slice())).collect();
    let others: [(&str, &mut [u32]); 7] = [
        ("fog", &mut *luts.fog),
        ("noise", &mut *luts.noise),
        ("colour_map", &mut *luts.colour_map),
        ("alpha_map", &mut *luts.alpha_map),
        ("colours", &mut *luts.colours),
        ("colour_differences", &mut *luts.colour_differences),
        ("gas", &mut *luts.gas),
    ];
    tables.extend(others.map(|(name, table)| (name.to_owned(), table)));
    tables
}

/// The file of a case: differences from a machine after reset.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// By number, three hexadecimal digits.
    registers: BTreeMap<String, Word>,
    /// By name and first entry.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tables: BTreeMap<String, BTreeMap<usize, Word>>,
    /// By address, eight hexadecimal digits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    memory: BTreeMap<String, Bytes>,
    /// Six rows for the semantics of each vertex.
    triangles: Vec<[[Row; 6]; 3]>,
    #[serde(default)]
    tiles: u64,
}

impl File {
    fn of(case: &FragmentCase) -> Self {
        let reset = Registers::new();
        let words = case.registers.words().iter().zip(reset.words()).enumerate();
        let registers = words.filter(|(_, (word, reset))| word != reset);
        let row = |vertex: &Vertex, n: usize| Row(std::array::from_fn(|k| vertex[4 * n + k].to_bits()));
        let rows = |vertex: &Vertex| std::array::from_fn(|n| row(vertex, n));
        Self {
            registers: registers.map(|(id, (&word, _))| (format!("{id:03x}"), Word(word))).collect(),
            tables: tables(&case.luts).into_iter().filter_map(sparse).collect(),
            memory: runs(&case.memory),
            triangles: case.triangles.iter().map(|vertices| vertices.each_ref().map(rows)).collect(),
            tiles: case.tiles,
        }
    }

    fn case(&self) -> Result<FragmentCase, String> {
        let mut registers = Registers::new();
        for (id, word) in &self.registers {
            let number = u16::from_str_radix(id, 16).ok().filter(|&id| usize::from(id) < Registers::COUNT);
            registers.set_raw(number.ok_or_else(|| format!("`{id}` is no register"))?, word.0);
        }
        let vertex = |rows: &[Row; 6]| std::array::from_fn(|k| f32::from_bits(rows[k / 4].0[k % 4]));
        Ok(FragmentCase {
            registers,
            luts: self.luts()?,
            memory: self.bytes()?,
            triangles: self.triangles.iter().map(|rows| rows.each_ref().map(vertex)).collect(),
            tiles: self.tiles,
        })
    }

    fn luts(&self) -> Result<Luts, String> {
        let mut luts = Luts::default();
        let mut known: BTreeMap<_, _> = tables_mut(&mut luts).into_iter().collect();
        for (name, words) in &self.tables {
            let table = known.get_mut(name).ok_or_else(|| format!("`{name}` is no table"))?;
            for (&at, word) in words {
                *table.get_mut(at).ok_or_else(|| format!("{name} has no entry {at}"))? = word.0;
            }
        }
        Ok(luts)
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        let mut memory = vec![0; SIZE as usize];
        for (address, Bytes(bytes)) in &self.memory {
            let start = u32::from_str_radix(address, 16).ok().and_then(|address| address.checked_sub(BASE));
            let start = start.ok_or_else(|| format!("`{address}` is no address"))? as usize;
            let place = memory.get_mut(start..start.saturating_add(bytes.len()));
            place.ok_or_else(|| format!("{address}: beyond the memory"))?.copy_from_slice(bytes);
        }
        Ok(memory)
    }
}

/// The entries that are not 0.
fn sparse((name, table): (String, &[u32])) -> Option<(String, BTreeMap<usize, Word>)> {
    let entries = table.iter().enumerate().filter(|(_, entry)| **entry != 0);
    let entries: BTreeMap<_, _> = entries.map(|(at, &entry)| (at, Word(entry))).collect();
    (!entries.is_empty()).then_some((name, entries))
}

/// Runs of bytes, without long stretches of zeros.
fn runs(memory: &[u8]) -> BTreeMap<String, Bytes> {
    let mut runs: Vec<(usize, Vec<u8>)> = Vec::new();
    for (at, &byte) in memory.iter().enumerate().filter(|(_, byte)| **byte != 0) {
        match runs.last_mut() {
            Some((start, run)) if at < *start + run.len() + GAP => {
                run.resize(at - *start, 0);
                run.push(byte);
            }
            _ => runs.push((at, vec![byte])),
        }
    }
    runs.into_iter().map(|(at, run)| (format!("{:08x}", BASE as usize + at), Bytes(run))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::fragments::state;

    #[test]
    fn files_lose_nothing() {
        for number in 0..8 {
            let (state, mut random) = state::state(3, number);
            let case = FragmentCase::random(&mut random, &state);
            let back = FragmentCase::from_json(&case.to_json()).expect("a sound file");
            let bits = |case: &FragmentCase| -> Vec<u32> {
                case.triangles.iter().flatten().flatten().map(|value| value.to_bits()).collect()
            };
            assert_eq!(bits(&back), bits(&case));
            let without = |case: &FragmentCase| FragmentCase { triangles: Vec::new(), ..case.clone() };
            assert!(without(&back) == without(&case));
        }
    }

    #[test]
    fn runs_skip_zeros() {
        let mut memory = vec![0; 100];
        (memory[3], memory[5], memory[60]) = (1, 2, 3);
        let runs: Vec<_> = runs(&memory).into_iter().map(|(at, bytes)| (at, bytes.0)).collect();
        assert_eq!(runs, [("18000003".into(), vec![1, 0, 2]), ("1800003c".into(), vec![3])]);
    }

    #[test]
    fn malformed_files_are_errors() {
        for text in [
            "{}",
            r#"{"registers":{"400":"0x0"},"triangles":[]}"#,
            r#"{"registers":{},"triangles":[],"memory":{"17000000":"00"}}"#,
            r#"{"registers":{},"triangles":[],"tables":{"fog":{"128":"0x1"}}}"#,
        ] {
            assert!(FragmentCase::from_json(text).is_err(), "{text}");
        }
    }
}
