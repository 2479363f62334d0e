//! The list of all machines, in the order in which they are shown. No other shared room names a machine.

#[cfg(not(target_family = "wasm"))]
use crate::cli::machine::AnyMachine;
use crate::ge::Ge;
use crate::inspect::{Inspect, Inspector, NoAnswer, Session};
use crate::pica::Pica;
use crate::plays::{Plays, Reading};

/// The machines. The first one is the default for files that none of them recognises.
#[cfg(not(target_family = "wasm"))]
pub(crate) const MACHINES: [&dyn AnyMachine; 2] = [&Pica, &Ge];

/// True if the first bytes of a file are those of a capture of any machine.
pub(crate) fn recognises(first: &[u8]) -> bool {
    <Pica as Plays>::recognises(first) || <Ge as Plays>::recognises(first)
}

/// A capture that answers questions, with the interpreter. A file that no machine recognises goes to the first one,
/// which reports the error.
///
/// # Errors
/// The file is no capture, or damaged.
pub(crate) fn inspector(file: &[u8]) -> Result<Box<dyn Inspector>, NoAnswer> {
    if <Ge as Plays>::recognises(file) { of::<Ge>(file) } else { of::<Pica>(file) }
}

/// The scene of a name, `ge:NAME` or `scene:NAME`, with the interpreter.
pub(crate) fn scene(source: &str) -> Option<Box<dyn Inspector>> {
    match source.strip_prefix(<Ge as Plays>::PREFIX) {
        Some(name) => Some(interpreted::<Ge>(Ge::scene(name, Reading::default())?)),
        None => Some(interpreted::<Pica>(Pica::scene(source.strip_prefix("scene:")?, Reading::default())?)),
    }
}

fn of<M: Inspect>(file: &[u8]) -> Result<Box<dyn Inspector>, NoAnswer>
where
    M::Capture: Send,
{
    // Checkpoints lie between pieces.
    let how = Reading { in_pieces: true, ..Reading::default() };
    M::read(file, how).map(interpreted::<M>).map_err(NoAnswer::new)
}

fn interpreted<M: Inspect>(capture: M::Capture) -> Box<dyn Inspector> {
    Box::new(Session::<M>::new(capture, M::interpreter()))
}
