//! Workloads of the PICA200: programs with their batches and uniforms, and fragments.
//!
//! * [`example`]: the four programs, [`workload`]: a batch of vertices for one of them;
//! * [`yardstick`]: the same programs as plain scalar Rust, a unit that every reader knows;
//! * [`contender`]: yardstick, interpreter and JIT behind one interface;
//! * [`seam`]: calls of the shader seam, small and changing;
//! * [`fragment`]: states of the fragment units and triangles to draw in them.

pub mod contender;
pub mod example;
pub mod fragment;
pub mod mesh;
pub mod seam;
pub mod uniforms;
pub mod workload;
pub mod yardstick;
