//! Witnesses: random cases whose result changes with a field.

use super::fields::{Id, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A change of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// The bits of a field are inverted in every write to a register.
    Flip(Id, Span),
    /// Writes to a register are left out.
    Drop(Id),
}

impl Change {
    pub(super) const fn id(self) -> Id {
        match self {
            Self::Flip(id, _) | Self::Drop(id) => id,
        }
    }
}

/// A random case: kind and number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// A kind of `picaflor fuzz`, or `scene`.
    pub(super) kind: String,
    /// Number of the case.
    pub(super) number: u64,
}

impl Place {
    /// Text of the table.
    pub(super) fn text(&self) -> String {
        if self.kind == "scene" { "scenes".to_owned() } else { format!("`fuzz --kind {}`", self.kind) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.number)
    }
}

/// Witnesses by change.
pub(super) type Witnesses = BTreeMap<Change, Place>;

/// Reads lines of `id field kind number`; the field is `drop` if writes are left out.
pub(super) fn parse(text: &str) -> Witnesses {
    let line = |line: &str| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [id, span, kind, number] = columns[..] else { panic!("four columns: {line}") };
        let id = Id::from_str_radix(id, 16).expect("an id");
        let change = if span == "drop" { Change::Drop(id) } else { Change::Flip(id, Span::parse(span)) };
        (change, Place { kind: kind.to_owned(), number: number.parse().expect("a number") })
    };
    super::lines(text).map(line).collect()
}

/// The file of witnesses.
pub(super) fn write(witnesses: &Witnesses) -> String {
    let mut text = String::from(
        "# Random cases whose memory changes with a field: id, field, campaign, number of the case in its seed.\n\
         # `drop` is a register whose writes are left out. Written by `PICAFLOR_UPDATE=search`; see tests/coverage.\n\n",
    );
    for (change, place) in witnesses {
        text += &match change {
            Change::Flip(id, span) => format!("{id:03x} {span} {place}\n"),
            Change::Drop(id) => format!("{id:03x} drop {place}\n"),
        };
    }
    text
}

/// A case that can be drawn again with changes.
pub(super) trait Case {
    /// True if the case writes the register of a change at all.
    fn reaches(&self, change: Change) -> bool;
    /// Memory after the case.
    fn draw(&mut self, change: Option<Change>) -> u64;
}

/// Checks each witness: memory with the change differs from memory without. Returns those that do not hold.
pub(super) fn broken<C: Case>(witnesses: &Witnesses, case: &dyn Fn(&Place) -> C) -> Vec<Change> {
    let mut by_place: BTreeMap<&Place, Vec<Change>> = BTreeMap::new();
    witnesses.iter().for_each(|(&change, place)| by_place.entry(place).or_default().push(change));
    let mut broken = Vec::new();
    for (place, changes) in by_place {
        let mut case = case(place);
        let plain = case.draw(None);
        broken.extend(changes.into_iter().filter(|&change| case.draw(Some(change)) == plain));
    }
    broken
}

/// Finds witnesses of the wanted changes among places; every wanted change is tried at most `tries` times.
pub(super) fn search<C: Case>(
    wanted: &BTreeSet<Change>,
    places: impl Iterator<Item = Place>,
    case: &dyn Fn(&Place) -> C,
    tries: u32,
) -> Witnesses {
    let mut left: BTreeMap<Change, u32> = wanted.iter().map(|&change| (change, tries)).collect();
    let mut found = Witnesses::new();
    for place in places {
        let mut case = case(&place);
        let reached: Vec<Change> = left.keys().copied().filter(|&change| case.reaches(change)).collect();
        if reached.is_empty() {
            continue;
        }
        let plain = case.draw(None);
        for change in reached {
            if case.draw(Some(change)) != plain {
                found.insert(change, place.clone());
                left.remove(&change);
            } else if let Some(tries) = left.get_mut(&change) {
                *tries -= 1;
                if *tries == 0 {
                    left.remove(&change);
                }
            }
        }
    }
    found
}
