//! Engines that are wrong on purpose: tests of the comparison and of its reports.
//!
//! A [`Defect`] stands behind the seams of the machine: it damages the output of an engine before the machine takes
//! it. The command line has a hidden switch, `diff --defect NAME`.

mod ge;
mod pica;

/// The kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Defect {
    /// In draws with texture unit 0: one bit of green, in every fourth block of 8x8 pixels
    Pixels,
    /// One bit of the first component of every fifth vertex
    Vertices,
    /// As pixels, where engines keep what they have read for other draws: only while nobody looks
    Kept,
}

impl Defect {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pixels => "pixels",
            Self::Vertices => "vertices",
            Self::Kept => "kept",
        }
    }

    /// True if draws show it whose engine keeps what it has read for others, or does not.
    #[must_use]
    pub const fn shows(self, keeps: bool) -> bool {
        keeps || !matches!(self, Self::Kept)
    }
}

/// The pixels of a tile, which lies inside the target, between two columns and two rows.
fn pixels(sides: [i32; 4]) -> impl Iterator<Item = (u32, u32)> {
    let [x0, x1, y0, y1] = sides.map(|side| side.max(0) as u32);
    (y0..y1).flat_map(move |y| (x0..x1).map(move |x| (x, y)))
}
