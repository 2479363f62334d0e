//! Surfaces at the points of a replay.

use crate::lockstep::GivenUpList;
use crate::pica::replay::screens;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::display::Screen;
use picaflor_pipeline::pica::external::{Engine, External};
use picaflor_pipeline::pica::observer::View;
use picaflor_pipeline::pica::stage::blit::BlitStage;
use picaflor_pipeline::pica::surface::Target;
use std::fmt;

/// Steps in which the mapped part of a range is looked for.
const PAGE: u32 = 4096;
/// Most bytes of a fill's or a transfer's output that are compared on the spot; all memory is at the end.
const MOST_OUTPUT: u32 = 16 << 20;

/// Bytes to compare.
pub(in crate::pica) type Surface = crate::lockstep::Surface<Role>;

/// The role of compared bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The registers, as words.
    Registers,
    /// The colour buffer.
    Colour,
    /// The depth and stencil buffer.
    Depth,
    /// Output of a fill or transfer.
    Output,
    /// A screen.
    Screen {
        /// Which.
        screen: Screen,
        /// Pixels of a row.
        width: u32,
    },
    /// Guest memory.
    Memory,
    /// The machine's whole state, as words.
    State,
    /// Faults of the guest and lists given up, as text.
    Faults,
}

impl Role {
    /// True if the machine produced the bytes; false for its settings and for memory that a host wrote.
    pub(in crate::pica) const fn is_made(self) -> bool {
        matches!(self, Self::Colour | Self::Depth | Self::Output | Self::Screen { .. })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Registers => "registers",
            Self::Colour => "colour buffer",
            Self::Depth => "depth buffer",
            Self::Output => "output",
            Self::Screen { screen: Screen::Bottom, .. } => "lower screen",
            Self::Screen { screen: Screen::TopRight, .. } => "upper screen, right eye",
            Self::Screen { .. } => "upper screen",
            Self::Memory => "memory",
            Self::State => "state",
            Self::Faults => "faults",
        })
    }
}

/// The mapped part of a range, from its start on.
fn mapped(role: Role, memory: &dyn Memory, (address, length): (u32, u32)) -> Option<Surface> {
    let whole = memory.region(address, length).map(|slice| slice.to_vec());
    let bytes = whole.unwrap_or_else(|| mapped_pages(memory, address, length));
    (length > 0).then_some(Surface { role, address, bytes })
}

/// The mapped pages from `address` on, up to the first unmapped one.
fn mapped_pages(memory: &dyn Memory, address: u32, length: u32) -> Vec<u8> {
    let page = |start| memory.region(address.checked_add(start)?, PAGE.min(length - start));
    let pages = (0..length).step_by(PAGE as usize).map_while(page);
    pages.flat_map(|slice| slice.to_vec()).collect()
}

/// After a draw: registers, colour and depth.
pub(in crate::pica) fn after_draw(view: View<'_>) -> Vec<Surface> {
    let buffers = Target::new(view.registers, view.memory).ranges();
    let surfaces = [Role::Colour, Role::Depth].into_iter().zip(buffers);
    let surfaces = surfaces.filter_map(|(role, range)| mapped(role, view.memory, range));
    [Surface::of_words(Role::Registers, view.registers.words())].into_iter().chain(surfaces).collect()
}

/// After a fill or transfer: the memory that it may have written.
pub(in crate::pica) fn after_engine(view: View<'_>, engine: Engine) -> Vec<Surface> {
    let (address, length) = match engine {
        Engine::Fill(unit) => {
            let fill = view.external.fill(unit);
            (fill.start, fill.end.saturating_sub(fill.start))
        }
        Engine::Transfer => transfer_output(view.external),
    };
    let range = (address, length.min(MOST_OUTPUT));
    mapped(Role::Output, view.memory, range).into_iter().collect()
}

/// Address and length of a transfer's output, gaps included; an upper bound of the written range.
fn transfer_output(external: &External) -> (u32, u32) {
    let words = external.transfer_words();
    let [_, output, size, _, flags, ..] = words;
    if flags & 8 == 0 {
        let pixels = (size & 0xffff).saturating_mul(size >> 16);
        return (output << 3, pixels.saturating_mul(4));
    }
    let [line, gap] = [words[10] & 0xffff, words[10] >> 16].map(|units| units * 16);
    let lines = if line == 0 { 1 } else { words[8].div_ceil(line) };
    (output << 3, words[8].saturating_add(lines.saturating_mul(gap)))
}

/// At the end of a frame: the screens.
pub(in crate::pica) fn after_frame(player: &Player<'_>, engine: &mut dyn BlitStage) -> Vec<Surface> {
    let shown = screens(player.pica().external(), engine, player.memory());
    let surface = |(screen, picture): (Screen, picaflor_pipeline::picture::Picture)| {
        let role = Role::Screen { screen, width: picture.width };
        Surface { role, address: 0, bytes: picture.rgb }
    };
    shown.into_iter().map(surface).collect()
}

/// At the end: the screens, the state of the machine, faults and lists given up.
pub(in crate::pica) fn at_end(
    player: &Player<'_>,
    engine: &mut dyn BlitStage,
    given_up: &GivenUpList,
) -> Vec<Surface> {
    let given_up: Vec<String> = given_up.lines(ToString::to_string).collect();
    let faults = format!("{:?}\n{given_up:?}", player.pica().faults());
    let mut surfaces = after_frame(player, engine);
    surfaces.push(Surface::of_words(Role::State, player.pica().save().words()));
    surfaces.push(Surface::of_text(Role::Faults, faults));
    surfaces
}
