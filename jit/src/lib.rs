//! The programs and fragment paths of the PICA200, GPU of the Nintendo 3DS, compiled to native code with Cranelift, and
//! the vertex and pixel paths of the GE, GPU of the PlayStation Portable.
//!
//! [`Engine`] implements the seams of both machines in `picaflor-pipeline`; here those of vertices and pixels of the PICA200:
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
//! Hosts depend on the crate `picaflor`, which has a whole host as its example. An emulator that keeps its own pipeline
//! replaces its vertex recompiler with [`Engine`], which is a
//! [`ShaderStage`](picaflor_pipeline::pica::stage::ShaderStage).
//!
//! # What to know
//!
//! * In [`EngineMode::Background`], the default, the interpreter serves until a routine is compiled. A draw waits only
//!   where interpreting the draws in its state has cost, together, as much as compiling, a few milliseconds.
//!   [`Stats`] counts compilations, fallbacks to the interpreter, and their reasons.
//! * Work that the compiler refuses goes to the interpreter ([`CompileError`]); [`EngineBuilder::fallback`] forbids
//!   it, for tests.
//! * Code pages are never writable and executable at once; [`MappingScheme`] chooses how.
//! * [`EngineBuilder::disk_cache`] stores routines for later processes, in a folder that must be trusted.
//! * [`EngineBuilder::perf_map`], [`jitdump`](EngineBuilder::jitdump) and [`dumps`](EngineBuilder::dumps) write
//!   routines for profilers and for reading.
//! * A host that changes the floating-point mode of its threads calls the machine inside [`ieee`].
//!
//! Supported hosts: x86-64 with SSSE3 and SSE4.1, and aarch64; elsewhere [`EngineBuilder::build`] fails, unless
//! the engine only [interprets](EngineMode::InterpreterOnly).
//!
//! # Features and dependencies
//!
//! What an engine does is chosen in its [builder](EngineBuilder). The Cargo feature `gdb`, off by default, adds
//! `EngineBuilder::gdb`, which registers every routine with debuggers. With it the program exports
//! `__jit_debug_descriptor` and `__jit_debug_register_code`, symbols that another JIT compiler in the program may
//! define as well. The feature `targets` is only for this crate's tests, which compile routines for other processors.
//!
//! | crate | for |
//! |---|---|
//! | `cranelift-*`, `target-lexicon` | making code, for the processor at hand only |
//! | `memmap2`, `libc`, `wasmtime-internal-jit-icache-coherence` | pages that hold it |
//! | `picaflor-interp` | fallback for state without compiled code |
//! | `siphasher` | the hash of files in the cache on disk |
//! | `thiserror`, `tracing` | errors; warnings and events (optional subscriber) |
#![deny(unsafe_code)]

mod cache;
#[allow(unsafe_code)]
mod code;
mod cpu_level;
mod disk_cache;
mod effort;
mod emit;
mod engine;
mod error;
mod fallback;
mod ge;
mod key;
mod kind;
mod machines;
mod pauses;
mod pica;
mod profile;
mod queue;
mod routines;
#[cfg(test)]
#[path = "../../pipeline/tests/shared/skip.rs"]
mod skip;
mod stats;
mod texture_cache;
mod textures;
mod tracer;

/// State keys, for tools: comparable, printable and parsable.
pub mod keys {
    pub use crate::ge::keys::{PixelStateKey, TextureStateKey, TransformStateKey};
    pub use crate::key::text::NotAKey;
    pub use crate::pica::keys::{CombinerConstants, FragmentStateKey};
}

pub use code::fp_mode::ieee;
pub use code::memory::MappingScheme;
pub use cpu_level::CpuLevel;
pub use effort::Effort;
pub use engine::{CompileReport, EngineBuilder, EngineMode, RunReport, Served, Variant};
pub use error::CompileError;
pub use machines::Engine;
pub use picaflor_interp::trace::MOST_TRACED_FRAGMENTS;
pub use profile::Watch;
pub use stats::{DiskStats, Phase, Stats};
pub use texture_cache::TextureStats;
pub use tracer::{
    MOST_TRACED_RUNS, MOST_TRACED_VERTICES, Trace, TraceRequest, TracedRun, TracedVertex, Tracer,
};
