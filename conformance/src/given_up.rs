//! Lists that were given up.

use std::fmt;

/// A list that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// Its event.
    pub event: usize,
    /// The reason.
    pub why: String,
}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}: {}", self.event, self.why)
    }
}

/// The first lists that were given up, and the number of others: an event of a few bytes is one, and a small file has
/// thousands of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenUpList {
    first: Vec<GivenUp>,
    dropped: u64,
}

impl GivenUpList {
    /// Maximum number of lists kept.
    pub const CAPACITY: usize = 20;

    /// Records a list, or counts it when there are enough.
    pub fn push(&mut self, event: usize, why: String) {
        if self.first.len() < Self::CAPACITY {
            self.first.push(GivenUp { event, why });
        } else {
            self.dropped += 1;
        }
    }

    /// The first ones.
    #[must_use]
    pub const fn as_slice(&self) -> &[GivenUp] {
        self.first.as_slice()
    }

    /// The number of others.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// True if none was given up.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// A line for each of the first, and one for the others.
    pub fn lines(&self, line: impl Fn(&GivenUp) -> String) -> impl Iterator<Item = String> {
        let more = (self.dropped > 0).then(|| format!("{} more lists given up", self.dropped));
        self.first.iter().map(line).chain(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_and_the_others_counted() {
        let mut list = GivenUpList::default();
        assert!(list.is_empty() && list.lines(ToString::to_string).next().is_none());
        (0..17_000).for_each(|event| list.push(event, "endless".into()));
        assert_eq!((list.as_slice().len(), list.dropped()), (GivenUpList::CAPACITY, 16_980));
        let lines: Vec<String> = list.lines(ToString::to_string).collect();
        assert_eq!((lines.len(), lines[19].as_str()), (21, "event 19: endless"));
        assert_eq!(lines[20], "16980 more lists given up");
    }
}
