//! The bottom screen: the course from above, the standings, the items.

use super::karts::Kart;
use super::track::{LAKE, Track};
use super::{arc, hud};
use crate::modelling::mesh::Mesh;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{Kit, Screen};

const BOTTOM: Screen = Screen::Bottom;
const NAMES: [&str; 4] = ["NORA", "IVO", "MILO", "TILDA"];

pub(super) fn draw(kit: &mut Kit, track: &Track, karts: &[Kart]) {
    let buffers = kit.screen_buffers(BOTTOM);
    kit.clear(&buffers, 0x0c14_26ff);
    flat::panels(kit, BOTTOM, &buffers, &board());
    for (half, colour) in
        [(6.6, [0.05, 0.1, 0.16, 0.5]), (5.2, [0.98, 0.97, 0.92, 1.0]), (3.8, [0.35, 0.4, 0.5, 1.0])]
    {
        let shift = if half > 6.0 { 2.0 } else { 0.0 };
        let road = track.band(half, |x, z| at(x, z).map(|v| v + shift)).coloured(colour);
        flat::panels(kit, BOTTOM, &buffers, &road);
    }
    flat::panels(kit, BOTTOM, &buffers, &markers(track, karts));
    flat::labels(kit, BOTTOM, &buffers, &words());
    kit.submit();
    kit.show(BOTTOM, &buffers);
}

/// The point of the map for a place.
fn at(x: f32, z: f32) -> [f32; 2] {
    [106.0 + x * 1.42, 104.0 + z * 1.42]
}

/// Panels: the map with its lake, four standings, three buttons.
fn board() -> Mesh {
    let mut mesh = flat::shaded([0.0, 0.0, 320.0, 240.0], [0.1, 0.17, 0.34, 1.0], [0.04, 0.07, 0.16, 1.0]);
    mesh.append(&flat::rect([7.0, 7.0, 205.0, 201.0], [0.98, 0.93, 0.78, 1.0]));
    mesh.append(&flat::shaded([9.0, 9.0, 203.0, 199.0], [0.56, 0.78, 0.42, 1.0], [0.42, 0.66, 0.36, 1.0]));
    let lake = at(LAKE[0], LAKE[1]);
    mesh.append(&arc(lake, [0.0, 20.0], [0.0, 1.0], [[0.88, 0.84, 0.62, 1.0]; 2]));
    mesh.append(&arc(lake, [0.0, 17.0], [0.0, 1.0], [[0.25, 0.58, 0.82, 1.0], [0.3, 0.66, 0.88, 1.0]]));
    for row in 0..4 {
        let y = 32.0 + row as f32 * 43.0;
        let own = row == 3;
        let (top, low) =
            if own { ([0.95, 0.6, 0.2], [0.8, 0.36, 0.12]) } else { ([0.22, 0.34, 0.6], [0.14, 0.22, 0.42]) };
        let [a, b] = [top, low].map(|[r, g, b]: [f32; 3]| [r, g, b, 1.0]);
        mesh.append(&flat::shaded([213.0, y, 313.0, y + 38.0], a, b));
        mesh.append(&flat::rect([213.0, y, 313.0, y + 1.0], [1.0, 1.0, 1.0, 0.35]));
    }
    for column in 0..3 {
        let x = 8.0 + column as f32 * 102.0;
        mesh.append(&flat::shaded(
            [x, 208.0, x + 98.0, 234.0],
            [0.26, 0.4, 0.66, 1.0],
            [0.12, 0.2, 0.4, 1.0],
        ));
        mesh.append(&flat::rect([x, 208.0, x + 98.0, 209.0], [1.0, 1.0, 1.0, 0.4]));
    }
    mesh.append(&hud::star([24.0, 221.0], 9.0)).clone()
}

/// Karts on the map and their portraits in the standings, the leader first.
fn markers(track: &Track, karts: &[Kart]) -> Mesh {
    let mut mesh = Mesh::default();
    let ([x, _, z], _) = track.place(super::GATE, 0.0);
    let [gx, gy] = at(x, z);
    mesh.append(&flat::rect([gx - 2.0, gy - 7.0, gx + 2.0, gy + 7.0], [0.1, 0.1, 0.14, 1.0]));
    mesh.append(&flat::rect([gx - 2.0, gy - 3.0, gx + 2.0, gy + 3.0], [1.0, 1.0, 1.0, 1.0]));
    for (k, kart) in karts.iter().enumerate() {
        let spread = if k == 0 { kart.t - 0.004 } else { kart.t + 0.012 * k as f32 };
        let ([x, _, z], _) = track.place(spread, kart.side);
        let size = if k == 0 { 6.5 } else { 5.0 };
        dot(&mut mesh, at(x, z), size, kart.colour);
        dot(&mut mesh, [248.0, 51.0 + (3 - k) as f32 * 43.0], 12.0, kart.colour);
    }
    mesh
}

fn dot(mesh: &mut Mesh, place: [f32; 2], size: f32, colour: [f32; 4]) {
    mesh.append(&arc(place, [0.0, size + 1.5], [0.0, 1.0], [[0.06, 0.08, 0.14, 1.0]; 2]));
    mesh.append(&arc(place, [0.0, size], [0.0, 1.0], [[1.0; 4]; 2]));
    mesh.append(&arc(place, [0.0, size - 1.5], [0.0, 1.0], [colour, colour.map(|c| c * 0.8 + 0.2)]));
}

fn words() -> Vec<Label<'static>> {
    let mut words = vec![Label { at: [222, 12], scale: 2, colour: [255, 236, 170, 255], text: "RANKING" }];
    for row in 0..4_u32 {
        let y = 32 + row * 43;
        words.push(Label {
            at: [219, y + 12],
            scale: 2,
            colour: [255; 4],
            text: ["1", "2", "3", "4"][row as usize],
        });
        words.push(Label::new(266, y + 9, NAMES[row as usize]));
        let gap = ["1:21.80", "+0.42", "+0.97", "+1.65"][row as usize];
        words.push(Label::new(266, y + 22, gap).coloured([200, 220, 245, 255]));
    }
    words.push(Label::new(40, 217, "STAR"));
    words.push(Label::centred(159, 217, 1, "LOOK BACK"));
    words.push(Label::centred(261, 217, 1, "PAUSE"));
    words.push(Label::new(14, 14, "LAKE LOOP").coloured([60, 70, 40, 255]));
    words
}
