//! Register views for transform: viewport, offset, texture scale and mapping, fog curve, default colour.
//!
//! Source: psp-ge.md 3.4, 3.6, 5.7, 5.8.

use super::{Registers, fields, op};

/// Transform from normalised device coordinates to screen coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// XSCALE, YSCALE, ZSCALE.
    pub scale: [f64; 3],
    /// XPOS, YPOS, ZPOS.
    pub centre: [f64; 3],
}

/// Source of texture coordinates (TMAP).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextureMapping {
    /// The vertex's own, with scale and offset.
    Coordinates,
    /// A vector, transformed by the texture matrix.
    Matrix(MapSource),
    /// The angles between the normal and two lights.
    Environment,
}

/// The vector that the texture matrix transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MapSource {
    /// The position before skinning.
    Position,
    /// The texture coordinates and 0.
    Coordinates,
    /// The normal, of length 1.
    NormalisedNormal,
    /// The normal.
    Normal,
}

impl Registers {
    /// A float argument, widened for the geometry pipe.
    #[must_use]
    pub fn double(&self, command: u8) -> f64 {
        f64::from(self.float(command))
    }

    /// Three float arguments, that of `command` and the two after it.
    #[must_use]
    pub fn vector(&self, command: u8) -> [f64; 3] {
        [0, 1, 2].map(|n| self.double(command + n))
    }

    /// The viewport.
    #[must_use]
    pub fn viewport(&self) -> Viewport {
        Viewport { scale: self.vector(op::XSCALE), centre: self.vector(op::XPOS) }
    }

    /// Offset subtracted from screen coordinates, in sixteenths of a pixel.
    #[must_use]
    pub const fn drawing_offset(&self) -> [i32; 2] {
        [self.field(op::OFFSETX, fields::SHORT) as i32, self.field(op::OFFSETY, fields::SHORT) as i32]
    }

    /// Source of texture coordinates in normal mode. Mode 3 acts as 0 (assumed).
    #[must_use]
    pub const fn texture_mapping(&self) -> TextureMapping {
        match self.field(op::TMAP, fields::TMAP_MODE) {
            1 => TextureMapping::Matrix(match self.field(op::TMAP, fields::TMAP_SOURCE) {
                0 => MapSource::Position,
                1 => MapSource::Coordinates,
                2 => MapSource::NormalisedNormal,
                _ => MapSource::Normal,
            }),
            2 => TextureMapping::Environment,
            _ => TextureMapping::Coordinates,
        }
    }

    /// Indices of the lights that environment mapping uses for s and t.
    #[must_use]
    pub const fn environment_lights(&self) -> [u8; 2] {
        [self.field(op::TSHADE, fields::TSHADE_S) as u8, self.field(op::TSHADE, fields::TSHADE_T) as u8]
    }

    /// The colour of vertices without one, 0xAABBGGRR: ambient material.
    #[must_use]
    pub const fn default_colour(&self) -> u32 {
        self.field(op::AMA, fields::BYTE) << 24 | self.arg(op::AMC)
    }
}
