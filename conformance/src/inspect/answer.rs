//! Answers, independent of the machine.

use super::action::{Action, Kind};
use picaflor_interp::trace::FragmentTrace;

/// A buffer at a point of the replay, rows from the top.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BufferView {
    /// Address of the colours.
    pub address: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// True if the machine counts rows upward.
    pub is_upward: bool,
    /// Red, green, blue, alpha of each pixel.
    pub colour: Vec<[u8; 4]>,
    /// Depth of each pixel; empty without a depth buffer.
    pub depth: Vec<u32>,
    /// Stencil value of each pixel; empty without.
    pub stencil: Vec<u8>,
}

impl BufferView {
    /// Position of a pixel in the machine's coordinates.
    #[must_use]
    pub fn position(&self, x: u32, y: u32) -> Option<usize> {
        let row = if self.is_upward { self.height.checked_sub(1)?.checked_sub(y)? } else { y };
        (x < self.width && row < self.height).then(|| (row * self.width + x) as usize)
    }

    /// Number of pixels whose colour differs from those of another view.
    #[must_use]
    pub fn different(&self, other: &Self) -> u64 {
        self.colour.iter().zip(&other.colour).filter(|(a, b)| a != b).count() as u64
    }
}

/// A texture as a picture, rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureView {
    /// Texture unit.
    pub unit: u32,
    /// Level.
    pub level: u32,
    /// Address of level 0.
    pub address: u32,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Format.
    pub format: String,
    /// Red, green, blue, alpha of each texel.
    pub texels: Vec<[u8; 4]>,
}

/// A vertex of a draw.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshVertex {
    /// Index in the arrays.
    pub index: u32,
    /// Attributes by name, as the vertex stage reads them.
    pub inputs: Vec<(String, Vec<f64>)>,
    /// Outputs by name.
    pub outputs: Vec<(String, Vec<f64>)>,
    /// Bytes in memory, where they are one record.
    pub bytes: Vec<u8>,
}

/// The vertices and primitives of a draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// The vertices, each once.
    pub vertices: Vec<MeshVertex>,
    /// Vertices that are left out.
    pub omitted: u64,
    /// The primitives that are drawn: corners in pixels of the window and depth.
    pub primitives: Vec<Vec<[f64; 3]>>,
}

/// A step of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramStep {
    /// Address of the instruction, in words.
    pub address: u32,
    /// The instruction.
    pub text: String,
    /// The register that it wrote: name, value before, value after.
    pub written: Option<(String, [f32; 4], [f32; 4])>,
    /// Address registers, loop counter, conditions.
    pub flags: String,
}

/// The program of a draw, with the steps of a vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Program {
    /// Source that assembles to the program.
    pub source: String,
    /// The code, one line for each word: address, text.
    pub listing: Vec<(u32, String)>,
    /// First address.
    pub entry: u32,
    /// Uniforms that are not 0, by name.
    pub uniforms: Vec<(String, Vec<f64>)>,
    /// The program as a container file.
    pub shbin: Vec<u8>,
    /// Position of the vertex among those of the draw.
    pub vertex: usize,
    /// Inputs of the vertex.
    pub inputs: Vec<(String, Vec<f64>)>,
    /// Its steps.
    pub steps: Vec<ProgramStep>,
    /// Its outputs.
    pub outputs: Vec<(String, Vec<f64>)>,
}

/// Everything about a draw that is recorded when it is asked for.
#[derive(Debug, Clone, Default)]
pub struct Draw {
    /// Its buffers before.
    pub before: BufferView,
    /// Its buffers after.
    pub after: BufferView,
    /// Its vertices.
    pub mesh: Mesh,
    /// Its program, on machines with programs.
    pub program: Option<Program>,
    /// Runs of its geometry program.
    pub geometry_runs: usize,
    /// Its textures.
    pub textures: Vec<TextureView>,
    /// Entries of its palette, red, green, blue, alpha; empty without one.
    pub palette: Vec<[u8; 4]>,
    /// Tables that its state reads.
    pub tables: Vec<Table>,
}

/// A look-up table: the values of its entries, in units of its largest.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name.
    pub name: String,
    /// Values.
    pub values: Vec<f32>,
}

/// An action in the history of a pixel.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The action.
    pub action: Action,
    /// Draws before it.
    pub draws_before: u64,
    /// Column and row in the buffer of a draw.
    pub pixel: Option<[i32; 2]>,
    /// Bytes of the pixel before.
    pub before: Vec<u8>,
    /// Bytes after.
    pub after: Vec<u8>,
    /// The fragments of a draw, in order.
    pub traces: Vec<FragmentTrace>,
    /// Number of its fragments after them, whose traces are left out.
    pub fragments_left_out: u64,
    /// The test that rejected the last fragment; `None` if a fragment was stored.
    pub rejected_by: Option<String>,
}

/// The test that rejected the last fragment of a draw; `None` if one was stored. Fragments without a trace count as stored
/// if bytes have changed, which no trace explains.
pub(super) fn rejected_by(traces: &[FragmentTrace], left_out: u64, has_changed: bool) -> Option<String> {
    let is_stored = traces.iter().any(|trace| trace.rejected_by().is_none()) || left_out > 0 && has_changed;
    let last = traces.last()?.rejected_by()?;
    (!is_stored).then(|| last.to_owned())
}

impl Entry {
    /// Number of fragments of a draw.
    #[must_use]
    pub fn fragments(&self) -> u64 {
        self.traces.len() as u64 + self.fragments_left_out
    }

    /// Leaves out the traces; returns their number.
    pub(super) fn leave_out_traces(&mut self) -> usize {
        let traces = std::mem::take(&mut self.traces).len();
        self.fragments_left_out += traces as u64;
        traces
    }

    /// The outcome in a few words.
    #[must_use]
    pub fn outcome(&self) -> String {
        if self.action.kind != Kind::Draw {
            return self.action.what.clone();
        }
        match &self.rejected_by {
            None if self.before == self.after => "written, the same bytes".into(),
            None => "written".into(),
            Some(test) if self.before == self.after => format!("rejected by {test}"),
            // The stencil value lies among the bytes of some formats.
            Some(test) => format!("rejected by {test}, stencil written"),
        }
    }
}

#[cfg(test)]
impl Entry {
    /// An entry of draw 7 with stored fragments, some of them without a trace.
    pub(crate) fn of_fragments(traces: usize, fragments_left_out: u64) -> Self {
        let action = Action {
            index: 9,
            kind: Kind::Draw,
            draw: Some(7),
            frame: 0,
            event: 0,
            what: String::new(),
            counts: [0; 3],
            bounds: None,
            nanoseconds: 0,
            buffer: None,
            key: String::new(),
            program: None,
            textures: Vec::new(),
            changed: Vec::new(),
            transfer: Vec::new(),
            checksum: None,
        };
        let (before, after) = (vec![0; 4], vec![1; 4]);
        let traces = (0..traces as u32).map(|primitive| FragmentTrace { primitive, notes: Vec::new() });
        Self {
            action,
            draws_before: 7,
            pixel: Some([3, 4]),
            before,
            after,
            traces: traces.collect(),
            fragments_left_out,
            rejected_by: None,
        }
    }
}

/// The time of a draw in nanoseconds, from the end of the action or event before it on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// In compiled code that is warm; `None` if the engine that answers is the interpreter.
    pub compiled: Option<u64>,
    /// In the interpreter.
    pub interpreted: u64,
}

impl Cost {
    /// The time in the engine that answers.
    #[must_use]
    pub fn nanoseconds(self) -> u64 {
        self.compiled.unwrap_or(self.interpreted)
    }
}

/// The state of a machine.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The key of the code that draws in it, or why there is none.
    pub key: String,
    /// What it says, in words.
    pub summary: Vec<(String, String)>,
    /// Registers that are not as after reset.
    pub registers: Vec<Register>,
}

/// A register.
#[derive(Debug, Clone)]
pub struct Register {
    /// Its number, as its manual writes it.
    pub number: String,
    /// Its name.
    pub name: String,
    /// Its value, as its manual writes it.
    pub word: String,
    /// What that says.
    pub meaning: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::trace::{Note, Stage, Value};

    fn fragment(rejected_by: Option<&str>) -> FragmentTrace {
        let stage = Stage::one("fate");
        let note = |by: &str| Note { stage, name: "rejected by", value: Value::Name(by.into()) };
        FragmentTrace { primitive: 0, notes: rejected_by.map(note).into_iter().collect() }
    }

    /// Without its traces an entry has the same outcome.
    #[test]
    fn outcomes() {
        let [stored, alpha, depth] = [None, Some("alpha test"), Some("depth test")].map(fragment);
        let outcome = |traces: &[&FragmentTrace], left_out: u64, has_changed: bool| {
            let traces: Vec<_> = traces.iter().map(|&trace| trace.clone()).collect();
            let mut entry = Entry::of_fragments(0, left_out);
            entry.rejected_by = rejected_by(&traces, left_out, has_changed);
            entry.traces = traces;
            entry.before = if has_changed { vec![0; 4] } else { entry.after.clone() };
            let outcome = entry.outcome();
            entry.leave_out_traces();
            assert_eq!(entry.outcome(), outcome);
            outcome
        };
        assert_eq!(outcome(&[&stored, &depth], 0, true), "written");
        assert_eq!(outcome(&[&stored, &depth], 3, false), "written, the same bytes");
        assert_eq!(outcome(&[&alpha, &depth], 0, false), "rejected by depth test");
        assert_eq!(outcome(&[&depth], 0, true), "rejected by depth test, stencil written");
        assert_eq!(outcome(&[&depth], 3, true), "written", "by one of the three");
        assert_eq!(outcome(&[&depth], 3, false), "rejected by depth test");
    }
}
