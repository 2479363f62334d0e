//! The table of features by machine. Cells are computed from code where code has the answer. The README contains the
//! table, and a test compares the two.

use crate::machines::MACHINES;
use serde_json::Value;

/// Cell: not available.
pub(crate) const NONE: &str = "–";
/// Cell: available.
pub(crate) const YES: &str = "yes";

/// A row of the table: a feature of a machine, or a use of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Command lists.
    Lists,
    /// Vertex fetch and transform.
    Vertices,
    /// Vertex and geometry programs.
    Programs,
    /// Curved surfaces.
    Curves,
    /// Clipping, rasterizing.
    Clipping,
    /// Triangles, rectangles.
    Triangles,
    /// Points, lines.
    Points,
    /// Textures, tests, blending.
    Pixels,
    /// Textures that are drawn to at once.
    Feedback,
    /// Fills, transfers.
    Transfers,
    /// Arithmetic.
    Arithmetic,
    /// Captures that are read.
    Captures,
    /// The recorder.
    Recorder,
    /// The C library.
    Library,
    /// Threads.
    Threads,
    /// Compiled routines kept on disk.
    Disk,
    /// Engines.
    Engines,
    /// Comparison with consoles.
    Consoles,
}

/// The rows with a cell from each machine, before the rows that are the same for all.
const TOPICS: [(&str, Topic); 17] = [
    ("Command lists", Topic::Lists),
    ("Vertex fetch and transform", Topic::Vertices),
    ("Vertex and geometry programs", Topic::Programs),
    ("Curved surfaces", Topic::Curves),
    ("Clipping, rasterizing", Topic::Clipping),
    ("Triangles, rectangles", Topic::Triangles),
    ("Points, lines", Topic::Points),
    ("Textures, tests, blending", Topic::Pixels),
    ("Textures that are drawn to at once", Topic::Feedback),
    ("Fills, transfers", Topic::Transfers),
    ("Arithmetic", Topic::Arithmetic),
    ("Captures that are read", Topic::Captures),
    ("Recorder", Topic::Recorder),
    ("C library", Topic::Library),
    ("Threads", Topic::Threads),
    ("Compiled routines kept on disk", Topic::Disk),
    ("Engines", Topic::Engines),
];

/// The rows: a name, and one cell for each machine.
fn rows() -> Vec<Vec<String>> {
    let row = |name: &str, cells: [String; MACHINES.len()]| [vec![name.to_owned()], cells.into()].concat();
    let of = |topic| MACHINES.map(|machine| machine.feature(topic));
    let mut rows: Vec<_> = TOPICS.into_iter().map(|(name, topic)| row(name, of(topic))).collect();
    let yes = || MACHINES.map(|_| YES.to_owned());
    rows.push(row("`render`, `diff`, `info`, `bench`, `demo`", yes()));
    rows.push(row("Reports, JUnit, shards", yes()));
    rows.push(row("Scenes", MACHINES.map(|machine| machine.scenes().len().to_string())));
    rows.push(row("Held against consoles", of(Topic::Consoles)));
    let kinds = MACHINES.map(|machine| machine.kinds().iter().map(|kind| kind.name()).collect::<Vec<_>>());
    rows.push(row("`fuzz --kind`", kinds.map(|kinds| kinds.join(", "))));
    rows
}

/// The table as JSON: for each feature its name, and a field for each machine.
#[must_use]
pub fn as_json() -> Value {
    let feature = |row: &Vec<String>| {
        let cells = MACHINES.iter().map(|machine| machine.title()).zip(&row[1..]);
        let cells = cells.map(|(title, cell)| (title.to_owned(), Value::from(cell.as_str())));
        let name = ("feature".to_owned(), Value::from(row[0].as_str()));
        Value::Object(std::iter::once(name).chain(cells).collect())
    };
    rows().iter().map(feature).collect()
}

/// The table as Markdown.
#[must_use]
pub fn table() -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let titles = MACHINES.map(|machine| machine.title());
    let rows: String = rows().iter().map(|row| line(row)).collect();
    format!("| | {} |\n|{}\n{rows}", titles.join(" | "), "---|".repeat(1 + MACHINES.len()))
}
