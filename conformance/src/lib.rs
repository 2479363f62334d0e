//! Everything that compares: engines by name, vectors with their origin, and the `picaflor` command line.
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
//! * [`sweep`]: operations and engines over all their inputs.
//! * [`listing`]: command lists as named registers, and the state of a draw in words.
//! * [`replay`]: captures on engines, alone and in lock step; [`image`]: their pictures.
//! * [`scene`]: the project's own scenes, and the kit they are made with.
//! * [`timing`]: captures with a clock, stage by stage.
//! * [`target`]: what must hold for any byte string; the fuzz targets are glue around it.
//! * [`cli`]: one module for each subcommand.

pub mod campaign;
pub mod case;
pub mod cli;
pub mod compare;
pub mod defect;
pub mod encode;
pub mod engine;
pub mod fragments;
pub mod generate;
pub mod html;
pub mod image;
pub mod listing;
pub mod lists;
pub mod locate;
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
