//! Key of the combiners: the live stages, with resolved arguments.
//!
//! Where an argument's value comes from is known when the state is: the stage before, the combiner buffer
//! and stages that only pass a value on are followed back to where the value is made. RGB and alpha are
//! apart until then. Constants never enter the key: see [`ConstantUse`].
//!
//! Source: pica-fragment.md 5, and C1-C10 of 8.4.

mod channels;
mod registers;
mod text;
mod trace;

pub(crate) use crate::emit::pica::constants::PLACES;
use crate::key::bytes::listed;
use crate::key::forms::Digit;
use crate::key::key;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::{CombinerOp, STAGES};

listed! { CombinerOp }

key! {
    /// The stages that are left.
    pub(crate) struct CombinerKey {
        stages: [Stage; STAGES],
        /// The output stage: each group replaces by its first argument.
        pub(crate) result: Stage,
    }
}

key! {
    /// A stage after simplification.
    #[derive(Default)]
    pub(crate) struct Stage {
        pub(crate) rgb: Option<Group>,
        pub(crate) alpha: Option<Group>,
    }
}

key! {
    /// The RGB or the alpha part of a stage.
    pub(crate) struct Group {
        /// A dot product is `Dot3Rgb`, also as alpha; the arguments are colours then.
        pub(crate) op: CombinerOp,
        /// Arguments; unused ones are [`Argument::CONSTANT`].
        pub(crate) arguments: [Argument; 3],
        /// Shift to the left, 0 to 2.
        pub(crate) scale: u8,
    }
}

key! {
    /// One argument of an operation.
    #[derive(PartialOrd, Ord)]
    pub(crate) struct Argument {
        pub(crate) source: Source,
        pub(crate) select: Select,
        /// 255 minus the value.
        pub(crate) invert: bool,
    }
}

key! {
    /// Origin of a value.
    #[derive(PartialOrd, Ord)]
    pub(crate) enum Source {
        /// Interpolated vertex colour.
        Vertex = "v",
        /// Primary (0) or secondary (1) colour of the lighting unit.
        Lighting(colour: u8 = Digit(2)) = "l",
        /// A texture unit.
        Texture(unit: u8 = Digit(4)) = "t",
        /// A stage that is left, by its new number.
        Stage(number: u8 = Digit(STAGES as u8)) = "s",
        /// The constant of the argument's place; the operand is applied already.
        Constant = "k",
    }
}

key! {
    /// Part of its source that an argument takes.
    #[derive(PartialOrd, Ord)]
    pub(crate) enum Select {
        /// Each channel that of its own: red, green and blue, or alpha.
        Own = "",
        /// Red for all.
        Red = "r",
        /// Green for all.
        Green = "g",
        /// Blue for all.
        Blue = "b",
        /// Alpha for all; only for colours.
        Alpha = "a",
    }
}

/// A colour of the registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstantColour {
    /// None: zeros.
    Zero,
    /// The initial one of the combiner buffer.
    Buffer,
    /// The constant of the stage with this number in the registers.
    OfStage(u8),
}

/// A register colour and the part that an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConstantUse {
    pub(crate) colour: ConstantColour,
    pub(crate) select: Select,
    pub(crate) invert: bool,
}

/// The constants of each place, for RGB and for alpha; none where the argument is no constant.
pub(crate) type ConstantUses = [[[Option<ConstantUse>; 2]; 3]; PLACES];

/// Channels of the result that matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Needs {
    pub(crate) rgb: bool,
    pub(crate) alpha: bool,
}

impl Needs {
    /// Both together.
    pub(crate) const fn union(self, other: Self) -> Self {
        Self { rgb: self.rgb || other.rgb, alpha: self.alpha || other.alpha }
    }

    /// True if anything does.
    pub(crate) const fn any(self) -> bool {
        self.rgb || self.alpha
    }
}

impl ConstantColour {
    /// Red, green, blue, alpha.
    pub(crate) fn channels(self, registers: &Registers) -> [u8; 4] {
        match self {
            Self::Zero => [0; 4],
            Self::Buffer => registers.combiner_buffer_colour().channels(),
            Self::OfStage(k) => registers.combiner_constant(k.into()).channels(),
        }
    }
}

impl ConstantUse {
    /// Value of the argument: red, green, blue; or alpha for an alpha argument.
    pub(crate) fn value(self, registers: &Registers) -> [u8; 4] {
        let [r, g, b, a] = self.colour.channels(registers);
        let value = match self.select {
            Select::Own => [r, g, b, a],
            Select::Red => [r; 4],
            Select::Green => [g; 4],
            Select::Blue => [b; 4],
            Select::Alpha => [a; 4],
        };
        value.map(|v| if self.invert { !v } else { v })
    }
}

impl Argument {
    /// The constant of its place; also the placeholder for unused arguments.
    pub(crate) const CONSTANT: Self = Self { source: Source::Constant, select: Select::Own, invert: false };
}

impl Group {
    /// The arguments that the operation uses.
    pub(crate) fn used(&self) -> &[Argument] {
        &self.arguments[..arity(self.op)]
    }
}

impl Stage {
    fn arguments(&self) -> impl Iterator<Item = &Argument> {
        [&self.rgb, &self.alpha].into_iter().flatten().flat_map(Group::used)
    }

    const fn is_live(&self) -> bool {
        self.rgb.is_some() || self.alpha.is_some()
    }
}

impl CombinerKey {
    /// The key, when these channels of the result matter.
    pub(crate) fn of(registers: &Registers, needs: Needs) -> Self {
        trace::analyse(registers, needs).0
    }

    /// The stages in their order.
    pub(crate) fn stages(&self) -> &[Stage] {
        let live = self.stages.iter().take_while(|stage| stage.is_live()).count();
        &self.stages[..live]
    }

    fn reads(&self, source: Source) -> bool {
        let mut arguments = self.stages.iter().chain([&self.result]).flat_map(Stage::arguments);
        arguments.any(|argument| argument.source == source)
    }

    pub(crate) fn reads_vertex_colour(&self) -> bool {
        self.reads(Source::Vertex)
    }

    /// True if the colour of a texture unit matters; unit 3 is the procedural one.
    pub(crate) fn reads_texture(&self, unit: u8) -> bool {
        self.reads(Source::Texture(unit))
    }

    /// True if a colour of the lighting unit matters, primary 0, secondary 1.
    pub(crate) fn reads_lighting(&self, colour: u8) -> bool {
        self.reads(Source::Lighting(colour))
    }
}

/// The constants that a state's key leaves to the draw, the same for all states with the same
/// [words](super::words::StateWords).
pub(crate) fn constants(registers: &Registers, needs: Needs) -> ConstantUses {
    trace::analyse(registers, needs).1
}

/// Number of arguments of an operation.
const fn arity(op: CombinerOp) -> usize {
    match op {
        CombinerOp::Unknown => 0,
        CombinerOp::Replace => 1,
        CombinerOp::Interpolate | CombinerOp::MultiplyAdd | CombinerOp::AddMultiply => 3,
        _ => 2,
    }
}

#[cfg(test)]
#[path = "combiner_tests.rs"]
mod tests;
