//! The combiner stages, as `interp::fragment::combiner`: those that are left, in 16-bit channels.
//!
//! RGB and alpha of a stage are one operation where they do the same, else two and a merge.

use super::operand::{self, Operand};
use super::quad::Quad;
use crate::emit::lanes::Lanes;
use crate::emit::pica::constants::{CombinerConstants, PairSplat, constant, pair};
use crate::emit::pixels::{Channel, Colour};
use crate::pica::key::fragment::combiner::{
    self as key, Argument, CombinerKey, ConstantUse, Group, Needs, Source, Stage,
};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::{CombinerOp, STAGES};

/// Values that stages read.
struct Flow<'t> {
    textures: &'t [Option<Colour>; 4],
    lighting: [Option<Colour>; 2],
    vertex: Option<Colour>,
    /// Constants by place and argument.
    constants: [[Option<Colour>; 3]; key::PLACES],
    /// Results so far. A group that the key does not have is undefined.
    stages: Vec<Colour>,
}

/// The colour after the last stage; channels that do not matter are undefined. `textures` and `lighting` are
/// there where the key reads them.
pub(super) fn combine(
    quad: &mut Quad<'_, '_>,
    key: &CombinerKey,
    textures: &[Option<Colour>; 4],
    lighting: [Option<Colour>; 2],
) -> Colour {
    let constants = [[None; 3]; key::PLACES];
    let mut flow = Flow { textures, lighting, vertex: None, constants, stages: Vec::new() };
    for (k, stage) in key.stages().iter().enumerate() {
        let result = flow.stage(quad, k, stage);
        flow.stages.push(result);
    }
    flow.stage(quad, STAGES, &key.result)
}

impl Flow<'_> {
    /// The result of the stage at a place.
    fn stage(&mut self, quad: &mut Quad<'_, '_>, k: usize, stage: &Stage) -> Colour {
        let (rgb, alpha) = (stage.rgb.as_ref(), stage.alpha.as_ref());
        match (rgb, alpha) {
            (Some(colour), Some(other)) if colour.op != other.op => {
                let colours = self.groups(quad, k, rgb, None);
                let alphas = self.groups(quad, k, None, alpha);
                quad.l.with_alpha(colours, alphas)
            }
            _ => self.groups(quad, k, rgb, alpha),
        }
    }

    /// The result of one group, or of both when they have the same operation.
    fn groups(
        &mut self,
        quad: &mut Quad<'_, '_>,
        k: usize,
        rgb: Option<&Group>,
        alpha: Option<&Group>,
    ) -> Colour {
        let Some(first) = rgb.or(alpha) else { return quad.l.channel_splat(0) };
        let by_constant = |group: &Group| group.arguments[2].source == Source::Constant;
        let value = if first.op == CombinerOp::Interpolate && rgb.into_iter().chain(alpha).all(by_constant) {
            self.mixed(quad, k, [rgb, alpha])
        } else {
            let used = first.used().len();
            let mut argument = |n| (n < used).then(|| self.argument(quad, (k, n), [rgb, alpha]));
            let [a, b, c] = [0, 1, 2].map(&mut argument);
            operate(quad.l, first.op, a, b, c)
        };
        let scales = [alpha.or(rgb), rgb.or(alpha)].map(|group| group.map_or(0, |group| group.scale));
        scaled(quad.l, value, scales)
    }

    /// An interpolation by a constant, which passes its first argument on where that is 255: a fade that is off.
    fn mixed(&mut self, quad: &mut Quad<'_, '_>, k: usize, groups: [Option<&Group>; 2]) -> Colour {
        let a = self.argument(quad, (k, 0), groups);
        let passes = quad.l.load_pointer(quad.constants, constant!(combiner.passes));
        let known = (self.vertex, self.constants);
        let value = quad.either(
            (passes, 1 << k),
            |_| a,
            |quad| {
                let [b, c] = [1, 2].map(|n| Some(self.argument(quad, (k, n), groups)));
                operate(quad.l, CombinerOp::Interpolate, Some(a), b, c)
            },
        );
        (self.vertex, self.constants) = known;
        value
    }

    /// Argument `n` of the groups of a place, for RGB and for alpha, which have the same operation.
    fn argument(
        &mut self,
        quad: &mut Quad<'_, '_>,
        (k, n): (usize, usize),
        groups: [Option<&Group>; 2],
    ) -> Colour {
        let arguments = groups.map(|group| group.map(|group| (group.op, group.arguments[n])));
        let [rgb, alpha] = match arguments {
            [Some((CombinerOp::Dot3Rgb, argument)), _] | [None, Some((CombinerOp::Dot3Rgb, argument))] => {
                [Some(argument), None]
            }
            both => both.map(|argument| argument.map(|(_, argument)| argument)),
        };
        let [rgb, alpha] =
            [rgb, alpha].map(|argument| argument.map(|argument| self.operand(quad, (k, n), argument)));
        operand::merged(quad.l, rgb, alpha)
    }

    fn operand(&mut self, quad: &mut Quad<'_, '_>, place: (usize, usize), argument: Argument) -> Operand {
        let colour = self.source(quad, place, argument.source);
        Operand { colour, select: argument.select, invert: argument.invert }
    }

    fn source(&mut self, quad: &mut Quad<'_, '_>, (k, n): (usize, usize), source: Source) -> Colour {
        match source {
            Source::Stage(stage) => self.stages[usize::from(stage)],
            Source::Vertex => *self.vertex.get_or_insert_with(|| quad.vertex_colour()),
            Source::Lighting(colour) => self.lighting[usize::from(colour)].expect("the key reads it"),
            Source::Texture(unit) => self.textures[usize::from(unit)].expect("the key reads it"),
            Source::Constant => *self.constants[k][n].get_or_insert_with(|| {
                let size = size_of::<PairSplat>();
                quad.colour_constant(constant!(combiner.values) + ((3 * k + n) * size) as i32)
            }),
        }
    }
}

/// An operation, its arguments given as far as it has them.
fn operate(
    l: &mut Lanes<'_>,
    op: CombinerOp,
    a: Option<Colour>,
    b: Option<Colour>,
    c: Option<Colour>,
) -> Colour {
    match (op, a, b, c) {
        (CombinerOp::Replace, Some(a), ..) => a,
        (CombinerOp::Dot3Rgb, Some(a), Some(b), _) => dot3(l, a, b),
        (CombinerOp::Subtract, Some(a), Some(b), _) => l.colour_sub_saturating(a, b),
        (CombinerOp::Modulate, Some(a), Some(b), _) => modulated(l, a, b),
        (CombinerOp::Add, Some(a), Some(b), _) => limited_sum(l, a, b),
        (CombinerOp::AddSigned, Some(a), Some(b), _) => {
            let (sum, half) = (l.colour_add(a, b), l.channel_splat(128));
            let difference = l.colour_sub_saturating(sum, half);
            limited(l, difference)
        }
        (CombinerOp::Interpolate, Some(a), Some(b), Some(c)) => {
            let (rest, first) = (l.colour_complement(c), l.colour_mul(a, c));
            let second = l.colour_mul(b, rest);
            let sum = l.colour_add(first, second);
            l.div255r(sum)
        }
        (CombinerOp::MultiplyAdd, Some(a), Some(b), Some(c)) => {
            let product = modulated(l, a, b);
            limited_sum(l, product, c)
        }
        (CombinerOp::AddMultiply, Some(a), Some(b), Some(c)) => {
            let sum = limited_sum(l, a, b);
            modulated(l, sum, c)
        }
        _ => l.channel_splat(0),
    }
}

fn modulated(l: &mut Lanes<'_>, a: Colour, b: Colour) -> Colour {
    let product = l.colour_mul(a, b);
    l.div255r(product)
}

fn limited_sum(l: &mut Lanes<'_>, a: Colour, b: Colour) -> Colour {
    let sum = l.colour_add(a, b);
    limited(l, sum)
}

fn limited(l: &mut Lanes<'_>, colour: Colour) -> Colour {
    let most = l.channel_splat(255);
    l.colour_min(colour, most)
}

/// The dot product of the colours in all channels.
fn dot3(l: &mut Lanes<'_>, a: Colour, b: Colour) -> Colour {
    let ((a, sign_a), (b, sign_b)) = (magnitude(l, a), magnitude(l, b));
    let quotient = modulated(l, a, b);
    let sign = l.colour_xor(sign_a, sign_b);
    let term = l.colour_xor(quotient, sign);
    let blue = l.replicate(term, Channel::Blue);
    let green = l.replicate(term, Channel::Green);
    let sum = l.colour_add(blue, green);
    let red = l.replicate(term, Channel::Red);
    let sum = l.colour_add(sum, red);
    let zero = l.channel_splat(0);
    let above = l.colour_signed_max(sum, zero);
    limited(l, above)
}

/// A channel as magnitude, and all ones where it is negative. The bits of 2 v - 255 are inverted then.
fn magnitude(l: &mut Lanes<'_>, v: Colour) -> (Colour, Colour) {
    let double = l.colour_add(v, v);
    let most = l.channel_splat(255);
    let centred = l.colour_sub(double, most);
    let sign = l.colour_signs(centred);
    (l.colour_xor(centred, sign), sign)
}

/// The scales of alpha and of the other channels.
fn scaled(l: &mut Lanes<'_>, value: Colour, [alpha, rgb]: [u8; 2]) -> Colour {
    let value = match (alpha, rgb) {
        (0, 0) => return value,
        _ if alpha == rgb => l.colour_shl(value, rgb),
        _ => {
            let [alpha, rgb] = [alpha, rgb].map(|shift| 1 << shift);
            let factors = l.channels([alpha, rgb, rgb, rgb]);
            l.colour_mul(value, factors)
        }
    };
    limited(l, value)
}

/// Constants that a state's draws need, with their destinations.
#[derive(Debug)]
pub(super) struct Constants(Vec<Constant>);

/// One constant: its place, and its values for RGB and for alpha.
#[derive(Debug)]
struct Constant {
    place: usize,
    argument: usize,
    uses: [Option<ConstantUse>; 2],
}

impl Constants {
    /// Selection shared by states with equal words.
    pub(super) fn of(registers: &Registers, needs: Needs) -> Self {
        let all = key::constants(registers, needs).into_iter().enumerate();
        let all = all.flat_map(|(place, uses)| {
            let constant = move |(argument, uses)| Constant { place, argument, uses };
            uses.into_iter().enumerate().map(constant)
        });
        Self(all.filter(|constant| constant.uses != [None; 2]).collect())
    }

    /// Fills them in for a draw.
    pub(super) fn bind(&self, constants: &mut CombinerConstants, registers: &Registers) {
        constants.passes = 0;
        for &Constant { place, argument, uses: [rgb, alpha] } in &self.0 {
            let value = |constant: Option<ConstantUse>| constant.map_or([0; 4], |use_| use_.value(registers));
            let ([r, g, b, _], [.., a]) = (value(rgb), value(alpha));
            constants.values[place][argument] = pair([r, g, b, a]);
            let is_whole = (rgb.is_none() || [r, g, b] == [255; 3]) && (alpha.is_none() || a == 255);
            if argument == 2 && is_whole {
                constants.passes |= 1 << place;
            }
        }
    }
}
