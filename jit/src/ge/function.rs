//! Texture functions, secondary colour, fog.
//!
//! Source: psp-ge.md 9.8, 10.2, measured on a console.

use super::group::Group;
use crate::emit::pixels::Colour;
use crate::emit::span::of_draw;
use crate::key::ge::texture::TextureKey;
use picaflor_pipeline::ge::regs::texture::TextureFunc;

/// Where alpha lies among the channels.
const ALPHA: [u8; 4] = [3; 4];

/// The colour of texel and primitive.
pub(super) fn apply(g: &mut Group<'_, '_>, key: &TextureKey, texel: Colour) -> Colour {
    let reads = key.reads_primary();
    let primary = reads.iter().any(|&reads| reads).then(|| g.primary());
    let rgb = rgb(g, key, texel, primary);
    let rgb = if needs_limit(key) {
        let most = g.l.channel_splat(255);
        g.l.colour_min(rgb, most)
    } else {
        rgb
    };
    let alpha = alpha(g, key, texel, primary);
    let mask = g.l.channels([0, 0, 0, 0xffff]);
    g.l.colour_select(mask, alpha, rgb)
}

/// Whether channels can be above 255.
const fn needs_limit(key: &TextureKey) -> bool {
    key.doubles || matches!(key.func, TextureFunc::Add)
}

fn rgb(g: &mut Group<'_, '_>, key: &TextureKey, t: Colour, p: Option<Colour>) -> Colour {
    // Doubled, what was shifted by 8 is shifted by 7.
    let shift = if key.doubles { 7 } else { 8 };
    let twice = u8::from(key.doubles);
    let primary = |g: &mut Group<'_, '_>| p.unwrap_or_else(|| g.primary());
    match key.func {
        TextureFunc::Modulate => {
            let p = primary(g);
            let product = one_more_times(g, p, t);
            g.l.colour_shr(product, shift)
        }
        TextureFunc::Decal if key.alpha => {
            let p = primary(g);
            let alpha = g.l.arrange(t, ALPHA);
            let rest = g.l.colour_complement(alpha);
            let (under, over) = (one_more_times(g, p, rest), one_more_times(g, t, alpha));
            let sum = g.l.colour_add(under, over);
            g.l.colour_shr(sum, shift)
        }
        TextureFunc::Blend => {
            let p = primary(g);
            let environment = g.colour_constant(of_draw!(environment));
            let sum = mix(g, p, environment, t);
            g.l.colour_shr(sum, shift)
        }
        TextureFunc::Add => {
            let p = primary(g);
            let sum = g.l.colour_add(p, t);
            g.l.colour_shl(sum, twice)
        }
        _ => g.l.colour_shl(t, twice),
    }
}

fn alpha(g: &mut Group<'_, '_>, key: &TextureKey, t: Colour, p: Option<Colour>) -> Colour {
    match (key.func, key.alpha, p) {
        (TextureFunc::Replace, true, _) | (_, _, None) => t,
        (TextureFunc::Decal, ..) | (_, false, Some(_)) => p.unwrap_or(t),
        (_, true, Some(p)) => {
            let product = one_more_times(g, p, t);
            g.l.colour_shr(product, 8)
        }
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
pub(super) fn add_secondary(g: &mut Group<'_, '_>, colour: Colour) -> Colour {
    let secondary = g.secondary();
    let sum = g.l.colour_add(colour, secondary);
    let most = g.l.channel_splat(255);
    g.l.colour_min(sum, most)
}

/// From fog colour to colour; alpha stays.
pub(super) fn fog(g: &mut Group<'_, '_>, colour: Colour) -> Colour {
    let fog = g.colour_constant(of_draw!(fog));
    let coefficient = g.fog();
    let sum = mix(g, fog, colour, coefficient);
    let fogged = g.l.colour_shr(sum, 8);
    let mask = g.l.channels([0, 0, 0, 0xffff]);
    g.l.colour_select(mask, colour, fogged)
}
