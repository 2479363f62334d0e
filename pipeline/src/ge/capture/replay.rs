//! Playing a capture of the GE.

use super::{Capture, Display, Event};
use crate::capture::replay::sealed::Sealed;
use crate::capture::replay::{self, Done, Replay};
use crate::capture::{CaptureError, Problem};
use crate::ge::display::FrameBuffer;
use crate::ge::limits::Limits;
use crate::ge::regs::pixel::PixelFormat;
use crate::ge::stage::Stages;
use crate::ge::stage::blit::BlitStage;
use crate::ge::stats::Stats;
use crate::ge::{Ge, RunError, Session, Stop};
use crate::memory::{BlockMemory, write_bytes};
use crate::picture::Picture;
use crate::snapshot::{Snapshot, SnapshotError};

/// Outcome of an event. No load is ever stale.
pub type Outcome = replay::Outcome<Stop, RunError>;
/// Report of a played event.
pub type StepReport<'a> = replay::StepReport<'a, Event, Outcome>;
/// Report of a played frame.
pub type FrameReport = replay::FrameReport<RunError>;
/// A capture being played.
pub type Player<'a> = replay::Player<'a, Played>;

/// The machine in a replay.
pub struct Played {
    ge: Ge,
    display: Option<Display>,
}

impl Player<'_> {
    /// Replaces the default limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.machine.ge = self.machine.ge.with_limits(limits);
        self
    }

    /// The machine.
    #[must_use]
    pub const fn ge(&self) -> &Ge {
        &self.machine.ge
    }

    /// The machine, mutable, to set an observer.
    pub const fn ge_mut(&mut self) -> &mut Ge {
        &mut self.machine.ge
    }

    /// The buffer displayed last.
    #[must_use]
    pub const fn display(&self) -> Option<Display> {
        self.machine.display
    }

    /// The current picture of a buffer, by an engine.
    #[must_use]
    pub fn picture(&self, engine: &mut dyn BlitStage, display: Display) -> Picture {
        let Display { address, stride, format } = display;
        let buffer = FrameBuffer { address, stride, format: PixelFormat::of(format.into()) };
        buffer.picture(engine, self.memory(), self.ge().address_maps())
    }
}

impl Sealed for Played {}

impl Replay for Played {
    type Capture = Capture;
    type Event = Event;
    type Finished = Stop;
    type Error = RunError;
    type Stages<'s> = dyn Stages + 's;
    type Extra = Option<Display>;
    type Stats = Stats;

    fn start(capture: &Capture) -> Result<Self, CaptureError> {
        let mut ge = Ge::new();
        let states = capture.events.iter().filter_map(|event| match event {
            Event::State(state) => Some(state),
            _ => None,
        });
        for state in states.chain([&capture.initial]) {
            ge.load(state).map_err(|error| Problem::from(error).at(0))?;
        }
        Ok(Self { ge, display: None })
    }

    fn save(&self) -> (Snapshot, Option<Display>) {
        (self.ge.save(), self.display)
    }

    fn restore(&mut self, machine: &Snapshot, extra: &Option<Display>) -> Result<(), SnapshotError> {
        self.display = *extra;
        self.ge.load(machine)
    }

    fn regions(capture: &Capture) -> &[(u32, u32)] {
        &capture.regions
    }

    fn events(capture: &Capture) -> &[Event] {
        &capture.events
    }

    fn ends_frame(event: &Event) -> bool {
        matches!(event, Event::Display(_))
    }

    fn takes_over(event: &Event) -> bool {
        matches!(event, Event::State(_))
    }

    fn stats(&self) -> Stats {
        *self.ge.stats()
    }

    fn play(&mut self, stages: &mut (dyn Stages + '_), memory: &BlockMemory, event: &Event) -> Outcome {
        match event {
            Event::Memory { address, bytes } => {
                write_bytes(memory, *address, bytes);
                Outcome::Done
            }
            Event::Run(list) => {
                let stop = self.ge.run(stages, memory, &mut list.clone());
                stop.map_or_else(Outcome::GaveUp, Outcome::Ran)
            }
            Event::Execute(words) => {
                let done = self.ge.execute(stages, memory, words);
                done.map_or_else(Outcome::GaveUp, |()| Outcome::Done)
            }
            Event::State(state) => {
                self.ge.load(state).expect("`start` has tried it");
                Outcome::Done
            }
            Event::Display(display) => {
                self.display = Some(*display);
                Outcome::Done
            }
        }
    }

    /// A session for memory and lists that follow each other.
    fn play_frame(
        &mut self,
        stages: &mut (dyn Stages + '_),
        memory: &BlockMemory,
        events: &[Event],
        done: &mut Done<'_, Self>,
    ) {
        let mut played = 0;
        while let Some(event) = events.get(played) {
            let joint = events[played..].iter().take_while(|event| is_joint(event)).count();
            if joint > 0 {
                self.play_session(
                    stages,
                    memory,
                    &events[played..][..joint],
                    &mut |n, outcome, has_waited, stats| {
                        done(played + n, outcome, has_waited, stats);
                    },
                );
                played += joint;
                continue;
            }
            let outcome = self.play(stages, memory, event);
            done(played, outcome, false, self.stats());
            played += 1;
            if Self::ends_frame(event) {
                break;
            }
        }
    }
}

impl Played {
    /// Plays memory and lists, at least one.
    fn play_session(
        &mut self,
        stages: &mut dyn Stages,
        memory: &BlockMemory,
        events: &[Event],
        done: &mut Done<'_, Self>,
    ) {
        let (last, others) = (events.len() - 1, &events[..events.len() - 1]);
        let ended = self.ge.session(stages, memory, |session| {
            for (n, event) in others.iter().enumerate() {
                let outcome = play_jointly(session, event);
                done(n, outcome, session.has_waited(), *session.ge().stats());
            }
            play_jointly(session, &events[last])
        });
        // The last one completes the draws.
        done(last, ended.unwrap_or_else(Outcome::GaveUp), true, self.stats());
    }
}

/// True for what a session plays: memory and lists.
const fn is_joint(event: &Event) -> bool {
    matches!(event, Event::Memory { .. } | Event::Run(_))
}

/// Plays memory or a list.
fn play_jointly(session: &mut Session<'_>, event: &Event) -> Outcome {
    match event {
        Event::Memory { address, bytes } => {
            session.write(*address, bytes).map_or_else(Outcome::GaveUp, |()| Outcome::Done)
        }
        Event::Run(list) => session.run(&mut list.clone()).map_or_else(Outcome::GaveUp, Outcome::Ran),
        Event::Execute(_) | Event::State(_) | Event::Display(_) => Outcome::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::display_list::DisplayList;
    use crate::ge::stage::NoEngines;

    fn capture(words: &[u32], regions: &[(u32, u32)]) -> Capture {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let display = Display { address: 0x0400_0000, stride: 512, format: 3 };
        let list = DisplayList::new(0x0800_0000, 0x0800_0000 + words.len() as u32 * 4);
        Capture {
            regions: regions.to_vec(),
            initial: Ge::new().save(),
            events: vec![
                Event::Memory { address: 0x0800_0000, bytes },
                Event::Run(list),
                Event::Display(display),
            ],
        }
    }

    #[test]
    fn lists_run_and_frames_end() {
        let capture = capture(&[0xcf00_1234, 0x1f00_0001], &[(0x0800_0000, 64)]);
        let mut player = Player::new(&capture).unwrap();
        let frame = player.run_frame(&mut NoEngines).unwrap();
        assert_eq!((frame.frame, frame.events, frame.errors.len()), (0, 0..3, 0));
        assert_eq!(player.ge().registers().arg(0xcf), 0x1234);
        assert_eq!(player.display().map(|display| display.stride), Some(512));
        assert_eq!(player.run_frame(&mut NoEngines), None);
    }

    #[test]
    fn lists_without_memory_are_given_up() {
        let capture = capture(&[0], &[]);
        let mut player = Player::new(&capture).unwrap();
        let errors = player.run_frame(&mut NoEngines).unwrap().errors;
        assert_eq!(errors, [(1, RunError::Unmapped { address: 0x0800_0000 })]);
        let overlapping = Capture { regions: vec![(0, 8), (4, 8)], ..capture };
        assert!(Player::new(&overlapping).is_err());
    }

    #[test]
    fn counters_are_those_of_the_replay() {
        let mut capture = capture(&[0xcf00_1234], &[(0x0800_0000, 64)]);
        let mut player = Player::new(&capture).unwrap();
        while player.run_frame(&mut NoEngines).is_some() {}
        // The recorded machine had counted before, and has a state with other counters restored between two runs.
        capture.initial = player.ge().save();
        let run = capture.events[1].clone();
        capture.events.splice(2..2, [Event::State(Ge::new().save()), run.clone(), run]);
        let mut player = Player::new(&capture).unwrap();
        let before = player.ge().stats().runs;
        let mut runs = Vec::new();
        player.watch_frame(&mut NoEngines, &mut |_, stats| runs.push(stats.runs)).unwrap();
        assert_eq!((before, runs.as_slice()), (1, [0, 1, 1, 2, 3, 3].as_slice()));
        assert_eq!((player.stats().runs, player.ge().stats().runs), (3, 2));

        let mut player = Player::new(&capture).unwrap();
        let steps = std::iter::from_fn(|| player.step(&mut NoEngines).map(|_| player.stats().runs));
        assert_eq!(steps.collect::<Vec<_>>(), runs);
        assert_eq!(Player::resume(&capture, &player.mark()).unwrap().stats().runs, 0);
    }

    #[test]
    fn a_report_keeps_few_of_many_errors() {
        let mut capture = capture(&[0], &[]);
        let list = capture.events[1].clone();
        capture.events.splice(1..1, vec![list; 99]);
        let frame = Player::new(&capture).unwrap().run_frame(&mut NoEngines).unwrap();
        assert_eq!((frame.error_count, frame.errors.len(), frame.errors[19].0), (100, 20, 20));
    }
}
