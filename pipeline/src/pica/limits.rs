//! `Limits`: how much a guest may ask for.

use crate::stage::DEFAULT_INSTRUCTION_BUDGET;

/// Budgets that keep a machine from working forever on what a guest made. Real software stays far below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of one shader invocation.
    pub instructions: u32,
    /// Vertices of one draw.
    pub vertices: u32,
    /// Triangles of one draw, clipped ones included.
    pub triangles: u32,
    /// Pixels in the bounding boxes of the triangles of one draw.
    pub pixels: u64,
    /// Commands of one [`Pica::run`](crate::pica::Pica::run), over all lists that it jumps to.
    pub commands: u32,
    /// Jumps of one run.
    pub jumps: u32,
    /// Vertices of one run; looked at after each draw.
    pub run_vertices: u64,
    /// Pixels in the bounding boxes of the triangles of one run; looked at after each draw.
    pub run_pixels: u64,
}

impl Default for Limits {
    /// A list has at most 16 MiB, which is two million commands; a draw may cover both screens some
    /// hundreds of times and a run some thousands of times, which takes the reference path minutes.
    fn default() -> Self {
        Self {
            instructions: DEFAULT_INSTRUCTION_BUDGET,
            vertices: 1 << 22,
            triangles: 1 << 22,
            pixels: 1 << 27,
            commands: 1 << 25,
            jumps: 100_000,
            run_vertices: 1 << 26,
            run_pixels: 1 << 30,
        }
    }
}
