//! Comparison of engines: engines by name, vectors with their origin, and the `picaflor` command line. [`pica`]
//! serves the PICA200, [`ge`] the GE of the PlayStation Portable.
//!
//! ```text
//!  scenes, captures, CiTrace files ──► replay ──► interp ─┐
//!  random programs, states, lists ───► campaign   jit ────┴─► same, different or incomparable ──► report, html
//!  vectors, by origin ───────────────► vector     jit-exact, …                     │
//!                                                                     reduce, locate: a small case
//! ```
//!
//! A picture of a scene, and the proof that both engines draw it alike:
//!
//! ```
//! use picaflor_conformance::pica::engine::NamedEngine;
//! use picaflor_conformance::pica::{Pica, lockstep};
//! use picaflor_conformance::replay;
//! use picaflor_pipeline::pica::float::Precision;
//! use picaflor_scenes::pica::Scene;
//!
//! let capture = Scene::by_name("wrap_modes").expect("one of the scenes").capture(Precision::Console);
//! let mut engine = NamedEngine::by_name("jit").expect("an engine")?;
//! let played = replay::play::<Pica>(&capture, &mut engine, 1, None)?;
//! let picture = played.picture.expect("a screen is in use");
//! assert_eq!((picture.width(), picture.height()), (400, 240));
//! std::fs::write(std::env::temp_dir().join("wrap_modes.png"), picture.to_png())?;
//!
//! let comparison = lockstep::compare(&capture, ["interp", "jit"], 1, &|| ())?;
//! assert!(comparison.is_same());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On the command line that is `picaflor render scene:NAME -o OUT.png` and `picaflor diff scene:NAME`. The library
//! serves the command line and the tests; its interface follows their needs and is not stable. There are no Cargo
//! features.
//!
//! In every folder, code for one machine lies in `pica` or `ge`; code outside of these serves both.
//!
//! * [`pica`]: the PICA200: engines, vectors, random programs, states and lists, captures alone and in lock step, scenes.
//! * [`ge`]: the same for the GE, and recordings of consoles.
//! * [`plays`]: the trait of machines that play captures; [`machine`]: of those that are compared; `machines` lists
//!   them. [`features`]: the table of features by machine.
//! * [`replay`] plays captures on one engine, [`lockstep`] on two side by side; [`reproduce`] reduces a capture that
//!   differs; [`timing`] measures time by stage. Each is written once, generic over the machine.
//! * [`routines`]: dumps of compiled code; [`setup`]: construction of engines.
//! * [`inspect`]: questions about a capture: draws, histories of pixels, traces. [`traces`]: campaigns of traces.
//! * [`given_up`]: lists that a machine gave up. `convert`: captures in formats of others.
//! * `suggest`: names that somebody may have meant.
//! * [`crew`]: threads that run the cases of a campaign; [`host_memory`]: the memory that they run in; [`random`]: every random decision; `reducer`: reduction of
//!   failing cases.
//! * [`defect`]: engines that are wrong on purpose; [`html`]: comparisons as one page; [`image`]: pictures; [`score`]: their
//!   distance.
//! * [`vector`]: the common part of vector files; [`pica::vector`] and [`ge::vector`] are those of the machines.
//! * [`target`]: properties of any byte string; the fuzz targets call them.
//! * [`cli`]: one module for each subcommand.
//!
//! Built for WebAssembly, where no compiled code can run, the library is [`inspect`] and what it needs.

mod archive;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
#[cfg(not(target_family = "wasm"))]
mod convert;
#[cfg(not(target_family = "wasm"))]
pub mod crew;
#[cfg(not(target_family = "wasm"))]
pub mod defect;
#[cfg(not(target_family = "wasm"))]
pub mod features;
pub mod ge;
pub mod given_up;
#[cfg(not(target_family = "wasm"))]
pub mod host_memory;
#[cfg(not(target_family = "wasm"))]
pub mod html;
pub mod image;
pub mod inspect;
#[cfg(not(target_family = "wasm"))]
pub mod lockstep;
#[cfg(not(target_family = "wasm"))]
pub mod machine;
mod machines;
pub mod pica;
pub mod plays;
#[cfg(not(target_family = "wasm"))]
pub mod random;
#[cfg(not(target_family = "wasm"))]
mod reducer;
#[cfg(not(target_family = "wasm"))]
pub mod replay;
#[cfg(not(target_family = "wasm"))]
pub mod reproduce;
#[cfg(not(target_family = "wasm"))]
pub mod routines;
#[cfg(not(target_family = "wasm"))]
pub mod score;
#[cfg(not(target_family = "wasm"))]
pub mod setup;
#[cfg(not(target_family = "wasm"))]
mod suggest;
#[cfg(not(target_family = "wasm"))]
pub mod target;
#[cfg(not(target_family = "wasm"))]
pub mod timing;
#[cfg(not(target_family = "wasm"))]
pub mod traces;
#[cfg(not(target_family = "wasm"))]
pub mod vector;
