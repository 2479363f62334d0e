//! Vertices emitted by the geometry stage, on their way to the primitive engine.

use crate::pica::draw::DrawContext;
use crate::pica::draw::submission::Submission;
use crate::pica::stage::ShadedVertices;
use crate::pica::stage::primitive::{PendingVertices, StreamVertex};
use crate::pica::vertex::{SEMANTICS, Vertex};

/// Vertices that wait together.
const MOST_VERTICES: usize = 4096;

/// Emitted vertices after the output map, in the order of their use.
#[derive(Debug, Clone, Default)]
pub(crate) struct EmittedVertices {
    vertices: Vec<Vertex>,
    stream: Vec<StreamVertex>,
    /// The same vertices, as the engine takes them.
    rows: ShadedVertices,
}

impl EmittedVertices {
    /// True if no more vertices should wait.
    pub(crate) const fn is_full(&self) -> bool {
        self.vertices.len() >= MOST_VERTICES
    }

    /// Appends a vertex. `reverses`: it is the first one of a primitive with the winding flag.
    pub(crate) fn push(&mut self, vertex: Vertex, reverses: bool) {
        let stream = StreamVertex::new(self.vertices.len() as u32);
        self.stream.push(if reverses { stream.reversing() } else { stream });
        self.vertices.push(vertex);
    }

    /// Passes the vertices on.
    pub(crate) fn pass_on(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        submission: &mut Submission,
    ) {
        if self.vertices.is_empty() {
            return;
        }
        self.rows.reset(self.vertices.len(), SEMANTICS);
        for k in 0..SEMANTICS {
            let row = self.rows.component_mut(k).iter_mut();
            row.zip(&self.vertices).for_each(|(value, vertex)| *value = vertex[k]);
        }
        submission.stream(cx, &self.rows, &self.stream, pending);
        self.vertices.clear();
        self.stream.clear();
    }
}
