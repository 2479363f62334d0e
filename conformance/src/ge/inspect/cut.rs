//! Captures with fewer draws: the lists between two draws, written out, on the state and memory before the first.

use crate::ge::flat::{Before, Stream, command, memory, play};
use crate::inspect::{Action, NoAnswer};
#[cfg(not(target_family = "wasm"))]
use crate::{ge::engine, setup::Setup};
#[cfg(target_family = "wasm")]
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use std::ops::Range;

/// Registers of pointers that a signal can set without a word of its own.
const POINTED: [u8; 18] = {
    let mut all = [op::CBP; 18];
    let mut level = 0;
    while level < 8 {
        all[level as usize] = op::TBP0 + level;
        all[8 + level as usize] = op::TBW0 + level;
        level += 1;
    }
    all[17] = op::CBPH;
    all
};

/// The draws of the range, on the state and memory that they find in the whole capture, up to the end of the frame of the
/// last one.
///
/// # Errors
/// The capture is not sound, or no engine runs here.
pub(super) fn cut(capture: &Capture, draws: &Range<u64>, actions: &[Action]) -> Result<Capture, NoAnswer> {
    let event_of = |draw: u64| actions.iter().find(|action| action.draw == Some(draw)).map(|of| of.event);
    let first = event_of(draws.start).ok_or_else(|| NoAnswer::new("the capture has no such draw"))?;
    let mut engine = fastest()?;
    let taken = Taken { draws: draws.clone(), first, ..Taken::default() };
    let taken = play(capture, &mut engine, taken).map_err(NoAnswer::new)?;
    let mut events = capture.events[..first.min(capture.events.len())].to_vec();
    events.push(Event::Execute(taken.before.words.into()));
    let start = Capture { events, ..capture.clone() };
    let mut player = Player::new(&start).map_err(NoAnswer::new)?;
    while player.step(&mut engine).is_some() {}
    let events = [memory(&player), taken.events].concat();
    let whole = Capture { regions: capture.regions.clone(), initial: player.ge().save(), events };
    drop(player);
    recorded(&whole, &mut engine)
}

/// The engine that plays captures in the shortest time here.
#[cfg(not(target_family = "wasm"))]
fn fastest() -> Result<engine::Named, NoAnswer> {
    engine::with_setup(engine::NAMES[1], Setup::default()).map_err(NoAnswer::new)
}

/// No code is compiled here.
#[cfg(target_family = "wasm")]
fn fastest() -> Result<Interpreter, NoAnswer> {
    Ok(Interpreter::new())
}

/// The capture with the memory that it needs: it is played, and recorded.
fn recorded(capture: &Capture, stages: &mut dyn Stages) -> Result<Capture, NoAnswer> {
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut ge = Ge::new();
    ge.load(&capture.initial).map_err(NoAnswer::new)?;
    ge.start_recording(&memory, &capture.regions).map_err(NoAnswer::new)?;
    for event in &capture.events {
        match event {
            Event::Memory { address, bytes } => write_bytes(&memory, *address, bytes),
            // A run that was given up in the whole is given up here.
            Event::Run(list) => _ = ge.run(stages, &memory, &mut list.clone()),
            Event::Execute(words) => _ = ge.execute(stages, &memory, words),
            Event::State(state) => ge.load(state).map_err(NoAnswer::new)?,
            Event::Display(display) => ge.frame_end(&memory, *display),
        }
    }
    ge.stop_recording().ok_or_else(|| NoAnswer::new("the draws cannot be recorded"))
}

/// Words that are executed outside of lists.
#[derive(Default)]
struct Written {
    words: Vec<u32>,
    /// The registers after the words.
    registers: Registers,
}

impl Written {
    /// Adds a word, and before one that reads memory the pointers that it uses.
    fn word(&mut self, before: &Before<'_>, word: u32) {
        match command(word) {
            op::PRIM | op::BEZIER | op::SPLINE => {
                self.point(before);
                self.pointers(before);
            }
            op::CLOAD | op::VAP => self.point(before),
            _ => {}
        }
        self.write(word);
    }

    fn write(&mut self, word: u32) {
        self.registers.write(word);
        self.words.push(word);
    }

    /// Pointers of textures and palette that signals have set.
    fn point(&mut self, before: &Before<'_>) {
        for register in POINTED {
            if self.registers.word(register) != before.registers.word(register) {
                self.write(before.registers.word(register));
            }
        }
    }

    /// Absolute pointers; BASE and OFFSET have their words afterwards.
    fn pointers(&mut self, before: &Before<'_>) {
        let kept = [op::BASE, op::OFFSET].map(|register| before.registers.word(register));
        self.write(u32::from(op::OFFSET) << 24);
        for (register, address) in [op::VADDR, op::IADDR].into_iter().zip(before.pointers) {
            self.write(u32::from(op::BASE) << 24 | address >> 8 & 0x0f_0000);
            self.write(u32::from(register) << 24 | address & 0xff_ffff);
        }
        kept.into_iter().for_each(|word| self.write(word));
    }
}

/// What a cut takes of the stream.
#[derive(Default)]
struct Taken {
    draws: Range<u64>,
    /// The event of the first draw.
    first: usize,
    is_first: bool,
    is_done: bool,
    is_inside: bool,
    is_behind: bool,
    /// Words of the first draw's event before it.
    before: Written,
    /// The words since the last event.
    after: Written,
    events: Vec<Event>,
}

impl Taken {
    fn flush(&mut self) {
        if !self.after.words.is_empty() {
            self.events.push(Event::Execute(std::mem::take(&mut self.after.words).into()));
        }
    }
}

impl Stream for Taken {
    fn event(&mut self, player: &Player<'_>, index: usize, event: &Event, draws: u64) {
        self.is_first = index == self.first;
        if self.is_first {
            self.before.registers = player.ge().registers().clone();
        }
        self.is_behind |= self.is_inside && draws >= self.draws.end;
        if !self.is_inside {
            return;
        }
        self.flush();
        match event {
            Event::Display(_) => {
                self.events.push(event.clone());
                self.is_done = self.is_behind;
            }
            Event::Memory { .. } | Event::State(_) if !self.is_behind => self.events.push(event.clone()),
            _ => {}
        }
    }

    fn word(&mut self, before: &Before<'_>, word: u32) {
        let draws = matches!(command(word), op::PRIM | op::BEZIER | op::SPLINE | op::VAP);
        if !self.is_inside && draws && before.draws == self.draws.start {
            self.is_inside = true;
            self.after.registers = self.before.registers.clone();
        }
        self.is_behind |= self.is_inside && draws && before.draws >= self.draws.end;
        match (self.is_inside, self.is_behind) {
            (true, false) => self.after.word(before, word),
            (false, _) if self.is_first => self.before.word(before, word),
            _ => {}
        }
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}
