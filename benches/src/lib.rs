//! Questions about the speed of Picaflor, and what all benches share: programs, meshes, uniforms, a scalar
//! yardstick and a clock. Everything is made from fixed seeds, so two runs do the same work.
//!
//! * [`example`]: the four programs, [`workload`]: a batch of vertices for one of them;
//! * [`yardstick`]: the same programs as plain scalar Rust, to have a unit that every reader knows;
//! * [`contender`]: yardstick, interpreter and JIT behind one face;
//! * [`fragment`]: states of the fragment units and triangles to draw in them;
//! * [`clock`]: the least noisy time of several things that are compared.
//!
//! `cargo bench -p picaflor-benches` asks the questions one by one; the binary `table` prints the ratios, the
//! binary `scenes` what each scene costs; the binary `profile` runs one program for a while under a profiler.
#![deny(unsafe_code)]

pub mod clock;
pub mod contender;
pub mod example;
pub mod fragment;
pub mod ge;
pub mod mesh;
pub mod random;
pub mod scene;
pub mod workload;
pub mod yardstick;
