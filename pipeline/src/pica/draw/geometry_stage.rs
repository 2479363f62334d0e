//! The geometry stage: collects vertices for runs of the geometry program, and assembles its emissions to primitives.
//!
//! Source: pica-shader.md section 5, pica-geometry.md 3.9; measured on a console where those sections say so.

use crate::persist::Words;
use crate::pica::draw::DrawContext;
use crate::pica::prices;
use crate::pica::regs::geometry::GeometryMode;
use crate::pica::shader::steps::MostSteps;
use crate::pica::shader::unit::{Record, ShaderUnit, Uniforms, Vec4};
use crate::pica::stage::{Emission, GeometryBatch, GeometryInputs, GeometryRun};
use std::num::NonZeroUsize;

/// Maximum number of slots in point mode: those of an incomplete run, plus those of one more vertex.
const POINT_SLOTS: usize = 32;
/// Runs that wait together.
const MOST_RUNS: usize = 32;
/// Emissions that runs may make together, by those of the runs before: few enough to stay in the nearest caches.
const MOST_EMISSIONS: usize = 256;
/// Instructions of runs that wait together, but for a single one: each may emit, and nobody asks whether to stop before all are
/// run.
const MOST_INSTRUCTIONS: u32 = 1 << 16;

/// The registers of the geometry unit, the slots collected for its next run, and its emit buffer.
#[derive(Debug, Clone)]
pub(crate) struct GeometryStage {
    unit: ShaderUnit,
    point: Slots,
    variable: Variable,
    /// Vertices of the current primitive in fixed mode.
    fixed_vertices: u32,
    /// The last emission of each vertex id; id 3 is never read.
    emitted: [Record; 4],
    most_steps: MostSteps,
    waiting: Waiting,
}

/// Runs that wait to be run together, in the modes in which all inputs are known before. None waits between chunks.
#[derive(Debug, Clone)]
struct Waiting {
    /// Inputs of all runs, and then, in fixed mode, those of the current primitive.
    inputs: Vec<Vec4>,
    /// Inputs of a run.
    each: usize,
    /// Complete runs.
    runs: usize,
    /// Runs that may wait, by their emissions, and by their instructions.
    most: usize,
    most_by_steps: usize,
}

/// Slots in the order of arrival.
#[derive(Debug, Clone)]
struct Slots {
    values: [Vec4; POINT_SLOTS],
    len: usize,
}

/// The current primitive in variable mode.
#[derive(Debug, Clone, Copy, Default)]
struct Variable {
    /// Vertices still to come; 0 if a count comes next.
    remaining: u32,
    /// Vertices received.
    seen: u32,
    /// Uniform for the next slot.
    position: u32,
}

impl Default for GeometryStage {
    fn default() -> Self {
        Self {
            unit: ShaderUnit::default(),
            point: Slots { values: [[0.0; 4]; POINT_SLOTS], len: 0 },
            variable: Variable::default(),
            fixed_vertices: 0,
            emitted: [[[0.0; 4]; 16]; 4],
            most_steps: MostSteps::default(),
            waiting: Waiting {
                inputs: Vec::new(),
                each: 1,
                runs: 0,
                most: MOST_RUNS,
                most_by_steps: MOST_RUNS,
            },
        }
    }
}

impl GeometryStage {
    /// Drops the collected slots. Registers and emit buffer are unchanged.
    pub(crate) const fn begin(&mut self) {
        self.point.len = 0;
        self.variable = Variable { remaining: 0, seen: 0, position: 0 };
        self.fixed_vertices = 0;
        self.waiting.most = MOST_RUNS;
    }

    /// Variable mode: number of vertices missing from the current primitive; 0 if a count comes next.
    #[must_use]
    pub(crate) const fn vertices_due(&self) -> u32 {
        self.variable.remaining
    }

    /// Variable mode: sets the count of the next primitive. A primitive without vertices has no run (assumed).
    pub(crate) fn count(&mut self, cx: &mut DrawContext<'_>, count: u32) {
        self.variable = Variable { remaining: count, seen: 0, position: 1 };
        cx.geometry.uniforms_mut().set_float_register(0, [count as f32; 4]);
    }

    /// Forgets everything, as after reset: a run was stopped, sooner or later in a draw.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Collects the slots of a vertex and runs the program when there are enough; appends its emissions to `emitted`. In point
    /// mode there may be enough for [more runs](Self::next_run).
    pub(crate) fn vertex(&mut self, cx: &mut DrawContext<'_>, slots: &[Vec4], emitted: &mut Vec<Emission>) {
        match cx.registers.geometry_input().mode() {
            GeometryMode::Point => {
                self.point.append(slots);
                self.next_run(cx, emitted);
            }
            GeometryMode::Variable => self.variable(cx, slots, emitted),
            GeometryMode::Fixed => self.fixed(cx, slots, emitted),
        }
    }

    /// Point mode: the next run of the slots that are collected; false if they are too few. Its emissions are to be taken
    /// before the next one, which may have as many.
    pub(crate) fn next_run(&mut self, cx: &mut DrawContext<'_>, emitted: &mut Vec<Emission>) -> bool {
        let inputs = cx.geometry.input_count();
        // Immediate vertices may leave slots of this mode to another one.
        if cx.registers.geometry_input().mode() != GeometryMode::Point || self.point.len < inputs {
            return false;
        }
        if self.pays(cx) {
            self.waiting.each = inputs;
            self.waiting.inputs.extend_from_slice(&self.point.values[..inputs]);
            self.wait(cx, emitted);
        } else {
            self.flush(cx, emitted);
            let permutation = cx.geometry.permutation();
            for (k, value) in self.point.values[..inputs].iter().enumerate() {
                self.unit.v[(permutation >> (4 * k) & 15) as usize] = *value;
            }
        }
        self.point.drop_front(inputs);
        true
    }

    fn variable(&mut self, cx: &mut DrawContext<'_>, slots: &[Vec4], emitted: &mut Vec<Emission>) {
        let whole = u32::from(cx.registers.geometry_variable().last_whole_vertex()) + 1;
        let kept = if self.variable.seen < whole { slots.len() } else { 1 };
        write_uniforms(cx.geometry.uniforms_mut(), self.variable.position, &slots[..kept.min(slots.len())]);
        self.variable.position = self.variable.position.saturating_add(kept as u32);
        self.variable.seen = self.variable.seen.saturating_add(1);
        self.variable.remaining = self.variable.remaining.saturating_sub(1);
        if self.variable.remaining == 0 {
            self.run(cx, emitted);
        }
    }

    fn fixed(&mut self, cx: &mut DrawContext<'_>, slots: &[Vec4], emitted: &mut Vec<Emission>) {
        let config = cx.registers.geometry_input();
        let stride = usize::from(config.last_slot()) + 1;
        let before = stride * self.fixed_vertices as usize;
        let kept = slots.len().min(stride);
        let each = stride * (usize::from(config.last_vertex()) + 1);
        let started = self.waiting.inputs.len() - self.waiting.runs * self.waiting.each;
        // A primitive waits if all of its slots are given, from the first vertex on.
        let waits =
            kept == stride && started == before && (self.waiting.runs == 0 || self.waiting.each == each);
        if waits {
            self.waiting.inputs.extend_from_slice(&slots[..kept]);
        } else {
            self.flush(cx, emitted);
            let at = u32::from(config.first_uniform()) + before as u32;
            write_uniforms(cx.geometry.uniforms_mut(), at, &slots[..kept]);
        }
        self.waiting.each = each;
        self.fixed_vertices += 1;
        if self.fixed_vertices > u32::from(config.last_vertex()) {
            self.fixed_vertices = 0;
            match waits && self.pays(cx) {
                true => self.wait(cx, emitted),
                false => {
                    self.flush(cx, emitted);
                    if !waits {
                        self.run(cx, emitted);
                    }
                }
            }
        }
    }

    /// Charges a run.
    fn pays(&mut self, cx: &mut DrawContext<'_>) -> bool {
        let ints = cx.geometry.uniforms().ints();
        let (program, entry) = (cx.geometry.program(), cx.geometry.entry());
        let steps = self.most_steps.of(program, entry, ints, cx.limits.instructions);
        self.waiting.most_by_steps = (MOST_INSTRUCTIONS / steps.most.max(1)).max(1) as usize;
        let account = &mut cx.account;
        let (registers, mask) = (cx.geometry.permutation(), cx.geometry.output_mask());
        let is_point = cx.registers.geometry_input().mode() == GeometryMode::Point;
        let uniforms = if is_point { 0 } else { cx.registers.raw(0x252) };
        let form =
            [cx.registers.raw(0x289), registers as u32, (registers >> 32) as u32, mask.into(), uniforms];
        let new = cx.texels.geometry_price(program, (entry, cx.geometry.uniforms()), (form, steps));
        account.pay_program(program, entry, steps)
            && account.pay(new)
            && account.pay_invocations(1, 1, steps)
            && account.pay(prices::GEOMETRY + if is_point { 0 } else { prices::GEOMETRY_UNIFORMS })
    }

    /// Counts a run whose inputs are complete; runs those that wait if they are many.
    fn wait(&mut self, cx: &mut DrawContext<'_>, emitted: &mut Vec<Emission>) {
        self.waiting.runs += 1;
        if self.waiting.runs >= self.waiting.most.min(self.waiting.most_by_steps) {
            self.flush(cx, emitted);
        }
    }

    /// Runs all that wait; in fixed mode, writes the inputs of an incomplete primitive.
    pub(crate) fn flush(&mut self, cx: &mut DrawContext<'_>, emitted: &mut Vec<Emission>) {
        let Waiting { each, runs, .. } = self.waiting;
        let inputs = std::mem::take(&mut self.waiting.inputs);
        let (whole, rest) = inputs.split_at(runs * each);
        if runs > 0 {
            let before = emitted.len();
            self.run_all(cx, whole, emitted);
            let emissions = emitted.len() - before;
            cx.account.pay(emissions as u64 * prices::EMISSION);
            self.waiting.most = (MOST_EMISSIONS * runs / emissions.max(1)).clamp(1, MOST_RUNS);
            self.waiting.runs = 0;
        }
        if !rest.is_empty() {
            let at = u32::from(cx.registers.geometry_input().first_uniform());
            write_uniforms(cx.geometry.uniforms_mut(), at, rest);
        }
        self.waiting.inputs = inputs;
        self.waiting.inputs.clear();
    }

    fn run_all(&mut self, cx: &mut DrawContext<'_>, inputs: &[Vec4], emitted: &mut Vec<Emission>) {
        let destination = match cx.registers.geometry_input().mode() {
            GeometryMode::Fixed => GeometryInputs::Uniforms(cx.registers.geometry_input().first_uniform()),
            _ => GeometryInputs::Registers(cx.geometry.permutation()),
        };
        let Some(each) = NonZeroUsize::new(self.waiting.each) else { return };
        cx.stats.shaded += (inputs.len() / each) as u64;
        let (entry, output_mask) = (cx.geometry.entry(), cx.geometry.output_mask());
        let (program, uniforms) = cx.geometry.parts_mut();
        let run = GeometryRun {
            program,
            entry,
            uniforms,
            unit: &mut self.unit,
            output_mask,
            precision: cx.precision,
            instruction_budget: cx.limits.instructions,
            memory: cx.memory,
        };
        let mut batch = GeometryBatch { run, inputs, each, destination };
        cx.stages.run_geometry_batch(&mut batch, emitted, cx.faults);
    }

    fn run(&mut self, cx: &mut DrawContext<'_>, emitted: &mut Vec<Emission>) {
        if !self.pays(cx) {
            return;
        }
        let (entry, output_mask) = (cx.geometry.entry(), cx.geometry.output_mask());
        let (program, uniforms) = cx.geometry.parts_mut();
        let mut run = GeometryRun {
            program,
            entry,
            uniforms,
            unit: &mut self.unit,
            output_mask,
            precision: cx.precision,
            instruction_budget: cx.limits.instructions,
            memory: cx.memory,
        };
        cx.stats.shaded += 1;
        let before = emitted.len();
        cx.stages.run_geometry(&mut run, emitted, cx.faults);
        cx.account.pay((emitted.len() - before) as u64 * prices::EMISSION);
    }

    /// Saves or restores.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        self.persist_unit(words);
        self.persist_inputs(words);
        self.persist_emitted(words);
    }

    /// The registers of the unit.
    pub(crate) fn persist_unit(&mut self, words: &mut Words) {
        self.unit.persist(words);
    }

    /// The slots of an incomplete run.
    pub(crate) fn persist_inputs(&mut self, words: &mut Words) {
        words.floats(self.point.values.iter_mut().flatten());
        words.count(&mut self.point.len, POINT_SLOTS / 2);
        words.word(&mut self.variable.remaining);
        words.word(&mut self.variable.seen);
        words.word(&mut self.variable.position);
        words.word(&mut self.fixed_vertices);
        self.fixed_vertices &= 15;
    }

    /// The emit buffer.
    pub(crate) fn persist_emitted(&mut self, words: &mut Words) {
        words.floats(self.emitted.iter_mut().flatten().flatten());
    }
}

/// The emit buffer while emissions are read: entries stay in the buffer after a primitive, so that a program can
/// replace one and emit again (measured on a console).
pub(crate) struct EmitBuffer<'a> {
    emissions: &'a [Emission],
    /// The last emission of each entry, if it is one of these.
    latest: [Option<usize>; 4],
}

impl<'a> EmitBuffer<'a> {
    pub(crate) const fn new(emissions: &'a [Emission]) -> Self {
        Self { emissions, latest: [None; 4] }
    }

    /// Stores emission `at` in an entry.
    pub(crate) const fn put(&mut self, entry: usize, at: usize) {
        self.latest[entry] = Some(at);
    }

    /// The record of an entry.
    pub(crate) fn record<'b>(&self, entry: usize, stage: &'b GeometryStage) -> &'b Record
    where
        'a: 'b,
    {
        match self.latest[entry] {
            Some(at) => &self.emissions[at].record,
            None => &stage.emitted[entry],
        }
    }

    /// Leaves the entries to later emissions.
    pub(crate) fn store(&self, stage: &mut GeometryStage) {
        for (entry, at) in stage.emitted.iter_mut().zip(self.latest) {
            if let Some(at) = at {
                *entry = self.emissions[at].record;
            }
        }
    }
}

impl Slots {
    fn append(&mut self, slots: &[Vec4]) {
        for slot in slots.iter().take(POINT_SLOTS - self.len) {
            self.values[self.len] = *slot;
            self.len += 1;
        }
    }

    fn drop_front(&mut self, count: usize) {
        self.values.copy_within(count..self.len, 0);
        self.len -= count;
    }
}

/// Writes slots to uniforms from `at` on; slots past the last uniform are dropped (assumed).
fn write_uniforms(uniforms: &mut Uniforms, at: u32, slots: &[Vec4]) {
    for (n, slot) in (at as usize..Uniforms::FLOATS).zip(slots) {
        uniforms.set_float_register(n, *slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::float::Precision;
    use crate::pica::shader::unit::EmitLatch;

    fn slot(n: usize) -> Vec4 {
        [n as f32; 4]
    }

    /// A state has its words after loading, whatever they were: bank and buffer entry are masked.
    #[test]
    fn loaded_units_are_canonical() {
        let saved = |stage: &mut GeometryStage| {
            let mut words = Words::save();
            stage.persist_unit(&mut words);
            words.into_words()
        };
        let mut stage = GeometryStage::default();
        let length = saved(&mut stage).len();
        stage.persist_unit(&mut Words::load(vec![u32::MAX; length]));
        assert_eq!((stage.unit.bank, stage.unit.latch.id), (1, 3));
        let first = saved(&mut stage);
        stage.persist_unit(&mut Words::load(first.clone()));
        assert_eq!(saved(&mut stage), first);
    }

    /// A run that is stopped leaves a stage that is as after reset, wherever in a draw that was.
    #[test]
    fn reset_forgets_everything() {
        let saved = |stage: &mut GeometryStage| {
            let mut words = Words::save();
            stage.persist(&mut words);
            words.into_words()
        };
        let new = saved(&mut GeometryStage::default());
        let mut stage =
            GeometryStage { emitted: [[slot(7); 16]; 4], fixed_vertices: 2, ..GeometryStage::default() };
        stage.point.append(&[1, 2, 3].map(slot));
        stage.variable = Variable { remaining: 4, seen: 1, position: 2 };
        (stage.unit.v[3], stage.unit.latch.id) = (slot(5), 2);
        assert_ne!(saved(&mut stage), new);
        stage.reset();
        assert_eq!(saved(&mut stage), new);
    }

    #[test]
    fn slots_keep_their_order() {
        let mut slots = GeometryStage::default().point;
        slots.append(&[0, 1, 2, 3, 4].map(slot));
        slots.drop_front(2);
        slots.append(&[5, 6].map(slot));
        assert_eq!(slots.len, 5);
        assert_eq!(slots.values[..5], [2, 3, 4, 5, 6].map(slot));
        slots.drop_front(5);
        assert_eq!(slots.len, 0);
        // What does not fit is dropped.
        slots.append(&(0..POINT_SLOTS + 3).map(slot).collect::<Vec<_>>());
        assert_eq!((slots.len, slots.values[POINT_SLOTS - 1]), (POINT_SLOTS, slot(POINT_SLOTS - 1)));
        slots.append(&[slot(99)]);
        assert_eq!((slots.len, slots.values[POINT_SLOTS - 1]), (POINT_SLOTS, slot(POINT_SLOTS - 1)));
    }

    #[test]
    fn slots_behind_the_last_uniform_are_dropped() {
        let written = |at: u32, count: usize| {
            let mut uniforms = Uniforms::default();
            write_uniforms(&mut uniforms, at, &(1..=count).map(slot).collect::<Vec<_>>());
            (0..Uniforms::FLOATS)
                .filter(|&n| uniforms.float(n, Precision::Binary32) != [0.0; 4])
                .collect::<Vec<_>>()
        };
        assert_eq!(written(3, 2), [3, 4]);
        assert_eq!(written(94, 5), [94, 95]);
        assert_eq!(written(96, 1), []);
        assert_eq!(written(u32::MAX, 1), []);
    }

    /// An entry is the latest emission of its id, of these emissions or of earlier ones.
    #[test]
    fn emit_buffer_keeps_entries() {
        let emission = |n: usize| Emission { latch: EmitLatch::default(), record: [slot(n); 16] };
        let emitted = [10, 11, 12, 13].map(|n| [slot(n); 16]);
        let mut stage = GeometryStage { emitted, ..GeometryStage::default() };
        let emissions = [1, 2, 3].map(emission);
        let mut buffer = EmitBuffer::new(&emissions);
        let first = |buffer: &EmitBuffer<'_>, stage| [0, 1, 2].map(|entry| buffer.record(entry, stage)[0][0]);
        assert_eq!(first(&buffer, &stage), [10.0, 11.0, 12.0]);
        buffer.put(1, 0);
        buffer.put(2, 1);
        buffer.put(1, 2);
        assert_eq!(first(&buffer, &stage), [10.0, 3.0, 2.0]);
        buffer.store(&mut stage);
        assert_eq!(stage.emitted.map(|record| record[15][3]), [10.0, 3.0, 2.0, 13.0]);
    }
}
