//! Executable memory and the calls of compiled code. The unsafe rooms of this crate.
//!
//! [`memory`] owns the pages, [`compile`] fills them through one cranelift-jit module per routine, [`routine`] calls
//! them, [`fp_mode`] sets the floating-point mode around a call, [`profilers`] and [`jitdump`] announce routines to
//! `perf`, `gdb` (a feature) to debuggers, [`pica`] and [`ge`] hold the calls of each machine's routines. [`vectors`]
//! runs Rust that was compiled for processors with wider vectors. A routine's
//! bytes go back to the arena when the last handle to its [`routine::CodeBlock`] is dropped.

pub(crate) mod compile;
#[cfg(feature = "gdb")]
pub(crate) mod debug_object;
#[cfg(test)]
pub(crate) mod fault_injection;
pub(crate) mod fp_mode;
mod free_list;
#[cfg(feature = "gdb")]
pub(crate) mod gdb;
pub(crate) mod ge;
pub(crate) mod jitdump;
pub(crate) mod memory;
#[cfg(target_arch = "x86_64")]
mod moves;
mod own_pages;
pub(crate) mod pica;
pub(crate) mod profilers;
pub(crate) mod routine;
#[cfg(test)]
pub(crate) mod targets;
#[cfg(all(test, target_os = "linux"))]
pub(crate) mod unprivileged;
pub(crate) mod vectors;
pub(crate) mod zeroed;
