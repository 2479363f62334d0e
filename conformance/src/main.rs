//! The `picaflor` command line.

#[cfg(all(feature = "guard", target_os = "linux", target_pointer_width = "64"))]
mod guard;

use clap::{CommandFactory, Parser};
use picaflor_conformance::cli;
use std::process::ExitCode;

/// The GPUs of the 3DS and the PSP on two engines: pictures of captures, comparisons, shader programs.
#[derive(Debug, Parser)]
#[command(name = "picaflor", version, arg_required_else_help = true)]
enum Command {
    Demo(cli::demo::Args),
    Render(cli::render::Args),
    Diff(cli::diff::Args),
    Check(cli::check::Args),
    Info(cli::info::Args),
    Draws(cli::inspect::draws::Args),
    Pixel(cli::inspect::pixel::Args),
    Dump(cli::inspect::dump::Args),
    Compare(cli::inspect::compare::Args),
    Cut(cli::inspect::cut::Args),
    Convert(cli::convert::Args),
    #[command(visible_alias = "gif")]
    Video(cli::video::Args),
    View(cli::inspect::view::Args),
    Bench(cli::bench::Args),
    Asm(cli::pica::asm::Args),
    Disasm(cli::pica::disasm::Args),
    Shader(cli::pica::shader::Args),
    Fuzz(cli::fuzz::Args),
    Hardware(cli::ge::hardware::Args),
    Machines(cli::machines::Args),
    Merge(cli::merge::Args),
    Sweep(cli::pica::sweep::Args),
    Completions(cli::shell::Completions),
    Man(cli::shell::Man),
}

fn main() -> ExitCode {
    let result = match Command::try_parse() {
        Err(message) => cli::print_help(&message),
        Ok(command) => run(command),
    };
    result.unwrap_or_else(|error| {
        cli::print_error(&error);
        ExitCode::from(error.exit_code())
    })
}

/// Runs a subcommand.
fn run(command: Command) -> Result<ExitCode, cli::CliError> {
    match command {
        Command::Demo(args) => cli::demo::run(&args),
        Command::Render(args) => cli::render::run(&args),
        Command::Diff(args) => cli::diff::run(&args),
        Command::Check(args) => cli::check::run(&args),
        Command::Info(args) => cli::info::run(&args),
        Command::Draws(args) => cli::inspect::draws::run(&args),
        Command::Pixel(args) => cli::inspect::pixel::run(&args),
        Command::Dump(args) => cli::inspect::dump::run(&args),
        Command::Compare(args) => cli::inspect::compare::run(&args),
        Command::Cut(args) => cli::inspect::cut::run(&args),
        Command::Convert(args) => cli::convert::run(&args),
        Command::Video(args) => cli::video::run(&args),
        Command::View(args) => cli::inspect::view::run(&args),
        Command::Bench(args) => cli::bench::run(&args),
        Command::Asm(args) => cli::pica::asm::run(&args),
        Command::Disasm(args) => cli::pica::disasm::run(&args),
        Command::Shader(args) => cli::pica::shader::run(&args),
        Command::Fuzz(args) => cli::fuzz::run(&args),
        Command::Hardware(args) => cli::ge::hardware::run(&args),
        Command::Machines(args) => cli::machines::run(&args),
        Command::Merge(args) => cli::merge::run(&args),
        Command::Sweep(args) => cli::pica::sweep::run(&args),
        Command::Completions(args) => cli::shell::completions(&args, Command::command()),
        Command::Man(args) => cli::shell::man(&args, Command::command()),
    }
}
