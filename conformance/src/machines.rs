//! All machines, in the order in which they are shown. Nothing else that all machines share names one.

use crate::cli::machine::AnyMachine;
use crate::ge::Ge;
use crate::pica::Pica;

/// The machines. The first one is the default for files that none of them recognises.
pub(crate) const MACHINES: [&dyn AnyMachine; 2] = [&Pica, &Ge];
