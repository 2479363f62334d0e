//! The overlay of the top screen: place, lap, time, item, speed.

use super::{arc, bar};
use crate::modelling::math::Real;
use crate::modelling::mesh::Mesh;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{Buffers, Kit, Screen};

const GLASS: [f32; 4] = [0.05, 0.1, 0.2, 0.55];
const GLASS_DARK: [f32; 4] = [0.02, 0.04, 0.1, 0.65];
/// Middle of the speedometer.
const DIAL: [f32; 2] = [352.0, 196.0];

pub(super) fn draw(kit: &mut Kit, buffers: &Buffers) {
    flat::panels(kit, Screen::Top, buffers, &glass());
    flat::panels(kit, Screen::Top, buffers, &dial());
    flat::panels(kit, Screen::Top, buffers, &star([268.0, 26.0], 13.0));
    let (gold, pale, shade) = ([255, 214, 84, 255], [190, 216, 240, 255], [20, 24, 40, 255]);
    let shadowed = |x, y, scale, text, colour| {
        let label = Label { at: [x, y], scale, colour, text };
        let shadow = Label { at: [x + scale.div_ceil(2), y + scale.div_ceil(2)], colour: shade, ..label };
        [shadow, label]
    };
    let words = [
        shadowed(14, 12, 1, "LAP", pale),
        shadowed(36, 9, 2, "2/3", [255; 4]),
        shadowed(302, 12, 1, "TIME", pale),
        shadowed(330, 12, 1, "1:23.45", [255; 4]),
        shadowed(302, 24, 1, "BEST", pale),
        shadowed(330, 24, 1, "0:41.07", gold),
        shadowed(12, 186, 6, "4", gold),
        shadowed(50, 204, 3, "TH", gold),
        shadowed(334, 201, 2, "142", [255; 4]),
        shadowed(340, 218, 1, "KM/H", pale),
        shadowed(28, 35, 1, "X 07", gold),
    ];
    flat::labels(kit, Screen::Top, buffers, words.as_flattened());
}

/// The panels behind the words.
fn glass() -> Mesh {
    let mut mesh = Mesh::default();
    for panel in [[6.0, 5.0, 80.0, 28.0], [296.0, 5.0, 394.0, 36.0], [6.0, 31.0, 60.0, 46.0]] {
        mesh.append(&flat::shaded(panel, GLASS, GLASS_DARK));
        let [x0, _, x1, y1] = panel;
        mesh.append(&flat::rect([x0, y1, x1, y1 + 1.0], [0.5, 0.8, 1.0, 0.8]));
    }
    mesh.append(&flat::shaded([246.0, 4.0, 290.0, 48.0], [1.0, 0.95, 0.7, 0.9], [0.95, 0.6, 0.2, 0.9]));
    mesh.append(&flat::shaded([249.0, 7.0, 287.0, 45.0], [0.1, 0.16, 0.34, 0.85], [0.04, 0.07, 0.18, 0.85]));
    mesh.append(&arc([18.0, 38.5], [0.0, 5.0], [0.0, 1.0], [[1.0, 0.9, 0.4, 1.0], [0.9, 0.6, 0.1, 1.0]]));
    mesh
}

/// The speedometer.
fn dial() -> Mesh {
    let mut mesh = arc(DIAL, [0.0, 38.0], [0.0, 1.0], [GLASS_DARK, GLASS_DARK]);
    let (green, red) = ([0.3, 0.95, 0.6, 1.0], [1.0, 0.35, 0.2, 1.0]);
    mesh.append(&arc(DIAL, [30.0, 36.0], [-0.36, 0.36], [[1.0, 1.0, 1.0, 0.18]; 2]));
    mesh.append(&arc(DIAL, [30.0, 36.0], [-0.36, 0.2], [green, red]));
    for k in 0..9 {
        let (s, c) = ((-0.36 + 0.09 * k as f32) * std::f32::consts::TAU).sine_cosine();
        let at = |r: f32| [DIAL[0] + s * r, DIAL[1] - c * r];
        mesh.append(&bar(at(25.0), at(29.0), 0.6, [1.0, 1.0, 1.0, 0.8]));
    }
    let (s, c) = (0.2 * std::f32::consts::TAU).sine_cosine();
    mesh.append(&bar(DIAL, [DIAL[0] + s * 29.0, DIAL[1] - c * 29.0], 1.4, [1.0, 0.9, 0.85, 1.0]));
    mesh.append(&arc(DIAL, [0.0, 4.0], [0.0, 1.0], [[0.95, 0.95, 1.0, 1.0]; 2])).clone()
}

/// A star, the item.
pub(super) fn star([x, y]: [f32; 2], size: f32) -> Mesh {
    let mut mesh = Mesh::default();
    for k in 0..5 {
        let point = |turn: f32, r: f32| {
            let (s, c) = (turn * std::f32::consts::TAU).sine_cosine();
            [x + s * r * size, 240.0 - y + c * r * size, 0.0]
        };
        let turn = k as f32 / 5.0;
        let (tip, left, right) = (point(turn, 1.0), point(turn - 0.1, 0.45), point(turn + 0.1, 0.45));
        mesh.append(&Mesh::sheet(1, 1, |u, v| match (u > 0.5, v > 0.5) {
            (false, false) => [x, 240.0 - y, 0.0],
            (true, false) => right,
            (true, true) => tip,
            (false, true) => left,
        }));
    }
    mesh.map(|vertex| {
        let high = (vertex.position[1] - (240.0 - y)) / size;
        vertex.colour = [1.0, 0.78 + 0.2 * high, 0.25 + 0.3 * high.max(0.0), 1.0];
    })
}
