//! `Limits`: how much a guest may ask for.

use crate::setters::setters;

/// Budgets that keep a machine from working forever on what a guest made. Real software stays far below.
///
/// ```
/// use picaflor_pipeline::ge::limits::Limits;
///
/// assert_eq!(Limits::default().with_commands(1000).commands, 1000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Vertices of one draw, those that patches are divided into included.
    pub vertices: u32,
    /// Pixels in the bounds of the primitives of one draw.
    pub pixels: u64,
    /// Commands of one run, over all jumps.
    pub commands: u32,
    /// Vertices of one run; looked at after each draw.
    pub run_vertices: u64,
    /// Pixels in the bounds of the primitives of one run; looked at after each draw.
    pub run_pixels: u64,
    /// Bytes that block transfers move in one run; looked at after each.
    pub run_bytes: u64,
}

impl Limits {
    /// A patch of 255 by 255 control points may ask for a hundred million vertices; a million are sixteen times
    /// what the largest other draw has. A list that fills half of the largest memory has eight million commands.
    /// The rest is hundreds of times what the console has time for between two pictures.
    pub const DEFAULT: Self = Self {
        vertices: 1 << 20,
        pixels: 1 << 27,
        commands: 1 << 23,
        run_vertices: 1 << 26,
        run_pixels: 1 << 30,
        run_bytes: 1 << 32,
    };

    setters! {
        with_vertices: vertices, u32;
        with_pixels: pixels, u64;
        with_commands: commands, u32;
        with_run_vertices: run_vertices, u64;
        with_run_pixels: run_pixels, u64;
        with_run_bytes: run_bytes, u64;
    }
}

impl Default for Limits {
    /// [`DEFAULT`](Self::DEFAULT).
    fn default() -> Self {
        Self::DEFAULT
    }
}
