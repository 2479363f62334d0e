//! The GPUs of two handheld consoles, from command list to picture: the PICA200 of the Nintendo 3DS ([`pica`]) and the
//! Graphics Engine of the PlayStation Portable ([`ge`]).
//!
//! A host provides memory ([`Memory`]) and creates an [`Engine`] and a machine ([`pica::Pica`], [`ge::Ge`]). The
//! machine runs command lists of the guest, and pictures are read from it. The engine compiles vertex and pixel paths
//! to native code; until a routine is compiled an [`Interpreter`] does the work, with the same bits.
//!
//! # A first picture
//!
//! ```no_run
#![doc = include_str!("../examples/minimal_host.rs")]
//! ```
//!
//! # Where things are
//!
//! | module | content |
//! |---|---|
//! | [`crate`] | the engine and its settings, guest memory, faults, snapshots and states, pictures |
//! | [`pica`], [`ge`] | a machine each, with its limits, statistics and events |
//! | [`pica::shader`] | programs outside command lists: assembler, SHBIN files, uniforms |
//! | [`trace`] | numbers of chosen vertices and pixels, for debuggers |
//! | [`capture`] | recordings: what `picaflor diff`, the command line, replays |
//! | [`seam`] | the traits between machines and engines, for hosts that replace one part only |
//!
//! # What a host has to know
//!
//! * Results depend on the guest only: not on the engine, its mode, the number of threads or the processor.
//! * Guest input never panics, never runs without end, never reads outside of the memory that the host granted. An
//!   error of the guest is a [`Fault`]; an unreadable list, or one that exceeds the limits, is a `RunError`.
//! * Memory is shared: while a call is under way, other threads of the host may write guest memory. Bytes and pixels
//!   that depend on such writes are undefined, nothing else is. Regions stay mapped until the call returns. The
//!   chapter "Threat model" has the whole rule.
//! * A machine and an engine serve one thread at a time. Both are `Send`.
//! * A host that changes the floating-point mode of its threads calls the machine inside [`ieee`].
//!
//! # Beside another Cranelift
//!
//! Picaflor needs Cranelift 0.135.8 or a later 0.135. A host that uses Cranelift itself shares it when its own
//! requirement is met by the same 0.135 version; with any other minor version Cargo builds both, side by side: no
//! type of Cranelift appears in this crate's interface, and no symbol collides. The cache on disk names the version
//! of Cranelift in its identity, so a folder that was filled by one build is not used by another.
//!
//! # Features
//!
//! `ppdmp` reads frame dumps of the PSP; `gdb` adds `EngineBuilder::gdb`. Both are off by default. Everything
//! else is chosen in the builder.

pub mod capture;
pub mod ge;
pub mod pica;
pub mod seam;

/// Numbers of chosen vertices, geometry runs and pixels, stage by stage.
pub mod trace {
    pub use picaflor_interp::trace::{FragmentTrace, Note, Stage, Value};
    pub use picaflor_jit::{
        MOST_TRACED_RUNS, MOST_TRACED_VERTICES, Trace, TraceRequest, TracedRun, TracedVertex, Tracer,
    };
}

pub use picaflor_interp::Interpreter;
pub use picaflor_jit::{
    CompileError, CompileReport, CpuLevel, DiskStats, Effort, Engine, EngineBuilder, EngineMode,
    MappingScheme, Phase, Stats, TextureStats, Watch, ieee,
};
pub use picaflor_pipeline::fault::{Fault, FaultList};
pub use picaflor_pipeline::fields::StateError;
pub use picaflor_pipeline::guest_slice::GuestSlice;
pub use picaflor_pipeline::memory::{BlockMemory, FlatMemory, Memory, Tracked, Versions, write_bytes};
pub use picaflor_pipeline::picture::{Picture, PictureBuffer, PictureError, PictureFormat};
pub use picaflor_pipeline::snapshot::{Snapshot, SnapshotError};
pub use picaflor_pipeline::stop::{StopCause, Stopper};
pub use picaflor_pipeline::texture::{self, Texture};
