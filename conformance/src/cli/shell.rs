//! `picaflor completions` and `picaflor man`: files for shells and for the manual.

use super::capture::{make_folder, write_into};
use super::{CliError, plain_name, print};
use clap::Command;
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the completions for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor completions bash > ~/.local/share/bash-completion/completions/picaflor
  picaflor completions zsh > ~/.zfunc/_picaflor
  picaflor completions fish > ~/.config/fish/completions/picaflor.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages, one for each subcommand.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: picaflor man ~/.local/share/man/man1")]
pub struct Man {
    /// Folder for the pages
    folder: PathBuf,
}

/// Prints the completions of a command.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(args: &Completions, mut command: Command) -> Result<ExitCode, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "picaflor", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual pages of a command and its subcommands.
///
/// # Errors
/// The folder or a page cannot be written.
pub fn man(args: &Man, mut command: Command) -> Result<ExitCode, CliError> {
    command.build();
    let mut pages = Vec::new();
    collect(&command, "picaflor", &mut pages)?;
    make_folder(&args.folder)?;
    for (name, page) in &pages {
        write_into(&args.folder, &format!("{name}.1"), page)?;
    }
    print(&format!("{} pages in {}\n", pages.len(), plain_name(&args.folder)))?;
    Ok(ExitCode::SUCCESS)
}

/// The pages of a command and those below it, by name.
fn collect(command: &Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), CliError> {
    let mut page = Vec::new();
    // Its title is the display name, which `build` has made like this one.
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(CliError::new)?;
    pages.push((name.to_owned(), page));
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    for below in below {
        collect(below, &format!("{name}-{}", below.get_name()), pages)?;
    }
    Ok(())
}
