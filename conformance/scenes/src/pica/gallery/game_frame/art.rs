//! The pictures of the game: textures and their storage formats.

use crate::modelling::math::Real;
use crate::modelling::paint::{Canvas, clouds, hash, mix, noise};
use crate::pica::encode::format;
use crate::pica::kit::{Kit, Texture};

/// All textures.
pub(super) struct Art {
    pub(super) grass: Texture,
    pub(super) detail: Texture,
    pub(super) road: Texture,
    pub(super) leaves: Texture,
    pub(super) sky: Texture,
    pub(super) water: Texture,
    pub(super) banner: Texture,
    pub(super) livery: Texture,
    pub(super) blob: Texture,
}

impl Art {
    pub(super) fn new(kit: &mut Kit) -> Self {
        Self {
            grass: kit.mipmapped(&grass(), format::ETC1, 5),
            detail: kit.mipmapped(&detail(), format::I8, 4),
            road: kit.mipmapped(&road(), format::RGB565, 5),
            leaves: kit.mipmapped(&leaves(), format::ETC1, 4),
            sky: kit.texture(&sky(), format::RGB8),
            water: kit.mipmapped(&water(), format::RGBA4, 4),
            banner: kit.mipmapped(&banner(), format::RGB5A1, 3),
            livery: kit.texture(&livery(), format::RGB565),
            blob: kit.texture(&blob(), format::A8),
        }
    }
}

fn grass() -> Canvas {
    Canvas::paint(128, 128, |x, y| {
        let soft = clouds(x, y, 11);
        let blades = hash((x * 128.0) as u32, (y * 64.0) as u32, 12);
        mix([0.17, 0.4, 0.13, 1.0], [0.45, 0.66, 0.25, 1.0], soft * 0.75 + blades * 0.3)
    })
}

fn detail() -> Canvas {
    Canvas::paint(64, 64, |x, y| [0.68 + 0.42 * clouds(x, y, 21); 4])
}

/// Kerbs at the sides, white lines, dashes in the middle.
fn road() -> Canvas {
    Canvas::paint(128, 128, |x, y| {
        let side = x.min(1.0 - x);
        let grain = 0.9 + 0.2 * hash((x * 128.0) as u32, (y * 128.0) as u32, 31);
        let asphalt =
            [0.34, 0.35, 0.39, 1.0].map(|c| c * grain * (0.9 + 0.2 * noise(x * 8.0, y * 8.0, 8, 3)));
        match side {
            s if s < 0.065 && (y * 4.0).fract() < 0.5 => [0.85, 0.16, 0.15, 1.0],
            s if s < 0.065 => [0.93, 0.92, 0.9, 1.0],
            s if (0.09..0.11).contains(&s) => [0.85, 0.85, 0.82, 1.0],
            s if s > 0.485 && y < 0.5 => [0.95, 0.8, 0.3, 1.0],
            _ => asphalt,
        }
    })
}

fn leaves() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let spots = clouds(x, y, 41);
        let tip = hash((x * 32.0) as u32, (y * 32.0) as u32, 42);
        mix([0.45, 0.45, 0.45, 1.0], [1.0, 1.0, 1.0, 1.0], spots * 0.9 + tip * 0.35)
    })
}

fn sky() -> Canvas {
    Canvas::paint(256, 128, |x, y| {
        let blue = mix([0.13, 0.38, 0.78, 1.0], [0.72, 0.87, 0.95, 1.0], y.power(0.8) * 1.15);
        let band = (1.0 - (y - 0.5).abs() * 2.2).max(0.0);
        let cloud = ((clouds(x, y * 1.5, 51) - 0.47) * 6.0).clamp(0.0, 1.0) * band;
        mix(blue, [1.0, 0.98, 0.94, 1.0], cloud)
    })
}

fn water() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let wave = noise(x * 8.0, y * 16.0, 8, 61) * 0.6 + noise(x * 16.0, y * 32.0, 16, 62) * 0.4;
        let [r, g, b, _] = mix([0.1, 0.4, 0.62, 1.0], [0.55, 0.85, 0.95, 1.0], (wave - 0.35) * 1.8);
        [r, g, b, 0.8]
    })
}

fn banner() -> Canvas {
    let mut canvas = Canvas::plain(128, 32, [196, 40, 48, 255]);
    for y in 0..32 {
        for x in (0..24).chain(104..128) {
            let white = (x / 6 + y / 6) % 2 == 0;
            canvas.set(x, y, if white { [245, 245, 240, 255] } else { [24, 24, 32, 255] });
        }
    }
    canvas.text(33, 9, 2, [255, 240, 200, 255], "START").clone()
}

/// White with stripes: the colour comes from the vertices.
fn livery() -> Canvas {
    Canvas::paint(64, 64, |x, _| {
        let middle = ((x * 2.0).fract() - 0.5).abs();
        let dark = (0.06..0.1).contains(&middle);
        if dark { [0.25, 0.25, 0.3, 1.0] } else { [1.0; 4] }
    })
}

/// A soft round shadow or glow.
fn blob() -> Canvas {
    Canvas::paint(32, 32, |x, y| {
        let d = ((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt() * 2.0;
        let a = (1.0 - d).clamp(0.0, 1.0);
        [1.0, 1.0, 1.0, a * a * (3.0 - 2.0 * a)]
    })
}
