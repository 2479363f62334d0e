//! Playing a capture of the GE: the machine, memory of its own, and one event after the other.

use super::{Capture, Display, Event};
use crate::capture::format::regions_are_sound;
use crate::capture::{CaptureError, Problem};
use crate::ge::display::FrameBuffer;
use crate::ge::limits::Limits;
use crate::ge::stage::Stages;
use crate::ge::target::PixelFormat;
use crate::ge::{Ge, RunError, Stop};
use crate::memory::{BlockMemory, write_bytes};
use crate::pica::display::Picture;
use std::ops::Range;

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// A list ran and stopped so.
    Ran(Stop),
    /// A list was given up.
    GaveUp(RunError),
}

/// An event that was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepReport<'a> {
    /// Its position among the events.
    pub index: usize,
    /// The event.
    pub event: &'a Event,
    /// What became of it.
    pub outcome: Outcome,
}

/// A frame that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameReport {
    /// Its number, from 0.
    pub frame: usize,
    /// Its events, by position; the one that ends it is the last. The last frame may lack it.
    pub events: Range<usize>,
    /// Lists that were given up, by the position of their event.
    pub errors: Vec<(usize, RunError)>,
}

/// A capture being played.
pub struct Player<'a> {
    capture: &'a Capture,
    ge: Ge,
    memory: BlockMemory,
    next: usize,
    frame: usize,
    display: Option<Display>,
}

impl<'a> Player<'a> {
    /// A machine in the initial state of the capture, with zeroed memory.
    ///
    /// # Errors
    /// If a state is not one that this version of the machine saved, or the blocks of memory are not sound.
    pub fn new(capture: &'a Capture) -> Result<Self, CaptureError> {
        if !regions_are_sound(&capture.regions) {
            return Err(Problem::BadRegions.at(0));
        }
        let mut ge = Ge::new();
        let states = capture.events.iter().filter_map(|event| match event {
            Event::State(state) => Some(state),
            _ => None,
        });
        for state in states.chain([&capture.initial]) {
            ge.load(state).map_err(|_| Problem::BadState.at(0))?;
        }
        let memory = BlockMemory::zeroed(&capture.regions);
        Ok(Self { capture, ge, memory, next: 0, frame: 0, display: None })
    }

    /// With other limits than the default.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { ge: self.ge.with_limits(limits), ..self }
    }

    /// The machine.
    #[must_use]
    pub const fn ge(&self) -> &Ge {
        &self.ge
    }

    /// The machine, to set an observer.
    pub const fn ge_mut(&mut self) -> &mut Ge {
        &mut self.ge
    }

    /// Guest memory.
    #[must_use]
    pub const fn memory(&self) -> &BlockMemory {
        &self.memory
    }

    /// What was shown last.
    #[must_use]
    pub const fn display(&self) -> Option<Display> {
        self.display
    }

    /// The picture of a buffer as it is now.
    #[must_use]
    pub fn picture(&self, display: Display) -> Picture {
        let Display { address, stride, format } = display;
        let buffer = FrameBuffer { address, stride, format: PixelFormat::of(format.into()) };
        buffer.picture(&self.memory, self.ge.address_maps())
    }

    /// How many events were played.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.next
    }

    /// Plays the next event; `None` after the last.
    pub fn step(&mut self, stages: &mut dyn Stages) -> Option<StepReport<'a>> {
        let index = self.next;
        let event = self.capture.events.get(index)?;
        self.next += 1;
        Some(StepReport { index, event, outcome: self.play(stages, event) })
    }

    /// Plays up to and including the next frame's end, or to the end; `None` if nothing is left.
    pub fn run_frame(&mut self, stages: &mut dyn Stages) -> Option<FrameReport> {
        let start = self.next;
        let mut errors = Vec::new();
        while let Some(step) = self.step(stages) {
            if let Outcome::GaveUp(error) = step.outcome {
                errors.push((step.index, error));
            }
            if matches!(step.event, Event::Display(_)) {
                break;
            }
        }
        let frame = self.frame;
        self.frame += 1;
        (self.next > start).then_some(FrameReport { frame, events: start..self.next, errors })
    }

    fn play(&mut self, stages: &mut dyn Stages, event: &Event) -> Outcome {
        match event {
            Event::Memory { address, bytes } => {
                write_bytes(&self.memory, *address, bytes);
                Outcome::Done
            }
            Event::Run(list) => {
                let stop = self.ge.run(stages, &self.memory, &mut list.clone());
                stop.map_or_else(Outcome::GaveUp, Outcome::Ran)
            }
            Event::Execute(words) => {
                let done = self.ge.execute(stages, &self.memory, words);
                done.map_or_else(Outcome::GaveUp, |()| Outcome::Done)
            }
            Event::State(state) => {
                self.ge.load(state).expect("`new` has tried it");
                Outcome::Done
            }
            Event::Display(display) => {
                self.display = Some(*display);
                Outcome::Done
            }
        }
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
}
