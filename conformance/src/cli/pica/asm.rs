//! `picaflor asm`: shader sources to a container.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use picaflor_pipeline::pica::shader::asm::{Options, SourceFile, assemble_with_warnings};

use crate::cli::{CliError, legible_lines};

/// Assembles shader sources into one SHBIN container
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  picaflor asm light.v.pica -o light.shbin\n  \
    picaflor asm scene.v.pica scene.g.pica -o scene.shbin\n\n\
    Files are linked in the order given. A file with `.gsh` is a geometry program.")]
pub struct Args {
    /// Source files, in order
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// The container to write
    #[arg(short, long, value_name = "OUT.shbin")]
    output: PathBuf,
    /// Warn where a NOP belongs before the end of a block, instead of inserting it
    #[arg(short, long)]
    no_nop: bool,
}

/// Runs the command.
///
/// # Errors
/// A file cannot be read or written, or a source is wrong. The output file then stays unchanged.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let sources = args.inputs.iter().map(|path| read_source(path)).collect::<Result<Vec<_>, _>>()?;
    let options = Options { no_nop: args.no_nop };
    let (shbin, warnings) = assemble_with_warnings(&sources, options).map_err(CliError::with_details)?;
    warnings.iter().for_each(|warning| note!("{}", legible_lines(warning)));
    crate::cli::write_atomic(&args.output, &shbin.write())?;
    Ok(ExitCode::SUCCESS)
}

/// A source file. Bytes that are not UTF-8 can only be in comments of a good source, so they are replaced.
fn read_source(path: &Path) -> Result<SourceFile, CliError> {
    let bytes = crate::cli::read_file(path)?;
    Ok(SourceFile::new(path.display().to_string(), String::from_utf8_lossy(&bytes)))
}
