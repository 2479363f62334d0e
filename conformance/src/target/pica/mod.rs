//! The properties of the PICA200: files, programs, and what a host or guest does to the whole machine.

mod disk;
mod files;
mod machine;
mod program;
mod text;
mod tiny;

pub use disk::{CacheError, CacheFolder, disk_cache};
pub use files::{capture, citrace, key};
pub use machine::{command_list, fragment_commands, mmio};
pub use program::{shader, shader_bytes};
pub use text::{assembler, container, decoder};
