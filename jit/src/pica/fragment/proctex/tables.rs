//! Tables of the procedural texture as compiled code reads them.
//!
//! A table is expanded when a draw first needs it and kept until its words change.

use picaflor_pipeline::pica::lut::Luts;
use std::array::from_fn;
use std::sync::{Arc, LazyLock};

/// Value and difference to the next entry.
pub(crate) type ProctexMap = [[f32; 2]; 128];

/// Colours as pixels: alpha, blue, green, red.
pub(crate) type Colours = [u32; 256];

/// Colours and their differences to the next one, channel by channel in the order of pixels.
pub(crate) type ColourSteps = [[[f32; 4]; 2]; 256];

/// Source of a table, and the table.
pub(crate) type Known<S, T> = Option<(Box<S>, Arc<T>)>;

/// Expanded tables.
#[derive(Debug, Default)]
pub(crate) struct ProctexTables {
    noise: Known<[u32; 128], ProctexMap>,
    colour_map: Known<[u32; 128], ProctexMap>,
    alpha_map: Known<[u32; 128], ProctexMap>,
    colours: Known<[u32; 256], Colours>,
    steps: Known<[[u32; 256]; 2], ColourSteps>,
}

impl ProctexTables {
    pub(crate) fn noise(&mut self, luts: &Luts) -> Arc<ProctexMap> {
        expanded(&mut self.noise, &luts.noise, |words| words.map(expand))
    }

    pub(crate) fn colour_map(&mut self, luts: &Luts) -> Arc<ProctexMap> {
        expanded(&mut self.colour_map, &luts.colour_map, |words| words.map(expand))
    }

    pub(crate) fn alpha_map(&mut self, luts: &Luts) -> Arc<ProctexMap> {
        expanded(&mut self.alpha_map, &luts.alpha_map, |words| words.map(expand))
    }

    pub(crate) fn colours(&mut self, luts: &Luts) -> Arc<Colours> {
        expanded(&mut self.colours, &luts.colours, |words| words.map(u32::swap_bytes))
    }

    pub(crate) fn steps(&mut self, luts: &Luts) -> Arc<ColourSteps> {
        expanded(&mut self.steps, &[*luts.colours, *luts.colour_differences], |[colours, halves]| {
            from_fn(|k| {
                let [r, g, b, a] = colours[k].to_le_bytes().map(f32::from);
                let half = |byte: u8| 2.0 * f32::from(byte as i8);
                let [dr, dg, db, da] = halves[k].to_le_bytes().map(half);
                [[a, b, g, r], [da, db, dg, dr]]
            })
        })
    }
}

/// The table of these words: the one that is known, or a new one.
pub(crate) fn expanded<S: PartialEq + Copy, T>(
    known: &mut Known<S, T>,
    words: &S,
    make: impl FnOnce(&S) -> T,
) -> Arc<T> {
    match known {
        Some((same, table)) if **same == *words => Arc::clone(table),
        _ => {
            let table = Arc::new(make(words));
            *known = Some((Box::new(*words), Arc::clone(&table)));
            table
        }
    }
}

/// An entry of a map: pica-fragment.md 3.2.
fn expand(word: u32) -> [f32; 2] {
    let difference = (word << 8) as i32 >> 20;
    [(word & 0xfff) as f32, difference as f32].map(|units| units / 4095.0)
}

/// Gradients of noise. An offset of a column and one of a row, both in bytes, lead to the gradient of their
/// lattice point. Both repeat after 144; there is one more, so that the next one is always the next entry.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lattice {
    pub(crate) columns: [u32; 257],
    pub(crate) rows: [u32; 257],
    pub(crate) gradients: [f32; 256],
}

/// The same for all draws: pica-fragment.md 3.4.
pub(crate) static LATTICE: LazyLock<Lattice> = LazyLock::new(|| Lattice {
    columns: from_fn(|k| 64 * hash_of_axis(k as u32 % 144)),
    rows: from_fn(|k| 4 * hash_of_axis(k as u32 % 144)),
    gradients: from_fn(|k| -1.0 + (2 * hash(k as u32 >> 4, k as u32 & 15)) as f32 / 15.0),
});

/// The hash of a lattice point from those of its column and its row, 0 to 15.
fn hash(p: u32, q: u32) -> u32 {
    const TABLE: [u32; 16] = [10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14];
    let q = if p & 3 == 1 { q + 4 } else { q };
    let q = if p & 1 == 1 { q ^ 6 } else { q };
    ((q + 10 + p) & 15) ^ TABLE[p as usize]
}

/// The hash of a column or row below 144, 0 to 15.
fn hash_of_axis(k: u32) -> u32 {
    const TABLE: [u32; 16] = [0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11];
    (((k % 9 + 2) * 3) & 15) ^ TABLE[(k / 9) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_follow_their_words() {
        let (mut tables, mut luts) = (ProctexTables::default(), Luts::default());
        luts.noise[3] = 0x00ff_f064;
        let first = tables.noise(&luts);
        assert_eq!(first[3], [100.0 / 4095.0, -1.0 / 4095.0]);
        assert!(Arc::ptr_eq(&first, &tables.noise(&luts)));
        luts.noise[3] = 0;
        assert_eq!(tables.noise(&luts)[3], [0.0; 2]);
        luts.colours[9] = 0x0403_0201;
        luts.colour_differences[9] = 0x80ff_7f01;
        assert_eq!(tables.colours(&luts)[9], 0x0102_0304);
        assert_eq!(tables.steps(&luts)[9], [[4.0, 3.0, 2.0, 1.0], [-256.0, -2.0, 254.0, 2.0]]);
    }

    /// Expected: the hash's test vectors, pica-fragment.md 10.4.
    #[test]
    fn gradients_of_the_lattice() {
        let at = |x: usize, y: usize| {
            let bytes = LATTICE.columns[x] + LATTICE.rows[y];
            LATTICE.gradients[bytes as usize / 4]
        };
        let expected = [[2, 2, 1, 7, 13, 12], [13, 3, 2, 6, 10, 13], [8, 4, 15, 13, 7, 2]];
        for (y, row) in expected.into_iter().enumerate() {
            for (x, hash) in row.into_iter().enumerate() {
                assert_eq!(at(x, y), -1.0 + (2 * hash) as f32 / 15.0, "{x}, {y}");
            }
        }
        assert_eq!([at(144, 0), at(0, 144)], [at(0, 0); 2]);
    }

    /// What makes every address of the gradients one of theirs.
    #[test]
    fn offsets_stay_inside() {
        let most = |offsets: &[u32; 257]| offsets.iter().copied().max().unwrap();
        assert!(LATTICE.columns.iter().chain(&LATTICE.rows).all(|offset| offset % 4 == 0));
        assert!(most(&LATTICE.columns) + most(&LATTICE.rows) < 4 * 256);
    }
}
