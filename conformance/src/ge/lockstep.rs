//! Two machines side by side: after every list, all of VRAM and all that the machines know.

use crate::image::{Image, Panels};
use crate::replay::Fingerprint;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::capture::ge::replay::{Outcome, Player};
use picaflor_pipeline::capture::ge::{Capture, Display, Event};
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::Memory;
use std::time::{Duration, Instant};

/// Differences that are described; more are counted.
const DESCRIBED: usize = 8;

/// Something that two machines did not do alike.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The frame, from 0.
    pub frame: usize,
    /// The event, from 0.
    pub event: usize,
    /// In what.
    pub surface: &'static str,
    /// How many bytes differ.
    pub bytes: usize,
    /// The first difference.
    pub what: String,
    /// The target on both machines: expected, difference and actual.
    pub picture: Option<Panels>,
}

/// What comparing found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Lists after which both machines were compared.
    pub lists: u64,
    /// Draws in them.
    pub draws: u64,
    /// Bytes compared.
    pub bytes: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// How many more there were.
    pub more: u64,
    /// What the guest did wrong, and lists given up.
    pub notes: Vec<String>,
    /// Time in each machine.
    pub times: [Duration; 2],
    /// Of all of VRAM after every list, on the reference.
    pub fingerprint: Fingerprint,
    /// Counters of the candidate's machine.
    pub stats: Stats,
    /// What the candidate showed last.
    pub picture: Option<Image>,
}

impl Findings {
    /// Whether nothing differed.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.differences.is_empty() && self.more == 0
    }

    fn add(&mut self, difference: Difference) {
        if self.differences.len() < DESCRIBED {
            self.differences.push(difference);
        } else {
            self.more += 1;
        }
    }
}

/// Plays a capture on the reference and on the candidate; `done` is called after every event.
///
/// # Errors
/// The capture is not sound; a difference is no error.
pub fn compare(
    capture: &Capture,
    [reference, candidate]: [&mut dyn Stages; 2],
    done: &dyn Fn(),
) -> Result<Findings, CaptureError> {
    let mut players = [Player::new(capture)?, Player::new(capture)?];
    let mut findings = Findings::default();
    let mut frame = 0;
    loop {
        let [first, second] = &mut players;
        let (expected, first_time) = timed(|| first.step(reference));
        let (actual, second_time) = timed(|| second.step(candidate));
        let (Some(expected), Some(actual)) = (expected, actual) else { break };
        findings.times[0] += first_time;
        findings.times[1] += second_time;
        if let Outcome::GaveUp(why) = actual.outcome {
            findings.notes.push(format!("event {}: given up: {why}", actual.index));
        }
        if matches!(actual.event, Event::Run(_) | Event::Execute(_)) {
            findings.lists += 1;
            let same_outcome = expected.outcome == actual.outcome;
            check(&mut findings, &players, (frame, actual.index), same_outcome);
        }
        frame += usize::from(matches!(actual.event, Event::Display(_)));
        done();
    }
    let ge = players[1].ge();
    findings.draws = ge.stats().draws;
    findings.stats = *ge.stats();
    findings.picture = players[1].display().map(|display| Image::from(&players[1].picture(display)));
    findings.notes.extend(ge.faults().as_slice().iter().map(|fault| format!("fault: {fault}")));
    Ok(findings)
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn check(
    findings: &mut Findings,
    players: &[Player<'_>; 2],
    (frame, event): (usize, usize),
    same_outcome: bool,
) {
    let [expected, actual] = players;
    let difference = |surface, bytes, what| Difference { frame, event, surface, bytes, what, picture: None };
    if !same_outcome {
        findings.add(difference("course", 0, "the lists do not stop alike".into()));
    }
    let states = players.each_ref().map(|player| player.ge().save());
    findings.bytes += u64::from(VRAM_BYTES) + states[0].words().len() as u64 * 4;
    let words = || states[0].words().iter().zip(states[1].words()).enumerate().filter(|(_, (e, a))| e != a);
    if let Some((at, (e, a))) = words().next() {
        findings.add(difference(
            "state",
            words().count() * 4,
            format!("word {at}: {a:#x} instead of {e:#x}"),
        ));
    }
    if let Some(vram) = vram(expected) {
        findings.fingerprint.add_bytes(&vram);
    }
    if let Some((bytes, what)) = memory(expected, actual) {
        let picture = Some(target(players));
        findings.add(Difference { picture, ..difference("VRAM", bytes, what) });
    }
}

fn vram(player: &Player<'_>) -> Option<Vec<u8>> {
    player.memory().region(VRAM, VRAM_BYTES).map(|slice| slice.to_vec())
}

/// How many bytes of VRAM differ, and which is the first.
fn memory(expected: &Player<'_>, actual: &Player<'_>) -> Option<(usize, String)> {
    let (expected, actual) = (vram(expected)?, vram(actual)?);
    if expected == actual {
        return None;
    }
    let differ = || expected.iter().zip(&actual).enumerate().filter(|(_, (e, a))| e != a);
    let (at, (e, a)) = differ().next()?;
    let address = VRAM as usize + at;
    Some((differ().count(), format!("byte at {address:#010x}: {a:#04x} instead of {e:#04x}")))
}

/// The buffer that was drawn to, as the screen would show it.
fn target(players: &[Player<'_>; 2]) -> Panels {
    let [expected, actual] = players.each_ref().map(|player| {
        let registers = player.ge().registers();
        let address = VRAM | registers.arg(op::FBP) & (VRAM_BYTES - 1);
        let (stride, format) = (registers.arg(op::FBW) & 0x7fc, registers.arg(op::PSM) as u8 & 3);
        Image::from(&player.picture(Display { address, stride, format }))
    });
    let pixel = |image: &Image, x, y| {
        let [r, g, b] = image.pixel(x, y);
        [r, g, b, 255]
    };
    let size = (expected.width(), expected.height());
    Panels::of(size, |x, y| pixel(&expected, x, y), |x, y| pixel(&actual, x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::ge::Interpreter;
    use picaflor_pipeline::capture::ppdmp::write::Writer;
    use picaflor_pipeline::capture::ppdmp::{self, Lists};
    use picaflor_pipeline::ge::raster::Shape;
    use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileRoutine, TransformStage, VertexBatch};
    use picaflor_pipeline::ge::vertex::Vertex;
    use std::sync::Arc;

    /// The interpreter, but for the lowest bit of blue.
    struct Blue(Interpreter);

    impl TransformStage for Blue {
        fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
            self.0.transform(batch, out);
            out.iter_mut().for_each(|vertex| vertex.colour ^= 1 << 16);
        }
    }

    impl PixelStage for Blue {
        fn pixel_routine(&mut self, state: &PixelState<'_>, shape: Shape) -> Arc<dyn TileRoutine> {
            self.0.pixel_routine(state, shape)
        }
    }

    /// One point, and a frame.
    fn capture() -> Capture {
        let mut writer = Writer::default();
        writer
            .words(1, &[0x9d00_0200, 0xd200_0003, 0xd300_0301, 0x16ff_ffff, 0xd504_3ddf, 0x1280_011c])
            .record(2, &[1, 2, 3, 4, 7, 0, 5, 0, 0, 0, 0, 0])
            .words(1, &[0x0400_0001])
            .words(9, &[0x0400_0000, 512, 3]);
        let dump = ppdmp::read(&writer.file(6)).unwrap();
        ppdmp::translate(&dump, Lists::OfRecords).unwrap().0
    }

    #[test]
    fn one_bit_is_found() {
        let mut engines = [Interpreter::new(), Interpreter::new()];
        let [first, second] = &mut engines;
        let same = compare(&capture(), [first, second], &|| ()).unwrap();
        assert!(same.is_same() && same.lists == 3 && same.draws == 1, "{same:?}");
        let found = compare(&capture(), [first, &mut Blue(Interpreter::new())], &|| ()).unwrap();
        let [difference] = &found.differences[..] else { panic!("{found:?}") };
        assert_eq!((difference.surface, difference.bytes, difference.frame), ("VRAM", 1, 0));
        assert_eq!(
            difference.what,
            format!("byte at {:#010x}: 0x02 instead of 0x03", VRAM + (5 * 512 + 7) * 4 + 2)
        );
    }
}
