//! Shrinks a failing case while it keeps failing.

use std::time::{Duration, Instant};

use crate::pica::encode;
use crate::pica::notation::{Row, Word};
use crate::pica::programs::case::{Attribute, Case, FloatUniform, Output, Source, UnitState, Work};
use crate::pica::programs::generate::shader::has_target;
use crate::reducer::Reducer;
use picaflor_pipeline::pica::shader::instr::Instruction;
use picaflor_pipeline::pica::shader::ops::Opcode;

/// The smallest case found in `time` for which `fails` still holds, or else `case` itself. `fails` must hold for
/// `case`.
pub fn reduce(case: &Case, time: Duration, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut reducer = Reducer { best: case.clone(), end: Instant::now() + time, fails };
    loop {
        let before = reducer.best.clone();
        reducer.invocations();
        reducer.code();
        reducer.data();
        reducer.attributes();
        reducer.descriptors();
        reducer.rows();
        if reducer.best == before || Instant::now() >= reducer.end {
            return reducer.best;
        }
    }
}

impl Reducer<'_, Case> {
    /// Tries one vertex or run alone, else removes those that are not needed.
    fn invocations(&mut self) {
        let count = invocations(&self.best);
        for keep in 0..count {
            if count > 1 && self.attempt(|case| retain_invocations(case, |at| at == keep)) {
                return;
            }
        }
        for drop in (0..count).rev() {
            if invocations(&self.best) > 1 {
                self.attempt(|case| retain_invocations(case, |at| at != drop));
            }
        }
    }

    /// Words to `NOP`, in ever smaller pieces, then out.
    fn code(&mut self) {
        let nop = Word(encode::bare(Opcode::Nop));
        let mut size = self.best.code.len().next_power_of_two();
        while size > 0 {
            for start in (0..self.best.code.len()).step_by(size) {
                self.attempt(|case| case.code.iter_mut().skip(start).take(size).for_each(|word| *word = nop));
            }
            size /= 2;
        }
        for at in (0..self.best.code.len()).rev() {
            self.attempt(|case| remove_word(case, at));
        }
        let end = Word(encode::bare(Opcode::End));
        for at in 0..self.best.code.len() {
            if self.attempt(|case| {
                case.code.truncate(at);
                case.code.push(end);
            }) {
                return;
            }
        }
    }

    /// Uniforms, memory, the start of a unit.
    fn data(&mut self) {
        self.attempt(|case| case.uniforms.floats.clear());
        for n in self.best.uniforms.floats.clone().into_keys() {
            self.attempt(|case| case.uniforms.floats.retain(|&other, _| other != n));
        }
        for bit in 0..16 {
            self.attempt(|case| case.uniforms.bools &= !(1 << bit));
        }
        for id in 0..4 {
            self.attempt(|case| case.uniforms.ints[id] = [0; 4]);
            for i in 0..4 {
                self.attempt(|case| case.uniforms.ints[id][i] = 0);
            }
        }
        self.attempt(|case| case.budget = 1000);
        match self.best.work.clone() {
            Work::Vertex(work) => {
                self.attempt(|case| with_vertex(case, |work| work.memory.0.clear()));
                self.attempt(|case| with_vertex(case, |work| work.memory.0.fill(0)));
                for at in (0..work.indices.len()).rev() {
                    self.attempt(|case| with_vertex(case, |work| work.indices[at] = at as u32));
                }
            }
            Work::Geometry(work) => {
                self.attempt(|case| with_geometry(case, |work| work.start = UnitState::default()));
                for at in 0..work.runs.len() {
                    self.attempt(|case| with_geometry(case, |work| work.runs[at].v.clear()));
                    self.attempt(|case| with_geometry(case, |work| work.runs[at].c.clear()));
                    self.attempt(|case| with_geometry(case, |work| work.runs[at].bools = None));
                }
            }
        }
    }

    /// Tries fewer attributes, fixed ones instead of arrays, plain output.
    fn attributes(&mut self) {
        let Work::Vertex(work) = self.best.work.clone() else { return };
        for at in (0..work.attributes.len()).rev() {
            self.attempt(|case| {
                with_vertex(case, |work| {
                    work.attributes.remove(at);
                });
            });
        }
        for one in [Row([0x3f80_0000; 4]), Row::default()] {
            let Work::Vertex(work) = &self.best.work else { return };
            for at in 0..work.attributes.len() {
                let fixed = |attribute: &mut Attribute| attribute.source = Source::Fixed(one);
                self.attempt(|case| with_vertex(case, |work| fixed(&mut work.attributes[at])));
            }
        }
        let arrays = |source: &Attribute| matches!(source.source, Source::Array { .. });
        self.attempt(|case| {
            with_vertex(case, |work| {
                if !work.attributes.iter().any(arrays) {
                    work.memory.0.clear();
                }
            });
        });
        for mask in (0..16).map(|n| 1 << n).chain([u16::MAX]) {
            let slots = mask.count_ones() as u8;
            let plain = Output::Records { mask, slots };
            if matches!(work.output, Output::Mapped { .. })
                && self.attempt(|case| with_vertex(case, |work| work.output = plain))
            {
                return;
            }
        }
    }

    /// Removes unused ones, and sets the others to the identity.
    fn descriptors(&mut self) {
        let used: Vec<usize> = self.best.code.iter().map(|word| Instruction(word.0).descriptor()).collect();
        let length = used.iter().max().map_or(0, |last| last + 1);
        self.attempt(|case| case.descriptors.truncate(length));
        for id in 0..self.best.descriptors.len() {
            let unused = !used.contains(&id);
            let simple = if unused { 0 } else { encode::IDENTITY };
            self.attempt(|case| case.descriptors[id] = Word(simple));
        }
    }

    /// Values to 0 or 1, where there are not too many left.
    fn rows(&mut self) {
        let count = rows(&mut self.best.clone()).len();
        for at in 0..count.min(64) {
            for simple in [[0; 4], [0x3f80_0000; 4]] {
                self.attempt(|case| {
                    if let Some(row) = rows(case).into_iter().nth(at).filter(|row| row.0 != [0; 4]) {
                        row.0 = simple;
                    }
                });
            }
            for component in 0..4 {
                self.attempt(|case| {
                    if let Some(row) = rows(case).into_iter().nth(at) {
                        row.0[component] = 0;
                    }
                });
            }
        }
    }
}

/// All values that are written as rows.
fn rows(case: &mut Case) -> Vec<&mut Row> {
    let uniforms = case.uniforms.floats.values_mut().map(|uniform| match uniform {
        FloatUniform::F24(row) | FloatUniform::F32(row) | FloatUniform::Register(row) => row,
    });
    let mut rows: Vec<&mut Row> = uniforms.collect();
    match &mut case.work {
        Work::Vertex(work) => rows.extend(work.attributes.iter_mut().filter_map(|a| match &mut a.source {
            Source::Fixed(row) => Some(row),
            Source::Array { .. } => None,
        })),
        Work::Geometry(work) => {
            rows.extend(work.start.r.values_mut().chain(work.start.o.values_mut()));
            rows.extend(work.runs.iter_mut().flat_map(|run| run.v.values_mut().chain(run.c.values_mut())));
        }
    }
    rows
}

fn invocations(case: &Case) -> usize {
    match &case.work {
        Work::Vertex(work) => work.indices.len(),
        Work::Geometry(work) => work.runs.len(),
    }
}

fn retain_invocations(case: &mut Case, keep: impl Fn(usize) -> bool) {
    let mut at = 0..;
    match &mut case.work {
        Work::Vertex(work) => work.indices.retain(|_| at.next().is_some_and(&keep)),
        Work::Geometry(work) => work.runs.retain(|_| at.next().is_some_and(&keep)),
    }
}

fn with_vertex(case: &mut Case, change: impl FnOnce(&mut crate::pica::programs::case::VertexWork)) {
    if let Work::Vertex(work) = &mut case.work {
        change(work);
    }
}

fn with_geometry(case: &mut Case, change: impl FnOnce(&mut crate::pica::programs::case::GeometryWork)) {
    if let Work::Geometry(work) = &mut case.work {
        change(work);
    }
}

/// Removes a word; adjusts the addresses behind it and the lengths around it.
fn remove_word(case: &mut Case, at: usize) {
    case.code.remove(at);
    case.entry -= u16::from(usize::from(case.entry) > at);
    for word in &mut case.code {
        let instruction = Instruction(word.0);
        if !has_target(instruction.opcode()) {
            continue;
        }
        let (target, num) = (u32::from(instruction.target()), u32::from(instruction.num()));
        let (at, counted) = (at as u32, instruction.opcode() != Opcode::Jmpu);
        let shorter = counted && (target..target + num).contains(&at);
        // The `dst` of a LOOP is its last word; that of the others is the first word of something.
        let moved = target > at || target == at && instruction.opcode() == Opcode::Loop && target > 0;
        let (target, num) = (target - u32::from(moved), num - u32::from(shorter));
        word.0 = word.0 & !0x3f_fcff | target << 10 | num;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::programs::generate;

    /// A property that needs one opcode and one value: nothing else may remain.
    #[test]
    fn what_does_not_matter_goes() {
        let has = |case: &Case, opcode| case.code.iter().any(|word| Opcode::of(word.0) == opcode);
        let case = (0..)
            .flat_map(|program| generate::cases(3, program))
            .find(|case| {
                has(case, Opcode::Flr) && matches!(case.work, Work::Vertex(_)) && case.code.len() > 20
            })
            .expect("the generator makes every opcode");
        let reduced = reduce(&case, Duration::from_secs(20), &mut |case| has(case, Opcode::Flr));
        assert!(reduced.code.len() <= 2, "{:?}", reduced.code);
        assert!(reduced.uniforms.floats.is_empty());
        let Work::Vertex(work) = &reduced.work else { panic!("the kind of work stays") };
        assert!(work.memory.0.is_empty() && work.attributes.is_empty() && work.indices.len() == 1);
    }

    #[test]
    fn removing_a_word_moves_targets() {
        let mut case = generate::cases(1, 0).swap_remove(0);
        let call = encode::flow(Opcode::Call, 2, 3, 0);
        let body = encode::flow(Opcode::Loop, 4, 0, 1);
        case.code = [call, 0, body, 0, 0, 0].map(Word).to_vec();
        case.entry = 0;
        remove_word(&mut case, 3);
        let expected = [encode::flow(Opcode::Call, 2, 2, 0), 0, encode::flow(Opcode::Loop, 3, 0, 1), 0, 0];
        assert_eq!(case.code, expected.map(Word));
    }
}
