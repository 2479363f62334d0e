//! Fragment lighting: two colours from the normal quaternion, the view vector and up to eight lights.
//!
//! Start in `accumulate.rs`, which adds up the lights; `frame.rs` has the vectors and their products, `tables.rs` the
//! lookup tables. No NaN and no infinity gets past `normalise`, and the one that distance attenuation can make is
//! caught by its clamp, so the sums are always numbers.
//!
//! Source: pica-fragment.md section 4.

mod accumulate;
mod frame;
mod tables;

#[cfg(test)]
mod double;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use super::Inputs;
use crate::trace::{Probe, Stage, Value};
use accumulate::Sums;
use frame::{Frame, LitBy};
use picaflor_pipeline::pica::stage::FragmentState;

/// Primary and secondary colour of a fragment; `textures` are the colours of the four texture units.
///
/// Zeros when lighting is disabled: the result on a console is unknown.
pub(crate) fn light(
    state: &FragmentState<'_>,
    inputs: &Inputs,
    textures: &[[u8; 4]; 4],
    probe: &impl Probe,
) -> [[u8; 4]; 2] {
    let registers = state.registers;
    if registers.lighting_disable().disabled() {
        return [[0; 4]; 2];
    }
    let config = registers.lighting_config0();
    let frame = Frame::new(config, inputs.quaternion, textures);
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("lighting"), name, value);
    note("normal", &|| Value::Floats(frame.normal.to_vec()));
    note("tangent", &|| Value::Floats(frame.tangent.to_vec()));
    let permutation = registers.light_permutation();
    let last_slot = usize::from(registers.num_lights().last());
    let mut sums = Sums::new(config, textures);
    for slot in 0..=last_slot {
        let by = LitBy::new(registers, permutation.light(slot), &frame, inputs.view);
        sums.add_light(state, &by, probe);
        if slot == last_slot {
            sums.fresnel(state, &by, probe);
        }
    }
    let colours = sums.colours(registers.lighting_ambient());
    note("primary", &|| Value::Colour(colours[0]));
    note("secondary", &|| Value::Colour(colours[1]));
    colours
}
