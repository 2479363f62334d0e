//! Captures with fewer draws: the register writes between two draws, on the state and memory before the first.

use crate::inspect::{NoAnswer, nonzero};
#[cfg(not(target_family = "wasm"))]
use crate::pica::engine::{NAMES, NamedEngine};
use crate::pica::replay::flatten::flatten;
#[cfg(target_family = "wasm")]
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::replay::{Outcome, Player};
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::stage::{NoEngines, Stages};
use std::ops::Range;

/// Registers whose write draws arrays and elements.
const DRAWS: [u16; 2] = [0x22e, 0x22f];
/// The register that selects a fixed attribute, and its value for immediate vertices.
const SELECT: (u16, u32) = (0x232, 0xf);
/// Words of fixed attributes and immediate vertices.
const WORDS: Range<u16> = 0x233..0x236;

/// The draws of the range, on the state and memory that they find in the whole capture, up to the end of the frame of the
/// last one. Lists are written out. Behind the last draw fills, transfers and settings stay; a write that ends an
/// immediate draw and makes another one is one with both.
///
/// # Errors
/// The capture is too long to be written out, or is not sound.
pub(super) fn cut(capture: &Capture, draws: &Range<u64>) -> Result<Capture, NoAnswer> {
    let flat = flatten(capture).map_err(NoAnswer::new)?;
    let (flat, _) =
        flat.ok_or_else(|| NoAnswer::new("the capture has too many register writes to be cut"))?;
    let span = span(&flat, draws)?;
    let mut engine = fastest()?;
    let mut player = Player::new(&flat).map_err(NoAnswer::new)?;
    while player.position() < span.first {
        player.step(&mut engine);
    }
    let initial = player.pica().save();
    let load = |(address, bytes): (u32, Vec<u8>)| Event::Memory { address, bytes: bytes.into() };
    let mut events: Vec<Event> = nonzero(player.memory()).into_iter().map(load).collect();
    let mut behind = Behind { is_immediate: span.is_immediate };
    while player.position() < span.end {
        let is_behind = player.position() > span.last;
        let Some(step) = player.step(&mut engine) else { break };
        if step.outcome != Outcome::StaleLoad && !(is_behind && behind.draws(step.event)) {
            events.push(step.event.clone());
        }
    }
    recorded(&Capture { initial, events, ..flat.clone() }, &mut engine)
}

/// The engine that plays captures in the shortest time here.
#[cfg(not(target_family = "wasm"))]
fn fastest() -> Result<NamedEngine, NoAnswer> {
    let engine = NamedEngine::by_name(NAMES[1]);
    engine.ok_or_else(|| NoAnswer::new("there is no engine"))?.map_err(NoAnswer::new)
}

/// No code is compiled here.
#[cfg(target_family = "wasm")]
fn fastest() -> Result<Interpreter, NoAnswer> {
    Ok(Interpreter::new())
}

/// Events of the draws.
struct Span {
    /// The event of the first draw, and of the last one.
    first: usize,
    last: usize,
    /// True if words are those of immediate vertices behind the last draw.
    is_immediate: bool,
    /// The event behind the end of the last draw's frame.
    end: usize,
}

/// Looks for the events of draws. Nothing is drawn.
fn span(flat: &Capture, draws: &Range<u64>) -> Result<Span, NoAnswer> {
    let mut player = Player::new(flat).map_err(NoAnswer::new)?;
    let (mut first, mut last, mut behind, mut end) = (None, None, Behind::default(), flat.events.len());
    while let Some(step) = player.step(&mut NoEngines) {
        let (index, ends_frame) = (step.index, *step.event == Event::Frame);
        if last.is_none() {
            behind.draws(step.event);
        }
        let drawn = player.stats().draws;
        if drawn > draws.start && first.is_none() {
            first = Some(index);
        }
        if drawn >= draws.end && last.is_none() {
            last = Some(index);
        }
        if ends_frame && last.is_some() {
            end = index + 1;
            break;
        }
    }
    let missing = || NoAnswer::new("the capture has no such draw");
    let (first, last) = first.zip(last).ok_or_else(missing)?;
    Ok(Span { first, last, is_immediate: behind.is_immediate, end })
}

/// What follows the last draw.
#[derive(Default)]
struct Behind {
    is_immediate: bool,
}

impl Behind {
    /// True if an event draws, or is a part of an immediate vertex.
    fn draws(&mut self, event: &Event) -> bool {
        let Event::Register { id, value, mask } = *event else { return false };
        if id == SELECT.0 && mask & 1 != 0 {
            self.is_immediate = value & SELECT.1 == SELECT.1;
        }
        DRAWS.contains(&id) || self.is_immediate && WORDS.contains(&id)
    }
}

/// The capture with the memory that it needs: it is played, and recorded.
fn recorded(capture: &Capture, stages: &mut dyn Stages) -> Result<Capture, NoAnswer> {
    let memory = BlockMemory::try_zeroed(&capture.regions)
        .map_err(|bytes| NoAnswer::new(format!("there is no memory for {bytes} bytes")))?;
    let mut pica = Pica::new(capture.precision);
    pica.load(&capture.initial).map_err(NoAnswer::new)?;
    pica.start_recording(&memory, &capture.regions).map_err(NoAnswer::new)?;
    for event in &capture.events {
        // What was given up in the whole is given up here.
        match *event {
            Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
            Event::Frame => pica.frame_end(&memory),
            Event::VBlank { screen } => pica.vblank(screen),
            Event::Field { field, first, ref words } => _ = pica.write_field(field, first as usize, words),
            Event::Register { id, value, mask } => _ = pica.write_register(stages, &memory, id, value, mask),
            Event::Mmio { address, value } => _ = pica.write_mmio(stages, &memory, address, value),
            Event::List { address, size_bytes } => {
                _ = pica.run(stages, &memory, CommandList { address, size_bytes });
            }
        }
    }
    pica.stop_recording().ok_or_else(|| NoAnswer::new("the draws cannot be recorded"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::{Action, Inspector, Session};
    use crate::plays::{Plays, Reading};

    fn drawn(capture: Capture) -> Vec<Action> {
        let mut session = Session::<crate::pica::Pica>::new(capture, fastest().expect("an engine"));
        let actions = session.with_checksums().expect("it plays");
        actions.into_iter().filter(|action| action.draw.is_some()).collect()
    }

    /// The draws that are left have the pixels, counts and programs of the whole, wherever they lie in their lists.
    #[test]
    fn draws_that_are_left_draw_the_same() {
        let mut cuts = 0;
        for name in ["game_frame", "immediate_mode", "transforms", "particles", "wrap_modes", "spot_light"] {
            let whole = crate::pica::Pica::scene(name, Reading::default()).expect("a scene");
            let all = drawn(whole.clone());
            let count = all.len() as u64;
            for (first, last) in
                [(0, 0), (count / 3, count / 2), (count / 2, count - 1), (count - 1, count - 1)]
            {
                let capture = cut(&whole, &(first..last + 1)).expect("it is cut");
                let left = drawn(Capture::read(&capture.to_bytes()).expect("it is read again"));
                let same = |(one, other): (&Action, &Action)| {
                    let of = |action: &Action| {
                        (action.checksum, action.counts, action.program, action.buffer.clone())
                    };
                    assert_eq!(of(one), of(other), "{name} {first}..={last}: draw {:?}", one.draw);
                };
                assert!(left.len() as u64 > last - first, "{name} {first}..={last}: {} draws", left.len());
                all[first as usize..=last as usize].iter().zip(&left).for_each(same);
                // A write that ends an immediate draw may make the next one too.
                assert!(
                    left.len() as u64 <= last - first + 2,
                    "{name} {first}..={last}: {} draws",
                    left.len()
                );
                cuts += usize::from(left.len() < all.len());
            }
        }
        assert!(cuts > 12, "{cuts}");
    }
}
