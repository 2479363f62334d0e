//! Blending.
//!
//! Source: psp-ge.md 0.1, 10.5, measured on a console.

use super::group::Group;
use crate::emit::ge::span::of_draw;
use crate::emit::lanes::Lanes;
use crate::emit::pixels::Colour;
use crate::ge::key::pixel::BlendKey;
use picaflor_pipeline::ge::regs::pixel::{BlendEquation, BlendFactor};

/// Position of alpha among the channels.
const ALPHA: [u8; 4] = [3; 4];

/// Blend factor.
enum Factor {
    /// Up to 255.
    Whole(Colour),
    /// Half of it, up to 255.
    Half(Colour),
}

/// Predicate: blended channels may be above 255, as sums are that are made of halved factors.
pub(crate) fn exceeds_bytes(key: BlendKey) -> bool {
    let is_half =
        |factor| matches!(factor, BlendFactor::DoubleSourceAlpha | BlendFactor::DoubleDestinationAlpha);
    let [source, destination] = key.factors;
    matches!(key.equation, BlendEquation::Add) && (is_half(source) || is_half(destination))
}

/// The blended RGB; alpha is of no meaning.
pub(crate) fn blend(g: &mut Group<'_, '_>, key: BlendKey, source: Colour, old: Colour) -> Colour {
    match key.equation {
        BlendEquation::Min => return g.l.colour_min(source, old),
        BlendEquation::Max => return g.l.colour_max(source, old),
        BlendEquation::AbsoluteDifference => {
            let (larger, smaller) = (g.l.colour_max(source, old), g.l.colour_min(source, old));
            return g.l.colour_sub(larger, smaller);
        }
        _ => {}
    }
    let [from_source, from_old] = key.factors;
    let mut alphas = Alphas { of: [source, old], found: [None; 2] };
    let from_source = factor(g, from_source, &mut alphas, old, of_draw!(fixed));
    let from_old = factor(g, from_old, &mut alphas, source, of_draw!(fixed) + 16);
    if let (Factor::Whole(a), Factor::Whole(b)) = (&from_source, &from_old) {
        let (s, d) = (upper_product(g.l, source, *a), upper_product(g.l, old, *b));
        let upper = match key.equation {
            BlendEquation::Subtract => g.l.bytes_sub_saturating(s, d),
            BlendEquation::ReverseSubtract => g.l.bytes_sub_saturating(d, s),
            _ => g.l.bytes_add_saturating(s, d),
        };
        return g.l.colour_shr(upper, 8);
    }
    let (s, d) = (product(g.l, source, &from_source), product(g.l, old, &from_old));
    match key.equation {
        BlendEquation::Subtract => g.l.colour_sub_saturating(s, d),
        BlendEquation::ReverseSubtract => g.l.colour_sub_saturating(d, s),
        _ => g.l.colour_add(s, d),
    }
}

/// Alpha of source (0) and destination (1) in all channels.
struct Alphas {
    of: [Colour; 2],
    found: [Option<Colour>; 2],
}

impl Alphas {
    fn alpha(&mut self, l: &mut Lanes<'_>, n: usize) -> Colour {
        *self.found[n].get_or_insert_with(|| l.arrange(self.of[n], ALPHA))
    }

    fn rest(&mut self, l: &mut Lanes<'_>, n: usize) -> Colour {
        let alpha = self.alpha(l, n);
        l.colour_complement(alpha)
    }

    /// 255 minus twice alpha, saturated.
    fn doubled_rest(&mut self, l: &mut Lanes<'_>, n: usize) -> Colour {
        let alpha = self.alpha(l, n);
        let twice = l.colour_shl(alpha, 1);
        let all = l.channel_splat(255);
        l.colour_sub_saturating(all, twice)
    }
}

fn factor(
    g: &mut Group<'_, '_>,
    factor: BlendFactor,
    alphas: &mut Alphas,
    other: Colour,
    fixed: i32,
) -> Factor {
    Factor::Whole(match factor {
        BlendFactor::Other => other,
        BlendFactor::OneMinusOther => g.l.colour_complement(other),
        BlendFactor::SourceAlpha => alphas.alpha(g.l, 0),
        BlendFactor::OneMinusSourceAlpha => alphas.rest(g.l, 0),
        BlendFactor::DestinationAlpha => alphas.alpha(g.l, 1),
        BlendFactor::OneMinusDestinationAlpha => alphas.rest(g.l, 1),
        BlendFactor::DoubleSourceAlpha => return Factor::Half(alphas.alpha(g.l, 0)),
        BlendFactor::OneMinusDoubleSourceAlpha => alphas.doubled_rest(g.l, 0),
        BlendFactor::DoubleDestinationAlpha => return Factor::Half(alphas.alpha(g.l, 1)),
        BlendFactor::OneMinusDoubleDestinationAlpha => alphas.doubled_rest(g.l, 1),
        BlendFactor::Fixed => g.colour_constant(fixed),
    })
}

/// `mul8` in the upper byte of each channel: `((2a + 1)(2b + 1)) >> 10` is `(ab + ((a + b) >> 1)) >> 8`.
fn upper_product(l: &mut Lanes<'_>, a: Colour, b: Colour) -> Colour {
    let product = l.colour_mul(a, b);
    let sum = l.colour_add(a, b);
    let half = l.colour_shr(sum, 1);
    l.colour_add(product, half)
}

/// `mul8`.
fn product(l: &mut Lanes<'_>, a: Colour, factor: &Factor) -> Colour {
    match *factor {
        Factor::Whole(b) => {
            let upper = upper_product(l, a, b);
            l.colour_shr(upper, 8)
        }
        Factor::Half(c) => {
            // With b = 2c: (2ac + c + (a >> 1)) >> 8, and half of all that fits 16 bits.
            let product = l.colour_mul(a, c);
            let half = l.colour_shr(a, 1);
            let rest = l.colour_add(c, half);
            let rest = l.colour_shr(rest, 1);
            let sum = l.colour_add(product, rest);
            l.colour_shr(sum, 7)
        }
    }
}

#[cfg(test)]
mod tests {
    /// The half-offset 8-bit product (psp-ge.md 0.1).
    const fn mul8(a: u32, b: u32) -> u32 {
        ((2 * a + 1) * (2 * b + 1)) >> 10
    }

    /// By alpha and by what is left of it: what [`BlendKey::covers`](super::BlendKey::covers) says.
    #[test]
    fn opaque_sources_cover() {
        for (source, old) in (0..=255).flat_map(|source| (0..=255).map(move |old| (source, old))) {
            assert_eq!(mul8(source, 255) + mul8(old, 0), source);
        }
    }

    #[test]
    fn short_forms_of_the_product() {
        for a in 0..=255_u32 {
            for b in 0..=510_u32 {
                if b <= 255 {
                    assert_eq!(mul8(a, b), (a * b + ((a + b) >> 1)) >> 8);
                    assert!(a * b + ((a + b) >> 1) < 1 << 16);
                }
                if b % 2 == 0 {
                    let c = b / 2;
                    assert_eq!(mul8(a, b), (a * c + ((c + (a >> 1)) >> 1)) >> 7);
                    assert!(a * c + ((c + (a >> 1)) >> 1) < 1 << 16);
                }
            }
        }
    }
}
