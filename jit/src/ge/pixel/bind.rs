//! From registers and textures to the constants of a draw.

use super::feedback::Feedback;
use crate::emit::ge::span::{Channels, Doubles, Ints, LevelConstants, PLACE_BITS, PixelConstants};
use crate::error::CompileError;
use crate::ge::key::PixelKey;
use crate::ge::key::texture::TextureKey;
use crate::ge::pixel::texture::ImageKey;
use crate::ge::texel::colour::encode;
use crate::texture_cache::{ALL_ROWS, Decode as _, Image, Images};
use picaflor_pipeline::ge::queue;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;
use std::sync::Arc;

/// Bytes: the first, and the one behind the last.
pub(super) type Range = [u32; 2];

/// The constants of a draw, with the owners of the memory they point to.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) constants: Box<PixelConstants>,
    /// Logarithms of the sides of level 0.
    pub(super) log2: [u32; 2],
    /// Kept alive.
    _images: Vec<Arc<Image>>,
    /// Where their texels lie in memory.
    pub(super) read: Vec<(u32, u32)>,
    /// Where the texture lies in part where the draw does.
    pub(super) feedback: Option<Feedback>,
    /// Rows of level 0 that are decoded, from the first.
    rows: u32,
}

impl Bound {
    /// True if the texels that some primitives read are decoded.
    pub(super) fn serves(&self, key: &PixelKey, state: &PixelState<'_>, primitives: &[Primitive]) -> bool {
        let needed = |texture| Feedback::rows(texture, state, primitives);
        self.rows == ALL_ROWS || key.texture.as_ref().is_none_or(|texture| needed(texture) <= self.rows)
    }
}

/// Announces the next draw, compiled or interpreted, to these ranges.
pub(super) fn draws(ranges: &[Range; 2], textures: &mut impl Images<ImageKey>) {
    let used = ranges.iter().filter(|[first, end]| first < end);
    used.for_each(|[first, end]| textures.changed((*first, end - first)));
}

/// The constants of a draw of some primitives to these [ranges](target_ranges).
///
/// # Errors
/// [`CompileError::UnknownState`] for a draw whose texture overlaps its own target in a way that [`Feedback`] does not
/// describe.
pub(crate) fn bind(
    key: &PixelKey,
    (state, drawn): (&PixelState<'_>, &[Range; 2]),
    primitives: &[Primitive],
    textures: &mut impl Images<ImageKey>,
) -> Result<Bound, CompileError> {
    let mut constants = Box::<PixelConstants>::default();
    let count = key.texture.map_or(0, |_| state.registers.sampled_levels().len());
    let (mut images, mut read) = (Vec::<Arc<Image>>::with_capacity(count), Vec::with_capacity(count));
    let mut feedback = None;
    bind_tests(&mut constants, state.registers);
    bind_output(&mut constants, state.registers);
    if let Some(texture) = &key.texture {
        bind_lod(&mut constants, state.registers);
        let drawn = touched(key, drawn);
        let found = (&mut images, &mut read);
        feedback = bind_texture(&mut constants, texture, (state, &drawn, primitives), textures, found)?;
    }
    let log2 = state.registers.texture_size_log2(0);
    let rows = images.first().map_or(ALL_ROWS, |image| image.rows());
    Ok(Bound { constants, log2, _images: images, read, feedback, rows })
}

fn bind_texture(
    constants: &mut PixelConstants,
    texture: &TextureKey,
    (state, drawn, primitives): (&PixelState<'_>, &[Range], &[Primitive]),
    textures: &mut impl Images<ImageKey>,
    (images, read): (&mut Vec<Arc<Image>>, &mut Vec<(u32, u32)>),
) -> Result<Option<Feedback>, CompileError> {
    let mut feedback = None;
    for (level, to) in state.registers.sampled_levels().zip(&mut constants.levels) {
        let image_key = ImageKey::of(state, level);
        let size = image_key.size();
        let ranges = (0..image_key.pieces()).map(|piece| image_key.range(piece));
        let meets = |(address, length)| {
            length > 0 && drawn.iter().any(|drawn| overlap(*drawn, [address, address + length]))
        };
        if ranges.clone().any(meets) {
            feedback = Feedback::of(texture, state.registers, state.maps, image_key.clone(), drawn.to_vec());
            if feedback.is_none() {
                return Err(CompileError::UnknownState { what: "a texture that overlaps the target" });
            }
        }
        read.extend(ranges);
        let rows = || if level == 0 { Feedback::rows(texture, state, primitives) } else { ALL_ROWS };
        let image = textures.first_rows(state.memory, image_key, &rows)?;
        *to = level_constants(state.registers, level, (size, &image));
        images.push(image);
    }
    Ok(feedback)
}

fn level_constants(registers: &Registers, level: u8, (sides, image): ([u32; 2], &Image)) -> LevelConstants {
    let (size, whole) = (registers.texture_size_log2(level), registers.texture_size_log2(0));
    let scale = |axis: usize| -> Doubles {
        let before = if registers.is_through() { f64::from(1 << whole[axis]) } else { 1.0 };
        [f64::from(1 << size[axis]) / before * 256.0; 2]
    };
    LevelConstants {
        scale: [scale(0), scale(1)],
        last: sides.map(|side| [side as i32 - 1; 4]),
        farthest: sides.map(|side| [(side as i32 - 1).wrapping_mul(1 << PLACE_BITS); 4]),
        width: [sides[0] as i32 + 1; 4],
        texels: image.texels().as_ptr() as u64,
        halved: [0, 1].map(|axis| whole[axis].saturating_sub(size[axis])),
    }
}

fn bind_lod(constants: &mut PixelConstants, registers: &Registers) {
    let size = registers.texture_size_log2(0);
    constants.bias = registers.texture_bias().bias();
    constants.last_level = 16 * registers.texture_mode().max_level().cast_signed();
    constants.slope = f64::from(registers.float(op::TSLOPE));
    constants.lod_scale = size.map(|side| if registers.is_through() { 1.0 } else { f64::from(1 << side) });
}

fn bind_tests(constants: &mut PixelConstants, registers: &Registers) {
    let splat = |value: u32| -> Ints { [value.cast_signed(); 4] };
    constants.depth_range = registers.depth_range().map(|depth| [depth; 4]);
    let masked = |test: picaflor_pipeline::ge::regs::pixel::MaskedTest| {
        let (reference, mask) = (u32::from(test.reference()), u32::from(test.mask()));
        [splat(reference & mask), splat(mask)]
    };
    constants.alpha_test = masked(registers.alpha_test());
    constants.stencil_test = masked(registers.stencil_test());
    constants.stencil_replace = splat(u32::from(registers.stencil_test().reference()));
    let (reference, mask) = (registers.arg(op::CREF), registers.arg(op::CMSK));
    constants.colour_test = [splat(reference & mask), splat(mask)];
}

fn bind_output(constants: &mut PixelConstants, registers: &Registers) {
    constants.fixed = [op::SFIX, op::DFIX].map(|register| colour(registers.arg(register)));
    constants.fog = colour(registers.arg(op::FCOL));
    constants.most_fog = constants.fog.map(|channel| 255 * channel + 255);
    constants.environment = colour(registers.arg(op::TEC));
    let clear = registers.clear_mode();
    let shown = !registers.write_mask();
    let written = |bits: u32, on: bool| -> Ints {
        let bits = if on { encode(registers.pixel_format(), shown & bits) } else { 0 };
        [bits.cast_signed(); 4]
    };
    constants.written = [written(0xff_ffff, !clear.enable() || clear.colour()), written(0xff00_0000, true)];
    for (y, row) in constants.dither.iter_mut().enumerate() {
        for (pixel, channels) in row.as_flattened_mut().chunks_exact_mut(4).enumerate() {
            let entry = registers.dither(pixel as i32, y as i32) as i16;
            channels.copy_from_slice(&[entry, entry, entry, 0]);
        }
    }
}

/// RGB of a register as two pixels.
fn colour(rgb: u32) -> Channels {
    let [r, g, b, _] = rgb.to_le_bytes().map(u16::from);
    [r, g, b, 0, r, g, b, 0]
}

pub(super) const fn overlap([a, a_end]: Range, [b, b_end]: Range) -> bool {
    a < b_end && b < a_end
}

/// Address ranges of the buffers of a state's draws: colour, depth. Those that the machine's barriers and prices go by: where this
/// engine took more for drawn, textures were compared and draws interpreted that nobody paid for.
pub(super) fn target_ranges(state: &PixelState<'_>) -> [Range; 2] {
    queue::buffers(state).map(|(first, length)| [first, first + length])
}

/// Aligned bytes that mirrors 1 and 3 keep together.
pub(super) const fn run(maps: AddressMaps) -> u32 {
    match maps.canonical() {
        AddressMaps::Flat => 1,
        AddressMaps::Off => 0x800,
        AddressMaps::Shift(n) => 0x2000 << n,
    }
}

/// Those of the buffers that the key's code touches.
fn touched(key: &PixelKey, ranges: &[Range; 2]) -> Vec<Range> {
    let touched = [key.touches_colour(), key.depth.is_some()];
    ranges.iter().zip(touched).filter(|(_, touched)| *touched).map(|(range, _)| *range).collect()
}

/// Predicate: the buffers that the key's code touches overlap.
pub(super) fn buffers_overlap(key: &PixelKey, [colour, depth]: &[Range; 2]) -> bool {
    key.touches_colour() && key.depth.is_some() && overlap(*colour, *depth)
}
