//! Fog and gas shading, as `interp::fragment::fog`.

use super::quad::Quad;
use crate::emit::lanes::F32s;
use crate::emit::pica::constants::{FogConstants, constant};
use crate::emit::pixels::{Channel, Colour};
use crate::pica::fragment::proctex::tables::{Known, expanded};
use crate::pica::key::fragment::fog::FogKey;
use picaflor_pipeline::pica::regs::combiner::fog::FogEntry;
use picaflor_pipeline::pica::stage::FragmentState;
use std::sync::Arc;

/// Value and difference of each entry; one more is never looked at, but loaded.
pub(super) type FogTable = [[f32; 2]; 129];

/// The table at its last use.
#[derive(Debug, Default)]
pub(super) struct FogTables(Known<[u32; 128], FogTable>);

/// Fills the constants; the table that they point to.
pub(super) fn bind(
    constants: &mut FogConstants,
    key: FogKey,
    state: &FragmentState<'_>,
    tables: &mut FogTables,
) -> Option<Arc<FogTable>> {
    if !matches!(key, FogKey::Fog { .. }) {
        return None;
    }
    let colour = state.registers.fog_colour();
    constants.colour = [colour.r(), colour.g(), colour.b()].map(|channel| [f32::from(channel); 4]);
    let table = expanded(&mut tables.0, &state.luts.fog, |words| {
        let mut table = [[0.0; 2]; 129];
        table.iter_mut().zip(words).for_each(|(entry, &word)| *entry = expand(word));
        table
    });
    constants.table = table.as_ptr().expose_provenance() as u64;
    Some(table)
}

fn expand(word: u32) -> [f32; 2] {
    let entry = FogEntry(word);
    [entry.value().units(), entry.difference().units()].map(|units| units as f32 / 2047.0)
}

/// The colour after fog or gas shading.
pub(super) fn apply(quad: &mut Quad<'_, '_>, key: FogKey, colour: Colour) -> Colour {
    match key {
        FogKey::Off => colour,
        FogKey::Fog { flip } => fog(quad, flip, colour),
        FogKey::Gas => quad.l.channel_splat(0),
    }
}

/// The colour's share comes from the table, alpha stays.
fn fog(quad: &mut Quad<'_, '_>, flip: bool, colour: Colour) -> Colour {
    let k = factor(quad, flip);
    let one = quad.l.float(1.0);
    let rest = quad.l.fsub(one, k);
    let [r, g, b] = [Channel::Red, Channel::Green, Channel::Blue].map(|channel| {
        let fog = quad.number(constant!(fog.colour) + 16 * (3 - channel as i32));
        let l = &mut *quad.l;
        let plane = l.plane(colour, channel);
        let value = l.int_to_float(plane);
        let own = l.fmul(k, value);
        let other = l.fmul(rest, fog);
        let sum = l.fadd(own, other);
        let half = l.float(0.5);
        let sum = l.fadd(sum, half);
        l.float_to_int_loose(sum)
    });
    let a = quad.l.plane(colour, Channel::Alpha);
    quad.l.gather_planes([a, b, g, r])
}

/// The share of the fragment's colour. What is loaded lies inside the table: seven bits of the index count.
fn factor(quad: &mut Quad<'_, '_>, flip: bool) -> F32s {
    let depth = quad.depth();
    let table = quad.l.load_pointer(quad.constants, constant!(fog.table));
    let l = &mut *quad.l;
    let one = l.float(1.0);
    let z = if flip { l.fsub(one, depth) } else { depth };
    let entries = l.float(128.0);
    let p = l.fmul(z, entries);
    let floor = l.floor(p);
    let (zero, last) = (l.float(0.0), l.float(127.0));
    let i = l.clamp(floor, zero, last);
    let f = l.fsub(p, i);
    let entry = l.float_to_int_loose(i);
    let bits = l.int(127);
    let entry = l.int_and(entry, bits);
    let [v, d] = l.gather_entries(table, entry);
    let part = l.fmul(d, f);
    let sum = l.fadd(v, part);
    l.clamp01(sum)
}
