//! Registers from combiner keys.
//!
//! A key's stages name each other freely; registers know only the stage before and the combiner buffer. So the
//! stages have to be put in places, with stages between that pass values on, and it has to be chosen when the
//! buffer is updated. A search does that; there is a solution for each key of a state, because the state is
//! one. A key that was written by hand may have none: the search remembers where it failed, so that it visits each of the
//! few thousand states once.

use super::trace::{ALPHA, RGB};
use super::{Argument, CombinerKey, Group, Select, Source, Stage};
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::{CombinerOp, CombinerSource, STAGES};
use std::collections::HashSet;

/// First register of each place.
const FIRST: [u16; STAGES] = [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8];

/// Value of a part of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Held {
    /// No live value.
    Nothing,
    /// The value of a stage of the key.
    Stage(u8),
    /// The result, where it is made by no stage.
    Result,
}

/// Source of the value of a part of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Take {
    /// The stage of the key makes it.
    Own,
    Previous,
    Buffer,
    /// The source of the key's result.
    Result,
}

/// One place.
#[derive(Debug, Clone, Copy)]
struct Place {
    stage: Option<usize>,
    takes: [Take; 2],
}

/// Everything before a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    placed: usize,
    previous: [Held; 2],
    buffer: [Held; 2],
}

/// State of the search.
struct Search<'k> {
    key: &'k CombinerKey,
    places: Vec<Place>,
    /// Contents of the previous stage and of the buffer at each place.
    seen: Vec<State>,
    /// Places after which the buffer takes the value of each part.
    updates: [u32; 2],
    /// Places, and states before them, from which there is no solution.
    dead_ends: HashSet<(usize, State)>,
}

impl CombinerKey {
    /// Sets the registers of the stages and of the buffer's updates so that this is their key.
    pub(crate) fn to_registers(self, registers: &mut Registers) {
        let nothing = [Held::Nothing; 2];
        let mut search = Search {
            key: &self,
            places: Vec::new(),
            seen: Vec::new(),
            updates: [0; 2],
            dead_ends: HashSet::new(),
        };
        search.place(State { placed: 0, previous: nothing, buffer: nothing });
        let [rgb, alpha] = search.updates;
        registers.set_raw(0x0e0, registers.raw(0x0e0) | rgb << 8 | alpha << 12);
        for (k, (place, seen)) in search.places.iter().zip(&search.seen).enumerate() {
            let words = search.words(place, seen);
            for (offset, word) in [0, 1, 2, 4].into_iter().zip(words) {
                registers.set_raw(FIRST[k] + offset, word);
            }
        }
    }
}

impl Search<'_> {
    /// Fills this place and the following ones; returns false if that is impossible.
    fn place(&mut self, state: State) -> bool {
        let k = self.places.len();
        if self.dead_ends.contains(&(k, state)) || !self.is_possible(&state) {
            return false;
        }
        if k == STAGES {
            return self.is_done(&state);
        }
        let next = self.key.stages().get(state.placed);
        let fits = next.is_some_and(|stage| self.sees_all(&state, stage));
        let stages =
            if fits { [Some(state.placed), None].into_iter().take(2) } else { [None; 2].into_iter().take(1) };
        for stage in stages {
            for rgb in self.options(stage, RGB) {
                for alpha in self.options(stage, ALPHA) {
                    if self.with_updates(state, Place { stage, takes: [rgb, alpha] }) {
                        return true;
                    }
                }
            }
        }
        self.dead_ends.insert((k, state));
        false
    }

    /// Puts `place` here, and tries which parts of the buffer are updated from the place before.
    fn with_updates(&mut self, state: State, place: Place) -> bool {
        let k = self.places.len();
        let last = if (1..=4).contains(&k) { 4 } else { 1 };
        let held = [RGB, ALPHA].map(|part| self.held(&state, &place, part));
        self.places.push(place);
        self.seen.push(state);
        let before = self.updates;
        for choice in 0..last {
            let update = [choice & 1 != 0, choice & 2 != 0];
            let buffer =
                [RGB, ALPHA].map(|part| if update[part] { state.previous[part] } else { state.buffer[part] });
            for part in [RGB, ALPHA].into_iter().filter(|&part| update[part]) {
                self.updates[part] |= 1 << (k - 1);
            }
            let placed = state.placed + usize::from(place.stage.is_some());
            if self.place(State { placed, previous: held, buffer }) {
                return true;
            }
            self.updates = before;
        }
        self.places.pop();
        self.seen.pop();
        false
    }

    /// True if all values that are still to be read are available.
    fn is_possible(&self, state: &State) -> bool {
        let stages = self.key.stages();
        if stages.len() - state.placed > STAGES - self.places.len() {
            return false;
        }
        let later = stages[state.placed..].iter().chain([&self.key.result]);
        let mut reads = later.flat_map(reads).filter(|&(stage, _)| usize::from(stage) < state.placed);
        reads.all(|(stage, part)| [state.previous[part], state.buffer[part]].contains(&Held::Stage(stage)))
    }

    fn sees_all(&self, state: &State, stage: &Stage) -> bool {
        reads(stage)
            .all(|(number, part)| [state.previous[part], state.buffer[part]].contains(&Held::Stage(number)))
    }

    /// True if the last place holds the result.
    fn is_done(&self, state: &State) -> bool {
        [RGB, ALPHA].into_iter().all(|part| match self.result(part) {
            None => true,
            Some(Source::Stage(number)) => state.previous[part] == Held::Stage(number),
            Some(_) => state.previous[part] == Held::Result,
        })
    }

    /// Source of a part of the result.
    fn result(&self, part: usize) -> Option<Source> {
        let groups = [&self.key.result.rgb, &self.key.result.alpha];
        groups[part].as_ref().map(|group| group.arguments[0].source)
    }

    /// Candidates for a part of a place.
    fn options(&self, stage: Option<usize>, part: usize) -> Vec<Take> {
        let stage = stage.map(|number| &self.key.stages()[number]);
        let groups = stage.map(|stage| [stage.rgb, stage.alpha]);
        // A dot product for alpha takes the place of the RGB group too.
        let is_dot = groups.is_some_and(|[_, alpha]| is_dot(&alpha));
        if groups.is_some_and(|groups| groups[part].is_some()) || is_dot {
            return vec![Take::Own];
        }
        match self.result(part) {
            None | Some(Source::Stage(_)) => vec![Take::Previous, Take::Buffer],
            Some(_) => vec![Take::Previous, Take::Buffer, Take::Result],
        }
    }

    fn held(&self, state: &State, place: &Place, part: usize) -> Held {
        match (place.takes[part], place.stage) {
            (Take::Own, Some(number)) => Held::Stage(number as u8),
            (Take::Own, None) => Held::Nothing,
            (Take::Previous, _) => state.previous[part],
            (Take::Buffer, _) => state.buffer[part],
            (Take::Result, _) => Held::Result,
        }
    }

    /// Sources, operands, operations and scales of a place.
    fn words(&self, place: &Place, seen: &State) -> [u32; 4] {
        let stage = place.stage.map_or(Stage::default(), |number| self.key.stages()[number]);
        let dot = is_dot(&stage.alpha);
        let mut words = [0; 4];
        for (part, own) in [stage.rgb, stage.alpha].into_iter().enumerate() {
            let group = match own {
                None if dot => stage.alpha.map(|alpha| Group { scale: 0, ..alpha }),
                own => own,
            };
            let [sources, operands, op, scale] = match group {
                Some(group) => group_words(&group, part, seen),
                None => [self.passed(place.takes[part], part), 0, 0, 0],
            };
            // The arguments of a dot product for alpha are those of RGB.
            if !(dot && part == ALPHA) {
                words[0] |= sources << (16 * part);
                words[1] |= operands << (12 * part);
                words[2] |= if dot { CombinerOp::Dot3Rgba.to_bits() } else { op } << (16 * part);
            }
            words[3] |= scale << (16 * part);
        }
        words
    }

    /// The source of a part that passes a value on.
    fn passed(&self, take: Take, part: usize) -> u32 {
        match take {
            Take::Own | Take::Previous => CombinerSource::Previous.to_bits(),
            Take::Buffer => CombinerSource::Buffer.to_bits(),
            Take::Result => self.result(part).map_or(0, source_code),
        }
    }
}

fn is_dot(group: &Option<Group>) -> bool {
    group.is_some_and(|group| group.op == CombinerOp::Dot3Rgb)
}

/// Stages that a stage reads, and which part of them.
fn reads(stage: &Stage) -> impl Iterator<Item = (u8, usize)> {
    let rgb = stage.rgb.iter().flat_map(|group| group.used()).map(|argument| (argument, RGB));
    let own = if is_dot(&stage.alpha) { RGB } else { ALPHA };
    let alpha = stage.alpha.iter().flat_map(|group| group.used()).map(move |argument| (argument, own));
    rgb.chain(alpha).filter_map(|(argument, own)| match argument.source {
        Source::Stage(number) => Some((number, read_part(argument, own))),
        _ => None,
    })
}

/// The part of its source that an argument of an RGB or alpha group reads.
const fn read_part(argument: &Argument, own: usize) -> usize {
    match argument.select {
        Select::Own => own,
        Select::Alpha => ALPHA,
        Select::Red | Select::Green | Select::Blue => RGB,
    }
}

fn source_code(source: Source) -> u32 {
    match source {
        Source::Vertex => 0,
        Source::Lighting(n) => 1 + u32::from(n),
        Source::Texture(n) => 3 + u32::from(n),
        Source::Stage(_) => CombinerSource::Previous.to_bits(),
        Source::Constant => CombinerSource::Constant.to_bits(),
    }
}

/// Sources, operands, operation and scale of a group; operands of alpha lie at bits 0, 4 and 8 here.
fn group_words(group: &Group, part: usize, seen: &State) -> [u32; 4] {
    // Dot products for alpha have colours as arguments.
    let part = if group.op == CombinerOp::Dot3Rgb { RGB } else { part };
    let (mut sources, mut operands) = (0, 0);
    for (n, argument) in group.arguments.iter().enumerate() {
        let source = match argument.source {
            Source::Stage(number) if seen.previous[read_part(argument, part)] != Held::Stage(number) => {
                CombinerSource::Buffer.to_bits()
            }
            source => source_code(source),
        };
        sources |= source << (4 * n);
        operands |= operand_code(argument, part) << (4 * n);
    }
    // A constant that a stage replaces by as it is would be no stage.
    if group.op == CombinerOp::Replace && group.arguments[0].source == Source::Constant {
        operands |= 1;
    }
    [sources, operands, group.op.to_bits(), group.scale.into()]
}

const fn operand_code(argument: &Argument, part: usize) -> u32 {
    let rgb = part == RGB;
    let select = match argument.select {
        Select::Own => 0,
        Select::Alpha => 2,
        Select::Red if rgb => 4,
        Select::Green if rgb => 8,
        Select::Blue if rgb => 12,
        Select::Red => 2,
        Select::Green => 4,
        Select::Blue => 6,
    };
    select + argument.invert as u32
}
