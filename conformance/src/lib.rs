//! Everything that compares: engines by name, vectors with their origin, and the `picaflor` command line.
//!
//! * [`engine`]: the engines that every case runs on.
//! * [`vector`]: vector files, which hold every known fact about the shader unit and say where it comes from.
//! * [`sweep`]: recipes and engines over all 24-bit values.
//! * [`cli`]: one module for each subcommand.

pub mod cli;
pub mod engine;
pub mod sweep;
pub mod vector;
