//! Everything that compares: engines by name, vectors with their origin, and the `picaflor` command line. For the PICA200
//! and, in [`ge`], the GE of the PlayStation Portable.
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
//! use picaflor_conformance::engine::NamedEngine;
//! use picaflor_conformance::replay;
//! use picaflor_conformance::scene::Scene;
//! use picaflor_pipeline::pica::float::Precision;
//!
//! let capture = Scene::by_name("wrap_modes").expect("one of the scenes").capture(Precision::Console);
//! let mut engine = NamedEngine::by_name("jit").expect("an engine")?;
//! let played = replay::play(&capture, &mut engine, 1, None)?;
//! let picture = played.picture.expect("a screen is in use");
//! assert_eq!((picture.width(), picture.height()), (400, 240));
//! std::fs::write(std::env::temp_dir().join("wrap_modes.png"), picture.to_png())?;
//!
//! let comparison = replay::compare(&capture, ["interp", "jit"], 1, &|| ())?;
//! assert!(comparison.is_same());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On the command line that is `picaflor render scene:NAME -o OUT.png` and `picaflor diff scene:NAME`. This library is what
//! the command line and the tests are made of; its interface follows them and promises nothing. There are no Cargo
//! features.
//!
//! * [`engine`]: the engines that every case runs on.
//! * [`vector`]: vector files, which hold every known fact about the shader unit and say where it comes from;
//!   [`vector::machine`]: the same for the whole machine, as small runs of it.
//! * [`encode`]: instruction words from fields.
//! * [`generate`]: random programs and inputs for them; [`case`](mod@case) is one of them, as a file.
//! * [`outcome`], [`compare`], [`campaign`]: running cases, the three verdicts, counting many.
//! * [`reduce`], [`locate`], [`report`]: from a difference to a small file and a text that explains it.
//! * [`defect`]: engines that are wrong on purpose; [`html`]: comparisons as one page.
//! * [`lists`]: random command lists on the whole machine.
//! * [`fragments`]: random states of the fragment pipeline and triangles in them.
//! * [`ge`]: the GE against what consoles gave.
//! * [`sweep`]: operations and engines over all their inputs.
//! * [`listing`]: command lists as named registers, and the state of a draw in words.
//! * [`replay`]: captures on engines, alone and in lock step; [`image`]: their pictures.
//! * [`scene`]: the project's own scenes, and the kit they are made with.
//! * [`machines`]: what works on which machine.
//! * [`timing`]: captures with a clock, stage by stage.
//! * [`target`]: what must hold for any byte string; the fuzz targets are glue around it.
//! * [`cli`]: one module for each subcommand.

pub mod campaign;
pub mod case;
pub mod cli;
pub mod compare;
pub mod crew;
pub mod defect;
pub mod encode;
pub mod engine;
pub mod fragments;
pub mod ge;
pub mod generate;
pub mod html;
pub mod image;
pub mod listing;
pub mod lists;
pub mod locate;
pub mod machines;
pub mod notation;
pub mod outcome;
pub mod reduce;
pub mod replay;
pub mod report;
pub mod scene;
pub mod sweep;
pub mod target;
pub mod timing;
pub mod vector;
