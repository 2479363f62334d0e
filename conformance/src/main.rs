//! The `picaflor` command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use picaflor_conformance::cli::fuzz;

#[derive(Parser)]
#[command(name = "picaflor", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Fuzz(fuzz::Args),
}

fn main() -> ExitCode {
    let Command::Fuzz(args) = Arguments::parse().command;
    fuzz::run(&args).unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}
