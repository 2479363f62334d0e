//! Sets of moments, as spans from an instant to another.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// From the first instant to the second.
type Span = (Instant, Instant);

/// Spans in order, of which no two have a moment in common.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for (start, end) in spans {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// Total length of merged spans.
fn length(spans: &[Span]) -> Duration {
    spans.iter().map(|(start, end)| *end - *start).sum()
}

/// Spans that several threads write down.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Vec<Span>>>);

impl Ledger {
    /// A span that ends now.
    pub(crate) fn note(&self, start: Instant) {
        let end = Instant::now();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((start, end));
    }

    fn spans(&self) -> Vec<Span> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Records the spans in which an engine worked, by stage.
#[derive(Debug, Default)]
pub struct Clock {
    vertex: Vec<Span>,
    vertices: u64,
    /// Spans of fragment drawing and of binding a state to a routine.
    pub fragment: Ledger,
}

/// Times of an engine.
pub(super) struct Times {
    /// Vertices that were shaded.
    pub(super) shaded: u64,
    pub(super) vertex: Duration,
    pub(super) fragment: Duration,
    /// Either or both of them.
    pub(super) either: Duration,
}

impl Clock {
    /// Vertices were shaded from `start` until now.
    pub(crate) fn shaded(&mut self, start: Instant, vertices: usize) {
        self.vertex.push((start, Instant::now()));
        self.vertices += vertices as u64;
    }

    pub(super) fn times(self) -> Times {
        let (vertex, fragment) = (merged(self.vertex), merged(self.fragment.spans()));
        Times {
            shaded: self.vertices,
            vertex: length(&vertex),
            fragment: length(&fragment),
            either: length(&merged([vertex, fragment].concat())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_count_once() {
        let zero = Instant::now();
        let at = |ms: u64| zero + Duration::from_millis(ms);
        let spans =
            vec![(at(50), at(60)), (at(0), at(10)), (at(5), at(20)), (at(20), at(21)), (at(52), at(53))];
        let spans = merged(spans);
        assert_eq!(spans, [(at(0), at(21)), (at(50), at(60))]);
        assert_eq!(length(&spans), Duration::from_millis(31));
        assert_eq!(length(&merged(Vec::new())), Duration::ZERO);
    }
}
