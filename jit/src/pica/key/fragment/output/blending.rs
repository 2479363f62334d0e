//! Blending as far as it matters.

use super::super::combiner::Needs;
use super::Mix;
use crate::key::forms::{After, Name, Or, Own, Place};
use crate::key::key;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::fragop::{BlendEquation, BlendFactor, LogicOp};
use picaflor_pipeline::pica::texel::ColourFormat;

key! {
    /// Equations and factors; none for a group that is not written.
    pub(crate) struct BlendKey {
        pub(crate) rgb: Option<BlendGroup> = Or(Own, "-"),
        pub(crate) alpha: Option<BlendGroup> = After(",", Or(Own, "-")),
    }
}

key! {
    /// Blending of RGB or of alpha.
    pub(crate) struct BlendGroup {
        pub(crate) equation: BlendEquation = Name,
        /// Never `Unknown15`; as alpha only those that name alpha, `Zero` and `One`.
        pub(crate) source: BlendFactor = After(".", Place),
        pub(crate) destination: BlendFactor = Place,
    }
}

/// The destination's alpha, where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    No,
    /// The whole destination is 0.
    Zero,
    /// Alpha is 255.
    Opaque,
}

impl BlendKey {
    /// Blending with a buffer; the logic operation that is the same, where there is one.
    pub(super) fn of(registers: &Registers, format: ColourFormat, mask: u8, reads: bool) -> Mix {
        let known = match (reads, format.has_alpha()) {
            (false, _) => Known::Zero,
            (true, false) => Known::Opaque,
            (true, true) => Known::No,
        };
        let func = registers.blend_func();
        let rgb = [func.rgb_source(), func.rgb_destination()].map(|factor| canonical(factor, known));
        let alpha =
            [func.alpha_source(), func.alpha_destination()].map(|factor| canonical(of_alpha(factor), known));
        let key = Self {
            rgb: (mask & 7 != 0).then(|| BlendGroup::of(func.rgb_equation(), rgb, known)),
            alpha: (mask & 8 != 0).then(|| BlendGroup::of(func.alpha_equation(), alpha, known)),
        };
        key.as_logic().map_or(Mix::Blend(key), Mix::Logic)
    }

    fn groups(&self) -> impl Iterator<Item = &BlendGroup> {
        [&self.rgb, &self.alpha].into_iter().flatten()
    }

    fn as_logic(&self) -> Option<LogicOp> {
        let all = |source, destination| {
            let group = BlendGroup { equation: BlendEquation::Add, source, destination };
            self.groups().all(|own| *own == group)
        };
        if all(BlendFactor::One, BlendFactor::Zero) {
            Some(LogicOp::Copy)
        } else if all(BlendFactor::Zero, BlendFactor::Zero) {
            Some(LogicOp::Clear)
        } else {
            all(BlendFactor::Zero, BlendFactor::One).then_some(LogicOp::NoOp)
        }
    }

    /// Channels of the source that matter.
    pub(super) fn needs(&self) -> Needs {
        let own = |group: &Option<BlendGroup>| group.is_some_and(|group| group.reads_source());
        let shared = self.groups().any(BlendGroup::reads_source_alpha);
        Needs { rgb: own(&self.rgb), alpha: own(&self.alpha) || shared }
    }

    /// True if the blend constant matters.
    pub(crate) fn reads_constant(&self) -> bool {
        let constants = BlendFactor::Constant..=BlendFactor::OneMinusConstantAlpha;
        self.groups().flat_map(BlendGroup::factors).any(|factor| constants.contains(&factor))
    }

    /// True if the pixel's colour matters.
    pub(crate) fn reads_destination(&self) -> bool {
        self.groups().any(BlendGroup::reads_destination)
    }
}

impl BlendGroup {
    fn of(equation: BlendEquation, [source, destination]: [BlendFactor; 2], known: Known) -> Self {
        let destination = if known == Known::Zero { BlendFactor::Zero } else { destination };
        let is_zero = [source, destination].map(|factor| factor == BlendFactor::Zero);
        let (equation, source, destination) = match (equation, is_zero) {
            (BlendEquation::ReverseSubtract | BlendEquation::Min, [_, true])
            | (BlendEquation::Subtract | BlendEquation::Min, [true, _]) => {
                (BlendEquation::Add, BlendFactor::Zero, BlendFactor::Zero)
            }
            (_, [true, _] | [_, true]) => (BlendEquation::Add, source, destination),
            _ => (equation, source, destination),
        };
        Self { equation, source, destination }
    }

    const fn factors(&self) -> [BlendFactor; 2] {
        [self.source, self.destination]
    }

    fn reads_source(&self) -> bool {
        let own = [BlendFactor::Source, BlendFactor::OneMinusSource];
        self.source != BlendFactor::Zero || self.factors().iter().any(|factor| own.contains(factor))
    }

    fn reads_source_alpha(&self) -> bool {
        let alpha =
            [BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha, BlendFactor::SourceAlphaSaturate];
        self.factors().iter().any(|factor| alpha.contains(factor))
    }

    fn reads_destination(&self) -> bool {
        let own = [
            BlendFactor::Destination,
            BlendFactor::OneMinusDestination,
            BlendFactor::DestinationAlpha,
            BlendFactor::OneMinusDestinationAlpha,
            BlendFactor::SourceAlphaSaturate,
        ];
        self.destination != BlendFactor::Zero || own.contains(&self.source)
    }
}

/// A factor in the alpha group, by the name that says alpha.
const fn of_alpha(factor: BlendFactor) -> BlendFactor {
    match factor {
        BlendFactor::Source => BlendFactor::SourceAlpha,
        BlendFactor::OneMinusSource => BlendFactor::OneMinusSourceAlpha,
        BlendFactor::Destination => BlendFactor::DestinationAlpha,
        BlendFactor::OneMinusDestination => BlendFactor::OneMinusDestinationAlpha,
        BlendFactor::Constant => BlendFactor::ConstantAlpha,
        BlendFactor::OneMinusConstant => BlendFactor::OneMinusConstantAlpha,
        BlendFactor::SourceAlphaSaturate => BlendFactor::One,
        factor => factor,
    }
}

/// Canonical form of a factor, given the known properties of the destination.
const fn canonical(factor: BlendFactor, known: Known) -> BlendFactor {
    match (factor, known) {
        (BlendFactor::Unknown15, _) => BlendFactor::One,
        (BlendFactor::Destination | BlendFactor::DestinationAlpha, Known::Zero)
        | (BlendFactor::OneMinusDestinationAlpha | BlendFactor::SourceAlphaSaturate, Known::Opaque) => {
            BlendFactor::Zero
        }
        (BlendFactor::OneMinusDestination | BlendFactor::OneMinusDestinationAlpha, Known::Zero)
        | (BlendFactor::DestinationAlpha, Known::Opaque) => BlendFactor::One,
        (BlendFactor::SourceAlphaSaturate, Known::Zero) => BlendFactor::SourceAlpha,
        (factor, _) => factor,
    }
}

/// The operation that does the same where the destination is 0.
pub(super) const fn without_destination(op: LogicOp) -> LogicOp {
    match op {
        LogicOp::Clear | LogicOp::And | LogicOp::NoOp | LogicOp::AndInverted => LogicOp::Clear,
        LogicOp::AndReverse | LogicOp::Copy | LogicOp::Or | LogicOp::Xor => LogicOp::Copy,
        LogicOp::Set | LogicOp::Invert | LogicOp::Nand | LogicOp::OrReverse => LogicOp::Set,
        LogicOp::CopyInverted | LogicOp::Nor | LogicOp::Equivalent | LogicOp::OrInverted => {
            LogicOp::CopyInverted
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logic(op: LogicOp, s: u8, d: u8) -> u8 {
        match op {
            LogicOp::Clear => 0,
            LogicOp::And => s & d,
            LogicOp::AndReverse => s & !d,
            LogicOp::Copy => s,
            LogicOp::Set => 255,
            LogicOp::CopyInverted => !s,
            LogicOp::NoOp => d,
            LogicOp::Invert => !d,
            LogicOp::Nand => !(s & d),
            LogicOp::Or => s | d,
            LogicOp::Nor => !(s | d),
            LogicOp::Xor => s ^ d,
            LogicOp::Equivalent => !(s ^ d),
            LogicOp::AndInverted => !s & d,
            LogicOp::OrReverse => s | !d,
            LogicOp::OrInverted => !s | d,
        }
    }

    #[test]
    fn logic_operations_on_nothing() {
        for &op in LogicOp::ALL {
            assert_eq!(logic(without_destination(op), 0x5a, 0xff), logic(op, 0x5a, 0), "{op:?}");
        }
    }
}
