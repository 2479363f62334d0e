//! Runs of geometry programs.

use crate::engine::{Bench, EngineHandle};
use crate::pica::precision;
use crate::pica::program::{ProgramHandle, UniformValues};
use crate::pica::shade::{entry, mask};
use crate::raw::{Array, Fill, Handle, In, Out, Owned, Room, c_struct};
use crate::slot::Slot;
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::pica::shader::unit::ShaderUnit;
use picaflor_pipeline::pica::stage::{DEFAULT_INSTRUCTION_BUDGET, GeometryRun, ShaderStage};

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

fn run(bench: &mut Bench, unit: &mut ShaderUnit, run: &Run) -> Result<Vec<Emitted>, Failure> {
    let program = run.program.get("program")?;
    let mut values = run.uniforms.read("picaflor_uniforms")?;
    if run.input_count > 16 {
        return Err(Failure::argument(format!("{} inputs, more than 16", run.input_count)));
    }
    let inputs = run.inputs.slice(run.input_count, "inputs")?;
    let output_mask = mask(run.output_mask)?;
    let (entry, precision) = (entry(run.entry)?, precision(run.precision)?);
    values.apply(&mut bench.uniforms);
    for (register, input) in unit.v.iter_mut().zip(inputs) {
        *register = input.map(|component| precision.load_f32(component));
    }
    bench.emitted.clear();
    bench.faults.clear();
    let instruction_budget = match run.instruction_budget {
        0 => DEFAULT_INSTRUCTION_BUDGET,
        budget => budget,
    };
    let mut geometry = GeometryRun {
        program: &program.program,
        entry,
        uniforms: &mut bench.uniforms,
        unit,
        output_mask,
        precision,
        instruction_budget,
    };
    bench.engine.run_geometry(&mut geometry, &mut bench.emitted, &mut bench.faults);
    values.bools = u32::from(bench.uniforms.bools());
    run.uniforms.write(&values, "picaflor_uniforms")?;
    let emitted = bench.emitted.iter().map(|emission| Emitted {
        vertex: emission.latch.id.into(),
        primitive: emission.latch.primitive.into(),
        winding: emission.latch.winding.into(),
        registers: output_mask.count_ones(),
        values: emission.record,
    });
    Ok(emitted.collect())
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_geometry_unit_create(unit: Out<*mut UnitHandle>) -> Status {
    guard(|| unit.give("unit", || Ok(UnitHandle(Slot::new("geometry unit", ShaderUnit::default())))))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_geometry_unit_destroy(unit: Owned<UnitHandle>) -> Status {
    guard(|| unit.destroy("unit", |unit| unit.0.idle()))
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
    guard(|| {
        let parameters = parameters.read("picaflor_geometry_run")?;
        emissions.check(capacity, "emissions")?;
        count.put(0, "count")?;
        let unit = unit.get("unit")?;
        let emitted =
            engine.get("engine")?.0.with(|bench| unit.0.with(|unit| run(bench, unit, &parameters)))?;
        emissions.put(capacity, &emitted, "emissions")?;
        count.put(emitted.len(), "count")?;
        if emitted.len() > capacity {
            return Err(Failure::size(format!("room for {capacity} emissions of {}", emitted.len())));
        }
        Ok(())
    })
}
