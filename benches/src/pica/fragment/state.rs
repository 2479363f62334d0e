//! The states that are measured.

use picaflor_scenes::modelling::paint::{Canvas, clouds};
use picaflor_scenes::pica::encode::format;
use picaflor_scenes::pica::kit::{Buffers, Kit, Texture};
use picaflor_scenes::pica::light::{Light, Lighting, input, table};
use picaflor_scenes::pica::state::{Combiner, Sampler, State as _, func, op, source};

/// Texels of a side of each texture.
const TEXTURE_SIDE: u32 = 128;

/// A state of the fragment units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Interpolated colour.
    Gouraud,
    /// One nearest texture times the colour, depth test.
    Textured,
    /// Two nearest textures, three combiner stages, blending, depth test.
    Layered,
    /// Two lights with distribution tables, and a nearest texture; depth test.
    Lit,
    /// One texture with levels, bilinear within the nearest of them, times the colour; depth test.
    Mipmapped,
    /// Colour times two nearest textures, depth test, alpha blending: the state of the yardstick.
    Yardstick,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Gouraud, Self::Textured, Self::Layered, Self::Lit, Self::Mipmapped, Self::Yardstick];

    /// A short name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gouraud => "F1",
            Self::Textured => "F2",
            Self::Layered => "F3",
            Self::Lit => "F4",
            Self::Mipmapped => "F5",
            Self::Yardstick => "FY",
        }
    }

    /// A description in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Gouraud => "gouraud",
            Self::Textured => "texture x colour, depth",
            Self::Layered => "two textures, three stages, blend, depth",
            Self::Lit => "two lights and a texture, depth",
            Self::Mipmapped => "bilinear with levels x colour, depth",
            Self::Yardstick => "colour x texture x texture, blend, depth",
        }
    }

    /// Nanoseconds for each fragment that compiled code may take when two triangles fill the screen; for the
    /// state of the yardstick its time counts.
    #[must_use]
    pub const fn aim(self) -> Option<f64> {
        match self {
            Self::Gouraud => Some(2.3),
            Self::Textured => Some(4.0),
            Self::Layered => Some(5.0),
            Self::Lit => Some(15.0),
            Self::Mipmapped => Some(7.0),
            Self::Yardstick => None,
        }
    }

    /// Writes the registers, tables and textures.
    pub(super) fn write(self, kit: &mut Kit, buffers: &Buffers) {
        kit.list.defaults(buffers);
        if self != Self::Gouraud {
            kit.list.depth_test(func::GREATER_EQUAL, true);
        }
        match self {
            Self::Gouraud => {}
            Self::Textured => textured(kit),
            Self::Layered => layered(kit),
            Self::Lit => lit(kit),
            Self::Mipmapped => mipmapped(kit),
            Self::Yardstick => yardstick(kit),
        }
    }
}

fn textured(kit: &mut Kit) {
    nearest(kit, 1);
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
}

fn layered(kit: &mut Kit) {
    nearest(kit, 2);
    kit.list.blend_alpha().combiners(&[
        Combiner::modulate(source::TEXTURE0, source::VERTEX),
        Combiner::both(op::INTERPOLATE, [source::PREVIOUS, source::TEXTURE1, source::VERTEX]),
        Combiner::both(op::MULTIPLY_ADD, [source::PREVIOUS, source::CONSTANT, source::TEXTURE1])
            .constant([200, 180, 160, 230]),
    ]);
}

fn lit(kit: &mut Kit) {
    nearest(kit, 1);
    let lights = [
        Light::point([2.0, 3.0, 4.0]).diffuse([0.7, 0.6, 0.5]).specular([0.8; 3], [0.2, 0.3, 0.4]),
        Light::directional([-0.5, 0.3, 0.8]).diffuse([0.2, 0.3, 0.4]).specular([0.5; 3], [0.3, 0.2, 0.1]),
    ];
    let lighting = Lighting::new(2).ambient([0.1; 3]).table(table::D0, input::NH).table(table::D1, input::LN);
    lighting.write(&mut kit.list, &lights);
    kit.list.light_table(table::D0, false, &|cosine| cosine.max(0.0).powi(20));
    kit.list.light_table(table::D1, false, &|cosine| (cosine * 0.8).clamp(0.0, 1.0));
    kit.list.combiners(&[
        Combiner::modulate(source::TEXTURE0, source::PRIMARY),
        Combiner::both(op::ADD, [source::PREVIOUS, source::SECONDARY, source::SECONDARY]),
    ]);
}

fn mipmapped(kit: &mut Kit) {
    let texture = kit.mipmapped(&canvas(0), format::RGBA8, 5);
    let sampler = Sampler { mip_linear: false, ..Sampler::LINEAR };
    kit.list.texture(0, &texture, &sampler).units(1);
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
}

fn yardstick(kit: &mut Kit) {
    nearest(kit, 2);
    kit.list.blend_alpha().combiners(&[
        Combiner::modulate(source::TEXTURE0, source::VERTEX),
        Combiner::modulate(source::PREVIOUS, source::TEXTURE1),
    ]);
}

/// Textures for the first units, nearest texel, repeating.
fn nearest(kit: &mut Kit, units: usize) {
    for unit in 0..units {
        let texture: Texture = kit.texture(&canvas(unit as u32), format::RGBA8);
        kit.list.texture(unit, &texture, &Sampler::NEAREST);
    }
    kit.list.units((1 << units) - 1);
}

/// Soft noise in every channel, half covering.
fn canvas(seed: u32) -> Canvas {
    Canvas::paint(TEXTURE_SIDE, TEXTURE_SIDE, |x, y| {
        std::array::from_fn(|channel| 0.2 + 0.8 * clouds(x, y, 40 * seed + 10 * channel as u32))
    })
}
