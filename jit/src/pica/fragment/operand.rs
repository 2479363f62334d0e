//! Operands of combiner arguments and blend factors: one channel of a colour, or all, or their complement to 255.

use crate::emit::lanes::Lanes;
use crate::emit::pixels::{Channel, Colour};
use crate::pica::key::fragment::combiner::Select;

/// Part of a colour, for RGB or for alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) colour: Colour,
    pub(super) select: Select,
    /// 255 minus it.
    pub(super) invert: bool,
}

/// Channels as they are.
const IN_PLACE: [u8; 4] = [0, 1, 2, 3];

/// A colour with what `rgb` and `alpha` take; where one of them is missing, its channels are undefined.
pub(super) fn merged(l: &mut Lanes<'_>, rgb: Option<Operand>, alpha: Option<Operand>) -> Colour {
    let taken = match (rgb, alpha) {
        (Some(rgb), Some(alpha)) if rgb.colour == alpha.colour => {
            let [_, blue, green, red] = colour_order(rgb.select);
            arranged(l, rgb.colour, [alpha_channel(alpha.select) as u8, blue, green, red])
        }
        (Some(rgb), Some(alpha)) => {
            let colour = arranged(l, rgb.colour, colour_order(rgb.select));
            let alpha = arranged(l, alpha.colour, alpha_order(alpha.select));
            l.with_alpha(colour, alpha)
        }
        (Some(rgb), None) => arranged(l, rgb.colour, colour_order(rgb.select)),
        (None, Some(alpha)) => arranged(l, alpha.colour, alpha_order(alpha.select)),
        (None, None) => return l.channel_splat(0),
    };
    let inverts = [alpha.or(rgb), rgb.or(alpha)].map(|operand| operand.is_some_and(|operand| operand.invert));
    inverted(l, taken, inverts)
}

/// 255 minus alpha, 255 minus the other channels.
fn inverted(l: &mut Lanes<'_>, colour: Colour, [alpha, rgb]: [bool; 2]) -> Colour {
    if !alpha && !rgb {
        return colour;
    }
    if alpha && rgb {
        return l.colour_complement(colour);
    }
    let [alpha, rgb] = [alpha, rgb].map(|invert| if invert { 255 } else { 0 });
    let mask = l.channels([alpha, rgb, rgb, rgb]);
    l.colour_xor(colour, mask)
}

fn arranged(l: &mut Lanes<'_>, colour: Colour, order: [u8; 4]) -> Colour {
    if order == IN_PLACE { colour } else { l.arrange(colour, order) }
}

/// Sources of the channels, for RGB.
const fn colour_order(select: Select) -> [u8; 4] {
    match select {
        Select::Own => IN_PLACE,
        Select::Red => [Channel::Red as u8; 4],
        Select::Green => [Channel::Green as u8; 4],
        Select::Blue => [Channel::Blue as u8; 4],
        Select::Alpha => [Channel::Alpha as u8; 4],
    }
}

const fn alpha_channel(select: Select) -> Channel {
    match select {
        Select::Own | Select::Alpha => Channel::Alpha,
        Select::Red => Channel::Red,
        Select::Green => Channel::Green,
        Select::Blue => Channel::Blue,
    }
}

/// Sources of the channels, for alpha.
const fn alpha_order(select: Select) -> [u8; 4] {
    match alpha_channel(select) {
        Channel::Alpha => IN_PLACE,
        channel => [channel as u8; 4],
    }
}
