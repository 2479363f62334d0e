//! Blending, logic operations and the colour write, as `interp::fragment::blend`.

use super::operand::{Operand, merged};
use super::quad::Quad;
use crate::emit::lanes::{I32s, Lanes, Scalar};
use crate::emit::pica::buffer::channel_bits;
use crate::emit::pica::constants::constant;
use crate::emit::pixels::{Channel, Colour};
use crate::pica::key::fragment::combiner::Select;
use crate::pica::key::fragment::output::{BlendGroup, BlendKey, ColourKey, Mix};
use picaflor_pipeline::pica::regs::fragop::{BlendEquation, BlendFactor, LogicOp};

/// The largest product of two channels.
const LARGEST: u16 = 255 * 255;

/// A factor of all channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Factor {
    Zero,
    One,
    Varying(Colour),
}

/// A factor of a group.
#[derive(Debug, Clone, Copy)]
enum Part {
    Zero,
    One,
    Varying(Operand),
}

/// Source, destination and constant.
#[derive(Clone, Copy)]
struct Colours {
    s: Colour,
    d: Colour,
    k: Colour,
}

/// Combines the colour with that of its pixel and writes the channels enabled by the mask. The colour is missing only
/// where it does not matter.
pub(super) fn write(quad: &mut Quad<'_, '_>, key: &ColourKey, at: Scalar, colour: Option<Colour>) {
    let old = quad.l.load_colours(at, key.format);
    let new = match key.mix {
        Mix::Logic(op) => logic(quad.l, key, op, colour, old),
        Mix::Blend(blend) => {
            let s = colour.unwrap_or_else(|| quad.l.channel_splat(0));
            let d = if blend.reads_destination() { quad.l.decode(old, key.format) } else { s };
            let k = if blend.reads_constant() { quad.colour_constant(constant!(output.blend)) } else { s };
            let result = blended(quad.l, &blend, Colours { s, d, k });
            quad.l.encode(result, key.format)
        }
    };
    let l = &mut *quad.l;
    let merged = if key.is_whole() {
        l.int_select(quad.mask, new, old)
    } else {
        let channels = l.int(channel_bits(key.format, key.mask) as i32);
        let bits = l.int_and(I32s(quad.mask.0), channels);
        l.int_bits_select(bits, new, old)
    };
    l.store_colours(merged, at, key.format);
}

/// The logic operation on whole pixels: bits dropped by truncation do not affect the remaining ones.
fn logic(l: &mut Lanes<'_>, key: &ColourKey, op: LogicOp, colour: Option<Colour>, d: I32s) -> I32s {
    let s = colour.map_or(d, |colour| l.encode(colour, key.format));
    let all = l.int(-1);
    match op {
        LogicOp::Clear => l.int(0),
        LogicOp::And => l.int_and(s, d),
        LogicOp::AndReverse => {
            let d = l.int_xor(d, all);
            l.int_and(s, d)
        }
        LogicOp::Copy => s,
        LogicOp::Set => all,
        LogicOp::CopyInverted => l.int_xor(s, all),
        LogicOp::NoOp => d,
        LogicOp::Invert => l.int_xor(d, all),
        LogicOp::Nand => {
            let both = l.int_and(s, d);
            l.int_xor(both, all)
        }
        LogicOp::Or => l.int_or(s, d),
        LogicOp::Nor => {
            let any = l.int_or(s, d);
            l.int_xor(any, all)
        }
        LogicOp::Xor => l.int_xor(s, d),
        LogicOp::Equivalent => {
            let differ = l.int_xor(s, d);
            l.int_xor(differ, all)
        }
        LogicOp::AndInverted => {
            let s = l.int_xor(s, all);
            l.int_and(s, d)
        }
        LogicOp::OrReverse => {
            let d = l.int_xor(d, all);
            l.int_or(s, d)
        }
        LogicOp::OrInverted => {
            let s = l.int_xor(s, all);
            l.int_or(s, d)
        }
    }
}

/// Blending, both groups at once as far as they agree.
fn blended(l: &mut Lanes<'_>, key: &BlendKey, colours: Colours) -> Colour {
    let groups = [key.rgb, key.alpha];
    let fits = groups.iter().flatten().all(are_complements);
    let by_source = factor(l, groups.map(|group| group.map(|group| group.source)), colours);
    let by_destination = if fits {
        complement(l, by_source)
    } else {
        factor(l, groups.map(|group| group.map(|group| group.destination)), colours)
    };
    let equations = groups.map(|group| group.map(|group| group.equation));
    if equations.iter().flatten().all(|&equation| equation == BlendEquation::Add) {
        return sum(l, [(by_source, colours.s), (by_destination, colours.d)], fits);
    }
    let p = product(l, by_source, colours.s);
    let q = product(l, by_destination, colours.d);
    let value = match equations {
        [Some(rgb), Some(alpha)] if rgb != alpha => {
            let (rgb, alpha) = (equated(l, rgb, p, q), equated(l, alpha, p, q));
            l.with_alpha(rgb, alpha)
        }
        [rgb, alpha] => equated(l, rgb.or(alpha).unwrap_or(BlendEquation::Add), p, q),
    };
    l.div255r(value)
}

/// Complement to 255.
fn complement(l: &mut Lanes<'_>, factor: Factor) -> Factor {
    match factor {
        Factor::Zero => Factor::One,
        Factor::One => Factor::Zero,
        Factor::Varying(colour) => Factor::Varying(l.colour_complement(colour)),
    }
}

/// True if the factors of a group are 255 together, so that the sum of the products fits.
fn are_complements(group: &BlendGroup) -> bool {
    let (source, destination) = (group.source as u8, group.destination as u8);
    source ^ 1 == destination && source < BlendFactor::SourceAlphaSaturate as u8
}

/// The sum of the terms over 255, which may exceed 255: the caller clamps it when packing. A term with factor one is
/// a multiple of 255 and stays out of the division. `fits`: two products do not exceed one.
fn sum(l: &mut Lanes<'_>, terms: [(Factor, Colour); 2], fits: bool) -> Colour {
    let mut whole = None;
    let mut products = None;
    for (factor, colour) in terms {
        match factor {
            Factor::Zero => {}
            Factor::One => whole = Some(whole.map_or(colour, |other| l.colour_add(other, colour))),
            Factor::Varying(factor) => {
                let product = l.colour_mul(factor, colour);
                products = Some(products.map_or(product, |other| {
                    if fits { l.colour_add(other, product) } else { limited_sum(l, other, product) }
                }));
            }
        }
    }
    let quotient = products.map(|products| l.div255r(products));
    match (whole, quotient) {
        (None, None) => l.channel_splat(0),
        (Some(only), None) | (None, Some(only)) => only,
        (Some(whole), Some(quotient)) => l.colour_add(whole, quotient),
    }
}

/// The sum of two products, at most the largest that is divided exactly.
fn limited_sum(l: &mut Lanes<'_>, p: Colour, q: Colour) -> Colour {
    let (sum, largest) = (l.colour_add_saturating(p, q), l.channel_splat(LARGEST));
    l.colour_min(sum, largest)
}

fn product(l: &mut Lanes<'_>, factor: Factor, colour: Colour) -> Colour {
    let factor = match factor {
        Factor::Zero => return l.channel_splat(0),
        Factor::One => l.channel_splat(255),
        Factor::Varying(factor) => factor,
    };
    l.colour_mul(factor, colour)
}

/// The equation on products, before the division.
fn equated(l: &mut Lanes<'_>, equation: BlendEquation, p: Colour, q: Colour) -> Colour {
    match equation {
        BlendEquation::Add => limited_sum(l, p, q),
        BlendEquation::Subtract => l.colour_sub_saturating(p, q),
        BlendEquation::ReverseSubtract => l.colour_sub_saturating(q, p),
        BlendEquation::Min => l.colour_min(p, q),
        BlendEquation::Max => l.colour_max(p, q),
    }
}

/// The factor of the groups that there are, RGB and alpha.
fn factor(l: &mut Lanes<'_>, factors: [Option<BlendFactor>; 2], colours: Colours) -> Factor {
    let [rgb, alpha] = factors.map(|factor| factor.map(|factor| part(l, factor, colours)));
    let flat = |part| if matches!(part, Part::One) { 255 } else { 0 };
    match (rgb, alpha) {
        (Some(Part::Zero), None | Some(Part::Zero)) | (None, Some(Part::Zero)) | (None, None) => Factor::Zero,
        (Some(Part::One), None | Some(Part::One)) | (None, Some(Part::One)) => Factor::One,
        (Some(Part::Varying(rgb)), Some(Part::Varying(alpha))) => {
            Factor::Varying(merged(l, Some(rgb), Some(alpha)))
        }
        (Some(Part::Varying(rgb)), alpha) => {
            let colour = merged(l, Some(rgb), None);
            Factor::Varying(alpha.map_or(colour, |alpha| with_flat(l, colour, [flat(alpha), 0], [0, 0xffff])))
        }
        (rgb, Some(Part::Varying(alpha))) => {
            let colour = merged(l, None, Some(alpha));
            Factor::Varying(rgb.map_or(colour, |rgb| with_flat(l, colour, [0, flat(rgb)], [0xffff, 0])))
        }
        (Some(rgb), Some(alpha)) => {
            let (rgb, alpha) = (flat(rgb), flat(alpha));
            Factor::Varying(l.channels([alpha, rgb, rgb, rgb]))
        }
    }
}

/// The channels that `keep` has, 255 or 0 in the others; both for alpha and for the other channels. A channel
/// of at most 255 with 255 in it is 255.
fn with_flat(l: &mut Lanes<'_>, colour: Colour, flat: [u16; 2], keep: [u16; 2]) -> Colour {
    let mask = |l: &mut Lanes<'_>, [alpha, rgb]: [u16; 2]| l.channels([alpha, rgb, rgb, rgb]);
    if flat == [0; 2] {
        let keep = mask(l, keep);
        l.colour_and(colour, keep)
    } else {
        let flat = mask(l, flat);
        l.colour_or(colour, flat)
    }
}

/// Operand of a factor.
fn part(l: &mut Lanes<'_>, factor: BlendFactor, Colours { s, d, k }: Colours) -> Part {
    let own = |colour, invert| Part::Varying(Operand { colour, select: Select::Own, invert });
    let alpha = |colour, invert| Part::Varying(Operand { colour, select: Select::Alpha, invert });
    match factor {
        BlendFactor::Zero => Part::Zero,
        BlendFactor::One | BlendFactor::Unknown15 => Part::One,
        BlendFactor::Source => own(s, false),
        BlendFactor::OneMinusSource => own(s, true),
        BlendFactor::Destination => own(d, false),
        BlendFactor::OneMinusDestination => own(d, true),
        BlendFactor::SourceAlpha => alpha(s, false),
        BlendFactor::OneMinusSourceAlpha => alpha(s, true),
        BlendFactor::DestinationAlpha => alpha(d, false),
        BlendFactor::OneMinusDestinationAlpha => alpha(d, true),
        BlendFactor::Constant => own(k, false),
        BlendFactor::OneMinusConstant => own(k, true),
        BlendFactor::ConstantAlpha => alpha(k, false),
        BlendFactor::OneMinusConstantAlpha => alpha(k, true),
        BlendFactor::SourceAlphaSaturate => {
            let d = l.replicate(d, Channel::Alpha);
            let rest = l.colour_complement(d);
            let s = l.replicate(s, Channel::Alpha);
            own(l.colour_min(s, rest), false)
        }
    }
}
