//! How engines are made, whichever machine they are of.

use crate::defect::Defect;
use std::path::Path;

/// How an engine is made, beside its name.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setup<'a> {
    /// Folder in which compiled code is kept.
    pub cache: Option<&'a Path>,
    /// Folder for CLIF and machine instructions of every routine.
    pub dumps: Option<&'a Path>,
    /// What is wrong with it, on purpose.
    pub defect: Option<Defect>,
}
