//! Batches of vertices.

use crate::engine::{Bench, EngineHandle};
use crate::handle::Handle;
use crate::memory::{Arrays, LARGEST_ARRAY};
use crate::pica::precision;
use crate::pica::program::{ProgramHandle, UniformSet, UniformValues, load};
use crate::raw::{Array, Fill, In, Room, c_struct, check_reserved};
use crate::status::{Failure, Status, guard};
use picaflor_jit::{CompileError, Engine, Served};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::stage::{DEFAULT_INSTRUCTION_BUDGET, ShadedVertices, ShaderStage, VertexBatch};
use picaflor_pipeline::pica::vertex::{
    AttributeSource, OutputForm, OutputMap, SEMANTICS, Vertex, VertexInputs,
};

/// `PICAFLOR_MAX_VERTICES`.
const MAX_VERTICES: usize = 1 << 20;
/// Attribute `k` to register `k`.
const IDENTITY: u64 = 0xfedc_ba98_7654_3210;

c_struct! {
    fixed
    /// `picaflor_attribute`.
    Attribute {
        /// The attribute of vertex 0; NULL for a fixed one.
        bytes: Array<u8>,
        /// Readable bytes.
        length: usize,
        /// Bytes from vertex to vertex.
        stride: u32,
        /// `picaflor_element`.
        element: u32,
        /// 1-4.
        components: u32,
        /// Zero.
        reserved: u32,
        /// The value of a fixed attribute.
        fixed: [f32; 4],
    }
}

c_struct! {
    growing
    /// `picaflor_batch`.
    Batch {
        /// The program.
        program: Handle<ProgramHandle>,
        /// Uniforms, or NULL for zeros.
        uniforms: In<UniformValues>,
        /// Attribute 0 first.
        attributes: Array<Attribute>,
        /// 1-16.
        attribute_count: usize,
        /// Numbers of the vertices, or NULL for 0, 1, 2 and so on.
        indices: Array<u32>,
        /// Number of vertices.
        vertex_count: usize,
        /// Nibble `k` is the register of attribute `k`; 0 is attribute `k` to `v[k]`.
        permutation: u64,
        /// First word.
        entry: u32,
        /// `picaflor_precision`.
        precision: u32,
        /// Output mask.
        output_mask: u32,
        /// `picaflor_output`.
        output_form: u32,
        /// `SH_OUTMAP_TOTAL`.
        output_total: u32,
        /// `SH_OUTMAP_O0`-`O6`.
        output_map: [u32; 7],
        /// Instructions of a vertex; 0 is the default.
        instruction_budget: u32,
        /// Zero.
        reserved: u32,
        /// Uniforms in a handle, in place of `uniforms`; or NULL.
        uniform_set: Handle<UniformSet>,
    }
}

c_struct! {
    growing
    /// `picaflor_float_batch`.
    FloatBatch {
        /// The program.
        program: Handle<ProgramHandle>,
        /// Uniforms, or NULL for zeros.
        uniforms: In<UniformValues>,
        /// `v0`, `v1` and so on of vertex 0, then of vertex 1.
        inputs: Array<[f32; 4]>,
        /// Registers of each vertex.
        input_count: usize,
        /// Vertices.
        vertex_count: usize,
        /// Room for the outputs.
        outputs: Room<[f32; 4]>,
        /// Capacity in values of four floats.
        output_capacity: usize,
        /// First word.
        entry: u32,
        /// `picaflor_precision`.
        precision: u32,
        /// Output mask.
        output_mask: u32,
        /// Instructions of a vertex; 0 is the default.
        instruction_budget: u32,
    }
}

c_struct! {
    growing
    /// `picaflor_shaded`.
    Shaded {
        /// Component `k` of vertex `i` is `values[k * stride + i]`.
        values: Array<f32>,
        /// Floats from component to component.
        stride: usize,
        /// Components.
        components: u32,
        /// Vertices.
        vertices: u32,
        /// `picaflor_served`.
        served: u32,
        /// Groups of four vertices executed again.
        replayed_groups: u32,
        /// Faults of the batch.
        faults: u32,
        /// Zero.
        reserved: u32,
    }
}

c_struct! {
    growing
    /// `picaflor_compiled`.
    Compiled {
        /// Duration from words to executable code, in nanoseconds.
        time_ns: u64,
        /// Words compiled, counted once per unfolded path.
        words: u64,
        /// Size of the machine code, in bytes.
        code_bytes: u64,
    }
}

impl Attribute {
    fn source<'a>(
        &'a self,
        k: usize,
        largest: Option<u32>,
        precision: Precision,
        arrays: &mut Arrays<'a>,
    ) -> Result<AttributeSource, Failure> {
        check_reserved(self.reserved, "picaflor_attribute")?;
        if self.bytes.is_null() {
            // Engines narrow what they fetch from arrays, and take fixed values as they are.
            let fixed = self.fixed.map(|component| precision.load_f32(component));
            return Ok(AttributeSource::Fixed(fixed));
        }
        if self.element > 3 || !(1..=4).contains(&self.components) {
            let (element, components) = (self.element, self.components);
            return Err(Failure::argument(format!(
                "attribute {k}: {components} components of type {element}"
            )));
        }
        let element = ElementType::of(self.element);
        let one = u64::from(element.bytes() * self.components);
        let needed = largest.map_or(0, |largest| u64::from(self.stride) * u64::from(largest) + one);
        if needed > self.length as u64 || self.length > LARGEST_ARRAY {
            return Err(Failure::size(format!(
                "attribute {k} has {} bytes, the last vertex ends at {needed}; at most {LARGEST_ARRAY}",
                self.length
            )));
        }
        let address = arrays.set(k, self.bytes.slice(self.length, "picaflor_attribute.bytes")?);
        let components = self.components as u8;
        Ok(AttributeSource::Array { address, stride_bytes: self.stride, element, components })
    }
}

/// Settings of a batch besides its inputs, uniforms and output form.
struct Settings<'a> {
    program: &'a ProgramHandle,
    entry: u32,
    precision: u32,
    instruction_budget: u32,
}

impl Bench {
    /// Runs the engine on `self.indices` and the uniforms, or `self.uniforms`; results go to `self.shaded`.
    fn work<R>(
        &mut self,
        (memory, inputs): (&dyn Memory, &VertexInputs),
        uniforms: Option<&Uniforms>,
        settings: &Settings<'_>,
        output: &OutputForm,
        work: impl FnOnce(&mut Engine, &VertexBatch<'_>, &mut ShadedVertices, &mut FaultList) -> R,
    ) -> Result<R, Failure> {
        settings.program.check_unit(UnitKind::Vertex)?;
        let budget = match settings.instruction_budget {
            0 => DEFAULT_INSTRUCTION_BUDGET,
            budget => budget,
        };
        let batch = VertexBatch {
            memory,
            indices: &self.indices,
            inputs,
            program: &settings.program.program,
            entry: entry(settings.entry)?,
            uniforms: uniforms.unwrap_or(&self.uniforms),
            output,
            precision: precision(settings.precision)?,
            instruction_budget: budget,
        };
        self.faults.clear();
        Ok(work(&mut self.engine, &batch, &mut self.shaded, &mut self.faults))
    }

    /// `picaflor_served` of the last batch or run.
    pub(crate) fn served(&self) -> u32 {
        u32::from(self.engine.last_run().served != Served::Compiled)
    }

    fn view(&mut self) -> Shaded {
        let report = self.engine.last_run();
        let replayed_groups = report.replayed;
        let served = self.served();
        let values = self.shaded.values_mut_but(u64::MAX).as_ptr();
        Shaded {
            size: size_of::<Shaded>(),
            values: Array::lent(values),
            stride: self.shaded.stride(),
            components: self.shaded.components() as u32,
            vertices: self.shaded.len() as u32,
            served,
            replayed_groups,
            faults: self.faults.as_slice().len() as u32,
            reserved: 0,
        }
    }
}

/// Checks the first word of a program.
pub(crate) fn entry(word: u32) -> Result<u16, Failure> {
    u16::try_from(word)
        .ok()
        .filter(|&word| word < 4096)
        .ok_or_else(|| Failure::argument(format!("entry {word} lies outside every program memory")))
}

/// Checks an output mask.
pub(crate) fn mask(bits: u32) -> Result<u16, Failure> {
    u16::try_from(bits).map_err(|_| Failure::argument(format!("output mask {bits:#x}")))
}

impl Batch {
    fn output(&self) -> Result<OutputForm, Failure> {
        let mask = mask(self.output_mask)?;
        match self.output_form {
            0 if mask == 0 => Err(Failure::argument("the output mask is 0")),
            0 => Ok(OutputForm::Records { mask, slots: mask.count_ones() as u8 }),
            1 => {
                let total = self.output_total as u8 & 7;
                Ok(OutputForm::Mapped(OutputMap { mask, total, slots: self.output_map }))
            }
            form => Err(Failure::argument(format!("output form {form}"))),
        }
    }

    /// Fills in the indices; returns the largest.
    fn number_vertices(&self, indices: &mut Vec<u32>) -> Result<Option<u32>, Failure> {
        check_count(self.vertex_count)?;
        indices.clear();
        if self.indices.is_null() {
            indices.extend(0..self.vertex_count as u32);
        } else {
            indices.extend(self.indices.slice(self.vertex_count, "indices")?);
        }
        Ok(indices.iter().copied().max())
    }
}

fn check_count(vertices: usize) -> Result<(), Failure> {
    if vertices > MAX_VERTICES {
        return Err(Failure::argument(format!("{vertices} vertices, more than {MAX_VERTICES}")));
    }
    Ok(())
}

fn check_inputs(count: usize) -> Result<(), Failure> {
    if !(1..=16).contains(&count) {
        return Err(Failure::argument(format!("{count} attributes: 1 to 16")));
    }
    Ok(())
}

/// Runs the engine on a batch of arrays.
fn with_batch<R>(
    bench: &mut Bench,
    batch: &Batch,
    work: impl FnOnce(&mut Engine, &VertexBatch<'_>, &mut ShadedVertices, &mut FaultList) -> R,
) -> Result<R, Failure> {
    check_reserved(batch.reserved, "picaflor_batch")?;
    let largest = batch.number_vertices(&mut bench.indices)?;
    check_inputs(batch.attribute_count)?;
    let precision = precision(batch.precision)?;
    let mut arrays = Arrays::new();
    let permutation = if batch.permutation == 0 { IDENTITY } else { batch.permutation };
    // The room of the batch before: small batches are called often.
    let mut inputs = VertexInputs { attributes: std::mem::take(&mut bench.attributes), permutation };
    inputs.attributes.clear();
    for (k, source) in batch.attributes.slice(batch.attribute_count, "attributes")?.iter().enumerate() {
        inputs.attributes.push(source.source(k, largest, precision, &mut arrays)?);
    }
    let result = with_inputs(bench, batch, (&arrays, &inputs), work);
    bench.attributes = inputs.attributes;
    result
}

fn with_inputs<R>(
    bench: &mut Bench,
    batch: &Batch,
    inputs: (&dyn Memory, &VertexInputs),
    work: impl FnOnce(&mut Engine, &VertexBatch<'_>, &mut ShadedVertices, &mut FaultList) -> R,
) -> Result<R, Failure> {
    let program = batch.program.get("program")?;
    let settings = Settings {
        program: &program,
        entry: batch.entry,
        precision: batch.precision,
        instruction_budget: batch.instruction_budget,
    };
    let output = batch.output()?;
    if batch.uniform_set.is_null() {
        load(&batch.uniforms, &mut bench.uniforms)?;
        return bench.work(inputs, None, &settings, &output, work);
    }
    let set = batch.uniform_set.get("uniform_set")?;
    set.0.with(|uniforms| bench.work(inputs, Some(uniforms), &settings, &output, work))
}

fn shade(bench: &mut Bench, batch: &Batch) -> Result<Shaded, Failure> {
    with_batch(bench, batch, |engine, batch, shaded, faults| engine.shade(batch, shaded, faults))?;
    Ok(bench.view())
}

fn compile(bench: &mut Bench, batch: &Batch) -> Result<Compiled, Failure> {
    let report = with_batch(bench, batch, |engine, batch, _, _| engine.compile(batch))?;
    let report = report.map_err(|refusal| match refusal {
        CompileError::Host(_) => Failure::new(Status::Host, refusal.to_string()),
        _ => Failure::new(Status::Refused, refusal.to_string()),
    })?;
    Ok(Compiled {
        size: size_of::<Compiled>(),
        time_ns: u64::try_from(report.time.as_nanos()).unwrap_or(u64::MAX),
        words: report.words.into(),
        code_bytes: report.code_bytes as u64,
    })
}

/// Registers vertex by vertex, from components in rows.
fn gather(shaded: &ShadedVertices, slots: usize, registers: &mut Vec<[f32; 4]>) {
    registers.clear();
    registers.resize(slots * shaded.len(), [0.0; 4]);
    for slot in 0..slots {
        let rows: [&[f32]; 4] = std::array::from_fn(|c| shaded.component(4 * slot + c));
        let places = registers.iter_mut().skip(slot).step_by(slots);
        let [x, y, z, w] = rows.map(|row| row.iter().copied());
        for (place, (((x, y), z), w)) in places.zip(x.zip(y).zip(z).zip(w)) {
            *place = [x, y, z, w];
        }
    }
}

fn shade_floats(bench: &mut Bench, batch: &FloatBatch) -> Result<(), Failure> {
    check_count(batch.vertex_count)?;
    check_inputs(batch.input_count)?;
    let mask = mask(batch.output_mask)?;
    let slots = mask.count_ones() as usize;
    let needed = slots * batch.vertex_count;
    if needed > batch.output_capacity {
        return Err(Failure::size(format!("room for {} outputs of {needed}", batch.output_capacity)));
    }
    batch.outputs.check(needed, "outputs")?;
    let values = batch.inputs.slice(batch.input_count * batch.vertex_count, "inputs")?;
    let mut arrays = Arrays::new();
    let stride_bytes = 16 * batch.input_count as u32;
    let attributes = (0..batch.input_count).map(|k| {
        let bytes = crate::raw::bytes_of(values.get(k..).unwrap_or_default());
        let address = arrays.set(k, &bytes[..bytes.len().min(LARGEST_ARRAY)]);
        AttributeSource::Array { address, stride_bytes, element: ElementType::F32, components: 4 }
    });
    let inputs = VertexInputs { attributes: attributes.collect(), permutation: IDENTITY };
    load(&batch.uniforms, &mut bench.uniforms)?;
    bench.indices.clear();
    bench.indices.extend(0..batch.vertex_count as u32);
    let program = batch.program.get("program")?;
    let settings = Settings {
        program: &program,
        entry: batch.entry,
        precision: batch.precision,
        instruction_budget: batch.instruction_budget,
    };
    let output = OutputForm::Records { mask, slots: slots as u8 };
    bench.work((&arrays, &inputs), None, &settings, &output, |engine, batch, shaded, faults| {
        engine.shade(batch, shaded, faults);
    })?;
    gather(&bench.shaded, slots, &mut bench.registers);
    batch.outputs.put(batch.output_capacity, &bench.registers, "outputs")
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_shade(engine: Handle<EngineHandle>, batch: In<Batch>, shaded: Fill<Shaded>) -> Status {
    guard(|| {
        shaded.check("picaflor_shaded")?;
        let batch = batch.read("picaflor_batch")?;
        let view = engine.get("engine")?.0.with(|bench| shade(bench, &batch))?;
        shaded.write(&view, "picaflor_shaded")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_shade_vertices(
    engine: Handle<EngineHandle>,
    batch: In<Batch>,
    mut vertices: Room<Vertex>,
    capacity: usize,
) -> Status {
    guard(|| {
        let batch = batch.read("picaflor_batch")?;
        if batch.output_form != 1 {
            return Err(Failure::argument("the output form of whole vertices is PICAFLOR_OUTPUT_SEMANTICS"));
        }
        if batch.vertex_count > capacity {
            return Err(Failure::size(format!("room for {capacity} vertices of {}", batch.vertex_count)));
        }
        let vertices = vertices.slice(batch.vertex_count, "vertices")?;
        engine.get("engine")?.0.with(|bench| {
            shade(bench, &batch)?;
            for semantic in 0..SEMANTICS {
                let row = bench.shaded.component(semantic).iter();
                vertices.iter_mut().zip(row).for_each(|(vertex, value)| vertex[semantic] = *value);
            }
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_shade_floats(engine: Handle<EngineHandle>, batch: In<FloatBatch>) -> Status {
    guard(|| {
        let batch = batch.read("picaflor_float_batch")?;
        engine.get("engine")?.0.with(|bench| shade_floats(bench, &batch))
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_compile(
    engine: Handle<EngineHandle>,
    batch: In<Batch>,
    compiled: Fill<Compiled>,
) -> Status {
    guard(|| {
        compiled.check("picaflor_compiled")?;
        let batch = batch.read("picaflor_batch")?;
        let report = engine.get("engine")?.0.with(|bench| compile(bench, &batch))?;
        compiled.write(&report, "picaflor_compiled")
    })
}
