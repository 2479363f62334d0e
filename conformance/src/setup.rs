//! Construction of engines, generic over the machine.

use crate::defect::Defect;
use std::path::Path;

/// Options for the construction of an engine, beside its name.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setup<'a> {
    /// Folder in which compiled code is kept.
    pub cache: Option<&'a Path>,
    /// Folder for CLIF and machine instructions of every routine.
    pub dumps: Option<&'a Path>,
    /// A defect on purpose.
    pub defect: Option<Defect>,
}
