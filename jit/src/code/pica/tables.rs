//! Uniforms and fixed attributes as compiled code reads them: every scalar repeated for four lanes, rows for
//! relative addressing, and both once more scaled.

use crate::emit::pica::layout::{ROWS, ROWS_BEFORE, SPLATS};
use crate::emit::pica::number::TableUses;
use picaflor_pipeline::pica::float::{MANTISSA_MASK, Precision, SMALLEST_NORMAL};
use picaflor_pipeline::pica::shader::unit::{Uniforms, Vec4};
use picaflor_pipeline::pica::vertex::{AttributeSource, VertexInputs};

/// 2^-64.
const SCALE: f32 = f32::from_bits((127 - 64) << 23);

/// Registers with splats: float uniforms, then the attribute registers.
const REGISTERS: usize = SPLATS / 4;

/// Four lanes with the alignment of vector loads.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Splat(pub(crate) [f32; 4]);

/// The entries that a routine reads, by register.
#[derive(Debug, Clone)]
pub(crate) struct RegisterUses {
    /// Float uniforms, each with its components as bits.
    uniforms: Box<[(u8, u8)]>,
    /// The same uniforms as bits.
    mask: u128,
    /// Attribute registers likewise.
    attributes: Box<[(u8, u8)]>,
    rows: bool,
}

impl RegisterUses {
    pub(crate) fn new(uses: &TableUses) -> Self {
        let mut components = [0_u8; REGISTERS];
        for slot in uses.splats.iter().map(|&slot| usize::from(slot)) {
            components[slot / 4] |= 1 << (slot % 4);
        }
        let (uniforms, attributes) = components.split_at(Uniforms::FLOATS);
        let listed = |components: &[u8]| -> Box<[(u8, u8)]> {
            (0..).zip(components.iter().copied()).filter(|(_, components)| *components != 0).collect()
        };
        let (uniforms, attributes) = (listed(uniforms), listed(attributes));
        let mask = uniforms.iter().fold(0, |mask, (n, _)| mask | 1 << n);
        Self { uniforms, mask, attributes, rows: uses.rows }
    }
}

/// The tables. Each uniform is taken in when a routine needs it and the uniforms have changed since.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) splats: Box<[Splat]>,
    pub(crate) scaled_splats: Box<[Splat]>,
    pub(crate) rows: Box<[Splat]>,
    pub(crate) scaled_rows: Box<[Splat]>,
    /// Generation and precision of the uniforms, and the bits of the limit for ordinary ones.
    contents: Option<(u64, Precision, u32)>,
    /// The uniforms whose splats are those of the contents.
    current: u128,
    /// The components of each uniform that are ordinary.
    ordinary: [u8; Uniforms::FLOATS],
    /// True if the rows are those of the contents.
    rows_are_current: bool,
    rows_are_ordinary: bool,
}

impl Tables {
    pub(crate) fn new() -> Self {
        let table = |len| vec![Splat([0.0; 4]); len].into();
        Self {
            splats: table(SPLATS),
            scaled_splats: table(SPLATS),
            rows: table(ROWS),
            scaled_rows: table(ROWS),
            contents: None,
            current: 0,
            ordinary: [0; Uniforms::FLOATS],
            rows_are_current: false,
            rows_are_ordinary: false,
        }
    }

    /// Fills in the uniforms that a routine reads. Returns true if each is zero or a normal of the precision, of at most `limit`.
    pub(crate) fn fill(
        &mut self,
        uniforms: &Uniforms,
        precision: Precision,
        uses: &RegisterUses,
        limit: f32,
    ) -> bool {
        let contents = Some((uniforms.generation(), precision, limit.to_bits()));
        if self.contents != contents {
            self.contents = contents;
            self.current = 0;
            self.rows_are_current = false;
        }
        if uses.mask & !self.current != 0 {
            let current = self.current;
            for &(n, _) in uses.uniforms.iter().filter(|(n, _)| current >> n & 1 == 0) {
                let register = usize::from(n);
                self.ordinary[register] =
                    self.put(register, uniforms.float(register, precision), (precision, limit));
            }
            self.current |= uses.mask;
        }
        if uses.rows && !self.rows_are_current {
            self.rows_are_ordinary = self.fill_rows(uniforms, precision, limit);
            self.rows_are_current = true;
        }
        let is_ordinary = |&(n, components): &(u8, u8)| components & !self.ordinary[usize::from(n)] == 0;
        uses.uniforms.iter().all(is_ordinary) && (!uses.rows || self.rows_are_ordinary)
    }

    /// Fills in the fixed attributes that a routine reads; returns the same for them.
    pub(crate) fn fill_fixed(
        &mut self,
        inputs: &VertexInputs,
        precision: Precision,
        uses: &RegisterUses,
        limit: f32,
    ) -> bool {
        if uses.attributes.is_empty() {
            return true;
        }
        let sources = inputs.by_register();
        let mut in_range = true;
        for &(register, components) in &uses.attributes {
            let value = match sources[usize::from(register)] {
                Some(AttributeSource::Fixed(value)) => *value,
                _ => [0.0; 4],
            };
            let ordinary = self.put(Uniforms::FLOATS + usize::from(register), value, (precision, limit));
            in_range &= components & !ordinary == 0;
        }
        in_range
    }

    /// Repeats the components of a register; returns those that are ordinary.
    fn put(&mut self, register: usize, value: Vec4, range: (Precision, f32)) -> u8 {
        let slots = register * 4..register * 4 + 4;
        let splats = self.splats[slots.clone()].iter_mut().zip(&mut self.scaled_splats[slots]);
        for ((splat, scaled), component) in splats.zip(value) {
            *splat = Splat([component; 4]);
            *scaled = Splat([component * SCALE; 4]);
        }
        (0..4).fold(0, |bits, i| bits | u8::from(is_ordinary(value[i], range)) << i)
    }

    /// Row `k` is register `k mod 128`, or ones from 96 on.
    fn fill_rows(&mut self, uniforms: &Uniforms, precision: Precision, limit: f32) -> bool {
        let mut in_range = true;
        for register in 0..128 {
            let value = if register < 96 { uniforms.float(register, precision) } else { [1.0; 4] };
            in_range &= value.iter().all(|&component| is_ordinary(component, (precision, limit)));
            let scaled = value.map(|component| component * SCALE);
            // Row 0 of the program is row 128 here.
            for row in (register..ROWS).step_by(ROWS_BEFORE) {
                self.rows[row] = Splat(value);
                self.scaled_rows[row] = Splat(scaled);
            }
        }
        in_range
    }
}

/// Bits of a binary32 mantissa that 24-bit floats lack.
const BEYOND: u32 = !MANTISSA_MASK;

/// Predicate: zero, or a 24-bit normal of at most the limit. With [`Precision::Binary32`] any mantissa will do; with 24 bits
/// a host can still give a register more, and code passes what it multiplies by 1.
fn is_ordinary(value: f32, (precision, limit): (Precision, f32)) -> bool {
    let magnitude = value.to_bits() & 0x7fff_ffff;
    let is_in_range = magnitude == 0 || (SMALLEST_NORMAL..=limit.to_bits()).contains(&magnitude);
    is_in_range && (precision == Precision::Binary32 || magnitude & BEYOND == 0)
}

/// True if each component is zero or a 24-bit float, normal and of at most `limit`.
pub(crate) fn are_ordinary(values: &[Vec4], limit: f32) -> bool {
    let range = limit.to_bits() - SMALLEST_NORMAL;
    let odd = values.as_flattened().iter().fold(0, |odd, value| {
        let bits = value.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        let outside = magnitude != 0 && magnitude.wrapping_sub(SMALLEST_NORMAL) > range;
        odd | u32::from(outside) | bits & BEYOND
    });
    odd == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(slots: &[u16]) -> RegisterUses {
        RegisterUses::new(&TableUses { splats: slots.iter().copied().collect(), rows: false })
    }

    /// Routines in turn see the uniforms as they are, and judge only the components that they read.
    #[test]
    fn each_routine_sees_its_uniforms() {
        let mut tables = Tables::new();
        let mut uniforms = Uniforms::default();
        uniforms.set_float(3, [1.0, 2.0, f32::INFINITY, 4.0]);
        uniforms.set_float(9, [0.0, 0.5, 0.0, 0.0]);
        let (first, second) = (uses(&[12, 13, 37]), uses(&[12, 14]));
        let fill = |tables: &mut Tables, uniforms: &Uniforms, uses| {
            tables.fill(uniforms, Precision::Console, uses, 8192.0)
        };
        assert!(fill(&mut tables, &uniforms, &first));
        assert_eq!((tables.splats[13].0, tables.splats[37].0), ([2.0; 4], [0.5; 4]));
        assert!(!fill(&mut tables, &uniforms, &second));
        let other = uniforms.clone();
        uniforms.set_float(3, [5.0; 4]);
        assert!(fill(&mut tables, &uniforms, &second));
        assert_eq!((tables.splats[12].0, tables.scaled_splats[12].0), ([5.0; 4], [5.0 * SCALE; 4]));
        assert!(fill(&mut tables, &other, &first), "uniforms in turn");
        assert_eq!(tables.splats[12].0, [1.0; 4]);
    }

    /// The same uniforms are judged by the limit of each call.
    #[test]
    fn each_call_has_its_limit() {
        let mut tables = Tables::new();
        let mut uniforms = Uniforms::default();
        uniforms.set_float(3, [9000.0; 4]);
        let mut fill = |limit| tables.fill(&uniforms, Precision::Console, &uses(&[12]), limit);
        assert_eq!([8192.0, 65536.0, 8192.0].map(&mut fill), [false, true, false]);
    }

    /// A register that a host gave bits beyond the 24 is ordinary only where there are 32.
    #[test]
    fn mantissas_beyond_the_precision() {
        let mut tables = Tables::new();
        let mut uniforms = Uniforms::default();
        uniforms.set_float(3, [f32::from_bits(0x3f80_007f); 4]);
        let mut fill = |precision, uses: &RegisterUses| tables.fill(&uniforms, precision, uses, 8192.0);
        let rows = RegisterUses::new(&TableUses { splats: Default::default(), rows: true });
        for uses in [uses(&[12]), rows] {
            assert!(!fill(Precision::Console, &uses));
            assert!(fill(Precision::Binary32, &uses));
        }
    }

    #[test]
    fn ordinary_rows() {
        let smallest = f32::from_bits(SMALLEST_NORMAL);
        let row = |value| [[1.0, -0.5, 0.0, -0.0], [8.0, value, smallest, -8.0]];
        for value in [0.0, -0.0, smallest, -smallest, 3.0, 8.0, -8.0, f32::from_bits(0x3f80_0080)] {
            assert!(are_ordinary(&row(value), 8.0), "{value}");
        }
        let below = f32::from_bits(SMALLEST_NORMAL - 0x80);
        let odd =
            [below, -below, 8.000_001, 9.0, -16.0, f32::INFINITY, f32::NAN, f32::from_bits(0x3f80_0001)];
        for value in odd {
            assert!(!are_ordinary(&row(value), 8.0), "{value}");
        }
    }

    #[test]
    fn fixed_attributes() {
        let mut tables = Tables::new();
        let inputs = VertexInputs {
            attributes: vec![AttributeSource::Fixed([1.0, 9000.0, 0.0, 1.0])],
            permutation: 5,
        };
        let slot = (96 + 5) * 4;
        let fill = |tables: &mut Tables, slots: &[u16]| {
            tables.fill_fixed(&inputs, Precision::Console, &uses(slots), 8192.0)
        };
        assert!(fill(&mut tables, &[slot, slot + 3, 0]));
        assert!(!fill(&mut tables, &[slot + 1]));
        assert_eq!(tables.splats[usize::from(slot) + 1].0, [9000.0; 4]);
        assert!(fill(&mut tables, &[(96 + 6) * 4]), "an absent attribute is zero");
        assert_eq!(tables.splats[(96 + 6) * 4].0, [0.0; 4]);
    }
}
