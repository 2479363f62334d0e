//! Findings of a comparison of two machines, point by point.

use super::{Fingerprint, Moment, Options, Place, Point, Step};
use crate::image::Panels;
use crate::machine::{Counters as _, Machine};
use std::collections::HashSet;

/// Differences that are described; more are counted.
const DESCRIBED: usize = 8;

/// Places of differences, with the names of their surfaces.
pub(super) type Places = HashSet<(Place, String)>;

/// Where a difference comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// Work since the point before made it, from equal inputs.
    #[default]
    New,
    /// An earlier difference was carried on: from equal inputs there would be none at this place.
    Carried,
    /// A replay in one go made it, as a host plays; one that stops at draws or lists has none.
    InOneGo,
}

impl Origin {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Carried => "carried",
            Self::InOneGo => "in one go",
        }
    }
}

/// A difference between two machines.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Its place.
    pub place: Place,
    /// Name of the surface that differs.
    pub surface: String,
    /// Number of bytes that differ.
    pub bytes: u64,
    /// The first difference: where in the surface, and both values.
    pub what: String,
    /// Expected, difference and actual, for surfaces that are pictures.
    pub picture: Option<Panels>,
    /// Its origin.
    pub origin: Origin,
}

impl Difference {
    /// The name of the surface, and the origin unless the difference is new.
    #[must_use]
    pub fn label(&self) -> String {
        match self.origin {
            Origin::New => self.surface.clone(),
            origin => format!("{} ({})", self.surface, origin.name()),
        }
    }
}

/// The findings of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Findings<M: Machine> {
    /// Number of points at which both machines were compared.
    pub points: u64,
    /// Number of these points that are ends of lists.
    pub lists: u64,
    /// Number of compared surfaces.
    pub surfaces: u64,
    /// Number of compared bytes.
    pub bytes: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// Number of further differences, not listed.
    pub more: u64,
    /// Number of carried differences, listed or not.
    pub carried: u64,
    /// Hash of the reference's output.
    pub fingerprint: Fingerprint,
    /// Hash of the output at each point that has some, if requested.
    pub made: Vec<(Place, Fingerprint)>,
    /// True if the machines' events diverged, so that the rest could not be compared.
    pub parted: bool,
    /// The points, one by one, if they were requested.
    pub steps: Vec<Step<Place>>,
    /// The state of the reference at the first difference.
    pub state: Option<Box<M::State>>,
    pub(super) with_steps: bool,
    pub(super) with_hashes: bool,
    /// True if the machines keep their memories after a difference.
    carries: bool,
    /// True if the candidate plays in one go.
    in_one_go: bool,
    /// The places of new differences, if they are known already.
    new: Option<Places>,
    /// The places of all differences.
    pub(super) places: Places,
}

impl<M: Machine> Findings<M> {
    pub(super) fn new(options: Options<'_>, new: Option<Places>) -> Self {
        let Options { steps, hashes, carry, .. } = options;
        Self { with_steps: steps, with_hashes: hashes, carries: carry, new, ..Self::default() }
    }

    pub(super) fn in_one_go() -> Self {
        Self { in_one_go: true, ..Self::default() }
    }

    /// True if there is no difference.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.differences.is_empty() && self.more == 0 && !self.parted
    }

    /// Compares two points. True if the candidate has to continue from the reference's point.
    pub(crate) fn compare(&mut self, expected: Option<&Point<M>>, actual: &Point<M>) -> bool {
        if self.parted {
            return false;
        }
        match expected {
            Some(expected) if expected.place == actual.place => {
                let differs = self.compare_alike(expected, actual);
                differs && !self.carries
            }
            other => {
                self.part(other.map(|point| point.place), actual.place);
                false
            }
        }
    }

    /// True if the points differ.
    fn compare_alike(&mut self, expected: &Point<M>, actual: &Point<M>) -> bool {
        self.points += 1;
        self.lists += u64::from(expected.place.moment == Moment::List);
        self.surfaces += actual.surfaces.len() as u64;
        self.bytes += actual.surfaces.iter().map(|surface| surface.bytes.len() as u64).sum::<u64>();
        self.fingerprint.add(expected);
        if self.with_hashes {
            let made = Fingerprint::of(expected);
            self.made.extend((made != Fingerprint::default()).then_some((expected.place, made)));
        }
        let mut found = M::differences(expected, actual);
        found.iter_mut().for_each(|found| self.judge(found));
        if !found.is_empty() && self.state.is_none() {
            self.state = Some(Box::new(expected.state.clone()));
        }
        if self.with_steps {
            self.step(expected, &found);
        }
        let differs = !found.is_empty();
        found.into_iter().for_each(|found| self.add(found));
        differs
    }

    /// Finds the origin of a difference.
    fn judge(&mut self, found: &mut Difference) {
        if self.in_one_go {
            found.origin = Origin::InOneGo;
        }
        let place = (found.place, found.surface.clone());
        if self.new.as_ref().is_some_and(|new| !new.contains(&place)) {
            found.origin = Origin::Carried;
            self.carried += 1;
        }
        self.places.insert(place);
    }

    fn step(&mut self, point: &Point<M>, found: &[Difference]) {
        let [_, counters @ ..] = point.stats.counts();
        let key = || M::key(&point.state, point.place.moment);
        let found = found.iter().map(|difference| (difference.label(), difference.bytes));
        Step::add(&mut self.steps, point.place, counters, key, found);
    }

    fn part(&mut self, expected: Option<Place>, actual: Place) {
        self.parted = true;
        let expected = expected.map_or("nothing more".into(), |place| place.to_string());
        let what = format!("the machines part: {actual} instead of {expected}");
        let surface = "course".into();
        self.add(Difference { place: actual, surface, bytes: 0, what, picture: None, origin: Origin::New });
    }

    fn add(&mut self, difference: Difference) {
        if self.differences.len() < DESCRIBED {
            self.differences.push(difference);
        } else {
            self.more += 1;
        }
    }
}
