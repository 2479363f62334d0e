//! The points of a comparison as rows of a table.

/// A point (a draw, a transfer, any event with a place) and the result of its comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<P> {
    /// Its place.
    pub place: P,
    /// Vertices since the step before.
    pub vertices: u64,
    /// Triangles, or other primitives, since then.
    pub primitives: u64,
    /// Fragments since then.
    pub fragments: u64,
    /// The key of a draw's state, or the reason for which there is none; empty if nothing was drawn.
    pub key: String,
    /// The surfaces that differ, with the bytes that do.
    pub differences: Vec<(String, u64)>,
    /// Vertices, primitives and fragments so far, for the step that follows.
    counters: [u64; 3],
}

impl<P: PartialEq> Step<P> {
    /// True if there is no difference.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// Adds a point, with the running totals of vertices, primitives and fragments; points of one place are merged.
    pub(crate) fn add(
        steps: &mut Vec<Self>,
        place: P,
        counters: [u64; 3],
        key: impl FnOnce() -> String,
        found: impl Iterator<Item = (String, u64)>,
    ) {
        match steps.last_mut() {
            Some(last) if last.place == place => last.differences.extend(found),
            last => {
                let before = last.map(|last| last.counters).unwrap_or_default();
                let [vertices, primitives, fragments] =
                    std::array::from_fn(|n| counters[n].saturating_sub(before[n]));
                let (key, differences) = (key(), found.collect());
                steps.push(Self { place, vertices, primitives, fragments, key, differences, counters });
            }
        }
    }

    /// The same step with its place said otherwise.
    pub(crate) fn at<Q>(&self, place: impl FnOnce(&P) -> Q) -> Step<Q> {
        Step {
            place: place(&self.place),
            vertices: self.vertices,
            primitives: self.primitives,
            fragments: self.fragments,
            key: self.key.clone(),
            differences: self.differences.clone(),
            counters: self.counters,
        }
    }
}
