//! Everything that compares: engines by name, vectors with their origin, and the `picaflor` command line.
//!
//! * [`engine`]: the engines that every case runs on.
//! * [`vector`]: vector files, which hold every known fact about the shader unit and say where it comes from.
//! * [`cli`]: one module for each subcommand.

pub mod cli;
pub mod engine;
pub mod vector;
