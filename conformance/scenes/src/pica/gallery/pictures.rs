//! Pictures that several scenes show.

use crate::modelling::math::Real;
use crate::modelling::paint::{Canvas, clouds, mix};

/// An evening at a lake between mountains: smooth gradients, a hard edge, fine detail, all hues. Coordinates in
/// 0..1 from the upper left.
pub(super) fn evening(x: f32, y: f32) -> [f32; 4] {
    if y < 0.62 {
        return land(x, y);
    }
    let ripple = (y * 90.0).sine() * 0.012 * (y - 0.6) * 6.0;
    let mirrored = land(x + ripple, 1.24 - y);
    mix(mirrored, [0.05, 0.12, 0.3, 1.0], 0.25 + (y - 0.62) * 1.2)
}

fn land(x: f32, y: f32) -> [f32; 4] {
    let ridge = |base: f32, height: f32, seed: u32| base - height * clouds(x.rem_euclid(1.0), 0.3, seed);
    if y > ridge(0.70, 0.28, 4) {
        return mix([0.04, 0.14, 0.12, 1.0], [0.15, 0.42, 0.2, 1.0], clouds(x, y, 5) * 1.4 - 0.2);
    }
    if y > ridge(0.64, 0.55, 9) {
        return mix([0.42, 0.2, 0.45, 1.0], [0.2, 0.13, 0.42, 1.0], (y - 0.25) * 3.0);
    }
    let glow = mix([0.1, 0.17, 0.5, 1.0], [1.0, 0.55, 0.2, 1.0], (y * 1.9).power(1.5));
    let cloud = (clouds(x, y * 2.0, 21) - 0.5).max(0.0) * 2.2;
    let sky = mix(glow, [1.0, 0.78, 0.66, 1.0], cloud);
    let distance = (x - 0.3).hypotenuse(y - 0.26);
    mix([1.0, 0.95, 0.7, 1.0], sky, (distance - 0.10) * 60.0)
}

/// The evening as a canvas.
pub(super) fn evening_canvas(size: u32) -> Canvas {
    Canvas::paint(size, size, evening)
}

/// The evening in a soft round mount: alpha falls from 1 to 0 towards the corners.
pub(super) fn mounted(size: u32) -> Canvas {
    Canvas::paint(size, size, |x, y| {
        let [r, g, b, _] = evening(x, y);
        [r, g, b, 1.0 - ((x - 0.5).hypotenuse(y - 0.5) - 0.28) / 0.24]
    })
}

/// A small bird in 16 x 16 pixels, with a transparent ground.
pub(super) fn bird() -> Canvas {
    const ROWS: [&str; 16] = [
        "................",
        "...........bb...",
        "..........bbbb..",
        "..........bwkbyy",
        ".........bbbrr..",
        "tt......ggbrrr..",
        ".ttt...gggbrrr..",
        "..tttgggggbrr...",
        "...tttgggggb....",
        "....tttggggb....",
        ".....tgttggw....",
        "....ttgtggww....",
        "...ttbgggww.....",
        "..bbbb.o.o......",
        ".bbb............",
        "................",
    ];
    let colour = |letter| match letter {
        b'b' => [34, 96, 178, 255],
        b'g' => [46, 168, 98, 255],
        b't' => [24, 112, 120, 255],
        b'r' => [216, 52, 74, 255],
        b'w' => [244, 236, 214, 255],
        b'k' => [12, 12, 24, 255],
        b'y' => [236, 182, 60, 255],
        b'o' => [210, 120, 40, 255],
        _ => [0; 4],
    };
    let pixels = ROWS.iter().flat_map(|row| row.bytes().map(colour)).collect();
    Canvas { width: 16, height: 16, pixels }
}
