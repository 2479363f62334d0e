//! Measurements of Picaflor's speed, and the common part of all benches: programs, meshes, uniforms, a scalar
//! yardstick and a clock. Everything is made from fixed seeds, so two runs do the same work.
//!
//! * [`pica`] and [`ge`]: the workloads of each machine;
//! * [`clock`]: the least noisy times of several tasks;
//! * [`schedule`]: what more cores would bring;
//! * [`report`]: how the binaries end;
//! * [`turns`]: two builds of `picaflor`, measured in turns;
//! * [`workloads`]: captures and scenes that `picaflor` runs on.
//!
//! `cargo bench -p picaflor-benches` runs the measurements one by one; the binary `table` prints the ratios, the
//! binary `scenes` the cost of each scene; the binary `frames` compares two builds on whole frames, `first_lists` shows the first lists of new engines, `schedule` frames on more threads; the binary `profile`
//! runs one program for some time under a profiler.
#![deny(unsafe_code)]

pub mod clock;
pub mod ge;
pub mod pica;
pub mod random;
pub mod report;
pub mod schedule;
pub mod turns;
pub mod workloads;
