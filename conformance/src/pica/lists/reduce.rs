//! Shrinks a failing case while it keeps failing: events are left out, then commands of its lists.

use crate::reducer::Reducer;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::Header;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The smallest case found in `time` for which `fails` still holds. It is expected to hold for `capture`.
pub fn reduce(capture: &Capture, time: Duration, fails: &mut dyn FnMut(&Capture) -> bool) -> Capture {
    let mut reducer = Reducer { best: capture.clone(), end: Instant::now() + time, fails };
    loop {
        let before = reducer.best.clone();
        reducer.events();
        for at in 0..reducer.best.events.len() {
            reducer.commands(at);
        }
        if reducer.best == before || Instant::now() >= reducer.end {
            return reducer.best;
        }
    }
}

impl Reducer<'_, Capture> {
    fn events(&mut self) {
        let count = self.best.events.len();
        self.pieces(count, 1, |capture, range| drop(capture.events.drain(range)));
    }

    /// Commands of the list that event `at` runs.
    fn commands(&mut self, at: usize) {
        let Some(Event::List { address, .. }) = self.best.events.get(at) else { return };
        let address = *address;
        let holds = |event: &Event| matches!(event, Event::Memory { address: a, .. } if *a == address);
        let Some(held) = self.best.events[..at].iter().rposition(holds) else { return };
        let commands = commands(&words(&self.best.events[held])).len();
        self.pieces(commands, 1, |capture, range| without(&mut capture.events, held, at, range));
    }
}

/// Leaves commands out of a list.
fn without(events: &mut [Event], held: usize, at: usize, range: Range<usize>) {
    let words = words(&events[held]);
    let commands = commands(&words);
    let mut kept: Vec<u32> = Vec::new();
    for (n, command) in commands.into_iter().enumerate() {
        if !range.contains(&n) {
            kept.extend(&words[command]);
        }
    }
    kept.resize(kept.len().next_multiple_of(4), 0);
    if let Event::Memory { bytes, .. } = &mut events[held] {
        *bytes = kept.iter().flat_map(|word| word.to_le_bytes()).collect::<Arc<[u8]>>();
    }
    if let Event::List { size_bytes, .. } = &mut events[at] {
        *size_bytes = 4 * kept.len() as u32;
    }
}

fn words(event: &Event) -> Vec<u32> {
    let Event::Memory { bytes, .. } = event else { return Vec::new() };
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// The words of each command, parameters and padding included.
fn commands(words: &[u32]) -> Vec<Range<usize>> {
    let mut commands = Vec::new();
    let mut at = 0;
    while at + 1 < words.len() {
        let length = 2 + usize::from(Header(words[at + 1]).extra()).next_multiple_of(2);
        let end = (at + length).min(words.len());
        commands.push(at..end);
        at = end;
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::lists::generate;

    /// What is left of a case that "fails" when it writes a register is that write.
    #[test]
    fn only_what_fails_is_left() {
        let case = (0..).map(|number| generate::case(5, number)).find(|case| writes(&case.capture, 0x107));
        let capture = case.expect("cases write that register").capture;
        let time = Duration::from_secs(20);
        let reduced = reduce(&capture, time, &mut |capture| writes(capture, 0x107));
        assert_eq!(reduced.events.len(), 2);
        assert_eq!(words(&reduced.events[0]).len(), 4);
        assert!(writes(&reduced, 0x107));
    }

    fn writes(capture: &Capture, id: u16) -> bool {
        let lists = capture.events.iter().enumerate().filter_map(|(at, event)| match event {
            Event::List { address, .. } => Some((at, *address)),
            _ => None,
        });
        lists.into_iter().any(|(at, list)| {
            capture.events[..at].iter().any(|event| {
                let words = match event {
                    Event::Memory { address, .. } if *address == list => words(event),
                    _ => return false,
                };
                commands(&words).iter().any(|range| Header(words[range.start + 1]).id() == id)
            })
        })
    }
}
