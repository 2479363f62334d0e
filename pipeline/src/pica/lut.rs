//! Table memories: lighting, fog, procedural texture, gas. Entries are stored raw, as uploaded.
//!
//! Source: pica-fragment.md 3.2, 4.2, 6.1, 6.2; 3dbrew, GPU/Internal Registers.

use crate::persist::Words;
use std::sync::{Arc, OnceLock};

/// All tables of the fragment units.
#[derive(Clone, PartialEq, Eq)]
pub struct Luts {
    /// Lighting tables by the id in `LIGHTING_LUT_INDEX` bits 12:8: 0 D0, 1 D1, 3 FR, 4 RB, 5 RG, 6 RR,
    /// 8-15 SP of light 0-7, 16-23 DA of light 0-7; the others do not exist. Bits 11:0 value, 22:12
    /// magnitude and 23 sign of the difference.
    pub lighting: Box<[[u32; 256]; 24]>,
    /// Fog: bits 12:0 difference, 23:13 value.
    pub fog: Box<[u32; 128]>,
    /// Procedural texture: noise. Bits 11:0 value, 23:12 difference.
    pub noise: Box<[u32; 128]>,
    /// Procedural texture: map of the colour function, as `noise`.
    pub colour_map: Box<[u32; 128]>,
    /// Procedural texture: map of the alpha function, as `noise`.
    pub alpha_map: Box<[u32; 128]>,
    /// Procedural texture: colours, red lowest.
    pub colours: Box<[u32; 256]>,
    /// Procedural texture: half the difference to the next colour, four signed bytes.
    pub colour_differences: Box<[u32; 256]>,
    /// Gas shading: entries 0-7 signed differences, 8-15 colours.
    pub gas: Box<[u32; 16]>,
}

impl Default for Luts {
    fn default() -> Self {
        Self {
            lighting: Box::new([[0; 256]; 24]),
            fog: Box::new([0; 128]),
            noise: Box::new([0; 128]),
            colour_map: Box::new([0; 128]),
            alpha_map: Box::new([0; 128]),
            colours: Box::new([0; 256]),
            colour_differences: Box::new([0; 256]),
            gas: Box::new([0; 16]),
        }
    }
}

impl Luts {
    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.words(self.lighting.as_flattened_mut());
        let tables = [&mut self.fog, &mut self.noise, &mut self.colour_map, &mut self.alpha_map];
        tables.into_iter().for_each(|table| words.words(table.iter_mut()));
        words.words(self.colours.iter_mut());
        words.words(self.colour_differences.iter_mut());
        words.words(self.gas.iter_mut());
    }
}

/// The tables of a machine, with a shared copy for draws that are still pending at the next upload.
#[derive(Debug, Clone, Default)]
pub struct LutMemory {
    luts: Luts,
    shared: OnceLock<Arc<Luts>>,
    /// Number of changes.
    changes: u64,
}

impl LutMemory {
    /// Tables with these contents.
    #[must_use]
    pub(crate) const fn new(luts: Luts) -> Self {
        Self { luts, shared: OnceLock::new(), changes: 0 }
    }

    /// The tables.
    #[must_use]
    pub(crate) const fn get(&self) -> &Luts {
        &self.luts
    }

    /// The tables, mutable.
    pub(crate) fn change(&mut self) -> &mut Luts {
        self.shared.take();
        self.changes += 1;
        &mut self.luts
    }

    /// Number of changes, written words that were there before included.
    pub(crate) const fn changes(&self) -> u64 {
        self.changes
    }

    /// An immutable copy, shared by all callers until the next change.
    #[must_use]
    pub(crate) fn share(&self) -> Arc<Luts> {
        Arc::clone(self.shared.get_or_init(|| Arc::new(self.luts.clone())))
    }
}

impl std::fmt::Debug for Luts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Luts").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_shared_until_the_next_change() {
        let mut memory = LutMemory::default();
        memory.change().fog[3] = 1;
        let [first, second] = [memory.share(), memory.share()];
        assert!(Arc::ptr_eq(&first, &second) && first.fog[3] == 1);
        memory.change().fog[3] = 2;
        assert_eq!((first.fog[3], memory.share().fog[3], memory.get().fog[3]), (1, 2, 2));
    }
}
