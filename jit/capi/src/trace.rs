//! Traces of chosen draws: vertices, runs of geometry programs and a pixel, as notes to a callback.

use crate::raw::{Array, In, User, c_struct};
use crate::status::Failure;
use picaflor_interp::trace::{Note, Stage, Value};
use picaflor_jit::{MOST_TRACED_RUNS, MOST_TRACED_VERTICES, Trace, TraceRequest};
use std::ffi::{CString, c_char};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `PICAFLOR_NOTE_...`.
mod kind {
    pub(super) const PIXEL: u32 = 0;
    pub(super) const VERTEX: u32 = 1;
    pub(super) const GEOMETRY: u32 = 2;
}

c_struct! {
    growing
    /// `picaflor_trace`.
    TraceConfig {
        /// Number of the draw.
        draw: u64,
        /// Column of the pixel.
        x: i32,
        /// Row of the pixel.
        y: i32,
        /// 1: the pixel is recorded.
        pixel: u32,
        /// First vertex that is recorded.
        first_vertex: u32,
        /// Number of vertices that are recorded.
        vertex_count: u32,
        /// Zero.
        reserved: u32,
        /// First run of a geometry program that is recorded.
        first_run: u32,
        /// Number of runs that are recorded.
        run_count: u32,
    }
}

c_struct! {
    fixed
    /// `picaflor_note`.
    NoteInfo {
        /// `PICAFLOR_NOTE_...`.
        kind: u32,
        /// Primitive, vertex or run.
        item: u32,
        /// Index of the vertex.
        index: u32,
        /// Zero.
        reserved: u32,
        /// Name of the stage.
        stage: Array<c_char>,
        /// Name of the value.
        name: Array<c_char>,
        /// The value as text.
        text: Array<c_char>,
        /// The value as numbers.
        numbers: Array<f64>,
        /// Number of them.
        count: usize,
    }
}

/// `picaflor_note_callback`.
pub(crate) type NoteFn = extern "C" fn(User, *const NoteInfo);

/// A draw that the host wants to see, and what was found of it.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) draw: u64,
    pub(crate) request: TraceRequest,
    pub(crate) found: Trace,
}

impl Wanted {
    /// Adds what the tracer has found since the last call.
    pub(crate) fn add(&mut self, found: Trace) {
        self.found.fragments.extend(found.fragments);
        self.found.fragments_left_out += found.fragments_left_out;
        self.found.vertices.extend(found.vertices);
        self.found.geometry_runs.extend(found.geometry_runs);
    }
}

/// The machine's request; its hooks see it too.
pub(crate) type Requested = Arc<Mutex<Option<Wanted>>>;

/// The request.
pub(crate) fn lock(requested: &Requested) -> MutexGuard<'_, Option<Wanted>> {
    requested.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The request of a configuration; none for NULL.
pub(crate) fn read(trace: &In<TraceConfig>) -> Result<Option<Wanted>, Failure> {
    if trace.is_null() {
        return Ok(None);
    }
    let config = trace.read("picaflor_trace")?;
    if config.pixel > 1 || config.reserved != 0 {
        return Err(Failure::argument("picaflor_trace.pixel is 0 or 1, and `reserved` 0"));
    }
    if config.vertex_count > MOST_TRACED_VERTICES {
        return Err(Failure::argument(format!("more than {MOST_TRACED_VERTICES} vertices")));
    }
    if config.run_count > MOST_TRACED_RUNS {
        return Err(Failure::argument(format!("more than {MOST_TRACED_RUNS} runs of a geometry program")));
    }
    let from = |first: u32, count: u32| first..first.saturating_add(count);
    let mut request = TraceRequest::new()
        .with_vertices(from(config.first_vertex, config.vertex_count))
        .with_geometry_runs(from(config.first_run, config.run_count));
    if config.pixel == 1 {
        request = request.with_pixel(config.x, config.y);
    }
    Ok(Some(Wanted { draw: config.draw, request, found: Trace::default() }))
}

/// Hands everything that was found to a callback; returns the number of notes.
pub(crate) fn hand_over(trace: &Trace, callback: NoteFn, user: User) -> usize {
    let mut count = 0;
    let mut hand = |notes: &[Note], kind: u32, item: u32, index: u32| {
        for note in notes {
            tell(note, [kind, item, index], callback, user);
        }
        count += notes.len();
    };
    for vertex in &trace.vertices {
        hand(&vertex.notes, kind::VERTEX, vertex.number, vertex.index);
    }
    for run in &trace.geometry_runs {
        hand(&run.notes, kind::GEOMETRY, run.number, 0);
    }
    for fragment in &trace.fragments {
        hand(&fragment.notes, kind::PIXEL, fragment.primitive, 0);
    }
    hand(omitted(trace.fragments_left_out).as_slice(), kind::PIXEL, 0, 0);
    count
}

/// The number of fragments that have no notes, if any, as programs have it of their steps.
fn omitted(fragments: u64) -> Option<Note> {
    let (stage, value) = (Stage::one("fragments"), Value::Integer(fragments as i64));
    (fragments > 0).then_some(Note { stage, name: "omitted", value })
}

fn tell(note: &Note, [kind, item, index]: [u32; 3], callback: NoteFn, user: User) {
    let text = |text: String| CString::new(text.replace('\0', " ")).unwrap_or_default();
    let [stage, name, shown] =
        [note.stage.to_string(), note.name.to_string(), note.value.to_string()].map(text);
    let numbers = numbers(&note.value);
    let info = NoteInfo {
        kind,
        item,
        index,
        reserved: 0,
        stage: Array::lent(stage.as_ptr()),
        name: Array::lent(name.as_ptr()),
        text: Array::lent(shown.as_ptr()),
        numbers: Array::lent(numbers.as_ptr()),
        count: numbers.len(),
    };
    callback(user, &raw const info);
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Flag(flag) => vec![f64::from(u8::from(*flag))],
        Value::Integer(value) => vec![*value as f64],
        Value::Integers(values) => values.iter().map(|&value| value as f64).collect(),
        Value::Colour(channels) => channels.map(f64::from).to_vec(),
        Value::Float(value) => vec![f64::from(*value)],
        Value::Floats(values) => values.iter().copied().map(f64::from).collect(),
        Value::Doubles(values) => values.clone(),
        Value::Name(_) => Vec::new(),
        Value::Texel { level, place: [x, y], colour } => {
            let place = [f64::from(*level), f64::from(*x), f64::from(*y)];
            place.into_iter().chain(colour.map(f64::from)).collect()
        }
    }
}
