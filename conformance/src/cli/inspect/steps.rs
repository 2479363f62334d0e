//! `picaflor shader show`: the program of a draw, and what it did with a vertex step by step.

use super::{How, has_vertex, print_json};
use crate::cli::source::Source;
use crate::cli::{CliError, print};
use crate::inspect::{Program, ProgramStep};
use serde_json::json;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Show the program of a draw and its steps for a vertex, with the register before and after each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor shader show scene:transforms --draw 1 --vertex 2
  picaflor shader show game.ctf --draw 586 --vertex 3 --step 40
  picaflor shader show game.ctf --draw 586 --source")]
pub struct Args {
    /// A capture, or scene:NAME; - for standard input
    capture: Source,
    /// The draw, counted from 0
    #[arg(long)]
    draw: u64,
    /// The vertex, by its position among those that the draw shades
    #[arg(long, default_value_t = 0)]
    vertex: usize,
    /// Only this step, counted from 0
    #[arg(long)]
    step: Option<usize>,
    /// Print the source instead, which assembles to the program
    #[arg(long, conflicts_with = "step")]
    source: bool,
    #[command(flatten)]
    how: How,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or played, or there is no such draw, vertex or step.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let mut inspector = args.how.open(&args.capture)?;
    let title = inspector.title();
    let draw = inspector.draw(args.draw, args.vertex).map_err(CliError::new)?;
    has_vertex(args.draw, &draw, args.vertex)?;
    let Some(program) = draw.program else {
        return Err(CliError::new(format!("draw {} ran no vertex program: {title}", args.draw)));
    };
    if args.how.json {
        print_json(&json!({ "capture": args.capture, "draw": args.draw, "program": program.as_json() }))?;
    } else if args.source {
        print(&program.source)?;
    } else {
        print(&as_text(args, &program)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn as_text(args: &Args, program: &Program) -> Result<String, CliError> {
    let count = program.steps.len();
    let mut text = format!(
        "draw {}, vertex {}: {count} steps from {:#05x} on\n",
        args.draw, program.vertex, program.entry
    );
    if let Some(number) = args.step {
        let step = program.steps.get(number);
        let why =
            || CliError::new(format!("there is no step {number}; the vertex has {count}, counted from 0"));
        return Ok(text + &step_as_text(number, step.ok_or_else(why)?));
    }
    text += &named("inputs", &program.inputs);
    for (number, step) in program.steps.iter().enumerate() {
        text += &step_as_text(number, step);
    }
    Ok(text + &named("outputs", &program.outputs))
}

/// Registers, one a line.
fn named(title: &str, registers: &[(String, Vec<f64>)]) -> String {
    let mut text = format!("{title}\n");
    for (name, value) in registers {
        let value: Vec<String> = value.iter().map(|&number| (number as f32).to_string()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<5} {}", value.join("  "));
    }
    text
}

fn step_as_text(number: usize, step: &ProgramStep) -> String {
    let vector = |value: &[f32; 4]| value.map(|component| component.to_string()).join("  ");
    let mut text = format!("{number:>4}  {:03x}  {}\n", step.address, step.text);
    if let Some((register, before, after)) = &step.written {
        let _ =
            write!(text, "           {register:<4} {}\n             -> {}\n", vector(before), vector(after));
    }
    if step.flags != "a0 0,0 aL 0 cmp 00" {
        let _ = writeln!(text, "           {}", step.flags);
    }
    text
}
