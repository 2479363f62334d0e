//! The sums over all lights: pica-fragment.md 4.7. Factors are multiplied from the left as written there.

use super::frame::LitBy;
use super::tables::{distance_attenuation, factor, has_bit};
use crate::pica::fragment::colour_byte;
use crate::pica::fragment::vector::{Vec3, add};
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::pica::regs::lighting::{LightColour, LightingConfig0, LightingTable};
use picaflor_pipeline::pica::stage::FragmentState;
use std::array::from_fn;

/// Light gathered so far.
pub(super) struct Sums {
    config: LightingConfig0,
    /// Colour of the shadow unit as the lights use it.
    shadow: [f32; 4],
    diffuse: Vec3,
    specular: Vec3,
    /// Alpha of the primary and the secondary colour.
    alpha: [f32; 2],
}

impl Sums {
    pub(super) fn new(config: LightingConfig0, textures: &[[u8; 4]; 4]) -> Self {
        let shadow = shadow(config, textures);
        Self { config, shadow, diffuse: [0.0; 3], specular: [0.0; 3], alpha: [1.0; 2] }
    }

    /// Adds the light of one slot.
    pub(super) fn add_light(&mut self, state: &FragmentState<'_>, by: &LitBy, probe: &impl Probe) {
        let note =
            |name, value: &dyn Fn() -> Value| probe.note(Stage::numbered("light", by.light), name, value);
        let distance = distance_attenuation(state, by);
        let spot = factor(state, LightingTable::Spot, by, probe).unwrap_or(1.0);
        let diffuse = self.diffuse_light(state, by);
        let specular = self.specular_light(state, by, distance, spot, probe);
        note("inputs NH VH NV LN spot CP", &|| Value::Floats(by.inputs()[..6].to_vec()));
        note("distance", &|| Value::Float(by.distance));
        note("distance attenuation", &|| Value::Float(distance));
        note("spot attenuation", &|| Value::Float(spot));
        note("diffuse factor", &|| Value::Float(by.diffuse_factor()));
        note("diffuse", &|| Value::Floats(diffuse.to_vec()));
        note("specular", &|| Value::Floats(specular.to_vec()));
        self.diffuse = from_fn(|i| self.diffuse[i] + diffuse[i] * distance * spot);
        self.specular = add(self.specular, specular);
    }

    /// Diffuse and ambient light before attenuation. Shadow leaves a light's ambient colour alone: visible
    /// in a commercial game on a console.
    fn diffuse_light(&self, state: &FragmentState<'_>, by: &LitBy) -> Vec3 {
        let diffuse = reals(state.registers.light_diffuse(by.light));
        let ambient = reals(state.registers.light_ambient(by.light));
        let d = by.diffuse_factor();
        let shadow = self.shadow_on(state, by, self.config.shadow_primary());
        from_fn(|i| diffuse[i] * d * shadow[i] + ambient[i])
    }

    fn specular_light(
        &self,
        state: &FragmentState<'_>,
        by: &LitBy,
        distance: f32,
        spot: f32,
        probe: &impl Probe,
    ) -> Vec3 {
        let specular0 = specular0(state, by, probe);
        let specular1 = specular1(state, by, probe);
        let k = self.highlight_factor(by);
        let shadow = self.shadow_on(state, by, self.config.shadow_secondary());
        from_fn(|i| (specular0[i] + specular1[i]) * k * distance * spot * shadow[i])
    }

    /// k: 0 where highlights are clamped away. Measured on a console.
    fn highlight_factor(&self, by: &LitBy) -> f32 {
        if self.config.clamp_highlights() && by.diffuse_factor() == 0.0 { 0.0 } else { 1.0 }
    }

    /// Shadow as it acts on the colour of a light.
    fn shadow_on(&self, state: &FragmentState<'_>, by: &LitBy, acts: bool) -> Vec3 {
        let [r, g, b, _] = self.shadow;
        let disabled = has_bit(state.registers.lighting_config1().shadow_disabled(), by.light);
        if acts && !disabled { [r, g, b] } else { [1.0; 3] }
    }

    /// Fresnel alpha. Only the light of the last slot has it: measured on a console.
    pub(super) fn fresnel(&mut self, state: &FragmentState<'_>, by: &LitBy, probe: &impl Probe) {
        if let Some(fresnel) = factor(state, LightingTable::Fresnel, by, probe) {
            self.change_alpha(|_| fresnel);
        }
    }

    /// Changes the alphas that the Fresnel bits select.
    fn change_alpha(&mut self, change: impl Fn(f32) -> f32) {
        let selected = [self.config.primary_alpha(), self.config.secondary_alpha()];
        self.alpha = from_fn(|i| if selected[i] { change(self.alpha[i]) } else { self.alpha[i] });
    }

    /// Primary and secondary colour, rounded to bytes.
    pub(super) fn colours(mut self, ambient: LightColour) -> [[u8; 4]; 2] {
        // Shadow reaches alpha by the Fresnel bits, whether or not there is a Fresnel table: measured on a
        // console.
        if self.config.shadow_alpha() {
            let shadow = self.shadow[3];
            self.change_alpha(|alpha| alpha * shadow);
        }
        let primary = add(self.diffuse, reals(ambient));
        let [primary_alpha, secondary_alpha] = self.alpha;
        [with_alpha(primary, primary_alpha), with_alpha(self.specular, secondary_alpha)]
            .map(|colour| colour.map(colour_byte))
    }
}

/// `D0 specular0 G`.
fn specular0(state: &FragmentState<'_>, by: &LitBy, probe: &impl Probe) -> Vec3 {
    let d0 = factor(state, LightingTable::D0, by, probe).unwrap_or(1.0);
    let colour = reals(state.registers.light_specular0(by.light));
    let geometric = if by.config.geometric_factor0() { by.geometric_factor() } else { 1.0 };
    colour.map(|channel| d0 * channel * geometric)
}

/// `D1 (RR, RG, RB) specular1 G`.
fn specular1(state: &FragmentState<'_>, by: &LitBy, probe: &impl Probe) -> Vec3 {
    let d1 = factor(state, LightingTable::D1, by, probe).unwrap_or(1.0);
    let reflection = reflection(state, by, probe);
    let colour = reals(state.registers.light_specular1(by.light));
    let geometric = if by.config.geometric_factor1() { by.geometric_factor() } else { 1.0 };
    from_fn(|i| d1 * reflection[i] * colour[i] * geometric)
}

/// RR, RG, RB; without tables of their own green and blue are as red.
fn reflection(state: &FragmentState<'_>, by: &LitBy, probe: &impl Probe) -> Vec3 {
    let red = factor(state, LightingTable::ReflectionR, by, probe).unwrap_or(1.0);
    let green = factor(state, LightingTable::ReflectionG, by, probe).unwrap_or(red);
    let blue = factor(state, LightingTable::ReflectionB, by, probe).unwrap_or(red);
    [red, green, blue]
}

/// 1 where shadow is off, however the other shadow bits are set.
fn shadow(config: LightingConfig0, textures: &[[u8; 4]; 4]) -> [f32; 4] {
    if !config.shadow() {
        return [1.0; 4];
    }
    let colour = textures[usize::from(config.shadow_unit())].map(|channel| f32::from(channel) / 255.0);
    if config.shadow_invert() { colour.map(|channel| 1.0 - channel) } else { colour }
}

fn reals(colour: LightColour) -> Vec3 {
    colour.channels().map(|channel| f32::from(channel) / 255.0)
}

fn with_alpha([r, g, b]: Vec3, alpha: f32) -> [f32; 4] {
    [r, g, b, alpha]
}
