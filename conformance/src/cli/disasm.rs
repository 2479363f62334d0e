//! `picaflor disasm`: a container to shader source.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use picaflor_pipeline::pica::shader::disasm::disassemble;
use picaflor_pipeline::pica::shader::shbin::Shbin;

use super::CliError;

/// Prints a SHBIN container as source that assembles to the same words
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  picaflor disasm light.shbin > light.v.pica\n\n\
    Programs that the assembler would encode otherwise are printed with their fields written out, \
    after `.raw`.")]
pub struct Args {
    /// The container
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the file cannot be read or is not a container.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let failed = |error: &dyn std::fmt::Display| CliError::new(format!("{}: {error}", args.file.display()));
    let bytes = fs::read(&args.file).map_err(|error| failed(&error))?;
    let shbin = Shbin::read(&bytes).map_err(|error| failed(&error))?;
    // A closed pipe, as from `| head`, is how the reader says that it has seen enough.
    match std::io::stdout().lock().write_all(disassemble(&shbin).as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(failed(&error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}
