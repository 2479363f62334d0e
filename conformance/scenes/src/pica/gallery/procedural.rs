//! The state of the procedural texture unit.

use crate::modelling::paint::bytes;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float;

/// Functions of (u, v).
pub(super) mod function {
    /// (u + v) / 2.
    pub(in super::super) const SUM: u32 = 4;
    /// sqrt(u u + v v).
    pub(in super::super) const RADIUS: u32 = 6;
}

/// Noise that is added to one coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// The amplitude.
    pub(super) amplitude: f32,
    /// Offset.
    pub(super) phase: f32,
    /// Times nine: cells of the lattice in a unit.
    pub(super) frequency: f32,
}

/// A procedural material.
pub(super) struct Procedural<'a> {
    /// Function of the coordinates.
    pub(super) function: u32,
    /// Clamp mode of both: 1 edge, 3 mirrored repeat.
    pub(super) clamp: u32,
    /// Noise of u and v.
    pub(super) noise: [Noise; 2],
    /// The colour map, over the function's value.
    pub(super) map: &'a dyn Fn(f32) -> f32,
    /// The colours, over the map's value.
    pub(super) colours: &'a dyn Fn(f32) -> [f32; 4],
}

/// Entries of the colour table.
const WIDTH: u32 = 128;

impl Procedural<'_> {
    /// Writes registers and tables.
    pub(super) fn set(&self, list: &mut ListBuilder) {
        let shape = self.clamp | self.clamp << 3 | self.function << 6 | 1 << 15;
        let amplitude = |noise: &Noise| ((noise.amplitude * 4095.0) as i32 as u32) & 0xffff;
        let axis = |noise: &Noise| amplitude(noise) | float::encode_f16(noise.phase) << 16;
        let [u, v] = &self.noise;
        let frequencies = float::encode_f16(u.frequency) | float::encode_f16(v.frequency) << 16;
        let linear = 1 | 6 << 7 | WIDTH << 11;
        list.burst(0x0a8, &[shape, axis(u), axis(v), frequencies, linear, 0xe0c0_8000]);
        table(list, 0, &|t| t * t * (3.0 - 2.0 * t));
        table(list, 2, self.map);
        self.colour_tables(list);
    }

    fn colour_tables(&self, list: &mut ListBuilder) {
        let at = |i: u32| bytes((self.colours)(i.min(WIDTH - 1) as f32 / (WIDTH - 1) as f32));
        let colours: Vec<_> = (0..WIDTH).map(|i| u32::from_le_bytes(at(i))).collect();
        let half = |(a, b): (u8, u8)| ((i32::from(b) - i32::from(a)) / 2) as u8;
        let difference = |i: u32| {
            let (here, next) = (at(i), at(i + 1));
            u32::from_le_bytes(std::array::from_fn(|c| half((here[c], next[c]))))
        };
        let differences: Vec<_> = (0..WIDTH).map(difference).collect();
        list.write(0x0af, 4 << 8).feed(0x0b0, &colours);
        list.write(0x0af, 5 << 8).feed(0x0b0, &differences);
    }
}

/// A table of 128 values and their differences.
fn table(list: &mut ListBuilder, id: u32, value: &dyn Fn(f32) -> f32) {
    let at = |i: u32| (value(i as f32 / 128.0).clamp(0.0, 1.0) * 4095.0) as i32;
    let entry = |i: u32| at(i) as u32 | ((at(i + 1) - at(i)) as u32 & 0xfff) << 12;
    list.write(0x0af, id << 8).feed(0x0b0, &(0..128).map(entry).collect::<Vec<_>>());
}
