//! The matrices used by draws. The rows of a matrix with three columns are x, y, z axis and translation; vectors are
//! rows.
//!
//! Source: psp-ge.md 3.3. The copy that the CPU reads back is elsewhere.

/// Bones, world, view, projection and texture matrix, as uploaded: 24-bit floats.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrices {
    /// Eight matrices of four rows of three.
    pub bones: [f32; 96],
    /// Four rows of three.
    pub world: [f32; 12],
    /// Four rows of three.
    pub view: [f32; 12],
    /// Four rows of four.
    pub projection: [f32; 16],
    /// Four rows of three.
    pub texture: [f32; 12],
}

impl Default for Matrices {
    /// All zero, as before the first list (2.1).
    fn default() -> Self {
        Self {
            bones: [0.0; 96],
            world: [0.0; 12],
            view: [0.0; 12],
            projection: [0.0; 16],
            texture: [0.0; 12],
        }
    }
}
