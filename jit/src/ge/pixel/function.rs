//! Texture functions, secondary colour, fog.
//!
//! Source: psp-ge.md 9.8, 10.2, measured on a console.

use super::group::Group;
use crate::emit::ge::span::{of_draw, of_primitive};
use crate::emit::pixels::Colour;
use crate::ge::key::texture::TextureKey;
use picaflor_pipeline::ge::regs::texture::TextureFunc;

/// Position of alpha among the channels.
const ALPHA: [u8; 4] = [3; 4];

/// The colour of texel and primitive.
pub(crate) fn apply(g: &mut Group<'_, '_>, key: &TextureKey, texel: Colour) -> Colour {
    let product = key.multiplies().then(|| {
        if key.func != TextureFunc::Modulate || !key.alpha {
            // It is itself needed too.
            g.primary();
        }
        let primary = g.primary_and_one();
        g.l.colour_mul(primary, texel)
    });
    if let Some(product) = product.filter(|_| key.func == TextureFunc::Modulate && key.doubles && key.alpha) {
        return doubled(g, product);
    }
    let rgb = rgb(g, key, texel, product);
    let alpha = alpha(g, key, texel, rgb, product);
    if rgb == alpha {
        return rgb;
    }
    let rgb = if needs_limit(key) {
        let most = g.l.channel_splat(255);
        g.l.colour_min(rgb, most)
    } else {
        rgb
    };
    let mask = g.l.channels([0, 0, 0, 0xffff]);
    g.l.colour_select(mask, alpha, rgb)
}

/// A product whose RGB is doubled: `min(255, p >> 7)`; alpha is `p >> 8`.
fn doubled(g: &mut Group<'_, '_>, product: Colour) -> Colour {
    let rgb = g.l.channels([0xffff, 0xffff, 0xffff, 0]);
    let again = g.l.colour_and(product, rgb);
    let sum = g.l.colour_add_saturating(product, again);
    g.l.colour_shr(sum, 8)
}

/// True if channels can be above 255.
const fn needs_limit(key: &TextureKey) -> bool {
    key.doubles || matches!(key.func, TextureFunc::Add)
}

/// RGB; alpha is of no meaning, but that of the result where all channels are made alike. `product` is
/// `(primary + 1) texel`.
fn rgb(g: &mut Group<'_, '_>, key: &TextureKey, t: Colour, product: Option<Colour>) -> Colour {
    // Doubled, what was shifted by 8 is shifted by 7.
    let shift = if key.doubles { 7 } else { 8 };
    let twice = u8::from(key.doubles);
    match (key.func, product) {
        (TextureFunc::Modulate, Some(product)) => g.l.colour_shr(product, shift),
        (TextureFunc::Decal, _) if key.alpha => {
            let p = g.primary();
            let alpha = g.l.arrange(t, ALPHA);
            let rest = g.l.colour_complement(alpha);
            let (under, over) = (one_more_times(g, p, rest), one_more_times(g, t, alpha));
            let sum = g.l.colour_add(under, over);
            g.l.colour_shr(sum, shift)
        }
        (TextureFunc::Blend, _) => {
            let p = g.primary();
            let environment = g.colour_constant(of_draw!(environment));
            let sum = mix(g, p, environment, t);
            g.l.colour_shr(sum, shift)
        }
        (TextureFunc::Add, _) => {
            let p = g.primary();
            let sum = g.l.colour_add(p, t);
            shifted(g, sum, twice)
        }
        _ => shifted(g, t, twice),
    }
}

fn shifted(g: &mut Group<'_, '_>, colour: Colour, by: u8) -> Colour {
    if by == 0 { colour } else { g.l.colour_shl(colour, by) }
}
/// Alpha; the other channels are of no meaning.
fn alpha(g: &mut Group<'_, '_>, key: &TextureKey, t: Colour, rgb: Colour, product: Option<Colour>) -> Colour {
    match (key.func, product) {
        (TextureFunc::Replace, _) if key.alpha => t,
        (TextureFunc::Modulate, _) if key.alpha && !key.doubles => rgb,
        (TextureFunc::Modulate | TextureFunc::Blend | TextureFunc::Add, Some(product)) if key.alpha => {
            g.l.colour_shr(product, 8)
        }
        _ => g.primary(),
    }
}

/// `(a + 1) b`.
fn one_more_times(g: &mut Group<'_, '_>, a: Colour, b: Colour) -> Colour {
    let product = g.l.colour_mul(a, b);
    g.l.colour_add(product, b)
}

/// `(255 - f) a + f b + 255`.
fn mix(g: &mut Group<'_, '_>, a: Colour, b: Colour, f: Colour) -> Colour {
    let rest = g.l.colour_complement(f);
    let (a, b) = (g.l.colour_mul(a, rest), g.l.colour_mul(b, f));
    let sum = g.l.colour_add(a, b);
    let all = g.l.channel_splat(255);
    g.l.colour_add(sum, all)
}

/// `min(255, RGB + secondary)`; alpha stays.
pub(crate) fn add_secondary(g: &mut Group<'_, '_>, colour: Colour) -> Colour {
    let secondary = g.secondary();
    let sum = g.l.colour_add(colour, secondary);
    let most = g.l.channel_splat(255);
    g.l.colour_min(sum, most)
}

/// From fog colour to colour; alpha stays. Without fog, which is most of a frame, all of it stays: `(255 b + 255) >> 8` is b.
pub(crate) fn fog(g: &mut Group<'_, '_>, colour: Colour) -> Colour {
    g.where_nonzero(of_primitive!(fogs), |g| fogged(g, colour), |_| colour)
}

/// `(255 - f) a + f b + 255` is `255 a + 255 + f (b - a)`, where what is negative wraps and the sum fits 16 bits.
fn fogged(g: &mut Group<'_, '_>, colour: Colour) -> Colour {
    let [fog, most] = [of_draw!(fog), of_draw!(most_fog)].map(|offset| g.colour_constant(offset));
    let coefficient = g.fog();
    let difference = g.l.colour_sub(colour, fog);
    let change = g.l.colour_mul(difference, coefficient);
    let sum = g.l.colour_add(most, change);
    let fogged = g.l.colour_shr(sum, 8);
    let mask = g.l.channels([0, 0, 0, 0xffff]);
    g.l.colour_select(mask, colour, fogged)
}
