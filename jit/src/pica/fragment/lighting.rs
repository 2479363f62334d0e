//! Fragment lighting, as `interp::fragment::lighting`: frame, vectors of each light, tables, sums.
//!
//! Factors that are 1 are left out; so are the halves, tables and vectors that nothing reads. Signs of zeros
//! may differ from the interpreter's on the way, but in this unit they reach no result (pica-fragment.md 0.4).

use super::quad::Quad;
use crate::emit::lanes::{F32s, I32s, Mask, Scalar};
use crate::emit::pica::constants::{LIGHT_STRIDE, LightConstants, constant};
use crate::emit::pica::vector::Vec3;
use crate::emit::pixels::{Channel, Colour};
use crate::pica::key::fragment::lighting::{BumpKey, LightKey, LightingKey, ShadowKey, TableKey};
use cranelift_codegen::ir::condcodes::FloatCC;
use picaflor_pipeline::pica::regs::lighting::{LightingInput, LightingTable};
use std::array::from_fn;

/// Offset of a field of the light in slot 0.
macro_rules! light {
    ($field:ident) => {
        constant!(lighting.lights) + std::mem::offset_of!(LightConstants, $field) as i32
    };
}

/// Semantics of the normal quaternion and the view vector.
const QUATERNION: [usize; 4] = [4, 5, 6, 7];
const VIEW: [usize; 3] = [18, 19, 20];

/// Primary and secondary colour, those that are read. `textures` has the colours of the units that the key
/// reads.
pub(super) fn light(
    quad: &mut Quad<'_, '_>,
    key: &LightingKey,
    textures: &[Option<Colour>; 4],
) -> [Option<Colour>; 2] {
    let frame = Frame::new(quad, key, textures);
    let shadow = key.shadow.map(|shadow| shadow_colour(quad, shadow, textures));
    let mut sums = Sums { diffuse: None, specular: None, alpha: [None; 2] };
    for (slot, light) in key.slots().iter().enumerate() {
        let by = LitBy::new(quad, key, light, slot, &frame);
        sums.add_light(quad, key, &by, shadow);
        if slot + 1 == key.slots().len() && key.fresnel != [false; 2] {
            let fresnel = factor(quad, key, LightingTable::Fresnel, &by);
            sums.alpha = key.fresnel.map(|takes| fresnel.filter(|_| takes));
        }
    }
    sums.colours(quad, key, shadow)
}

/// Normal and tangent in eye space, and the view vector's direction.
struct Frame {
    normal: Option<Vec3>,
    tangent: Option<Vec3>,
    view: Option<Vec3>,
}

impl Frame {
    fn new(quad: &mut Quad<'_, '_>, key: &LightingKey, textures: &[Option<Colour>; 4]) -> Self {
        let (reads_normal, reads_tangent) = (key.reads_normal(), key.reads_tangent());
        let q = key.reads_quaternion().then(|| {
            let quaternion = QUATERNION.map(|k| quad.value(k));
            quad.l.normalise(quaternion)
        });
        let q = q.unwrap_or([quad.l.float(0.0); 4]);
        let normal = reads_normal.then(|| normal(quad, key.bump, q, textures));
        let tangent = reads_tangent.then(|| tangent(quad, key.bump, q, textures));
        let view = key.reads_eye().then(|| {
            let view = VIEW.map(|k| quad.value(k));
            quad.l.normalise(view)
        });
        Self { normal, tangent, view }
    }
}

fn normal(quad: &mut Quad<'_, '_>, bump: BumpKey, q: [F32s; 4], textures: &[Option<Colour>; 4]) -> Vec3 {
    let BumpKey::Normal { unit, keep_z } = bump else { return rotated_z(quad, q) };
    let [x, y, z] = bump_vector(quad, textures[usize::from(unit)]);
    let l = &mut *quad.l;
    let z = if keep_z {
        z
    } else {
        let (xx, yy) = (l.fmul(x, x), l.fmul(y, y));
        let sum = l.fadd(xx, yy);
        let one = l.float(1.0);
        let square = l.fsub(one, sum);
        let zero = l.float(0.0);
        let positive = l.max(square, zero);
        l.sqrt(positive)
    };
    l.rotate(q, [x, y, z])
}

fn tangent(quad: &mut Quad<'_, '_>, bump: BumpKey, q: [F32s; 4], textures: &[Option<Colour>; 4]) -> Vec3 {
    let BumpKey::Tangent { unit } = bump else { return rotated_x(quad, q) };
    let v = bump_vector(quad, textures[usize::from(unit)]);
    quad.l.rotate(q, v)
}

/// A colour as a vector of -1 to 1.
fn bump_vector(quad: &mut Quad<'_, '_>, texture: Option<Colour>) -> Vec3 {
    let texture = texture.expect("the key reads the bump unit");
    [Channel::Red, Channel::Green, Channel::Blue].map(|channel| {
        let l = &mut *quad.l;
        let plane = l.plane(texture, channel);
        let value = l.int_to_float(plane);
        let (half, one) = (l.float(127.5), l.float(1.0));
        let scaled = l.fdiv(value, half);
        l.fsub(scaled, one)
    })
}

/// (0, 0, 1) rotated: the closed form, which has the same bits.
fn rotated_z(quad: &mut Quad<'_, '_>, [x, y, z, w]: [F32s; 4]) -> Vec3 {
    let l = &mut *quad.l;
    let (two, one) = (l.float(2.0), l.float(1.0));
    let (xz, yw) = (l.fmul(x, z), l.fmul(y, w));
    let (yz, xw) = (l.fmul(y, z), l.fmul(x, w));
    let (xx, yy) = (l.fmul(x, x), l.fmul(y, y));
    let first = l.fadd(xz, yw);
    let second = l.fsub(yz, xw);
    let third = l.fadd(xx, yy);
    let [first, second, third] = [first, second, third].map(|v| l.fmul(two, v));
    [first, second, l.fsub(one, third)]
}

/// (1, 0, 0) rotated: the closed form, which has the same bits.
fn rotated_x(quad: &mut Quad<'_, '_>, [x, y, z, w]: [F32s; 4]) -> Vec3 {
    let l = &mut *quad.l;
    let (two, one) = (l.float(2.0), l.float(1.0));
    let (yy, zz) = (l.fmul(y, y), l.fmul(z, z));
    let (xy, zw) = (l.fmul(x, y), l.fmul(z, w));
    let (xz, yw) = (l.fmul(x, z), l.fmul(y, w));
    let first = l.fadd(yy, zz);
    let second = l.fadd(xy, zw);
    let third = l.fsub(xz, yw);
    let [first, second, third] = [first, second, third].map(|v| l.fmul(two, v));
    [l.fsub(one, first), second, third]
}

/// The shadow unit's colour as the lights use it: red, green, blue, alpha.
fn shadow_colour(quad: &mut Quad<'_, '_>, key: ShadowKey, textures: &[Option<Colour>; 4]) -> [F32s; 4] {
    let texture = textures[usize::from(key.unit)].expect("the key reads the shadow unit");
    [Channel::Red, Channel::Green, Channel::Blue, Channel::Alpha].map(|channel| {
        let l = &mut *quad.l;
        let plane = l.plane(texture, channel);
        let value = l.int_to_float(plane);
        let (scale, one) = (l.float(255.0), l.float(1.0));
        let colour = l.fdiv(value, scale);
        if key.invert { l.fsub(one, colour) } else { colour }
    })
}

/// A fragment as one light sees it.
struct LitBy {
    light: LightKey,
    slot: usize,
    distance: Option<F32s>,
    /// By the code of [`LightingInput`]; those that some table reads.
    inputs: [Option<F32s>; 7],
    /// d, where something reads it.
    diffuse: Option<F32s>,
    /// G, where something reads it.
    geometric: Option<F32s>,
}

impl LitBy {
    fn new(quad: &mut Quad<'_, '_>, key: &LightingKey, light: &LightKey, slot: usize, frame: &Frame) -> Self {
        let (towards, distance) = direction(quad, light, slot);
        let half = key.reads_half().then(|| {
            let view = frame.view.expect("half vectors need the view");
            quad.l.vector_add(view, towards)
        });
        let half_squared = half.map(|half| quad.l.dot(half, half));
        let h = half.zip(half_squared).map(|(half, squared)| quad.l.normalise_by(half, squared));
        let light_normal = frame.normal.map(|n| quad.l.dot(towards, n));
        let diffuse = light_normal.filter(|_| key.reads_diffuse()).map(|ln| one_side(quad, light, ln));
        let geometric = diffuse.zip(half_squared).filter(|_| light.geometric != [false; 2]);
        let geometric = geometric.map(|(d, squared)| geometric_factor(quad, d, squared));
        let mut by = Self { light: *light, slot, distance, inputs: [None; 7], diffuse, geometric };
        by.set_inputs(quad, key, frame, (towards, h, light_normal));
        by
    }

    fn set_inputs(
        &mut self,
        quad: &mut Quad<'_, '_>,
        key: &LightingKey,
        frame: &Frame,
        (towards, h, light_normal): (Vec3, Option<Vec3>, Option<F32s>),
    ) {
        let (n, v) = (frame.normal, frame.view);
        for input in LightingInput::ALL.iter().copied().filter(|&input| key.uses(input)) {
            let both = |a: Option<Vec3>, b: Option<Vec3>| a.zip(b).expect("vectors of an input that is read");
            let value = match input {
                LightingInput::NormalHalf => dot(quad, both(n, h)),
                LightingInput::ViewHalf => dot(quad, both(v, h)),
                LightingInput::NormalView => dot(quad, both(n, v)),
                LightingInput::LightNormal => light_normal.expect("L.N is read"),
                LightingInput::LightSpot if !self.light.spot && !spot_for_others(key) => continue,
                LightingInput::LightSpot => {
                    let spot = triple(quad, self.slot, light!(spot));
                    quad.l.dot(towards, spot)
                }
                LightingInput::CosPhi => cos_phi(quad, both(n, h), frame.tangent),
                LightingInput::Zero => quad.l.float(0.0),
            };
            self.inputs[input as usize] = Some(value);
        }
    }
}

/// True if a table other than the spot tables is looked up with the spot's angle.
fn spot_for_others(key: &LightingKey) -> bool {
    let others = LightingTable::ALL.iter().filter(|&&table| table != LightingTable::Spot);
    others.filter_map(|&table| key.get(table)).any(|table| table.input == LightingInput::LightSpot)
}

fn dot(quad: &mut Quad<'_, '_>, (a, b): (Vec3, Vec3)) -> F32s {
    quad.l.dot(a, b)
}

/// CP: the half vector's shadow on the surface, and the tangent.
fn cos_phi(quad: &mut Quad<'_, '_>, (n, h): (Vec3, Vec3), tangent: Option<Vec3>) -> F32s {
    let tangent = tangent.expect("CP needs the tangent");
    let l = &mut *quad.l;
    let nh = l.dot(n, h);
    let along = l.vector_scale(n, nh);
    let across = from_fn(|i| l.fsub(h[i], along[i]));
    l.dot(across, tangent)
}

/// The direction to a light, and its distance where attenuation reads it. Those of directional lights are
/// constants.
fn direction(quad: &mut Quad<'_, '_>, light: &LightKey, slot: usize) -> (Vec3, Option<F32s>) {
    if light.directional {
        let direction = triple(quad, slot, light!(direction));
        let distance = light.distance.then(|| number(quad, slot, light!(length)));
        return (direction, distance);
    }
    let position = triple(quad, slot, light!(position));
    let view = VIEW.map(|k| quad.value(k));
    let towards = quad.l.vector_add(position, view);
    let squared = quad.l.dot(towards, towards);
    let distance = light.distance.then(|| quad.l.sqrt(squared));
    (quad.l.normalise_by(towards, squared), distance)
}

/// The magnitude for two-sided lights, else the maximum with 0.
fn one_side(quad: &mut Quad<'_, '_>, light: &LightKey, x: F32s) -> F32s {
    if light.two_sided {
        return quad.l.magnitude(x);
    }
    let zero = quad.l.float(0.0);
    quad.l.max(x, zero)
}

fn geometric_factor(quad: &mut Quad<'_, '_>, diffuse: F32s, half_squared: F32s) -> F32s {
    let l = &mut *quad.l;
    let (zero, one) = (l.float(0.0), l.float(1.0));
    let g = l.fdiv(diffuse, half_squared);
    let limited = l.min(g, one);
    let is_zero = l.compare(FloatCC::Equal, half_squared, zero);
    let kept = l.not(is_zero);
    l.keep(kept, limited)
}

/// The scaled result of a table for a light; nothing where it has none.
fn factor(quad: &mut Quad<'_, '_>, key: &LightingKey, table: LightingTable, by: &LitBy) -> Option<F32s> {
    let TableKey { input, signed } = key.get(table)?;
    let is_spot = table == LightingTable::Spot;
    if is_spot && !by.light.spot {
        return None;
    }
    let x = by.inputs[input as usize].expect("an input that is read");
    let (entry, delta) = if signed {
        place(quad, x, [128.0, -128.0, 127.0])
    } else {
        let y = one_side(quad, &by.light, x);
        place(quad, y, [256.0, 0.0, 255.0])
    };
    let address = if is_spot {
        pointer(quad, by.slot, light!(spot_table))
    } else {
        quad.l.load_pointer(quad.constants, constant!(lighting.tables) + 8 * table as i32)
    };
    let value = look_up(quad, address, entry, delta);
    let scale = quad.number(constant!(lighting.scales) + 16 * table as i32);
    Some(quad.l.fmul(scale, value))
}

/// Position of an input in a table: the entry, and distance from it. `scale`, least and last entry;
/// the low eight bits of an entry count, so that what is loaded lies inside the table.
fn place(quad: &mut Quad<'_, '_>, x: F32s, [scale, least, last]: [f32; 3]) -> (I32s, F32s) {
    let l = &mut *quad.l;
    let scale = l.float(scale);
    let p = l.fmul(x, scale);
    let floor = l.floor(p);
    let (least, last) = (l.float(least), l.float(last));
    let i = l.clamp(floor, least, last);
    let delta = l.fsub(p, i);
    let entry = l.float_to_int_loose(i);
    let low = l.int(255);
    (l.int_and(entry, low), delta)
}

/// `v[i] + m[i] d`.
fn look_up(quad: &mut Quad<'_, '_>, table: Scalar, entry: I32s, delta: F32s) -> F32s {
    let l = &mut *quad.l;
    let [value, difference] = l.gather_entries(table, entry);
    let product = l.fmul(difference, delta);
    l.fadd(value, product)
}

/// DA; nothing where the light has none.
fn distance_attenuation(quad: &mut Quad<'_, '_>, by: &LitBy) -> Option<F32s> {
    let distance = by.distance?;
    let scale = number(quad, by.slot, light!(attenuation_scale));
    let scaled = quad.l.fmul(scale, distance);
    let bias = number(quad, by.slot, light!(attenuation_bias));
    let sum = quad.l.fadd(scaled, bias);
    let x = quad.l.clamp01(sum);
    let (entry, delta) = place(quad, x, [256.0, 0.0, 255.0]);
    let table = pointer(quad, by.slot, light!(distance_table));
    Some(look_up(quad, table, entry, delta))
}

/// Light gathered so far.
struct Sums {
    diffuse: Option<Vec3>,
    specular: Option<Vec3>,
    alpha: [Option<F32s>; 2],
}

impl Sums {
    fn add_light(
        &mut self,
        quad: &mut Quad<'_, '_>,
        key: &LightingKey,
        by: &LitBy,
        shadow: Option<[F32s; 4]>,
    ) {
        let distance = distance_attenuation(quad, by);
        let spot = factor(quad, key, LightingTable::Spot, by);
        let acts = key.shadow.map_or([false; 2], |shadow| shadow.acts.map(|acts| acts && by.light.shadow));
        let on = |n: usize| shadow.filter(|_| acts[n]);
        if key.live[0] {
            let light = diffuse_light(quad, by, on(0));
            let light = light.map(|c| times(quad, c, [distance, spot]));
            self.diffuse = Some(sum(quad, self.diffuse, light));
        }
        if key.live[1] {
            let light = specular_light(quad, key, by);
            let dark = key.clamp_highlights.then(|| by.diffuse.expect("highlights are clamped by d"));
            let light = light.map(|c| {
                let c = dark.map_or(c, |d| without_highlight(quad, c, d));
                times(quad, c, [distance, spot])
            });
            let light = from_fn(|i| times(quad, light[i], [on(1).map(|shadow| shadow[i])]));
            self.specular = Some(sum(quad, self.specular, light));
        }
    }

    /// The colours that are read, rounded to bytes.
    fn colours(
        mut self,
        quad: &mut Quad<'_, '_>,
        key: &LightingKey,
        shadow: Option<[F32s; 4]>,
    ) -> [Option<Colour>; 2] {
        if let (Some(shadow), Some(ShadowKey { alpha, .. })) = (shadow, key.shadow) {
            let selected = [0, 1].map(|n| alpha[n].then_some(shadow[3]));
            self.alpha = [0, 1].map(|n| match (self.alpha[n], selected[n]) {
                (Some(a), Some(b)) => Some(quad.l.fmul(a, b)),
                (a, b) => a.or(b),
            });
        }
        let primary = self.diffuse.map(|diffuse| {
            let ambient = [0, 1, 2].map(|i| quad.number(constant!(lighting.ambient) + 16 * i));
            quad.l.vector_add(diffuse, ambient)
        });
        let [primary_alpha, secondary_alpha] = self.alpha;
        [
            primary.map(|rgb| to_bytes(quad, rgb, primary_alpha)),
            self.specular.map(|rgb| to_bytes(quad, rgb, secondary_alpha)),
        ]
    }
}

fn sum(quad: &mut Quad<'_, '_>, before: Option<Vec3>, light: Vec3) -> Vec3 {
    before.map_or(light, |before| quad.l.vector_add(before, light))
}

/// A product with the factors that are there.
fn times<const N: usize>(quad: &mut Quad<'_, '_>, value: F32s, factors: [Option<F32s>; N]) -> F32s {
    factors.into_iter().flatten().fold(value, |product, factor| quad.l.fmul(product, factor))
}

/// Nothing where the diffuse factor is 0.
fn without_highlight(quad: &mut Quad<'_, '_>, light: F32s, diffuse: F32s) -> F32s {
    let zero = quad.l.float(0.0);
    let dark = quad.l.compare(FloatCC::Equal, diffuse, zero);
    let lit: Mask = quad.l.not(dark);
    quad.l.keep(lit, light)
}

/// `diffuse d shadow + ambient`.
fn diffuse_light(quad: &mut Quad<'_, '_>, by: &LitBy, shadow: Option<[F32s; 4]>) -> Vec3 {
    let d = by.diffuse.expect("diffuse light needs d");
    let colour = triple(quad, by.slot, light!(diffuse));
    let ambient = triple(quad, by.slot, light!(ambient));
    from_fn(|i| {
        let lit = quad.l.fmul(colour[i], d);
        let lit = times(quad, lit, [shadow.map(|shadow| shadow[i])]);
        quad.l.fadd(lit, ambient[i])
    })
}

/// `D0 specular0 G + D1 (RR, RG, RB) specular1 G`.
fn specular_light(quad: &mut Quad<'_, '_>, key: &LightingKey, by: &LitBy) -> Vec3 {
    let geometric = by.light.geometric.map(|on| by.geometric.filter(|_| on));
    let d0 = factor(quad, key, LightingTable::D0, by);
    let colour0 = triple(quad, by.slot, light!(specular0));
    let first = colour0.map(|c| {
        let lit = d0.map_or(c, |d0| quad.l.fmul(d0, c));
        times(quad, lit, [geometric[0]])
    });
    let d1 = factor(quad, key, LightingTable::D1, by);
    let red = factor(quad, key, LightingTable::ReflectionR, by);
    let green = factor(quad, key, LightingTable::ReflectionG, by).or(red);
    let blue = factor(quad, key, LightingTable::ReflectionB, by).or(red);
    let colour1 = triple(quad, by.slot, light!(specular1));
    let reflection = [red, green, blue];
    let second: Vec3 = from_fn(|i| {
        let factors = match (d1, reflection[i]) {
            (Some(a), Some(b)) => Some(quad.l.fmul(a, b)),
            (a, b) => a.or(b),
        };
        let lit = factors.map_or(colour1[i], |factor| quad.l.fmul(factor, colour1[i]));
        times(quad, lit, [geometric[1]])
    });
    quad.l.vector_add(first, second)
}

fn to_bytes(quad: &mut Quad<'_, '_>, [r, g, b]: Vec3, alpha: Option<F32s>) -> Colour {
    let [r, g, b] = [r, g, b].map(|c| quad.l.colour_byte(c));
    let a = match alpha {
        Some(alpha) => quad.l.colour_byte(alpha),
        None => quad.l.int(255),
    };
    quad.l.gather_planes([a, b, g, r])
}

/// Three numbers of a light.
fn triple(quad: &mut Quad<'_, '_>, slot: usize, offset: i32) -> Vec3 {
    [0, 16, 32].map(|n| number(quad, slot, offset + n))
}

/// A number of a light.
fn number(quad: &mut Quad<'_, '_>, slot: usize, offset: i32) -> F32s {
    quad.number(offset + slot as i32 * LIGHT_STRIDE)
}

/// A table of a light.
fn pointer(quad: &mut Quad<'_, '_>, slot: usize, offset: i32) -> Scalar {
    quad.l.load_pointer(quad.constants, offset + slot as i32 * LIGHT_STRIDE)
}
