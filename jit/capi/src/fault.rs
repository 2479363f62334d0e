//! Faults of the guest, as C structures.

use crate::engine::EngineHandle;
use crate::handle::Handle;
use crate::machine::{Machine, MachineHandle, with};
use crate::raw::{Out, Room, c_struct};
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::fault::{Fault, FaultList};
use std::ffi::c_char;

/// Size of the text in bytes, terminator included.
const TEXT: usize = 96;

c_struct! {
    fixed
    /// `picaflor_fault`.
    FaultInfo {
        /// `picaflor_fault_kind`.
        kind: u32,
        /// Register, word of a program, or address, depending on the kind.
        at: u32,
        /// Value, opcode or vertex, depending on the kind.
        value: u32,
        /// Zero.
        reserved: u32,
        /// Description, terminated by a zero byte.
        text: [c_char; TEXT],
    }
}

impl FaultInfo {
    fn of(fault: &Fault) -> Self {
        let (kind, at, value) = numbers(fault);
        let mut text = [0; TEXT];
        for (place, byte) in text.iter_mut().take(TEXT - 1).zip(fault.to_string().bytes()) {
            *place = byte as c_char;
        }
        Self { kind, at, value, reserved: 0, text }
    }
}

/// Kind, place and value.
fn numbers(fault: &Fault) -> (u32, u32, u32) {
    match *fault {
        Fault::InstructionBudget { pc, vertex } => (1, pc.into(), vertex),
        Fault::UndefinedOpcode { pc, word } => (2, pc.into(), word),
        Fault::BreakOutsideLoop { pc } => (3, pc.into(), 0),
        Fault::NoSuchRegister { id } => (4, id.into(), 0),
        Fault::TruncatedCommand { address } => (5, address, 0),
        Fault::Hangs { id, value } => (6, id.into(), value),
        Fault::Unmapped { id, address } => (7, id.into(), address),
        Fault::DrawBudget { vertices } => (8, 0, vertices),
        Fault::EmptyTarget { dim } => (9, 0, dim),
        Fault::BadTransfer { flags } => (10, 0, flags),
        Fault::BadSetting { id, value } => (11, id.into(), value),
        _ => (0, 0, 0),
    }
}

/// Copies as many faults as there is room for, and stores their total number.
fn deliver(
    faults: &FaultList,
    room: &Room<FaultInfo>,
    capacity: usize,
    count: &Out<usize>,
) -> Result<(), Failure> {
    let infos: Vec<_> = faults.as_slice().iter().map(FaultInfo::of).collect();
    room.put(capacity, &infos, "faults")?;
    let total = (infos.len() as u64).saturating_add(faults.dropped());
    count.put(usize::try_from(total).unwrap_or(usize::MAX), "count")
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_engine_faults(
    engine: Handle<EngineHandle>,
    faults: Room<FaultInfo>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    guard(|| {
        faults.check(capacity, "faults")?;
        count.put(0, "count")?;
        engine.get("engine")?.0.with(|bench| deliver(&bench.faults, &faults, capacity, &count))
    })
}

/// Copies the faults of a machine, and clears them.
pub(crate) fn take<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    faults: &Room<FaultInfo>,
    capacity: usize,
    count: &Out<usize>,
) -> Status {
    guard(|| {
        faults.check(capacity, "faults")?;
        count.put(0, "count")?;
        let taken = with(handle, |hosted| Ok(hosted.machine.take_faults()))?;
        deliver(&taken, faults, capacity, count)
    })
}
