//! Running geometry routines.

use super::facts::{GeometryFacts, GeometryForm};
use super::tables::{RegisterUses, Tables, are_ordinary};
use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::pica::layout::geometry::{COMPONENTS, GeometryCall};
use crate::emit::pica::layout::{ROWS_BEFORE, RunInputs};
use crate::emit::pica::number::Arithmetic;
use crate::error::CompileError;
use crate::pica::key::shader::GeometryKey;
use picaflor_pipeline::pica::shader::unit::{EmitLatch, ShaderUnit, Vec4};
use picaflor_pipeline::pica::stage::{Emission, GeometryInputs};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

/// A compiled geometry program.
#[derive(Debug)]
pub(crate) struct GeometryRoutine {
    routine: Routine<GeometryCall>,
    /// Slots of a record that an `EMIT` packs.
    packed: usize,
    inputs: RunInputs,
    arithmetic: Arithmetic,
    /// Facts for the caller.
    pub(crate) facts: GeometryFacts,
    /// Table entries that the routine reads.
    pub(crate) uses: RegisterUses,
}

/// Settings of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunSettings {
    pub(crate) b15: bool,
    pub(crate) instruction_budget: u32,
}

/// Runs of a batch, to go side by side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunsJob<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) inputs: &'a [Vec4],
    /// Inputs of a run, not 0.
    pub(crate) each: usize,
    pub(crate) destination: GeometryInputs,
    /// Number of the run in each lane of each group: see [`lanes_of_runs`].
    pub(crate) lanes: &'a [u32],
}

/// How a run ended.
enum End {
    Done,
    /// It has to be done another way; `r` and `o` may have changed.
    Flagged,
    /// There is no room for its emissions; likewise.
    Full,
}

/// Emissions for which there is room at first, where their number is not known.
const FIRST_ROOM: usize = 16;

impl GeometryRoutine {
    /// A handle on code that [`crate::pica::shader::geometry::build`] emitted for this key, now or before it was stored on
    /// disk.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(
        code: Arc<CodeBlock>,
        key: &GeometryKey,
        facts: GeometryFacts,
    ) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `GeometryCall` argument only,
        // within what `run` and `run_groups` point them to. Code from the disk is what the same version of the
        // generator emitted for the same key: see `disk_cache`.
        let routine = unsafe { Routine::new(code)? };
        let uses = RegisterUses::new(&facts.uses);
        let packed = key.output_mask.count_ones() as usize;
        Ok(Self { routine, packed, inputs: key.inputs, arithmetic: key.arithmetic, facts, uses })
    }

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        self.routine.code()
    }

    /// True if runs may be flagged because of their numbers.
    pub(crate) const fn is_fast(&self) -> bool {
        self.arithmetic.is_fast()
    }

    /// True if the numbers in registers are in the range of the code. Inputs of runs side by side are not looked at.
    pub(crate) fn takes(&self, unit: &ShaderUnit, limit: f32) -> bool {
        if self.arithmetic != Arithmetic::ConsoleFast {
            return true;
        }
        let GeometryFacts { inputs, initial, form, .. } = self.facts;
        let loaded = match (self.inputs, form) {
            (RunInputs::Registers { loaded }, GeometryForm::SideBySide { .. }) => loaded,
            _ => 0,
        };
        let is_read = |n: &usize| (inputs & !loaded) >> n & 1 != 0;
        let was_read = |n: &usize| initial >> (4 * n) & 15 != 0;
        (0..16).filter(is_read).all(|n| are_ordinary(&unit.v[n..=n], limit))
            && (initial == 0 || (0..16).filter(was_read).all(|n| are_ordinary(&unit.r[n..=n], limit)))
    }

    fn mode(&self) -> FpMode {
        match self.arithmetic {
            Arithmetic::ConsoleFast => FpMode::FlushToZero,
            _ => FpMode::Ieee,
        }
    }

    /// The call, without emissions and runs; callers fill it in where it is. `bank`: that of the outputs which is current.
    #[inline]
    fn call(tables: &Tables, unit: &mut ShaderUnit, bank: usize) -> GeometryCall {
        let ShaderUnit { latch, v, r, o, .. } = unit;
        let outputs: *mut [Vec4; 16] = o.as_mut_ptr();
        GeometryCall {
            splats: tables.splats.as_ptr().cast(),
            scaled_splats: tables.scaled_splats.as_ptr().cast(),
            rows: tables.rows[ROWS_BEFORE..].as_ptr().cast(),
            scaled_rows: tables.scaled_rows[ROWS_BEFORE..].as_ptr().cast(),
            v: v.as_ptr().cast(),
            r: r.as_mut_ptr().cast(),
            banks: [bank & 1, bank & 1 ^ 1].map(|bank| outputs.wrapping_add(bank).cast()),
            emitted: ptr::null_mut(),
            room: ptr::null_mut(),
            budget: 0,
            cmp: unit.cmp.map(|flag| -i32::from(flag)),
            a0: unit.a0,
            al: unit.al,
            b15: 0,
            latch: u32::from(latch.id) | u32::from(latch.primitive) << 8 | u32::from(latch.winding) << 16,
            flagged: 0,
            full: 0,
            groups: 0,
            group_list: ptr::null(),
            last_group: 0,
            lanes: ptr::null(),
            inputs: ptr::null(),
            stride: 0,
            offsets: [0; 16],
            before: [ptr::null_mut(); 2],
            homes: ptr::null_mut(),
            flagged_groups: ptr::null_mut(),
            flagged_count: 0,
        }
    }

    /// Runs the program once. Returns false if the run has to be done another way; nothing has changed then.
    ///
    /// # Panics
    /// If the routine takes runs of a batch side by side, which is a bug of the engine.
    pub(crate) fn run(
        &self,
        tables: &Tables,
        unit: &mut ShaderUnit,
        settings: RunSettings,
        emitted: &mut Vec<Emission>,
    ) -> bool {
        let GeometryForm::One { emissions, early } = self.facts.form else {
            panic!("the routine takes one run at a time")
        };
        let mut room = emissions.map_or(FIRST_ROOM, |most| most as usize);
        let before = early.then_some((unit.r, unit.o));
        loop {
            emitted.reserve(room);
            if emissions.is_none() {
                room = emitted.capacity() - emitted.len();
            }
            let end = self.call_once(tables, unit, settings, emitted, room);
            if let (End::Flagged | End::Full, Some(before)) = (&end, before) {
                (unit.r, unit.o) = before;
            }
            match end {
                End::Done => return true,
                End::Flagged => return false,
                End::Full => room *= 2,
            }
        }
    }

    /// Calls the code for one run. `emitted` has room for so many emissions, all that a run can have unless cycles repeat
    /// some.
    fn call_once(
        &self,
        tables: &Tables,
        unit: &mut ShaderUnit,
        settings: RunSettings,
        emitted: &mut Vec<Emission>,
        room: usize,
    ) -> End {
        let first: *mut Emission = emitted.spare_capacity_mut()[..room].as_mut_ptr().cast();
        let mut call = Self::call(tables, unit, unit.bank as usize);
        call.emitted = first;
        call.room = first.wrapping_add(room);
        call.budget = u64::from(settings.instruction_budget);
        call.b15 = -i32::from(settings.b15);
        // SAFETY: registers and tables are borrowed for the call and have their full lengths. Row numbers are kept
        // within -128..=222 by the code. It writes no more emissions than a run can have, or, in a program with cycles,
        // than there is room for.
        unsafe { self.routine.run(&mut call, self.mode()) };
        if call.full != 0 {
            return End::Full;
        }
        if call.flagged != 0 {
            return End::Flagged;
        }
        let count = (call.emitted as usize - first as usize) / size_of::<Emission>();
        assert!(count <= room, "there is room for the emissions");
        // SAFETY: there is memory for so many. The code wrote the latches and the packed slots, the rest of the records
        // is cleared here.
        unsafe {
            self.clear_rest(first, count);
            emitted.set_len(emitted.len() + count);
        }
        leave(unit, &call);
        turn(unit, count);
        End::Done
    }

    /// Clears the slots that are not packed.
    ///
    /// # Safety
    /// There is memory for so many emissions.
    unsafe fn clear_rest(&self, first: *mut Emission, count: usize) {
        for n in 0..count {
            // SAFETY: by this function's contract; a record has 16 slots, of which the first are packed.
            unsafe {
                let record = &raw mut (*first.add(n)).record;
                ptr::write_bytes(record.cast::<Vec4>().add(self.packed), 0, 16 - self.packed);
            }
        }
    }

    /// Runs the groups of `list`, in order; fast code runs all groups and wants `list` empty. `emitted` is for the
    /// emissions of all runs, cleared. `flagged` becomes the list of groups that must run again. The registers of the
    /// unit become those after the last run if its group was run and not flagged; [`turn`] has to follow.
    ///
    /// # Panics
    /// If the job does not fit the routine, which is a bug of the engine.
    pub(crate) fn run_groups(
        &self,
        job: &RunsJob<'_>,
        list: &[u32],
        unit: &mut ShaderUnit,
        emitted: &mut [Emission],
        flagged: &mut Vec<u32>,
    ) {
        let groups = job.lanes.len() / 4;
        let groups_now = if self.is_fast() { groups } else { list.len() };
        flagged.clear();
        if groups_now == 0 {
            return;
        }
        let runs = job.inputs.len() / job.each;
        let emissions = self.check(job, list, runs, emitted);
        flagged.reserve(groups_now);
        let bank = unit.bank as usize + (runs - 1) * emissions;
        let common = Self::call(job.tables, unit, bank);
        let [current, other] = common.banks;
        let mut nowhere = MaybeUninit::<[Vec4; 16]>::uninit();
        let nowhere: *mut f32 = nowhere.as_mut_ptr().cast();
        let mut homes = MaybeUninit::<[[f32; 4]; 3 * COMPONENTS]>::uninit();
        let mut call = GeometryCall {
            emitted: emitted.as_mut_ptr(),
            groups: groups_now as u64,
            group_list: list.as_ptr(),
            last_group: groups as u64 - 1,
            lanes: job.lanes.as_ptr(),
            inputs: job.inputs.as_ptr().cast(),
            stride: (job.each * size_of::<Vec4>()) as u64,
            offsets: job.offsets(),
            // The bank that is current when a run begins changes from run to run.
            before: if runs > 1 { [other, current] } else { [nowhere; 2] },
            homes: homes.as_mut_ptr().cast(),
            flagged_groups: flagged.as_mut_ptr(),
            ..common
        };
        // SAFETY: `check` has shown that every lane's run has its inputs and a place for its emissions; registers and
        // tables are borrowed for the call and have their full lengths. Row numbers are kept within -128..=222 by the code, which reads `homes` only
        // where it has written. `flagged` has room for each group that runs.
        unsafe { self.routine.run(&mut call, self.mode()) };
        let count = usize::try_from(call.flagged_count).expect("a count of groups");
        assert!(count <= groups_now, "the routine lists each group once at most");
        // SAFETY: the code wrote the first `count` entries.
        unsafe { flagged.set_len(count) };
        leave(unit, &call);
    }

    /// Checks that a job fits; the number of emissions of each run.
    fn check(&self, job: &RunsJob<'_>, list: &[u32], runs: usize, emitted: &[Emission]) -> usize {
        let GeometryForm::SideBySide { emissions } = self.facts.form else {
            panic!("the routine takes runs of a batch side by side")
        };
        assert_eq!(job.lanes.len() % 4, 0, "lanes come in whole groups");
        assert!(job.lanes.iter().all(|&run| (run as usize) < runs), "there is a run in each lane");
        assert!(list.iter().all(|&group| (group as usize) < job.lanes.len() / 4), "listed groups exist");
        assert_eq!(emitted.len(), runs * emissions as usize, "there is a place for each emission");
        assert_eq!(
            self.inputs,
            crate::pica::key::shader::run_inputs(job.destination, job.each),
            "inputs go where the code expects them"
        );
        emissions as usize
    }
}

impl RunsJob<'_> {
    /// For each register that an input goes to, its distance in bytes; the later of two inputs wins.
    fn offsets(&self) -> [u64; 16] {
        let mut offsets = [0; 16];
        if let GeometryInputs::Registers(permutation) = self.destination {
            for k in 0..self.each.min(16) {
                offsets[(permutation >> (4 * k) & 15) as usize] = (k * size_of::<Vec4>()) as u64;
            }
        }
        offsets
    }
}

/// Puts the numbers of runs, at least one, into lanes of whole groups. The last two lanes have the last two runs; for that
/// the last group overlaps the one before, or the first run is there several times.
pub(crate) fn lanes_of_runs(runs: usize, lanes: &mut Vec<u32>) {
    lanes.clear();
    for first in (0..runs).step_by(4) {
        let first = first.min(runs.saturating_sub(4));
        let idle = 4_usize.saturating_sub(runs);
        lanes.extend((0..4).map(|lane| (first + lane).saturating_sub(idle) as u32));
    }
}

/// Appends emissions of zeros; returns them.
pub(crate) fn append_cleared(emitted: &mut Vec<Emission>, count: usize) -> &mut [Emission] {
    let length = emitted.len();
    emitted.reserve(count);
    // SAFETY: there is room for so many, and zeros are an emission: numbers, a vertex id, two flags.
    unsafe {
        ptr::write_bytes(emitted.as_mut_ptr().add(length), 0, count);
        emitted.set_len(length + count);
    }
    &mut emitted[length..]
}

/// Turns the bank of a unit after so many emissions.
pub(crate) fn turn(unit: &mut ShaderUnit, emissions: usize) {
    if emissions > 0 {
        unit.bank = (unit.bank ^ emissions as u32) & 1;
    }
}

/// What the call leaves in registers that are not numbers.
fn leave(unit: &mut ShaderUnit, call: &GeometryCall) {
    unit.cmp = call.cmp.map(|flag| flag != 0);
    unit.a0 = call.a0;
    unit.al = call.al;
    let [id, primitive, winding, _] = call.latch.to_le_bytes();
    unit.latch = EmitLatch { id: id & 3, primitive: primitive != 0, winding: winding != 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_end_with_the_last_two_runs() {
        let lanes = |runs| {
            let mut lanes = Vec::new();
            lanes_of_runs(runs, &mut lanes);
            lanes
        };
        assert_eq!(lanes(1), [0, 0, 0, 0]);
        assert_eq!(lanes(2), [0, 0, 0, 1]);
        assert_eq!(lanes(3), [0, 0, 1, 2]);
        assert_eq!(lanes(4), [0, 1, 2, 3]);
        assert_eq!(lanes(6), [0, 1, 2, 3, 2, 3, 4, 5]);
        assert_eq!(lanes(8), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
