//! Routines of the batches and runs seen lately. Consecutive draws often differ only in data, and hosts alternate
//! between few programs: what the key of a routine depends on is compared where it lies, without building the key.

use crate::code::pica::geometry::GeometryRoutine;
use crate::code::pica::shade::VertexRoutine;
use crate::emit::pica::layout::RunInputs;
use crate::emit::pica::number::Arithmetic;
use picaflor_pipeline::pica::stage::{GeometryRun, VertexBatch};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm};
use std::sync::{Arc, Weak};

/// Entries that are remembered.
const CAPACITY: usize = 16;
/// After this number of hits the routine is looked up in the cache, so that it counts as used there.
const HITS: u32 = 256;

/// The inputs of a key, as a batch or a run `C` has them.
pub(crate) trait Known<C: ?Sized> {
    /// True only if the call has the same key; may be false for an equal key.
    fn fits(&self, call: &C, arithmetic: Arithmetic) -> bool;
}

/// Entries with their routines. These may be evicted meanwhile.
#[derive(Debug)]
pub(crate) struct KnownCalls<K, R> {
    entries: Vec<(K, Weak<R>)>,
    /// The entry of the last hit.
    latest: usize,
    /// The entry that is replaced next.
    oldest: usize,
    hits: u32,
}

impl<K, R> Default for KnownCalls<K, R> {
    fn default() -> Self {
        Self { entries: Vec::new(), latest: 0, oldest: 0, hits: 0 }
    }
}

impl<K, R> KnownCalls<K, R> {
    /// The routine of a call; `None` if it has to be looked up.
    pub(crate) fn find<C: ?Sized>(&mut self, call: &C, arithmetic: Arithmetic) -> Option<Arc<R>>
    where
        K: Known<C>,
    {
        self.hits = (self.hits + 1) % HITS;
        if self.hits == 0 {
            return None;
        }
        let latest = self.entries.get(self.latest).filter(|(known, _)| known.fits(call, arithmetic));
        if let Some((_, routine)) = latest {
            return routine.upgrade();
        }
        self.latest = self.position(call, arithmetic)?;
        self.entries[self.latest].1.upgrade()
    }

    fn position<C: ?Sized>(&self, call: &C, arithmetic: Arithmetic) -> Option<usize>
    where
        K: Known<C>,
    {
        self.entries.iter().position(|(known, _)| known.fits(call, arithmetic))
    }

    /// Remembers the routine of a call.
    pub(crate) fn keep<C: ?Sized>(&mut self, call: &C, arithmetic: Arithmetic, known: K, routine: &Arc<R>)
    where
        K: Known<C>,
    {
        let entry = (known, Arc::downgrade(routine));
        if let Some(at) = self.position(call, arithmetic) {
            self.entries[at] = entry;
        } else if self.entries.len() < CAPACITY {
            self.entries.push(entry);
        } else {
            self.entries[self.oldest] = entry;
            self.oldest = (self.oldest + 1) % CAPACITY;
        }
    }
}

/// Batches of vertices.
pub(crate) type KnownBatches = KnownCalls<KnownBatch, VertexRoutine>;
/// Geometry runs.
pub(crate) type KnownRuns = KnownCalls<KnownRun, GeometryRoutine>;

/// Inputs of the key of a batch, in the form of the batch.
#[derive(Debug)]
pub(crate) struct KnownBatch {
    program: u64,
    entry: u16,
    bools: u16,
    ints: [[u8; 4]; 4],
    attributes: Vec<AttributeSource>,
    permutation: u64,
    output: OutputForm,
    arithmetic: Arithmetic,
}

impl KnownBatch {
    pub(crate) fn new(batch: &VertexBatch<'_>, arithmetic: Arithmetic) -> Self {
        Self {
            program: batch.program.generation(),
            entry: batch.entry,
            bools: batch.uniforms.bools(),
            ints: batch.uniforms.ints(),
            attributes: batch.inputs.attributes.clone(),
            permutation: batch.inputs.permutation,
            output: *batch.output,
            arithmetic,
        }
    }
}

impl Known<VertexBatch<'_>> for KnownBatch {
    fn fits(&self, batch: &VertexBatch<'_>, arithmetic: Arithmetic) -> bool {
        let inputs = &batch.inputs.attributes;
        self.program == batch.program.generation()
            && self.entry == batch.entry
            && self.bools == batch.uniforms.bools()
            && self.arithmetic == arithmetic
            && self.permutation == batch.inputs.permutation
            && self.attributes.len() == inputs.len()
            && self.ints == batch.uniforms.ints()
            && self.output == *batch.output
            && self.attributes.iter().zip(inputs).all(|(mine, theirs)| same_layout(mine, theirs))
    }
}

/// A geometry run, or those of a batch, with the form of their inputs.
pub(crate) type RunCall<'r, 'a> = (&'r GeometryRun<'a>, RunInputs);

/// Inputs of the key of a geometry run. `b15` is data.
#[derive(Debug)]
pub(crate) struct KnownRun {
    program: u64,
    entry: u16,
    bools: u16,
    ints: [[u8; 4]; 4],
    output_mask: u16,
    inputs: RunInputs,
    arithmetic: Arithmetic,
}

impl KnownRun {
    pub(crate) fn new((run, inputs): RunCall<'_, '_>, arithmetic: Arithmetic) -> Self {
        Self {
            program: run.program.generation(),
            entry: run.entry,
            bools: run.uniforms.bools() & 0x7fff,
            ints: run.uniforms.ints(),
            output_mask: run.output_mask,
            inputs,
            arithmetic,
        }
    }
}

impl Known<RunCall<'_, '_>> for KnownRun {
    fn fits(&self, (run, inputs): &RunCall<'_, '_>, arithmetic: Arithmetic) -> bool {
        self.program == run.program.generation()
            && self.entry == run.entry
            && self.bools == run.uniforms.bools() & 0x7fff
            && self.ints == run.uniforms.ints()
            && self.output_mask == run.output_mask
            && self.inputs == *inputs
            && self.arithmetic == arithmetic
    }
}

/// Equal but for the data: values and addresses.
fn same_layout(a: &AttributeSource, b: &AttributeSource) -> bool {
    use AttributeSource::{Array, Fixed};
    match (a, b) {
        (Fixed(_), Fixed(_)) => true,
        (
            Array { stride_bytes: s, element: e, components: c, .. },
            Array { stride_bytes: t, element: f, components: d, .. },
        ) => (s, e, c) == (t, f, d),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number(u32);

    impl Known<u32> for Number {
        fn fits(&self, call: &u32, _: Arithmetic) -> bool {
            self.0 == *call
        }
    }

    const EXACT: Arithmetic = Arithmetic::Binary32Exact;

    #[test]
    fn the_latest_calls_are_known() {
        let mut known: KnownCalls<Number, u32> = KnownCalls::default();
        let routines: Vec<_> = (0..CAPACITY as u32 + 1).map(Arc::new).collect();
        for routine in &routines {
            assert_eq!(known.find(&**routine, EXACT), None);
            known.keep(&**routine, EXACT, Number(**routine), routine);
        }
        assert_eq!(known.find(&0, EXACT), None, "it has made room");
        for n in 1..=CAPACITY as u32 {
            assert_eq!(known.find(&n, EXACT).as_deref(), Some(&n));
        }
    }

    #[test]
    fn evicted_routines_are_not_kept_alive() {
        let mut known: KnownCalls<Number, u32> = KnownCalls::default();
        let routine = Arc::new(7);
        known.keep(&7, EXACT, Number(7), &routine);
        assert!(known.find(&7, EXACT).is_some());
        drop(routine);
        assert_eq!(known.find(&7, EXACT), None);
        known.keep(&7, EXACT, Number(7), &Arc::new(8));
        assert_eq!(known.entries.len(), 1, "the entry is replaced");
    }

    #[test]
    fn hits_are_looked_up_now_and_then() {
        let mut known: KnownCalls<Number, u32> = KnownCalls::default();
        let routine = Arc::new(7);
        known.keep(&7, EXACT, Number(7), &routine);
        let misses = (0..2 * HITS).filter(|_| known.find(&7, EXACT).is_none()).count();
        assert_eq!(misses, 2);
    }
}
