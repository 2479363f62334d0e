//! The list of all machines, in the order in which they are shown. No other shared room names a machine.

use crate::cli::machine::AnyMachine;
use crate::ge::Ge;
use crate::pica::Pica;

/// The machines. The first one is the default for files that none of them recognises.
pub(crate) const MACHINES: [&dyn AnyMachine; 2] = [&Pica, &Ge];
