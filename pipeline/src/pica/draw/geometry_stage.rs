//! The geometry stage: collects vertices for runs of the geometry program, and assembles its emissions to primitives.
//!
//! Source: pica-shader.md section 5, pica-geometry.md 3.9; measured on a console where those sections say so.

use crate::persist::Words;
use crate::pica::draw::DrawContext;
use crate::pica::regs::geometry::GeometryMode;
use crate::pica::shader::steps::MostSteps;
use crate::pica::shader::unit::{Record, ShaderUnit, Uniforms, Vec4};
use crate::pica::stage::{Emission, GeometryRun};

/// Maximum number of slots in point mode: those of an incomplete run, plus those of one more vertex.
const POINT_SLOTS: usize = 32;

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
        }
    }
}

impl GeometryStage {
    /// Drops the collected slots. Registers and emit buffer are unchanged.
    pub(crate) const fn begin(&mut self) {
        self.point.len = 0;
        self.variable = Variable { remaining: 0, seen: 0, position: 0 };
        self.fixed_vertices = 0;
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

    /// Collects the slots of a vertex and runs the program when there are enough; appends its emissions to `emitted`.
    pub(crate) fn vertex(&mut self, cx: &mut DrawContext<'_>, slots: &[Vec4], emitted: &mut Vec<Emission>) {
        match cx.registers.geometry_input().mode() {
            GeometryMode::Point => self.point(cx, slots, emitted),
            GeometryMode::Variable => self.variable(cx, slots, emitted),
            GeometryMode::Fixed => self.fixed(cx, slots, emitted),
        }
    }

    fn point(&mut self, cx: &mut DrawContext<'_>, slots: &[Vec4], emitted: &mut Vec<Emission>) {
        self.point.append(slots);
        let inputs = cx.geometry.input_count();
        let permutation = cx.geometry.permutation();
        while self.point.len >= inputs {
            for (k, value) in self.point.values[..inputs].iter().enumerate() {
                self.unit.v[(permutation >> (4 * k) & 15) as usize] = *value;
            }
            self.point.drop_front(inputs);
            self.run(cx, emitted);
        }
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
        let stride = u32::from(config.last_slot()) + 1;
        let at = u32::from(config.first_uniform()) + stride * self.fixed_vertices;
        let kept = slots.len().min(stride as usize);
        write_uniforms(cx.geometry.uniforms_mut(), at, &slots[..kept]);
        self.fixed_vertices += 1;
        if self.fixed_vertices > u32::from(config.last_vertex()) {
            self.fixed_vertices = 0;
            self.run(cx, emitted);
        }
    }

    fn run(&mut self, cx: &mut DrawContext<'_>, emitted: &mut Vec<Emission>) {
        let (entry, output_mask) = (cx.geometry.entry(), cx.geometry.output_mask());
        let (program, uniforms) = cx.geometry.parts_mut();
        if !cx.instructions.pay(1, self.most_steps.of(program, entry, cx.limits.instructions)) {
            return;
        }
        let mut run = GeometryRun {
            program,
            entry,
            uniforms,
            unit: &mut self.unit,
            output_mask,
            precision: cx.precision,
            instruction_budget: cx.limits.instructions,
        };
        cx.stats.shaded += 1;
        cx.stages.run_geometry(&mut run, emitted, cx.faults);
    }

    /// Stores an emitted vertex. Returns the vertices of a primitive if it is complete; they stay in the buffer, so
    /// that a program can replace one and emit again (measured on a console).
    pub(crate) fn emit(&mut self, emission: &Emission) -> Option<&[Record]> {
        self.emitted[usize::from(emission.latch.id & 3)] = emission.record;
        emission.latch.primitive.then_some(&self.emitted[..3])
    }

    /// Saves or restores.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        persist_unit(&mut self.unit, words);
        words.floats(self.point.values.iter_mut().flatten());
        words.count(&mut self.point.len, POINT_SLOTS / 2);
        words.word(&mut self.variable.remaining);
        words.word(&mut self.variable.seen);
        words.word(&mut self.variable.position);
        words.word(&mut self.fixed_vertices);
        self.fixed_vertices &= 15;
        words.floats(self.emitted.iter_mut().flatten().flatten());
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

fn persist_unit(unit: &mut ShaderUnit, words: &mut Words) {
    words.floats(unit.v.iter_mut().flatten());
    words.floats(unit.r.iter_mut().flatten());
    words.floats(unit.o.iter_mut().flatten().flatten());
    words.word(&mut unit.bank);
    for signed in unit.a0.iter_mut().chain([&mut unit.al]) {
        let mut word = *signed as u32;
        words.word(&mut word);
        *signed = word as i32;
    }
    unit.cmp.iter_mut().for_each(|flag| words.flag(flag));
    words.byte(&mut unit.latch.id);
    words.flag(&mut unit.latch.primitive);
    words.flag(&mut unit.latch.winding);
}
