//! The programs and fragment paths of the PICA200, GPU of the Nintendo 3DS, compiled to native code with Cranelift, and
//! the vertex and pixel paths of the GE, GPU of the PlayStation Portable.
//!
//! [`Engine`] implements both seams of both machines in `picaflor-pipeline`; here those of the PICA200:
//!
//! ```text
//!                    ┌──────────────── the machine, picaflor_pipeline::pica::Pica ─────────────────┐
//!  command list ───► │ registers ───► VertexBatch   ShadedVertices ───► triangles ───► tiles ──► … │ ───► picture
//!                    └─────────────────────│───────────────▲────────────────────────────│──────────┘
//!  Engine                                  ▼               │                            ▼
//!                            key: program, layout, …       │                 key: state of the units
//!                                          │               │                            │
//!                            is there a routine? ── yes ──► native code ◄── yes ── is there a routine?
//!                                          │                                            │
//!                                          ├── no ──► the interpreter: the same bits ◄── no ──┤
//!                                          └────────► a worker compiles it, for later ◄───────┘
//! ```
//!
//! # A first picture
//!
//! A whole host: memory of its own, a machine, an engine, a command list, and what the screen shows in the end.
//!
//! ```no_run
#![doc = include_str!("../examples/minimal_host.rs")]
//! ```
//!
//! # Without the machine
//!
//! An emulator that keeps its own pipeline replaces its vertex recompiler with [`Engine`], which is a
//! [`ShaderStage`](picaflor_pipeline::pica::stage::ShaderStage): see there, and `examples/vertex_recompiler.rs`.
//!
//! # What to know
//!
//! * [`EngineMode::Background`], the default, never makes a draw wait. [`Stats`] says what was compiled, what the
//!   interpreter did and why.
//! * Compiled code hands over to the interpreter what it refuses ([`CompileError`]); [`EngineBuilder::fallback`] forbids
//!   it, for tests.
//! * Code pages are never writable and executable at once; [`MappingScheme`] chooses how.
//! * [`EngineBuilder::disk_cache`] keeps routines for the next start, in a folder that has to be trusted.
//! * [`EngineBuilder::perf_map`], [`jitdump`](EngineBuilder::jitdump) and [`dumps`](EngineBuilder::dumps) show routines to
//!   profilers and people.
//! * A host that changes the floating-point mode of its threads calls the machine inside [`ieee`].
//!
//! Runs on x86-64 with SSSE3 and SSE4.1, and on aarch64; elsewhere [`EngineBuilder::build`] fails, unless the engine only
//! [interprets](EngineMode::InterpreterOnly).
//!
//! # Features and dependencies
//!
//! What an engine does is chosen in its [builder](EngineBuilder). The Cargo feature `gdb`, off by default, adds
//! `EngineBuilder::gdb`, which tells debuggers of every routine; it has a price: the program then exports
//! `__jit_debug_descriptor` and `__jit_debug_register_code`, which another compiler in it may bring too.
//! `targets` is for tests of this crate alone: they compile routines for machines other than this one with it.
//!
//! | crate | for |
//! |---|---|
//! | `cranelift-*`, `target-lexicon` | making code, for the processor at hand only |
//! | `memmap2`, `libc`, `wasmtime-internal-jit-icache-coherence` | pages that hold it |
//! | `picaflor-interp` | what is not compiled, or not yet |
//! | `siphasher` | the hash of files in the cache on disk |
//! | `thiserror`, `tracing` | errors; warnings and events, which nobody needs to listen to |
#![deny(unsafe_code)]

mod cache;
#[allow(unsafe_code)]
mod code;
mod disk_cache;
mod emit;
mod engine;
mod error;
mod fallback;
mod ge;
pub mod keys;
mod pica;
mod profile;
mod queue;
mod routines;
#[cfg(test)]
#[path = "../../pipeline/tests/shared/skip.rs"]
mod skip;
mod texture_cache;
#[cfg(test)]
mod waiting_tests;

pub use code::fp_mode::ieee;
pub use code::memory::MappingScheme;
pub use disk_cache::DiskStats;
pub use engine::{CompileReport, Engine, EngineBuilder, EngineMode, RunReport, Served, Variant};
pub use error::CompileError;
pub use profile::{Phase, Stats};
pub use texture_cache::TextureStats;
