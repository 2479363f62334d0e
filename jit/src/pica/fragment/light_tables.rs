//! Lighting tables as compiled code reads them: value and difference of each entry as numbers.
//!
//! A table is expanded when a draw first needs it and kept until its words change.

use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::lighting::LightingLutData;
use std::sync::Arc;

/// Value and difference to the next entry; one entry more is never looked at, but loaded.
pub(crate) type LightTable = [[f32; 2]; 257];

/// A table's words with their expansion.
#[derive(Debug)]
struct Known {
    words: Box<[u32; 256]>,
    table: Arc<LightTable>,
}

/// Expanded tables by id.
#[derive(Debug)]
pub(crate) struct LightTables {
    known: [Option<Known>; 24],
}

impl Default for LightTables {
    fn default() -> Self {
        Self { known: std::array::from_fn(|_| None) }
    }
}

impl LightTables {
    /// The table with this id, below 24.
    pub(crate) fn get(&mut self, luts: &Luts, id: usize) -> Arc<LightTable> {
        let words = &luts.lighting[id];
        match &self.known[id] {
            Some(known) if *known.words == *words => Arc::clone(&known.table),
            _ => {
                let mut table = [[0.0; 2]; 257];
                table.iter_mut().zip(words.iter()).for_each(|(entry, &word)| *entry = expand(word));
                let table = Arc::new(table);
                self.known[id] = Some(Known { words: Box::new(*words), table: Arc::clone(&table) });
                table
            }
        }
    }
}

/// An entry: pica-fragment.md 4.2.
fn expand(word: u32) -> [f32; 2] {
    let entry = LightingLutData(word);
    let magnitude = f32::from(entry.difference()) / 2047.0;
    let difference = if entry.negative() { -magnitude } else { magnitude };
    [f32::from(entry.value()) / 4095.0, difference]
}
