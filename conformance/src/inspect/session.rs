//! `Session`: a capture, an engine, and the questions.

use super::action::{Action, Kind};
use super::answer::{BufferView, Cost, Draw, Program, State};
use super::checkpoints::{At, Checkpoints};
use super::content::content;
use super::desk::{Desk, Log, Question, Seen, Spot, bytes};
use super::history::History;
use super::maps::Maps;
use super::states;
use super::{Inspect, Manual, NoAnswer, clock, json};
use crate::given_up::{GivenUp, GivenUpList};
use crate::image::Image;
use crate::plays::{Plays, frames};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::rect::Rect;
use serde_json::Value;
use std::ops::Range;

/// A capture that answers questions, without its machine in the type.
pub trait Inspector: Send {
    /// The machine.
    fn title(&self) -> &'static str;

    /// Where its manuals describe registers.
    fn manual(&self) -> Manual;

    /// Number of frames.
    fn frames(&self) -> usize;

    /// Number of events.
    fn events(&self) -> usize;

    /// All draws, fills and transfers, in order.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn actions(&mut self) -> Result<&[Action], NoAnswer>;

    /// The words of all registers before the first action.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn first_registers(&mut self) -> Result<&[u32], NoAnswer>;

    /// Faults of the guest and lists that were given up, in words.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn notes(&mut self) -> Result<&[String], NoAnswer>;

    /// Number of these faults and lists, with those that are only counted.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn note_count(&mut self) -> Result<u64, NoAnswer>;

    /// Small pictures of the buffers after some draws, spread over the capture: number of the draw, colours.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn thumbnails(&mut self) -> Result<&[(u64, BufferView)], NoAnswer>;

    /// The picture on the screens at the end of a frame; of the last one unless given.
    ///
    /// # Errors
    /// Nothing is shown, or there is no such frame.
    fn screen(&mut self, frame: Option<usize>) -> Result<Image, NoAnswer>;

    /// The pixel of a buffer that pixel (`x`, `y`) of the picture at the end of a frame shows, and the actions up to
    /// the one that brought it there.
    ///
    /// # Errors
    /// The picture has no such pixel.
    fn spot_of_screen(&mut self, frame: Option<usize>, x: u32, y: u32) -> Result<(Spot, usize), NoAnswer>;

    /// The pixel of a draw's colour buffer, in the machine's coordinates.
    ///
    /// # Errors
    /// There is no such draw or pixel.
    fn spot_of_draw(&mut self, draw: u64, x: u32, y: u32) -> Result<Spot, NoAnswer>;

    /// Everything that touched a pixel, in order.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn history(&mut self, spot: Spot) -> Result<History, NoAnswer>;

    /// A draw with its buffers, vertices, textures and program; `vertex` is the vertex whose steps are recorded.
    ///
    /// # Errors
    /// There is no such draw.
    fn draw(&mut self, draw: u64, vertex: usize) -> Result<Draw, NoAnswer>;

    /// The geometry program of a draw, with the steps of one of its runs.
    ///
    /// # Errors
    /// There is no such draw, program or run.
    fn geometry(&mut self, draw: u64, run: usize) -> Result<Program, NoAnswer>;

    /// The state of a draw.
    ///
    /// # Errors
    /// There is no such draw.
    fn state(&mut self, draw: u64) -> Result<State, NoAnswer>;

    /// The state as JSON.
    ///
    /// # Errors
    /// There is no such draw.
    fn state_as_json(&mut self, draw: u64) -> Result<Value, NoAnswer> {
        self.state(draw).map(|of| json::state(&of))
    }

    /// Registers that differ between two draws: name, both values in words.
    ///
    /// # Errors
    /// There is no such draw.
    fn state_changes(&mut self, draws: [u64; 2]) -> Result<Vec<[String; 3]>, NoAnswer>;

    /// For each draw the first one that is in the same state: [`Inspect::essence`] and program are equal.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn same_states(&mut self) -> Result<Vec<u64>, NoAnswer>;

    /// See [`Inspect::essence`].
    fn essence(&self, words: &[u32]) -> Vec<u32>;

    /// The times of the draws from the first one on, at least up to `end` or the last one. Each counts from the end of
    /// the action or event before it on. Compiled code is warm: it has played all of it before, and the shortest of three
    /// times counts. The interpreter plays all of it once.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn costs(&mut self, end: u64) -> Result<&[Cost], NoAnswer>;

    /// What some draws did to the pixels of their buffers, and the fates of their fragments. With `has_costs` the time
    /// of each draw in the engine that answers is spread over its pixels.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn maps(&mut self, draws: Range<u64>, has_costs: bool) -> Result<Maps, NoAnswer>;

    /// Draws that cover a pixel of a rectangle of their buffer, in the machine's coordinates.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn touching(&mut self, rectangle: Rect) -> Result<Vec<u64>, NoAnswer>;

    /// All actions, with checksums of the colour buffers after draws.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn with_checksums(&mut self) -> Result<Vec<Action>, NoAnswer>;

    /// The name of a register.
    fn register(&self, number: u32) -> String;

    /// Number of a register by its name or number.
    fn register_number(&self, name: &str) -> Option<u32>;

    /// The draws in whose state a register has a value.
    ///
    /// # Errors
    /// The capture cannot be played.
    fn with_register(&mut self, number: u32, value: u32) -> Result<Vec<u64>, NoAnswer>;

    /// The file of a capture that has only these draws.
    ///
    /// # Errors
    /// The capture cannot be cut.
    fn cut(&mut self, draws: Range<u64>) -> Result<Vec<u8>, NoAnswer>;
}

/// Histories that are kept.
const KEPT: usize = 4;

/// A capture, an engine that stays warm, and what is known about the capture.
pub struct Session<M: Inspect> {
    pub(super) capture: M::Capture,
    engine: M::Engine,
    pub(super) known: Option<Known>,
    /// The capture with more events, if it draws the same, and the number of the event that each came from.
    pub(super) pieces: Option<(M::Capture, Vec<usize>)>,
    /// Points of the pieces, or of the capture.
    pub(super) checkpoints: Checkpoints<M>,
    histories: Vec<(Spot, History)>,
    costs: Vec<Cost>,
}

/// Called after every event with the player, its engine and the place that is reached; says whether to go on.
type Each<'a, M> = dyn FnMut(&<M as Plays>::Player<'_>, &mut <M as Plays>::Stages<'_>, At) -> bool + 'a;

/// What one replay of the whole capture says.
pub(super) struct Known {
    pub(super) actions: Vec<Action>,
    notes: Notes,
    pub(super) first: Vec<u32>,
    thumbnails: Vec<(u64, BufferView)>,
}

/// Faults of the guest and lists that were given up.
#[derive(Default)]
pub(super) struct Notes {
    /// In words, with a line for those that are only counted.
    lines: Vec<String>,
    count: u64,
}

impl Notes {
    fn new(given_up: &GivenUpList, faults: &FaultList) -> Self {
        let lists = given_up.lines(|GivenUp { event, why }| format!("event {event}: given up: {why}"));
        let more = (faults.dropped() > 0).then(|| format!("{} more faults", faults.dropped()));
        let kept = (given_up.as_slice().len() + faults.as_slice().len()) as u64;
        let faults_in_words = faults.as_slice().iter().map(|fault| format!("fault: {fault}"));
        Self {
            lines: lists.chain(faults_in_words).chain(more).collect(),
            count: kept + given_up.dropped() + faults.dropped(),
        }
    }
}

impl<M: Inspect> Session<M> {
    /// A session. `engine` draws what is not asked for.
    pub fn new(capture: M::Capture, engine: M::Engine) -> Self {
        let checkpoints = Checkpoints::default();
        Self {
            capture,
            engine,
            known: None,
            pieces: None,
            checkpoints,
            histories: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// The same with so many nanoseconds of a replay between checkpoints.
    #[cfg(test)]
    pub(super) fn with_span(mut self, span: u64) -> Self {
        self.checkpoints = Checkpoints::every(span);
        self
    }

    /// Number of checkpoints.
    #[cfg(test)]
    pub(super) const fn points(&self) -> usize {
        self.checkpoints.count()
    }

    /// Plays the capture, or its pieces, for a question, from the last checkpoint for which `is_before` holds; `each`
    /// sees the player after every event and says whether to go on.
    pub(super) fn play(
        &mut self,
        question: Question,
        in_pieces: bool,
        is_before: impl Fn(At) -> bool,
        each: &mut Each<'_, M>,
    ) -> Result<(Log, Notes), NoAnswer> {
        let until = question.until;
        let desk = Desk::new(question);
        let has_points = in_pieces || self.pieces.is_none();
        let pieces = self.pieces.as_ref().map(|(pieces, _)| pieces);
        let capture = pieces.filter(|_| in_pieces).unwrap_or(&self.capture);
        let from = self.checkpoints.player(capture, |at| has_points && is_before(at));
        let from = from.map_err(NoAnswer::new)?;
        let (mut player, mut at) = match from {
            Some(from) => from,
            None => (M::player(capture).map_err(NoAnswer::new)?, At::default()),
        };
        let before = at.actions;
        M::observe(&mut player, &desk);
        begin::<M>(&player, &desk, at);
        let mut probed = M::probed(&mut self.engine, &desk);
        let mut given_up = GivenUpList::default();
        while let Some(step) = M::step(&mut player, M::stages_of_probed(&mut probed)) {
            if let Some(why) = M::given_up(step.outcome) {
                given_up.push(step.index, why);
            }
            after_event::<M>(&player, &desk, step.event);
            at.frame += usize::from(M::ends_frame(step.event));
            at.event = step.index + 1;
            {
                let log = desk.lock();
                (at.draws, at.actions) = (log.draws, before + log.passed + log.actions.len());
            }
            let goes_on = each(&player, M::stages_of_probed(&mut probed), at);
            if !goes_on || until.is_some_and(|until| at.draws > until) {
                break;
            }
            let mut log = desk.lock();
            (log.frame, log.event, log.since) = (at.frame, at.event, Some(clock::now()));
        }
        let notes = Notes::new(&given_up, M::faults(&player));
        let log = std::mem::take(&mut *desk.lock());
        Ok((log, notes))
    }

    /// Plays the whole capture for a question.
    fn ask(&mut self, question: Question) -> Result<Log, NoAnswer> {
        self.play(question, false, |_| false, &mut |_, _, _| true).map(|(log, _)| log)
    }

    fn known(&mut self) -> Result<&Known, NoAnswer> {
        if self.known.is_none() {
            let pieces = M::in_pieces(&self.capture);
            let mut points = std::mem::take(&mut self.checkpoints);
            let (mut end, events) = (Vec::new(), M::events(&self.capture).len());
            let question = Question { thumbnails: true, bounds: true, ..Question::default() };
            let (log, notes) = self.play(question, false, |_| false, &mut |player, _, at| {
                if pieces.is_none() {
                    points.note(player, at);
                } else if at.event == events {
                    end = content(M::memory(player));
                }
                true
            })?;
            match pieces {
                Some(pieces) => self.try_pieces(pieces, points, &end, log.draws)?,
                None => self.checkpoints = points,
            }
            let Log { actions, first, thumbnails, .. } = log;
            self.known = Some(Known { actions, notes, first, thumbnails: thumbnails.into_pictures() });
        }
        self.known.as_ref().ok_or_else(|| NoAnswer::new("nothing is known"))
    }

    /// Plays the pieces of the capture, and keeps them and their checkpoints if they end with the same memory, `end`.
    fn try_pieces(
        &mut self,
        pieces: (M::Capture, Vec<usize>),
        mut points: Checkpoints<M>,
        end: &[u8],
        draws: u64,
    ) -> Result<(), NoAnswer> {
        let (mut is_same, events) = (false, M::events(&pieces.0).len());
        self.pieces = Some(pieces);
        let question = Question { draw: Some(u64::MAX), ..Question::default() };
        let (log, _) = self.play(question, true, |_| false, &mut |player, _, at| {
            points.note(player, at);
            is_same |= at.event == events && content(M::memory(player)) == end;
            true
        })?;
        if is_same && log.draws == draws {
            self.checkpoints = points;
        } else {
            self.pieces = None;
        }
        Ok(())
    }

    /// The words of the registers at a draw.
    fn words(&mut self, draw: u64) -> Result<Vec<u32>, NoAnswer> {
        let known = self.known()?;
        let mut words = known.first.clone();
        for action in &known.actions {
            for &[number, _, new] in &action.changed {
                if let Some(word) = words.get_mut(number as usize) {
                    *word = new;
                }
            }
            if action.draw == Some(draw) {
                return Ok(words);
            }
        }
        Err(self.no_draw(draw))
    }

    /// The times of all draws before `end`, by one replay.
    fn times(&mut self, end: u64) -> Result<Vec<u64>, NoAnswer> {
        let until = end.checked_sub(1);
        Ok(self.ask(Question { times: true, until, ..Question::default() })?.times)
    }

    fn draws(&mut self) -> Result<u64, NoAnswer> {
        Ok(self.known()?.actions.iter().filter(|action| action.kind == Kind::Draw).count() as u64)
    }

    fn no_draw(&mut self, draw: u64) -> NoAnswer {
        match self.draws() {
            Ok(0) => NoAnswer::new("the capture has no draws"),
            Ok(draws) => {
                NoAnswer::new(format!("there is no draw {draw}; the capture has {draws}, counted from 0"))
            }
            Err(why) => why,
        }
    }

    /// Plays up to the end of a frame, or of the capture, and looks at the player there. The log has the actions before
    /// if they are needed.
    fn at_end_of(
        &mut self,
        frame: Option<usize>,
        needs_actions: bool,
        look: &mut dyn FnMut(&M::Player<'_>, &mut M::Stages<'_>),
    ) -> Result<Log, NoAnswer> {
        let (frames, events) = (frames::<M>(&self.capture), M::events(&self.capture).len());
        if let Some(frame) = frame.filter(|&frame| frame >= frames) {
            return Err(NoAnswer::new(format!(
                "there is no frame {frame}; the capture has {frames}, counted from 0"
            )));
        }
        let is_there = |at: At| at.event == events || frame.is_some_and(|frame| at.frame > frame);
        let (log, _) = self.play(
            Question::default(),
            false,
            |at| !needs_actions && !is_there(at),
            &mut |player, stages, at| {
                if is_there(at) {
                    look(player, stages);
                }
                !is_there(at)
            },
        )?;
        Ok(log)
    }
}

/// What a desk has to know before the first event.
fn begin<M: Inspect>(player: &M::Player<'_>, desk: &Desk, at: At) {
    let mut log = desk.lock();
    (log.draws, log.frame, log.event) = (at.draws, at.frame, at.event);
    log.since = Some(clock::now());
    log.words = M::words(player);
    log.first = log.words.clone();
    log.counts = M::counts(player);
    if let Some(spot) = log.question.spot {
        log.bytes = bytes(M::memory(player), spot);
    }
}

/// True if an event loads a byte of a pixel.
pub(super) fn is_loaded<M: Inspect>(event: &M::Event, spot: Spot) -> bool {
    M::load(event).is_some_and(|(address, bytes)| spot.meets(address, bytes as u64))
}

/// Loads and ends of frames are no actions of the machine: the session reports them.
fn after_event<M: Inspect>(player: &M::Player<'_>, desk: &Desk, event: &M::Event) {
    let ends_frame = M::ends_frame(event);
    let mut log = desk.lock();
    if log.is_brief() {
        log.passed += usize::from(ends_frame);
        return;
    }
    if log.question.spot.is_none() && !ends_frame {
        return;
    }
    let words = M::words(player);
    let counts = log.counts;
    let is_load = log.question.spot.is_some_and(|spot| is_loaded::<M>(event, spot));
    let (always, never) = (|_: Spot| true, |_: Spot| false);
    let seen = |kind, what: &str| Seen {
        kind,
        what: what.into(),
        words: &words,
        counts,
        memory: M::memory(player),
        buffer: None,
        textures: Vec::new(),
        transfer: Vec::new(),
        writes: if kind == Kind::Load { &always } else { &never },
    };
    if let Some(spot) = log.question.spot
        && (is_load || bytes(M::memory(player), spot) != log.bytes)
    {
        log.done(seen(Kind::Load, "written by the host"));
    }
    if ends_frame {
        let what = format!("end of frame {}", log.frame);
        log.done(seen(Kind::Frame, &what));
    }
}

impl<M: Inspect> Inspector for Session<M>
where
    M::Capture: Send,
{
    fn title(&self) -> &'static str {
        M::TITLE
    }

    fn frames(&self) -> usize {
        frames::<M>(&self.capture)
    }

    fn events(&self) -> usize {
        M::events(&self.capture).len()
    }

    fn actions(&mut self) -> Result<&[Action], NoAnswer> {
        self.known().map(|known| known.actions.as_slice())
    }

    fn first_registers(&mut self) -> Result<&[u32], NoAnswer> {
        self.known().map(|known| known.first.as_slice())
    }

    fn notes(&mut self) -> Result<&[String], NoAnswer> {
        self.known().map(|known| known.notes.lines.as_slice())
    }

    fn note_count(&mut self) -> Result<u64, NoAnswer> {
        self.known().map(|known| known.notes.count)
    }

    fn thumbnails(&mut self) -> Result<&[(u64, BufferView)], NoAnswer> {
        self.known().map(|known| known.thumbnails.as_slice())
    }

    fn screen(&mut self, frame: Option<usize>) -> Result<Image, NoAnswer> {
        let mut picture = None;
        self.at_end_of(frame, false, &mut |player, stages| picture = M::picture(player, stages))?;
        picture.ok_or_else(|| NoAnswer::new("nothing is shown: no screen is in use"))
    }

    fn spot_of_screen(&mut self, frame: Option<usize>, x: u32, y: u32) -> Result<(Spot, usize), NoAnswer> {
        let mut shown = None;
        let log = self.at_end_of(frame, true, &mut |player, _| shown = M::shown_at(player, x, y))?;
        let shown: Spot =
            shown.ok_or_else(|| NoAnswer::new(format!("the picture has no pixel ({x}, {y})")))?;
        let transfers = log.actions.iter().rev().filter(|action| !action.transfer.is_empty());
        let made =
            transfers.filter_map(|action| Some((M::source(&action.transfer, shown.address)?, action.index)));
        Ok(made.into_iter().next().unwrap_or((shown, log.actions.len())))
    }

    fn spot_of_draw(&mut self, draw: u64, x: u32, y: u32) -> Result<Spot, NoAnswer> {
        let words = self.words(draw)?;
        M::pixel_spot(&words, x, y)
            .ok_or_else(|| NoAnswer::new(format!("the colour buffer of draw {draw} has no pixel ({x}, {y})")))
    }

    fn history(&mut self, spot: Spot) -> Result<History, NoAnswer> {
        if let Some((_, known)) = self.histories.iter().find(|(of, _)| *of == spot) {
            return Ok(known.clone());
        }
        let history = match self.history_in_spans(spot)? {
            Some(history) => history,
            None => self.ask(Question { spot: Some(spot), ..Question::default() })?.history,
        };
        self.histories.insert(0, (spot, history.clone()));
        self.histories.truncate(KEPT);
        Ok(history)
    }

    fn draw(&mut self, draw: u64, vertex: usize) -> Result<Draw, NoAnswer> {
        let question = Question { draw: Some(draw), vertex, until: Some(draw), ..Question::default() };
        self.known()?;
        let answer = self.play(question, true, |at| at.draws <= draw, &mut |_, _, _| true)?.0.answer;
        answer.ok_or_else(|| self.no_draw(draw))
    }

    fn geometry(&mut self, draw: u64, run: usize) -> Result<Program, NoAnswer> {
        let question =
            Question { draw: Some(draw), geometry: Some(run), until: Some(draw), ..Question::default() };
        self.known()?;
        let answer = self.play(question, true, |at| at.draws <= draw, &mut |_, _, _| true)?.0.answer;
        let Some(answer) = answer else { return Err(self.no_draw(draw)) };
        answer.program.ok_or_else(|| match answer.geometry_runs {
            0 => NoAnswer::new("the draw has no geometry program"),
            runs => NoAnswer::new(format!("there is no run {run}; the draw has {runs}, counted from 0")),
        })
    }

    fn state(&mut self, draw: u64) -> Result<State, NoAnswer> {
        let state = M::state_of(&self.words(draw)?);
        let action = self.known()?.actions.iter().find(|action| action.draw == Some(draw));
        let key = action.map(|action| action.key.clone()).unwrap_or_default();
        Ok(State { key, ..state })
    }

    fn state_changes(&mut self, draws: [u64; 2]) -> Result<Vec<[String; 3]>, NoAnswer> {
        let [before, after] = [self.words(draws[0])?, self.words(draws[1])?];
        let pairs = before.iter().zip(&after).enumerate().filter(|(_, (a, b))| a != b);
        let told = |number: usize, word: u32| M::word_in_words(number as u32, word);
        let told = |(n, (&a, &b)): (usize, (&u32, &u32))| [M::register(n as u32), told(n, a), told(n, b)];
        Ok(pairs.map(told).collect())
    }

    fn same_states(&mut self) -> Result<Vec<u64>, NoAnswer> {
        let known = self.known()?;
        Ok(states::first_of_each::<M>(&known.first, &known.actions))
    }

    fn essence(&self, words: &[u32]) -> Vec<u32> {
        M::essence(words)
    }

    fn costs(&mut self, end: u64) -> Result<&[Cost], NoAnswer> {
        let end = end.min(self.draws()?);
        if (self.costs.len() as u64) < end {
            let compiled = match M::compiles(&self.engine) {
                true => [self.times(end)?, self.times(end)?, self.times(end)?],
                false => <[Vec<u64>; 3]>::default(),
            };
            let engine = std::mem::replace(&mut self.engine, M::interpreter());
            let interpreted = self.times(end);
            self.engine = engine;
            let compiled = |n: usize| compiled.iter().filter_map(|times| times.get(n)).min().copied();
            let cost = |(n, interpreted)| Cost { compiled: compiled(n), interpreted };
            self.costs = interpreted?.into_iter().enumerate().map(cost).collect();
        }
        Ok(&self.costs)
    }

    fn maps(&mut self, draws: Range<u64>, has_costs: bool) -> Result<Maps, NoAnswer> {
        let costs = match has_costs {
            true => self.costs(draws.end)?.iter().map(|cost| cost.nanoseconds()).collect(),
            false => Vec::new(),
        };
        let until = Some(draws.end);
        Ok(self.ask(Question { coverage: Some(draws), costs, until, ..Question::default() })?.maps)
    }

    fn touching(&mut self, rectangle: Rect) -> Result<Vec<u64>, NoAnswer> {
        let question =
            Question { coverage: Some(0..u64::MAX), rectangle: Some(rectangle), ..Question::default() };
        Ok(self.ask(question)?.touching)
    }

    fn with_checksums(&mut self) -> Result<Vec<Action>, NoAnswer> {
        Ok(self.ask(Question { checksums: true, ..Question::default() })?.actions)
    }

    fn manual(&self) -> Manual {
        M::MANUAL
    }

    fn register(&self, number: u32) -> String {
        M::register(number)
    }

    fn register_number(&self, name: &str) -> Option<u32> {
        let by_name = (0..M::REGISTERS).find(|&number| M::register(number).eq_ignore_ascii_case(name));
        let digits = name.strip_prefix("0x");
        by_name.or_else(|| u32::from_str_radix(digits?, 16).ok().filter(|&number| number < M::REGISTERS))
    }

    fn with_register(&mut self, number: u32, value: u32) -> Result<Vec<u64>, NoAnswer> {
        let known = self.known()?;
        let mut word = known.first.get(number as usize).copied().unwrap_or(0);
        let mut found = Vec::new();
        for action in &known.actions {
            let changed = action.changed.iter().find(|change| change[0] == number);
            word = changed.map_or(word, |&[_, _, new]| new);
            found.extend(action.draw.filter(|_| M::argument(word) == M::argument(value)));
        }
        Ok(found)
    }

    fn cut(&mut self, draws: Range<u64>) -> Result<Vec<u8>, NoAnswer> {
        if draws.is_empty() || draws.end > self.draws()? {
            return Err(self.no_draw(draws.end.saturating_sub(1)));
        }
        let actions = self.known()?.actions.clone();
        M::cut(&self.capture, draws, &actions).map(|capture| M::write(&capture))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::fault::Fault;

    /// What is only counted has a line, and is in the number.
    #[test]
    fn notes_beyond_those_that_are_kept() {
        let (mut lists, mut faults) = (GivenUpList::default(), FaultList::new());
        assert!(Notes::new(&lists, &faults).lines.is_empty());
        lists.push(3, "endless".into());
        let fault = |value| Fault::Hangs { id: 0x25e, value };
        (0..FaultList::CAPACITY as u32 + 5).for_each(|value| faults.push(fault(value)));
        let notes = Notes::new(&lists, &faults);
        assert_eq!(notes.lines[0], "event 3: given up: endless");
        assert_eq!(notes.lines[1], format!("fault: {}", fault(0)));
        assert_eq!(notes.lines.last().map(String::as_str), Some("5 more faults"));
        assert_eq!(notes.count, FaultList::CAPACITY as u64 + 6);
    }
}
