//! From registers to the stages that matter: values forward to where they are made, liveness backward.

use super::{
    Argument, CombinerKey, ConstantColour, ConstantUse, ConstantUses, Group, Needs, PLACES, Select, Source,
    Stage, arity,
};
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::{AlphaOperand, CombinerOp, CombinerSource, RgbOperand, STAGES};

/// Part of a colour: the result of a group of a stage.
pub(super) const RGB: usize = 0;
pub(super) const ALPHA: usize = 1;

/// Origin of a value, before the renumbering of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// Not a stage and no constant.
    Input(Source),
    /// A colour of the registers.
    Colour(ConstantColour),
    /// The group of a stage.
    Stage(usize),
}

/// Zeros.
const ZERO: Value = Value::Colour(ConstantColour::Zero);

/// Operand of an argument.
#[derive(Debug, Clone, Copy)]
struct Operand {
    select: Select,
    invert: bool,
    /// The part of the source that it reads.
    part: usize,
}

/// A group of a stage, its values followed back.
#[derive(Debug, Clone, Copy)]
struct Draft {
    op: CombinerOp,
    arguments: [(Value, Operand); 3],
    scale: u8,
}

impl Draft {
    fn used(&self) -> &[(Value, Operand)] {
        &self.arguments[..arity(self.op)]
    }

    /// The value of the group: where it only passes one on, that one (C3, C4).
    fn value(&self, stage: usize) -> Value {
        match (self.op, self.arguments[0]) {
            (CombinerOp::Unknown, _) => ZERO,
            (CombinerOp::Replace, (value, operand))
                if operand.select == Select::Own && !operand.invert && self.scale == 0 =>
            {
                value
            }
            _ => Value::Stage(stage),
        }
    }
}

/// All stages, and the values that their groups make.
struct Trace {
    drafts: [[Draft; 2]; STAGES],
    values: [[Value; 2]; STAGES],
}

/// The key and its constants, when these channels of the result matter.
pub(super) fn analyse(registers: &Registers, needs: Needs) -> (CombinerKey, ConstantUses) {
    let trace = Trace::of(registers);
    let result = [needs.rgb, needs.alpha];
    let live = trace.live(result);
    let mut key = CombinerKey { stages: [Stage::default(); STAGES], result: Stage::default() };
    let mut uses = [[[None; 2]; 3]; PLACES];
    let numbers = numbers(&live);
    for k in (0..STAGES).filter(|&k| live[k] != [false; 2]) {
        let place = usize::from(numbers[k]);
        key.stages[place] = stage(&trace.drafts[k], live[k], &numbers, &mut uses[place]);
    }
    let last = trace.values[STAGES - 1].map(identity);
    key.result = stage(&last, result, &numbers, &mut uses[STAGES]);
    (key, uses)
}

/// The groups of a stage that matter, as the key has them; their constants go to `uses`.
fn stage(
    drafts: &[Draft; 2],
    live: [bool; 2],
    numbers: &[u8; STAGES],
    uses: &mut [[Option<ConstantUse>; 2]; 3],
) -> Stage {
    let mut group = |part: usize| live[part].then(|| group(&drafts[part], part, numbers, uses));
    Stage { rgb: group(RGB), alpha: group(ALPHA) }
}

/// A group that passes a value on.
const fn identity(value: Value) -> Draft {
    let operand = Operand { select: Select::Own, invert: false, part: 0 };
    Draft { op: CombinerOp::Replace, arguments: [(value, operand); 3], scale: 0 }
}

/// New numbers of the stages that are left.
fn numbers(live: &[[bool; 2]; STAGES]) -> [u8; STAGES] {
    let mut next = 0;
    live.map(|groups| {
        let number = next;
        next += u8::from(groups != [false; 2]);
        number
    })
}

/// A group as the key has it; its constants go to `uses`.
fn group(
    draft: &Draft,
    part: usize,
    numbers: &[u8; STAGES],
    uses: &mut [[Option<ConstantUse>; 2]; 3],
) -> Group {
    let unused = (Argument::CONSTANT, None);
    let mut arguments = [unused; 3];
    for (argument, &(value, operand)) in arguments.iter_mut().zip(draft.used()) {
        *argument = resolved(value, operand, numbers);
    }
    if is_commutative(draft.op) {
        arguments[..2].sort_by_key(|&(argument, _)| argument);
    }
    // A dot product's arguments are colours, whatever it is for.
    let part = if draft.op == CombinerOp::Dot3Rgb { RGB } else { part };
    for (place, &(_, constant)) in uses.iter_mut().zip(&arguments) {
        place[part] = constant.or(place[part]);
    }
    Group { op: draft.op, arguments: arguments.map(|(argument, _)| argument), scale: draft.scale }
}

fn resolved(value: Value, operand: Operand, numbers: &[u8; STAGES]) -> (Argument, Option<ConstantUse>) {
    let Operand { select, invert, .. } = operand;
    match value {
        Value::Colour(colour) => (Argument::CONSTANT, Some(ConstantUse { colour, select, invert })),
        Value::Input(source) => (Argument { source, select, invert }, None),
        Value::Stage(k) => (Argument { source: Source::Stage(numbers[k]), select, invert }, None),
    }
}

/// True if the first two arguments may change places.
const fn is_commutative(op: CombinerOp) -> bool {
    !matches!(op, CombinerOp::Replace | CombinerOp::Interpolate | CombinerOp::Subtract | CombinerOp::Unknown)
}

impl Trace {
    fn of(registers: &Registers) -> Self {
        let mut trace = Self { drafts: [[identity(ZERO); 2]; STAGES], values: [[ZERO; 2]; STAGES] };
        for k in 0..STAGES {
            trace.drafts[k] = trace.stage(registers, k);
            trace.values[k] = [RGB, ALPHA].map(|part| trace.drafts[k][part].value(k));
        }
        trace
    }

    fn stage(&self, registers: &Registers, k: usize) -> [Draft; 2] {
        let (from, operand) = (registers.combiner_source(k), registers.combiner_operand(k));
        let argument = |source, operand: Operand| (self.value(registers, k, source, operand.part), operand);
        let (sources, operands) = (first_stage(k, from.rgb()), operand.rgb().map(rgb_operand));
        let rgb = std::array::from_fn(|n| argument(sources[n], operands[n]));
        let (sources, operands) = (first_stage(k, from.alpha()), operand.alpha().map(alpha_operand));
        let alpha = std::array::from_fn(|n| argument(sources[n], operands[n]));
        let (op, scale) = (registers.combiner_op(k), registers.combiner_scale(k));
        let scale = [scale.rgb(), scale.alpha()].map(|shift| if shift == 3 { 0 } else { shift });
        let draft = |op, arguments, part: usize| Draft { op, arguments, scale: scale[part] };
        let dot = draft(CombinerOp::Dot3Rgb, rgb, ALPHA);
        match (op.rgb(), op.alpha()) {
            // The dot product takes the place of the alpha operation, but not that of its scale.
            (CombinerOp::Dot3Rgba, _) => [draft(CombinerOp::Dot3Rgb, rgb, RGB), dot],
            (op, CombinerOp::Dot3Rgb | CombinerOp::Dot3Rgba) => {
                [draft(op, rgb, RGB), draft(CombinerOp::Unknown, alpha, ALPHA)]
            }
            (op, alpha_op) => [draft(op, rgb, RGB), draft(alpha_op, alpha, ALPHA)],
        }
    }

    /// Origin of a part of a source of stage `k`.
    fn value(&self, registers: &Registers, k: usize, source: CombinerSource, part: usize) -> Value {
        let config = registers.texunit_config();
        let texture = |unit: u8| {
            let is_on = if unit == 3 { config.enable3() } else { config.enable(unit.into()) };
            if is_on { Value::Input(Source::Texture(unit)) } else { ZERO }
        };
        match source {
            CombinerSource::VertexColour => Value::Input(Source::Vertex),
            // Disabled units give zeros.
            CombinerSource::PrimaryLighting | CombinerSource::SecondaryLighting
                if registers.lighting_disable().disabled() =>
            {
                ZERO
            }
            CombinerSource::PrimaryLighting => Value::Input(Source::Lighting(0)),
            CombinerSource::SecondaryLighting => Value::Input(Source::Lighting(1)),
            CombinerSource::Texture0 => texture(0),
            CombinerSource::Texture1 => texture(1),
            CombinerSource::Texture2 => texture(2),
            CombinerSource::Texture3 => texture(3),
            CombinerSource::Buffer => self.buffer(registers, k, part),
            CombinerSource::Constant => Value::Colour(ConstantColour::OfStage(k as u8)),
            CombinerSource::Previous => k.checked_sub(1).map_or(ZERO, |k| self.values[k][part]),
            _ => ZERO,
        }
    }

    /// A part of the combiner buffer as stage `k` sees it.
    fn buffer(&self, registers: &Registers, k: usize, part: usize) -> Value {
        let update = registers.texenv_update_buffer();
        let updates = [update.update_rgb(), update.update_alpha()][part];
        let seen = k.saturating_sub(1).min(4);
        match (0..seen).rev().find(|&j| updates >> j & 1 == 1) {
            _ if k == 0 => ZERO,
            Some(j) => self.values[j][part],
            None => Value::Colour(ConstantColour::Buffer),
        }
    }

    /// The groups that matter.
    fn live(&self, result: [bool; 2]) -> [[bool; 2]; STAGES] {
        let mut live = [[false; 2]; STAGES];
        for part in [RGB, ALPHA].into_iter().filter(|&part| result[part]) {
            if let Value::Stage(k) = self.values[STAGES - 1][part] {
                live[k][part] = true;
            }
        }
        for k in (0..STAGES).rev() {
            let drafts = self.drafts[k].iter().zip(live[k]).filter(|&(_, live)| live);
            for &(value, operand) in drafts.flat_map(|(draft, _)| draft.used()) {
                if let Value::Stage(k) = value {
                    live[k][operand.part] = true;
                }
            }
        }
        live
    }
}

/// Stage 0 has no stage before: its first two arguments take the source of the third then.
fn first_stage(k: usize, [a, b, c]: [CombinerSource; 3]) -> [CombinerSource; 3] {
    let first = |source| if source == CombinerSource::Previous { c } else { source };
    if k == 0 { [first(a), first(b), c] } else { [a, b, c] }
}

fn rgb_operand(operand: RgbOperand) -> Operand {
    let code = operand.to_bits();
    let (select, part) = match code >> 1 {
        0 => (Select::Own, RGB),
        1 => (Select::Alpha, ALPHA),
        2 => (Select::Red, RGB),
        4 => (Select::Green, RGB),
        6 => (Select::Blue, RGB),
        // Operands that nobody knows take the colour.
        _ => return Operand { select: Select::Own, invert: false, part: RGB },
    };
    Operand { select, invert: code & 1 == 1, part }
}

fn alpha_operand(operand: AlphaOperand) -> Operand {
    let code = operand.to_bits();
    let (select, part) = match code >> 1 {
        0 => (Select::Own, ALPHA),
        1 => (Select::Red, RGB),
        2 => (Select::Green, RGB),
        _ => (Select::Blue, RGB),
    };
    Operand { select, invert: code & 1 == 1, part }
}
