//! [Inspection](crate::inspect) of captures of the GE.

mod cut;
mod essence;
mod film;
mod manual;
mod probe;
mod views;
mod writes;

pub use probe::Probed;

use super::Ge;
use super::page;
use crate::inspect::{Action, AfterDraw, Desk, Draw, Inspect, Kind, Manual, NoAnswer, Seen, Spot, State};
use crate::plays::Plays as _;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::names::{command, describe};
use picaflor_pipeline::ge::observer::{Observer, View};
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::target::SIDE;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM};
use picaflor_pipeline::rect::Rect;
use std::ops::Range;

impl Inspect for Ge {
    type Probed<'e> = Probed<'e>;

    fn probed<'e>(engine: &'e mut Self::Engine, desk: &Desk) -> Probed<'e> {
        Probed::new(Self::stages(engine), desk)
    }

    fn stages_of_probed<'w>(probed: &'w mut Probed<'_>) -> &'w mut (dyn Stages + 'w) {
        probed
    }

    fn observe(player: &mut Player<'_>, desk: &Desk) {
        let maps = player.ge().address_maps();
        player.ge_mut().set_observer(Some(Box::new(Watch { desk: desk.clone(), maps })));
    }

    fn after_draws(player: &mut Player<'_>, each: AfterDraw) {
        let maps = player.ge().address_maps();
        player.ge_mut().set_observer(Some(Box::new(film::Film { each, maps })));
    }

    const MANUAL: Manual = manual::MANUAL;

    const REGISTERS: u32 = 256;

    fn argument(word: u32) -> u32 {
        word & 0xff_ffff
    }

    fn word_in_words(number: u32, word: u32) -> String {
        let text = describe(number << 24 | word & 0xff_ffff);
        let fields = text.split_once(": ").map_or("", |(_, fields)| fields);
        format!("{:06x} {fields}", word & 0xff_ffff)
    }

    /// Rows end at the stride, where the next one begins; they are as many as those of the buffer.
    fn pixel_spot(words: &[u32], x: u32, y: u32) -> Option<Spot> {
        let registers = registers(words);
        let (columns, rows) = ((registers.arg(op::FBW) & 0x7fc).min(SIDE), views::buffer(&registers).height);
        if x >= columns || y >= rows {
            return None;
        }
        let [base, stride] = [op::FBP, op::FBW].map(|register| registers.arg(register));
        let bytes = PixelFormat::of(registers.arg(op::PSM)).bytes();
        let offset = (base & 0x1f_fff0) + (y * (stride & 0x7fc) + x) * bytes;
        Some(Spot { address: VRAM + (offset & 0x1f_ffff), bytes })
    }

    fn state_of(words: &[u32]) -> State {
        page::described(&registers(words), String::new())
    }

    fn register(number: u32) -> String {
        u8::try_from(number)
            .map_or_else(|_| format!("{number:#x}"), |number| command(number).name.into_owned())
    }

    #[cfg(not(target_family = "wasm"))]
    fn compiles(engine: &Self::Engine) -> bool {
        engine.name() != super::engine::NAMES[0]
    }

    #[cfg(target_family = "wasm")]
    fn compiles(_: &Self::Engine) -> bool {
        false
    }

    fn essence(words: &[u32]) -> Vec<u32> {
        essence::essence(&registers(words))
    }

    fn counts(player: &Player<'_>) -> [u64; 3] {
        counts(player.ge().stats())
    }

    fn words(player: &Player<'_>) -> Vec<u32> {
        player.ge().registers().words().to_vec()
    }

    fn shown_at(player: &Player<'_>, x: u32, y: u32) -> Option<Spot> {
        let display = player.display()?;
        let bytes = PixelFormat::of(display.format.into()).bytes();
        let at = (y * display.stride + x) * bytes;
        let is_inside =
            x < picaflor_pipeline::ge::display::WIDTH && y < picaflor_pipeline::ge::display::HEIGHT;
        is_inside.then(|| Spot { address: VRAM + (display.address.wrapping_add(at) & 0x1f_ffff), bytes })
    }

    fn may_touch(words: &[u32], bounds: Rect, spot: Spot) -> bool {
        views::may_touch(&registers(words), bounds, spot)
    }

    fn load(event: &Event) -> Option<(u32, usize)> {
        if let Event::Memory { address, bytes } = event { Some((*address, bytes.len())) } else { None }
    }

    /// Block transfers are commands: what they copy is seen at its own address.
    fn source(_: &[u32], _: u32) -> Option<Spot> {
        None
    }

    fn cut(capture: &Capture, draws: Range<u64>, actions: &[Action]) -> Result<Capture, NoAnswer> {
        cut::cut(capture, &draws, actions)
    }
}

/// Registers of these words.
fn registers(words: &[u32]) -> Registers {
    let mut registers = Registers::default();
    for (number, &word) in (0..=u8::MAX).zip(words) {
        registers.write(u32::from(number) << 24 | word & 0xff_ffff);
    }
    registers
}

const fn counts(stats: &Stats) -> [u64; 3] {
    [stats.vertices, stats.primitives, stats.covered]
}

/// An observer that reports to a desk.
struct Watch {
    desk: Desk,
    maps: AddressMaps,
}

impl Watch {
    fn report(
        &self,
        view: View<'_>,
        kind: Kind,
        what: impl FnOnce() -> String,
        writes: &dyn Fn(Spot) -> bool,
    ) {
        let is_draw = kind == Kind::Draw;
        let mut log = self.desk.lock();
        if is_draw && log.is_asked() {
            let current = std::mem::take(&mut log.current);
            let after = views::buffers(view.registers, self.maps, view.memory);
            log.answer = Some(Draw { after, ..current });
        }
        if log.is_brief() {
            return log.pass_over(kind);
        }
        if is_draw {
            log.note_thumbnail(|| views::thumbnail(view.registers, self.maps, view.memory));
        }
        log.done(Seen {
            kind,
            what: what(),
            words: view.registers.words(),
            counts: counts(view.stats),
            memory: view.memory,
            buffer: is_draw.then(|| views::buffer(view.registers)),
            textures: if is_draw { views::textures(view.registers) } else { Vec::new() },
            transfer: Vec::new(),
            writes,
        });
    }
}

impl Observer for Watch {
    /// What was counted between draws is not the draw's: vertices of bounding boxes, or another state's counters.
    fn draw_started(&mut self, view: View<'_>) {
        self.desk.lock().counts = counts(view.stats);
    }

    fn draw_done(&mut self, view: View<'_>) {
        let what = || {
            let what = describe(view.registers.word(op::PRIM));
            what.split_once(": ").map_or(what.clone(), |(_, text)| text.to_owned())
        };
        self.report(view, Kind::Draw, what, &|_| false);
    }

    fn transfer_done(&mut self, view: View<'_>) {
        let registers = view.registers;
        let address = |low: u8, high: u8| registers.arg(low) | registers.arg(high) << 8 & 0xff00_0000;
        let (source, target) = (address(0xb2, 0xb3), address(0xb4, 0xb5));
        let size = registers.arg(0xee);
        let [width, height] = [size & 0x3ff, size >> 10 & 0x3ff].map(|side| side + 1);
        let what = format!("{source:#010x} to {target:#010x}, {width}x{height}");
        let writes = |spot| writes::transfer_writes(registers, self.maps, spot);
        self.report(view, Kind::Transfer, || what, &writes);
    }
}
