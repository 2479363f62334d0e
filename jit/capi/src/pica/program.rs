//! Shader programs and uniforms.

use crate::handle::{Handle, Owned};
use crate::raw::{Array, In, Out, c_struct, check_reserved};
use crate::slot::Slot;
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::shbin::Shbin;
use picaflor_pipeline::pica::shader::unit::Uniforms;

/// `picaflor_program`. Immutable, so any number of threads may use it.
pub(crate) struct ProgramHandle {
    pub(crate) program: Program,
    /// First words of the executables of its file.
    entries: Vec<u16>,
}

c_struct! {
    growing
    /// `picaflor_uniforms`.
    UniformValues {
        /// `c0`-`c95`, x first; the floats of C as bits, which is how engines take them.
        floats: [[u32; 4]; 96],
        /// `i0`-`i3`: x (turns - 1), y (start), z (step), unused byte.
        ints: [[u8; 4]; 4],
        /// `b0` in bit 0.
        bools: u32,
        /// Zero.
        reserved: u32,
    }
}

impl ProgramHandle {
    /// Fails for a program of the other unit: engines differ in the effect of its `EMIT`.
    pub(crate) fn check_unit(&self, unit: UnitKind) -> Result<(), Failure> {
        let kind = self.program.kind();
        if kind != unit {
            return Err(Failure::argument(format!("program of another unit: {kind:?}, not {unit:?}")));
        }
        Ok(())
    }
}

impl UniformValues {
    /// Writes the values into `uniforms`. Equal values keep the generation number, by which engines detect changes.
    pub(crate) fn apply(&self, uniforms: &mut Uniforms) -> Result<(), Failure> {
        check_reserved(self.reserved, "picaflor_uniforms")?;
        let bools = bools(self.bools)?;
        uniforms.set_floats_f32(0, &self.floats);
        for (id, value) in (0..).zip(self.ints) {
            uniforms.set_int(id, value);
        }
        uniforms.set_bools(bools);
        Ok(())
    }
}

/// Checks the booleans, of which there are 16.
fn bools(bits: u32) -> Result<u16, Failure> {
    u16::try_from(bits).map_err(|_| Failure::argument(format!("booleans {bits:#x}")))
}

/// Reads uniforms, zeros for NULL, into those of an engine.
pub(crate) fn load(values: &In<UniformValues>, uniforms: &mut Uniforms) -> Result<(), Failure> {
    values.read_or_default("picaflor_uniforms")?.apply(uniforms)
}

fn unit(code: u32) -> Result<UnitKind, Failure> {
    match code {
        0 => Ok(UnitKind::Vertex),
        1 => Ok(UnitKind::Geometry),
        _ => Err(Failure::argument(format!("shader unit {code}"))),
    }
}

fn make(kind: UnitKind, code: &[u32], descriptors: &[u32]) -> Result<ProgramHandle, Failure> {
    if code.is_empty() || code.len() > kind.code_words() || descriptors.len() > Program::DESCRIPTORS {
        return Err(Failure::argument(format!(
            "{} words of code, {} descriptors: at least 1, at most {} and {}",
            code.len(),
            descriptors.len(),
            kind.code_words(),
            Program::DESCRIPTORS,
        )));
    }
    Ok(ProgramHandle { program: Program::from_words(kind, code, descriptors), entries: Vec::new() })
}

fn of_shbin(bytes: &[u8], kind: UnitKind) -> Result<ProgramHandle, Failure> {
    let shbin = Shbin::read(bytes).map_err(|error| Failure::new(Status::Format, error.to_string()))?;
    let descriptors: Vec<_> = shbin.program.descriptors.iter().map(|pair| pair[0]).collect();
    let entries = shbin.executables.iter().map(|executable| executable.entry as u16).collect();
    Ok(ProgramHandle { entries, ..make(kind, &shbin.program.code, &descriptors)? })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_program_create(
    kind: u32,
    code: Array<u32>,
    code_words: usize,
    descriptors: Array<u32>,
    descriptor_words: usize,
    program: Out<*mut ProgramHandle>,
) -> Status {
    guard(|| {
        program.give("program", || {
            let code = code.slice(code_words, "code")?;
            make(unit(kind)?, code, descriptors.slice(descriptor_words, "descriptors")?)
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_program_from_shbin(
    kind: u32,
    bytes: Array<u8>,
    length: usize,
    program: Out<*mut ProgramHandle>,
) -> Status {
    guard(|| program.give("program", || of_shbin(bytes.slice(length, "bytes")?, unit(kind)?)))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_program_entry(
    program: Handle<ProgramHandle>,
    executable: usize,
    entry: Out<u32>,
) -> Status {
    guard(|| {
        let program = program.get("program")?;
        let entries = &program.entries;
        let word = entries
            .get(executable)
            .ok_or_else(|| Failure::argument(format!("executable {executable} of {}", entries.len())))?;
        entry.put(u32::from(*word), "entry")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_program_destroy(program: Owned<ProgramHandle>) -> Status {
    guard(|| program.destroy("program"))
}

/// `picaflor_uniform_set`: uniforms that are told what changed.
pub(crate) struct UniformSet(pub(crate) Slot<Uniforms>);

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_uniform_set_create(values: In<UniformValues>, set: Out<*mut UniformSet>) -> Status {
    guard(|| {
        set.give("set", || {
            let mut uniforms = Uniforms::default();
            load(&values, &mut uniforms)?;
            Ok(UniformSet(Slot::new("uniform set", uniforms)))
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_uniform_set_destroy(set: Owned<UniformSet>) -> Status {
    guard(|| set.destroy_by("set", |set, end| set.0.close(end)))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_uniform_set_floats(
    set: Handle<UniformSet>,
    first: u32,
    values: Array<[f32; 4]>,
    count: usize,
) -> Status {
    guard(|| {
        let end = (first as usize).saturating_add(count);
        if end > Uniforms::FLOATS {
            return Err(Failure::argument(format!("uniforms c{first} to c{end}")));
        }
        let values = values.slice(count, "values")?;
        let words: Vec<[u32; 4]> = values.iter().map(|value| value.map(f32::to_bits)).collect();
        set.get("set")?.0.with(|uniforms| {
            uniforms.set_floats_f32(first as usize, &words);
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_uniform_set_flow(set: Handle<UniformSet>, bools: u32, ints: Array<[u8; 4]>) -> Status {
    guard(|| {
        let bools = self::bools(bools)?;
        let ints = ints.slice(Uniforms::INTS, "ints")?;
        set.get("set")?.0.with(|uniforms| {
            uniforms.set_bools(bools);
            (0..).zip(ints).for_each(|(n, &value)| uniforms.set_int(n, value));
            Ok(())
        })
    })
}
