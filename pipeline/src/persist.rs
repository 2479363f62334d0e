//! Saving and restoring state as a stream of words.
//!
//! A structure with state has one function for both directions, `persist(&mut self, words: &mut Words)`,
//! which names its fields in a fixed order. So saving and restoring cannot disagree about the layout.

use std::alloc::{Layout, handle_alloc_error};

/// A stream of words that state is written to or read from.
#[derive(Debug)]
pub struct Words {
    words: Vec<u32>,
    at: usize,
    loading: bool,
    short: bool,
}

impl Words {
    /// Collects state.
    #[must_use]
    pub const fn save() -> Self {
        Self { words: Vec::new(), at: 0, loading: false, short: false }
    }

    /// Gives back state that was collected.
    #[must_use]
    pub const fn load(words: Vec<u32>) -> Self {
        Self { words, at: 0, loading: true, short: false }
    }

    /// Whether state is being restored.
    #[must_use]
    pub const fn is_loading(&self) -> bool {
        self.loading
    }

    /// What was collected. Where there was no memory for it the process ends, as where a vector grows; see
    /// [`try_into_words`](Self::try_into_words).
    #[must_use]
    pub fn into_words(self) -> Vec<u32> {
        let missing = |words| Layout::array::<u32>(words).unwrap_or(Layout::new::<u32>());
        self.try_into_words().unwrap_or_else(|words| handle_alloc_error(missing(words)))
    }

    /// What was collected.
    ///
    /// # Errors
    /// The number of words that there was no memory for.
    pub fn try_into_words(self) -> Result<Vec<u32>, usize> {
        if self.loading || !self.short { Ok(self.words) } else { Err(self.words.len() + 1) }
    }

    /// As if there were no memory for further words.
    #[cfg(test)]
    pub(crate) const fn exhaust(&mut self) {
        self.short = true;
    }

    /// When saving: whether there was memory for all words. When restoring: whether exactly all words were used; a stream
    /// that was too short gave zeros.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        !self.short && (!self.loading || self.at == self.words.len())
    }

    /// A word.
    pub fn word(&mut self, value: &mut u32) {
        if !self.loading {
            // A stream with a gap is of no use: after the first word without memory none is taken.
            self.short |= self.words.len() == self.words.capacity() && self.words.try_reserve(1).is_err();
            if !self.short {
                self.words.push(*value);
            }
            return;
        }
        self.short |= self.at >= self.words.len();
        *value = self.words.get(self.at).copied().unwrap_or(0);
        self.at += 1;
    }

    /// Words, as many as there are places.
    pub fn words<'a>(&mut self, values: impl IntoIterator<Item = &'a mut u32>) {
        values.into_iter().for_each(|value| self.word(value));
    }

    /// A long word, low half first.
    pub fn long(&mut self, value: &mut u64) {
        let (mut low, mut high) = (*value as u32, (*value >> 32) as u32);
        self.word(&mut low);
        self.word(&mut high);
        *value = u64::from(high) << 32 | u64::from(low);
    }

    /// A float, bit for bit.
    pub fn float(&mut self, value: &mut f32) {
        let mut bits = value.to_bits();
        self.word(&mut bits);
        *value = f32::from_bits(bits);
    }

    /// Doubles that were computed, as many as there are places. Hosts make different NaNs, of which nobody sees more than
    /// that they are: all are saved as one.
    pub fn doubles<'a>(&mut self, values: impl IntoIterator<Item = &'a mut f64>) {
        for value in values {
            let mut bits = if value.is_nan() { f64::NAN } else { *value }.to_bits();
            self.long(&mut bits);
            *value = f64::from_bits(bits);
        }
    }

    /// Floats, as many as there are places.
    pub fn floats<'a>(&mut self, values: impl IntoIterator<Item = &'a mut f32>) {
        values.into_iter().for_each(|value| self.float(value));
    }

    /// A truth value.
    pub fn flag(&mut self, value: &mut bool) {
        let mut word = u32::from(*value);
        self.word(&mut word);
        *value = word != 0;
    }

    /// A byte.
    pub fn byte(&mut self, value: &mut u8) {
        let mut word = u32::from(*value);
        self.word(&mut word);
        *value = word as u8;
    }

    /// A half word.
    pub fn half(&mut self, value: &mut u16) {
        let mut word = u32::from(*value);
        self.word(&mut word);
        *value = word as u16;
    }

    /// A number of things, limited to `most` when restoring.
    pub fn count(&mut self, value: &mut usize, most: usize) {
        let mut word = (*value).min(most) as u32;
        self.word(&mut word);
        *value = (word as usize).min(most);
    }

    /// A list of at most `most` items, each handled by `item`.
    pub fn list<T: Default>(&mut self, values: &mut Vec<T>, most: usize, item: impl Fn(&mut T, &mut Self)) {
        let mut count = values.len();
        self.count(&mut count, most);
        if self.loading {
            // Bounded by what the stream still holds, whatever the count says.
            count = count.min(self.words.len().saturating_sub(self.at));
        }
        values.resize_with(count, T::default);
        values.iter_mut().for_each(|value| item(value, self));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, Debug, PartialEq, Clone)]
    struct State {
        a: u32,
        b: f32,
        c: Vec<u8>,
        d: bool,
    }

    fn persist(state: &mut State, words: &mut Words) {
        words.word(&mut state.a);
        words.float(&mut state.b);
        words.list(&mut state.c, 10, |byte, words| words.byte(byte));
        words.flag(&mut state.d);
    }

    #[test]
    fn words_without_memory() {
        let mut state = State { a: 7, b: 1.5, c: vec![1, 2, 3], d: true };
        let mut words = Words::save();
        words.word(&mut 9);
        words.exhaust();
        persist(&mut state, &mut words);
        assert!(!words.is_complete());
        assert_eq!(words.try_into_words(), Err(2), "no word follows the gap");
    }

    #[test]
    fn there_and_back() {
        let mut state = State { a: 7, b: -0.0, c: vec![1, 2, 3], d: true };
        let mut words = Words::save();
        persist(&mut state, &mut words);
        let saved = words.into_words();
        let mut back = State::default();
        let mut words = Words::load(saved.clone());
        persist(&mut back, &mut words);
        assert!(words.is_complete());
        assert_eq!((back.b.to_bits(), &back), (state.b.to_bits(), &state));
        let mut words = Words::load(saved[..4].to_vec());
        persist(&mut back, &mut words);
        assert!(!words.is_complete());
    }
}
