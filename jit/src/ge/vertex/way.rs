//! What vertices are taken to the screen by: the numbers of [`model`](super::model) and [`place`](super::place).

/// Matrices, viewport, fog and scales of a batch. Only fields that are live under the key are filled.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) world: [f64; 12],
    pub(super) view: [f64; 12],
    pub(super) projection: [f64; 16],
    pub(super) texture: [f64; 12],
    pub(super) bones: [f64; 96],
    /// Each coordinate in the world follows from the same one of the model alone.
    pub(super) has_plain_world: bool,
    /// The matrix of the view changes nothing.
    pub(super) has_no_view: bool,
    /// x and y of the clip position follow from the same coordinate of the view alone, z and w from its z.
    pub(super) has_plain_projection: bool,
    /// Of the viewport.
    pub(super) scale: [f64; 3],
    pub(super) centre: [f64; 3],
    /// OFFSET, in sixteenths.
    pub(super) offset: [i32; 2],
    pub(super) fog: Fog,
    pub(super) texture_scale: [f64; 2],
    pub(super) texture_offset: [f64; 2],
}

/// Where fog coefficients come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fog {
    /// They are the same everywhere.
    Flat(i32),
    /// The distance.
    Slope { end: f64, slope: f64 },
}

impl Default for Way {
    fn default() -> Self {
        Self {
            world: [0.0; 12],
            view: [0.0; 12],
            projection: [0.0; 16],
            texture: [0.0; 12],
            bones: [0.0; 96],
            has_plain_world: false,
            has_no_view: false,
            has_plain_projection: false,
            scale: [0.0; 3],
            centre: [0.0; 3],
            offset: [0; 2],
            fog: Fog::Flat(0),
            texture_scale: [0.0; 2],
            texture_offset: [0.0; 2],
        }
    }
}
