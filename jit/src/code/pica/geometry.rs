//! Running geometry routines.

use super::facts::GeometryFacts;
use super::tables::{RegisterUses, Tables};
use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::pica::layout::ROWS_BEFORE;
use crate::emit::pica::layout::geometry::GeometryCall;
use crate::error::CompileError;
use picaflor_pipeline::pica::shader::unit::{EmitLatch, ShaderUnit, Vec4};
use picaflor_pipeline::pica::stage::Emission;
use std::sync::Arc;

/// A compiled geometry program.
#[derive(Debug)]
pub(crate) struct GeometryRoutine {
    routine: Routine<GeometryCall>,
    /// Facts for the caller.
    pub(crate) facts: GeometryFacts,
    /// Table entries that the routine reads.
    pub(crate) uses: RegisterUses,
}

/// The start of an emission.
const NO_EMISSION: Emission =
    Emission { latch: EmitLatch { id: 0, primitive: false, winding: false }, record: [[0.0; 4]; 16] };

/// State of `EMIT` while generated code runs.
struct Sink<'a> {
    unit: UnitOutputs,
    output_mask: u16,
    emitted: &'a mut Vec<Emission>,
}

/// The output registers, in memory that generated code writes too.
struct UnitOutputs {
    banks: *mut [[Vec4; 16]; 2],
    bank: u32,
}

impl GeometryRoutine {
    /// A handle on code that [`crate::pica::shader::geometry::build`] emitted, now or before it was stored on disk.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(code: Arc<CodeBlock>, facts: GeometryFacts) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `GeometryCall` argument only,
        // within the registers that `run` points them to. Code from the disk is what the same version of the
        // generator emitted for the same key: see `disk_cache`.
        let routine = unsafe { Routine::new(code)? };
        let uses = RegisterUses::new(&facts.uses);
        Ok(Self { routine, facts, uses })
    }

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        self.routine.code()
    }

    /// Runs the program once. Returns false if the interpreter must run it; the unit and `emitted` are then in an
    /// intermediate state.
    pub(crate) fn run(
        &self,
        tables: &Tables,
        unit: &mut ShaderUnit,
        b15: bool,
        output_mask: u16,
        instruction_budget: u32,
        emitted: &mut Vec<Emission>,
    ) -> bool {
        let banks = &raw mut unit.o;
        let bank = unit.bank & 1;
        let mut sink = Sink { unit: UnitOutputs { banks, bank }, output_mask, emitted };
        let mut call = GeometryCall {
            splats: tables.splats.as_ptr().cast(),
            rows: tables.rows[ROWS_BEFORE..].as_ptr().cast(),
            v: unit.v.as_ptr().cast(),
            r: unit.r.as_mut_ptr().cast(),
            bank: sink.unit.pointer(),
            emit,
            sink: (&raw mut sink).cast(),
            budget: u64::from(instruction_budget),
            cmp: unit.cmp.map(|flag| -i32::from(flag)),
            a0: unit.a0,
            al: unit.al,
            b15: -i32::from(b15),
            latch: [u32::from(unit.latch.id), u32::from(unit.latch.primitive), u32::from(unit.latch.winding)],
            flagged: 0,
        };
        // SAFETY: registers and tables are borrowed for the call and have their full lengths; the output banks
        // are reached through pointers only, here and in `emit`, until the call returns. Row numbers are kept
        // within -128..=222 by the code. `emit` is given this call, whose `sink` is live, and cannot unwind.
        unsafe { self.routine.run(&mut call, FpMode::Ieee) };
        unit.bank = sink.unit.bank;
        unit.cmp = call.cmp.map(|flag| flag != 0);
        unit.a0 = call.a0;
        unit.al = call.al;
        unit.latch = latch(&call);
        call.flagged == 0
    }
}

impl UnitOutputs {
    /// The registers of the current bank.
    fn pointer(&self) -> *mut f32 {
        let first: *mut [Vec4; 16] = self.banks.cast();
        first.wrapping_add(self.bank as usize).cast()
    }
}

fn latch(call: &GeometryCall) -> EmitLatch {
    let [id, primitive, winding] = call.latch;
    EmitLatch { id: (id & 3) as u8, primitive: primitive != 0, winding: winding != 0 }
}

/// `EMIT`: packs the outputs of the current bank, then switches the bank for writes.
///
/// # Safety
/// `call` is the argument of a running routine that [`GeometryRoutine::run`] called.
unsafe extern "C" fn emit(call: *mut GeometryCall) {
    // SAFETY: by this function's contract the call is live, and generated code waits for this function.
    let call = unsafe { &mut *call };
    // SAFETY: `run` pointed `sink` to a live `Sink` that nothing else uses meanwhile.
    let sink = unsafe { &mut *call.sink.cast::<Sink<'_>>() };
    // SAFETY: the banks are live for the call, and nothing else touches them while this function runs.
    let banks = unsafe { &*sink.unit.banks };
    // Copied as a whole and then filled in: a record on the stack would be copied after it was filled in.
    sink.emitted.extend_from_slice(&[NO_EMISSION]);
    if let Some(emission) = sink.emitted.last_mut() {
        emission.latch = latch(call);
        ShaderUnit::pack_into(&banks[sink.unit.bank as usize & 1], sink.output_mask, &mut emission.record);
    }
    sink.unit.bank ^= 1;
    call.bank = sink.unit.pointer();
}
