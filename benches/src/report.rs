//! How the binaries end.

use clap::Command;
use std::error::Error;
use std::io;
use std::process::ExitCode;

/// Refuses the arguments of a binary that has none, or prints what it is for; usage errors end the process.
pub fn no_arguments(name: &'static str, about: &'static str) {
    Command::new(name).about(about).get_matches();
}

/// The exit code of a binary with a name: 1 after an error, whose line goes to standard error. Whoever reads the report may stop
/// when they have seen enough.
pub fn ended(name: &str, result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Err(error) if !is_closed(&*error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// True if nobody reads what is written.
fn is_closed(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|why| why.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_closed_pipe_is_no_error() {
        let of = |kind: io::ErrorKind| is_closed(&io::Error::from(kind));
        assert!(of(io::ErrorKind::BrokenPipe) && !of(io::ErrorKind::StorageFull));
        assert!(!is_closed(&*Box::<dyn Error>::from("broken pipe")));
    }
}
