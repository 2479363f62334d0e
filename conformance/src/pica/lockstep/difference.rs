//! A difference at a point, in words and as a picture.

use super::point::{Role, Surface};
use crate::image::Panels;
use crate::lockstep::{Difference, Origin};
use crate::pica::Pica;
use picaflor_interp::pica::surface;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::regs::{Registers, describe};

type Point = crate::lockstep::Point<Pica>;

/// All that differs between two points of the same place.
pub(in crate::pica) fn find(expected: &Point, actual: &Point) -> Vec<Difference> {
    if expected.surfaces.len() != actual.surfaces.len() {
        let count = |point: &Point| point.surfaces.len();
        let what = format!("{} surfaces instead of {}", count(actual), count(expected));
        let surface = "surfaces".into();
        return vec![Difference {
            place: actual.place,
            surface,
            bytes: 0,
            what,
            picture: None,
            origin: Origin::New,
        }];
    }
    let pairs = expected.surfaces.iter().zip(&actual.surfaces).filter(|(e, a)| e != a);
    pairs.map(|pair| describe_pair(actual, pair)).collect()
}

fn describe_pair(point: &Point, (expected, actual): (&Surface, &Surface)) -> Difference {
    let place = point.place;
    let surface = match actual.address {
        0 => actual.role.to_string(),
        address => format!("{} at {address:#010x}", actual.role),
    };
    let is_like = expected.role == actual.role
        && expected.address == actual.address
        && expected.bytes.len() == actual.bytes.len();
    if !is_like {
        let what = format!(
            "{} bytes at {:#010x} instead of {} ({}) at {:#010x}",
            actual.bytes.len(),
            actual.address,
            expected.bytes.len(),
            expected.role,
            expected.address
        );
        return Difference { place, surface, bytes: 0, what, picture: None, origin: Origin::New };
    }
    let bytes = expected.bytes.iter().zip(&actual.bytes).filter(|(e, a)| e != a).count() as u64;
    let (what, picture) = first(&point.state, expected, actual);
    Difference { place, surface, bytes, what, picture, origin: Origin::New }
}

/// The first difference of two surfaces of the same kind and length.
fn first(registers: &Registers, expected: &Surface, actual: &Surface) -> (String, Option<Panels>) {
    match actual.role {
        Role::Registers => (register(expected, actual), None),
        Role::State => (format!("word {}", word(expected, actual)), None),
        Role::Faults => (format!("{} instead of {}", text(actual), text(expected)), None),
        Role::Output | Role::Memory => (byte(expected, actual), None),
        Role::Screen { width, .. } => screen(width, expected, actual),
        Role::Colour => pixels(registers, expected, actual, colour_pixel, rgba),
        Role::Depth => pixels(registers, expected, actual, depth_pixel, depth_text),
    }
}

fn position(expected: &Surface, actual: &Surface) -> usize {
    expected.bytes.iter().zip(&actual.bytes).position(|(e, a)| e != a).unwrap_or(0)
}

fn text(surface: &Surface) -> String {
    String::from_utf8_lossy(&surface.bytes).trim().replace('\n', " ")
}

fn byte(expected: &Surface, actual: &Surface) -> String {
    let at = position(expected, actual);
    let address = actual.address.wrapping_add(at as u32);
    format!("byte at {address:#010x}: {:#04x} instead of {:#04x}", actual.bytes[at], expected.bytes[at])
}

fn word(expected: &Surface, actual: &Surface) -> String {
    let at = position(expected, actual) / 4;
    let [e, a] = [expected, actual].map(|surface| word_at(surface, at));
    format!("{at}: {a:#010x} instead of {e:#010x}")
}

fn word_at(surface: &Surface, at: usize) -> u32 {
    surface
        .bytes
        .chunks(4)
        .nth(at)
        .map_or(0, |bytes| bytes.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b)))
}

fn register(expected: &Surface, actual: &Surface) -> String {
    let id = position(expected, actual) / 4;
    let [e, a] = [expected, actual].map(|surface| word_at(surface, id));
    format!("register {id:#05x} {}: {a:#010x} instead of {e:#010x}", describe(id as u16).name)
}

type Pixel = [u8; 4];

fn colour_pixel(pixels: &surface::Surface<'_>, x: u32, y: u32) -> Pixel {
    pixels.colour(x, y)
}

/// Depth from the highest byte on, then stencil.
fn depth_pixel(pixels: &surface::Surface<'_>, x: u32, y: u32) -> Pixel {
    let [_, high, middle, low] = pixels.depth(x, y).to_be_bytes();
    match pixels.depth_bits() {
        16 => [middle, low, 0, pixels.stencil(x, y)],
        _ => [high, middle, low, pixels.stencil(x, y)],
    }
}

fn rgba([r, g, b, a]: Pixel) -> String {
    format!("rgba {r} {g} {b} {a}")
}

fn depth_text([high, middle, low, stencil]: Pixel) -> String {
    format!("depth 0x{high:02x}{middle:02x}{low:02x} stencil 0x{stencil:02x}")
}

/// Two buffers of a render target.
fn pixels(
    registers: &Registers,
    expected: &Surface,
    actual: &Surface,
    pixel: fn(&surface::Surface<'_>, u32, u32) -> Pixel,
    shown: fn(Pixel) -> String,
) -> (String, Option<Panels>) {
    let [expected_memory, actual_memory] =
        [expected, actual].map(|surface| FlatMemory::new(surface.address, surface.bytes.clone()));
    let expected_pixels = surface::Surface::new(registers, &expected_memory);
    let actual_pixels = surface::Surface::new(registers, &actual_memory);
    let dim = registers.framebuffer_dim();
    let (width, height) = (dim.width(), dim.height());
    let e = |x, y| pixel(&expected_pixels, x, height - 1 - y);
    let a = |x, y| pixel(&actual_pixels, x, height - 1 - y);
    let mut all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let Some((x, y)) = all.find(|&(x, y)| e(x, y) != a(x, y)) else {
        return (byte(expected, actual), None);
    };
    // The window counts its rows from the bottom.
    let what = format!("pixel ({x}, {}): {} instead of {}", height - 1 - y, shown(a(x, y)), shown(e(x, y)));
    (what, Some(Panels::of((width, height), e, a)))
}

/// Two pictures of a screen.
fn screen(width: u32, expected: &Surface, actual: &Surface) -> (String, Option<Panels>) {
    let at = position(expected, actual) as u32 / 3;
    let pixel = |surface: &Surface, x: u32, y: u32| -> Pixel {
        let at = (y * width + x) as usize * 3;
        [surface.bytes[at], surface.bytes[at + 1], surface.bytes[at + 2], 255]
    };
    let (x, y) = (at % width, at / width);
    let [e, a] = [expected, actual].map(|surface| rgba(pixel(surface, x, y)));
    let height = actual.bytes.len() as u32 / 3 / width;
    let picture = Panels::of((width, height), |x, y| pixel(expected, x, y), |x, y| pixel(actual, x, y));
    (format!("pixel ({x}, {y}) from the top left: {a} instead of {e}"), Some(picture))
}
