//! Surfaces at the points of a replay, and the text of a difference.

use super::{State, notes};
use crate::ge::Ge;
use crate::image::{Image, Panels};
use crate::lockstep::{Difference, GivenUpList, Moment, Origin};
use picaflor_interp::Interpreter;
use picaflor_interp::ge::stored_colour;
use picaflor_pipeline::ge::Snapshot;
use picaflor_pipeline::ge::capture::replay::{Outcome, Player};
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{FlatMemory, Memory};
use std::fmt;

/// The role of compared bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The stop of a list, as text.
    Course,
    /// The registers, or the machine's whole state, as words.
    State,
    /// All of VRAM.
    Vram,
    /// Other memory.
    Memory,
    /// Faults of the guest and lists given up, as text.
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
pub(in crate::ge) type Surface = crate::lockstep::Surface<Role>;
type Point = crate::lockstep::Point<Ge>;

/// All of VRAM, if it is there.
pub(super) fn vram(memory: &dyn Memory) -> Option<Surface> {
    let bytes = memory.region(VRAM, VRAM_BYTES)?.to_vec();
    Some(Surface { role: Role::Vram, address: VRAM, bytes })
}

/// After a list: its stop, the state of the machine, and VRAM.
pub(in crate::ge) fn after_list(player: &Player<'_>, outcome: Outcome) -> Vec<Surface> {
    let course = Surface::of_text(Role::Course, format!("{outcome:?}"));
    [course].into_iter().chain(after_frame(player)).collect()
}

/// After a frame: the state of the machine, and VRAM.
pub(in crate::ge) fn after_frame(player: &Player<'_>) -> Vec<Surface> {
    [state(player)].into_iter().chain(vram(player.memory())).collect()
}

fn state(player: &Player<'_>) -> Surface {
    Surface::of_words(Role::State, player.ge().save().words())
}

/// The state of the machine after a list.
pub(in crate::ge) fn state_of(point: &Point) -> Option<Snapshot> {
    let is_whole = |surface: &&Surface| point.place.moment == Moment::List && surface.role == Role::State;
    let state = point.surfaces.iter().find(is_whole)?;
    Some(Snapshot::from_words(
        state.bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect(),
    ))
}

/// At the end: lists that were given up, faults of the guest, and the state of the machine.
pub(in crate::ge) fn at_end(player: &Player<'_>, given_up: &GivenUpList) -> Vec<Surface> {
    vec![Surface::of_text(Role::Faults, notes(given_up, player.ge().faults()).join("\n")), state(player)]
}

/// All that differs between two points of the same place.
pub(in crate::ge) fn find(expected: &Point, actual: &Point) -> Vec<Difference> {
    let surface = |n: usize| (expected.surfaces.get(n), actual.surfaces.get(n));
    let pairs = (0..expected.surfaces.len().max(actual.surfaces.len())).map(surface);
    pairs.filter(|(e, a)| e != a).map(|pair| describe([expected, actual], pair)).collect()
}

fn describe(points: [&Point; 2], pair: (Option<&Surface>, Option<&Surface>)) -> Difference {
    let place = points[1].place;
    let (Some(expected), Some(actual)) = pair else {
        let what = "only one of the machines has it".into();
        return Difference {
            place,
            surface: "surfaces".into(),
            bytes: 0,
            what,
            picture: None,
            origin: Origin::New,
        };
    };
    let differ = || expected.bytes.iter().zip(&actual.bytes).enumerate().filter(|(_, (e, a))| e != a);
    let missing = expected.bytes.len().abs_diff(actual.bytes.len()) as u64;
    Difference {
        place,
        surface: actual.role.to_string(),
        bytes: differ().count() as u64 + missing,
        what: differ().next().map_or_else(
            || format!("{} bytes instead of {}", actual.bytes.len(), expected.bytes.len()),
            |(at, _)| {
                let pixel = (actual.role == Role::Vram).then(|| pixel(points, [expected, actual])).flatten();
                pixel.unwrap_or_else(|| first(expected, actual, at))
            },
        ),
        picture: (actual.role == Role::Vram).then(|| target(points, [expected, actual])),
        origin: Origin::New,
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

/// The first pixel of the drawing area whose colour or depth differs, with both values.
fn pixel(points: [&Point; 2], surfaces: [&Surface; 2]) -> Option<String> {
    let State { registers, maps, .. } = &points[0].state;
    let memories = surfaces.map(|surface| FlatMemory::new(surface.address, surface.bytes.clone()));
    let [Some(expected), Some(actual)] = [0, 1].map(|n: usize| Target::new(registers, *maps, &memories[n]))
    else {
        return None;
    };
    let area = registers.drawing_area();
    let width = area.x1.min(expected.colour_stride as i32);
    let mut places = (area.y0.max(0)..area.y1).flat_map(|y| (area.x0.max(0)..width).map(move |x| [x, y]));
    let colour = |place| [&actual, &expected].map(|target| stored_colour(target, place));
    let depth = |[x, y]: [i32; 2]| {
        [&actual, &expected]
            .map(|target| u16::from_le_bytes(target.vram.read_array(target.depth_offset(x, y))))
    };
    let differs = |place: &[i32; 2]| {
        let ([a, e], [near, far]) = (colour(*place), depth(*place));
        a != e || near != far
    };
    let place = places.find(differs)?;
    let [x, y] = place;
    let [a, e] = colour(place);
    if a != e {
        let told = |[r, g, b, alpha]: [u8; 4]| format!("rgba {r} {g} {b} {alpha}");
        return Some(format!("pixel ({x}, {y}): {} instead of {}", told(a), told(e)));
    }
    let [a, e] = depth(place);
    Some(format!("depth at pixel ({x}, {y}): {a:#06x} instead of {e:#06x}"))
}

/// The buffer that was drawn to, as the screen would show it.
fn target(points: [&Point; 2], surfaces: [&Surface; 2]) -> Panels {
    let image = |n: usize| {
        let State { registers, maps, .. } = &points[n].state;
        let buffer = FrameBuffer {
            address: VRAM | registers.arg(op::FBP) & (VRAM_BYTES - 1),
            stride: registers.arg(op::FBW) & 0x7fc,
            format: PixelFormat::of(registers.arg(op::PSM)),
        };
        Image::from(&buffer.picture(
            &mut Interpreter::new(),
            &FlatMemory::new(VRAM, surfaces[n].bytes.clone()),
            *maps,
        ))
    };
    let (expected, actual) = (image(0), image(1));
    let pixel = |image: &Image, x, y| {
        let [r, g, b] = image.pixel(x, y);
        [r, g, b, 255]
    };
    let size = (expected.width(), expected.height());
    Panels::of(size, |x, y| pixel(&expected, x, y), |x, y| pixel(&actual, x, y))
}
