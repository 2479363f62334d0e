//! What the command line does with the PICA200 alone: the subcommands for shader programs, and its parts of `diff`, `fuzz`
//! and `info`.

pub mod asm;
pub(super) mod diff;
pub mod disasm;
pub(super) mod fuzz;
pub(super) mod log;
pub mod shader;
pub mod sweep;
