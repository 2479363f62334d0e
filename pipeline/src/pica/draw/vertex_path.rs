//! Processing of a chunk of vertices: each is shaded once, then the stream passes through the geometry stage to the
//! primitive engine.
//!
//! Source: pica-geometry.md 3.7, 3.9, 4.1; pica-shader.md 5.8.

use crate::memory::Memory;
use crate::pica::draw::emitted::EmittedVertices;
use crate::pica::draw::geometry_stage::{EmitBuffer, GeometryStage};
use crate::pica::draw::submission::Submission;
use crate::pica::draw::{DrawContext, bounds};
use crate::pica::prices;
use crate::pica::regs::Registers;
use crate::pica::regs::geometry::{GeometryMode, Topology};
use crate::pica::shader::steps::{MostSteps, Steps};
use crate::pica::shader::unit::Record;
use crate::pica::stage::primitive::{PendingVertices, StreamVertex};
use crate::pica::stage::{Emission, ShadedVertices, VertexBatch};
use crate::pica::vertex::{OutputForm, OutputMap, VertexInputs};
use crate::stop::Stopper;

/// Stream positions that are shaded together; bounds the memory of a draw.
pub(crate) const CHUNK: usize = 4096;

/// Geometry stage and pending vertices, with the buffers of a chunk.
#[derive(Debug, Clone, Default)]
pub(crate) struct VertexPath {
    pub(crate) pending: PendingVertices,
    pub(crate) geometry: GeometryStage,
    places: Places,
    /// Distinct vertices of the chunk.
    distinct: Vec<u32>,
    /// The vertices in the order of their use.
    stream: Vec<StreamVertex>,
    /// Variable mode: numbers of vertices of primitives, each with the position of the stream that it precedes.
    counts: Vec<(usize, u32)>,
    shaded: ShadedVertices,
    emissions: Vec<Emission>,
    emitted: EmittedVertices,
    most_steps: MostSteps,
}

/// Instructions that are executed together, about: some milliseconds of compiled code.
const MOST_INSTRUCTIONS: u32 = 1 << 21;
/// Vertices that code shades together.
const LANES: u64 = 4;
/// Emissions that there is room for between runs.
const KEPT_EMISSIONS: usize = 4096;
/// Stream positions that are shaded together, at least.
const LEAST: u32 = 16;

impl VertexPath {
    /// Stream positions that are shaded together: fewer for programs that may run for long. It depends on the guest alone,
    /// because each chunk shades its vertices anew.
    pub(crate) fn chunk(&mut self, cx: &mut DrawContext<'_>) -> u32 {
        (MOST_INSTRUCTIONS / self.steps(cx).most.max(1)).clamp(LEAST, CHUNK as u32)
    }

    /// The bound of an invocation, which is paid for where it is not the last draw's.
    fn steps(&mut self, cx: &mut DrawContext<'_>) -> Steps {
        let (program, entry, ints) = (cx.vertex.program(), cx.vertex.entry(), cx.vertex.uniforms().ints());
        let each = self.most_steps.of(program, entry, ints, cx.limits.instructions);
        cx.account.pay_program(program, entry, each);
        each
    }

    /// Plans [`run`](Self::run) for a chunk of vertex numbers: the vertices to shade, and the order of their use.
    /// Indexed vertices are shaded once, like a vertex cache that never misses. Returns the last vertex.
    pub(crate) fn plan(&mut self, cx: &DrawContext<'_>, stream: &[u32], indexed: bool) -> Option<u32> {
        self.distinct.clear();
        self.stream.clear();
        self.counts.clear();
        let variable = variable_mode(cx.registers);
        let has_room = cx.stopper.makes_room(&mut self.distinct, stream.len())
            && cx.stopper.makes_room(&mut self.stream, stream.len())
            && (!variable || cx.stopper.makes_room(&mut self.counts, stream.len()))
            && (!indexed || self.places.begin(cx.stopper));
        if !has_room {
            return None;
        }
        if indexed {
            return self.plan_indexed(stream, variable);
        }
        // Vertices without an index list cannot say how many they are (never seen; dropped by assumption).
        if !variable {
            self.distinct.extend_from_slice(stream);
            self.stream.extend((0..stream.len() as u32).map(StreamVertex::new));
        }
        stream.last().copied()
    }

    fn plan_indexed(&mut self, stream: &[u32], variable: bool) -> Option<u32> {
        if !variable {
            let Self { places, distinct, stream: planned, .. } = self;
            planned.extend(stream.iter().map(|&index| StreamVertex::new(places.of(index, distinct))));
            return stream.last().copied();
        }
        let mut due = self.geometry.vertices_due();
        let mut last = None;
        for &index in stream {
            if due == 0 {
                due = index;
                self.counts.push((self.stream.len(), index));
                continue;
            }
            due = due.saturating_sub(1);
            let place = self.places.of(index, &mut self.distinct);
            self.stream.push(StreamVertex::new(place));
            last = Some(index);
        }
        last
    }

    /// Shades the planned vertices and passes them on in order.
    pub(crate) fn run(
        &mut self,
        cx: &mut DrawContext<'_>,
        memory: &dyn Memory,
        inputs: &VertexInputs,
        submission: &mut Submission,
    ) {
        let (output, each) = (output_form(cx), self.steps(cx));
        let batch = VertexBatch {
            memory,
            indices: &self.distinct,
            inputs,
            program: cx.vertex.program(),
            entry: cx.vertex.entry(),
            uniforms: cx.vertex.uniforms(),
            output: &output,
            precision: cx.precision,
            instruction_budget: cx.limits.instructions,
        };
        let distinct = self.distinct.len() as u64;
        let fetches =
            distinct.saturating_mul(prices::vertex(memory, &inputs.attributes, bounds(&self.distinct)));
        let new = cx.texels.vertex_price(&batch, each);
        if !(cx.account.pay(new)
            && cx.account.pay_invocations(distinct, LANES, each)
            && cx.account.pay(fetches))
        {
            return;
        }
        if !self.shaded.makes_room(self.distinct.len(), output.components(), cx.stopper) {
            return;
        }
        cx.stats.shaded += self.distinct.len() as u64;
        if !self.distinct.is_empty() {
            cx.stages.shade(&batch, &mut self.shaded, cx.faults);
        }
        if cx.stopper.asks() {
            return;
        }
        match output {
            OutputForm::Mapped(_) => submission.stream(cx, &self.shaded, &self.stream, &mut self.pending),
            OutputForm::Records { slots, .. } => self.run_geometry(cx, slots, submission),
        }
    }

    fn run_geometry(&mut self, cx: &mut DrawContext<'_>, slots: u8, submission: &mut Submission) {
        let map = output_map(cx, cx.geometry.output_mask());
        self.emitted.begin(&map);
        let collected = self.stream.len() as u64 * u64::from(slots);
        if !cx.account.pay(collected * prices::SLOT) {
            return;
        }
        let mut counts = 0;
        for at in 0..=self.stream.len() {
            while let Some(&(_, count)) = self.counts.get(counts).filter(|(before, _)| *before == at) {
                self.geometry.count(cx, count);
                counts += 1;
            }
            let Some(vertex) = self.stream.get(at) else { break };
            let record = self.record(vertex.position());
            self.geometry.vertex(cx, &record[..usize::from(slots)], &mut self.emissions);
            self.collect_emitted(cx, submission);
            while !cx.stopper.asks() && self.geometry.next_run(cx, &mut self.emissions) {
                self.collect_emitted(cx, submission);
            }
            if submission.is_over() || cx.account.is_overdrawn() || cx.stopper.asks() {
                break;
            }
        }
        if cx.stopper.asks() {
            return;
        }
        self.geometry.flush(cx, &mut self.emissions);
        self.collect_emitted(cx, submission);
        self.emitted.pass_on(cx, &mut self.pending, submission);
    }

    /// Forgets what a draw leaves for the next one: the run was stopped in it.
    pub(crate) fn stopped(&mut self) {
        self.pending.restart();
        self.geometry.reset();
        self.emissions.clear();
        self.emitted.clear();
    }

    /// The slots of a shaded vertex.
    fn record(&self, place: usize) -> Record {
        let mut record = [[0.0; 4]; 16];
        for (k, value) in record.iter_mut().flatten().enumerate().take(self.shaded.components()) {
            *value = self.shaded.component(k)[place];
        }
        record
    }

    /// Turns emissions into vertices.
    fn collect_emitted(&mut self, cx: &mut DrawContext<'_>, submission: &mut Submission) {
        if self.emissions.is_empty() {
            return;
        }
        // With another topology the flag is lost (measured on a console).
        let keeps_winding = cx.registers.primitive_config().topology() == Topology::Geometry;
        // The vertices of the emit buffer that are in use already.
        let mut numbers = [None; 4];
        let mut buffer = EmitBuffer::new(&self.emissions);
        for (at, Emission { latch, .. }) in self.emissions.iter().enumerate() {
            let entry = usize::from(latch.id & 3);
            buffer.put(entry, at);
            numbers[entry] = None;
            if !latch.primitive {
                continue;
            }
            if self.emitted.is_full() {
                self.emitted.pass_on(cx, &mut self.pending, submission);
                numbers = [None; 4];
                if cx.stopper.asks() {
                    break;
                }
            }
            for (entry, number) in numbers.iter_mut().enumerate().take(3) {
                let emitted = &mut self.emitted;
                let number = *number.get_or_insert_with(|| emitted.add(buffer.record(entry, &self.geometry)));
                emitted.push(number, entry == 0 && latch.winding && keeps_winding);
            }
        }
        buffer.store(&mut self.geometry);
        self.emissions.clear();
        self.emissions.shrink_to(KEPT_EMISSIONS);
    }
}

/// True if the index list contains the number of vertices of each primitive.
fn variable_mode(registers: &Registers) -> bool {
    registers.geostage_config().in_use() && registers.geometry_input().mode() == GeometryMode::Variable
}

/// Form of the vertex program's outputs.
fn output_form(cx: &DrawContext<'_>) -> OutputForm {
    let mask = cx.vertex.output_mask();
    if cx.registers.geostage_config().in_use() {
        OutputForm::Records { mask, slots: cx.registers.vertex_outputs().last() + 1 }
    } else {
        OutputForm::Mapped(output_map(cx, mask))
    }
}

/// The output map (0x04F-0x056) of a draw, attribute clocks applied. Parts without effect are zero, so that equivalent
/// maps are equal.
fn output_map(cx: &DrawContext<'_>, mask: u16) -> OutputMap {
    let total = (cx.registers.raw(0x04f) & 7) as u8;
    let slot = |s: usize| {
        if s < usize::from(total) { cx.registers.raw(0x050 + s as u16) & 0x1f1f_1f1f } else { 0 }
    };
    let map = OutputMap { mask, total, slots: std::array::from_fn(slot) };
    if cx.obeys_attribute_clocks { map.clocked(cx.registers.outattr_clock()) } else { map }
}

/// Map from the indices of a chunk to positions in the batch. Indices have at most 16 bits.
#[derive(Debug, Default)]
struct Places {
    /// Position + `since` for each index; values below `since` belong to an earlier chunk.
    table: Vec<u32>,
    since: u32,
}

/// A machine that is copied, for a snapshot too, has a table of its own once it needs one.
impl Clone for Places {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Places {
    const INDICES: usize = 1 << 16;

    /// Begins a chunk; false if there is no memory for the table.
    fn begin(&mut self, stopper: &Stopper) -> bool {
        self.since = self.since.wrapping_add(CHUNK as u32);
        if self.table.is_empty() || self.since > u32::MAX - CHUNK as u32 {
            self.table.clear();
            if !stopper.makes_room(&mut self.table, Self::INDICES) {
                return false;
            }
            self.table.resize(Self::INDICES, 0);
            self.since = CHUNK as u32;
        }
        true
    }

    /// The position of an index; a new index is appended to `distinct`.
    fn of(&mut self, index: u32, distinct: &mut Vec<u32>) -> u32 {
        let entry = &mut self.table[index as usize & (Self::INDICES - 1)];
        if *entry < self.since {
            *entry = self.since + distinct.len() as u32;
            distinct.push(index);
        }
        *entry - self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::draw::rig::Rig;

    /// Slots behind the last one that the registers count are those of any map: maps that do the same are equal.
    #[test]
    fn maps_have_no_slots_behind_the_last() {
        let slots: [u32; 7] = std::array::from_fn(|n| 0x1f1f_1f00 | n as u32);
        for total in 0..=7 {
            let mut rig = Rig::new(&[]);
            rig.set(&[(0x04f, total as u32)]);
            (0x050..).zip(slots).for_each(|(id, slot)| rig.set(&[(id, slot)]));
            let map = rig.with(|_, cx| output_map(cx, 0xffff));
            let expected = std::array::from_fn(|n| if n < total { slots[n] } else { 0 });
            assert_eq!((usize::from(map.total), map.slots), (total, expected));
        }
    }

    #[test]
    fn places_are_forgotten_with_their_chunk() {
        let mut places = Places { table: Vec::new(), since: u32::MAX - 3 * CHUNK as u32 };
        for chunk in 0..8 {
            assert!(places.begin(&Stopper::default()));
            let mut distinct = Vec::new();
            let of: Vec<_> = [9, 65_535, 9, chunk, 0].map(|index| places.of(index, &mut distinct)).to_vec();
            let expected = if chunk == 0 { [0, 1, 0, 2, 2] } else { [0, 1, 0, 2, 3] };
            assert_eq!(of, expected, "chunk {chunk}");
        }
    }
}
