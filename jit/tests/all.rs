//! All integration tests of this package.

mod common;
mod disk_cache;
mod engine;
mod examples;
#[cfg(all(feature = "gdb", target_os = "linux"))]
mod gdb;
mod geometry;
#[cfg(target_arch = "x86_64")]
mod host_mode;
#[path = "../../pipeline/tests/shared/one_program.rs"]
mod one_program;
mod rounding;
#[cfg(all(feature = "gdb", target_os = "linux"))]
#[path = "../../pipeline/tests/shared/skip.rs"]
mod skip;
mod stress;
