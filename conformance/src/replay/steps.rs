//! What happened point by point, as rows of a table.

use super::difference::Difference;
use super::point::{Moment, Place, Point};
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::pica::stats::Stats;

/// A draw, fill, transfer or end of a frame, and what came of comparing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// Vertices since the step before.
    pub vertices: u64,
    /// Triangles since then.
    pub triangles: u64,
    /// Fragments since then.
    pub fragments: u64,
    /// The key of a draw's fragment state, or why there is none; empty where nothing was drawn.
    pub key: String,
    /// The surfaces that differ, with the bytes that do.
    pub differences: Vec<(String, u64)>,
    /// All counters, for the step that follows.
    stats: Stats,
}

impl Step {
    /// Whether nothing differed.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// Adds a point; the end of a capture is several.
    pub(super) fn add(steps: &mut Vec<Self>, point: &Point, found: &[Difference]) {
        let found = found.iter().map(|difference| (difference.surface.clone(), difference.bytes));
        match steps.last_mut() {
            Some(last) if last.place == point.place => last.differences.extend(found),
            last => {
                let before = last.map(|last| last.stats).unwrap_or_default();
                let mut step = Self::new(point, &before);
                step.differences.extend(found);
                steps.push(step);
            }
        }
    }

    fn new(point: &Point, before: &Stats) -> Self {
        let stats = point.stats;
        let key = || FragmentStateKey::of(&point.registers);
        let key = || key().map_or_else(|refusal| refusal.to_string(), |key| key.to_string());
        Self {
            place: point.place,
            vertices: stats.vertices.saturating_sub(before.vertices),
            triangles: stats.triangles.saturating_sub(before.triangles),
            fragments: stats.fragments.saturating_sub(before.fragments),
            key: if point.place.moment == Moment::Draw { key() } else { String::new() },
            differences: Vec::new(),
            stats,
        }
    }
}
