//! Runs of geometry programs.

use crate::engine::{Bench, EngineHandle};
use crate::handle::{Handle, Owned};
use crate::pica::precision;
use crate::pica::program::{ProgramHandle, UniformValues};
use crate::pica::shade::{entry, mask};
use crate::raw::{Array, Fill, In, Out, Room, c_struct, check_reserved};
use crate::slot::Slot;
use crate::status::{Failure, Status, guard};
use picaflor_jit::Engine;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::NoMemory;
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::shader::unit::{EmitLatch, ShaderUnit, Vec4};
use picaflor_pipeline::pica::stage::{
    DEFAULT_INSTRUCTION_BUDGET, Emission, GeometryBatch, GeometryInputs, GeometryRun, ShaderStage,
};
use std::num::NonZeroUsize;

/// Runs of a batch.
const MOST_RUNS: usize = 4096;
/// Instructions of runs whose emissions are kept together.
const KEPT_INSTRUCTIONS: u32 = 1 << 20;
/// Input `k` goes to `v[k]`.
const IDENTITY: u64 = 0xfedc_ba98_7654_3210;

/// `picaflor_geometry_unit`: registers, which persist from run to run.
pub(crate) struct UnitHandle(Slot<ShaderUnit>);

c_struct! {
    growing
    /// `picaflor_geometry_run`.
    Run {
        /// The program.
        program: Handle<ProgramHandle>,
        /// Uniforms; `b15` is set when the run ends.
        uniforms: Fill<UniformValues>,
        /// `v0`, `v1` and so on; others keep their values.
        inputs: Array<[f32; 4]>,
        /// Number of inputs.
        input_count: usize,
        /// First word.
        entry: u32,
        /// `picaflor_precision`.
        precision: u32,
        /// Output mask.
        output_mask: u32,
        /// Instructions of the run; 0 is the default.
        instruction_budget: u32,
    }
}

c_struct! {
    fixed
    /// `picaflor_emission`.
    Emitted {
        /// Entry of the emit buffer, 0-3.
        vertex: u32,
        /// 1: completes a primitive.
        primitive: u32,
        /// 1: reverses its winding.
        winding: u32,
        /// Registers in `values`.
        registers: u32,
        /// The registers that the mask enables, packed.
        values: [[f32; 4]; 16],
    }
}

c_struct! {
    growing
    /// `picaflor_unit_state`.
    UnitState {
        /// `v0`-`v15`.
        v: [[f32; 4]; 16],
        /// `r0`-`r15`.
        r: [[f32; 4]; 16],
        /// `o0`-`o15`, two banks.
        o: [[[f32; 4]; 16]; 2],
        /// The bank that is written.
        bank: u32,
        /// `a0.x` and `a0.y`.
        a0: [i32; 2],
        /// `aL`.
        al: i32,
        /// `cmp.x` and `cmp.y`.
        compare: [u32; 2],
        /// Entry of the emit buffer, 0-3.
        vertex: u32,
        /// 1: the next EMIT completes a primitive.
        primitive: u32,
        /// 1: its winding is reversed.
        winding: u32,
        /// Zero.
        reserved: u32,
    }
}

impl UnitState {
    fn of(unit: &ShaderUnit) -> Self {
        let ShaderUnit { v, r, o, bank, a0, al, cmp, latch } = unit.clone();
        Self {
            size: size_of::<Self>(),
            v,
            r,
            o,
            bank,
            a0,
            al,
            compare: cmp.map(u32::from),
            vertex: latch.id.into(),
            primitive: latch.primitive.into(),
            winding: latch.winding.into(),
            reserved: 0,
        }
    }

    fn unit(&self) -> Result<ShaderUnit, Failure> {
        check_reserved(self.reserved, "picaflor_unit_state")?;
        let flags = [self.compare[0], self.compare[1], self.primitive, self.winding, self.bank];
        if flags.iter().any(|&flag| flag > 1) || self.vertex > 3 {
            return Err(Failure::argument("picaflor_unit_state: a flag is above 1, or `vertex` above 3"));
        }
        let latch =
            EmitLatch { id: self.vertex as u8, primitive: self.primitive != 0, winding: self.winding != 0 };
        let (v, r, o, bank, a0, al) = (self.v, self.r, self.o, self.bank, self.a0, self.al);
        Ok(ShaderUnit { v, r, o, bank, a0, al, cmp: self.compare.map(|flag| flag != 0), latch })
    }
}

/// Runs the program once for each `input_count` inputs, or `runs` times without any. Writes emissions as far as there is room, and
/// returns how many there were.
fn run(
    bench: &mut Bench,
    unit: &mut ShaderUnit,
    run: &Run,
    runs: usize,
    room: &mut [Emitted],
) -> Result<usize, Failure> {
    let program = run.program.get("program")?;
    program.check_unit(UnitKind::Geometry)?;
    let mut values = run.uniforms.read("picaflor_uniforms")?;
    if run.input_count > 16 {
        return Err(Failure::argument(format!("{} inputs, more than 16", run.input_count)));
    }
    if runs > MOST_RUNS {
        return Err(Failure::argument(format!("{runs} runs, more than {MOST_RUNS}")));
    }
    let inputs = run.inputs.slice(run.input_count * runs, "inputs")?;
    let output_mask = mask(run.output_mask)?;
    let (entry, precision) = (entry(run.entry)?, precision(run.precision)?);
    values.apply(&mut bench.uniforms)?;
    let narrow = |input: &[f32; 4]| input.map(|component| precision.load_f32(component));
    let inputs: Vec<Vec4> = inputs.iter().map(narrow).collect();
    bench.faults.clear();
    let instruction_budget = match run.instruction_budget {
        0 => DEFAULT_INSTRUCTION_BUDGET,
        budget => budget,
    };
    // A run emits with a few of its instructions, and there may be no room for any of it.
    let each = (KEPT_INSTRUCTIONS / instruction_budget.max(1)).max(1) as usize;
    let mut count = 0;
    for first in (0..runs).step_by(each) {
        let geometry = GeometryRun {
            program: &program.program,
            entry,
            uniforms: &mut bench.uniforms,
            unit: &mut *unit,
            output_mask,
            precision,
            instruction_budget,
            memory: &NoMemory,
        };
        let runs = each.min(runs - first);
        let inputs = inputs.get(first * run.input_count..).unwrap_or_default();
        let inputs = inputs.get(..runs * run.input_count).unwrap_or_default();
        bench.emitted.clear();
        let (emitted, faults) = (&mut bench.emitted, &mut bench.faults);
        run_all(&mut bench.engine, geometry, inputs, (run.input_count, runs), emitted, faults);
        let room = room.get_mut(count..).unwrap_or_default();
        for (to, emission) in room.iter_mut().zip(&bench.emitted) {
            *to = Emitted::of(emission, output_mask);
        }
        count += bench.emitted.len();
    }
    values.bools = u32::from(bench.uniforms.bools());
    run.uniforms.write(&values, "picaflor_uniforms")?;
    Ok(count)
}

impl Emitted {
    fn of(emission: &Emission, output_mask: u16) -> Self {
        Self {
            vertex: emission.latch.id.into(),
            primitive: emission.latch.primitive.into(),
            winding: emission.latch.winding.into(),
            registers: output_mask.count_ones(),
            values: emission.record,
        }
    }
}

/// `each` inputs of every run go to `v0` on.
fn run_all(
    engine: &mut Engine,
    mut run: GeometryRun<'_>,
    inputs: &[Vec4],
    (each, runs): (usize, usize),
    emitted: &mut Vec<Emission>,
    faults: &mut FaultList,
) {
    match (NonZeroUsize::new(each), runs) {
        (Some(each), 2..) => {
            let destination = GeometryInputs::Registers(IDENTITY);
            engine.run_geometry_batch(&mut GeometryBatch { run, inputs, each, destination }, emitted, faults);
        }
        _ => {
            for n in 0..runs {
                let inputs = inputs.get(n * each..).unwrap_or_default();
                run.unit.v.iter_mut().zip(inputs).take(each).for_each(|(register, input)| *register = *input);
                engine.run_geometry(&mut run, emitted, faults);
            }
        }
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_geometry_unit_get(unit: Handle<UnitHandle>, state: Fill<UnitState>) -> Status {
    guard(|| {
        state.check("picaflor_unit_state")?;
        let now = unit.get("unit")?.0.with(|unit| Ok(UnitState::of(unit)))?;
        state.write(&now, "picaflor_unit_state")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_geometry_unit_set(unit: Handle<UnitHandle>, state: In<UnitState>) -> Status {
    guard(|| {
        let state = state.read("picaflor_unit_state")?.unit()?;
        unit.get("unit")?.0.with(|unit| {
            *unit = state;
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_geometry_unit_create(unit: Out<*mut UnitHandle>) -> Status {
    guard(|| unit.give("unit", || Ok(UnitHandle(Slot::new("geometry unit", ShaderUnit::default())))))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_geometry_unit_destroy(unit: Owned<UnitHandle>) -> Status {
    guard(|| unit.destroy_by("unit", |unit, end| unit.0.close(end)))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_run_geometry(
    engine: Handle<EngineHandle>,
    unit: Handle<UnitHandle>,
    parameters: In<Run>,
    emissions: Room<Emitted>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    deliver(&engine, &unit, &parameters, 1, emissions, capacity, &count)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_run_geometry_batch(
    engine: Handle<EngineHandle>,
    unit: Handle<UnitHandle>,
    parameters: In<Run>,
    runs: usize,
    emissions: Room<Emitted>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    deliver(&engine, &unit, &parameters, runs, emissions, capacity, &count)
}

/// Runs a program and returns its emissions.
fn deliver(
    engine: &Handle<EngineHandle>,
    unit: &Handle<UnitHandle>,
    parameters: &In<Run>,
    runs: usize,
    mut emissions: Room<Emitted>,
    capacity: usize,
    count: &Out<usize>,
) -> Status {
    guard(|| {
        let parameters = parameters.read("picaflor_geometry_run")?;
        let room = emissions.slice(capacity, "emissions")?;
        count.put(0, "count")?;
        let unit = unit.get("unit")?;
        let engine = engine.get("engine")?;
        let emitted = engine.0.with(|bench| unit.0.with(|unit| run(bench, unit, &parameters, runs, room)))?;
        count.put(emitted, "count")?;
        if emitted > capacity {
            return Err(Failure::size(format!("room for {capacity} emissions of {emitted}")));
        }
        Ok(())
    })
}
