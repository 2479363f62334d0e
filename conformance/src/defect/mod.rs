//! Engines that are wrong on purpose, to see what finds it and how it is shown.
//!
//! A [`Defect`] stands behind the seams of the machine: what an engine has made is damaged before the machine
//! takes it. The command line has the switch, hidden, as `diff --defect NAME`.

mod ge;
mod pica;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Defect {
    /// In draws with texture unit 0: one bit of green, in every fourth block of 8x8 pixels
    Pixels,
    /// One bit of the first component of every fifth vertex
    Vertices,
}

impl Defect {
    /// The name by which the command line knows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pixels => "pixels",
            Self::Vertices => "vertices",
        }
    }
}

/// The pixels of a tile, which lies inside the target, between two columns and two rows.
fn pixels(sides: [i32; 4]) -> impl Iterator<Item = (u32, u32)> {
    let [x0, x1, y0, y1] = sides.map(|side| side.max(0) as u32);
    (y0..y1).flat_map(move |y| (x0..x1).map(move |x| (x, y)))
}
