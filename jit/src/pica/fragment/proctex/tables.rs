//! Tables of the procedural texture as compiled code reads them.
//!
//! A table is expanded when a draw first needs it and kept until its words change.

use picaflor_pipeline::pica::lut::Luts;
use std::array::from_fn;
use std::sync::Arc;

/// Value and difference to the next entry. The entry behind the last one is the end of that; one more is never looked
/// at, but loaded.
pub(crate) type ProctexMap = [[f32; 2]; 130];

/// Colours as pixels: alpha, blue, green, red.
pub(crate) type Colours = [u32; 256];

/// Colours plus 0.5, and their differences to the next one, channel by channel in the order of pixels.
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
        expanded(&mut self.noise, &luts.noise, expand_map)
    }

    pub(crate) fn colour_map(&mut self, luts: &Luts) -> Arc<ProctexMap> {
        expanded(&mut self.colour_map, &luts.colour_map, expand_map)
    }

    pub(crate) fn alpha_map(&mut self, luts: &Luts) -> Arc<ProctexMap> {
        expanded(&mut self.alpha_map, &luts.alpha_map, expand_map)
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
                [[a, b, g, r].map(|channel| channel + 0.5), [da, db, dg, dr]]
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

fn expand_map(words: &[u32; 128]) -> ProctexMap {
    let mut map = [[0.0; 2]; 130];
    for (entry, &word) in map.iter_mut().zip(words) {
        *entry = expand(word);
    }
    map[128] = [map[127][0] + map[127][1], 0.0];
    map
}

/// An entry of a map: pica-fragment.md 3.2.
fn expand(word: u32) -> [f32; 2] {
    let difference = (word << 8) as i32 >> 20;
    [(word & 0xfff) as f32, difference as f32].map(|units| units / 4095.0)
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
        assert_eq!(tables.steps(&luts)[9], [[4.5, 3.5, 2.5, 1.5], [-256.0, -2.0, 254.0, 2.0]]);
    }

    /// At 1, the end of the last entry is the start of another one.
    #[test]
    fn maps_end_with_the_end_of_the_last_entry() {
        let mut luts = Luts::default();
        luts.noise[127] = 0x0010_0fff;
        let table = ProctexTables::default().noise(&luts);
        assert_eq!(table[127], [1.0, 256.0 / 4095.0]);
        assert_eq!(table[128], [1.0 + 256.0 / 4095.0, 0.0]);
    }

    /// Half is in the tables' colours, so that no pixel adds it.
    #[test]
    fn sums_with_half_round_like_sums() {
        let mut seed = 1_u64;
        for colour in 0..256 {
            for difference in (-256..256).step_by(2) {
                for _ in 0..8 {
                    let f = (picaflor_pipeline::random::word(&mut seed) >> 8) as f32 / (1 << 24) as f32;
                    let (colour, part) = (colour as f32, f * difference as f32);
                    let [usual, now] = [(colour + part) + 0.5, (colour + 0.5) + part];
                    assert_eq!(usual as u8, now as u8, "{colour} {difference} {f}");
                }
            }
        }
    }
}
