//! Uniforms and fixed attributes as compiled code reads them: every scalar repeated for four lanes, rows for
//! relative addressing, and both once more scaled.

use crate::emit::pica::layout::{ROWS, ROWS_BEFORE, SPLATS};
use crate::emit::pica::number::TableUses;
use picaflor_pipeline::pica::float::{Precision, SMALLEST_NORMAL};
use picaflor_pipeline::pica::shader::unit::{Uniforms, Vec4};

/// 2^-64.
const SCALE: f32 = f32::from_bits((127 - 64) << 23);

/// Four lanes with the alignment of vector loads.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Splat(pub(crate) [f32; 4]);

/// Identity of the contents: generation of the uniforms, precision, and routine whose uses were filled in.
type Tag = (u64, Precision, u64);

/// The tables.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) splats: Box<[Splat]>,
    pub(crate) scaled_splats: Box<[Splat]>,
    pub(crate) rows: Box<[Splat]>,
    pub(crate) scaled_rows: Box<[Splat]>,
    tag: Option<Tag>,
    in_range: bool,
}

impl Tables {
    pub(crate) fn new() -> Self {
        let table = |len| vec![Splat([0.0; 4]); len].into();
        Self {
            splats: table(SPLATS),
            scaled_splats: table(SPLATS),
            rows: table(ROWS),
            scaled_rows: table(ROWS),
            tag: None,
            in_range: false,
        }
    }

    /// Fills in the entries that a routine reads. Returns true if each is zero or a 24-bit normal of at most `limit`.
    pub(crate) fn fill(
        &mut self,
        uniforms: &Uniforms,
        precision: Precision,
        fixed: &[Option<Vec4>; 16],
        (routine, uses): (u64, &TableUses),
        limit: f32,
    ) -> bool {
        let tag = (uniforms.generation(), precision, routine);
        if self.tag != Some(tag) {
            self.tag = Some(tag);
            self.in_range = self.fill_uniforms(uniforms, precision, uses, limit);
        }
        let mut in_range = self.in_range;
        for slot in uses.splats.range(96 * 4..).map(|&slot| usize::from(slot)) {
            let value = fixed[slot / 4 - 96].map_or(0.0, |value| value[slot % 4]);
            in_range &= self.put(slot, value, limit);
        }
        in_range
    }

    fn fill_uniforms(
        &mut self,
        uniforms: &Uniforms,
        precision: Precision,
        uses: &TableUses,
        limit: f32,
    ) -> bool {
        let mut in_range = true;
        let mut register = usize::MAX;
        let mut value = [0.0; 4];
        for slot in uses.splats.range(..96 * 4).map(|&slot| usize::from(slot)) {
            if slot / 4 != register {
                register = slot / 4;
                value = uniforms.float(register, precision);
            }
            in_range &= self.put(slot, value[slot % 4], limit);
        }
        if uses.rows {
            in_range &= self.fill_rows(uniforms, precision, limit);
        }
        in_range
    }

    fn put(&mut self, slot: usize, value: f32, limit: f32) -> bool {
        self.splats[slot] = Splat([value; 4]);
        self.scaled_splats[slot] = Splat([value * SCALE; 4]);
        is_ordinary(value, limit)
    }

    /// Row `k` is register `k mod 128`, or ones from 96 on.
    fn fill_rows(&mut self, uniforms: &Uniforms, precision: Precision, limit: f32) -> bool {
        let mut in_range = true;
        for register in 0..128 {
            let value = if register < 96 { uniforms.float(register, precision) } else { [1.0; 4] };
            in_range &= value.iter().all(|&component| is_ordinary(component, limit));
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

/// Predicate: zero, or a 24-bit normal of at most `limit`.
fn is_ordinary(value: f32, limit: f32) -> bool {
    let magnitude = value.to_bits() & 0x7fff_ffff;
    magnitude == 0 || (SMALLEST_NORMAL..=limit.to_bits()).contains(&magnitude)
}
