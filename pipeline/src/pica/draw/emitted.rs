//! Vertices emitted by the geometry stage, on their way to the primitive engine.

use crate::pica::draw::DrawContext;
use crate::pica::draw::submission::Submission;
use crate::pica::shader::unit::Record;
use crate::pica::stage::ShadedVertices;
use crate::pica::stage::primitive::{PendingVertices, StreamVertex};
use crate::pica::vertex::{COLOUR, OutputMap, SEMANTICS, condition_colour};

/// Vertices that wait together: few enough that their rows stay in the nearest caches.
const MOST_VERTICES: usize = 1024;

/// Emitted vertices after the output map, written to the rows that the engine takes. A vertex of several primitives is
/// there once.
#[derive(Debug, Clone, Default)]
pub(crate) struct EmittedVertices {
    stream: Vec<StreamVertex>,
    rows: ShadedVertices,
    len: usize,
    map: OutputMap,
    /// Each mapped semantic with the component of a record that it is.
    sources: Vec<(u8, u8)>,
    /// Semantics that are 1.
    unmapped: u64,
}

impl EmittedVertices {
    /// Sets the map of all vertices until they are [passed on](Self::pass_on).
    pub(crate) fn begin(&mut self, map: &OutputMap) {
        if self.map != *map || self.unmapped == 0 && self.sources.is_empty() {
            self.map = *map;
            let sources = components(map);
            let listed = (0..).zip(sources).filter_map(|(semantic, source)| Some((semantic, source?)));
            self.sources = listed.collect();
            self.unmapped = (0..SEMANTICS).filter(|&k| sources[k].is_none()).fold(0, |bits, k| bits | 1 << k);
        }
    }

    /// Drops the vertices that wait.
    pub(crate) fn clear(&mut self) {
        self.stream.clear();
        self.len = 0;
    }

    /// True if there is no room for the vertices of a primitive.
    pub(crate) const fn is_full(&self) -> bool {
        self.len + 3 > MOST_VERTICES
    }

    /// Appends a vertex that is not in use yet; returns its number. There must be room.
    pub(crate) fn add(&mut self, record: &Record) -> u32 {
        if self.len == 0 {
            self.rows.reset(MOST_VERTICES, SEMANTICS);
        }
        let number = self.len;
        self.len += 1;
        let stride = self.rows.stride();
        let (values, record) = (self.rows.values_mut_but(self.unmapped), record.as_flattened());
        for &(semantic, component) in &self.sources {
            values[usize::from(semantic) * stride + number] = record[usize::from(component) & 63];
        }
        number as u32
    }

    /// Appends a use of a vertex. `reverses`: it is the first one of a primitive with the winding flag.
    pub(crate) fn push(&mut self, number: u32, reverses: bool) {
        let stream = StreamVertex::new(number);
        self.stream.push(if reverses { stream.reversing() } else { stream });
    }

    /// Passes the vertices on.
    pub(crate) fn pass_on(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        submission: &mut Submission,
    ) {
        if self.len == 0 {
            return;
        }
        for colour in COLOUR.filter(|colour| self.unmapped >> colour & 1 == 0) {
            let row = &mut self.rows.component_mut(colour)[..self.len];
            row.iter_mut().for_each(|value| *value = condition_colour(*value));
        }
        self.rows.set_all_ones(self.unmapped);
        submission.stream(cx, &self.rows, &self.stream, pending);
        self.clear();
    }
}

/// For each semantic the component of a packed record that it is, as [`OutputMap::apply`] maps it.
fn components(map: &OutputMap) -> [Option<u8>; SEMANTICS] {
    let mut components = [None; SEMANTICS];
    for (slot, word) in (0..).zip(map.slots).take(usize::from(map.total & 7)) {
        for component in 0..4_u8 {
            if let Some(semantic) = components.get_mut((word >> (8 * component) & 31) as usize) {
                *semantic = Some(slot * 4 + component);
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows hold what the map makes of each record.
    #[test]
    fn rows_are_mapped_records() {
        let record = |n: usize| -> Record {
            std::array::from_fn(|slot| std::array::from_fn(|i| (n * 64 + slot * 4 + i) as f32 * 0.03 - 1.5))
        };
        let mut emitted = EmittedVertices::default();
        for (total, slots) in [
            (3, [0x0302_0100, 0x0b0a_0908, 0x1f1f_0d0c, 0, 0, 0, 0]),
            (0, [0; 7]),
            // Semantics that are mapped twice, and one that does not exist.
            (7, [0x0302_0100, 0x0808_0808, 0x0b0a_0108, 0x181f_1e1d, 0x0504_0302, 0x1716_1514, 0x0f0e_0d0c]),
        ] {
            let map = OutputMap { mask: 0xffff, total, slots };
            emitted.begin(&map);
            let numbers: Vec<u32> = (0..5).map(|n| emitted.add(&record(n))).collect();
            assert_eq!(numbers, [0, 1, 2, 3, 4]);
            for colour in COLOUR.filter(|colour| emitted.unmapped >> colour & 1 == 0) {
                let row = emitted.rows.component_mut(colour);
                row.iter_mut().for_each(|value| *value = condition_colour(*value));
            }
            emitted.rows.set_all_ones(emitted.unmapped);
            for n in 0..5 {
                let expected = map.apply(&record(n));
                let actual: Vec<f32> = (0..SEMANTICS).map(|k| emitted.rows.component(k)[n]).collect();
                assert_eq!(actual, expected, "{n} of {map:?}");
            }
            emitted.len = 0;
        }
    }
}
