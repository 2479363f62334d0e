//! A triangle for the tests.

use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::vertex::SEMANTICS;

/// A triangle of corners in sixteenths of a pixel, whose attributes, w and z are all 1.
pub(crate) fn triangle(corners: [[i32; 2]; 3]) -> Triangle {
    Triangle {
        x: corners.map(|[x, _]| x),
        y: corners.map(|[_, y]| y),
        z: [1.0; 3],
        r: [1.0; 3],
        p: [[1.0; SEMANTICS]; 3],
        flat_colour: None,
    }
}
