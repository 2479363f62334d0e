//! The texture function, and the secondary colour after it (9.8, measured on a console).

use super::texture::{self, Drawn};
use crate::ge::raster::fragment::{Fragment, Quad};
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::ge::regs::texture::{TextureFunc, TextureFunction};
use picaflor_pipeline::ge::regs::{Registers, op};

/// The colour of a fragment with its texel and the secondary colour.
pub(super) fn textured(state: &Drawn<'_>, at: &Fragment, quad: &dyn Quad, probe: &impl Probe) -> [u8; 4] {
    let registers = state.registers;
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("texture function"), name, value);
    let colour = if registers.is_textured() {
        let texel = texture::sample(state, at, quad, probe);
        let environment = registers.arg(op::TEC).to_le_bytes();
        let function = registers.texture_function();
        let colour = combine(function, at.colour, texel, environment);
        note("function", &|| Value::name(function.func()));
        note("uses alpha", &|| Value::Flag(function.uses_alpha()));
        note("doubles colour", &|| Value::Flag(function.doubles()));
        note("primitive", &|| Value::Colour(at.colour));
        note("texel", &|| Value::Colour(texel));
        note("environment", &|| Value::integers([environment[0], environment[1], environment[2]]));
        note("result", &|| Value::Colour(colour));
        colour
    } else {
        at.colour
    };
    let colour = with_secondary(registers, colour, at.secondary);
    note("with secondary", &|| Value::Colour(colour));
    colour
}

/// Adds the secondary colour, if separate. Alpha is unchanged; through mode has no secondary colour.
fn with_secondary(registers: &Registers, colour: [u8; 4], secondary: [u8; 4]) -> [u8; 4] {
    if !registers.is_on(op::LMODE) || registers.is_through() {
        return colour;
    }
    std::array::from_fn(|c| if c == 3 { colour[c] } else { colour[c].saturating_add(secondary[c]) })
}

/// The texture function on primitive colour p, texel t and environment colour e.
fn combine(function: TextureFunction, p: [u8; 4], t: [u8; 4], e: [u8; 4]) -> [u8; 4] {
    let [p, t, e] = [p, t, e].map(|colour| colour.map(u32::from));
    let rgb = |c: usize| rgb(function, [p[c], t[c], e[c]], t[3]).min(255);
    [rgb(0), rgb(1), rgb(2), alpha(function, p[3], t[3])].map(|channel| channel as u8)
}

/// Red, green or blue, possibly above 255. Doubling precedes the truncation.
fn rgb(function: TextureFunction, [p, t, e]: [u32; 3], alpha: u32) -> u32 {
    let double = u32::from(function.doubles());
    match function.func() {
        TextureFunc::Modulate => ((p + 1) * t) << double >> 8,
        TextureFunc::Decal if function.uses_alpha() => {
            ((p + 1) * (255 - alpha) + (t + 1) * alpha) << double >> 8
        }
        TextureFunc::Blend => ((255 - t) * p + t * e + 255) << double >> 8,
        TextureFunc::Decal | TextureFunc::Replace => t << double,
        TextureFunc::Add => (p + t) << double,
    }
}

/// Alpha: never doubled.
fn alpha(function: TextureFunction, p: u32, t: u32) -> u32 {
    match function.func() {
        _ if !function.uses_alpha() => p,
        TextureFunc::Decal => p,
        TextureFunc::Replace => t,
        TextureFunc::Modulate | TextureFunc::Blend | TextureFunc::Add => ((p + 1) * t) >> 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALPHA: u32 = 0x100;
    const DOUBLE: u32 = 0x1_0000;

    /// Red and alpha of all functions, for texels and primitives that are one value in all channels.
    fn all(bits: u32, t: u8, p: u8, e: u8) -> [[u8; 2]; 5] {
        std::array::from_fn(|code| {
            let [r, _, _, a] = combine(TextureFunction(code as u32 | bits), [p; 4], [t; 4], [e; 4]);
            [r, a]
        })
    }

    fn red(bits: u32, t: u8, p: u8) -> [u8; 5] {
        let environment = if bits & DOUBLE == 0 { 0xff } else { 0x5f };
        all(bits | ALPHA, t, p, environment).map(|[red, _]| red)
    }

    /// The table of 14.3. It does not tell the environment colour of the doubled ones; only 5F gives all four.
    #[test]
    fn colours_as_measured() {
        assert_eq!(red(0, 0xff, 0xff), [0xff; 5]);
        assert_eq!(red(0, 0xff, 0x00), [0x00, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(red(0, 0x7f, 0x7f), [0x3f, 0x7f, 0xbf, 0x7f, 0xfe]);
        assert_eq!(red(0, 0x7f, 0x3f), [0x1f, 0x5f, 0x9f, 0x7f, 0xbe]);
        assert_eq!(red(DOUBLE, 0x7f, 0x7f), [0x7f, 0xff, 0xdf, 0xfe, 0xff]);
        assert_eq!(red(DOUBLE, 0xff, 0x7f), [0xff, 0xff, 0xbf, 0xff, 0xff]);
        assert_eq!(red(DOUBLE, 0x7f, 0xff), [0xfe, 0xff, 0xff, 0xfe, 0xff]);
        assert_eq!(red(DOUBLE, 0x3f, 0x7f), [0x3f, 0xdf, 0xef, 0x7e, 0xff]);
    }

    #[test]
    fn decal_without_alpha_replaces() {
        let decal = |bits, t, p| all(bits, t, p, 0xff)[1][0];
        assert_eq!([decal(0, 0x7f, 0x3f), decal(DOUBLE, 0x3f, 0x7f)], [0x7f, 0x7e]);
    }

    #[test]
    fn alpha_as_measured() {
        let alphas = |bits| all(bits, 0x7f, 0x7f, 0xff).map(|[_, alpha]| alpha);
        assert_eq!(alphas(ALPHA), [0x3f, 0x7f, 0x3f, 0x7f, 0x3f]);
        assert_eq!(alphas(DOUBLE | ALPHA), alphas(ALPHA));
        assert_eq!(alphas(0), [0x7f; 5]);
        // Codes past the last add.
        let [sum, past] = [4, 7].map(|code| combine(TextureFunction(code), [9; 4], [5; 4], [0; 4]));
        assert_eq!((sum, past), ([14, 14, 14, 9], [14, 14, 14, 9]));
    }

    #[test]
    fn blend_as_measured() {
        let blend = |t, p, e| all(0, t, p, e)[2][0];
        assert_eq!([blend(0xff, 0, 0x7f), blend(0, 0xff, 0x7f)], [0x7f, 0xff]);
        let row = [0, 1, 2, 3, 4, 5, 6].map(|p| blend(0x80, p, 0));
        assert_eq!(row, [0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(all(DOUBLE, 0x0f, 0x0f, 0)[4][0], 0x3c);
    }

    #[test]
    fn the_secondary_colour_saturates() {
        let mut registers = Registers::default();
        let added = |registers: &Registers| with_secondary(registers, [250, 1, 2, 3], [10, 10, 10, 10]);
        assert_eq!(added(&registers), [250, 1, 2, 3]);
        registers.write(0x5e00_0001);
        assert_eq!(added(&registers), [255, 11, 12, 3]);
        registers.write(0x1280_0000);
        assert_eq!(added(&registers), [250, 1, 2, 3]);
    }

    /// 9.8: ((FF + 1) * FF) >> 8: what is opaque stays so.
    #[test]
    fn opaque_alphas_stay_opaque() {
        let alphas = all(ALPHA, 0xff, 0xff, 0).map(|[_, alpha]| alpha);
        assert_eq!(alphas, [0xff; 5]);
    }
}
