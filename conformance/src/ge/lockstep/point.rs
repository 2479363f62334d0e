//! Points of a replay, what is compared there, and how a difference is told.

use super::Difference;
use crate::image::{Image, Panels};
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{FlatMemory, Memory};
use std::fmt;

/// Bytes of memory that are compared at once, at the end.
const CHUNK: u32 = 1 << 20;

/// What has just happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A draw.
    Draw,
    /// A block transfer.
    Transfer,
    /// A list stopped.
    List,
    /// The end of the capture.
    End,
}

/// Where in a capture something happened; all numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Frame.
    pub frame: usize,
    /// Event.
    pub event: usize,
    /// Draws before this one; 0 where draws are not looked at.
    pub draw: u64,
    /// What happened.
    pub moment: Moment,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frame, event, draw, moment } = self;
        match moment {
            Moment::Draw => write!(f, "frame {frame}, draw {draw} (event {event})"),
            Moment::Transfer => write!(f, "frame {frame}, transfer (event {event})"),
            Moment::List => write!(f, "frame {frame}, event {event}"),
            Moment::End => write!(f, "end of the capture"),
        }
    }
}

/// What some compared bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// How a list stopped, as text.
    Course,
    /// The registers, or the machine's whole state, as words.
    State,
    /// All of VRAM.
    Vram,
    /// Other memory.
    Memory,
    /// What the guest did wrong, and lists given up, as text.
    Faults,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Course => "course",
            Self::State => "state",
            Self::Vram => "VRAM",
            Self::Memory => "memory",
            Self::Faults => "faults",
        })
    }
}

/// Bytes to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surface {
    pub(super) role: Role,
    /// Address of the first byte, where there is one.
    pub(super) address: u32,
    pub(super) bytes: Vec<u8>,
}

impl Surface {
    pub(super) fn of_text(role: Role, text: String) -> Self {
        Self { role, address: 0, bytes: text.into_bytes() }
    }

    pub(super) fn of_words(words: &[u32]) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self { role: Role::State, address: 0, bytes }
    }

    pub(super) fn of_vram(memory: &dyn Memory) -> Option<Self> {
        let bytes = memory.region(VRAM, VRAM_BYTES)?.to_vec();
        Some(Self { role: Role::Vram, address: VRAM, bytes })
    }
}

/// All memory, in pieces.
pub(super) fn memory<'a>(player: &'a Player<'_>) -> impl Iterator<Item = Surface> + 'a {
    player.memory().blocks().iter().flat_map(|block| {
        let length = block.as_slice().len();
        (0..length).step_by(CHUNK as usize).map(move |start| Surface {
            role: Role::Memory,
            address: block.base() + start as u32,
            bytes: block.as_slice().slice(start, (length - start).min(CHUNK as usize)).to_vec(),
        })
    })
}

/// All that is compared at one point.
pub(super) struct Point {
    pub(super) place: Place,
    /// The registers, which say where the target is.
    pub(super) registers: Registers,
    pub(super) maps: AddressMaps,
    /// Counters so far.
    pub(super) stats: Stats,
    /// The keys of the draws since the point before, where somebody asked for them.
    pub(super) keys: String,
    pub(super) surfaces: Vec<Surface>,
}

/// All that differs between two points of the same place.
pub(super) fn find(expected: &Point, actual: &Point) -> Vec<Difference> {
    let surface = |n: usize| (expected.surfaces.get(n), actual.surfaces.get(n));
    let pairs = (0..expected.surfaces.len().max(actual.surfaces.len())).map(surface);
    pairs.filter(|(e, a)| e != a).map(|pair| describe([expected, actual], pair)).collect()
}

fn describe(points: [&Point; 2], pair: (Option<&Surface>, Option<&Surface>)) -> Difference {
    let place = points[1].place;
    let (Some(expected), Some(actual)) = pair else {
        let what = "only one of the machines has it".into();
        return Difference { place, surface: "surfaces".into(), bytes: 0, what, picture: None };
    };
    let differ = || expected.bytes.iter().zip(&actual.bytes).enumerate().filter(|(_, (e, a))| e != a);
    let missing = expected.bytes.len().abs_diff(actual.bytes.len()) as u64;
    Difference {
        place,
        surface: actual.role.to_string(),
        bytes: differ().count() as u64 + missing,
        what: differ().next().map_or_else(
            || format!("{} bytes instead of {}", actual.bytes.len(), expected.bytes.len()),
            |(at, _)| first(expected, actual, at),
        ),
        picture: (actual.role == Role::Vram).then(|| target(points, [expected, actual])),
    }
}

/// The first difference, at byte `at`.
fn first(expected: &Surface, actual: &Surface, at: usize) -> String {
    match actual.role {
        Role::Course | Role::Faults => {
            let [e, a] =
                [expected, actual].map(|surface| String::from_utf8_lossy(&surface.bytes).replace('\n', " "));
            format!("{} instead of {}", a.trim(), e.trim())
        }
        Role::State => {
            let word = |surface: &Surface| {
                let bytes = surface.bytes.get(at / 4 * 4..).and_then(<[u8]>::first_chunk);
                u32::from_le_bytes(bytes.copied().unwrap_or_default())
            };
            format!("word {}: {:#x} instead of {:#x}", at / 4, word(actual), word(expected))
        }
        Role::Vram | Role::Memory => {
            let address = actual.address as usize + at;
            format!(
                "byte at {address:#010x}: {:#04x} instead of {:#04x}",
                actual.bytes[at], expected.bytes[at]
            )
        }
    }
}

/// The buffer that was drawn to, as the screen would show it.
fn target(points: [&Point; 2], surfaces: [&Surface; 2]) -> Panels {
    let image = |n: usize| {
        let Point { registers, maps, .. } = points[n];
        let buffer = FrameBuffer {
            address: VRAM | registers.arg(op::FBP) & (VRAM_BYTES - 1),
            stride: registers.arg(op::FBW) & 0x7fc,
            format: PixelFormat::of(registers.arg(op::PSM)),
        };
        Image::from(&buffer.picture(&FlatMemory::new(VRAM, surfaces[n].bytes.clone()), *maps))
    };
    let (expected, actual) = (image(0), image(1));
    let pixel = |image: &Image, x, y| {
        let [r, g, b] = image.pixel(x, y);
        [r, g, b, 255]
    };
    let size = (expected.width(), expected.height());
    Panels::of(size, |x, y| pixel(&expected, x, y), |x, y| pixel(&actual, x, y))
}
