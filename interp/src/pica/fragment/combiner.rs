//! The six texture combiner stages: integer arithmetic on bytes.
//!
//! Source: pica-fragment.md 5.

use super::div255r;
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::{
    AlphaOperand, CombinerOp, CombinerSource, RgbOperand, STAGES, TexenvUpdateBuffer,
};

/// Inputs of a fragment to the combiners, red first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sources {
    /// Interpolated vertex colour.
    pub(crate) vertex: [u8; 4],
    /// Primary and secondary colour of the lighting unit.
    pub(crate) lighting: [[u8; 4]; 2],
    /// Texture units 0, 1, 2 and the procedural one.
    pub(crate) textures: [[u8; 4]; 4],
}

/// Values passed from stage to stage.
#[derive(Default)]
struct Flow {
    /// Result of the stage before.
    previous: [u8; 4],
    /// The combiner buffer as this stage sees it.
    buffer: [u8; 4],
}

/// The colour after the last stage.
pub(crate) fn combine(registers: &Registers, sources: &Sources, probe: &impl Probe) -> [u8; 4] {
    let update = registers.texenv_update_buffer();
    let mut flow = Flow::default();
    // The buffer lags one stage (measured on a console): what a stage updates is seen by the one after the
    // next, and stage 0 sees nothing, not even the initial colour.
    let mut next_buffer = registers.combiner_buffer_colour().channels();
    for k in 0..STAGES {
        let out = stage(registers, k, sources, &flow, probe);
        flow = Flow { previous: out, buffer: next_buffer };
        next_buffer = updated(next_buffer, out, update, k);
    }
    flow.previous
}

/// The buffer after stage `k` gave `out`. Stages 4 and 5 have no bit.
fn updated(buffer: [u8; 4], out: [u8; 4], update: TexenvUpdateBuffer, k: usize) -> [u8; 4] {
    let rgb = if update.update_rgb() >> k & 1 == 1 { out } else { buffer };
    let alpha = if update.update_alpha() >> k & 1 == 1 { out } else { buffer };
    [rgb[0], rgb[1], rgb[2], alpha[3]]
}

/// The result of stage `k`.
fn stage(registers: &Registers, k: usize, sources: &Sources, flow: &Flow, probe: &impl Probe) -> [u8; 4] {
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::numbered("combiner", k), name, value);
    let constant = registers.combiner_constant(k).channels();
    let value = |source| select(source, sources, constant, flow);
    let (from, operand) = (registers.combiner_source(k), registers.combiner_operand(k));
    let argument = |source, operand| rgb_argument(operand, value(source));
    let ([a, b, c], [x, y, z]) = (resolve(k, from.rgb()), operand.rgb());
    let (a, b, c) = (argument(a, x), argument(b, y), argument(c, z));
    let argument = |source, operand| alpha_argument(operand, value(source));
    let ([l, m, n], [x, y, z]) = (resolve(k, from.alpha()), operand.alpha());
    let alpha = [argument(l, x), argument(m, y), argument(n, z)];
    let (op, scale) = (registers.combiner_op(k), registers.combiner_scale(k));
    note("previous", &|| Value::Colour(flow.previous));
    note("buffer", &|| Value::Colour(flow.buffer));
    note("sources rgb", &|| Value::name(from.rgb()));
    note("sources alpha", &|| Value::name(from.alpha()));
    note("operation rgb", &|| Value::name(op.rgb()));
    note("operation alpha", &|| Value::name(op.alpha()));
    for (name, (rgb, alpha)) in ["a", "b", "c"].into_iter().zip([a, b, c].into_iter().zip(alpha)) {
        note(name, &|| Value::Colour([rgb[0], rgb[1], rgb[2], alpha]));
    }
    let channel = |op, i: usize| operate(op, [a[i], b[i], c[i]]);
    let [r, g, b] = match op.rgb() {
        CombinerOp::Dot3Rgb | CombinerOp::Dot3Rgba => [dot3(a, b); 3],
        op => [channel(op, 0), channel(op, 1), channel(op, 2)],
    };
    // The alpha operation is ignored then (measured on a console); its scale is not.
    let a = if op.rgb() == CombinerOp::Dot3Rgba { r } else { operate(op.alpha(), alpha) };
    let [r, g, b] = [r, g, b].map(|v| scaled(v, scale.rgb()));
    let out = [r, g, b, scaled(a, scale.alpha())];
    note("scale", &|| Value::integers([1 << scale.rgb(), 1 << scale.alpha()]));
    note("result", &|| Value::Colour(out));
    out
}

/// The sources of a stage's arguments. Stage 0 has no previous result: there arguments a and b take the
/// source of c instead (measured on a console), and c itself gets the zeros that the flow starts with.
fn resolve(k: usize, [a, b, c]: [CombinerSource; 3]) -> [CombinerSource; 3] {
    let first = |source| if source == CombinerSource::Previous { c } else { source };
    if k == 0 { [first(a), first(b), c] } else { [a, b, c] }
}

/// The colour of a source; zeros for unknown sources (assumed).
fn select(source: CombinerSource, sources: &Sources, constant: [u8; 4], flow: &Flow) -> [u8; 4] {
    match source {
        CombinerSource::VertexColour => sources.vertex,
        CombinerSource::PrimaryLighting => sources.lighting[0],
        CombinerSource::SecondaryLighting => sources.lighting[1],
        CombinerSource::Texture0 => sources.textures[0],
        CombinerSource::Texture1 => sources.textures[1],
        CombinerSource::Texture2 => sources.textures[2],
        CombinerSource::Texture3 => sources.textures[3],
        CombinerSource::Unknown7
        | CombinerSource::Unknown8
        | CombinerSource::Unknown9
        | CombinerSource::Unknown10
        | CombinerSource::Unknown11
        | CombinerSource::Unknown12 => [0; 4],
        CombinerSource::Buffer => flow.buffer,
        CombinerSource::Constant => constant,
        CombinerSource::Previous => flow.previous,
    }
}

/// An RGB argument; unknown operands take the colour (assumed).
fn rgb_argument(operand: RgbOperand, [r, g, b, a]: [u8; 4]) -> [u8; 3] {
    match operand {
        RgbOperand::Colour => [r, g, b],
        RgbOperand::OneMinusColour => [255 - r, 255 - g, 255 - b],
        RgbOperand::Alpha => [a; 3],
        RgbOperand::OneMinusAlpha => [255 - a; 3],
        RgbOperand::Red => [r; 3],
        RgbOperand::OneMinusRed => [255 - r; 3],
        RgbOperand::Green => [g; 3],
        RgbOperand::OneMinusGreen => [255 - g; 3],
        RgbOperand::Blue => [b; 3],
        RgbOperand::OneMinusBlue => [255 - b; 3],
        RgbOperand::Unknown6
        | RgbOperand::Unknown7
        | RgbOperand::Unknown10
        | RgbOperand::Unknown11
        | RgbOperand::Unknown14
        | RgbOperand::Unknown15 => [r, g, b],
    }
}

/// An alpha argument.
fn alpha_argument(operand: AlphaOperand, [r, g, b, a]: [u8; 4]) -> u8 {
    match operand {
        AlphaOperand::Alpha => a,
        AlphaOperand::OneMinusAlpha => 255 - a,
        AlphaOperand::Red => r,
        AlphaOperand::OneMinusRed => 255 - r,
        AlphaOperand::Green => g,
        AlphaOperand::OneMinusGreen => 255 - g,
        AlphaOperand::Blue => b,
        AlphaOperand::OneMinusBlue => 255 - b,
    }
}

/// One channel. Products are rounded to nearest: derived from the console's DOT3. The dot products do not
/// work on a channel; as an operation on alpha they are unknown, as are 10 to 15 (0 assumed).
fn operate(op: CombinerOp, arguments: [u8; 3]) -> u8 {
    let [a, b, c] = arguments.map(u32::from);
    let result = match op {
        CombinerOp::Replace => a,
        CombinerOp::Modulate => div255r(a * b),
        CombinerOp::Add => (a + b).min(255),
        CombinerOp::AddSigned => (a + b).clamp(128, 128 + 255) - 128,
        CombinerOp::Interpolate => div255r(a * c + b * (255 - c)),
        CombinerOp::Subtract => a.saturating_sub(b),
        CombinerOp::MultiplyAdd => (div255r(a * b) + c).min(255),
        CombinerOp::AddMultiply => div255r((a + b).min(255) * c),
        CombinerOp::Dot3Rgb | CombinerOp::Dot3Rgba | CombinerOp::Unknown => 0,
    };
    result as u8
}

/// The dot product of two colours. The formula gives every one of the 2816 samples of a published sweep on
/// a console (Lectem's).
fn dot3(a: [u8; 3], b: [u8; 3]) -> u8 {
    let sum = dot3_term(a[0], b[0]) + dot3_term(a[1], b[1]) + dot3_term(a[2], b[2]);
    sum.clamp(0, 255) as u8
}

/// One product of signed quantities that are kept as sign and magnitude: negation inverts the bits, hence
/// -q - 1. For products of mixed sign other than 0 that is an extrapolation from the sweep.
fn dot3_term(a: u8, b: u8) -> i32 {
    let q = div255r(dot3_magnitude(a) * dot3_magnitude(b)) as i32;
    if (a >= 128) == (b >= 128) { q } else { -q - 1 }
}

/// Magnitude, 0 to 255, of the channel value seen as a quantity from -1 to 1.
fn dot3_magnitude(v: u8) -> u32 {
    let v = u32::from(v);
    if v >= 128 { 2 * v - 255 } else { 254 - 2 * v }
}

/// The scale; 3 is unknown (1 assumed).
fn scaled(v: u8, shift: u8) -> u8 {
    let shift = if shift == 3 { 0 } else { shift };
    (u32::from(v) << shift).min(255) as u8
}

#[cfg(test)]
mod tests;
