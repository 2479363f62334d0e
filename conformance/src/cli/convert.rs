//! `picaflor convert`: a capture in another format.

use super::capture::machine_of;
use super::source::Source;
use super::{CliError, tell_of, write_atomic};
use crate::convert::Losses;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Convert a capture to the own format, to CiTrace (.ctf) or to a frame dump of the PSP (.ppdmp).
///
/// What the new file has no place for is said line by line on standard error. CiTrace is for the 3DS and frame dumps
/// are for the PSP; the own format holds both, and all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor convert game.ctf game.pcap
  picaflor convert game.pcap game.ctf
  picaflor convert ge:game game.ppdmp
  picaflor convert frame.ppdmp.gz - --to own > frame.pcap")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME; - for standard input
    capture: Source,
    /// The new file; - for standard output
    output: PathBuf,
    /// The format; by the end of the name unless given: .ctf, .ppdmp, anything else is the own one
    #[arg(long, value_enum)]
    to: Option<Format>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A format of captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The own format of this project
    Own,
    /// Recordings of the 3DS
    Citrace,
    /// Frame dumps of the PSP
    Ppdmp,
}

impl Format {
    /// Its name in sentences.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Own => "the own format",
            Self::Citrace => "CiTrace",
            Self::Ppdmp => "frame dumps",
        }
    }

    /// The format that the end of a name stands for.
    fn of(path: &Path) -> Self {
        match path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("ctf") => Self::Citrace,
            Some("ppdmp") => Self::Ppdmp,
            _ => Self::Own,
        }
    }
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read, has no form in the format, or the file cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let to = args.to.unwrap_or_else(|| Format::of(&args.output));
    let machine = machine_of(&args.capture);
    let converted = machine.convert(&args.capture, to)?;
    write_atomic(&args.output, &converted.bytes)?;
    let lines = converted.losses.lines();
    let bytes = converted.bytes.len();
    let fields = json!({
        "format": to.name(),
        "machine": machine.title(),
        "bytes": bytes,
        "lost": lost(&converted.losses),
    });
    tell_of(&args.output, args.json, fields, &format!("{bytes} bytes, {}", to.name()))?;
    for line in lines.iter().filter(|_| !args.json || args.output.as_os_str() == "-") {
        note!("picaflor: lost: {line}");
    }
    Ok(ExitCode::SUCCESS)
}

fn lost(losses: &Losses) -> Vec<Value> {
    losses.iter().map(|(what, count)| json!({ "what": what, "count": count })).collect()
}
