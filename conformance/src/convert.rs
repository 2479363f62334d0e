//! Captures in formats of others: the file, and what it has no place for.

use std::collections::BTreeMap;

/// A converted capture.
#[derive(Debug, Clone)]
pub(crate) struct Converted {
    /// The file.
    pub(crate) bytes: Vec<u8>,
    /// What it lacks.
    pub(crate) losses: Losses,
}

/// What a file has no place for, in words, with the number of times where it can be counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Losses(BTreeMap<String, u64>);

impl Losses {
    /// A loss of the format as such.
    pub(crate) fn always(&mut self, what: impl Into<String>) {
        self.0.entry(what.into()).or_insert(0);
    }

    /// Counts one more, if it is one.
    pub(crate) fn count_if(&mut self, what: &str, is_lost: bool) {
        self.count(what, u64::from(is_lost));
    }

    /// Counts so many more.
    pub(crate) fn count(&mut self, what: &str, more: u64) {
        if more > 0 {
            *self.0.entry(what.to_owned()).or_insert(0) += more;
        }
    }

    /// Each loss, and how often.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Option<u64>)> {
        self.0.iter().map(|(what, &count)| (what.as_str(), (count > 0).then_some(count)))
    }

    /// One line for each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |(what, count): (&str, Option<u64>)| match count {
            Some(count) => format!("{what}: {count}"),
            None => what.to_owned(),
        };
        self.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_counted() {
        let mut losses = Losses::default();
        losses.always("names");
        losses.count("fields", 0);
        losses.count("fields", 2);
        losses.count_if("fields", true);
        assert_eq!(losses.lines(), ["fields: 3", "names"]);
    }
}
