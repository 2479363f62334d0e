//! `picaflor disasm`: a container to shader source.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use picaflor_pipeline::pica::shader::disasm::disassemble;
use picaflor_pipeline::pica::shader::shbin::Shbin;

use crate::cli::{CliError, shown_input};

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
/// The file cannot be read or is not a container.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let bytes = crate::cli::read_file(&args.file)?;
    let shbin = Shbin::read(&bytes)
        .map_err(|error| CliError::new(format!("{}: {error}", shown_input(&args.file))))?;
    crate::cli::write_atomic(Path::new("-"), disassemble(&shbin).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
