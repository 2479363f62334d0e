//! [Inspection](crate::inspect) of captures of the PICA200.

mod cut;
mod essence;
mod film;
mod manual;
mod probe;
mod program;
mod views;
mod writes;

pub use probe::Probed;

use super::Pica;
use super::listing::Line;
use super::page;
use super::replay::flatten::flatten;
use crate::inspect::{Action, AfterDraw, Desk, Inspect, Kind, Manual, NoAnswer, Seen, Spot, State};
use crate::plays::Plays as _;
use picaflor_interp::pica::surface::Surface;
use picaflor_interp::pica::transfer_source;
use picaflor_pipeline::memory::{FlatMemory, Memory as _};
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::display::{ScanOut, Screen};
use picaflor_pipeline::pica::external::Engine;
use picaflor_pipeline::pica::observer::{Observer, View};
use picaflor_pipeline::pica::regs::{Registers, describe};
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::pica::texel::TransferFormat;
use picaflor_pipeline::pica::transfer::{TransferFlags, TransferRegisters};
use picaflor_pipeline::rect::Rect;
use std::ops::Range;

impl Inspect for Pica {
    type Probed<'e> = Probed<'e>;

    fn probed<'e>(engine: &'e mut Self::Engine, desk: &Desk) -> Probed<'e> {
        Probed::new(Self::stages(engine), desk)
    }

    fn stages_of_probed<'w>(probed: &'w mut Probed<'_>) -> &'w mut (dyn Stages + 'w) {
        probed
    }

    fn observe(player: &mut Player<'_>, desk: &Desk) {
        player.pica_mut().set_observer(Some(Box::new(Watch(desk.clone()))));
    }

    fn after_draws(player: &mut Player<'_>, each: AfterDraw) {
        player.pica_mut().set_observer(Some(Box::new(film::Film(each))));
    }

    const MANUAL: Manual = manual::MANUAL;

    const REGISTERS: u32 = Registers::COUNT as u32;

    fn argument(word: u32) -> u32 {
        word
    }

    fn word_in_words(number: u32, word: u32) -> String {
        let Ok(id) = u16::try_from(number) else { return format!("{word:08x}") };
        let fields = Line::of_cpu(id, word, 15).fields;
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{word:08x} {}", fields.join(" "))
    }

    fn pixel_spot(words: &[u32], x: u32, y: u32) -> Option<Spot> {
        let (registers, memory) = (registers(words), FlatMemory::default());
        let surface = Surface::new(&registers, &memory);
        let bytes = surface.encoded([0; 4]).len() as u32;
        surface.colour_place(x, y).map(|address| Spot { address, bytes })
    }

    fn state_of(words: &[u32]) -> State {
        page::described(&registers(words))
    }

    fn register(number: u32) -> String {
        let known = u16::try_from(number).ok().filter(|&id| usize::from(id) < Registers::COUNT);
        known.map_or_else(|| format!("{number:#x}"), |id| describe(id).name.into_owned())
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
        counts(player.pica().stats())
    }

    fn words(player: &Player<'_>) -> Vec<u32> {
        player.pica().registers().words().to_vec()
    }

    /// The upper screen is 240 rows high; the lower one, 320 columns wide, is centred below it.
    fn shown_at(player: &Player<'_>, x: u32, y: u32) -> Option<Spot> {
        let sources = [Screen::Top, Screen::Bottom].map(|screen| {
            let source = ScanOut::in_use(player.pica().external(), screen);
            let is_lit = source.solid.is_none() && player.memory().region(source.address, 1).is_some();
            is_lit.then_some(source)
        });
        let widest = sources.iter().flatten().map(|source| source.height).max()?;
        let mut top = 0;
        for source in sources.into_iter().flatten() {
            // A row of the buffer is a column of the screen.
            let (width, height) = (source.height, source.width);
            let left = (widest - width) / 2;
            if (top..top + height).contains(&y) && (left..left + width).contains(&x) {
                let address = source.pixel_address(height - 1 - (y - top), x - left);
                return Some(Spot { address, bytes: pixel_bytes(source.format) });
            }
            top += height;
        }
        None
    }

    fn may_touch(words: &[u32], bounds: Rect, spot: Spot) -> bool {
        views::may_touch(&registers(words), bounds, spot)
    }

    fn load(event: &Event) -> Option<(u32, usize)> {
        if let Event::Memory { address, bytes } = event { Some((*address, bytes.len())) } else { None }
    }

    fn source(transfer: &[u32], address: u32) -> Option<Spot> {
        let registers = transfer_registers(transfer)?;
        let bytes = pixel_bytes(TransferFlags(registers.flags).input_format());
        transfer_source(&registers, address).map(|address| Spot { address, bytes })
    }

    fn in_pieces(capture: &Capture) -> Option<(Capture, Vec<usize>)> {
        let has_lists =
            capture.events.iter().any(|event| matches!(event, Event::List { .. } | Event::Mmio { .. }));
        has_lists.then(|| flatten(capture).ok().flatten()).flatten()
    }

    fn cut(capture: &Capture, draws: Range<u64>, _: &[Action]) -> Result<Capture, NoAnswer> {
        cut::cut(capture, &draws)
    }
}

/// Registers of these words.
fn registers(words: &[u32]) -> Registers {
    let mut registers = Registers::new();
    for (id, &word) in words.iter().enumerate().take(Registers::COUNT) {
        registers.set_raw(id as u16, word);
    }
    registers
}

/// Bytes of a pixel.
const fn pixel_bytes(format: TransferFormat) -> u32 {
    match format {
        TransferFormat::Rgba8 => 4,
        TransferFormat::Rgb8 => 3,
        TransferFormat::Rgb565 | TransferFormat::Rgb5a1 | TransferFormat::Rgba4 => 2,
    }
}

/// The registers of a transfer from the words of its block.
fn transfer_registers(words: &[u32]) -> Option<TransferRegisters> {
    let &[input, output, output_size, input_size, flags, _, _, _, copy_size, copy_input, copy_output, ..] =
        words
    else {
        return None;
    };
    Some(TransferRegisters {
        input,
        output,
        output_size,
        input_size,
        flags,
        copy_size,
        copy_input,
        copy_output,
    })
}

/// An observer that reports to a desk.
struct Watch(Desk);

fn counts(stats: &Stats) -> [u64; 3] {
    [stats.vertices, stats.triangles_displayed, stats.fragments]
}

impl Watch {
    fn report(
        &self,
        view: View<'_>,
        kind: Kind,
        what: impl FnOnce() -> String,
        transfer: Vec<u32>,
        writes: &dyn Fn(Spot) -> bool,
    ) {
        let is_draw = kind == Kind::Draw;
        let mut log = self.0.lock();
        if is_draw && log.is_asked() {
            let after = views::buffers(view.registers, view.memory);
            let textures = std::mem::take(&mut log.current.textures);
            let current = std::mem::take(&mut log.current);
            log.answer = Some(crate::inspect::Draw { after, textures, ..current });
        }
        if log.is_brief() {
            return log.pass_over(kind);
        }
        if is_draw {
            log.note_thumbnail(|| views::thumbnail(view.registers, view.memory));
        }
        log.done(Seen {
            kind,
            what: what(),
            words: view.registers.words(),
            counts: counts(view.stats),
            memory: view.memory,
            buffer: is_draw.then(|| views::buffer(view.registers)),
            textures: if is_draw { views::textures(view.registers) } else { Vec::new() },
            transfer,
            writes,
        });
    }
}

impl Observer for Watch {
    fn draw_done(&mut self, view: View<'_>) {
        let vertices = || {
            let what = super::listing::state::summary(view.registers).into_iter();
            what.filter(|(name, _)| name == "vertices").map(|(_, text)| text).next().unwrap_or_default()
        };
        self.report(view, Kind::Draw, vertices, Vec::new(), &|_| false);
    }

    fn engine_done(&mut self, view: View<'_>, engine: Engine) {
        match engine {
            Engine::Fill(unit) => {
                let fill = view.external.fill(unit);
                let what = format!("{:#010x}-{:#010x} with {:08x}", fill.start, fill.end, fill.value);
                let writes = |spot| writes::fill_writes(&fill, spot);
                self.report(view, Kind::Fill, || what, Vec::new(), &writes);
            }
            Engine::Transfer => {
                let words = view.external.transfer_words();
                let [input, output, size, _, flags, ..] = words;
                let form =
                    if flags & 8 == 0 { format!("{}x{}", size & 0xffff, size >> 16) } else { "copy".into() };
                let what = format!("{:#010x} to {:#010x}, {form}", input << 3, output << 3);
                let writes = |spot| {
                    let registers = transfer_registers(&words);
                    registers.is_some_and(|registers| writes::transfer_writes(&registers, spot))
                };
                self.report(view, Kind::Transfer, || what, words.to_vec(), &writes);
            }
        }
    }
}
