//! The state of a machine taken apart into fields: named arrays of words with a documented layout, for hosts that
//! translate the saved states of others or look at single registers.
//!
//! An exported state is a stream of words:
//!
//! | words | content |
//! |---|---|
//! | 1 | kind of the machine: the bytes `PICA`, or `GE` and two spaces |
//! | 1 | version of this layout: [`VERSION`] |
//! | 1 | number of fields |
//! | 2 + n for each | number of the field, n, its n words |
//!
//! A reader takes the fields that it knows by their numbers. Fields that are missing have their values after reset, so
//! that a state of an earlier version loads; a field that is unknown refuses the state.

use crate::persist::Words;

/// Version of the layout of exported states.
pub const VERSION: u32 = 1;

/// Reason why words are not the state of a machine, or not a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The words do not begin as an exported state of this kind of machine.
    #[error("not an exported state of this machine: it begins with {found:#010x}")]
    Kind {
        /// The first word; 0 without one.
        found: u32,
    },
    /// The layout is newer than this version knows.
    #[error("version {found} of the layout; this version knows {VERSION}")]
    Version {
        /// The version.
        found: u32,
    },
    /// A field is unknown.
    #[error("there is no field {field}")]
    UnknownField {
        /// Its number.
        field: u32,
    },
    /// A field has another number of words, or words that it cannot hold.
    #[error("field {field} has {found} words that do not fit its layout")]
    Length {
        /// Its number.
        field: u32,
        /// Words found.
        found: usize,
    },
    /// A part reaches past the end of its field.
    #[error("words {first} to {end} of field {field}, which has {words}")]
    OutOfRange {
        /// Its number.
        field: u32,
        /// First word of the part.
        first: usize,
        /// Word after the last of the part.
        end: usize,
        /// Words of the field.
        words: usize,
    },
    /// The words end in the middle, or go on behind the last field.
    #[error("the state is cut off, or longer than its fields")]
    CutOff,
}

/// State that consists of fields.
pub(crate) trait Layout: Sized {
    /// The names of the fields.
    type Field: Copy + 'static;
    /// First word of an exported state.
    const MAGIC: u32;
    /// All fields in the order in which they are exported and restored.
    const FIELDS: &'static [Self::Field];

    /// Number of a field in the layout.
    fn number(field: Self::Field) -> u32;

    /// True if the field always has the same number of words, so that parts of it can be replaced.
    fn is_fixed(field: Self::Field) -> bool;

    /// The state after reset.
    fn blank() -> Self;

    /// The words of a field that is an array of them.
    fn array(&self, field: Self::Field) -> Option<&[u32]>;

    /// Saves or restores a field.
    fn persist_field(&mut self, field: Self::Field, words: &mut Words);

    /// Replaces words of a field that is an array; false if it has no such way, and is restored as a whole.
    fn set_array(&mut self, field: Self::Field, first: usize, words: &[u32]) -> bool {
        let _ = (field, first, words);
        false
    }
}

/// All words of a field.
pub(crate) fn whole<S: Layout>(state: &mut S, field: S::Field) -> Vec<u32> {
    if let Some(array) = state.array(field) {
        return array.to_vec();
    }
    let mut words = Words::save();
    state.persist_field(field, &mut words);
    words.into_words()
}

/// Number of words of a field.
pub(crate) fn length<S: Layout>(state: &mut S, field: S::Field) -> usize {
    match state.array(field) {
        Some(words) => words.len(),
        None => whole(state, field).len(),
    }
}

/// Reads words of a field from `first` on.
pub(crate) fn read<S: Layout>(
    state: &mut S,
    field: S::Field,
    first: usize,
    out: &mut [u32],
) -> Result<(), StateError> {
    let saved = match state.array(field) {
        Some(_) => Vec::new(),
        None => whole(state, field),
    };
    let words = state.array(field).unwrap_or(&saved);
    let end = first.saturating_add(out.len());
    let past = StateError::OutOfRange { field: S::number(field), first, end, words: words.len() };
    out.copy_from_slice(words.get(first..end).ok_or(past)?);
    Ok(())
}

/// Replaces words of a field from `first` on. A field of variable length is replaced as a whole.
pub(crate) fn write<S: Layout>(
    state: &mut S,
    field: S::Field,
    first: usize,
    new: &[u32],
) -> Result<(), StateError> {
    let number = S::number(field);
    let end = first.saturating_add(new.len());
    if !S::is_fixed(field) {
        if first != 0 {
            return Err(StateError::OutOfRange { field: number, first, end, words: 0 });
        }
        return restore(state, field, new.to_vec());
    }
    let length = length(state, field);
    if end > length {
        return Err(StateError::OutOfRange { field: number, first, end, words: length });
    }
    if state.set_array(field, first, new) {
        return Ok(());
    }
    let mut words = whole(state, field);
    words[first..end].copy_from_slice(new);
    restore(state, field, words)
}

/// Restores a field from all of its words. Words that do not fit leave it as it was.
fn restore<S: Layout>(state: &mut S, field: S::Field, words: Vec<u32>) -> Result<(), StateError> {
    let before = whole(state, field);
    let found = words.len();
    let mut words = Words::load(words);
    state.persist_field(field, &mut words);
    if words.is_complete() {
        return Ok(());
    }
    state.persist_field(field, &mut Words::load(before));
    Err(StateError::Length { field: S::number(field), found })
}

/// Exports a state.
pub(crate) fn export<S: Layout>(state: &mut S) -> Vec<u32> {
    let mut words = vec![S::MAGIC, VERSION, S::FIELDS.len() as u32];
    for &field in S::FIELDS {
        let content = whole(state, field);
        words.extend([S::number(field), content.len() as u32]);
        words.extend(content);
    }
    words
}

/// Appends a field to an exported state.
pub fn append(words: &mut Vec<u32>, number: u32, content: &[u32]) {
    if let Some(count) = words.get_mut(2) {
        *count += 1;
        words.extend([number, content.len() as u32]);
        words.extend(content);
    }
}

/// Removes the first field of this number from an exported state, and returns its words.
pub fn take(words: &mut Vec<u32>, number: u32) -> Option<Vec<u32>> {
    let mut at = 3;
    loop {
        let &[found, length] = words.get(at..)?.first_chunk()?;
        let end = (at + 2).checked_add(length as usize).filter(|&end| end <= words.len())?;
        if found == number {
            let field: Vec<u32> = words.drain(at..end).collect();
            words[2] = words[2].saturating_sub(1);
            return field.get(2..).map(<[u32]>::to_vec);
        }
        at = end;
    }
}

/// A state from exported words.
pub(crate) fn import<S: Layout>(words: &[u32]) -> Result<S, StateError> {
    let (&[kind, version, count], mut rest) =
        words.split_first_chunk().ok_or(StateError::Kind { found: words.first().copied().unwrap_or(0) })?;
    if kind != S::MAGIC {
        return Err(StateError::Kind { found: kind });
    }
    if version == 0 || version > VERSION {
        return Err(StateError::Version { found: version });
    }
    let mut contents = vec![None; S::FIELDS.len()];
    for _ in 0..count {
        let (&[number, length], after) = rest.split_first_chunk().ok_or(StateError::CutOff)?;
        let (content, after) = after.split_at_checked(length as usize).ok_or(StateError::CutOff)?;
        let place = S::FIELDS.iter().position(|&field| S::number(field) == number);
        contents[place.ok_or(StateError::UnknownField { field: number })?] = Some(content);
        rest = after;
    }
    if !rest.is_empty() {
        return Err(StateError::CutOff);
    }
    // In the order of the layout, because registers set what later fields refine.
    let mut state = S::blank();
    for (&field, content) in S::FIELDS.iter().zip(contents) {
        if let Some(content) = content {
            restore(&mut state, field, content.to_vec())?;
        }
    }
    Ok(state)
}
