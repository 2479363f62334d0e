//! The `picaflor` command line.

use std::process::ExitCode;

use clap::Parser;
use picaflor_conformance::cli::{asm, disasm};

/// PICA200 shader tools
#[derive(Parser)]
#[command(name = "picaflor")]
enum Command {
    /// Assembles shader sources into one SHBIN container
    Asm(asm::Args),
    /// Prints a SHBIN container as source that assembles to the same words
    Disasm(disasm::Args),
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Asm(args) => asm::run(&args),
        Command::Disasm(args) => disasm::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}
