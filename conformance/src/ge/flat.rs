//! A capture as one flat stream of words: lists without their jumps, calls, signals and pointers, and what the machine
//! holds before a word.

use crate::inspect::nonzero;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::observer::{Observer, View};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The machine before a word that reads memory. For other words the registers may be older.
pub(super) struct Before<'a> {
    pub(super) registers: &'a Registers,
    pub(super) memory: &'a dyn Memory,
    pub(super) maps: AddressMaps,
    /// Vertex and index pointer.
    pub(super) pointers: [u32; 2],
    /// Draws so far.
    pub(super) draws: u64,
}

/// A reader of the stream.
pub(super) trait Stream: Send + 'static {
    /// Event `index` is about to be played, after so many draws; `player` holds everything before it.
    fn event(&mut self, player: &Player<'_>, index: usize, event: &Event, draws: u64);

    /// A word is about to be executed.
    fn word(&mut self, before: &Before<'_>, word: u32);

    /// True if nothing more is read.
    fn is_done(&self) -> bool {
        false
    }
}

/// Non-zero memory as events, one for each run of adjacent pages.
pub(super) fn memory(player: &Player<'_>) -> Vec<Event> {
    let event = |(address, bytes): (u32, Vec<u8>)| Event::Memory { address, bytes: bytes.into() };
    nonzero(player.memory()).into_iter().map(event).collect()
}

/// Plays a capture and hands it to a stream.
///
/// # Errors
/// The capture is not sound.
pub(super) fn play<S: Stream>(
    capture: &Capture,
    stages: &mut dyn Stages,
    stream: S,
) -> Result<S, CaptureError> {
    let (pieces, numbers) = in_pieces(capture);
    let tap = Tap(Arc::new(Mutex::new(Held { stream, maps: AddressMaps::Flat, begun: Begun::default() })));
    {
        let mut player = Player::new(&pieces)?;
        player.ge_mut().set_observer(Some(Box::new(tap.clone())));
        let mut last = None;
        while let Some((event, &number)) = next(&pieces, &numbers, player.position()) {
            let mut held = tap.lock();
            let Held { stream, maps, begun } = &mut *held;
            *maps = player.ge().address_maps();
            let draws = player.stats().draws;
            *begun = Begun { draws, counter: player.ge().stats().draws };
            if last.replace(number) != Some(number) {
                stream.event(&player, number, event, draws);
            }
            if let Event::Execute(words) = event {
                let before = before(&player, draws);
                words.iter().filter(|word| !is_control(**word)).for_each(|&word| stream.word(&before, word));
            }
            if stream.is_done() {
                break;
            }
            drop(held);
            player.step(stages);
        }
    }
    let held = Arc::into_inner(tap.0).map(|held| held.into_inner().unwrap_or_else(PoisonError::into_inner));
    // The player, which had the other one, is gone.
    Ok(held.expect("one owner is left").stream)
}

/// The event at a position, and its number.
fn next<'c>(pieces: &'c Capture, numbers: &'c [usize], at: usize) -> Option<(&'c Event, &'c usize)> {
    pieces.events.get(at).zip(numbers.get(at))
}

/// Where an event begins.
#[derive(Default)]
struct Begun {
    /// Draws of the replay.
    draws: u64,
    /// The machine's counter of draws.
    counter: u64,
}

impl Begun {
    /// Draws of the replay when the machine's counter has this value.
    const fn until(&self, counter: u64) -> u64 {
        self.draws + counter.saturating_sub(self.counter)
    }
}

fn before<'p>(player: &'p Player<'_>, draws: u64) -> Before<'p> {
    let ge = player.ge();
    Before {
        registers: ge.registers(),
        memory: player.memory(),
        maps: ge.address_maps(),
        pointers: [ge.vertex_pointer(), ge.index_pointer()],
        draws,
    }
}

/// The same capture with words outside of lists in pieces, each of which begins with a word that reads memory; and the
/// number of the event that each came from.
fn in_pieces(capture: &Capture) -> (Capture, Vec<usize>) {
    let (mut events, mut numbers) = (Vec::new(), Vec::new());
    for (number, event) in capture.events.iter().enumerate() {
        let before = events.len();
        match event {
            Event::Execute(words) => {
                let pieces = words.chunk_by(|_, &next| !reads_memory(next));
                events.extend(pieces.map(|piece| Event::Execute(piece.into())));
            }
            event => events.push(event.clone()),
        }
        numbers.extend(std::iter::repeat_n(number, events.len() - before));
    }
    (Capture { events, ..capture.clone() }, numbers)
}

/// The command of a word.
pub(super) const fn command(word: u32) -> u8 {
    word.to_le_bytes()[3]
}

/// True for words that draw, load a palette or start a transfer.
pub(super) const fn reads_memory(word: u32) -> bool {
    matches!(command(word), op::PRIM | op::BEZIER | op::SPLINE | op::VAP | op::CLOAD | op::TRXKICK)
}

/// True for words of control flow and pointers, which a flat stream lacks.
pub(super) const fn is_control(word: u32) -> bool {
    matches!(command(word), op::VADDR | op::IADDR | op::BBOX..=op::END | op::SIGNAL..=op::BASE)
        || matches!(command(word), op::OFFSET | op::ORIGIN)
}

/// A stream and what it is told.
struct Held<S> {
    stream: S,
    maps: AddressMaps,
    begun: Begun,
}

/// An observer that hands words of lists to a stream.
struct Tap<S>(Arc<Mutex<Held<S>>>);

impl<S> Clone for Tap<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Tap<S> {
    fn lock(&self) -> MutexGuard<'_, Held<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Stream> Observer for Tap<S> {
    fn command(&mut self, view: View<'_>, _: u32, word: u32) {
        if is_control(word) {
            return;
        }
        let mut held = self.lock();
        let Held { stream, maps, begun } = &mut *held;
        let View { registers, memory, stats, pointers } = view;
        let draws = begun.until(stats.draws);
        stream.word(&Before { registers, memory, maps: *maps, pointers, draws }, word);
    }
}
