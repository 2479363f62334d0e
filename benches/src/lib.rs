//! Questions about the speed of Picaflor, and what all benches share: programs, meshes, uniforms, a scalar
//! yardstick and a clock. Everything is made from fixed seeds, so two runs do the same work.
//!
//! * [`pica`] and [`ge`]: what is measured of each machine;
//! * [`clock`]: the least noisy time of several things that are compared.
//!
//! `cargo bench -p picaflor-benches` asks the questions one by one; the binary `table` prints the ratios, the
//! binary `scenes` what each scene costs; the binary `profile` runs one program for a while under a profiler.
#![deny(unsafe_code)]

pub mod clock;
pub mod ge;
pub mod pica;
pub mod random;
