//! `picaflor shader run`: a program of a container over a table of inputs. `picaflor shader show` is a question about a
//! capture.

mod input;
mod output;

use crate::cli::inspect::steps;
use crate::cli::{CliError, read_file, read_text, shown_input};
use crate::pica::engine::{NamedEngine, Service};
use clap::{Parser, Subcommand, ValueEnum};
use input::Input;
use picaflor_interp::pica::shader::trace::Trace;
use picaflor_interp::pica::shader::{Invocation, run_unit};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::memory::{FlatMemory, NoMemory};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::shbin::{Dvle, Shbin, Stage};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};
use picaflor_pipeline::pica::stage::{
    DEFAULT_INSTRUCTION_BUDGET, Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch,
};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
use std::path::PathBuf;
use std::process::ExitCode;

/// Work with shader programs.
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(RunArgs),
    Show(steps::Args),
}

const EXAMPLE: &str = r#"Example:
  echo '{"inputs":[{"v0":[1,2,3,1],"v1":["0x3f800000",0,0,1]}],
         "float":{"c0":[1,0,0,0]},"bool":{"b0":true},"int":{"i0":[3,0,1,0]}}' |
    picaflor shader run light.shbin --mapped"#;

const FORMATS: &str = r#"
Input, JSON: "inputs" holds one object for each vertex, or for each run of a
geometry program; a register that is not named is 0 (in a geometry program:
keeps its value). A component is a number, a string with a binary32 pattern,
or one of "nan", "inf", "-inf". The constants of the program are set first,
then "float", "bool" and "int".

Output, JSON: "outputs" (or "emitted") with "value" and exact "bits" of each
register; what JSON has no number for is "nan", "inf" or "-inf". "faults":
what a console answers with a hang or with garbage. "served": who ran it."#;

/// Run an entry point over a table of inputs, JSON in and JSON out.
#[derive(Debug, Parser)]
#[command(after_help = format!("{EXAMPLE}\n{FORMATS}"))]
struct RunArgs {
    /// The container.
    file: PathBuf,
    /// The inputs; `-` is standard input.
    #[arg(default_value = "-")]
    inputs: PathBuf,
    /// Engine that runs the program.
    #[arg(long, value_enum, default_value_t = EngineName::Interp)]
    engine: EngineName,
    /// Rounding of arithmetic.
    #[arg(long, value_enum, default_value_t = PrecisionName::Console)]
    precision: PrecisionName,
    /// The executable by its number in the container, or a label.
    #[arg(long, value_name = "NAME|INDEX", default_value = "0")]
    entry: String,
    /// Show semantics, through the output map, instead of output registers.
    #[arg(long)]
    mapped: bool,
    /// Add every step of each invocation, as the interpreter executes it.
    #[arg(long)]
    trace: bool,
    /// Instructions that an invocation may execute.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_INSTRUCTION_BUDGET)]
    budget: u32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineName {
    Interp,
    Jit,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PrecisionName {
    Console,
    Binary32,
}

/// Runs the subcommand.
///
/// # Errors
/// A file cannot be read, its content is invalid, or no engine ran the program.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let args = match &args.command {
        Command::Run(args) => args,
        Command::Show(args) => return steps::run(args),
    };
    let container = Shbin::read(&read_file(&args.file)?)
        .map_err(|why| CliError::new(format!("{}: {why}", shown_input(&args.file))))?;
    let (executable, entry) = find_entry(&container, &args.entry)?;
    let input = Input::parse(&read_text(&args.inputs)?)
        .map_err(|why| CliError::new(format!("{}: {why}", shown_input(&args.inputs))))?;
    let mut session = Session::new(args, &container, executable, entry, &input)?;
    let text = match executable.stage {
        Stage::Vertex => session.vertices(&input)?,
        Stage::Geometry => session.geometry(&input)?,
    };
    crate::cli::write_atomic("-".as_ref(), text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The executable with the name or label `name`, and its entry point.
fn find_entry<'a>(container: &'a Shbin, name: &str) -> Result<(&'a Dvle, u16), CliError> {
    let executables = &container.executables;
    let found = match name.parse::<usize>() {
        Ok(index) => executables.get(index).map(|executable| (executable, executable.entry)),
        Err(_) => executables.iter().find_map(|executable| {
            let mut labels = executable.labels.iter();
            let label = labels.find(|label| executable.name(label.name) == name.as_bytes())?;
            Some((executable, label.position))
        }),
    };
    let (executable, entry) = found.ok_or_else(|| {
        let last = executables.len().saturating_sub(1);
        CliError::new(format!("no executable or label `{name}`: executables are numbered 0 to {last}"))
    })?;
    let words = container.program.code.len();
    match u16::try_from(entry) {
        Ok(at) if usize::from(at) < words => Ok((executable, at)),
        _ => Err(CliError::new(format!("entry point {entry} lies outside the {words} words of the program"))),
    }
}

/// Everything that stays the same from vertex to vertex.
struct Session<'a> {
    args: &'a RunArgs,
    executable: &'a Dvle,
    program: Program,
    entry: u16,
    uniforms: Uniforms,
    precision: Precision,
    engine: NamedEngine,
    served: Option<Service>,
}

impl<'a> Session<'a> {
    fn new(
        args: &'a RunArgs,
        container: &Shbin,
        executable: &'a Dvle,
        entry: u16,
        input: &Input,
    ) -> Result<Self, CliError> {
        let kind = match executable.stage {
            Stage::Vertex => UnitKind::Vertex,
            Stage::Geometry => UnitKind::Geometry,
        };
        let precision = match args.precision {
            PrecisionName::Console => Precision::Console,
            PrecisionName::Binary32 => Precision::Binary32,
        };
        let name = match args.engine {
            EngineName::Interp => "interp",
            EngineName::Jit => "jit",
        };
        let engine = NamedEngine::by_name(name).ok_or_else(|| CliError::new("no such engine"))?;
        let engine = engine.map_err(CliError::new)?;
        let mut uniforms = Uniforms::default();
        executable.apply_constants(&mut uniforms);
        input.apply(&mut uniforms, precision);
        let program = container.program.program(kind);
        Ok(Self { args, executable, program, entry, uniforms, precision, engine, served: None })
    }

    /// Records the producer of the last batch; one interpreted batch decides.
    fn note_service(&mut self) -> Result<(), CliError> {
        let service = self.engine.service();
        if !service.has_result() {
            return Err(CliError::new(format!("the engine did not run the program: {}", service.reason())));
        }
        if self.served.as_ref().is_none_or(Service::counts) {
            self.served = Some(service);
        }
        Ok(())
    }

    fn served(&self) -> String {
        match &self.served {
            None => "nothing to run".into(),
            Some(Service::Reference) => "interpreter".into(),
            Some(service) => service.reason(),
        }
    }

    /// Shades one vertex per batch, so that each can hold any bits.
    fn vertices(&mut self, input: &Input) -> Result<String, CliError> {
        let (mut outputs, mut traces, mut faults) = (Vec::new(), Vec::new(), FaultList::new());
        let mask = self.executable.output_mask;
        let form = if self.args.mapped {
            OutputForm::Mapped(self.executable.output_map())
        } else {
            OutputForm::Records { mask, slots: mask.count_ones().max(1) as u8 }
        };
        for (at, vertex) in input.inputs.iter().enumerate() {
            let v = vertex.registers(self.precision);
            let (mut out, mut list) = (ShadedVertices::new(), FaultList::new());
            let inputs = VertexInputs {
                attributes: v.map(AttributeSource::Fixed).to_vec(),
                permutation: 0xfedc_ba98_7654_3210,
            };
            let batch = VertexBatch {
                memory: &FlatMemory::default(),
                indices: &[0],
                inputs: &inputs,
                program: &self.program,
                entry: self.entry,
                uniforms: &self.uniforms,
                output: &form,
                precision: self.precision,
                instruction_budget: self.args.budget,
            };
            self.engine.shade(&batch, &mut out, &mut list);
            self.note_service()?;
            collect(&list, at as u32, &mut faults);
            let component = |k: usize| out.component(k)[0];
            outputs.push(if self.args.mapped {
                output::semantics(&std::array::from_fn(component))
            } else {
                output::registers(mask, component)
            });
            if self.args.trace {
                traces.push(self.trace(&mut ShaderUnit { v, ..ShaderUnit::default() }));
            }
        }
        Ok(output::document("outputs", &outputs, &faults, &self.served(), self.args.trace.then_some(&traces)))
    }

    /// Runs a geometry program once for each object, on one unit.
    fn geometry(&mut self, input: &Input) -> Result<String, CliError> {
        let (mut outputs, mut traces, mut faults) = (Vec::new(), Vec::new(), FaultList::new());
        let mut unit = ShaderUnit::default();
        let map = self.executable.output_map();
        for (at, primitive) in input.inputs.iter().enumerate() {
            primitive.load(&mut unit.v, self.precision);
            let (mut emitted, mut list) = (Vec::new(), FaultList::new());
            if self.args.trace {
                traces.push(self.trace(&mut unit.clone()));
            }
            let mut run = GeometryRun {
                program: &self.program,
                entry: self.entry,
                uniforms: &mut self.uniforms,
                unit: &mut unit,
                output_mask: self.executable.output_mask,
                precision: self.precision,
                instruction_budget: self.args.budget,
                memory: &NoMemory,
            };
            self.engine.run_geometry(&mut run, &mut emitted, &mut list);
            self.note_service()?;
            collect(&list, at as u32, &mut faults);
            for Emission { latch, record } in &emitted {
                let values = if self.args.mapped {
                    output::semantics(&map.apply(record))
                } else {
                    output::registers(self.executable.output_mask, |k| record[k / 4][k % 4])
                };
                outputs.push(output::emission(at, latch, values));
            }
        }
        Ok(output::document("emitted", &outputs, &faults, &self.served(), self.args.trace.then_some(&traces)))
    }

    /// The steps of one invocation from these registers.
    fn trace(&self, unit: &mut ShaderUnit) -> Trace {
        let invocation = Invocation {
            program: &self.program,
            entry: self.entry,
            uniforms: &self.uniforms,
            output_mask: self.executable.output_mask,
            precision: self.precision,
            instruction_budget: self.args.budget,
            vertex: 0,
        };
        let mut trace = Trace::default();
        run_unit(&invocation, unit, &mut Vec::new(), &mut FaultList::new(), Some(&mut trace));
        trace
    }
}

/// Adds the faults of one invocation to those of all. An undefined word is listed once.
fn collect(list: &FaultList, at: u32, faults: &mut FaultList) {
    for fault in list.as_slice() {
        match *fault {
            Fault::InstructionBudget { pc, .. } => faults.push(Fault::InstructionBudget { pc, vertex: at }),
            other => faults.push_once(other),
        }
    }
}

/// All `v` registers of a vertex.
type Registers = [Vec4; 16];
